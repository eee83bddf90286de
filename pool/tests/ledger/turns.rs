//! Entries of single turns.

use super::history::{Stripped, Version};
use super::{assert_usd, fake, next_result, reply, text};
use agentwire::event::Busy;
use agentwire::protocol::message::UserMessage;
use agentwire::{Client, Error};
use agentwire_pool::ledger::{Ledger, Totals, Turn};
use agentwire_testkit::agent::Profile;
use agentwire_testkit::{Fault, Scenario, Signal, Step, ToolCall, When};
use serde_json::json;

/// Returns a turn with an awaited sub-agent, which calls a tool.
fn with_subagent() -> Scenario {
    let tool = |name: &str, input| {
        Step::Tool(ToolCall {
            ask: false,
            ..ToolCall::new(name, input, "done")
        })
    };
    let input = json!({
        "description": "part", "prompt": "part", "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    let part = || When::prompt_is("part");
    Scenario::default()
        .reply(reply(tool("Agent", input), 100, 10, 0.5))
        .reply(text(200, 20, 0.25))
        .subagent(reply(tool("Bash", json!({"command": "true"})), 1000, 100, 2.0).when(part()))
        .subagent(text(2000, 200, 4.0).when(part()))
}

#[tokio::test]
async fn a_turn_names_its_message_model_and_sub_agents() {
    let home = agentwire_testing::tempdir().unwrap();
    let ledger = Ledger::new();
    let options = fake(&with_subagent(), home.path()).model("opus");
    let options = options.attachment(ledger.of("acme"));
    let mut client = Client::connect(options).await.unwrap();
    let mut message = UserMessage::new("Hello.");
    message.uuid = Some("00000000-0000-4000-8000-000000000001".to_owned());
    let result = client.prompt(message).await.unwrap();
    client.close().await;

    let turn = ledger.turn("00000000-0000-4000-8000-000000000001").unwrap();
    assert_eq!(ledger.turns(0).len(), 1);
    assert!(ledger.turns(1).is_empty());
    assert_eq!(
        (turn.number, &*turn.tenant, turn.is_error),
        (1, "acme", false)
    );
    assert_eq!(
        (turn.result, Some(turn.session)),
        (result.uuid, result.session_id)
    );
    assert_usd(turn.cost.usd, 6.75);
    assert_eq!(
        (turn.cost.tokens.input, turn.cost.tokens.output),
        (3300, 330)
    );
    assert_eq!(
        turn.models.into_iter().collect::<Vec<_>>(),
        [("opus".to_owned(), turn.cost)]
    );
    assert!(turn.unreported.is_empty());
    // The host receives only the tool calls of an awaited sub-agent, and no output tokens.
    let [subagent] = &turn.subagents[..] else {
        panic!("{:?}", turn.subagents);
    };
    assert_eq!((subagent.tokens.input, subagent.tokens.output), (1000, 0));
    assert!(subagent.agent_id.is_some() && subagent.tool_use_id.starts_with("toolu"));
}

#[tokio::test]
async fn turns_and_totals_round_trip_through_json() {
    let home = agentwire_testing::tempdir().unwrap();
    let ledger = Ledger::new();
    let options = fake(&with_subagent(), home.path()).attachment(ledger.of("acme"));
    let mut client = Client::connect(options).await.unwrap();
    client.prompt("Hello.").await.unwrap();
    client.close().await;
    let turns = serde_json::to_string(&ledger.turns(0)).unwrap();
    assert_eq!(
        serde_json::from_str::<Vec<Turn>>(&turns).unwrap(),
        ledger.turns(0)
    );
    let total = serde_json::to_string(&ledger.total()).unwrap();
    assert_eq!(
        serde_json::from_str::<Totals>(&total).unwrap(),
        ledger.total()
    );
}

#[tokio::test]
async fn a_killed_turn_has_an_entry_without_a_cost() {
    let home = agentwire_testing::tempdir().unwrap();
    let ledger = Ledger::new();
    let dies = Step::Fault(Fault::Signal(Signal::Kill));
    let mut last = text(10, 7, 1.0);
    last.say.push(dies);
    let scenario = Scenario::default().reply(text(5, 5, 0.5)).reply(last);
    let options = fake(&scenario, home.path()).attachment(ledger.of("acme"));
    let mut client = Client::connect(options).await.unwrap();
    let id = client.prompt("One.").await.unwrap().session_id.unwrap();
    client.prompt("Two.").await.unwrap_err();
    client.close().await;
    let [_, turn] = &ledger.turns(0)[..] else {
        panic!("{:?}", ledger.turns(0));
    };
    assert_eq!(
        (&turn.result, &turn.session, turn.cost.usd),
        (&None, &id, 0.0)
    );
    assert_eq!((turn.unreported.input, turn.unreported.output), (10, 0));
    let totals = ledger.session(&id);
    assert_eq!((totals.turns, totals.unreported), (1, turn.unreported));
    assert_usd(totals.cost.usd, 0.5);
}

/// 2.1.197 reports neither increments nor, without a request, a baseline.
#[tokio::test]
async fn the_first_turn_of_an_old_agent_is_unreported_if_its_sum_is_not_that_of_the_turn() {
    for is_followed in [false, true] {
        let home = agentwire_testing::tempdir().unwrap();
        let ledger = Ledger::new();
        let mut scenario = with_subagent().reply(text(1, 1, 8.0));
        scenario.profile = Some(Profile::V2_1_197);
        let options = fake(&scenario, home.path()).attachment(ledger.of("acme"));
        let mut client = Client::connect(options).await.unwrap();
        assert!(!Ledger::new().follow(&client));
        assert!(!is_followed || ledger.follow(&client));
        client.prompt("Hello.").await.unwrap();
        client.prompt("Bye.").await.unwrap();
        client.close().await;
        let totals = ledger.tenant("acme");
        if is_followed {
            assert_usd(totals.cost.usd, 14.75);
            assert!(totals.unreported.is_empty());
        } else {
            assert_usd(totals.cost.usd, 8.0);
            // The main conversation, and a part of the sub-agent.
            assert_eq!(
                (totals.unreported.input, totals.unreported.output),
                (1300, 30)
            );
        }
    }
}

#[tokio::test]
async fn a_ledger_stores_its_latest_turns_and_all_sums() {
    let home = agentwire_testing::tempdir().unwrap();
    let ledger = Ledger::with_turns(2);
    let scenario = Scenario::default().reply(text(1, 1, 0.5)).repeated();
    let options = fake(&scenario, home.path()).attachment(ledger.of("acme"));
    let mut client = Client::connect(options).await.unwrap();
    for _ in 0..3 {
        client.send("Hello.");
        next_result(&mut client).await;
    }
    client.close().await;
    let numbers: Vec<_> = ledger.turns(0).iter().map(|it| it.number).collect();
    assert_eq!(numbers, [2, 3]);
    let id = &ledger.turns(0)[0].session;
    assert_eq!(ledger.session(id).turns, 3);
    let removed = ledger.remove_session(id).unwrap();
    assert_usd(removed.cost.usd, 1.5);
    assert_eq!((ledger.session(id).turns, ledger.total().turns), (0, 3));
    assert_eq!(&*ledger.tenants()[0], "acme");
}

#[tokio::test]
async fn a_session_continues_its_sums_after_it_has_slept() {
    for version in [Version::Latest, Version::WithoutIncrements, Version::Oldest] {
        let home = agentwire_testing::tempdir().unwrap();
        let ledger = Ledger::new();
        let mut scenario = Scenario::default().reply(text(10, 10, 0.5));
        scenario.profile = (version == Version::Oldest).then_some(Profile::V2_1_197);
        let options = fake(&scenario, home.path());
        let options = match version {
            Version::WithoutIncrements => options.attachment(Stripped(ledger.of("acme"))),
            _ => options.attachment(ledger.of("acme")),
        };
        let mut client = Client::connect(options).await.unwrap();
        assert!(ledger.follow(&client));
        // Each process has the same script.
        for turns in 1..4 {
            client.prompt("Hello.").await.unwrap();
            let total = ledger.total();
            assert_usd(total.cost.usd, 0.5 * f64::from(turns));
            assert!(total.unreported.is_empty(), "{version:?}");
            // The request for the usage may have no response yet.
            while let Err(error) = client.sleep().await {
                assert!(matches!(error, Error::Busy(Busy::Request)), "{error}");
                client.usage().await.unwrap();
            }
        }
        client.close().await;
    }
}
