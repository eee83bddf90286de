//! Hooks: closures that observe what the agent does, and can change it.
//!
//! ```text
//! cargo run --example hooks
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::hook::HookCall;
use agentwire::protocol::content::ContentBlock;
use agentwire::protocol::hook::{
    HookOutput, PostToolUse, PostToolUseOutput, PreToolUse, PreToolUseOutput, Stop,
    UserPromptSubmit,
};
use agentwire::{Event, Hook, Message, Options, query};
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::json;
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // This program is its own fake agent; see `quickstart`.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    let options = Options::new()
        .cli(std::env::current_exe()?)
        .env(fake_agent::SCRIPT, script().to_json())
        // The type of the closure's argument selects the event. A hook without
        // an output lets the agent continue.
        .hook(Hook::new(|call: HookCall<UserPromptSubmit>| async move {
            println!("[prompt]  {}", call.event.prompt);
        }))
        // If a gate fails, the tool does not run.
        .hook(
            Hook::new(|call: HookCall<PreToolUse>| async move {
                let command: String = match call.event.tool_input.member("command") {
                    Some(command) => command.read()?,
                    None => return Ok(None),
                };
                println!("[before]  {command}");
                Ok::<_, serde_json::Error>(match &*command {
                    "rm -rf /" => Some(PreToolUseOutput::deny("Not on this machine.")),
                    command if !command.starts_with("nice") => {
                        let nice = json!({ "command": format!("nice {command}") });
                        Some(PreToolUseOutput::allow_with(nice))
                    }
                    _ => None,
                })
            })
            .matcher("Bash")
            .timeout(Duration::from_secs(10))
            .gate(),
        )
        // Adds context for the model.
        .hook(Hook::new(|call: HookCall<PostToolUse>| async move {
            println!("[after]   {}", call.event.tool_input);
            PostToolUseOutput::default().additional_context("That took a while.")
        }))
        // Makes the model continue, once.
        .hook(Hook::new(|call: HookCall<Stop>| async move {
            let is_first = call.event.stop_hook_active != Some(true);
            println!("[stop]    {}", if is_first { "not yet" } else { "yes" });
            is_first.then(|| HookOutput::block("Say it in one sentence."))
        }));

    let mut answer = query("Clean up", options).await?;
    while let Some(event) = answer.next().await {
        match event? {
            Event::Frame(frame) => match frame.message() {
                Message::Assistant(said) => {
                    if let Some(ContentBlock::Text(block)) = said.message.content.first() {
                        println!("{}", block.text);
                    }
                }
                Message::Result(_) => println!("[done]"),
                _ => {}
            },
            Event::Notice(notice) => println!("[notice]  {notice}"),
            _ => {}
        }
    }
    Ok(())
}

/// The script of the fake agent.
fn script() -> Scenario {
    let bash = |command: &str| Step::tool("Bash", json!({ "command": command }), "done");
    Scenario::default()
        .reply([Step::text("I tidy up."), bash("rm -rf /")])
        .reply([Step::text("Then only here."), bash("rm -rf target")])
        .reply([Step::text(
            "I could not delete everything. But I cleaned up here.",
        )])
        .reply([Step::text("It is clean here.")])
}
