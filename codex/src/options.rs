//! Options of the process and of threads, and messages to threads.

use crate::asking::{Approval, Callbacks};
use crate::machine::Priority;
use crate::wire::{
    ApprovalPolicy, CollaborationMode, Decision, Elicitation, ElicitationResponse, NamedPolicy,
    SandboxMode, SandboxPolicy, ThreadStart, TurnStart, UserInput, UserInputRequest,
    UserInputResponse,
};
use agentwire::ClosePolicy;
use agentwire::permission::Policy;
use agentwire::process::Environment;
use agentwire_protocol::Json;
use serde_json::{Map, Value, json};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Options of the process of [`Codex`](crate::Codex).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CodexOptions {
    pub(crate) program: OsString,
    pub(crate) environment: Environment,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) close: ClosePolicy,
    pub(crate) timeout: Duration,
}

impl Default for CodexOptions {
    fn default() -> Self {
        Self {
            program: std::env::var_os("AGENTWIRE_CODEX").unwrap_or_else(|| "codex".into()),
            environment: Environment::default(),
            variables: Vec::new(),
            cwd: None,
            close: ClosePolicy::default(),
            timeout: Duration::from_secs(60),
        }
    }
}

impl CodexOptions {
    /// Creates options for the program in the variable `AGENTWIRE_CODEX`, or the `codex` on the
    /// `PATH`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the program, a path or a name on the `PATH`. It is called with the argument
    /// `app-server`.
    #[must_use]
    pub fn program(mut self, program: impl AsRef<OsStr>) -> Self {
        program.as_ref().clone_into(&mut self.program);
        self
    }

    /// Sets which variables of this process Codex inherits. Default: [`Environment::default`].
    ///
    /// Codex passes all of them on to the agent's commands, including API keys, unless the thread's
    /// setting `shell_environment_policy` excludes them.
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

    /// Sets the directory of the configuration, the login and the stored threads: the variable
    /// `CODEX_HOME`. Default: `~/.codex`.
    #[must_use]
    pub fn home(self, directory: impl AsRef<OsStr>) -> Self {
        self.env("CODEX_HOME", directory)
    }

    /// Sets the working directory of the process. Threads have their own.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Sets the timeouts of closing.
    #[must_use]
    pub fn close_policy(mut self, policy: ClosePolicy) -> Self {
        self.close = policy;
        self
    }

    /// Sets the timeout of requests. Default: 60 seconds.
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}

/// Options of a thread that is started, resumed or forked, and the callbacks for its requests.
///
/// Hooks, limits of turns and costs, session stores and file checkpoints are unsupported, because
/// Codex has no equivalent.
#[derive(Debug, Clone, Default)]
pub struct ThreadOptions {
    pub(crate) start: ThreadStart,
    pub(crate) config: Map<String, Value>,
    pub(crate) callbacks: Callbacks,
}

impl ThreadOptions {
    /// Creates options with Codex' defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the working directory. Default: that of Codex.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<String>) -> Self {
        self.start.cwd = Some(directory.into());
        self
    }

    /// Sets the model. Codex does not check it.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.start.model = Some(model.into());
        self
    }

    /// Sets the actions for which Codex requests an approval. Only [`NamedPolicy::Untrusted`]
    /// requires an approval for each command and change of a file. None requires one for tools of
    /// MCP servers that declare `readOnlyHint`, unless [`policy`](Self::policy) is set.
    #[must_use]
    pub fn approval_policy(mut self, policy: impl Into<ApprovalPolicy>) -> Self {
        self.start.approval_policy = Some(policy.into());
        self
    }

    /// Sets the sandbox: where commands can write.
    #[must_use]
    pub fn sandbox(mut self, sandbox: SandboxMode) -> Self {
        self.start.sandbox = Some(sandbox);
        self
    }

    /// Sets any member of `thread/start`.
    #[must_use]
    pub fn settings(mut self, change: impl FnOnce(&mut ThreadStart)) -> Self {
        change(&mut self.start);
        self
    }

    /// Sets an entry of the configuration, as in `config.toml`: a name, with dots if it is in a
    /// table, and its value.
    #[must_use]
    pub fn config(mut self, name: impl Into<String>, value: Value) -> Self {
        self.config.insert(name.into(), value);
        self
    }

    /// Sets the reasoning effort.
    #[must_use]
    pub fn effort(self, effort: &str) -> Self {
        self.config("model_reasoning_effort", json!(effort))
    }

    /// Adds an MCP server that Codex starts.
    #[must_use]
    pub fn mcp_stdio<S: Into<String>>(
        self,
        name: &str,
        command: &str,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let arguments: Vec<String> = arguments.into_iter().map(Into::into).collect();
        let server = json!({"command": command, "args": arguments});
        self.config(format!("mcp_servers.{name}"), server)
    }

    /// Adds an MCP server at a URL, with headers.
    #[must_use]
    pub fn mcp_http<'a>(
        self,
        name: &str,
        url: &str,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let headers: Map<_, _> = headers
            .into_iter()
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect();
        let server = json!({"url": url, "http_headers": headers});
        self.config(format!("mcp_servers.{name}"), server)
    }

    /// Adds a tool that runs in this process: its name, its description, the JSON Schema of its
    /// input, and a function from the input to the text for the model. Codex requests no approval
    /// for it, but a [`policy`](Self::policy) still decides.
    ///
    /// A resumed thread has the tools with which it was started. Their calls run the functions of
    /// these options.
    #[must_use]
    pub fn tool<F, R>(
        mut self,
        name: &str,
        description: &str,
        input_schema: &Value,
        function: F,
    ) -> Self
    where
        F: Fn(Json) -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, String>> + Send + 'static,
    {
        let run = Arc::new(move |input| -> crate::asking::Answer<_> { Box::pin(function(input)) });
        self.callbacks
            .tools
            .add(name, name.to_owned(), description, input_schema, run);
        self
    }

    /// Adds the tools of a server of the crate `agentwire`, which also works with Claude Code.
    /// Requires the feature `mcp`. In a [`policy`](Self::policy), their names are
    /// `mcp__SERVER__TOOL`, as for Claude Code. See [`tool`](Self::tool).
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn tools(mut self, server: &str, tools: &agentwire::mcp::Tools) -> Self {
        self.callbacks.tools.add_all(server, tools);
        self
    }

    /// Sets the policy, which decides about approvals immediately, with the tool names of Claude
    /// Code: `Bash` for commands, `Edit` for changes of files, `mcp__SERVER__TOOL` for tools of MCP
    /// servers. Tools of this process have their own names. If the policy does not decide,
    /// [`on_approval`](Self::on_approval) does.
    ///
    /// Opening the thread fails unless the approval policy is [`NamedPolicy::Untrusted`]: with
    /// others, Codex does not request an approval for each action.
    #[must_use]
    pub fn policy(mut self, policy: impl Policy) -> Self {
        self.callbacks.policy = Some(Arc::new(policy));
        self
    }

    /// Sets the callback for approvals: of commands, changes of files, tools of MCP servers,
    /// permissions.
    ///
    /// Approvals are declined without a callback, if the callback panics, and if the request is
    /// withdrawn.
    #[must_use]
    pub fn on_approval<F, D>(mut self, callback: F) -> Self
    where
        F: Fn(Approval) -> D + Send + Sync + 'static,
        D: Future<Output = Decision> + Send + 'static,
    {
        self.callbacks.approval = Some(Arc::new(move |it| Box::pin(callback(it))));
        self
    }

    /// Sets the callback for questions of the agent. Without a callback, they get no answers.
    ///
    /// The agent asks questions only in plan mode, or if the configuration has
    /// `features.default_mode_request_user_input`.
    #[must_use]
    pub fn on_question<F, A>(mut self, callback: F) -> Self
    where
        F: Fn(UserInputRequest) -> A + Send + Sync + 'static,
        A: Future<Output = UserInputResponse> + Send + 'static,
    {
        self.callbacks.question = Some(Arc::new(move |it| Box::pin(callback(it))));
        self
    }

    /// Sets the callback for the elicitations of MCP servers. Without a callback, they are
    /// declined.
    #[must_use]
    pub fn on_elicitation<F, A>(mut self, callback: F) -> Self
    where
        F: Fn(Elicitation) -> A + Send + Sync + 'static,
        A: Future<Output = ElicitationResponse> + Send + 'static,
    {
        self.callbacks.elicitation = Some(Arc::new(move |it| Box::pin(callback(it))));
        self
    }

    /// Returns the reason why the policy cannot be enforced, if there is one.
    pub(crate) fn unenforceable(&self) -> Option<&'static str> {
        let asks = matches!(
            self.start.approval_policy,
            Some(ApprovalPolicy::Named(NamedPolicy::Untrusted))
        );
        (self.callbacks.policy.is_some() && !asks).then_some(
            "a policy for tool calls without the approval policy `untrusted`: it asks for some calls only",
        )
    }

    /// Returns the parameters of `thread/start`, or of the requests that open a stored thread.
    pub(crate) fn params(&self, thread_id: Option<&str>) -> Result<Value, serde_json::Error> {
        let mut params = serde_json::to_value(&self.start)?;
        let mut config = match params["config"].take() {
            Value::Object(config) => config,
            _ => Map::new(),
        };
        config.extend(self.config.clone());
        params["config"] = match config.is_empty() {
            true => Value::Null,
            false => Value::Object(config),
        };
        match thread_id {
            Some(thread_id) => params["threadId"] = json!(thread_id),
            None => {
                let tools = self.callbacks.tools.definitions();
                if !tools.is_empty() {
                    params["dynamicTools"] = json!(tools);
                }
            }
        }
        Ok(params)
    }
}

/// A message to a thread, with the settings of its turn.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Prompt {
    pub(crate) turn: TurnStart,
    pub(crate) priority: Priority,
}

impl Prompt {
    /// Creates a message with a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self::default().text(text)
    }

    /// Adds a text.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.turn.input.push(UserInput::text(text));
        self
    }

    /// Adds an image at a URL, usually a data URL.
    pub fn image_url(mut self, url: impl Into<String>) -> Self {
        self.turn.input.push(UserInput::image(url));
        self
    }

    /// Adds an image in a file, which Codex reads.
    pub fn image_file(mut self, path: impl Into<String>) -> Self {
        self.turn.input.push(UserInput::local_image(path));
        self
    }

    /// Adds input of any kind.
    pub fn input(mut self, input: impl Into<UserInput>) -> Self {
        self.turn.input.push(input.into());
        self
    }

    /// Sets the priority. Default: [`Priority::Later`]. Queued messages are in this process,
    /// because Codex has no reliable queue.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Sets the model of this and later turns.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.turn.model = Some(model.into());
        self
    }

    /// Sets the reasoning effort of this and later turns.
    pub fn effort(mut self, effort: impl Into<String>) -> Self {
        self.turn.effort = Some(effort.into());
        self
    }

    /// Sets the actions for which Codex requests an approval in this and later turns.
    pub fn approval_policy(mut self, policy: impl Into<ApprovalPolicy>) -> Self {
        self.turn.approval_policy = Some(policy.into());
        self
    }

    /// Sets the sandbox of this and later turns: where commands can write.
    pub fn sandbox(mut self, sandbox: impl Into<SandboxPolicy>) -> Self {
        self.turn.sandbox_policy = Some(sandbox.into());
        self
    }

    /// Sets the JSON Schema of the last message of the agent. Codex does not check the message.
    pub fn output_schema(mut self, schema: &Value) -> Self {
        self.turn.output_schema = Some(Json::of_text(schema.to_string()));
        self
    }

    /// Sets the collaboration mode of this and later turns, such as plan mode.
    pub fn mode(mut self, mode: CollaborationMode) -> Self {
        self.turn.collaboration_mode = Some(mode);
        self
    }

    /// Sets any member of `turn/start`.
    pub fn settings(mut self, change: impl FnOnce(&mut TurnStart)) -> Self {
        change(&mut self.turn);
        self
    }
}

impl<T: Into<String>> From<T> for Prompt {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}
