//! Measures the resident memory of process trees.

use std::collections::{HashMap, HashSet};

/// A process of the system.
struct Process {
    parent: u32,
    bytes: u64,
}

/// Returns the resident memory of these processes and their descendants, in bytes; `None` if the
/// system does not report it. May block for some milliseconds.
pub(crate) fn resident(roots: &[u32]) -> Option<u64> {
    let processes = processes()?;
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for (pid, process) in &processes {
        children.entry(process.parent).or_default().push(*pid);
    }
    let mut todo = roots.to_vec();
    let mut seen = HashSet::new();
    let mut bytes = 0;
    while let Some(pid) = todo.pop() {
        if !seen.insert(pid) {
            continue;
        }
        bytes += processes.get(&pid).map_or(0, |it| it.bytes);
        todo.extend(children.get(&pid).into_iter().flatten());
    }
    Some(bytes)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn processes() -> Option<HashMap<u32, Process>> {
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let pids = entries.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let processes = pids.filter_map(|pid: u32| Some((pid, read(pid)?)));
    Some(processes.collect())
}

/// Reads `/proc/PID/status`, see proc(5). Kernel threads have no memory.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn read(pid: u32) -> Option<Process> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let number = |name: &str| -> Option<u64> {
        let value = status.lines().find_map(|line| line.strip_prefix(name))?;
        value.split_whitespace().next()?.parse().ok()
    };
    Some(Process {
        parent: u32::try_from(number("PPid:")?).ok()?,
        bytes: number("VmRSS:")? * 1024,
    })
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn processes() -> Option<HashMap<u32, Process>> {
    let mut system = sysinfo::System::new();
    system.refresh_processes_specifics(
        sysinfo::ProcessesToUpdate::All,
        true,
        sysinfo::ProcessRefreshKind::nothing().with_memory(),
    );
    let processes = system.processes().iter().map(|(pid, it)| {
        let parent = it.parent().map_or(0, sysinfo::Pid::as_u32);
        let bytes = it.memory();
        (pid.as_u32(), Process { parent, bytes })
    });
    Some(processes.collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_process_has_resident_memory() {
        assert!(super::resident(&[std::process::id()]).is_some_and(|it| it > 1 << 20));
        assert_eq!(super::resident(&[]), Some(0));
    }
}
