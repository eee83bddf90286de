//! Tests of `agentwire tap`.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_testing::TempDir;
use agentwire_testkit::recording::{Entry, EntryKind, Exit, INPUT_CLOSED, sessions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;
use support::{agentwire, stderr, stdout};

/// Creates a tap of a shell script.
fn tap(folder: &TempDir, options: &[&str], script: &str) -> Command {
    let mut command = agentwire("tap");
    command
        .arg("--record")
        .arg(folder.path().join("session.ndjson"))
        .args(options)
        .args(["--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Returns the recorded session.
fn recorded(folder: &TempDir) -> Vec<Entry> {
    let file = std::fs::read(folder.path().join("session.ndjson")).unwrap();
    let mut all = sessions(&*file).unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn exit_of(session: &[Entry]) -> &Exit {
    match &session.last().unwrap().kind {
        EntryKind::Exit(exit) => exit,
        what => panic!("{what:?}"),
    }
}

/// Returns the bytes of the selected entries.
fn bytes(session: &[Entry], wanted: impl Fn(&EntryKind) -> bool) -> Vec<u8> {
    let said = session.iter().filter(|entry| wanted(&entry.kind));
    said.flat_map(|entry| match &entry.kind {
        EntryKind::Sent(said) | EntryKind::Received(said) | EntryKind::Stderr(said) => {
            said.to_bytes()
        }
        _ => Vec::new(),
    })
    .collect()
}

#[test]
fn any_bytes_are_forwarded_and_recorded() {
    let folder = agentwire_testing::tempdir().unwrap();
    let script = "cat; printf 'oh\\377' >&2; exit 7";
    let mut child = tap(&folder, &[], script).spawn().unwrap();
    let mut sent = b"{\"a\":1.0}\n\r\n\n\xff\xfe\0 {}\n".to_vec();
    sent.extend(
        b"{\"long\":\""
            .iter()
            .chain(&vec![b'x'; 5 << 20])
            .chain(b"\"}\nhalf a line"),
    );
    let (mut input, text) = (child.stdin.take().unwrap(), sent.clone());
    let writing = thread::spawn(move || input.write_all(&text));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    assert!(output.stdout == sent);
    assert_eq!(output.stderr, b"oh\xff");
    assert_eq!(output.status.code(), Some(7));

    let session = recorded(&folder);
    let EntryKind::Spawn(spawn) = &session[0].kind else {
        panic!("{:?}", session[0]);
    };
    assert_eq!(spawn.argv, ["sh", "-c", script]);
    assert!(spawn.env.contains(&"PATH".to_owned()));
    assert!(bytes(&session, |what| matches!(what, EntryKind::Sent(_))) == sent);
    assert!(bytes(&session, |what| matches!(what, EntryKind::Received(_))) == sent);
    assert_eq!(
        bytes(&session, |what| matches!(what, EntryKind::Stderr(_))),
        b"oh\xff"
    );
    assert!(
        session
            .iter()
            .any(|it| it.kind == EntryKind::Note(INPUT_CLOSED.to_owned()))
    );
    assert_eq!(exit_of(&session).code, Some(7));
    assert!(session.iter().all(|entry| entry.t.is_some()));
}

/// A process that is killed on drop.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Running {
    /// Reads the next line of output.
    fn line(&mut self) -> String {
        let mut line = String::new();
        let stdout = self.0.stdout.as_mut().unwrap();
        // Read single bytes, because other readers need the following bytes.
        let mut byte = [0];
        while stdout.read(&mut byte).unwrap() == 1 && byte != [b'\n'] {
            line.push(byte[0].into());
        }
        line
    }
}

fn kill(signal: &str, pid: &str) {
    let killed = Command::new("kill").args([signal, pid]).status().unwrap();
    assert!(killed.success());
}

#[test]
fn output_is_forwarded_at_once_and_signals_once() {
    for (name, code) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        let folder = agentwire_testing::tempdir().unwrap();
        let script =
            format!("trap 'echo {name}; exit {code}' {name}; echo ready; read line; read line");
        let mut child = Running(tap(&folder, &[], &script).spawn().unwrap());
        assert_eq!(child.line(), "ready");
        kill(&format!("-{name}"), &child.0.id().to_string());
        assert_eq!(child.line(), name);
        assert_eq!(child.0.wait().unwrap().code(), Some(code));
        assert_eq!(exit_of(&recorded(&folder)).code, Some(code));
    }
}

#[test]
fn a_signal_of_the_cli_becomes_the_exit_status_of_shells() {
    let folder = agentwire_testing::tempdir().unwrap();
    let status = tap(&folder, &[], "kill -KILL $$").status().unwrap();
    assert_eq!(status.code(), Some(128 + 9));
    let session = recorded(&folder);
    assert_eq!(
        (exit_of(&session).code, exit_of(&session).signal),
        (None, Some(9))
    );
}

#[test]
fn an_open_pipe_of_an_exited_cli_does_not_block() {
    let folder = agentwire_testing::tempdir().unwrap();
    let script = "sleep 600 & echo $!; exit 3";
    let mut child = Running(tap(&folder, &[], script).spawn().unwrap());
    let holder = child.line();
    assert_eq!(child.0.wait().unwrap().code(), Some(3));
    assert_eq!(exit_of(&recorded(&folder)).code, Some(3));
    kill("-KILL", &holder);
}

#[test]
fn slow_hosts_receive_everything() {
    let folder = agentwire_testing::tempdir().unwrap();
    let script = "echo $$; head -c 200000 /dev/zero";
    let mut child = Running(tap(&folder, &[], script).spawn().unwrap());
    let shell = child.line();
    // The output is larger than the pipes, so the CLI exits only after a part of the output
    // was read. Then the tap waits only for this reader.
    let mut read = vec![0; 100_000];
    let stdout = child.0.stdout.as_mut().unwrap();
    stdout.read_exact(&mut read).unwrap();
    while Path::new("/proc").join(&shell).exists() {
        thread::yield_now();
    }
    // This pause is longer than the timeout of silent pipes.
    thread::sleep(Duration::from_millis(1200));
    let mut rest = Vec::new();
    stdout.read_to_end(&mut rest).unwrap();
    assert_eq!(read.len() + rest.len(), 200_000);
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
}

#[test]
fn closing_is_forwarded_to_both_sides() {
    let folder = agentwire_testing::tempdir().unwrap();
    // The CLI closes its output and exits at the end of its input.
    let mut child = Running(
        tap(&folder, &[], "exec >&- 2>&-; read line; exit 4")
            .spawn()
            .unwrap(),
    );
    let mut output = String::new();
    child
        .0
        .stdout
        .as_mut()
        .unwrap()
        .read_to_string(&mut output)
        .unwrap();
    assert_eq!(output, "");
    drop(child.0.stdin.take());
    assert_eq!(child.0.wait().unwrap().code(), Some(4));

    // The host stops reading, so the CLI receives SIGPIPE or an error.
    let folder = agentwire_testing::tempdir().unwrap();
    let mut child = Running(
        tap(&folder, &[], "while echo on; do :; done; exit 5")
            .spawn()
            .unwrap(),
    );
    assert_eq!(child.line(), "on");
    drop(child.0.stdout.take());
    assert!([128 + 13, 5].contains(&child.0.wait().unwrap().code().unwrap()));
}

#[test]
fn scrubbing_does_not_change_forwarded_bytes() {
    let folder = agentwire_testing::tempdir().unwrap();
    let home = folder.path().display().to_string();
    let script = "read line; echo \"$line\"; echo \"{\\\"text\\\":\\\"$MY_TOKEN in $HOME\\\"}\"";
    let mut command = tap(&folder, &["--scrub"], script);
    command.env("MY_TOKEN", "correct horse").env("HOME", &home);
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"apiKey\":\"sk\"}\n").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = stdout(&output);
    assert!(text.contains(&format!("correct horse in {home}")), "{text}");
    let file = std::fs::read_to_string(folder.path().join("session.ndjson")).unwrap();
    assert!(
        !file.contains("correct horse") && !file.contains("\"sk\""),
        "{file}"
    );
    assert!(file.contains("*** in /home/agent"), "{file}");
    assert!(!file.contains(&home), "{file}");
}

#[test]
fn a_recording_is_added_to_a_file_or_is_a_new_file_in_a_folder() {
    let folder = agentwire_testing::tempdir().unwrap();
    let file = folder.path().join("session.ndjson");
    std::fs::write(&file, "{\"dir\":\"note\",\"msg\":\"cut of").unwrap();
    assert!(tap(&folder, &[], "exit 0").status().unwrap().success());
    assert!(tap(&folder, &[], "exit 0").status().unwrap().success());
    let lines: Vec<String> = BufReader::new(std::fs::File::open(&file).unwrap())
        .lines()
        .map(Result::unwrap)
        .collect();
    let spawns = lines
        .iter()
        .filter(|line| line.contains("\"spawn\""))
        .count();
    assert_eq!(
        (spawns, lines[0].as_str()),
        (2, "{\"dir\":\"note\",\"msg\":\"cut of")
    );
    assert_eq!(sessions(lines[1..].join("\n").as_bytes()).unwrap().len(), 2);

    let into = agentwire_testing::tempdir().unwrap();
    let status = agentwire("tap")
        .arg("--record")
        .arg(into.path())
        .args(["--", "true"])
        .status()
        .unwrap();
    assert!(status.success());
    let files: Vec<_> = into.path().read_dir().unwrap().collect();
    assert_eq!(files.len(), 1);
}

#[test]
fn a_failing_recording_does_not_break_the_session() {
    let mut child = agentwire("tap")
        .args(["--record", "/dev/full", "--", "sh", "-c", "cat; exit 6"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"on\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (&*output.stdout, output.status.code()),
        (&b"on\n"[..], Some(6))
    );
    let said = stderr(&output);
    assert!(said.contains("the recording is not complete"), "{said}");
}

#[test]
fn errors_at_startup_name_the_cause() {
    let run = |arguments: &[&str]| {
        let output = agentwire("tap").args(arguments).output().unwrap();
        (output.status.code(), stderr(&output))
    };
    let (code, said) = run(&["--", "true"]);
    assert!(code == Some(2) && said.contains("--record"), "{said}");
    let (code, said) = run(&["--record", "/no/such/folder/file", "--", "true"]);
    assert!(
        code == Some(2) && said.contains("/no/such/folder/file"),
        "{said}"
    );
    let folder = agentwire_testing::tempdir().unwrap();
    let file = folder.path().join("session.ndjson");
    let (code, said) = run(&["--record", file.to_str().unwrap(), "--", "/no/such/cli"]);
    assert!(code == Some(127) && said.contains("/no/such/cli"), "{said}");
}
