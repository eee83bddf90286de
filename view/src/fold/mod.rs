//! Converts the messages and events of a session to changes.

mod agents;
mod calls;
mod notices;
mod prompts;
mod replies;
mod requests;
mod turns;

use crate::entry::{Activity, EntryId, NoticeKind};
use crate::input::Input;
use crate::view::View;
use agentwire_protocol::Message;
use agentwire_protocol::message::SystemMessage;
use calls::Calls;
use replies::Replies;
use std::collections::HashMap;

/// State that later messages need and that is not in the entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fold {
    replies: Replies,
    calls: Calls,
    /// The entries of background tasks, by task ID.
    tasks: HashMap<Box<str>, EntryId>,
    /// The entries of pending requests, by request ID.
    pub(crate) requests: HashMap<Box<str>, EntryId>,
    /// The notice about a request that is being retried.
    retry: Option<EntryId>,
    /// The notice about the last compaction, until its summary arrives.
    compaction: Option<EntryId>,
    /// The number of entries without an ID.
    numbered: u64,
    #[cfg(feature = "acp")]
    pub(crate) acp: crate::acp::Acp,
}

/// The maximum number of tasks and requests that a view follows at the same
/// time.
pub(crate) const FOLLOWED: usize = 4096;

impl View {
    pub(crate) fn fold(&mut self, input: &Input<'_>) {
        match input {
            Input::Message(message) => self.message(message),
            Input::Frame(frame) => self.message(&frame.message()),
            Input::Sent { uuid, message } => self.sent(uuid, message),
            Input::Delivery { uuid, state } => self.submission(uuid, *state),
            Input::Permission {
                request_id,
                request,
            } => self.permission(request_id, request),
            Input::Elicitation {
                request_id,
                request,
            } => self.elicitation(request_id, request),
            Input::Settled { request_id } => self.finish_request(request_id),
            Input::Activity(activity) => self.activity(*activity),
            Input::Problem(text) => {
                let id = self.numbered("problem");
                self.notice(id, None, NoticeKind::Warning, text, None);
            }
            Input::Ended(error) => self.ended(*error),
            #[cfg(feature = "acp")]
            Input::Acp(input) => self.acp(*input),
            Input::Nothing => {}
        }
    }

    fn message(&mut self, message: &Message) {
        match message {
            Message::StreamEvent(partial) => self.partial(partial),
            Message::Assistant(message) => self.reply(message),
            Message::User(message) => self.user(message),
            Message::Result(result) => self.result(result),
            Message::System(message) => self.system(message),
            Message::CommandLifecycle(lifecycle) => self.lifecycle(lifecycle),
            Message::RateLimitEvent(event) => self.rate_limit(event),
            Message::ConversationReset(reset) => self.clear(reset),
            _ => {}
        }
    }

    fn system(&mut self, message: &SystemMessage) {
        match message {
            SystemMessage::Init(init) => self.init(init),
            SystemMessage::Status(status) => self.status(status),
            SystemMessage::SessionStateChanged(state) => self.state(state),
            SystemMessage::SessionTitleChanged(title) => self.title(&title.title),
            SystemMessage::TaskStarted(task) => self.task_started(task),
            SystemMessage::TaskProgress(task) => self.task_progress(task),
            SystemMessage::TaskUpdated(task) => self.task_updated(task),
            SystemMessage::TaskNotification(task) => self.task_ended(task),
            message => self.system_notice(message),
        }
    }

    pub(crate) fn activity(&mut self, activity: Activity) {
        if self.session.activity != activity {
            let mut session = self.session.clone();
            session.activity = activity;
            self.session_changed(session);
        }
    }

    /// Returns an ID for an entry for which the agent has none.
    fn numbered(&mut self, kind: &str) -> EntryId {
        self.fold.numbered += 1;
        format!("{kind}/{}", self.fold.numbered).into()
    }

    pub(crate) fn id_or_number(&mut self, id: Option<&String>, kind: &str) -> EntryId {
        match id {
            Some(id) => id.as_str().into(),
            None => self.numbered(kind),
        }
    }
}
