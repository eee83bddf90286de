//! An ACP client that knows nothing of the crate: lines of JSON.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

pub(crate) mod kinds;

use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines};
use tokio::time::timeout;

/// A timeout that only a broken test exceeds.
const LONG: Duration = Duration::from_secs(60);

type Respond = Box<dyn FnMut(&str, &Value) -> Option<Value> + Send>;

pub(crate) struct Peer {
    writer: Box<dyn AsyncWrite + Unpin + Send>,
    lines: Lines<BufReader<Box<dyn AsyncRead + Unpin + Send>>>,
    last: u64,
    responses: HashMap<u64, Result<Value, Value>>,
    /// Responds to requests of the agent. `None` leaves a request pending.
    pub(crate) respond: Respond,
    /// Everything that was received and sent, in order: a name, and the content.
    pub(crate) log: Vec<(String, Value)>,
    /// The updates of all sessions, in order.
    pub(crate) updates: Vec<Value>,
    /// The requests of the agent: method and parameters.
    pub(crate) requests: Vec<(String, Value)>,
    /// The notifications that are no updates.
    pub(crate) notifications: Vec<(String, Value)>,
}

impl Peer {
    pub(crate) fn new(
        reader: impl AsyncRead + Unpin + Send + 'static,
        writer: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Self {
        let reader: Box<dyn AsyncRead + Unpin + Send> = Box::new(reader);
        Self {
            writer: Box::new(writer),
            lines: BufReader::new(reader).lines(),
            last: 0,
            responses: HashMap::new(),
            respond: Box::new(|_, _| None),
            log: Vec::new(),
            updates: Vec::new(),
            requests: Vec::new(),
            notifications: Vec::new(),
        }
    }

    async fn write(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.flush().await.unwrap();
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.write(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// Sends a request. Returns its ID.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.log.push((format!("> {method}"), params.clone()));
        self.write(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        id
    }

    /// Takes one message of the agent. Returns `false` at the end.
    pub(crate) async fn step(&mut self) -> bool {
        let line = timeout(LONG, self.lines.next_line()).await;
        let Some(line) = line.expect("the agent is silent").unwrap() else {
            return false;
        };
        let mut message: Value = serde_json::from_str(&line).unwrap();
        let params = message["params"].take();
        if let Some(method) = message["method"].as_str() {
            self.log.push((method.to_owned(), params.clone()));
        }
        match (message["method"].as_str(), message.get("id")) {
            (Some("session/update"), _) => self.updates.push(params),
            (Some(method), Some(id)) => {
                if let Some(result) = (self.respond)(method, &params) {
                    self.write(json!({"jsonrpc": "2.0", "id": id, "result": result}))
                        .await;
                }
                self.requests.push((method.to_owned(), params));
            }
            (Some(method), None) => self.notifications.push((method.to_owned(), params)),
            (None, id) => {
                let id = id.and_then(Value::as_u64).expect(&line);
                let response = match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].take()),
                };
                self.log.push(match &response {
                    Ok(result) => ("result".to_owned(), result.clone()),
                    Err(error) => ("error".to_owned(), error.clone()),
                });
                self.responses.insert(id, response);
            }
        }
        true
    }

    /// Waits for the response to a request.
    pub(crate) async fn response(&mut self, id: u64) -> Result<Value, Value> {
        loop {
            if let Some(response) = self.responses.remove(&id) {
                return response;
            }
            assert!(self.step().await, "the agent has ended");
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.response(id).await.unwrap()
    }

    /// Waits until an update or a request satisfies the condition.
    pub(crate) async fn until(&mut self, mut met: impl FnMut(&Self) -> bool) {
        while !met(self) {
            assert!(self.step().await, "the agent has ended");
        }
    }

    pub(crate) async fn initialize(&mut self) -> Value {
        let params = json!({
            "protocolVersion": 1,
            "clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
        });
        self.request("initialize", params).await
    }

    /// Opens a session. Returns its ID.
    pub(crate) async fn open(&mut self, cwd: &std::path::Path) -> String {
        let params = json!({"cwd": cwd, "mcpServers": []});
        let response = self.request("session/new", params).await;
        response["sessionId"].as_str().unwrap().to_owned()
    }

    /// Sends a prompt, and waits for its response.
    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> Result<Value, Value> {
        let id = self.send_prompt(session, text).await;
        self.response(id).await
    }

    pub(crate) async fn send_prompt(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{"type": "text", "text": text}]);
        self.send(
            "session/prompt",
            json!({"sessionId": session, "prompt": prompt}),
        )
        .await
    }

    /// Returns the updates of a kind.
    pub(crate) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        let updates = self.updates.iter().map(|it| &it["update"]);
        updates.filter(move |it| it["sessionUpdate"] == kind)
    }

    /// Returns the text of all message chunks of a kind.
    pub(crate) fn text(&self, kind: &str) -> String {
        let chunks = self.of_kind(kind);
        chunks
            .filter_map(|it| it["content"]["text"].as_str())
            .collect()
    }

    /// Returns a tool call with all its updates.
    pub(crate) fn call(&self, id: &str) -> Value {
        let mut call = json!({});
        for update in &self.updates {
            let update = &update["update"];
            if update["toolCallId"] == id {
                for (name, value) in update.as_object().unwrap() {
                    if name != "sessionUpdate" {
                        call[name] = value.clone();
                    }
                }
            }
        }
        call
    }
}

/// Returns the response to a permission request that selects the first option of a kind.
pub(crate) fn select(params: &Value, kind: &str) -> Value {
    let options = params["options"].as_array().unwrap();
    let option = options.iter().find(|it| it["kind"] == kind).unwrap();
    json!({"outcome": {"outcome": "selected", "optionId": option["optionId"]}})
}
