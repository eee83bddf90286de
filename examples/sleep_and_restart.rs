//! A session with several processes: it is put to sleep, woken by the next message, and
//! continued after its agent was killed.
//!
//! ```text
//! cargo run --example sleep_and_restart
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::event::Restart;
use agentwire::{Client, Error, Event, Options, RestartPolicy};
use agentwire_testkit::{Scenario, Step, fake_agent};
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // This program is its own fake agent; see `quickstart`.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    let script = Scenario::default()
        .reply([Step::text("Hello.")])
        .reply([Step::text("Hello again.")]);
    // Where the agent keeps its sessions.
    let home = tempfile::tempdir()?;
    let policy = RestartPolicy::default().pause(Duration::from_millis(50), Duration::from_secs(5));
    let options = Options::new()
        .cli(std::env::current_exe()?)
        .env(fake_agent::SCRIPT, script.to_json())
        .env("CLAUDE_CONFIG_DIR", home.path())
        .restart(policy);
    let mut client = Client::connect(options).await?;
    println!(
        "process {:?}: {}",
        client.pid(),
        say(&client, "Hello!").await?
    );
    client.set_model("claude-haiku-4-5").await?;

    client.sleep().await?;
    println!("asleep: no process runs");
    println!("woken: {}", say(&client, "Hello?").await?);
    let next = restart(&mut client).await?;
    show(&next);

    let pid = client.pid().map(|pid| pid.to_string()).unwrap_or_default();
    std::process::Command::new("kill")
        .args(["-9", &pid])
        .status()?;
    println!("killed");
    let next = restart(&mut client).await?;
    show(&next);
    println!("and it goes on: {}", say(&client, "Still there?").await?);
    client.close().await;
    Ok(())
}

async fn say(client: &Client, prompt: &str) -> Result<String, Error> {
    Ok(client.prompt(prompt).await?.text().to_owned())
}

/// Waits for the next event that reports another process of the session.
async fn restart(client: &mut Client) -> Result<Box<Restart>, Error> {
    loop {
        match client.next().await {
            Some(Ok(Event::Restarted(restart))) => return Ok(restart),
            Some(event) => drop(event?),
            None => return Err(Error::transport("the session is over")),
        }
    }
}

fn show(restart: &Restart) {
    println!(
        "process {} ({:?}), because {}; restored: {:?}",
        restart.process, restart.pid, restart.reason, restart.restored
    );
}
