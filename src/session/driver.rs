//! The task that owns a session's state machine.

use super::asks::{Asks, Reply};
use super::flow::Flow;
use super::stderr::StderrTail;
use super::streams::{Interest, Streams};
use super::writer::Writer;
use super::{Command, WhenFull};
use crate::error::{EndReason, Error, SessionEnd};
use crate::event::{Event, Notice};
use crate::handle::End;
use crate::mailbox::Sender;
use crate::submission::{Progress, Unwritten};
use crate::transport::{FarEnd, Reader};
use crate::turn::{Turn, TurnWatch};
use agentwire_protocol::control::Answer;
use agentwire_protocol::host::{
    self, Activity, Host, NotTaken, Prompt, RequestFailure, SubmissionState, Transmit, TurnEvent,
    TurnOutcome,
};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::sleep_until;

/// How long a CLI that closed its output may take to exit, which it is about
/// to do in most cases, before it is closed for that.
const EXIT: Duration = Duration::from_secs(2);

/// How long the pipe has to be quiet, once the CLI is gone, to be sure that
/// all that it wrote has been read. Something that it started may hold the
/// pipe open for ever.
const QUIET: Duration = Duration::from_millis(100);

/// How long is read at most once the CLI is gone: whoever holds the pipe may
/// write as well.
const DRAIN: Duration = Duration::from_secs(2);

/// The task that owns a session's state machine.
pub(super) struct Driver {
    pub(super) host: Host,
    pub(super) far_end: Arc<FarEnd>,
    /// `None` when the CLI closed it.
    pub(super) reader: Option<Reader>,
    pub(super) writer: Writer,
    pub(super) stderr: Option<StderrTail>,
    pub(super) commands: mpsc::UnboundedReceiver<Command>,
    pub(super) streams: Streams,
    pub(super) flow: Flow,
    pub(super) asks: Asks,
    pub(super) requests: HashMap<Box<str>, oneshot::Sender<Result<Answer, Error>>>,
    /// Who wants to know what becomes of messages, by the message's id, which
    /// a host that tries again may use twice.
    pub(super) submissions: HashMap<Box<str>, Vec<watch::Sender<Progress>>>,
    /// The turn that runs.
    pub(super) turn: Option<Turn>,
    /// The turn that runs, or ran last, for who wants to know of it.
    pub(super) turns: watch::Sender<Option<TurnWatch>>,
    /// Messages that were lost, while nobody knows yet how the session ended.
    pub(super) lost: Vec<watch::Sender<Progress>>,
    /// Messages that wait for room, in order.
    pub(super) blocked: VecDeque<Blocked>,
    pub(super) end: End,
    pub(super) stage: Stage,
    pub(super) last_result_failed: bool,
}

/// How far the session is with its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Open,
    /// The host wants to end it; until then at most, if there is a limit.
    Finishing(Option<Instant>),
    /// The CLI closed its output, or its input. It is to exit until then.
    PipeClosed(EndReason, Instant),
    /// The CLI's input is closed, for this reason. What was unwritten is lost.
    InputClosed(EndReason),
}

/// A message for which there was no room.
pub(super) struct Blocked {
    prompt: Prompt,
    progress: watch::Sender<Progress>,
    has_room: oneshot::Sender<()>,
}

/// What happened in the world outside.
enum Happened {
    Command(Command),
    Read(io::Result<usize>),
    Written(io::Result<()>),
    CallbackDone(Reply),
    Gone(Option<ExitStatus>),
    GivenUp,
    TimeCame,
    HasRoom,
}

impl Driver {
    pub(super) async fn run(mut self) {
        let mut buffer = vec![0; 64 * 1024];
        let far_end = Arc::clone(&self.far_end);
        let exit = loop {
            self.do_what_is_to_do();
            self.stop_or_go_on_reading();
            let due = self.next_timeout();
            let happened = tokio::select! {
                Some(command) = self.commands.recv() => Happened::Command(command),
                read = read(&mut self.reader, &mut buffer), if !self.flow.is_stopped => Happened::Read(read),
                written = self.writer.written() => Happened::Written(written),
                reply = self.asks.next_done() => Happened::CallbackDone(reply),
                exit = far_end.gone() => Happened::Gone(exit),
                () = far_end.given_up() => Happened::GivenUp,
                () = sleep(due) => Happened::TimeCame,
                () = self.streams.own.room(), if self.flow.is_stopped => Happened::HasRoom,
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
                    self.far_end.output_ended();
                }
                Happened::Written(Ok(())) => self.host.handle_written(now()),
                Happened::Written(Err(_)) => {
                    self.host.handle_write_failed();
                    self.pipe_closed(EndReason::InputClosed);
                }
                Happened::CallbackDone(reply) => self.reply(reply),
                Happened::Gone(exit) => break exit,
                Happened::GivenUp => {
                    self.stage = Stage::InputClosed(EndReason::StillAlive);
                    break None;
                }
                Happened::TimeCame => self.time_came(),
                // It is read on, as soon as all the rest is done.
                Happened::HasRoom => {}
            }
        };
        self.drain(&mut buffer).await;
        self.over(exit).await;
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Send {
                prompt,
                progress,
                when_full: WhenFull::Wait(has_room),
            } => self.blocked.push_back(Blocked {
                prompt,
                progress,
                has_room,
            }),
            Command::Send {
                prompt,
                progress,
                when_full: WhenFull::Fail,
            } => {
                self.submit(prompt, progress);
            }
            Command::Request {
                request,
                patience,
                reply,
            } => {
                // Whoever has read enough may ask at once.
                self.stop_or_go_on_reading();
                let request_id = request.request_id().into();
                match self.host.request(now(), request, patience) {
                    Ok(()) => drop(self.requests.insert(request_id, reply)),
                    Err(error) => drop(reply.send(Err(self.not_taken(error)))),
                }
            }
            Command::Cancel { request_id } => {
                self.host.cancel(&request_id);
            }
            Command::Subscribe { interest, sender } => self.subscribe(interest, sender),
            Command::Waiting { reply } => {
                // Whoever asked may have gone.
                let _ = reply.send(Unwritten::new(self.host.waiting(), now()));
            }
            Command::Finish { within, background } => {
                self.host.finish(now(), background);
                if within.is_some() {
                    self.flow.throw_away();
                }
                let until = within.and_then(|limit| now().checked_add(limit));
                // A limit that comes later holds all the same.
                if matches!(self.stage, Stage::Open | Stage::Finishing(None)) {
                    self.stage = Stage::Finishing(until);
                }
            }
            Command::End(reason) => {
                self.asks.cancel_all();
                self.close_input(reason);
            }
        }
    }

    fn subscribe(&mut self, interest: Interest, sender: Sender) {
        if let Interest::Turn(uuid) = &interest
            && !self.submissions.contains_key(uuid)
            && !self.streams.is_in_turn(uuid)
        {
            // It is over, or none will come.
            return sender.end(None);
        }
        self.streams.subscribe(interest, sender);
    }

    /// Says whether the message was taken.
    fn submit(&mut self, prompt: Prompt, progress: watch::Sender<Progress>) -> bool {
        let uuid: Box<str> = prompt.uuid().into();
        if let Err(error) = self.host.submit(now(), prompt) {
            progress.send_replace(Progress::failed(self.not_taken(error)));
            return false;
        }
        let all = self.submissions.entry(uuid).or_default();
        if let Some(earlier) = all.first() {
            let so_far = earlier.borrow().clone();
            progress.send_replace(so_far);
        }
        all.push(progress);
        true
    }

    /// Sends the first of the messages that wait for room, when there is some.
    /// Says whether there was one. When the session is about to end they wait
    /// until it is known how.
    fn submit_blocked(&mut self) -> bool {
        if matches!(self.stage, Stage::PipeClosed(..) | Stage::InputClosed(_)) {
            return false;
        }
        let is_next =
            |first: &Blocked| first.has_room.is_closed() || self.host.has_room(&first.prompt);
        if !self.blocked.front().is_some_and(is_next) {
            return false;
        }
        if let Some(Blocked {
            prompt,
            progress,
            has_room,
        }) = self.blocked.pop_front()
            && !has_room.is_closed()
        {
            // Nobody may listen any more: it is sent all the same.
            if self.submit(prompt, progress) {
                let _ = has_room.send(());
            }
        }
        true
    }

    fn not_taken(&self, error: NotTaken) -> Error {
        match error {
            NotTaken::Full => Error::Full,
            NotTaken::NotRead => Error::NotRead,
            _ => self.closing(),
        }
    }

    /// Everything that the machine wants done, until it wants nothing more.
    fn do_what_is_to_do(&mut self) {
        loop {
            if let Some(event) = self.host.poll_event() {
                self.deliver(event);
            } else if let Some(transmit) = self.host.poll_transmit() {
                match transmit {
                    Transmit::Line(line) => self.writer.write(line),
                    Transmit::End => self.input_closed(EndReason::Closed, false),
                }
            } else if !self.submit_blocked() {
                return;
            }
        }
    }

    /// Stops reading the CLI's output when the program has too much unread and
    /// wants that, and goes on when it has read enough, or wants to end.
    fn stop_or_go_on_reading(&mut self) {
        let is_in_use = self.host.is_connected() && !matches!(self.stage, Stage::InputClosed(_));
        match self.flow.update(&self.streams.own, is_in_use) {
            Some(true) => {
                self.host.handle_reading_stopped();
                self.do_what_is_to_do();
            }
            Some(false) => self.host.handle_reading_resumed(),
            None => {}
        }
    }

    fn deliver(&mut self, event: host::Event) {
        match event {
            host::Event::Frame(frame) => {
                self.streams.put(Event::Frame(frame));
            }
            host::Event::Turn(event) => {
                self.see_turn(&event);
                self.streams.put(Event::Turn(event));
            }
            host::Event::Session(news) => self.streams.put(Event::Session(news)),
            host::Event::Background(tasks) => self.streams.put(Event::Background(tasks)),
            host::Event::Ask(ask) => {
                let reply = self.asks.ask(ask);
                self.reply(reply);
            }
            host::Event::AskCancelled { request_id } => self.asks.cancel(&request_id),
            host::Event::Answered {
                request_id,
                outcome,
            } => {
                if let Some(reply) = self.requests.remove(&request_id) {
                    let outcome = outcome.map_err(|failure| self.request_error(failure));
                    drop(reply.send(outcome));
                }
            }
            host::Event::Submission { uuid, state } => self.tell_submission(uuid, state),
            host::Event::Activity(activity) => {
                tracing::trace!(?activity, "the session's activity changed");
                self.streams.put(Event::Activity(activity));
            }
            host::Event::Notice(notice) => {
                self.streams.put(Event::Notice(Notice::Wire(notice)));
            }
            _ => {}
        }
    }

    fn reply(&mut self, reply: Reply) {
        let notice = match reply {
            Reply::Line(request_id, line, notice) => {
                // An ask that was cancelled meanwhile gets no late answer.
                self.host.respond(&request_id, line);
                notice
            }
            Reply::Leave(request_id, notice) => {
                self.host.leave_unanswered(&request_id);
                Some(notice)
            }
            Reply::Tell(notice) => Some(notice),
            Reply::Later => None,
        };
        if let Some(notice) = notice {
            self.streams.put(Event::Notice(notice));
        }
    }

    /// Lets those know who wait for a turn.
    fn see_turn(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::Started { turn } => {
                let (turn, watch) = Turn::begin(*turn);
                self.turn = Some(turn);
                self.turns.send_replace(Some(watch));
            }
            TurnEvent::TookUp { uuid, .. } => {
                let turn = self.turns.borrow().clone();
                for progress in self.submissions.get(uuid).into_iter().flatten() {
                    progress.send_modify(|it| it.taken_up(turn.clone()));
                }
            }
            TurnEvent::Ended(end) => {
                self.last_result_failed = is_failure(end.outcome);
                if let Some(turn) = self.turn.take() {
                    turn.end(end);
                }
            }
            _ => {}
        }
    }

    /// A user message has come further.
    fn tell_submission(&mut self, uuid: Box<str>, state: SubmissionState) {
        let all = match self.submissions.entry(uuid.clone()) {
            Entry::Occupied(all) if state.is_end() => {
                if !self.streams.is_in_turn(&uuid) {
                    self.streams.no_turn(&uuid);
                }
                all.remove()
            }
            Entry::Occupied(all) => {
                for progress in all.get() {
                    progress.send_modify(|it| it.advance(state));
                }
                return;
            }
            Entry::Vacant(_) => vec![],
        };
        for progress in all {
            progress.send_modify(|it| it.advance(state));
            if state == SubmissionState::Lost {
                self.lost.push(progress);
            }
        }
        match state {
            SubmissionState::Withdrawn => {
                self.streams.put(Event::Notice(Notice::Withdrawn { uuid }));
            }
            SubmissionState::Lost => self.streams.put(Event::Notice(Notice::Lost { uuid })),
            _ => {}
        }
    }

    fn next_timeout(&self) -> Option<Instant> {
        let ceiling = match self.stage {
            Stage::Finishing(until) => until,
            Stage::PipeClosed(_, until) => Some(until),
            Stage::Open | Stage::InputClosed(_) => None,
        };
        [self.host.poll_timeout(), ceiling]
            .into_iter()
            .flatten()
            .min()
    }

    fn time_came(&mut self) {
        let now = now();
        self.host.handle_timeout(now);
        match self.stage {
            Stage::Finishing(Some(until)) if until <= now => self.close_input(EndReason::CutOff),
            Stage::PipeClosed(reason, until) if until <= now => self.close_input(reason),
            _ => {}
        }
    }

    /// The CLI closed one of its pipes: its exit follows in most cases, and
    /// says more.
    fn pipe_closed(&mut self, reason: EndReason) {
        if matches!(self.stage, Stage::Open | Stage::Finishing(_)) {
            self.stage = Stage::PipeClosed(reason, now() + EXIT);
        }
    }

    /// Closes the CLI's input now, in the middle of a line that is stuck if
    /// need be; what waits to be written is lost.
    fn close_input(&mut self, reason: EndReason) {
        self.host.end();
        self.host.handle_write_failed();
        self.input_closed(reason, true);
    }

    /// The CLI's input is closed: it is to exit, and is helped along if it
    /// does not.
    fn input_closed(&mut self, reason: EndReason, now: bool) {
        if !matches!(self.stage, Stage::InputClosed(_)) {
            self.stage = Stage::InputClosed(reason);
        }
        self.far_end.close(self.writer.finish(now));
    }

    /// What fails because the session takes nothing any more.
    fn closing(&self) -> Error {
        let reason = match self.stage {
            Stage::PipeClosed(reason, _) | Stage::InputClosed(reason) => reason,
            Stage::Open | Stage::Finishing(_) => EndReason::Closed,
        };
        Error::Ended(Arc::new(SessionEnd::closing(reason)))
    }

    /// The CLI is gone: reads what it had written.
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

    /// The session is over: everything that waits ends, with one reason.
    async fn over(mut self, exit: Option<ExitStatus>) {
        let reason = match self.stage {
            Stage::InputClosed(EndReason::Closed) if self.failed_at_exit(exit) => {
                EndReason::FailedAtExit
            }
            Stage::InputClosed(reason) => reason,
            Stage::Open | Stage::Finishing(_) | Stage::PipeClosed(..) => self.far_end.unasked(),
        };
        // Whatever the session started goes, also when the CLI crashed.
        self.far_end.close(self.writer.finish(true));
        let stderr = match &mut self.stderr {
            Some(stderr) => stderr.at_end().await,
            None => String::new(),
        };
        let end = Arc::new(SessionEnd {
            reason,
            exit,
            stderr,
        });
        tracing::debug!(?reason, ?exit, "the session is over");
        let end = Arc::clone(self.end.get_or_init(|| end));
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
        self.do_what_is_to_do();
        for (_, reply) in self.requests.drain() {
            drop(reply.send(Err(ended())));
        }
        for progress in self.lost.drain(..) {
            progress.send_modify(|it| it.end(ended()));
        }
        self.streams.end(end.error().as_ref());
    }

    /// A command that came when the session was over.
    fn refuse(&mut self, command: Command, end: &Arc<SessionEnd>) {
        match command {
            Command::Send {
                prompt, progress, ..
            } => {
                let uuid = prompt.uuid().into();
                self.streams.put(Event::Notice(Notice::Lost { uuid }));
                let error = Error::Ended(Arc::clone(end));
                progress.send_replace(Progress::failed(error));
            }
            Command::Request { reply, .. } => {
                drop(reply.send(Err(Error::Ended(Arc::clone(end)))));
            }
            Command::Subscribe { interest, sender } => self.subscribe(interest, sender),
            Command::Cancel { .. }
            | Command::Waiting { .. }
            | Command::Finish { .. }
            | Command::End(_) => {}
        }
    }

    /// Whether the CLI exited with a status that nothing explains: no error in
    /// its last result, no turn that was cut off, no signal of ours.
    fn failed_at_exit(&self, exit: Option<ExitStatus>) -> bool {
        exit.is_some_and(|exit| !exit.success())
            && !self.last_result_failed
            && self.host.activity() == Activity::Idle
            && !self.far_end.was_signalled()
    }

    fn request_error(&self, failure: RequestFailure) -> Error {
        match (failure, self.end.get()) {
            (RequestFailure::SessionEnded { .. }, Some(end)) => Error::Ended(Arc::clone(end)),
            (RequestFailure::NotRead { .. }, _) => Error::NotRead,
            (failure, _) => failure.into(),
        }
    }
}

impl Drop for Driver {
    /// The session is over, or its runtime is being shut down, or something
    /// here panicked: in any case nobody drives the CLI any more.
    fn drop(&mut self) {
        self.far_end.close(|| ());
    }
}

/// Whether a turn ended with an error result, after which a CLI may exit with
/// a status that is none.
fn is_failure(outcome: TurnOutcome) -> bool {
    matches!(
        outcome,
        TurnOutcome::Failed | TurnOutcome::ApiError | TurnOutcome::Interrupted
    )
}

/// The time, by the runtime's clock: it is also the one that sleeps.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Reads from the CLI; pending for ever when it closed its output. Cancel
/// safe.
async fn read(reader: &mut Option<Reader>, buffer: &mut [u8]) -> io::Result<usize> {
    match reader {
        Some(reader) => reader.read(buffer).await,
        None => std::future::pending().await,
    }
}

async fn sleep(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until.into()).await,
        None => std::future::pending().await,
    }
}
