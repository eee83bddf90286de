//! Measures builds from an empty target directory.

use crate::Failure;
use crate::process::exited_children_cpu_seconds;
use crate::results::Results;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Runs each build once, which takes about fifteen minutes. The row of a failed
/// build has the error.
pub fn run(root: &Path, scratch: &Path, results: &mut Results) {
    let mut push = |what: &str, printed: Result<Value, Failure>| {
        let printed = printed.map_err(|error| error.to_string());
        eprintln!("builds {what}: {printed:?}");
        results.push("builds", "", what, printed);
    };
    match cold_builds(root) {
        Ok(rows) => rows
            .into_iter()
            .for_each(|(name, metrics)| push(&name, Ok(metrics))),
        Err(error) => push("agentwire", Err(error)),
    }
    let target = scratch.join("builds");
    push("agentwire-cli", cli(root, &target));
    push("cargo test --workspace", tests(root, &target));
    let _ = std::fs::remove_dir_all(&target);
}

/// Parses the output of `scripts/measure builds`. After its title, it has a
/// line for each crate with its name, its CPU seconds in dev and release, the
/// MB of text in its libraries, and the number of crates.
fn cold_builds(root: &Path) -> Result<Vec<(String, Value)>, Failure> {
    let printed = output(
        Command::new(root.join("scripts/measure"))
            .arg("builds")
            .current_dir(root),
    )?;
    let row = |line: &str| -> Result<_, Failure> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, dev, release, text, crates] = words[..] else {
            return Err(format!("scripts/measure builds printed {line}").into());
        };
        let metrics = json!({
            "dev_cpu_seconds": dev.parse::<f64>()?,
            "release_cpu_seconds": release.parse::<f64>()?,
            "text_mb": text.parse::<f64>()?,
            "crates": crates.parse::<f64>()?,
        });
        let name = name.split('@').next().unwrap_or(name);
        Ok((name.to_owned(), metrics))
    };
    printed.lines().skip(1).map(row).collect()
}

/// Measures a release build of the CLI.
fn cli(root: &Path, target: &Path) -> Result<Value, Failure> {
    let before = exited_children_cpu_seconds();
    let build = ["build", "--release", "--package", "agentwire-cli"];
    cargo(&build, root, target)?;
    let cpu = exited_children_cpu_seconds() - before;
    let size = output(Command::new("size").arg(target.join("release/agentwire")))?;
    // The second line has the numbers: text, data, bss, …
    let text = size
        .lines()
        .nth(1)
        .and_then(|line| line.split_whitespace().next());
    let text: f64 = text.ok_or("size printed no line")?.parse()?;
    Ok(json!({ "release_cpu_seconds": cpu, "text_mb": text / 1e6 }))
}

/// Measures the tests, as after a fresh clone.
fn tests(root: &Path, target: &Path) -> Result<Value, Failure> {
    let start = Instant::now();
    cargo(&["test", "--workspace"], root, target)?;
    Ok(json!({ "minutes": start.elapsed().as_secs_f64() / 60.0 }))
}

/// Runs cargo with an empty target directory.
fn cargo(arguments: &[&str], root: &Path, target: &Path) -> Result<(), Failure> {
    if target.exists() {
        std::fs::remove_dir_all(target)?;
    }
    let mut command = Command::new("cargo");
    command.args(arguments).args(["--quiet", "--locked"]);
    command.arg("--target-dir").arg(target).current_dir(root);
    output(&mut command).map(drop)
}

fn output(command: &mut Command) -> Result<String, Failure> {
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rfind(|line| !line.is_empty());
        let program = Path::new(command.get_program()).file_name();
        let program = program.unwrap_or_default().display();
        return Err(format!("{program}: {}: {}", output.status, last.unwrap_or_default()).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
