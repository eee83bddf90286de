//! A running session: the tasks around the host's state machine.
//!
//! One task, the driver, owns the state machine and both pipes. It takes
//! commands, reads the CLI's output, writes one whole line at a time, and never
//! waits for the user's code: events go to mailboxes, and callbacks run in
//! their own tasks. A second task drains standard error, if there is one.

mod alarm;
mod asks;
mod commands;
mod deliver;
mod driver;
mod flow;
mod mcp;
mod mirror;
mod resume;
mod stderr;
mod streams;
mod transport;
mod writer;

pub(crate) use resume::resume;
pub use transport::{CloseInput, Connection, LocalCli, Peer, PeerFuture, Pipes, Transport};

use crate::command::{End, Link, Servers};
use crate::event::{
    Demand, EndReason, Event, IgnoredOption, Mailbox, Notice, mailbox, unused_mailbox,
};
use crate::handle::Handle;
use crate::options::{Options, PrivateFiles};
use agentwire_protocol::host::Host;
use asks::Asks;
use driver::Driver;
use flow::Flow;
use mirror::Mirror;
use std::sync::Arc;
use stderr::StderrTail;
use streams::Streams;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use writer::Writer;

/// A session that was started.
pub(crate) struct Started {
    pub(crate) handle: Handle,
    pub(crate) mailbox: Mailbox,
    pub(crate) peer: Arc<dyn Peer>,
    /// Cancelled once no more entries go to the store, if there is one.
    pub(crate) mirrored: Option<CancellationToken>,
}

/// Starts the tasks that drive a session over this connection.
pub(crate) fn start(
    connection: Connection,
    private: PrivateFiles,
    options: Options,
    ignored: Vec<IgnoredOption>,
) -> Started {
    let Connection {
        output,
        input,
        stderr,
        peer,
        keeps_files,
    } = connection;
    let (commands, inbox) = mpsc::unbounded_channel();
    let demand = Demand::default();
    let (sender, mailbox) = match options.callbacks.in_stream {
        true => mailbox(&demand),
        false => unused_mailbox(&demand),
    };
    let end = End::default();
    let (turns, turn) = watch::channel(None);
    let declared = Arc::default();
    let link = Link {
        commands,
        end: Arc::clone(&end),
        turn,
        declared: Arc::clone(&declared),
        demand: demand.clone(),
        request_timeout: options.request_timeout,
    };
    let handle = Handle::new(link.clone(), options.verbatim_prompts);
    peer.attached(Box::new(move || drop(link.give_up(EndReason::Closed))));
    let flow = Flow::new(&options);
    let (mirror, mirrored) = Mirror::start(&options);
    let mut host = Host::new(options.line_limit);
    host.set_limits(options.outbound_queue_limits);
    host.set_queueing(options.queueing);
    let mut driver = Driver {
        host,
        peer: Arc::clone(&peer),
        private: (!keeps_files && !private.is_empty()).then_some(private),
        reader: Some(output),
        writer: Writer::new(input),
        stderr: stderr.map(|stderr| StderrTail::start(stderr, options.stderr)),
        commands: inbox,
        streams: Streams::new(sender, flow.bound(), flow.room(true), driver::now()),
        flow,
        demand,
        asks: Asks::new(options.callbacks, handle.clone()),
        mcp: servers(&handle),
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
    for it in ignored {
        driver.streams.put(Event::Notice(Notice::IgnoredOption(it)));
    }
    tokio::spawn(driver.run());
    Started {
        handle,
        mailbox,
        peer,
        mirrored,
    }
}

/// Creates the session's in-process servers: none at first.
#[cfg(feature = "mcp")]
fn servers(session: &Handle) -> Option<Box<dyn Servers>> {
    Some(Box::new(crate::mcp::McpServers::new(session.clone())))
}

#[cfg(not(feature = "mcp"))]
fn servers(_: &Handle) -> Option<Box<dyn Servers>> {
    None
}
