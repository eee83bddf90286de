//! The types of `agentwire_protocol::message`.

use crate::fields::table::{enums, objects, unions};

objects! { message:
    AbandonedBlocks { api_message_id, from_block_index }
    ActiveGoal { value, uuid, session_id }
    AdvisorIteration {
        model, input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens,
        cache_creation,
    }
    ApiError { kind = "type", message }
    ApiRetry {
        attempt, max_retries, retry_delay_ms, error_status, error, no_response, uuid, session_id,
    }
    AssistantBody {
        id, kind = "type", role, model, content, stop_reason, stop_sequence, stop_details, usage,
        container, context_management, diagnostics, input_transformations,
    }
    AssistantMessage {
        message, parent_tool_use_id, error, uuid, session_id, user_message_uuid, user_message_uuids,
        supersedes, resumed_from_incomplete_thinking, resume_reason, aborted, request_id,
        tool_use_meta, thinking_duration_ms, thinking_display, context_usage, usage_report,
        timestamp, agent_id, subagent_type, task_description,
    }
    AuthStatus { is_authenticating = "isAuthenticating", output, error, uuid, session_id }
    AutoContinuationOrigin {}
    BackgroundTask {
        task_id, run_id, task_type, subagent_type, description, parent_task_id, ambient,
    }
    BackgroundTasksChanged { tasks, uuid, session_id }
    CacheCreation { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens }
    CacheMissMessagesChanged { cache_missed_input_tokens }
    CacheMissModelChanged { cache_missed_input_tokens }
    CacheMissPreviousMessageNotFound {}
    CacheMissSystemChanged { cache_missed_input_tokens }
    CacheMissToolsChanged { cache_missed_input_tokens }
    CacheMissUnavailable {}
    ChannelOrigin { server }
    CitationsDelta { citation }
    ClearedThinking { cleared_thinking_turns, cleared_input_tokens }
    ClearedToolUses { cleared_tool_uses, cleared_input_tokens }
    CommandLifecycle { command_uuid, state, uuid, session_id }
    CommandsChanged { commands, uuid, session_id }
    CompactBoundary { compact_metadata, uuid, session_id }
    CompactMetadata {
        trigger, pre_tokens, post_tokens, duration_ms, preserved_segment, preserved_messages,
    }
    CompactionDelta { content, encrypted_content }
    CompactionIteration {
        input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens,
        cache_creation,
    }
    Container { id, expires_at, skills }
    ContainerSkill { skill_id, kind = "type", version }
    ContentBlockDelta { index, delta }
    ContentBlockStart { index, content_block }
    ContentBlockStop { index }
    ContextManagement { applied_edits }
    ContextReport {
        model, total_tokens, raw_max_tokens, percentage, over_limit, categories, mcp_tools,
        memory_files, agents, skills,
    }
    ContextReportAgent { agent_type, source, tokens }
    ContextReportCategory { name, tokens, kind }
    ContextReportMcpTool { name, server_name, tokens }
    ContextReportMemoryFile { path, kind = "type", tokens }
    ContextReportSkill { name, source, plugin_name, tokens }
    ControlRequestProgress {
        request_id, status, attempt, max_retries, retry_delay_ms, error_status, uuid, session_id,
    }
    ConversationReset {
        new_conversation_id, trigger, user_message_uuid, timestamp, uuid, session_id,
    }
    CoordinatorOrigin {}
    DeferredToolUse { id, name, input }
    Diagnostics { cache_miss_reason }
    DisplayName { display_name }
    ElicitationComplete { mcp_server_name, elicitation_id, uuid, session_id }
    ExtraUsage { is_enabled, monthly_limit, used_credits, utilization, currency }
    FailedFile { filename, error }
    FallbackCredit { status }
    FallbackCreditNotApplied { reason, remove_to_redeem }
    FallbackCreditRedeemed {}
    FallbackIteration {
        model, input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens,
        cache_creation,
    }
    FilesPersisted { files, failed, processed_at, uuid, session_id }
    Goal { condition, iterations, set_at, tokens_at_start, last_reason }
    HookProgress { hook_id, hook_name, hook_event, stdout, stderr, output, uuid, session_id }
    HookResponse {
        hook_id, hook_name, hook_event, stdout, stderr, output, exit_code, outcome, uuid,
        session_id,
    }
    HookStarted { hook_id, hook_name, hook_event, uuid, session_id }
    HumanOrigin {}
    Informational {
        content, level, tool_use_id, prevent_continuation, tag, prompt_submit_outcome, uuid,
        session_id,
    }
    Init {
        cwd, session_id, tools, mcp_servers, model, permission_mode = "permissionMode",
        slash_commands, terminal_slash_commands, api_key_source = "apiKeySource",
        claude_code_version, output_style, agents, skills, plugins, plugin_errors, betas,
        capabilities, fast_mode_state, fast_mode_disabled_reason, effort, view_mode, original_cwd,
        additional_directories, memory_paths, messaging_socket_path, analytics_disabled,
        product_feedback_disabled, served_by_anthropic, per_turn_effort_active,
        ultrathink_available, ultrathink_typed_raises, sandbox_enabled, uuid, user_message_uuids,
    }
    InputJsonDelta { partial_json }
    InvalidConfigFile { path, is_global, backup_searched, backup_path }
    KeepAlive {}
    LimitSubject { model, surface }
    LocalCommandOutput { content, uuid, session_id }
    ManagedLock { plugin_enabled, name, marketplace }
    McpServerState { name, status, source }
    MemoryPaths { auto }
    MemoryRecall { mode, memories, uuid, session_id }
    MessageChange { stop_reason, stop_sequence, stop_details, container }
    MessageDelta { delta, usage, context_management, input_transformations }
    MessageIteration {
        model, input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens,
        cache_creation,
    }
    MessageStart { message }
    MessageStop {}
    MirrorError { error, key, uuid, session_id }
    ModelRefusalFallback {
        trigger, direction, scope, original_model, fallback_model, retracted_message_uuids,
        request_id, api_refusal_category, api_refusal_explanation, refused_user_message_uuid,
        content, uuid, session_id,
    }
    ModelRefusalNoFallback {
        original_model, request_id, api_refusal_category, api_refusal_explanation,
        refused_user_message_uuid, content, uuid, session_id,
    }
    ModelUsage {
        input_tokens = "inputTokens", output_tokens = "outputTokens",
        thinking_tokens = "thinkingTokens", cache_read_input_tokens = "cacheReadInputTokens",
        cache_creation_input_tokens = "cacheCreationInputTokens",
        cache_creation_ephemeral_5m_input_tokens = "cacheCreationEphemeral5mInputTokens",
        cache_creation_ephemeral_1h_input_tokens = "cacheCreationEphemeral1hInputTokens",
        web_search_requests = "webSearchRequests", cost_usd = "costUSD",
        context_window = "contextWindow", max_output_tokens = "maxOutputTokens",
        canonical_model = "canonicalModel", provider, cost_basis = "costBasis",
    }
    NoResponse { waited_ms, retry_wait_ms }
    NotificationMessage { key, text, priority, color, timeout_ms, uuid, session_id }
    ObserverActivityOrigin {}
    ObserverOrigin { from, sender_task_id = "senderTaskId" }
    OutputTokensDetails { thinking_tokens }
    OverLimit { tokens_over, kind }
    PeerOrigin {
        from, from_mode = "fromMode", name, from_session = "fromSession",
        sender_task_id = "senderTaskId", body, verified_peer_pid = "verifiedPeerPid",
    }
    PermissionDecision { decision, source, reason_type }
    PermissionDenial { tool_name, tool_use_id, tool_input }
    PermissionDeniedMessage {
        tool_name, tool_use_id, agent_id, decision_reason_type, decision_reason, message, uuid,
        session_id,
    }
    PersistedFile { filename, file_id }
    Ping {}
    PlanLimit { kind, group, percent, resets_at, scope, severity, is_active }
    PlanUsage { limits, extra_usage }
    PluginError { plugin, kind = "type", message, path, managed_lock }
    PluginInstall { status, name, error, uuid, session_id }
    PreservedMessages { anchor_uuid, uuids }
    PreservedSegment { head_uuid, anchor_uuid, tail_uuid }
    PromptSubmitOutcome { kind, prompt_kept, reason }
    PromptSuggestion { suggestion, uuid, session_id }
    RateLimitEvent { rate_limit_info, uuid, session_id }
    RateLimitInfo {
        status, resets_at = "resetsAt", rate_limit_type = "rateLimitType", utilization,
        surpassed_threshold = "surpassedThreshold", overage_status = "overageStatus",
        overage_resets_at = "overageResetsAt", overage_disabled_reason = "overageDisabledReason",
        is_using_overage = "isUsingOverage", overage_in_use = "overageInUse",
        overage_enabled = "overageEnabled", limit_scope = "limitScope", error_code = "errorCode",
        can_user_purchase_credits = "canUserPurchaseCredits",
        has_chargeable_saved_payment_method = "hasChargeableSavedPaymentMethod",
    }
    RecalledMemory { path, scope, content }
    RefusalDetails {
        category, explanation, fallback_credit_token, fallback_has_prefill_claim, recommended_model,
    }
    ResourceLink { uri, name, title, description, mime_type = "mimeType", size, annotations }
    ResultMessage {
        subtype, is_error, result, errors, terminal_reason, stop_reason, api_error_status,
        num_turns, duration_ms, duration_api_ms, ttft_ms, ttft_stream_ms, time_to_request_ms,
        time_to_request_from_spawn_ms, request_sent_wall_ms, first_content_frame_ms,
        first_stream_post_ms, first_stream_post_ack_ms, first_stream_post_queue_wait_ms,
        first_stream_post_queued_behind, first_stream_post_wall_ms, first_text_post_ms,
        first_text_post_queue_wait_ms, first_text_post_queued_behind, first_text_post_wall_ms,
        warm_spare_claimed, time_origin_ms, first_request_input_tokens,
        first_request_cache_read_input_tokens, total_cost_usd, usage, model_usage = "modelUsage",
        model_usage_since_last_result, subagent_stats, safety_stops, permission_denials,
        structured_output, deferred_tool_use, local_command, resume_reason, startup_failure_reason,
        invalid_config_file, credential_expires_at, fast_mode_state, fast_mode_disabled_reason,
        queued_turn_count, result_index, begun_message_ids, origin, user_message_uuid,
        user_message_uuids, uuid, session_id,
    }
    ServerToolUse { web_search_requests, web_fetch_requests }
    SessionKey { project_key = "projectKey", session_id = "sessionId", subpath }
    SessionStateChanged { state, sdk_host_only, uuid, session_id }
    SessionTitleChanged { title, uuid, session_id }
    SessionUsage {
        total_cost_usd, total_api_duration_ms, total_duration_ms, total_lines_added,
        total_lines_removed, model_usage,
    }
    SessionWritesLost { error_code, lost, transcript_session_ids, uuid, session_id }
    SignatureDelta { signature }
    Status {
        status, permission_mode = "permissionMode", compact_result, compact_error,
        user_message_uuids, uuid, session_id,
    }
    StreamError { error, request_id }
    StreamEventMessage {
        event, parent_tool_use_id, uuid, session_id, api_message_id, ttft_ms, user_message_uuid,
        user_message_uuids, resume_reason, thinking_display, owed_rows, abandoned_blocks,
    }
    SubagentRequests { background, foreground, unset }
    SubagentRetry { agent_id, attempt, max_retries, retry_delay_ms, error_status, error_category }
    SubagentStats {
        spawned, requested, started_in_background, max_depth, spawned_by_subagents, completed,
        failed, killed, refused, by_type,
    }
    SubagentsKilled { user, parent, system }
    SubagentsRefused { budget, concurrency_limit, depth_limit }
    TaskNotification {
        task_id, run_id, tool_use_id, status, reason, output_file, summary, usage, resource_links,
        skip_transcript, ambient, uuid, session_id,
    }
    TaskNotificationOrigin { subkind, fire_reason = "fireReason", run_id = "runId", producer }
    TaskPatch { status, description, end_time, total_paused_ms, error, is_backgrounded }
    TaskProgress {
        task_id, run_id, tool_use_id, description, subagent_type, usage, last_tool_name, summary,
        uuid, session_id,
    }
    TaskStarted {
        task_id, run_id, tool_use_id, description, task_type, subagent_type, is_backgrounded,
        spawn_depth, parent_task_id, workflow_name, prompt, skip_transcript, ambient, uuid,
        session_id,
    }
    TaskUpdated { task_id, run_id, patch, uuid, session_id }
    TaskUsage { total_tokens, tool_uses, duration_ms }
    TextDelta { text }
    ThinkingDelta { thinking, estimated_tokens }
    ThinkingDropped { path, reason }
    ThinkingMismatchAllowed { path, reason }
    ThinkingTokens { estimated_tokens, estimated_tokens_delta, user_message_uuid, uuid, session_id }
    ToolProgress {
        tool_use_id, tool_name, parent_tool_use_id, elapsed_time_seconds, task_id, heartbeat,
        subagent_type, subagent_retry, uuid, session_id,
    }
    ToolResultMeta { id, permission_decision, non_execution_kind }
    ToolUseMeta { id, display_name, server_display_name, tool_name }
    ToolUseSummary { summary, preceding_tool_use_ids, uuid, session_id }
    TranscriptMirror { file_path = "filePath", entries, uuid, session_id }
    UnclassifiedOrigin {}
    Usage {
        input_tokens, output_tokens, output_tokens_details, cache_creation_input_tokens,
        cache_read_input_tokens, cache_creation, server_tool_use, service_tier, speed,
        inference_geo, iterations, fallback_credit,
    }
    UsageReport { session, rate_limits }
    UserBody { role, content }
    UserMessage {
        message, parent_tool_use_id, uuid, session_id, priority, client_composed,
        should_query = "shouldQuery", is_synthetic = "isSynthetic", is_replay = "isReplay",
        tool_use_result, tool_result_meta, origin, pasted_content, inline_pastes, file_attachments,
        timestamp, agent_id, subagent_type, task_description,
    }
    WorkerShuttingDown { reason, uuid, session_id }
}

unions! { message:
    AppliedEdit by "type" {
        ClearToolUses = "clear_tool_uses_20250919", ClearThinking = "clear_thinking_20251015",
    }
    BlockDelta by "type" {
        Text = "text_delta", InputJson = "input_json_delta", Thinking = "thinking_delta",
        Signature = "signature_delta", Citations = "citations_delta",
        Compaction = "compaction_delta",
    }
    CacheMissReason by "type" {
        ModelChanged = "model_changed", SystemChanged = "system_changed",
        ToolsChanged = "tools_changed", MessagesChanged = "messages_changed",
        PreviousMessageNotFound = "previous_message_not_found", Unavailable = "unavailable",
    }
    FallbackCreditStatus by "type" { Redeemed = "redeemed", NotApplied = "not_applied" }
    InputTransformation by "type" {
        ThinkingDropped = "thinking_dropped", ThinkingMismatchAllowed = "thinking_mismatch_allowed",
    }
    IterationUsage by "type" {
        Message = "message", Compaction = "compaction", Advisor = "advisor_message",
        Fallback = "fallback_message",
    }
    Message by "type" {
        User = "user", Assistant = "assistant", StreamEvent = "stream_event", Result = "result",
        System = "system", CommandLifecycle = "command_lifecycle", ToolProgress = "tool_progress",
        ToolUseSummary = "tool_use_summary", RateLimitEvent = "rate_limit_event",
        AuthStatus = "auth_status", PromptSuggestion = "prompt_suggestion",
        ConversationReset = "conversation_reset", ActiveGoal = "active_goal",
        TranscriptMirror = "transcript_mirror", KeepAlive = "keep_alive",
    }
    MessageOrigin by "kind" {
        Human = "human", Channel = "channel", Peer = "peer", TaskNotification = "task-notification",
        Coordinator = "coordinator", Unclassified = "unclassified", Observer = "observer",
        AutoContinuation = "auto-continuation", ObserverActivity = "observer-activity",
    }
    StopDetails by "type" { Refusal = "refusal" }
    StreamEvent by "type" {
        MessageStart = "message_start", ContentBlockStart = "content_block_start",
        ContentBlockDelta = "content_block_delta", ContentBlockStop = "content_block_stop",
        MessageDelta = "message_delta", MessageStop = "message_stop", Ping = "ping",
        Error = "error",
    }
    SystemMessage by "subtype" {
        Init = "init", Status = "status", SessionStateChanged = "session_state_changed",
        SessionTitleChanged = "session_title_changed",
        ControlRequestProgress = "control_request_progress", CommandsChanged = "commands_changed",
        CompactBoundary = "compact_boundary", WorkerShuttingDown = "worker_shutting_down",
        SessionWritesLost = "session_writes_lost", MirrorError = "mirror_error",
        FilesPersisted = "files_persisted", TaskStarted = "task_started",
        TaskProgress = "task_progress", TaskUpdated = "task_updated",
        TaskNotification = "task_notification", BackgroundTasksChanged = "background_tasks_changed",
        HookStarted = "hook_started", HookProgress = "hook_progress",
        HookResponse = "hook_response", ApiRetry = "api_retry",
        ModelRefusalFallback = "model_refusal_fallback",
        ModelRefusalNoFallback = "model_refusal_no_fallback", ThinkingTokens = "thinking_tokens",
        Informational = "informational", Notification = "notification",
        LocalCommandOutput = "local_command_output", MemoryRecall = "memory_recall",
        PermissionDenied = "permission_denied", ElicitationComplete = "elicitation_complete",
        PluginInstall = "plugin_install",
    }
}

enums! { message:
    ApiErrorKind {
        InvalidRequest = "invalid_request_error", Authentication = "authentication_error",
        Billing = "billing_error", Permission = "permission_error", NotFound = "not_found_error",
        RateLimit = "rate_limit_error", Timeout = "timeout_error", Api = "api_error",
        Overloaded = "overloaded_error",
    }
    ApiKeySource {
        Environment = "ANTHROPIC_API_KEY", ApiKeyHelper = "apiKeyHelper",
        LoginManagedKey = "/login managed key", None = "none", User = "user", Project = "project",
        Org = "org", Temporary = "temporary", Oauth = "oauth",
    }
    AssistantError {
        AuthenticationFailed = "authentication_failed",
        OauthOrgNotAllowed = "oauth_org_not_allowed", AccountOnHold = "account_on_hold",
        VerificationRequired = "verification_required", BillingError = "billing_error",
        RateLimit = "rate_limit", Overloaded = "overloaded", InvalidRequest = "invalid_request",
        ModelNotFound = "model_not_found", ServerError = "server_error", Other = "unknown",
        MaxOutputTokens = "max_output_tokens", CloudCredentialError = "cloud_credential_error",
    }
    BindingMismatch {
        Model = "model_binding_mismatch", Prefix = "prefix_binding_mismatch",
        Organization = "organization_binding_mismatch", EndUser = "end_user_binding_mismatch",
    }
    CommandState {
        Queued = "queued", Started = "started", Completed = "completed", Cancelled = "cancelled",
    }
    CompactResult { Success = "success", Failed = "failed" }
    CompactTrigger { Manual = "manual", Auto = "auto" }
    ContextCategoryKind { Used = "used", Free = "free", Buffer = "buffer", Deferred = "deferred" }
    ContextLimit { HardLimit = "hard_limit", CompactionWindow = "compaction_window" }
    CostBasis { List = "list", Managed = "managed", Other = "unknown" }
    FallbackCreditRefusal {
        BodyMismatch = "body_mismatch", ContinuationExcluded = "continuation_excluded",
        ContinuationOnly = "continuation_only", Expired = "expired",
        InvalidTargetModel = "invalid_target_model", NotEnabled = "not_enabled",
        RepriceUnavailable = "reprice_unavailable",
        TemporarilyUnavailable = "temporarily_unavailable",
        VariantFieldsPresent = "variant_fields_present", WrongOrganization = "wrong_organization",
        WrongPlatform = "wrong_platform", WrongWorkspace = "wrong_workspace",
    }
    FallbackDirection { Retry = "retry", Revert = "revert", Sticky = "sticky" }
    FallbackScope { Session = "session", Local = "local" }
    FallbackTrigger { Refusal = "refusal" }
    HookOutcome { Success = "success", Error = "error", Cancelled = "cancelled" }
    InformationalLevel {
        Info = "info", Notice = "notice", Suggestion = "suggestion", Warning = "warning",
    }
    LimitScope { Service = "service", Channel = "channel", GroupPool = "group_pool" }
    LostWrites { Transcript = "transcript", GlobalConfig = "global_config" }
    MemoryRecallMode { Select = "select", Synthesize = "synthesize" }
    MemoryScope { Personal = "personal", Team = "team", Organization = "organization" }
    ModelSpeed { Standard = "standard", Fast = "fast" }
    NotificationPriority { Low = "low", Medium = "medium", High = "high", Immediate = "immediate" }
    OverageDisabledReason {
        OverageNotProvisioned = "overage_not_provisioned", OrgLevelDisabled = "org_level_disabled",
        OrgLevelDisabledUntil = "org_level_disabled_until", OutOfCredits = "out_of_credits",
        SeatTierLevelDisabled = "seat_tier_level_disabled",
        MemberLevelDisabled = "member_level_disabled",
        SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
        GroupZeroCreditLimit = "group_zero_credit_limit",
        MemberZeroCreditLimit = "member_zero_credit_limit",
        OrgServiceLevelDisabled = "org_service_level_disabled",
        NoLimitsConfigured = "no_limits_configured", FetchError = "fetch_error", Other = "unknown",
    }
    PeerMode { Bypass = "bypass", Prompting = "prompting" }
    PluginInstallStatus {
        Started = "started", Installed = "installed", Failed = "failed", Completed = "completed",
    }
    Priority { Now = "now", Next = "next", Later = "later" }
    ProgressStatus { Started = "started", ApiRetry = "api_retry" }
    QueuedBehind {
        DurablePost = "durable_post", EphemeralPost = "ephemeral_post",
        RetryBackoff = "retry_backoff", Hold = "hold", None = "none",
    }
    RateLimitErrorCode { CreditsRequired = "credits_required" }
    RateLimitStatus {
        Allowed = "allowed", AllowedWarning = "allowed_warning", Rejected = "rejected",
    }
    RateLimitType {
        FiveHour = "five_hour", SevenDay = "seven_day", SevenDayOpus = "seven_day_opus",
        SevenDaySonnet = "seven_day_sonnet", SevenDayOverageIncluded = "seven_day_overage_included",
        Overage = "overage",
    }
    ResetTrigger {
        Clear = "clear", PlanModeExit = "plan_mode_exit", FreshSession = "fresh_session",
        Onboarding = "onboarding",
    }
    ResultSubtype {
        Success = "success", ErrorDuringExecution = "error_during_execution",
        ErrorMaxTurns = "error_max_turns", ErrorMaxBudgetUsd = "error_max_budget_usd",
        ErrorMaxStructuredOutputRetries = "error_max_structured_output_retries",
    }
    ServiceTier { Standard = "standard", Priority = "priority", Batch = "batch" }
    SessionState { Idle = "idle", Running = "running", RequiresAction = "requires_action" }
    SkillOwner { Anthropic = "anthropic", Custom = "custom" }
    StartupFailureReason {
        OrgPinApiKeyConflict = "org_pin_api_key_conflict",
        ProviderNotAllowed = "provider_not_allowed", OrgVerifyFailed = "org_verify_failed",
        OrgPinMismatch = "org_pin_mismatch", ManagedSettingsInvalid = "managed_settings_invalid",
        RemoteSettingsRequiredUnavailable = "remote_settings_required_unavailable",
        GatewaySigninRequired = "gateway_signin_required",
        GatewayAccessDenied = "gateway_access_denied", ProxyInvalid = "proxy_invalid",
        TempDirUnusable = "temp_dir_unusable", CwdUnavailable = "cwd_unavailable",
        ShellToolMissing = "shell_tool_missing",
        SessionHeldByBackground = "session_held_by_background",
        WorktreeResumeRefused = "worktree_resume_refused",
        WorktreeUnverified = "worktree_unverified", CliVersionTooOld = "cli_version_too_old",
        BypassRoot = "bypass_root",
        OrgConfigRequiredUnavailable = "org_config_required_unavailable",
        OrgConfigRefused = "org_config_refused",
        SandboxRequiredUnavailable = "sandbox_required_unavailable",
        InitializeNotFirst = "initialize_not_first", ConfigFileInvalid = "config_file_invalid",
        ManagedSettingsNotDelivered = "managed_settings_not_delivered",
        InitializeFieldsNotDelivered = "initialize_fields_not_delivered",
        SideloadFlagsDisabled = "sideload_flags_disabled",
    }
    StatusKind { Compacting = "compacting", Requesting = "requesting" }
    StopReason {
        EndTurn = "end_turn", MaxTokens = "max_tokens", StopSequence = "stop_sequence",
        ToolUse = "tool_use", PauseTurn = "pause_turn", Compaction = "compaction",
        Refusal = "refusal", ContextWindowExceeded = "model_context_window_exceeded",
    }
    TaskEndReason { WorkerRestart = "worker_restart" }
    TaskEndStatus { Completed = "completed", Failed = "failed", Stopped = "stopped" }
    TaskNotificationKind {
        ScheduledTrigger = "scheduled-trigger", PeerSendMessage = "peer-send-message",
        ProjectsRelay = "projects-relay", SessionInbox = "session-inbox",
        ExternalEvent = "external-event",
    }
    TaskStatus {
        Pending = "pending", Running = "running", Completed = "completed", Failed = "failed",
        Killed = "killed", Paused = "paused",
    }
    TerminalReason {
        Completed = "completed", AbortedStreaming = "aborted_streaming",
        AbortedTools = "aborted_tools", ApiError = "api_error", ModelError = "model_error",
        MaxTurns = "max_turns", BudgetExhausted = "budget_exhausted",
        PromptTooLong = "prompt_too_long", BlockingLimit = "blocking_limit",
        RapidRefillBreaker = "rapid_refill_breaker", ImageError = "image_error",
        MalformedToolUseExhausted = "malformed_tool_use_exhausted", ToolDeferred = "tool_deferred",
        ToolDeferredUnavailable = "tool_deferred_unavailable",
        BackgroundRequested = "background_requested",
        StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
        TurnSetupFailed = "turn_setup_failed", HookStopped = "hook_stopped",
        StopHookPrevented = "stop_hook_prevented",
    }
    ViewMode { Focus = "focus", Default = "default" }
    WriteErrorCode { NoSpace = "ENOSPC", QuotaExceeded = "EDQUOT" }
}
