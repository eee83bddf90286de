//! The types of `agentwire_protocol::control`.

use crate::fields::table::{enums, objects, unions};

objects! { control:
    AccountInfo {
        email, organization, subscription_type = "subscriptionType", token_source = "tokenSource",
        api_key_source = "apiKeySource", api_provider = "apiProvider",
    }
    Answer {
        subtype, request_id, response, error, error_code, model, pending_permission_requests,
        pending_user_dialog_requests, pending_elicitation_requests,
    }
    AppliedSettings {
        model, effort, advisor, ultracode, ultracode_requested = "ultracodeRequested",
        ultracode_available = "ultracodeAvailable", ultrathink_available = "ultrathinkAvailable",
        outside_file_tool_reads_blocked = "outsideFileToolReadsBlocked",
        outside_file_tool_writes_blocked = "outsideFileToolWritesBlocked",
        outside_blocks_count_launch_folders_only = "outsideBlocksCountLaunchFoldersOnly",
        launch_env_left_own_files_in_place = "launchEnvLeftOwnFilesInPlace",
    }
    ApplyFlagSettings { settings }
    BackgroundTasks { tool_use_id }
    BackgroundTasksAnswer { backgrounded }
    BinaryVersion { version, build_time = "buildTime", oldest_desktop_sdk = "oldestDesktopSdk" }
    CacheImpact { mcp_servers_added, mcp_servers_removed, lsp_tool_change }
    CancelAsyncMessage { message_uuid }
    CancelAsyncMessageAnswer { cancelled, message_uuid }
    ContextAgent { agent_type = "agentType", source, plugin_id = "pluginId", path, tokens }
    ContextApiUsage {
        input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens,
    }
    ContextCategory { id, name, tokens, color, is_deferred = "isDeferred", kind }
    ContextCommands {
        total_commands = "totalCommands", included_commands = "includedCommands", tokens,
    }
    ContextDeferredTool { name, tokens, is_loaded = "isLoaded" }
    ContextItem { name, tokens }
    ContextMcpInstructions { server_name = "serverName", tokens }
    ContextMcpTool { name, server_name = "serverName", tokens, is_loaded = "isLoaded" }
    ContextMemoryFile { path, kind = "type", tokens }
    ContextMessages {
        tool_call_tokens = "toolCallTokens", tool_result_tokens = "toolResultTokens",
        attachment_tokens = "attachmentTokens", assistant_message_tokens = "assistantMessageTokens",
        user_message_tokens = "userMessageTokens",
        redirected_context_tokens = "redirectedContextTokens",
        unattributed_tokens = "unattributedTokens", tool_calls_by_type = "toolCallsByType",
        attachments_by_type = "attachmentsByType",
    }
    ContextSkill { name, source, plugin_name = "pluginName", plugin_id = "pluginId", path, tokens }
    ContextSkills {
        total_skills = "totalSkills", included_skills = "includedSkills", tokens,
        skill_frontmatter = "skillFrontmatter",
    }
    ContextSquare {
        color, is_filled = "isFilled", category_name = "categoryName", tokens, percentage,
        square_fullness = "squareFullness",
    }
    ContextToolCalls { name, call_tokens = "callTokens", result_tokens = "resultTokens" }
    ContextUsage {
        categories, total_tokens = "totalTokens", max_tokens = "maxTokens",
        raw_max_tokens = "rawMaxTokens", autocompact_source = "autocompactSource", percentage,
        grid_rows = "gridRows", model, memory_files = "memoryFiles", mcp_tools = "mcpTools",
        mcp_instructions = "mcpInstructions", deferred_builtin_tools = "deferredBuiltinTools",
        system_tools = "systemTools", system_prompt_sections = "systemPromptSections", agents,
        slash_commands = "slashCommands", skills, auto_compact_threshold = "autoCompactThreshold",
        is_auto_compact_enabled = "isAutoCompactEnabled", message_breakdown = "messageBreakdown",
        api_usage = "apiUsage",
    }
    ControlCancel { request_id }
    ControlRequest { request_id, request }
    ControlResponse { response }
    EditableHook { matcher, config, headers_redacted = "headersRedacted" }
    Empty {}
    EndSession {}
    FeedbackMode { kind }
    FileSuggestions { query }
    FileSuggestionsAnswer { suggestions, cwd }
    GenerateSessionTitle { description, persist }
    GetBinaryVersion {}
    GetContextUsage { detail }
    GetHooksListing {}
    GetPlan {}
    GetSessionCost {}
    GetSettings {}
    GetSettingsAnswer { effective, sources, served_settings_state, applied, errors }
    GetStatus {}
    GetTaskOutput { task_id }
    GetUsage { skip_behaviors }
    GetUsageAnswer { session, subscription_type, rate_limits_available, rate_limits, behaviors }
    HookEventListing {
        name, summary, supports_matcher = "supportsMatcher", hook_count = "hookCount",
    }
    HookListing {
        event, matcher, source, source_label = "sourceLabel", plugin_name = "pluginName",
        kind = "type", display_text = "displayText", command_text = "commandText",
        content_label = "contentLabel", condition, timeout, status_message = "statusMessage",
        runs_once = "runsOnce", runs_in_background = "runsInBackground", disabled, editable,
    }
    HooksBareMode { exit_hint = "exitHint" }
    HooksListing {
        events, hooks, event_catalog = "eventCatalog", policy, safe_mode = "safeMode",
        bare_mode = "bareMode", errors,
    }
    HooksPolicy {
        disabled_by_policy = "disabledByPolicy", managed_only = "managedOnly",
        plugin_only = "pluginOnly", all_disabled = "allDisabled",
        policy_hook_count = "policyHookCount", policy_unreadable = "policyUnreadable",
    }
    HooksSafeMode { managed_hooks_still_apply = "managedHooksStillApply", exit_hint = "exitHint" }
    Initialize {
        hooks, sdk_mcp_servers = "sdkMcpServers", sdk_mcp_server_configs = "sdkMcpServerConfigs",
        sdk_mcp_server_manifests = "sdkMcpServerManifests",
        sdk_mcp_server_manifests_origin = "sdkMcpServerManifestsOrigin", json_schema = "jsonSchema",
        system_prompt = "systemPrompt", append_system_prompt = "appendSystemPrompt",
        system_prompt_snapshot = "systemPromptSnapshot",
        plan_mode_instructions = "planModeInstructions", tool_aliases = "toolAliases",
        exclude_dynamic_sections = "excludeDynamicSections", agents, title, skills,
        prompt_suggestions = "promptSuggestions",
        agent_progress_summaries = "agentProgressSummaries",
        forward_subagent_text = "forwardSubagentText",
        supported_dialog_kinds = "supportedDialogKinds",
        per_task_stop_affordance = "perTaskStopAffordance", plugins, mcp_servers = "mcpServers",
    }
    InitializeAnswer {
        commands, agents, output_style, available_output_styles, user_output_styles_dir, models,
        account, hooks_applied, hook_on_failure_supported, hooks_when_unanswered_kept,
        other_hook_ask_outranks_host, plugins_applied, mcp_servers_applied,
        sdk_mcp_manifests_parked, capabilities, claude_code_version, pid, current_permission_mode,
        session_state, fast_mode_state, fast_mode_disabled_reason, feedback_mode,
        analytics_disabled, remote_control_available, remote_control_auto_enable,
        remote_control_auto_connect_default, remote_control_auto_on_by_default,
        ide_rc_auto_enable_gate, sandbox_enabled,
    }
    Interrupt { cancel_queued }
    InterruptReceipt { still_queued, cancelled }
    ListModels {}
    ListModelsAnswer { models }
    ListPermissionRules {}
    ListPermissionRulesAnswer { state }
    McpCall {
        tool, arguments, expires_at, timeout_ms, result_not_for_model, check_permissions,
        soft_error_result, input_files, output_files,
    }
    McpCallAnswer {
        content, structured_content = "structuredContent", meta = "_meta", is_error = "isError",
        staging,
    }
    McpInputFile { name, lane_path }
    McpOutputFile { name, lane_path, if_match }
    McpReadResource { server_name = "serverName", uri }
    McpReadResourceAnswer { contents }
    McpReconnect { server_name = "serverName" }
    McpResourceContents { uri, mime_type = "mimeType", text, blob, meta = "_meta" }
    McpSetServers { servers }
    McpSetServersAnswer { added, removed, errors }
    McpStatus { live_reply = "liveReply" }
    McpStatusAnswer { mcp_servers = "mcpServers" }
    McpToggle { server_name = "serverName", enabled }
    ModelPlanLimit { display_name, utilization, resets_at }
    PermissionRuleDescription { prefix, emphasis, suffix }
    PermissionRuleEntry {
        behavior, source, rule, description, editability, not_in_effect = "notInEffect",
    }
    PermissionRulesState {
        rules, workspace_directories = "workspaceDirectories", original_cwd = "originalCwd",
        managed_only = "managedOnly", errors, withheld,
    }
    PlanLimits {
        five_hour, seven_day, seven_day_oauth_apps, seven_day_opus, seven_day_sonnet, model_scoped,
        extra_usage,
    }
    PlanReport { exists, content, path }
    PlanWindow { utilization, resets_at }
    ReadFile { path, max_bytes, encoding }
    ReadFileAnswer { contents, abs_path = "absPath", truncated, encoding, lossy, requested_path }
    RegisterRepoRoot { directory, reload_claude_md, reload_plugins, reload_skills }
    RegisterRepoRootAnswer { directory }
    ReloadOutputStyles {}
    ReloadOutputStylesAnswer { available_output_styles }
    ReloadPlugins { hold_on_cache_impact, add_plugins, refuse_if_busy }
    ReloadPluginsAnswer {
        commands, agents, plugins, mcp_servers = "mcpServers", error_count, held, cache_impact,
    }
    ReloadSkills {}
    ReloadSkillsAnswer { skills }
    RenameSession { title, source, session_id }
    RewindFiles { user_message_id, dry_run }
    RewindFilesAnswer {
        can_rewind = "canRewind", error, files_changed = "filesChanged", insertions, deletions,
        skipped_links = "skippedLinks",
    }
    SdkMcpServerConfig { timeout, tools }
    SdkMcpServerManifest {
        initialize_result = "initializeResult", tools_list_result = "toolsListResult",
    }
    SeedReadState { path, mtime }
    SessionCost { text }
    SessionTitle { title }
    SetColor { color }
    SetCwd { path, trust_accepted, trusted_directory }
    SetCwdAnswer {
        status, cwd, changed, transcript_relocated, directory, trust_root, reason, message,
    }
    SetHasSubscribers { has_subscribers }
    SetMaxThinkingTokens { max_thinking_tokens, thinking_display }
    SetMcpPermissionModeOverride { server_name = "serverName", mode }
    SetMcpPermissionModeOverrideAnswer { warning }
    SetModel { model }
    SetModelAnswer { model }
    SetPermissionMode { mode }
    SetPermissionModeAnswer { mode }
    SettingsParseError { file, path, message }
    SideAnswer { response, synthetic }
    SideQuestion { question }
    SlashCommand { name, description, argument_hint = "argumentHint", aliases, builtin }
    StatusReport { sections }
    StatusRow { label, value }
    StatusSection { title, rows }
    StopTask { task_id }
    TaskOutput { output, total_bytes, truncated }
    UpdateSettings { source, settings }
    UsageBehavior { key, pct, count }
    UsageBehaviors { day, week }
    UsageFix { keys, messages }
    UsagePeriod {
        request_count, session_count, behaviors, recommendations, fix, agents, skills, plugins,
        mcp_servers,
    }
    UsageRecommendation { key, pct, title, detail }
    UsageShare { name, pct }
    WorkspaceDirectory { path, source }
}

unions! { control:
    AgentRequest by "subtype" {
        CanUseTool = "can_use_tool", HookCallback = "hook_callback", McpMessage = "mcp_message",
        Elicitation = "elicitation", RequestUserDialog = "request_user_dialog",
    }
}

enums! { control:
    AnswerKind { Success = "success", Error = "error" }
    ApiProvider {
        FirstParty = "firstParty", Bedrock = "bedrock", Vertex = "vertex", Foundry = "foundry",
        AnthropicAws = "anthropicAws", AnthropicGoogleCloud = "anthropicGoogleCloud",
        Mantle = "mantle", Gateway = "gateway",
    }
    ContextCategoryId {
        SystemPrompt = "system_prompt", SystemTools = "system_tools", McpTools = "mcp_tools",
        McpInstructions = "mcp_instructions", McpToolsDeferred = "mcp_tools_deferred",
        SystemToolsDeferred = "system_tools_deferred", CustomAgents = "custom_agents",
        MemoryFiles = "memory_files", Skills = "skills", Messages = "messages",
        AutocompactBuffer = "autocompact_buffer", CompactBuffer = "compact_buffer",
        FreeSpace = "free_space",
    }
    ContextDetail { Summary = "summary", Full = "full" }
    CwdOutcome { Moved = "ok", NeedsTrust = "needs_trust", Rejected = "rejected" }
    CwdRejection {
        NotFound = "not_found", NotADirectory = "not_a_directory",
        BlockedByRule = "blocked_by_rule", Busy = "busy", UnsafePath = "unsafe_path",
        RemoteOrigin = "remote_origin",
    }
    FileEncoding { Utf8 = "utf-8", Base64 = "base64" }
    LspToolChange {
        Adds = "adds", MayAdd = "may-add", Removes = "removes", MayRemove = "may-remove",
    }
    ManifestOutcome {
        Parked = "parked", AlreadyConnected = "already_connected",
        ProtocolVersionMismatch = "protocol_version_mismatch", Malformed = "malformed",
        NotHonoured = "not_honoured",
    }
    ManifestsOrigin { HostPerSend = "host_per_send" }
    PermissionRuleSource {
        UserSettings = "userSettings", ProjectSettings = "projectSettings",
        LocalSettings = "localSettings", FlagSettings = "flagSettings",
        PolicySettings = "policySettings", CliArg = "cliArg", Command = "command",
        Session = "session", McpMount = "mcpMount", ToolsNarrowing = "toolsNarrowing",
        McpServerPolicy = "mcpServerPolicy", HostCredential = "hostCredential",
    }
    RuleEditability { Persistent = "persistent", Session = "session", Readonly = "readonly" }
    TitleSource { Remote = "remote", Host = "host" }
    UsageBehaviorKey {
        CacheMiss = "cache_miss", LongContext = "long_context", SubagentHeavy = "subagent_heavy",
        HighParallel = "high_parallel", Cron = "cron", MaxEffort = "max_effort",
        Workflow = "workflow", AlwaysOnContext = "always_on_context",
        LargeToolResults = "large_tool_results",
    }
    WritableSettings { LocalSettings = "localSettings", UserSettings = "userSettings" }
}
