//! Users that perform random operations on a session, and check that each of them ends.

use crate::FOR_EVER;
use crate::check::Wire;
use crate::log::Log;
use crate::pipe::pause;
use agentwire::callback::{BoxFuture, Response};
use agentwire::hook::HookCall;
use agentwire::permission::PermissionRequest;
use agentwire::protocol::control::SetModel;
use agentwire::protocol::hook::{HookEvent, HookOutput};
use agentwire::protocol::host::RequestFailure;
use agentwire::protocol::message::Priority;
use agentwire::protocol::permission::PermissionMode;
use agentwire::{
    EndReason, Error, Event, Handle, PermissionResult, SessionEnd, Submission, SubmissionState,
    UserMessage,
};
use agentwire_testing::Random;
use futures_core::Stream;
use serde_json::json;
use std::future::{Future, poll_fn};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// The shared state of a session's users.
#[derive(Clone)]
pub(crate) struct Users {
    pub(crate) log: Log,
    pub(crate) wire: Wire,
    pub(crate) handle: Handle,
    /// Whether there are no faults, and no close before everything has ended.
    pub(crate) has_no_faults: bool,
    /// Whether the users do not wait for the results of what they send.
    pub(crate) awaits_nothing: bool,
    /// The timeout of a request.
    pub(crate) request_timeout: Duration,
    pub(crate) waiting: Waiting,
    /// Calls that failed because the session has ended.
    pub(crate) refused: Arc<Mutex<Vec<Refused>>>,
    /// Messages that were written and reported as lost.
    pub(crate) lost: Arc<Mutex<Vec<String>>>,
    /// Messages whose sending was cancelled.
    pub(crate) unsent: Arc<Mutex<Vec<String>>>,
}

/// A call that failed because the session has ended.
pub(crate) struct Refused {
    pub(crate) made: Instant,
    pub(crate) reported: Instant,
    /// The reported end of the session.
    pub(crate) end: Arc<SessionEnd>,
}

/// The tasks that wait for an operation.
#[derive(Clone, Default)]
pub(crate) struct Waiting(Arc<Mutex<Vec<JoinHandle<()>>>>);

impl Waiting {
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.lock().unwrap().push(tokio::spawn(task));
    }

    /// Waits until all tasks have ended, including tasks that are spawned during the
    /// wait.
    pub(crate) async fn all(&self) {
        loop {
            let Some(task) = self.0.lock().unwrap().pop() else {
                return;
            };
            task.await.unwrap();
        }
    }
}

impl Users {
    /// Runs one user, from the first action to the last.
    pub(crate) async fn act(self, mut dice: Random, name: usize) {
        let mut sent: Vec<Submission> = Vec::new();
        for number in 0..dice.below(30) {
            if !dice.one_in(3) {
                sleep(pause(&mut dice)).await;
            }
            let what = dice.below(if self.awaits_nothing { 7 } else { 21 });
            self.log.note(format_args!("user {name} does {what}"));
            let made = Instant::now();
            match what {
                0..7 => {
                    let mut message = message(&mut dice);
                    // An agent may report nothing about a repeated ID, not even that it
                    // is idle, so nothing ends normally. Calm sessions use new IDs.
                    message.uuid = Some(match sent.last() {
                        Some(again) if !self.has_no_faults && dice.one_in(30) => {
                            again.uuid().to_owned()
                        }
                        _ => format!("message-{name}-{number}"),
                    });
                    let submission = self.handle.send(message);
                    self.watch_submission(submission.clone(), &mut dice);
                    sent.push(submission);
                }
                7..10 => {
                    let uuid = format!("patient-{name}-{number}");
                    self.send_when_room(uuid, &mut dice);
                }
                10 => self.watch(self.handle.set_model("m"), &mut dice),
                11 => {
                    let mode = PermissionMode::Plan;
                    self.watch(self.handle.set_permission_mode(mode), &mut dice);
                }
                12 => self.watch(self.handle.interrupt(), &mut dice),
                13 => self.watch(self.handle.interrupt_all(), &mut dice),
                14 => {
                    let pending = self.handle.request_raw("make_coffee", json!({"cups": 2}));
                    self.watch(pending, &mut dice);
                }
                15 if !sent.is_empty() => {
                    let submission = &sent[dice.below(sent.len())];
                    self.watch(submission.cancel(), &mut dice);
                }
                16 => {
                    let pending = self.handle.request(&SetModel::to("m"));
                    if dice.one_in(2) {
                        sleep(pause(&mut dice)).await;
                    }
                    pending.cancel();
                    self.watch_since(made, Duration::ZERO, pending, &mut dice);
                }
                17 => {
                    if let Err(error) = self.handle.outbound_queue().await {
                        self.check_error(made, &error);
                    }
                    if made.elapsed() > Duration::from_secs(3) {
                        self.log.report_problem("nobody says what is unwritten");
                    }
                }
                18 => {
                    // The duration of a turn is not limited.
                    let stopped = self.handle.interrupt().outcome();
                    self.watch_since(made, FOR_EVER, stopped, &mut dice);
                }
                19 => self.subscribe(&mut dice),
                _ => {}
            }
        }
    }

    /// Opens a subscription. Does not read it for a while, or reads it to its end.
    fn subscribe(&self, dice: &mut Random) {
        let stream = self.handle.subscribe();
        // The subscription ends with the session. A calm session waits for this task.
        if self.has_no_faults || dice.one_in(2) {
            let time = pause(dice);
            self.waiting.spawn(async move {
                sleep(time).await;
                drop(stream);
            });
        } else {
            self.read(stream, dice);
        }
    }

    /// Reads a stream to its end. A stream has at most one error.
    fn read(
        &self,
        mut stream: impl Stream<Item = Result<Event, Error>> + Send + Unpin + 'static,
        dice: &mut Random,
    ) {
        let this = self.clone();
        let mut own = dice.split();
        self.waiting.spawn(async move {
            let mut failed = false;
            loop {
                if own.one_in(10) {
                    sleep(pause(&mut own)).await;
                }
                let wanted = this.wire.want();
                let next = poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await;
                drop(wanted);
                let Some(event) = next else { break };
                if let Ok(event) = &event {
                    this.respond(event, &mut own);
                }
                if failed {
                    this.log
                        .report_problem("something comes behind the error of a stream");
                }
                failed = event.is_err();
            }
        });
    }

    /// Responds to a request in a stream: soon, late or twice. If the session may have faults,
    /// possibly not at all. Other users may respond to the same request.
    pub(crate) fn respond(&self, event: &Event, dice: &mut Random) {
        let Event::Request(pending) = event else {
            return;
        };
        let (what, late) = (dice.below(4), pause(dice));
        if what == 0 && !self.has_no_faults {
            return;
        }
        let (this, id) = (self.clone(), pending.request_id.clone());
        self.waiting.spawn(async move {
            sleep(late).await;
            for _ in 0..=usize::from(what == 1) {
                match this.handle.respond(&id, PermissionResult::allow()).await {
                    Ok(()) | Err(Error::NoPendingRequest { .. } | Error::Ended(_)) => {}
                    Err(error) => this
                        .log
                        .report_problem(format_args!("a response fails: {error}")),
                }
            }
        });
    }

    fn send_when_room(&self, uuid: String, dice: &mut Random) {
        let mut message = message(dice);
        message.uuid = Some(uuid.clone());
        let (this, mut own) = (self.clone(), dice.split());
        let request_timeout = dice.one_in(3).then(|| pause(dice));
        let made = Instant::now();
        self.waiting.spawn(async move {
            let wanted = this.wire.want();
            let sending = this.handle.send_when_room(message);
            let sent = match request_timeout {
                Some(request_timeout) => match timeout(request_timeout, sending).await {
                    Ok(sent) => sent,
                    Err(_) => return this.unsent.lock().unwrap().push(uuid),
                },
                None => sending.await,
            };
            drop(wanted);
            match sent {
                Ok(submission) => this.watch_submission(submission, &mut own),
                Err(error) => {
                    this.check_error(made, &error);
                    this.knows_the_end(&error).await;
                }
            }
        });
    }

    /// Checks that a caller that waited for room until the session ended receives the
    /// final reason, not the reason of the first broken pipe.
    async fn knows_the_end(&self, error: &Error) {
        let Error::Ended(told) = error else { return };
        let is_it = match self.handle.outbound_queue().await {
            Err(Error::Ended(end)) => Arc::ptr_eq(told, &end),
            _ => false,
        };
        if !is_it && told.reason != EndReason::Closed {
            self.log
                .report_problem("who waited for room does not know how the session ended");
        }
    }

    /// Waits for the end of a message, or drops it.
    fn watch_submission(&self, mut submission: Submission, dice: &mut Random) {
        if self.awaits_nothing {
            return;
        }
        if dice.one_in(4) {
            self.read(submission.turn(), dice);
        }
        if dice.one_in(4) {
            return;
        }
        let this = self.clone();
        let (by_steps, made) = (dice.one_in(3), Instant::now());
        // A message may be sent again, even after its end.
        let was_written = this.wire.has_message(submission.uuid());
        self.waiting.spawn(async move {
            let wanted = this.wire.want();
            let written = submission.written().await;
            let mut state = submission.state();
            if by_steps {
                while !state.is_end() {
                    let next = submission.changed().await;
                    if next < state {
                        this.log
                            .report_problem(format_args!("{next} after {state}"));
                    }
                    state = next;
                }
            }
            let end = submission.final_state().await;
            drop(wanted);
            this.log
                .note(format_args!("{} is {end}", submission.uuid()));
            if submission.state() != end {
                this.log
                    .report_problem("the end of a message is not its state");
            }
            match &written {
                Ok(()) if !this.wire.has_message(submission.uuid()) => {
                    this.log
                        .report_problem("a message is not as written as it says");
                }
                Ok(()) if end == SubmissionState::Lost => {
                    if this.has_no_faults {
                        this.log
                            .report_problem("a message is lost, and nothing broke");
                    }
                    let mut lost = this.lost.lock().unwrap();
                    lost.push(submission.uuid().to_owned());
                }
                Ok(()) => {}
                Err(Error::Withdrawn { .. }) if end == SubmissionState::Withdrawn => {}
                Err(error) if end == SubmissionState::Lost => {
                    if !was_written && this.wire.has_message(submission.uuid()) {
                        this.log
                            .report_problem("a message is written whole, and said not to be");
                    }
                    this.check_error(made, error);
                }
                Err(error) => this
                    .log
                    .report_problem(format_args!("{end}, but not written: {error}")),
            }
        });
    }

    /// Waits for a response, or drops it.
    fn watch<T>(
        &self,
        pending: impl Future<Output = Result<T, Error>> + Send + 'static,
        dice: &mut Random,
    ) {
        self.watch_since(Instant::now(), self.request_timeout, pending, dice);
    }

    /// Watches a call that was made at an earlier time and must end within a timeout from
    /// now.
    fn watch_since<T>(
        &self,
        made: Instant,
        within: Duration,
        pending: impl Future<Output = Result<T, Error>> + Send + 'static,
        dice: &mut Random,
    ) {
        let dropped_after = match dice.below(8) {
            0 => return,
            1 => Some(pause(dice)),
            _ => None,
        };
        let this = self.clone();
        self.waiting.spawn(async move {
            let begun = Instant::now();
            let _wanted = this.wire.want();
            let answer = match dropped_after {
                Some(request_timeout) => match timeout(request_timeout, pending).await {
                    Ok(answer) => answer,
                    Err(_) => return,
                },
                None => pending.await,
            };
            if begun.elapsed() > within + Duration::from_secs(3) {
                this.log
                    .report_problem("a request outlives its deadline, or its cancelling");
            }
            match answer {
                Ok(_) => this.log.note("a request is answered"),
                Err(error) => this.check_error(made, &error),
            }
        });
    }

    /// Checks whether an operation that was started at `made` may end with this error.
    fn check_error(&self, made: Instant, error: &Error) {
        self.log.note(format_args!("error: {error}"));
        match error {
            Error::Ended(end) => {
                self.refused.lock().unwrap().push(Refused {
                    made,
                    reported: Instant::now(),
                    end: Arc::clone(end),
                });
                if self.has_no_faults {
                    self.log
                        .report_problem("the session is over before all is done");
                }
            }
            Error::Request(failure) => match &**failure {
                RequestFailure::Refused { .. } | RequestFailure::Cancelled { .. } => {}
                RequestFailure::TimedOut { .. } if !self.has_no_faults => {}
                failure => self.log.report_problem(format_args!("failure: {failure}")),
            },
            Error::Full | Error::Withdrawn { .. } | Error::NotSupported { .. } => {}
            error => self.log.report_problem(format_args!("error: {error}")),
        }
    }
}

fn message(dice: &mut Random) -> UserMessage {
    let most = if dice.one_in(5) { 5_000 } else { 50 };
    let length = 1 + dice.below(most);
    let mut message = UserMessage::text("x".repeat(length));
    message.priority = match dice.below(6) {
        0 => Some(Priority::Now),
        1 => Some(Priority::Next),
        2 => Some(Priority::Later),
        _ => None,
    };
    message
}

/// Decides about a permission request, soon or late or never, or fails.
pub(crate) fn decide(
    dice: &Mutex<Random>,
    log: &Log,
    wire: &Wire,
    has_no_faults: bool,
    ask: PermissionRequest,
) -> BoxFuture<Response<PermissionResult>> {
    let mut dice = dice.lock().unwrap();
    let (what, late) = (dice.below(14), pause(&mut dice));
    let result = match dice.below(4) {
        0 => PermissionResult::deny("No."),
        _ => PermissionResult::allow(),
    };
    drop(dice);
    log.note(format_args!("{} is asked: {what}", ask.request_id));
    let call = Call {
        log: log.clone(),
        wire: wire.clone(),
        ask: ask.request_id.clone(),
        is_over: false,
    };
    // `resume_unwind` does not call the panic hook.
    match what {
        0 => {
            call.end(false);
            resume_unwind(Box::new("at once"))
        }
        1 => Box::pin(async {
            call.end(false);
            resume_unwind(Box::new("in the future"))
        }),
        2 => Box::pin(async move {
            // A callback may call the session.
            drop(ask.session.set_model("m").await);
            drop(ask.session.interrupt().await);
            call.end(false);
            result.into()
        }),
        // The response comes after the end of the callback.
        3 if !has_no_faults => Box::pin(async move {
            ask.cancelled.cancelled().await;
            call.end(true);
            result.into()
        }),
        4..7 => Box::pin(async move {
            let slept = ask.cancelled.run_until_cancelled(sleep(late)).await;
            call.end(slept.is_none());
            result.into()
        }),
        7..10 => {
            let responder = ask.later();
            tokio::spawn(async move {
                let slept = responder.cancelled().clone();
                let slept = slept.run_until_cancelled(sleep(late)).await;
                call.end(slept.is_none());
                let by_id = |id: &str| ask.session.respond(id, result.clone());
                match what {
                    7 => drop(responder),
                    8 => drop(responder.respond(result)),
                    // The second of the two responses is one too many.
                    _ => drop((
                        by_id(responder.request_id()),
                        responder.respond(result.clone()),
                    )),
                }
            });
            // The callback may end before or after the response.
            let pause = late * u32::try_from(what - 7).unwrap();
            Box::pin(async move {
                ask.cancelled.run_until_cancelled(sleep(pause)).await;
                Response::Later
            })
        }
        10 => Box::pin(async {
            call.end(false);
            Response::Failed("no idea".to_owned())
        }),
        _ => Box::pin(async {
            call.end(false);
            result.into()
        }),
    }
}

/// Registers a hook that responds, responds late or wrongly, or does not respond.
pub(crate) fn hooked(
    dice: &Mutex<Random>,
    log: &Log,
    wire: &Wire,
    has_no_faults: bool,
    call: HookCall<HookEvent>,
) -> BoxFuture<Result<HookOutput, &'static str>> {
    let mut dice = dice.lock().unwrap();
    let (what, late) = (dice.below(8), pause(&mut dice));
    drop(dice);
    log.note(format_args!("{} is a hook: {what}", call.request_id));
    let running = Call {
        log: log.clone(),
        wire: wire.clone(),
        ask: call.request_id.clone(),
        is_over: false,
    };
    let denial = call
        .event
        .tag()
        .and_then(|event| HookOutput::denial(&event.as_str().into(), "No."));
    Box::pin(async move {
        match what {
            0 => {
                running.end(false);
                resume_unwind(Box::new("in a hook"))
            }
            1 => {
                running.end(false);
                Err("no idea")
            }
            // The timeout of the hook expires.
            2 if !has_no_faults => {
                call.cancelled.cancelled().await;
                running.end(true);
                Ok(HookOutput::proceed())
            }
            3 => {
                let slept = call.cancelled.run_until_cancelled(sleep(late)).await;
                running.end(slept.is_none());
                Ok(HookOutput::proceed())
            }
            4 => {
                drop(call.session.reset_model().await);
                running.end(false);
                Ok(HookOutput::detach())
            }
            5 => {
                running.end(false);
                Ok(denial.unwrap_or_default())
            }
            _ => {
                running.end(false);
                Ok(HookOutput::proceed())
            }
        }
    })
}

/// A running callback.
struct Call {
    log: Log,
    wire: Wire,
    ask: Box<str>,
    is_over: bool,
}

impl Call {
    /// Records the end of the call, and whether it was cancelled.
    fn end(mut self, was_told: bool) {
        self.is_over = true;
        if was_told && self.wire.cancelled_for(&self.ask) > Duration::ZERO {
            self.log
                .report_problem("a callback learns late that nobody waits for it");
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.is_over {
            self.log.report_problem("a callback is cut off");
        }
    }
}
