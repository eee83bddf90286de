use super::{Process, names};
use std::{fs, io, str};

/// All processes that are alive, with those marked whose environment names `session`.
///
/// Fails if `/proc` cannot be listed. The environment of another user's process cannot be read:
/// such a process is not marked.
pub(in crate::process) fn all(session: &str) -> io::Result<Vec<Process>> {
    let entries = fs::read_dir("/proc")?.flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let alive = pids.filter_map(read);
    Ok(alive
        .map(|process| Process {
            marked: is_marked(process.pid, session),
            ..process
        })
        .collect())
}

/// When the process `pid` started; `None` if there is no such process or it has ended.
pub(in crate::process) fn start(pid: u32) -> Option<u64> {
    read(pid).map(|process| process.start)
}

fn read(pid: u32) -> Option<Process> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the name in parentheses, and may itself contain any byte.
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = str::from_utf8(&stat[name_end + 1..])
        .ok()?
        .split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X" | "x") {
        return None;
    }
    Some(Process {
        pid,
        parent: fields.next()?.parse().ok(),
        group: fields.next()?.parse().ok(),
        start: fields.nth(16)?.parse().ok()?, // field 22 of proc(5)
        marked: false,
    })
}

fn is_marked(pid: u32, session: &str) -> bool {
    fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| {
        environ
            .split(|byte| *byte == 0)
            .any(|variable| names(variable, session))
    })
}
