//! Requests about settings, and about the permission rules that they hold.

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
    /// Sets settings for this session, as if they had been given on the
    /// command line. If one of them is wrong, none is taken.
    #[derive(Default)]
    pub struct ApplyFlagSettings tags("subtype" = "apply_flag_settings") {
        /// The settings, an object. A `null` takes one away.
        pub settings: Json,
    }
}

object! {
    /// Writes settings to a file.
    pub struct UpdateSettings tags("subtype" = "update_settings") {
        /// The file.
        pub source: WritableSettings,
        /// The settings, an object.
        pub settings: Json,
    }
}

open_enum! {
    /// A file of settings that the host may write.
    pub enum WritableSettings {
        /// The project's, those that are not shared.
        LocalSettings = "localSettings",
        /// The user's, of which only `effortLevel` may be set.
        UserSettings = "userSettings",
    }
}

object! {
    /// Asks for the settings.
    #[derive(Default)]
    pub struct GetSettings tags("subtype" = "get_settings") {}
}

object! {
    /// The settings. Measured: the declarations do not have it.
    #[derive(Default)]
    pub struct GetSettingsAnswer {
        /// All settings, merged.
        pub effective: Option<Json>,
        /// The settings of each source.
        pub sources: Option<Vec<Json>>,
        /// How it stands with settings that a server gives, such as
        /// `ineligible`.
        pub served_settings_state: Option<String>,
        /// What came of them.
        pub applied: Option<AppliedSettings>,
        /// Files that could not be read.
        pub errors: Option<Vec<SettingsParseError>>,
    }
}

object! {
    /// What came of the settings. Measured.
    #[derive(Default)]
    pub struct AppliedSettings {
        /// The name of the model.
        pub model: Option<String>,
        /// How hard it tries.
        pub effort: Option<String>,
        /// The model that advises it.
        pub advisor: Option<Json>,
        /// Whether `ultracode` is on.
        pub ultracode: Option<bool>,
        /// Whether it was asked for.
        pub ultracode_requested: Option<bool> = "ultracodeRequested",
        /// Whether it can be had.
        pub ultracode_available: Option<bool> = "ultracodeAvailable",
        /// Whether `ultrathink` can be had.
        pub ultrathink_available: Option<bool> = "ultrathinkAvailable",
        /// Whether the file tools may not read outside the session's
        /// directories.
        pub outside_file_tool_reads_blocked: Option<bool> = "outsideFileToolReadsBlocked",
        /// Whether they may not write there.
        pub outside_file_tool_writes_blocked: Option<bool> = "outsideFileToolWritesBlocked",
        /// Whether only the directories that the session was started with
        /// count as inside.
        pub outside_blocks_count_launch_folders_only: Option<bool> = "outsideBlocksCountLaunchFoldersOnly",
        /// Whether the environment at launch left the agent's own files where
        /// they were.
        pub launch_env_left_own_files_in_place: Option<bool> = "launchEnvLeftOwnFilesInPlace",
    }
}

object! {
    /// Something wrong in a file of settings, which is then ignored.
    pub struct SettingsParseError {
        /// The file.
        pub file: Option<String>,
        /// The setting, with dots; empty for the whole file.
        pub path: Option<String>,
        /// What is wrong.
        pub message: String,
    }
}

object! {
    /// Asks for the rules by which permissions are decided.
    #[derive(Default)]
    pub struct ListPermissionRules tags("subtype" = "list_permission_rules") {}
}

object! {
    /// The rules by which permissions are decided.
    pub struct ListPermissionRulesAnswer {
        /// The rules, and what goes with them.
        pub state: PermissionRulesState,
    }
}

object! {
    /// The rules of a session, and the directories in which it may work.
    pub struct PermissionRulesState {
        /// The rules.
        pub rules: Vec<PermissionRuleEntry>,
        /// The directories.
        pub workspace_directories: Option<Vec<WorkspaceDirectory>> = "workspaceDirectories",
        /// The working directory at the start.
        pub original_cwd: Option<String> = "originalCwd",
        /// Whether only rules of the organisation count.
        pub managed_only: Option<bool> = "managedOnly",
        /// Files that could not be read, and whose rules are missing.
        pub errors: Option<Vec<SettingsParseError>>,
        /// Whether some of this was left out, because the answer is stored on
        /// its way.
        pub withheld: Option<bool>,
    }
}

object! {
    /// A rule of a session.
    pub struct PermissionRuleEntry {
        /// What it says.
        pub behavior: PermissionBehavior,
        /// Where it comes from.
        pub source: PermissionRuleSource,
        /// The rule as it was written, invisible characters and all.
        pub rule: String,
        /// The rule in words.
        pub description: Option<PermissionRuleDescription>,
        /// Whether it can be changed.
        pub editability: Option<RuleEditability>,
        /// Whether it is ignored, as only rules of the organisation count.
        pub not_in_effect: Option<bool> = "notInEffect",
    }
}

open_enum! {
    /// Where a rule comes from.
    pub enum PermissionRuleSource {
        /// The user's settings.
        UserSettings = "userSettings",
        /// The project's settings.
        ProjectSettings = "projectSettings",
        /// The project's settings that are not shared.
        LocalSettings = "localSettings",
        /// Settings that were given at the start or by the host.
        FlagSettings = "flagSettings",
        /// The organisation's settings.
        PolicySettings = "policySettings",
        /// The command line.
        CliArg = "cliArg",
        /// A command that the prompt began with.
        Command = "command",
        /// This session.
        Session = "session",
        /// The way in which an MCP server was mounted.
        McpMount = "mcpMount",
        /// A narrower choice of tools.
        ToolsNarrowing = "toolsNarrowing",
        /// The policy of an MCP server.
        McpServerPolicy = "mcpServerPolicy",
        /// A credential of the host's.
        HostCredential = "hostCredential",
    }
}

object! {
    /// A rule in words, in up to three pieces.
    pub struct PermissionRuleDescription {
        /// The beginning.
        pub prefix: String,
        /// The piece that stands out.
        pub emphasis: Option<String>,
        /// The end.
        pub suffix: Option<String>,
    }
}

open_enum! {
    /// Whether a rule can be changed.
    pub enum RuleEditability {
        /// It can, in a file of settings.
        Persistent = "persistent",
        /// It can, until the session ends.
        Session = "session",
        /// It cannot.
        Readonly = "readonly",
    }
}

object! {
    /// A directory in which the agent may work.
    pub struct WorkspaceDirectory {
        /// The directory.
        pub path: String,
        /// Who allowed it: a file of settings, `cliArg` or `session`.
        pub source: Option<String>,
    }
}

impl ApplyFlagSettings {
    /// Sets these settings, an object.
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
