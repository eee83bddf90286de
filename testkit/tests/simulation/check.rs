//! Invariants of a session.

use crate::coverage::{Coverage, outcome};
use agentwire_protocol::host::{Activity, HostEvent, SubmissionState, TurnEnd, TurnEvent};
use agentwire_protocol::outbox::Urgency;
use agentwire_testing::Random;
use bytes::Bytes;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The kind of a line that the host was asked to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    User(Urgency),
    Answer,
    Interrupt,
    /// A message that an MCP server starts.
    Mcp,
    Fence,
}

/// The owner of the queue of user messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueueOwner {
    Agent,
    Host,
    /// The host owns the queue until it detects that the agent has one.
    Detected,
}

/// The progress of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    Written,
    Ended,
}

pub(crate) struct Checks {
    queue_owner: QueueOwner,
    /// The index and the kind of each line that the host must send, by ID.
    calls: BTreeMap<String, (usize, Kind)>,
    /// The lines that the host has written, and whether `initialize` was
    /// pending.
    written: Vec<(usize, Kind, bool)>,
    pub(crate) is_initialized: bool,
    requests: BTreeMap<String, Progress>,
    submissions: BTreeMap<String, SubmissionState>,
    /// The number of messages that were written and are not finished.
    outstanding: usize,
    /// Pending permission requests.
    pub(crate) pending_permissions: BTreeSet<Box<str>>,
    /// Permission requests with a response.
    answered: BTreeSet<Box<str>>,
    /// Permission requests whose cancellation the host has read.
    cancelled_permissions: BTreeSet<String>,
    /// The agent's data frames, and how many of them were delivered.
    sent_frames: Vec<Bytes>,
    delivered: usize,
    turn: Option<Vec<Box<str>>>,
    turns: u64,
    /// The messages that each result of the agent answers, from the first
    /// result that was not delivered.
    results: VecDeque<Vec<String>>,
    /// Whether results list the IDs of their messages.
    pub(crate) results_list_ids: bool,
    /// Whether unwritten lines are lost, because the pipe broke or the user
    /// ended the session.
    pub(crate) may_lose: bool,
    /// Messages whose turn the host gave up before the agent reported the turn,
    /// because the agent was too slow.
    given_up: BTreeSet<String>,
    activity: Activity,
    pub(crate) coverage: Coverage,
}

impl Checks {
    pub(crate) fn new(queue_owner: QueueOwner) -> Self {
        Self {
            queue_owner,
            calls: BTreeMap::new(),
            written: vec![],
            is_initialized: false,
            requests: BTreeMap::new(),
            submissions: BTreeMap::new(),
            outstanding: 0,
            pending_permissions: BTreeSet::new(),
            answered: BTreeSet::new(),
            cancelled_permissions: BTreeSet::new(),
            sent_frames: vec![],
            delivered: 0,
            turn: None,
            turns: 0,
            results: VecDeque::new(),
            results_list_ids: true,
            may_lose: false,
            given_up: BTreeSet::new(),
            activity: Activity::Idle,
            coverage: Coverage::default(),
        }
    }

    pub(crate) fn called(&mut self, id: &str, kind: Kind) {
        let number = self.calls.len();
        self.calls.insert(id.to_owned(), (number, kind));
        match kind {
            Kind::User(_) => {
                self.submissions
                    .insert(id.to_owned(), SubmissionState::Waiting);
            }
            Kind::Answer => {
                self.answered.insert(id.into());
            }
            Kind::Mcp => {}
            Kind::Interrupt | Kind::Fence => {
                self.requests.insert(id.to_owned(), Progress::Waiting);
            }
        }
    }

    /// Returns a request that was made. It may have ended.
    pub(crate) fn some_request(&self, dice: &mut Random) -> Option<String> {
        // Without a response to `initialize`, nothing is ever written.
        let made = self.requests.keys().filter(|id| *id != "init");
        let made: Vec<&String> = made.collect();
        (!made.is_empty()).then(|| made[dice.below(made.len())].clone())
    }

    /// Returns a request without a response.
    pub(crate) fn some_open_request(&self) -> Option<&String> {
        let mut open = self
            .requests
            .iter()
            .filter(|(_, it)| **it == Progress::Written);
        open.next().map(|(id, _)| id)
    }

    /// Records a data frame of the agent.
    pub(crate) fn record_frame(&mut self, line: &Bytes) {
        self.sent_frames.push(line.slice(..line.len() - 1));
    }

    /// Records the result of a turn for these messages.
    pub(crate) fn result_is_for(&mut self, uuids: Vec<String>) {
        self.results.push_back(uuids);
    }

    /// Records that the host starts to write a line. `id` is the ID of the
    /// request or message in the line.
    pub(crate) fn written(&mut self, kind: &str, id: &str) -> Result<(), String> {
        if let Some(request @ Progress::Waiting) = self.requests.get_mut(id) {
            *request = Progress::Written;
        }
        if kind == "user" && self.queue_owner == QueueOwner::Host && self.outstanding > 0 {
            return Err(format!("{id} goes while another turn is outstanding"));
        }
        if kind == "control_response" && self.cancelled_permissions.contains(id) {
            return Err(format!("{id} is answered after it was cancelled"));
        }
        // Merged messages are recorded when they are handed over.
        if kind == "user" && self.queue_owner != QueueOwner::Agent {
            return Ok(());
        }
        self.in_order(id)
    }

    fn in_order(&mut self, id: &str) -> Result<(), String> {
        let Some(&(number, kind)) = self.calls.get(id) else {
            return Ok(());
        };
        let is_kept = self.queue_owner != QueueOwner::Agent;
        for &(earlier, other, was_held) in &self.written {
            if earlier == number {
                return Err(format!("{id} is written twice"));
            }
            if earlier < number {
                continue;
            }
            // Later lines are already in the pipe.
            let may_pass = match (kind, other) {
                (Kind::User(_), Kind::Interrupt | Kind::Answer | Kind::Mcp) => true,
                (Kind::User(_), Kind::Fence) => is_kept,
                (Kind::User(passed), Kind::User(other)) => {
                    // Some lines are written before the owner of the queue is
                    // detected.
                    other < passed || self.queue_owner == QueueOwner::Detected
                }
                (_, Kind::Answer) => was_held,
                _ => false,
            };
            if !may_pass {
                return Err(format!("{id} was passed by what was called later"));
            }
        }
        self.written.push((number, kind, !self.is_initialized));
        Ok(())
    }

    /// Records that the host has read a line.
    pub(crate) fn read(&mut self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        if line["type"] == "control_cancel_request" {
            let id = line["request_id"].as_str().unwrap();
            self.cancelled_permissions.insert(id.to_owned());
        }
    }

    pub(crate) fn check_event(&mut self, event: &HostEvent) -> Result<(), String> {
        self.coverage.event(event);
        match event {
            HostEvent::Frame(frame) => {
                let expected = self.sent_frames.get(self.delivered);
                if expected != Some(frame.raw()) {
                    return Err(format!("heard {frame:?} where {expected:?} was said"));
                }
                self.delivered += 1;
            }
            HostEvent::IncomingRequest(ask) => {
                let is_known = self.answered.contains(&ask.request_id);
                if is_known || !self.pending_permissions.insert(ask.request_id.clone()) {
                    return Err(format!("{} is asked twice", ask.request_id));
                }
            }
            HostEvent::IncomingRequestCancelled { request_id } => {
                let how = match self.pending_permissions.remove(request_id) {
                    true if self.cancelled_permissions.contains(&**request_id) => {
                        "open to cancelled"
                    }
                    true => "open to ended",
                    false => "answered to cancelled",
                };
                self.coverage.cover(format!("ask: {how}"));
            }
            HostEvent::RequestEnded {
                request_id,
                outcome: how,
            } => {
                let Some(progress) = self.requests.get_mut(&**request_id) else {
                    return Err(format!("{request_id} was never made"));
                };
                let from = match std::mem::replace(progress, Progress::Ended) {
                    Progress::Waiting => "waiting",
                    Progress::Written => "written",
                    Progress::Ended => return Err(format!("{request_id} ends twice")),
                };
                self.is_initialized |= &**request_id == "init";
                let how = outcome(how);
                if !(from == "waiting" && how == "answered") {
                    self.coverage.cover(format!("request: {from} to {how}"));
                }
            }
            HostEvent::Submission { uuid, state } => self.came_further(uuid, *state)?,
            HostEvent::Turn(turn) => self.turn(turn)?,
            HostEvent::Activity(activity) => {
                if *activity == self.activity {
                    return Err(format!("{activity:?} is told twice"));
                }
                self.coverage.activity(self.activity, *activity);
                self.activity = *activity;
            }
            _ => {}
        }
        Ok(())
    }

    fn came_further(&mut self, uuid: &str, state: SubmissionState) -> Result<(), String> {
        let Some(known) = self.submissions.get_mut(uuid) else {
            return Err(format!("{uuid} was never sent"));
        };
        if known.is_end() || state <= *known {
            return Err(format!("{uuid} is {state} after it was {known}"));
        }
        if state == SubmissionState::Lost && *known <= SubmissionState::Handed && !self.may_lose {
            return Err(format!("{uuid} is lost while it is {known}"));
        }
        self.coverage.message(*known, state);
        let had_left = *known > SubmissionState::Waiting;
        *known = state;
        match (had_left, state.is_end()) {
            (false, false) => self.outstanding += 1,
            (true, true) => self.outstanding -= 1,
            _ => {}
        }
        if state == SubmissionState::Interrupted && self.turn.is_none() {
            if self.queue_owner == QueueOwner::Agent {
                return Err(format!("{uuid} is interrupted, and no turn runs"));
            }
            self.given_up.insert(uuid.to_owned());
        }
        if state == SubmissionState::Handed && self.queue_owner != QueueOwner::Agent {
            self.in_order(uuid)?;
        }
        Ok(())
    }

    fn turn(&mut self, event: &TurnEvent) -> Result<(), String> {
        match event {
            TurnEvent::Started { turn } => {
                if self.turn.is_some() || *turn != self.turns + 1 {
                    return Err(format!("turn {turn} begins after {}", self.turns));
                }
                self.turns = *turn;
                self.turn = Some(vec![]);
            }
            TurnEvent::PickedUp { turn, uuid } => {
                let Some(messages) = self.turn.as_mut().filter(|_| *turn == self.turns) else {
                    return Err(format!("turn {turn} takes {uuid} up, and does not run"));
                };
                let how = if messages.is_empty() {
                    "one"
                } else {
                    "another"
                };
                self.coverage.cover(format!("turn: takes up {how}"));
                if self.submissions.get(&**uuid) != Some(&SubmissionState::Started) {
                    return Err(format!(
                        "turn {turn} takes {uuid} up, which has not started"
                    ));
                }
                messages.push(uuid.clone());
            }
            TurnEvent::Ended(end) => {
                self.coverage.turn_ended(end.outcome);
                if self.turn.take().as_ref() != Some(&end.messages) || end.turn != self.turns {
                    return Err(format!("turn {} ends, and did not run so", end.turn));
                }
                self.answers(end)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks that a turn answers the messages that its agent names.
    fn answers(&mut self, end: &TurnEnd) -> Result<(), String> {
        let Some(frame) = &end.frame else {
            let messages = end.messages.iter().map(ToString::to_string);
            self.given_up.extend(messages);
            return Ok(());
        };
        if self.sent_frames.get(self.delivered.wrapping_sub(1)) != Some(frame.raw()) {
            return Err(format!("turn {} ends with another's result", end.turn));
        }
        let Some(truth) = self.results.pop_front() else {
            return Err(format!("turn {} ends, and no result was said", end.turn));
        };
        let told: BTreeSet<&str> = end.messages.iter().map(|it| &**it).collect();
        // The host reported that the message was not written, but the agent
        // received it.
        let is_lost = |uuid: &&str| {
            self.given_up.contains(*uuid)
                || self.submissions.get(*uuid) == Some(&SubmissionState::Lost)
        };
        let truth = truth.iter().map(|it| &**it);
        let truth: BTreeSet<&str> = truth.filter(|it| !is_lost(it)).collect();
        if truth.is_empty() {
            self.coverage.cover("turn: of the agent's own");
        }
        let is_right = match (self.results_list_ids, self.queue_owner) {
            (true, QueueOwner::Agent) => told == truth,
            // A merged message has the ID of its first message.
            (true, _) => told.is_superset(&truth),
            // If the agent names no messages, one turn at a time is
            // unambiguous, unless the host gave up a turn. That shifts the
            // results.
            (false, QueueOwner::Host) => told.is_superset(&truth) || !self.given_up.is_empty(),
            (false, _) => true,
        };
        if !is_right {
            return Err(format!(
                "turn {} is told to answer {told:?}, and answers {truth:?}",
                end.turn
            ));
        }
        Ok(())
    }

    /// Checks the end of the input of a finished session.
    pub(crate) fn done(&self) -> Result<(), String> {
        if let Some(ask) = self.pending_permissions.first() {
            return Err(format!("the pipe is closed while {ask} is open"));
        }
        self.check_nothing_pending()
    }

    /// Checks that everything has ended, and that all output was delivered
    /// unless the pipe broke.
    pub(crate) fn check_end(&self, all_was_heard: bool) -> Result<(), String> {
        self.check_nothing_pending()?;
        if self.turn.is_some() {
            return Err(format!("turn {} runs for ever", self.turns));
        }
        if let Some(ask) = self.pending_permissions.first() {
            return Err(format!("{ask} is open for ever"));
        }
        if all_was_heard && self.delivered != self.sent_frames.len() {
            let unheard = &self.sent_frames[self.delivered];
            return Err(format!("{unheard:?} was never heard"));
        }
        Ok(())
    }

    /// Checks that nothing is pending.
    pub(crate) fn check_nothing_pending(&self) -> Result<(), String> {
        let mut requests = self.requests.iter();
        if let Some((id, _)) = requests.find(|(_, it)| **it != Progress::Ended) {
            return Err(format!("{id} never ends"));
        }
        if let Some((uuid, state)) = self.submissions.iter().find(|(_, it)| !it.is_end()) {
            return Err(format!("{uuid} is {state} for ever"));
        }
        Ok(())
    }
}
