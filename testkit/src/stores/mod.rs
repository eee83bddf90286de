//! Conformance of session stores: contracts, each as a test that any store can run.
//!
//! ```no_run
//! # async fn example(store: impl agentwire_stores::session_log::LogStore) {
//! use agentwire_testkit::stores::Conformance;
//!
//! let outcomes = Conformance::default().check(store).await;
//! assert!(outcomes.all_hold(), "{outcomes}");
//! # }
//! ```
//!
//! [`Conformance::check`] has those of a [`LogStore`], which has owners, and
//! [`Conformance::check_transcripts`] those of a [`SessionStore`]. [`StoreProgram`] is a
//! `SessionStore` in another language.
//!
//! Every contract works on projects of its own, so that a store may have contents
//! before, and several may be checked at once. What a contract leaves behind in a
//! `LogStore` is deleted, but for the ends of its logs; in a `SessionStore` it stays.

mod demands;
mod keys;
mod logs;
mod optional;
mod program;
mod same;
mod transcripts;

pub use optional::Optional;
pub use program::StoreProgram;

use agentwire::SessionStore;
use agentwire_stores::session_log::LogStore;
use demands::Demands;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How a store is checked.
#[derive(Debug, Clone)]
#[must_use]
pub struct Conformance {
    demands: Demands,
    limit: Duration,
    only: Option<Only>,
    without: Vec<Optional>,
}

/// Which contracts.
#[derive(Debug, Clone)]
enum Only {
    Containing(String),
    Named(String),
}

impl Only {
    fn has(&self, name: &str) -> bool {
        match self {
            Self::Containing(part) => name.contains(&**part),
            Self::Named(it) => it == name,
        }
    }
}

impl Default for Conformance {
    /// Requires texts to come back byte for byte; 100,000 entries where many are
    /// needed; two minutes for each contract; all methods.
    fn default() -> Self {
        Self {
            demands: Demands {
                is_exact: true,
                many: 100_000,
            },
            limit: Duration::from_secs(120),
            only: None,
            without: Vec::new(),
        }
    }
}

impl Conformance {
    /// Accepts stores that return the members of objects in another order.
    pub fn members_may_be_reordered(mut self) -> Self {
        self.demands.is_exact = false;
        self
    }

    /// Sets how many entries a long log has.
    pub fn many(mut self, entries: usize) -> Self {
        self.demands.many = entries;
        self
    }

    /// Sets how long a contract may take.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Checks only contracts whose names contain this text.
    pub fn only(mut self, part: impl Into<String>) -> Self {
        self.only = Some(Only::Containing(part.into()));
        self
    }

    /// Checks only the contract with this name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.only = Some(Only::Named(name.into()));
        self
    }

    /// Skips the contracts of a method that a [`SessionStore`] does not have.
    pub fn without(mut self, method: Optional) -> Self {
        self.without.push(method);
        self
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.has(name))
    }

    /// Checks a store, one contract after the other. Each runs in a task of its own,
    /// so that a panic in the store fails that contract alone.
    pub async fn check(&self, store: impl LogStore) -> Outcomes {
        let store = Arc::new(store);
        let mut outcomes = Vec::new();
        for contract in logs::all() {
            if self.wants(contract.name) {
                let bed = logs::Bed::new(Arc::clone(&store), self.demands);
                let outcome = self.run((contract.check)(bed)).await;
                outcomes.push(Outcome::new(contract.name, outcome));
            }
        }
        Outcomes(outcomes)
    }

    /// Checks a store for transcripts, as [`check`](Self::check) does a log: fourteen contracts
    /// that the official Python SDK has too, by their names there, and others that it does not
    /// ask.
    pub async fn check_transcripts(&self, store: impl SessionStore) -> Outcomes {
        let (store, without) = (Arc::new(store), Arc::from(&*self.without));
        let mut outcomes = Vec::new();
        for contract in transcripts::all() {
            if !self.wants(contract.name) {
                continue;
            }
            let absent = contract.needs.iter().find(|it| self.without.contains(it));
            if let Some(absent) = absent {
                outcomes.push(Outcome::skipped(contract.name, *absent));
                continue;
            }
            let (store, without) = (Arc::clone(&store), Arc::clone(&without));
            let bed = transcripts::Bed::new(store, self.demands, without);
            let outcome = self.run((contract.check)(bed)).await;
            outcomes.push(Outcome::new(contract.name, outcome));
        }
        Outcomes(outcomes)
    }

    /// Runs the test of a contract. Returns what went wrong.
    async fn run(&self, check: impl Future<Output = ()> + Send + 'static) -> Option<String> {
        let mut task = JoinSet::new();
        task.spawn(check);
        match tokio::time::timeout(self.limit, task.join_next()).await {
            Err(_) => Some(format!("it took longer than {:?}", self.limit)),
            Ok(Some(Err(gone))) => Some(match gone.try_into_panic() {
                Ok(panic) => said_by(&*panic),
                Err(gone) => gone.to_string(),
            }),
            Ok(_) => None,
        }
    }
}

fn said_by(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}

/// The names of all contracts of a [`LogStore`].
#[must_use]
pub fn contracts() -> Vec<&'static str> {
    logs::NAMES.to_vec()
}

/// The names of all contracts of a [`SessionStore`].
#[must_use]
pub fn transcript_contracts() -> Vec<&'static str> {
    transcripts::NAMES.to_vec()
}

/// Whether a store holds a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The name of the contract.
    pub contract: &'static str,
    /// What went wrong; `None` if the contract holds, or was skipped.
    pub problem: Option<String>,
    /// The method that the store does not have, for which the contract was skipped.
    pub skipped: Option<Optional>,
}

impl Outcome {
    fn new(contract: &'static str, problem: Option<String>) -> Self {
        Self {
            contract,
            problem,
            skipped: None,
        }
    }

    fn skipped(contract: &'static str, method: Optional) -> Self {
        Self {
            contract,
            problem: None,
            skipped: Some(method),
        }
    }

    /// Whether the contract was checked, and holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.problem.is_none() && self.skipped.is_none()
    }
}

/// Whether a store holds the contracts. Displayed as a line for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcomes(pub Vec<Outcome>);

impl Outcomes {
    /// Whether all contracts hold that were not skipped, and there is one.
    #[must_use]
    pub fn all_hold(&self) -> bool {
        self.0.iter().any(Outcome::holds) && self.0.iter().all(|it| it.problem.is_none())
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for it in &self.0 {
            let name = it.contract;
            match (&it.problem, it.skipped) {
                (Some(problem), _) => writeln!(f, "FAILED  {name}: {problem}")?,
                (None, Some(method)) => writeln!(f, "skipped {name}: no {method}")?,
                (None, None) => writeln!(f, "holds   {name}")?,
            }
        }
        let held = self.0.iter().filter(|it| it.holds()).count();
        let failed = self.0.iter().filter(|it| it.problem.is_some()).count();
        write!(f, "{held} passed, {failed} failed")
    }
}
