//! Compares the ledger with the tokens that the scripted model charged.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

use crate::support::Live;
use agentwire::{Client, Options};
use agentwire_pool::ledger::Ledger;
use agentwire_testkit::{Reply, Scenario, Step, ToolCall, Usage};
use serde_json::json;
use std::collections::BTreeMap;

/// Returns the usage of a reply. The output tokens identify it.
fn reply(steps: impl IntoIterator<Item = Step>, output: u64) -> Reply {
    let usage = Usage {
        input_tokens: Some(output * 100),
        output_tokens: Some(output),
        cache_read_input_tokens: Some(0),
        cache_creation_input_tokens: Some(0),
    };
    Reply::new(steps).usage(usage)
}

fn reply_costing_tokens(output: u64) -> Reply {
    reply([Step::text("Hello.")], output)
}

fn calls(name: &str, input: serde_json::Value, output: u64) -> Reply {
    reply([Step::Tool(ToolCall::new(name, input, ""))], output)
}

fn part(in_background: bool) -> serde_json::Value {
    json!({
        "description": "part", "prompt": "Do a part.", "subagent_type": "general-purpose",
        "run_in_background": in_background,
    })
}

/// Sessions of the real CLI, and the output tokens that the model charged.
struct Run {
    live: Live,
    ledger: Ledger,
    charged: BTreeMap<String, u64>,
}

impl Run {
    async fn new(scenario: Scenario) -> Self {
        Self {
            live: Live::start(scenario).await,
            ledger: Ledger::new(),
            charged: BTreeMap::new(),
        }
    }

    fn options(&self) -> Options {
        self.live.options()
    }

    async fn connect(&self, options: Options) -> Client {
        let options = options.attachment(self.ledger.of("acme"));
        let client = Client::connect(options).await.unwrap();
        // For CLIs before 2.1.316.
        assert!(self.ledger.follow(&client));
        client
    }

    /// Sends a prompt, and adds what the model charges for it. Returns the session ID.
    async fn ask(&mut self, client: &Client, prompt: &str, output: u64) -> String {
        let id = client.prompt(prompt).await.unwrap().session_id.unwrap();
        *self.charged.entry(id.clone()).or_default() += output;
        id
    }

    #[track_caller]
    fn check(&self) {
        let mut sum = 0;
        for (id, output) in &self.charged {
            let tokens = self.ledger.session(id).cost.tokens;
            assert_eq!(
                (tokens.input, tokens.output),
                (output * 100, *output),
                "{id}"
            );
            sum += output;
        }
        let total = self.ledger.tenant("acme");
        assert_eq!(total.cost.tokens.output, sum);
        // The price of a token is the same for all of them.
        let mut turns = self.ledger.turns(0);
        turns.retain(|it| it.cost.tokens.output > 0);
        let prices = turns
            .iter()
            .map(|it| it.cost.usd / it.cost.tokens.output as f64);
        let prices: Vec<f64> = prices.collect();
        assert!(
            prices
                .iter()
                .all(|it| *it > 0.0 && (it / prices[0] - 1.0).abs() < 1e-9)
        );
        let usd = prices[0] * sum as f64;
        assert!(
            (total.cost.usd / usd - 1.0).abs() < 1e-9,
            "{} {usd}",
            total.cost.usd
        );
    }
}

async fn kill(mut client: Client) {
    let pid = rustix::process::Pid::from_raw(client.pid().unwrap() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    client.close().await;
}

#[tokio::test]
async fn costs_of_resumed_forked_cleared_and_killed_sessions_are_what_the_model_charged() {
    let replies = (1..=9).map(|number| reply_costing_tokens(1 << number));
    let mut run = Run::new(replies.fold(Scenario::default(), Scenario::reply)).await;
    let mut client = run.connect(run.options()).await;
    let id = run.ask(&client, "One.", 2).await;
    run.ask(&client, "Two.", 4).await;
    client.close().await;

    let mut client = run.connect(run.options().resume(&id)).await;
    assert_eq!(run.ask(&client, "Three.", 8).await, id);
    client.close().await;
    let mut client = run
        .connect(run.options().resume(&id).fork_session(true))
        .await;
    assert_ne!(run.ask(&client, "Four.", 16).await, id);
    client.close().await;

    let mut client = run.connect(run.options().resume(&id)).await;
    run.ask(&client, "Five.", 32).await;
    let cleared = run.ask(&client, "/clear", 0).await;
    assert_ne!(cleared, id);
    assert_eq!(run.ask(&client, "Six.", 64).await, cleared);
    client.close().await;

    let client = run.connect(run.options().resume(&id)).await;
    run.ask(&client, "Seven.", 128).await;
    kill(client).await;
    let mut client = run.connect(run.options().resume(&id)).await;
    run.ask(&client, "Eight.", 256).await;
    client.close().await;
    let mut client = run.connect(run.options().resume(&cleared)).await;
    run.ask(&client, "Nine.", 512).await;
    client.close().await;
    run.check();
    assert!(run.ledger.total().unreported.is_empty());
}

#[tokio::test]
async fn costs_of_sub_agents_and_failed_turns_are_what_the_model_charged() {
    let mut scenario = Scenario::default()
        .reply(calls("Agent", part(false), 1))
        .reply(reply_costing_tokens(2))
        .reply([Step::error(400, "invalid_request_error", "no")])
        .reply(calls("Bash", json!({"command": "true"}), 4))
        .reply([Step::error(400, "invalid_request_error", "no")])
        .reply(reply_costing_tokens(8));
    scenario.subagents = vec![
        calls("Bash", json!({"command": "true"}), 16),
        reply_costing_tokens(32),
    ];
    let mut run = Run::new(scenario).await;
    let options = run.options().forward_subagent_text(true);
    let mut client = run.connect(options.allowed_tools(["Bash"])).await;
    run.ask(&client, "One.", 1 + 2 + 16 + 32).await;
    let turn = &run.ledger.turns(0)[0];
    let [subagent] = &turn.subagents[..] else {
        panic!("{:?}", turn.subagents);
    };
    assert_eq!(subagent.tokens.input, (16 + 32) * 100);
    run.ask(&client, "Two.", 0).await;
    run.ask(&client, "Three.", 4).await;
    run.ask(&client, "Four.", 8).await;
    let failed: Vec<_> = run.ledger.turns(0).iter().map(|it| it.is_error).collect();
    assert_eq!(failed, [false, true, true, false]);
    client.close().await;
    run.check();
}

/// The result of `/clear` has the last request of a sub-agent in the background, and the ID of
/// the new session.
#[tokio::test]
async fn background_work_before_clear_belongs_to_the_session_before_it() {
    let mut scenario = Scenario::default()
        .reply(calls("Agent", part(true), 1))
        .reply(reply_costing_tokens(2));
    let mut first = calls("Bash", json!({"command": "true"}), 8);
    first.say.insert(0, Step::gate("begin"));
    scenario.subagents = vec![first, reply([Step::gate("end")], 16)];
    let mut run = Run::new(scenario).await;
    let client = run.connect(run.options().allowed_tools(["Bash"])).await;
    let id = run.ask(&client, "One.", 1 + 2).await;
    run.live.model.open("begin").unwrap();
    run.live.model.reached("end").await.unwrap();
    *run.charged.get_mut(&id).unwrap() += 8;
    assert_ne!(run.ask(&client, "/clear", 0).await, id);
    // The sub-agent's second request has no response.
    kill(client).await;
    run.check();
}

#[tokio::test]
async fn a_killed_turn_is_a_lower_bound() {
    let scenario = Scenario::default()
        .reply(reply_costing_tokens(1))
        .reply(calls("Bash", json!({"command": "true"}), 2))
        .reply(reply([Step::text("And"), Step::gate("never")], 4))
        .reply(reply_costing_tokens(8));
    let mut run = Run::new(scenario).await;
    let options = run.options().allowed_tools(["Bash"]);
    let client = run.connect(options.clone()).await;
    let id = run.ask(&client, "One.", 1).await;
    client.send("Two.");
    run.live.model.reached("never").await.unwrap();
    kill(client).await;
    let unreported = run.ledger.session(&id).unreported;
    assert!((200..=600).contains(&unreported.input), "{unreported:?}");
    assert!((2..=6).contains(&unreported.output), "{unreported:?}");
    let mut client = run.connect(run.options().resume(&id)).await;
    run.ask(&client, "Three.", 8).await;
    client.close().await;
    run.check();
    assert_eq!(run.ledger.total().unreported, unreported);
}

/// The limit of the CLI counts what its process has spent.
#[tokio::test]
async fn a_budget_stops_a_resumed_session() {
    let replies = [
        reply_costing_tokens(1),
        reply_costing_tokens(2),
        reply_costing_tokens(4),
        reply_costing_tokens(8),
    ];
    let mut run = Run::new(
        replies
            .into_iter()
            .fold(Scenario::default(), Scenario::reply),
    )
    .await;
    let mut client = run.connect(run.options()).await;
    let id = run.ask(&client, "One.", 1).await;
    client.close().await;
    let price = run.ledger.total().cost.usd;
    // For the next reply, and half of that after it.
    run.ledger.set_budget("acme", Some(price * 5.0));
    let mut client = run.connect(run.options().resume(&id)).await;
    run.ask(&client, "Two.", 2).await;
    let result = client.prompt("Three.").await.unwrap();
    assert!(result.is_error, "{result:?}");
    assert!(run.ledger.check("acme").is_err());
    client.close().await;
    assert_eq!(run.ledger.session(&id).cost.tokens.output, 7);
}
