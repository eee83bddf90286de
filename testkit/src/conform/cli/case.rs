//! A case: a scenario, and the actions of the host.
//!
//! A case is a scenario file whose `host` contains the actions of the host.
//! `tests/scenarios.rs` of this repository also plays those with `expect`, and
//! compares events.

use crate::{Scenario, ScenarioError};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The names and texts of the files in `conform/cases`.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// Steps of at least this duration are meant to be interrupted.
const INTERRUPTED: Duration = Duration::from_secs(60);

/// A session that is played to a CLI.
#[derive(Debug, Clone)]
pub struct Case {
    name: String,
    pub(super) scenario: Scenario,
    pub(super) host: Host,
    file: Value,
}

/// An invalid case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// A file or a directory cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The scenario is invalid.
    #[error("the case {name}: {error}")]
    Scenario {
        /// The name of the case.
        name: String,
        /// The cause.
        error: ScenarioError,
    },
    /// The `host` of the scenario is invalid.
    #[error("the case {name}: host: {error}")]
    Host {
        /// The name of the case.
        name: String,
        /// The cause.
        error: serde_json::Error,
    },
}

/// Returns how long a step of the agent lasts without output.
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

/// The actions of the host.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Host {
    /// The short form of `steps`: prompts, each of which is sent when the
    /// session is idle after the previous prompt.
    prompts: Vec<String>,
    /// Additional arguments.
    pub(super) args: Vec<String>,
    /// Whether the host uses only the protocol: it enables no partial messages,
    /// and sets none of the variables that SDKs set, such as the variable for
    /// session states.
    #[serde(skip)]
    pub(super) is_plain: bool,
    /// Whether the case requires states and partial messages, so that it has no
    /// plain form.
    needs_states: bool,
    /// Whether the host rejects permission requests: the CLI is started without
    /// `--permission-prompt-tool=stdio`.
    pub(super) takes_no_requests: bool,
    /// Whether the host rejects partial messages: the CLI is started without
    /// `--include-partial-messages`.
    pub(super) takes_whole_messages: bool,
    /// Additional environment variables. `null` removes one.
    pub(super) env: BTreeMap<String, Option<String>>,
    /// Members of `initialize`, except for hooks and servers.
    initialize: Map<String, Value>,
    /// Whether the order of lines is deterministic, so that all lines are
    /// compared in their order.
    pub(super) in_order: bool,
    /// The responses to permission requests, by tool. The value is one
    /// response, or a list with a response for each request.
    pub(super) decisions: BTreeMap<String, OneOrMore<Decision>>,
    /// The hooks, in the order of registration.
    pub(super) hooks: Vec<ScriptedHook>,
    /// The MCP servers inside the host: their tools with their results.
    pub(super) servers: BTreeMap<String, Vec<McpTool>>,
    /// The actions, in order.
    pub(super) steps: Vec<Step>,
    // `tests/scenarios.rs` reads this member.
    #[serde(rename = "expect")]
    _expect: Vec<String>,
    #[serde(rename = "called")]
    _called: Vec<String>,
    #[serde(rename = "model_sees")]
    _model_sees: Vec<String>,
}

/// An action of the host.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Step {
    /// Sends a prompt, which is a text, or a user message without its envelope
    /// (`{"content": …, "priority": …}`). Prompt number n has the UUID `…00n`.
    Prompt(Value),
    /// Sends a control request. Request number n has the ID `host-n`.
    Request(Map<String, Value>),
    /// Sends a line unchanged.
    Send(Value),
    /// Waits until the session is idle. Without session states, the session is
    /// idle after a result.
    Idle,
    /// Waits for a line with these members.
    Until(Value),
    /// Responds to the oldest deferred permission request.
    Answer(Decision),
    /// Waits until the agent has reached this gate. Real tools create the file
    /// `NAME.reached` in the project.
    Reached(String),
    /// Opens a gate of the model and of tools. Real tools wait for the file
    /// `NAME`.
    Open(String),
    /// Waits until the agent exits.
    Exit,
}

/// Describes an action.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prompt(prompt) => write!(f, "send the prompt {prompt}"),
            Self::Request(request) => write!(f, "send the request {}", json!(request)),
            Self::Send(line) => write!(f, "send {line}"),
            Self::Idle => f.write_str("receive the state idle"),
            Self::Until(pattern) => write!(f, "receive a line with {pattern}"),
            Self::Answer(_) => f.write_str("respond to the deferred permission request"),
            Self::Reached(gate) => write!(f, "wait at the gate {gate}"),
            Self::Open(gate) => write!(f, "open the gate {gate}"),
            Self::Exit => f.write_str("wait for the exit of the CLI"),
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
    /// Returns the item for call number `n`. The last item applies to all later
    /// calls.
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
    /// Interrupts the turn in place of a response.
    Interrupt,
    Panic,
    /// A response in wire format.
    Raw(Value),
    /// An error response.
    Fail(String),
    /// Sends no response. [`Step::Answer`] may respond later.
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
    /// The responses, call by call. The last response applies to all later
    /// calls.
    pub(super) answers: OneOrMore<HookStep>,
}

impl ScriptedHook {
    /// Returns the time after which the CLI stops waiting for a response.
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
    /// The tool in the server's list.
    #[serde(flatten)]
    pub(super) tool: Map<String, Value>,
}

impl Host {
    /// Returns whether the host accepts partial messages.
    pub(super) fn accepts_partial_messages(&self) -> bool {
        !self.is_plain && !self.takes_whole_messages
    }

    /// Returns the `initialize` request.
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
    /// Parses a case: a scenario with a `host`.
    ///
    /// # Errors
    ///
    /// Fails if the scenario or its `host` is invalid.
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

    /// Returns the cases in this crate, sorted by name.
    ///
    /// # Errors
    ///
    /// Fails only if a file was edited by hand.
    pub fn embedded() -> Result<Vec<Self>, CaseError> {
        let read = |(name, text): &(&str, &str)| Self::from_json(name, text);
        FILES.iter().map(read).collect()
    }

    /// Reads the cases of a directory: one in each `.json` file, sorted by
    /// name.
    ///
    /// # Errors
    ///
    /// Fails if a case cannot be read.
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

    /// Returns the same case with a host that uses only the protocol. The host
    /// enables no partial messages, and sets none of the variables that SDKs
    /// set. Returns `None` if the host waits for a line that would then be
    /// missing.
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

    /// Returns whether [`plain`](Self::plain) created this case.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.host.is_plain
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description.
    #[must_use]
    pub fn about(&self) -> Option<&str> {
        self.scenario.about.as_deref()
    }

    /// Returns the longest duration in the script, except for steps that are
    /// meant to be interrupted.
    #[must_use]
    pub fn longest(&self) -> Duration {
        let replies = (self.scenario.replies.iter()).chain(&self.scenario.subagents);
        let steps = replies.flat_map(|reply| &reply.say).map(time_of);
        let hooks = self.host.hooks.iter().map(ScriptedHook::time);
        let times = steps.chain(hooks).filter(|time| *time < INTERRUPTED);
        times.max().unwrap_or_default()
    }

    /// Returns the content of the case's file. No agent has generated it.
    #[must_use]
    pub fn file(&self) -> &Value {
        &self.file
    }
}
