//! Stopping the running turn.

use super::response::ResponseFuture;
use crate::command::{Link, TurnWatch};
use crate::event::{EndReason, Error};
use crate::handle::Handle;
use agentwire_protocol::control::InterruptReceipt;
use agentwire_protocol::host::TurnEnd;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;

/// An interrupt that was sent. Dropping this does not withdraw it;
/// [`InterruptFuture::cancel`] does.
///
/// Await it for the agent's receipt, which lists the messages that are still
/// queued and those that were removed from the queue. The turn ends after the
/// receipt; [`InterruptFuture::outcome`] waits for that.
///
/// ```no_run
/// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
/// let stopped = client.interrupt().outcome().await?;
/// if let Some(turn) = stopped.turn {
///     println!("turn {}: {}", turn.turn, turn.outcome);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct InterruptFuture {
    receipt: ResponseFuture<InterruptReceipt>,
    /// The turn that was running when the interrupt was sent.
    interrupted_turn: Option<TurnWatch>,
    /// The number of that turn, or of the last turn before the interrupt.
    before: Option<u64>,
    link: Link,
}

/// The outcome of an interrupt.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Interrupted {
    /// The response of the agent.
    pub receipt: InterruptReceipt,
    /// How the interrupted turn ended. `None` if no turn was running.
    pub turn: Option<Arc<TurnEnd>>,
}

impl InterruptFuture {
    pub(crate) fn new(receipt: ResponseFuture<InterruptReceipt>, link: Link) -> Self {
        let latest = link.turn();
        Self {
            receipt,
            before: latest.as_ref().map(|turn| turn.number),
            interrupted_turn: latest.filter(|turn| !turn.is_over()),
            link,
        }
    }

    /// Withdraws the interrupt if it is still queued; see [`ResponseFuture::cancel`].
    pub fn cancel(&self) {
        self.receipt.cancel();
    }

    /// Waits for the receipt, and for the end of the interrupted turn.
    ///
    /// # Errors
    ///
    /// The same as those of awaiting the interrupt. If the session ends before the turn does, that
    /// is not an error: the outcome of the turn is
    /// [`TurnOutcome::Lost`](agentwire_protocol::host::TurnOutcome::Lost).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not withdraw the interrupt.
    pub async fn outcome(self) -> Result<Interrupted, Error> {
        let _wanted = self.link.want_input();
        let receipt = self.receipt.await?;
        let turn = match self.interrupted_turn {
            Some(turn) => Some(turn),
            // A turn that started meanwhile.
            None => (self.link.turn()).filter(|it| Some(it.number) > self.before && !it.is_over()),
        };
        let turn = match turn {
            Some(turn) => turn.ended().await,
            None => None,
        };
        Ok(Interrupted { receipt, turn })
    }
}

impl Future for InterruptFuture {
    type Output = Result<InterruptReceipt, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.receipt).poll(context)
    }
}

/// The time limits of [`Handle::stop`].
///
/// ```
/// use agentwire::control::StopPolicy;
/// use std::time::Duration;
///
/// let policy = StopPolicy::default().turn(Duration::from_secs(3));
/// assert_eq!(policy.tries, 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StopPolicy {
    /// How long to wait for the end of the turn after each interrupt. 10 s by
    /// default.
    pub turn: Duration,
    /// How many interrupts to send. 2 by default.
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
    /// Sets how long to wait for the end of the turn after each interrupt.
    #[must_use]
    pub fn turn(mut self, limit: Duration) -> Self {
        self.turn = limit;
        self
    }

    /// Sets how many interrupts to send.
    #[must_use]
    pub fn tries(mut self, tries: u32) -> Self {
        self.tries = tries;
        self
    }
}

/// How [`Handle::stop`] stopped the turn.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Stopped {
    /// The interrupt ended the turn, or no turn was running.
    Turn(Interrupted),
    /// The agent did not stop its turn or did not respond, and the session is
    /// being closed.
    Session,
}

impl Handle {
    /// Stops the running turn, if necessary by closing the session.
    ///
    /// It interrupts the turn, and repeats the interrupt if the turn continues
    /// ([`StopPolicy`]). If that does not help, it closes the session as
    /// dropping the [`Client`](crate::Client) does; everything then fails with
    /// [`EndReason::Unresponsive`].
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] if the session is already over.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, no further steps are taken. Interrupts that
    /// were sent are not withdrawn.
    pub async fn stop(&self, policy: StopPolicy) -> Result<Stopped, Error> {
        for _ in 0..policy.tries {
            match timeout(policy.turn, self.interrupt().outcome()).await {
                Ok(Ok(interrupted)) => return Ok(Stopped::Turn(interrupted)),
                Ok(Err(error @ Error::Ended(_))) => return Err(error),
                // It refuses or does not respond.
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
            Self::Turn(Interrupted { turn: None, .. }) => f.write_str("no turn was running"),
            Self::Turn(Interrupted {
                turn: Some(turn), ..
            }) => write!(f, "turn {}: {}", turn.turn, turn.outcome),
            Self::Session => f.write_str("the session was closed"),
        }
    }
}
