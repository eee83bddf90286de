//! Messages sent while the agent works: with the priorities now, next and later,
//! which turn answers which message, and how to withdraw a message.
//!
//! ```text
//! cargo run --example queue
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::protocol::message::Priority;
use agentwire::{Client, Error, Event, Options, Submission, UserMessage};
use agentwire_testkit::{Scenario, Step, fake_agent};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // This program is its own fake agent; see `quickstart`.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    println!("An agent with a queue of its own:");
    session(&script()).await?;
    // If the agent does not support priorities, the host implements them.
    println!("\nAn agent that runs everything in the order in which it comes:");
    session(&script().without_queue()).await?;
    Ok(())
}

async fn session(script: &Scenario) -> Result<(), Error> {
    let options = Options::new()
        .cli(std::env::current_exe().expect("this program has a path"))
        .env(fake_agent::SCRIPT, script.to_json())
        .partial_messages(true);
    let mut client = Client::connect(options).await?;

    let mut all = vec![send(&client, "Write a novel.", None)];
    until_it_writes(&mut client).await?;
    for (text, priority) in [
        ("When you are done: thank you.", Some(Priority::Later)),
        ("Use short sentences.", Some(Priority::Next)),
        ("And no adverbs.", None),
        ("Forget the crabs.", Some(Priority::Later)),
    ] {
        all.push(send(&client, text, priority));
    }
    if let Some((text, taken_back)) = all.pop() {
        let answer = taken_back.cancel().await?;
        println!("  taken back: {} ({text})", answer.cancelled);
    }
    // The message with priority now interrupts the novel.
    all.push(send(&client, "Stop! A poem, please.", Some(Priority::Now)));

    let mut turns = vec![];
    for (text, mut submission) in all {
        if let Ok(end) = submission.turn_ended().await {
            turns.push((end.turn, format!("{}: {text}", end.outcome)));
        }
    }
    turns.sort();
    for (turn, text) in turns {
        println!("  turn {turn}, {text}");
    }
    client.close().await;
    Ok(())
}

fn send(
    client: &Client,
    text: &'static str,
    priority: Option<Priority>,
) -> (&'static str, Submission) {
    let mut message = UserMessage::text(text);
    message.priority = priority;
    (text, client.send(message))
}

async fn until_it_writes(client: &mut Client) -> Result<(), Error> {
    while let Some(event) = client.next().await {
        if let Event::Frame(frame) = event?
            && frame.message().text_delta().is_some()
        {
            break;
        }
    }
    Ok(())
}

/// The script of the fake agent.
fn script() -> Scenario {
    Scenario::default()
        .reply([Step::text("It was a dark and "), Step::WaitMs(60_000)])
        .reply([Step::text("Roses are red.")])
        .reply([Step::text("Short. Yes.")])
        .reply([Step::text("You are welcome.")])
}
