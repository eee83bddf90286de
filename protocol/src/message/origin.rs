//! The origin of a user message or a turn, such as a user, another session or a
//! task.

use crate::open::{object, open_enum, union};

union! {
    /// The origin of a user message or a turn.
    pub enum MessageOrigin by "kind" {
        /// The user.
        "human" => Human(HumanOrigin),
        /// A channel of an MCP server.
        "channel" => Channel(ChannelOrigin),
        /// Another session or agent.
        "peer" => Peer(PeerOrigin),
        /// A finished task, or a schedule.
        "task-notification" => TaskNotification(TaskNotificationOrigin),
        /// The coordinator of a team of agents.
        "coordinator" => Coordinator(CoordinatorOrigin),
        /// An unknown origin.
        "unclassified" => Unclassified(UnclassifiedOrigin),
        /// An observing agent.
        "observer" => Observer(ObserverOrigin),
        /// The agent itself, in order to continue.
        "auto-continuation" => AutoContinuation(AutoContinuationOrigin),
        /// The activity of an observing agent.
        "observer-activity" => ObserverActivity(ObserverActivityOrigin),
    }
}

/// Declares the origins that have no data.
macro_rules! bare_origin {
    ($($(#$meta:tt)* $name:ident = $kind:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("kind" = $kind) {}
        }
    )*};
}

bare_origin! {
    /// The user.
    HumanOrigin = "human",
    /// The coordinator of a team of agents.
    CoordinatorOrigin = "coordinator",
    /// An unknown origin.
    UnclassifiedOrigin = "unclassified",
    /// The agent itself, in order to continue.
    AutoContinuationOrigin = "auto-continuation",
    /// The activity of an observing agent.
    ObserverActivityOrigin = "observer-activity",
}

object! {
    /// A channel of an MCP server.
    #[derive(Default)]
    pub struct ChannelOrigin tags("kind" = "channel") {
        /// The name of the server.
        pub server: Option<String>,
    }
}

object! {
    /// Another session or agent.
    #[derive(Default)]
    pub struct PeerOrigin tags("kind" = "peer") {
        /// The address of the sender.
        pub from: Option<String>,
        /// Whether the sender runs tools without permission requests.
        pub from_mode: Option<PeerMode> = "fromMode",
        /// The display name of the sender.
        pub name: Option<String>,
        /// The session of the sender, as the sender's host names it.
        pub from_session: Option<String> = "fromSession",
        /// The task of the sender, if it is a sub-agent of the same session.
        pub sender_task_id: Option<String> = "senderTaskId",
        /// The message, without its wrapping.
        pub body: Option<String>,
        /// The process ID of the sender, as verified by the operating system.
        pub verified_peer_pid: Option<u64> = "verifiedPeerPid",
    }
}

open_enum! {
    /// Whether a sender runs tools without permission requests.
    pub enum PeerMode {
        /// The sender runs tools without permission requests.
        Bypass = "bypass",
        /// The sender runs tools after permission requests.
        Prompting = "prompting",
    }
}

object! {
    /// A finished task, or a schedule.
    #[derive(Default)]
    pub struct TaskNotificationOrigin tags("kind" = "task-notification") {
        /// The kind of notification. `None` if it is about a task of this
        /// session.
        pub subkind: Option<TaskNotificationKind>,
        /// The reason why the schedule fired, such as `manual`.
        pub fire_reason: Option<String> = "fireReason",
        /// The ID of the task's run.
        pub run_id: Option<String> = "runId",
        /// The source of the notification, such as `session-task`.
        pub producer: Option<String>,
    }
}

open_enum! {
    /// The kind of a notification that is not about a task of this session.
    pub enum TaskNotificationKind {
        /// A schedule fired.
        ScheduledTrigger = "scheduled-trigger",
        /// Another session sent a message.
        PeerSendMessage = "peer-send-message",
        /// A relay between projects.
        ProjectsRelay = "projects-relay",
        /// A message in the session's inbox.
        SessionInbox = "session-inbox",
        /// An event outside the session, such as a webhook call.
        ExternalEvent = "external-event",
    }
}

object! {
    /// An observing agent.
    #[derive(Default)]
    pub struct ObserverOrigin tags("kind" = "observer") {
        /// The observing agent.
        pub from: Option<String>,
        /// The ID of the observing agent's task.
        pub sender_task_id: Option<String> = "senderTaskId",
    }
}
