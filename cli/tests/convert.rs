//! Tests of `agentwire convert`: conversions, restoration and output files.

#![allow(clippy::unwrap_used)]

use crate::support;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;
use support::{agentwire, assert_stderr, run_with_input, stderr, stdout};

/// The formats, with a part of a tool call in each.
const FORMATS: [(&str, &str); 6] = [
    ("chat", r#""tool_calls":[{"id":"toolu_1","#),
    ("responses", r#"{"type":"function_call","call_id":"#),
    ("openhands", r#""origin":"completion""#),
    ("cua", r#"{"type":"computer_call_output""#),
    ("bridgic", r#""tool_calls":[{"id":"toolu_1","#),
    ("bridgic-blocks", r#""block_type":"tool_call""#),
];

/// Runs the command with arguments that are separated by spaces.
fn convert(arguments: &str, input: &str) -> Output {
    run_with_input(
        agentwire("convert").args(arguments.split_whitespace()),
        input,
    )
}

/// A temporary folder, and the paths of files in it.
struct Folder(agentwire_testing::TempDir);

impl Folder {
    fn new() -> Self {
        Self(agentwire_testing::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
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
fn sessions_round_trip_through_every_format() {
    let session = values(&std::fs::read_to_string(real()).unwrap());
    for (format, looks) in FORMATS {
        let folder = Folder::new();
        let [made, residue, losses] = ["made", "residue", "losses"].map(|it| folder.path(it));
        let files = format!("-o {made} --residue {residue} --losses {losses}");
        let real = real();
        let output = convert(
            &format!("--from agent --to {format} {} {files}", real.display()),
            "",
        );
        assert!(output.status.success(), "{}", stderr(&output));
        assert_stderr(&output, "  lost:\n");
        let text = std::fs::read_to_string(&made).unwrap();
        assert!(text.contains(looks), "{format}: {text}");
        let losses = values(&std::fs::read_to_string(&losses).unwrap());
        assert!(losses.iter().all(|loss| loss["why"].is_string()));
        let back = format!("--from {format} --to agent {made} --restore {residue}");
        let output = convert(&back, "");
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(values(&stdout(&output)) == session, "{format}");
    }
}

#[test]
fn only_edited_messages_are_converted_again() {
    let folder = Folder::new();
    let residue = folder.path("residue");
    let export = format!(
        "--from agent --to chat {} --residue {residue}",
        real().display()
    );
    let edited = stdout(&convert(&export, "")).replace("Thank you.", "Thanks.");
    let output = convert(
        &format!("--from chat --to agent --restore {residue}"),
        &edited,
    );
    let mut lines = values(&stdout(&output)).into_iter();
    assert!(lines.any(|line| line["message"]["content"] == "Thanks."));
    assert!(lines.any(|line| line["type"] == "assistant" && line["uuid"].is_string()));
    let message = stderr(&output);
    assert!(message.contains("1 converted again"), "{message}");
}

#[test]
fn lists_are_read_and_written() {
    let chat = json!([{"role": "user", "content": "Go"}, {"role": "assistant", "content": "Gone"}]);
    let pretty = serde_json::to_string_pretty(&chat).unwrap();
    let one_by_one = format!("{}\n\n{}\n", pretty_of(&chat[0]), chat[1]);
    for input in [&pretty, &one_by_one, &chat.to_string()] {
        let output = convert("--from chat --to bridgic --array", input);
        assert!(output.status.success(), "{}", stderr(&output));
        let made: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(made, chat);
    }
    let output = convert("--from chat --to bridgic --array", "");
    assert_eq!(stdout(&output), "[]\n");
}

fn pretty_of(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn thread_selects_a_sub_agent() {
    let real = std::fs::read_to_string(real()).unwrap();
    let output = convert("--from agent --to chat --thread toolu_4", &real);
    let made = stdout(&output);
    assert!(
        made.contains("I count.") && !made.contains("You are welcome."),
        "{made}"
    );
}

#[test]
fn recordings_are_read_as_sessions() {
    let recording = concat!(
        r#"{"t":0.1,"dir":"spawn","msg":{"argv":["claude"]}}"#,
        "\n",
        r#"{"t":0.2,"dir":"send","msg":{"type":"user","message":{"role":"user","content":"Go"}}}"#,
        "\n",
        r#"{"t":0.3,"dir":"recv_raw","msg":"no json"}"#,
        "\n",
    );
    let output = convert("--from agent --to chat", recording);
    assert_eq!(
        values(&stdout(&output)),
        [json!({"role": "user", "content": "Go"})]
    );
}

#[test]
fn invalid_values_are_reported_and_skipped() {
    let input = "{\"role\":\"user\",\"content\":\"Go\"}\nno json\n{\"role\":\"user\",\"content\":\"on\"}\n{\"role\"";
    let output = convert("--from bridgic --to chat", input);
    assert_eq!(values(&stdout(&output)).len(), 2);
    let message = stderr(&output);
    assert!(message.contains("line 2: expected ident"), "{message}");
    assert!(message.contains("line 4: EOF"), "{message}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn invalid_arguments_are_errors() {
    let folder = Folder::new();
    let [residue, other] = ["residue", "other"].map(|it| folder.path(it));
    std::fs::write(&residue, "{\"from\":\"agent\",\"to\":\"cua\"}\n").unwrap();
    std::fs::write(&other, "{\"role\":\"user\"}\n").unwrap();
    for (arguments, why) in [
        ("--to chat", "there is no conversion from chat to chat"),
        ("--to agent /nowhere/to/be/found", "cannot read /nowhere"),
        (
            "--to cua --thread x",
            "requires `--from agent` or `--from transcript`",
        ),
        (
            &*format!("--to agent --restore {residue}"),
            "the residue is of a conversion from agent to cua",
        ),
        (
            &*format!("--to agent --restore {other}"),
            "is not a residue",
        ),
        ("--to agent -o /nowhere/to/be/written", "cannot write"),
    ] {
        let output = convert(&format!("--from chat {arguments}"), "");
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.contains(why), "{arguments}: {message}");
    }
    let output = convert(
        "--from chat --to agent",
        "[{\"role\":\"user\",\"content\":\"Go\"},",
    );
    assert_eq!(values(&stdout(&output)).len(), 1);
    let message = stderr(&output);
    assert!(message.contains("the list ends after value 1"), "{message}");
    assert_eq!(output.status.code(), Some(2));
}

/// Returns a transcript with an abandoned branch.
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

fn export_chat(residue: &str) -> String {
    format!("--from transcript --to chat --residue {residue}")
}

fn restore_chat(residue: &str) -> String {
    format!("--from chat --to transcript --restore {residue}")
}

#[test]
fn the_live_branch_of_a_transcript_is_converted_and_all_of_it_restored() {
    let folder = Folder::new();
    let residue = folder.path("residue");
    let output = convert(&export_chat(&residue), &transcript());
    let made = stdout(&output);
    assert!(made.contains("Gone.") && !made.contains("No."), "{made}");
    let message = stderr(&output);
    assert!(
        message.contains("went on from an earlier place"),
        "{message}"
    );
    let output = convert(&restore_chat(&residue), &made);
    assert_eq!(values(&stdout(&output)), values(&transcript()));
}

#[test]
fn damaged_transcripts_are_converted_as_the_agent_resumes_them() {
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
    for (text, expected, message) in [
        (
            [&*one, "\n", &two, "\n", &three, "\n", &four, "\n"].concat(),
            "q1 a1 q2 a2",
            "",
        ),
        // The parent of a record is missing.
        (
            [&*one, "\n", &two, "\n", &three, "\n", &lost, "\n"].concat(),
            "q1 a1 q2 a2",
            "the record before it is missing",
        ),
        // A record occurs twice.
        (
            [&*one, "\n", &one, "\n", &two, "\n"].concat(),
            "q1 a1",
            "a later record has the same ID",
        ),
        // NUL characters precede a record, and the last record is incomplete.
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
        // A line contains two records.
        (
            [&*one, "\n", &two, &three, "\n", &four, "\n"].concat(),
            "q1 a1 a2",
            "line 2: the line has another record before it; skipped",
        ),
    ] {
        let output = convert("--from transcript --to chat", &text);
        let made = values(&stdout(&output));
        let made: Vec<&str> = made
            .iter()
            .map(|it| it["content"].as_str().unwrap())
            .collect();
        assert_eq!(made.join(" "), expected, "{text}");
        assert_stderr(&output, message);
    }
}

#[test]
fn duplicate_members_are_restored_even_after_an_edit() {
    let folder = Folder::new();
    let residue = folder.path("residue");
    let line = r#"{"type":"user","uuid":"1","parentUuid":null,"cwd":"/old","cwd":"/new","message":{"role":"user","role":"user","content":"Go","content":"Gone"}}"#;
    let (there, back) = (export_chat(&residue), restore_chat(&residue));
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
    // The original text contained the earlier value.
    assert!(!edited.contains(r#""content":"Go""#), "{edited}");
}

#[test]
fn swapped_messages_are_restored() {
    let folder = Folder::new();
    let residue = folder.path("residue");
    let (there, back) = (export_chat(&residue), restore_chat(&residue));
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
    let message = stderr(&output);
    assert!(message.contains("0 converted again"), "{message}");
}

#[test]
fn transcripts_round_trip_through_lines_of_a_session() {
    let folder = Folder::new();
    let residue = folder.path("residue");
    let export = format!("--from transcript --to agent --residue {residue}");
    let output = convert(&export, &transcript());
    assert!(output.status.success(), "{}", stderr(&output));
    let made = stdout(&output);
    let lines: Vec<_> = values(&made)
        .iter()
        .map(|line| ["type", "uuid", "session_id"].map(|name| line[name].clone()))
        .collect();
    assert_eq!(
        json!(lines),
        json!([["user", "1", "s"], ["assistant", "3", "s"]])
    );
    // The lines can be converted as a session.
    let output = convert("--from agent --to chat", &made);
    assert_eq!(
        values(&stdout(&output)),
        [
            json!({"role": "user", "content": "Go"}),
            json!({"role": "assistant", "content": "Gone."}),
        ]
    );
    let restore = format!("--from agent --to transcript --restore {residue}");
    let output = convert(&restore, &made);
    assert_eq!(values(&stdout(&output)), values(&transcript()));
    let output = convert("--from agent --to transcript", &made);
    assert!(stderr(&output).contains("cannot convert to transcript"));
}

#[test]
fn directories_of_transcripts_are_converted() {
    let folder = agentwire_testing::tempdir().unwrap();
    let below = |name: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        file
    };
    std::fs::write(below("projects/key/s.jsonl"), transcript()).unwrap();
    let record = r#"{"type":"user","uuid":"9","parentUuid":null,"isSidechain":true,"agentId":"a","message":{"role":"user","content":"Count"}}"#;
    std::fs::write(below("projects/key/s/subagents/agent-a.jsonl"), record).unwrap();
    std::fs::write(below("projects/key/s/subagents/agent-a.meta.json"), "{}").unwrap();
    let (from, to) = (folder.path().join("projects"), folder.path().join("made"));
    let (from, to) = (from.to_str().unwrap(), to.to_str().unwrap());
    let output = convert(&format!("--from transcript --to chat {from} -o {to}"), "");
    assert!(output.status.success(), "{}", stderr(&output));
    let made = |name| std::fs::read_to_string(folder.path().join("made/key").join(name)).unwrap();
    assert!(made("s.jsonl").contains("Gone."));
    assert_eq!(
        values(&made("s/subagents/agent-a.jsonl")),
        [json!({"role": "user", "content": "Count"})]
    );
    let lines = folder.path().join("lines");
    let export = format!("--from transcript --to agent {from} -o {}", lines.display());
    let output = convert(&export, "");
    assert!(output.status.success(), "{}", stderr(&output));
    let lines = std::fs::read_to_string(lines.join("key/s/subagents/agent-a.jsonl")).unwrap();
    assert_eq!(values(&lines)[0]["agent_id"], "a");
    let message = stderr(&convert(&format!("--from transcript --to chat {from}"), ""));
    assert!(message.contains("--output DIRECTORY"), "{message}");
}

/// Writes a conversation of one message. Returns the path of the file.
fn chat(folder: &Path) -> PathBuf {
    let file = folder.join("chat.ndjson");
    std::fs::write(&file, "{\"role\":\"user\",\"content\":\"Go\"}\n").unwrap();
    file
}

fn to_agent(arguments: &str) -> Output {
    convert(&format!("--from chat --to agent {arguments}"), "")
}

#[cfg(unix)]
#[test]
fn an_input_file_is_never_overwritten() {
    let folder = agentwire_testing::tempdir().unwrap();
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
        format!("{file_} -o {file_}"),
        format!("{file_} -o {link}"),
        format!("{link} -o {file_}"),
        format!("{file_} -o {twin}"),
        format!("{file_} --residue {file_}"),
        format!("{file_} --losses {link}"),
        format!("{file_} -o {other_} --residue {other_}"),
        format!("{file_} --losses {other_} --residue {other_}"),
    ] {
        let output = to_agent(&arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(
            message.contains("by the same command"),
            "{arguments:?}: {message}"
        );
        assert_eq!(std::fs::read(&file).unwrap(), before, "{arguments:?}");
        assert!(!other.exists(), "{arguments:?}");
    }
    // No temporary files remain.
    assert_eq!(folder.path().read_dir().unwrap().count(), 3);
}

#[test]
fn incomplete_input_replaces_no_file() {
    let folder = agentwire_testing::tempdir().unwrap();
    let made = folder.path().join("made");
    std::fs::write(&made, "before").unwrap();
    let arguments = format!("--from chat --to agent -o {}", made.display());
    let output = convert(&arguments, "[{\"role\":\"user\",\"content\":\"Go\"},");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(&made).unwrap(), "before");
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn existing_files_keep_mode_and_links_and_new_files_are_private() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    let folder = agentwire_testing::tempdir().unwrap();
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
        let output = to_agent(&format!("{} -o {}", file.display(), at(name).display()));
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
fn only_links_of_this_user_are_followed() {
    use std::os::unix::fs::{lchown, symlink};

    let folder = agentwire_testing::tempdir().unwrap();
    let file = chat(folder.path());
    let (victim, link) = (folder.path().join("victim"), folder.path().join("link"));
    let to_link = format!("{} -o {}", file.display(), link.display());
    symlink(&victim, &link).unwrap();
    let output = to_agent(&to_link);
    let message = stderr(&output);
    assert!(
        message.contains("it is a symbolic link, and its target cannot be used"),
        "{message}"
    );
    std::fs::write(&victim, "before").unwrap();
    // Only root can change the owner of a link.
    if lchown(&link, Some(12_345), None).is_ok() {
        let message = stderr(&to_agent(&to_link));
        assert!(
            message.contains("it is a symbolic link that belongs to another user"),
            "{message}"
        );
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "before");
        lchown(&link, Some(0), None).unwrap();
    }
    assert!(to_agent(&to_link).status.success());
    assert!(std::fs::read_to_string(&victim).unwrap().contains("Go"));
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_written_directly() {
    let folder = agentwire_testing::tempdir().unwrap();
    let file = chat(folder.path());
    let file = file.display();
    for name in ["-", "/dev/stdout", "/proc/self/fd/1"] {
        let output = to_agent(&format!("{file} -o {name}"));
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        assert_eq!(values(&stdout(&output)).len(), 1, "{name}");
    }
    let output = to_agent(&format!("{file} -o /dev/null --residue /dev/null"));
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!Path::new("/dev/null").is_file());
}

#[cfg(unix)]
#[test]
fn output_directories_are_outside_the_input_and_not_links() {
    use std::os::unix::fs::{MetadataExt, symlink};

    let folder = agentwire_testing::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mode = |name: &str| std::fs::metadata(at(name)).unwrap().mode() & 0o777;
    std::fs::create_dir_all(at("projects/key")).unwrap();
    std::fs::write(at("projects/key/s.jsonl"), transcript()).unwrap();
    symlink(".", at("projects/key/again")).unwrap();
    let directory = format!("--from transcript --to chat {}", at("projects").display());
    for into in ["projects", "projects/key/made", "projects/../projects"] {
        let output = convert(&format!("{directory} -o {}", at(into).display()), "");
        let message = stderr(&output);
        assert!(message.contains("is in the input directory"), "{message}");
        assert_eq!(output.status.code(), Some(2));
    }
    let source = std::fs::read_to_string(at("projects/key/s.jsonl")).unwrap();
    assert_eq!(source, transcript());

    // A planted link in the output directory is replaced, not followed.
    std::fs::create_dir_all(at("made/key")).unwrap();
    std::fs::write(at("victim"), "before").unwrap();
    symlink(at("victim"), at("made/key/s.jsonl")).unwrap();
    let [made, residue] = ["made", "residue"].map(at);
    let files = format!("-o {} --residue {}", made.display(), residue.display());
    let output = convert(&format!("{directory} {files}"), "");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(at("victim")).unwrap(), "before");
    let text = std::fs::read_to_string(at("made/key/s.jsonl")).unwrap();
    assert!(text.contains("Gone.") && !at("made/key/s.jsonl").is_symlink());
    assert_eq!(at("made/key").read_dir().unwrap().count(), 1);
    assert_eq!((mode("residue"), mode("residue/key")), (0o700, 0o700));
    assert_eq!(mode("residue/key/s.jsonl"), 0o600);

    // A folder that is a link is an error.
    std::fs::remove_dir_all(at("made/key")).unwrap();
    std::fs::create_dir(at("elsewhere")).unwrap();
    symlink(at("elsewhere"), at("made/key")).unwrap();
    let message = stderr(&convert(&format!("{directory} -o {}", made.display()), ""));
    assert!(
        message.contains("a part of the path is not a folder"),
        "{message}"
    );
    assert_eq!(at("elsewhere").read_dir().unwrap().count(), 0);
}
