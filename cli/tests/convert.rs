//! `agentwire convert`: files and pipes, there and back.

#![allow(clippy::unwrap_used)]

use crate::support;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;
use support::{agentwire, stderr, stdout, told};

/// Each format, and how a tool call looks there.
const FORMATS: [(&str, &str); 6] = [
    ("chat", r#""tool_calls":[{"id":"toolu_1","type":"function""#),
    (
        "responses",
        r#"{"type":"function_call","call_id":"toolu_1""#,
    ),
    ("openhands", r#""origin":"completion""#),
    ("cua", r#"{"type":"computer_call_output""#),
    (
        "bridgic",
        r#""tool_calls":[{"id":"toolu_1","type":"function""#,
    ),
    ("bridgic-blocks", r#""block_type":"tool_call""#),
];

fn convert(arguments: &[&str], input: &str) -> Output {
    told(agentwire("convert").args(arguments), input)
}

fn real() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../interop/tests/sessions/real.ndjson")
}

fn values(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_session_comes_back_from_every_format() {
    let session = values(&std::fs::read_to_string(real()).unwrap());
    for (format, looks) in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let at = |name| folder.path().join(name).to_str().unwrap().to_owned();
        let (made, residue, losses) = (at("made"), at("residue"), at("losses"));
        let output = convert(
            &[
                "--from",
                "agent",
                "--to",
                format,
                real().to_str().unwrap(),
                "-o",
                &made,
                "--residue",
                &residue,
                "--losses",
                &losses,
            ],
            "",
        );
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(stderr(&output).contains("  lost:\n"), "{}", stderr(&output));
        let text = std::fs::read_to_string(&made).unwrap();
        assert!(text.contains(looks), "{format}: {text}");
        let losses = values(&std::fs::read_to_string(&losses).unwrap());
        assert!(losses.iter().all(|loss| loss["why"].is_string()));
        let output = convert(
            &[
                "--from",
                format,
                "--to",
                "agent",
                &made,
                "--restore",
                &residue,
            ],
            "",
        );
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(values(&stdout(&output)) == session, "{format}");
    }
}

#[test]
fn an_edited_piece_is_converted_anew_and_the_rest_restored() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name| folder.path().join(name).to_str().unwrap().to_owned();
    let real = real();
    let there = [
        "--from",
        "agent",
        "--to",
        "chat",
        real.to_str().unwrap(),
        "--residue",
        &at("residue"),
    ];
    let edited = stdout(&convert(&there, "")).replace("Thank you.", "Thanks.");
    let residue = at("residue");
    let output = convert(
        &["--from", "chat", "--to", "agent", "--restore", &residue],
        &edited,
    );
    let lines = values(&stdout(&output));
    assert!(
        lines
            .iter()
            .any(|line| line["message"]["content"] == "Thanks.")
    );
    assert!(
        lines
            .iter()
            .any(|line| line["type"] == "assistant" && line["uuid"].is_string())
    );
    assert!(
        stderr(&output).contains("1 converted again"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_list_is_read_and_written_as_well_as_lines() {
    let chat = json!([{"role": "user", "content": "Go"}, {"role": "assistant", "content": "Gone"}]);
    let pretty = serde_json::to_string_pretty(&chat).unwrap();
    let one_by_one = format!("{}\n\n{}\n", pretty_of(&chat[0]), chat[1]);
    for input in [&pretty, &one_by_one, &chat.to_string()] {
        let output = convert(&["--from", "chat", "--to", "bridgic", "--array"], input);
        assert!(output.status.success(), "{}", stderr(&output));
        let made: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(made, chat);
    }
    let output = convert(&["--from", "chat", "--to", "bridgic", "--array"], "");
    assert_eq!(stdout(&output), "[]\n");
}

fn pretty_of(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn a_sub_agent_is_a_conversation_of_its_own() {
    let real = std::fs::read_to_string(real()).unwrap();
    let output = convert(
        &["--from", "agent", "--to", "chat", "--thread", "toolu_4"],
        &real,
    );
    let made = stdout(&output);
    assert!(
        made.contains("I count.") && !made.contains("You are welcome."),
        "{made}"
    );
}

#[test]
fn recordings_are_read_as_the_sessions_that_they_are() {
    let recording = concat!(
        r#"{"t":0.1,"dir":"spawn","msg":{"argv":["claude"]}}"#,
        "\n",
        r#"{"t":0.2,"dir":"send","msg":{"type":"user","message":{"role":"user","content":"Go"}}}"#,
        "\n",
        r#"{"t":0.3,"dir":"recv_raw","msg":"no json"}"#,
        "\n",
    );
    let output = convert(&["--from", "agent", "--to", "chat"], recording);
    assert_eq!(
        values(&stdout(&output)),
        [json!({"role": "user", "content": "Go"})]
    );
}

#[test]
fn what_cannot_be_read_is_told_and_passed_over() {
    let input = "{\"role\":\"user\",\"content\":\"Go\"}\nno json\n{\"role\":\"user\",\"content\":\"on\"}\n{\"role\"";
    let output = convert(&["--from", "bridgic", "--to", "chat"], input);
    assert_eq!(values(&stdout(&output)).len(), 2);
    let told = stderr(&output);
    assert!(told.contains("line 2: expected ident"), "{told}");
    assert!(told.contains("line 4: EOF"), "{told}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let residue = folder.path().join("residue");
    let residue = residue.to_str().unwrap();
    std::fs::write(residue, "{\"from\":\"agent\",\"to\":\"cua\"}\n").unwrap();
    let other = folder.path().join("other");
    let other = other.to_str().unwrap();
    std::fs::write(other, "{\"role\":\"user\"}\n").unwrap();
    for (arguments, why) in [
        (
            &["--from", "chat", "--to", "chat"][..],
            "there is no conversion from chat to chat",
        ),
        (
            &["--from", "chat", "--to", "agent", "/nowhere/to/be/found"],
            "cannot read /nowhere",
        ),
        (
            &["--from", "chat", "--to", "cua", "--thread", "x"],
            "requires `--from agent` or `--from transcript`",
        ),
        (
            &["--from", "chat", "--to", "agent", "--restore", residue],
            "the residue is of a conversion from agent to cua",
        ),
        (
            &["--from", "chat", "--to", "agent", "--restore", other],
            "is not a residue",
        ),
        (
            &[
                "--from",
                "chat",
                "--to",
                "agent",
                "-o",
                "/nowhere/to/be/written",
            ],
            "cannot write",
        ),
    ] {
        let output = convert(arguments, "");
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(why), "{arguments:?}: {told}");
    }
    let output = convert(
        &["--from", "chat", "--to", "agent"],
        "[{\"role\":\"user\",\"content\":\"Go\"},",
    );
    assert_eq!(values(&stdout(&output)).len(), 1);
    assert!(
        stderr(&output).contains("the list ends after value 1"),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
}

/// A transcript with a branch that the conversation did not go on with.
fn transcript() -> String {
    [
        json!({"type": "user", "uuid": "1", "parentUuid": null, "sessionId": "s",
               "message": {"role": "user", "content": "Go"}}),
        json!({"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s",
               "message": {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": "No."}]}}),
        json!({"type": "assistant", "uuid": "3", "parentUuid": "1", "sessionId": "s",
               "message": {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "Gone."}]}}),
        json!({"type": "something", "new": true}),
    ]
    .map(|record| record.to_string() + "\n")
    .concat()
}

#[test]
fn of_a_transcript_the_live_branch_is_converted_and_all_of_it_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let residue = folder.path().join("residue");
    let residue = residue.to_str().unwrap();
    let output = convert(
        &["--from", "transcript", "--to", "chat", "--residue", residue],
        &transcript(),
    );
    let made = stdout(&output);
    assert!(made.contains("Gone.") && !made.contains("No."), "{made}");
    let told = stderr(&output);
    assert!(told.contains("went on from an earlier place"), "{told}");
    let output = convert(
        &["--from", "chat", "--to", "transcript", "--restore", residue],
        &made,
    );
    assert_eq!(values(&stdout(&output)), values(&transcript()));
}

#[test]
fn of_a_damaged_transcript_what_the_agent_resumes_is_converted() {
    let record = |uuid: &str, parent: Option<&str>, second: u32, role: &str, text: &str| {
        json!({"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s",
        "timestamp": format!("2026-01-01T00:00:{second:02}.000Z"),
        "message": {"role": role, "content": match role {
            "user" => json!(text),
            _ => json!([{"type": "text", "text": text}]),
        }}})
        .to_string()
    };
    let one = record("1", None, 1, "user", "q1");
    let two = record("2", Some("1"), 2, "assistant", "a1");
    let three = record("3", Some("2"), 3, "user", "q2");
    let four = record("4", Some("3"), 4, "assistant", "a2");
    let lost = record("4", Some("9"), 4, "assistant", "a2");
    for (text, expected, told) in [
        (
            [&*one, "\n", &two, "\n", &three, "\n", &four, "\n"].concat(),
            "q1 a1 q2 a2",
            "",
        ),
        // A parent that was never written.
        (
            [&*one, "\n", &two, "\n", &three, "\n", &lost, "\n"].concat(),
            "q1 a1 q2 a2",
            "the record before it is missing",
        ),
        // The same record twice.
        (
            [&*one, "\n", &one, "\n", &two, "\n"].concat(),
            "q1 a1",
            "a later record has the same ID",
        ),
        // A hole before a record, and a record that was cut off.
        (
            [&*one, "\n\0\0\0", &two, "\n", &three, "\n"].concat(),
            "q1 q2",
            "line 2: ",
        ),
        (
            [&*one, "\n", &two[..40], "\n", &three, "\n", &four, "\n"].concat(),
            "q1 q2 a2",
            "line 2: ",
        ),
        // Two records on a line.
        (
            [&*one, "\n", &two, &three, "\n", &four, "\n"].concat(),
            "q1 a1 a2",
            "line 2: the line has another record before it; skipped",
        ),
    ] {
        let output = convert(&["--from", "transcript", "--to", "chat"], &text);
        let made = values(&stdout(&output));
        let made: Vec<&str> = made
            .iter()
            .map(|it| it["content"].as_str().unwrap())
            .collect();
        assert_eq!(made.join(" "), expected, "{text}");
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
}

#[test]
fn a_member_that_is_there_twice_comes_back_also_where_the_text_was_edited() {
    let folder = tempfile::tempdir().unwrap();
    let residue = folder.path().join("residue");
    let residue = residue.to_str().unwrap();
    let line = r#"{"type":"user","uuid":"1","parentUuid":null,"cwd":"/old","cwd":"/new","message":{"role":"user","role":"user","content":"Go","content":"Gone"}}"#;
    let there = ["--from", "transcript", "--to", "chat", "--residue", residue];
    let back = ["--from", "chat", "--to", "transcript", "--restore", residue];
    let made = stdout(&convert(&there, line));
    let restored = stdout(&convert(&back, &made));
    for member in [
        r#""cwd":"/old""#,
        r#""cwd":"/new""#,
        r#""content":"Go""#,
        r#""content":"Gone""#,
    ] {
        assert_eq!(restored.matches(member).count(), 1, "{member}: {restored}");
    }
    assert_eq!(
        restored.matches(r#""role":"user""#).count(),
        2,
        "{restored}"
    );
    let edited = stdout(&convert(&back, &made.replace("Gone", "Stay")));
    for member in [r#""cwd":"/old""#, r#""cwd":"/new""#, r#""content":"Stay""#] {
        assert_eq!(edited.matches(member).count(), 1, "{member}: {edited}");
    }
    // The earlier text is not that of the edited one.
    assert!(!edited.contains(r#""content":"Go""#), "{edited}");
}

#[test]
fn messages_that_were_swapped_are_what_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let residue = folder.path().join("residue");
    let residue = residue.to_str().unwrap();
    let there = ["--from", "transcript", "--to", "chat", "--residue", residue];
    let back = ["--from", "chat", "--to", "transcript", "--restore", residue];
    let made = stdout(&convert(&there, &transcript()));
    let [first, second] = made.lines().collect::<Vec<_>>()[..] else {
        panic!("{made}");
    };
    let output = convert(&back, &format!("{second}\n{first}\n"));
    let records = values(&stdout(&output));
    let uuids: Vec<_> = records
        .iter()
        .filter_map(|it| it["uuid"].as_str())
        .collect();
    assert!(uuids.contains(&"1") && uuids.contains(&"3"), "{uuids:?}");
    assert!(
        stderr(&output).contains("0 converted again"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_transcript_becomes_the_lines_of_a_session_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let residue = folder.path().join("residue");
    let residue = residue.to_str().unwrap();
    let output = convert(
        &[
            "--from",
            "transcript",
            "--to",
            "agent",
            "--residue",
            residue,
        ],
        &transcript(),
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let made = stdout(&output);
    let said: Vec<_> = values(&made)
        .iter()
        .map(|line| {
            (
                line["type"].clone(),
                line["uuid"].clone(),
                line["session_id"].clone(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            (json!("user"), json!("1"), json!("s")),
            (json!("assistant"), json!("3"), json!("s")),
        ]
    );
    // They are lines of a session.
    let output = convert(&["--from", "agent", "--to", "chat"], &made);
    assert_eq!(
        values(&stdout(&output)),
        [
            json!({"role": "user", "content": "Go"}),
            json!({"role": "assistant", "content": "Gone."}),
        ]
    );
    let restore = [
        "--from",
        "agent",
        "--to",
        "transcript",
        "--restore",
        residue,
    ];
    let output = convert(&restore, &made);
    assert_eq!(values(&stdout(&output)), values(&transcript()));
    let output = convert(&["--from", "agent", "--to", "transcript"], &made);
    assert!(stderr(&output).contains("cannot convert to transcript"));
}

#[test]
fn a_directory_of_transcripts_becomes_one_of_conversations() {
    let folder = tempfile::tempdir().unwrap();
    let below = |name: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        file
    };
    std::fs::write(below("projects/key/s.jsonl"), transcript()).unwrap();
    let said = r#"{"type":"user","uuid":"9","parentUuid":null,"isSidechain":true,"agentId":"a","message":{"role":"user","content":"Count"}}"#;
    std::fs::write(below("projects/key/s/subagents/agent-a.jsonl"), said).unwrap();
    std::fs::write(below("projects/key/s/subagents/agent-a.meta.json"), "{}").unwrap();
    let (from, to) = (folder.path().join("projects"), folder.path().join("made"));
    let (from, to) = (from.to_str().unwrap(), to.to_str().unwrap());
    let directory = ["--from", "transcript", "--to", "chat", from];
    let output = convert(&[&directory[..], &["-o", to]].concat(), "");
    assert!(output.status.success(), "{}", stderr(&output));
    let made = |name| std::fs::read_to_string(folder.path().join("made/key").join(name)).unwrap();
    assert!(made("s.jsonl").contains("Gone."));
    assert_eq!(
        values(&made("s/subagents/agent-a.jsonl")),
        [json!({"role": "user", "content": "Count"})]
    );
    let lines = folder.path().join("lines");
    let to_agent = ["--from", "transcript", "--to", "agent", from, "-o"];
    let output = convert(&[&to_agent[..], &[lines.to_str().unwrap()]].concat(), "");
    assert!(output.status.success(), "{}", stderr(&output));
    let lines = std::fs::read_to_string(lines.join("key/s/subagents/agent-a.jsonl")).unwrap();
    assert_eq!(values(&lines)[0]["agent_id"], "a");
    let output = convert(&directory, "");
    assert!(
        stderr(&output).contains("--output DIRECTORY"),
        "{}",
        stderr(&output)
    );
}

/// A conversation of one message, in a folder of its own.
fn chat(folder: &Path) -> PathBuf {
    let file = folder.join("chat.ndjson");
    std::fs::write(&file, "{\"role\":\"user\",\"content\":\"Go\"}\n").unwrap();
    file
}

fn to_agent<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["--from", "chat", "--to", "agent"], arguments].concat()
}

#[cfg(unix)]
#[test]
fn what_is_read_is_not_written_whatever_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let file = chat(folder.path());
    let before = std::fs::read(&file).unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let twin = folder.path().join("twin");
    std::fs::hard_link(&file, &twin).unwrap();
    let other = folder.path().join("other");
    let [file_, link, twin, other_] =
        [&file, &link, &twin, &other].map(|path| path.to_str().unwrap());
    for arguments in [
        vec![file_, "-o", file_],
        vec![file_, "-o", link],
        vec![link, "-o", file_],
        vec![file_, "-o", twin],
        vec![file_, "--residue", file_],
        vec![file_, "--losses", link],
        vec![file_, "-o", other_, "--residue", other_],
        vec![file_, "--losses", other_, "--residue", other_],
    ] {
        let output = convert(&to_agent(&arguments), "");
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(
            told.contains("by the same command"),
            "{arguments:?}: {told}"
        );
        assert_eq!(std::fs::read(&file).unwrap(), before, "{arguments:?}");
        assert!(!other.exists(), "{arguments:?}");
    }
    // Nothing is left beside them.
    assert_eq!(folder.path().read_dir().unwrap().count(), 3);
}

#[test]
fn what_cannot_be_read_to_its_end_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made");
    std::fs::write(&made, "before").unwrap();
    let output = convert(
        &to_agent(&["-o", made.to_str().unwrap()]),
        "[{\"role\":\"user\",\"content\":\"Go\"},",
    );
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(&made).unwrap(), "before");
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_mode_and_all_its_names_and_a_new_one_is_for_nobody_else() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mode = |name: &str| std::fs::metadata(at(name)).unwrap().mode() & 0o777;
    let file = chat(folder.path());
    for name in ["old", "linked", "named"] {
        std::fs::write(at(name), "before").unwrap();
        std::fs::set_permissions(at(name), PermissionsExt::from_mode(0o640)).unwrap();
    }
    symlink("linked", at("link")).unwrap();
    std::fs::hard_link(at("named"), at("name")).unwrap();
    for name in ["old", "link", "name", "new"] {
        let output = convert(
            &to_agent(&[file.to_str().unwrap(), "-o", at(name).to_str().unwrap()]),
            "",
        );
        assert!(output.status.success(), "{}", stderr(&output));
    }
    for name in ["old", "linked", "named", "name", "new"] {
        assert!(
            std::fs::read_to_string(at(name)).unwrap().contains("Go"),
            "{name}"
        );
    }
    assert!(at("link").is_symlink());
    assert_eq!(["old", "linked", "named"].map(mode), [0o640; 3]);
    assert_eq!(mode("new"), 0o600);
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_if_nobody_else_has_put_it_there() {
    use std::os::unix::fs::{lchown, symlink};

    let folder = tempfile::tempdir().unwrap();
    let file = chat(folder.path());
    let (victim, link) = (folder.path().join("victim"), folder.path().join("link"));
    let to_link = to_agent(&[file.to_str().unwrap(), "-o", link.to_str().unwrap()]);
    symlink(&victim, &link).unwrap();
    let output = convert(&to_link, "");
    let told = stderr(&output);
    assert!(
        told.contains("it is a symbolic link, and its target cannot be used"),
        "{told}"
    );
    std::fs::write(&victim, "before").unwrap();
    // Only root can make what others make.
    if lchown(&link, Some(12_345), None).is_ok() {
        let told = stderr(&convert(&to_link, ""));
        assert!(
            told.contains("it is a symbolic link that belongs to another user"),
            "{told}"
        );
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "before");
        lchown(&link, Some(0), None).unwrap();
    }
    assert!(convert(&to_link, "").status.success());
    assert!(std::fs::read_to_string(&victim).unwrap().contains("Go"));
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_written_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = chat(folder.path());
    let file = file.to_str().unwrap();
    for name in ["-", "/dev/stdout", "/proc/self/fd/1"] {
        let output = convert(&to_agent(&[file, "-o", name]), "");
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        assert_eq!(values(&stdout(&output)).len(), 1, "{name}");
    }
    let both = ["-o", "/dev/null", "--residue", "/dev/null"];
    let output = convert(&to_agent(&[&[file], &both[..]].concat()), "");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!Path::new("/dev/null").is_file());
}

#[cfg(unix)]
#[test]
fn a_directory_is_not_converted_into_itself_and_links_in_it_are_not_followed() {
    use std::os::unix::fs::{MetadataExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mode = |name: &str| std::fs::metadata(at(name)).unwrap().mode() & 0o777;
    std::fs::create_dir_all(at("projects/key")).unwrap();
    std::fs::write(at("projects/key/s.jsonl"), transcript()).unwrap();
    symlink(".", at("projects/key/again")).unwrap();
    let projects = at("projects");
    let directory = [
        "--from",
        "transcript",
        "--to",
        "chat",
        projects.to_str().unwrap(),
    ];
    for into in ["projects", "projects/key/made", "projects/../projects"] {
        let into = at(into);
        let output = convert(
            &[&directory[..], &["-o", into.to_str().unwrap()]].concat(),
            "",
        );
        let told = stderr(&output);
        assert!(told.contains("is in the input directory"), "{told}");
        assert_eq!(output.status.code(), Some(2));
    }
    let source = std::fs::read_to_string(at("projects/key/s.jsonl")).unwrap();
    assert_eq!(source, transcript());

    // What somebody has left where it is written to is replaced, and not followed.
    std::fs::create_dir_all(at("made/key")).unwrap();
    std::fs::write(at("victim"), "before").unwrap();
    symlink(at("victim"), at("made/key/s.jsonl")).unwrap();
    let residue = at("residue");
    let output = convert(
        &[
            &directory[..],
            &[
                "-o",
                at("made").to_str().unwrap(),
                "--residue",
                residue.to_str().unwrap(),
            ],
        ]
        .concat(),
        "",
    );
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(at("victim")).unwrap(), "before");
    let made = std::fs::read_to_string(at("made/key/s.jsonl")).unwrap();
    assert!(made.contains("Gone.") && !at("made/key/s.jsonl").is_symlink());
    assert_eq!(at("made/key").read_dir().unwrap().count(), 1);
    assert_eq!((mode("residue"), mode("residue/key")), (0o700, 0o700));
    assert_eq!(mode("residue/key/s.jsonl"), 0o600);

    // Nor a folder that is a link.
    std::fs::remove_dir_all(at("made/key")).unwrap();
    std::fs::create_dir(at("elsewhere")).unwrap();
    symlink(at("elsewhere"), at("made/key")).unwrap();
    let output = convert(
        &[&directory[..], &["-o", at("made").to_str().unwrap()]].concat(),
        "",
    );
    assert!(
        stderr(&output).contains("a part of the path is not a folder"),
        "{}",
        stderr(&output)
    );
    assert_eq!(at("elsewhere").read_dir().unwrap().count(), 0);
}
