//! Lists ten thousand sessions, to compare the speed with the official SDK.
//!
//! `make FOLDER` creates a configuration directory of about 6 GB: 9,000 sessions of 100 kB and
//! 1,000 of 5 MB. `list FOLDER` lists the sessions in it and prints their number.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use agentwire_history::{History, ListSessions};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

const SESSIONS: usize = 10_000;
const PROJECTS: usize = 20;
const SMALL: usize = 100_000;
const LARGE: usize = 5_000_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &*arguments.iter().map(|it| &**it).collect::<Vec<_>>() {
        ["make", folder] => make(Path::new(folder)),
        ["list", folder] => {
            let sessions = History::in_directory(folder).list_sessions(&ListSessions::new());
            println!("{}", sessions.unwrap().len());
        }
        _ => panic!("make FOLDER or list FOLDER"),
    }
}

fn make(folder: &Path) {
    for number in 0..SESSIONS {
        let project = folder.join(format!("projects/-home-crab-project-{}", number % PROJECTS));
        fs::create_dir_all(&project).unwrap();
        let size = if number % 10 == 9 { LARGE } else { SMALL };
        let id = format!("{number:08x}-0000-4000-8000-{number:012x}");
        let file = File::create(project.join(format!("{id}.jsonl"))).unwrap();
        let mut file = BufWriter::with_capacity(1 << 20, file);
        session(number, &id, size, &mut file);
        file.flush().unwrap();
    }
}

/// Writes prompts, replies, tool calls and their results like the agent. Every third session has a
/// title.
fn session(number: usize, id: &str, size: usize, file: &mut impl Write) {
    let mut written = 0;
    let mut turn = 0;
    while written < size {
        let records = [
            (
                "user",
                format!(
                    r#"{{"role":"user","content":"Prompt {turn} of session {number}: explain what the function in line {turn} returns"}}"#
                ),
            ),
            (
                "assistant",
                format!(
                    r#"{{"id":"msg_{turn}","type":"message","role":"assistant","model":"claude","content":[{{"type":"text","text":"{}"}}],"stop_reason":null}}"#,
                    "It returns the length of the list. ".repeat(10 + (number + turn) % 40)
                ),
            ),
            (
                "assistant",
                format!(
                    r#"{{"id":"msg_{turn}","type":"message","role":"assistant","model":"claude","content":[{{"type":"tool_use","id":"toolu_{turn}","name":"Read","input":{{"file_path":"/home/crab/project/src/lib.rs"}}}}],"stop_reason":"tool_use"}}"#
                ),
            ),
            (
                "user",
                format!(
                    r#"{{"role":"user","content":[{{"tool_use_id":"toolu_{turn}","type":"tool_result","content":"{}"}}]}}"#,
                    "    let length = list.len();\\n".repeat(20 + (number * 7 + turn) % 90)
                ),
            ),
        ];
        for (at, (kind, message)) in records.into_iter().enumerate() {
            let uuid = format!("{turn:08x}-{at:04x}-4000-8000-{number:012x}");
            let line = format!(
                r#"{{"parentUuid":null,"isSidechain":false,"type":"{kind}","message":{message},"uuid":"{uuid}","timestamp":"2025-03-{:02}T10:{:02}:{:02}.123Z","userType":"external","entrypoint":"cli","cwd":"/home/crab/project-{}","sessionId":"{id}","version":"2.1.332","gitBranch":"main"}}"#,
                number % 28 + 1,
                turn / 60 % 60,
                turn % 60,
                number % PROJECTS,
            );
            writeln!(file, "{line}").unwrap();
            written += line.len() + 1;
        }
        turn += 1;
    }
    if number.is_multiple_of(3) {
        writeln!(
            file,
            r#"{{"type":"custom-title","customTitle":"Session {number}","sessionId":"{id}"}}"#
        )
        .unwrap();
    }
}
