//! A running session: the tasks around the host's state machine.
//!
//! One task, the driver, owns the state machine and both pipes. It executes commands, reads the
//! CLI's output, and writes whole lines, one at a time. It never waits for the user's code:
//! events go to mailboxes, and callbacks run in their own tasks. A second task drains standard
//! error, if there is one. Optional parts are [attachments](crate::attachment).

mod alarm;
mod attachments;
mod blocked;
mod commands;
mod deliver;
mod driver;
mod flow;
mod incoming_requests;
mod life;
mod mirror;
mod owned;
mod peers;
mod process;
mod restart;
mod resume;
mod starter;
mod stderr;
mod streams;
mod succession;
mod waiters;
mod writer;

pub(crate) use mirror::Flusher;
pub(crate) use peers::Peers;
pub(crate) use resume::{Known, attach, resume};
pub(crate) use starter::Starter;

use crate::command::{Declared, End, Link, Progress};
use crate::event::{Demand, Event, IgnoredOption, Mailbox, Notice, mailbox, unused_mailbox};
use crate::handle::Handle;
use crate::options::{Options, PrivateFiles};
use crate::process::spawn;
use crate::store::StoreFlush;
use crate::transport::Connection;
use agentwire_protocol::host::Host;
use attachments::Attachments;
use blocked::Blocked;
use driver::Driver;
use flow::Flow;
use incoming_requests::PendingCallbacks;
use life::Life;
use mirror::Mirror;
use process::Process;
use std::sync::Arc;
use streams::Streams;
use succession::Succession;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use waiters::Waiters;

/// A session that was started.
pub(crate) struct Started {
    pub(crate) handle: Handle,
    pub(crate) mailbox: Mailbox,
    pub(crate) peers: Arc<Peers>,
    /// Cancelled once the session can be opened again, if it was locked.
    pub(crate) unlocked: Option<CancellationToken>,
    /// Cancelled once no more entries go to the store, if there is one.
    pub(crate) mirrored: Option<CancellationToken>,
}

/// Starts the tasks that drive a session over this connection.
pub(crate) fn start(
    connection: Connection,
    private: PrivateFiles,
    mut options: Options,
    ignored: Vec<IgnoredOption>,
    starter: Option<Starter>,
    known: Known,
) -> Started {
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
    (declared.configured).set_unknown_tools(options.unknown_tools());
    let home = private.home.clone();
    let has_home = home.is_some();
    if known.stores_results_first {
        options.store_flush = StoreFlush::BeforeResult;
    }
    let (mirror, mirrored) = Mirror::start(&options, known.lacking, home).unzip();
    let store = mirror.as_ref().and_then(Mirror::flusher);
    let link = Link {
        commands,
        end: Arc::clone(&end),
        turn,
        declared,
        demand: demand.clone(),
        store: store.clone(),
        request_timeout: options.request_timeout,
    };
    let handle = Handle::new(link, options.verbatim_prompts);
    let mut attachments = Attachments::default();
    if let Some(mirror) = mirror {
        attachments.push(mirror);
    }
    attachments.extend(known.attachments);
    let mut unlocked = None;
    if let Some(mut owned) = known.owned {
        unlocked = Some(owned.attached(&handle, has_home));
        // It ends last, so that the next owner finds the files of all other attachments.
        attachments.push(owned);
    }
    if let Some(store) = store.filter(|_| !known.leftovers.is_empty()) {
        spawn(resume::remove_when_sent(known.leftovers, store));
    }
    let mut host = Host::new(options.line_limit);
    host.set_limits(options.outbound_queue_limits);
    host.set_queueing(options.queueing);
    if let Some(policy) = &options.restart {
        host.retain_for_restart();
        host.set_watchdog(policy.hang);
    }
    let flow = Flow::new(&options, demand);
    let succession = Succession::new(starter, &options);
    let process = Process::new(connection, private, options.stderr);
    process.attach(&handle);
    let peers = process.peers();
    let blocked = known.messages.into_iter().map(|prompt| Blocked {
        prompt,
        progress: watch::channel(Progress::new()).0,
        has_room: None,
    });
    let mut driver = Driver {
        host,
        process,
        commands: inbox,
        streams: Streams::new(sender, flow.bound(), flow.room(true), driver::now()),
        flow,
        callbacks: PendingCallbacks::new(options.callbacks, handle.clone()),
        waiters: Waiters::new(turns, blocked.collect()),
        attachments,
        succession,
        life: Life::new(),
        end,
    };
    for it in ignored {
        driver.streams.put(Event::Notice(Notice::IgnoredOption(it)));
    }
    for notice in known.notices {
        driver.streams.put(Event::Notice(notice));
    }
    spawn(Box::new(driver).run());
    Started {
        handle,
        mailbox,
        peers,
        unlocked,
        mirrored,
    }
}
