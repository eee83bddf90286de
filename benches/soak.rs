//! Ten thousand turns in one session, and the memory that this process takes
//! meanwhile: it must not grow.
//!
//! ```sh
//! cargo bench --bench soak
//! cargo bench --bench soak -- 100000   # more turns
//! ```
//!
//! It is its own fake agent. Every turn has partial messages, a tool call that
//! is asked about, a control request and a result.

#![allow(clippy::print_stdout, reason = "a table is what a measurement is for")]

mod memory;

use agentwire::{Activity, Client, Event, Options, PermissionResult};
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::json;
use std::time::Instant;

fn main() {
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    // `cargo bench` adds arguments of its own.
    let turns = std::env::args().find_map(|argument| argument.parse().ok());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(soak(turns.unwrap_or(10_000)));
}

async fn soak(turns: usize) {
    let scenario = Scenario::default()
        .reply([
            Step::text("Let me look at that. "),
            Step::tool("Bash", json!({ "command": "date" }), "today"),
        ])
        .reply([Step::thinking("Today it is. "), Step::text("It is today.")])
        .repeated();
    let options = Options::new()
        .cli(std::env::current_exe().expect("this program"))
        .env(fake_agent::SCRIPT, scenario.to_json())
        .partial_messages(true)
        .on_permission(|_| async { PermissionResult::allow() });
    let mut client = Client::connect(options).await.expect("a session");
    println!("{:>8} {:>12} {:>10}", "turn", "resident", "turns/s");
    let (mut since, mut messages) = (Instant::now(), 0);
    let step = turns.div_ceil(10).max(1);
    for number in 0..=turns {
        if number % step == 0 || number == turns {
            let speed = step as f64 / since.elapsed().as_secs_f64();
            let speed = if number == 0 { 0.0 } else { speed };
            println!("{number:>8} {:>9} KB {speed:>10.0}", memory::resident());
            since = Instant::now();
        }
        if number == turns {
            break;
        }
        messages += turn(&mut client, number).await;
    }
    println!("{messages} messages");
    client.close().await;
}

/// One turn, and how many messages came in it.
async fn turn(client: &mut Client, number: usize) -> usize {
    let mut submission = client.send(format!("Turn {number}"));
    let request = client.set_model("other");
    let (mut messages, mut has_result) = (0, false);
    while let Some(event) = client.next().await {
        match event.expect("an event") {
            Event::Frame(frame) => {
                messages += 1;
                has_result |= frame.kind() == "result";
            }
            Event::Activity(Activity::Idle) if has_result => break,
            _ => {}
        }
    }
    request.await.expect("an answer");
    assert!(submission.final_state().await.is_end());
    messages
}
