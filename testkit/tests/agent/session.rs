//! A host and an agent in one thread, and the events of both.

use agentwire_protocol::Json;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::control::{self, HostRequest, Initialize};
use agentwire_protocol::host::{self, Host, Prompt, Request, RequestFailure, Transmit};
use agentwire_protocol::message::{Priority, UserMessage};
use agentwire_testkit::agent::{Agent, Config, Decision, Ending, Event, ToolCall, ToolOutcome};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A host, an agent, and the pipes between them, which split the bytes.
pub(crate) struct Session {
    pub(crate) host: Host,
    pub(crate) agent: Agent,
    pub(crate) now: Instant,
    pub(crate) cuts: Vec<usize>,
    pub(crate) next_cut: usize,
    /// The lines of the agent, abbreviated.
    pub(crate) transcript: Vec<String>,
    /// The events of the host.
    pub(crate) host_events: VecDeque<host::HostEvent>,
    /// The events of the agent.
    pub(crate) agent_events: VecDeque<Event>,
}

impl Session {
    /// Returns a session before `initialize`.
    pub(crate) fn start(config: Config, cuts: &[usize]) -> Self {
        let mut ids = 0;
        let agent = Agent::new(config, move || {
            ids += 1;
            format!("id-{ids}")
        });
        Self {
            host: Host::default(),
            agent,
            now: Instant::now(),
            cuts: cuts.to_vec(),
            next_cut: 0,
            transcript: vec![],
            host_events: VecDeque::new(),
            agent_events: VecDeque::new(),
        }
    }

    /// Returns a session whose host has hooks, before a turn.
    pub(crate) fn hooked(hooks: Value) -> Self {
        let mut session = Self::start(Config::default(), &[23, 1, 400, 7]);
        let initialize: Initialize = serde_json::from_value(json!({"hooks": hooks})).unwrap();
        session.request("init", &initialize);
        session.lines();
        session.submit("m1");
        session
    }

    /// Returns a session after `initialize`, without remaining output.
    pub(crate) fn connected(config: Config, cuts: &[usize]) -> Self {
        let mut session = Self::start(config, cuts);
        session.request("init", &Initialize::default());
        assert_eq!(session.lines(), ["success init"]);
        session.host_events.clear();
        session
    }

    pub(crate) fn new() -> Self {
        Self::connected(Config::default(), &[23, 1, 400, 7])
    }

    /// Transfers bytes until none remain.
    pub(crate) fn transfer_all(&mut self) {
        loop {
            let mut moved = false;
            while let Some(transmit) = self.host.poll_transmit() {
                moved = true;
                match transmit {
                    Transmit::Line(line) => {
                        for piece in self.cut(&line) {
                            self.agent.handle_input(self.now, &piece);
                        }
                        self.host.handle_written(self.now);
                    }
                    Transmit::End => self.agent.handle_input_end(self.now),
                }
            }
            let mut bytes = vec![];
            while let Some(line) = self.agent.poll_transmit() {
                self.transcript.push(brief(&line));
                bytes.extend_from_slice(&line);
            }
            for piece in self.cut(&bytes) {
                moved = true;
                self.host.handle_input(self.now, &piece);
            }
            self.host_events
                .extend(std::iter::from_fn(|| self.host.poll_event()));
            while let Some(event) = self.agent.poll_event() {
                // The host answers the request before the agent reads more
                // input.
                moved |= matches!(event, Event::Requested { .. });
                self.agent_events.push_back(event);
                self.agent.handle_input(self.now, &[]);
            }
            if !moved {
                return;
            }
        }
    }

    pub(crate) fn cut(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let (mut rest, mut pieces) = (bytes, vec![]);
        while !rest.is_empty() {
            let size = self.cuts[self.next_cut % self.cuts.len()];
            self.next_cut += 1;
            let (piece, behind) = rest.split_at(size.min(rest.len()));
            pieces.push(piece.to_vec());
            rest = behind;
        }
        pieces
    }

    /// Removes and returns the agent's lines.
    pub(crate) fn lines(&mut self) -> Vec<String> {
        self.transfer_all();
        std::mem::take(&mut self.transcript)
    }

    /// Removes the agent's lines. Returns those that are not stream events.
    pub(crate) fn lines_without_events(&mut self) -> Vec<String> {
        let mut said = self.lines();
        said.retain(|line| !line.starts_with("event "));
        said
    }

    pub(crate) fn submit(&mut self, uuid: &str) {
        self.submit_at(uuid, None);
    }

    pub(crate) fn submit_at(&mut self, uuid: &str, priority: Option<Priority>) {
        let mut message = UserMessage::new(format!("say {uuid}"));
        message.priority = priority;
        self.host
            .submit(self.now, Prompt::new(uuid, message).unwrap())
            .unwrap();
    }

    pub(crate) fn request<R: HostRequest>(&mut self, id: &str, request: &R) {
        let request = Request::new(id, request).unwrap();
        self.host
            .request(self.now, request, Duration::from_secs(60))
            .unwrap();
    }

    /// Returns the payload of a successful response.
    pub(crate) fn answer(&mut self, id: &str) -> Value {
        match self.response(id) {
            Ok(answer) => answer.read().unwrap(),
            Err(failure) => panic!("{failure}"),
        }
    }

    pub(crate) fn response(&mut self, id: &str) -> Result<control::Answer, Box<RequestFailure>> {
        self.transfer_all();
        let outcome = self.host_events.iter().find_map(|event| match event {
            host::HostEvent::RequestEnded {
                request_id,
                outcome,
            } if &**request_id == id => Some(outcome.clone().map_err(Box::new)),
            _ => None,
        });
        let Some(outcome) = outcome else {
            panic!("{id} is not answered")
        };
        outcome
    }

    /// Returns the next event of the agent.
    pub(crate) fn event(&mut self) -> Option<Event> {
        self.transfer_all();
        self.agent_events.pop_front()
    }

    /// Asserts that a turn has started with these prompts.
    #[track_caller]
    pub(crate) fn assert_turn_starts(&mut self, uuids: &[&str]) {
        let event = self.event();
        let Some(Event::TurnStarted { prompts }) = event else {
            panic!("{event:?}")
        };
        let begun: Vec<_> = prompts.iter().filter_map(|p| p.uuid.as_deref()).collect();
        assert_eq!(begun, uuids);
    }

    #[track_caller]
    pub(crate) fn exit_status(&mut self) -> i32 {
        let event = self.event();
        let Some(Event::Exit { code, .. }) = event else {
            panic!("{event:?}")
        };
        code
    }

    #[track_caller]
    pub(crate) fn decision(&mut self, id: &str) -> Decision {
        let event = self.event();
        let Some(Event::ToolDecided {
            tool_use_id,
            decision,
        }) = event
        else {
            panic!("{event:?}")
        };
        assert_eq!(tool_use_id, id);
        decision
    }

    /// Returns the ID of the last permission request.
    #[track_caller]
    pub(crate) fn permission_request_id(&mut self) -> Box<str> {
        self.transfer_all();
        let id = self.host_events.iter().rev().find_map(|event| match event {
            host::HostEvent::IncomingRequest(ask) => Some(ask.request_id.clone()),
            _ => None,
        });
        id.expect("an ask")
    }

    /// Returns the pending requests of the agent, in order of arrival.
    pub(crate) fn open(&mut self) -> Vec<Value> {
        self.transfer_all();
        let asks = self.host_events.iter().filter_map(|event| match event {
            host::HostEvent::IncomingRequest(ask) if self.host.is_open(&ask.request_id) => {
                Some(serde_json::from_slice(ask.frame.raw()).unwrap())
            }
            _ => None,
        });
        asks.collect()
    }

    /// Returns the ID of the pending request with this subtype.
    #[track_caller]
    pub(crate) fn request_id_of(&mut self, subtype: &str) -> String {
        let mut open = self.open().into_iter();
        let is_wanted = |it: &Value| it["request"]["subtype"] == json!(subtype);
        let request = open.find(is_wanted).expect("an open request");
        request["request_id"].as_str().unwrap().to_owned()
    }

    /// Returns the oldest pending message to an MCP server.
    #[track_caller]
    pub(crate) fn mcp(&mut self) -> (String, Value) {
        let mut open = self.open().into_iter();
        let is_wanted = |it: &Value| it["request"]["subtype"] == json!("mcp_message");
        let request = open.find(is_wanted).expect("a message for a server");
        let id = request["request_id"].as_str().unwrap().to_owned();
        (id, request["request"]["message"].clone())
    }

    /// Responds to the oldest message to a server, which must have this method.
    /// Notifications have no result.
    #[track_caller]
    pub(crate) fn respond_as_server(&mut self, method: &str, result: Value) {
        let (id, message) = self.mcp();
        assert_eq!(message["method"], json!(method));
        let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        self.respond(&id, &json!({"mcp_response": reply}));
        self.transfer_all();
    }

    /// Returns the pending call of a hook.
    #[track_caller]
    pub(crate) fn hook(&mut self, callback_id: &str) -> Value {
        let mut open = self.open().into_iter();
        let is_wanted = |it: &Value| it["request"]["callback_id"] == json!(callback_id);
        open.find(is_wanted)
            .unwrap_or_else(|| panic!("{callback_id} is not asked"))
    }

    /// Responds to a hook call.
    #[track_caller]
    pub(crate) fn respond_to_hook(&mut self, callback_id: &str, answer: Value) {
        let request = self.hook(callback_id);
        self.respond(request["request_id"].as_str().unwrap(), &answer);
        self.transfer_all();
    }

    /// Fails a hook call.
    #[track_caller]
    pub(crate) fn fail_hook(&mut self, callback_id: &str) {
        let request = self.hook(callback_id);
        let id = request["request_id"].as_str().unwrap();
        let line = control::failure(id, &control::Refusal::new("the hook broke"));
        self.host.respond(id, line);
        self.transfer_all();
    }

    /// Advances the clock by this many seconds.
    pub(crate) fn wait(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
        self.agent.handle_timeout(self.now);
        self.transfer_all();
    }

    /// Returns the received messages of one kind.
    pub(crate) fn messages(&mut self, kind: &str, subtype: Option<&str>) -> Vec<Value> {
        self.transfer_all();
        let frames = self.host_events.iter().filter_map(|event| match event {
            host::HostEvent::Frame(frame) => {
                Some(serde_json::from_slice::<Value>(frame.raw()).unwrap())
            }
            _ => None,
        });
        frames
            .filter(|it| it["type"] == json!(kind))
            .filter(|it| subtype.is_none_or(|subtype| it["subtype"] == json!(subtype)))
            .collect()
    }

    /// Returns the content of the last tool result.
    #[track_caller]
    pub(crate) fn tool_result(&mut self) -> Value {
        let results = self.messages("user", None);
        results.last().unwrap()["message"]["content"][0]["content"].clone()
    }

    pub(crate) fn respond(&mut self, request_id: &str, result: &impl Serialize) -> bool {
        let line = control::success(request_id, Some(result)).unwrap();
        self.host.respond(request_id, line)
    }

    // Output of the model and the tools.

    /// Calls one tool, with or without a permission request.
    pub(crate) fn call_tool(&mut self, id: &str, name: &str, input: &Value, asks: bool) {
        self.agent.start_message("msg");
        self.agent
            .start_block(ContentBlock::tool_use(id, name, input.clone()));
        self.agent.stop_block();
        self.agent.stop_message();
        let call = ToolCall::new(id, name, input.clone()).asks(asks);
        self.agent.call_tool(self.now, call);
    }

    pub(crate) fn say_text(&mut self, text: &str) {
        self.agent.start_message("msg");
        self.agent.start_block(ContentBlock::text(""));
        for piece in text.split_inclusive(' ') {
            self.agent.say(piece);
        }
        self.agent.stop_block();
        self.agent.stop_message();
    }

    /// Starts a text block without ending it.
    pub(crate) fn start_text(&mut self, text: &str) {
        self.agent.start_message("msg");
        self.agent.start_block(ContentBlock::text(""));
        self.agent.say(text);
    }

    /// Calls tools, each with a permission request.
    pub(crate) fn call_tools(&mut self, ids: &[&str]) {
        self.agent.start_message("msg");
        for id in ids {
            self.agent
                .start_block(ContentBlock::tool_use(*id, "Bash", input(id)));
            self.agent.stop_block();
        }
        self.agent.stop_message();
        for id in ids {
            self.agent
                .call_tool(self.now, ToolCall::new(*id, "Bash", input(id)));
        }
    }

    /// Finishes a tool, and checks that its result is sent.
    #[track_caller]
    pub(crate) fn finish_tool(&mut self, id: &str, answer: &str, is_error: bool) {
        let outcome = if is_error {
            ToolOutcome::error(answer)
        } else {
            ToolOutcome::success(answer)
        };
        self.agent.finish_tool(self.now, id, outcome);
        let tool_use_id = id.to_owned();
        assert_eq!(self.event(), Some(Event::ToolFinished { tool_use_id }));
    }

    /// Finishes all tools, and checks that the turn continues.
    #[track_caller]
    pub(crate) fn finish_tools(&mut self) {
        self.agent.finish_tools(self.now);
        assert_eq!(self.event(), Some(Event::TurnContinued));
    }

    pub(crate) fn end_turn(&mut self) {
        self.agent.finish_turn(self.now, &Ending::Completed);
    }

    pub(crate) fn fail_turn(&mut self) {
        let ending = Ending::ApiError {
            kind: "overloaded_error".to_owned(),
            status: 500,
            message: "the API is down".to_owned(),
        };
        self.agent.finish_turn(self.now, &ending);
    }
}

pub(crate) fn input(id: &str) -> Json {
    json!({ "command": format!("run {id}") }).into()
}

/// Abbreviates a line of the agent.
pub(crate) fn brief(line: &[u8]) -> String {
    let line: Value = serde_json::from_slice(line).unwrap();
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let uuids = |value: &Value| match value {
        Value::Array(uuids) => uuids.iter().map(word).collect::<Vec<_>>().join(" "),
        _ => "-".to_owned(),
    };
    match (
        word(&line["type"]).as_str(),
        word(&line["subtype"]).as_str(),
    ) {
        ("system", "session_state_changed") => word(&line["state"]),
        ("system", "init") => format!("init [{}]", uuids(&line["user_message_uuids"])),
        ("system", subtype) => subtype.to_owned(),
        ("command_lifecycle", _) => {
            format!("{} {}", word(&line["command_uuid"]), word(&line["state"]))
        }
        ("stream_event", _) => format!("event {}", word(&line["event"]["type"])),
        ("assistant", _) => {
            let block = &line["message"]["content"][0];
            let aborted = if line["aborted"] == json!(true) {
                " aborted"
            } else {
                ""
            };
            format!("assistant {}{aborted}", word(&block["type"]))
        }
        ("user", _) => {
            let block = &line["message"]["content"][0];
            match block["tool_use_id"].as_str() {
                Some(id) if block["is_error"] == json!(true) => format!("tool error {id}"),
                Some(id) => format!("tool result {id}"),
                None => format!("user {}", word(&block["type"])),
            }
        }
        ("result", subtype) => format!(
            "result {subtype} {} [{}]",
            word(&line["terminal_reason"]),
            uuids(&line["user_message_uuids"])
        ),
        ("control_request", _) => {
            let request = &line["request"];
            match word(&request["subtype"]).as_str() {
                "can_use_tool" => format!("ask {}", word(&request["tool_use_id"])),
                "hook_callback" => format!("hook {}", word(&request["callback_id"])),
                "mcp_message" => {
                    let server = word(&request["server_name"]);
                    format!("mcp {server} {}", word(&request["message"]["method"]))
                }
                subtype => subtype.to_owned(),
            }
        }
        ("control_cancel_request", _) => "cancel".to_owned(),
        ("control_response", _) => format!(
            "{} {}",
            word(&line["response"]["subtype"]),
            word(&line["response"]["request_id"])
        ),
        (other, _) => other.to_owned(),
    }
}

#[derive(Serialize)]
pub(crate) struct CancelAsyncMessage {
    pub(crate) subtype: &'static str,
    pub(crate) message_uuid: &'static str,
}

impl HostRequest for CancelAsyncMessage {
    const SUBTYPE: &'static str = "cancel_async_message";
    type Response = Value;
}

pub(crate) fn withdraw(message_uuid: &'static str) -> CancelAsyncMessage {
    CancelAsyncMessage {
        subtype: CancelAsyncMessage::SUBTYPE,
        message_uuid,
    }
}

/// Returns a session in which tools wait for permission.
pub(crate) fn pending_permissions(ids: &[&str]) -> Session {
    let mut session = Session::new();
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.call_tools(ids);
    session.lines();
    session
}
