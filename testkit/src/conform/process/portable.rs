use super::marked::Marked;
use std::ffi::OsStr;
use std::time::Duration;
use sysinfo::{Process, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

/// Returns the processes with this variable in their environment, except for
/// zombies. The environment of a protected process cannot be read.
pub(super) fn marked(mark: &OsStr) -> Vec<Marked> {
    let wanted = ProcessRefreshKind::nothing()
        .without_tasks()
        .with_environ(UpdateKind::Always)
        .with_cmd(UpdateKind::Always)
        .with_cpu();
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::All, false, wanted);
    let is_marked = |process: &&Process| {
        let is_alive = !matches!(
            process.status(),
            ProcessStatus::Zombie | ProcessStatus::Dead
        );
        is_alive && process.environ().iter().any(|it| it == mark)
    };
    let read = |process: &Process| Marked {
        pid: process.pid().as_u32(),
        argv: process.cmd().join(OsStr::new(" ")).display().to_string(),
        cpu_time: Duration::from_millis(process.accumulated_cpu_time()),
        // Some systems report every process as running.
        is_runnable: false,
    };
    let processes = system.processes().values();
    processes.filter(is_marked).map(read).collect()
}

#[cfg(not(unix))]
pub(super) fn end(process: u32) {
    let pid = sysinfo::Pid::from_u32(process);
    let mut system = System::new();
    system.refresh_processes(ProcessesToUpdate::Some(&[pid]), true);
    if let Some(process) = system.process(pid) {
        // The process may have exited.
        _ = process.kill();
    }
}
