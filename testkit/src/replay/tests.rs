//! Replays of recorded and of made-up sessions, to hosts that do as the
//! recorded one did, or not.

use super::*;
use crate::recording::{Reader, Spawn, sessions};
use serde_json::json;
use std::path::Path;

/// A host, and the replay that it talks to.
struct Host {
    replay: Replay,
    start: Instant,
}

/// What came of a replay.
#[derive(Debug, Default)]
struct Heard {
    lines: Vec<Value>,
    differences: Vec<Difference>,
    ending: Option<Ending>,
}

impl Host {
    fn new(session: &[Entry], config: Config) -> Self {
        let start = Instant::now();
        let replay = Replay::new(start, session, config);
        Self { replay, start }
    }

    fn writes(&mut self, line: &Value) {
        let line = format!("{line}\n");
        self.replay.handle_input(self.start, line.as_bytes());
    }

    fn closes(&mut self) {
        self.replay.handle_input_end(self.start);
    }

    /// What has come since the last time.
    fn hears(&mut self) -> Heard {
        let mut heard = Heard::default();
        while let Some(output) = self.replay.poll_output() {
            assert_eq!(heard.ending, None, "{output:?} after the end");
            match output {
                Output::Stdout(line) => {
                    heard
                        .lines
                        .push(serde_json::from_slice(&line).expect("JSON"));
                }
                Output::Difference(difference) => heard.differences.push(difference),
                Output::Exit(ending) => heard.ending = Some(ending),
                Output::Stderr(_) => {}
            }
        }
        heard
    }
}

/// A session, from lines that are `>` (sent) or `<` (received).
fn session(lines: &[(&str, Value)]) -> Vec<Entry> {
    let entry = |(number, (dir, message)): (usize, &(&str, Value))| {
        let said = Said::new(message.to_string().as_bytes(), false);
        let what = match *dir {
            ">" => What::Sent(said),
            _ => What::Received(said),
        };
        let mut entry = Entry::new(Some(number as f64), what);
        entry.line = number as u64 + 1;
        entry
    };
    lines.iter().enumerate().map(entry).collect()
}

fn request(id: &str, request: &Value) -> Value {
    json!({"type": "control_request", "request_id": id, "request": request})
}

fn answer(id: &str, response: &Value) -> Value {
    json!({"type": "control_response",
        "response": {"subtype": "success", "request_id": id, "response": response}})
}

fn prompt(uuid: &str, text: &str) -> Value {
    json!({"type": "user", "uuid": uuid, "message": {"role": "user", "content": text}})
}

/// The recordings of the folder, the malformed one left out.
pub(crate) fn recordings() -> Vec<(String, Vec<Entry>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    let mut all = Vec::new();
    for file in folder.read_dir().expect("a folder") {
        let path = file.expect("a file").path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.extension().is_some_and(|it| it == "ndjson") && name != "06b_malformed" {
            let text = std::fs::read(&path).expect("a file");
            let mut sessions = sessions(&*text).expect("a recording");
            assert_eq!(sessions.len(), 1);
            all.push((name, sessions.remove(0)));
        }
    }
    assert!(all.len() > 10);
    all
}

/// The line of another host that does the same: other ids, hooks in another
/// order, and texts as lists of blocks.
fn of_another_host(line: &Value) -> Value {
    let mut line = line.clone();
    for pointer in [
        "/request_id",
        "/uuid",
        "/request/message_uuid",
        "/request/user_message_id",
    ] {
        if line["type"] != "control_response"
            && let Some(id) = line.pointer_mut(pointer)
        {
            // What is no message of the host's keeps its name.
            let is_own = id
                .as_str()
                .is_some_and(|it| !it.ends_with("ff") && !it.starts_with("0000"));
            if is_own && *id != "not-a-uuid" {
                *id = format!("other-{}", id.as_str().unwrap_or_default()).into();
            }
        }
    }
    if let Some(Value::Object(hooks)) = line.pointer_mut("/request/hooks") {
        let all = std::mem::take(hooks).into_iter().rev();
        for (event, mut matchers) in all {
            for matcher in matchers.as_array_mut().into_iter().flatten() {
                for id in matcher["hookCallbackIds"]
                    .as_array_mut()
                    .into_iter()
                    .flatten()
                {
                    *id = format!("other-{}", id.as_str().unwrap_or_default()).into();
                }
            }
            hooks.insert(event, matchers);
        }
    }
    if let Some(content) = line.pointer_mut("/message/content") {
        let text = content.take();
        *content = json!([{"type": "text", "text": text}]);
    }
    line
}

#[test]
fn every_recording_replays_to_a_host_that_does_the_same_by_other_names() {
    for (name, session) in recordings() {
        for config in [Config::default(), Config::default().tolerant()] {
            let mut host = Host::new(&session, config.clone());
            let mut heard = host.hears();
            for entry in &session {
                match &entry.what {
                    What::Sent(Said::Json(json)) => {
                        host.writes(&of_another_host(&json.read().expect("JSON")));
                    }
                    What::Note(text) if text == INPUT_CLOSED => host.closes(),
                    _ => continue,
                }
                let more = host.hears();
                heard.lines.extend(more.lines);
                heard.differences.extend(more.differences);
                heard.ending = heard.ending.or(more.ending);
            }
            assert_eq!(heard.differences, [], "{name}");
            assert_eq!(heard.ending, Some(Ending::AsRecorded(0)), "{name}");
            let said = session.iter().filter_map(|entry| match &entry.what {
                What::Received(Said::Json(json)) => json.read::<Value>().ok(),
                _ => None,
            });
            let said: Vec<Value> = said.collect();
            assert_eq!(heard.lines.len(), said.len(), "{name}");
            for (now, then) in heard.lines.iter().zip(&said) {
                let text = now.to_string().replace("other-", "");
                assert_eq!(text, then.to_string(), "{name}");
            }
            // And the ids were this host's.
            assert!(
                heard
                    .lines
                    .iter()
                    .any(|it| it.to_string().contains("other-")),
                "{name}"
            );
        }
    }
}

/// A prompt, an ask, a request and the end.
fn small() -> Vec<Entry> {
    session(&[
        (">", prompt("u1", "Go")),
        (
            "<",
            json!({"type": "command_lifecycle", "command_uuid": "u1"}),
        ),
        (
            "<",
            request("a1", &json!({"subtype": "can_use_tool", "input": {"x": 1}})),
        ),
        (
            ">",
            answer(
                "a1",
                &json!({"behavior": "allow", "updatedInput": {"x": 1}}),
            ),
        ),
        (
            ">",
            request("r1", &json!({"subtype": "set_model", "model": "m"})),
        ),
        ("<", answer("r1", &json!({"model": "m"}))),
    ])
}

fn set_model(model: &str) -> Value {
    request("mine", &json!({"subtype": "set_model", "model": model}))
}

#[test]
fn each_line_waits_for_what_the_recorded_host_had_written_before() {
    let mut host = Host::new(&small(), Config::default());
    assert!(host.hears().lines.is_empty());
    host.writes(&prompt("mine-1", "Go"));
    let heard = host.hears();
    assert_eq!(heard.lines.len(), 2);
    assert_eq!(heard.lines[0]["command_uuid"], "mine-1");
    assert_eq!(
        host.replay
            .awaited()
            .map(|(line, _)| line)
            .collect::<Vec<_>>(),
        [4, 5]
    );
    // The request may overtake the answer: they have nothing to do with each
    // other.
    host.writes(&set_model("m"));
    assert!(host.hears().lines.is_empty());
    host.writes(&answer("a1", &json!({"behavior": "allow"})));
    let heard = host.hears();
    assert_eq!(heard.lines[0]["response"]["request_id"], "mine");
    assert_eq!((heard.differences.len(), heard.ending), (0, None));
    host.closes();
    assert_eq!(host.hears().ending, Some(Ending::AsRecorded(0)));
}

#[test]
fn the_first_difference_is_told_and_ends_a_strict_replay() {
    let mut host = Host::new(&small(), Config::default());
    host.writes(&prompt("u", "Stay"));
    let heard = host.hears();
    assert_eq!(heard.ending, Some(Ending::Differs));
    assert_eq!(heard.lines.len(), 0);
    assert_eq!(
        heard.differences[0].to_string(),
        "the host wrote something else\n  in the recording: line 1\n  of the host:      line 1\n  \
         at:       /message/content/0/text\n  expected: \"Go\"\n  actual:   \"Stay\""
    );

    // Another line than the one that is next.
    let mut host = Host::new(&small(), Config::default());
    host.writes(&set_model("m"));
    let heard = host.hears();
    let difference = &heard.differences[0];
    assert_eq!((difference.recorded, difference.heard), (Some(1), Some(1)));
    assert!(
        difference
            .to_string()
            .starts_with("the host wrote another line")
    );

    // Nothing more.
    let mut host = Host::new(&small(), Config::default());
    host.writes(&prompt("u", "Go"));
    host.writes(&answer("a1", &json!({"behavior": "allow"})));
    host.closes();
    let heard = host.hears();
    assert_eq!(heard.ending, Some(Ending::Differs));
    assert_eq!(
        (heard.differences[0].recorded, heard.differences[0].heard),
        (Some(5), None)
    );

    // More than there was, and an answer to nothing.
    for more in [
        prompt("u2", "On"),
        answer("a1", &json!({"behavior": "allow"})),
    ] {
        let mut host = Host::new(&small(), Config::default());
        host.writes(&prompt("u", "Go"));
        host.writes(&answer("a1", &json!({"behavior": "allow"})));
        host.writes(&set_model("m"));
        assert_eq!(host.hears().differences, []);
        host.writes(&more);
        let heard = host.hears();
        assert_eq!(heard.differences[0].expected, None);
        assert_eq!(heard.ending, Some(Ending::Differs));
    }
}

#[test]
fn a_tolerant_replay_goes_on_and_refuses_what_was_not_recorded() {
    let mut host = Host::new(&small(), Config::default().tolerant());
    host.writes(&request("odd", &json!({"subtype": "mcp_status"})));
    host.writes(&set_model("other"));
    host.writes(&prompt("u", "Go"));
    let heard = host.hears();
    assert_eq!(heard.lines[0]["response"]["subtype"], "error");
    assert_eq!(heard.lines[0]["response"]["request_id"], "odd");
    assert_eq!(heard.differences.len(), 2);
    assert_eq!(heard.differences[1].pointer, "/request/model");
    assert_eq!(heard.lines.len(), 3);
    // The answer never comes; the pipe is closed.
    host.closes();
    let heard = host.hears();
    assert_eq!(heard.differences.len(), 1);
    assert_eq!(heard.lines[0]["response"]["request_id"], "mine");
    assert_eq!(heard.ending, Some(Ending::AsRecorded(0)));
}

#[test]
fn in_time_the_lines_come_when_they_came_and_what_wants_an_id_waits() {
    let mut host = Host::new(&small(), Config::default().pace(Pace::InTime));
    let at = |seconds| host.start + Duration::from_secs(seconds);
    let (second, third, sixth, twelfth) = (at(1), at(2), at(6), at(12));
    assert_eq!(host.replay.poll_timeout(), Some(second));
    host.replay.handle_timeout(second);
    // Its uuid is the host's.
    assert!(host.hears().lines.is_empty());
    assert_eq!(host.replay.poll_timeout(), None);
    // The host is five seconds late, and so is all that follows.
    let line = format!("{}\n", prompt("mine", "Go"));
    host.replay.handle_input(sixth, line.as_bytes());
    assert_eq!(host.hears().lines.len(), 1);
    assert_eq!(
        host.replay.poll_timeout(),
        Some(third + Duration::from_secs(5))
    );
    host.replay.handle_timeout(twelfth);
    // The ask needs nothing of the host's, the answer needs its request.
    assert_eq!(host.hears().lines.len(), 1);
    host.writes(&set_model("m"));
    host.replay.handle_timeout(at_end(&host));
    assert_eq!(host.hears().lines.len(), 1);
}

fn at_end(host: &Host) -> Instant {
    host.start + Duration::from_secs(60)
}

#[test]
fn what_goes_without_saying_may_be_said_or_not() {
    let asks = |subtype: &str, more: Value| {
        let mut ask = json!({"subtype": subtype});
        for (key, value) in more.as_object().into_iter().flatten() {
            ask[key] = value.clone();
        }
        request("a", &ask)
    };
    let tool = || {
        asks(
            "can_use_tool",
            json!({"input": {"x": 1}, "tool_use_id": "t"}),
        )
    };
    let notification = asks("mcp_message", json!({"message": {"method": "m"}}));
    let call = asks("mcp_message", json!({"message": {"method": "m", "id": 1}}));
    for (ask, one, other, is_same) in [
        (
            tool(),
            json!({"behavior": "allow"}),
            json!({"behavior": "allow", "updatedInput": {"x": 2}}),
            false,
        ),
        (
            tool(),
            json!({"behavior": "allow", "toolUseID": "t"}),
            json!({"behavior": "allow", "updatedInput": {"x": 1}}),
            true,
        ),
        (
            tool(),
            json!({"behavior": "deny", "message": "a"}),
            json!({"behavior": "deny", "message": "b"}),
            false,
        ),
        (
            asks("hook_callback", json!({})),
            json!({"continue": true}),
            json!({}),
            true,
        ),
        (
            asks("hook_callback", json!({})),
            json!({"continue": false}),
            json!({}),
            false,
        ),
        (
            notification,
            json!({"mcp_response": {"id": 0}}),
            json!({"mcp_response": {}}),
            true,
        ),
        (
            call,
            json!({"mcp_response": {"id": 0}}),
            json!({"mcp_response": {"id": 1}}),
            false,
        ),
    ] {
        let recorded = session(&[("<", ask.clone()), (">", answer("a", &one))]);
        let mut host = Host::new(&recorded, Config::default());
        host.writes(&answer("a", &other));
        assert_eq!(
            host.hears().differences.is_empty(),
            is_same,
            "{ask} {one} {other}"
        );
    }
    let errors = ["a", "b"].map(|error| {
        json!({"type": "control_response",
            "response": {"subtype": "error", "request_id": "a", "error": error}})
    });
    let recorded = session(&[("<", tool()), (">", errors[0].clone())]);
    let mut host = Host::new(&recorded, Config::default());
    host.writes(&errors[1]);
    assert_eq!(host.hears().differences, []);
}

#[test]
fn bytes_may_come_in_any_pieces_and_signs_of_life_are_no_difference() {
    let mut host = Host::new(&small(), Config::default());
    let start = host.start;
    let lines = format!(
        "\n{{\"type\":\"keep_alive\"}}\r\n{}",
        prompt("mine", "Gö").to_string().replace("Gö", "Go")
    );
    for byte in lines.as_bytes() {
        host.replay.handle_input(start, &[*byte]);
    }
    assert!(host.hears().lines.is_empty());
    host.replay.handle_input(start, b"\n");
    assert_eq!(host.hears().lines.len(), 2);
}

#[test]
fn what_the_cli_is_started_with_is_compared_where_it_is_known() {
    let started_with = |argv: &[&str]| {
        let spawn = Spawn {
            argv: argv.iter().map(|&it| it.to_owned()).collect(),
            ..Spawn::default()
        };
        let mut entry = Entry::new(Some(0.0), What::Spawn(spawn));
        entry.line = 1;
        let mut session = vec![entry];
        session.extend(small());
        session
    };
    let given = |argument: &str| Config::default().arguments([argument.to_owned()]);
    let recorded = started_with(&["cli", "--model=a"]);
    for (session, config) in [
        (&recorded, given("--model=a")),
        // Nobody has started it, or nobody knows how.
        (&recorded, Config::default()),
        (&started_with(&[]), given("--model=b")),
        (&small(), given("--model=b")),
    ] {
        let heard = Host::new(session, config).hears();
        assert_eq!((heard.differences, heard.ending), (vec![], None));
    }

    let heard = Host::new(&recorded, given("--model=b")).hears();
    assert_eq!(heard.ending, Some(Ending::Differs));
    assert_eq!(heard.differences.len(), 1);
    let told = "the host started its CLI with other arguments\n  \
        in the recording: line 1\n  at:       /--model/0\n  \
        expected: \"a\"\n  actual:   \"b\"";
    assert_eq!(heard.differences[0].to_string(), told);

    // It is said, and the session goes on.
    let mut host = Host::new(&recorded, given("--model=b").tolerant());
    let heard = host.hears();
    assert_eq!((heard.differences.len(), heard.ending), (1, None));
}

#[test]
fn a_cli_that_a_signal_ended_ends_with_128_and_the_signal() {
    for (recorded, status) in [
        (json!({"code": null, "signal": 15}), 143),
        (json!({"code": -15}), 143),
        (json!({"code": -9}), 137),
        (json!({"code": 3}), 3),
        (json!({"code": 0}), 0),
        (json!({}), 0),
    ] {
        let exit = json!({"t": 1.0, "dir": "exit", "msg": recorded}).to_string();
        let session: Vec<_> = Reader::new(exit.as_bytes()).flatten().collect();
        let mut host = Host::new(&session, Config::default());
        assert_eq!(
            host.hears().ending,
            Some(Ending::AsRecorded(status)),
            "{recorded}"
        );
    }
}
