//! A session continues on another machine with an empty home directory and the same store. With a
//! lease only one machine at a time owns it: the second one waits until the first one has released
//! the session or has crashed.
//!
//! ```text
//! cargo run -p agentwire-stores --features directory --example resume_elsewhere
//! ```
//!
//! runs with the fake agent and requires no set-up. Both machines are folders, and the store is a
//! directory; use `Postgres` or `Nats` on real machines.

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::ownership::WhenOwned;
use agentwire::store::StoreFlush;
use agentwire::{Client, Options};
use agentwire_stores::{Directory, LogBacked};
use agentwire_testkit::{Scenario, Step, fake_agent};
use std::error::Error;
use std::path::Path;
use std::time::Duration;

/// Opens the store.
fn store(folder: &Path) -> LogBacked<Directory> {
    LogBacked::new(Directory::new(folder)).leased(Duration::from_secs(30))
}

/// A machine: a home directory.
fn on_machine(home: &Path, says: &str) -> Result<Options, Box<dyn Error>> {
    std::fs::create_dir_all(home)?;
    let scenario = Scenario::default().reply([Step::text(says)]).repeated();
    Ok(Options::new()
        // This program is also the fake agent: it starts itself with a script in the environment.
        .cli(std::env::current_exe()?)
        .env(fake_agent::SCRIPT, scenario.to_json())
        .env("HOME", home)
        .env("CLAUDE_CONFIG_DIR", home.join(".claude"))
        // A delivered turn is stored.
        .session_store_flush(StoreFlush::BeforeResult))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    let folder = tempfile::tempdir()?;
    let logs = folder.path().join("store");

    let first = folder.path().join("first");
    let options = on_machine(&first, "Hello, Ferris.")?;
    let mut one = Client::connect(options.session_store(store(&logs))).await?;
    println!("[first]  > My name is Ferris.");
    let result = one.prompt("My name is Ferris.").await?;
    println!("[first]  {}", result.text());
    let id = result.session_id.ok_or("a result names its session")?;

    // The first machine owns the session. The second one could wait, but is refused here.
    let second = folder.path().join("second");
    let options = || -> Result<Options, Box<dyn Error>> {
        let options = on_machine(&second, "Ferris, as you said.")?;
        Ok(options.resume_from(store(&logs), &id))
    };
    match Client::connect(options()?.when_owned(WhenOwned::Refuse)).await {
        Ok(_) => return Err("two machines had the session".into()),
        Err(error) => println!("[second] {error}"),
    }

    // Closing releases the session. After a crash, the lease would expire.
    one.close().await;
    let mut two = Client::connect(options()?).await?;
    println!("[second] > What is my name?");
    let result = two.prompt("What is my name?").await?;
    println!("[second] {}", result.text());
    two.close().await;

    // The store has one conversation, which the first machine can continue.
    let options = on_machine(&first, "That is all.")?;
    let mut three = Client::connect(options.resume_from(store(&logs), &id)).await?;
    println!("[first]  {}", three.prompt("Anything else?").await?.text());
    three.close().await;
    Ok(())
}
