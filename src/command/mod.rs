//! What handles tell the session's driver, and what they share with it.

mod answer;
mod declared;
mod link;
mod progress;
mod servers;
mod turn;

pub(crate) use answer::{AskNumber, Encode, LateAnswer};
pub(crate) use declared::Declared;
pub(crate) use link::{End, Link};
pub use progress::OutboundQueue;
pub(crate) use progress::Progress;
pub(crate) use servers::{Out, Servers};
pub(crate) use turn::{OpenTurn, TurnWatch};

use crate::event::{EndReason, Error, Notice, Sender, StreamKind, Unread};
use agentwire_protocol::control::Answer;
use agentwire_protocol::host::{Prompt, Request};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// What handles tell the driver.
#[derive(Debug)]
pub(crate) enum Command {
    /// Send a user message, and tell what becomes of it.
    Send {
        prompt: Prompt,
        progress: watch::Sender<Progress>,
        when_full: WhenFull,
    },
    /// Make a request, and say what came of it.
    Request {
        request: Request,
        patience: Duration,
        reply: oneshot::Sender<Result<Answer, Error>>,
    },
    /// Answer an ask of the agent's.
    Answer(LateAnswer),
    /// These are the session's MCP servers.
    #[cfg(feature = "mcp")]
    Mcp(Box<dyn Servers>),
    /// Deliver this.
    Tell(Notice),
    /// Take a request back.
    Cancel { request_id: Box<str> },
    /// Give this one what it wants to have, from now on.
    Subscribe { stream: StreamKind, sender: Sender },
    /// Say what waits to be written.
    Waiting {
        reply: oneshot::Sender<OutboundQueue>,
    },
    /// Say what the program has not read.
    Unread { reply: oneshot::Sender<Unread> },
    /// Give the store all that has come, and say when that is done.
    Mirrored { reply: oneshot::Sender<()> },
    /// End the session once it is idle, or when so much time has passed.
    /// Background work is waited for as long as `background` says.
    Finish {
        within: Option<Duration>,
        background: Duration,
    },
    /// End the session now: nobody is interested any more, or the agent does
    /// not react.
    End(EndReason),
}

/// What is to be done with a message when too much waits already.
#[derive(Debug)]
pub(crate) enum WhenFull {
    Fail,
    /// Wait for room, and say when there is; not any more, when nobody listens.
    Wait(oneshot::Sender<()>),
}
