//! Lists, reads, changes, forks and deletes the sessions in a configuration directory. This example
//! creates a directory with a session.
//!
//! ```text
//! cargo run --example history
//! ```

#![allow(clippy::print_stdout, reason = "it is an example")]

use agentwire_history::{ForkSession, History, ListSessions, MessageSelection};
use agentwire_protocol::Message;
use std::error::Error;
use std::fs;

const ID: &str = "11111111-2222-4333-8444-555555555555";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let project = folder.path().join("projects/-home-crab-project");
    fs::create_dir_all(&project)?;
    let records = [
        record("user", "1", None, "Count the lines."),
        record("assistant", "2", Some("1"), "There are 41."),
        record("user", "3", Some("2"), "Count the files."),
        record("assistant", "4", Some("3"), "There are 7."),
    ];
    fs::write(project.join(format!("{ID}.jsonl")), records.join("\n"))?;

    let history = History::in_directory(folder.path());
    show(&history, ID)?;
    history.rename_session(ID, "Counting")?;
    history.tag_session(ID, Some("numbers"))?;
    history.archive_session(ID)?;
    let copy = history.fork_session(ID, &ForkSession::new().up_to("2"))?;
    show(&history, &copy)?;
    for session in history.list_sessions(&ListSessions::new().limit(10))? {
        println!("{} {:?}", session.session_id, session.tag);
    }
    history.delete_session(ID)?;
    println!("{:?}", history.session_info(ID)?);
    Ok(())
}

fn show(history: &History, id: &str) -> Result<(), Box<dyn Error>> {
    let session = history.session_info(id)?.ok_or("no such session")?;
    println!("{} ({} bytes)", session.summary, session.file_size);
    for message in history.session_messages(id, MessageSelection::new())? {
        let (author, blocks) = match &message {
            Message::User(message) => ("user", message.blocks()),
            Message::Assistant(message) => ("model", (&*message.message.content).into()),
            _ => continue,
        };
        for text in blocks.iter().filter_map(|block| block.as_text()) {
            println!("  {author}: {text}");
        }
    }
    Ok(())
}

fn record(kind: &str, uuid: &str, parent: Option<&str>, text: &str) -> String {
    let content = serde_json::json!([{ "type": "text", "text": text }]);
    serde_json::json!({
        "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": ID,
        "cwd": "/home/crab/project", "timestamp": "2025-03-01T10:20:30.000Z",
        "message": { "role": kind, "content": content },
    })
    .to_string()
}
