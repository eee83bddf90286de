//! Session options, one file per family. `command_line` converts them to the CLI's command
//! line.

mod agents;
mod argument;
mod backpressure;
mod callbacks;
#[cfg(feature = "check")]
mod check;
mod combinations;
mod command_line;
mod conversation;
mod directories;
mod environment;
mod extensions;
mod flags;
#[cfg(feature = "mcp")]
mod mcp;
mod model;
mod older;
mod output;
mod permission;
mod process;
mod prompt;
mod restart;
mod restart_policy;
mod resumed;
mod rules;
mod running;
mod sandbox;
mod settings;
mod skills;
mod store;
mod system_limits;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod tools;
mod unread;
mod values;

pub use backpressure::Backpressure;
pub(crate) use backpressure::UnreadLimits;
pub use command_line::CommandLine;
pub(crate) use command_line::{PLUGINS, PrivateFiles, not_applied};
pub use model::Thinking;
pub(crate) use older::unsupported_option;
pub use permission::PermissionPrompts;
pub use prompt::DYNAMIC_BOUNDARY;
pub use restart_policy::RestartPolicy;
pub use tools::QuestionPreview;

use crate::attachment::Attach;
use crate::callback::Callbacks;
use crate::event::Notice;
#[cfg(feature = "mcp")]
use crate::mcp::SharedServer;
use crate::ownership::WhenOwned;
use crate::process::{CliVersion, ClosePolicy, Environment};
use crate::session::SessionGroup;
use crate::store::{SharedStore, StoreFlush};
use agentwire_protocol::Json;
use agentwire_protocol::codec::DEFAULT_LINE_LIMIT;
use agentwire_protocol::control::Initialize;
use agentwire_protocol::host::Queueing;
use agentwire_protocol::outbox::Limits;
#[cfg(feature = "mcp")]
use agentwire_protocol::sorted::SortedMap;
use argument::Argument;
use skills::Skills;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Configures a session.
///
/// Unset options use the CLI's default. An empty value is different from an unset one:
/// `tools([])` disables all built-in tools. If a setter is called twice, the last call counts,
/// except for `env`, `flag`, `flag_value`, `hook`, `on_dialog` and `mcp_server`, which add
/// values.
///
/// Options about the process have no effect on an agent that is spawned
/// elsewhere ([`Client::connect_over`](crate::Client::connect_over)).
///
/// ```
/// use agentwire::Options;
/// use agentwire::protocol::permission::{PermissionMode, PermissionResult};
///
/// let options = Options::new()
///     .model("claude-sonnet-4-5")
///     .permission_mode(PermissionMode::Plan)
///     .partial_messages(true)
///     .on_permission(|ask| async move {
///         if ask.request.tool_name == "Read" {
///             PermissionResult::allow()
///         } else {
///             PermissionResult::deny("Only reading.")
///         }
///     });
/// # drop(options);
/// ```
#[derive(Clone)]
#[must_use]
pub struct Options {
    pub(crate) cli: Option<PathBuf>,
    pub(crate) cli_version: Option<CliVersion>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) inherited: Environment,
    pub(crate) environment: Vec<(OsString, OsString)>,
    markers: Vec<(&'static str, String)>,
    arguments: Vec<Argument>,
    allowed_tools: Vec<String>,
    disallowed_tools: Vec<String>,
    has_new_rules: bool,
    skills: Option<Skills>,
    settings: Option<Json>,
    managed_settings: Option<Json>,
    sandbox: Option<Json>,
    pub(crate) verbatim_prompts: bool,
    initialize: Initialize,
    pub(crate) callbacks: Callbacks,
    #[cfg(feature = "mcp")]
    pub(crate) mcp_servers: SortedMap<String, SharedServer>,
    pub(crate) stderr: Option<StderrCallback>,
    pub(crate) on_notice: Option<NoticeCallback>,
    pub(crate) request_timeout: Duration,
    pub(crate) close: ClosePolicy,
    pub(crate) group: Option<SessionGroup>,
    pub(crate) line_limit: usize,
    unread: UnreadLimits,
    unread_hard_limit: Option<usize>,
    pub(crate) backpressure: Backpressure,
    pub(crate) outbound_queue_limits: Limits,
    pub(crate) queueing: Queueing,
    pub(crate) background_limit: Duration,
    pub(crate) attachments: Vec<Arc<dyn Attach>>,
    /// The attachment of the store.
    store_attachment: Option<Arc<dyn Attach>>,
    pub(crate) session_store: Option<SharedStore>,
    pub(crate) store_flush: StoreFlush,
    pub(crate) when_owned: WhenOwned,
    pub(crate) store_memory: usize,
    pub(crate) load_timeout: Duration,
    pub(crate) resume_with_holes: bool,
    pub(crate) resumes_from_store: bool,
    pub(crate) restart: Option<RestartPolicy>,
    pub(crate) sleep_after: Option<Duration>,
}

pub(crate) type StderrCallback = Arc<dyn Fn(&str) + Send + Sync>;
pub(crate) type NoticeCallback = Arc<dyn Fn(&Notice) + Send + Sync>;

impl Default for Options {
    fn default() -> Self {
        Self {
            cli: None,
            cli_version: None,
            cwd: None,
            inherited: Environment::default(),
            environment: Vec::new(),
            markers: Vec::new(),
            arguments: Vec::new(),
            allowed_tools: Vec::new(),
            disallowed_tools: Vec::new(),
            has_new_rules: false,
            skills: None,
            settings: None,
            managed_settings: None,
            sandbox: None,
            verbatim_prompts: false,
            initialize: Initialize::default(),
            callbacks: Callbacks::default(),
            #[cfg(feature = "mcp")]
            mcp_servers: SortedMap::new(),
            stderr: None,
            on_notice: None,
            request_timeout: Duration::from_secs(60),
            close: ClosePolicy::default(),
            group: None,
            line_limit: DEFAULT_LINE_LIMIT,
            unread: UnreadLimits::default(),
            unread_hard_limit: None,
            backpressure: Backpressure::default(),
            outbound_queue_limits: Limits::default(),
            queueing: Queueing::Auto { merge: true },
            background_limit: Duration::from_secs(600),
            attachments: Vec::new(),
            store_attachment: None,
            session_store: None,
            store_flush: StoreFlush::default(),
            when_owned: WhenOwned::default(),
            store_memory: 64 * 1024 * 1024,
            load_timeout: Duration::from_secs(60),
            resume_with_holes: false,
            resumes_from_store: false,
            restart: None,
            sleep_after: None,
        }
    }
}

impl Options {
    /// Returns options with nothing set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the whole `initialize` request, for fields that have no method here. It replaces the
    /// values of earlier method calls, such as the system prompt, agents, plugins and MCP servers.
    pub fn initialize(mut self, request: Initialize) -> Self {
        self.initialize = request;
        self
    }
}

impl fmt::Debug for Options {
    /// Shows only the names of variables and flags, because values may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let environment: Vec<_> = self.environment.iter().map(|(name, _)| name).collect();
        let flags: Vec<_> = self
            .arguments
            .iter()
            .map(|argument| &argument.flag)
            .collect();
        f.debug_struct("Options")
            .field("cli", &self.cli)
            .field("cwd", &self.cwd)
            .field("environment", &environment)
            .field("flags", &flags)
            .field("callbacks", &self.callbacks)
            .finish_non_exhaustive()
    }
}
