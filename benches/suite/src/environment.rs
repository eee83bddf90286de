//! Reads the properties of the machine, and the versions of the contestants.

use crate::runner::Runner;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Returns the environment that the README reports.
pub fn read(runner: &Runner, root: &Path) -> Value {
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    json!({
        "processor": model.map_or("unknown", |(_, model)| model),
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "kernel": first_line(Command::new("uname").arg("-sr")),
        "load_average_at_start": load.split(' ').next(),
        "versions": {
            "agentwire": agentwire(root),
            "official TypeScript SDK": typescript(&runner.typescript),
            "official Python SDK": python(&runner.python),
            "claude-agent-sdk-rs": locked("claude-agent-sdk-rs"),
            "claude-codes": locked("claude-codes"),
            "cc-sdk": locked("cc-sdk"),
            "claude-wrapper": locked("claude-wrapper"),
            "tokio": locked("tokio"),
            "serde_json": locked("serde_json"),
            "rustc": first_line(Command::new("rustc").arg("--version")),
            "Node.js": first_line(Command::new("node").arg("--version")),
            "Python": first_line(Command::new(&runner.python).arg("--version")),
        },
    })
}

fn first_line(command: &mut Command) -> String {
    let printed = command
        .output()
        .map(|output| output.stdout)
        .unwrap_or_default();
    let text = String::from_utf8_lossy(&printed);
    text.lines().next().unwrap_or_default().to_owned()
}

/// Returns the commit, and whether the code differs from it.
fn agentwire(root: &Path) -> String {
    let git =
        |arguments: &[&str]| first_line(Command::new("git").current_dir(root).args(arguments));
    let commit = git(&["rev-parse", "--short", "HEAD"]);
    match git(&[
        "status",
        "--porcelain",
        "--",
        "src",
        "protocol",
        "Cargo.toml",
    ])
    .as_str()
    {
        "" => commit,
        _ => commit + ", changed",
    }
}

fn typescript(sdk: &Path) -> Value {
    let package = std::fs::read(sdk.with_file_name("package.json")).unwrap_or_default();
    serde_json::from_slice::<Value>(&package).unwrap_or_default()["version"].clone()
}

fn python(python: &OsStr) -> String {
    first_line(Command::new(python).args([
        "-c",
        "import claude_agent_sdk; print(claude_agent_sdk.__version__)",
    ]))
}

/// Returns the version of a crate from the lock file of this build.
fn locked(name: &str) -> &'static str {
    let after = format!("name = \"{name}\"\nversion = \"");
    let lock = include_str!("../Cargo.lock");
    let version = lock
        .split_once(&after)
        .and_then(|(_, rest)| rest.split('"').next());
    version.unwrap_or("unknown")
}
