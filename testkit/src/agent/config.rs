//! The configuration of an agent: its start options and its features.

use super::{Declared, Profile, Rules};
use agentwire_protocol::message::ModelUsage;
use agentwire_protocol::permission::PermissionMode;
use std::collections::BTreeMap;
use std::time::Duration;

/// The CLI version that was measured. Hosts use it for feature detection.
const VERSION: &str = "2.1.332";

/// The default of [`Config::max_retries`].
pub const MAX_RETRIES: u64 = 10;

/// The configuration of an agent.
#[derive(Debug, Clone)]
pub struct Config {
    /// The CLI's version, as reported in `system/init`.
    pub version: String,
    /// The model's name.
    pub model: String,
    /// The working directory.
    pub cwd: String,
    /// The permission mode.
    pub permission_mode: PermissionMode,
    /// Whether the host responds to permission requests
    /// (`--permission-prompt-tool=stdio`). If not, a tool call that needs a
    /// permission request is denied.
    pub asks_host: bool,
    /// The permission rules of the command line (`--allowedTools`,
    /// `--disallowedTools`).
    pub rules: Rules,
    /// Whether the host may switch to the mode `bypassPermissions`
    /// (`--dangerously-skip-permissions`).
    pub may_bypass: bool,
    /// Names of the MCP servers inside the host that are known before
    /// `initialize` (the `sdk` servers of `--mcp-config`). The agent starts
    /// their handshake at once.
    pub sdk_mcp_servers: Vec<String>,
    /// Whether prompts are echoed (`--replay-user-messages`).
    pub replays_prompts: bool,
    /// Whether text of sub-agents is sent (`forwardSubagentText` of
    /// `initialize`).
    pub forwards_subagent_text: bool,
    /// Whether the model must give structured output with the tool
    /// `StructuredOutput` (`--json-schema`, or `jsonSchema` of `initialize`).
    pub has_output_schema: bool,
    /// The maximum number of model requests in a turn (`--max-turns`).
    pub max_turns: Option<u64>,
    /// The maximum cost of the process in US dollars (`--max-budget-usd`).
    pub max_budget_usd: Option<f64>,
    /// The usage of a resumed session so far, by model.
    pub model_usage: BTreeMap<String, ModelUsage>,
    /// The model that replaces an overloaded one for the rest of a turn
    /// (`--fallback-model`).
    pub fallback_model: Option<String>,
    /// Whether partial messages are sent (`--include-partial-messages`).
    pub partial_messages: bool,
    /// The CLI version that the agent emulates, if [`Profile::apply`] set one.
    pub profile: Option<Profile>,
    /// Whether session states are sent
    /// (`CLAUDE_CODE_SDK_READS_SESSION_STATE=1`).
    pub session_states: bool,
    /// Whether session states are marked as meant for the host alone.
    /// `CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1` turns this off.
    pub states_are_for_host: bool,
    /// Whether the agent has its own prompt queue: it orders messages by
    /// priority, reports the delivery status of each message, and lists the
    /// messages that a turn answers. If not, it runs messages one by one in
    /// order of arrival.
    pub has_queue: bool,
    /// Whether the responses to `interrupt` and `set_model` report the outcome.
    /// If not, they are empty.
    pub has_receipts: bool,
    /// Whether a permission response that allows a tool must have
    /// `updatedInput`. Otherwise it is optional.
    pub requires_updated_input: bool,
    /// The maximum number of times a failed API request is retried.
    pub max_retries: u64,
    /// The delay before the first retry. It doubles with each retry, up to 64
    /// times this value.
    pub retry_after: Duration,
    /// The size of the model's context window, in tokens.
    pub context_window: u64,
    /// Whether the agent compacts the conversation automatically when the
    /// context window is nearly full.
    pub compacts: bool,
    /// The size of a smaller window, in tokens, that triggers automatic
    /// compaction instead (`CLAUDE_CODE_AUTO_COMPACT_WINDOW`).
    pub compact_window: Option<u64>,
    /// The declared tools, commands and models.
    pub declared: Declared,
    /// The process ID that `initialize` reports.
    pub pid: u32,
    /// Returns the time, as RFC 3339, for the `timestamp` of messages. The
    /// default returns `None`: messages have no timestamp.
    pub timestamp: fn() -> Option<String>,
    /// Returns the effort level of a model, for hooks. The default
    /// returns `medium` for every model.
    pub effort: fn(&str) -> Option<&'static str>,
    /// Returns whether a regular expression (the first argument) matches
    /// anywhere in a text (the second). Hook matchers that are not plain names
    /// use it. The default never matches.
    pub finds: fn(&str, &str) -> bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            version: VERSION.to_owned(),
            model: "fake-model".to_owned(),
            cwd: "/project".to_owned(),
            permission_mode: PermissionMode::Default,
            asks_host: true,
            rules: Rules::default(),
            may_bypass: false,
            sdk_mcp_servers: vec![],
            replays_prompts: false,
            forwards_subagent_text: false,
            has_output_schema: false,
            max_turns: None,
            max_budget_usd: None,
            model_usage: BTreeMap::new(),
            fallback_model: None,
            partial_messages: true,
            profile: None,
            session_states: true,
            states_are_for_host: true,
            has_queue: true,
            has_receipts: true,
            requires_updated_input: false,
            max_retries: MAX_RETRIES,
            retry_after: Duration::from_millis(550),
            context_window: 1_000_000,
            compacts: true,
            compact_window: None,
            declared: Declared::default(),
            pid: 1,
            timestamp: || None,
            effort: |_| Some("medium"),
            finds: |_, _| false,
        }
    }
}

impl Profile {
    /// Configures an agent to behave like this version.
    pub fn apply(self, config: &mut Config) {
        config.profile = Some(self);
        if self != Self::NoQueue {
            config.version = self.name().to_owned();
        }
        config.has_receipts = !matches!(self, Self::V2_0_77 | Self::V2_1_197);
        config.requires_updated_input = self == Self::V2_1_197;
        match self {
            // This version reads a different variable to enable session states.
            Self::V2_1_197 => config.session_states &= !config.states_are_for_host,
            Self::V2_0_77 | Self::NoQueue => {
                config.has_queue = false;
                config.session_states = false;
            }
            Self::V2_1_332 => {}
        }
    }
}
