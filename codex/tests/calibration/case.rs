//! Cases: the replies of the model and the actions of the host.

use agentwire_testkit::Scenario;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A session that is played to both agents.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    #[serde(skip)]
    pub(crate) name: String,
    #[serde(rename = "about")]
    _about: String,
    /// The replies of a [`Scenario`].
    replies: Value,
    /// The files of the working directory.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// Members of the provider's configuration, such as `stream_max_retries`.
    #[serde(default)]
    pub(crate) provider: Value,
    /// Whether threads have the MCP server `t`, which runs `server.py`.
    #[serde(default)]
    pub(crate) mcp: bool,
    /// Members of the first `thread/start`. Without one, no thread is started.
    #[serde(default)]
    thread: Option<Value>,
    /// Whether the host sends no `initialize` by itself.
    #[serde(default)]
    uninitialized: bool,
    host: Vec<Step>,
}

/// An action of the host. In its values, `$thread`, `$turn`, `$cwd` and other
/// names are replaced by what the agent has sent.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Step {
    /// Sends a request. Without an `id`, it is numbered.
    Send(Value),
    /// Starts a turn with this text.
    Prompt(String),
    /// Sends a line unchanged.
    Raw(String),
    /// Sends bytes that are not UTF-8.
    InvalidUtf8,
    /// Waits for a frame with these members, since the last action.
    Until(Value),
    /// Waits for the response to the last request.
    Answered,
    /// Responds to the oldest pending request of the agent.
    Respond(Value),
    /// Responds to it with an error.
    Refuse(Value),
    /// Waits until the agent has reached this gate.
    Reached(String),
    /// Opens a gate.
    Open(String),
    /// Closes standard input, and waits for the exit.
    Close,
    /// Closes standard input, and starts another process after the exit.
    Restart,
}

impl Case {
    /// Reads the cases of a directory, sorted by name.
    pub(crate) fn in_folder(folder: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let read = |path: &std::path::PathBuf| {
            let text = std::fs::read_to_string(path).unwrap();
            let mut case: Self = serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            case.name = path.file_stem().unwrap().to_string_lossy().into_owned();
            case
        };
        paths.iter().map(read).collect()
    }

    pub(crate) fn scenario(&self) -> Scenario {
        let text = json!({ "replies": self.replies }).to_string();
        Scenario::from_json(&text).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Returns all steps, with those at the beginning of most sessions.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let mut steps = vec![];
        if !self.uninitialized {
            steps.extend(initialize());
        }
        if let Some(thread) = &self.thread {
            let mut params = json!({
                "cwd": "$cwd", "model": "gpt-5.5", "modelProvider": "fake", "config": "$config",
                "approvalPolicy": "never", "sandbox": "danger-full-access",
            });
            for (name, value) in thread.as_object().into_iter().flatten() {
                params[name] = value.clone();
            }
            steps.push(Step::Send(
                json!({ "method": "thread/start", "params": params }),
            ));
            steps.push(Step::Until(json!({ "method": "thread/started" })));
            steps.push(Step::Answered);
        }
        for step in &self.host {
            steps.push(step.clone());
            if let Step::Restart = step {
                steps.extend(initialize());
            }
        }
        steps
    }
}

fn initialize() -> [Step; 3] {
    let params = json!({
        "clientInfo": { "name": "probe", "title": "Probe", "version": "0.1" },
        "capabilities": { "experimentalApi": true },
    });
    [
        Step::Send(json!({ "method": "initialize", "params": params })),
        Step::Answered,
        Step::Raw(r#"{"method":"initialized"}"#.to_owned()),
    ]
}
