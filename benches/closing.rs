//! What it costs to close many sessions at once, and which of their agents are
//! sent a signal:
//!
//! ```sh
//! cargo bench --bench closing
//! cargo bench --bench closing -- 1000   # that many sessions, in place of a table
//! ```
//!
//! The agents are small shell scripts. One in ten ignores the end of its input
//! and exits at SIGTERM; no other may be sent a signal. The CPU time is that of
//! this process, from the first call of `close` to the last report; that of
//! the agents is their whole life.

#![allow(clippy::print_stdout, reason = "a table is what a measurement is for")]

use agentwire::process::CloseStep;
use agentwire::{Client, ClosePolicy, Options};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const AGENT: &str = r#"#!/bin/sh
read -r line
id=${line#*\"request_id\":\"}
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "${id%%\"*}"
while read -r line; do :; done
[ -z "$STUBBORN" ] || exec sleep 1000
"#;

/// One session in so many ignores the end of its input.
const ONE_IN: usize = 10;

fn main() {
    // `cargo bench` adds arguments of its own.
    let number = std::env::args().find_map(|argument| argument.parse().ok());
    let folder = tempfile::tempdir().expect("a folder");
    let agent = folder.path().join("agent");
    std::fs::write(&agent, AGENT).expect("a script");
    std::fs::set_permissions(&agent, PermissionsExt::from_mode(0o755)).expect("a mode");
    println!(
        "{:>8} {:>8} {:>6} {:>8} {:>8} {:>8} {:>10} {:>9} {:>5}",
        "sessions", "threads", "fds", "wall s", "CPU s", "agents s", "signalled", "healthy", "left"
    );
    match number {
        Some(number) => measure(&agent, number),
        None => [50, 100, 200, 500]
            .into_iter()
            .for_each(|number| measure(&agent, number)),
    }
}

fn measure(agent: &Path, number: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut connecting = JoinSet::new();
        for index in 0..number {
            let is_stubborn = index % ONE_IN == 0;
            let connect = Client::connect(options(agent, is_stubborn));
            connecting.spawn(async move { (is_stubborn, connect.await.expect("a session")) });
        }
        let sessions = connecting.join_all().await;
        let (threads, fds) = (entries("/proc/self/task"), entries("/proc/self/fd"));
        let (wall, (cpu, agents)) = (Instant::now(), cpu());
        let mut closing = JoinSet::new();
        for (is_stubborn, mut client) in sessions {
            closing.spawn(async move { (is_stubborn, client.close().await) });
        }
        let (mut signalled, mut healthy, mut left) = (0, 0, 0);
        for (is_stubborn, report) in closing.join_all().await {
            let was_signalled = report.step != CloseStep::Exited;
            signalled += usize::from(was_signalled);
            healthy += usize::from(was_signalled && !is_stubborn);
            left += report.remaining.len();
        }
        let wall = wall.elapsed().as_secs_f64();
        let (cpu_after, agents_after) = self::cpu();
        let (cpu, agents) = (cpu_after - cpu, agents_after - agents);
        println!(
            "{number:>8} {threads:>8} {fds:>6} {wall:>8.2} {cpu:>8.2} {agents:>8.2} {signalled:>10} {healthy:>9} {left:>5}"
        );
        let expected = (number.div_ceil(ONE_IN), 0, 0);
        assert_eq!((signalled, healthy, left), expected, "others were signalled");
    });
}

fn options(agent: &Path, is_stubborn: bool) -> Options {
    let policy = ClosePolicy::default()
        .exit(Duration::from_secs(2))
        .terminate(Duration::from_secs(2));
    let options = Options::new().cli(agent).close_policy(policy);
    if is_stubborn {
        options.env("STUBBORN", "1")
    } else {
        options
    }
}

fn entries(folder: &str) -> usize {
    std::fs::read_dir(folder).expect("Linux").count()
}

/// The seconds of CPU that this process has taken, and those of its children
/// that were waited for.
fn cpu() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let (_, fields) = stat.rsplit_once(") ").expect("a name");
    let ticks: Vec<f64> = fields
        .split(' ')
        .skip(11)
        .take(4)
        .map(|ticks| ticks.parse().expect("a number"))
        .collect();
    ((ticks[0] + ticks[1]) / 100.0, (ticks[2] + ticks[3]) / 100.0)
}
