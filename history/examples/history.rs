//! The sessions that the agent has kept: a list of them, the messages of one and
//! those of its sub-agent; and changes of them. This example makes a configuration
//! directory of its own, with two sessions.
//!
//! ```text
//! cargo run --example history
//! ```
//!
//! With the argument `real`, it lists the ten latest sessions of your own agent:
//!
//! ```text
//! cargo run --example history -- real
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire_history::{ForkSession, History, ListSessions, MessageSelection};
use agentwire_protocol::Message;
use std::borrow::Cow;
use std::error::Error;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const FIRST: &str = "11111111-2222-4333-8444-555555555555";
const SECOND: &str = "66666666-7777-4888-9999-000000000000";

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).is_some_and(|it| it == "real") {
        return list(&History::new()?);
    }
    let folder = TempDir::new()?;
    write_sessions(folder.path())?;
    let history = History::in_directory(folder.path());
    list(&history)?;

    println!("\nMessages of the first session:");
    for message in history.session_messages(FIRST, MessageSelection::new())? {
        show(&message);
    }
    for agent in history.list_subagents(FIRST)? {
        println!("Messages of its sub-agent {agent}:");
        for message in history.subagent_messages(FIRST, &agent, MessageSelection::new())? {
            show(&message);
        }
    }
    change(&history)
}

fn change(history: &History) -> Result<(), Box<dyn Error>> {
    history.rename_session(SECOND, "The day")?;
    history.tag_session(SECOND, Some("calendar"))?;
    history.archive_session(SECOND)?;
    if let Some(session) = history.session_info(SECOND)? {
        let tag = session.tag.as_deref().unwrap_or_default();
        println!("\nThe second session is now {:?}, #{tag}", session.summary);
    }

    // A copy that ends with the first prompt of the other branch.
    let fork = ForkSession::new().up_to("3").title("Counting again");
    let copy = history.fork_session(FIRST, &fork)?;
    println!("Messages of the copy {copy}:");
    for message in history.session_messages(&copy, MessageSelection::new())? {
        show(&message);
    }

    history.delete_session(SECOND)?;
    println!("Without the second session:");
    list(history)
}

fn list(history: &History) -> Result<(), Box<dyn Error>> {
    for session in history.list_sessions(&ListSessions::new().limit(10))? {
        let cwd = session.cwd.unwrap_or_default();
        println!(
            "{} {} ({cwd}, {} bytes)",
            session.session_id, session.summary, session.file_size
        );
    }
    Ok(())
}

fn show(message: &Message) {
    let (from, blocks) = match message {
        Message::User(message) => ("user", message.blocks()),
        Message::Assistant(message) => ("model", Cow::Borrowed(&*message.message.content)),
        _ => return,
    };
    for text in blocks.iter().filter_map(|block| block.as_text()) {
        println!("  {from}: {text}");
    }
}

/// Writes files as the agent does.
fn write_sessions(configuration: &Path) -> Result<(), Box<dyn Error>> {
    let project = configuration.join("projects/-home-crab-project");
    let agents = project.join(FIRST).join("subagents");
    fs::create_dir_all(&agents)?;
    fs::write(
        project.join(format!("{FIRST}.jsonl")),
        [
            record(FIRST, "user", "1", None, "Count the lines."),
            record(FIRST, "assistant", "2", Some("1"), "There are 41."),
            // The user went back and edited the prompt, which began a branch.
            record(FIRST, "user", "3", None, "Count the files."),
            record(FIRST, "assistant", "4", Some("3"), "There are 7."),
            r#"{"type":"custom-title","customTitle":"Counting"}"#.to_owned(),
        ]
        .join("\n"),
    )?;
    fs::write(
        agents.join("agent-a1.jsonl"),
        [
            record(FIRST, "user", "5", None, "Find all files."),
            record(FIRST, "assistant", "6", Some("5"), "Here they are."),
        ]
        .join("\n"),
    )?;
    let second = record(SECOND, "user", "1", None, "What day is it?");
    fs::write(project.join(format!("{SECOND}.jsonl")), second)?;
    Ok(())
}

fn record(session: &str, kind: &str, uuid: &str, parent: Option<&str>, text: &str) -> String {
    serde_json::json!({
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": session,
        "cwd": "/home/crab/project",
        "timestamp": "2025-03-01T10:20:30.000Z",
        "message": {"role": kind, "content": [{"type": "text", "text": text}]},
    })
    .to_string()
}
