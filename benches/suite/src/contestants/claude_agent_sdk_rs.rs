//! <https://docs.rs/claude-agent-sdk-rs>: the executable is
//! `ClaudeAgentOptions::cli_path`.

use super::{ConcurrentSessions, Idle, Kept, Outcome, PROMPT, Task, Times, Watch, rate};
use claude_agent_sdk_rs::{ClaudeAgentOptions, ClaudeClient, ClaudeError, Message, query_stream};
use std::hint::black_box;
use std::time::Instant;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;

pub(super) async fn run(task: &Task) -> Outcome {
    match task.program.as_str() {
        "stream" => stream(task).await,
        "round-trip" => round_trip(task).await,
        "connect" => connect(task).await,
        "first-token" => first_token(task).await,
        "send" => send(task).await,
        "idle" => idle(task).await,
        "keep" => keep(task).await,
        "sessions" => sessions(task).await,
        _ => task.unsupported(),
    }
}

fn options(task: &Task) -> ClaudeAgentOptions {
    ClaudeAgentOptions::builder()
        .cli_path(&task.cli)
        .include_partial_messages(true)
        // Without this option, the SDK fails after a megabyte in total.
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
    let client = open(task).await?;
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        client.set_model(Some("x")).await?;
        times.push(start);
    }
    times.finish()
}

async fn open(task: &Task) -> Result<ClaudeClient, ClaudeError> {
    let mut client = ClaudeClient::new(options(task));
    client.connect().await?;
    Ok(client)
}

async fn connect(task: &Task) -> Outcome {
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        let mut client = open(task).await?;
        times.push(start);
        client.disconnect().await?;
    }
    times.finish()
}

async fn first_token(task: &Task) -> Outcome {
    let mut client = open(task).await?;
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        client.query(PROMPT).await?;
        let mut answer = client.receive_response();
        while let Some(message) = answer.next().await {
            if matches!(message?, Message::StreamEvent(_)) {
                times.push(start);
            }
        }
    }
    times.finish()
}

async fn send(task: &Task) -> Outcome {
    let mut client = open(task).await?;
    let start = Instant::now();
    for _ in 0..task.count {
        client.query(PROMPT).await?;
    }
    until_result(&client).await?;
    rate(task.count, start)
}

async fn idle(task: &Task) -> Outcome {
    let mut clients = vec![open(task).await?];
    let idle = Idle::first(task.count);
    while clients.len() < task.count {
        clients.push(open(task).await?);
    }
    idle.finish()
}

async fn keep(task: &Task) -> Outcome {
    let mut client = open(task).await?;
    let mut kept = Kept::new(task);
    client.query(PROMPT).await?;
    let mut answer = client.receive_response();
    while let Some(message) = answer.next().await {
        kept.push(message?);
    }
    kept.finish()
}

async fn sessions(task: &Task) -> Outcome {
    let mut clients = Vec::new();
    for _ in 0..task.count {
        clients.push(open(task).await?);
    }
    let (done, mut results) = mpsc::unbounded_channel();
    let mut crowd = ConcurrentSessions::start(task);
    for mut client in clients {
        let done = done.clone();
        tokio::spawn(async move {
            let ended = match client.query(PROMPT).await {
                Ok(()) => until_result(&client).await,
                Err(error) => Err(error),
            };
            let _ = done.send((ended, client));
        });
    }
    let mut open = Vec::new();
    while open.len() < task.count {
        let (ended, client) = results.recv().await.ok_or("a task is gone")?;
        ended?;
        crowd.finished();
        open.push(client);
    }
    crowd.finish()
}

async fn until_result(client: &ClaudeClient) -> Result<(), ClaudeError> {
    let mut answer = client.receive_response();
    while let Some(message) = answer.next().await {
        black_box(message?);
    }
    Ok(())
}
