//! <https://docs.rs/claude-codes>: the executable is
//! `ClaudeCliBuilder::command`.

use super::{Outcome, Task, Watch};
use claude_codes::{AsyncClient, ClaudeCliBuilder};
use std::hint::black_box;

pub(super) async fn run(task: &Task) -> Outcome {
    match task.program.as_str() {
        "stream" => stream(task).await,
        _ => task.unsupported(),
    }
}

async fn stream(task: &Task) -> Outcome {
    let mut watch = Watch::start();
    let builder = ClaudeCliBuilder::new().command(&task.cli);
    let mut client = AsyncClient::from_builder(builder).await?;
    let mut answer = client.query_stream("hello").await?;
    // It ends with the result.
    while let Some(message) = answer.next().await {
        black_box(message?);
        watch.message();
    }
    watch.finish()
}
