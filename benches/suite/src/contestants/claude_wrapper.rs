//! <https://docs.rs/claude-wrapper>: the executable is `ClaudeBuilder::binary`.
//! Messages are `serde_json::Value`.

use super::{Outcome, Task, Watch};
use claude_wrapper::streaming::stream_query;
use claude_wrapper::{Claude, OutputFormat, QueryCommand};
use std::hint::black_box;

pub(super) async fn run(task: &Task) -> Outcome {
    match task.program.as_str() {
        "stream" => stream(task).await,
        _ => task.unsupported(),
    }
}

async fn stream(task: &Task) -> Outcome {
    let mut watch = Watch::start();
    let claude = Claude::builder().binary(&task.cli).build()?;
    let command = QueryCommand::new("hello")
        .output_format(OutputFormat::StreamJson)
        .include_partial_messages();
    stream_query(&claude, &command, |message| {
        black_box(message);
        watch.message();
    })
    .await?;
    watch.finish()
}
