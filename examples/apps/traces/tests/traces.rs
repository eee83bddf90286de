//! The picture in docs/telemetry.md is what the program prints with the real CLI.

use std::path::Path;
use std::process::Command;

#[test]
fn the_documentation_has_the_printed_tree() {
    let cli = std::env::var_os("AGENTWIRE_LIVE_CLI").expect("AGENTWIRE_LIVE_CLI names the CLI");
    let program = Command::new(env!("CARGO_BIN_EXE_traces"))
        .arg(cli)
        .output()
        .unwrap();
    let printed = String::from_utf8(program.stdout).unwrap();
    let errors = String::from_utf8_lossy(&program.stderr);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/telemetry.md");
    let page = std::fs::read_to_string(page).unwrap();
    let shown = page
        .split("```text\n")
        .nth(1)
        .and_then(|it| it.split("```").next());
    assert_eq!(shown.unwrap(), printed, "{errors}");
}
