//! The list of all host requests.

/// Calls a macro with the names of all requests that the host can send.
macro_rules! every_host_request {
    ($call:ident) => {
        $call! {
            ApplyFlagSettings,
            BackgroundTasks,
            CancelAsyncMessage,
            EndSession,
            FileSuggestions,
            GenerateSessionTitle,
            GetBinaryVersion,
            GetContextUsage,
            GetHooksListing,
            GetPlan,
            GetSessionCost,
            GetSettings,
            GetStatus,
            GetTaskOutput,
            GetUsage,
            Initialize,
            Interrupt,
            ListModels,
            ListPermissionRules,
            McpCall,
            McpMessage,
            McpReadResource,
            McpReconnect,
            McpSetServers,
            McpStatus,
            McpToggle,
            ReadFile,
            RegisterRepoRoot,
            ReloadOutputStyles,
            ReloadPlugins,
            ReloadSkills,
            RenameSession,
            RewindFiles,
            SeedReadState,
            SetColor,
            SetCwd,
            SetHasSubscribers,
            SetMaxThinkingTokens,
            SetMcpPermissionModeOverride,
            SetModel,
            SetPermissionMode,
            SideQuestion,
            StopTask,
            UpdateSettings
        }
    };
}
pub(crate) use every_host_request;
