//! A session with an agent that was started elsewhere: in a container, over ssh,
//! or, as here, in the same process. It requires only two pipes.
//!
//! ```text
//! cargo run --example elsewhere
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::transport::Pipes;
use agentwire::{Activity, Client, Event, Options};
use agentwire_testkit::agent::Config;
use agentwire_testkit::fake_agent::{Output, Player};
use agentwire_testkit::{Scenario, Step};
use std::io;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::time::sleep_until;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // With ssh, these would be the pipes of `ssh host claude …`, with the arguments that
    // `Options::arguments` returns.
    let (to_agent, input) = tokio::io::duplex(64 * 1024);
    let (output, from_agent) = tokio::io::duplex(64 * 1024);
    tokio::spawn(play(input, output));

    let mut client = Client::connect_over(Pipes::new(from_agent, to_agent), Options::new()).await?;
    client.send("Where are you?");
    while let Some(event) = client.next().await {
        match event? {
            Event::Frame(frame) => print!("{}", frame.message().text_delta().unwrap_or_default()),
            Event::Activity(Activity::Idle) => break,
            _ => {}
        }
    }
    let report = client.close().await;
    println!("\nclosed in {:?}: {:?}", report.took, report.step);
    Ok(())
}

/// The agent, which follows a script until its input ends.
async fn play(mut input: DuplexStream, mut output: DuplexStream) -> io::Result<()> {
    let scenario = Scenario::default().reply([Step::text("Right here, in your own process.")]);
    let mut count = 0;
    let ids = move || {
        count += 1;
        format!("id-{count}")
    };
    let mut player = Player::new(scenario, Config::default(), ids);
    let mut bytes = vec![0; 4096];
    loop {
        while let Some(wanted) = player.poll_output() {
            match wanted {
                Output::Stdout(line) => output.write_all(&line).await?,
                Output::Exit(_) => return Ok(()),
                _ => {}
            }
        }
        let due = player.poll_timeout();
        let due_or_now = due.unwrap_or_else(Instant::now).into();
        tokio::select! {
            read = input.read(&mut bytes) => match read? {
                0 => return Ok(()),
                length => player.handle_input(Instant::now(), &bytes[..length]),
            },
            () = sleep_until(due_or_now), if due.is_some() => {
                player.handle_timeout(Instant::now());
            }
        }
    }
}
