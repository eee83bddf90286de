use agentwire::protocol::content::{Content, ContentBlock};
use agentwire::{Error, Message, Options, PermissionResult, query};

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options.on_permission(|_| async { PermissionResult::allow() });
    let mut messages = query("Who am I?", options).await?.messages();
    while let Some(message) = messages.next().await {
        match message? {
            Message::Assistant(said) => {
                for call in said.message.content.iter().filter_map(ContentBlock::as_tool_use) {
                    println!("call: {} {}", call.name, call.input);
                }
            }
            Message::User(user) => {
                for result in user.tool_results() {
                    let text = result.content.as_ref().map(Content::text);
                    println!("result: {}", text.unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    Ok(())
}
