use agentwire::protocol::agent_definition::AgentDefinition;
use agentwire::{Error, Message, Options, PermissionResult, query};

pub async fn run(options: Options) -> Result<(), Error> {
    let reviewer = AgentDefinition::new("Reviews a change.", "You review code.");
    let options = options
        .agents([("reviewer", reviewer.tools(["Read"]))])
        .forward_subagent_text(true)
        .on_permission(|_| async { PermissionResult::allow() });
    let mut messages = query("Have it reviewed.", options).await?.messages();
    while let Some(message) = messages.next().await {
        if let Message::Assistant(said) = message? {
            let of = match said.parent_tool_use_id {
                Some(_) => "reviewer",
                None => "main",
            };
            for text in said.message.content.iter().filter_map(|it| it.as_text()) {
                println!("{of}: {text}");
            }
        }
    }
    Ok(())
}
