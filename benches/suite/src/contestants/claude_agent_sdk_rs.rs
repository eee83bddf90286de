//! <https://docs.rs/claude-agent-sdk-rs>: the executable is
//! `ClaudeAgentOptions::cli_path`.

use super::{Outcome, Task, Times, Watch};
use claude_agent_sdk_rs::{ClaudeAgentOptions, ClaudeClient, Message, query_stream};
use std::hint::black_box;
use std::time::Instant;
use tokio_stream::StreamExt;

pub(super) async fn run(task: &Task) -> Outcome {
    match task.program.as_str() {
        "stream" => stream(task).await,
        "round-trip" => round_trip(task).await,
        _ => task.unsupported(),
    }
}

fn options(task: &Task) -> ClaudeAgentOptions {
    ClaudeAgentOptions::builder()
        .cli_path(&task.cli)
        .include_partial_messages(true)
        // Unset, it gives up after a megabyte in all.
        .max_buffer_size(usize::MAX)
        .build()
}

async fn stream(task: &Task) -> Outcome {
    let mut watch = Watch::start();
    let mut answer = query_stream("hello", Some(options(task))).await?;
    while let Some(message) = answer.next().await {
        let message = black_box(message?);
        watch.message();
        if matches!(message, Message::Result(_)) {
            break;
        }
    }
    watch.finish()
}

async fn round_trip(task: &Task) -> Outcome {
    let mut client = ClaudeClient::new(options(task));
    client.connect().await?;
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        client.set_model(Some("x")).await?;
        times.push(start);
    }
    times.finish()
}
