//! The scripted model: a server on loopback that speaks the Anthropic
//! Messages API and says what a [`Scenario`] tells it to say.
//!
//! The real CLI talks to it when its environment has
//! `ANTHROPIC_BASE_URL=`[`url()`](ScriptedModel::url) and any
//! `ANTHROPIC_API_KEY`, and then needs neither a network nor an account.
//!
//! Each request of the main loop takes a reply of the script; a retry
//! is a request like any other, so an `error` 529 followed by a text shows a
//! CLI that recovers. A refusal that stands (400, 403, 404, 413, 422) answers
//! the same question however often it is put: the CLI takes an unknown 400 for
//! a server that lacks a beta feature, and asks up to six times with less of
//! them. When no reply is left, the answer is HTTP 400. Side requests (see
//! [`Answer::Side`]) never take a reply, and sub-agents take theirs.
//!
//! Where the script waits at a gate, [`open`](ScriptedModel::open) lets it go
//! on, and so does `POST /gates/NAME` on the server; `GET /gates/NAME` is
//! answered when the script has come to the gate.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! use agentwire_testkit::model::ScriptedModel;
//! use agentwire_testkit::{Scenario, Step};
//!
//! let scenario = Scenario::default().reply([Step::text("Hello there.")]);
//! let model = ScriptedModel::start(scenario).await?;
//! assert!(model.url().starts_with("http://127.0.0.1:"));
//! assert!(model.requests().is_empty());
//! # Ok(())
//! # }
//! ```

mod facts;
mod message;
mod request;
mod speaking;
mod stranger;
#[cfg(test)]
mod tests;

pub use request::{Answer, ModelRequest};

use crate::scenario::gate::Gates;
use crate::scenario::{ApiError, NoSuchGate, Reply, Scenario, Step};
use crate::script::{NoReply, Script, Taken};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use message::Message;
use request::{Kind, same_question};
use serde_json::{Value, json};
use speaking::until_dropped;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What a side request is told. It is not the script's business.
const SIDE_ANSWER: &str = "The script does not answer side requests.";

/// How many bytes a request may have: twice what the API takes.
const LONGEST_BODY: usize = 64 << 20;

/// How many bytes the bodies may have together that are kept. Those of the
/// oldest requests go first.
const KEPT_BODIES: usize = 256 << 20;

/// A model on loopback that follows a script. Dropping it stops the server.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// Dropped with the model, which the server and its streams wait for.
    _running: watch::Sender<()>,
}

/// What the server's handlers share.
#[derive(Debug)]
struct Shared {
    script: Mutex<Script>,
    gates: watch::Sender<Gates>,
    /// Every request so far. What is a retry is told from it too.
    requests: watch::Sender<Vec<ModelRequest>>,
    bodies: Mutex<Bodies>,
    stopped: watch::Receiver<()>,
}

impl ScriptedModel {
    /// Starts the server on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub async fn start(scenario: Scenario) -> io::Result<Self> {
        Self::start_on(scenario, 0).await
    }

    /// Starts the server on this port of 127.0.0.1; 0 is a free one.
    ///
    /// # Errors
    ///
    /// When the port cannot be had.
    pub async fn start_on(scenario: Scenario, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let (running, stopped) = watch::channel(());
        let shared = Arc::new(Shared {
            script: Mutex::new(Script::new(&scenario)),
            gates: watch::Sender::new(Gates::of(&scenario)),
            requests: watch::Sender::default(),
            bodies: Mutex::default(),
            stopped: stopped.clone(),
        });
        let app = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&shared));
        // Not aborted: axum gives each connection a task of its own, and only
        // its graceful shutdown reaches those.
        tokio::spawn(
            axum::serve(listener, app)
                .with_graceful_shutdown(async move { until_dropped(stopped).await })
                .into_future(),
        );
        Ok(Self {
            address,
            shared,
            _running: running,
        })
    }

    /// Where the model is: the value for `ANTHROPIC_BASE_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.shared.requests.borrow().clone()
    }

    /// Waits until request `n` of [`requests`](Self::requests) (counted from
    /// 0) is there. It is there before it is answered.
    pub async fn request(&self, n: usize) -> ModelRequest {
        let mut requests = self.shared.requests.subscribe();
        let seen = requests.wait_for(|seen| seen.len() > n).await;
        seen.expect("the model keeps the sender")[n].clone()
    }

    /// Waits for the request that got reply `n` (counted from 0, in the order in
    /// which replies are taken). Other requests than those of the main loop do
    /// not count.
    pub async fn asked(&self, n: usize) -> ModelRequest {
        self.wait_for(|request| request.reply() == Some(n)).await
    }

    /// Waits for the first request that is `wanted`, which may be there
    /// already. `|request| request.answer == Answer::Reply(1)` waits until
    /// the script's second reply is taken.
    pub async fn wait_for(&self, wanted: impl Fn(&ModelRequest) -> bool) -> ModelRequest {
        let mut requests = self.shared.requests.subscribe();
        let seen = requests.wait_for(|seen| seen.iter().any(&wanted)).await;
        let seen = seen.expect("the model keeps the sender");
        let found = seen.iter().find(|request| wanted(request));
        found.expect("it was there").clone()
    }

    /// Opens a gate, for good.
    ///
    /// # Errors
    ///
    /// When no step of the scenario waits for such a gate.
    pub fn open(&self, gate: &str) -> Result<(), NoSuchGate> {
        self.shared.open(gate)
    }

    /// Waits until the script has come to a gate, which it may have already.
    ///
    /// # Errors
    ///
    /// When no step of the scenario waits for such a gate.
    pub async fn reached(&self, gate: &str) -> Result<(), NoSuchGate> {
        self.shared.reached(gate).await
    }
}

impl Shared {
    /// Puts a request on record and decides what answers it. Gives its place
    /// in the record too, and the reply that it takes.
    fn record(
        &self,
        kind: Kind,
        method: &Method,
        path: &str,
        (body, bytes): (Option<Value>, usize),
    ) -> (usize, Answer, Option<Result<Taken, ApiError>>) {
        let mut recorded = (0, Answer::Other, None);
        self.requests.send_modify(|requests| {
            let (answer, taken) = match kind {
                Kind::MainLoop => match self.take(requests, body.as_ref(), false) {
                    Ok(taken) => (Answer::Reply(taken.number), Some(Ok(taken))),
                    Err(none) => (Answer::EndOfScript, Some(Err(ApiError::from(&none)))),
                },
                Kind::Subagent => match self.take(requests, body.as_ref(), true) {
                    Ok(taken) => (Answer::Subagent(taken.number), Some(Ok(taken))),
                    // One for which the script has nothing is told that.
                    Err(NoReply::EndOfScript { .. }) => (Answer::Side, None),
                    Err(none) => (Answer::EndOfScript, Some(Err(ApiError::from(&none)))),
                },
                Kind::Side => (Answer::Side, None),
                Kind::CountTokens | Kind::NoMessage | Kind::Other => (Answer::Other, None),
            };
            let place = taken.as_ref().and_then(|it| Some(it.as_ref().ok()?.place));
            requests.push(ModelRequest {
                method: method.to_string(),
                path: path.to_owned(),
                body,
                answer,
                place,
            });
            let place = requests.len() - 1;
            let mut bodies = self.bodies.lock().unwrap_or_else(PoisonError::into_inner);
            bodies.keep(requests, place, bytes);
            recorded = (place, answer, taken);
        });
        recorded
    }

    /// The reply for a request of the main loop or of a sub-agent.
    fn take(
        &self,
        requests: &[ModelRequest],
        body: Option<&Value>,
        is_subagent: bool,
    ) -> Result<Taken, NoReply> {
        let is_of_same = |request: &&ModelRequest| match request.answer {
            Answer::Reply(_) => !is_subagent,
            Answer::Subagent(_) => is_subagent,
            _ => false,
        };
        let latest = requests.iter().rev().find(is_of_same);
        let is_retry = latest.is_some_and(|it| same_question(it.body.as_ref(), body));
        let asked = facts::asked(body.unwrap_or(&Value::Null), is_subagent, is_retry);
        self.script().take(asked)
    }

    fn script(&self) -> std::sync::MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, gate: &str) -> Result<(), NoSuchGate> {
        let mut opened = Ok(());
        self.gates.send_modify(|gates| opened = gates.open(gate));
        opened
    }

    async fn reached(&self, gate: &str) -> Result<(), NoSuchGate> {
        let mut gates = self.gates.subscribe();
        gates.borrow_and_update().check(gate)?;
        let reached = gates.wait_for(|gates| gates.is_reached(gate)).await;
        reached.map(drop).expect("the model keeps the sender");
        Ok(())
    }

    /// A reply of the script, as a stream or whole.
    async fn reply(&self, taken: &Taken, model: &str, stream: bool) -> Response {
        let mut response = match taken.refusal() {
            Some(refusal) => error(refusal),
            None => self.send(Message::of(taken, model), stream).await,
        };
        response.headers_mut().extend(headers(&taken.reply.headers));
        response
    }

    /// The answer to the side request at this place in the record.
    async fn side(&self, place: usize, model: &str, stream: bool) -> Response {
        let id = format!("msg_side_{place}");
        let reply = Reply::new([Step::text(SIDE_ANSWER)]);
        self.send(Message::new(id, model, &reply, String::new), stream)
            .await
    }
}

/// How long the bodies are that are kept, by the place of their requests.
#[derive(Debug, Default)]
struct Bodies {
    kept: VecDeque<(usize, usize)>,
    bytes: usize,
}

impl Bodies {
    /// One more is kept. Those that are not kept for that go.
    fn keep(&mut self, requests: &mut [ModelRequest], place: usize, bytes: usize) {
        self.kept.push_back((place, bytes));
        self.bytes += bytes;
        while self.bytes > KEPT_BODIES
            && let Some((oldest, bytes)) = self.kept.pop_front()
        {
            self.bytes -= bytes;
            requests[oldest].body = None;
        }
    }
}

/// Answers any request of this machine.
async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Parts {
        method,
        uri,
        headers,
        ..
    } = parts;
    if let Some(why) = stranger::refusal(&headers) {
        return refuse(StatusCode::FORBIDDEN, "permission_error", why);
    }
    let Some(bytes) = read(&headers, body).await else {
        let why = format!("a request has {LONGEST_BODY} bytes at most");
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "request_too_large", why);
    };
    let body: Option<Value> = serde_json::from_slice(&bytes).ok();
    let member = |name| body.as_ref().and_then(|body| body.get(name));
    let model = member("model").and_then(Value::as_str);
    let model = model.unwrap_or("scripted").to_owned();
    let stream = member("stream").and_then(Value::as_bool) == Some(true);
    let kind = Kind::of(&method, uri.path(), &headers, body.as_ref());

    if let Some(gate) = uri.path().strip_prefix("/gates/") {
        return at_gate(&shared, &method, gate).await;
    }
    let (place, answer, taken) = shared.record(kind, &method, uri.path(), (body, bytes.len()));
    match (answer, taken) {
        (_, Some(Ok(taken))) => shared.reply(&taken, &model, stream).await,
        (_, Some(Err(none))) => error(&none),
        (Answer::Side, _) => shared.side(place, &model, stream).await,
        // About four bytes of JSON to a token.
        _ if kind == Kind::CountTokens => {
            Json(json!({ "input_tokens": bytes.len().div_ceil(4) })).into_response()
        }
        _ if kind == Kind::NoMessage => refuse(
            StatusCode::BAD_REQUEST,
            "invalid_request_error",
            "the body is not JSON".to_owned(),
        ),
        _ if method == Method::HEAD => StatusCode::OK.into_response(),
        _ => refuse(
            StatusCode::NOT_FOUND,
            "not_found_error",
            format!("the scripted model has no {method} {}", uri.path()),
        ),
    }
}

/// The body of a request, unless it is too long.
async fn read(headers: &HeaderMap, body: Body) -> Option<Bytes> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    let announced: Option<u64> = announced.and_then(|it| it.parse().ok());
    if announced.is_some_and(|length| length > LONGEST_BODY as u64) {
        return None;
    }
    to_bytes(body, LONGEST_BODY).await.ok()
}

/// Opens a gate, or waits until the script has come to it.
async fn at_gate(shared: &Shared, method: &Method, gate: &str) -> Response {
    let done = match *method {
        Method::POST => shared.open(gate),
        Method::GET => tokio::select! {
            reached = shared.reached(gate) => reached,
            () = until_dropped(shared.stopped.clone()) => {
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            }
        },
        _ => return StatusCode::METHOD_NOT_ALLOWED.into_response(),
    };
    match done {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => refuse(StatusCode::NOT_FOUND, "not_found_error", error.to_string()),
    }
}

fn error(refusal: &ApiError) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    refuse(status, &refusal.kind, refusal.message.clone())
}

fn refuse(status: StatusCode, kind: &str, message: String) -> Response {
    let body = json!({ "type": "error", "error": { "type": kind, "message": message } });
    (status, Json(body)).into_response()
}

/// The headers of a reply, which were checked when the script was read.
fn headers(
    headers: &BTreeMap<String, String>,
) -> impl Iterator<Item = (HeaderName, HeaderValue)> + '_ {
    headers.iter().filter_map(|(name, value)| {
        let name = HeaderName::try_from(name.as_str()).ok()?;
        Some((name, HeaderValue::try_from(value.as_str()).ok()?))
    })
}
