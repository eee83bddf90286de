//! Tests of `agentwire model`.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_testing::TempDir;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use support::{agentwire, stderr};

/// A server that is killed on drop.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    address: String,
    folder: TempDir,
}

impl Server {
    fn start(script: &Value) -> Self {
        let folder = agentwire_testing::tempdir().unwrap();
        std::fs::write(folder.path().join("script.json"), script.to_string()).unwrap();
        let mut child = command(&folder.path().join("script.json"))
            .arg("--log")
            .arg(folder.path().join("log.ndjson"))
            .arg("--until-stdin-ends")
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().to_owned();
        Self {
            input: child.stdin.take(),
            child,
            address,
            folder,
        }
    }

    /// Sends a request. Returns the head and the body of the response.
    fn ask(&self, request: &str, body: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let head = format!(
            "{request} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    fn say(&self, prompt: &str, stream: bool) -> (String, String) {
        let messages = json!([{ "role": "user", "content": prompt }]);
        let body = json!({ "model": "m", "stream": stream, "messages": messages });
        self.ask("POST /v1/messages", &body.to_string())
    }

    /// Closes standard input of the server. Checks the last line of the log, and returns the
    /// other lines.
    fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
        let log = std::fs::read_to_string(self.folder.path().join("log.ndjson")).unwrap();
        let lines = log.lines().map(serde_json::from_str);
        let mut log: Vec<Value> = lines.map(Result::unwrap).collect();
        let end = json!({ "end": { "requests": log.len() - 1 } });
        assert_eq!(log.pop(), Some(end));
        log
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn command(script: &Path) -> Command {
    let mut command = agentwire("model");
    command
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn the_model_follows_the_script_and_logs_requests() {
    let overloaded = json!({ "status": 529, "type": "overloaded_error", "message": "Later." });
    let server = Server::start(&json!({ "replies": [
        { "say": [{ "error": overloaded }], "headers": { "retry-after": "2" } },
        { "say": [{ "text": "Hello there." }], "headers": { "anthropic-ratelimit-unified-status": "allowed" } },
        { "when": { "prompt": { "contains": "whole" } }, "say": [{ "text": "In one piece." }],
          "usage": { "input_tokens": 3, "output_tokens": 4 }, "stop_reason": "max_tokens" },
    ] }));

    let (head, body) = server.say("Hi", true);
    assert!(
        head.starts_with("HTTP/1.1 529") && head.contains("\r\nretry-after: 2"),
        "{head}"
    );
    let body: Value = serde_json::from_str(&body).unwrap();
    let error = json!({ "type": "overloaded_error", "message": "Later." });
    assert_eq!(body, json!({ "type": "error", "error": error }));

    let (head, body) = server.say("Hi", true);
    assert!(
        head.contains("text/event-stream") && head.contains("unified-status: allowed"),
        "{head}"
    );
    assert!(
        body.contains("event: content_block_delta") && body.contains("there."),
        "{body}"
    );

    let (_, body) = server.say("All of it, whole", false);
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        body["content"],
        json!([{ "type": "text", "text": "In one piece." }])
    );
    assert_eq!(
        (&body["stop_reason"], &body["usage"]["output_tokens"]),
        (&json!("max_tokens"), &json!(4))
    );

    let (head, body) = server.ask("POST /v1/messages/count_tokens", "{\"messages\":[]}");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let count: Value = serde_json::from_str(&body).unwrap();
    assert!(count["input_tokens"].as_u64() > Some(0));

    let (head, _) = server.say("More", false);
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");

    let log = server.end();
    let answers: Vec<_> = log.iter().map(|it| (&it["answer"], &it["place"])).collect();
    let [zero, one, two] = [0, 1, 2].map(|number| json!({ "reply": number }));
    let (end, other, none) = (json!("end_of_script"), json!("other"), Value::Null);
    let places = [json!(0), json!(1), json!(2)];
    let expected = [
        (&zero, &places[0]),
        (&one, &places[1]),
        (&two, &places[2]),
        (&other, &none),
        (&end, &none),
    ];
    assert_eq!(answers, expected);
    assert_eq!(log[0]["body"]["messages"][0]["content"], "Hi");
    assert_eq!(log[3]["path"], "/v1/messages/count_tokens");
}

#[test]
fn a_gate_is_reached_and_opened_from_outside() {
    let server = Server::start(&json!({ "replies": [[{ "gate": "go" }, { "text": "Through." }]] }));
    std::thread::scope(|threads| {
        let said = threads.spawn(|| server.say("Hi", false).1);
        let (head, _) = server.ask("GET /gates/go", "");
        assert!(head.starts_with("HTTP/1.1 204"), "{head}");
        assert!(!said.is_finished());
        let (head, _) = server.ask("POST /gates/go", "");
        assert!(head.starts_with("HTTP/1.1 204"), "{head}");
        assert!(said.join().unwrap().contains("Through."));
    });
    let (head, body) = server.ask("POST /gates/gone", "");
    assert!(
        head.starts_with("HTTP/1.1 404") && body.contains("it has: go"),
        "{head} {body}"
    );
    assert_eq!(server.end().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server() {
    let mut server = Server::start(&json!({ "replies": [] }));
    let pid = server.child.id().to_string();
    let kill = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(kill.unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_invalid_script_is_status_2_with_the_position() {
    let folder = agentwire_testing::tempdir().unwrap();
    let script = folder.path().join("script.json");
    std::fs::write(&script, "{\n\"replies\": [[{\"txt\": 1}]]}").unwrap();
    for (script, complaint) in [
        (script, "at line 2 column"),
        (PathBuf::from("/no/such/file"), "cannot read /no/such/file"),
    ] {
        let output = command(&script).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let error = stderr(&output);
        assert!(error.contains(complaint), "{error}");
    }
}
