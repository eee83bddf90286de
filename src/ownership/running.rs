//! Running agents, found by the files that they write.

use crate::process::{SESSION_VARIABLE, start};
use agentwire_files::private_file;
use serde::Deserialize;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// How long loading a program may take on a busy machine.
const LOADING: Duration = Duration::from_secs(1);

/// The contents of `sessions/PID.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Running {
    pid: u32,
    session_id: String,
    /// The start time in the system's unit.
    proc_start: Option<String>,
    /// The last part is the PID namespace.
    pid_domain: Option<String>,
}

/// Returns the PID of an agent with this session, other than `own`.
pub(super) fn agent_of(config: &Path, id: &str, own: Option<u32>) -> Option<u32> {
    let entries = fs::read_dir(config.join("sessions")).ok()?;
    entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let is_one = path.extension().is_some_and(|it| it == "json");
            let text = is_one.then(|| private_file::read(&path))?.ok()?;
            serde_json::from_slice::<Running>(&text).ok()
        })
        .find(|it| it.session_id == id && Some(it.pid) != own && it.is_alive())
        .map(|it| it.pid)
}

/// Returns the PID of an agent that was started with this session by a program that uses
/// agentwire, even if the agent has not written its file yet. Linux only.
pub(super) fn started(id: &str, own: Option<u32>) -> Option<u32> {
    let flags = [format!("--resume={id}"), format!("--session-id={id}")];
    let until = Instant::now() + LOADING;
    loop {
        let (mut found, mut is_loading) = (None, false);
        for pid in pids().filter(|pid| Some(*pid) != own) {
            match is_agent(pid, &flags) {
                Some(true) => found = Some(pid),
                Some(false) => {}
                None => is_loading = true,
            }
        }
        if found.is_some() || !is_loading || Instant::now() > until {
            return found;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Returns whether a process is an agent with one of these flags; `None` if its program is
/// being loaded, so that arguments and environment are not available yet.
fn is_agent(pid: u32, flags: &[String]) -> Option<bool> {
    let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let arguments = read("cmdline");
    if arguments.is_empty() {
        // Kernel threads and exited processes have no program.
        let has_program = fs::read_link(format!("/proc/{pid}/exe")).is_ok();
        return if has_program { None } else { Some(false) };
    }
    let mut arguments = arguments.split(|byte| *byte == 0);
    if !arguments.any(|it| flags.iter().any(|flag| flag.as_bytes() == it)) {
        return Some(false);
    }
    let environment = read("environ");
    if environment.is_empty() && start(pid).is_some() {
        return None;
    }
    // A program that opens the session may have the same flags.
    let variable = format!("{SESSION_VARIABLE}=");
    let mut variables = environment.split(|byte| *byte == 0);
    Some(variables.any(|it| it.starts_with(variable.as_bytes())))
}

impl Running {
    /// Returns whether it runs: a killed agent does not remove its file. Processes in another PID
    /// namespace cannot be checked.
    fn is_alive(&self) -> bool {
        let is_here = match (&self.pid_domain, namespace()) {
            (Some(domain), Some(own)) => domain.ends_with(&own),
            _ => true,
        };
        let Some(start) = start(self.pid).filter(|_| is_here) else {
            return false;
        };
        // The PID may have been reused. Other systems use another unit.
        let started = self.proc_start.as_deref().and_then(|it| it.parse().ok());
        !cfg!(target_os = "linux") || started.is_none_or(|it: u64| it == start)
    }
}

/// Returns the PID namespace of this process.
fn namespace() -> Option<String> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?;
    link.to_str().map(str::to_owned)
}
