// Which of the declared types stand on lines, in which direction, and what
// answers what. The declarations do not say so in one place, and a new release
// that adds a request has to be entered here.

import type {
    HookJSONOutput,
    McpServerStatus,
    McpSetServersResult,
    PermissionResult,
    RewindFilesResult,
    SDKActiveGoalMessage,
    SDKControlCancelRequest,
    SDKControlGetContextUsageResponse,
    SDKControlGetHooksListingResponse,
    SDKControlGetTaskOutputResponse,
    SDKControlGetUsageResponse,
    SDKControlInitializeResponse,
    SDKControlInterruptResponse,
    SDKControlListPermissionRulesResponse,
    SDKControlMcpReadResourceResponse,
    SDKControlReadFileResponse,
    SDKControlReloadOutputStylesResponse,
    SDKControlReloadPluginsResponse,
    SDKControlReloadSkillsResponse,
    SDKControlRequest,
    SDKControlRequestInner,
    SDKControlResponse,
    SDKControlSetPermissionModeResponse,
    SDKKeepAliveMessage,
    SDKMessage,
    SDKUserMessage,
    StdoutMessage,
    UserDialogResult,
} from '@anthropic-ai/claude-agent-sdk/sdk.js';
import type * as tools from '@anthropic-ai/claude-agent-sdk/sdk-tools.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** What the agent writes, besides requests and answers. */
export type FromAgent =
    | SDKMessage
    | SDKActiveGoalMessage
    | SDKKeepAliveMessage
    | SDKControlCancelRequest;

/** What the host writes, besides requests and answers. */
export type FromHost = SDKUserMessage | SDKControlCancelRequest;

/** What is in a request, whoever asks. */
export type Requests = SDKControlRequestInner;

/** What is around an answer. */
export type Answer = SDKControlResponse;

/** Every line. */
export type Lines = FromAgent | FromHost | SDKControlRequest | Answer;

/** What the declarations themselves say the agent writes. */
export type Stdout = StdoutMessage;

/** What the agent answers; `unknown` where nothing is declared. */
export interface AgentAnswers {
    apply_flag_settings: unknown;
    background_tasks: unknown;
    cancel_async_message: unknown;
    file_suggestions: unknown;
    get_binary_version: unknown;
    get_context_usage: SDKControlGetContextUsageResponse;
    get_hooks_listing: SDKControlGetHooksListingResponse;
    get_session_cost: unknown;
    get_settings: unknown;
    get_task_output: SDKControlGetTaskOutputResponse;
    get_usage: SDKControlGetUsageResponse;
    initialize: SDKControlInitializeResponse;
    interrupt: SDKControlInterruptResponse;
    list_models: unknown;
    list_permission_rules: SDKControlListPermissionRulesResponse;
    mcp_call: unknown;
    mcp_message: void;
    mcp_read_resource: SDKControlMcpReadResourceResponse;
    mcp_reconnect: void;
    mcp_set_servers: McpSetServersResult;
    mcp_status: { mcpServers: McpServerStatus[] };
    mcp_toggle: void;
    read_file: SDKControlReadFileResponse;
    register_repo_root: unknown;
    reload_output_styles: SDKControlReloadOutputStylesResponse;
    reload_plugins: SDKControlReloadPluginsResponse;
    reload_skills: SDKControlReloadSkillsResponse;
    rename_session: unknown;
    rewind_files: RewindFilesResult;
    seed_read_state: unknown;
    set_color: unknown;
    set_has_subscribers: unknown;
    set_max_thinking_tokens: void;
    set_model: unknown;
    set_permission_mode: SDKControlSetPermissionModeResponse;
    stop_task: unknown;
    update_settings: unknown;
}

/** What the host answers. */
export interface HostAnswers {
    can_use_tool: PermissionResult;
    elicitation: ElicitationAnswer;
    hook_callback: HookJSONOutput;
    mcp_message: { mcp_response: JSONRPCMessage };
    request_user_dialog: UserDialogResult;
}

/** The result of an elicitation, as the Model Context Protocol has it. */
interface ElicitationAnswer {
    action: 'accept' | 'decline' | 'cancel';
    content?: Record<string, unknown>;
    _meta?: Record<string, unknown>;
}

/** What a tool takes, and what it gives. */
interface Tool<Input, Output> {
    input: Input;
    output: Output;
}

/** The built-in tools, by the names that they have on the wire. */
export interface Tools {
    Agent: Tool<tools.AgentInput, tools.AgentOutput>;
    Artifact: Tool<tools.ArtifactInput, tools.ArtifactOutput>;
    AskUserQuestion: Tool<tools.AskUserQuestionInput, tools.AskUserQuestionOutput>;
    Bash: Tool<tools.BashInput, tools.BashOutput>;
    ClaudeDesign: Tool<tools.ClaudeDesignInput, tools.ClaudeDesignOutput>;
    CronCreate: Tool<tools.CronCreateInput, tools.CronCreateOutput>;
    CronDelete: Tool<tools.CronDeleteInput, tools.CronDeleteOutput>;
    CronList: Tool<tools.CronListInput, tools.CronListOutput>;
    Edit: Tool<tools.FileEditInput, tools.FileEditOutput>;
    EnterPlanMode: Tool<tools.EnterPlanModeInput, tools.EnterPlanModeOutput>;
    EnterWorktree: Tool<tools.EnterWorktreeInput, tools.EnterWorktreeOutput>;
    ExitPlanMode: Tool<tools.ExitPlanModeInput, tools.ExitPlanModeOutput>;
    ExitWorktree: Tool<tools.ExitWorktreeInput, tools.ExitWorktreeOutput>;
    Glob: Tool<tools.GlobInput, tools.GlobOutput>;
    Grep: Tool<tools.GrepInput, tools.GrepOutput>;
    ListMcpResourcesTool: Tool<tools.ListMcpResourcesInput, tools.ListMcpResourcesOutput>;
    Monitor: Tool<tools.MonitorInput, tools.MonitorOutput>;
    NotebookEdit: Tool<tools.NotebookEditInput, tools.NotebookEditOutput>;
    OfferChromeSetup: Tool<tools.OfferChromeSetupInput, tools.OfferChromeSetupOutput>;
    Projects: Tool<tools.ProjectsInput, tools.ProjectsOutput>;
    propose_skills: Tool<tools.ProposeSkillsInput, tools.ProposeSkillsOutput>;
    PushNotification: Tool<tools.PushNotificationInput, tools.PushNotificationOutput>;
    Read: Tool<tools.FileReadInput, tools.FileReadOutput>;
    ReadMcpResourceDirTool: Tool<tools.ReadMcpResourceDirInput, tools.ReadMcpResourceDirOutput>;
    ReadMcpResourceTool: Tool<tools.ReadMcpResourceInput, tools.ReadMcpResourceOutput>;
    ReadNotifications: Tool<tools.ReadNotificationsInput, tools.ReadNotificationsOutput>;
    RefreshMcpTools: Tool<tools.RefreshMcpToolsInput, tools.RefreshMcpToolsOutput>;
    RemoteTrigger: Tool<tools.RemoteTriggerInput, tools.RemoteTriggerOutput>;
    ReportFindings: Tool<tools.ReportFindingsInput, tools.ReportFindingsOutput>;
    ScheduleWakeup: Tool<tools.ScheduleWakeupInput, tools.ScheduleWakeupOutput>;
    SendFeedback: Tool<tools.SendFeedbackInput, tools.SendFeedbackOutput>;
    SetGoal: Tool<tools.ProposeGoalInput, tools.ProposeGoalOutput>;
    ShowOnboardingRolePicker: Tool<tools.ShowOnboardingRolePickerInput, tools.ShowOnboardingRolePickerOutput>;
    TaskCreate: Tool<tools.TaskCreateInput, tools.TaskCreateOutput>;
    TaskGet: Tool<tools.TaskGetInput, tools.TaskGetOutput>;
    TaskList: Tool<tools.TaskListInput, tools.TaskListOutput>;
    TaskStop: Tool<tools.TaskStopInput, tools.TaskStopOutput>;
    TaskUpdate: Tool<tools.TaskUpdateInput, tools.TaskUpdateOutput>;
    TodoWrite: Tool<tools.TodoWriteInput, tools.TodoWriteOutput>;
    WebFetch: Tool<tools.WebFetchInput, tools.WebFetchOutput>;
    WebSearch: Tool<tools.WebSearchInput, tools.WebSearchOutput>;
    Workflow: Tool<tools.WorkflowInput, tools.WorkflowOutput>;
    Write: Tool<tools.FileWriteInput, tools.FileWriteOutput>;
}
