//! A web server for sessions: `POST /sessions` starts one, `GET /sessions/ID` is
//! its stream of server-sent events with messages and permission requests in
//! order, `POST /sessions/ID` sends a prompt, `POST /sessions/ID/requests/REQUEST`
//! with `yes` or `no` answers a request. A session ends with its event stream.

use agentwire::{Client, Error, Event, Handle, Options, PermissionResult, RequestKind};
use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::sse::{self, Sse};
use axum::routing::{get, post};
use futures::{Stream, StreamExt};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The sessions by ID. The client is there until its event stream is requested.
static SESSIONS: Mutex<BTreeMap<usize, (Handle, Option<Client>)>> = Mutex::new(BTreeMap::new());

async fn start() -> Result<String, String> {
    let options = Options::new()
        .partial_messages(true)
        .requests_in_stream(true);
    let client = Client::connect(options)
        .await
        .map_err(|it| it.to_string())?;
    let mut sessions = SESSIONS.lock().unwrap();
    let id = sessions.len();
    sessions.insert(id, (client.handle().clone(), Some(client)));
    Ok(id.to_string())
}

type Events<S> = Result<Sse<S>, StatusCode>;

async fn events(Path(id): Path<usize>) -> Events<impl Stream<Item = Result<sse::Event, Error>>> {
    let reader = |session: &mut (_, Option<_>)| session.1.take();
    let client = SESSIONS.lock().unwrap().get_mut(&id).and_then(reader);
    let client = client.ok_or(StatusCode::NOT_FOUND)?;
    Ok(Sse::new(
        client.filter_map(async |event| event.map(show).transpose()),
    ))
}

fn show(event: Event) -> Option<sse::Event> {
    let show = sse::Event::default();
    match event {
        Event::Frame(frame) => show.json_data(frame.message()).ok(),
        Event::Request(pending) => match pending.request {
            RequestKind::Permission(ask) => Some(show.event("request").data(format!(
                "{} {} {}",
                pending.request_id, ask.tool_name, ask.input
            ))),
            _ => None,
        },
        _ => None,
    }
}

fn handle(id: usize) -> Result<Handle, StatusCode> {
    let sessions = SESSIONS.lock().unwrap();
    Ok(sessions.get(&id).ok_or(StatusCode::NOT_FOUND)?.0.clone())
}

async fn send(Path(id): Path<usize>, prompt: String) -> Result<StatusCode, StatusCode> {
    handle(id)?.send(prompt);
    Ok(StatusCode::ACCEPTED)
}

async fn answer(Path((id, request_id)): Path<(usize, String)>, answer: String) -> StatusCode {
    let result = match answer.as_str() {
        "yes" => PermissionResult::allow(),
        _ => PermissionResult::deny("The user said no."),
    };
    match handle(id) {
        Ok(handle) if handle.answer(&request_id, result).await.is_ok() => StatusCode::NO_CONTENT,
        _ => StatusCode::NOT_FOUND,
    }
}

#[tokio::main]
async fn main() -> Result<(), std::io::Error> {
    let app = Router::new()
        .route("/sessions", post(start))
        .route("/sessions/{id}", get(events).post(send))
        .route("/sessions/{id}/requests/{request}", post(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    axum::serve(listener, app).await
}
