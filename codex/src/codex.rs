//! The process of Codex.

use crate::driver::Link;
use crate::machine::{Event, RequestError};
use crate::options::{CodexOptions, ThreadOptions};
use crate::thread::Thread;
use crate::wire::{
    AccountLogin, ApiKeyLogin, Capabilities, ClientInfo, ConfigRead, Empty, INITIALIZED,
    Initialize, Initialized, LoginStarted, Request, ThreadArchive, ThreadDelete, ThreadList,
    ThreadNameSet, ThreadOpened, ThreadPage, ThreadUnarchive,
};
use agentwire::process::CloseReport;
use agentwire::transport::Connection;
use agentwire_protocol::{Fault, Json, Members};
use std::collections::BTreeMap;
use std::fmt;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// The setting of an MCP server that selects the tools that need an approval.
const ASK_FOR_TOOLS: &str = "default_tools_approval_mode";

/// An error of [`Codex`] or a [`Thread`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodexError {
    /// The program could not be started.
    #[error(transparent)]
    Spawn(#[from] agentwire::Error),
    /// A request failed.
    #[error("`{method}`: {error}")]
    Request {
        /// The method.
        method: String,
        /// The reason.
        error: RequestError,
    },
    /// The response to a request does not fit its type.
    #[error("the response to `{method}` cannot be read: {faults:?}")]
    Unreadable {
        /// The method.
        method: &'static str,
        /// The response.
        response: Json,
        /// The members that do not fit.
        faults: Vec<Fault>,
    },
    /// Codex does not support the request or option.
    #[error("Codex does not support {0}")]
    Unsupported(&'static str),
}

/// A process of `codex app-server`, with any number of threads.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use agentwire_codex::wire::{Decision, NamedPolicy, SandboxMode};
/// use agentwire_codex::{Codex, CodexOptions, ThreadOptions};
///
/// let codex = Codex::spawn(CodexOptions::new()).await?;
/// let options = ThreadOptions::new()
///     .cwd("/srv/project")
///     .sandbox(SandboxMode::WorkspaceWrite)
///     .approval_policy(NamedPolicy::Untrusted)
///     .on_approval(|approval| async move {
///         println!("{:?}", approval.action);
///         Decision::Accept
///     });
/// let thread = codex.start(options).await?;
/// let end = thread.send("Run the tests").await?;
/// println!("{}", end.text());
/// codex.close().await;
/// # Ok(())
/// # }
/// ```
///
/// Handles are cheap clones. Dropping the last one, threads included, closes the process without
/// waiting.
#[derive(Clone)]
pub struct Codex {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) link: Arc<Link>,
    timeout: Duration,
    initialized: Option<Initialized>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.link.close();
    }
}

impl Codex {
    /// Starts Codex. Must be called in a tokio runtime. If it fails, the processes have exited.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the process.
    ///
    /// # Errors
    ///
    /// If the program cannot be started, or does not respond to `initialize`.
    pub async fn spawn(options: CodexOptions) -> Result<Self, CodexError> {
        let mut command = Command::new(&options.program);
        options.environment.set_for(&mut command);
        command
            .arg("app-server")
            .envs(options.variables.iter().cloned());
        if let Some(cwd) = &options.cwd {
            command.current_dir(cwd);
        }
        let connection = Connection::spawn(command, options.close)?;
        Self::connect(connection, options.timeout).await
    }

    /// Drives a Codex that was started by other means.
    ///
    /// # Errors
    ///
    /// If Codex does not respond to `initialize`.
    pub async fn connect(connection: Connection, timeout: Duration) -> Result<Self, CodexError> {
        let mut inner = Inner {
            link: Link::start(connection),
            timeout,
            initialized: None,
        };
        let initialize = Initialize {
            client_info: ClientInfo {
                name: "agentwire".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                ..ClientInfo::default()
            },
            capabilities: Some(Capabilities {
                experimental_api: Some(true),
                ..Capabilities::default()
            }),
            extra: Members::default(),
        };
        match inner.request(&initialize).await {
            Ok(initialized) => {
                inner.link.notify(INITIALIZED, &Json::of_text("{}"));
                inner.initialized = Some(initialized);
                let inner = Arc::new(inner);
                Ok(Self { inner })
            }
            Err(error) => {
                // The caller may be about to exit.
                inner.link.close();
                inner.link.peer.closed().await;
                Err(error)
            }
        }
    }

    /// Returns the user agent, which contains the version of Codex.
    #[must_use]
    pub fn user_agent(&self) -> &str {
        let initialized = self.inner.initialized.as_ref();
        initialized.map_or("", |it| &it.user_agent)
    }

    /// Starts a thread. Codex stores it with its first turn, unless it is ephemeral.
    ///
    /// # Errors
    ///
    /// If Codex refuses it, or a policy could not be enforced ([`CodexError::Unsupported`]).
    pub async fn start(&self, options: ThreadOptions) -> Result<Thread, CodexError> {
        self.open("thread/start", None, options).await
    }

    /// Resumes a stored thread. Set all policies again: Codex forgets some, such as
    /// `workspace-write`. [`Thread::differences`] lists settings that differ from the options.
    /// Calls of tools fail if the options have no function for them.
    ///
    /// If the thread is already open in this process, the callbacks and tools of these options
    /// replace its own.
    ///
    /// # Errors
    ///
    /// If Codex refuses the request, for example because another process has the thread open.
    /// Otherwise as for [`start`](Self::start).
    pub async fn resume(
        &self,
        thread_id: &str,
        options: ThreadOptions,
    ) -> Result<Thread, CodexError> {
        self.open("thread/resume", Some(thread_id), options).await
    }

    /// Copies a stored thread. Set all policies, model and effort again, as for
    /// [`resume`](Self::resume).
    ///
    /// # Errors
    ///
    /// As for [`resume`](Self::resume).
    pub async fn fork(
        &self,
        thread_id: &str,
        options: ThreadOptions,
    ) -> Result<Thread, CodexError> {
        self.open("thread/fork", Some(thread_id), options).await
    }

    async fn open(
        &self,
        method: &'static str,
        thread_id: Option<&str>,
        mut options: ThreadOptions,
    ) -> Result<Thread, CodexError> {
        if let Some(why) = options.unenforceable() {
            return Err(CodexError::Unsupported(why));
        }
        if options.callbacks.policy.is_some() {
            self.ask_for_all_tools(&mut options).await?;
        }
        let callbacks = Arc::new(options.callbacks.clone());
        // The requests that wait come before the response.
        if method == "thread/resume"
            && let Some(thread_id) = thread_id
        {
            self.inner.link.open(thread_id, &callbacks);
        }
        let params = options.params(thread_id).map_err(|error| {
            let why = RequestError::Refused(crate::machine::ErrorObject::new(0, error.to_string()));
            failed(method, why)
        })?;
        let params = Json::of_text(params.to_string());
        let timeout = self.inner.timeout;
        let response = self
            .inner
            .link
            .request(method, &params, timeout, Some(callbacks));
        let response = answered(method, response.await)?;
        let opened: ThreadOpened = read::<crate::wire::ThreadStart>(method, response)?;
        let effort = options.config.get("model_reasoning_effort");
        let effort = effort.and_then(|it| it.as_str());
        Ok(Thread::new(self.clone(), opened, &options.start, effort))
    }

    /// Requires an approval for all tools of MCP servers, including those that declare
    /// `readOnlyHint`.
    async fn ask_for_all_tools(&self, options: &mut ThreadOptions) -> Result<(), CodexError> {
        let read = ConfigRead {
            cwd: options.start.cwd.clone(),
            ..ConfigRead::default()
        };
        let config = self.request(&read).await?.config;
        let servers = config.get("mcp_servers").map(Json::read);
        let servers: BTreeMap<String, Json> = servers.and_then(Result::ok).unwrap_or_default();
        for name in servers.keys() {
            let name = format!("mcp_servers.{name}.{ASK_FOR_TOOLS}");
            options.config.insert(name, "prompt".into());
        }
        for (name, value) in &mut options.config {
            if name.starts_with("mcp_servers.")
                && let Some(server) = value.as_object_mut()
            {
                server.insert(ASK_FOR_TOOLS.to_owned(), "prompt".into());
            }
        }
        Ok(())
    }

    /// Returns a page of the stored threads. By default, these are the threads of the configured
    /// provider. With an empty list of providers, they are those of all providers.
    ///
    /// # Errors
    ///
    /// If Codex refuses it.
    pub async fn list(&self, list: &ThreadList) -> Result<ThreadPage, CodexError> {
        self.request(list).await
    }

    /// Archives a thread, which then cannot be resumed.
    ///
    /// # Errors
    ///
    /// If Codex refuses it.
    pub async fn archive(&self, thread_id: &str) -> Result<(), CodexError> {
        let params = ThreadArchive {
            thread_id: thread_id.to_owned(),
            ..ThreadArchive::default()
        };
        self.request(&params).await.map(|_: Empty| ())
    }

    /// Moves a thread out of the archive.
    ///
    /// # Errors
    ///
    /// If Codex refuses it.
    pub async fn unarchive(&self, thread_id: &str) -> Result<(), CodexError> {
        let params = ThreadUnarchive {
            thread_id: thread_id.to_owned(),
            ..ThreadUnarchive::default()
        };
        self.request(&params).await.map(|_| ())
    }

    /// Sets the title of a thread.
    ///
    /// # Errors
    ///
    /// If Codex refuses it.
    pub async fn rename(&self, thread_id: &str, name: &str) -> Result<(), CodexError> {
        let params = ThreadNameSet {
            thread_id: thread_id.to_owned(),
            name: name.to_owned(),
            ..ThreadNameSet::default()
        };
        self.request(&params).await.map(|_| ())
    }

    /// Deletes a thread.
    ///
    /// # Errors
    ///
    /// If Codex refuses it.
    pub async fn delete(&self, thread_id: &str) -> Result<(), CodexError> {
        let params = ThreadDelete {
            thread_id: thread_id.to_owned(),
            ..ThreadDelete::default()
        };
        self.request(&params).await.map(|_| ())
    }

    /// Logs in with an API key of OpenAI.
    ///
    /// # Errors
    ///
    /// If Codex refuses it.
    pub async fn log_in(&self, api_key: &str) -> Result<LoginStarted, CodexError> {
        let login = ApiKeyLogin {
            api_key: api_key.to_owned(),
            ..ApiKeyLogin::default()
        };
        self.request(&AccountLogin::ApiKey(login)).await
    }

    /// Sends a request whose types are in [`wire`](crate::wire), such as
    /// [`ModelList`](crate::wire::ModelList), [`AccountRead`](crate::wire::AccountRead) or
    /// [`McpServerStatusList`](crate::wire::McpServerStatusList).
    ///
    /// # Errors
    ///
    /// If Codex refuses it or does not respond in time, or the response does not fit.
    pub async fn request<R: Request>(&self, params: &R) -> Result<R::Response, CodexError> {
        self.inner.request(params).await
    }

    /// Sends any request.
    ///
    /// For requests that change turns (`turn/start`, `turn/steer`, `turn/interrupt`), call the
    /// methods of [`Thread`], which coordinate them.
    ///
    /// # Errors
    ///
    /// If Codex refuses it or does not respond in time.
    pub async fn request_raw(&self, method: &str, params: &Json) -> Result<Json, CodexError> {
        self.inner.request_raw(method, params).await
    }

    /// Returns the events from now on, of all threads. Messages of Codex are
    /// [`Event::Notification`]; [`Frame::notification`](crate::machine::Frame::notification)
    /// returns them as types. A receiver with more than 4,096 unread events loses the oldest, and
    /// receives their number.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.inner.link.subscribe()
    }

    /// Closes the process, and waits until it and the processes that it has started have exited. A
    /// running turn is cut off. Returns `None` if the report is unknown.
    pub async fn close(&self) -> Option<CloseReport> {
        self.inner.link.close();
        self.inner.link.peer.closed().await
    }

    /// Returns the process ID, if the process runs on this system.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.inner.link.peer.pid()
    }

    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.inner.link
    }
}

impl Inner {
    async fn request<R: Request>(&self, params: &R) -> Result<R::Response, CodexError> {
        let written = Json::from_value(params).map_err(|error| {
            let why = crate::machine::ErrorObject::new(0, error.to_string());
            failed(R::METHOD, RequestError::Refused(why))
        })?;
        read::<R>(R::METHOD, self.request_raw(R::METHOD, &written).await?)
    }

    async fn request_raw(&self, method: &str, params: &Json) -> Result<Json, CodexError> {
        let response = self.link.request(method, params, self.timeout, None);
        answered(method, response.await)
    }
}

/// Returns the result of a request. Fails if the sender was dropped.
pub(crate) fn answered<T>(
    method: &str,
    response: Result<Result<T, RequestError>, tokio::sync::oneshot::error::RecvError>,
) -> Result<T, CodexError> {
    let ended = |_| Err(RequestError::Ended("its driver has ended".into()));
    response
        .unwrap_or_else(ended)
        .map_err(|error| failed(method, error))
}

fn failed(method: &str, error: RequestError) -> CodexError {
    let method = method.to_owned();
    CodexError::Request { method, error }
}

fn read<R: Request>(method: &'static str, response: Json) -> Result<R::Response, CodexError> {
    R::response(&response).map_err(|faults| CodexError::Unreadable {
        method,
        response,
        faults,
    })
}

impl fmt::Debug for Codex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Codex")
            .field("user_agent", &self.user_agent())
            .field("peer", &self.inner.link.peer)
            .finish_non_exhaustive()
    }
}
