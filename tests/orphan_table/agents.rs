//! The agents of the sessions, and the processes that could survive a session.

use crate::support::{Live, fake, fake_agent_path, hasty, line_of, live_cli, script};
use agentwire::{Client, Options, PermissionResult};
use agentwire_testing::TempDir;
use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The variable that marks all processes of a session.
pub(crate) const MARK: &str = "ORPHAN_TABLE";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    AtRest,
    /// In the middle of a turn, like all following variants.
    InTurn,
    IgnoresTerm,
    HeldOutput,
    OwnSession,
    RealAtRest,
    /// The real CLI, in the middle of a shell tool that ignores SIGTERM.
    Real,
}

impl Kind {
    pub(crate) const FAKES: [Self; 5] = [
        Self::AtRest,
        Self::InTurn,
        Self::IgnoresTerm,
        Self::HeldOutput,
        Self::OwnSession,
    ];
    pub(crate) const REAL: [Self; 2] = [Self::RealAtRest, Self::Real];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AtRest => "at rest",
            Self::InTurn => "in mid-turn",
            Self::IgnoresTerm => "ignores SIGTERM",
            Self::HeldOutput => "grandchild holds stdout",
            Self::OwnSession => "grandchild in own session",
            Self::RealAtRest => "real CLI at rest",
            Self::Real => "real CLI, tool traps SIGTERM",
        }
    }

    /// Returns the kinds of processes that survive a host that was killed.
    pub(crate) fn left_by_a_killed_host(self) -> &'static [&'static str] {
        match self {
            // These agents notice that their input has ended.
            Self::AtRest | Self::RealAtRest => &[],
            // The fake agent waits for the end of its turn, like the real one.
            Self::InTurn | Self::IgnoresTerm => &["agent"],
            Self::HeldOutput | Self::OwnSession | Self::Real => &["agent", "grandchild"],
        }
    }
}

/// An agent that this process or another one can start.
pub(crate) struct Agent {
    start: Start,
    /// The resources that the agent needs while it runs.
    _folder: TempDir,
    _live: Option<Live>,
}

/// How to start the agent.
pub(crate) struct Start {
    program: PathBuf,
    cwd: PathBuf,
    environment: BTreeMap<String, String>,
    /// The file to which a grandchild writes its PID when it is ready.
    grandchild: Option<PathBuf>,
    /// Whether the agent receives no prompt.
    has_no_prompt: bool,
}

impl Agent {
    pub(crate) async fn new(kind: Kind, mark: &str) -> Self {
        let folder = agentwire_testing::tempdir().unwrap();
        let pid_file = folder.path().join("pid");
        let told = format!("echo $$ > {}", pid_file.display());
        let shell = Some(vec!["sh", "-c"]);
        let (program, spawned, live) = match kind {
            Kind::AtRest => (fake_agent_path(), None, None),
            // The grandchild of this agent exits as soon as it has reported its PID.
            Kind::InTurn => (fake_agent_path(), shell.zip(Some(told)), None),
            Kind::IgnoresTerm => {
                let agent = format!("trap '' TERM\nexec {} \"$@\"", fake_agent_path().display());
                (script(&folder, &agent), shell.zip(Some(told)), None)
            }
            Kind::HeldOutput => {
                let grandchild = format!("{told}; exec sleep 1000");
                (fake_agent_path(), shell.zip(Some(grandchild)), None)
            }
            Kind::OwnSession => {
                let grandchild = format!("trap '' TERM; {told}; exec sleep 1000");
                let spawned = Some(vec!["setsid", "sh", "-c"]).zip(Some(grandchild));
                (fake_agent_path(), spawned, None)
            }
            Kind::RealAtRest => {
                let live = Live::start(Scenario::default()).await;
                (live_cli(), None, Some(live))
            }
            Kind::Real => {
                let wait = "while [ ! -e over ]; do sleep 0.1; done";
                let command = json!({ "command": format!("trap '' TERM; {told}; {wait}") });
                let scenario = Scenario::default()
                    .reply([Step::tool("Bash", command, "")])
                    .reply([Step::text("Done.")]);
                (live_cli(), None, Some(Live::start(scenario).await))
            }
        };
        let has_grandchild = spawned.is_some() || kind == Kind::Real;
        let grandchild = has_grandchild.then_some(pid_file);
        let has_no_prompt = matches!(kind, Kind::AtRest | Kind::RealAtRest);
        let cwd = live
            .as_ref()
            .map_or_else(|| folder.path().to_owned(), Live::project);
        let mut environment: BTreeMap<String, String> = match &live {
            Some(live) => {
                let environment = live.environment().into_iter();
                environment
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()
            }
            None => {
                let spawned = spawned.map(|(mut words, last)| {
                    words.push(&last);
                    Step::Fault(Fault::Spawn(words.into_iter().map(str::to_owned).collect()))
                });
                // The host may end as soon as a grandchild exists. From then on, the
                // agent writes nothing, because a write to a closed pipe would end it.
                let said = [Step::text("Working ")].into_iter().chain(spawned);
                let scenario = Scenario::default().reply(said.chain([Step::WaitMs(600_000)]));
                let path = std::env::var("PATH").unwrap();
                [
                    ("PATH".to_owned(), path),
                    (fake_agent::SCRIPT.to_owned(), scenario.to_json()),
                ]
                .into()
            }
        };
        environment.insert(MARK.to_owned(), mark.to_owned());
        Self {
            start: Start {
                program,
                cwd,
                environment,
                grandchild,
                has_no_prompt,
            },
            _folder: folder,
            _live: live,
        }
    }

    pub(crate) fn start(&self) -> &Start {
        &self.start
    }
}

impl Start {
    pub(crate) fn to_json(&self) -> String {
        json!({
            "program": self.program,
            "cwd": self.cwd,
            "environment": self.environment,
            "grandchild": self.grandchild,
            "rests": self.has_no_prompt,
        })
        .to_string()
    }

    pub(crate) fn from_json(text: &str) -> Self {
        let it: Value = serde_json::from_str(text).unwrap();
        let path = |name: &str| it[name].as_str().map(PathBuf::from);
        Self {
            program: path("program").unwrap(),
            cwd: path("cwd").unwrap(),
            environment: serde_json::from_value(it["environment"].clone()).unwrap(),
            grandchild: path("grandchild"),
            has_no_prompt: it["rests"].as_bool().unwrap(),
        }
    }

    pub(crate) fn options(&self) -> Options {
        let options = fake(&Scenario::default())
            .cli(&self.program)
            .cwd(&self.cwd)
            .clean_env()
            .setting_sources([])
            .on_permission(|_| async { PermissionResult::allow() })
            .close_policy(hasty().finish(Duration::from_millis(300)));
        let environment = self.environment.iter();
        environment.fold(options, |options, (name, value)| options.env(name, value))
    }

    /// Returns the grandchild, if there is one. Waits until it is ready.
    pub(crate) fn grandchild(&self) -> Option<u32> {
        let line = std::fs::read_to_string(self.grandchild.as_ref()?).unwrap();
        Some(line.trim().parse().unwrap())
    }

    /// Lets the tool end.
    pub(crate) fn end_tool(&self) {
        std::fs::write(self.cwd.join("over"), "").unwrap();
    }

    /// Connects a session, and waits until all processes that it must end are running.
    pub(crate) async fn connect(&self) -> Client {
        let client = Client::connect(self.options()).await.unwrap();
        if self.has_no_prompt {
            return client;
        }
        client.send("Work").await.unwrap();
        if let Some(file) = &self.grandchild {
            line_of(file).await;
        }
        client
    }
}
