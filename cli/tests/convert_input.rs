//! Tests of `agentwire convert`: encodings, layouts and invalid input.

#![allow(clippy::unwrap_used)]

use crate::support;

use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use support::{agentwire, assert_stderr, run_with_input, stderr, stdout};

/// Converts bytes, which may be invalid UTF-8.
fn convert(arguments: &[&str], input: &[u8]) -> Output {
    let folder = agentwire_testing::tempdir().unwrap();
    let file = folder.path().join("input");
    std::fs::write(&file, input).unwrap();
    run_with_input(agentwire("convert").args(arguments).arg(file), "")
}

fn to_agent(input: &[u8]) -> Output {
    convert(&["--from", "chat", "--to", "agent"], input)
}

fn prompt(text: &str) -> String {
    json!({"role": "user", "content": text}).to_string()
}

/// Returns the contents of the messages in the output.
fn contents(output: &Output) -> Vec<String> {
    let output = stdout(output);
    let lines = output.lines();
    lines
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["message"]["content"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn byte_order_marks_are_skipped() {
    let [one, two] = ["one", "two"].map(prompt);
    for input in [
        format!("\u{feff}{one}\n{two}"),
        format!("\u{feff}{one}\n\u{feff}{two}\n"),
        format!("\u{feff}[{one},{two}]"),
        format!("\u{feff}\r\n{one}{two}"),
    ] {
        let output = to_agent(input.as_bytes());
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(contents(&output), ["one", "two"], "{input:?}");
    }
}

#[test]
fn another_encoding_is_named() {
    let text = prompt("Go");
    let [small, big]: [fn(u16) -> [u8; 2]; 2] = [u16::to_le_bytes, u16::to_be_bytes];
    let utf16 = |mark: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let text = format!("{mark}{text}\n");
        text.encode_utf16().flat_map(bytes).collect()
    };
    let wide = text
        .chars()
        .flat_map(|it| u32::from(it).to_le_bytes())
        .collect::<Vec<u8>>();
    for (input, name) in [
        (utf16("\u{feff}", small), "UTF-16"),
        (utf16("\u{feff}", big), "UTF-16"),
        (utf16("", small), "UTF-16"),
        (utf16("", big), "UTF-16"),
        (wide, "UTF-32"),
    ] {
        let output = to_agent(&input);
        let message = stderr(&output);
        let expected = format!("it is {name}; convert it to UTF-8");
        assert!(message.contains(&expected), "{message}");
        assert_eq!(output.status.code(), Some(2), "{message}");
    }
}

#[test]
fn invalid_utf_8_is_reported_and_replaced() {
    let [one, two] = ["o\u{7f}e", "two"].map(prompt);
    let mut input = format!("{one}\n{two}\n").into_bytes();
    let at = input.iter().position(|byte| *byte == 0x7f).unwrap();
    input[at] = 0xff;
    let output = to_agent(&input);
    assert_eq!(contents(&output), ["o\u{fffd}e", "two"]);
    let message = stderr(&output);
    assert!(
        message.contains("line 1: invalid UTF-8, replaced with U+FFFD"),
        "{message}"
    );
    assert!(message.contains("1 values had invalid UTF-8"), "{message}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn values_after_an_incomplete_line_are_read() {
    let [one, two, three] = ["one", "two", "three"].map(prompt);
    for cut in [
        r#"{"role":"user","#,
        r#"{"role":"user""#,
        r#"{"role":"#,
        r#"{"role":"us"#,
        r#"{"role""#,
        "{",
        r#"{"a":[1,2"#,
        r#"{"a":[1,2,"#,
        r#"{"a":{"b":"#,
        "}",
        "\"cut",
        "nul",
        "\0",
    ] {
        let input = format!("{one}\n{cut}\n{two}\n{three}\n");
        let output = to_agent(input.as_bytes());
        let message = stderr(&output);
        assert_eq!(
            contents(&output),
            ["one", "two", "three"],
            "{cut}: {message}"
        );
        assert!(message.contains("line 2: "), "{cut}: {message}");
        assert!(message.contains("1 values are invalid"), "{cut}: {message}");
        assert_eq!(output.status.code(), Some(1), "{cut}");
    }
}

#[test]
fn values_are_found_in_any_layout() {
    let [one, two, three] = ["one", "two", "three"].map(prompt);
    let pretty = |text: &str| {
        let value: Value = serde_json::from_str(text).unwrap();
        serde_json::to_string_pretty(&value).unwrap()
    };
    for input in [
        format!("{one} {two}\t{three}"),
        format!("{one}{two}\n{three}"),
        format!("{}\n{}{}\n", pretty(&one), pretty(&two), three),
        format!("{}\r\n\r\n{two}\r\n{}", pretty(&one), pretty(&three)),
        format!("[{one},\n{two},{three}]\n"),
    ] {
        let output = to_agent(input.as_bytes());
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(contents(&output), ["one", "two", "three"], "{input}");
    }
    // Invalid text after a value does not affect the value.
    let output = to_agent(format!("{one} oh {two}\n{three}\n").as_bytes());
    assert_eq!(contents(&output), ["one", "three"]);
    assert_stderr(&output, "line 1: expected");
}

#[test]
fn invalid_values_are_reported_with_their_lines() {
    let [one, two] = ["one", "two"].map(prompt);
    let pretty = "{\n  \"role\": \"user\",\n  \"content\": nul\n}";
    let input = format!("{one}\n\n{pretty}\n{two}\n{{\"role\"\n");
    let output = to_agent(input.as_bytes());
    assert_eq!(contents(&output), ["one", "two"]);
    let message = stderr(&output);
    assert!(message.contains("lines 3 to 6: expected"), "{message}");
    assert!(message.contains("line 8: "), "{message}");
    assert!(message.contains("2 values are invalid"), "{message}");
}

#[test]
fn skipping_nested_lists_takes_linear_time() {
    let mut input = "{\"a\":[\n".repeat(300_000);
    input.push_str(&prompt("Go"));
    input.push('\n');
    let output = to_agent(input.as_bytes());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output).len());
    assert_eq!(contents(&output), ["Go"]);
}

#[test]
fn superseded_lines_are_found_in_any_layout() {
    let replaced = json!({"type": "assistant", "uuid": "1", "message": {"id": "m1", "content": [{"type": "text", "text": "no"}]}});
    let better = json!({"type": "assistant", "uuid": "2", "supersedes": ["1"], "message": {"id": "m2", "content": [{"type": "text", "text": "yes"}]}});
    for input in [
        format!("{replaced}\n{better}\n"),
        format!("{replaced}{better}\n"),
        format!("[{replaced},{better}]"),
        format!("{replaced}\n{better:#}\n"),
    ] {
        let output = convert(&["--from", "agent", "--to", "chat"], input.as_bytes());
        assert_eq!(
            stdout(&output),
            "{\"role\":\"assistant\",\"content\":\"yes\"}\n",
            "{input}"
        );
    }
}

#[test]
fn the_list_of_incomplete_input_is_not_closed() {
    let one = prompt("one");
    for (input, expected) in [(format!("[{one},"), 1), ("[".to_owned(), 0)] {
        let output = convert(
            &["--from", "chat", "--to", "agent", "--array"],
            input.as_bytes(),
        );
        assert_eq!(output.status.code(), Some(2));
        let made = stdout(&output);
        assert!(serde_json::from_str::<Value>(&made).is_err(), "{made}");
        assert_eq!(made.matches("\"one\"").count(), expected, "{made}");
    }
}

/// Converts three messages with a residue. Returns the output, and the residue.
fn with_residue(folder: &Path) -> (String, String) {
    let residue = folder.join("residue");
    let input: String = ["one", "two", "three"]
        .map(|text| {
            let message = json!({"role": "user", "content": text, "name": "x"});
            format!("{message}\n")
        })
        .concat();
    let arguments = ["--from", "chat", "--to", "agent", "--residue"];
    let output = convert(
        &[&arguments[..], &[residue.to_str().unwrap()]].concat(),
        input.as_bytes(),
    );
    (stdout(&output), std::fs::read_to_string(residue).unwrap())
}

#[test]
fn incomplete_residues_are_reported() {
    let folder = agentwire_testing::tempdir().unwrap();
    let (made, residue) = with_residue(folder.path());
    let lines: Vec<&str> = residue.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[4], r#"{"end":3}"#);
    let file = folder.path().join("cut");
    let restore = |residue: &str| {
        std::fs::write(&file, residue).unwrap();
        let arguments = ["--from", "agent", "--to", "chat", "--restore"];
        convert(
            &[&arguments[..], &[file.to_str().unwrap()]].concat(),
            made.as_bytes(),
        )
    };
    let output = restore(&residue);
    assert!(output.status.success(), "{}", stderr(&output));
    for (residue, why, restored) in [
        (lines[..4].join("\n"), "has no end after 3 parts", 3),
        (lines[..2].join("\n"), "has no end after 1 parts", 1),
        (lines[..1].join("\n"), "has no end after 0 parts", 0),
        (
            residue[..residue.len() - 30].to_owned(),
            "is invalid after 2 parts",
            2,
        ),
        (
            [lines[0], lines[1], lines[3], lines[4]].join("\n"),
            "has 2 parts, but its end says 3",
            2,
        ),
        (
            [lines[0], lines[1], "{}", lines[4]].join("\n"),
            "is invalid after 1 parts",
            1,
        ),
    ] {
        let output = restore(&residue);
        let message = stderr(&output);
        assert!(message.contains(why), "{why}: {message}");
        assert_eq!(output.status.code(), Some(1), "{message}");
        let back = stdout(&output);
        for text in ["one", "two", "three"] {
            let content = format!("\"content\":\"{text}\"");
            assert!(back.contains(&content), "{back}");
        }
        assert_eq!(back.matches("\"name\"").count(), restored, "{why}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_unreadable_files_are_skipped() {
    use std::os::unix::fs::symlink;

    let folder = agentwire_testing::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let transcript = json!({"type": "user", "uuid": "1", "parentUuid": null, "message": {"role": "user", "content": "Go"}}).to_string();
    std::fs::create_dir_all(at("projects/b")).unwrap();
    std::fs::create_dir_all(at("other/inner")).unwrap();
    std::fs::write(at("projects/b/s.jsonl"), &transcript).unwrap();
    std::fs::write(at("other/t.jsonl"), &transcript).unwrap();
    // Creates two links to one folder, links to ancestors, a dangling link, and a file in
    // another encoding.
    symlink(at("other"), at("projects/a")).unwrap();
    symlink(at("other"), at("projects/c")).unwrap();
    symlink(at("projects"), at("projects/b/up")).unwrap();
    symlink(at("projects"), at("other/up")).unwrap();
    symlink(at("nowhere"), at("projects/b/gone.jsonl")).unwrap();
    std::fs::write(at("projects/b/a.jsonl"), [0xff, 0xfe, b'{', 0]).unwrap();
    let arguments = ["--from", "transcript", "--to", "chat"];
    let [from, to] = [at("projects"), at("made")];
    let output = run_with_input(
        agentwire("convert")
            .args(arguments)
            .args([&*from, Path::new("-o"), &*to]),
        "",
    );
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("2 files cannot be read"), "{message}");
    assert!(message.contains("gone.jsonl: No such file"), "{message}");
    assert!(message.contains("it is UTF-16"), "{message}");
    assert_eq!(
        message.matches("converted already; not followed").count(),
        3,
        "{message}"
    );
    assert!(at("made/b/s.jsonl").exists() && at("made/a/t.jsonl").exists());
    assert!(!at("made/c").exists() && !at("made/b/up").exists());
}
