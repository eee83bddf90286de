//! Commands from handles to the session's driver, and the shared state.

mod answer;
mod configured;
mod declared;
mod link;
mod progress;
mod servers;
mod turn;

pub(crate) use answer::{Encode, LateAnswer, RequestNumber};
pub(crate) use declared::Declared;
pub(crate) use link::{End, Link, end_late};
pub use progress::OutboundQueue;
pub(crate) use progress::{Progress, TurnEvents};
pub(crate) use servers::{Out, Servers};
pub(crate) use turn::{OpenTurn, TurnWatch};

use crate::event::{EndReason, Error, Notice, Sender, StreamKind, Unread};
use crate::telemetry::Origin;
use agentwire_protocol::control::Answer;
use agentwire_protocol::host::{Prompt, Request};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// A command from a handle to the driver.
#[derive(Debug)]
pub(crate) enum Command {
    /// Sends a user message, and reports its delivery status.
    Send {
        prompt: Prompt,
        origin: Origin,
        progress: watch::Sender<Progress>,
        when_full: WhenFull,
    },
    /// Sends a request, and returns its outcome.
    Request {
        request: Request,
        timeout: Duration,
        reply: oneshot::Sender<Result<Answer, Error>>,
    },
    /// Responds to a request of the agent.
    Answer(LateAnswer),
    /// Sets the session's MCP servers.
    #[cfg(feature = "mcp")]
    Mcp(Box<dyn Servers>),
    /// Delivers a notice.
    Notify(Notice),
    /// Cancels a request.
    Cancel { request_id: Box<str> },
    /// Adds a stream of events.
    Subscribe {
        stream: StreamKind,
        sender: Sender,
        /// The delivery status of the message whose turn it is.
        progress: Option<watch::Receiver<Progress>>,
    },
    /// Returns the size of the outbound queue.
    Waiting {
        reply: oneshot::Sender<OutboundQueue>,
    },
    /// Returns the unread events.
    Unread { reply: oneshot::Sender<Unread> },
    /// Puts the agent to sleep, and reports when its process has exited.
    Sleep {
        reply: oneshot::Sender<Result<(), Error>>,
    },
    /// Ends the session once it is idle, or after `within`. Waits at most
    /// `background` for background tasks.
    Finish {
        within: Option<Duration>,
        background: Duration,
    },
    /// Ends the session now: it is no longer needed, or the agent does not respond.
    End(EndReason),
}

/// What to do if the outbound queue is full.
#[derive(Debug)]
pub(crate) enum WhenFull {
    Fail,
    /// Waits for space, and reports when there is some. Dropping the receiver discards the message.
    Wait(oneshot::Sender<()>),
}
