//! What a frame of the data plane says about the session.

use crate::content::ContentBlock;
use crate::frame::Frame;
use crate::json::Members;
use crate::message::{
    BackgroundTask, CommandLifecycle, Init, Message, SessionState, SystemMessage, TerminalReason,
    UserMessage,
};
use crate::permission::PermissionMode;

/// The capability of an agent that has a queue of its own.
const HAS_QUEUE: &str = "msg_lifecycle_v1";

/// What a frame says about the session. Read once, for whoever wants to know.
#[derive(Debug)]
pub(super) enum Sign {
    /// The agent says what it does.
    State(SessionState),
    /// A message has come further.
    Lifecycle(CommandLifecycle),
    /// A turn begins.
    Init(Box<Init>),
    /// The agent is about to ask its model, or something is set.
    Status {
        names: Vec<String>,
        mode: Option<PermissionMode>,
    },
    /// The model speaks.
    Talk,
    /// A turn is over.
    Result(Box<ResultSign>),
    /// A user message came back.
    Echo,
    /// A hook did not let a prompt through.
    Blocked,
    /// These run in the background, and no others.
    Background(Vec<BackgroundTask>),
    /// This began to run, or was moved, into the background.
    ToBackground(Box<BackgroundTask>),
    /// This began to run; whether in the background, the agent does not say.
    Task(Box<BackgroundTask>),
    /// A task is over. A turn may begin because of it.
    TaskOver { task_id: String },
    /// The session has this title.
    Title(String),
    /// Nothing.
    Nothing,
}

/// What the host has to know of a result. Each member is read alone: one that is
/// odd takes no other with it.
#[derive(Debug, Default)]
pub(super) struct ResultSign {
    /// Whether something went wrong: as it says, or else by its subtype.
    pub(super) is_error: bool,
    pub(super) is_success: bool,
    pub(super) terminal_reason: Option<TerminalReason>,
    /// Whether the API failed with an HTTP status.
    pub(super) has_api_status: bool,
    pub(super) session_id: Option<String>,
    /// The user messages that it says it belongs to; `None` when that cannot be
    /// read.
    pub(super) names: Option<Vec<String>>,
}

impl ResultSign {
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

    /// A line that was too long to be kept, of which this much is known.
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

impl Sign {
    /// Pieces of what the model says are not read: there are too many.
    pub(super) fn of(frame: &Frame) -> Self {
        match frame.kind() {
            "assistant" | "stream_event" | "partial_assistant" => Self::Talk,
            "user" => Self::Echo,
            "result" => Self::Result(Box::new(ResultSign::of(frame))),
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
        let Message::System(message) = frame.message() else {
            return Self::Nothing;
        };
        match message {
            SystemMessage::SessionStateChanged(change) if !change.state.as_str().is_empty() => {
                Self::State(change.state)
            }
            SystemMessage::Init(init) => Self::Init(init),
            SystemMessage::Status(status) => Self::Status {
                names: status.user_message_uuids.unwrap_or_default(),
                mode: status.permission_mode,
            },
            SystemMessage::Informational(line) => match line.prompt_submit_outcome {
                Some(it) if it.kind.as_deref() == Some("blocked_by_hook") => Self::Blocked,
                _ => Self::Nothing,
            },
            SystemMessage::BackgroundTasksChanged(mut change) => {
                change.tasks.retain(|task| !task.task_id.is_empty());
                Self::Background(change.tasks)
            }
            // Of what has no id the end would not be known.
            SystemMessage::TaskStarted(task) if task.task_id.is_empty() => Self::Nothing,
            SystemMessage::TaskUpdated(task) if task.task_id.is_empty() => Self::Nothing,
            SystemMessage::TaskStarted(task) if task.is_backgrounded != Some(false) => {
                let is_known = task.is_backgrounded.is_some();
                let task = Box::new(BackgroundTask {
                    task_id: task.task_id,
                    run_id: task.run_id,
                    task_type: task.task_type,
                    subagent_type: task.subagent_type,
                    description: task.description,
                    parent_task_id: task.parent_task_id,
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
                    task_id: task.task_id,
                    run_id: task.run_id,
                    task_type: None,
                    subagent_type: None,
                    description: task.patch.description,
                    parent_task_id: None,
                    ambient: None,
                    extra: Members::default(),
                }))
            }
            SystemMessage::TaskNotification(task) => Self::TaskOver {
                task_id: task.task_id,
            },
            SystemMessage::SessionTitleChanged(change) => Self::Title(change.title),
            _ => Self::Nothing,
        }
    }
}

/// Whether capabilities say that the agent has a queue.
pub(super) fn is_queue_named(capabilities: Option<&[String]>) -> bool {
    capabilities.is_some_and(|all| all.iter().any(|it| it == HAS_QUEUE))
}

/// The user messages that a frame says it belongs to.
pub(super) fn named(frame: &Frame) -> Vec<String> {
    let all = frame.member("user_message_uuids");
    let all = all.and_then(|it| it.read().ok());
    all.or_else(|| Some(vec![frame.member("user_message_uuid")?.read().ok()?]))
        .unwrap_or_default()
}

/// The tool calls that have their results in a `user` frame.
pub(super) fn tool_results(frame: &Frame) -> Vec<String> {
    let Ok(message) = frame.read::<UserMessage>() else {
        return vec![];
    };
    let results = message
        .blocks()
        .iter()
        .filter_map(ContentBlock::as_tool_result);
    results.map(|result| result.tool_use_id.clone()).collect()
}

/// Whether a frame is the agent's own, and not a sub-agent's.
pub(super) fn is_of_main_agent(frame: &Frame) -> bool {
    let parent = frame.member("parent_tool_use_id");
    parent.is_none_or(|parent| parent.read::<String>().is_err())
}
