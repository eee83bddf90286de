//! The HTTP interface.
//!
//! | request | |
//! |---|---|
//! | `GET /` | the page |
//! | `GET /sessions` | lists the sessions, those from before a restart of the server included |
//! | `POST /sessions` | creates a session |
//! | `GET /sessions/ID/events` | its view as server-sent events: a `snapshot`, then each `change` |
//! | `POST /sessions/ID/messages` | sends a prompt; starts or resumes the agent |
//! | `DELETE /sessions/ID/messages/MESSAGE` | withdraws a queued prompt |
//! | `POST /sessions/ID/interrupt` | stops the turn |
//! | `POST /sessions/ID/requests/REQUEST` | responds to a permission request or a question |
//! | `DELETE /sessions/ID` | stops the agent |

use crate::guard::guard;
use crate::session::{Response, Session};
use crate::store::Store;
use agentwire::Error;
use agentwire::protocol::message::Priority;
use agentwire_history::HistoryError;
use agentwire_pool::PoolError;
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
use tokio::task::spawn_blocking;
use uuid::Uuid;

/// The sessions.
struct Sessions {
    store: Arc<Store>,
    /// The sessions that pages have opened, by ID.
    open: Mutex<BTreeMap<String, Arc<Session>>>,
}

/// An error as a response: its status and its text.
struct Refusal(StatusCode, String);

type Shared = State<Arc<Sessions>>;

pub fn routes(store: Store, port: u16) -> Router {
    let sessions = Arc::new(Sessions {
        store: Arc::new(store),
        open: Mutex::default(),
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
        .route("/sessions", get(list).post(create))
        .route("/sessions/{id}", delete(stop))
        .route("/sessions/{id}/events", get(events))
        .route("/sessions/{id}/messages", post(send))
        .route("/sessions/{id}/messages/{message}", delete(withdraw))
        .route("/sessions/{id}/interrupt", post(interrupt))
        .route("/sessions/{id}/requests/{request}", post(respond))
        .layer(middleware::from_fn_with_state(port, guard))
        .with_state(sessions)
}

#[derive(Serialize)]
struct SessionEntry {
    id: String,
    title: Option<String>,
}

async fn list(State(sessions): Shared) -> Result<Json<Vec<SessionEntry>>, Refusal> {
    let store = Arc::clone(&sessions.store);
    let stored = spawn_blocking(move || store.list()).await??;
    let open = sessions.open().clone();
    let ids: Vec<String> = open.values().map(|it| it.stored_id()).collect();
    let stored = stored
        .into_iter()
        .filter(|it| !ids.contains(&it.session_id));
    let stored = stored.map(|it| SessionEntry {
        id: it.session_id,
        title: Some(it.summary),
    });
    let open = open.iter().map(|(id, session)| SessionEntry {
        id: id.clone(),
        title: session.title(),
    });
    Ok(Json(open.chain(stored).collect()))
}

async fn create(State(sessions): Shared) -> Json<SessionEntry> {
    let id = Uuid::new_v4().to_string();
    let session = Session::open(Arc::clone(&sessions.store), id.clone());
    sessions.open().insert(id.clone(), session);
    Json(SessionEntry { id, title: None })
}

async fn stop(State(sessions): Shared, Path(id): Path<String>) -> Result<StatusCode, Refusal> {
    sessions.find(&id).await?.stop().await;
    Ok(StatusCode::NO_CONTENT)
}

/// `Last-Event-ID` is what a browser sends that reconnects.
async fn events(
    State(sessions): Shared,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let last = headers.get("last-event-id").and_then(|it| it.to_str().ok());
    let events = sessions.find(&id).await?.follow(last);
    Ok(Sse::new(events.map(Ok)).keep_alive(KeepAlive::default()))
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
    Path(id): Path<String>,
    Json(prompt): Json<Prompt>,
) -> Result<StatusCode, Refusal> {
    let session = sessions.find(&id).await?;
    session.send(&prompt.text, prompt.priority).await?;
    Ok(StatusCode::ACCEPTED)
}

async fn withdraw(
    State(sessions): Shared,
    Path((id, message)): Path<(String, String)>,
) -> Result<StatusCode, Refusal> {
    match sessions.find(&id).await?.withdraw(&message).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(conflict("no longer queued")),
    }
}

async fn interrupt(State(sessions): Shared, Path(id): Path<String>) -> Result<StatusCode, Refusal> {
    sessions.find(&id).await?.interrupt().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn respond(
    State(sessions): Shared,
    Path((id, request)): Path<(String, String)>,
    Json(response): Json<Response>,
) -> Result<StatusCode, Refusal> {
    let session = sessions.find(&id).await?;
    match session.respond(&request, response).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(conflict("it was answered already")),
    }
}

impl Sessions {
    fn open(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.open.lock().expect("no panics while it is locked")
    }

    /// Returns a session. Opens it if it is stored.
    async fn find(&self, id: &str) -> Result<Arc<Session>, Refusal> {
        if let Some(session) = self.open().get(id) {
            return Ok(Arc::clone(session));
        }
        let (store, stored) = (Arc::clone(&self.store), id.to_owned());
        let opened = spawn_blocking(move || {
            let exists = store.exists(&stored);
            exists.then(|| Session::open(store, stored))
        });
        let Some(opened) = opened.await? else {
            return Err(Refusal(StatusCode::NOT_FOUND, format!("no session {id}")));
        };
        // Another request may have opened it meanwhile.
        Ok(Arc::clone(
            self.open().entry(id.to_owned()).or_insert(opened),
        ))
    }
}

fn conflict(why: &str) -> Refusal {
    Refusal(StatusCode::CONFLICT, why.to_owned())
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self(StatusCode::BAD_GATEWAY, error.to_string())
    }
}

impl From<PoolError> for Refusal {
    fn from(error: PoolError) -> Self {
        Self(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
    }
}

impl From<HistoryError> for Refusal {
    fn from(error: HistoryError) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl From<tokio::task::JoinError> for Refusal {
    fn from(error: tokio::task::JoinError) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> axum::response::Response {
        (self.0, self.1).into_response()
    }
}
