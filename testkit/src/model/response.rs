//! Sends a message, whole or as a stream of events, with its pauses.

use super::format::Format;
use super::message::{Message, Pause};
use super::request::WantedResponse;
use super::state::ServerState;
use crate::scenario::gate::Gates;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use tokio::sync::watch;
use tokio_stream::StreamExt;

/// The reason why a message ends early.
#[derive(Debug, thiserror::Error)]
pub(super) enum EarlyEnd {
    #[error("the scripted model was stopped")]
    Stopped,
    #[error("the script breaks the connection")]
    Cut,
}

/// The shared state that ends a pause.
#[derive(Clone)]
struct PauseState {
    gates: watch::Sender<Gates>,
    stopped: watch::Receiver<()>,
}

impl ServerState {
    pub(super) async fn send(&self, message: Message, asked: &WantedResponse) -> Response {
        let pauses = PauseState {
            gates: self.gates.clone(),
            stopped: self.stopped.clone(),
        };
        if !asked.stream {
            return whole(&message, &asked.format, pauses).await;
        }
        let events = tokio_stream::iter(message.events(&asked.format)).then(move |timed| {
            let pauses = pauses.clone();
            async move {
                pauses.wait(timed.after).await?;
                let Some(event) = timed.event else {
                    return Err(break_off().await);
                };
                Ok(match (event["type"].as_str(), event.as_str()) {
                    (Some(name), _) => Event::default().event(name).data(event.to_string()),
                    (None, Some(text)) => Event::default().data(text),
                    (None, None) => Event::default().data(event.to_string()),
                })
            }
        });
        Sse::new(events).into_response()
    }
}

async fn whole(message: &Message, format: &Format, pauses: PauseState) -> Response {
    if pauses.wait(message.pauses()).await.is_err() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let whole = format.whole(message);
    if !message.is_cut {
        return Json(whole).into_response();
    }
    let text = whole.to_string();
    let half = Bytes::copy_from_slice(&text.as_bytes()[..text.len() / 2]);
    let body = tokio_stream::iter([Some(half), None]).then(|part| async {
        match part {
            Some(part) => Ok(part),
            None => Err(break_off().await),
        }
    });
    Body::from_stream(body).into_response()
}

/// Lets the server send the output so far before the connection breaks. Returns
/// the error of a broken connection.
async fn break_off() -> EarlyEnd {
    tokio::task::yield_now().await;
    EarlyEnd::Cut
}

impl PauseState {
    /// Waits for all pauses to end, or until the model is dropped.
    async fn wait(&self, pauses: Vec<Pause>) -> Result<(), EarlyEnd> {
        for pause in pauses {
            let stopped = until_dropped(self.stopped.clone());
            let has_passed = match pause {
                Pause::Time(time) => tokio::time::timeout(time, stopped).await.is_err(),
                Pause::Gate(name) => tokio::select! {
                    () = stopped => false,
                    () = self.gate(&name) => true,
                },
            };
            if !has_passed {
                return Err(EarlyEnd::Stopped);
            }
        }
        Ok(())
    }

    /// Waits until a gate is open.
    async fn gate(&self, name: &str) {
        self.gates.send_modify(|gates| gates.reach(name));
        let mut gates = self.gates.subscribe();
        // The sender is alive, so the wait only ends when the gate is open.
        drop(gates.wait_for(|gates| gates.is_open(name)).await);
    }
}

pub(super) async fn until_dropped(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}
