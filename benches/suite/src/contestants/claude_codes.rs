//! <https://docs.rs/claude-codes>: the executable is
//! `ClaudeCliBuilder::command`.

use super::{Failure, Idle, Kept, Outcome, PROMPT, Task, Times, Watch, rate};
use claude_codes::{
    AsyncClient, ClaudeCliBuilder, ClaudeInput, ClaudeOutput, ControlRequestPayload,
};
use std::hint::black_box;
use std::time::Instant;

pub(super) async fn run(task: &Task) -> Outcome {
    match task.program.as_str() {
        "stream" => stream(task).await,
        "connect" => connect(task).await,
        "first-token" => first_token(task).await,
        "callbacks" => callbacks(task).await,
        "send" => send(task).await,
        "idle" => idle(task).await,
        "keep" => keep(task).await,
        _ => task.unsupported(),
    }
}

async fn stream(task: &Task) -> Outcome {
    let mut watch = Watch::start();
    let mut client = open(task).await?;
    let mut answer = client.query_stream("hello").await?;
    // The stream ends with the result.
    while let Some(message) = answer.next().await {
        black_box(message?);
        watch.message();
    }
    watch.finish()
}

async fn open(task: &Task) -> claude_codes::Result<AsyncClient> {
    AsyncClient::from_builder(ClaudeCliBuilder::new().command(&task.cli)).await
}

async fn connect(task: &Task) -> Outcome {
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        let mut client = open(task).await?;
        client.enable_tool_approval().await?;
        times.push(start);
        client.shutdown().await?;
    }
    times.finish()
}

async fn first_token(task: &Task) -> Outcome {
    let mut client = open(task).await?;
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        let mut answer = client.query_stream(PROMPT).await?;
        while let Some(message) = answer.next().await {
            if matches!(message?, ClaudeOutput::StreamEvent(_)) {
                times.push(start);
            }
        }
    }
    times.finish()
}

/// This SDK has no callbacks. Requests are messages, which user code answers.
async fn callbacks(task: &Task) -> Outcome {
    let mut client = open(task).await?;
    client.enable_tool_approval().await?;
    client.send(&hello()?).await?;
    loop {
        match client.receive().await? {
            ClaudeOutput::ControlRequest(asked) => {
                if let ControlRequestPayload::CanUseTool(tool) = &asked.request {
                    let allowed = tool.allow(&asked.request_id);
                    client.send_control_response(allowed).await?;
                }
            }
            ClaudeOutput::Result(_) => return Ok(vec![]),
            message => drop(black_box(message)),
        }
    }
}

async fn send(task: &Task) -> Outcome {
    let mut client = open(task).await?;
    let message =
        ClaudeInput::user_message(PROMPT, "11111111-1111-4111-8111-111111111111".parse()?);
    let start = Instant::now();
    for _ in 0..task.count {
        client.send(&message).await?;
    }
    black_box(client.receive().await?);
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
    let mut answer = client.query_stream(PROMPT).await?;
    while let Some(message) = answer.next().await {
        kept.push(message?);
    }
    kept.finish()
}

fn hello() -> Result<ClaudeInput, Failure> {
    let session = "11111111-1111-4111-8111-111111111111".parse()?;
    Ok(ClaudeInput::user_message(PROMPT, session))
}
