//! The task that owns a session.

use super::alarm::Alarm;
use super::attachments::Attachments;
use super::flow::{Change, Flow};
use super::incoming_requests::{PendingCallbacks, Step};
use super::life::{self, Life};
use super::process::{self, PipeEvent, Process, ProcessEnd};
use super::streams::Streams;
use super::succession::Succession;
use super::waiters::Waiters;
use crate::attachment::{self, Action};
use crate::command::{Command, End};
use crate::event::{EndReason, Error, Event, SessionEnd, SessionStatus};
use agentwire_protocol::host::{Activity, Host, Transmit};
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};

/// The longest time to read output after the CLI's exit: another process that has the pipe open
/// may write too.
const DRAIN: Duration = Duration::from_secs(2);

/// The longest time to wait for attachments that defer a result, after the CLI's exit.
const DEFERRED: Duration = Duration::from_secs(10);

/// After a read of this size, the driver yields to other tasks.
const LARGE: usize = 16 * 1024;

/// The task that owns a session.
pub(super) struct Driver {
    pub(super) host: Host,
    pub(super) process: Process,
    pub(super) commands: mpsc::UnboundedReceiver<Box<Command>>,
    pub(super) streams: Streams,
    pub(super) flow: Flow,
    pub(super) callbacks: PendingCallbacks,
    pub(super) waiters: Waiters,
    pub(super) attachments: Attachments,
    pub(super) succession: Succession,
    pub(super) life: Life,
    pub(super) status: Arc<watch::Sender<SessionStatus>>,
    pub(super) end: End,
}

/// An external event.
pub(super) enum DriverEvent {
    Command(Box<Command>),
    Pipe(PipeEvent),
    Callback(Step),
    Attached(Action),
    Deadline,
    /// Input may be needed, or streams may have space.
    Demand,
}

impl Driver {
    /// Boxed, because a future stores its arguments twice.
    pub(super) async fn run(mut self: Box<Self>) {
        loop {
            let mut exit = self.drive_process().await;
            self.attachments.exited(exit).await;
            self.check_ownership();
            // Boxed, because a rare future would otherwise enlarge every session.
            if !Box::pin(self.restart(&mut exit)).await {
                return Box::pin(self.end_session(exit)).await;
            }
        }
    }

    /// Drives a process of the agent until it has exited or cannot be closed.
    async fn drive_process(&mut self) -> Option<ExitStatus> {
        let mut alarm = Alarm::new(now());
        self.attachments
            .observe(&attachment::AttachmentEvent::Started {
                pid: self.process.pid(),
                mark: self.process.mark(),
            });
        let exit = loop {
            self.process_pending();
            self.batch_writes();
            while let Some(outcome) = self.process.written_at_once().await {
                self.written(&outcome);
                self.process_pending();
                self.batch_writes();
            }
            while self.pause_or_resume() {
                self.process_pending();
            }
            self.retry_pending_sleeps();
            let sleeps_at = self.sleeps_at();
            alarm.set(self.next_timeout().into_iter().chain(sleeps_at).min());
            // While this process exits, commands are queued for the next one.
            let accepts_commands = !self.life.is_falling_asleep();
            let (reads, can_relay) = (!self.flow.is_paused(), self.host.has_room_to_relay());
            let buffer = self.host.buffer();
            let happened = tokio::select! {
                Some(command) = self.commands.recv(), if accepts_commands => DriverEvent::Command(command),
                event = self.process.next(buffer, reads) => DriverEvent::Pipe(event),
                step = self.callbacks.next(can_relay) => DriverEvent::Callback(step),
                action = self.attachments.next() => DriverEvent::Attached(action),
                () = alarm.rings() => DriverEvent::Deadline,
                () = self.flow.demand_changed(), if !reads => DriverEvent::Demand,
            };
            match happened {
                DriverEvent::Pipe(PipeEvent::Ended(ProcessEnd::Exited(exit))) => break exit,
                DriverEvent::Pipe(PipeEvent::Ended(ProcessEnd::StillAlive)) => {
                    self.life.change(life::Change::StillAlive);
                    break None;
                }
                DriverEvent::Pipe(PipeEvent::Read(Ok(length @ 1..))) => {
                    self.received();
                    if length >= LARGE {
                        // Lets the consumers of the streams run first.
                        tokio::task::yield_now().await;
                    }
                }
                DriverEvent::Pipe(PipeEvent::Read(_)) => {
                    self.host.handle_input_end(now());
                    self.pipe_closed(EndReason::OutputClosed);
                    self.process.output_ended();
                }
                DriverEvent::Pipe(PipeEvent::Written(outcome)) => self.written(&outcome),
                DriverEvent::Command(command) => self.handle_commands(*command),
                happened => self.handle(happened),
            }
        };
        self.report_written();
        if self.life.is_closed() {
            self.observe_last_exit();
        }
        Box::pin(self.drain()).await;
        exit
    }

    /// Adds queued user messages to the write that is about to begin.
    fn batch_writes(&mut self) {
        let Some(mut room) = self.process.room_behind() else {
            return;
        };
        let mut lines = Vec::new();
        while let Some(line) = self.host.poll_transmit_behind(room) {
            room -= line.len();
            lines.push(line);
        }
        if !lines.is_empty() {
            self.process.write_behind(&lines);
            // Reports them as handed over.
            self.process_pending();
        }
    }

    /// Handles the outcome of writing lines.
    fn written(&mut self, outcome: &io::Result<()>) {
        if outcome.is_ok() {
            return self.host.handle_written(now());
        }
        self.write_failed();
        self.pipe_closed(EndReason::InputClosed);
    }

    /// Reports that the remaining lines will not arrive.
    fn write_failed(&mut self) {
        self.report_written();
        self.host.handle_write_failed();
    }

    /// Reports the lines that the pipe has accepted completely. The agent may have read them even
    /// if they were not flushed.
    fn report_written(&mut self) {
        self.host
            .handle_partly_written(now(), self.process.written());
    }

    /// Parses the input that was read.
    fn received(&mut self) {
        while self.host.handle_received(now()) {
            self.process_pending();
        }
        process::share(self.host.buffer());
        self.process_pending();
    }

    /// Reports the last exit to the attachments.
    fn observe_last_exit(&mut self) {
        let exited = attachment::AttachmentEvent::Exited { is_last: true };
        self.attachments.observe(&exited);
    }

    /// Handles an event that is not an event of the process.
    pub(super) fn handle(&mut self, happened: DriverEvent) {
        match happened {
            DriverEvent::Command(command) => self.handle_command(*command),
            DriverEvent::Callback(step) => self.take(step),
            DriverEvent::Attached(action) => self.act(action),
            DriverEvent::Deadline => self.handle_deadlines(),
            // `pause_or_resume` decides later.
            DriverEvent::Demand | DriverEvent::Pipe(_) => {}
        }
    }

    /// Executes an action of an attachment.
    fn act(&mut self, action: Action) {
        match action {
            Action::Send(uuid) => {
                if self.attachments.may_send(&uuid) {
                    self.host.release(&uuid);
                }
            }
            Action::Retry => {
                for ask in self.attachments.take_deferred_requests() {
                    self.handle_request(ask);
                }
                if let Some(frame) = self.attachments.retry_deferred_result(self.life.is_lost()) {
                    self.streams.put(Event::Frame(frame));
                }
            }
            Action::Notify(notice) => self.streams.put(Event::Notice(notice)),
            // `process_pending` checks first.
            Action::Check => {}
        }
    }

    /// Ends the session if it may no longer act.
    fn check_ownership(&mut self) {
        if !self.attachments.may_act() {
            self.lose_session();
        }
    }

    /// Executes all pending actions of the state machine.
    pub(super) fn process_pending(&mut self) {
        loop {
            self.check_ownership();
            if !self.attachments.defer_events()
                && let Some(event) = self.host.poll_event()
            {
                self.deliver(event);
            } else if let Some(transmit) = self.host.poll_transmit() {
                match transmit {
                    Transmit::Line(line) => self.process.write(line),
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

    /// Pauses reading when a stream is full or a result is deferred. Resumes when there is space or
    /// something depends on further input. Returns whether either happened.
    fn pause_or_resume(&mut self) -> bool {
        let (now, is_wanted) = (now(), self.is_wanted());
        self.streams.at(now, self.flow.room(is_wanted));
        // The output of a killed agent is read to its end.
        let is_deferred = self.attachments.defer_events() && !self.life.is_lost();
        let change = self.flow.update(now, &self.streams, is_wanted, is_deferred);
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
        !self.life.is_active()
            || self.flow.is_wanted()
            || !self.host.is_connected()
            || self.host.awaits_response()
            || self.callbacks.servers_wait()
            || self.process.is_writing()
    }

    pub(super) fn next_timeout(&self) -> Option<Instant> {
        let of_life = self.life.poll_timeout();
        let all = [self.host.poll_timeout(), of_life, self.flow.poll_timeout()];
        all.into_iter().flatten().min()
    }

    fn handle_deadlines(&mut self) {
        let now = now();
        self.host.handle_timeout(now);
        self.flow.handle_timeout(now, &self.streams);
        if let Some(reason) = self.life.handle_timeout(now) {
            let has_messages = self.host.waiting().users > 0 || self.waiters.are_blocked();
            self.life.discards(has_messages);
            self.close_input(reason);
        }
        if self.sleeps_at().is_some_and(|at| at <= now) {
            self.fall_asleep(None);
        }
    }

    /// The CLI closed one of its pipes. Its exit usually follows and provides
    /// more information.
    fn pipe_closed(&mut self, reason: EndReason) {
        self.life.change(life::Change::PipeClosed(reason, now()));
    }

    /// Closes the CLI's input now, within an unfinished line if necessary. Unwritten messages are
    /// discarded.
    pub(super) fn close_input(&mut self, reason: EndReason) {
        let is_unwanted = matches!(
            reason,
            EndReason::Hung | EndReason::OutputClosed | EndReason::InputClosed
        );
        if !(is_unwanted && self.may_restart()) {
            self.host.end();
        }
        self.write_failed();
        self.input_closed(reason, true);
    }

    /// Another host owns the session, or may own it. Sends no more responses, and kills the agent
    /// with all its descendants.
    fn lose_session(&mut self) {
        if !self.life.lose() {
            return;
        }
        tracing::warn!("the session may no longer act: another host owns it");
        self.no_other_process();
        self.cancel_requests();
        self.callbacks.stop_servers();
        self.close_input(EndReason::OwnershipLost);
        self.process.kill();
    }

    /// Cancels all pending requests of the agent.
    pub(super) fn cancel_requests(&mut self) {
        self.callbacks.cancel_all();
        drop(self.attachments.take_deferred_requests());
    }

    /// The CLI's input is closed: the CLI must exit, or is killed.
    fn input_closed(&mut self, reason: EndReason, now: bool) {
        self.life.change(life::Change::InputClosed(reason));
        self.process.close(now);
    }

    /// Reads the remaining output after the CLI's exit, and delivers a deferred result.
    async fn drain(&mut self) {
        let until = now() + DRAIN;
        while self.process.has_output() && now() < until {
            let buffer = self.host.buffer();
            match self.process.read_rest(buffer).await {
                Some(_) => self.received(),
                None => break,
            }
        }
        if self.process.stop_reading() {
            self.host.handle_input_end(now());
        }
        self.process_pending();
        let until = tokio::time::Instant::now() + DEFERRED;
        while self.attachments.defer_events() {
            let next = tokio::time::timeout_at(until, self.attachments.next());
            match next.await {
                Ok(action) => self.act(action),
                Err(_) => {
                    let frame = self.attachments.take_deferred_result();
                    if let Some(frame) = frame.filter(|_| !self.life.is_lost()) {
                        self.streams.put(Event::Frame(frame));
                    }
                }
            }
            self.process_pending();
        }
    }

    /// Ends the session. Pending operations fail with the same reason.
    async fn end_session(mut self: Box<Self>, exit: Option<ExitStatus>) {
        let reason = match self.life.input_closed() {
            Some(EndReason::Closed) if self.failed_at_exit(exit) => EndReason::FailedAtExit,
            // The turn ended after its input was closed.
            Some(EndReason::CutOff)
                if self.host.activity() == Activity::Idle && !self.life.has_discarded() =>
            {
                EndReason::Closed
            }
            Some(reason) => reason,
            None => self.exit_reason(exit),
        };
        self.process.is_last();
        self.no_other_process();
        self.observe_last_exit();
        // Also needed if the CLI crashed.
        self.process.close(true);
        let stderr = self.process.shut_down().await;
        self.process.remove_files().await;
        let is_closed = matches!(reason, EndReason::Closed | EndReason::Dropped);
        let end = match self.succession.take_end() {
            // No other process could be started.
            Some(end) if !is_closed => end,
            _ => {
                let has_no_output =
                    reason == EndReason::ExitedBeforeFirstTurn && stderr.trim().is_empty();
                Arc::new(SessionEnd {
                    reason,
                    exit,
                    stderr,
                    suspects: match has_no_output {
                        true => self.process.take_suspects(),
                        false => Vec::new(),
                    },
                })
            }
        };
        let reason = end.reason;
        tracing::debug!(?reason, ?exit, "the session has ended");
        let end = Arc::clone(self.end.get_or_init(|| end));
        self.refuse_sleepers(&end);
        self.streams.session_ended(end.error());
        self.commands.close();
        while let Ok(command) = self.commands.try_recv() {
            self.refuse(*command, &end);
        }
        self.status.send_modify(|status| {
            status.is_closed = true;
            status.activity = Activity::Idle;
        });
        let ended = || Error::Ended(Arc::clone(&end));
        self.waiters.end_blocked(ended);
        self.host.handle_end();
        self.cancel_requests();
        self.callbacks.stop_servers();
        self.process_pending();
        self.waiters.end(ended);
        self.callbacks.spans().end();
        let streams = &mut self.streams;
        let deliver = |notice| streams.put(Event::Notice(notice));
        self.attachments.end(deliver).await;
        self.streams.end().await;
    }

    /// Returns the end reason of a session that the host did not close.
    pub(super) fn exit_reason(&self, exit: Option<ExitStatus>) -> EndReason {
        if exit.is_some() || self.process.pid().is_some() {
            match self.waiters.had_turn() {
                true => EndReason::Exited,
                false => EndReason::ExitedBeforeFirstTurn,
            }
        } else {
            EndReason::OutputClosed
        }
    }

    /// Returns whether the CLI exited with an unexplained failure status: no error in its last
    /// result, no interrupted turn, no signal from the host.
    fn failed_at_exit(&self, exit: Option<ExitStatus>) -> bool {
        exit.is_some_and(|exit| !exit.success())
            && !self.waiters.last_result_failed()
            && self.host.activity() == Activity::Idle
            && !self.process.was_signalled()
    }
}

/// Returns the time of the runtime's clock, which timers use too.
pub(super) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
