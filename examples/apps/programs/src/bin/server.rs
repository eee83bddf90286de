//! A web server for sessions: `POST /sessions` starts one, `GET /sessions/ID` is
//! its stream of server-sent events with messages and permission requests in
//! order, `POST /sessions/ID` sends a prompt, `POST /sessions/ID/requests/REQUEST`
//! with `yes` or `no` answers a request. A session ends with its event stream.
//! Each request needs the token that the second line of the output has:
//! `Authorization: Bearer TOKEN`.

use agentwire::event::RequestKind;
use agentwire::{Client, Error, Event, Handle, Options, PermissionResult};
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::response::sse::{self, Sse};
use axum::routing::{get, post};
use futures::{Stream, StreamExt};
use std::collections::BTreeMap;
use std::sync::Mutex;
use uuid::Uuid;

/// The sessions by ID. The client is there until its event stream is requested.
static SESSIONS: Mutex<BTreeMap<Uuid, (Handle, Option<Client>)>> = Mutex::new(BTreeMap::new());

async fn start() -> Result<String, String> {
    let options = Options::new()
        .partial_messages(true)
        .requests_in_stream(true);
    let client = Client::connect(options)
        .await
        .map_err(|it| it.to_string())?;
    let id = Uuid::new_v4();
    let session = (client.handle().clone(), Some(client));
    SESSIONS.lock().unwrap().insert(id, session);
    Ok(id.to_string())
}

type Events<S> = Result<Sse<S>, StatusCode>;

async fn events(Path(id): Path<Uuid>) -> Events<impl Stream<Item = Result<sse::Event, Error>>> {
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

fn handle(id: Uuid) -> Result<Handle, StatusCode> {
    let sessions = SESSIONS.lock().unwrap();
    Ok(sessions.get(&id).ok_or(StatusCode::NOT_FOUND)?.0.clone())
}

async fn send(Path(id): Path<Uuid>, prompt: String) -> Result<StatusCode, StatusCode> {
    handle(id)?.send(prompt);
    Ok(StatusCode::ACCEPTED)
}

async fn answer(Path((id, request_id)): Path<(Uuid, String)>, answer: String) -> StatusCode {
    let result = match answer.as_str() {
        "yes" => PermissionResult::allow(),
        _ => PermissionResult::deny("The user said no."),
    };
    match handle(id) {
        Ok(handle) if handle.respond(&request_id, result).await.is_ok() => StatusCode::NO_CONTENT,
        _ => StatusCode::NOT_FOUND,
    }
}

/// Web sites in the user's browser can send requests to this server, also with a name of their
/// own that was rebound to 127.0.0.1 (DNS rebinding), and so can other users of the machine.
fn check(headers: &HeaderMap, port: u16, token: Uuid) -> Result<(), StatusCode> {
    let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
    let is_ours = |host: &[u8]| hosts.iter().any(|ours| ours.as_bytes() == host);
    let is_same = |origin: &[u8]| origin.strip_prefix(b"http://").is_some_and(is_ours);
    let header = |name| headers.get(name).map(HeaderValue::as_bytes);
    if !header(HOST).is_some_and(is_ours) || !header(ORIGIN).is_none_or(is_same) {
        return Err(StatusCode::FORBIDDEN);
    }
    let bearer = format!("Bearer {token}");
    match header(AUTHORIZATION) == Some(bearer.as_bytes()) {
        true => Ok(()),
        false => Err(StatusCode::UNAUTHORIZED),
    }
}

async fn guard(
    State((port, token)): State<(u16, Uuid)>,
    request: Request,
    next: Next,
) -> Result<Response, StatusCode> {
    check(request.headers(), port, token)?;
    Ok(next.run(request).await)
}

#[tokio::main]
async fn main() -> Result<(), std::io::Error> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let (address, token) = (listener.local_addr()?, Uuid::new_v4());
    let app = Router::new()
        .route("/sessions", post(start))
        .route("/sessions/{id}", get(events).post(send))
        .route("/sessions/{id}/requests/{request}", post(answer))
        .layer(middleware::from_fn_with_state(
            (address.port(), token),
            guard,
        ));
    println!("{address}\n{token}");
    axum::serve(listener, app).await
}
