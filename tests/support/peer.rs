//! An agent at the other end of two pipes, controlled by a test.

use agentwire::transport::Pipes;
use agentwire::{Client, Error, Options};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};

/// The agent's ends of the pipes.
pub(crate) struct Peer {
    pub(crate) input: Lines<BufReader<DuplexStream>>,
    pub(crate) output: DuplexStream,
}

impl Peer {
    pub(crate) async fn says(&mut self, line: &str) {
        self.output.write_all(line.as_bytes()).await.unwrap();
        self.output.write_all(b"\n").await.unwrap();
    }

    /// Reads the next line of the host.
    pub(crate) async fn hears(&mut self) -> Value {
        let line = self.input.next_line().await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request, and does not wait for the response.
    pub(crate) async fn asks(&mut self, request_id: &str, request: &Value) {
        let line = json!({"type": "control_request", "request_id": request_id, "request": request});
        self.says(&line.to_string()).await;
    }

    pub(crate) async fn cancels(&mut self, request_id: &str) {
        let line = json!({"type": "control_cancel_request", "request_id": request_id});
        self.says(&line.to_string()).await;
    }

    /// Reads the next response. Returns the ID of its request, and its data or error.
    pub(crate) async fn is_answered(&mut self) -> (String, Value) {
        let line = self.hears().await;
        let answer = &line["response"];
        let what = match answer["subtype"].as_str() {
            Some("success") => &answer["response"],
            _ => &answer["error"],
        };
        let id = answer["request_id"].as_str();
        (
            id.unwrap_or_else(|| panic!("no answer: {line}")).to_owned(),
            what.clone(),
        )
    }

    /// Responds to the host's next request, and returns the request.
    pub(crate) async fn answers(&mut self, response: &Value) -> Value {
        let line = self.hears().await;
        let answer = json!({
            "type": "control_response",
            "response": {
                "subtype": "success",
                "request_id": line["request_id"],
                "response": response,
            },
        });
        self.says(&answer.to_string()).await;
        line["request"].clone()
    }

    /// Refuses the host's next request, like an agent that does not support it.
    pub(crate) async fn does_not_know(&mut self) {
        let answer = json!({
            "type": "control_response",
            "response": {
                "subtype": "error",
                "request_id": self.hears().await["request_id"],
                "error": "What?",
                "error_code": "unsupported_request",
            },
        });
        self.says(&answer.to_string()).await;
    }
}

/// Connects a session with this response to `initialize`. Also returns the request.
pub(crate) async fn connect_with(
    options: Options,
    answer: &Value,
) -> (Result<Client, Error>, Peer, Value) {
    let (to_agent, input) = tokio::io::duplex(4096);
    let (output, from_agent) = tokio::io::duplex(4096);
    let mut agent = Peer {
        input: BufReader::new(input).lines(),
        output,
    };
    let client = Client::connect_over(Pipes::new(from_agent, to_agent), options);
    let (client, request) = tokio::join!(client, agent.answers(answer));
    (client, agent, request)
}

/// Connects a session.
pub(crate) async fn connect(options: Options) -> (Client, Peer) {
    let (client, agent, _) = connect_with(options, &json!({"pid": 7})).await;
    (client.unwrap(), agent)
}
