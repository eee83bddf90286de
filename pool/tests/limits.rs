//! The limits of accounts on processes of the fake agent.

use crate::fake_agent_path;
use agentwire::Options;
use agentwire_pool::ledger::Ledger;
use agentwire_pool::{Account, Limits, Pool, PoolError, PoolEvent, Reason, Ticket};
use agentwire_testing::TempDir;
use agentwire_testkit::fake_agent::Gates;
use agentwire_testkit::{Fault, Reply, Scenario, Step, fake_agent};
use serde_json::json;
use std::time::{Duration, SystemTime};

fn options(home: &TempDir, scenario: &Scenario) -> Options {
    Options::new()
        .cli(fake_agent_path())
        .env(fake_agent::SCRIPT, scenario.to_json())
        .env("CLAUDE_CODE_MAX_RETRIES", "0")
        .env("CLAUDE_CONFIG_DIR", home.path())
}

/// Returns a message about the account's limit.
fn limit(status: &str, resets_at: u64) -> Step {
    let info = json!({"status": status, "resetsAt": resets_at, "rateLimitType": "five_hour"});
    let message = json!({"type": "rate_limit_event", "rate_limit_info": info});
    Step::Message(message.as_object().unwrap().clone())
}

#[tokio::test]
async fn work_of_a_limited_account_waits_or_goes_to_another_account() {
    let home = agentwire_testing::tempdir().unwrap();
    let gates = Gates::new().unwrap();
    let until = SystemTime::now() + Duration::from_secs(3600);
    let resets_at = until
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let until = SystemTime::UNIX_EPOCH + Duration::from_secs(resets_at);
    let limited = Scenario::default()
        .reply([
            limit("rejected", resets_at),
            Step::Gate("limited".into()),
            limit("allowed", resets_at),
            Step::text("Hello."),
        ])
        .reply([Step::text("Again.")]);
    let hello = Scenario::default().reply([Step::text("Hello.")]).repeated();
    let pool = Pool::new(Limits::new(4));
    let mut events = pool.events();
    let (one, two) = (Account::new("one"), Account::new("two"));
    let caller = pool.caller().account(one.clone());
    let first = options(&home, &limited).env(fake_agent::GATES, gates.path());
    let mut session = caller.connect(first).await.unwrap();
    let mut idle = caller.connect(options(&home, &hello)).await.unwrap();
    let handle = session.handle();
    let turn = tokio::spawn(async move { handle.prompt("Hello").await });
    gates.reached("limited").await.unwrap();
    while pool.status().refused.is_empty() {
        events.next().await.unwrap();
    }
    assert_eq!(pool.status().refused, [("one".into(), Some(until))]);
    // Another account is used at once.
    let both = pool.caller().account(one.clone()).account(two);
    let mut other = both.connect(options(&home, &hello)).await.unwrap();
    assert_eq!(other.account(), Some("two"));
    // What needs this account waits, and says why: a new session, and a message of an old one.
    let ticket = Ticket::default();
    let caller = pool.caller().account(one).ticket(&ticket);
    let new = options(&home, &hello);
    let waiting = tokio::spawn(async move { caller.prompt("Hello", new).await });
    let handle = idle.handle();
    let message = tokio::spawn(async move { handle.prompt("And now?").await });
    let mut ids = Vec::new();
    while ids.len() < 2 {
        let PoolEvent::Waits { id, reason, .. } = events.next().await.unwrap() else {
            continue;
        };
        ids.push(id);
        if Some(id) == ticket.id() {
            assert_eq!(ticket.place().unwrap().reason, reason);
        }
        let Reason::Account {
            account,
            until: told,
            ..
        } = reason
        else {
            panic!("{reason}")
        };
        assert_eq!((&*account, told), ("one", until));
    }
    ids.sort_unstable();
    assert_eq!(ids, [2, ticket.id().unwrap()]);
    // The agent reports that the account is available before the time that it had told.
    gates.open("limited").unwrap();
    assert_eq!(turn.await.unwrap().unwrap().text(), "Hello.");
    waiting.await.unwrap().unwrap();
    message.await.unwrap().unwrap();
    assert_eq!(pool.status().refused, []);
    for session in [&mut session, &mut idle, &mut other] {
        session.close().await;
    }
}

#[tokio::test]
async fn a_refused_prompt_is_tried_again_with_another_account_if_the_program_says_so() {
    let home = agentwire_testing::tempdir().unwrap();
    let refused =
        |scenario: Scenario| scenario.reply([Step::error(429, "rate_limit_error", "Later.")]);
    let refuses = refused(Scenario::default());
    let hello = Scenario::default().reply([Step::text("Hello.")]);
    let script = |account: &str, scenario: &Scenario| {
        Account::new(account).env(fake_agent::SCRIPT, scenario.to_json())
    };
    let pool = Pool::new(Limits::new(4));
    let caller = pool
        .caller()
        .account(script("one", &refuses))
        .account(script("two", &hello));
    let options = || options(&home, &Scenario::default());
    let result = caller.prompt("Hello", options()).await.unwrap();
    assert_eq!(result.api_error_status, Some(429));
    // `one` is not used again before it was accepted, as long as there is another one.
    let result = caller.prompt("Hello", options()).await.unwrap();
    assert_eq!(result.text(), "Hello.");
    let pool = Pool::new(Limits::new(4));
    let caller = pool
        .caller()
        .account(script("one", &refuses))
        .account(script("two", &hello));
    let result = caller.retries(1).prompt("Hello", options()).await.unwrap();
    assert_eq!(result.text(), "Hello.");
}

#[tokio::test]
async fn a_tenant_pays_for_its_sessions_and_is_refused_when_its_budget_is_spent() {
    let home = agentwire_testing::tempdir().unwrap();
    let paid = Reply::new([Step::text("Hello.")]).cost_usd(0.3);
    let scenario = Scenario::default().reply(paid).repeated();
    let ledger = Ledger::new();
    ledger.set_budget("acme", Some(0.5));
    let pool = Pool::with_ledger(Limits::new(2), ledger.clone());
    let acme = pool.caller().tenant("acme");
    for _ in 0..2 {
        acme.prompt("Hello", options(&home, &scenario))
            .await
            .unwrap();
    }
    let error = acme
        .prompt("Hello", options(&home, &scenario))
        .await
        .unwrap_err();
    assert!(matches!(error, PoolError::OverBudget(_)), "{error}");
    let other = pool.caller().tenant("other");
    other
        .prompt("Hello", options(&home, &scenario))
        .await
        .unwrap();
    let usd = |tenant: &str| (ledger.tenant(tenant).cost.usd * 10.0).round();
    assert_eq!((usd("acme"), usd("other")), (6.0, 3.0));
}

fn reply_costing(usd: f64) -> Scenario {
    let reply = Reply::new([Step::text("Hello.")]).cost_usd(usd);
    Scenario::default().reply(reply).repeated()
}

#[tokio::test]
async fn sessions_whose_messages_wait_leave_their_process_to_others() {
    let home = agentwire_testing::tempdir().unwrap();
    let ledger = Ledger::new();
    ledger.set_budget("poor", Some(0.5));
    let pool = Pool::with_ledger(Limits::new(1), ledger.clone());
    let poor = pool.caller().tenant("poor");
    let mut session = poor
        .connect(options(&home, &reply_costing(0.6)))
        .await
        .unwrap();
    session.prompt("Hello").await.unwrap();
    let handle = session.handle();
    let waits = tokio::spawn(async move { handle.prompt("And now?").await });
    let rich = pool.caller().tenant("rich");
    let result = rich
        .prompt("Hello", options(&home, &reply_costing(0.1)))
        .await;
    assert_eq!(result.unwrap().text(), "Hello.");
    assert!(!waits.is_finished());
    // Its next process has the new limit.
    ledger.set_budget("poor", Some(5.0));
    assert_eq!(waits.await.unwrap().unwrap().text(), "Hello.");
    session.close().await;
}

#[tokio::test]
async fn closing_a_sleeping_session_does_not_wait_for_its_budget() {
    let home = agentwire_testing::tempdir().unwrap();
    let ledger = Ledger::new();
    ledger.set_budget("poor", Some(0.5));
    let pool = Pool::with_ledger(Limits::new(1), ledger.clone());
    let poor = pool.caller().tenant("poor");
    let mut session = poor
        .connect(options(&home, &reply_costing(0.6)))
        .await
        .unwrap();
    session.prompt("Hello").await.unwrap();
    session.send("And now?");
    // It is idle when the agent has reported so.
    while session.sleep().await.is_err() {
        tokio::task::yield_now().await;
    }
    assert_eq!(pool.status().processes, 0);
    session.close().await;
}

#[tokio::test]
async fn a_prompt_whose_budget_is_spent_while_its_agent_starts_is_refused() {
    let home = agentwire_testing::tempdir().unwrap();
    let ledger = Ledger::new();
    ledger.set_budget("poor", Some(0.5));
    let pool = Pool::with_ledger(Limits::new(2).starting(1), ledger);
    let poor = pool.caller().tenant("poor");
    let mut session = poor
        .connect(options(&home, &reply_costing(0.6)))
        .await
        .unwrap();
    let slow = reply_costing(0.1).at_startup(Fault::FreezeMs(300));
    let late = options(&home, &slow);
    let caller = poor.clone();
    let prompt = tokio::spawn(async move { caller.prompt("Hello", late).await });
    session.prompt("Hello").await.unwrap();
    let refused = prompt.await.unwrap();
    assert!(
        matches!(refused, Err(PoolError::OverBudget(_))),
        "{refused:?}"
    );
    session.close().await;
}

#[tokio::test]
async fn a_limit_without_a_time_that_exists_holds_up_nothing() {
    let home = agentwire_testing::tempdir().unwrap();
    let times = [
        json!(-1),
        json!(0),
        json!(1e300),
        json!(u64::MAX),
        json!("soon"),
    ];
    for resets_at in times {
        let info = json!({"status": "rejected", "resetsAt": resets_at});
        let message = json!({"type": "rate_limit_event", "rate_limit_info": info});
        let message = Step::Message(message.as_object().unwrap().clone());
        let scenario = Scenario::default().reply([message, Step::text("Hello.")]);
        let pool = Pool::new(Limits::new(1));
        let caller = pool.caller().account(Account::new("one"));
        for _ in 0..2 {
            let result = caller.prompt("Hello", options(&home, &scenario)).await;
            assert_eq!(result.unwrap().text(), "Hello.");
        }
    }
}
