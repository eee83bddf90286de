//! Handles the server's requests.

use super::format::Format;
use super::message::Message;
use super::origin;
use super::request::{Answer, Kind, WantedResponse};
use super::response::until_dropped;
use super::state::ServerState;
use super::user_content::SIDE_REPLY;
use crate::scenario::{ApiError, Reply, Step};
use crate::script::TakenReply;
use axum::Json;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum size of a request body in bytes, which is twice that of the API.
pub(super) const MAX_BODY: usize = 64 << 20;

/// Handles an HTTP request from this machine.
pub(super) async fn answer(State(state): State<Arc<ServerState>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Parts {
        method,
        uri,
        headers,
        ..
    } = parts;
    let path = uri.path();
    let format = Format::new(path, &Value::Null);
    if let Some(why) = origin::refusal(&headers) {
        return refuse(&format, StatusCode::FORBIDDEN, "permission_error", why);
    }
    let Some(bytes) = read(&headers, body).await else {
        let why = format!("the body exceeds {MAX_BODY} bytes");
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        return refuse(&format, status, "request_too_large", why);
    };
    if let Some(gate) = path.strip_prefix("/gates/") {
        return at_gate(&state, &method, gate).await;
    }
    let body: Option<Value> = serde_json::from_slice(&bytes).ok();
    let asked = WantedResponse::new(&method, &uri, &headers, body.as_ref());
    let (index, answer, taken) = state.record(&asked, &method, path, (body, bytes.len()));
    match (answer, taken) {
        (_, Some(Ok(taken))) => state.reply(&taken, &asked).await,
        (_, Some(Err(none))) => error(&format, &none),
        (Answer::Side, _) => state.side(index, &asked).await,
        // The estimate is four bytes of JSON per token.
        _ if asked.kind == Kind::CountTokens => {
            Json(format.token_count(bytes.len().div_ceil(4))).into_response()
        }
        _ if asked.kind == Kind::NoMessage => refuse(
            &format,
            StatusCode::BAD_REQUEST,
            "invalid_request_error",
            "the body is not JSON".to_owned(),
        ),
        _ if method == Method::HEAD => StatusCode::OK.into_response(),
        _ => refuse(
            &format,
            StatusCode::NOT_FOUND,
            "not_found_error",
            format!("{method} {path}: not supported by the scripted model"),
        ),
    }
}

/// Reads the body of a request, unless it is too long.
async fn read(headers: &HeaderMap, body: Body) -> Option<Bytes> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    let announced: Option<u64> = announced.and_then(|it| it.parse().ok());
    if announced.is_some_and(|length| length > MAX_BODY as u64) {
        return None;
    }
    to_bytes(body, MAX_BODY).await.ok()
}

/// Opens a gate, or waits until the script reaches it.
async fn at_gate(state: &ServerState, method: &Method, gate: &str) -> Response {
    let done = match *method {
        Method::POST => state.open(gate),
        Method::GET => tokio::select! {
            reached = state.reached(gate) => reached,
            () = until_dropped(state.stopped.clone()) => {
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            }
        },
        _ => return StatusCode::METHOD_NOT_ALLOWED.into_response(),
    };
    match done {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => refuse(
            &Format::Messages,
            StatusCode::NOT_FOUND,
            "not_found_error",
            error.to_string(),
        ),
    }
}

impl ServerState {
    /// Sends a reply of the script, streamed or whole.
    async fn reply(&self, taken: &TakenReply, asked: &WantedResponse) -> Response {
        let mut response = match taken.refusal() {
            Some(refusal) => error(&asked.format, refusal),
            None => {
                let message = Message::from_reply(taken, &asked.model);
                self.send(message, asked).await
            }
        };
        response.headers_mut().extend(headers(&taken.reply.headers));
        response
    }

    /// Sends the fixed reply to the side request at this index.
    async fn side(&self, index: usize, asked: &WantedResponse) -> Response {
        let id = format!("msg_side_{index}");
        let reply = Reply::new([Step::text(SIDE_REPLY)]);
        self.send(Message::new(id, &asked.model, &reply, String::new), asked)
            .await
    }
}

fn error(format: &Format, refusal: &ApiError) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(format.error(refusal))).into_response()
}

fn refuse(format: &Format, status: StatusCode, kind: &str, message: String) -> Response {
    let (status, kind) = (status.as_u16(), kind.to_owned());
    error(
        format,
        &ApiError {
            status,
            kind,
            message,
        },
    )
}

/// Returns the headers of a reply, which were validated with the script.
fn headers(
    headers: &BTreeMap<String, String>,
) -> impl Iterator<Item = (HeaderName, HeaderValue)> + '_ {
    headers.iter().filter_map(|(name, value)| {
        let name = HeaderName::try_from(name.as_str()).ok()?;
        Some((name, HeaderValue::try_from(value.as_str()).ok()?))
    })
}
