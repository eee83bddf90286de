//! Conformance of session stores: the contracts of a
//! [`LogStore`], each as a test that any store can
//! run.
//!
//! ```no_run
//! # async fn example(store: impl agentwire::session_log::LogStore) {
//! use agentwire_testkit::stores::Conformance;
//!
//! let outcomes = Conformance::default().check(store).await;
//! assert!(outcomes.all_hold(), "{outcomes}");
//! # }
//! ```
//!
//! Every contract works on projects of its own, so that a store may have contents
//! before, and several may be checked at once. What a contract leaves behind is
//! deleted, but for the ends of its logs.

mod bed;
mod contracts;
mod same;

use agentwire::session_log::LogStore;
use bed::Bed;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How a store is checked.
#[derive(Debug, Clone)]
#[must_use]
pub struct Conformance {
    is_exact: bool,
    many: usize,
    limit: Duration,
    only: Option<String>,
}

impl Default for Conformance {
    /// Requires texts to come back byte for byte; 100,000 entries where many are
    /// needed; two minutes for each contract.
    fn default() -> Self {
        Self {
            is_exact: true,
            many: 100_000,
            limit: Duration::from_secs(120),
            only: None,
        }
    }
}

impl Conformance {
    /// Accepts stores that return the members of objects in another order.
    pub fn members_may_be_reordered(mut self) -> Self {
        self.is_exact = false;
        self
    }

    /// Sets how many entries a long log has.
    pub fn many(mut self, entries: usize) -> Self {
        self.many = entries;
        self
    }

    /// Sets how long a contract may take.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Checks only contracts whose names contain this text.
    pub fn only(mut self, name: impl Into<String>) -> Self {
        self.only = Some(name.into());
        self
    }

    /// Checks a store, one contract after the other. Each runs in a task of its own,
    /// so that a panic in the store fails that contract alone.
    pub async fn check(&self, store: impl LogStore) -> Outcomes {
        let store = Arc::new(store);
        let mut outcomes = Vec::new();
        for contract in contracts::all() {
            let is_wanted = |only: &String| contract.name.contains(&**only);
            if !self.only.as_ref().is_none_or(is_wanted) {
                continue;
            }
            let bed = Bed::new(Arc::clone(&store), self.is_exact, self.many);
            let mut task = JoinSet::new();
            task.spawn((contract.check)(bed));
            let problem = match tokio::time::timeout(self.limit, task.join_next()).await {
                Err(_) => Some(format!("it took longer than {:?}", self.limit)),
                Ok(Some(Err(gone))) => Some(match gone.try_into_panic() {
                    Ok(panic) => said_by(&*panic),
                    Err(gone) => gone.to_string(),
                }),
                Ok(_) => None,
            };
            outcomes.push(Outcome {
                contract: contract.name,
                problem,
            });
        }
        Outcomes(outcomes)
    }
}

fn said_by(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}

/// The names of all contracts.
#[must_use]
pub fn contracts() -> Vec<&'static str> {
    contracts::NAMES.to_vec()
}

/// Whether a store holds a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The name of the contract.
    pub contract: &'static str,
    /// What went wrong; `None` if the contract holds.
    pub problem: Option<String>,
}

/// Whether a store holds the contracts. Displayed as a line for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcomes(pub Vec<Outcome>);

impl Outcomes {
    /// Whether all contracts hold.
    #[must_use]
    pub fn all_hold(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|it| it.problem.is_none())
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Outcome { contract, problem } in &self.0 {
            match problem {
                None => writeln!(f, "holds   {contract}")?,
                Some(problem) => writeln!(f, "FAILED  {contract}: {problem}")?,
            }
        }
        let held = self.0.iter().filter(|it| it.problem.is_none()).count();
        write!(f, "{held} passed, {} failed", self.0.len() - held)
    }
}
