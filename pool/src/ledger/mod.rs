//! The costs of sessions, by tenant, session, model, turn and sub-agent.
//!
//! ```no_run
//! use agentwire::{Client, Options};
//! use agentwire_pool::ledger::Ledger;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let ledger = Ledger::new();
//! ledger.set_budget("acme", Some(5.0));
//!
//! ledger.check("acme")?;
//! let options = Options::new().attachment(ledger.of("acme"));
//! let mut client = Client::connect(options).await?;
//! client.prompt("What is 2 + 2?").await?;
//! client.close().await;
//!
//! let totals = ledger.tenant("acme");
//! println!("{} USD, {} output tokens", totals.cost.usd, totals.cost.tokens.output);
//! # Ok(())
//! # }
//! ```
//!
//! # Source of the numbers
//!
//! Costs are those that the agent reports. The agent computes them from a price list, which may
//! differ from the real prices of the account.
//!
//! Each result of CLI 2.1.316 and later has the usage since the result before it
//! (`model_usage_since_last_result`), which is added up. `total_cost_usd` is never added: it
//! continues in a resumed session, is inherited by forks, begins again at `/clear`, and falls
//! back to the last clean exit after a kill.
//!
//! Earlier CLIs report only sums (`modelUsage`). The cost of a turn is then the difference to
//! the result before it. The first turn of a process needs a baseline: in 2.1.299, a resumed
//! session continues with the sum of its last clean exit, and up to 2.1.265 each process begins
//! with 0. [`Ledger::follow`] requests the baseline. Without it, the first turn of a process has
//! a cost only if all that is new in the sum is that of the turn, as without sub-agents in a
//! new session. Otherwise its tokens are [`Turn::unreported`].
//!
//! # Accuracy
//!
//! - Up to the last result of each process, the sums are those of the agent.
//! - After it, if a process was killed, crashed or closed in a turn, the tokens of the messages
//!   that were received are [`Turn::unreported`]. They have no cost and are a lower bound: of a
//!   message, the host may have received only the beginning, or nothing. With
//!   [`Options::partial_messages`](agentwire::Options::partial_messages), the output tokens of
//!   completed messages are included.
//! - A sub-agent's part is a lower bound, too; its cost is part of the turn's.
//!
//! # Budgets
//!
//! A tenant with a budget ([`Ledger::set_budget`]) opens no session and sends no user message
//! once the recorded cost has reached it. A turn that is running continues, and turns that the
//! agent begins by itself, such as after a background task, are not stopped.
//!
//! Each process is started with the remaining sum as its limit
//! ([`Options::max_budget_usd`](agentwire::Options::max_budget_usd)). The CLI compares it with
//! what its process has spent, after each model request, and ends the turn. A tenant can
//! therefore exceed its budget:
//!
//! - by messages that were sent before the budget was spent, also if they wait in the agent's
//!   queue;
//! - by one model request, and sub-agents that run at the same time, in each process;
//! - by the remaining sum for each further process at the same time, because each has it as its
//!   limit;
//! - by a message that waited for something else, such as an account of the pool, when the
//!   budget was spent;
//! - by [`Totals::unreported`], which has no cost and does not count.
//!
//! # Memory
//!
//! The ledger is in memory and does no I/O. It has sums for each tenant and session
//! ([`Ledger::remove_session`]), and the latest 1,000 turns ([`Ledger::with_turns`]). A program
//! stores what it needs: all types have `serde`, and [`Ledger::turns`] continues from a number.

mod meter;
mod recorder;
mod sums;

pub use recorder::Recorder;
pub use sums::{Cost, SubAgent, Tokens, Totals, Turn};

use agentwire::Client;
use recorder::{Followed, Shared, locked};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::task::Waker;

/// The number of turns that a ledger stores by default.
const TURNS: usize = 1000;

/// Costs of sessions; see the [module](self).
///
/// A ledger is cheap to clone; clones share their content.
#[derive(Clone)]
pub struct Ledger {
    books: Arc<Mutex<Books>>,
}

struct Books {
    total: Totals,
    tenants: BTreeMap<Arc<str>, Tenant>,
    sessions: HashMap<String, Totals>,
    turns: VecDeque<Turn>,
    /// The number of turns to store.
    capacity: usize,
    /// The number of entries so far.
    entries: u64,
    /// The sessions by the process that they have now.
    processes: HashMap<u32, Weak<Mutex<Followed>>>,
}

#[derive(Default)]
struct Tenant {
    totals: Totals,
    budget_usd: Option<f64>,
    /// Sessions that have messages and wait for a budget.
    waiting: Vec<Waker>,
}

impl Tenant {
    fn remaining(&self) -> Option<f64> {
        self.budget_usd.map(|budget| budget - self.totals.cost.usd)
    }

    fn check(&self, name: &str) -> Result<(), OverBudget> {
        match self.budget_usd {
            // A budget that is not a number allows nothing.
            Some(budget_usd) if self.remaining().is_some_and(|it| it.is_nan() || it <= 0.0) => {
                Err(OverBudget {
                    tenant: name.to_owned(),
                    budget_usd,
                    spent_usd: self.totals.cost.usd,
                })
            }
            _ => Ok(()),
        }
    }
}

/// The budget of a tenant is spent.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "the tenant `{tenant}` has spent {spent_usd} USD of its budget of {budget_usd} USD; raise it with `Ledger::set_budget`"
)]
#[non_exhaustive]
pub struct OverBudget {
    /// The tenant.
    pub tenant: String,
    /// The budget of the tenant, in US dollars.
    pub budget_usd: f64,
    /// The recorded cost of the tenant, in US dollars.
    pub spent_usd: f64,
}

impl Default for Ledger {
    fn default() -> Self {
        Self::with_turns(TURNS)
    }
}

impl Ledger {
    /// Creates a ledger that stores the latest 1,000 turns.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a ledger that stores this number of turns. Sums always include all turns.
    #[must_use]
    pub fn with_turns(turns: usize) -> Self {
        let books = Books {
            total: Totals::default(),
            tenants: BTreeMap::new(),
            sessions: HashMap::new(),
            turns: VecDeque::new(),
            capacity: turns,
            entries: 0,
            processes: HashMap::new(),
        };
        Self {
            books: Arc::new(Mutex::new(books)),
        }
    }

    /// Returns the recorder of a tenant, to be set with
    /// [`Options::attachment`](agentwire::Options::attachment). Any name is a tenant.
    #[must_use]
    pub fn of(&self, tenant: impl Into<Arc<str>>) -> Recorder {
        Recorder {
            ledger: self.clone(),
            tenant: tenant.into(),
        }
    }

    /// Requests the usage of a session before the first turn of each of its processes
    /// (`get_usage`). Call it right after connecting, before the first message: a response that
    /// arrives after a message of the model is ignored, and so is one that includes a part of
    /// the turn. Nothing waits for the response.
    ///
    /// Needed only for CLIs before 2.1.316, which report only sums. Returns whether the client
    /// is a running session of a [`Recorder`] of this ledger.
    pub fn follow(&self, client: &Client) -> bool {
        let pid = client.pid();
        let session = pid.and_then(|pid| locked(&self.books).processes.get(&pid)?.upgrade());
        let Some(session) = session else { return false };
        locked(&session).follow(client.handle());
        true
    }

    /// Returns the sums of all tenants.
    #[must_use]
    pub fn total(&self) -> Totals {
        locked(&self.books).total.clone()
    }

    /// Returns the sums of a tenant; zeros if nothing is recorded.
    #[must_use]
    pub fn tenant(&self, tenant: &str) -> Totals {
        let books = locked(&self.books);
        let tenant = books.tenants.get(tenant);
        tenant.map(|it| it.totals.clone()).unwrap_or_default()
    }

    /// Returns the names of the tenants that have recorded costs or a budget.
    #[must_use]
    pub fn tenants(&self) -> Vec<Arc<str>> {
        locked(&self.books).tenants.keys().cloned().collect()
    }

    /// Returns the sums of a session by its ID; zeros if nothing is recorded. A fork and the
    /// session after `/clear` are sessions of their own.
    #[must_use]
    pub fn session(&self, id: &str) -> Totals {
        locked(&self.books)
            .sessions
            .get(id)
            .cloned()
            .unwrap_or_default()
    }

    /// Removes the sums of a session, and returns them. The other sums are not changed.
    pub fn remove_session(&self, id: &str) -> Option<Totals> {
        locked(&self.books).sessions.remove(id)
    }

    /// Returns the stored turns with a [number](Turn::number) above `after`, the oldest first.
    #[must_use]
    pub fn turns(&self, after: u64) -> Vec<Turn> {
        let books = locked(&self.books);
        let turns = books.turns.iter().filter(|it| it.number > after);
        turns.cloned().collect()
    }

    /// Returns the stored turn that answered the user message with this UUID.
    #[must_use]
    pub fn turn(&self, message: &str) -> Option<Turn> {
        let books = locked(&self.books);
        let mut turns = books.turns.iter().rev();
        turns
            .find(|it| it.messages.iter().any(|it| it == message))
            .cloned()
    }

    /// Sets or removes the budget of a tenant, in US dollars. It applies to all that the ledger
    /// has recorded and will record. Messages that wait for a budget are sent if it suffices.
    pub fn set_budget(&self, tenant: impl Into<Arc<str>>, usd: Option<f64>) {
        let mut books = locked(&self.books);
        let tenant = books.tenants.entry(tenant.into()).or_default();
        tenant.budget_usd = usd;
        tenant.waiting.drain(..).for_each(Waker::wake);
    }

    /// Returns the remaining budget of a tenant in US dollars, negative if it is exceeded.
    /// `None` if the tenant has no budget.
    #[must_use]
    pub fn remaining(&self, tenant: &str) -> Option<f64> {
        locked(&self.books).tenants.get(tenant)?.remaining()
    }

    /// Checks whether a tenant may begin a session or a turn.
    ///
    /// # Errors
    ///
    /// If its budget is spent.
    pub fn check(&self, tenant: &str) -> Result<(), OverBudget> {
        match locked(&self.books).tenants.get(tenant) {
            Some(books) => books.check(tenant),
            None => Ok(()),
        }
    }

    /// Wakes a session when the budget of its tenant changes. Returns `false` if it is not
    /// spent.
    fn wait_for_budget(&self, tenant: &str, waker: &Waker) -> bool {
        let mut books = locked(&self.books);
        let books = books.tenants.get_mut(tenant);
        let Some(books) = books.filter(|it| it.check(tenant).is_err()) else {
            return false;
        };
        books.waiting.retain(|it| !it.will_wake(waker));
        books.waiting.push(waker.clone());
        true
    }

    fn record(&self, tenant: &Arc<str>, mut turn: Turn) {
        let mut books = locked(&self.books);
        let books = &mut *books;
        books.entries += 1;
        turn.number = books.entries;
        turn.tenant = tenant.to_string();
        books.total += &turn;
        books.tenants.entry(tenant.clone()).or_default().totals += &turn;
        *books.sessions.entry(turn.session.clone()).or_default() += &turn;
        books.turns.push_back(turn);
        while books.turns.len() > books.capacity {
            books.turns.pop_front();
        }
    }

    fn add_process(&self, pid: u32, session: &Shared) {
        locked(&self.books)
            .processes
            .insert(pid, Arc::downgrade(session));
    }

    fn remove_process(&self, pid: u32, session: &Shared) {
        let mut books = locked(&self.books);
        // The ID may be that of another process by now.
        if books
            .processes
            .get(&pid)
            .is_some_and(|it| it.as_ptr() == Arc::as_ptr(session))
        {
            books.processes.remove(&pid);
        }
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let books = locked(&self.books);
        f.debug_struct("Ledger")
            .field("total", &books.total)
            .field("tenants", &books.tenants.len())
            .field("sessions", &books.sessions.len())
            .finish_non_exhaustive()
    }
}
