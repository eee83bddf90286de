//! A fake agent: its script, its gates and its log.

use agentwire_testing::TempDir;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// A fake agent with its own folder, for one test.
pub struct Agent {
    folder: TempDir,
}

impl Agent {
    /// Creates an agent that plays these replies.
    pub fn new(replies: Value) -> Self {
        let agent = Self {
            folder: agentwire_testing::tempdir().unwrap(),
        };
        for folder in ["gates", "work", "config"] {
            std::fs::create_dir(agent.path(folder)).unwrap();
        }
        let scenario = serde_json::json!({ "replies": replies });
        std::fs::write(agent.path("script.json"), scenario.to_string()).unwrap();
        agent
    }

    /// Returns a command that runs this program with the agent.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path("work"))
            .envs(self.environment());
        command.arg(self.flag());
        command
    }

    /// Returns the flag with the script.
    pub fn flag(&self) -> String {
        format!("--fake={}", self.path("script.json").display())
    }

    /// Returns the environment of the agent's processes.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("FAKE_AGENT_GATES", self.path("gates")),
            ("FAKE_AGENT_LOG", self.path("log")),
            ("FAKE_AGENT_RETRY_MS", "1".into()),
            ("CLAUDE_CONFIG_DIR", self.path("config")),
        ]
    }

    /// Returns the text by which [`processes_with`](crate::processes_with) finds the agent's processes.
    pub fn mark(&self) -> String {
        format!("FAKE_AGENT_GATES={}", self.path("gates").display())
    }

    /// Returns the directory in which the program and the agent work.
    pub fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// Waits until the script has reached a gate.
    pub fn reached(&self, gate: &str) {
        let file = self.path("gates").join(format!("{gate}.reached"));
        let until = Instant::now() + crate::LONG;
        while !file.exists() {
            assert!(Instant::now() < until, "the script did not come to {gate}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Opens a gate.
    pub fn open(&self, gate: &str) {
        std::fs::write(self.path("gates").join(gate), "").unwrap();
    }

    /// Returns the lines that the host sent.
    pub fn sent(&self) -> Vec<Value> {
        self.logged("send")
    }

    /// Returns how each process of the agent was started.
    pub fn started(&self) -> Vec<Value> {
        self.logged("spawn")
    }

    fn logged(&self, direction: &str) -> Vec<Value> {
        let log = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        let lines = log
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let logged = lines.filter(|line: &Value| line["dir"] == direction);
        logged.map(|line| line["msg"].clone()).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
