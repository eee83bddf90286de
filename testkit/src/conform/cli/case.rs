//! A case: what the model says, and what the host does at each line.
//!
//! A case is a scenario file. Its `host` says what the host does. The files of
//! this project's `tests/scenarios` are cases as well; what they expect is for
//! others.

use crate::{Scenario, ScenarioError};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a script has go on for so long is there to be cut off.
const CUT_OFF: Duration = Duration::from_secs(60);

/// One session that a CLI is to play.
#[derive(Debug, Clone)]
pub struct Case {
    name: String,
    pub(super) scenario: Scenario,
    pub(super) host: Host,
    file: Value,
}

/// A case that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// A file or a folder cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// It is no scenario.
    #[error("the case {name}: {error}")]
    Scenario {
        /// The case.
        name: String,
        /// What is wrong with it.
        error: ScenarioError,
    },
    /// What it says of the host makes no sense.
    #[error("the case {name}: host: {error}")]
    Host {
        /// The case.
        name: String,
        /// What is wrong with it.
        error: serde_json::Error,
    },
}

/// How long a step of the agent goes on without a sign.
fn time_of(step: &crate::Step) -> Duration {
    use crate::Step;

    match step {
        Step::Text(text) => text.delay(),
        Step::Thinking(thinking) => thinking.text.delay(),
        Step::Tool(call) => Duration::from_millis(call.takes_ms),
        Step::WaitMs(time) => Duration::from_millis(*time),
        _ => Duration::ZERO,
    }
}

/// What the host does.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Host {
    /// Prompts, each sent when the session rests after the one before. The
    /// short form of `steps`.
    prompts: Vec<String>,
    /// Arguments besides the usual ones.
    pub(super) args: Vec<String>,
    /// Whether it asks for nothing beside the protocol: no partial messages, and
    /// none of the variables that SDKs set, such as the one for states.
    #[serde(skip)]
    pub(super) is_plain: bool,
    /// Whether the case is only what it is with states and partial messages, so
    /// that there is no plain one.
    needs_states: bool,
    /// Whether it takes no permission requests: the CLI is started without
    /// `--permission-prompt-tool=stdio`.
    pub(super) takes_no_requests: bool,
    /// Whether it takes no partial messages: the CLI is started without
    /// `--include-partial-messages`.
    pub(super) takes_whole_messages: bool,
    /// Environment variables besides the usual ones. One that is `null` is
    /// taken away.
    pub(super) env: BTreeMap<String, Option<String>>,
    /// Members of `initialize` besides the hooks and the servers.
    initialize: Map<String, Value>,
    /// Whether nothing in it is left to chance, so that all lines are
    /// compared in the order in which they came.
    pub(super) in_order: bool,
    /// What permission asks are answered, by tool: one answer, or a list with
    /// one for each ask.
    pub(super) decisions: BTreeMap<String, OneOrMore<Decision>>,
    /// The hooks, in the order in which they are registered.
    pub(super) hooks: Vec<ScriptedHook>,
    /// The MCP servers inside the host: their tools, and what each answers.
    pub(super) servers: BTreeMap<String, Vec<McpTool>>,
    /// What the host does, one after the other.
    pub(super) steps: Vec<Step>,
    // For `tests/scenarios.rs`.
    #[serde(rename = "expect")]
    _expect: Vec<String>,
    #[serde(rename = "called")]
    _called: Vec<String>,
    #[serde(rename = "model_sees")]
    _model_sees: Vec<String>,
}

/// Something that the host does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Step {
    /// Sends a prompt: a text, or a user message without its envelope
    /// (`{"content": …, "priority": …}`). The n-th has the uuid `…00n`.
    Prompt(Value),
    /// Sends a control request; the n-th has the id `host-n`.
    Request(Map<String, Value>),
    /// Sends a line as it is.
    Send(Value),
    /// Waits until the session rests. A CLI that does not tell its states rests
    /// when a result comes.
    Idle,
    /// Waits for a line that has these members.
    Until(Value),
    /// Answers an ask that was held, the oldest one.
    Answer(Decision),
    /// Waits until the agent has come to this gate. Real tools make a file
    /// `NAME.reached` in the project.
    Reached(String),
    /// Opens a gate, of the model and of tools. Real tools wait for a file
    /// `NAME`.
    Open(String),
    /// Waits until the agent ends by itself.
    Exit,
}

/// What the host is at, for people.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prompt(prompt) => write!(f, "to send the prompt {prompt}"),
            Self::Request(request) => write!(f, "to request {}", json!(request)),
            Self::Send(line) => write!(f, "to send {line}"),
            Self::Idle => f.write_str("to hear that the session is idle"),
            Self::Until(pattern) => write!(f, "to hear a line with {pattern}"),
            Self::Answer(_) => f.write_str("to answer the ask that it holds"),
            Self::Reached(gate) => write!(f, "to see the gate {gate} reached"),
            Self::Open(gate) => write!(f, "to open the gate {gate}"),
            Self::Exit => f.write_str("to see the CLI end"),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMore<T> {
    More(Vec<T>),
    One(T),
}

impl<T> OneOrMore<T> {
    /// What is for call number `n`: the last one, when there are not so many.
    pub(super) fn get(&self, n: usize) -> Option<&T> {
        match self {
            Self::One(one) => Some(one),
            Self::More(more) => more.get(n).or(more.last()),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Decision {
    Allow,
    AllowLater,
    AllowWith(Value),
    Deny(String),
    DenyAndInterrupt(String),
    /// The turn is interrupted instead.
    Interrupt,
    Panic,
    /// An answer as it is on the wire.
    Raw(Value),
    /// An error answer.
    Fail(String),
    /// It is not answered, or later by a step.
    Hold,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedHook {
    pub(super) event: String,
    matcher: Option<String>,
    #[serde(default)]
    gate: bool,
    timeout_ms: Option<u64>,
    /// What it answers, call by call; the last one from then on.
    pub(super) answers: OneOrMore<HookStep>,
}

impl ScriptedHook {
    /// After how long the CLI does not wait for its answer any more.
    pub(super) fn time(&self) -> Duration {
        self.timeout_ms
            .map_or(Duration::ZERO, Duration::from_millis)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum HookStep {
    Answer(Value),
    Fail,
    Panic,
    Hang,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct McpTool {
    pub(super) result: Value,
    /// The tool as the server lists it.
    #[serde(flatten)]
    pub(super) tool: Map<String, Value>,
}

impl Host {
    /// Whether it takes partial messages.
    pub(super) fn takes_partial_messages(&self) -> bool {
        !self.is_plain && !self.takes_whole_messages
    }

    /// The first request.
    pub(super) fn initialize(&self) -> Value {
        let mut request = self.initialize.clone();
        request.insert("subtype".to_owned(), "initialize".into());
        let mut hooks = BTreeMap::<_, Vec<_>>::new();
        for (number, hook) in self.hooks.iter().enumerate() {
            let mut matcher = json!({ "hookCallbackIds": [format!("hook_{number}")] });
            if let Some(pattern) = &hook.matcher {
                matcher["matcher"] = pattern.as_str().into();
            }
            if let Some(time) = hook.timeout_ms {
                matcher["timeout"] = json!(time as f64 / 1000.0);
            }
            if hook.gate {
                matcher["onFailure"] = "block".into();
            }
            hooks.entry(&hook.event).or_default().push(matcher);
        }
        if !hooks.is_empty() {
            request.insert("hooks".to_owned(), json!(hooks));
        }
        if !self.servers.is_empty() {
            let names: Vec<_> = self.servers.keys().cloned().collect();
            request.insert("sdkMcpServers".to_owned(), names.into());
        }
        request.into()
    }

    fn all_steps(&mut self) {
        for prompt in std::mem::take(&mut self.prompts) {
            self.steps.push(Step::Prompt(prompt.into()));
            self.steps.push(Step::Idle);
        }
    }
}

impl Case {
    /// Reads a case: a scenario whose `host` says what the host does.
    ///
    /// # Errors
    ///
    /// When it is no scenario, or its `host` makes no sense.
    pub fn from_json(name: &str, text: &str) -> Result<Self, CaseError> {
        let not_scenario = |error| CaseError::Scenario {
            name: name.to_owned(),
            error,
        };
        let scenario = Scenario::from_json(text).map_err(not_scenario)?;
        let file: Value = serde_json::from_str(text).map_err(|error| not_scenario(error.into()))?;
        let host = file.get("host").cloned().unwrap_or_else(|| json!({}));
        let mut host: Host = serde_json::from_value(host).map_err(|error| CaseError::Host {
            name: name.to_owned(),
            error,
        })?;
        host.all_steps();
        Ok(Self {
            name: name.to_owned(),
            scenario,
            host,
            file,
        })
    }

    /// The cases of a folder: one in each of its files that end in `.json`, in
    /// the order of their names.
    ///
    /// # Errors
    ///
    /// When one cannot be read.
    pub fn in_folder(folder: &Path) -> Result<Vec<Self>, CaseError> {
        let unreadable = |path: &Path, error| CaseError::Unreadable {
            path: path.to_owned(),
            error,
        };
        let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
        let mut paths = vec![];
        for entry in entries {
            let path = entry.map_err(|error| unreadable(folder, error))?.path();
            if path.extension().is_some_and(|it| it == "json") {
                paths.push(path);
            }
        }
        paths.sort();
        let read = |path: &PathBuf| {
            let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            Self::from_json(&name, &text)
        };
        paths.iter().map(read).collect()
    }

    /// The same case with a host that asks for nothing beside the protocol: no
    /// partial messages, and none of the variables that SDKs set. There is none
    /// where the host waits for a line that is not sent then.
    #[must_use]
    pub fn plain(&self) -> Option<Self> {
        let awaits = |step: &Step| match step {
            Step::Until(line) => {
                line["type"] == "stream_event"
                    || line["subtype"] == "status"
                    || line["subtype"] == "session_state_changed"
            }
            _ => false,
        };
        if self.host.needs_states || self.host.steps.iter().any(awaits) {
            return None;
        }
        let mut plain = self.clone();
        plain.host.is_plain = true;
        plain.name.push_str(" (plain)");
        Some(plain)
    }

    /// Whether [`plain`](Self::plain) made it.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.host.is_plain
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it shows, for people.
    #[must_use]
    pub fn about(&self) -> Option<&str> {
        self.scenario.about.as_deref()
    }

    /// Returns how long the longest thing takes in it by its script, of those that
    /// are not cut off.
    #[must_use]
    pub fn longest(&self) -> Duration {
        let replies = (self.scenario.replies.iter()).chain(&self.scenario.subagents);
        let steps = replies.flat_map(|reply| &reply.say).map(time_of);
        let hooks = self.host.hooks.iter().map(ScriptedHook::time);
        let times = steps.chain(hooks).filter(|time| *time < CUT_OFF);
        times.max().unwrap_or_default()
    }

    /// The file as it is: what is written there, no agent made up.
    #[must_use]
    pub fn file(&self) -> &Value {
        &self.file
    }
}
