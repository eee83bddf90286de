//! A session that goes on on another machine: one with an empty home, and the same
//! store. The first machine is still there, and finds that the session is not its own
//! any more.
//!
//! ```text
//! cargo run -p agentwire-stores --features directory --example resume_elsewhere
//! ```
//!
//! runs with the fake agent and requires no set-up. Both machines are folders, and the
//! store is a directory. On real ones it is `Postgres` or `Nats`.

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::{Client, Event, Notice, Options, StoreFlush};
use agentwire_stores::{Directory, LogBacked};
use agentwire_testkit::{Scenario, Step, fake_agent};
use std::error::Error;
use std::path::Path;

/// A machine: a home of its own, and a connection of its own to the store.
fn on_machine(home: &Path, store: &Path, says: &str) -> Result<Options, Box<dyn Error>> {
    std::fs::create_dir_all(home)?;
    let scenario = Scenario::default().reply([Step::text(says)]).repeated();
    let store = LogBacked::new(Directory::new(store));
    Ok(Options::new()
        // This program is its own fake agent: it starts itself again, with a script
        // in the environment. Cargo builds no other binary for an example.
        .cli(std::env::current_exe()?)
        .env(fake_agent::SCRIPT, scenario.to_json())
        .env("HOME", home)
        .env("CLAUDE_CONFIG_DIR", home.join(".claude"))
        .session_store(store)
        // Who has seen a result finds its turn in the store.
        .session_store_flush(StoreFlush::BeforeResult))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("store");

    let first = folder.path().join("first");
    let mut one = Client::connect(on_machine(&first, &store, "Hello, Ferris.")?).await?;
    println!("[first]  > My name is Ferris.");
    let result = one.prompt("My name is Ferris.").await?;
    println!("[first]  {}", result.text());
    let id = result.session_id.ok_or("a result names its session")?;

    // Nothing of the first machine is needed here: neither its files nor that it answers.
    let second = folder.path().join("second");
    let options = on_machine(&second, &store, "Ferris, as you said.")?;
    let mut two = Client::connect(options.resume(&id)).await?;
    println!("[second] > What is my name?");
    let result = two.prompt("What is my name?").await?;
    println!("[second] {}", result.text());
    two.close().await;

    // What the first one says from now on is refused by the store.
    println!("[first]  > Are you there?");
    one.prompt("Are you there?").await?;
    while let Some(event) = one.next().await {
        if let Event::Notice(notice @ Notice::NotMirrored { .. }) = event? {
            println!("[first]  {notice}");
            break;
        }
    }
    one.close().await;

    // So the store has one conversation, and it is that of the second machine.
    let options = on_machine(&second, &store, "That is all.")?.resume(&id);
    let mut three = Client::connect(options).await?;
    println!("[second] {}", three.prompt("Anything else?").await?.text());
    three.close().await;
    Ok(())
}
