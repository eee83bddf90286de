//! An agent CLI as an ACP agent.

mod asking;
mod content;
mod history;
mod session;
mod updates;

use agent_client_protocol::v1::schema::{
    AgentCapabilities, AgentResponse, CancelNotification, ClientCapabilities, ClientRequest,
    CloseSessionResponse, DeleteSessionResponse, ForkSessionResponse, Implementation,
    InitializeRequest, InitializeResponse, LoadSessionResponse, McpCapabilities, McpServer, Meta,
    NewSessionResponse, PromptCapabilities, PromptRequest, ResumeSessionResponse,
    SessionAdditionalDirectoriesCapabilities, SessionCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionForkCapabilities, SessionId, SessionListCapabilities,
    SessionResumeCapabilities, SetSessionConfigOptionResponse, SetSessionModeResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent, Client, ConnectTo, Error, on_receive_notification, on_receive_request,
    schema::ProtocolVersion,
};
use agentwire::Options;
use agentwire::protocol::mcp::{McpHttpServer, McpServerConfig, McpSseServer, McpStdioServer};
use history::Stored;
use serde_json::{Value, json};
use session::{Session, Start};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::task::JoinSet;

/// Serves an agent CLI as an ACP agent: each ACP session is a
/// [`Client`](agentwire::Client) of its own.
///
/// ```no_run
/// # async fn example() -> Result<(), agentwire_acp::protocol::Error> {
/// use agentwire::Options;
/// use agentwire_acp::Server;
///
/// Server::new(Options::new()).serve_stdio().await
/// # }
/// ```
#[derive(Debug)]
pub struct Server {
    options: Options,
}

/// A connection to a client.
#[derive(Debug)]
struct Connection {
    options: Options,
    client: Mutex<ClientCapabilities>,
    sessions: Mutex<HashMap<SessionId, Arc<Session>>>,
}

/// The common parameters of requests that open a session.
struct Opening {
    id: SessionId,
    start: Start,
    cwd: PathBuf,
    directories: Vec<PathBuf>,
    servers: Vec<McpServer>,
}

impl Opening {
    fn new(start: Start, cwd: PathBuf, directories: Vec<PathBuf>, servers: Vec<McpServer>) -> Self {
        let id = match &start {
            Start::Load(id) | Start::Resume(id) => id.clone(),
            Start::New | Start::Fork(_) => SessionId::new(uuid::Uuid::new_v4().to_string()),
        };
        Self {
            id,
            start,
            cwd,
            directories,
            servers,
        }
    }
}

impl Server {
    /// Creates a server whose sessions have these options. The client chooses the working
    /// directory, MCP servers and additional directories of each session.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let options = options
            .partial_messages(true)
            .forward_subagent_text(true)
            .requests_in_stream(true);
        Self { options }
    }

    /// Serves a client on stdin and stdout until stdin ends. Then closes all sessions.
    ///
    /// # Errors
    ///
    /// If stdout cannot be written.
    pub async fn serve_stdio(self) -> Result<(), Error> {
        use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};
        let stdout = tokio::io::stdout().compat_write();
        let stdin = tokio::io::stdin().compat();
        self.serve(agent_client_protocol::ByteStreams::new(stdout, stdin))
            .await
    }

    /// Serves a client until it closes the connection. Then closes all sessions.
    ///
    /// # Errors
    ///
    /// If the transport fails.
    pub async fn serve(self, transport: impl ConnectTo<Agent> + 'static) -> Result<(), Error> {
        let connection = Arc::new(Connection {
            options: self.options,
            client: Mutex::default(),
            sessions: Mutex::default(),
        });
        let requests = Arc::clone(&connection);
        let notifications = Arc::clone(&connection);
        let served = Agent
            .v1()
            .name("agentwire")
            .on_receive_request(
                async move |request: ClientRequest, responder: Responder<Value>, client| {
                    Connection::request(&requests, request, responder, client);
                    Ok(())
                },
                on_receive_request!(),
            )
            .on_receive_notification(
                async move |cancel: CancelNotification, _| {
                    if let Ok(session) = notifications.session(&cancel.session_id) {
                        tokio::spawn(session.cancel());
                    }
                    Ok(())
                },
                on_receive_notification!(),
            )
            .connect_to(transport)
            .await;
        connection.close_all().await;
        served
    }
}

impl Connection {
    /// Takes a request. Prompts are sent immediately, so that their order is preserved.
    ///
    /// The extension `_session/steering` has the parameters of a prompt.
    fn request(
        this: &Arc<Self>,
        request: ClientRequest,
        responder: Responder<Value>,
        client: ConnectionTo<Client>,
    ) {
        if let ClientRequest::PromptRequest(prompt) = request {
            return match this.session(&prompt.session_id) {
                Ok(session) => session.prompt(prompt, responder),
                Err(error) => answer(responder, Err(error)),
            };
        }
        if let ClientRequest::ExtMethodRequest(it) = &request
            && it.method.trim_start_matches('_') == "session/steering"
        {
            let steering = serde_json::from_str::<PromptRequest>(it.params.get());
            let steering =
                steering.map_err(|error| Error::invalid_params().data(error.to_string()));
            let steering = steering.and_then(|it| this.session(&it.session_id)?.steer(it));
            return answer(responder, steering);
        }
        let this = Arc::clone(this);
        tokio::spawn(async move {
            let mut opened = None;
            let response = this.respond(request, client, &mut opened).await;
            let value = response.and_then(|it| serde_json::to_value(it).map_err(Error::from));
            answer(responder, value);
            if let Some(session) = opened {
                session.start();
            }
        });
    }

    async fn respond(
        &self,
        request: ClientRequest,
        client: ConnectionTo<Client>,
        opened: &mut Option<Arc<Session>>,
    ) -> Result<AgentResponse, Error> {
        Ok(match request {
            ClientRequest::InitializeRequest(it) => {
                AgentResponse::InitializeResponse(self.initialize(it))
            }
            ClientRequest::AuthenticateRequest(_) => {
                AgentResponse::AuthenticateResponse(Default::default())
            }
            ClientRequest::NewSessionRequest(it) => {
                let (cwd, directories) = (it.cwd, it.additional_directories);
                let opening = Opening::new(Start::New, cwd, directories, it.mcp_servers);
                let session = opened.insert(self.open(opening, client).await?);
                let response = NewSessionResponse::new(session.id().clone())
                    .modes(session.modes())
                    .config_options(session.config_options());
                AgentResponse::NewSessionResponse(response)
            }
            ClientRequest::LoadSessionRequest(it) => {
                let (cwd, directories) = (it.cwd, it.additional_directories);
                let opening =
                    Opening::new(Start::Load(it.session_id), cwd, directories, it.mcp_servers);
                let session = opened.insert(self.open(opening, client).await?);
                let response = LoadSessionResponse::new()
                    .modes(session.modes())
                    .config_options(session.config_options());
                AgentResponse::LoadSessionResponse(response)
            }
            ClientRequest::ResumeSessionRequest(it) => {
                let (cwd, directories) = (it.cwd, it.additional_directories);
                let opening = Opening::new(
                    Start::Resume(it.session_id),
                    cwd,
                    directories,
                    it.mcp_servers,
                );
                let session = opened.insert(self.open(opening, client).await?);
                let response = ResumeSessionResponse::new()
                    .modes(session.modes())
                    .config_options(session.config_options());
                AgentResponse::ResumeSessionResponse(response)
            }
            ClientRequest::ForkSessionRequest(it) => {
                let (cwd, directories) = (it.cwd, it.additional_directories);
                let opening =
                    Opening::new(Start::Fork(it.session_id), cwd, directories, it.mcp_servers);
                let session = opened.insert(self.open(opening, client).await?);
                let response = ForkSessionResponse::new(session.id().clone())
                    .modes(session.modes())
                    .config_options(session.config_options());
                AgentResponse::ForkSessionResponse(response)
            }
            ClientRequest::ListSessionsRequest(it) => {
                let stored = Stored::new(&self.options)?;
                AgentResponse::ListSessionsResponse(stored.list(it).await?)
            }
            ClientRequest::DeleteSessionRequest(it) => {
                self.close(&it.session_id).await;
                Stored::new(&self.options)?.delete(it.session_id).await?;
                AgentResponse::DeleteSessionResponse(DeleteSessionResponse::new())
            }
            ClientRequest::CloseSessionRequest(it) => {
                self.session(&it.session_id)?;
                self.close(&it.session_id).await;
                AgentResponse::CloseSessionResponse(CloseSessionResponse::new())
            }
            ClientRequest::SetSessionModeRequest(it) => {
                let session = self.session(&it.session_id)?;
                session.set_mode_of_session(&it.mode_id.0).await?;
                AgentResponse::SetSessionModeResponse(SetSessionModeResponse::new())
            }
            ClientRequest::SetSessionConfigOptionRequest(it) => {
                let session = self.session(&it.session_id)?;
                session.set_config_option(it).await?;
                let response = SetSessionConfigOptionResponse::new(session.config_options());
                AgentResponse::SetSessionConfigOptionResponse(response)
            }
            request => {
                let method = request.method().to_owned();
                return Err(Error::method_not_found().data(method));
            }
        })
    }

    fn initialize(&self, request: InitializeRequest) -> InitializeResponse {
        *lock(&self.client) = request.client_capabilities;
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .delete(SessionDeleteCapabilities::new())
            .additional_directories(SessionAdditionalDirectoriesCapabilities::new())
            .fork(SessionForkCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
            .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
            .session_capabilities(sessions);
        let steering = Meta::from_iter([("steering".to_owned(), json!({"supported": true}))]);
        let info = Implementation::new("agentwire", env!("CARGO_PKG_VERSION"));
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(capabilities)
            .agent_info(info.title("Claude Code".to_owned()))
            .meta(steering)
    }

    async fn open(
        &self,
        opening: Opening,
        client: ConnectionTo<Client>,
    ) -> Result<Arc<Session>, Error> {
        let id = opening.id.clone();
        let options = self
            .options
            .clone()
            .cwd(&opening.cwd)
            .additional_directories(opening.directories)
            .mcp_servers(opening.servers.into_iter().filter_map(server));
        let (options, stored) = match &opening.start {
            Start::New => (options.session_id(&*id.0), None),
            Start::Load(from) | Start::Resume(from) => (options.resume(&*from.0), Some(from)),
            Start::Fork(from) => {
                let fork = options.resume(&*from.0).fork_session(true);
                (fork.session_id(&*id.0), Some(from))
            }
        };
        // Two agents must not write one transcript.
        self.close(&id).await;
        let replay = match stored {
            Some(stored) => {
                let files = Stored::new(&options)?.project(opening.cwd).files(stored);
                Some(files.await?)
            }
            None => None,
        };
        let capabilities = lock(&self.client).clone();
        let session = Session::open(id.clone(), options, capabilities, client).await?;
        if let Some(files) = replay {
            session.restore(&files, matches!(opening.start, Start::Load(_)));
        }
        lock(&self.sessions).insert(id, Arc::clone(&session));
        Ok(session)
    }

    fn session(&self, id: &SessionId) -> Result<Arc<Session>, Error> {
        let sessions = lock(&self.sessions);
        let session = sessions.get(id).cloned();
        session.ok_or_else(|| Error::invalid_params().data(format!("no session {id} is open")))
    }

    async fn close(&self, id: &SessionId) {
        let session = lock(&self.sessions).remove(id);
        if let Some(session) = session {
            session.close().await;
        }
    }

    async fn close_all(&self) {
        let sessions: Vec<_> = lock(&self.sessions).drain().collect();
        let mut closing = JoinSet::new();
        for (_, session) in sessions {
            closing.spawn(async move { session.close().await });
        }
        closing.join_all().await;
    }
}

/// Responds. Fails only if the connection is closed.
fn answer(responder: Responder<Value>, response: Result<Value, Error>) {
    if let Err(error) = responder.respond_with_result(response) {
        tracing::debug!(%error, "the client does not take the response");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Returns the configuration of an MCP server of the client.
fn server(server: McpServer) -> Option<(String, McpServerConfig)> {
    let headers = |headers: Vec<agent_client_protocol::v1::schema::HttpHeader>| {
        headers.into_iter().map(|it| (it.name, it.value))
    };
    Some(match server {
        McpServer::Stdio(it) => {
            let command = it.command.to_string_lossy();
            let mut config = McpStdioServer::new(command, it.args);
            config.env = Some(it.env.into_iter().map(|it| (it.name, it.value)).collect());
            (it.name, config.into())
        }
        McpServer::Http(it) => {
            let config = McpHttpServer::new(it.url);
            let config = headers(it.headers).fold(config, |all, (name, it)| all.header(name, it));
            (it.name, config.into())
        }
        McpServer::Sse(it) => {
            let config = McpSseServer::new(it.url);
            let config = headers(it.headers).fold(config, |all, (name, it)| all.header(name, it));
            (it.name, config.into())
        }
        _ => return None,
    })
}
