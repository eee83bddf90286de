//! Tests that no process of Codex and its commands remains, however a program ends.

use crate::world::{World, processes, waiting_command};
use agentwire_codex::wire::NamedPolicy;
use agentwire_testkit::fake_agent::Gates;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::{Instant, sleep};

/// Ends a program while a command runs. Returns the remaining processes of Codex.
async fn remaining_after(way: &str) -> Vec<(String, String)> {
    let gates = Gates::new().unwrap();
    let replies = [[waiting_command(&gates, "c")]];
    let world = World::with(gates, replies).await;
    let options = world.options(NamedPolicy::Never);
    // Programs started in the background by a shell inherit that SIGINT is ignored.
    let mut program = Command::new("env")
        .arg("--default-signal=INT")
        .arg(crate::world::example("ends"))
        .args([way, &world.settings(options)])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs(world.variables())
        .env("AGENTWIRE_CODEX", crate::world::program())
        .current_dir(world.project())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    world.reached("c").await;
    let signal = match way {
        "interrupted" => Some("-INT"),
        "terminated" => Some("-TERM"),
        "killed" => Some("-KILL"),
        _ => None,
    };
    if let Some(signal) = signal {
        let pid = program.id().unwrap().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().await;
        assert!(sent.unwrap().success());
    }
    program.wait().await.unwrap();
    world.codex.close().await;
    wait_until_gone(world.home.path()).await
}

/// Waits until no process with this path in its command line or environment remains. Returns the
/// processes that remain after 15 s.
async fn wait_until_gone(path: &Path) -> Vec<(String, String)> {
    let until = Instant::now() + Duration::from_secs(15);
    loop {
        let left = processes(path);
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        // Nothing tells that a process of others has exited.
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn no_way_to_end_leaves_a_process() {
    for way in [
        "close",
        "close_all",
        "drop",
        "shut_down",
        "panic",
        "exit",
        "abort",
        "interrupted",
        "terminated",
        "killed",
    ] {
        let left = remaining_after(way).await;
        assert_eq!(left, [], "{way}");
    }
}
