//! A corpus of hostile inputs to `agentwire convert`. Of each: no crash, no silent
//! loss, the same status and message as in `convert_hostile.txt`, and, as far as it
//! could be read, the same values again with the residue.

#![allow(clippy::unwrap_used)]
#![allow(dead_code, reason = "not all of the modules is needed here")]

mod corpus;
#[path = "../../interop/tests/support/exact.rs"]
mod exact;
mod judge;
use crate::support;

use corpus::{Case, corpus};
use exact::Node;
use judge::silent;
use std::path::Path;
use std::process::Output;
use support::{agentwire, stderr, stdout, told};

fn run(arguments: &[&str], files: &[(&str, &Path)]) -> Output {
    let mut command = agentwire("convert");
    command.args(arguments);
    for (name, file) in files {
        command.args(
            [name.as_ref(), file.as_os_str()]
                .iter()
                .filter(|it| !it.is_empty()),
        );
    }
    told(&mut command, "")
}

/// What came of a case: a line of the list, and what is wrong.
fn judged(case: &Case) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let [input, made, losses, residue] = ["input", "made", "losses", "residue"].map(at);
    std::fs::write(&input, &case.input).unwrap();
    let there = ["--quiet", "--from", case.from, "--to", case.to];
    let output = run(
        &there,
        &[
            ("", &input),
            ("-o", &made),
            ("--losses", &losses),
            ("--residue", &residue),
        ],
    );
    let message = stderr(&output)
        .replace(&*input.to_string_lossy(), "FILE")
        .replace("agentwire: ", "");
    let status = output.status.code();
    let read = |file: &Path| std::fs::read_to_string(file).unwrap_or_default();
    let (made_, losses_) = (read(&made), read(&losses));
    let line = format!(
        "{} | {} to {} | {} | {} made, {} lost | {}",
        case.name,
        case.from,
        case.to,
        status.map_or("crash".to_owned(), |status| status.to_string()),
        made_.lines().count(),
        losses_.lines().count(),
        message.trim_end().replace('\n', " / "),
    );
    let mut wrong = Vec::new();
    if !matches!(status, Some(0..=2)) || message.contains("panicked") {
        wrong.push(format!("crash: {message}"));
    }
    if status == Some(2) {
        if message.is_empty() || made.exists() || residue.exists() {
            wrong.push("an error without a message, or with output".to_owned());
        }
        return (line, wrong);
    }
    // What comes back without the residue: with one that has nothing.
    let nothing = at("nothing");
    let head = serde_json::json!({"from": case.from, "to": case.to});
    std::fs::write(&nothing, format!("{head}\n{{\"end\":0}}\n")).unwrap();
    let back = run(
        &["--quiet", "--from", case.to, "--to", case.from],
        &[("", &made), ("--restore", &nothing)],
    );
    let back = stdout(&back);
    wrong.extend(silent(case, &message, &made_, &losses_, &back));
    let restored = run(
        &["--quiet", "--from", case.to, "--to", case.from],
        &[("", &made), ("--restore", &residue)],
    );
    if restored.status.code() != Some(0) {
        wrong.push(format!("not restored: {}", stderr(&restored)));
    }
    let sorted = |text: &str| Node::read(text).sorted();
    let restored: Vec<Node> = stdout(&restored).lines().map(sorted).collect();
    let expected = case.read(&message).map(|value| sorted(&value.text));
    if restored != expected.collect::<Vec<_>>() {
        wrong.push("what comes back with the residue is not what it was".to_owned());
    }
    (line, wrong)
}

#[test]
fn no_hostile_input_crashes_or_loses_anything_silently() {
    let cases = corpus();
    assert!(cases.len() >= 300, "{}", cases.len());
    let half = cases.len().div_ceil(2);
    let judged: Vec<(String, Vec<String>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = cases
            .chunks(half)
            .map(|cases| {
                // Some values are nested deeply.
                let thread = std::thread::Builder::new().stack_size(1 << 28);
                let judge = || cases.iter().map(judged).collect::<Vec<_>>();
                thread.spawn_scoped(scope, judge).unwrap()
            })
            .collect();
        let threads = threads.into_iter();
        threads.flat_map(|it| it.join().unwrap()).collect()
    });
    let wrong: Vec<String> = judged
        .iter()
        .filter(|(_, wrong)| !wrong.is_empty())
        .map(|(line, wrong)| format!("{line}\n    {}", wrong.join("\n    ")))
        .collect();
    let list: String = judged.iter().map(|(line, _)| format!("{line}\n")).collect();
    let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("convert_hostile.txt");
    std::fs::write(&new, &list).unwrap();
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let old = include_str!("convert_hostile.txt");
    let differ: Vec<_> = list
        .lines()
        .zip(old.lines())
        .filter(|(new, old)| new != old)
        .collect();
    assert!(
        list == old,
        "the list differs, {} has the new one: {:#?}",
        new.display(),
        differ.first()
    );
}

/// The judge is no use if it finds nothing.
#[test]
fn the_judge_sees_what_is_lost_without_a_word() {
    let case = Case::of_values(
        "judge",
        "chat",
        "agent",
        &[r#"{"role":"user","content":"kept","name":"gone","n":12}"#.to_owned()],
    );
    let made = r#"{"type":"user","message":{"role":"user","content":"kept"}}"#;
    let back = r#"{"role":"user","content":"kept"}"#;
    assert_eq!(silent(&case, "", made, "", back).len(), 2);
    let losses = r#"{"index":0,"path":"/name","what":{"member":"name"},"why":"no_place"}"#;
    assert_eq!(silent(&case, "", made, losses, back).len(), 1);
    let losses = r#"{"index":0,"path":"","what":{"whole":"user"},"why":"no_place"}"#;
    assert_eq!(silent(&case, "", made, losses, back).len(), 0);
    assert_eq!(
        silent(&case, "line 1: bad; skipped", made, "", back).len(),
        0
    );
}
