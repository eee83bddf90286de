//! This project's SDK.

use super::{Outcome, Task, Times, Watch};
use agentwire::{Client, Event, Message, Options, query};
use std::hint::black_box;
use std::time::Instant;

/// `typed`: user code reads each message by its type; else it looks at the kind
/// of the frame only.
pub(super) async fn run(task: &Task, typed: bool) -> Outcome {
    match task.program.as_str() {
        "stream" => stream(task, typed).await,
        "round-trip" => round_trip(task).await,
        _ => task.unsupported(),
    }
}

fn options(task: &Task) -> Options {
    Options::new().cli(&task.cli).partial_messages(true)
}

async fn stream(task: &Task, typed: bool) -> Outcome {
    let mut watch = Watch::start();
    let mut answer = query("hello", options(task)).await?;
    while let Some(event) = answer.next().await {
        let Event::Frame(frame) = event? else {
            continue;
        };
        watch.message();
        if typed {
            match frame.message() {
                Message::Unknown(_) => return Err(format!("no type for a {}", frame.kind()).into()),
                message => drop(black_box(message)),
            }
        }
        if frame.kind() == "result" {
            return watch.finish();
        }
    }
    Err("no result".into())
}

async fn round_trip(task: &Task) -> Outcome {
    let client = Client::connect(options(task)).await?;
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        client.set_model(Some("x")).await?;
        times.push(start);
    }
    times.finish()
}
