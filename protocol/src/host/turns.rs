//! Whether the session works or rests, and which user messages are not dealt
//! with yet.
//!
//! Three sources tell, and not every agent has all of them: session states,
//! the lifecycle of each message, and results. Results are never counted; one
//! ends the messages that it names. Only for an agent that names none and
//! reports no lifecycles a result ends everything that was sent before it.

use crate::frame::Frame;
use crate::message::{CommandLifecycle, Message, ResultMessage, SessionState, SystemMessage};
use std::collections::BTreeMap;

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// No turn runs and no message waits.
    Idle,
    /// A turn runs, or a message waits for its turn.
    Running,
    /// A turn waits for an answer of the host's.
    RequiresAction,
}

/// The session's turns, as far as the host can tell.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// User messages that the agent is not done with, and whether they have
    /// left.
    outstanding: BTreeMap<Box<str>, bool>,
    /// The last state that the agent reported, if it reports any.
    reported: Option<SessionState>,
    /// Whether a turn seems to run, for agents that do not report states.
    inferred_running: bool,
    /// Whether the agent reports what becomes of each message.
    has_lifecycles: bool,
    asks_open: bool,
    last: Option<Activity>,
}

impl Turns {
    pub(super) fn activity(&self) -> Activity {
        let running = match &self.reported {
            Some(state) => *state != SessionState::Idle,
            None => self.inferred_running,
        };
        if self.asks_open {
            Activity::RequiresAction
        } else if running || !self.outstanding.is_empty() {
            Activity::Running
        } else {
            Activity::Idle
        }
    }

    /// The activity, when it is another than the last time.
    pub(super) fn poll_change(&mut self, no_asks: bool) -> Option<Activity> {
        self.asks_open = !no_asks;
        let activity = self.activity();
        let before = self.last.replace(activity).unwrap_or(Activity::Idle);
        (activity != before).then_some(activity)
    }

    pub(super) fn submitted(&mut self, uuid: &str) {
        self.outstanding.insert(uuid.into(), false);
    }

    /// A message was handed to the pipe.
    pub(super) fn left(&mut self, uuid: &str) {
        if let Some(has_left) = self.outstanding.get_mut(uuid) {
            *has_left = true;
        }
    }

    pub(super) fn lost(&mut self, uuid: &str) {
        self.outstanding.remove(uuid);
    }

    /// The session is over: the messages that the agent was not done with.
    pub(super) fn end(&mut self) -> impl Iterator<Item = Box<str>> {
        self.inferred_running = false;
        self.reported = None;
        self.asks_open = false;
        self.last = Some(Activity::Idle);
        std::mem::take(&mut self.outstanding).into_keys()
    }

    /// A frame of the data plane came by.
    pub(super) fn saw(&mut self, frame: &Frame) {
        match (frame.kind(), frame.subtype()) {
            ("system", Some("session_state_changed")) => {
                if let Ok(Message::System(SystemMessage::SessionStateChanged(change))) =
                    frame.message()
                {
                    self.reported = Some(change.state);
                }
            }
            ("system", Some("init")) | ("assistant" | "stream_event", _) => {
                self.inferred_running = true;
            }
            ("command_lifecycle", _) => {
                if let Ok(CommandLifecycle {
                    command_uuid,
                    state,
                    ..
                }) = frame.read()
                {
                    self.has_lifecycles = true;
                    if state.is_final() {
                        self.outstanding.remove(&*command_uuid);
                    }
                }
            }
            ("result", _) => self.saw_result(frame),
            _ => {}
        }
    }

    /// A result came by in a line that was too long to keep.
    pub(super) fn lost_result(&mut self) {
        self.inferred_running = false;
        if !self.has_lifecycles {
            self.outstanding.retain(|_, has_left| !*has_left);
        }
    }

    fn saw_result(&mut self, frame: &Frame) {
        self.inferred_running = false;
        let named = match frame.read::<ResultMessage>() {
            Ok(ResultMessage {
                user_message_uuids: Some(uuids),
                ..
            }) => uuids,
            Ok(ResultMessage {
                user_message_uuid: Some(uuid),
                ..
            }) => vec![uuid],
            _ => vec![],
        };
        for uuid in &named {
            self.outstanding.remove(&**uuid);
        }
        if named.is_empty() && !self.has_lifecycles {
            self.outstanding.retain(|_, has_left| !*has_left);
        }
    }
}
