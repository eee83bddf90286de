//! Options of agents.

use agentwire::ClosePolicy;
use agentwire::process::Environment;
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of an [`Agent`](super::Agent): how it is started, and which session it opens.
///
/// Rules, budgets and limits of turns are unsupported, because ACP cannot transmit them to the
/// agent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AgentOptions {
    pub(super) command: Vec<OsString>,
    pub(super) environment: Environment,
    pub(super) variables: Vec<(OsString, OsString)>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) method: Option<String>,
    pub(super) session: Start,
    pub(super) servers: Vec<Value>,
    pub(super) directories: Vec<PathBuf>,
    pub(super) on_permission: Option<OnPermission>,
    pub(super) close: ClosePolicy,
}

/// The session to open.
#[derive(Debug, Clone)]
pub(super) enum Start {
    New,
    Load(String),
    Resume(String),
}

/// A callback for requests for permission.
#[derive(Clone)]
pub(super) struct OnPermission(pub(super) Arc<Callback>);

type Callback = dyn Fn(super::Permission) -> super::DecisionFuture + Send + Sync;

impl std::fmt::Debug for OnPermission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnPermission")
    }
}

impl AgentOptions {
    /// Creates options for the agent with this command line, such as `["gemini", "--acp"]`. The
    /// first part is a path or a name on the `PATH`.
    pub fn new<S: AsRef<OsStr>>(command: impl IntoIterator<Item = S>) -> Self {
        let command = command.into_iter().map(|it| it.as_ref().to_owned());
        Self {
            command: command.collect(),
            environment: Environment::default(),
            variables: Vec::new(),
            cwd: None,
            method: None,
            session: Start::New,
            servers: Vec::new(),
            directories: Vec::new(),
            on_permission: None,
            close: ClosePolicy::default(),
        }
    }

    /// Sets which variables of this process the agent inherits. Default: as for the CLI.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        let variable = (name.as_ref().to_owned(), value.as_ref().to_owned());
        self.variables.push(variable);
        self
    }

    /// Sets the working directory of the agent and the session. Default: that of this process.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Authenticates with this method before the session is opened, such as `gemini-api-key`. If
    /// there is no such method, connecting fails with an error that lists them.
    #[must_use]
    pub fn authenticate(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }

    /// Loads a session: the agent replays the conversation, and the view has its entries. See
    /// [`Agent::replayed`](super::Agent::replayed).
    #[must_use]
    pub fn load(mut self, session_id: impl Into<String>) -> Self {
        self.session = Start::Load(session_id.into());
        self
    }

    /// Resumes a session without its entries.
    #[must_use]
    pub fn resume(mut self, session_id: impl Into<String>) -> Self {
        self.session = Start::Resume(session_id.into());
        self
    }

    /// Adds directories in which the agent may work.
    #[must_use]
    pub fn additional_directories<P: Into<PathBuf>>(
        mut self,
        directories: impl IntoIterator<Item = P>,
    ) -> Self {
        self.directories
            .extend(directories.into_iter().map(Into::into));
        self
    }

    /// Adds an MCP server that the agent starts.
    #[must_use]
    pub fn mcp_stdio<S: Into<String>>(
        mut self,
        name: &str,
        command: &str,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let arguments: Vec<String> = arguments.into_iter().map(Into::into).collect();
        let server = json!({"name": name, "command": command, "args": arguments, "env": []});
        self.servers.push(server);
        self
    }

    /// Adds an MCP server at a URL, with headers. Connecting fails if the agent does not support
    /// such servers.
    #[must_use]
    pub fn mcp_http<'a>(
        mut self,
        name: &str,
        url: &str,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let headers = headers.into_iter();
        let headers: Vec<Value> = headers
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect();
        let server = json!({"type": "http", "name": name, "url": url, "headers": headers});
        self.servers.push(server);
        self
    }

    /// Sets the callback for permission requests. Without a callback, respond with
    /// [`Agent::respond`](agentwire::view::agent::Agent::respond).
    #[must_use]
    pub fn on_permission<F, D>(mut self, callback: F) -> Self
    where
        F: Fn(super::Permission) -> D + Send + Sync + 'static,
        D: Future<Output = agentwire::view::agent::Decision> + Send + 'static,
    {
        let callback =
            move |permission| -> super::DecisionFuture { Box::pin(callback(permission)) };
        self.on_permission = Some(OnPermission(Arc::new(callback)));
        self
    }

    /// Sets the timeouts of closing.
    #[must_use]
    pub fn close_policy(mut self, policy: ClosePolicy) -> Self {
        self.close = policy;
        self
    }
}
