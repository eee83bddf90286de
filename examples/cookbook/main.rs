//! The recipes of the cookbook in the guide. Each runs with the fake agent:
//!
//! ```text
//! cargo run --all-features --example cookbook -- first_answer
//! ```
//!
//! Without a name, this program lists the recipes. `docs/guide/cookbook.md` has the code
//! and the output of each recipe; `tests/cookbook.rs` checks both.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "the recipes are written as in a program of their own"
)]

mod scripts;

use agentwire::{ExitGuard, Options};
use agentwire_testkit::fake_agent;
use std::error::Error;
use tokio::runtime::Runtime;

/// Declares the recipes: each is a file with a function `run`.
macro_rules! recipes {
    ($($name:ident,)*) => {
        $(mod $name;)*

        const NAMES: &[&str] = &[$(stringify!($name)),*];

        async fn run(name: &str, options: Options) -> Result<(), Box<dyn Error>> {
            match name {
                $(stringify!($name) => Ok($name::run(options).await?),)*
                _ => Err(format!("there is no recipe `{name}`").into()),
            }
        }
    };
}

recipes! {
    first_answer,
    stream_text,
    conversation,
    failed_turn,
    structured_output,
    time_limit,
    interrupt,
    allow_list,
    ask_in_order,
    answer_later,
    allow_always,
    change_input,
    steer_with_denial,
    audit_log,
    explain_rules,
    answer_question,
    approve_plan,
    block_with_hook,
    observe_tools,
    own_tool,
    tool_with_state,
    delivery_status,
    interrupt_with_message,
    withdraw,
    switch_model,
    cost,
    context_usage,
    retry,
    batch,
    print_notices,
    resume,
    attach_file,
    untrusted_text,
    several_readers,
    slow_consumer,
    cli_crashed,
    cli_not_found,
    clean_environment,
    print_command_line,
    close_report,
    shutdown,
    unknown_messages,
    other_request,
    subagent,
    show_conversation,
    mirror_transcript,
    test_with_script,
    test_overload,
}

fn main() -> Result<(), Box<dyn Error>> {
    // This program is its own fake agent; see `quickstart`.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    // Recipes end while their sessions are being closed.
    let _guard = ExitGuard::new();
    Runtime::new()?.block_on(cook())
}

async fn cook() -> Result<(), Box<dyn Error>> {
    let Some(name) = std::env::args().nth(1) else {
        NAMES.iter().for_each(|name| println!("{name}"));
        return Ok(());
    };
    // The fake agent stores its transcripts in this folder.
    let home = agentwire_testing::tempdir()?;
    let options = Options::new()
        .cli(std::env::current_exe()?)
        .env("CLAUDE_CONFIG_DIR", home.path())
        .env(fake_agent::SCRIPT, scripts::of(&name).to_json());
    run(&name, options).await
}
