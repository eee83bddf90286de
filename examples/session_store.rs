//! A session store: a store in this program receives a copy of the transcript
//! while it is written. The session is then resumed from the store, without the
//! agent's files.
//!
//! ```text
//! cargo run --example session_store
//! ```
//!
//! runs with the fake agent and requires no set-up. With the argument `real`, it
//! runs with the real CLI:
//!
//! ```text
//! cargo run --example session_store -- real
//! ```

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is what an example does"
)]

use agentwire::protocol::Json;
use agentwire::store::{MemoryStore, TranscriptKey};
use agentwire::{Event, Notice, Options, SessionStore, query};
use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::json;
use std::error::Error;
use std::path::Path;

const ID: &str = "11111111-2222-4333-8444-555555555555";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // This program is its own fake agent: it starts itself again, with a script
    // in the environment. Cargo builds no other binary for an example.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        tell_what_is_there();
        fake_agent::main();
    }
    let is_real = std::env::args().nth(1).is_some_and(|it| it == "real");
    let agent = |script: Result<Scenario, Box<dyn Error>>| match is_real {
        true => Ok::<_, Box<dyn Error>>(Options::new()),
        false => Ok(Options::new()
            .cli(std::env::current_exe()?)
            .env(fake_agent::SCRIPT, script?.to_json())
            .on_stderr(|said| print!("{said}"))),
    };

    // Any type that implements `SessionStore` works: a database, a bucket.
    let store = MemoryStore::new();
    let options = agent(first())?.session_store(store.clone());
    converse("My name is Ferris.", options).await?;
    for key in store.keys() {
        println!(
            "[store]  {} entries of {}",
            store.entries(&key).len(),
            key.session_id()
        );
    }

    // From here on, the agent's own files are not needed: this could be another
    // program, on another machine, with the same store.
    let project = TranscriptKey::in_directory(".", ID)?;
    let sessions = store
        .sessions(project.project())
        .await
        .map_err(|error| error.to_string())?;
    let last = sessions.into_iter().max_by_key(|session| session.modified);
    let last = last.ok_or("the store has no session")?;
    println!("[resume] {}", last.id);
    let options = agent(second())?.session_store(store.clone());
    converse("What is my name?", options.resume(last.id)).await?;
    Ok(())
}

async fn converse(prompt: &str, options: Options) -> Result<(), agentwire::Error> {
    println!("> {prompt}");
    let mut answer = query(prompt, options.partial_messages(true)).await?;
    while let Some(event) = answer.next().await {
        match event? {
            Event::Frame(frame) => {
                print!("{}", frame.message().text_delta().unwrap_or_default());
            }
            // The store refuses entries. The session continues.
            Event::Notice(
                notice @ (Notice::StoreBehind { .. }
                | Notice::StoreCaughtUp { .. }
                | Notice::NotMirrored { .. }),
            ) => println!("[notice] {notice}"),
            _ => {}
        }
    }
    println!();
    Ok(())
}

/// Returns the line that the real CLI sends when it has written to its transcript. The
/// fake agent writes no transcripts.
fn writes(entries: &[Json]) -> Result<Step, Box<dyn Error>> {
    let key = TranscriptKey::in_directory(std::env::current_dir()?, ID)?;
    let project = key.project();
    let line = json!({
        "type": "transcript_mirror",
        "filePath": format!("/home/ferris/.claude/projects/{project}/{ID}.jsonl"),
        "entries": entries,
    });
    Ok(Step::Fault(Fault::Stdout(format!("{line}\n"))))
}

fn first() -> Result<Scenario, Box<dyn Error>> {
    let said = |who: &str, text: &str| {
        let message = json!({ "role": who, "content": text });
        Json::from(json!({ "type": who, "uuid": format!("{who}-1"), "message": message }))
    };
    let entries = [
        said("user", "My name is Ferris."),
        said("assistant", "Hello, Ferris."),
    ];
    Ok(Scenario::default().reply([Step::text("Hello, Ferris."), writes(&entries)?]))
}

fn second() -> Result<Scenario, Box<dyn Error>> {
    Ok(Scenario::default().reply([Step::text("Ferris, as you said.")]))
}

/// Prints the transcript that the resumed agent finds in its folder.
fn tell_what_is_there() {
    let Some(folder) = std::env::var_os("CLAUDE_CONFIG_DIR") else {
        return;
    };
    let Ok(key) = TranscriptKey::in_directory(".", ID) else {
        return;
    };
    let project = key.project();
    let file = Path::new(&folder).join(format!("projects/{project}/{ID}.jsonl"));
    if let Ok(transcript) = std::fs::read_to_string(file) {
        eprintln!("[agent]  I find {} entries.", transcript.lines().count());
    }
}
