//! Starts the server as a process, and calls its interface.

use futures::{Stream, StreamExt};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use support::LONG;
use tokio::time::timeout;

pub struct Server {
    pub url: String,
    pub child: Child,
}

pub struct Session {
    url: String,
}

/// The events of a session, each an object with a `type`.
pub struct Events {
    bytes: Pin<Box<dyn Stream<Item = Vec<u8>>>>,
    buffer: String,
    /// The events so far.
    pub seen: Vec<Value>,
    pub ids: Vec<usize>,
    /// The number of these events that `next` has returned.
    passed: usize,
}

impl Server {
    pub fn start(mut command: Command) -> Self {
        command.args(["--port", "0"]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = lines.next().unwrap().unwrap();
        Self { url, child }
    }

    pub async fn get(&self, path: &str) -> Response {
        Client::new()
            .get(format!("{}{path}", self.url))
            .send()
            .await
            .unwrap()
    }

    pub async fn session(&self) -> Session {
        let started = Client::new()
            .post(format!("{}/sessions", self.url))
            .send()
            .await
            .unwrap();
        let started: Value = started.json().await.unwrap();
        Session {
            url: format!("{}/sessions/{}", self.url, started["id"]),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test may have stopped it already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Session {
    pub async fn send(&self, text: &str, priority: &str) {
        let message = json!({ "text": text, "priority": priority });
        assert_eq!(self.post("messages", &message).await, StatusCode::ACCEPTED);
    }

    pub async fn respond(&self, request: &Value, response: &Value) -> StatusCode {
        let id = request["id"].as_str().unwrap();
        self.post(&format!("requests/{id}"), response).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> StatusCode {
        let request = Client::new()
            .post(format!("{}/{path}", self.url))
            .json(body);
        request.send().await.unwrap().status()
    }

    pub async fn delete(&self, path: &str) -> StatusCode {
        let url = format!("{}/{path}", self.url);
        let request = Client::new().delete(url.trim_end_matches('/'));
        request.send().await.unwrap().status()
    }

    pub async fn events(&self, last: Option<usize>) -> Events {
        let mut request = Client::new().get(format!("{}/events", self.url));
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        Events {
            bytes: Box::pin(response.bytes_stream().map(|it| it.unwrap().to_vec())),
            buffer: String::new(),
            seen: vec![],
            ids: vec![],
            passed: 0,
        }
    }
}

impl Events {
    /// Waits for the next event of this type.
    pub async fn next(&mut self, kind: &str) -> Value {
        loop {
            while let Some(event) = self.seen.get(self.passed) {
                self.passed += 1;
                if event["type"] == kind {
                    return event.clone();
                }
            }
            self.read(kind).await;
        }
    }

    /// Waits until the model has written this.
    pub async fn text(&mut self, text: &str) {
        let written = |seen: &[Value]| {
            let texts = seen.iter().filter_map(|it| it["text"].as_str());
            texts.collect::<String>().contains(text)
        };
        while !written(&self.seen) {
            self.read(text).await;
        }
    }

    /// Waits until the message with this text has this delivery status.
    pub async fn delivery(&mut self, text: &str, status: &str) {
        loop {
            let wanted = json!({ "type": "delivery", "id": self.id(text), "status": status });
            if self.seen.contains(&wanted) {
                return;
            }
            self.read(status).await;
        }
    }

    /// Returns the ID of the message with this text, or null if it was not sent yet.
    pub fn id(&self, text: &str) -> String {
        let is_it = |it: &&Value| it["type"] == "prompt" && it["text"] == text;
        let prompt = self.seen.iter().find(is_it);
        prompt.map_or_else(String::new, |it| it["id"].as_str().unwrap().to_owned())
    }

    async fn read(&mut self, wanted: &str) {
        let bytes = timeout(LONG, self.bytes.next()).await;
        let Ok(Some(bytes)) = bytes else {
            panic!("waited for {wanted:?} after {:#?}", self.seen);
        };
        self.buffer += std::str::from_utf8(&bytes).unwrap();
        while let Some((event, rest)) = self.buffer.split_once("\n\n") {
            for line in event.lines() {
                if let Some(id) = line.strip_prefix("id: ") {
                    self.ids.push(id.parse().unwrap());
                } else if let Some(data) = line.strip_prefix("data: ") {
                    self.seen.push(serde_json::from_str(data).unwrap());
                }
            }
            self.buffer = rest.to_owned();
        }
    }
}
