//! Tests the scripts of the flag `--fake`.

use agentwire_testkit::Scenario;
use std::path::Path;

#[test]
fn the_script_of_each_program_is_valid() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for program in ["batch", "bot", "chat", "supervisor", "web"] {
        let script = std::fs::read_to_string(programs.join(program).join("fake.json")).unwrap();
        if let Err(error) = Scenario::from_json(&script) {
            panic!("{program}/fake.json: {error}");
        }
    }
}
