//! A running session: the tasks around the host's state machine.
//!
//! One task, the driver, owns the machine. It takes commands, reads what the
//! CLI writes, and never waits for the user's code: events go into a mailbox,
//! callbacks run in tasks of their own. A second task writes, one whole line
//! at a time; a third drains standard error, where there is one.

mod asks;
mod commands;
mod deliver;
mod driver;
mod flow;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(not(feature = "mcp"))]
#[path = "no_mcp.rs"]
mod mcp;
mod stderr;
mod streams;
mod writer;

use crate::callback::LateAnswer;
use crate::demand::Demand;
use crate::error::{EndReason, Error};
use crate::event::{Event, Notice};
use crate::handle::{End, Handle};
use crate::mailbox::{Mailbox, Sender, unused_mailbox};
use crate::options::{Options, Shadowed};
use crate::store::Mirror;
use crate::submission::{Progress, Unwritten};
use crate::transport::{Connection, FarEnd};
use crate::unread::{StreamKind, Unread};
use agentwire_protocol::control::Answer;
use agentwire_protocol::host::{Host, Prompt, Request};
use asks::Asks;
use driver::Driver;
use flow::Flow;
pub(crate) use flow::Room;
use std::sync::Arc;
use std::time::Duration;
use stderr::StderrTail;
use streams::Streams;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use writer::Writer;

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
    Mcp(Box<mcp::McpServers>),
    /// Deliver this.
    Tell(Notice),
    /// Take a request back.
    Cancel { request_id: Box<str> },
    /// Give this one what it wants to have, from now on.
    Subscribe { stream: StreamKind, sender: Sender },
    /// Say what waits to be written.
    Waiting { reply: oneshot::Sender<Unwritten> },
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

/// What a session that was started is held by.
pub(crate) struct Started {
    pub(crate) handle: Handle,
    pub(crate) mailbox: Mailbox,
    pub(crate) far_end: Arc<dyn FarEnd>,
    /// Cancelled when nothing more goes to the store, if there is one.
    pub(crate) mirrored: Option<CancellationToken>,
}

/// Starts the tasks that drive a session over these pipes.
pub(crate) fn start(connection: Connection, options: Options, shadowed: Vec<Shadowed>) -> Started {
    let Connection {
        output,
        input,
        stderr,
        far_end,
    } = connection;
    let (commands, inbox) = mpsc::unbounded_channel();
    let demand = Demand::default();
    let (sender, mailbox) = unused_mailbox(&demand);
    let end = End::default();
    let (turns, turn) = watch::channel(None);
    let declared = Arc::default();
    let handle = Handle::new(
        commands,
        Arc::clone(&end),
        turn,
        Arc::clone(&declared),
        demand.clone(),
        &options,
    );
    let for_all = handle.clone();
    far_end.attached(Box::new(move || drop(for_all.give_up(EndReason::Closed))));
    let flow = Flow::new(&options);
    let (mirror, mirrored) = Mirror::start(&options);
    let mut host = Host::new(options.line_limit);
    host.set_limits(options.unwritten_limits);
    host.set_queueing(options.queueing);
    let mut driver = Driver {
        host,
        far_end: Arc::clone(&far_end),
        reader: Some(output),
        writer: Writer::start(input),
        stderr: stderr.map(|stderr| StderrTail::start(stderr, options.stderr)),
        commands: inbox,
        streams: Streams::new(sender, flow.bound(), flow.room(true), driver::now()),
        flow,
        demand,
        asks: Asks::new(options.callbacks, handle.clone()),
        mcp: mcp::McpServers::new(handle.clone()),
        mirror,
        requests: Default::default(),
        submissions: Default::default(),
        turn: None,
        turns,
        declared,
        lost: vec![],
        blocked: Default::default(),
        end,
        is_closing: false,
        stage: driver::Stage::Open,
        last_result_failed: false,
    };
    for it in shadowed {
        driver.streams.put(Event::Notice(Notice::Shadowed(it)));
    }
    tokio::spawn(driver.run());
    Started {
        handle,
        mailbox,
        far_end,
        mirrored,
    }
}
