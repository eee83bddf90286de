//! A running session: the tasks around the host's state machine.
//!
//! One task, the driver, owns the state machine and both pipes. It takes
//! commands, reads the CLI's output, writes one whole line at a time, and never
//! waits for the user's code: events go to mailboxes, and callbacks run in
//! their own tasks. A second task drains standard error, if there is one.

mod alarm;
mod asks;
mod blocked;
mod claims;
mod commands;
mod deliver;
mod driver;
mod flow;
mod inbox;
mod mcp;
mod mirror;
mod next_process;
mod owned;
mod peers;
mod resume;
mod starter;
mod stderr;
mod streams;
mod succession;
mod transport;
mod writer;

pub(crate) use peers::Peers;
pub(crate) use resume::{Known, resume};
pub(crate) use starter::Starter;
pub use transport::{CloseInput, Connection, LocalCli, Peer, PeerFuture, Pipes, Transport};

use crate::command::{Declared, End, Link};
use crate::event::{Demand, Event, IgnoredOption, Mailbox, Notice, mailbox, unused_mailbox};
use crate::handle::Handle;
use crate::options::{Options, PrivateFiles};
use agentwire_protocol::host::Host;
use asks::Asks;
use driver::Driver;
use flow::Flow;
use inbox::{Inbox, inherit};
use mirror::Mirror;
use owned::Owned;
use std::sync::Arc;
use stderr::StderrTail;
use streams::Streams;
use succession::Succession;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use writer::Writer;

/// A session that was started.
pub(crate) struct Started {
    pub(crate) handle: Handle,
    pub(crate) mailbox: Mailbox,
    pub(crate) peers: Arc<Peers>,
    /// Cancelled once the session can be opened again, if it was locked.
    pub(crate) released: Option<CancellationToken>,
    /// Cancelled once no more entries go to the store, if there is one.
    pub(crate) mirrored: Option<CancellationToken>,
}

/// Starts the tasks that drive a session over this connection.
pub(crate) fn start(
    connection: Connection,
    private: PrivateFiles,
    options: Options,
    ignored: Vec<IgnoredOption>,
    starter: Option<Starter>,
    mut known: Known,
) -> Started {
    let Connection {
        output,
        input,
        stderr,
        peer,
        keeps_files,
        suspects,
    } = connection;
    let (commands, inbox) = mpsc::unbounded_channel();
    let demand = Demand::default();
    let (sender, mailbox) = match options.callbacks.in_stream {
        true => mailbox(&demand),
        false => unused_mailbox(&demand),
    };
    let end = End::default();
    let (turns, turn) = watch::channel(None);
    let declared: Arc<Declared> = Arc::default();
    let (servers, model, mode) = options.reported();
    declared.configured.start(servers, model, mode);
    let link = Link {
        commands,
        end: Arc::clone(&end),
        turn,
        declared: Arc::clone(&declared),
        demand: demand.clone(),
        request_timeout: options.request_timeout,
    };
    let handle = Handle::new(link.clone(), options.verbatim_prompts);
    peers::attach(&peer, &handle);
    let peers = Arc::new(Peers::new(Arc::clone(&peer)));
    let flow = Flow::new(&options);
    let home = private.home.clone();
    let owned = known.owned;
    let released = owned.as_ref().map(Owned::released);
    let (mirror, mirrored) = Mirror::start(&options, known.lacking);
    if !known.leftovers.is_empty() {
        tokio::spawn(resume::remove_when_sent(known.leftovers, mirror.sent()));
    }
    let mut host = Host::new(options.line_limit);
    host.set_limits(options.outbound_queue_limits);
    host.set_queueing(options.queueing);
    if let Some(policy) = &options.restart {
        host.keep_for_next_process();
        host.set_silence_limit(policy.hang);
    }
    let (again, handed_back) = inherit(known.inherited, &mut known.notices);
    let mut driver = Driver {
        host,
        peer,
        peers: Arc::clone(&peers),
        private: (!keeps_files && !private.is_empty()).then_some(private),
        reader: Some(output),
        writer: Writer::new(input),
        stderr: stderr.map(|stderr| StderrTail::start(stderr, options.stderr.clone())),
        suspects,
        succession: Succession::new(starter, &options),
        on_stderr: options.stderr,
        commands: inbox,
        streams: Streams::new(sender, flow.bound(), flow.room(true), driver::now()),
        flow,
        demand,
        asks: Asks::new(options.callbacks, handle.clone()),
        mcp: mcp::servers(&handle),
        mirror,
        held: None,
        home,
        is_behind: false,
        is_missing: false,
        is_lost: false,
        owned,
        inbox: Inbox::new(&known.claims, handed_back),
        waiting_asks: vec![],
        claims: known.claims,
        requests: Default::default(),
        submissions: Default::default(),
        turn: None,
        turns,
        declared,
        lost: vec![],
        blocked: again,
        end,
        is_closing: false,
        stage: driver::Stage::Open,
        last_result_failed: false,
    };
    for it in ignored {
        driver.streams.put(Event::Notice(Notice::IgnoredOption(it)));
    }
    for notice in known.notices {
        driver.streams.put(Event::Notice(notice));
    }
    tokio::spawn(driver.run());
    Started {
        handle,
        mailbox,
        peers,
        released,
        mirrored,
    }
}
