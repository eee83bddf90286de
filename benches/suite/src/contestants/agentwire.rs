//! This project's SDK.

use super::{ConcurrentSessions, Failure, Idle, Kept, Outcome, PROMPT, Task, Times, Watch, rate};
use agentwire::{Client, Event, Frame, Message, Options, PermissionResult, query};
use std::hint::black_box;
use std::time::Instant;
use tokio::sync::mpsc;

/// Runs a task with this project's SDK. If `typed`, user code reads each
/// message by its type. Otherwise, it only reads the kind of each frame.
pub(super) async fn run(task: &Task, typed: bool) -> Outcome {
    match task.program.as_str() {
        "stream" => stream(task, typed).await,
        "round-trip" => round_trip(task).await,
        "connect" => connect(task).await,
        "first-token" => first_token(task).await,
        "callbacks" => callbacks(task).await,
        "send" => send(task).await,
        "idle" => idle(task).await,
        "keep" if typed => keep(task, |frame| frame.message()).await,
        "keep" => keep(task, |frame| frame).await,
        "sessions" => sessions(task).await,
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
        client.set_model("x").await?;
        times.push(start);
    }
    times.finish()
}

async fn connect(task: &Task) -> Outcome {
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        let mut client = Client::connect(options(task)).await?;
        times.push(start);
        client.abort().await;
    }
    times.finish()
}

async fn first_token(task: &Task) -> Outcome {
    let mut client = Client::connect(options(task)).await?;
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        drop(client.send(PROMPT));
        while frame(&mut client).await?.message().text_delta().is_none() {}
        times.push(start);
        until_result(&mut client).await?;
    }
    times.finish()
}

async fn callbacks(task: &Task) -> Outcome {
    let options = options(task).on_permission(|_| async { PermissionResult::allow() });
    let mut client = Client::connect(options).await?;
    drop(client.send(PROMPT));
    until_result(&mut client).await?;
    Ok(vec![])
}

async fn send(task: &Task) -> Outcome {
    let mut client = Client::connect(options(task)).await?;
    let start = Instant::now();
    for _ in 0..task.count {
        drop(client.send(PROMPT));
    }
    until_result(&mut client).await?;
    rate(task.count, start)
}

async fn idle(task: &Task) -> Outcome {
    let mut clients = vec![Client::connect(options(task)).await?];
    let idle = Idle::first(task.count);
    while clients.len() < task.count {
        clients.push(Client::connect(options(task)).await?);
    }
    idle.finish()
}

async fn keep<T>(task: &Task, what: fn(Frame) -> T) -> Outcome {
    let mut client = Client::connect(options(task)).await?;
    let mut kept = Kept::new(task);
    drop(client.send(PROMPT));
    loop {
        let frame = frame(&mut client).await?;
        let last = frame.kind() == "result";
        kept.push(what(frame));
        if last {
            return kept.finish();
        }
    }
}

async fn sessions(task: &Task) -> Outcome {
    let mut clients = Vec::new();
    for _ in 0..task.count {
        clients.push(Client::connect(options(task)).await?);
    }
    let (done, mut results) = mpsc::unbounded_channel();
    let mut crowd = ConcurrentSessions::start(task);
    for mut client in clients {
        let done = done.clone();
        tokio::spawn(async move {
            drop(client.send(PROMPT));
            let ended = until_result(&mut client).await;
            // The session stays open.
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

/// Returns the next message that the agent wrote.
async fn frame(client: &mut Client) -> Result<Frame, Failure> {
    loop {
        match client.next().await {
            Some(Ok(Event::Frame(frame))) => return Ok(frame),
            Some(event) => drop(event?),
            None => return Err("no result".into()),
        }
    }
}

/// Reads every message, typed, up to the end of the turn.
async fn until_result(client: &mut Client) -> Result<(), Failure> {
    loop {
        let frame = frame(client).await?;
        black_box(frame.message());
        if frame.kind() == "result" {
            return Ok(());
        }
    }
}
