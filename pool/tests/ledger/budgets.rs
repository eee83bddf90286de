//! Budgets stop new sessions and turns.

use super::{LONG, assert_usd, fake, next_result, text};
use agentwire::{Client, Error, SubmissionState};
use agentwire_pool::ledger::{Ledger, OverBudget};
use agentwire_protocol::message::ResultSubtype;
use agentwire_testkit::{Scenario, Step};

/// Returns the limit that options pass to the agent.
fn limit(options: &agentwire::Options) -> Option<f64> {
    let arguments = options.arguments().unwrap();
    let mut values = arguments
        .iter()
        .filter_map(|it| it.strip_prefix("--max-budget-usd="));
    Some(values.next()?.parse().unwrap())
}

#[tokio::test]
async fn a_message_waits_until_the_budget_is_raised() {
    let home = agentwire_testing::tempdir().unwrap();
    let replies = [text(1, 1, 0.4), text(1, 1, 0.7), text(1, 1, 0.1)];
    let scenario = replies
        .into_iter()
        .fold(Scenario::default(), Scenario::reply);
    let ledger = Ledger::new();
    let options = fake(&scenario, home.path()).attachment(ledger.of("acme"));
    // Set later, so that the agent has no limit of its own.
    ledger.set_budget("acme", Some(1.0));
    let mut client = Client::connect(options).await.unwrap();
    client.prompt("One.").await.unwrap();
    assert_usd(ledger.remaining("acme").unwrap(), 0.6);
    // A turn may exceed the budget.
    client.prompt("Two.").await.unwrap();
    assert_usd(ledger.remaining("acme").unwrap(), -0.1);
    assert!(ledger.check("acme").is_err() && ledger.check("other").is_ok());

    let waits = client.send("Three.");
    let mut withdrawn = client.send("Never.");
    assert_eq!(client.handle().outbound_queue().await.unwrap().messages, 2);
    withdrawn.cancel().await.unwrap();
    assert_eq!(withdrawn.final_state().await, SubmissionState::Withdrawn);
    ledger.set_budget("acme", Some(1.05));
    assert_eq!(client.handle().outbound_queue().await.unwrap().messages, 1);
    assert_eq!(waits.state(), SubmissionState::Waiting);
    ledger.set_budget("acme", Some(2.0));
    while next_result(&mut client)
        .await
        .total_cost_usd
        .unwrap()
        .as_f64()
        < 1.2
    {}
    assert_usd(ledger.tenant("acme").cost.usd, 1.2);
    client.close().await;
}

#[tokio::test]
async fn a_session_closes_while_its_message_waits_for_a_budget() {
    let home = agentwire_testing::tempdir().unwrap();
    let ledger = Ledger::new();
    let options = fake(&Scenario::default(), home.path()).attachment(ledger.of("acme"));
    let mut client = Client::connect(options).await.unwrap();
    ledger.set_budget("acme", Some(0.0));
    client.send("Hello.");
    assert_eq!(client.handle().outbound_queue().await.unwrap().messages, 1);
    let closing = client.close().within(std::time::Duration::from_millis(50));
    tokio::time::timeout(LONG, closing).await.unwrap();
}

#[tokio::test]
async fn no_session_opens_without_a_budget() {
    let home = agentwire_testing::tempdir().unwrap();
    let ledger = Ledger::new();
    for budget in [0.0, -1.0, f64::NAN] {
        ledger.set_budget("acme", Some(budget));
        let options = fake(&Scenario::default(), home.path()).attachment(ledger.of("acme"));
        let error = Client::connect(options).await.unwrap_err();
        let Error::Transport { error } = error else {
            panic!("{error}");
        };
        let error = error.downcast_ref::<OverBudget>().unwrap();
        assert_eq!((&*error.tenant, error.spent_usd), ("acme", 0.0));
    }
    ledger.set_budget("acme", None);
    assert!(ledger.check("acme").is_ok());
}

#[tokio::test]
async fn each_process_has_the_remaining_budget_as_its_limit() {
    let home = agentwire_testing::tempdir().unwrap();
    let ledger = Ledger::new();
    ledger.set_budget("acme", Some(0.5));
    let limits = [(None, 0.5), (Some(0.2), 0.2), (Some(2.0), 0.5)];
    for (own, expected) in limits {
        let options = fake(&Scenario::default(), home.path());
        let options = own
            .into_iter()
            .fold(options, agentwire::Options::max_budget_usd);
        let options = options.attachment(ledger.of("acme"));
        assert_eq!(limit(&options), Some(expected));
    }
    let free = fake(&Scenario::default(), home.path()).attachment(ledger.of("other"));
    assert_eq!(limit(&free), None);

    let replies = [text(1, 1, 0.3), text(1, 1, 0.3)];
    let scenario = replies
        .into_iter()
        .fold(Scenario::default(), Scenario::reply);
    let options = fake(&scenario, home.path()).attachment(ledger.of("acme"));
    let mut client = Client::connect(options).await.unwrap();
    let first = client.prompt("One.").await.unwrap();
    let second = client.prompt("Two.").await.unwrap();
    assert_eq!(first.subtype, ResultSubtype::Success);
    assert_eq!(second.subtype, ResultSubtype::ErrorMaxBudgetUsd);
    // The request that exceeds the limit has a cost.
    assert_usd(ledger.tenant("acme").cost.usd, 0.6);
    client.close().await;

    // The limit of a resumed session does not include its earlier cost.
    ledger.set_budget("acme", Some(0.8));
    let scenario = Scenario::default()
        .reply(text(1, 1, 0.1))
        .reply([Step::text("Done.")]);
    let id = second.session_id.unwrap();
    let options = fake(&scenario, home.path())
        .resume(id)
        .attachment(ledger.of("acme"));
    assert_usd(limit(&options).unwrap(), 0.2);
    let mut client = Client::connect(options).await.unwrap();
    let result = client.prompt("Three.").await.unwrap();
    assert_eq!(result.subtype, ResultSubtype::Success);
    assert_usd(result.total_cost_usd.unwrap().as_f64(), 0.7);
    assert_usd(ledger.tenant("acme").cost.usd, 0.7);
    client.close().await;
}
