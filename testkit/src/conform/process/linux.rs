use super::marked::Marked;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a process may take to load a program.
const LOADING: Duration = Duration::from_secs(1);

/// The processes that have this variable in their environment, but for
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
            let worked = stat.as_ref().and_then(Stat::worked).unwrap_or_default();
            let is_kept = stat.is_some_and(|it| matches!(it.field(3), Some("R" | "D")));
            marked.push(Marked {
                pid,
                argv,
                worked,
                is_kept,
            });
        }
    }
    marked
}

/// Whether a process has this variable in its environment. While it loads a
/// program, the kernel shows none of it, or a part: the rest is waited for.
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
    /// So many bytes.
    Known(u64),
    /// A program is being loaded.
    Loading,
}

impl Size {
    /// Nothing, if the process is gone, a zombie or a thread of the kernel.
    fn read(folder: &Path) -> Option<Self> {
        let stat = Stat::read(folder)?;
        let has_memory = stat.number(23)? != 0;
        if matches!(stat.field(3)?, "Z" | "X" | "x") || !has_memory {
            return None;
        }
        // The kernel sets the bounds of the environment to one address, moves
        // its end while it fills it in, and then sets where the code starts.
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
    /// Reads them, from the third on: the second is a name in parentheses, of
    /// any bytes.
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

    /// How long processors have worked for it.
    fn worked(&self) -> Option<Duration> {
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
    fn what_loads_one_program_after_another_is_marked_at_every_look() {
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
        loading.kill().expect("to be ended");
        loading.wait().expect("to be gone");
        assert_eq!(marked, looks);
    }
}
