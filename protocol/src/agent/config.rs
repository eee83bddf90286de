//! What an agent was started with, and what it can do.

use crate::permission::PermissionMode;
use std::time::Duration;

/// The version that was measured, as hosts are told that tell by it what an
/// agent can do.
const VERSION: &str = "2.1.330";

/// How often an API that fails is asked again, unless it is told otherwise.
pub const MAX_RETRIES: u64 = 10;

/// What an agent was started with.
#[derive(Debug, Clone)]
pub struct Config {
    /// The CLI's version, as `system/init` names it.
    pub version: String,
    /// The model's name.
    pub model: String,
    /// The working directory.
    pub cwd: String,
    /// How permissions are decided.
    pub permission_mode: PermissionMode,
    /// Whether the host answers permission asks
    /// (`--permission-prompt-tool=stdio`). If not, what would be asked is
    /// denied.
    pub asks_host: bool,
    /// Tools that may run without a question, by name; `mcp__server` stands
    /// for all tools of a server (`--allowedTools`).
    pub allowed_tools: Vec<String>,
    /// MCP servers inside the host, by name, that are known before
    /// `initialize` (`--mcp-config`, those of type `sdk`). They are greeted at
    /// once.
    pub sdk_mcp_servers: Vec<String>,
    /// Whether partial messages are sent (`--include-partial-messages`).
    pub partial_messages: bool,
    /// Whether session states are sent
    /// (`CLAUDE_CODE_SDK_READS_SESSION_STATE=1`).
    pub session_states: bool,
    /// Whether it has a queue of its own: it minds priorities, reports what
    /// becomes of each message, and says which messages a turn answers. If
    /// not, it runs messages one by one, as they come.
    pub has_queue: bool,
    /// Whether a request that it does not know gets an answer, which says so.
    pub answers_unknown: bool,
    /// Whether the answers to `interrupt` and `set_model` tell what came of
    /// them.
    pub has_receipts: bool,
    /// How often an API that fails is asked again.
    pub max_retries: u64,
    /// How long it waits for that at first; the time doubles each time.
    pub retry_after: Duration,
    /// How many tokens the model's window has.
    pub context_window: u64,
    /// Whether a conversation is summarized by itself when the window is
    /// nearly full.
    pub compacts: bool,
    /// The tokens of a smaller window, by which that is decided instead
    /// (`CLAUDE_CODE_AUTO_COMPACT_WINDOW`).
    pub compact_window: Option<u64>,
    /// The process, as the handshake names it.
    pub pid: u32,
    /// Whether a regular expression (the first) has a match somewhere in a
    /// text, for the matchers of hooks that are no plain names. By default
    /// none has.
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
            allowed_tools: vec![],
            sdk_mcp_servers: vec![],
            partial_messages: true,
            session_states: true,
            has_queue: true,
            answers_unknown: true,
            has_receipts: true,
            max_retries: MAX_RETRIES,
            retry_after: Duration::from_millis(550),
            context_window: 1_000_000,
            compacts: true,
            compact_window: None,
            pid: 1,
            finds: |_, _| false,
        }
    }
}
