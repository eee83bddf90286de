//! A watchdog process that kills the agent unless the watchdog is armed again. A host that was
//! stopped cannot kill the agent itself.

use crate::session_log::since_boot::since_boot;
use agentwire_files::PrivateFolder;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, io};

/// The script of the watchdog. It sleeps until the deadline in a file (hundredths of a second since
/// boot), repeats this while the deadline is extended, and then kills all processes of the session.
/// It exits when the file is removed or the agent has exited. Arguments: the PID of the agent,
/// which is its process group; the agent's start time; the session's mark; the file.
const SCRIPT: &str = r#"
is_there() {
    read -r line <"/proc/$pid/stat" || return 1
    set -- ${line##*) }
    [ "${20}" = "$start" ]
}
pid=$1 start=$2 session=$3 file=$4
while is_there; do
    read -r until <"$file" || exit 0
    read -r now _ </proc/uptime
    left=$((until - ${now%.*}${now#*.}))
    if [ "$left" -le 0 ]; then
        kill -KILL "-$pid"
        for turn in 1 2 3; do
            for process in /proc/[0-9]*; do
                if grep -qs -e "$session" "$process/environ"; then kill -KILL "${process#/proc/}"; fi
            done
        done
        break
    fi
    [ "$left" -le 1000 ] || left=1000
    sleep "$((left / 100)).$((left / 10 % 10))$((left % 10))"
done
# Clean up, in case the host was killed.
rm -f "$file"
rmdir "${file%/*}"
"#;

/// The watchdog of an agent. Dropping it stops the watchdog without killing the agent.
#[derive(Debug)]
pub(super) struct Watchdog {
    folder: PrivateFolder,
    process: Child,
}

impl Watchdog {
    /// Starts a watchdog that kills the agent after `remaining`.
    pub(super) fn start(pid: u32, session: &str, remaining: Duration) -> io::Result<Self> {
        let started = start_time(pid).ok_or(io::ErrorKind::NotFound)?;
        let io_error = |(_, error)| error;
        let folder = PrivateFolder::new("agentwire-watchdog").map_err(io_error)?;
        folder
            .write(FILE, deadline_line(remaining).as_bytes())
            .map_err(io_error)?;
        let process = Command::new("sh")
            .args(["-c", SCRIPT, "agentwire-watchdog"])
            .args([&pid.to_string(), &started.to_string(), session])
            .arg(folder.path().join(FILE))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .process_group(0)
            .spawn()?;
        Ok(Self { folder, process })
    }

    /// Sets the deadline to `remaining` from now.
    pub(super) fn arm(&self, remaining: Duration) -> io::Result<()> {
        let folder = self.folder.path();
        let new = folder.join("new");
        fs::write(&new, deadline_line(remaining))?;
        fs::rename(&new, folder.join(FILE))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let group = i32::try_from(self.process.id()).ok();
        if let Some(group) = group.and_then(rustix::process::Pid::from_raw) {
            // The process group includes the `sleep` of the script.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.process.wait();
    }
}

const FILE: &str = "until";

/// The maximum remaining time, because the shell cannot count much further.
const MAX_REMAINING: Duration = Duration::from_secs(365 * 24 * 60 * 60);

fn deadline_line(remaining: Duration) -> String {
    let remaining = remaining.min(MAX_REMAINING);
    let until = since_boot().saturating_add(remaining);
    format!("{}\n", until.as_millis() / 10)
}

/// Returns the start time of a process in clock ticks since boot.
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind_name) = stat.rsplit_once(") ")?;
    behind_name.split(' ').nth(19)?.parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::path::PathBuf;
    use std::process::ChildStdout;
    use uuid::Uuid;

    /// An agent with a tool outside its process group. Both processes exit only at the end of their
    /// input.
    struct Agent {
        process: Child,
        session: String,
        output: BufReader<ChildStdout>,
    }

    impl Agent {
        fn start() -> Self {
            let session = Uuid::new_v4().to_string();
            let mut process = Command::new("sh")
                .args(["-c", "setsid sh -c 'echo ready; exec sleep 600' & wait"])
                .env("AGENTWIRE_SESSION", &session)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .process_group(0)
                .spawn()
                .unwrap();
            let mut output = BufReader::new(process.stdout.take().unwrap());
            output.read_line(&mut String::new()).unwrap();
            Self {
                process,
                session,
                output,
            }
        }

        fn watchdog(&self, remaining: Duration) -> Watchdog {
            Watchdog::start(self.process.id(), &self.session, remaining).unwrap()
        }

        /// Waits until the agent and its tool are killed.
        fn wait_for_kill(mut self) {
            assert_eq!(self.output.read_line(&mut String::new()).unwrap(), 0);
            assert!(!self.process.wait().unwrap().success());
        }
    }

    fn wait_for_exit(watchdog: &mut Watchdog) -> PathBuf {
        assert!(watchdog.process.wait().unwrap().success());
        watchdog.folder.path().to_owned()
    }

    #[test]
    fn an_agent_is_killed_with_all_its_processes_after_the_deadline() {
        let agent = Agent::start();
        let mut watchdog = agent.watchdog(Duration::from_millis(100));
        agent.wait_for_kill();
        assert!(!wait_for_exit(&mut watchdog).exists());
    }

    #[test]
    fn arming_again_extends_the_deadline() {
        let agent = Agent::start();
        let watchdog = agent.watchdog(Duration::from_millis(300));
        let begun = std::time::Instant::now();
        watchdog.arm(Duration::from_millis(900)).unwrap();
        agent.wait_for_kill();
        assert!(begun.elapsed() >= Duration::from_millis(850));
    }

    #[test]
    fn dropping_the_watchdog_or_exit_of_the_agent_stops_it_without_killing() {
        let mut agent = Agent::start();
        let watchdog = agent.watchdog(Duration::from_secs(600));
        assert!(agent.process.try_wait().unwrap().is_none());
        drop(watchdog);
        let mut watchdog = agent.watchdog(Duration::from_millis(500));
        agent.process.kill().unwrap();
        agent.process.wait().unwrap();
        assert!(!wait_for_exit(&mut watchdog).exists());
        // The tool is outside the group of the agent, whose PID may be reused by now.
        let is_there = |it: fs::DirEntry| {
            let environment = fs::read(it.path().join("environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&agent.session)
        };
        let tool = fs::read_dir("/proc").unwrap().flatten().find_map(|it| {
            let pid = it.file_name().to_str()?.parse().ok()?;
            is_there(it).then_some(pid)
        });
        let tool = rustix::process::Pid::from_raw(tool.unwrap()).unwrap();
        rustix::process::kill_process(tool, rustix::process::Signal::KILL).unwrap();
    }
}
