use super::marked::Marked;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// The maximum time in which a process loads a program.
const LOADING: Duration = Duration::from_secs(1);

/// Returns the processes with this variable in their environment, except for
/// zombies.
pub(super) fn marked(mark: &OsStr) -> Vec<Marked> {
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let mut marked = Vec::new();
    for process in processes.flatten() {
        let name = process.file_name();
        if let Some(pid) = name.to_str().and_then(|name| name.parse().ok())
            && has_mark(&process.path(), mark)
        {
            let argv = fs::read(process.path().join("cmdline")).unwrap_or_default();
            let argv = String::from_utf8_lossy(&argv).replace('\0', " ");
            let argv = argv.trim_end().to_owned();
            let stat = Stat::read(&process.path());
            let cpu_time = stat.as_ref().and_then(Stat::cpu_time).unwrap_or_default();
            let is_runnable = stat.is_some_and(|it| matches!(it.field(3), Some("R" | "D")));
            marked.push(Marked {
                pid,
                argv,
                cpu_time,
                is_runnable,
            });
        }
    }
    marked
}

/// Returns whether a process has this variable in its environment. While the
/// process loads a program, the kernel shows an incomplete environment; this
/// function then waits for the rest.
fn has_mark(folder: &Path, mark: &OsStr) -> bool {
    let until = Instant::now() + LOADING;
    loop {
        let Some(size) = Size::read(folder) else {
            return false;
        };
        let Ok(environment) = fs::read(folder.join("environ")) else {
            return false;
        };
        let mut variables = environment.split(|byte| *byte == 0);
        if variables.any(|it| it == mark.as_encoded_bytes()) {
            return true;
        }
        if size == Size::Known(environment.len() as u64) || Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The size of a process's environment.
#[derive(Debug, PartialEq, Eq)]
enum Size {
    /// The size in bytes.
    Known(u64),
    /// The size is unknown while the process loads a program.
    Loading,
}

impl Size {
    /// Returns `None` for a process that has exited, a zombie, or a kernel
    /// thread.
    fn read(folder: &Path) -> Option<Self> {
        let stat = Stat::read(folder)?;
        let has_memory = stat.number(23)? != 0;
        if matches!(stat.field(3)?, "Z" | "X" | "x") || !has_memory {
            return None;
        }
        // The kernel first sets both bounds of the environment to one address,
        // then moves its end while it fills it, and finally sets the start of
        // the code.
        Some(
            match (stat.number(26)?, stat.number(50)?, stat.number(51)?) {
                (0, _, _) | (_, 0, _) => Self::Loading,
                (_, start, end) => Self::Known(end.saturating_sub(start)),
            },
        )
    }
}

/// The fields of a process's `stat`, see proc(5).
struct Stat(String);

impl Stat {
    /// Reads the fields from the third on. The second is a name in parentheses,
    /// which may contain any bytes.
    fn read(folder: &Path) -> Option<Self> {
        let mut stat = fs::read(folder.join("stat")).ok()?;
        let end = stat.iter().rposition(|byte| *byte == b')')?;
        String::from_utf8(stat.split_off(end + 1)).ok().map(Self)
    }

    fn field(&self, number: usize) -> Option<&str> {
        self.0.split_whitespace().nth(number - 3)
    }

    fn number(&self, at: usize) -> Option<u64> {
        self.field(at)?.parse().ok()
    }

    /// Returns the CPU time of the process.
    fn cpu_time(&self) -> Option<Duration> {
        let ticks = self.number(14)? + self.number(15)?;
        let ticks_a_second = rustix::param::clock_ticks_per_second();
        let milliseconds = (ticks * 1000).checked_div(ticks_a_second)?;
        Some(Duration::from_millis(milliseconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_that_keeps_loading_programs_is_always_found() {
        let script = r#"exec sh -c "$0" "$0""#;
        let mut loading = Command::new("sh")
            .args(["-c", script, script])
            .env("AGENTWIRE_TEST_LOADING", "yes")
            .stdin(Stdio::null())
            .spawn()
            .expect("a shell");
        let folder = Path::new("/proc").join(loading.id().to_string());
        let mark = OsStr::new("AGENTWIRE_TEST_LOADING=yes");
        let looks = 1000;
        let marked = (0..looks).filter(|_| has_mark(&folder, mark)).count();
        loading.kill().expect("a killed process");
        loading.wait().expect("an exited process");
        assert_eq!(marked, looks);
    }
}
