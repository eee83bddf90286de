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
mod group;
mod incoming_requests;
mod life;
mod mirror;
mod notices;
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

pub(crate) use group::Member;
pub use group::SessionGroup;
pub(crate) use mirror::Flusher;
pub(crate) use peers::{Closer, Peers};
pub(crate) use resume::{Known, attach, resume};
pub(crate) use starter::{Starter, open_within};

use crate::command::{Declared, End, Link, Progress};
use crate::event::{Demand, Event, IgnoredOption, Mailbox, Notice, SessionStatus, unused_mailbox};
use crate::handle::Handle;
use crate::options::{Options, PrivateFiles};
use crate::process::spawn;
use crate::store::StoreFlush;
use crate::telemetry::{Origin, Spans};
use crate::transport::Connection;
use agentwire_protocol::host::Host;
use attachments::Attachments;
use blocked::Blocked;
use driver::Driver;
use flow::Flow;
use incoming_requests::PendingCallbacks;
use life::Life;
use mirror::Mirror;
use notices::NoticeListener;
use process::Process;
use std::sync::{Arc, OnceLock};
use streams::Streams;
use succession::Succession;
use tokio::sync::{mpsc, watch};
use waiters::Waiters;

/// A session that was started.
pub(crate) struct Started {
    pub(crate) handle: Handle,
    pub(crate) mailbox: Mailbox,
    pub(crate) peers: Arc<Peers>,
}

/// Starts the tasks that drive a session over this connection.
pub(crate) fn start(
    connection: Connection,
    private: PrivateFiles,
    mut options: Options,
    ignored: Vec<IgnoredOption>,
    starter: Option<Starter>,
    known: Known,
    session_id: Option<&str>,
) -> Started {
    let (commands, inbox) = mpsc::unbounded_channel();
    let demand = Demand::default();
    let (sender, mailbox) = unused_mailbox(&demand);
    let end = End::default();
    let status = Arc::new(watch::Sender::new(SessionStatus::new(session_id)));
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
    let process = Process::new(connection, private, options.stderr.take());
    let peers = process.peers();
    let closer = Arc::new(Closer {
        peers: Arc::downgrade(&peers),
        finish: options.close.finish,
        mirrored,
        unlocked: OnceLock::new(),
    });
    let link = Link {
        commands,
        closer: Arc::clone(&closer),
        end: Arc::clone(&end),
        status: status.subscribe(),
        declared,
        demand: demand.clone(),
        store: store.clone(),
        request_timeout: options.request_timeout,
        spans: Spans::new(&status),
    };
    let handle = Handle::new(link, options.verbatim_prompts);
    let mut attachments = Attachments::default();
    if let Some(mirror) = mirror {
        attachments.push(mirror);
    }
    attachments.extend(known.attachments);
    if let Some(mut owned) = known.owned {
        let _ = closer.unlocked.set(owned.attached(&handle, has_home));
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
    process.attach(&handle);
    let blocked = known.messages.into_iter().map(|prompt| Blocked {
        prompt,
        origin: Origin::unknown(),
        progress: watch::channel(Progress::new()).0,
        has_room: None,
    });
    let mut streams = Streams::new(sender, flow.bound(), flow.room(true), driver::now());
    if let Some(callback) = options.on_notice {
        streams.listen(NoticeListener::start(callback));
    }
    let mut driver = Driver {
        host,
        process,
        commands: inbox,
        streams,
        flow,
        callbacks: PendingCallbacks::new(options.callbacks, handle.clone(), Arc::clone(&status)),
        waiters: Waiters::new(Arc::clone(&status), blocked.collect()),
        attachments,
        succession,
        life: Life::new(),
        status,
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
    }
}
