//! A receiver of spans on loopback: OTLP over HTTP, in JSON.

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;

pub struct Span {
    pub service: String,
    pub id: String,
    pub parent: String,
    pub trace: String,
    pub name: String,
    pub start: u128,
    pub attributes: BTreeMap<String, String>,
}

type Received = Arc<Mutex<Vec<Value>>>;

pub struct Receiver {
    url: String,
    received: Received,
}

impl Receiver {
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let received = Received::default();
        let routes = Router::new()
            .route("/v1/traces", post(receive))
            .with_state(Arc::clone(&received));
        tokio::spawn(async { axum::serve(listener, routes).await });
        Ok(Self { url, received })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the spans received so far, in the order in which they started.
    pub fn spans(&self) -> Vec<Span> {
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let mut spans = vec![];
        for resource in received.iter().flat_map(|it| list(&it["resourceSpans"])) {
            let of_resource = attributes(&resource["resource"]);
            let service = of_resource.get("service.name").cloned().unwrap_or_default();
            let scopes = list(&resource["scopeSpans"]);
            for span in scopes.iter().flat_map(|it| list(&it["spans"])) {
                spans.push(Span {
                    service: service.clone(),
                    id: text(&span["spanId"]),
                    parent: text(&span["parentSpanId"]),
                    trace: text(&span["traceId"]),
                    name: text(&span["name"]),
                    start: text(&span["startTimeUnixNano"]).parse().unwrap_or_default(),
                    attributes: attributes(span),
                });
            }
        }
        spans.sort_by_key(|it| it.start);
        spans
    }
}

async fn receive(State(received): State<Received>, Json(spans): Json<Value>) -> Json<Value> {
    received
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(spans);
    Json(json!({}))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn attributes(of: &Value) -> BTreeMap<String, String> {
    let pairs = list(&of["attributes"])
        .iter()
        .map(|it| (text(&it["key"]), scalar(&it["value"])));
    pairs.collect()
}

/// Returns the value of an attribute, such as `{"intValue": 7}`.
fn scalar(value: &Value) -> String {
    match value.as_object().and_then(|it| it.values().next()) {
        Some(Value::Object(of)) => list(&of["values"])
            .iter()
            .map(scalar)
            .collect::<Vec<_>>()
            .join(","),
        Some(value) => text(value),
        None => String::new(),
    }
}
