//! The HTTP interface.
//!
//! | request | |
//! |---|---|
//! | `GET /` | the page |
//! | `GET /sessions` | the sessions |
//! | `POST /sessions` | starts a session |
//! | `DELETE /sessions/ID` | ends it |
//! | `GET /sessions/ID/events` | its history, and what follows, as server-sent events |
//! | `POST /sessions/ID/messages` | sends a message |
//! | `DELETE /sessions/ID/messages/MESSAGE` | withdraws a queued one |
//! | `POST /sessions/ID/interrupt` | stops the turn |
//! | `POST /sessions/ID/requests/REQUEST` | responds to a permission request or a question |

use crate::guard::guard;
use crate::session::{Response, Session};
use agentwire::protocol::message::Priority;
use agentwire::{Error, Options};
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse};
use axum::routing::{delete, get, post};
use axum::{Json, Router, middleware};
use futures::{Stream, StreamExt};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

/// The running sessions by number.
pub struct Sessions {
    options: Options,
    all: Mutex<Numbered>,
}

#[derive(Default)]
struct Numbered {
    last: u64,
    sessions: BTreeMap<u64, Arc<Session>>,
}

/// An error as a response: its status and its text.
struct Refusal(StatusCode, String);

type Shared = State<Arc<Sessions>>;

pub fn routes(options: Options, port: u16) -> Router {
    let sessions = Arc::new(Sessions {
        options,
        all: Mutex::default(),
    });
    let script = include_str!("../page/app.js");
    let style = include_str!("../page/style.css");
    Router::new()
        .route("/", get(Html(include_str!("../page/index.html"))))
        .route(
            "/app.js",
            get(([(CONTENT_TYPE, "text/javascript")], script)),
        )
        .route("/style.css", get(([(CONTENT_TYPE, "text/css")], style)))
        .route("/sessions", get(list).post(start))
        .route("/sessions/{id}", delete(end))
        .route("/sessions/{id}/events", get(events))
        .route("/sessions/{id}/messages", post(send))
        .route("/sessions/{id}/messages/{message}", delete(withdraw))
        .route("/sessions/{id}/interrupt", post(interrupt))
        .route("/sessions/{id}/requests/{request}", post(respond))
        .layer(middleware::from_fn_with_state(port, guard))
        .with_state(sessions)
}

#[derive(Serialize)]
struct Listed {
    id: u64,
    title: Option<String>,
}

async fn list(State(sessions): Shared) -> Json<Vec<Listed>> {
    let all = sessions.all();
    let listed = all.sessions.iter().map(|(&id, session)| Listed {
        id,
        title: session.title(),
    });
    Json(listed.collect())
}

async fn start(State(sessions): Shared) -> Result<Json<Listed>, Refusal> {
    let session = Session::start(sessions.options.clone()).await?;
    let mut all = sessions.all();
    all.last += 1;
    let id = all.last;
    all.sessions.insert(id, session);
    Ok(Json(Listed { id, title: None }))
}

async fn end(State(sessions): Shared, Path(id): Path<u64>) -> Result<StatusCode, Refusal> {
    sessions.find(id)?.close();
    sessions.all().sessions.remove(&id);
    Ok(StatusCode::NO_CONTENT)
}

/// `Last-Event-ID` is what a browser sends that reconnects.
async fn events(
    State(sessions): Shared,
    Path(id): Path<u64>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let last = headers.get("last-event-id").and_then(|it| it.to_str().ok());
    let next = last
        .and_then(|it| it.parse::<usize>().ok()?.checked_add(1))
        .unwrap_or(0);
    let entries = sessions.find(id)?.log.follow(next);
    let events = entries.map(|(at, json)| Ok(Event::default().id(at.to_string()).data(json)));
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

#[derive(Deserialize)]
struct Prompt {
    text: String,
    #[serde(default = "next")]
    priority: Priority,
}

fn next() -> Priority {
    Priority::Next
}

async fn send(
    State(sessions): Shared,
    Path(id): Path<u64>,
    Json(prompt): Json<Prompt>,
) -> Result<StatusCode, Refusal> {
    sessions.find(id)?.send(prompt.text, prompt.priority);
    Ok(StatusCode::ACCEPTED)
}

async fn withdraw(
    State(sessions): Shared,
    Path((id, message)): Path<(u64, String)>,
) -> Result<StatusCode, Refusal> {
    match sessions.find(id)?.withdraw(&message).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Refusal(StatusCode::CONFLICT, "no longer queued".to_owned())),
    }
}

async fn interrupt(State(sessions): Shared, Path(id): Path<u64>) -> Result<StatusCode, Refusal> {
    sessions.find(id)?.interrupt().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn respond(
    State(sessions): Shared,
    Path((id, request)): Path<(u64, String)>,
    Json(response): Json<Response>,
) -> Result<StatusCode, Refusal> {
    sessions.find(id)?.respond(&request, response).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl Sessions {
    fn all(&self) -> std::sync::MutexGuard<'_, Numbered> {
        self.all.lock().expect("no panics while it is locked")
    }

    fn find(&self, id: u64) -> Result<Arc<Session>, Refusal> {
        let session = self.all().sessions.get(&id).cloned();
        session.ok_or_else(|| Refusal(StatusCode::NOT_FOUND, format!("no session {id}")))
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::NoPendingRequest { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::BAD_GATEWAY,
        };
        Self(status, error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> axum::response::Response {
        (self.0, self.1).into_response()
    }
}
