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
    pub id: String,
    url: String,
}

/// The events of a session, and a copy of its entries.
pub struct Events {
    bytes: Pin<Box<dyn Stream<Item = Vec<u8>>>>,
    buffer: String,
    /// The entries, in the order in which they were inserted.
    pub entries: Vec<Value>,
    pub session: Value,
    /// The names of the events so far.
    pub names: Vec<String>,
    /// The ID of the last event.
    pub last: String,
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
        let url = format!("{}{path}", self.url);
        Client::new().get(url).send().await.unwrap()
    }

    /// Creates a session.
    pub async fn session(&self) -> Session {
        let url = format!("{}/sessions", self.url);
        let created = Client::new().post(url).send().await.unwrap();
        let created: Value = created.json().await.unwrap();
        self.open(created["id"].as_str().unwrap())
    }

    /// Returns the session with this ID.
    pub fn open(&self, id: &str) -> Session {
        Session {
            id: id.to_owned(),
            url: format!("{}/sessions/{id}", self.url),
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

    /// Responds to the request of an entry.
    pub async fn respond(&self, entry: &Value, response: &Value) -> StatusCode {
        let id = entry["request_id"].as_str().unwrap();
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

    pub async fn events(&self, last: Option<&str>) -> Events {
        let mut request = Client::new().get(format!("{}/events", self.url));
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        Events {
            bytes: Box::pin(response.bytes_stream().map(|it| it.unwrap().to_vec())),
            buffer: String::new(),
            entries: vec![],
            session: Value::Null,
            names: vec![],
            last: String::new(),
        }
    }
}

impl Events {
    /// Waits for an entry for which the condition holds. Returns it.
    pub async fn entry(&mut self, about: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(entry) = self.entries.iter().find(|it| is_it(it)) {
                return entry.clone();
            }
            self.read(about).await;
        }
    }

    /// Waits until there are so many entries of this type. Returns the last one.
    pub async fn nth(&mut self, count: usize, kind: &str) -> Value {
        loop {
            let mut entries = self.entries.iter().filter(|it| it["type"] == kind);
            if let Some(entry) = entries.nth(count - 1) {
                return entry.clone();
            }
            self.read(kind).await;
        }
    }

    /// Waits until the model has written this.
    pub async fn text(&mut self, text: &str) {
        let is_it = |it: &Value| it["type"] == "text" && it["text"]["text"] == text;
        self.entry(text, is_it).await;
    }

    /// Waits until the prompt with this text has this delivery state. Returns its ID.
    pub async fn delivery(&mut self, text: &str, state: &str) -> String {
        let is_it = |it: &Value| it["text"]["text"] == text && it["delivery"] == state;
        let prompt = self.entry(state, is_it).await;
        prompt["id"].as_str().unwrap().to_owned()
    }

    /// Waits until the session does this.
    pub async fn activity(&mut self, activity: &str) {
        while self.session["activity"] != activity {
            self.read(activity).await;
        }
    }

    pub async fn read(&mut self, wanted: &str) {
        let bytes = timeout(LONG, self.bytes.next()).await;
        let Ok(Some(bytes)) = bytes else {
            panic!("waited for {wanted:?} after {:#?}", self.entries);
        };
        self.buffer += std::str::from_utf8(&bytes).unwrap();
        while let Some((event, rest)) = self.buffer.split_once("\n\n") {
            let field = |name: &str| event.lines().find_map(|it| it.strip_prefix(name));
            let (name, id, data) = (field("event: "), field("id: "), field("data: "));
            if let (Some(name), Some(id), Some(data)) = (name, id, data) {
                let data: Value = serde_json::from_str(data).unwrap();
                self.last = id.to_owned();
                self.names.push(name.to_owned());
                match name {
                    "snapshot" => {
                        self.entries = data["entries"].as_array().unwrap().clone();
                        self.session = data["session"].clone();
                    }
                    _ => apply(&mut self.entries, &mut self.session, &data),
                }
            }
            self.buffer = rest.to_owned();
        }
    }
}

fn apply(entries: &mut Vec<Value>, session: &mut Value, change: &Value) {
    let at = entries.iter().position(|it| it["id"] == change["id"]);
    match (change["change"].as_str().unwrap(), at) {
        ("insert", _) => entries.push(change["entry"].clone()),
        ("session", _) => *session = change["session"].clone(),
        ("clear", _) => entries.clear(),
        ("append", Some(at)) => {
            let text = &mut entries[at][change["member"].as_str().unwrap()]["text"];
            *text = json!(
                text.as_str().unwrap_or_default().to_owned() + change["text"].as_str().unwrap()
            );
        }
        ("set", Some(at)) => {
            let members = change["set"].as_object().unwrap().clone();
            entries[at].as_object_mut().unwrap().extend(members);
        }
        ("remove", Some(at)) => drop(entries.remove(at)),
        // Tests do not depend on positions.
        _ => {}
    }
}
