//! What makes a user message or a turn: a person, another session, a task.

use crate::open::{object, open_enum, union};

union! {
    /// What made a user message or a turn.
    pub enum MessageOrigin by "kind" {
        /// A person.
        "human" => Human(HumanOrigin),
        /// Somebody on a channel of an MCP server.
        "channel" => Channel(ChannelOrigin),
        /// Another session or agent.
        "peer" => Peer(PeerOrigin),
        /// A task that is over, or a schedule.
        "task-notification" => TaskNotification(TaskNotificationOrigin),
        /// The one who coordinates a team of agents.
        "coordinator" => Coordinator(CoordinatorOrigin),
        /// It is not known.
        "unclassified" => Unclassified(UnclassifiedOrigin),
        /// An agent that watches.
        "observer" => Observer(ObserverOrigin),
        /// The agent itself, so that it goes on.
        "auto-continuation" => AutoContinuation(AutoContinuationOrigin),
        /// What an agent that watches did.
        "observer-activity" => ObserverActivity(ObserverActivityOrigin),
    }
}

/// Some origins are only a kind.
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
    /// A person.
    HumanOrigin = "human",
    /// The one who coordinates a team of agents.
    CoordinatorOrigin = "coordinator",
    /// It is not known.
    UnclassifiedOrigin = "unclassified",
    /// The agent itself, so that it goes on.
    AutoContinuationOrigin = "auto-continuation",
    /// What an agent that watches did.
    ObserverActivityOrigin = "observer-activity",
}

object! {
    /// Somebody on a channel of an MCP server.
    #[derive(Default)]
    pub struct ChannelOrigin tags("kind" = "channel") {
        /// The server.
        pub server: Option<String>,
    }
}

object! {
    /// Another session or agent.
    #[derive(Default)]
    pub struct PeerOrigin tags("kind" = "peer") {
        /// The sender's address.
        pub from: Option<String>,
        /// Whether the sender's tools run without anybody being asked.
        pub from_mode: Option<PeerMode> = "fromMode",
        /// The sender's name, for people.
        pub name: Option<String>,
        /// The sender's session, as its host calls it.
        pub from_session: Option<String> = "fromSession",
        /// The sender's task, when it is a sub-agent of the same session.
        pub sender_task_id: Option<String> = "senderTaskId",
        /// What it said, without what is wrapped around it.
        pub body: Option<String>,
        /// The process that delivered it, as the system says.
        pub verified_peer_pid: Option<u64> = "verifiedPeerPid",
    }
}

open_enum! {
    /// Whether a sender's tools run without anybody being asked.
    pub enum PeerMode {
        /// They do.
        Bypass = "bypass",
        /// Somebody is asked.
        Prompting = "prompting",
    }
}

object! {
    /// A task that is over, or a schedule.
    #[derive(Default)]
    pub struct TaskNotificationOrigin tags("kind" = "task-notification") {
        /// What it is, when it is not a task of this session.
        pub subkind: Option<TaskNotificationKind>,
        /// Why the schedule fired, such as `manual`.
        pub fire_reason: Option<String> = "fireReason",
        /// The task's run.
        pub run_id: Option<String> = "runId",
        /// Who made the notification, such as `session-task`.
        pub producer: Option<String>,
    }
}

open_enum! {
    /// What a notification is, when it is not about a task of this session.
    pub enum TaskNotificationKind {
        /// A schedule fired.
        ScheduledTrigger = "scheduled-trigger",
        /// Another session sent a message.
        PeerSendMessage = "peer-send-message",
        /// It was passed on between projects.
        ProjectsRelay = "projects-relay",
        /// It lay in the session's inbox.
        SessionInbox = "session-inbox",
        /// The server reports an event outside the session, such as a call of a
        /// webhook.
        ExternalEvent = "external-event",
    }
}

object! {
    /// An agent that watches.
    #[derive(Default)]
    pub struct ObserverOrigin tags("kind" = "observer") {
        /// The agent.
        pub from: Option<String>,
        /// Its task.
        pub sender_task_id: Option<String> = "senderTaskId",
    }
}
