//! A host is killed after it has accepted a message. The next host finds the message in the session's
//! inbox and sends it.
//!
//! ```text
//! cargo run -p agentwire-stores --features directory --example lost_host
//! ```
//!
//! runs with the fake agent and requires no set-up. The first host is a child process, so that it can
//! be killed. The lease has two seconds, which is short.

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::{Client, Event, Notice, Options};
use agentwire_stores::{Directory, LogBacked};
use agentwire_testkit::{Scenario, Step, fake_agent};
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};

const ID: &str = "11111111-2222-4333-8444-555555555555";
const FOLDER: &str = "LOST_HOST_FOLDER";

/// A machine: a home directory and the shared store.
fn on_machine(folder: &Path, name: &str, says: Step) -> Result<Options, Box<dyn Error>> {
    let home = folder.join(name);
    std::fs::create_dir_all(&home)?;
    let store = LogBacked::new(Directory::new(folder.join("store")));
    Ok(Options::new()
        // This program is also the fake agent: it starts itself with a script in the environment.
        .cli(std::env::current_exe()?)
        .env(
            fake_agent::SCRIPT,
            Scenario::default().reply([says]).repeated().to_json(),
        )
        .env("HOME", &home)
        .env("CLAUDE_CONFIG_DIR", home.join(".claude"))
        .session_store(store.leased(Duration::from_secs(2))))
}

/// The first host: accepts a message, and is killed during its turn.
async fn accept(folder: &Path) -> Result<(), Box<dyn Error>> {
    let options = on_machine(folder, "first", Step::WaitMs(600_000))?;
    let client = Client::connect(options.session_id(ID)).await?;
    // The message is stored.
    client.send("Water the ferns.").await?;
    println!("accepted");
    std::io::stdout().flush()?;
    std::future::pending().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    if let Some(folder) = std::env::var_os(FOLDER) {
        return accept(Path::new(&folder)).await;
    }
    let folder = tempfile::tempdir()?;
    let mut first = tokio::process::Command::new(std::env::current_exe()?)
        .env(FOLDER, folder.path())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let output = first.stdout.take().ok_or("its output is piped")?;
    BufReader::new(output).lines().next_line().await?;
    println!("[first]  has accepted a message, and is killed");
    first.kill().await?;

    // The lease must expire.
    let options = on_machine(folder.path(), "second", Step::text("They are watered."))?;
    let mut second = Client::connect(options.resume(ID)).await?;
    while let Some(event) = second.next().await {
        match event? {
            Event::Notice(notice @ Notice::Inherited { .. }) => println!("[second] {notice}"),
            Event::Frame(frame) if frame.kind() == "result" => break,
            _ => {}
        }
    }
    second.close().await;
    println!("[second] its turn is over");
    Ok(())
}
