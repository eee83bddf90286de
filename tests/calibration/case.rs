//! A case: what the model says, and what the host does at each line.
//!
//! A case is a scenario file. Its `host` says what the host does. The files of
//! `tests/scenarios` are cases as well; what they expect is for others.

use agentwire_testkit::Scenario;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One session that both agents play.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) scenario: Scenario,
    pub(crate) host: Host,
    /// The file as it is: what is written there, no agent made up.
    pub(crate) file: Value,
}

/// What the host does.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Host {
    /// Prompts, each sent when the session rests after the one before. The
    /// short form of `steps`.
    prompts: Vec<String>,
    /// Arguments besides the usual ones.
    pub(crate) args: Vec<String>,
    /// Environment variables besides the usual ones. One that is `null` is
    /// taken away.
    pub(crate) env: BTreeMap<String, Option<String>>,
    /// Members of `initialize` besides the hooks and the servers.
    initialize: Map<String, Value>,
    /// Whether nothing in it is left to chance, so that all lines are
    /// compared in the order in which they came.
    pub(crate) in_order: bool,
    /// What permission asks are answered, by tool: one answer, or a list with
    /// one for each ask.
    pub(crate) decisions: BTreeMap<String, OneOrMore<Decision>>,
    /// The hooks, in the order in which they are registered.
    pub(crate) hooks: Vec<ScriptedHook>,
    /// The MCP servers inside the host: their tools, and what each answers.
    pub(crate) servers: BTreeMap<String, Vec<McpTool>>,
    /// What the host does, one after the other.
    pub(crate) steps: Vec<Step>,
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
pub(crate) enum Step {
    /// Sends a prompt: a text, or a user message without its envelope
    /// (`{"content": …, "priority": …}`). The n-th has the uuid `…00n`.
    Prompt(Value),
    /// Sends a control request; the n-th has the id `host-n`.
    Request(Map<String, Value>),
    /// Sends a line as it is.
    Send(Value),
    /// Waits until the session rests.
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

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMore<T> {
    More(Vec<T>),
    One(T),
}

impl<T> OneOrMore<T> {
    /// What is for call number `n`: the last one, when there are not so many.
    pub(crate) fn get(&self, n: usize) -> &T {
        match self {
            Self::One(one) => one,
            Self::More(more) => &more[n.min(more.len() - 1)],
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Decision {
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
pub(crate) struct ScriptedHook {
    pub(crate) event: String,
    matcher: Option<String>,
    #[serde(default)]
    gate: bool,
    timeout_ms: Option<u64>,
    /// What it answers, call by call; the last one from then on.
    pub(crate) answers: OneOrMore<HookStep>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum HookStep {
    Answer(Value),
    Fail,
    Panic,
    Hang,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct McpTool {
    pub(crate) result: Value,
    /// The tool as the server lists it.
    #[serde(flatten)]
    pub(crate) tool: Map<String, Value>,
}

impl Host {
    /// The first request.
    pub(crate) fn initialize(&self) -> Value {
        let mut request = self.initialize.clone();
        request.insert("subtype".to_owned(), "initialize".into());
        let mut hooks = Map::new();
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
            let of_event = hooks.entry(&hook.event).or_insert_with(|| json!([]));
            of_event.as_array_mut().unwrap().push(matcher);
        }
        if !hooks.is_empty() {
            request.insert("hooks".to_owned(), hooks.into());
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
    fn read(path: &Path) -> Self {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let file: Value = serde_json::from_str(&text).unwrap_or_else(|it| panic!("{name}: {it}"));
        let scenario = Scenario::from_json(&text).unwrap_or_else(|it| panic!("{name}: {it}"));
        let mut host: Host = serde_json::from_value(file["host"].clone())
            .unwrap_or_else(|it| panic!("{name}: host: {it}"));
        host.all_steps();
        Self {
            name,
            scenario,
            host,
            file,
        }
    }

    /// All cases.
    pub(crate) fn all() -> Vec<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut paths: Vec<PathBuf> = ["tests/scenarios", "tests/calibration/cases"]
            .iter()
            .flat_map(|folder| std::fs::read_dir(here.join(folder)).unwrap())
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
        paths.iter().map(|path| Self::read(path)).collect()
    }
}
