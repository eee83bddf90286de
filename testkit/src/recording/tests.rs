//! Tests of reading, recording and scrubbing.

use super::*;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Reads the entries of a recording.
fn read(text: &[u8]) -> Vec<Entry> {
    Reader::new(text)
        .map(|entry| entry.expect("an entry"))
        .collect()
}

#[test]
fn recorded_sessions_round_trip() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    let mut lines = 0;
    for file in folder.read_dir().expect("a folder") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|it| it != "ndjson") {
            continue;
        }
        let text = std::fs::read_to_string(path).expect("a file");
        for (entry, line) in read(text.as_bytes()).iter().zip(text.lines()) {
            let value = |line: &[u8]| serde_json::from_slice::<Value>(line).expect("JSON");
            assert_eq!(value(&entry.to_line()), value(line.as_bytes()));
            assert!(!matches!(entry.kind, EntryKind::Other { .. }) || line.contains("\"http\""));
            lines += 1;
        }
    }
    assert!(lines > 2000);
}

#[test]
fn an_invalid_entry_is_an_error_with_its_line_and_unknown_directions_are_accepted() {
    let text = "{\"dir\":\"wind\",\"msg\":1}\n\n{\"t\":0,\"dir\":\"recv\"}\n";
    let read: Vec<_> = Reader::new(text.as_bytes()).collect();
    let first = read[0].as_ref().expect("an entry");
    assert!(matches!(&first.kind, EntryKind::Other { dir, .. } if dir == "wind"));
    let error = read[1].as_ref().err().map(ToString::to_string);
    let error = error.expect("no entry");
    assert!(
        error.starts_with("line 3, column ") && error.contains("msg"),
        "{error}"
    );
    assert_eq!(read.len(), 2);
}

#[test]
fn bytes_are_recorded_line_by_line() {
    let start = Instant::now();
    let mut recorder = Recorder::new(start, Scrub::nothing());
    let later = start + Duration::from_millis(1500);
    let mut file = recorder.spawned(start, Spawn::default());
    for (direction, bytes) in [
        (Direction::Sent, &b"{\"a\":1.0}\n{\"b"[..]),
        (Direction::Received, b"noise\r\n\xff\xfe\n\n {}\n"),
        (Direction::Sent, b"\":2}\nhalf"),
        (Direction::Stderr, b"oh"),
    ] {
        file.extend(recorder.passed(later, direction, bytes));
    }
    file.extend(recorder.missed(later, Direction::Received, 7));
    file.extend(recorder.passed(later, Direction::Received, b"the rest\n{\"c\":3}\n"));
    for direction in [Direction::Sent, Direction::Received, Direction::Stderr] {
        file.extend(recorder.ended(later, direction));
    }
    file.extend(recorder.exited(later + Duration::from_millis(250), None, Some(15)));
    let lines: Vec<Value> = (String::from_utf8(file.clone())
        .expect("UTF-8")
        .lines()
        .skip(1))
    .map(|line| serde_json::from_str(line).expect("JSON"))
    .collect();
    let expected = [
        json!({"t": 1.5, "dir": "send", "msg": {"a": 1.0}}),
        json!({"t": 1.5, "dir": "recv_raw", "msg": "noise\r"}),
        json!({"t": 1.5, "dir": "recv_raw", "msg": {"hex": "fffe"}}),
        json!({"t": 1.5, "dir": "recv_raw", "msg": ""}),
        json!({"t": 1.5, "dir": "recv_raw", "msg": " {}"}),
        json!({"t": 1.5, "dir": "send", "msg": {"b": 2}}),
        json!({"t": 1.5, "dir": "note", "msg": "7 bytes received were not recorded"}),
        json!({"t": 1.5, "dir": "recv", "msg": {"c": 3}}),
        json!({"t": 1.5, "dir": "send_raw", "msg": {"text": "half", "unfinished": true}}),
        json!({"t": 1.5, "dir": "note", "msg": "stdin closed"}),
        json!({"t": 1.5, "dir": "stderr", "msg": {"text": "oh", "unfinished": true}}),
        json!({"t": 1.75, "dir": "exit", "msg": {"code": null, "signal": 15, "after_s": 0.25}}),
    ];
    assert_eq!(lines, expected);
    // The received bytes are unchanged, except for the gap.
    let received: Vec<u8> = read(&file)
        .into_iter()
        .filter_map(|entry| match entry.kind {
            EntryKind::Received(line) => Some(line.to_bytes()),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(received, b"noise\r\n\xff\xfe\n\n {}\n{\"c\":3}\n");
}

/// Returns a scrubbed message.
fn scrubbed(scrub: &Scrub, message: &Value) -> Value {
    let line = RecordedLine::new(message.to_string().as_bytes(), false);
    let entry = scrub.entry(Entry::new(None, EntryKind::Sent(line)));
    let line: Value = serde_json::from_slice(&entry.to_line()).expect("JSON");
    line["msg"].clone()
}

#[test]
fn secrets_are_masked_by_name_position_form_and_environment() {
    let environment = [
        ("MY_API_KEY", "correct horse"),
        ("EDITOR", "plain text editor"),
    ];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let scrub = Scrub::nothing().secrets(environment);
    let message = json!({
        "text": "say correct horse in a plain text editor; Bearer abcdef0123456789",
        "apiKey": "x",
        "tokens": 7,
        "headers": {"X-Any": "one", "List": ["two"]},
        "url": "https://me:pw@host/",
        "key": ["sk-ant-0123456789abcdef0"],
        "env": {"A": "b"},
        "note": "it is sk-ant-0123456789abcdef0!",
    });
    assert_eq!(
        scrubbed(&scrub, &message),
        json!({
            "text": "say *** in a plain text editor; Bearer ***",
            "apiKey": "***",
            "tokens": 7,
            "headers": {"X-Any": "***", "List": ["***"]},
            "url": "https://***@host/",
            "key": ["***"],
            "env": {"A": "***"},
            "note": "it is ***!",
        })
    );
    let argv = [
        "cli",
        "--api-key",
        "x",
        "--auth-token=y",
        "--mcp-config={\"env\":{\"A\":\"b\"}}",
        "-p",
    ];
    let spawn = Spawn {
        argv: argv.map(str::to_owned).to_vec(),
        env: vec!["MY_API_KEY".to_owned()],
    };
    let entry = scrub.entry(Entry::new(None, EntryKind::Spawn(spawn)));
    let EntryKind::Spawn(spawn) = entry.kind else {
        panic!("{entry:?}")
    };
    assert_eq!(
        spawn.argv,
        [
            "cli",
            "--api-key",
            "***",
            "--auth-token=***",
            "--mcp-config={\"env\":{\"A\":\"***\"}}",
            "-p"
        ]
    );
    assert_eq!(spawn.env, ["MY_API_KEY"]);
}

#[test]
fn secrets_are_masked_in_json_in_text_in_groups_and_in_numbers() {
    let scrub = Scrub::nothing().secrets([]);
    let nested = r#"{ "apiKey":"x\\n", "cmd":"DB_PASSWORD=hunter2 ./run", "n":1.0}"#;
    let message = json!({
        "text": nested,
        "more": "It says {\"apiKey\":\"abc123\"}.",
        "password": {"value": "x", "number": 7},
        "secret": 123456,
        "key": 7,
        "schema": {"properties": {"password": {"type": "string"}}},
    });
    let without = r#"{ "apiKey":"***", "cmd":"DB_PASSWORD=*** ./run", "n":1.0}"#;
    assert_eq!(
        scrubbed(&scrub, &message),
        json!({
            "text": without,
            "more": "It says {\"apiKey\":\"***\"}.",
            "password": {"value": "***", "number": 7},
            "secret": "***",
            "key": 7,
            "schema": {"properties": {"password": {"type": "string"}}},
        })
    );
    assert_eq!(
        scrubbed(&Scrub::nothing(), &message),
        message,
        "nothing is asked for"
    );
}

#[test]
fn secrets_are_masked_in_arguments_by_their_flag() {
    let scrub = Scrub::nothing().secrets([]);
    let argv = |argv: &[&str]| {
        let argv = argv.iter().map(|it| (*it).to_owned()).collect();
        let env = Vec::new();
        match scrub
            .entry(Entry::new(None, EntryKind::Spawn(Spawn { argv, env })))
            .kind
        {
            EntryKind::Spawn(spawn) => spawn.argv.join(" "),
            other => panic!("{other:?}"),
        }
    };
    for (given, shown) in [
        (
            &["curl", "-H", "X-Any: abc", "-k", "https://host"][..],
            "curl -H X-Any: *** -k https://host",
        ),
        (
            &["tool", "-k", "abc", "-p", "words"],
            "tool -k *** -p words",
        ),
        (
            &["tool", "password=abc", "--token=abc", "n=1"],
            "tool password=*** --token=*** n=1",
        ),
        (
            &["curl", "-u", "me:pw", "--header", "A: b"],
            "curl -u me:*** --header A: ***",
        ),
        (
            &["sudo", "-u", "me", "--secret", "abc"],
            "sudo -u me --secret ***",
        ),
        (
            &["sh", "-c", "cd x; API_KEY=abcd run"],
            "sh -c cd x; API_KEY=*** run",
        ),
        (
            &[
                "cli",
                "--resume=01234567-89ab-cdef",
                "--settings={\"apiKey\":\"x\"}",
            ],
            "cli --resume=01234567-89ab-cdef --settings={\"apiKey\":\"***\"}",
        ),
    ] {
        assert_eq!(argv(given), shown);
    }
}

#[test]
fn paths_and_prose_are_replaced() {
    let scrub = Scrub::nothing()
        .paths(
            Some(Path::new("/home/me")),
            Some(Path::new("/home/me/src/x")),
        )
        .prose();
    let message = json!({
        "cwd": "/home/me/src/x",
        "file": "/home/me/src/x/a and /home/me/src/xy, /home/mel",
        "transcript_path": "/home/me/.claude/projects/-home-me-src-x/s.jsonl",
        "text": "Hello.",
        "name": "Bash",
    });
    assert_eq!(
        scrubbed(&scrub, &message),
        json!({
            "cwd": "/project",
            "file": "/project/a and /home/agent/src/xy, /home/mel",
            "transcript_path": "/home/agent/.claude/projects/-project/s.jsonl",
            "text": "text",
            "name": "Bash",
        })
    );
}
