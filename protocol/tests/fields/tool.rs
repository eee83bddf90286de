//! The types of `agentwire_protocol::tool`.

use crate::fields::table::{either, enums, objects, unions};

objects! { tool:
    AgentCompleted {
        agent_id = "agentId", agent_type = "agentType", content, resolved_model = "resolvedModel",
        models_used = "modelsUsed", total_tool_use_count = "totalToolUseCount",
        total_duration_ms = "totalDurationMs", total_tokens = "totalTokens", usage,
        tools_used = "toolsUsed", tool_stats = "toolStats", prompt, worktree_path = "worktreePath",
        worktree_branch = "worktreeBranch",
    }
    AgentInput {
        description, prompt, subagent_type, model, effort, run_in_background, name, team_name, mode,
        isolation,
    }
    AgentLaunched {
        is_async = "isAsync", agent_id = "agentId", description, resolved_model = "resolvedModel",
        models_used = "modelsUsed", prompt, output_file = "outputFile",
        can_read_output_file = "canReadOutputFile", can_continue_agent = "canContinueAgent",
    }
    AgentToolStats {
        read_count = "readCount", search_count = "searchCount", bash_count = "bashCount",
        edit_file_count = "editFileCount", lines_added = "linesAdded",
        lines_removed = "linesRemoved", other_tool_count = "otherToolCount",
        frame_count = "frameCount",
    }
    AllowedPrompt { tool, prompt }
    ArtifactArm {
        url, rail, state, reconnect, failures, max_failures, next_in_s, last_failure, reason,
        detail, server_message, at,
    }
    ArtifactInput {
        action, file_path, favicon, icon, limit, page_token, scope, title, description, label, url,
        prompt, force, pin, out_dir, file_paths, asset_id, after, capabilities, contract,
    }
    ArtifactLink { url }
    ArtifactOutput {
        url, path, artifact_id, title, version, capabilities, stored, warnings,
        publishes_remaining = "publishesRemaining", publishes_reset_at = "publishesResetAt",
        contract, updated, owned, icon, favicon_sent = "faviconSent", icon_dropped = "iconDropped",
        audience, folder_audience, seq, unchanged, live_subscription = "liveSubscription", pinned,
        artifacts, truncated, total, total_at_least, next_page_token, pins_enabled, scope,
        external_listed, read, artifact_read = "artifactRead", watch, unwatch, watches, filter_url,
        arms, written, asset_upload, asset_uploads, asset_list, asset_read, asset_delete, pin,
    }
    ArtifactPage {
        url, bytes, code, code_text = "codeText", result, duration_ms = "durationMs", title,
    }
    ArtifactPin { action, url, pinned, title }
    ArtifactRead { slug, ver, seeded }
    ArtifactStored {
        contract, preferred_contract = "preferredContract", capabilities, carried, read,
    }
    ArtifactUnwatched { url, was_watching }
    ArtifactWatch {
        url, rail, task_id, trigger_id, since, explicit, connected, connecting, token_expires_at,
        armed_via, events, restored, stop_kind,
    }
    ArtifactWatchReceipt {
        url, watching, outcome, reason, durable_skip_reason, task_id, since, token_expires_at, rail,
        trigger_id, durable_since, status, detail, note, events,
    }
    AskUserQuestionInput { questions, answers, annotations, metadata }
    AskUserQuestionOutput {
        questions, answers, response, annotations, afk_timeout_ms = "afkTimeoutMs",
    }
    Asset { id, url, content_type, size_bytes, sha256, created_at }
    AssetDeleted { id, deleted }
    AssetList { url, assets, usage, next, cowritten, outside_writer }
    AssetRead {
        id, path, size_bytes, content_type, sha256, cowritten, outside_writer, public_read, foreign,
    }
    AssetStoreUsage { files, bytes, max_files, max_bytes }
    AssetUpload { id, url, size_bytes, content_type, sha256, file_name }
    AssetUploadResult {
        file_path, status, id, url, size_bytes, content_type, sha256, file_name, reason, message,
        may_be_stored,
    }
    AssetUploads { url, results }
    BashInput {
        command, timeout, description, run_in_background,
        dangerously_disable_sandbox = "dangerouslyDisableSandbox",
    }
    BashOutput {
        stdout, stderr, raw_output_path = "rawOutputPath", interrupted, is_image = "isImage",
        background_task_id = "backgroundTaskId", backgrounded_by_user = "backgroundedByUser",
        timed_out_after_ms = "timedOutAfterMs", background_cwd_hint = "backgroundCwdHint",
        background_ends_with_final_response = "backgroundEndsWithFinalResponse",
        background_wakes_owner = "backgroundWakesOwner",
        dangerously_disable_sandbox = "dangerouslyDisableSandbox",
        return_code_interpretation = "returnCodeInterpretation",
        no_output_expected = "noOutputExpected", structured_content = "structuredContent",
        persisted_output_path = "persistedOutputPath",
        persisted_output_size = "persistedOutputSize",
        stale_read_file_state_hint = "staleReadFileStateHint",
        gh_rate_limit_hint = "ghRateLimitHint", git_operation = "gitOperation",
    }
    ClaudeDesignInput { operation, arguments }
    ClaudeDesignOutput { operation, content, is_error = "isError" }
    CreatedTask { id, subject, description }
    CronCreateInput { cron, prompt, recurring, durable }
    CronCreateOutput {
        id, human_schedule = "humanSchedule", recurring, durable, next_fire_at = "nextFireAt",
        max_age_ms = "maxAgeMs", other_one_shots = "otherOneShots",
    }
    CronDeleteInput { id }
    CronDeleteOutput { id, ended_loop_wakeup = "endedLoopWakeup" }
    CronJob {
        id, cron, human_schedule = "humanSchedule", prompt, recurring, durable,
        next_fire_at = "nextFireAt",
    }
    CronListOutput { jobs }
    CronOneShot { id, human_schedule = "humanSchedule", prompt }
    DiffHunk {
        old_start = "oldStart", old_lines = "oldLines", new_start = "newStart",
        new_lines = "newLines", lines,
    }
    EnterPlanModeOutput { message }
    EnterWorktreeInput { name, path }
    EnterWorktreeOutput {
        worktree_path = "worktreePath", worktree_branch = "worktreeBranch", message,
    }
    ExitPlanModeInput { allowed_prompts = "allowedPrompts", plan, plan_file_path = "planFilePath" }
    ExitPlanModeOutput {
        plan, is_agent = "isAgent", file_path = "filePath", has_task_tool = "hasTaskTool",
        plan_was_edited = "planWasEdited", awaiting_leader_approval = "awaitingLeaderApproval",
        request_id = "requestId",
    }
    ExitWorktreeInput { action, discard_changes }
    ExitWorktreeOutput {
        action, original_cwd = "originalCwd", worktree_path = "worktreePath",
        worktree_branch = "worktreeBranch", tmux_session_name = "tmuxSessionName",
        discarded_files = "discardedFiles", discarded_commits = "discardedCommits", message,
    }
    FileEditInput { file_path, old_string, new_string, replace_all }
    FileEditOutput {
        file_path = "filePath", old_string = "oldString", new_string = "newString",
        original_file = "originalFile", structured_patch = "structuredPatch",
        user_modified = "userModified", replace_all = "replaceAll", git_diff = "gitDiff", staged,
    }
    FileReadInput { file_path, offset, limit, pages, allow_large }
    FileWriteInput { file_path, content }
    FileWriteOutput {
        kind = "type", file_path = "filePath", content, structured_patch = "structuredPatch",
        original_file = "originalFile", git_diff = "gitDiff", user_modified = "userModified",
        staged,
    }
    Finding {
        file, line, summary, short_summary, failure_scenario, category, severity, verdict, outcome,
    }
    GitBranchChange { name = "ref", action }
    GitCommit { sha, kind, branch }
    GitDiff { filename, status, additions, deletions, changes, patch, repository }
    GitOperation { commit, push, branch, pr }
    GitPullRequest { number, url, action }
    GitPush { branch }
    GlobInput { pattern, path }
    GlobOutput {
        duration_ms = "durationMs", num_files = "numFiles", filenames, truncated,
        total_matches = "totalMatches", count_is_complete = "countIsComplete",
        timed_out = "timedOut",
    }
    GrepInput {
        pattern, path, glob, output_mode, before = "-B", after = "-A", around = "-C", context,
        line_numbers = "-n", ignore_case = "-i", only_matching = "-o", file_type = "type",
        head_limit, offset, multiline,
    }
    GrepOutput {
        mode, num_files = "numFiles", filenames, content, num_lines = "numLines",
        num_matches = "numMatches", total_files = "totalFiles", total_lines = "totalLines",
        applied_limit = "appliedLimit", applied_offset = "appliedOffset", timed_out = "timedOut",
    }
    ImageDimensions {
        original_width = "originalWidth", original_height = "originalHeight",
        display_width = "displayWidth", display_height = "displayHeight",
    }
    ImageFileContent { base64, media_type = "type", original_size = "originalSize", dimensions }
    ImageFileRead { file }
    ListMcpResourcesInput { server }
    ListedArtifact {
        title, url, favicon, updated_at = "updatedAt", rel, external, role,
        outsiders_may_have_written = "outsidersMayHaveWritten", listed_kind = "listedKind", pinned,
    }
    ListedMcpResource { uri, name, mime_type = "mimeType", description, server }
    ListedTask { id, subject, status, owner, blocked_by = "blockedBy" }
    McpDirEntry { uri, name, mime_type = "mimeType" }
    MonitorInput { description, timeout_ms, command, ws }
    MonitorOutput {
        task_id = "taskId", timeout_ms = "timeoutMs", persistent,
        kept_in_sandbox_by_check = "keptInSandboxByCheck",
    }
    MonitorSocket { url, protocols }
    NoInput {}
    NotebookEditInput { notebook_path, cell_id, new_source, cell_type, edit_mode }
    NotebookEditOutput {
        new_source, old_source, cell_id, cell_type, language, edit_mode, error, notebook_path,
        original_file, updated_file,
    }
    NotebookFileContent { file_path = "filePath", cells }
    NotebookFileRead { file }
    OfferChromeSetupInput { reason }
    OfferChromeSetupOutput { outcome }
    PageImage { base64, media_type = "mediaType", error }
    PartsFileContent {
        file_path = "filePath", original_size = "originalSize", count, output_dir = "outputDir",
    }
    PartsFileRead { file, first_page = "firstPage", pages }
    PdfFileContent { file_path = "filePath", base64, original_size = "originalSize" }
    PdfFileRead { file }
    ProjectDeleted { notice, path, deleted }
    ProjectDoc { path, created_at }
    ProjectDocument { notice, path, file_kind, content, local_file, created_at }
    ProjectFile { path, file_kind, created_at }
    ProjectHit { name, doc_uuid, text, image_attached, page }
    ProjectInfo {
        notice, local_file, name, description, instructions, docs, files, sync_sources, knowledge,
    }
    ProjectKnowledge { knowledge_size, max_knowledge_size }
    ProjectMemoryEntry { path, size_bytes, updated_at, truncated }
    ProjectMemoryFile { notice, path, content, local_file, size_bytes, updated_at, truncated }
    ProjectMemoryList { notice, files, truncated }
    ProjectSearch { notice, rag, hits, docs }
    ProjectSyncSource { kind = "type", config }
    ProjectWritten { notice, path, doc_uuid, replaced, present_to_user, local_path }
    ProjectsInput { method, path, content, local_path, present_to_user, query, n }
    ProposeGoalInput { condition, ask_user }
    ProposeGoalOutput { condition, ask_user = "askUser" }
    ProposeSkillsInput { proposals }
    ProposeSkillsOutput { proposal_count = "proposalCount" }
    PushNotificationInput { message, status }
    PushNotificationOutput {
        message, push_sent = "pushSent", local_sent = "localSent",
        disabled_reason = "disabledReason", sent_at = "sentAt",
    }
    Question { question, header, options, multi_select = "multiSelect" }
    QuestionAnnotation { preview, notes, unanswered }
    QuestionMetadata { source }
    QuestionOption { label, description, preview }
    QueuedNotification { notification_id, origin, queued_at, content, arrived_at }
    ReadMcpResourceContent { uri, mime_type = "mimeType", text, blob_saved_to = "blobSavedTo" }
    ReadMcpResourceDirInput { server, uri }
    ReadMcpResourceDirOutput { resources, error }
    ReadMcpResourceInput { server, uri }
    ReadMcpResourceOutput { contents, error }
    ReadNotificationsOutput { notifications, remaining, read_at }
    RefreshMcpToolsInput { server }
    RefreshedMcpTools { server, status, tool_count = "toolCount", added, removed, error }
    RemoteAgentLaunched {
        task_id = "taskId", session_url = "sessionUrl", description, prompt,
        output_file = "outputFile",
    }
    RemoteTriggerInput { action, trigger_id, session_id, cursor, body }
    RemoteTriggerOutput { status, json, summary }
    ReportFindingsInput { level, findings }
    ReportFindingsOutput { count, level, findings }
    ScheduleWakeupInput { delay_seconds = "delaySeconds", reason, prompt, stop, noop }
    ScheduleWakeupOutput {
        scheduled_for = "scheduledFor", clamped_delay_seconds = "clampedDelaySeconds",
        was_clamped = "wasClamped", stopped, cancelled_wakeups = "cancelledWakeups",
    }
    SendFeedbackInput { kind = "type", title, details, area, failure_mode, task_category }
    SendFeedbackOutput { success, message }
    ShowOnboardingRolePickerOutput { role, dismissed }
    SkillEdit { old_string, new_string }
    SkillProposal { name, kind, target, description, evidence, edits, skill_md = "skillMd" }
    TaskCreateInput { subject, description, active_form = "activeForm", metadata }
    TaskCreateOutput { task }
    TaskDetails { id, subject, description, status, blocks, blocked_by = "blockedBy" }
    TaskGetInput { task_id = "taskId" }
    TaskGetOutput { task }
    TaskListOutput { tasks }
    TaskStatusChange { from, to }
    TaskStopInput { task_id, shell_id }
    TaskStopOutput { message, task_id, task_type, command }
    TaskUpdateInput {
        task_id = "taskId", subject, description, active_form = "activeForm", status,
        add_blocks = "addBlocks", add_blocked_by = "addBlockedBy", owner, metadata,
    }
    TaskUpdateOutput {
        success, task_id = "taskId", updated_fields = "updatedFields", error,
        status_change = "statusChange",
    }
    TextFileContent {
        file_path = "filePath", content, num_lines = "numLines", start_line = "startLine",
        total_lines = "totalLines", truncated_by_token_cap = "truncatedByTokenCap",
    }
    TextFileRead { file, artifact_read = "artifactRead" }
    TodoItem { content, status, active_form = "activeForm" }
    TodoWriteInput { todos }
    TodoWriteOutput { old_todos = "oldTodos", new_todos = "newTodos" }
    WebFetchInput { url, prompt, offset }
    WebFetchOutput {
        bytes, code, code_text = "codeText", result, duration_ms = "durationMs", url,
        artifact_read = "artifactRead",
    }
    WebSearchHit { title, url, snippet }
    WebSearchHits { tool_use_id, content }
    WebSearchInput { query, allowed_domains, blocked_domains }
    WebSearchOutput {
        query, results, duration_seconds = "durationSeconds", search_count = "searchCount",
    }
    WorkflowInput {
        script, name, description, title, args, script_path = "scriptPath",
        resume_from_run_id = "resumeFromRunId",
    }
    WorkflowOutput {
        status, task_id = "taskId", task_type = "taskType", workflow_name = "workflowName",
        run_id = "runId", summary, transcript_dir = "transcriptDir", script_path = "scriptPath",
        session_url = "sessionUrl", warning, error,
    }
}

unions! { tool:
    AgentOutput by "status" {
        Completed = "completed", AsyncLaunched = "async_launched",
        RemoteLaunched = "remote_launched",
    }
    FileReadOutput by "type" {
        Text = "text", Image = "image", Notebook = "notebook", Pdf = "pdf", Parts = "parts",
    }
    ProjectsOutput by "method" {
        Info = "project_info", Read = "project_read", Search = "project_search",
        Write = "project_write", Delete = "project_delete", MemoryList = "project_memory_list",
        MemoryRead = "project_memory_read",
    }
}

either! { tool:
    WebSearchItem { Hits, Text }
}

enums! { tool:
    AgentIsolation { Worktree = "worktree", Remote = "remote" }
    AgentModel { Sonnet = "sonnet", Opus = "opus", Haiku = "haiku", Fable = "fable" }
    AllowedPromptTool { Bash = "Bash" }
    ArtifactAction {
        Publish = "publish", List = "list", Read = "read", ListTypes = "list_types",
        Watch = "watch", Unwatch = "unwatch", Status = "status", UploadAsset = "upload_asset",
        ListAssets = "list_assets", ReadAsset = "read_asset", DeleteAsset = "delete_asset",
        Pin = "pin", Unpin = "unpin",
    }
    ArtifactFolderAudience { Others = "others", Undetermined = "unknown" }
    ArtifactRole {
        Editor = "editor", Commenter = "commenter", Reader = "reader", Viewer = "viewer",
    }
    ArtifactScope { Mine = "mine", Shared = "shared", All = "all" }
    ArtifactWatchRail { DurableWake = "durable_wake", LiveStopped = "live_stopped" }
    AssetStatus { Uploaded = "uploaded", Failed = "failed", NotAttempted = "not_attempted" }
    ChromeSetupOutcome {
        Connected = "connected", NotNow = "not_now", NoAttemptYet = "no_attempt_yet",
    }
    FeedbackFailureMode {
        InstructionFollowing = "instruction_following", DestructiveActions = "destructive_actions",
        CodeQuality = "code_quality", RepetitionAndLooping = "repetition_and_looping",
        ModelRegression = "model_regression",
        OverconfidenceAndHallucination = "overconfidence_and_hallucination",
        ContextAndMemory = "context_and_memory", Overeager = "overeager",
        OverCorrection = "over_correction", StoppingShort = "stopping_short",
        DisputeOrDecline = "dispute_or_decline", SubagentOverspawn = "subagent_overspawn",
        ToneOrPreachiness = "tone_or_preachiness", ExcessiveQuestions = "excessive_questions",
        UnwantedScope = "unwanted_scope", Other = "other",
    }
    FeedbackKind { Bug = "bug", Idea = "idea", MissingCapability = "missing_capability" }
    FeedbackTaskCategory {
        CodeEdit = "code_edit", Debug = "debug", Explain = "explain", Plan = "plan",
        Shell = "shell", Search = "search", Review = "review", Other = "other",
    }
    FileWriteKind { Create = "create", Update = "update" }
    FindingOutcome { Fixed = "fixed", Skipped = "skipped", NoChangeNeeded = "no_change_needed" }
    FindingSeverity { Important = "important", PreExisting = "pre_existing", Nit = "nit" }
    FindingVerdict { Confirmed = "CONFIRMED", Plausible = "PLAUSIBLE" }
    GitBranchAction { Merged = "merged", Rebased = "rebased" }
    GitCommitKind { Committed = "committed", Amended = "amended", CherryPicked = "cherry-picked" }
    GitDiffStatus { Modified = "modified", Added = "added" }
    GitPullRequestAction {
        Created = "created", Edited = "edited", Merged = "merged", Commented = "commented",
        Closed = "closed", Reopened = "reopened", Ready = "ready", Draft = "draft",
        AutoMergeEnabled = "auto-merge-enabled", AutoMergeDisabled = "auto-merge-disabled",
    }
    GrepMode { Content = "content", FilesWithMatches = "files_with_matches", Count = "count" }
    McpRefreshStatus { Refreshed = "refreshed", Error = "error", NotConnected = "not_connected" }
    NotebookCellType { Code = "code", Markdown = "markdown" }
    NotebookEditMode { Replace = "replace", Insert = "insert", Delete = "delete" }
    ProjectMethod {
        Info = "project_info", Read = "project_read", Search = "project_search",
        Write = "project_write", Delete = "project_delete", MemoryList = "project_memory_list",
        MemoryRead = "project_memory_read",
    }
    PushDisabledReason {
        ConfigOff = "config_off", UserPresent = "user_present", NoTransport = "no_transport",
    }
    PushNotificationStatus { Proactive = "proactive" }
    QuestionUnanswered {
        Skipped = "skipped", RepliedInChat = "replied_in_chat", Dismissed = "dismissed",
    }
    RemoteTriggerAction {
        List = "list", Get = "get", Create = "create", Update = "update", Run = "run",
        CreateWebhookTrigger = "create_webhook_trigger", ListRuns = "list_runs",
        GetRunLog = "get_run_log",
    }
    SkillProposalKind { New = "new", Improvement = "improvement" }
    TodoStatus {
        Pending = "pending", InProgress = "in_progress", Completed = "completed",
        Deleted = "deleted",
    }
    WorkflowStatus { AsyncLaunched = "async_launched", RemoteLaunched = "remote_launched" }
    WorkflowTaskType { LocalWorkflow = "local_workflow", RemoteAgent = "remote_agent" }
    WorktreeFate { Keep = "keep", Remove = "remove" }
}
