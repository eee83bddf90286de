//! Classifies frames of the data plane by their effect on the session's state.

use crate::frame::Frame;
use crate::json::Members;
use crate::message::{
    BackgroundTask, CommandLifecycle, Init, SessionState, SystemMessage, TerminalReason,
    UserMessage, look_at_system,
};
use crate::permission::PermissionMode;
use std::mem::take;

/// The capability of an agent that has its own queue.
const HAS_QUEUE: &str = "msg_lifecycle_v1";

/// The meaning of a frame for the session, which is computed once per frame.
#[derive(Debug)]
pub(super) enum FrameClass {
    /// The agent reports its state.
    State(SessionState),
    /// A message changed its delivery state.
    Lifecycle(CommandLifecycle),
    /// A turn starts.
    Init(Box<Init>),
    /// The agent is about to send a model request, or a setting changed.
    Status {
        names: Vec<String>,
        mode: Option<PermissionMode>,
    },
    /// Output of the model.
    ModelOutput,
    /// A turn has ended.
    Result(Box<ResultSummary>),
    /// An echoed user message.
    Echo,
    /// A hook blocked a prompt.
    Blocked,
    /// The current set of background tasks.
    Background(Vec<BackgroundTask>),
    /// A task started in the background, or was moved there.
    ToBackground(Box<BackgroundTask>),
    /// A task started. The agent does not report whether it is in the background.
    Task(Box<BackgroundTask>),
    /// A task has ended. A turn may follow.
    TaskEnded { task_id: String },
    /// The title of the session.
    Title(String),
    /// The frame does not change the state of the session.
    Nothing,
}

/// The fields of a result that the host needs. Each member is read separately,
/// so a malformed member does not affect the others.
#[derive(Debug, Default)]
pub(super) struct ResultSummary {
    /// Whether the turn failed, according to `is_error`, or else to the
    /// subtype.
    pub(super) is_error: bool,
    pub(super) is_success: bool,
    pub(super) terminal_reason: Option<TerminalReason>,
    /// Whether the API failed with an HTTP status.
    pub(super) has_api_status: bool,
    pub(super) session_id: Option<String>,
    /// The user messages that the result names. `None` if the member is
    /// malformed.
    pub(super) names: Option<Vec<String>>,
}

impl ResultSummary {
    fn of(frame: &Frame) -> Self {
        let members: Members = frame.read().unwrap_or_default();
        let has = |name: &str| members.get(name).is_some_and(|it| !it.is_null());
        let all = members.get("user_message_uuids");
        let all = all.filter(|all| !all.is_null());
        let one = || has("user_message_uuid").then(|| members.get_str("user_message_uuid"));
        Self {
            terminal_reason: members
                .get("terminal_reason")
                .and_then(|it| it.read().ok().flatten()),
            has_api_status: has("api_error_status"),
            session_id: members.get_str("session_id"),
            names: match (all, one()) {
                (Some(all), _) => all.read().ok(),
                (None, Some(one)) => one.map(|one| vec![one]),
                (None, None) => Some(vec![]),
            },
            ..Self::with(
                frame.subtype(),
                members.get("is_error").and_then(|it| it.read().ok()),
            )
        }
    }

    /// Creates the summary of a result that was too long and was discarded.
    pub(super) fn cut(subtype: Option<&str>) -> Self {
        Self::with(subtype, None)
    }

    fn with(subtype: Option<&str>, is_error: Option<bool>) -> Self {
        let is_success = subtype == Some("success");
        Self {
            is_error: is_error.unwrap_or(!is_success),
            is_success,
            ..Self::default()
        }
    }
}

impl FrameClass {
    /// Classifies a frame. For speed, stream events of the model are not
    /// parsed.
    pub(super) fn of(frame: &Frame) -> Self {
        match frame.kind() {
            "assistant" | "stream_event" | "partial_assistant" => Self::ModelOutput,
            "user" => Self::Echo,
            "result" => Self::Result(Box::new(ResultSummary::of(frame))),
            "command_lifecycle" => frame.read().map_or(Self::Nothing, Self::Lifecycle),
            "system" => Self::of_system(frame),
            _ => Self::Nothing,
        }
    }

    fn of_system(frame: &Frame) -> Self {
        if !matches!(
            frame.subtype(),
            Some(
                "session_state_changed"
                    | "init"
                    | "status"
                    | "informational"
                    | "background_tasks_changed"
                    | "task_started"
                    | "task_updated"
                    | "task_notification"
                    | "session_title_changed"
            )
        ) {
            return Self::Nothing;
        }
        let mut class = Self::Nothing;
        look_at_system(frame, &mut |message| class = Self::of_message(message));
        class
    }

    /// Classifies a system message. Moves the needed fields out of the message.
    fn of_message(message: &mut SystemMessage) -> Self {
        match message {
            SystemMessage::SessionStateChanged(change) if !change.state.as_str().is_empty() => {
                Self::State(change.state.clone())
            }
            SystemMessage::Init(init) => Self::Init(take(init)),
            SystemMessage::Status(status) => Self::Status {
                names: status.user_message_uuids.take().unwrap_or_default(),
                mode: status.permission_mode.take(),
            },
            SystemMessage::Informational(line) => match &line.prompt_submit_outcome {
                Some(it) if it.kind.as_deref() == Some("blocked_by_hook") => Self::Blocked,
                _ => Self::Nothing,
            },
            SystemMessage::BackgroundTasksChanged(change) => {
                change.tasks.retain(|task| !task.task_id.is_empty());
                Self::Background(take(&mut change.tasks))
            }
            // A task without an ID could never be matched with its end.
            SystemMessage::TaskStarted(task) if task.task_id.is_empty() => Self::Nothing,
            SystemMessage::TaskUpdated(task) if task.task_id.is_empty() => Self::Nothing,
            SystemMessage::TaskStarted(task) if task.is_backgrounded != Some(false) => {
                let is_known = task.is_backgrounded.is_some();
                let task = Box::new(BackgroundTask {
                    task_id: take(&mut task.task_id),
                    run_id: task.run_id.take(),
                    task_type: task.task_type.take(),
                    subagent_type: task.subagent_type.take(),
                    description: task.description.take(),
                    parent_task_id: task.parent_task_id.take(),
                    ambient: task.ambient,
                    extra: Members::default(),
                });
                match is_known {
                    true => Self::ToBackground(task),
                    false => Self::Task(task),
                }
            }
            SystemMessage::TaskUpdated(task) if task.patch.is_backgrounded == Some(true) => {
                Self::ToBackground(Box::new(BackgroundTask {
                    task_id: take(&mut task.task_id),
                    run_id: task.run_id.take(),
                    task_type: None,
                    subagent_type: None,
                    description: task.patch.description.take(),
                    parent_task_id: None,
                    ambient: None,
                    extra: Members::default(),
                }))
            }
            SystemMessage::TaskNotification(task) => Self::TaskEnded {
                task_id: take(&mut task.task_id),
            },
            SystemMessage::SessionTitleChanged(change) => Self::Title(take(&mut change.title)),
            _ => Self::Nothing,
        }
    }
}

/// Returns whether the capabilities say that the agent has a queue.
pub(super) fn is_queue_named(capabilities: Option<&[String]>) -> bool {
    capabilities.is_some_and(|all| all.iter().any(|it| it == HAS_QUEUE))
}

/// Returns the user messages that a frame names.
pub(super) fn named(frame: &Frame) -> Vec<String> {
    if !frame.has_messages() {
        return vec![];
    }
    let all = frame.member("user_message_uuids");
    let all = all.and_then(|it| it.read().ok());
    all.or_else(|| Some(vec![frame.member("user_message_uuid")?.read().ok()?]))
        .unwrap_or_default()
}

/// Returns the IDs of the tool calls with results in a `user` frame.
pub(super) fn tool_results(frame: &Frame) -> Vec<String> {
    let Ok(message) = frame.read::<UserMessage>() else {
        return vec![];
    };
    let results = message.tool_results();
    results.map(|result| result.tool_use_id.clone()).collect()
}

/// Returns whether a frame belongs to the main agent, not to a sub-agent.
pub(super) fn is_of_main_agent(frame: &Frame) -> bool {
    !frame.has_parent()
}
