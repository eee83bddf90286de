//! The types of `agentwire_protocol::hook`.

use crate::fields::table::{either, enums, objects, unions};

objects! { hook:
    AsyncOutput { is_async = "async", timeout = "asyncTimeout" }
    BackgroundTaskSummary {
        id, kind = "type", status, description, command, agent_type, server, tool, name,
    }
    BatchToolCall { tool_name, tool_input, tool_use_id, tool_response }
    ConfigChange { source, file_path }
    CwdChanged { old_cwd, new_cwd }
    CwdChangedOutput { watch_paths = "watchPaths" }
    DirectoryAdded { directory, source }
    Elicitation { mcp_server_name, message, mode, url, elicitation_id, requested_schema }
    ElicitationOutput { action, content }
    ElicitationResult { mcp_server_name, elicitation_id, mode, action, content }
    ElicitationResultOutput { action, content }
    FileChanged { file_path, event }
    FileChangedOutput { watch_paths = "watchPaths" }
    HookCallback { callback_id, input, tool_use_id }
    HookContext {
        session_id, transcript_path, cwd, prompt_id, permission_mode, agent_id, agent_type, effort,
    }
    HookEffort { level }
    HookMatcher {
        matcher, hook_callback_ids = "hookCallbackIds", timeout, on_failure = "onFailure",
    }
    InstructionsLoaded {
        file_path, memory_type, load_reason, globs, trigger_file_path, parent_file_path,
    }
    MessageDisplay { turn_id, message_id, index, is_final = "final", delta }
    MessageDisplayOutput { display_content = "displayContent" }
    Notification { message, title, notification_type }
    NotificationOutput { additional_context = "additionalContext" }
    PermissionDenied { tool_name, tool_input, tool_use_id, reason, mcp_server }
    PermissionDeniedOutput { retry }
    PermissionRequest { tool_name, tool_input, permission_suggestions, mcp_server }
    PermissionRequestAllow {
        updated_input = "updatedInput", updated_permissions = "updatedPermissions",
    }
    PermissionRequestDeny { message, interrupt }
    PermissionRequestOutput { decision }
    PostCompact { trigger, compact_summary }
    PostModelSwitch {
        from_model, to_model, requested_model, source, context_tokens, prompt_cache_warm, cache_ttl,
        estimated_cache_write_usd, pricing,
    }
    PostModelSwitchOutput { additional_context = "additionalContext" }
    PostToolBatch { tool_calls }
    PostToolBatchOutput { additional_context = "additionalContext" }
    PostToolUse { tool_name, tool_input, tool_response, tool_use_id, duration_ms, mcp_server }
    PostToolUseFailure {
        tool_name, tool_input, tool_use_id, error, is_interrupt, duration_ms, mcp_server,
    }
    PostToolUseFailureOutput { additional_context = "additionalContext" }
    PostToolUseOutput {
        additional_context = "additionalContext", classifier_context = "classifierContext",
        updated_tool_output = "updatedToolOutput", updated_mcp_tool_output = "updatedMCPToolOutput",
    }
    PreCompact { trigger, custom_instructions }
    PreModelSwitch {
        from_model, to_model, requested_model, source, context_tokens, prompt_cache_warm, cache_ttl,
        estimated_cache_write_usd, pricing,
    }
    PreModelSwitchOutput {
        permission_decision = "permissionDecision",
        permission_decision_reason = "permissionDecisionReason",
    }
    PreSkillShellCommand {
        tool_name, tool_input, tool_use_id, command_name, command_source, invoked_by,
    }
    PreSkillShellCommandOutput {
        permission_decision = "permissionDecision",
        permission_decision_reason = "permissionDecisionReason", updated_input = "updatedInput",
    }
    PreToolUse { tool_name, tool_input, tool_use_id, mcp_server }
    PreToolUseOutput {
        permission_decision = "permissionDecision",
        permission_decision_reason = "permissionDecisionReason", updated_input = "updatedInput",
        additional_context = "additionalContext",
    }
    SessionCronSummary { id, schedule, recurring, prompt }
    SessionEnd { reason }
    SessionStart {
        source, model, session_title, seconds_since_last_response, context_tokens,
        prompt_cache_likely_expired, estimated_cache_write_usd,
    }
    SessionStartOutput {
        additional_context = "additionalContext", initial_user_message = "initialUserMessage",
        session_title = "sessionTitle", watch_paths = "watchPaths", reload_skills = "reloadSkills",
    }
    Setup { trigger }
    SetupOutput { additional_context = "additionalContext" }
    Stop { stop_hook_active, last_assistant_message, background_tasks, session_crons }
    StopFailure { error, error_details, last_assistant_message }
    StopOutput { additional_context = "additionalContext" }
    SubagentStart {}
    SubagentStartOutput { additional_context = "additionalContext" }
    SubagentStop {
        stop_hook_active, agent_transcript_path, last_assistant_message, background_tasks,
        session_crons,
    }
    SubagentStopOutput { additional_context = "additionalContext" }
    SyncOutput {
        keep_going = "continue", stop_reason = "stopReason", suppress_output = "suppressOutput",
        decision, reason, system_message = "systemMessage", terminal_sequence = "terminalSequence",
        specific = "hookSpecificOutput",
    }
    TaskCompleted { task_id, task_subject, task_description, teammate_name, team_name }
    TaskCreated { task_id, task_subject, task_description, teammate_name, team_name }
    TeammateIdle { teammate_name, team_name }
    UserPromptExpansion { expansion_type, command_name, command_args, command_source, prompt }
    UserPromptExpansionOutput {
        additional_context = "additionalContext",
        suppress_original_prompt = "suppressOriginalPrompt",
    }
    UserPromptSubmit { prompt, source, session_title }
    UserPromptSubmitOutput {
        additional_context = "additionalContext", session_title = "sessionTitle",
        suppress_original_prompt = "suppressOriginalPrompt",
    }
    WorktreeCreate { name }
    WorktreeCreateOutput { worktree_path = "worktreePath" }
    WorktreeRemove { worktree_path }
}

unions! { hook:
    HookEvent by "hook_event_name" {
        PreToolUse = "PreToolUse", PostToolUse = "PostToolUse",
        PostToolUseFailure = "PostToolUseFailure", PostToolBatch = "PostToolBatch",
        Notification = "Notification", UserPromptSubmit = "UserPromptSubmit",
        UserPromptExpansion = "UserPromptExpansion", SessionStart = "SessionStart",
        SessionEnd = "SessionEnd", Stop = "Stop", StopFailure = "StopFailure",
        SubagentStart = "SubagentStart", SubagentStop = "SubagentStop", PreCompact = "PreCompact",
        PostCompact = "PostCompact", PreModelSwitch = "PreModelSwitch",
        PostModelSwitch = "PostModelSwitch", PermissionRequest = "PermissionRequest",
        PermissionDenied = "PermissionDenied", Setup = "Setup", TeammateIdle = "TeammateIdle",
        TaskCreated = "TaskCreated", TaskCompleted = "TaskCompleted", Elicitation = "Elicitation",
        ElicitationResult = "ElicitationResult", ConfigChange = "ConfigChange",
        WorktreeCreate = "WorktreeCreate", WorktreeRemove = "WorktreeRemove",
        InstructionsLoaded = "InstructionsLoaded", CwdChanged = "CwdChanged",
        FileChanged = "FileChanged", DirectoryAdded = "DirectoryAdded",
        MessageDisplay = "MessageDisplay", PreSkillShellCommand = "PreSkillShellCommand",
    }
    PermissionRequestDecision by "behavior" { Allow = "allow", Deny = "deny" }
    SpecificOutput by "hookEventName" {
        PreToolUse = "PreToolUse", PostToolUse = "PostToolUse",
        PostToolUseFailure = "PostToolUseFailure", PostToolBatch = "PostToolBatch",
        PermissionRequest = "PermissionRequest", PermissionDenied = "PermissionDenied",
        Notification = "Notification", UserPromptSubmit = "UserPromptSubmit",
        UserPromptExpansion = "UserPromptExpansion", SessionStart = "SessionStart", Setup = "Setup",
        PreModelSwitch = "PreModelSwitch", PostModelSwitch = "PostModelSwitch", Stop = "Stop",
        SubagentStart = "SubagentStart", SubagentStop = "SubagentStop", Elicitation = "Elicitation",
        ElicitationResult = "ElicitationResult", CwdChanged = "CwdChanged",
        FileChanged = "FileChanged", WorktreeCreate = "WorktreeCreate",
        MessageDisplay = "MessageDisplay", PreSkillShellCommand = "PreSkillShellCommand",
    }
}

either! { hook:
    HookOutput { Async, Sync }
}

enums! { hook:
    ConfigSource {
        UserSettings = "user_settings", ProjectSettings = "project_settings",
        LocalSettings = "local_settings", PolicySettings = "policy_settings", Skills = "skills",
    }
    DirectorySource { SlashCommand = "slash_command", RegisterRepoRoot = "register_repo_root" }
    ExpansionKind { SlashCommand = "slash_command", McpPrompt = "mcp_prompt" }
    FileChange { Change = "change", Add = "add", Unlink = "unlink" }
    HookDecision { Approve = "approve", Block = "block" }
    HookKind {
        PreToolUse = "PreToolUse", PostToolUse = "PostToolUse",
        PostToolUseFailure = "PostToolUseFailure", PostToolBatch = "PostToolBatch",
        Notification = "Notification", UserPromptSubmit = "UserPromptSubmit",
        UserPromptExpansion = "UserPromptExpansion", SessionStart = "SessionStart",
        SessionEnd = "SessionEnd", Stop = "Stop", StopFailure = "StopFailure",
        SubagentStart = "SubagentStart", SubagentStop = "SubagentStop", PreCompact = "PreCompact",
        PostCompact = "PostCompact", PreModelSwitch = "PreModelSwitch",
        PostModelSwitch = "PostModelSwitch", PermissionRequest = "PermissionRequest",
        PermissionDenied = "PermissionDenied", Setup = "Setup", TeammateIdle = "TeammateIdle",
        TaskCreated = "TaskCreated", TaskCompleted = "TaskCompleted", Elicitation = "Elicitation",
        ElicitationResult = "ElicitationResult", ConfigChange = "ConfigChange",
        WorktreeCreate = "WorktreeCreate", WorktreeRemove = "WorktreeRemove",
        InstructionsLoaded = "InstructionsLoaded", CwdChanged = "CwdChanged",
        FileChanged = "FileChanged", DirectoryAdded = "DirectoryAdded",
        MessageDisplay = "MessageDisplay", PreSkillShellCommand = "PreSkillShellCommand",
    }
    LoadReason {
        SessionStart = "session_start", NestedTraversal = "nested_traversal",
        PathGlobMatch = "path_glob_match", Include = "include", Compact = "compact",
    }
    MemoryKind { User = "User", Project = "Project", Local = "Local", Managed = "Managed" }
    ModelSwitchSource {
        Command = "command", Picker = "picker", Sdk = "sdk", Auto = "auto", Resume = "resume",
    }
    OnFailure { Continue = "continue", Block = "block" }
    PriceSource { Configured = "configured", Catalog = "catalog", Default = "default" }
    PromptSource {
        User = "user", Sdk = "sdk", System = "system", LoopWakeup = "loop_wakeup",
        ScheduleWakeup = "schedule_wakeup", PollEvent = "poll_event",
    }
    SessionEndReason {
        Clear = "clear", Resume = "resume", Logout = "logout",
        PromptInputExit = "prompt_input_exit", Other = "other",
    }
    SessionStartSource {
        Startup = "startup", Resume = "resume", Clear = "clear", Compact = "compact", Fork = "fork",
    }
    SetupTrigger { Init = "init", Maintenance = "maintenance" }
    SkillInvoker { User = "user", Claude = "claude", Other = "other" }
    ToolDecision { Allow = "allow", Deny = "deny", Ask = "ask", Defer = "defer" }
}
