//! The ledger equals what the script charged, over generated histories.

use super::LONG;
use super::history::{Oracle, Run, Version, history};
use agentwire_pool::ledger::{Ledger, Totals};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// The number of histories for each version.
const CASES: u32 = 24;

fn check(oracle: &Oracle, ledger: &Ledger) {
    let mut sum = Totals::default();
    ledger.turns(0).iter().for_each(|it| sum += it);
    assert_eq!(sum.cost.tokens, ledger.total().cost.tokens);
    assert_eq!(sum.turns, oracle.results);
    for (tenant, charged) in &oracle.tenants {
        charged.assert_is(&ledger.tenant(tenant).cost, tenant);
    }
    for (session, charged) in &oracle.sessions {
        charged.assert_is(&ledger.session(session).cost, session);
    }
    for ((tenant, model), charged) in &oracle.models {
        let models = ledger.tenant(tenant).models;
        charged.assert_is(&models.get(model).copied().unwrap_or_default(), model);
    }
    for tenant in ledger.tenants() {
        let is = ledger.tenant(&tenant).unreported;
        let [complete, all] = oracle.after.get(&*tenant).copied().unwrap_or_default();
        let kinds = [
            [complete.input, is.input, all.input],
            [complete.output, is.output, all.output],
            [complete.cache_read, is.cache_read, all.cache_read],
            [
                complete.cache_creation,
                is.cache_creation,
                all.cache_creation,
            ],
        ];
        assert!(kinds.iter().all(|it| it.is_sorted()), "{tenant}: {kinds:?}");
    }
}

fn run(version: Version) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        max_shrink_iters: 100,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&history(), |history| {
        let ledger = Ledger::new();
        let run = async { tokio::time::timeout(LONG, Run::of(&history, version, &ledger)).await };
        let oracle = runtime.block_on(run);
        let oracle = oracle.map_err(|_| TestCaseError::fail("the history does not end"))?;
        let check = std::panic::AssertUnwindSafe(|| check(&oracle, &ledger));
        let outcome = std::panic::catch_unwind(check);
        outcome.map_err(|_| TestCaseError::fail("the ledger differs"))
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

#[test]
fn costs_are_what_the_script_charged() {
    run(Version::Latest);
}

#[test]
fn costs_are_the_differences_if_results_have_only_sums() {
    run(Version::WithoutIncrements);
}

#[test]
fn costs_of_the_oldest_version_are_what_the_script_charged() {
    run(Version::Oldest);
}
