//! Agents that speak the Agent Client Protocol, driven from Rust.

mod choices;
mod connection;
mod options;
mod prompt;

pub use options::AgentOptions;

use agent_client_protocol::{
    ConnectionTo, Responder, UntypedMessage, is_connection_terminated, is_incoming_transport_closed,
};
use agentwire::process::CloseReport;
use agentwire::protocol::message::UserMessage;
use agentwire::transport::Peer;
use agentwire::view::agent::{Agent as AnyAgent, AgentError, AgentFuture, Decision};
use agentwire::view::entry::Activity;
use agentwire::view::{AcpInput, Input, View};
use agentwire::{Error, SubmissionState};
use choices::Choices;
use options::Start;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;
use tokio::task::AbortHandle;

pub(super) type DecisionFuture = Pin<Box<dyn Future<Output = Decision> + Send>>;

/// An error of starting an [`Agent`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The program could not be started.
    #[error(transparent)]
    Spawn(#[from] Error),
    /// The command line is empty.
    #[error("the command line of the agent is empty")]
    NoCommand,
    /// The agent speaks another version of the protocol.
    #[error(
        "the agent speaks version {0} of the Agent Client Protocol; this crate speaks version 1"
    )]
    Version(Value),
    /// The agent needs authentication, or does not have the method of
    /// [`AgentOptions::authenticate`].
    #[error("{message}; the agent's methods are: {}", methods.join(", "))]
    Authentication {
        /// The reason.
        message: String,
        /// The IDs of the agent's methods.
        methods: Vec<String>,
    },
    /// The agent does not support an option.
    #[error("the agent does not support {0}")]
    Unsupported(&'static str),
    /// The agent refused a request.
    #[error("the agent refused `{method}`: {message}")]
    Refused {
        /// The method.
        method: &'static str,
        /// The agent's message.
        message: String,
    },
    /// The agent exited, or closed its output.
    #[error("the agent has exited; its standard error ends with: {stderr}")]
    Exited {
        /// The end of standard error.
        stderr: String,
    },
}

/// An agent that speaks the Agent Client Protocol, with an open session.
///
/// It has only operations that ACP has, unlike a [`Client`](agentwire::Client). They are those of
/// [`view::agent::Agent`](AnyAgent), and its output is the view.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use agentwire::view::agent::Agent as _;
/// use agentwire_acp::Agent;
///
/// let agent = Agent::spawn(["gemini", "--acp"]).await?;
/// agent.prompt("Say hello").await?;
/// agent.read(&mut |view| println!("{:?}", view.entries().last()));
/// agent.close().await?;
/// # Ok(())
/// # }
/// ```
///
/// Dropping it closes the agent without waiting.
pub struct Agent {
    shared: Arc<Shared>,
    peer: Arc<dyn Peer>,
    connection: AbortHandle,
    initialized: Value,
    /// The response that opened the session.
    opened: Value,
    session_id: String,
    replayed: u64,
}

pub(super) struct Shared {
    state: Mutex<State>,
    view: watch::Sender<View>,
    client: ConnectionTo<agent_client_protocol::Agent>,
    /// Prompts run one after the other: the protocol has no queue.
    turns: tokio::sync::Mutex<()>,
    /// Increased by each cancellation: prompts that were sent before it do not run any more.
    cancellations: AtomicU64,
    on_permission: Option<options::OnPermission>,
}

#[derive(Default)]
struct State {
    session_id: String,
    requests: HashMap<String, Pending>,
    last_request: u64,
    /// Whether a stored session is being loaded, so that updates are its history.
    is_loading: bool,
    choices: Choices,
    /// The reason why the session has ended.
    end: Option<String>,
}

struct Pending {
    params: Value,
    responder: Responder<Value>,
}

/// A request for permission.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Permission {
    /// The title of the tool call.
    pub title: String,
    /// The kind of the tool, such as `execute`.
    pub kind: Option<String>,
    /// The input of the tool, if the agent sends it.
    pub input: Option<Value>,
    /// The parameters of the request, as the agent sent them.
    pub params: Value,
}

impl Agent {
    /// Starts the agent with this command line, and opens a session in the working directory of
    /// this process. See [`Agent::connect`] for more.
    ///
    /// # Errors
    ///
    /// Those of [`Agent::connect`].
    pub async fn spawn<S: AsRef<std::ffi::OsStr>>(
        command: impl IntoIterator<Item = S>,
    ) -> Result<Self, ConnectError> {
        Self::connect(AgentOptions::new(command)).await
    }

    /// Starts an agent, and opens a session. Must be called in a tokio runtime. If it fails, the
    /// agent's processes have exited.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the agent.
    ///
    /// # Errors
    ///
    /// If the agent cannot be started, refuses a request, needs a login, or does not support an
    /// option: see [`ConnectError`].
    pub async fn connect(options: AgentOptions) -> Result<Self, ConnectError> {
        let mut agent = connection::start(&options).await?;
        match agent.open(options).await {
            Ok(()) => Ok(agent),
            Err(error) => {
                // The caller may be about to exit.
                agent.shut_down().await;
                Err(error)
            }
        }
    }

    async fn open(&mut self, options: AgentOptions) -> Result<(), ConnectError> {
        let initialize = json!({
            "protocolVersion": 1,
            "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}},
            "clientInfo": {"name": "agentwire", "version": env!("CARGO_PKG_VERSION")},
        });
        self.initialized = self.setup("initialize", initialize).await?;
        let version = &self.initialized["protocolVersion"];
        if version.as_u64() != Some(1) {
            return Err(ConnectError::Version(version.clone()));
        }
        if let Some(method) = &options.method {
            if !self.methods().contains(method) {
                return Err(ConnectError::Authentication {
                    message: format!("there is no method {method}"),
                    methods: self.methods(),
                });
            }
            let params = json!({"methodId": method});
            self.setup("authenticate", params).await?;
        }
        let capabilities = &self.initialized["agentCapabilities"];
        let sessions = &capabilities["sessionCapabilities"];
        let has = |capability: &Value| !matches!(capability, Value::Null | Value::Bool(false));
        let remote = options.servers.iter().any(|it| it["type"] == "http");
        if remote && !has(&capabilities["mcpCapabilities"]["http"]) {
            return Err(ConnectError::Unsupported("MCP servers over HTTP"));
        }
        if !options.directories.is_empty() && !has(&sessions["additionalDirectories"]) {
            return Err(ConnectError::Unsupported("additional directories"));
        }
        let cwd = match options.cwd {
            Some(cwd) => cwd,
            None => std::env::current_dir().unwrap_or_default(),
        };
        let mut params = json!({"cwd": cwd, "mcpServers": options.servers});
        if !options.directories.is_empty() {
            params["additionalDirectories"] = json!(options.directories);
        }
        let method = match &options.session {
            Start::New => "session/new",
            Start::Load(_) if !has(&capabilities["loadSession"]) => {
                return Err(ConnectError::Unsupported("loading sessions"));
            }
            Start::Resume(_) if !has(&sessions["resume"]) => {
                return Err(ConnectError::Unsupported("resuming sessions"));
            }
            Start::Load(id) | Start::Resume(id) => {
                params["sessionId"] = id.as_str().into();
                id.clone_into(&mut self.session_id);
                match options.session {
                    Start::Load(_) => "session/load",
                    _ => "session/resume",
                }
            }
        };
        {
            let mut state = self.shared.state();
            state.is_loading = method == "session/load";
            self.session_id.clone_into(&mut state.session_id);
        }
        self.opened = self.setup(method, params).await?;
        if let Some(id) = self.opened["sessionId"].as_str() {
            id.clone_into(&mut self.session_id);
        }
        let mut state = self.shared.state();
        state.is_loading = false;
        self.session_id.clone_into(&mut state.session_id);
        state.choices = Choices::of(&self.opened);
        self.replayed = self.shared.view.borrow().number();
        Ok(())
    }

    /// Sends a request before the session is open.
    async fn setup(&self, method: &'static str, params: Value) -> Result<Value, ConnectError> {
        let error = match self.shared.request(method, params).await {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        if let Some(stderr) = self.shared.state().end.clone() {
            return Err(ConnectError::Exited { stderr });
        }
        let message = connection::text_of(&error);
        if i32::from(error.code) == -32000 {
            return Err(ConnectError::Authentication {
                message,
                methods: self.methods(),
            });
        }
        Err(ConnectError::Refused { method, message })
    }

    fn methods(&self) -> Vec<String> {
        let methods = self.initialized["authMethods"].as_array();
        let ids = methods
            .into_iter()
            .flatten()
            .filter_map(|it| it["id"].as_str());
        ids.map(str::to_owned).collect()
    }

    /// Returns the session ID, which [`AgentOptions::resume`] takes.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// Returns the response to `initialize`, with the agent's capabilities.
    #[must_use]
    pub fn initialized(&self) -> &Value {
        &self.initialized
    }

    /// Returns the response that opened the session.
    #[must_use]
    pub fn opened(&self) -> &Value {
        &self.opened
    }

    /// Returns the number of the last change of the view that belongs to the loaded history. Later
    /// changes are new. 0 if the session was not loaded.
    #[must_use]
    pub fn replayed(&self) -> u64 {
        self.replayed
    }

    /// Returns the IDs of the modes and models that the host can choose.
    #[must_use]
    pub fn choices(&self) -> (Vec<String>, Vec<String>) {
        let state = self.shared.state();
        (state.choices.modes.clone(), state.choices.models.clone())
    }

    /// Sends a prompt, also with images and files, and waits for the end of its turn; see
    /// [`AnyAgent::prompt`].
    pub fn send(&self, message: impl Into<UserMessage>) -> AgentFuture<'static, ()> {
        let message = message.into();
        let capabilities = &self.initialized["agentCapabilities"]["promptCapabilities"];
        let blocks = match prompt::blocks(&message, capabilities) {
            Ok(blocks) => blocks,
            Err(what) => {
                let error = AgentError::Unsupported(format!("{what} in prompts"));
                return Box::pin(async move { Err(error) });
            }
        };
        let uuid = uuid::Uuid::new_v4().to_string();
        self.shared.push(Input::Sent {
            uuid: &uuid,
            message: &message,
        });
        let shared = Arc::clone(&self.shared);
        let before = shared.cancellations.load(Ordering::SeqCst);
        // In a task, so that it is sent even if nobody waits for it.
        let turn = tokio::spawn(async move { shared.turn(&uuid, blocks, before).await });
        Box::pin(async move {
            match turn.await {
                Ok(outcome) => outcome,
                Err(error) => Err(AgentError::Failed(error.to_string())),
            }
        })
    }

    /// Closes the session, and waits until the agent and its child processes have exited. Returns
    /// `None` if the report is unknown.
    pub async fn shut_down(&self) -> Option<CloseReport> {
        self.begin_closing();
        self.peer.closed().await
    }

    fn begin_closing(&self) {
        self.shared.ended("it was closed");
        // The connection owns the agent's input.
        let connection = self.connection.clone();
        self.peer.close(Box::new(move || connection.abort()));
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.begin_closing();
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("session_id", &self.session_id)
            .field("peer", &self.peer)
            .finish_non_exhaustive()
    }
}

impl AnyAgent for Agent {
    fn prompt(&self, text: &str) -> AgentFuture<'static, ()> {
        self.send(text)
    }

    fn cancel(&self) -> AgentFuture<'_, ()> {
        self.shared.cancellations.fetch_add(1, Ordering::SeqCst);
        let sent = self
            .shared
            .notify("session/cancel", json!({"sessionId": self.session_id}));
        // The protocol wants a response to each request that is pending.
        let pending: Vec<_> = self.shared.state().requests.drain().collect();
        for (request_id, pending) in pending {
            self.shared
                .settle(&request_id, pending, &json!({"outcome": "cancelled"}));
        }
        Box::pin(async move { sent })
    }

    fn respond(&self, request_id: &str, decision: Decision) -> AgentFuture<'_, ()> {
        let pending = self.shared.state().requests.remove(request_id);
        let outcome = match pending {
            Some(pending) => self.shared.decide(request_id, pending, decision),
            None => Err(AgentError::NoRequest(request_id.to_owned())),
        };
        Box::pin(async move { outcome })
    }

    fn set_mode(&self, mode: &str) -> AgentFuture<'_, ()> {
        let chosen = self.shared.state().choices.mode(mode, &self.session_id);
        Box::pin(async move {
            let (method, params) = chosen?;
            self.shared.request_acknowledged(method, params).await
        })
    }

    fn set_model(&self, model: &str) -> AgentFuture<'_, ()> {
        let chosen = self.shared.state().choices.model(model, &self.session_id);
        Box::pin(async move {
            let (method, params) = chosen?;
            self.shared.request_acknowledged(method, params).await
        })
    }

    fn read(&self, read: &mut dyn FnMut(&View)) {
        read(&self.shared.view.borrow());
    }

    fn changed(&self, number: u64) -> AgentFuture<'_, ()> {
        let mut views = self.shared.view.subscribe();
        Box::pin(async move {
            let ended = |view: &View| view.session().activity == Activity::Ended;
            let view = views.wait_for(|view| view.number() > number || ended(view));
            match view.await {
                Ok(view) if view.number() > number => Ok(()),
                _ => Err(self.shared.end()),
            }
        })
    }

    fn close(&self) -> AgentFuture<'_, ()> {
        Box::pin(async move {
            match self.shut_down().await {
                Some(report) if report.remaining.is_empty() => Ok(()),
                Some(report) => Err(AgentError::Failed(format!(
                    "processes remain: {:?}",
                    report.remaining
                ))),
                None => Err(AgentError::Failed("closing was not observed".to_owned())),
            }
        })
    }
}

impl Shared {
    fn new(
        client: ConnectionTo<agent_client_protocol::Agent>,
        on_permission: Option<options::OnPermission>,
    ) -> Self {
        Self {
            state: Mutex::default(),
            view: watch::Sender::new(View::new()),
            client,
            turns: tokio::sync::Mutex::default(),
            cancellations: AtomicU64::new(0),
            on_permission,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn push<'a>(&self, input: impl Into<Input<'a>>) {
        self.view
            .send_if_modified(|view| !view.push(input).is_empty());
    }

    fn end(&self) -> AgentError {
        AgentError::Ended(self.state().end.clone().unwrap_or_default())
    }

    /// Records the end of the session, once.
    fn ended(&self, why: &str) {
        let mut state = self.state();
        if state.end.is_some() {
            return;
        }
        state.end = Some(why.to_owned());
        state.requests.clear();
        drop(state);
        self.push(Input::Ended(Some(why)));
    }

    async fn request(
        &self,
        method: &str,
        params: Value,
    ) -> Result<Value, agent_client_protocol::Error> {
        let request = UntypedMessage::new(method, params)?;
        let response = self.client.send_request(request).block_task().await;
        if let Err(error) = &response
            && (is_connection_terminated(error) || is_incoming_transport_closed(error))
        {
            // The reason is recorded by the connection's task, or by closing.
            let ended = |view: &View| view.session().activity == Activity::Ended;
            let _ = self.view.subscribe().wait_for(ended).await;
        }
        response
    }

    /// Sends a request of an open session, and ignores the content of its response.
    async fn request_acknowledged(&self, method: &str, params: Value) -> Result<(), AgentError> {
        match self.request(method, params).await {
            Ok(response) => {
                self.state().choices.update(&response);
                Ok(())
            }
            Err(error) => Err(self.failure(&error)),
        }
    }

    fn failure(&self, error: &agent_client_protocol::Error) -> AgentError {
        match self.state().end.clone() {
            Some(why) => AgentError::Ended(why),
            None => AgentError::Failed(connection::text_of(error)),
        }
    }

    fn notify(&self, method: &str, params: Value) -> Result<(), AgentError> {
        let sent = UntypedMessage::new(method, params)
            .and_then(|message| self.client.send_notification(message));
        sent.map_err(|_| self.end())
    }

    /// Runs a turn, after all earlier ones.
    async fn turn(&self, uuid: &str, blocks: Vec<Value>, before: u64) -> Result<(), AgentError> {
        let turn = self.turns.lock().await;
        let is_cancelled = self.cancellations.load(Ordering::SeqCst) != before;
        if is_cancelled || self.state().end.is_some() {
            let state = SubmissionState::Withdrawn;
            self.push(Input::Delivery { uuid, state });
            return Err(match is_cancelled {
                true => AgentError::Cancelled,
                false => self.end(),
            });
        }
        let state = SubmissionState::Started;
        self.push(Input::Delivery { uuid, state });
        self.push(Input::Activity(Activity::Running));
        let session_id = self.state().session_id.clone();
        let params = json!({"sessionId": session_id, "prompt": blocks});
        let response = self.request("session/prompt", params).await;
        drop(turn);
        match response {
            Ok(response) => {
                self.push(AcpInput::Response(&response));
                match response["stopReason"].as_str() {
                    Some("cancelled") => Err(AgentError::Cancelled),
                    _ => Ok(()),
                }
            }
            Err(error) => {
                let error = self.failure(&error);
                // The end of the session is there already.
                if !matches!(error, AgentError::Ended(_)) {
                    self.push(AcpInput::Failed(&error.to_string()));
                }
                Err(error)
            }
        }
    }

    /// Handles a permission request.
    pub(super) fn permission(self: &Arc<Self>, params: Value, responder: Responder<Value>) {
        let request_id = {
            let mut state = self.state();
            state.last_request += 1;
            state.last_request.to_string()
        };
        // Before the view shows it: a host may respond at once.
        let pending = Pending {
            params: params.clone(),
            responder,
        };
        self.state().requests.insert(request_id.clone(), pending);
        self.push(Input::Activity(Activity::RequiresAction));
        self.push(AcpInput::Permission {
            request_id: &request_id,
            params: &params,
        });
        let call = &params["toolCall"];
        let permission = Permission {
            title: call["title"].as_str().unwrap_or_default().to_owned(),
            kind: call["kind"].as_str().map(str::to_owned),
            input: call.get("rawInput").cloned(),
            params,
        };
        if let Some(callback) = self.on_permission.clone() {
            let shared = Arc::clone(self);
            tokio::spawn(async move {
                let panicked = || Decision::Deny("The callback panicked.".to_owned());
                let decision = tokio::spawn(async move { (callback.0)(permission).await });
                let decision = decision.await.unwrap_or_else(|_| panicked());
                // It may have been cancelled meanwhile.
                let pending = shared.state().requests.remove(&request_id);
                if let Some(pending) = pending
                    && let Err(error) = shared.decide(&request_id, pending, decision)
                {
                    shared.push(Input::Problem(error.to_string().into()));
                }
            });
        }
    }

    /// Responds with the option that means the decision. Never selects an option that allows more
    /// than the decision.
    fn decide(
        &self,
        request_id: &str,
        pending: Pending,
        decision: Decision,
    ) -> Result<(), AgentError> {
        let option = |kinds: &[&str]| {
            let options = pending.params["options"].as_array().into_iter().flatten();
            kinds.iter().find_map(|kind| {
                let option = options.clone().find(|it| it["kind"] == *kind)?;
                Some(json!({"outcome": "selected", "optionId": option["optionId"]}))
            })
        };
        let deny = || option(&["reject_once", "reject_always"]);
        let (outcome, error) = match decision {
            Decision::Allow => match option(&["allow_once"]) {
                Some(outcome) => (Some(outcome), None),
                None => (deny(), Some("allowing a call once")),
            },
            Decision::AllowAlways => match option(&["allow_always", "allow_once"]) {
                Some(outcome) => (Some(outcome), None),
                None => (deny(), Some("allowing the call")),
            },
            Decision::AllowWith(_) => (deny(), Some("allowing a call with another input")),
            _ => (deny(), None),
        };
        let is_denied = error.is_some() || matches!(decision, Decision::Deny(_));
        let outcome = outcome.unwrap_or_else(|| json!({"outcome": "cancelled"}));
        let params = pending.params.clone();
        let feedback = match decision {
            Decision::Deny(feedback) if !feedback.is_empty() => Some(feedback),
            _ => None,
        };
        self.settle_with(request_id, pending, &outcome, feedback);
        if is_denied {
            self.push(AcpInput::Denied { params: &params });
        }
        match error {
            Some(what) => Err(AgentError::Unsupported(format!(
                "{what}; the call was denied"
            ))),
            None => Ok(()),
        }
    }

    fn settle(&self, request_id: &str, pending: Pending, outcome: &Value) {
        self.settle_with(request_id, pending, outcome, None);
    }

    fn settle_with(
        &self,
        request_id: &str,
        pending: Pending,
        outcome: &Value,
        feedback: Option<String>,
    ) {
        let mut response = json!({"outcome": outcome});
        if let Some(feedback) = feedback {
            // For agents that are served by this crate; others ignore it.
            response["_meta"] = json!({"agentwire": {"feedback": feedback}});
        }
        if let Err(error) = pending.responder.respond(response) {
            tracing::debug!(%error, "the agent does not take the response");
        }
        self.push(Input::Settled { request_id });
        if self.state().requests.is_empty() {
            self.push(Input::Activity(Activity::Running));
        }
    }
}
