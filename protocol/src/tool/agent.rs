//! Tools that start sub-agents, and workflows, which run many sub-agents.

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
        /// The model, if it is not the default of the sub-agent's kind.
        pub model: Option<AgentModel>,
        /// The effort level.
        pub effort: Option<EffortLevel>,
        /// Whether to run the sub-agent in the background.
        pub run_in_background: Option<bool>,
        /// The name under which the sub-agent can receive messages.
        pub name: Option<String>,
        /// The name of the team. No longer used.
        pub team_name: Option<String>,
        /// The permission mode. No longer used.
        pub mode: Option<PermissionMode>,
        /// The isolation. By default, the sub-agent works in the directory of
        /// its parent agent.
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
        /// The sub-agent works in its own git worktree.
        Worktree = "worktree",
        /// The sub-agent works in the cloud.
        Remote = "remote",
    }
}

union! {
    /// The outcome of starting a sub-agent.
    pub enum AgentOutput by "status" {
        /// The sub-agent has finished.
        "completed" => Completed(AgentCompleted),
        /// The sub-agent works in the background.
        "async_launched" => AsyncLaunched(AgentLaunched),
        /// The sub-agent works in the cloud.
        "remote_launched" => RemoteLaunched(RemoteAgentLaunched),
    }
}

object! {
    /// The outcome of a sub-agent that has finished.
    pub struct AgentCompleted tags("status" = "completed") {
        /// The ID of the sub-agent.
        pub agent_id: Option<String> = "agentId",
        /// The kind of the sub-agent.
        pub agent_type: Option<String> = "agentType",
        /// The final response of the sub-agent.
        pub content: Vec<ContentBlock>,
        /// The first model that the sub-agent used.
        pub resolved_model: Option<String> = "resolvedModel",
        /// The models that the sub-agent used, in order.
        pub models_used: Option<Vec<String>> = "modelsUsed",
        /// The number of tool calls.
        pub total_tool_use_count: Option<u64> = "totalToolUseCount",
        /// The duration in milliseconds.
        pub total_duration_ms: Option<Number> = "totalDurationMs",
        /// The number of tokens that the sub-agent used.
        pub total_tokens: Option<u64> = "totalTokens",
        /// The API's token counts for the sub-agent's last response.
        pub usage: Option<Usage>,
        /// The tools that the sub-agent called.
        pub tools_used: Option<Vec<String>> = "toolsUsed",
        /// The purposes of the sub-agent's tool calls.
        pub tool_stats: Option<AgentToolStats> = "toolStats",
        /// The prompt.
        pub prompt: Option<String>,
        /// The path of the sub-agent's worktree.
        pub worktree_path: Option<String> = "worktreePath",
        /// The branch of the sub-agent's worktree.
        pub worktree_branch: Option<String> = "worktreeBranch",
    }
}

object! {
    /// The purposes of a sub-agent's tool calls.
    #[derive(Default)]
    pub struct AgentToolStats {
        /// The number of files that the sub-agent read.
        pub read_count: Option<u64> = "readCount",
        /// The number of searches.
        pub search_count: Option<u64> = "searchCount",
        /// The number of shell commands.
        pub bash_count: Option<u64> = "bashCount",
        /// The number of files that the sub-agent edited.
        pub edit_file_count: Option<u64> = "editFileCount",
        /// The number of lines added.
        pub lines_added: Option<u64> = "linesAdded",
        /// The number of lines removed.
        pub lines_removed: Option<u64> = "linesRemoved",
        /// The number of other tool calls.
        pub other_tool_count: Option<u64> = "otherToolCount",
        /// The number of frames that the sub-agent drew.
        pub frame_count: Option<u64> = "frameCount",
    }
}

object! {
    /// The report of a sub-agent that works in the background.
    pub struct AgentLaunched tags("status" = "async_launched") {
        /// Whether the sub-agent works in the background.
        pub is_async: Option<bool> = "isAsync",
        /// The ID of the sub-agent.
        pub agent_id: String = "agentId",
        /// A short description of the task.
        pub description: Option<String>,
        /// The model of the sub-agent.
        pub resolved_model: Option<String> = "resolvedModel",
        /// The models that the sub-agent has used so far, in order.
        pub models_used: Option<Vec<String>> = "modelsUsed",
        /// The prompt.
        pub prompt: Option<String>,
        /// The path of the file that reports the sub-agent's progress.
        pub output_file: Option<String> = "outputFile",
        /// Whether the caller has the tools to read the output file.
        pub can_read_output_file: Option<bool> = "canReadOutputFile",
        /// Whether the caller can send further messages to the sub-agent. The
        /// member is undeclared.
        pub can_continue_agent: Option<bool> = "canContinueAgent",
    }
}

object! {
    /// The report of a sub-agent that works in the cloud.
    pub struct RemoteAgentLaunched tags("status" = "remote_launched") {
        /// The ID of the task that runs the sub-agent.
        pub task_id: String = "taskId",
        /// The URL of the sub-agent's session.
        pub session_url: Option<String> = "sessionUrl",
        /// A short description of the task.
        pub description: Option<String>,
        /// The prompt.
        pub prompt: Option<String>,
        /// The path of the file that reports the sub-agent's progress.
        pub output_file: Option<String> = "outputFile",
    }
}

object! {
    /// A workflow to run: an inline script, a script file, or a named workflow.
    #[derive(Default)]
    pub struct WorkflowInput {
        /// The text of the script.
        pub script: Option<String>,
        /// The name of the workflow.
        pub name: Option<String>,
        /// A description. Not used, because the script has one.
        pub description: Option<String>,
        /// A title. Not used, because the script has one.
        pub title: Option<String>,
        /// The arguments of the script, any JSON.
        pub args: Option<Json>,
        /// The path of the script's file.
        pub script_path: Option<String> = "scriptPath",
        /// The ID of the run to resume. Completed steps are not repeated.
        pub resume_from_run_id: Option<String> = "resumeFromRunId",
    }
}

object! {
    /// The outcome of starting a workflow, which is running or could not be
    /// started.
    #[derive(Default)]
    pub struct WorkflowOutput {
        /// Whether it runs locally or in the cloud.
        pub status: Option<WorkflowStatus>,
        /// The ID of the task that runs the workflow.
        pub task_id: Option<String> = "taskId",
        /// The kind of the workflow's task. Older agents omit it.
        pub task_type: Option<WorkflowTaskType> = "taskType",
        /// The name of the workflow. Older agents omit it.
        pub workflow_name: Option<String> = "workflowName",
        /// The ID of the run, if the workflow runs locally.
        pub run_id: Option<String> = "runId",
        /// A description of what the workflow does.
        pub summary: Option<String>,
        /// The directory with the transcripts of the workflow's sub-agents.
        pub transcript_dir: Option<String> = "transcriptDir",
        /// The path of the workflow's script, which can be edited and run
        /// again.
        pub script_path: Option<String> = "scriptPath",
        /// The URL of the workflow's session in the cloud.
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
        /// The workflow runs locally, in the background.
        AsyncLaunched = "async_launched",
        /// The workflow runs in the cloud.
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
