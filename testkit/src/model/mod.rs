//! The scripted model: a server on loopback that speaks the Anthropic
//! Messages API and says what a [`Scenario`] tells it to say.
//!
//! The real CLI talks to it when its environment has
//! `ANTHROPIC_BASE_URL=`[`url()`](ScriptedModel::url) and any
//! `ANTHROPIC_API_KEY`, and then needs neither a network nor an account.
//!
//! Each request of the main loop takes the next reply of the script; a retry
//! is a request like any other, so an `error` 529 followed by a text shows a
//! CLI that recovers. A refusal that stands (400, 403, 404, 413, 422) answers
//! the same question however often it is put: the CLI takes an unknown 400 for
//! a server that lacks a beta feature, and asks up to six times with less of
//! them. When no reply is left, the answer is HTTP 400. Side requests (see
//! [`Answer::Side`]) never take a reply, and sub-agents take theirs.
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

mod message;
mod request;
#[cfg(test)]
mod tests;

pub use request::{Answer, ModelRequest};

use crate::scenario::{ApiError, Reply, Scenario, Step};
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use message::Message;
use request::{Kind, same_question};
use serde_json::{Value, json};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_stream::StreamExt;

/// What a side request is told. It is not the script's business.
const SIDE_ANSWER: &str = "The script does not answer side requests.";

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
    scenario: Scenario,
    /// Every request so far. The next reply is told from it too.
    requests: watch::Sender<Vec<ModelRequest>>,
    stopped: watch::Receiver<()>,
}

impl ScriptedModel {
    /// Starts the server on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub async fn start(scenario: Scenario) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (running, stopped) = watch::channel(());
        let shared = Arc::new(Shared {
            scenario,
            requests: watch::Sender::default(),
            stopped: stopped.clone(),
        });
        let app = Router::new()
            .fallback(answer)
            .layer(DefaultBodyLimit::disable())
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
}

impl Shared {
    /// Puts a request on record and decides what answers it. Gives its place
    /// in the record too.
    fn record(
        &self,
        kind: Kind,
        method: &Method,
        path: &str,
        body: Option<Value>,
    ) -> (usize, Answer) {
        let mut recorded = (0, Answer::Other);
        self.requests.send_modify(|requests| {
            let answer = match kind {
                Kind::MainLoop => self.take(requests, body.as_ref()),
                Kind::Subagent => self.take_of_subagents(requests),
                Kind::Side => Answer::Side,
                Kind::CountTokens | Kind::Other => Answer::Other,
            };
            recorded = (requests.len(), answer);
            requests.push(ModelRequest {
                method: method.to_string(),
                path: path.to_owned(),
                body,
                answer,
            });
        });
        recorded
    }

    /// The reply for a request of the main loop: the next one, or once more a
    /// refusal that stands.
    fn take(&self, requests: &[ModelRequest], body: Option<&Value>) -> Answer {
        let mut latest = requests.iter().rev();
        let latest = latest.find_map(|request| Some((request.reply()?, request)));
        let next = match latest {
            Some((number, request)) => {
                let reply = self
                    .scenario
                    .place(number)
                    .and_then(|place| self.scenario.replies[place].first());
                let stands = matches!(reply, Some(Step::Error(e)) if stands(e));
                if stands && same_question(request.body.as_ref(), body) {
                    return Answer::Reply(number);
                }
                number + 1
            }
            None => 0,
        };
        match self.scenario.place(next) {
            Some(_) => Answer::Reply(next),
            None => Answer::EndOfScript,
        }
    }

    /// The next reply for a sub-agent. One for which the script has nothing
    /// is told that.
    fn take_of_subagents(&self, requests: &[ModelRequest]) -> Answer {
        let taken = requests.iter().map(|request| request.answer);
        let next = taken.filter(|it| matches!(it, Answer::Subagent(_))).count();
        if next < self.scenario.subagents.len() {
            Answer::Subagent(next)
        } else {
            Answer::Side
        }
    }

    /// A reply of the script, as a stream or whole. Those of sub-agents are
    /// counted behind the others.
    async fn reply(&self, number: usize, model: &str, stream: bool) -> Response {
        let tools_of = |reply: &Reply| {
            let tools = reply.iter().filter(|step| matches!(step, Step::Tool(_)));
            tools.count()
        };
        let all = self.scenario.every_reply().count();
        let (rounds, place) = (number / all, number % all);
        let mut replies = self.scenario.every_reply();
        let earlier: usize = replies.by_ref().take(place).map(tools_of).sum();
        let Some(reply) = replies.next() else {
            unreachable!("a reply that was taken is there");
        };
        let tools = rounds * self.scenario.every_reply().map(tools_of).sum::<usize>() + earlier;
        if let Some(Step::Error(refusal)) = reply.first() {
            return error(refusal);
        }
        let id = format!("msg_{}", number + 1);
        self.send(Message::new(id, model, reply, tools), stream)
            .await
    }

    /// The answer to the side request at this place in the record.
    async fn side(&self, place: usize, model: &str, stream: bool) -> Response {
        let id = format!("msg_side_{place}");
        let message = Message::new(id, model, &[Step::text(SIDE_ANSWER)], 0);
        self.send(message, stream).await
    }

    async fn send(&self, message: Message, stream: bool) -> Response {
        if !stream {
            return match silence(message.silence(), self.stopped.clone()).await {
                Ok(()) => Json(message.whole()).into_response(),
                Err(Stopped) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
            };
        }
        let stopped = self.stopped.clone();
        let events = tokio_stream::iter(message.events()).then(move |timed| {
            let stopped = stopped.clone();
            async move {
                silence(timed.after, stopped).await?;
                let name = timed.event["type"].as_str().unwrap_or_default();
                Ok::<_, Stopped>(Event::default().event(name).data(timed.event.to_string()))
            }
        });
        Sse::new(events).into_response()
    }
}

/// Answers any request.
async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let body: Option<Value> = serde_json::from_slice(&bytes).ok();
    let member = |name| body.as_ref().and_then(|body| body.get(name));
    let model = member("model").and_then(Value::as_str);
    let model = model.unwrap_or("scripted").to_owned();
    let stream = member("stream").and_then(Value::as_bool) == Some(true);
    let kind = Kind::of(&method, uri.path(), &headers, body.as_ref());

    let (place, answer) = shared.record(kind, &method, uri.path(), body);
    match answer {
        Answer::Reply(number) => shared.reply(number, &model, stream).await,
        Answer::Subagent(number) => {
            let number = shared.scenario.replies.len() + number;
            shared.reply(number, &model, stream).await
        }
        Answer::Side => shared.side(place, &model, stream).await,
        Answer::EndOfScript => refuse(
            StatusCode::BAD_REQUEST,
            "invalid_request_error",
            format!(
                "the script has no reply left (it had {})",
                shared.scenario.replies.len()
            ),
        ),
        // About four bytes of JSON to a token.
        Answer::Other if kind == Kind::CountTokens => {
            Json(json!({ "input_tokens": bytes.len().div_ceil(4) })).into_response()
        }
        Answer::Other if method == Method::HEAD => StatusCode::OK.into_response(),
        Answer::Other => refuse(
            StatusCode::NOT_FOUND,
            "not_found_error",
            format!("the scripted model has no {method} {}", uri.path()),
        ),
    }
}

/// Whether a refusal is about what was asked, and not about the moment: the
/// same question gets it again.
fn stands(refusal: &ApiError) -> bool {
    (400..500).contains(&refusal.status) && !matches!(refusal.status, 401 | 408 | 409 | 429)
}

fn error(refusal: &ApiError) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    refuse(status, &refusal.kind, refusal.message.clone())
}

fn refuse(status: StatusCode, kind: &str, message: String) -> Response {
    let body = json!({ "type": "error", "error": { "type": kind, "message": message } });
    (status, Json(body)).into_response()
}

/// The model was dropped while it spoke.
#[derive(Debug, thiserror::Error)]
#[error("the scripted model was stopped")]
struct Stopped;

/// Says nothing for a while, less if the model is dropped.
async fn silence(time: Duration, stopped: watch::Receiver<()>) -> Result<(), Stopped> {
    if time.is_zero() {
        return Ok(());
    }
    match tokio::time::timeout(time, until_dropped(stopped)).await {
        Ok(()) => Err(Stopped),
        Err(_elapsed) => Ok(()),
    }
}

async fn until_dropped(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}
