//! What builds from nothing cost.

use crate::Failure;
use crate::process::children_cpu_seconds;
use crate::results::Results;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Takes all of them, once each; some ten minutes.
pub fn run(root: &Path, scratch: &Path, results: &mut Results) -> Result<(), Failure> {
    let mut push = |what: &str, metrics: Value| {
        eprintln!("builds {what}: {metrics}");
        results.push("builds", "", what, Ok(metrics));
    };
    // A line for each crate: name, CPU seconds in dev and release, crates.
    let printed = output(Command::new(root.join("scripts/cold-build")).current_dir(root))?;
    for line in printed.lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, dev, release, crates] = words[..] else {
            return Err(format!("no line of scripts/cold-build: {line}").into());
        };
        let metrics = json!({
            "dev_cpu_seconds": dev.parse::<f64>()?,
            "release_cpu_seconds": release.parse::<f64>()?,
            "crates": crates.parse::<f64>()?,
        });
        push(name.split('@').next().unwrap_or(name), metrics);
    }

    let target = scratch.join("builds");
    let cargo = |arguments: &[&str]| -> Result<(f64, f64), Failure> {
        let _ = std::fs::remove_dir_all(&target);
        let (start, before) = (Instant::now(), children_cpu_seconds());
        output(
            Command::new("cargo")
                .args(arguments)
                .arg("--target-dir")
                .arg(&target)
                .current_dir(root),
        )?;
        Ok((
            children_cpu_seconds() - before,
            start.elapsed().as_secs_f64(),
        ))
    };
    let (cpu, _) = cargo(&[
        "build",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "agentwire-cli",
    ])?;
    let size = output(Command::new("size").arg(target.join("release/agentwire")))?;
    let text = size
        .lines()
        .nth(1)
        .and_then(|line| line.split_whitespace().next());
    let text: f64 = text.ok_or("size printed nothing")?.parse()?;
    push(
        "agentwire-cli",
        json!({ "release_cpu_seconds": cpu, "text_mb": text / 1e6 }),
    );

    let (_, seconds) = cargo(&["test", "--quiet", "--workspace", "--locked"])?;
    push(
        "cargo test --workspace",
        json!({ "minutes": seconds / 60.0 }),
    );
    Ok(std::fs::remove_dir_all(&target)?)
}

fn output(command: &mut Command) -> Result<String, Failure> {
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}: {}", output.status, said.trim_end()).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
