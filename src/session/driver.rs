//! The task that owns a session's state machine.

use super::alarm::Alarm;
use super::asks::{Asks, Step};
use super::blocked::Blocked;
use super::claims::Claims;
use super::flow::{Change, Flow};
use super::inbox::Inbox;
use super::mirror::Mirror;
use super::owned::Owned;
use super::peers::Peers;
use super::stderr::StderrTail;
use super::streams::Streams;
use super::succession::Succession;
use super::transport::{Peer, Reader};
use super::writer::Writer;
use crate::command::{Command, Declared, End, OpenTurn, Out, Progress, Servers, TurnWatch};
use crate::event::{Demand, EndReason, Error, Event, Notice, SessionEnd};
use crate::options::{PrivateFiles, StderrCallback};
use crate::process::CloseStep;
use crate::store::{InboxEntry, PrivateHome};
use agentwire_protocol::Frame;
use agentwire_protocol::control::Answer;
use agentwire_protocol::host::{Activity, Ask, Host, Transmit};
use bytes::{BufMut, BytesMut};
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::io;
use std::ops::Range;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::sync::{mpsc, oneshot, watch};

/// How long a CLI that closed its output may take to exit before the host
/// closes it. In most cases it is about to exit.
const EXIT: Duration = Duration::from_secs(2);

/// How long the pipe must be quiet after the CLI's exit before all output
/// counts as read. A process started by the CLI may hold the pipe open forever.
pub(super) const QUIET: Duration = Duration::from_millis(100);

/// How long output is read after the CLI's exit at most, because a process that
/// holds the pipe may write too.
const DRAIN: Duration = Duration::from_secs(2);

/// How long a result waits for the store after the CLI's exit at most.
const HELD: Duration = Duration::from_secs(10);

/// How many bytes a read may take, at first and at most.
const ROOM: Range<usize> = 4 * 1024..64 * 1024;

/// The task that owns a session's state machine.
pub(super) struct Driver {
    pub(super) host: Host,
    pub(super) peer: Arc<dyn Peer>,
    /// The current process, for those who outlive it.
    pub(super) peers: Arc<Peers>,
    /// What the agent reads, if the peer does not keep it.
    pub(super) private: Option<PrivateFiles>,
    /// `None` after the CLI closed it.
    pub(super) reader: Option<Reader>,
    pub(super) writer: Writer,
    pub(super) stderr: Option<StderrTail>,
    /// Variables that can stop the CLI.
    pub(super) suspects: Vec<String>,
    pub(super) on_stderr: Option<StderrCallback>,
    pub(super) commands: mpsc::UnboundedReceiver<Command>,
    pub(super) streams: Streams,
    pub(super) flow: Flow,
    /// Pending operations that wait for input.
    pub(super) demand: Demand,
    /// `close` was called, so all remaining events will be read soon.
    pub(super) is_closing: bool,
    pub(super) asks: Asks,
    /// The in-process servers, if supported.
    pub(super) mcp: Option<Box<dyn Servers>>,
    pub(super) mirror: Mirror,
    /// A result that waits for the store. The events behind it wait too.
    pub(super) held: Option<Held>,
    /// The session, as far as it is locked.
    pub(super) owned: Option<Owned>,
    /// The session, as far as it is claimed in its store.
    pub(super) claims: Claims,
    /// The messages that were accepted, as the store knows them.
    pub(super) inbox: Inbox,
    /// Requests of the agent that wait for the store.
    pub(super) waiting_asks: Vec<Ask>,
    /// The configuration folder with the session, if it is a private one.
    pub(super) home: Option<Arc<PrivateHome>>,
    /// Whether the store is behind, and whether it lacks something for ever.
    pub(super) is_behind: bool,
    pub(super) is_missing: bool,
    /// Whether the session is not this host's any more.
    pub(super) is_lost: bool,
    pub(super) requests: HashMap<Box<str>, oneshot::Sender<Result<Answer, Error>>>,
    /// Observers of messages, by the message's ID, which a host may reuse when
    /// it retries.
    pub(super) submissions: HashMap<Box<str>, Vec<watch::Sender<Progress>>>,
    /// The running turn.
    pub(super) turn: Option<OpenTurn>,
    /// The running turn, or the last one, for observers.
    pub(super) turns: watch::Sender<Option<TurnWatch>>,
    /// The agent's declarations, for handles.
    pub(super) declared: Arc<Declared>,
    /// Messages that were never written, until the reason for the session's end
    /// is known.
    pub(super) lost: Vec<watch::Sender<Progress>>,
    /// Messages that wait for space, in order.
    pub(super) blocked: VecDeque<Blocked>,
    pub(super) end: End,
    pub(super) stage: Stage,
    pub(super) last_result_failed: bool,
    pub(super) succession: Succession,
}

/// A message that waits for the store.
pub(super) struct Held {
    pub(super) frame: Frame,
    pub(super) kept: oneshot::Receiver<Result<(), Error>>,
}

/// The stages of a session's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Open,
    /// The host is closing the session, until this time at most, if set.
    Finishing(Option<Instant>),
    /// The agent is put to sleep: its process is about to exit.
    FallingAsleep,
    /// The CLI closed its output or input, and must exit until this time.
    PipeClosed(EndReason, Instant),
    /// The CLI's input is closed for this reason. Unwritten messages are lost.
    InputClosed(EndReason),
}

/// An external event.
pub(super) enum Happened {
    Command(Command),
    Read(io::Result<usize>),
    Written(io::Result<()>),
    CallbackDone(Step),
    ServersDid(Vec<Out>),
    MirrorTold(Notice),
    /// What a message waits for is over, and whether the store has it.
    Held(bool),
    Gone(Option<ExitStatus>),
    GivenUp,
    ClaimChanged,
    /// The store has these.
    Accepted(Vec<InboxEntry>),
    TimeCame,
    Look,
}

impl Driver {
    pub(super) async fn run(mut self) {
        loop {
            let mut exit = self.process().await;
            if exit.is_some_and(|exit| exit.code().is_none())
                && Box::pin(self.claims.settled()).await
            {
                self.lose_session();
            }
            // Boxed, since what is rare would make room in each session for ever.
            if !Box::pin(self.next_process(&mut exit)).await {
                return Box::pin(self.over(exit)).await;
            }
        }
    }

    /// Drives a process of the agent until it is gone.
    async fn process(&mut self) -> Option<ExitStatus> {
        let mut room = ROOM.start;
        let peer = Arc::clone(&self.peer);
        let mut gone = peer.gone();
        let mut given_up = pin!(given_up(&*peer));
        let mut alarm = Alarm::new(now());
        self.feed();
        let exit = loop {
            self.do_what_is_to_do();
            while let Some(outcome) = self.writer.written_at_once().await {
                self.written(&outcome);
                self.do_what_is_to_do();
            }
            while self.pause_or_resume() {
                self.do_what_is_to_do();
            }
            self.look_at_drowsy();
            let sleeps_at = self.sleeps_at();
            alarm.set(self.next_timeout().into_iter().chain(sleeps_at).min());
            // Commands wait for the next process while this one exits.
            let obeys = self.stage != Stage::FallingAsleep;
            let happened = tokio::select! {
                Some(command) = self.commands.recv(), if obeys => Happened::Command(command),
                read = read(&mut self.reader, self.host.buffer_for(room), room), if !self.flow.is_paused() => Happened::Read(read),
                written = self.writer.written() => Happened::Written(written),
                step = self.asks.next_done() => Happened::CallbackDone(step),
                outs = next_of(&mut self.mcp), if self.host.has_room_to_relay() => Happened::ServersDid(outs),
                notice = self.mirror.notice() => Happened::MirrorTold(notice),
                is_kept = kept(&mut self.held) => Happened::Held(is_kept),
                () = self.claims.changed() => Happened::ClaimChanged,
                entries = self.inbox.next() => Happened::Accepted(entries),
                exit = &mut gone => Happened::Gone(exit),
                () = &mut given_up => Happened::GivenUp,
                () = alarm.rings() => Happened::TimeCame,
                () = self.demand.changed(), if self.flow.is_paused() => Happened::Look,
            };
            match happened {
                Happened::Gone(exit) => break exit,
                Happened::GivenUp => {
                    self.stage = Stage::InputClosed(EndReason::StillAlive);
                    break None;
                }
                Happened::Read(Ok(length @ 1..)) => {
                    room = room_after(room, length);
                    self.received();
                }
                Happened::Read(_) => {
                    self.reader = None;
                    self.host.handle_input_end(now());
                    self.pipe_closed(EndReason::OutputClosed);
                    self.peer.output_ended();
                }
                Happened::Written(outcome) => self.written(&outcome),
                Happened::Command(command) => self.obey_all(command),
                happened => self.handle(happened),
            }
        };
        if self.is_closed() && self.home.is_none() {
            // The agent writes no more.
            self.owned = None;
        }
        Box::pin(self.drain()).await;
        exit
    }

    /// Handles the outcome of writing a line.
    fn written(&mut self, outcome: &io::Result<()>) {
        if outcome.is_ok() {
            return self.host.handle_written(now());
        }
        self.host.handle_write_failed();
        self.pipe_closed(EndReason::InputClosed);
    }

    /// Handles what was read.
    fn received(&mut self) {
        while self.host.handle_received(now()) {
            self.do_what_is_to_do();
        }
        self.do_what_is_to_do();
    }

    /// Whether the session was closed, so that no other process follows.
    fn is_closed(&self) -> bool {
        use EndReason::{Closed, CutOff, Dropped, StillAlive};
        matches!(
            self.stage,
            Stage::InputClosed(Closed | CutOff | Dropped | StillAlive)
        )
    }

    /// Handles an event that is not one of a process.
    pub(super) fn handle(&mut self, happened: Happened) {
        match happened {
            Happened::Command(command) => self.obey(command),
            Happened::CallbackDone(step) => self.take(step),
            Happened::ServersDid(outs) => self.do_for_servers(outs),
            Happened::MirrorTold(notice) => self.mirror_told(notice),
            Happened::Held(is_kept) => self.let_go(is_kept),
            Happened::ClaimChanged => {
                self.feed();
                self.inbox.follow(&self.claims);
            }
            Happened::Accepted(entries) => self.accepted(&entries),
            Happened::TimeCame => self.time_came(),
            // Whether reading resumes is decided after everything else.
            Happened::Look
            | Happened::Read(_)
            | Happened::Written(_)
            | Happened::Gone(_)
            | Happened::GivenUp => {}
        }
    }

    /// Executes everything that the state machine requests.
    pub(super) fn do_what_is_to_do(&mut self) {
        loop {
            if self.claims.are_over() {
                self.lose_session();
            }
            if self.held.is_none()
                && let Some(event) = self.host.poll_event()
            {
                self.deliver(event);
            } else if let Some(transmit) = self.host.poll_transmit() {
                match transmit {
                    Transmit::Line(line) => self.writer.write(line),
                    Transmit::End => self.input_closed(EndReason::Closed, false),
                }
            } else {
                self.streams.hand_over();
                if !self.submit_blocked() {
                    return;
                }
            }
        }
    }

    /// Pauses reading the agent's output when a stream has too much unread or a result
    /// waits for the store, and resumes when enough was read or something depends on
    /// further input. Returns whether either happened.
    fn pause_or_resume(&mut self) -> bool {
        let (now, is_wanted) = (now(), self.is_wanted());
        self.streams.at(now, self.flow.room(is_wanted));
        let is_held = self.held.is_some();
        let change = self.flow.update(now, &self.streams, is_wanted, is_held);
        match change {
            Some(Change::Pauses) => self.host.handle_reading_paused(),
            Some(Change::Resumes) => self.host.handle_reading_resumed(now),
            None => {}
        }
        change.is_some()
    }

    /// Returns whether something depends on further input.
    fn is_wanted(&self) -> bool {
        // An agent that has closed one of its pipes is about to exit.
        let goes_on = matches!(self.stage, Stage::Open | Stage::Finishing(_));
        self.is_closing
            || !goes_on
            || !self.host.is_connected()
            || self.host.awaits_response()
            || self.mcp.as_ref().is_some_and(|it| it.await_responses())
            || self.writer.is_writing()
            || self.demand.is_wanted()
    }

    pub(super) fn next_timeout(&self) -> Option<Instant> {
        let ceiling = match self.stage {
            Stage::Finishing(until) => until,
            Stage::PipeClosed(_, until) => Some(until),
            Stage::Open | Stage::FallingAsleep | Stage::InputClosed(_) => None,
        };
        [self.host.poll_timeout(), ceiling, self.flow.poll_timeout()]
            .into_iter()
            .flatten()
            .min()
    }

    fn time_came(&mut self) {
        let now = now();
        self.host.handle_timeout(now);
        self.flow.handle_timeout(now, &self.streams);
        match self.stage {
            Stage::Finishing(Some(until)) if until <= now => self.close_input(EndReason::CutOff),
            Stage::PipeClosed(reason, until) if until <= now => self.close_input(reason),
            _ => {}
        }
        if self.sleeps_at().is_some_and(|at| at <= now) {
            self.fall_asleep(None);
        }
    }

    /// The CLI closed one of its pipes. Its exit usually follows and provides
    /// more information.
    fn pipe_closed(&mut self, reason: EndReason) {
        if matches!(self.stage, Stage::Open | Stage::Finishing(_)) {
            self.stage = Stage::PipeClosed(reason, now() + EXIT);
        }
    }

    /// Closes the CLI's input now, within an unfinished line if necessary.
    /// Unwritten messages are lost.
    pub(super) fn close_input(&mut self, reason: EndReason) {
        let is_unwanted = matches!(
            reason,
            EndReason::Hung | EndReason::OutputClosed | EndReason::InputClosed
        );
        if !(is_unwanted && self.may_restart()) {
            self.host.end();
        }
        self.host.handle_write_failed();
        self.input_closed(reason, true);
    }

    /// Tells what watches over the agent how long it may run.
    fn feed(&self) {
        if let Some(left) = self.claims.left().filter(|left| !left.is_zero()) {
            self.peer.kill_unless_fed(left);
        }
    }

    /// The session is another host's, or could be: nothing is answered any more, and the
    /// agent is killed with all that it has started.
    fn lose_session(&mut self) {
        if self.is_lost {
            return;
        }
        self.is_lost = true;
        tracing::warn!("the lease of the session is lost");
        self.no_other_process();
        self.cancel_asks();
        // What is not over is the next host's.
        self.inbox = Inbox::default();
        self.stop_servers();
        self.close_input(EndReason::LeaseLost);
        self.peer.kill();
    }

    /// Cancels all requests of the agent.
    pub(super) fn cancel_asks(&mut self) {
        self.asks.cancel_all();
        self.waiting_asks.clear();
    }

    /// Called when the CLI's input is closed: the CLI must exit, and is ended
    /// by force if it does not.
    fn input_closed(&mut self, reason: EndReason, now: bool) {
        if !matches!(self.stage, Stage::InputClosed(_)) {
            self.stage = Stage::InputClosed(reason);
        }
        self.peer.close(Box::new(self.writer.finish(now)));
    }

    /// Returns the error for operations on a session that is closing.
    pub(super) fn closing(&self) -> Error {
        let reason = match self.stage {
            Stage::PipeClosed(reason, _) | Stage::InputClosed(reason) => reason,
            Stage::Open | Stage::FallingAsleep | Stage::Finishing(_) => EndReason::Closed,
        };
        Error::Ended(Arc::new(SessionEnd::closing(reason)))
    }

    /// Reads the remaining output after the CLI's exit.
    async fn drain(&mut self) {
        let until = now() + DRAIN;
        while self.reader.is_some() && now() < until {
            let room = ROOM.end;
            let read = read(&mut self.reader, self.host.buffer_for(room), room);
            match tokio::time::timeout(QUIET, read).await {
                Ok(Ok(1..)) => self.received(),
                _ => break,
            }
        }
        if self.reader.take().is_some() {
            self.host.handle_input_end(now());
        }
        self.do_what_is_to_do();
        while let Some(held) = &mut self.held {
            let kept = tokio::time::timeout(HELD, &mut held.kept).await;
            self.let_go(matches!(kept, Ok(Ok(Ok(())))));
            self.do_what_is_to_do();
        }
    }

    /// Delivers the result that waited for the store; not that of a turn which another host
    /// knows nothing of that has the session now.
    fn let_go(&mut self, is_kept: bool) {
        // Why it is not there is told first.
        while let Some(notice) = self.mirror.try_notice() {
            self.mirror_told(notice);
        }
        if let Some(Held { frame, .. }) = self.held.take()
            && (is_kept || !self.is_lost)
        {
            self.streams.put(Event::Frame(frame));
        }
    }

    /// Delivers a notice of the mirror. The private files have what the store lacks, also
    /// if this program ends before they are put away.
    fn mirror_told(&mut self, notice: Notice) {
        match &notice {
            Notice::NotMirrored { key: Some(_), .. } => self.is_missing = true,
            Notice::StoreBehind { .. } => self.is_behind = true,
            Notice::StoreCaughtUp { .. } => self.is_behind = false,
            _ => {}
        }
        if let Some(home) = &self.home {
            home.keep(self.is_missing || self.is_behind);
        }
        self.streams.put(Event::Notice(notice));
    }

    /// Ends the session, and all pending operations with the same reason.
    async fn over(mut self, exit: Option<ExitStatus>) {
        let reason = match self.stage {
            Stage::InputClosed(EndReason::Closed) if self.failed_at_exit(exit) => {
                EndReason::FailedAtExit
            }
            Stage::InputClosed(reason) => reason,
            Stage::Open | Stage::FallingAsleep | Stage::Finishing(_) | Stage::PipeClosed(..) => {
                self.left(exit)
            }
        };
        self.peers.end();
        self.no_other_process();
        if self.home.is_none() {
            self.owned = None;
        }
        // Closes all processes of the session, also if the CLI crashed.
        self.peer.close(Box::new(self.writer.finish(true)));
        let _ = tokio::time::timeout(QUIET, self.writer.close()).await;
        let stderr = match &mut self.stderr {
            Some(stderr) => stderr.at_end().await,
            None => String::new(),
        };
        if self.home.is_none()
            && let Some(private) = self.private.take()
        {
            // Removing files may take long. Without a runtime they go with this task.
            let _ = tokio::task::spawn_blocking(move || drop(private)).await;
        }
        let is_closed = matches!(reason, EndReason::Closed | EndReason::Dropped);
        let end = match self.succession.take_end() {
            // No other process could be started.
            Some(end) if !is_closed => end,
            _ => {
                let is_silent =
                    reason == EndReason::ExitedBeforeFirstTurn && stderr.trim().is_empty();
                Arc::new(SessionEnd {
                    reason,
                    exit,
                    stderr,
                    suspects: match is_silent {
                        true => std::mem::take(&mut self.suspects),
                        false => Vec::new(),
                    },
                })
            }
        };
        let reason = end.reason;
        tracing::debug!(?reason, ?exit, "the session is over");
        let end = Arc::clone(self.end.get_or_init(|| end));
        self.refuse_sleepers(&end);
        self.streams.session_ended(end.error());
        self.commands.close();
        while let Ok(command) = self.commands.try_recv() {
            self.refuse(command, &end);
        }
        let ended = || Error::Ended(Arc::clone(&end));
        for Blocked { progress, .. } in self.blocked.drain(..) {
            progress.send_replace(Progress::failed(ended()));
        }
        self.host.handle_end();
        self.cancel_asks();
        self.stop_servers();
        self.do_what_is_to_do();
        for (_, reply) in self.requests.drain() {
            drop(reply.send(Err(ended())));
        }
        for progress in self.lost.drain(..) {
            progress.send_modify(|it| it.end(ended()));
        }
        let (notices, mirrored) = self.mirror.end().await;
        for notice in notices {
            self.mirror_told(notice);
        }
        let (private, home) = (self.private.take(), self.home.take());
        let is_missing = self.is_missing;
        if private.is_some() || home.is_some() {
            // Files may take long. Without a runtime they go with this task.
            let put_away = move || {
                if let Some(home) = home.filter(|_| is_missing) {
                    home.keep_transcripts();
                }
                drop(private);
            };
            let _ = tokio::task::spawn_blocking(put_away).await;
        }
        self.inbox.finish().await;
        self.claims.release().await;
        // Whoever opens the session finds what is here.
        self.owned = None;
        drop(mirrored);
        self.streams.end();
    }

    /// Returns why a session ended that the host did not close.
    pub(super) fn left(&self, exit: Option<ExitStatus>) -> EndReason {
        let began = self.turns.borrow().is_some();
        if exit.is_some() || self.peer.pid().is_some() {
            match began {
                true => EndReason::Exited,
                false => EndReason::ExitedBeforeFirstTurn,
            }
        } else {
            EndReason::OutputClosed
        }
    }

    /// Returns whether the CLI exited with an unexplained failure status: no
    /// error in its last result, no turn cut off, no signal from the host.
    fn failed_at_exit(&self, exit: Option<ExitStatus>) -> bool {
        exit.is_some_and(|exit| !exit.success())
            && !self.last_result_failed
            && self.host.activity() == Activity::Idle
            && !self.peer.was_signalled()
    }
}

impl Drop for Driver {
    /// The session is over, its runtime is shutting down, or the driver
    /// panicked. In each case the CLI is no longer driven.
    fn drop(&mut self) {
        self.peers.end();
        self.peer.close(Box::new(|| ()));
    }
}

/// How much to read next: more after a read that took all the room, so that a session
/// that says little holds little.
fn room_after(room: usize, length: usize) -> usize {
    match length {
        _ if length == room => ROOM.end.min(room * 2),
        _ if length < room / 4 => ROOM.start.max(room / 2),
        _ => room,
    }
}

/// Returns the time of the runtime's clock, which timers use too.
pub(super) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Waits until the store has what a message waits for, or will not have it soon. Returns
/// whether it has it. Cancel safe.
async fn kept(held: &mut Option<Held>) -> bool {
    match held {
        Some(held) => matches!((&mut held.kept).await, Ok(Ok(()))),
        None => std::future::pending().await,
    }
}

/// Reads the CLI's output, as much as there is room for; pending forever after it is
/// closed. Cancel safe.
async fn read(
    reader: &mut Option<Reader>,
    buffer: &mut BytesMut,
    room: usize,
) -> io::Result<usize> {
    match reader {
        Some(reader) => reader.read_buf(&mut buffer.limit(room)).await,
        None => std::future::pending().await,
    }
}

/// Waits for the next actions of servers. Cancel safe.
async fn next_of(servers: &mut Option<Box<dyn Servers>>) -> Vec<Out> {
    match servers {
        Some(servers) => poll_fn(|context| servers.poll_next(context)).await,
        None => std::future::pending().await,
    }
}

/// Waits until closing has failed. Cancel safe.
async fn given_up(peer: &dyn Peer) {
    match peer.closed().await {
        Some(report) if report.step == CloseStep::StillAlive => {}
        // It has exited, which is reported by `gone`.
        _ => std::future::pending().await,
    }
}
