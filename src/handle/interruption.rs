//! How the turn that runs is stopped.

use super::Handle;
use super::pending::Pending;
use crate::command::{Link, TurnWatch};
use crate::event::{EndReason, Error};
use agentwire_protocol::control::InterruptReceipt;
use agentwire_protocol::host::TurnEnd;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;

/// An interrupt on its way. It is made whether this is awaited or not.
///
/// Awaiting it gives the agent's receipt: what is still queued, and what was
/// taken out of the queue. The turn ends after that;
/// [`PendingInterrupt::ended`] waits for it.
///
/// ```no_run
/// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
/// let stopped = client.interrupt().ended().await?;
/// if let Some(turn) = stopped.turn {
///     println!("turn {}: {}", turn.turn, turn.outcome);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PendingInterrupt {
    receipt: Pending<InterruptReceipt>,
    /// The turn that ran when it was made.
    ran: Option<TurnWatch>,
    /// The number of that one, or of the one before it was made.
    before: Option<u64>,
    link: Link,
}

/// What became of an interrupt.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Interrupted {
    /// What the agent said to it.
    pub receipt: InterruptReceipt,
    /// How the turn ended that it found; `None`, when none ran.
    pub turn: Option<Arc<TurnEnd>>,
}

impl PendingInterrupt {
    pub(crate) fn new(receipt: Pending<InterruptReceipt>, link: Link) -> Self {
        let latest = link.turn();
        Self {
            receipt,
            before: latest.as_ref().map(|turn| turn.number),
            ran: latest.filter(|turn| !turn.is_over()),
            link,
        }
    }

    /// Takes it back, if it has not left yet; see [`Pending::cancel`].
    pub fn cancel(&self) {
        self.receipt.cancel();
    }

    /// Waits for the receipt, and for the end of the turn that it found.
    ///
    /// # Errors
    ///
    /// As awaiting it. When the session ends before the turn has, that is how
    /// the turn ended:
    /// [`TurnOutcome::Lost`](agentwire_protocol::host::TurnOutcome::Lost).
    pub async fn ended(self) -> Result<Interrupted, Error> {
        let _wanted = self.link.want_input();
        let receipt = self.receipt.await?;
        let turn = match self.ran {
            Some(turn) => Some(turn),
            // One that began meanwhile.
            None => (self.link.turn()).filter(|it| Some(it.number) > self.before && !it.is_over()),
        };
        let turn = match turn {
            Some(turn) => turn.ended().await,
            None => None,
        };
        Ok(Interrupted { receipt, turn })
    }
}

impl Future for PendingInterrupt {
    type Output = Result<InterruptReceipt, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.receipt).poll(context)
    }
}

/// How patient [`Handle::stop`] is.
///
/// ```
/// use agentwire::StopPolicy;
/// use std::time::Duration;
///
/// let policy = StopPolicy::default().turn(Duration::from_secs(3));
/// assert_eq!(policy.tries, 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StopPolicy {
    /// How long each interrupt may take until the turn has ended. 10 s by
    /// default.
    pub turn: Duration,
    /// How often it is tried. Twice by default.
    pub tries: u32,
}

impl Default for StopPolicy {
    fn default() -> Self {
        Self {
            turn: Duration::from_secs(10),
            tries: 2,
        }
    }
}

impl StopPolicy {
    /// Sets how long each interrupt may take until the turn has ended.
    #[must_use]
    pub fn turn(mut self, limit: Duration) -> Self {
        self.turn = limit;
        self
    }

    /// Sets how often it is tried.
    #[must_use]
    pub fn tries(mut self, tries: u32) -> Self {
        self.tries = tries;
        self
    }
}

/// How far [`Handle::stop`] had to go.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Stopped {
    /// The agent stopped its turn, or there was none.
    Turn(Interrupted),
    /// It did not, or did not even answer, and the session is being closed.
    Session,
}

impl Handle {
    /// Stops the turn that runs, whatever it takes: interrupts it, and again
    /// if it goes on, and when that does not help closes the session, as
    /// dropping the [`Client`](crate::Client) does. Everything then fails with
    /// [`EndReason::Unresponsive`].
    ///
    /// When the future is dropped it goes no further.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] when the session is over already.
    pub async fn stop(&self, policy: StopPolicy) -> Result<Stopped, Error> {
        for _ in 0..policy.tries {
            match timeout(policy.turn, self.interrupt().ended()).await {
                Ok(Ok(interrupted)) => return Ok(Stopped::Turn(interrupted)),
                Ok(Err(error @ Error::Ended(_))) => return Err(error),
                // It refuses, or it does not react.
                Ok(Err(_)) | Err(_) => {}
            }
        }
        self.link().give_up(EndReason::Unresponsive)?;
        Ok(Stopped::Session)
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(Interrupted { turn: None, .. }) => f.write_str("no turn ran"),
            Self::Turn(Interrupted {
                turn: Some(turn), ..
            }) => write!(f, "turn {}: {}", turn.turn, turn.outcome),
            Self::Session => f.write_str("the session was closed"),
        }
    }
}
