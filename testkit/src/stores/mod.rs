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
//! [`Conformance::check`] runs the contracts of a [`LogStore`], which has
//! owners.
//! [`Conformance::check_transcripts`] runs the contracts of a [`SessionStore`].
//! [`StoreProgram`] is a `SessionStore` in another language.
//!
//! Every contract uses its own projects, so a store may have other contents,
//! and several stores may be checked at once. Contracts delete their data in a
//! `LogStore`, except for the ends of its logs. Data in a `SessionStore` stays.

mod json_eq;
mod keys;
mod logs;
mod optional;
mod program;
mod requirements;
mod transcripts;

pub use optional::Optional;
pub use program::StoreProgram;

use agentwire::SessionStore;
use agentwire_stores::session_log::LogStore;
use requirements::Requirements;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// The options of a check.
#[derive(Debug, Clone)]
#[must_use]
pub struct Conformance {
    requirements: Requirements,
    limit: Duration,
    only: Option<Only>,
    without: Vec<Optional>,
}

/// A selection of contracts.
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
    /// Returns the default options. Texts must be returned byte for byte, long
    /// logs have 100,000 entries, a contract may take two minutes, and all
    /// methods are checked.
    fn default() -> Self {
        Self {
            requirements: Requirements {
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
    /// Accepts stores that reorder the members of objects.
    pub fn members_may_be_reordered(mut self) -> Self {
        self.requirements.is_exact = false;
        self
    }

    /// Sets the number of entries in a long log.
    pub fn many(mut self, entries: usize) -> Self {
        self.requirements.many = entries;
        self
    }

    /// Sets the time limit of a contract.
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

    /// Skips the contracts of a method that the [`SessionStore`] does not
    /// support.
    pub fn without(mut self, method: Optional) -> Self {
        self.without.push(method);
        self
    }

    fn is_selected(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.has(name))
    }

    /// Checks a store, one contract after the other. A panic in the store fails
    /// only the current contract.
    pub async fn check(&self, store: impl LogStore) -> Outcomes {
        let store = Arc::new(store);
        let mut outcomes = Vec::new();
        for contract in logs::all() {
            if self.is_selected(contract.name) {
                let fixture = logs::Fixture::new(Arc::clone(&store), self.requirements);
                let outcome = self.run((contract.check)(fixture)).await;
                outcomes.push(Outcome::new(contract.name, outcome));
            }
        }
        Outcomes(outcomes)
    }

    /// Checks a store for transcripts. The official Python SDK has fourteen of
    /// the contracts, with the same names.
    pub async fn check_transcripts(&self, store: impl SessionStore) -> Outcomes {
        let (store, without) = (Arc::new(store), Arc::from(&*self.without));
        let mut outcomes = Vec::new();
        for contract in transcripts::all() {
            if !self.is_selected(contract.name) {
                continue;
            }
            let absent = contract.needs.iter().find(|it| self.without.contains(it));
            if let Some(absent) = absent {
                outcomes.push(Outcome::skipped(contract.name, *absent));
                continue;
            }
            let (store, without) = (Arc::clone(&store), Arc::clone(&without));
            let fixture = transcripts::Fixture::new(store, self.requirements, without);
            let outcome = self.run((contract.check)(fixture)).await;
            outcomes.push(Outcome::new(contract.name, outcome));
        }
        Outcomes(outcomes)
    }

    /// Runs the test of a contract. Returns the failure message, if it fails.
    async fn run(&self, check: impl Future<Output = ()> + Send + 'static) -> Option<String> {
        let mut task = JoinSet::new();
        task.spawn(check);
        match tokio::time::timeout(self.limit, task.join_next()).await {
            Err(_) => Some(format!("timed out after {:?}", self.limit)),
            Ok(Some(Err(error))) => Some(match error.try_into_panic() {
                Ok(panic) => panic_message(&*panic),
                Err(error) => error.to_string(),
            }),
            Ok(_) => None,
        }
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}

/// Returns the names of all contracts of a [`LogStore`].
#[must_use]
pub fn contracts() -> Vec<&'static str> {
    logs::NAMES.to_vec()
}

/// Returns the names of all contracts of a [`SessionStore`].
#[must_use]
pub fn transcript_contracts() -> Vec<&'static str> {
    transcripts::NAMES.to_vec()
}

/// The outcome of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The name of the contract.
    pub contract: &'static str,
    /// The failure. `None` if the contract holds or was skipped.
    pub problem: Option<String>,
    /// The unsupported method for which the contract was skipped.
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

    /// Returns whether the contract was checked and holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.problem.is_none() && self.skipped.is_none()
    }
}

/// The outcomes of a check. Displayed with one line for each contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcomes(pub Vec<Outcome>);

impl Outcomes {
    /// Returns whether all checked contracts hold, and at least one was
    /// checked.
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
        let passed = self.0.iter().filter(|it| it.holds()).count();
        let failed = self.0.iter().filter(|it| it.problem.is_some()).count();
        write!(f, "{passed} passed, {failed} failed")
    }
}
