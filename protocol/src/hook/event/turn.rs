//! Events of turns: prompts, answers, their ends, sub-agents and tasks.

use crate::message::AssistantError;
use crate::open::{object, open_enum};

object! {
    /// A prompt was handed in.
    #[derive(Default)]
    pub struct UserPromptSubmit tags("hook_event_name" = "UserPromptSubmit") {
        /// The prompt.
        pub prompt: String,
        /// Who made it. Not every agent says.
        pub source: Option<PromptSource>,
        /// The session's title.
        pub session_title: Option<String>,
    }
}

open_enum! {
    /// Who made a prompt.
    pub enum PromptSource {
        /// A person, at the agent's own prompt.
        User = "user",
        /// A host, or the command line.
        Sdk = "sdk",
        /// The agent: a finished task, a message of another agent and so on.
        System = "system",
        /// A `/loop` that goes round.
        LoopWakeup = "loop_wakeup",
        /// A schedule.
        ScheduleWakeup = "schedule_wakeup",
        /// An event that the host hands in, before it is taken.
        PollEvent = "poll_event",
    }
}

object! {
    /// A command was turned into a prompt.
    #[derive(Default)]
    pub struct UserPromptExpansion tags("hook_event_name" = "UserPromptExpansion") {
        /// The kind of command.
        pub expansion_type: Option<ExpansionKind>,
        /// The command.
        pub command_name: String,
        /// What it was given.
        pub command_args: Option<String>,
        /// Where the command comes from.
        pub command_source: Option<String>,
        /// The prompt.
        pub prompt: String,
    }
}

open_enum! {
    /// The kind of a command that stands for a prompt.
    pub enum ExpansionKind {
        /// A command of the agent, a plugin or a skill.
        SlashCommand = "slash_command",
        /// A prompt of an MCP server.
        McpPrompt = "mcp_prompt",
    }
}

object! {
    /// Some of the model's text is about to be shown. It comes again and
    /// again while the model speaks.
    #[derive(Default)]
    pub struct MessageDisplay tags("hook_event_name" = "MessageDisplay") {
        /// The turn.
        pub turn_id: Option<String>,
        /// The message, by its `uuid` and not by the API's id.
        pub message_id: String,
        /// Which piece of the message it is, from 0.
        pub index: u64,
        /// Whether it is the last piece.
        pub is_final: bool = "final",
        /// The piece: whole lines, but for the last one, which may be empty.
        pub delta: String,
    }
}

object! {
    /// The agent wants somebody to look.
    #[derive(Default)]
    pub struct Notification tags("hook_event_name" = "Notification") {
        /// What it says.
        pub message: String,
        /// A title.
        pub title: Option<String>,
        /// The kind of notification.
        pub notification_type: Option<String>,
    }
}

object! {
    /// The model is done with a turn.
    #[derive(Default)]
    pub struct Stop tags("hook_event_name" = "Stop") {
        /// Whether a hook has kept this turn going before.
        pub stop_hook_active: Option<bool>,
        /// What the model said last.
        pub last_assistant_message: Option<String>,
        /// What still runs in the background.
        pub background_tasks: Option<Vec<BackgroundTaskSummary>>,
        /// What is to wake the session later.
        pub session_crons: Option<Vec<SessionCronSummary>>,
    }
}

object! {
    /// A turn ended because the model could not answer.
    #[derive(Default)]
    pub struct StopFailure tags("hook_event_name" = "StopFailure") {
        /// Why not.
        pub error: Option<AssistantError>,
        /// More about it.
        pub error_details: Option<String>,
        /// What the model said last.
        pub last_assistant_message: Option<String>,
    }
}

object! {
    /// A sub-agent begins: the one of the context.
    #[derive(Default)]
    pub struct SubagentStart tags("hook_event_name" = "SubagentStart") {
    }
}

object! {
    /// A sub-agent is done: the one of the context.
    #[derive(Default)]
    pub struct SubagentStop tags("hook_event_name" = "SubagentStop") {
        /// Whether a hook has kept it going before.
        pub stop_hook_active: Option<bool>,
        /// The file in which the agent keeps what the sub-agent did.
        pub agent_transcript_path: Option<String>,
        /// What the sub-agent said last.
        pub last_assistant_message: Option<String>,
        /// What still runs in the background of the session.
        pub background_tasks: Option<Vec<BackgroundTaskSummary>>,
        /// What is to wake the session later.
        pub session_crons: Option<Vec<SessionCronSummary>>,
    }
}

object! {
    /// Something that runs in the background. Long texts are cut.
    #[derive(Default)]
    pub struct BackgroundTaskSummary {
        /// The task.
        pub id: String,
        /// Its kind, such as `shell`, `subagent`, `monitor` or `workflow`.
        pub kind: Option<String> = "type",
        /// How it is.
        pub status: Option<String>,
        /// What it does.
        pub description: Option<String>,
        /// The command of a shell.
        pub command: Option<String>,
        /// The kind of a sub-agent.
        pub agent_type: Option<String>,
        /// The MCP server that a monitor or an MCP task is of.
        pub server: Option<String>,
        /// That server's tool.
        pub tool: Option<String>,
        /// The name of a workflow.
        pub name: Option<String>,
    }
}

object! {
    /// Something that is to wake the session later. A long prompt is cut.
    #[derive(Default)]
    pub struct SessionCronSummary {
        /// Its id.
        pub id: String,
        /// When, as a cron expression.
        pub schedule: Option<String>,
        /// Whether it comes more than once.
        pub recurring: Option<bool>,
        /// What the model is then told.
        pub prompt: Option<String>,
    }
}

object! {
    /// A teammate has nothing to do.
    #[derive(Default)]
    pub struct TeammateIdle tags("hook_event_name" = "TeammateIdle") {
        /// The teammate.
        pub teammate_name: String,
        /// The team. It is about to go from the wire.
        pub team_name: Option<String>,
    }
}

/// Two events are about a task, and nothing else differs between them.
macro_rules! task_event {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hook_event_name" = $tag) {
                /// The task.
                pub task_id: String,
                /// What it is, in a line.
                pub task_subject: String,
                /// What it is, at length.
                pub task_description: Option<String>,
                /// The teammate that has it.
                pub teammate_name: Option<String>,
                /// The team. It is about to go from the wire.
                pub team_name: Option<String>,
            }
        }
    )*};
}

task_event! {
    /// A task is put on the list.
    TaskCreated = "TaskCreated",
    /// A task is ticked off.
    TaskCompleted = "TaskCompleted",
}
