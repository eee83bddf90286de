//! The turns of a thread.

use super::{
    Event, Frame, Machine, OfItem, OfRequest, OfStatus, OfTurn, Priority, Problem, Purpose,
    RequestError, Submission, SubmissionError, TIMEOUT, TurnEnd, TurnOutcome,
};
use agentwire_protocol::Json;
use agentwire_protocol::host::SubmissionState;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Instant;

/// An open thread.
#[derive(Debug, Default)]
pub(super) struct Thread {
    /// The queued messages, by priority.
    pub(super) queue: VecDeque<Submission>,
    /// The pending request to start a turn.
    pub(super) starting: Option<Starting>,
    /// The running turn.
    pub(super) turn: Option<Turn>,
    /// The turns that ended while the request to start one was pending.
    pub(super) ended: Vec<TurnEnd>,
    /// The interrupts that wait for the end of the turn.
    pub(super) interrupts: Vec<u64>,
}

#[derive(Debug)]
pub(super) struct Starting {
    /// The message that starts it. `None` for a compaction, and once a turn has read the message.
    pub(super) submission: Option<Submission>,
}

/// A running turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The ID of the turn, if known.
    id: Option<Box<str>>,
    /// Whether Codex has sent `turn/started`. Only then can it be interrupted.
    is_started: bool,
    /// Whether an interrupt was requested.
    is_interrupted: bool,
    /// Whether an interrupt for a message with the priority `now` failed. It is not retried.
    refuses_interrupt: bool,
    /// Whether Codex refused to steer it.
    refuses_steering: bool,
    /// The message that steers it, and the number of the request without a response.
    steering: Option<(u64, Submission)>,
    messages: Vec<Message>,
    /// The running commands: the IDs of the item and, if known, of the process.
    commands: Vec<(Box<str>, Option<Box<str>>)>,
}

/// A message that Codex has accepted for a turn.
#[derive(Debug)]
struct Message {
    submission: Submission,
    /// Whether it joined a running turn.
    steers: bool,
    /// Whether the turn has read it.
    is_read: bool,
}

impl Thread {
    pub(super) fn enqueue(&mut self, submission: Submission) {
        let priority = submission.priority;
        let place = self.queue.partition_point(|it| it.priority <= priority);
        self.queue.insert(place, submission);
    }

    /// Puts a message that no turn has read back in front of the queue of its priority.
    fn put_back(&mut self, submission: Submission) {
        let priority = submission.priority;
        let place = self.queue.partition_point(|it| it.priority < priority);
        self.queue.insert(place, submission);
    }

    pub(super) fn dequeue(&mut self, id: &str) -> Option<Submission> {
        let place = self.queue.iter().position(|it| &*it.id == id)?;
        self.queue.remove(place)
    }

    pub(super) fn has_ended(&self) -> bool {
        !self.ended.is_empty()
    }

    /// Returns the submissions that have not ended, with their final states for the case that Codex
    /// has ended.
    pub(super) fn abandoned(&self) -> Vec<(Box<str>, SubmissionState)> {
        let turn = self.turn.iter();
        let messages = turn.clone().flat_map(|it| &it.messages);
        let read = messages.map(|it| match it.is_read {
            true => (it.submission.id.clone(), SubmissionState::CutOff),
            false => (it.submission.id.clone(), SubmissionState::Unknown),
        });
        let starting = self.starting.iter().filter_map(|it| it.submission.as_ref());
        let sent = starting.chain(turn.filter_map(|it| Some(&it.steering.as_ref()?.1)));
        let sent = sent.map(|it| (it.id.clone(), SubmissionState::Unknown));
        let waiting = self.queue.iter();
        let waiting = waiting.map(|it| (it.id.clone(), SubmissionState::Lost));
        read.chain(sent).chain(waiting).collect()
    }
}

impl Turn {
    fn is(&self, turn_id: &str) -> bool {
        self.id.as_deref().is_none_or(|it| it == turn_id)
    }
}

impl Machine {
    /// Sends the messages and interrupts of a thread that can be sent now.
    pub(super) fn drive(&mut self, now: Instant, thread_id: &str) {
        let Some(thread) = self.threads.get_mut(thread_id) else {
            return;
        };
        if thread.starting.is_some() {
            return;
        }
        let Some(turn) = &mut thread.turn else {
            for interrupt in std::mem::take(&mut thread.interrupts) {
                let outcome = Ok(None);
                self.events
                    .push_back(Event::InterruptEnded { interrupt, outcome });
            }
            let Some(submission) = thread.queue.pop_front() else {
                return;
            };
            return self.start(now, thread_id, submission);
        };
        let first = thread.queue.front().map(|it| it.priority);
        let is_asked = !thread.interrupts.is_empty();
        if is_asked || first == Some(Priority::Now) {
            if turn.is_started
                && !turn.is_interrupted
                && (is_asked || !turn.refuses_interrupt)
                && let Some(turn_id) = turn.id.clone()
            {
                turn.is_interrupted = true;
                let params = json!({"threadId": thread_id, "turnId": turn_id}).to_string();
                let purpose = Purpose::Interrupt(thread_id.into(), turn_id);
                self.send(now, "turn/interrupt", &params, TIMEOUT, purpose, false);
            }
            return;
        }
        if first == Some(Priority::Next)
            && turn.steering.is_none()
            && !turn.refuses_steering
            && let Some(turn_id) = turn.id.clone()
            && let Some(submission) = thread.queue.pop_front()
        {
            let params = json!({
                "threadId": thread_id,
                "expectedTurnId": turn_id,
                "input": submission.input,
                "clientUserMessageId": submission.id,
            });
            let id = submission.id.clone();
            let params = params.to_string();
            let purpose = Purpose::Steer(thread_id.into());
            let request = self.send(now, "turn/steer", &params, TIMEOUT, purpose, false);
            let thread = self.threads.get_mut(thread_id);
            if let Some(turn) = thread.and_then(|it| it.turn.as_mut()) {
                turn.steering = Some((request, submission));
            }
            self.submission(thread_id, &id, SubmissionState::Written);
        }
    }

    fn start(&mut self, now: Instant, thread_id: &str, submission: Submission) {
        let mut params = match &submission.options {
            Value::Object(options) => Value::Object(options.clone()),
            _ => json!({}),
        };
        params["threadId"] = json!(thread_id);
        params["input"] = submission.input.clone();
        params["clientUserMessageId"] = json!(submission.id);
        let id = submission.id.clone();
        let purpose = Purpose::Start(thread_id.into());
        let params = params.to_string();
        self.send(now, "turn/start", &params, TIMEOUT, purpose, false);
        if let Some(thread) = self.threads.get_mut(thread_id) {
            let submission = Some(submission);
            thread.starting = Some(Starting { submission });
        }
        self.submission(thread_id, &id, SubmissionState::Written);
    }

    fn submission(&mut self, thread_id: &str, id: &str, state: SubmissionState) {
        self.events.push_back(Event::Submission {
            thread_id: thread_id.into(),
            id: id.into(),
            state,
        });
    }

    /// Handles the response to `turn/start`.
    pub(super) fn turn_accepted(
        &mut self,
        now: Instant,
        thread_id: &str,
        outcome: Result<Json, RequestError>,
    ) {
        let Some(thread) = self.threads.get_mut(thread_id) else {
            return;
        };
        let Some(starting) = thread.starting.take() else {
            return;
        };
        let ended = std::mem::take(&mut thread.ended);
        let Some(submission) = starting.submission else {
            // Its turn has read it.
            return self.drive(now, thread_id);
        };
        match outcome {
            Ok(result) => {
                let turn = result.member("turn").and_then(|it| it.member("id"));
                let turn_id: Option<Box<str>> = turn.and_then(|it| it.read().ok());
                let Some(turn_id) = turn_id else {
                    self.events.push_back(Event::Problem(Problem::NoTurn));
                    let error = RequestError::Refused(super::ErrorObject::new(
                        0,
                        "the response has no turn",
                    ));
                    let state = SubmissionState::Unknown;
                    self.submission_failed(thread_id, submission.id, state, error.into());
                    return self.drive(now, thread_id);
                };
                let mut message = Message {
                    submission,
                    steers: false,
                    is_read: false,
                };
                if let Some(end) = ended.into_iter().find(|it| it.turn_id == turn_id) {
                    for interrupt in std::mem::take(&mut thread.interrupts) {
                        let outcome = Ok(Some(end.clone()));
                        self.events
                            .push_back(Event::InterruptEnded { interrupt, outcome });
                    }
                    self.message_ended(message, &end);
                } else {
                    let turn = thread.turn.get_or_insert_default();
                    // Another turn ran, of which the machine did not know.
                    message.steers =
                        turn.id.as_ref() == Some(&turn_id) && !turn.messages.is_empty();
                    turn.id.get_or_insert(turn_id);
                    turn.messages.push(message);
                }
            }
            Err(RequestError::Refused(error)) if is_busy(&error) => {
                // Another turn runs, such as a compaction.
                if ended.is_empty() {
                    thread.turn.get_or_insert_default();
                }
                let id = submission.id.clone();
                thread.put_back(submission);
                self.submission(thread_id, &id, SubmissionState::Waiting);
            }
            Err(error) => {
                let state = match error {
                    RequestError::Refused(_) => SubmissionState::Refused,
                    _ => SubmissionState::Unknown,
                };
                self.submission_failed(thread_id, submission.id, state, error.into());
            }
        }
        self.drive(now, thread_id);
    }

    /// Handles the response to `turn/steer`.
    pub(super) fn steered(
        &mut self,
        now: Instant,
        thread_id: &str,
        request: u64,
        outcome: Result<Json, RequestError>,
    ) {
        let Some(thread) = self.threads.get_mut(thread_id) else {
            return;
        };
        // Otherwise the turn has read it, or has ended.
        let Some(turn) = thread.turn.as_mut() else {
            return;
        };
        let Some((_, submission)) = turn.steering.take_if(|it| it.0 == request) else {
            return;
        };
        let id = submission.id.clone();
        match outcome {
            Err(RequestError::Refused(_)) => {
                // The turn has ended, or cannot be steered. It starts the next turn.
                turn.refuses_steering = true;
                thread.put_back(submission);
                self.submission(thread_id, &id, SubmissionState::Waiting);
            }
            // If there is no response, the end of the turn shows whether it was read.
            outcome => {
                turn.messages.push(Message {
                    submission,
                    steers: true,
                    is_read: false,
                });
                if outcome.is_ok() {
                    self.submission(thread_id, &id, SubmissionState::Queued);
                }
            }
        }
        self.drive(now, thread_id);
    }

    /// Handles the refusal of `turn/interrupt`.
    pub(super) fn interrupt_failed(
        &mut self,
        now: Instant,
        thread_id: &str,
        turn_id: &str,
        error: RequestError,
    ) {
        let Some(thread) = self.threads.get_mut(thread_id) else {
            return;
        };
        // If the turn has ended meanwhile, that is what the interrupts report.
        let turn = thread.turn.as_mut();
        let Some(turn) = turn.filter(|it| it.id.as_deref() == Some(turn_id)) else {
            return;
        };
        let interrupts = std::mem::take(&mut thread.interrupts);
        turn.is_interrupted = false;
        turn.refuses_interrupt = interrupts.is_empty();
        for interrupt in interrupts {
            let outcome = Err(error.clone());
            self.events
                .push_back(Event::InterruptEnded { interrupt, outcome });
        }
        if !self.threads[thread_id].queue.is_empty() {
            self.drive(now, thread_id);
        }
    }

    pub(super) fn notification(&mut self, now: Instant, frame: Frame) {
        self.events.push_back(Event::Notification(frame.clone()));
        let Some(thread_id) = frame.thread_id() else {
            return;
        };
        self.learn_turn(now, thread_id, &frame);
        match frame.method() {
            "turn/started" => {
                let head = frame.head::<OfTurn<'_>>().turn.unwrap_or_default();
                if let Some(turn_id) = head.id {
                    self.turn_started(now, thread_id, &turn_id);
                }
            }
            "turn/completed" => {
                let head = frame.head::<OfTurn<'_>>().turn.unwrap_or_default();
                let end = TurnEnd {
                    thread_id: thread_id.into(),
                    turn_id: head.id.unwrap_or_default().into(),
                    outcome: TurnOutcome::from(&*head.status.unwrap_or_default()),
                    frame: frame.clone(),
                };
                self.turn_ended(now, end);
            }
            "item/started" | "item/completed" => self.item(now, thread_id, &frame),
            "serverRequest/resolved" => {
                let id = frame.head::<OfRequest>().request_id;
                if let Some(id) = id
                    && let Some(waiting) = self.incoming.remove(id.get())
                {
                    self.resolved(id.get().into(), waiting);
                }
            }
            "thread/status/changed" => {
                let status = frame.head::<OfStatus<'_>>().status.unwrap_or_default();
                let thread = self.threads.get_mut(thread_id);
                // Without an ID, a turn's end is not recognised by `turn/completed`.
                if let Some(thread) = thread
                    && matches!(status.kind.as_deref(), Some("idle" | "systemError"))
                    && thread.turn.take_if(|it| it.id.is_none()).is_some()
                {
                    self.drive(now, thread_id);
                }
            }
            "thread/closed" | "thread/archived" | "thread/deleted" => self.thread_closed(thread_id),
            _ => {}
        }
    }

    /// Records the ID of a turn whose start the machine has missed. Other frames may be about
    /// commands of earlier turns.
    fn learn_turn(&mut self, now: Instant, thread_id: &str, frame: &Frame) {
        let turn = self.threads.get(thread_id).and_then(|it| it.turn.as_ref());
        if matches!(frame.method(), "item/started" | "item/agentMessage/delta")
            && turn.is_some_and(|it| it.id.is_none())
            && let Some(turn_id) = frame.head::<OfTurn<'_>>().turn_id
        {
            self.turn_started(now, thread_id, &turn_id);
        }
    }

    fn turn_started(&mut self, now: Instant, thread_id: &str, turn_id: &str) {
        let Some(thread) = self.threads.get_mut(thread_id) else {
            return;
        };
        let turn = thread.turn.get_or_insert_default();
        if !turn.is(turn_id) {
            // Its end was not reported.
            let before = std::mem::take(turn);
            for interrupt in std::mem::take(&mut thread.interrupts) {
                let outcome = Ok(None);
                self.events
                    .push_back(Event::InterruptEnded { interrupt, outcome });
            }
            let lost = before.messages.into_iter().map(|it| it.submission.id);
            let lost: Vec<_> = lost.chain(before.steering.map(|it| it.1.id)).collect();
            for id in lost {
                let error = SubmissionError::NotRead;
                self.submission_failed(thread_id, id, SubmissionState::Unknown, error);
            }
        }
        if let Some(turn) = self
            .threads
            .get_mut(thread_id)
            .and_then(|it| it.turn.as_mut())
        {
            turn.id = Some(turn_id.into());
            turn.is_started = true;
        }
        self.drive(now, thread_id);
    }

    fn turn_ended(&mut self, now: Instant, end: TurnEnd) {
        self.events.push_back(Event::TurnEnded(end.clone()));
        self.resolve(|it| it.turn_id.as_ref() == Some(&end.turn_id));
        let thread_id = &*end.thread_id;
        let Some(thread) = self.threads.get_mut(thread_id) else {
            return;
        };
        if thread.starting.is_some() {
            thread.ended.push(end.clone());
        }
        let Some(turn) = thread.turn.take_if(|it| it.is(&end.turn_id)) else {
            return;
        };
        let interrupts = match thread.starting {
            // They are for the turn that starts.
            Some(_) if turn.messages.is_empty() => Vec::new(),
            _ => std::mem::take(&mut thread.interrupts),
        };
        if let Some((_, submission)) = turn.steering {
            // The response is not there yet. It can only be accepted by the turn that has ended.
            let id = submission.id.clone();
            thread.put_back(submission);
            self.submission(thread_id, &id, SubmissionState::Waiting);
        }
        // From the last, because each is put before the others.
        for message in turn.messages.into_iter().rev() {
            self.message_ended(message, &end);
        }
        for interrupt in interrupts {
            let outcome = Ok(Some(end.clone()));
            self.events
                .push_back(Event::InterruptEnded { interrupt, outcome });
        }
        // Others may have interrupted it.
        if end.outcome == TurnOutcome::Interrupted {
            let mut unknown = Vec::new();
            for (item_id, process_id) in turn.commands {
                match process_id {
                    Some(process_id) => self.terminate(now, thread_id, &process_id),
                    None => unknown.push(item_id),
                }
            }
            // Codex does not tell the process of a command that had to be approved.
            if !unknown.is_empty() {
                let method = "thread/backgroundTerminals/list";
                let params = json!({ "threadId": thread_id }).to_string();
                let purpose = Purpose::Commands(thread_id.into(), unknown);
                self.send(now, method, &params, TIMEOUT, purpose, true);
            }
        }
        self.drive(now, thread_id);
    }

    fn terminate(&mut self, now: Instant, thread_id: &str, process_id: &str) {
        let params = json!({"threadId": thread_id, "processId": process_id}).to_string();
        let method = "thread/backgroundTerminals/terminate";
        self.send(now, method, &params, TIMEOUT, Purpose::Terminate, true);
    }

    /// Terminates the commands of these items, if they are still running.
    pub(super) fn commands_listed(
        &mut self,
        now: Instant,
        thread_id: &str,
        items: &[Box<str>],
        list: &Json,
    ) {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Command {
            item_id: Box<str>,
            process_id: Box<str>,
        }
        let commands = list.member("data").and_then(|it| it.read().ok());
        let commands: Vec<Json> = commands.unwrap_or_default();
        for command in commands.iter().filter_map(|it| it.read::<Command>().ok()) {
            if items.contains(&command.item_id) {
                self.terminate(now, thread_id, &command.process_id);
            }
        }
    }

    /// Resolves the requests of Codex that no longer need a response.
    pub(super) fn resolve(&mut self, is_over: impl Fn(&super::Waiting) -> bool) {
        let mut over: Vec<_> = self.incoming.extract_if(|_, it| is_over(it)).collect();
        over.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        for (request_id, waiting) in over {
            self.resolved(request_id, waiting);
        }
    }

    fn message_ended(&mut self, message: Message, end: &TurnEnd) {
        let thread_id = &*end.thread_id;
        let id = message.submission.id.clone();
        let is_cut = matches!(end.outcome, TurnOutcome::Interrupted | TurnOutcome::Failed);
        match (message.is_read, message.steers) {
            (false, true) if is_cut => {
                // Codex drops it. It starts the next turn.
                if let Some(thread) = self.threads.get_mut(thread_id) {
                    thread.put_back(message.submission);
                }
                self.submission(thread_id, &id, SubmissionState::Waiting);
            }
            (false, true) => {
                let (state, error) = (SubmissionState::Unknown, SubmissionError::NotRead);
                self.submission_failed(thread_id, id, state, error);
            }
            (false, false) if end.outcome == TurnOutcome::Interrupted => {
                // Codex drops this one, too, and it is what was interrupted.
                let (state, error) = (SubmissionState::Cancelled, SubmissionError::NotRead);
                self.submission_failed(thread_id, id, state, error);
            }
            _ => {
                let state = match end.outcome {
                    TurnOutcome::Interrupted => SubmissionState::Interrupted,
                    _ => SubmissionState::Completed,
                };
                self.events.push_back(Event::SubmissionEnded {
                    thread_id: thread_id.into(),
                    id,
                    state,
                    outcome: Ok(end.clone()),
                });
            }
        }
    }

    /// Handles an item: a message that a turn has read, or a command.
    fn item(&mut self, now: Instant, thread_id: &str, frame: &Frame) {
        let head = frame.head::<OfItem<'_>>();
        let Some(thread) = self.threads.get_mut(thread_id) else {
            return;
        };
        let (Some(item), Some(turn_id)) = (head.item, head.turn_id) else {
            return;
        };
        match (item.kind.as_deref(), item.client_id) {
            (Some("userMessage"), Some(client_id)) => {
                let is_it = |it: &Submission| *it.id == *client_id;
                let turn = thread.turn.get_or_insert_default();
                if !turn.is(&turn_id) {
                    return;
                }
                let starting = thread.starting.as_mut();
                let sent = starting.and_then(|it| it.submission.take_if(|it| is_it(it)));
                turn.id.get_or_insert_with(|| turn_id.into());
                let steering = turn.steering.take_if(|it| is_it(&it.1));
                let sent = sent.or(steering.map(|it| it.1));
                turn.messages.extend(sent.map(|submission| Message {
                    submission,
                    steers: false,
                    is_read: false,
                }));
                let mut messages = turn.messages.iter_mut();
                let message = messages.find(|it| is_it(&it.submission) && !it.is_read);
                if let Some(message) = message {
                    message.is_read = true;
                    self.submission(thread_id, &client_id, SubmissionState::Started);
                    self.drive(now, thread_id);
                }
            }
            (Some("commandExecution"), _) => {
                let (Some(turn), Some(id)) = (&mut thread.turn, item.id) else {
                    return;
                };
                turn.commands.retain(|it| *it.0 != *id);
                if frame.method() == "item/started" {
                    let process_id = item.process_id.map(Into::into);
                    turn.commands.push((id.into(), process_id));
                }
            }
            _ => {}
        }
    }

    fn thread_closed(&mut self, thread_id: &str) {
        self.resolve(|it| it.thread_id.as_deref() == Some(thread_id));
        let Some(thread) = self.threads.remove(thread_id) else {
            return;
        };
        for (id, state) in thread.abandoned() {
            self.submission_failed(thread_id, id, state, SubmissionError::NoThread);
        }
        for interrupt in thread.interrupts {
            let outcome = Ok(None);
            self.events
                .push_back(Event::InterruptEnded { interrupt, outcome });
        }
    }
}

/// Returns whether the running turn prevents starting another one.
fn is_busy(error: &super::ErrorObject) -> bool {
    let data = error.data.as_ref().map_or("", Json::get);
    let texts = [error.message.as_str(), data];
    let mentions = |text: &&str| {
        text.contains("ActiveTurnNotSteerable") || text.contains("activeTurnNotSteerable")
    };
    texts.iter().any(mentions)
}
