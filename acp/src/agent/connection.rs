//! The agent's process and the messages that it sends.

use super::{Agent, AgentOptions, ConnectError, Shared};
use agent_client_protocol::{
    Builder, ByteStreams, Client, ConnectionTo, Dispatch, Error, Responder, UntypedMessage,
    on_receive_dispatch,
};
use agentwire::transport::{Connection, Peer};
use agentwire::view::AcpInput;
use serde_json::Value;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

/// The maximum length in bytes of the end of standard error in errors.
const STDERR: usize = 4096;

/// How long to read standard error after the end of the output.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Starts the agent's process and reads its messages.
pub(super) async fn start(options: &AgentOptions) -> Result<Agent, ConnectError> {
    let (program, arguments) = options
        .command
        .split_first()
        .ok_or(ConnectError::NoCommand)?;
    let mut command = Command::new(program);
    options.environment.set_for(&mut command);
    command
        .args(arguments)
        .envs(options.variables.iter().cloned());
    if let Some(cwd) = &options.cwd {
        command.current_dir(cwd);
    }
    let process = Connection::spawn(command, options.close)?;
    let stderr = Arc::new(Mutex::new(Vec::new()));
    let reads_stderr = process
        .stderr
        .map(|it| tokio::spawn(retain_end(it, Arc::clone(&stderr))));
    let streams = ByteStreams::new(process.input.compat_write(), process.output.compat());
    let peer = process.peer;

    // Set before the connection reads anything.
    let shared: Arc<OnceLock<Arc<Shared>>> = Arc::default();
    let receives = Arc::clone(&shared);
    let dispatched = Builder::new(Client).name("agentwire").on_receive_dispatch(
        async move |message: Dispatch<UntypedMessage, UntypedMessage>, _| {
            if let Some(shared) = receives.get() {
                receive(shared, message);
            }
            Ok(())
        },
        on_receive_dispatch!(),
    );
    let (opened, opens) = oneshot::channel();
    let on_permission = options.on_permission.clone();
    let observed = Arc::clone(&peer);
    let connection = tokio::spawn(async move {
        let sets = Arc::clone(&shared);
        let connected = dispatched.connect_with(streams, async move |client: ConnectionTo<_>| {
            let shared = sets.get_or_init(|| Arc::new(Shared::new(client.clone(), on_permission)));
            // Fails only if connecting was given up.
            let _ = opened.send(Arc::clone(shared));
            client.incoming_closed().await;
            Ok(())
        });
        let outcome = connected.await;
        if let Some(shared) = shared.get() {
            // Its last words may still be in the pipe.
            if let Some(reads_stderr) = reads_stderr {
                let _ = timeout(LAST_WORDS, reads_stderr).await;
            }
            let text = stderr.lock();
            let text = text.map(|it| String::from_utf8_lossy(&it).into_owned());
            let mut why = text.unwrap_or_default().trim().to_owned();
            if let Err(error) = outcome {
                why = format!("{}\n{why}", text_of(&error));
            }
            let why = match why.trim() {
                "" => "the agent closed its output",
                why => why,
            };
            shared.ended(why);
        }
        // Nobody can drive the agent any more.
        observed.close(Box::new(|| ()));
    });
    let guard = Guard(Some(Arc::clone(&peer)));
    let Ok(shared) = opens.await else {
        let stderr = "the connection could not be opened".to_owned();
        return Err(ConnectError::Exited { stderr });
    };
    guard.disarm();
    Ok(Agent {
        shared,
        peer,
        connection: connection.abort_handle(),
        initialized: Value::Null,
        opened: Value::Null,
        session_id: String::new(),
        replayed: 0,
    })
}

/// Closes the agent if connecting is aborted.
struct Guard(Option<Arc<dyn Peer>>);

impl Guard {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(peer) = self.0.take() {
            peer.close(Box::new(|| ()));
        }
    }
}

/// Reads standard error, and retains its end.
async fn retain_end(mut stderr: Box<dyn AsyncRead + Send + Unpin>, into: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        let Ok(mut end) = into.lock() else { return };
        end.extend_from_slice(&buffer[..length]);
        let over = end.len().saturating_sub(STDERR);
        end.drain(..over);
    }
}

fn receive(shared: &Arc<Shared>, message: Dispatch<UntypedMessage, UntypedMessage>) {
    match message {
        Dispatch::Request(request, responder) => request_of(shared, request, responder),
        Dispatch::Notification(notification) => {
            let (method, mut params) = notification.into_parts();
            if method != "session/update" {
                return;
            }
            let update = params["update"].take();
            let mut state = shared.state();
            // Updates of other sessions, such as those of sub-agents.
            if let Some(id) = params["sessionId"].as_str()
                && !state.session_id.is_empty()
                && id != state.session_id
            {
                return;
            }
            if update["sessionUpdate"] == "config_option_update" {
                state.choices.update(&update);
            }
            let is_loading = state.is_loading;
            drop(state);
            shared.push(match is_loading {
                true => AcpInput::Replayed(&update),
                false => AcpInput::Update(&update),
            });
        }
        Dispatch::Response(response, router) => {
            if let Err(error) = router.route_with_result(response) {
                tracing::debug!(%error, "nobody waits for the response");
            }
        }
    }
}

fn request_of(shared: &Arc<Shared>, request: UntypedMessage, responder: Responder<Value>) {
    let (method, params) = request.into_parts();
    if method == "session/request_permission" {
        return shared.permission(params, responder);
    }
    // Some agents use what the client has not declared, and do without it after this.
    let refused = Error::method_not_found().data(method);
    if let Err(error) = responder.respond_with_error(refused) {
        tracing::debug!(%error, "the agent does not take the response");
    }
}

/// Returns the message of an error, with its data, which often contain the reason.
pub(super) fn text_of(error: &Error) -> String {
    let data = error.data.as_ref();
    let details = data.and_then(|data| match data {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) => data["details"].as_str().map(str::to_owned),
        _ => None,
    });
    match details {
        Some(details) if !error.message.contains(&details) => {
            format!("{}: {details}", error.message)
        }
        _ => error.message.clone(),
    }
}
