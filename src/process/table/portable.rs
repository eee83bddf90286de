use super::process::{Process, sessions};
use crate::process::countdown::Usage;
use agentwire_protocol::sorted::SortedMap;
use std::io;
use sysinfo::{Pid, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

/// Returns all living processes by PID.
///
/// Fails if the system does not list them. The environment of protected processes cannot be
/// read, so their sessions are unknown.
pub(super) fn all() -> io::Result<SortedMap<u32, Process>> {
    let wanted = ProcessRefreshKind::nothing()
        .without_tasks()
        .with_environ(UpdateKind::Always);
    let mut system = System::new();
    // The list is no snapshot. A process that is not in the list may be started by one that exits
    // before it is read. So two passes are combined.
    for _ in 0..2 {
        system.refresh_processes_specifics(ProcessesToUpdate::All, false, wanted);
    }
    let processes = system.processes();
    if !processes.contains_key(&Pid::from_u32(std::process::id())) {
        return Err(io::Error::other("the system does not list its processes"));
    }
    Ok(processes
        .values()
        .filter(is_alive)
        .map(|process| (process.pid().as_u32(), read(process)))
        .collect())
}

/// Returns when the process `pid` started; `None` if it does not exist or has
/// exited.
pub(in crate::process) fn start(pid: u32) -> Option<u64> {
    let pid = Pid::from_u32(pid);
    let wanted = ProcessRefreshKind::nothing().without_tasks();
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, wanted);
    system
        .process(pid)
        .filter(is_alive)
        .map(sysinfo::Process::start_time)
}

/// Returns `None`: usage is not available here.
pub(in crate::process) fn usage(_pid: u32) -> Option<Usage> {
    None
}

fn is_alive(process: &&sysinfo::Process) -> bool {
    !matches!(
        process.status(),
        ProcessStatus::Zombie | ProcessStatus::Dead
    )
}

fn read(process: &sysinfo::Process) -> Process {
    let pid = process.pid().as_u32();
    let parent = process.parent().map(Pid::as_u32);
    Process {
        pid,
        parent,
        // Kernel processes have no parent, and no group that `rustix` can
        // represent.
        group: parent.and_then(|_| group(pid)),
        start: process.start_time(),
        sessions: process
            .environ()
            .iter()
            .find_map(|variable| sessions(variable.as_encoded_bytes()))
            .unwrap_or_default()
            .to_vec(),
    }
}

#[cfg(unix)]
fn group(pid: u32) -> Option<u32> {
    let pid = rustix::process::Pid::from_raw(pid.try_into().ok()?)?;
    let group = rustix::process::getpgid(Some(pid)).ok()?;
    group.as_raw_pid().try_into().ok()
}

#[cfg(not(unix))]
fn group(_pid: u32) -> Option<u32> {
    None
}
