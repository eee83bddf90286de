//! Replays recorded and constructed sessions to hosts that behave as recorded,
//! and to hosts that differ.

use super::*;
use crate::recording::{Reader, Spawn, sessions};
use serde_json::json;
use std::path::Path;

/// A host and the replay that it drives.
struct Host {
    replay: Replay,
    start: Instant,
}

/// The outputs of a replay, by kind.
#[derive(Debug, Default)]
struct Outputs {
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

    fn write(&mut self, line: &Value) {
        let line = format!("{line}\n");
        self.replay.handle_input(self.start, line.as_bytes());
    }

    fn close(&mut self) {
        self.replay.handle_input_end(self.start);
    }

    /// Returns the outputs of the replay since the last call.
    fn outputs(&mut self) -> Outputs {
        let mut outputs = Outputs::default();
        while let Some(output) = self.replay.poll_output() {
            assert_eq!(outputs.ending, None, "{output:?} after the end");
            match output {
                Output::Stdout(line) => {
                    outputs
                        .lines
                        .push(serde_json::from_slice(&line).expect("JSON"));
                }
                Output::Difference(difference) => outputs.differences.push(difference),
                Output::Exit(ending) => outputs.ending = Some(ending),
                Output::Stderr(_) => {}
            }
        }
        outputs
    }
}

/// Creates a session from lines that are marked `>` (sent) or `<` (received).
fn session(lines: &[(&str, Value)]) -> Vec<Entry> {
    let entry = |(number, (dir, message)): (usize, &(&str, Value))| {
        let line = RecordedLine::new(message.to_string().as_bytes(), false);
        let what = match *dir {
            ">" => EntryKind::Sent(line),
            _ => EntryKind::Received(line),
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

/// Returns the recordings of the directory, except for the malformed one.
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

/// Returns an equivalent line of another host. Its IDs and the order of its
/// hooks differ, and its texts are lists of blocks.
fn equivalent_line(line: &Value) -> Value {
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
            // IDs that are not those of the host's messages stay.
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
fn every_recording_replays_to_an_equivalent_host() {
    for (name, session) in recordings() {
        for config in [Config::default(), Config::default().tolerant()] {
            let mut host = Host::new(&session, config.clone());
            let mut outputs = host.outputs();
            for entry in &session {
                match &entry.kind {
                    EntryKind::Sent(RecordedLine::Json(json)) => {
                        host.write(&equivalent_line(&json.read().expect("JSON")));
                    }
                    EntryKind::Note(text) if text == INPUT_CLOSED => host.close(),
                    _ => continue,
                }
                let more = host.outputs();
                outputs.lines.extend(more.lines);
                outputs.differences.extend(more.differences);
                outputs.ending = outputs.ending.or(more.ending);
            }
            assert_eq!(outputs.differences, [], "{name}");
            assert_eq!(outputs.ending, Some(Ending::AsRecorded(0)), "{name}");
            let received = session.iter().filter_map(|entry| match &entry.kind {
                EntryKind::Received(RecordedLine::Json(json)) => json.read::<Value>().ok(),
                _ => None,
            });
            let received: Vec<Value> = received.collect();
            assert_eq!(outputs.lines.len(), received.len(), "{name}");
            for (actual, recorded) in outputs.lines.iter().zip(&received) {
                let text = actual.to_string().replace("other-", "");
                assert_eq!(text, recorded.to_string(), "{name}");
            }
            // The IDs are those of this host.
            assert!(
                outputs
                    .lines
                    .iter()
                    .any(|it| it.to_string().contains("other-")),
                "{name}"
            );
        }
    }
}

/// Returns a session with a prompt, a permission request, a request and an end
/// of the input.
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
fn each_line_waits_for_the_earlier_lines_of_the_recorded_host() {
    let mut host = Host::new(&small(), Config::default());
    assert!(host.outputs().lines.is_empty());
    host.write(&prompt("mine-1", "Go"));
    let outputs = host.outputs();
    assert_eq!(outputs.lines.len(), 2);
    assert_eq!(outputs.lines[0]["command_uuid"], "mine-1");
    assert_eq!(
        host.replay
            .awaited()
            .map(|(line, _)| line)
            .collect::<Vec<_>>(),
        [4, 5]
    );
    // The request may come before the response, which is unrelated.
    host.write(&set_model("m"));
    assert!(host.outputs().lines.is_empty());
    host.write(&answer("a1", &json!({"behavior": "allow"})));
    let outputs = host.outputs();
    assert_eq!(outputs.lines[0]["response"]["request_id"], "mine");
    assert_eq!((outputs.differences.len(), outputs.ending), (0, None));
    host.close();
    assert_eq!(host.outputs().ending, Some(Ending::AsRecorded(0)));
}

#[test]
fn the_first_difference_is_reported_and_ends_a_strict_replay() {
    let mut host = Host::new(&small(), Config::default());
    host.write(&prompt("u", "Stay"));
    let outputs = host.outputs();
    assert_eq!(outputs.ending, Some(Ending::Differs));
    assert_eq!(outputs.lines.len(), 0);
    assert_eq!(
        outputs.differences[0].to_string(),
        "the host wrote a different value\n  in the recording: line 1\n  of the host:      line 1\n  \
         at:       /message/content/0/text\n  expected: \"Go\"\n  actual:   \"Stay\""
    );

    // The line differs from the next expected line.
    let mut host = Host::new(&small(), Config::default());
    host.write(&set_model("m"));
    let outputs = host.outputs();
    let difference = &outputs.differences[0];
    assert_eq!(
        (difference.recorded_line, difference.actual_line),
        (Some(1), Some(1))
    );
    assert!(
        difference
            .to_string()
            .starts_with("the host wrote a different line")
    );

    // A line is missing.
    let mut host = Host::new(&small(), Config::default());
    host.write(&prompt("u", "Go"));
    host.write(&answer("a1", &json!({"behavior": "allow"})));
    host.close();
    let outputs = host.outputs();
    assert_eq!(outputs.ending, Some(Ending::Differs));
    assert_eq!(
        (
            outputs.differences[0].recorded_line,
            outputs.differences[0].actual_line
        ),
        (Some(5), None)
    );

    // A line is unexpected, or is a response without a request.
    for more in [
        prompt("u2", "On"),
        answer("a1", &json!({"behavior": "allow"})),
    ] {
        let mut host = Host::new(&small(), Config::default());
        host.write(&prompt("u", "Go"));
        host.write(&answer("a1", &json!({"behavior": "allow"})));
        host.write(&set_model("m"));
        assert_eq!(host.outputs().differences, []);
        host.write(&more);
        let outputs = host.outputs();
        assert_eq!(outputs.differences[0].expected, None);
        assert_eq!(outputs.ending, Some(Ending::Differs));
    }
}

#[test]
fn a_tolerant_replay_continues_and_refuses_unexpected_requests() {
    let mut host = Host::new(&small(), Config::default().tolerant());
    host.write(&request("odd", &json!({"subtype": "mcp_status"})));
    host.write(&set_model("other"));
    host.write(&prompt("u", "Go"));
    let outputs = host.outputs();
    assert_eq!(outputs.lines[0]["response"]["subtype"], "error");
    assert_eq!(outputs.lines[0]["response"]["request_id"], "odd");
    assert_eq!(outputs.differences.len(), 2);
    assert_eq!(outputs.differences[1].pointer, "/request/model");
    assert_eq!(outputs.lines.len(), 3);
    // The response is missing; the input ends.
    host.close();
    let outputs = host.outputs();
    assert_eq!(outputs.differences.len(), 1);
    assert_eq!(outputs.lines[0]["response"]["request_id"], "mine");
    assert_eq!(outputs.ending, Some(Ending::AsRecorded(0)));
}

#[test]
fn with_the_pace_in_time_lines_keep_their_times_and_lines_with_a_host_id_wait() {
    let mut host = Host::new(&small(), Config::default().pace(Pace::InTime));
    let at = |seconds| host.start + Duration::from_secs(seconds);
    let (second, third, sixth, twelfth) = (at(1), at(2), at(6), at(12));
    assert_eq!(host.replay.poll_timeout(), Some(second));
    host.replay.handle_timeout(second);
    // The line contains the UUID that the host chose.
    assert!(host.outputs().lines.is_empty());
    assert_eq!(host.replay.poll_timeout(), None);
    // The host is five seconds late, which delays all later lines.
    let line = format!("{}\n", prompt("mine", "Go"));
    host.replay.handle_input(sixth, line.as_bytes());
    assert_eq!(host.outputs().lines.len(), 1);
    assert_eq!(
        host.replay.poll_timeout(),
        Some(third + Duration::from_secs(5))
    );
    host.replay.handle_timeout(twelfth);
    // The permission request contains no ID of the host. The response does.
    assert_eq!(host.outputs().lines.len(), 1);
    host.write(&set_model("m"));
    host.replay.handle_timeout(at_end(&host));
    assert_eq!(host.outputs().lines.len(), 1);
}

fn at_end(host: &Host) -> Instant {
    host.start + Duration::from_secs(60)
}

#[test]
fn default_values_are_no_difference() {
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
        host.write(&answer("a", &other));
        assert_eq!(
            host.outputs().differences.is_empty(),
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
    host.write(&errors[1]);
    assert_eq!(host.outputs().differences, []);
}

#[test]
fn input_may_be_split_anywhere_and_keep_alives_are_ignored() {
    let mut host = Host::new(&small(), Config::default());
    let start = host.start;
    let lines = format!(
        "\n{{\"type\":\"keep_alive\"}}\r\n{}",
        prompt("mine", "Gö").to_string().replace("Gö", "Go")
    );
    for byte in lines.as_bytes() {
        host.replay.handle_input(start, &[*byte]);
    }
    assert!(host.outputs().lines.is_empty());
    host.replay.handle_input(start, b"\n");
    assert_eq!(host.outputs().lines.len(), 2);
}

#[test]
fn arguments_are_compared_if_both_are_known() {
    let started_with = |argv: &[&str]| {
        let spawn = Spawn {
            argv: argv.iter().map(|&it| it.to_owned()).collect(),
            ..Spawn::default()
        };
        let mut entry = Entry::new(Some(0.0), EntryKind::Spawn(spawn));
        entry.line = 1;
        let mut session = vec![entry];
        session.extend(small());
        session
    };
    let given = |argument: &str| Config::default().arguments([argument.to_owned()]);
    let recorded = started_with(&["cli", "--model=a"]);
    for (session, config) in [
        (&recorded, given("--model=a")),
        // Either command line is unknown.
        (&recorded, Config::default()),
        (&started_with(&[]), given("--model=b")),
        (&small(), given("--model=b")),
    ] {
        let outputs = Host::new(session, config).outputs();
        assert_eq!((outputs.differences, outputs.ending), (vec![], None));
    }

    let outputs = Host::new(&recorded, given("--model=b")).outputs();
    assert_eq!(outputs.ending, Some(Ending::Differs));
    assert_eq!(outputs.differences.len(), 1);
    let told = "the host started the CLI with different arguments\n  \
        in the recording: line 1\n  at:       /--model/0\n  \
        expected: \"a\"\n  actual:   \"b\"";
    assert_eq!(outputs.differences[0].to_string(), told);

    // The difference is reported, and the session continues.
    let mut host = Host::new(&recorded, given("--model=b").tolerant());
    let outputs = host.outputs();
    assert_eq!((outputs.differences.len(), outputs.ending), (1, None));
}

#[test]
fn a_signal_becomes_the_status_128_plus_its_number() {
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
            host.outputs().ending,
            Some(Ending::AsRecorded(status)),
            "{recorded}"
        );
    }
}
