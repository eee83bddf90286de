//! Plays scenarios that were converted from recordings to a host that acts as
//! the recorded host did. The conversation must be the same.

use super::*;
use crate::agent::Config;
use crate::fake_agent::{Output, Player};
use crate::replay::tests::recordings;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Returns the comparable parts of a line of the agent: chunks of text, and
/// items of the conversation.
fn comparable(line: &Value) -> Vec<String> {
    let mut heard = Vec::new();
    match line["type"].as_str() {
        Some("stream_event") if line["parent_tool_use_id"].is_null() => {
            let text = &line["event"]["delta"]["text"];
            heard.extend(text.as_str().map(|text| format!("piece: {text}")));
        }
        Some("assistant") if line["parent_tool_use_id"].is_null() => {
            for block in line["message"]["content"].as_array().into_iter().flatten() {
                heard.push(match block["type"].as_str() {
                    Some("tool_use") => {
                        // Scenarios have the members of inputs sorted.
                        let mut input = block["input"].clone();
                        input.sort_all_objects();
                        format!("call: {} {input}", block["name"])
                    }
                    Some(kind) => format!("{kind}: {}", block[kind]),
                    None => String::new(),
                });
            }
        }
        Some("user") => {
            for block in line["message"]["content"].as_array().into_iter().flatten() {
                if block["type"] == "tool_result" {
                    heard.push(match block["is_error"] == true {
                        // The error texts differ.
                        true => "tool failed".to_owned(),
                        false => format!("tool answered: {}", text_of(&block["content"])),
                    });
                }
            }
        }
        Some("result") => heard.push(format!(
            "result: {} {} {}",
            line["subtype"], line["is_error"], line["terminal_reason"]
        )),
        _ => {}
    }
    heard
}

/// The progress of a conversation: the number of complete items, and of chunks
/// of the next item. The number of chunks before an interrupt is random.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Progress {
    whole: usize,
    pieces: usize,
}

impl Progress {
    fn new(heard: &[String]) -> Self {
        let pieces = heard.iter().rev().take_while(|line| is_piece(line));
        Self {
            whole: heard.iter().filter(|line| !is_piece(line)).count(),
            pieces: pieces.count(),
        }
    }
}

fn is_piece(line: &str) -> bool {
    line.starts_with("piece: ")
}

/// A host that acts as the recorded host did.
struct Host {
    /// The host's actions, each with the progress at which the host performs
    /// it.
    actions: VecDeque<(Progress, Value)>,
    /// The host's responses in order, by the kind of request. A cancelled
    /// request has no response.
    answers: HashMap<String, VecDeque<Option<Value>>>,
}

/// Returns the kind of a request, without its IDs.
fn kind_of_request(line: &Value) -> String {
    let request = &line["request"];
    let message = &request["message"];
    format!(
        "{} {} {} {} {}",
        request["subtype"],
        request["callback_id"],
        request["tool_name"],
        message["method"],
        message["params"]["name"]
    )
}

impl Host {
    fn new(session: &[Entry]) -> (Self, Vec<String>) {
        let mut host = Self {
            actions: VecDeque::new(),
            answers: HashMap::new(),
        };
        let mut asked = HashMap::new();
        let mut conversation = Vec::new();
        for entry in session {
            match &entry.kind {
                EntryKind::Received(RecordedLine::Json(json)) => {
                    let line: Value = json.read().expect("JSON");
                    if line["type"] == "control_request" {
                        let answers = host.answers.entry(kind_of_request(&line)).or_default();
                        let request = (kind_of_request(&line), answers.len());
                        asked.insert(line["request_id"].to_string(), request);
                        answers.push_back(None);
                    }
                    conversation.extend(comparable(&line));
                }
                EntryKind::Sent(RecordedLine::Json(json)) => {
                    let mut line: Value = json.read().expect("JSON");
                    if line["type"] != "control_response" {
                        host.actions.push_back((Progress::new(&conversation), line));
                    } else if let Some((kind, place)) =
                        asked.get(&line["response"]["request_id"].to_string())
                        && let Some(answers) = host.answers.get_mut(kind)
                    {
                        answers[*place] = Some(line["response"].take());
                    }
                }
                _ => {}
            }
        }
        (host, conversation)
    }

    /// Returns the response of the recorded host to a request, if it responded.
    fn answer(&mut self, request: &Value) -> Option<Value> {
        let mut response = self
            .answers
            .get_mut(&kind_of_request(request))?
            .pop_front()??;
        response["request_id"] = request["request_id"].clone();
        if let Some(reply) = response.pointer_mut("/response/mcp_response") {
            reply["id"] = request["request"]["message"]["id"].clone();
        }
        Some(json!({"type": "control_response", "response": response}))
    }
}

/// Plays a scenario on the fake agent to this host, and returns the
/// conversation. The clock is advanced when nothing is ready.
fn play(scenario: Scenario, mut host: Host) -> Vec<String> {
    let mut count = 0;
    let ids = move || {
        count += 1;
        format!("id-{count}")
    };
    let mut now = Instant::now();
    let mut player = Player::new(scenario, Config::default(), ids);
    let mut conversation = Vec::new();
    for _ in 0..10_000 {
        let mut answers = Vec::new();
        while let Some(output) = player.poll_output() {
            if let Output::Stdout(line) = output {
                let line: Value = serde_json::from_slice(&line).expect("JSON");
                if line["type"] == "control_request" {
                    answers.extend(host.answer(&line));
                }
                conversation.extend(comparable(&line));
            }
        }
        // Lines that the host sent together arrive together.
        let progress = Progress::new(&conversation);
        let mut lines = String::new();
        let is_due = |(when, _): &&(Progress, Value)| *when <= progress && answers.is_empty();
        while let Some((_, line)) = host.actions.front().filter(is_due) {
            lines += &format!("{line}\n");
            host.actions.pop_front();
        }
        for answer in answers {
            lines += &format!("{answer}\n");
        }
        if !lines.is_empty() {
            player.handle_input(now, lines.as_bytes());
            continue;
        }
        match player.poll_timeout() {
            Some(due) => now = due.max(now + Duration::from_micros(1)),
            None => break,
        }
        player.handle_timeout(now);
    }
    conversation
}

/// Recordings of behavior that the fake agent does not have.
const EXCEPTIONS: [(&str, &str); 1] = [(
    "10_background_stop_task",
    "background tasks, which start turns",
)];

/// Returns whether the conversations are the same. Masked text matches any
/// text, and an interrupted text may be longer.
fn is_same(recorded: &[String], played: &[String]) -> bool {
    let whole = |lines: &[String]| -> Vec<String> {
        let lines = lines.iter().filter(|line| !is_piece(line));
        lines.cloned().collect()
    };
    let (recorded, played) = (whole(recorded), whole(played));
    let is_same = |(place, line): (usize, &String)| {
        let played = &played[place];
        let next = recorded.get(place + 1);
        let is_cut_off = next.is_some_and(|next| next.contains("aborted_streaming"));
        match line.as_str() {
            "text: \"text\"" => played.starts_with("text: "),
            "tool answered: text" => played.starts_with("tool answered: "),
            line if is_cut_off => line.starts_with(played.trim_end_matches('"')),
            line => line == played,
        }
    };
    recorded.len() == played.len() && recorded.iter().enumerate().all(is_same)
}

#[test]
fn a_converted_recording_has_the_same_conversation_on_the_fake_agent() {
    for (name, session) in recordings() {
        let (host, recorded) = Host::new(&session);
        let made = scenario(&session);
        // The scenario survives a round trip through JSON.
        let made = Scenario::from_json(&made.to_json()).expect("a scenario");
        let played = play(made, host);
        let is_otherwise = EXCEPTIONS.iter().any(|(other, _)| *other == name);
        assert_eq!(
            is_same(&recorded, &played),
            !is_otherwise,
            "{name}\nrecorded: {recorded:#?}\nplayed: {played:#?}"
        );
    }
}

/// Returns a line of a recording.
fn line(t: f64, dir: &str, msg: Value) -> String {
    json!({"t": t, "dir": dir, "msg": msg}).to_string()
}

#[test]
fn a_converted_scenario_has_replies_tools_and_the_host() {
    let message = |id: &str, block: Value| {
        json!({"type": "assistant", "parent_tool_use_id": null,
            "message": {"id": id, "content": [block]}})
    };
    let tool = json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}});
    let request = json!({"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t1",
        "blocked_path": "/x", "input": {"command": "ls"}});
    let answer = json!({"subtype": "success", "request_id": "a1",
        "response": {"behavior": "allow", "updatedInput": {"command": "ls -a"}}});
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "is_error": true,
        "content": [{"type": "text", "text": "no"}]}]);
    let mut sub = message("m9", json!({"type": "text", "text": "Below."}));
    sub["parent_tool_use_id"] = json!("t1");
    let mut failed = message(
        "m3",
        json!({"type": "text", "text": "API Error: 529 Busy."}),
    );
    failed["message"]["model"] = json!("<synthetic>");
    failed["error"] = json!("server_error");
    let text = [
        line(
            0.0,
            "send",
            json!({"type": "user", "message": {"content": "Go"}}),
        ),
        line(
            0.1,
            "recv",
            message("m1", json!({"type": "text", "text": "Let me see."})),
        ),
        line(0.2, "recv", message("m1", tool)),
        line(
            0.2,
            "recv",
            json!({"type": "control_request", "request_id": "a1", "request": request}),
        ),
        line(
            1.0,
            "send",
            json!({"type": "control_response", "response": answer}),
        ),
        line(1.2, "recv", sub),
        line(
            1.5,
            "recv",
            json!({"type": "user", "message": {"content": result}}),
        ),
        line(1.6, "recv", failed),
        line(
            1.7,
            "recv",
            json!({"type": "result", "terminal_reason": "api_error", "api_error_status": 503}),
        ),
    ]
    .join("\n");
    let entries: Result<Vec<Entry>, _> = super::super::Reader::new(text.as_bytes()).collect();
    let made = scenario(&entries.expect("a recording"));
    let expected = json!({
        "about": "Converted from a recording.",
        "replies": [
            [
                {"text": "Let me see."},
                {"tool": {"name": "Bash", "input": {"command": "ls"}, "result": "no",
                    "is_error": true, "takes_ms": 500, "ask": true,
                    "question": {"blocked_path": "/x"}}},
            ],
            [{"error": {"status": 503, "type": "overloaded_error", "message": "Busy."}}],
        ],
        "subagents": [[{"text": "Below."}]],
        "host": {
            "prompts": ["Go"],
            "decisions": {"Bash": {"allow_with": {"command": "ls -a"}}},
        },
    });
    let made: Value = serde_json::from_str(&made.to_json()).expect("JSON");
    assert_eq!(made, expected);
}

#[test]
fn each_permission_request_has_its_own_decision() {
    let decisions = |tools: &[(&str, &str, Option<Value>)]| {
        let request = |id: usize, tool: &str| {
            json!({"type": "control_request", "request_id": id.to_string(), "request":
                {"subtype": "can_use_tool", "tool_name": tool, "tool_use_id": id.to_string()}})
        };
        let asks = tools.iter().enumerate();
        let asks = asks.map(|(id, (tool, ..))| line(0.0, "recv", request(id, tool)));
        let answers = tools
            .iter()
            .enumerate()
            .filter_map(|(id, (_, kind, answer))| {
                let response = json!({"subtype": kind, "request_id": id.to_string(),
                "response": answer.as_ref()?, "error": "Broken"});
                let line_of = json!({"type": "control_response", "response": response});
                Some(line(1.0, "send", line_of))
            });
        // Responses may arrive in another order.
        let lines: Vec<_> = asks.chain(answers.rev()).collect();
        let lines = lines.join("\n");
        let reader = super::super::Reader::new(lines.as_bytes());
        let entries: Result<Vec<Entry>, _> = reader.collect();
        let made = scenario(&entries.expect("a recording"));
        made.host.expect("a host")["decisions"].clone()
    };
    let allow = || Some(json!({"behavior": "allow"}));
    let deny = || Some(json!({"behavior": "deny", "message": "No"}));
    let made = decisions(&[
        ("Bash", "success", allow()),
        ("Bash", "success", deny()),
        ("Read", "success", allow()),
        ("Read", "success", allow()),
        ("Write", "error", Some(Value::Null)),
        ("Bash", "success", None),
        ("Bash", "success", Some(json!({"behavior": "odd"}))),
    ]);
    let expected = json!({
        "Bash": ["allow", {"deny": "No"}, "hold", {"raw": {"behavior": "odd"}}],
        "Read": "allow",
        "Write": {"fail": "Broken"},
    });
    assert_eq!(made, expected);
}
