//! Tests of the limits of accounts, as reported by the real CLI.

use crate::support::Live;
use agentwire_pool::{Account, Limits, Pool, PoolEvent};
use agentwire_testkit::model::ScriptedModel;
use agentwire_testkit::{Reply, Scenario, Step};
use std::time::{Duration, Instant, SystemTime};

/// Returns the time in so many seconds, as headers have it.
fn unix_time(seconds: u64) -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap().as_secs() + seconds
}

#[tokio::test]
async fn an_account_with_a_limit_is_not_used_until_it_resets() {
    let resets_at = unix_time(12);
    let refusal = Reply::new([Step::error(429, "rate_limit_error", "Later.")])
        .header("anthropic-ratelimit-unified-status", "rejected")
        .header("anthropic-ratelimit-unified-reset", resets_at.to_string())
        .header(
            "anthropic-ratelimit-unified-representative-claim",
            "five_hour",
        )
        .header("x-should-retry", "false");
    let hello = || Reply::new([Step::text("Hello.")]);
    let limited = Live::start(
        Scenario::default()
            .reply(refusal)
            .reply(hello())
            .reply(hello()),
    )
    .await;
    let other = ScriptedModel::start(Scenario::default().reply(hello()).repeated())
        .await
        .unwrap();
    let account = |name: &str, url: String| {
        Account::new(name)
            .env("ANTHROPIC_BASE_URL", url)
            .env("ANTHROPIC_API_KEY", "")
            .env("CLAUDE_CODE_OAUTH_TOKEN", format!("token-of-{name}"))
    };
    let (one, two) = (
        account("one", limited.model.url()),
        account("two", other.url()),
    );
    let pool = Pool::new(Limits::new(2));
    let mut events = pool.events();
    let caller = pool.caller().account(one.clone()).account(two).retries(1);
    let began = Instant::now();
    let log = tokio::spawn(async move {
        while let Some(event) = events.next().await {
            if !matches!(event, PoolEvent::Exited { .. }) {
                println!("{} ms: {event:?}", began.elapsed().as_millis());
            }
        }
    });
    // The first try is refused; the second is made with the other account.
    let result = caller.prompt("Hello", limited.options()).await.unwrap();
    assert_eq!(result.text(), "Hello.", "{result:?}");
    assert_eq!(
        (limited.model.requests().len(), other.requests().len()),
        (1, 1)
    );
    let until = SystemTime::UNIX_EPOCH + Duration::from_secs(resets_at);
    // As is everything else before the reset.
    let result = caller.prompt("Hello", limited.options()).await.unwrap();
    assert_eq!(result.text(), "Hello.");
    if SystemTime::now() < until {
        assert_eq!(limited.model.requests().len(), 1);
        assert_eq!(other.requests().len(), 2);
        assert_eq!(pool.status().refused, [("one".into(), Some(until))]);
    }
    drop(caller);
    // What has only this account waits.
    let result = pool
        .caller()
        .account(one)
        .prompt("Hello", limited.options())
        .await
        .unwrap();
    assert_eq!(result.text(), "Hello.");
    assert!(SystemTime::now() >= until);
    assert_eq!(limited.model.requests().len(), 2);
    drop(pool);
    log.await.unwrap();
}
