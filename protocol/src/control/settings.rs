//! Requests about settings and permission rules.

use super::request::{Empty, host_requests};
use crate::json::Json;
use crate::open::{object, open_enum};
use crate::permission::PermissionBehavior;

host_requests! {
    ApplyFlagSettings = "apply_flag_settings" => Empty,
    UpdateSettings = "update_settings" => Empty,
    GetSettings = "get_settings" => GetSettingsAnswer,
    ListPermissionRules = "list_permission_rules" => ListPermissionRulesAnswer,
}

object! {
    /// Applies settings to this session, like command line arguments. If a
    /// setting is invalid, none is applied.
    #[derive(Default)]
    pub struct ApplyFlagSettings tags("subtype" = "apply_flag_settings") {
        /// The settings, an object. `null` removes a setting.
        pub settings: Json,
    }
}

object! {
    /// Writes settings to a file.
    pub struct UpdateSettings tags("subtype" = "update_settings") {
        /// The file to write.
        pub source: WritableSettings,
        /// The settings, an object.
        pub settings: Json,
    }
}

open_enum! {
    /// A settings file that the host can write.
    pub enum WritableSettings {
        /// The project's local settings, which are not shared.
        LocalSettings = "localSettings",
        /// The user's settings. Only `effortLevel` can be set.
        UserSettings = "userSettings",
    }
}

object! {
    /// Requests the settings.
    #[derive(Default)]
    pub struct GetSettings tags("subtype" = "get_settings") {}
}

object! {
    /// The settings. The response was measured; the CLI does not declare it.
    #[derive(Default)]
    pub struct GetSettingsAnswer {
        /// All settings, merged.
        pub effective: Option<Json>,
        /// The settings of each source.
        pub sources: Option<Vec<Json>>,
        /// The state of settings served by a server, such as `ineligible`.
        pub served_settings_state: Option<String>,
        /// The values that the agent uses.
        pub applied: Option<AppliedSettings>,
        /// Invalid settings files.
        pub errors: Option<Vec<SettingsParseError>>,
    }
}

object! {
    /// The values that the agent uses, as measured.
    #[derive(Default)]
    pub struct AppliedSettings {
        /// The name of the model.
        pub model: Option<String>,
        /// The effort level.
        pub effort: Option<String>,
        /// The advisor model.
        pub advisor: Option<Json>,
        /// Whether `ultracode` is on.
        pub ultracode: Option<bool>,
        /// Whether `ultracode` was requested.
        pub ultracode_requested: Option<bool> = "ultracodeRequested",
        /// Whether `ultracode` is available.
        pub ultracode_available: Option<bool> = "ultracodeAvailable",
        /// Whether `ultrathink` is available.
        pub ultrathink_available: Option<bool> = "ultrathinkAvailable",
        /// Whether file tools must not read outside the session's directories.
        pub outside_file_tool_reads_blocked: Option<bool> = "outsideFileToolReadsBlocked",
        /// Whether file tools must not write outside the session's directories.
        pub outside_file_tool_writes_blocked: Option<bool> = "outsideFileToolWritesBlocked",
        /// Whether only the directories set at launch count as inside.
        pub outside_blocks_count_launch_folders_only: Option<bool> = "outsideBlocksCountLaunchFoldersOnly",
        /// Whether the launch environment left the agent's own files in their
        /// default place.
        pub launch_env_left_own_files_in_place: Option<bool> = "launchEnvLeftOwnFilesInPlace",
    }
}

object! {
    /// An error in a settings file. The invalid part is ignored.
    pub struct SettingsParseError {
        /// The path of the file.
        pub file: Option<String>,
        /// The path of the setting, with dots. Empty for the whole file.
        pub path: Option<String>,
        /// The error message.
        pub message: String,
    }
}

object! {
    /// Requests the permission rules.
    #[derive(Default)]
    pub struct ListPermissionRules tags("subtype" = "list_permission_rules") {}
}

object! {
    /// The permission rules.
    pub struct ListPermissionRulesAnswer {
        /// The rules and related settings.
        pub state: PermissionRulesState,
    }
}

object! {
    /// The permission rules and working directories of a session.
    pub struct PermissionRulesState {
        /// The rules.
        pub rules: Vec<PermissionRuleEntry>,
        /// The directories.
        pub workspace_directories: Option<Vec<WorkspaceDirectory>> = "workspaceDirectories",
        /// The initial working directory.
        pub original_cwd: Option<String> = "originalCwd",
        /// Whether only managed rules apply.
        pub managed_only: Option<bool> = "managedOnly",
        /// Invalid settings files, whose rules are missing.
        pub errors: Option<Vec<SettingsParseError>>,
        /// Whether some data was withheld, because the response is stored in
        /// transit.
        pub withheld: Option<bool>,
    }
}

object! {
    /// A rule of a session.
    pub struct PermissionRuleEntry {
        /// The rule's behavior.
        pub behavior: PermissionBehavior,
        /// The source of the rule.
        pub source: PermissionRuleSource,
        /// The rule as written, including invisible characters.
        pub rule: String,
        /// A description of the rule.
        pub description: Option<PermissionRuleDescription>,
        /// Whether the rule can be changed.
        pub editability: Option<RuleEditability>,
        /// Whether the rule is ignored because only managed rules apply.
        pub not_in_effect: Option<bool> = "notInEffect",
    }
}

open_enum! {
    /// The source of a rule.
    pub enum PermissionRuleSource {
        /// The user's settings.
        UserSettings = "userSettings",
        /// The project's settings.
        ProjectSettings = "projectSettings",
        /// The project's local settings, which are not shared.
        LocalSettings = "localSettings",
        /// Settings set at launch or by the host.
        FlagSettings = "flagSettings",
        /// The organization's settings.
        PolicySettings = "policySettings",
        /// The command line.
        CliArg = "cliArg",
        /// A slash command.
        Command = "command",
        /// The current session.
        Session = "session",
        /// The mount of an MCP server.
        McpMount = "mcpMount",
        /// A restriction of the tools.
        ToolsNarrowing = "toolsNarrowing",
        /// The policy of an MCP server.
        McpServerPolicy = "mcpServerPolicy",
        /// A credential of the host.
        HostCredential = "hostCredential",
    }
}

object! {
    /// A description of a rule, in up to three parts.
    pub struct PermissionRuleDescription {
        /// The beginning.
        pub prefix: String,
        /// The emphasised part.
        pub emphasis: Option<String>,
        /// The end.
        pub suffix: Option<String>,
    }
}

open_enum! {
    /// How a rule can be changed.
    pub enum RuleEditability {
        /// The rule can be changed in a settings file.
        Persistent = "persistent",
        /// The rule can be changed until the session ends.
        Session = "session",
        /// The rule cannot be changed.
        Readonly = "readonly",
    }
}

object! {
    /// A working directory.
    pub struct WorkspaceDirectory {
        /// The path of the directory.
        pub path: String,
        /// The source of the directory: a settings file, `cliArg` or `session`.
        pub source: Option<String>,
    }
}

impl ApplyFlagSettings {
    /// Applies these settings, an object.
    pub fn new(settings: impl Into<Json>) -> Self {
        Self {
            settings: settings.into(),
            ..Self::default()
        }
    }
}

impl UpdateSettings {
    /// Writes these settings, an object, to this file.
    pub fn new(source: WritableSettings, settings: impl Into<Json>) -> Self {
        Self {
            source,
            settings: settings.into(),
            extra: Default::default(),
        }
    }
}
