//! Tools that run inside this program: two from functions, and a server made
//! with rmcp's macros.
//!
//! ```text
//! cargo run --example mcp_tools --features mcp
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::mcp::{Call, Tools};
use agentwire::protocol::content::{Content, ContentBlock};
use agentwire::schemars::{self, JsonSchema};
use agentwire::{Event, Handle, Message, Options, PermissionResult, query};
use agentwire_testkit::{Scenario, Step, fake_agent};
use rmcp::handler::server::common::Extension;
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Dig {
    /// The depth, in metres.
    depth: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // This program is its own fake agent; see `quickstart`.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    // A tool is an async function. Its input has a JSON Schema; its error is sent
    // to the model.
    let garden = Tools::new()
        .read_only_tool("add", "Adds two numbers.", |input: Add| async move {
            Ok::<_, String>(input.a + input.b)
        })
        .tool("dig", "Digs a hole.", dig);
    let options = Options::new()
        .cli(std::env::current_exe()?)
        .env(fake_agent::SCRIPT, script().to_json())
        .mcp_server("garden", garden)
        .mcp_server("desk", Desk)
        .on_permission(|ask| async move {
            println!("[asked]  {} {}", ask.request.tool_name, ask.request.input);
            PermissionResult::allow()
        });

    let mut answer = query("Work in the garden", options).await?;
    while let Some(event) = answer.next().await {
        let Event::Frame(frame) = event? else {
            continue;
        };
        match frame.message() {
            Message::Assistant(said) => {
                if let Some(ContentBlock::Text(block)) = said.message.content.first() {
                    println!("{}", block.text);
                }
            }
            Message::User(user) => {
                for result in user.tool_results() {
                    let text = result.content.as_ref().map(Content::text);
                    println!("[tool]   {}", text.unwrap_or_default());
                }
            }
            Message::Result(_) => println!("[done]"),
            _ => {}
        }
    }
    Ok(())
}

/// A slow tool, which reports its progress. `call.cancelled()` would report that
/// the call was cancelled.
async fn dig(input: Dig, call: Call) -> Result<String, String> {
    if input.depth > 3 {
        return Err("There is rock below three metres.".to_owned());
    }
    for metre in 1..=input.depth {
        let (done, total) = (f64::from(metre), f64::from(input.depth));
        call.progress(done, Some(total), "deeper").await;
    }
    Ok(format!("A hole, {} metres deep.", input.depth))
}

/// A server made with rmcp. Its tools can access the session that calls them.
#[derive(Clone)]
struct Desk;

#[tool_router]
impl Desk {
    #[tool(description = "Has a better model go on.")]
    async fn promote(&self, Extension(session): Extension<Handle>) -> Result<String, String> {
        let answer = session.set_model("a-better-model").await;
        let model = answer.map_err(|error| error.to_string())?.model;
        Ok(format!("From now on: {}.", model.unwrap_or_default()))
    }
}

#[tool_handler]
impl ServerHandler for Desk {}

/// The script of the fake agent.
fn script() -> Scenario {
    let call = |tool: &str, input| Step::tool(format!("mcp__{tool}"), input, "");
    Scenario::default()
        .reply([
            Step::text("How much earth is it?"),
            call("garden__add", json!({ "a": 1.5, "b": 2 })),
            call("garden__dig", json!({ "depth": 8 })),
        ])
        .reply([
            Step::text("Not so deep, then."),
            call("garden__dig", json!({ "depth": 2 })),
            call("desk__promote", json!({})),
        ])
        .reply([Step::text("The hole is dug.")])
}
