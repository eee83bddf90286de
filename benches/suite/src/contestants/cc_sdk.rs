//! <https://docs.rs/cc-sdk>: the executable is
//! `SubprocessTransport::with_cli_path`.

use super::{Outcome, Task, Watch};
use cc_sdk::{ClaudeCodeOptions, ClaudeSDKClient, Message, SubprocessTransport};
use std::hint::black_box;
use tokio_stream::StreamExt;

pub(super) async fn run(task: &Task) -> Outcome {
    match task.program.as_str() {
        "stream" => stream(task).await,
        _ => task.unsupported(),
    }
}

async fn stream(task: &Task) -> Outcome {
    let mut watch = Watch::start();
    let options = ClaudeCodeOptions::builder()
        .include_partial_messages(true)
        // The default is 100 messages. Messages beyond the capacity are lost if
        // the reader is slow.
        .cli_channel_buffer_size(1 << 18)
        .build();
    let transport = SubprocessTransport::with_cli_path(options.clone(), &task.cli);
    let mut client = ClaudeSDKClient::with_transport(options, Box::new(transport));
    client.connect(None).await?;
    let mut messages = client.receive_messages().await;
    client.send_user_message("hello".to_owned()).await?;
    while let Some(message) = messages.next().await {
        let message = black_box(message?);
        watch.message();
        if matches!(message, Message::Result { .. }) {
            break;
        }
    }
    watch.finish()
}
