use super::{Process, names};
use std::collections::HashSet;
use std::time::Duration;
use std::{fs, io, str, thread};

/// How often the processes are listed at most, on a machine that never stops starting some.
const LISTS: u32 = 20;

/// How often, a millisecond apart, a process is looked at again that is between two programs.
const TRIES: u32 = 50;

/// All processes that are alive, with those marked whose environment names `session`.
///
/// Fails if `/proc` cannot be listed. The environment of another user's process cannot be read:
/// such a process is not marked.
pub(in crate::process) fn all(session: &str) -> io::Result<Vec<Process>> {
    let mut seen = HashSet::new();
    let mut alive = Vec::new();
    // A process may start another one that is not in the list any more, and end before its own
    // turn to be read comes. So the list has to show nobody new when all have been read.
    for _ in 0..LISTS {
        let new: Vec<u32> = pids()?.filter(|pid| seen.insert(*pid)).collect();
        if new.is_empty() {
            break;
        }
        alive.extend(new.into_iter().filter_map(|pid| {
            let stat = Stat::read(pid)?;
            let marked = stat.has_memory && is_marked(pid, session);
            Some(Process {
                pid,
                parent: stat.parent,
                group: stat.group,
                start: stat.start,
                marked,
            })
        }));
    }
    Ok(alive)
}

fn pids() -> io::Result<impl Iterator<Item = u32>> {
    let entries = fs::read_dir("/proc")?.flatten();
    Ok(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()))
}

/// When the process `pid` started; `None` if there is no such process or it has ended.
pub(in crate::process) fn start(pid: u32) -> Option<u64> {
    Stat::read(pid).map(|stat| stat.start)
}

/// What is of use here in `/proc/PID/stat`, see proc(5).
struct Stat {
    parent: Option<u32>,
    group: Option<u32>,
    start: u64,
    /// A thread of the kernel has none.
    has_memory: bool,
    /// Has an environment, and nothing is in it.
    environment_is_empty: bool,
}

impl Stat {
    /// `None` if there is no process `pid` or it has ended.
    fn read(pid: u32) -> Option<Self> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        // The second field is the name in parentheses, and may itself contain any byte.
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let fields: Vec<_> = str::from_utf8(&stat[name_end + 1..])
            .ok()?
            .split(' ')
            .collect();
        let field = |number: usize| fields.get(number - 2).copied(); // as proc(5) counts them
        if matches!(field(3)?, "Z" | "X" | "x") {
            return None;
        }
        Some(Self {
            parent: field(4)?.parse().ok(),
            group: field(5)?.parse().ok(),
            start: field(22)?.parse().ok()?,
            has_memory: field(23)? != "0",
            // While a program is loaded, its environment is empty for a moment, then filled; where
            // the stack starts is noted after that.
            environment_is_empty: field(28)? != "0" && field(50)? == field(51)?,
        })
    }
}

fn is_marked(pid: u32, session: &str) -> bool {
    for _ in 0..TRIES {
        let Ok(environ) = fs::read(format!("/proc/{pid}/environ")) else {
            return false;
        };
        if !environ.is_empty() {
            let mut variables = environ.split(|byte| *byte == 0);
            return variables.any(|variable| names(variable, session));
        }
        // While a program is loaded there is no environment to be read. If the parent ends in
        // this very moment, the marker is all there is to find the process by: worth waiting for.
        if Stat::read(pid).is_none_or(|stat| stat.environment_is_empty) {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    false
}
