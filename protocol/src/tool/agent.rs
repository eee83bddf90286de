//! Sub-agents and workflows, which run many of them.

use crate::content::ContentBlock;
use crate::json::{Json, Number};
use crate::message::Usage;
use crate::model::EffortLevel;
use crate::open::{object, open_enum, union};
use crate::permission::PermissionMode;

object! {
    /// A sub-agent to start.
    pub struct AgentInput {
        /// A short description of the task.
        pub description: String,
        /// The prompt.
        pub prompt: String,
        /// The kind of sub-agent.
        pub subagent_type: Option<String>,
        /// The model, if not the default of its kind.
        pub model: Option<AgentModel>,
        /// The effort level.
        pub effort: Option<EffortLevel>,
        /// Whether to run it in the background.
        pub run_in_background: Option<bool>,
        /// The name under which it can receive messages.
        pub name: Option<String>,
        /// The team. No longer used.
        pub team_name: Option<String>,
        /// The permission mode. No longer used.
        pub mode: Option<PermissionMode>,
        /// The isolation. Default: it works in its parent's directory.
        pub isolation: Option<AgentIsolation>,
    }
}

open_enum! {
    /// The model of a sub-agent.
    pub enum AgentModel {
        /// Sonnet.
        Sonnet = "sonnet",
        /// Opus.
        Opus = "opus",
        /// Haiku.
        Haiku = "haiku",
        /// Fable.
        Fable = "fable",
    }
}

open_enum! {
    /// The isolation of a sub-agent.
    pub enum AgentIsolation {
        /// In a git worktree of its own.
        Worktree = "worktree",
        /// In the cloud.
        Remote = "remote",
    }
}

union! {
    /// The outcome of starting a sub-agent.
    pub enum AgentOutput by "status" {
        /// It has finished.
        "completed" => Completed(AgentCompleted),
        /// It works in the background.
        "async_launched" => AsyncLaunched(AgentLaunched),
        /// It works in the cloud.
        "remote_launched" => RemoteLaunched(RemoteAgentLaunched),
    }
}

object! {
    /// A sub-agent has finished.
    pub struct AgentCompleted tags("status" = "completed") {
        /// The sub-agent.
        pub agent_id: Option<String> = "agentId",
        /// Its kind.
        pub agent_type: Option<String> = "agentType",
        /// Its final response.
        pub content: Vec<ContentBlock>,
        /// The first model.
        pub resolved_model: Option<String> = "resolvedModel",
        /// The models that it used, in order.
        pub models_used: Option<Vec<String>> = "modelsUsed",
        /// The number of tool calls.
        pub total_tool_use_count: Option<u64> = "totalToolUseCount",
        /// The duration in milliseconds.
        pub total_duration_ms: Option<Number> = "totalDurationMs",
        /// Tokens that it used.
        pub total_tokens: Option<u64> = "totalTokens",
        /// The API's token counts for its last response.
        pub usage: Option<Usage>,
        /// The tools that it called.
        pub tools_used: Option<Vec<String>> = "toolsUsed",
        /// The purposes of its tool calls.
        pub tool_stats: Option<AgentToolStats> = "toolStats",
        /// The prompt.
        pub prompt: Option<String>,
        /// The worktree that it worked in.
        pub worktree_path: Option<String> = "worktreePath",
        /// The branch of that.
        pub worktree_branch: Option<String> = "worktreeBranch",
    }
}

object! {
    /// The purposes of a sub-agent's tool calls.
    #[derive(Default)]
    pub struct AgentToolStats {
        /// Files that it read.
        pub read_count: Option<u64> = "readCount",
        /// Searches.
        pub search_count: Option<u64> = "searchCount",
        /// Shell commands.
        pub bash_count: Option<u64> = "bashCount",
        /// Files that it edited.
        pub edit_file_count: Option<u64> = "editFileCount",
        /// Lines added.
        pub lines_added: Option<u64> = "linesAdded",
        /// Lines removed.
        pub lines_removed: Option<u64> = "linesRemoved",
        /// Everything else.
        pub other_tool_count: Option<u64> = "otherToolCount",
        /// Frames that it drew.
        pub frame_count: Option<u64> = "frameCount",
    }
}

object! {
    /// A sub-agent works in the background.
    pub struct AgentLaunched tags("status" = "async_launched") {
        /// Whether it does.
        pub is_async: Option<bool> = "isAsync",
        /// The sub-agent.
        pub agent_id: String = "agentId",
        /// A short description of the task.
        pub description: Option<String>,
        /// Its model.
        pub resolved_model: Option<String> = "resolvedModel",
        /// The models that it used until then, in order.
        pub models_used: Option<Vec<String>> = "modelsUsed",
        /// The prompt.
        pub prompt: Option<String>,
        /// The file that reports its progress.
        pub output_file: Option<String> = "outputFile",
        /// Whether the caller has the tools to read that file.
        pub can_read_output_file: Option<bool> = "canReadOutputFile",
        /// Whether the caller can send it further messages. Not declared.
        pub can_continue_agent: Option<bool> = "canContinueAgent",
    }
}

object! {
    /// A sub-agent works in the cloud.
    pub struct RemoteAgentLaunched tags("status" = "remote_launched") {
        /// The task that it runs as.
        pub task_id: String = "taskId",
        /// The URL of its session.
        pub session_url: Option<String> = "sessionUrl",
        /// A short description of the task.
        pub description: Option<String>,
        /// The prompt.
        pub prompt: Option<String>,
        /// The file that reports its progress.
        pub output_file: Option<String> = "outputFile",
    }
}

object! {
    /// A workflow to run: an inline script, a script file, or a named workflow.
    #[derive(Default)]
    pub struct WorkflowInput {
        /// The script.
        pub script: Option<String>,
        /// The name.
        pub name: Option<String>,
        /// Not used: the script has its own.
        pub description: Option<String>,
        /// Not used: the script has its own.
        pub title: Option<String>,
        /// The arguments of the script, any JSON.
        pub args: Option<Json>,
        /// The file.
        pub script_path: Option<String> = "scriptPath",
        /// The run to resume: completed steps are not repeated.
        pub resume_from_run_id: Option<String> = "resumeFromRunId",
    }
}

object! {
    /// A workflow is running, or could not be started.
    #[derive(Default)]
    pub struct WorkflowOutput {
        /// Whether it runs locally or in the cloud.
        pub status: Option<WorkflowStatus>,
        /// The task that it runs as.
        pub task_id: Option<String> = "taskId",
        /// The kind of that task. Absent with older agents.
        pub task_type: Option<WorkflowTaskType> = "taskType",
        /// The name. Absent with older agents.
        pub workflow_name: Option<String> = "workflowName",
        /// The ID of the run, if it runs locally.
        pub run_id: Option<String> = "runId",
        /// What it does.
        pub summary: Option<String>,
        /// The folder of its sub-agents' transcripts.
        pub transcript_dir: Option<String> = "transcriptDir",
        /// The path of its script, which can be edited and run again.
        pub script_path: Option<String> = "scriptPath",
        /// The URL of its session in the cloud.
        pub session_url: Option<String> = "sessionUrl",
        /// A warning.
        pub warning: Option<String>,
        /// The error in the script.
        pub error: Option<String>,
    }
}

open_enum! {
    /// Whether a workflow runs locally or in the cloud.
    pub enum WorkflowStatus {
        /// Locally, in the background.
        AsyncLaunched = "async_launched",
        /// In the cloud.
        RemoteLaunched = "remote_launched",
    }
}

open_enum! {
    /// The kind of a workflow's task.
    pub enum WorkflowTaskType {
        /// A local task.
        LocalWorkflow = "local_workflow",
        /// A task in the cloud.
        RemoteAgent = "remote_agent",
    }
}
