//! Runs a host in its own process, so that it can be killed and stopped. The host opens the
//! session, sends prompts, and prints events with times.

use crate::engine::{Engine, on_store};
use agentwire::attachment::Attach;
use agentwire::ownership::WhenOwned;
use agentwire::permission::PermissionRequest;
use agentwire::protocol::Json;
use agentwire::protocol::host::Redelivery;
use agentwire::store::{StoreError, StoreFlush, TranscriptKey};
use agentwire::{
    Client, ClosePolicy, Event, Notice, Options, PermissionResult, SessionStore, SubmissionState,
};
use agentwire_stores::session_log::LeaseClock;
use agentwire_stores::{Claimed, LeasedStore, Leases, LogBacked};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};

/// The environment variable with the host's configuration.
pub(crate) const VARIABLE: &str = "AGENTWIRE_CHAOS_HOST";

/// The configuration of a host.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct HostConfig {
    pub(crate) engine: Engine,
    pub(crate) session: String,
    pub(crate) resumes: bool,
    pub(crate) lease: Duration,
    pub(crate) waits: Duration,
    /// The path of the real CLI, or the scenario of the fake agent.
    pub(crate) cli: Result<PathBuf, String>,
    /// The name of the host, and the file to which its callbacks append.
    pub(crate) name: String,
    pub(crate) witness: PathBuf,
}

/// Returns the time of the machine in milliseconds.
pub(crate) fn time() -> u128 {
    LeaseClock::default().now().as_millis()
}

fn say(what: &str) {
    let line = format!("{what} {}\n", time());
    std::io::stdout().write_all(line.as_bytes()).unwrap();
    std::io::stdout().flush().unwrap();
}

/// A store that prints when it is claimed.
#[derive(Clone)]
struct AnnouncesClaims<S>(S, Duration);

impl<S: LeasedStore + Clone> SessionStore for AnnouncesClaims<S> {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        self.0.append(key, entries).await
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        self.0.load(key).await
    }

    async fn subpaths(&self, session: &TranscriptKey) -> Result<Vec<String>, StoreError> {
        self.0.subpaths(session).await
    }

    fn attachment(&self) -> Option<Arc<dyn Attach>> {
        Some(Arc::new(Leases::new(self.clone(), self.1)))
    }
}

impl<S: LeasedStore + Clone> LeasedStore for AnnouncesClaims<S> {
    async fn claim(&self, session: &TranscriptKey) -> Result<Claimed, StoreError> {
        let claimed = self.0.claim(session).await;
        if let Ok(Claimed::Acquired(_)) = &claimed {
            say("claimed");
        }
        claimed
    }

    async fn append_inbox(
        &self,
        session: &TranscriptKey,
        entries: &[Json],
    ) -> Result<(), StoreError> {
        self.0.append_inbox(session, entries).await
    }

    async fn load_inbox(&self, session: &TranscriptKey) -> Result<Vec<Json>, StoreError> {
        self.0.load_inbox(session).await
    }
}

/// Returns the text of a user message.
fn text(message: &Json) -> String {
    let content = message
        .member("message")
        .and_then(|it| it.member("content"));
    content.and_then(|it| it.read().ok()).unwrap_or_default()
}

pub(crate) async fn run(told: HostConfig) {
    on_store!(&told.engine, store => {
        let store = AnnouncesClaims(LogBacked::new(store).leased(told.lease), told.lease);
        drive(told, store).await;
    });
}

async fn drive(told: HostConfig, store: impl SessionStore) {
    let options = match &told.cli {
        Ok(cli) => Options::new().cli(cli).setting_sources([]),
        Err(scenario) => Options::new()
            .cli(std::env::current_exe().unwrap())
            .env(agentwire_testkit::fake_agent::SCRIPT, scenario),
    };
    let witness = File::options().append(true).open(&told.witness).unwrap();
    let name = told.name.clone();
    let options = options
        .allowed_tools(["Bash"])
        .partial_messages(true)
        .request_timeout(Duration::from_secs(60))
        .close_policy(ClosePolicy::default().finish(Duration::from_millis(500)))
        .session_store(store)
        .session_store_flush(StoreFlush::BeforeResult)
        .when_owned(WhenOwned::Wait(told.waits))
        .on_permission(move |ask: PermissionRequest| {
            // Append in one write, like the tools.
            let line = format!("ask {name} {}\n", time());
            (&witness).write_all(line.as_bytes()).unwrap();
            say("asking");
            async move {
                if ask.request.input.to_string().contains("held") {
                    ask.cancelled.cancelled().await;
                }
                PermissionResult::allow()
            }
        });
    let options = match told.resumes {
        true => options.resume(&told.session),
        false => options.session_id(&told.session),
    };
    let mut client = match Client::connect(options).await {
        Ok(client) => client,
        Err(error) => {
            say(&format!("refused {error}:"));
            return;
        }
    };
    say("open");
    let handle = client.handle();
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut prompts = std::collections::VecDeque::new();
    let mut inherited = 0;
    let mut is_streaming = false;
    loop {
        tokio::select! {
            Ok(Some(line)) = lines.next_line() => match line.strip_prefix("send ") {
                Some(prompt) => {
                    let mut submission = handle.send(prompt);
                    prompts.push_back(prompt.to_owned());
                    let prompt = prompt.to_owned();
                    tokio::spawn(async move {
                        match submission.written().await {
                            Ok(()) => say(&format!("accepted {prompt}:")),
                            Err(error) => say(&format!("not accepted {prompt} {error}:")),
                        }
                        if submission.final_state().await != SubmissionState::Completed {
                            say(&format!("not completed {prompt}:"));
                        }
                    });
                }
                None => {
                    client.close().await;
                    say("closed");
                }
            },
            event = client.next() => match event {
                Some(Ok(Event::Frame(frame))) => match frame.kind() {
                    "stream_event" if !is_streaming => {
                        is_streaming = true;
                        say("streaming");
                    }
                    "assistant" if frame.raw().windows(10).any(|it| it == b"\"tool_use\"") => {
                        say("tooling");
                    }
                    "result" => {
                        is_streaming = false;
                        let prompt = prompts.pop_front().unwrap_or_default();
                        say(&format!("result {prompt}:"));
                    }
                    _ => {}
                },
                Some(Ok(Event::Notice(Notice::Inherited { message, redelivery, .. }))) => {
                    let prompt = text(&message);
                    say(&format!("inherited {redelivery:?} {prompt}:"));
                    if redelivery == Redelivery::Resent {
                        prompts.insert(inherited, prompt);
                        inherited += 1;
                    }
                }
                Some(Ok(Event::Notice(notice))) => say(&format!("notice {notice}:").replace('\n', " ")),
                Some(Ok(_)) => {}
                Some(Err(error)) => say(&format!("error {error}:").replace('\n', " ")),
                None => break say("end"),
            },
        }
    }
}
