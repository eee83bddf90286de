//! The agent's state machine and the host's, joined in one thread: whole
//! turns, interrupts, the agent's queue, and the end.
#![allow(clippy::unwrap_used)]

use agentwire_protocol::agent::{Agent, Config, Decision, Ending, Event};
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::control::{
    self, HostRequest, Initialize, Interrupt, Refusal, SetModel, SetPermissionMode,
};
use agentwire_protocol::host::{self, Activity, Host, Prompt, Request, RequestFailure, Transmit};
use agentwire_protocol::message::{Priority, UserMessage};
use agentwire_protocol::permission::{PermissionMode, PermissionResult};
use agentwire_protocol::{Json, Message};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A host and an agent, and the pipes between them, which cut the bytes in
/// pieces.
struct Session {
    host: Host,
    agent: Agent,
    now: Instant,
    cuts: Vec<usize>,
    next_cut: usize,
    /// What the agent wrote, in short.
    said: Vec<String>,
    /// What the host told its driver.
    heard: VecDeque<host::Event>,
    /// What the agent told its driver.
    todo: VecDeque<Event>,
}

impl Session {
    /// A session that is not connected yet.
    fn start(config: Config, cuts: &[usize]) -> Self {
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
            said: vec![],
            heard: VecDeque::new(),
            todo: VecDeque::new(),
        }
    }

    /// A session that is connected, with nothing left to look at.
    fn connected(config: Config, cuts: &[usize]) -> Self {
        let mut session = Self::start(config, cuts);
        session.request("init", &Initialize::default());
        assert_eq!(session.said(), ["success init"]);
        session.heard.clear();
        session
    }

    fn new() -> Self {
        Self::connected(Config::default(), &[23, 1, 400, 7])
    }

    /// Moves bytes until nothing moves.
    fn pump(&mut self) {
        loop {
            let mut moved = false;
            while let Some(transmit) = self.host.poll_transmit() {
                moved = true;
                match transmit {
                    Transmit::Line(line) => {
                        for piece in self.cut(&line) {
                            self.agent.handle_input(self.now, &piece);
                        }
                        self.host.handle_written();
                    }
                    Transmit::End => self.agent.handle_input_end(self.now),
                }
            }
            let mut bytes = vec![];
            while let Some(line) = self.agent.poll_transmit() {
                self.said.push(brief(&line));
                bytes.extend_from_slice(&line);
            }
            for piece in self.cut(&bytes) {
                moved = true;
                self.host.handle_input(self.now, &piece);
            }
            self.heard
                .extend(std::iter::from_fn(|| self.host.poll_event()));
            self.todo
                .extend(std::iter::from_fn(|| self.agent.poll_event()));
            if !moved {
                return;
            }
        }
    }

    fn cut(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
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

    /// What the agent wrote since the last time.
    fn said(&mut self) -> Vec<String> {
        self.pump();
        std::mem::take(&mut self.said)
    }

    /// The same, without the events of the model's stream.
    fn said_in_whole(&mut self) -> Vec<String> {
        let mut said = self.said();
        said.retain(|line| !line.starts_with("event "));
        said
    }

    fn submit(&mut self, uuid: &str) {
        self.submit_at(uuid, None);
    }

    fn submit_at(&mut self, uuid: &str, priority: Option<Priority>) {
        let mut message = UserMessage::new(format!("say {uuid}"));
        message.priority = priority;
        self.host
            .submit(Prompt::new(uuid, message).unwrap())
            .unwrap();
    }

    fn request<R: HostRequest>(&mut self, id: &str, request: &R) {
        let request = Request::new(id, request).unwrap();
        self.host
            .request(self.now, request, Duration::from_secs(60))
            .unwrap();
    }

    /// The answer to a request that went well.
    fn answer(&mut self, id: &str) -> Value {
        match self.outcome(id) {
            Ok(answer) => answer.read().unwrap(),
            Err(failure) => panic!("{failure}"),
        }
    }

    fn outcome(&mut self, id: &str) -> Result<control::Answer, Box<RequestFailure>> {
        self.pump();
        let outcome = self.heard.iter().find_map(|event| match event {
            host::Event::Answered {
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

    /// What the agent needs its driver for next.
    fn event(&mut self) -> Option<Event> {
        self.pump();
        self.todo.pop_front()
    }

    /// A turn began, with these prompts.
    #[track_caller]
    fn begins(&mut self, uuids: &[&str]) {
        let event = self.event();
        let Some(Event::TurnStarted { prompts }) = event else {
            panic!("{event:?}")
        };
        let begun: Vec<_> = prompts.iter().filter_map(|p| p.uuid.as_deref()).collect();
        assert_eq!(begun, uuids);
    }

    #[track_caller]
    fn exits(&mut self) -> i32 {
        let event = self.event();
        let Some(Event::Exit { code, .. }) = event else {
            panic!("{event:?}")
        };
        code
    }

    #[track_caller]
    fn decision(&mut self, id: &str) -> Decision {
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

    /// The id of the ask that the host heard last.
    #[track_caller]
    fn ask_id(&mut self) -> Box<str> {
        self.pump();
        let id = self.heard.iter().rev().find_map(|event| match event {
            host::Event::Ask(ask) => Some(ask.request_id.clone()),
            _ => None,
        });
        id.expect("an ask")
    }

    fn respond(&mut self, request_id: &str, result: &impl Serialize) -> bool {
        let line = control::success(request_id, Some(result)).unwrap();
        self.host.respond(request_id, line)
    }

    // What the model and the tools do.

    fn says(&mut self, text: &str) {
        self.agent.start_message("msg");
        self.agent.start_block(ContentBlock::text(""));
        for piece in text.split_inclusive(' ') {
            self.agent.say(piece);
        }
        self.agent.stop_block();
        self.agent.stop_message();
    }

    /// The model begins a text and does not end it.
    fn begins_to_say(&mut self, text: &str) {
        self.agent.start_message("msg");
        self.agent.start_block(ContentBlock::text(""));
        self.agent.say(text);
    }

    /// The model calls tools, and the host is asked about each.
    fn calls(&mut self, ids: &[&str]) {
        self.agent.start_message("msg");
        for id in ids {
            self.agent
                .start_block(ContentBlock::tool_use(*id, "Bash", input(id)));
            self.agent.stop_block();
        }
        self.agent.stop_message();
        for id in ids {
            self.agent.ask(id, "Bash", input(id));
        }
    }

    fn ends_turn(&mut self) {
        self.agent.finish_turn(self.now, &Ending::Completed);
    }

    fn fails_turn(&mut self) {
        let ending = Ending::ApiError {
            status: 500,
            message: "the API is down".to_owned(),
        };
        self.agent.finish_turn(self.now, &ending);
    }
}

fn input(id: &str) -> Json {
    json!({ "command": format!("run {id}") }).into()
}

/// A line of the agent's, in short.
fn brief(line: &[u8]) -> String {
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
        ("control_request", _) => format!("ask {}", word(&line["request"]["tool_use_id"])),
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
struct CancelAsyncMessage {
    subtype: &'static str,
    message_uuid: &'static str,
}

impl HostRequest for CancelAsyncMessage {
    const SUBTYPE: &'static str = "cancel_async_message";
    type Answer = Value;
}

fn withdraw(message_uuid: &'static str) -> CancelAsyncMessage {
    CancelAsyncMessage {
        subtype: CancelAsyncMessage::SUBTYPE,
        message_uuid,
    }
}

// A turn.

/// Everything that a turn with a text and a tool looks like from both sides.
fn a_whole_turn(cuts: &[usize]) -> (Vec<String>, Vec<String>) {
    let mut session = Session::connected(Config::default(), cuts);
    session.submit("m1");
    session.begins(&["m1"]);

    session.agent.start_message("msg-1");
    session.agent.start_block(ContentBlock::thinking(""));
    session.agent.say("hm 🤔");
    session.agent.stop_block();
    session.agent.start_block(ContentBlock::text(""));
    session.agent.say("I ");
    session.agent.say("run");
    session.agent.stop_block();
    session
        .agent
        .start_block(ContentBlock::tool_use("t1", "Bash", input("t1")));
    session.agent.stop_block();
    session.agent.stop_message();
    session.agent.ask("t1", "Bash", input("t1"));

    let id = session.ask_id();
    assert_eq!(session.host.activity(), Activity::RequiresAction);
    assert!(session.respond(&id, &PermissionResult::allow()));
    assert_eq!(session.decision("t1"), Decision::Allowed(input("t1")));
    session.agent.finish_tool("t1", "done", false);
    assert!(session.agent.finish_tools(session.now));
    session.says("all done");
    session.ends_turn();
    assert_eq!(session.event(), None);

    let heard = session.heard.iter().map(|event| match event {
        host::Event::Frame(frame) => match frame.message().unwrap() {
            message @ Message::StreamEvent(_) => {
                format!("{}{:?}", frame.kind(), message.text_delta())
            }
            message => {
                assert!(!matches!(message, Message::Unknown(_)), "{frame:?}");
                frame.head().label()
            }
        },
        host::Event::Ask(_) => "ask".to_owned(),
        host::Event::Written { uuid } => format!("written {uuid}"),
        host::Event::Activity(activity) => format!("{activity:?}"),
        other => panic!("{other:?}"),
    });
    let heard = heard.collect();
    (session.said(), heard)
}

#[test]
fn a_turn_with_a_text_and_a_tool() {
    let (said, heard) = a_whole_turn(&[usize::MAX]);
    assert_eq!(
        said,
        [
            "running",
            "m1 queued",
            "m1 started",
            "init [m1]",
            "status",
            "event message_start",
            "event content_block_start",
            "event content_block_delta",
            "event content_block_delta",
            "assistant thinking",
            "event content_block_stop",
            "event content_block_start",
            "event content_block_delta",
            "event content_block_delta",
            "assistant text",
            "event content_block_stop",
            "event content_block_start",
            "event content_block_delta",
            "assistant tool_use",
            "event content_block_stop",
            "event message_delta",
            "event message_stop",
            "requires_action",
            "ask t1",
            "running",
            "tool result t1",
            "status",
            "event message_start",
            "event content_block_start",
            "event content_block_delta",
            "event content_block_delta",
            "assistant text",
            "event content_block_stop",
            "event message_delta",
            "event message_stop",
            "result success completed [m1]",
            "m1 completed",
            "idle",
        ]
    );
    let told: Vec<_> = heard
        .iter()
        .filter(|event| {
            !["system", "command", "assistant", "user", "stream_eventNone"]
                .iter()
                .any(|known| event.starts_with(known))
        })
        .collect();
    assert_eq!(
        told,
        [
            "Running",
            "written m1",
            // The agent's own state comes before its ask.
            r#"stream_eventSome("I ")"#,
            r#"stream_eventSome("run")"#,
            "ask",
            "RequiresAction",
            "Running",
            r#"stream_eventSome("all ")"#,
            r#"stream_eventSome("done")"#,
            "result/success",
            "Idle",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_turn_does_not_depend_on_how_the_bytes_are_cut(
        cuts in prop::collection::vec(1_usize..200, 1..30),
    ) {
        prop_assert_eq!(a_whole_turn(&cuts), a_whole_turn(&[usize::MAX]));
    }
}

#[test]
fn without_partial_messages_and_states_only_whole_messages_are_sent() {
    let config = Config {
        partial_messages: false,
        session_states: false,
        ..Config::default()
    };
    let mut session = Session::connected(config, &[64]);
    session.submit("m1");
    session.begins(&["m1"]);
    session.says("hello");
    session.ends_turn();
    assert_eq!(
        session.said(),
        [
            "m1 queued",
            "m1 started",
            "init [m1]",
            "status",
            "assistant text",
            "result success completed [m1]",
            "m1 completed"
        ]
    );
    assert_eq!(session.host.activity(), Activity::Idle);
}

#[test]
fn a_result_carries_the_last_text_and_how_often_the_model_was_asked() {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.says("first");
    session.says("second");
    session.now += Duration::from_millis(250);
    session.ends_turn();
    session.pump();
    let result = session.heard.iter().find_map(|event| match event {
        host::Event::Frame(frame) => match frame.message() {
            Ok(Message::Result(result)) => Some(result),
            _ => None,
        },
        _ => None,
    });
    let result = result.unwrap();
    assert_eq!(result.result.as_deref(), Some("second"));
    assert_eq!(result.num_turns, Some(2));
    assert_eq!(result.duration_ms.unwrap().get(), "250");
}

#[test]
fn nothing_begins_before_initialize_is_answered() {
    let mut session = Session::start(Config::default(), &[5]);
    session.submit("m1");
    assert_eq!(session.event(), None);
    session.request("init", &Initialize::default());
    session.begins(&["m1"]);
    assert_eq!(session.said()[..2], ["success init", "running"]);
}

// Permission.

/// A session in which tools wait for the host's answer.
fn asking(ids: &[&str]) -> Session {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.calls(ids);
    session.said();
    session
}

#[test]
fn the_host_may_change_a_tools_input() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    let changed = Json::from(json!({"command": "true"}));
    session.respond(&id, &PermissionResult::allow_with(changed.clone()));
    assert_eq!(session.decision("t1"), Decision::Allowed(changed));
}

#[test]
fn the_host_may_refuse_a_tool() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    session.respond(&id, &PermissionResult::deny("not here"));
    assert_eq!(session.decision("t1"), Decision::Denied("not here".into()));
    session.agent.finish_tool("t1", "not here", true);
    assert!(session.agent.finish_tools(session.now));
    session.says("then not");
    session.ends_turn();
    session.pump();
    let denials = session.heard.iter().find_map(|event| match event {
        host::Event::Frame(frame) => match frame.message() {
            Ok(Message::Result(result)) => result.permission_denials,
            _ => None,
        },
        _ => None,
    });
    let denials = denials.unwrap();
    assert_eq!(denials.len(), 1);
    assert_eq!(
        (&*denials[0].tool_name, &*denials[0].tool_use_id),
        ("Bash", "t1")
    );
    assert_eq!(denials[0].tool_input, input("t1"));
}

#[test]
fn an_answer_that_is_not_valid_denies() {
    for answer in [
        json!({"behavior": "allow", "updatedInput": null}),
        json!({"behavior": "deny"}),
        json!({"behavior": "perhaps"}),
        json!({"allowed": true}),
        json!({}),
        json!("allow"),
        Value::Null,
    ] {
        let mut session = asking(&["t1"]);
        let id = session.ask_id();
        session.respond(&id, &answer);
        let decision = session.decision("t1");
        assert!(matches!(decision, Decision::Denied(_)), "{answer}");
        assert_eq!(session.said(), ["running"]);
    }
}

#[test]
fn an_error_as_the_answer_denies() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    let line = control::failure(&id, &Refusal::new("the callback broke"));
    assert!(session.host.respond(&id, line));
    let Decision::Denied(why) = session.decision("t1") else {
        panic!()
    };
    assert!(why.contains("the callback broke"), "{why}");
}

#[test]
fn a_denial_that_interrupts_ends_the_turn() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    session.respond(&id, &PermissionResult::deny_and_interrupt("stop"));
    assert_eq!(
        session.said_in_whole(),
        [
            "running",
            "tool error t1",
            "user text",
            "result error_during_execution aborted_tools [m1]",
            "m1 cancelled",
            "idle"
        ]
    );
    assert_eq!(session.event(), Some(Event::TurnAborted));
}

#[test]
fn a_denial_that_interrupts_takes_the_other_asks_back() {
    let mut session = asking(&["t1", "t2"]);
    let second = session.ask_id();
    let first = session
        .heard
        .iter()
        .find_map(|event| match event {
            host::Event::Ask(ask) => Some(ask.request_id.clone()),
            _ => None,
        })
        .unwrap();
    session.respond(&first, &PermissionResult::deny_and_interrupt("stop"));
    let said = session.said_in_whole();
    assert!(said.contains(&"cancel".to_owned()), "{said:?}");
    assert_eq!(said.last().unwrap(), "idle");
    assert!(!session.respond(&second, &PermissionResult::allow()));
    assert_eq!(session.host.activity(), Activity::Idle);

    // An answer that was on its way changes nothing.
    session.agent.handle_input(
        session.now,
        &control::success(&second, Some(&PermissionResult::allow())).unwrap(),
    );
    assert_eq!(session.said(), Vec::<String>::new());
    assert_eq!(session.event(), Some(Event::TurnAborted));
    assert_eq!(session.event(), None);
}

#[test]
fn several_asks_are_answered_in_any_order() {
    let mut session = asking(&["t1", "t2"]);
    let second = session.ask_id();
    session.heard.pop_back();
    session.respond(&second, &PermissionResult::allow());
    assert_eq!(session.decision("t2"), Decision::Allowed(input("t2")));
    let first: Vec<Box<str>> = session
        .heard
        .iter()
        .filter_map(|event| match event {
            host::Event::Ask(ask) if session.host.is_open(&ask.request_id) => {
                Some(ask.request_id.clone())
            }
            _ => None,
        })
        .collect();
    assert_eq!(first.len(), 1);
    session.respond(&first[0], &PermissionResult::allow());
    assert_eq!(session.decision("t1"), Decision::Allowed(input("t1")));
}

#[test]
fn some_modes_do_not_ask() {
    for (mode, asks_host, allowed) in [
        (PermissionMode::BypassPermissions, true, true),
        (PermissionMode::BypassPermissions, false, true),
        (PermissionMode::DontAsk, true, false),
        (PermissionMode::Default, false, false),
    ] {
        let config = Config {
            permission_mode: mode,
            asks_host,
            ..Config::default()
        };
        let mut session = Session::connected(config, &[64]);
        session.submit("m1");
        session.begins(&["m1"]);
        session.calls(&["t1"]);
        let decision = session.decision("t1");
        assert_eq!(matches!(decision, Decision::Allowed(_)), allowed);
        assert!(!session.said().contains(&"ask t1".to_owned()));
    }
}

// Interrupts.

#[test]
fn an_interrupt_while_the_model_speaks() {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.begins_to_say("once upon");
    session.said();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.said(),
        [
            "success stop",
            "assistant text aborted",
            "user text",
            "event content_block_stop",
            "event message_delta",
            "event message_stop",
            "result error_during_execution aborted_streaming [m1]",
            "m1 cancelled",
            "idle"
        ]
    );
    assert_eq!(session.answer("stop"), json!({"still_queued": []}));
    assert_eq!(session.event(), Some(Event::TurnAborted));
    assert_eq!(session.host.activity(), Activity::Idle);

    // What the model still says is said to nobody.
    session.agent.say("a time");
    session.agent.stop_block();
    session.agent.stop_message();
    session.ends_turn();
    assert_eq!(session.said(), Vec::<String>::new());
}

#[test]
fn an_interrupt_while_an_ask_is_open_takes_it_back_first() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    session.heard.clear();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.said(),
        [
            "cancel",
            "success stop",
            "running",
            "tool error t1",
            "user text",
            "result error_during_execution aborted_tools [m1]",
            "m1 cancelled",
            "idle"
        ]
    );
    let first = session.heard.front().unwrap();
    assert!(
        matches!(first, host::Event::AskCancelled { .. }),
        "{first:?}"
    );
    assert!(!session.respond(&id, &PermissionResult::allow()));
    assert_eq!(session.event(), Some(Event::TurnAborted));
    assert_eq!(session.event(), None);
}

#[test]
fn an_interrupt_while_a_tool_runs() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.said();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.said(),
        [
            "success stop",
            "tool error t1",
            "user text",
            "result error_during_execution aborted_tools [m1]",
            "m1 cancelled",
            "idle"
        ]
    );
}

#[test]
fn an_interrupt_when_idle_is_answered_and_does_nothing() {
    let mut session = Session::new();
    session.request("stop", &Interrupt::default());
    assert_eq!(session.said(), ["success stop"]);
    assert_eq!(session.answer("stop"), json!({"still_queued": []}));
    assert_eq!(session.event(), None);
}

#[test]
fn an_interrupt_leaves_messages_that_wait_or_withdraws_them() {
    for cancel_queued in [false, true] {
        let mut session = Session::new();
        session.submit("m1");
        session.begins(&["m1"]);
        session.begins_to_say("once");
        session.submit_at("L", Some(Priority::Later));
        session.submit("N");
        session.said();
        let interrupt = if cancel_queued {
            Interrupt::and_cancel_queued()
        } else {
            Interrupt::default()
        };
        session.request("stop", &interrupt);
        let said = session.said_in_whole();
        let receipt = session.answer("stop");
        assert_eq!(session.event(), Some(Event::TurnAborted));
        if cancel_queued {
            assert_eq!(
                receipt,
                json!({"still_queued": [], "cancelled": ["N", "L"]})
            );
            assert_eq!(said[..3], ["N cancelled", "L cancelled", "success stop"]);
            assert_eq!(said.last().unwrap(), "idle");
            assert_eq!(session.event(), None);
            assert_eq!(session.host.activity(), Activity::Idle);
        } else {
            assert_eq!(receipt, json!({"still_queued": ["N", "L"]}));
            session.begins(&["N"]);
            assert_eq!(session.host.activity(), Activity::Running);
        }
    }
}

#[test]
fn an_interrupt_stops_what_was_sent_before_it_and_not_what_comes_after() {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.request("stop", &Interrupt::default());
    session.pump();
    session.submit("m2");
    assert_eq!(session.event(), Some(Event::TurnAborted));
    session.begins(&["m2"]);
}

// The agent's queue.

/// What became of a message, in order.
fn states_of(said: &[String], uuid: &str) -> Vec<String> {
    said.iter()
        .filter_map(|line| line.strip_prefix(&format!("{uuid} ")))
        .map(str::to_owned)
        .collect()
}

const SIX: [(&str, Option<Priority>); 6] = [
    ("L1", Some(Priority::Later)),
    ("N1", Some(Priority::Next)),
    ("X1", None),
    ("W1", Some(Priority::Now)),
    ("L2", Some(Priority::Later)),
    ("N2", Some(Priority::Next)),
];

#[test]
fn messages_run_by_their_priority_a_class_at_a_time() {
    // One by one, as they are sent; or all at once, and ordered on the way.
    for at_once in [false, true] {
        let mut session = Session::new();
        session.submit("M");
        session.begins(&["M"]);
        session.begins_to_say("final ");
        session.pump();
        for (uuid, priority) in SIX {
            session.submit_at(uuid, priority);
            if !at_once {
                session.pump();
            }
        }
        assert_eq!(session.event(), Some(Event::TurnAborted));
        for turn in [&["W1"][..], &["N1", "X1", "N2"], &["L1", "L2"]] {
            session.begins(turn);
            session.says("short");
            session.ends_turn();
        }
        assert_eq!(session.event(), None);

        let said = session.said();
        let results: Vec<_> = said.iter().filter(|l| l.starts_with("result")).collect();
        assert_eq!(
            results,
            [
                "result success aborted_streaming [M]",
                "result success completed [W1]",
                "result success completed [N1 X1 N2]",
                "result success completed [L1 L2]"
            ]
        );
        let inits: Vec<_> = said.iter().filter(|l| l.starts_with("init")).collect();
        assert_eq!(
            inits,
            ["init [M]", "init [W1]", "init [N1 X1 N2]", "init [L1 L2]"]
        );
        assert_eq!(states_of(&said, "M"), ["queued", "started", "cancelled"]);
        for (uuid, _) in SIX {
            assert_eq!(
                states_of(&said, uuid),
                ["queued", "started", "completed"],
                "{uuid}"
            );
        }
        // It is idle once, at the end.
        let idles = said.iter().filter(|l| *l == "idle").count();
        assert_eq!((idles, said.last().unwrap().as_str()), (1, "idle"));
        assert_eq!(session.host.activity(), Activity::Idle);
    }
}

#[test]
fn messages_that_wait_are_folded_in_when_a_tool_is_done_but_for_later_ones() {
    let mut session = asking(&["t1"]);
    for (uuid, priority) in [
        ("L", Some(Priority::Later)),
        ("N", Some(Priority::Next)),
        ("X", None),
    ] {
        session.submit_at(uuid, priority);
    }
    let id = session.ask_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.agent.finish_tool("t1", "done", false);
    assert!(session.agent.finish_tools(session.now));
    session.says("done");
    session.ends_turn();
    session.begins(&["L"]);
    let said = session.said_in_whole();
    let folded = said.iter().position(|l| l == "N started").unwrap();
    assert_eq!(
        said[folded - 1..=folded + 1],
        ["tool result t1", "N started", "X started"]
    );
    assert!(said.contains(&"result success completed [m1 N X]".to_owned()));
    for uuid in ["N", "X"] {
        assert_eq!(states_of(&said, uuid), ["queued", "started", "completed"]);
    }
    assert_eq!(states_of(&said, "L"), ["queued", "started"]);
}

#[test]
fn a_message_for_now_waits_for_a_tool_and_then_ends_the_turn() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.submit_at("W", Some(Priority::Now));
    assert_eq!(session.event(), None);
    assert!(!session.said().iter().any(|line| line.starts_with("result")));

    session.agent.finish_tool("t1", "done", false);
    assert!(!session.agent.finish_tools(session.now));
    assert_eq!(session.event(), Some(Event::TurnAborted));
    session.begins(&["W"]);
    assert_eq!(
        session.said(),
        [
            "tool result t1",
            "result success aborted_tools [m1]",
            "m1 cancelled",
            "W started",
            "init [W]"
        ]
    );
}

#[test]
fn a_message_that_waits_can_be_withdrawn() {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.submit("m2");
    session.said();
    for (id, uuid, cancelled) in [
        ("c1", "m2", true),
        ("c2", "m2", false),
        ("c3", "m1", false),
        ("c4", "nobody", false),
    ] {
        session.request(id, &withdraw(uuid));
        assert_eq!(
            session.answer(id),
            json!({ "cancelled": cancelled }),
            "{id}"
        );
    }
    assert_eq!(session.said()[..2], ["m2 cancelled", "success c1"]);
    session.says("hello");
    session.ends_turn();
    assert_eq!(session.event(), None);
    assert_eq!(session.host.activity(), Activity::Idle);
}

#[test]
fn a_request_does_not_change_sides_with_a_message() {
    let mut session = Session::new();
    session.submit("m1");
    session.request("model", &SetModel::to("m-2"));
    session.submit_at("m2", Some(Priority::Now));
    session.begins(&["m1"]);
    let said = session.said();
    let place = |line: &str| said.iter().position(|l| l == line).unwrap();
    assert!(place("init [m1]") < place("success model"));
    assert!(place("success model") < place("m2 queued"));
}

// Requests.

#[test]
fn requests_are_answered_as_the_agent_answers_them() {
    let mut session = Session::new();
    session.request("r1", &SetModel::to("m-2"));
    assert_eq!(session.answer("r1"), json!({"model": "m-2"}));
    session.request("r2", &SetPermissionMode::to(PermissionMode::AcceptEdits));
    assert_eq!(session.answer("r2"), json!({"mode": "acceptEdits"}));
    assert_eq!(session.said(), ["success r1", "status", "success r2"]);

    // A second greeting is answered as well.
    session.request("init2", &Initialize::default());
    assert_eq!(session.answer("init2")["pid"], json!(1));
}

#[test]
fn requests_that_the_agent_does_not_take_are_refused_with_a_code() {
    #[derive(Serialize)]
    struct Raw(Value);
    impl HostRequest for Raw {
        const SUBTYPE: &'static str = "raw";
        type Answer = Value;
    }
    let mut session = Session::new();
    for (id, request, code) in [
        ("r1", json!({"subtype": "sing"}), "unsupported_request"),
        (
            "r2",
            json!({"subtype": "set_model", "model": 7}),
            "invalid_request",
        ),
    ] {
        session.request(id, &Raw(request));
        let outcome = session.outcome(id).map_err(|failure| *failure);
        let Err(RequestFailure::Refused { refusal, .. }) = outcome else {
            panic!()
        };
        assert_eq!(refusal.code.as_deref(), Some(code));
    }

    // And one that is done without anything to say.
    let request = json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 1});
    session.request("r3", &Raw(request));
    assert_eq!(session.outcome("r3").unwrap().response, None);
}

// The end.

#[test]
fn an_agent_that_is_idle_exits_when_its_input_ends() {
    let mut session = Session::new();
    session.host.finish();
    assert_eq!(session.exits(), 0);
    assert_eq!(session.event(), None);
}

#[test]
fn finishing_waits_for_the_turn_and_everything_is_done_by_then() {
    let mut session = Session::new();
    session.submit("m1");
    session.submit_at("m2", Some(Priority::Later));
    session.host.finish();
    session.begins(&["m1"]);
    session.calls(&["t1"]);
    let id = session.ask_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.agent.finish_tool("t1", "done", false);
    session.agent.finish_tools(session.now);
    session.says("done");
    session.ends_turn();
    session.begins(&["m2"]);
    session.says("done");
    session.ends_turn();
    assert_eq!(session.exits(), 0);
    session.heard.clear();
    session.host.handle_input_end(session.now);
    session.host.handle_end();
    session.pump();
    assert_eq!(session.heard, []);
}

#[test]
fn a_turn_goes_on_when_the_input_ends() {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.begins_to_say("once");
    session.submit("m2");
    session.pump();
    session.host.end();
    assert_eq!(session.event(), None);
    session.agent.stop_block();
    session.agent.stop_message();
    session.ends_turn();
    session.begins(&["m2"]);
    session.says("done");
    session.ends_turn();
    assert_eq!(session.exits(), 0);
}

#[test]
fn an_ask_that_is_open_when_the_input_ends_is_denied() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    session.host.end();
    assert!(matches!(session.decision("t1"), Decision::Denied(_)));
    assert_eq!(session.said(), ["running"]);

    // So is one that comes afterwards.
    session.agent.ask("t2", "Bash", input("t2"));
    assert!(matches!(session.decision("t2"), Decision::Denied(_)));
    session.agent.finish_tool("t1", "denied", true);
    session.agent.finish_tools(session.now);
    session.ends_turn();
    assert_eq!(session.exits(), 0);
    assert!(
        session
            .said()
            .contains(&"result success completed [m1]".to_owned())
    );
    // To the host it is open until the session is over.
    assert!(session.host.is_open(&id));
    session.host.handle_end();
    assert!(!session.host.is_open(&id));
}

#[test]
fn the_exit_status_tells_of_an_api_error_in_the_last_turn() {
    for (turns, code) in [
        (&["fail"][..], 1),
        (&["fail", "end"], 0),
        (&["end", "fail"], 1),
    ] {
        let mut session = Session::new();
        for turn in turns {
            session.submit("m");
            session.begins(&["m"]);
            if *turn == "fail" {
                session.fails_turn();
            } else {
                session.says("done");
                session.ends_turn();
            }
            let said = session.said();
            let how = if *turn == "fail" {
                "result success api_error [m]"
            } else {
                "result success completed [m]"
            };
            assert!(said.contains(&how.to_owned()), "{said:?}");
            assert_eq!(said.last().unwrap(), "idle");
        }
        session.host.finish();
        assert_eq!(session.exits(), code, "{turns:?}");
    }
}

/// What an agent makes of a line.
fn fed(line: &str) -> Session {
    let mut session = Session::new();
    session
        .agent
        .handle_input(session.now, format!("{line}\n").as_bytes());
    session
}

#[test]
fn input_that_is_not_valid_ends_the_agent() {
    for line in [
        "not json",
        r#"{"type":"user""#,
        "{} {}",
        r#"{"type":"control_request","request_id":"r1"}"#,
        r#"{"type":"user","message":{"role":"assistant","content":"x"}}"#,
        r#"{"type":"user","message":{"content":"x"}}"#,
        r#"{"type":"user"}"#,
    ] {
        let mut session = fed(line);
        let event = session.event();
        let Some(Event::Exit {
            code: 1,
            complaint: Some(_),
        }) = event
        else {
            panic!("{line}: {event:?}")
        };
        // It hears nothing any more.
        session
            .agent
            .handle_input(session.now, b"not json\n{\"type\":\"user\"}\n");
        session.agent.handle_input_end(session.now);
        assert_eq!(session.event(), None);
    }
}

#[test]
fn input_that_is_only_odd_is_passed_over() {
    for line in [
        "[1,2]",
        "7",
        "null",
        r#""text""#,
        "",
        r#"{"hello":1}"#,
        r#"{"type":7}"#,
        r#"{"type":"weather"}"#,
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"nobody"}}"#,
        r#"{"type":"control_response"}"#,
        r#"{"type":"control_cancel_request","request_id":"nobody"}"#,
        r#"{"type":"keep_alive"}"#,
    ] {
        let mut session = fed(line);
        assert_eq!(session.event(), None, "{line}");
        assert_eq!(session.said(), Vec::<String>::new());
        session.submit("m1");
        session.begins(&["m1"]);
    }
}

#[test]
fn a_message_without_an_id_has_no_lifecycle() {
    let mut session = fed(r#"{"type":"user","message":{"role":"user","content":"x"}}"#);
    session.begins(&[]);
    session.says("done");
    session.ends_turn();
    assert_eq!(
        session.said_in_whole(),
        [
            "running",
            "init [-]",
            "status",
            "assistant text",
            "result success completed [-]",
            "idle"
        ]
    );
    assert_eq!(session.host.activity(), Activity::Idle);
}
