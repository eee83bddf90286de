use super::process::{Process, sessions};
use crate::process::countdown::Usage;
use agentwire_protocol::sorted::SortedMap;
use std::time::{Duration, Instant};
use std::{fs, io, str, thread};

/// The timeout of a listing: some machines constantly start processes, or are too busy to load
/// programs quickly.
const LISTING_TIMEOUT: Duration = Duration::from_secs(1);

/// The pause between two rounds while a program is being loaded.
const PAUSE: Duration = Duration::from_millis(1);

/// Returns all living processes by PID.
///
/// Fails if `/proc` cannot be listed, or belongs to another PID namespace, whose PIDs refer to
/// other processes here.
pub(super) fn all() -> io::Result<SortedMap<u32, Process>> {
    let own = fs::read_link("/proc/self")?;
    if own.to_str() != Some(&std::process::id().to_string()) {
        return Err(io::Error::other("/proc is that of another PID namespace"));
    }
    let mut processes = SortedMap::new();
    let mut settled = SortedMap::new();
    // `/proc` is no snapshot. A process that is not in the list may be started by one that exits
    // before it is read. So listing is repeated until it shows no new process.
    let started = Instant::now();
    while started.elapsed() < LISTING_TIMEOUT {
        let new: Vec<u32> = pids()?.filter(|pid| !settled.contains_key(pid)).collect();
        if new.is_empty() {
            break;
        }
        let mut is_loading = false;
        for pid in new {
            settled.insert(pid, ());
            let Some(stat) = Stat::read(pid) else {
                continue;
            };
            let marker = Marker::read(pid, &stat);
            if !marker.is_whole {
                is_loading = true;
                settled.remove(&pid);
            }
            processes.insert(
                pid,
                Process {
                    pid,
                    parent: stat.parent,
                    group: stat.group,
                    start: stat.start,
                    sessions: marker.sessions,
                },
            );
        }
        if is_loading {
            thread::sleep(PAUSE);
        }
    }
    Ok(processes)
}

/// Returns when the process `pid` started; `None` if it does not exist or has
/// exited.
pub(in crate::process) fn start(pid: u32) -> Option<u64> {
    Stat::read(pid).map(|stat| stat.start)
}

/// Returns how the process `pid` has spent its time; `None` if the kernel does not report it.
///
/// This measures the first thread, which reads the input and handles signals.
pub(in crate::process) fn usage(pid: u32) -> Option<Usage> {
    let stat = Stat::read(pid)?;
    let times = fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    let mut nanoseconds = times.split(' ').map(str::parse);
    let mut next = || Some(Duration::from_nanos(nanoseconds.next()?.ok()?));
    Some(Usage {
        ran: next()?,
        waited: next()?,
        is_runnable: stat.is_runnable,
    })
}

fn pids() -> io::Result<impl Iterator<Item = u32>> {
    let entries = fs::read_dir("/proc")?.flatten();
    Ok(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()))
}

/// The needed fields of `/proc/PID/stat`, see proc(5).
struct Stat {
    parent: Option<u32>,
    group: Option<u32>,
    start: u64,
    is_runnable: bool,
    /// Whether it has memory. Kernel threads do not.
    has_memory: bool,
    /// The size of the environment in bytes, unless a program is being loaded
    /// (execve).
    environment: Option<u64>,
}

impl Stat {
    /// Returns `None` if the process does not exist or has exited.
    fn read(pid: u32) -> Option<Self> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        // The second field is the name in parentheses, which may contain any byte.
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let fields: Vec<_> = str::from_utf8(&stat[name_end + 1..])
            .ok()?
            .split(' ')
            .collect();
        let field = |number: usize| fields.get(number - 2).copied(); // as proc(5) counts them
        let number = |number: usize| field(number)?.parse::<u64>().ok();
        let state = field(3)?;
        if matches!(state, "Z" | "X" | "x") {
            return None;
        }
        // The kernel sets both bounds of the environment to one address, moves the end while it
        // fills it in, and then sets where the code starts.
        let environment = match (number(26)?, number(50)?, number(51)?) {
            (0, _, _) | (_, 0, _) => None,
            (_, start, end) => end.checked_sub(start),
        };
        Some(Self {
            parent: field(4)?.parse().ok(),
            group: field(5)?.parse().ok(),
            start: number(22)?,
            is_runnable: state == "R",
            has_memory: number(23)? != 0,
            environment,
        })
    }
}

/// The session marker in the environment of a process.
struct Marker {
    sessions: Vec<u8>,
    /// Whether the marker, or its absence, could be read completely.
    ///
    /// While a program is being loaded, neither the old nor the new environment is available. If
    /// the parent exits at that moment, only the marker identifies the process.
    is_whole: bool,
}

impl Marker {
    fn read(pid: u32, stat: &Stat) -> Self {
        let none = Self {
            sessions: Vec::new(),
            is_whole: true,
        };
        if !stat.has_memory {
            return none;
        }
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else {
            return none;
        };
        let is_whole = stat.environment == Some(environment.len() as u64);
        let mut variables = environment.split_inclusive(|byte| *byte == 0);
        let marker = variables.find_map(|variable| Some((variable, sessions(variable)?)));
        match marker {
            Some((variable, sessions)) => Self {
                sessions: sessions.strip_suffix(b"\0").unwrap_or(sessions).to_vec(),
                is_whole: is_whole || variable.ends_with(b"\0"),
            },
            None => Self { is_whole, ..none },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use crate::process::SESSION_VARIABLE;
    use crate::process::table::Table;
    use std::process::{Child, Command, Stdio};

    struct Killed(Child);

    impl Drop for Killed {
        fn drop(&mut self) {
            self.0.kill().unwrap();
            self.0.wait().unwrap();
        }
    }

    #[test]
    fn a_process_that_calls_exec_repeatedly_is_always_marked() {
        let session = uuid::Uuid::new_v4().to_string();
        let script = r#"exec sh -c "$0" "$0""#;
        let loading = Command::new("sh")
            .args(["-c", script, script])
            .env(SESSION_VARIABLE, &session)
            .stdin(Stdio::null())
            .spawn();
        let loading = Killed(loading.unwrap());
        let looks = 1000;
        let marked = (0..looks).filter(|_| {
            let table = Table::read().unwrap();
            table.session(&session).any(|it| it.pid == loading.0.id())
        });
        assert_eq!(marked.count(), looks);
    }
}
