//! Events of turns: prompts, responses, ends of turns, sub-agents and tasks.

use crate::message::AssistantError;
use crate::open::{object, open_enum};

object! {
    /// A prompt was submitted.
    #[derive(Default)]
    pub struct UserPromptSubmit tags("hook_event_name" = "UserPromptSubmit") {
        /// The prompt.
        pub prompt: String,
        /// The source of the prompt. Not every agent sends it.
        pub source: Option<PromptSource>,
        /// The session's title.
        pub session_title: Option<String>,
    }
}

open_enum! {
    /// The source of a prompt.
    pub enum PromptSource {
        /// A user, at the agent's own prompt.
        User = "user",
        /// A host, or the command line.
        Sdk = "sdk",
        /// The agent itself, because of a finished task or a message of another
        /// agent, for example.
        System = "system",
        /// An iteration of a `/loop`.
        LoopWakeup = "loop_wakeup",
        /// A schedule.
        ScheduleWakeup = "schedule_wakeup",
        /// An event submitted by the host.
        PollEvent = "poll_event",
    }
}

object! {
    /// A command was expanded into a prompt.
    #[derive(Default)]
    pub struct UserPromptExpansion tags("hook_event_name" = "UserPromptExpansion") {
        /// The kind of command.
        pub expansion_type: Option<ExpansionKind>,
        /// The name of the command.
        pub command_name: String,
        /// The arguments of the command.
        pub command_args: Option<String>,
        /// The source of the command.
        pub command_source: Option<String>,
        /// The expanded prompt.
        pub prompt: String,
    }
}

open_enum! {
    /// The kind of a command that expands into a prompt.
    pub enum ExpansionKind {
        /// A command of the agent, a plugin or a skill.
        SlashCommand = "slash_command",
        /// A prompt of an MCP server.
        McpPrompt = "mcp_prompt",
    }
}

object! {
    /// Text of the model is about to be displayed. Sent repeatedly while the
    /// model is streaming.
    #[derive(Default)]
    pub struct MessageDisplay tags("hook_event_name" = "MessageDisplay") {
        /// The ID of the turn.
        pub turn_id: Option<String>,
        /// The `uuid` of the message, which is not the API's ID.
        pub message_id: String,
        /// The index of the piece in the message, from 0.
        pub index: u64,
        /// Whether this is the last piece.
        pub is_final: bool = "final",
        /// The text. Every piece except for the last consists of whole lines.
        /// The last piece may be empty.
        pub delta: String,
    }
}

object! {
    /// The agent wants the user's attention.
    #[derive(Default)]
    pub struct Notification tags("hook_event_name" = "Notification") {
        /// The message.
        pub message: String,
        /// A title.
        pub title: Option<String>,
        /// The kind of notification.
        pub notification_type: Option<String>,
    }
}

object! {
    /// The model has finished a turn.
    #[derive(Default)]
    pub struct Stop tags("hook_event_name" = "Stop") {
        /// Whether a hook has already continued this turn.
        pub stop_hook_active: Option<bool>,
        /// The last message of the model.
        pub last_assistant_message: Option<String>,
        /// The running background tasks.
        pub background_tasks: Option<Vec<BackgroundTaskSummary>>,
        /// The scheduled wake-ups of the session.
        pub session_crons: Option<Vec<SessionCronSummary>>,
    }
}

object! {
    /// A turn ended because the model request failed.
    #[derive(Default)]
    pub struct StopFailure tags("hook_event_name" = "StopFailure") {
        /// The error.
        pub error: Option<AssistantError>,
        /// Details of the error.
        pub error_details: Option<String>,
        /// The last message of the model.
        pub last_assistant_message: Option<String>,
    }
}

object! {
    /// A sub-agent starts. The context of the event names it.
    #[derive(Default)]
    pub struct SubagentStart tags("hook_event_name" = "SubagentStart") {
    }
}

object! {
    /// A sub-agent has finished. The context of the event names it.
    #[derive(Default)]
    pub struct SubagentStop tags("hook_event_name" = "SubagentStop") {
        /// Whether a hook has already made the sub-agent continue.
        pub stop_hook_active: Option<bool>,
        /// The transcript file of the sub-agent.
        pub agent_transcript_path: Option<String>,
        /// The last message of the sub-agent.
        pub last_assistant_message: Option<String>,
        /// The running background tasks of the session.
        pub background_tasks: Option<Vec<BackgroundTaskSummary>>,
        /// The scheduled wake-ups of the session.
        pub session_crons: Option<Vec<SessionCronSummary>>,
    }
}

object! {
    /// A background task. Long texts are truncated.
    #[derive(Default)]
    pub struct BackgroundTaskSummary {
        /// The ID of the task.
        pub id: String,
        /// The kind of task, such as `shell`, `subagent`, `monitor` or
        /// `workflow`.
        pub kind: Option<String> = "type",
        /// The status of the task.
        pub status: Option<String>,
        /// A description.
        pub description: Option<String>,
        /// The command of a shell.
        pub command: Option<String>,
        /// The kind of a sub-agent.
        pub agent_type: Option<String>,
        /// The MCP server of a monitor or an MCP task.
        pub server: Option<String>,
        /// The tool of the MCP server.
        pub tool: Option<String>,
        /// The name of a workflow.
        pub name: Option<String>,
    }
}

object! {
    /// A scheduled wake-up of the session. A long prompt is truncated.
    #[derive(Default)]
    pub struct SessionCronSummary {
        /// The ID of the wake-up.
        pub id: String,
        /// The schedule, as a cron expression.
        pub schedule: Option<String>,
        /// Whether the wake-up repeats.
        pub recurring: Option<bool>,
        /// The prompt for the model.
        pub prompt: Option<String>,
    }
}

object! {
    /// A teammate is idle.
    #[derive(Default)]
    pub struct TeammateIdle tags("hook_event_name" = "TeammateIdle") {
        /// The name of the teammate.
        pub teammate_name: String,
        /// The name of the team. This member will be removed from the protocol.
        pub team_name: Option<String>,
    }
}

/// Declares the two events about a task, which differ only in their tag.
macro_rules! task_event {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hook_event_name" = $tag) {
                /// The ID of the task.
                pub task_id: String,
                /// The subject of the task, in one line.
                pub task_subject: String,
                /// The full description of the task.
                pub task_description: Option<String>,
                /// The teammate to which the task is assigned.
                pub teammate_name: Option<String>,
                /// The name of the team. This member will be removed from the
                /// protocol.
                pub team_name: Option<String>,
            }
        }
    )*};
}

task_event! {
    /// A task was added to the list.
    TaskCreated = "TaskCreated",
    /// A task was completed.
    TaskCompleted = "TaskCompleted",
}
