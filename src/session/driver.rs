//! The task that owns a session's state machine.

use super::alarm::Alarm;
use super::asks::{Asks, Step};
use super::flow::{Change, Flow};
use super::mirror::Mirror;
use super::stderr::StderrTail;
use super::streams::Streams;
use super::transport::{Peer, Reader};
use super::writer::Writer;
use crate::command::{Command, Declared, End, OpenTurn, Out, Progress, Servers, TurnWatch};
use crate::event::{Demand, EndReason, Error, Event, Notice, SessionEnd};
use crate::options::PrivateFiles;
use crate::process::CloseStep;
use agentwire_protocol::control::Answer;
use agentwire_protocol::host::{Activity, Host, Prompt, Transmit};
use agentwire_protocol::sabotage::{Bug, is_on};
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::io;
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
const QUIET: Duration = Duration::from_millis(100);

/// How long output is read after the CLI's exit at most, because a process that
/// holds the pipe may write too.
const DRAIN: Duration = Duration::from_secs(2);

/// The task that owns a session's state machine.
pub(super) struct Driver {
    pub(super) host: Host,
    pub(super) peer: Arc<dyn Peer>,
    /// What the agent reads, if the peer does not keep it.
    pub(super) private: Option<PrivateFiles>,
    /// `None` after the CLI closed it.
    pub(super) reader: Option<Reader>,
    pub(super) writer: Writer,
    pub(super) stderr: Option<StderrTail>,
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
}

/// A message that waits for space in the outbound queue.
pub(super) struct Blocked {
    pub(super) prompt: Prompt,
    pub(super) progress: watch::Sender<Progress>,
    pub(super) has_room: oneshot::Sender<()>,
}

/// The stages of a session's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Open,
    /// The host is closing the session, until this time at most, if set.
    Finishing(Option<Instant>),
    /// The CLI closed its output or input, and must exit until this time.
    PipeClosed(EndReason, Instant),
    /// The CLI's input is closed for this reason. Unwritten messages are lost.
    InputClosed(EndReason),
}

/// An external event.
enum Happened {
    Command(Command),
    Read(io::Result<usize>),
    Written(io::Result<()>),
    CallbackDone(Step),
    ServersDid(Vec<Out>),
    NotMirrored(Notice),
    Gone(Option<ExitStatus>),
    GivenUp,
    TimeCame,
    Look,
}

impl Driver {
    pub(super) async fn run(mut self) {
        let mut buffer = vec![0; 64 * 1024];
        let peer = Arc::clone(&self.peer);
        let mut gone = peer.gone();
        let mut given_up = pin!(given_up(&*peer));
        let mut alarm = Alarm::new(now());
        let exit = loop {
            self.do_what_is_to_do();
            while self.pause_or_resume() {
                self.do_what_is_to_do();
            }
            alarm.set(self.next_timeout());
            let happened = tokio::select! {
                Some(command) = self.commands.recv() => Happened::Command(command),
                read = read(&mut self.reader, &mut buffer), if !self.flow.is_paused() => Happened::Read(read),
                written = self.writer.written() => Happened::Written(written),
                step = self.asks.next_done() => Happened::CallbackDone(step),
                outs = next_of(&mut self.mcp), if self.host.has_room_to_relay() => Happened::ServersDid(outs),
                notice = self.mirror.notice() => Happened::NotMirrored(notice),
                exit = &mut gone => Happened::Gone(exit),
                () = &mut given_up => Happened::GivenUp,
                () = alarm.rings() => Happened::TimeCame,
                () = self.demand.changed(), if self.flow.is_paused() => Happened::Look,
            };
            match happened {
                Happened::Command(command) => self.obey(command),
                Happened::Read(Ok(length @ 1..)) => {
                    self.host.handle_input(now(), &buffer[..length]);
                }
                Happened::Read(_) => {
                    self.reader = None;
                    self.host.handle_input_end(now());
                    self.pipe_closed(EndReason::OutputClosed);
                    self.peer.output_ended();
                }
                Happened::Written(Ok(())) => self.host.handle_written(now()),
                Happened::Written(Err(_)) => {
                    self.host.handle_write_failed();
                    self.pipe_closed(EndReason::InputClosed);
                }
                Happened::CallbackDone(step) => self.take(step),
                Happened::ServersDid(outs) => self.do_for_servers(outs),
                Happened::NotMirrored(notice) => self.streams.put(Event::Notice(notice)),
                Happened::Gone(exit) => break exit,
                Happened::GivenUp => {
                    self.stage = Stage::InputClosed(EndReason::StillAlive);
                    break None;
                }
                Happened::TimeCame => self.time_came(),
                // Whether reading resumes is decided after everything else.
                Happened::Look => {}
            }
        };
        self.drain(&mut buffer).await;
        self.over(exit).await;
    }

    /// Executes everything that the state machine requests.
    fn do_what_is_to_do(&mut self) {
        loop {
            if let Some(event) = self.host.poll_event() {
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

    /// Pauses reading the agent's output when a stream has too much unread, and
    /// resumes when enough was read or something depends on further input.
    /// Returns whether either happened.
    fn pause_or_resume(&mut self) -> bool {
        let (now, is_wanted) = (now(), self.is_wanted());
        self.streams.at(now, self.flow.room(is_wanted));
        let change = self.flow.update(now, &self.streams, is_wanted);
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
            || self.host.awaits_response() && !is_on(Bug::ResponseNotWanted)
            || self.mcp.as_ref().is_some_and(|it| it.await_responses())
            || self.writer.is_writing() && !is_on(Bug::WriteNotWanted)
            || self.demand.is_wanted() && !is_on(Bug::FutureNotWanted)
    }

    fn next_timeout(&self) -> Option<Instant> {
        let ceiling = match self.stage {
            Stage::Finishing(until) => until,
            Stage::PipeClosed(_, until) => Some(until),
            Stage::Open | Stage::InputClosed(_) => None,
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
        self.host.end();
        self.host.handle_write_failed();
        self.input_closed(reason, true);
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
            Stage::Open | Stage::Finishing(_) => EndReason::Closed,
        };
        Error::Ended(Arc::new(SessionEnd::closing(reason)))
    }

    /// Reads the remaining output after the CLI's exit.
    async fn drain(&mut self, buffer: &mut [u8]) {
        let until = now() + DRAIN;
        while self.reader.is_some() && now() < until {
            match tokio::time::timeout(QUIET, read(&mut self.reader, buffer)).await {
                Ok(Ok(length @ 1..)) => {
                    self.host.handle_input(now(), &buffer[..length]);
                    self.do_what_is_to_do();
                }
                _ => break,
            }
        }
        if self.reader.take().is_some() {
            self.host.handle_input_end(now());
        }
        self.do_what_is_to_do();
    }

    /// Ends the session, and all pending operations with the same reason.
    async fn over(mut self, exit: Option<ExitStatus>) {
        let reason = match self.stage {
            Stage::InputClosed(EndReason::Closed) if self.failed_at_exit(exit) => {
                EndReason::FailedAtExit
            }
            Stage::InputClosed(reason) => reason,
            Stage::Open | Stage::Finishing(_) | Stage::PipeClosed(..) => self.left(exit),
        };
        // Closes all processes of the session, also if the CLI crashed.
        self.peer.close(Box::new(self.writer.finish(true)));
        let _ = tokio::time::timeout(QUIET, self.writer.close()).await;
        let stderr = match &mut self.stderr {
            Some(stderr) => stderr.at_end().await,
            None => String::new(),
        };
        if let Some(private) = self.private.take() {
            // Removing files may take long. Without a runtime they go with this task.
            let _ = tokio::task::spawn_blocking(move || drop(private)).await;
        }
        let end = Arc::new(SessionEnd {
            reason,
            exit,
            stderr,
        });
        tracing::debug!(?reason, ?exit, "the session is over");
        let end = Arc::clone(self.end.get_or_init(|| end));
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
        self.asks.cancel_all();
        self.stop_servers();
        self.do_what_is_to_do();
        for (_, reply) in self.requests.drain() {
            drop(reply.send(Err(ended())));
        }
        for progress in self.lost.drain(..) {
            progress.send_modify(|it| it.end(ended()));
        }
        for notice in self.mirror.end().await {
            self.streams.put(Event::Notice(notice));
        }
        self.streams.end();
    }

    /// Returns why a session ended that the host did not close.
    fn left(&self, exit: Option<ExitStatus>) -> EndReason {
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
        self.peer.close(Box::new(|| ()));
    }
}

/// Returns the time of the runtime's clock, which timers use too.
pub(super) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Reads the CLI's output; pending forever after it is closed. Cancel safe.
async fn read(reader: &mut Option<Reader>, buffer: &mut [u8]) -> io::Result<usize> {
    match reader {
        Some(reader) => reader.read(buffer).await,
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
