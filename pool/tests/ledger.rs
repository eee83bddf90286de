//! Compares the ledger with the costs that the fake agent charged.

mod budgets;
mod history;
mod property;
mod turns;

use crate::fake_agent_path;
use agentwire::{Client, ClosePolicy, Event, Options};
use agentwire_protocol::message::ResultMessage;
use agentwire_testkit::{Reply, Scenario, Step, Usage, fake_agent};
use std::path::Path;
use std::time::Duration;

/// A timeout that only a broken test exceeds, even on a busy machine.
const LONG: Duration = Duration::from_secs(120);

/// Returns options for a session with the fake agent, whose sessions are in a folder.
fn fake(scenario: &Scenario, home: &Path) -> Options {
    Options::new()
        .cli(fake_agent_path())
        .cwd(home)
        .env(fake_agent::SCRIPT, scenario.to_json())
        .env(fake_agent::SESSIONS, home.join(".claude"))
        .partial_messages(true)
        .close_policy(ClosePolicy::default().exit(LONG).terminate(LONG).kill(LONG))
}

/// Returns a reply with a text, these input and output tokens, and a cost.
fn reply(step: Step, input: u64, output: u64, usd: f64) -> Reply {
    let usage = Usage {
        input_tokens: Some(input),
        output_tokens: Some(output),
        cache_creation_input_tokens: Some(0),
        cache_read_input_tokens: Some(0),
    };
    Reply::new([step]).usage(usage).cost_usd(usd)
}

fn text(input: u64, output: u64, usd: f64) -> Reply {
    reply(Step::text("Hello."), input, output, usd)
}

/// Waits for the next result.
async fn next_result(client: &mut Client) -> ResultMessage {
    loop {
        match client.next().await.unwrap().unwrap() {
            Event::Frame(frame) if frame.kind() == "result" => return frame.read().unwrap(),
            _ => {}
        }
    }
}

/// Compares costs, which are sums in different orders.
fn assert_usd(is: f64, expected: f64) {
    assert!((is - expected).abs() < 1e-9, "{is} is not {expected}");
}
