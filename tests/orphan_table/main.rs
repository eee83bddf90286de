//! Prints a table of all ways to end a session, and of the processes that survive.
//! `scripts/real orphans` prints it with the fake agent and the real CLI; `cargo test
//! --test orphan_table` prints it with the fake agent.
//!
//! This test has its own `main`, because some hosts are another process of this
//! executable, and end like a host.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;

mod agents;
mod ways;

use agents::{Agent, Kind, MARK};
use std::process::{Command, Stdio};
use std::time::Duration;
use ways::{HOST, HostEnd, START, WAYS_WITHOUT_HOST_END};

/// The variable with the kind of agent of the table.
const KIND: &str = "ORPHAN_TABLE_KIND";

fn main() {
    if let Ok(end) = std::env::var(HOST) {
        let start = std::env::var(START).unwrap();
        return ways::host(&end, &agents::Start::from_json(&start));
    }
    // Like a test harness, `cargo test NAME` does not print the table.
    let filter = std::env::args().skip(1).find(|it| !it.starts_with('-'));
    if filter.is_some_and(|name| !"orphan_table".contains(&name)) {
        return;
    }
    let real = if std::env::var_os("AGENTWIRE_LIVE_CLI").is_some() {
        &Kind::REAL[..]
    } else {
        &[]
    };
    let kinds = || Kind::FAKES.iter().chain(real);
    if let Ok(name) = std::env::var(KIND) {
        return rows(*kinds().find(|it| it.name() == name).unwrap());
    }
    // Each kind has its own process, because `close_all` ends all sessions of a process.
    let start = |kind: &Kind| {
        let mut table = Command::new(std::env::current_exe().unwrap());
        let table = table.env(KIND, kind.name()).stdout(Stdio::piped());
        table.spawn().unwrap()
    };
    let tables: Vec<_> = kinds().map(start).collect();
    let mut sessions = 0;
    println!("| agent | ended by | left |\n|---|---|---|");
    for table in tables {
        let table = table.wait_with_output().unwrap();
        let rows = String::from_utf8(table.stdout).unwrap();
        print!("{rows}");
        assert!(table.status.success(), "{}", table.status);
        sessions += rows.lines().count();
    }
    support::counted(sessions, "sessions ended");
}

/// Ends sessions of one kind in every way.
fn rows(kind: Kind) {
    // Some ways panic on purpose. Do not print these panics.
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panicked| {
        if panicked.payload().downcast_ref() != Some(&ways::ON_PURPOSE) {
            before(panicked);
        }
    }));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (way, end) in WAYS_WITHOUT_HOST_END {
        let session = Session::new(&runtime, kind);
        end(session.agent.start());
        session.wait_until_gone();
        println!("| {} | {way} | 0 |", kind.name());
    }
    for end in HostEnd::available() {
        let session = Session::new(&runtime, kind);
        let agent = end.run(session.agent.start());
        let left = session.left_by_host(end, agent);
        println!("| {} | {} | {left} |", kind.name(), end.name());
    }
}

/// A session, and the processes that belong to it.
struct Session {
    kind: Kind,
    mark: String,
    agent: Agent,
}

impl Session {
    fn new(runtime: &tokio::runtime::Runtime, kind: Kind) -> Self {
        let mark = uuid::Uuid::new_v4().to_string();
        let agent = runtime.block_on(Agent::new(kind, &mark));
        Self { kind, mark, agent }
    }

    /// Returns the processes that are expected to survive the end of the host.
    fn left_by_host(&self, end: HostEnd, agent: u32) -> String {
        if end.is_clean() {
            // No process may survive from the start, because no process waits any more.
            assert!(self.left().is_empty(), "{:?}", self.left());
            return "0".to_owned();
        }
        let expected = self.kind.left_by_a_killed_host();
        if expected.is_empty() {
            self.wait_until_gone();
            return "0".to_owned();
        }
        if self.kind == Kind::Real {
            // Only watching for a while shows that nothing happens.
            std::thread::sleep(Duration::from_secs(3));
        }
        let grandchild = self.agent.start().grandchild();
        let name = |pid: u32| match Some(pid) {
            it if it == Some(agent) => Some("agent"),
            it if it == grandchild => Some("grandchild"),
            // The processes of the running tool.
            _ if self.kind == Kind::Real => None,
            _ => Some("somebody else"),
        };
        let mut left: Vec<_> = self.left().into_iter().filter_map(name).collect();
        left.sort_unstable();
        assert_eq!(left, expected);
        let left = format!("{}: {}", left.len(), left.join(", "));
        if self.kind != Kind::Real {
            return left;
        }
        self.agent.start().end_tool();
        self.wait_until_gone();
        format!("{left}; 0 once the tool ends")
    }

    /// Returns the processes of this session that are alive.
    fn left(&self) -> Vec<u32> {
        let mark = format!("{MARK}={}", self.mark);
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        entries
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid| {
                let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                let mut variables = environment.split(|byte| *byte == 0);
                variables.any(|it| it == mark.as_bytes()) && support::is_alive(*pid)
            })
            .collect()
    }

    fn wait_until_gone(&self) {
        loop {
            let left = self.left();
            if left.is_empty() {
                break;
            }
            left.into_iter().for_each(support::wait_until_gone);
        }
    }
}

impl Drop for Session {
    /// Kills processes that a host left behind.
    fn drop(&mut self) {
        for pid in self.left() {
            support::kill(pid);
        }
    }
}
