//! One CLI and one session for a flow.

use crate::support::{Live, describe};
use agentwire::protocol::host::RequestFailure;
use agentwire::protocol::message::ResultMessage;
use agentwire::{Activity, Client, Error, Event, Message, Notice, Options, PermissionResult};
use agentwire_testkit::{Scenario, Step};
use serde_json::Value;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinError;

/// A CLI of some version.
#[derive(Debug, Clone)]
pub(crate) struct Cli {
    pub(crate) version: String,
    path: PathBuf,
}

impl Cli {
    /// Those in `AGENTWIRE_VERSIONS`: a line for each, its version and its path
    /// with a space between.
    pub(crate) fn of_environment() -> Vec<Self> {
        let all = std::env::var("AGENTWIRE_VERSIONS")
            .expect("AGENTWIRE_VERSIONS is not set: run this with scripts/versions");
        let clis: Vec<Self> = all
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(version, path)| Self {
                version: version.to_owned(),
                path: path.into(),
            })
            .collect();
        for cli in &clis {
            assert!(cli.path.exists(), "{} is not there", cli.path.display());
        }
        clis
    }
}

/// Why a flow did not do what it shows.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The session said that this version lacks it.
    Unsupported(String),
    Wrong(String),
}

pub(crate) type Played = Pin<Box<dyn Future<Output = Result<(), Fault>> + Send>>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Unsupported(match &error {
            Error::TooOld {
                option,
                needs: Some(needs),
                ..
            } => format!("`{option}` requires {needs}"),
            Error::TooOld { option, .. } => format!("no `{option}`"),
            Error::NotApplied { option } => format!("no `{option}`"),
            Error::NotSupported { subtype, .. } => format!("no `{subtype}`"),
            // CLIs up to 2.0.77 do not respond to what they do not know.
            Error::Request(failure) => match &**failure {
                RequestFailure::TimedOut { subtype, .. } => format!("no response to `{subtype}`"),
                _ => return Self::Wrong(error.to_string()),
            },
            _ => return Self::Wrong(error.to_string()),
        })
    }
}

impl From<String> for Fault {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}

/// What a task panicked with.
pub(crate) fn said(panicked: JoinError) -> String {
    let panic = panicked.into_panic();
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned()));
    format!("panicked: {}", text.unwrap_or_default())
}

/// Fails the flow unless something holds.
macro_rules! ensure {
    ($holds:expr, $($why:tt)*) => {
        if !$holds {
            return Err(crate::lab::Fault::Wrong(format!($($why)*)));
        }
    };
}
pub(crate) use ensure;

/// Makes functions of flows.
macro_rules! flows {
    ($($name:literal => $flow:path,)*) => {
        pub(crate) const FLOWS: &[crate::Flow] = &[
            $(($name, |lab| Box::pin($flow(lab)) as crate::lab::Played),)*
        ];
    };
}
pub(crate) use flows;

/// Where a flow is played.
#[derive(Clone)]
pub(crate) struct Lab {
    cli: Cli,
    homes: Arc<Mutex<Vec<Arc<Live>>>>,
}

impl Lab {
    pub(crate) fn new(cli: Cli) -> Self {
        Self {
            cli,
            homes: Arc::default(),
        }
    }

    pub(crate) async fn start(&self, scenario: Scenario) -> Bench {
        let live = Arc::new(Live::start(scenario).await);
        self.homes.lock().unwrap().push(Arc::clone(&live));
        Bench {
            live,
            cli: self.cli.clone(),
        }
    }

    /// Waits until the processes of the flow have exited, which blocks.
    pub(crate) fn clean_up(self) {
        self.homes.lock().unwrap().clear();
    }
}

/// A scripted model, a home, and a CLI to start there.
pub(crate) struct Bench {
    pub(crate) live: Arc<Live>,
    cli: Cli,
}

impl Bench {
    pub(crate) fn options(&self) -> Options {
        let options = self.live.options_for(&self.cli.path);
        // How long the requests take that an old CLI ignores.
        options.request_timeout(Duration::from_secs(60))
    }

    /// Options that allow everything.
    pub(crate) fn allowing(&self) -> Options {
        let options = self.options();
        options.on_permission(|_| async { PermissionResult::allow() })
    }
}

pub(crate) fn bash(command: &str) -> Step {
    Step::tool(
        "Bash",
        serde_json::json!({ "command": command, "description": "d" }),
        "",
    )
}

/// What one prompt brought.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    pub(crate) log: Vec<String>,
    pub(crate) result: Option<Box<ResultMessage>>,
    pub(crate) init: Option<Value>,
    pub(crate) deltas: usize,
}

impl Turn {
    pub(crate) fn has(&self, text: &str) -> bool {
        self.log.iter().any(|line| line.contains(text))
    }

    /// Fails unless the turn came to a good end.
    pub(crate) fn well(self) -> Result<Self, Fault> {
        match &self.result {
            Some(result) if !result.is_error => Ok(self),
            _ => Err(Fault::Wrong(format!("the turn failed: {:?}", self.log))),
        }
    }
}

/// Sends a prompt and reads until the session is idle. A notice that says that
/// the session does without an option is an error.
pub(crate) async fn ask(client: &mut Client, prompt: &str) -> Result<Turn, Fault> {
    client.send(prompt).await?;
    until_idle(client).await
}

pub(crate) async fn until_idle(client: &mut Client) -> Result<Turn, Fault> {
    let mut turn = Turn::default();
    while let Some(event) = client.next().await {
        let event = event?;
        if let Event::Notice(Notice::NotApplied { option }) = &event {
            return Err(Fault::Unsupported(format!("does without `{option}`")));
        }
        turn.log.extend(describe(&event));
        match &event {
            Event::Frame(frame) => match frame.message() {
                Message::Result(result) => turn.result = Some(result),
                message if message.text_delta().is_some() => turn.deltas += 1,
                _ if frame.subtype() == Some("init") => turn.init = frame.read().ok(),
                _ => {}
            },
            Event::Activity(Activity::Idle) => return Ok(turn),
            _ => {}
        }
    }
    Err(Fault::Wrong(format!("the session ended: {:?}", turn.log)))
}
