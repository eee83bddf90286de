//! The real CLI with a scripted model on 127.0.0.1 and its own home directory.

use agentwire_testing::TempDir;
use agentwire_testkit::Scenario;
use agentwire_testkit::model::ScriptedModel;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

pub struct Live {
    pub model: ScriptedModel,
    home: TempDir,
}

impl Live {
    /// Starts the CLI with a model that gives these replies.
    pub async fn start(replies: Value) -> Self {
        let scenario = serde_json::json!({ "replies": replies }).to_string();
        let scenario = Scenario::from_json(&scenario).unwrap();
        let home = agentwire_testing::tempdir().unwrap();
        for folder in ["tmp", "project"] {
            std::fs::create_dir(home.path().join(folder)).unwrap();
        }
        let model = ScriptedModel::start(scenario).await.unwrap();
        Self { model, home }
    }

    /// Returns a command that runs this program with the CLI, without the environment of
    /// the user who runs the tests.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment());
        command.current_dir(self.project());
        command
    }

    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let cli = std::env::var("AGENTWIRE_LIVE_CLI");
        let home = self.home.path().display();
        vec![
            (
                "AGENTWIRE_CLI",
                cli.expect("`scripts/real apps` sets AGENTWIRE_LIVE_CLI"),
            ),
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", home.to_string()),
            ("CLAUDE_CONFIG_DIR", format!("{home}/.claude")),
            ("TMPDIR", format!("{home}/tmp")),
            ("ANTHROPIC_BASE_URL", self.model.url()),
            ("ANTHROPIC_API_KEY", "anything".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_TELEMETRY", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ]
    }

    /// Returns the directory in which the agent works.
    pub fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    /// Returns the text by which [`processes_with`](crate::processes_with) finds the processes of the CLI.
    pub fn mark(&self) -> String {
        format!("HOME={}", self.home.path().display())
    }
}
