//! Changes of the rules by which permissions are decided.

use super::mode::PermissionMode;
use crate::open::{object, open_enum, union};

union! {
    /// A change of the rules by which permissions are decided.
    pub enum PermissionUpdate by "type" {
        /// Adds rules.
        "addRules" => AddRules(AddRules),
        /// Replaces the rules.
        "replaceRules" => ReplaceRules(ReplaceRules),
        /// Takes rules away.
        "removeRules" => RemoveRules(RemoveRules),
        /// Sets the mode.
        "setMode" => SetMode(SetMode),
        /// Adds directories in which the agent may work.
        "addDirectories" => AddDirectories(AddDirectories),
        /// Takes such directories away.
        "removeDirectories" => RemoveDirectories(RemoveDirectories),
    }
}

/// Three updates carry rules, and nothing else differs between them.
macro_rules! rules_update {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            pub struct $name tags("type" = $tag) {
                /// The rules.
                pub rules: Vec<PermissionRule>,
                /// What the rules say.
                pub behavior: PermissionBehavior,
                /// Where they are kept.
                pub destination: PermissionDestination,
            }
        }

        impl $name {
            /// These rules, which say this and are kept there.
            pub fn new(
                rules: impl IntoIterator<Item = PermissionRule>,
                behavior: PermissionBehavior,
                destination: PermissionDestination,
            ) -> Self {
                Self {
                    rules: rules.into_iter().collect(),
                    behavior,
                    destination,
                    extra: Default::default(),
                }
            }
        }
    )*};
}

rules_update! {
    /// Adds rules.
    AddRules = "addRules",
    /// Replaces the rules.
    ReplaceRules = "replaceRules",
    /// Takes rules away.
    RemoveRules = "removeRules",
}

object! {
    /// Sets the mode.
    pub struct SetMode tags("type" = "setMode") {
        /// The mode.
        pub mode: PermissionMode,
        /// Where it is kept.
        pub destination: PermissionDestination,
    }
}

object! {
    /// Adds directories in which the agent may work.
    pub struct AddDirectories tags("type" = "addDirectories") {
        /// The directories.
        pub directories: Vec<String>,
        /// Where they are kept.
        pub destination: PermissionDestination,
    }
}

object! {
    /// Takes such directories away.
    pub struct RemoveDirectories tags("type" = "removeDirectories") {
        /// The directories.
        pub directories: Vec<String>,
        /// Where they are kept.
        pub destination: PermissionDestination,
    }
}

object! {
    /// A rule about a tool.
    pub struct PermissionRule {
        /// The tool.
        pub tool_name: String = "toolName",
        /// What of the tool, such as `git *` of `Bash`; all of it, when absent.
        pub rule_content: Option<String> = "ruleContent",
    }
}

open_enum! {
    /// What a rule says.
    pub enum PermissionBehavior {
        /// The tool may run.
        Allow = "allow",
        /// It may not.
        Deny = "deny",
        /// Somebody has to be asked.
        Ask = "ask",
    }
}

open_enum! {
    /// Where a change of the rules is kept.
    pub enum PermissionDestination {
        /// In the user's settings.
        UserSettings = "userSettings",
        /// In the project's settings.
        ProjectSettings = "projectSettings",
        /// In the project's settings that are not shared.
        LocalSettings = "localSettings",
        /// In this session alone.
        Session = "session",
        /// As if it had been given on the command line.
        CliArg = "cliArg",
    }
}

impl PermissionUpdate {
    /// Adds these rules.
    pub fn add_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: PermissionDestination,
    ) -> Self {
        AddRules::new(rules, behavior, destination).into()
    }

    /// Puts these rules in the place of all that say this and are kept there.
    pub fn replace_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: PermissionDestination,
    ) -> Self {
        ReplaceRules::new(rules, behavior, destination).into()
    }

    /// Takes these rules away.
    pub fn remove_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: PermissionDestination,
    ) -> Self {
        RemoveRules::new(rules, behavior, destination).into()
    }

    /// Sets the mode.
    #[must_use]
    pub fn set_mode(mode: PermissionMode, destination: PermissionDestination) -> Self {
        Self::SetMode(SetMode {
            mode,
            destination,
            extra: Default::default(),
        })
    }

    /// Adds directories in which the agent may work.
    pub fn add_directories<D: Into<String>>(
        directories: impl IntoIterator<Item = D>,
        destination: PermissionDestination,
    ) -> Self {
        Self::AddDirectories(AddDirectories {
            directories: directories.into_iter().map(Into::into).collect(),
            destination,
            extra: Default::default(),
        })
    }

    /// Takes such directories away.
    pub fn remove_directories<D: Into<String>>(
        directories: impl IntoIterator<Item = D>,
        destination: PermissionDestination,
    ) -> Self {
        Self::RemoveDirectories(RemoveDirectories {
            directories: directories.into_iter().map(Into::into).collect(),
            destination,
            extra: Default::default(),
        })
    }
}

impl PermissionRule {
    /// A rule about all of a tool.
    pub fn new(tool_name: impl Into<String>) -> Self {
        Self {
            tool_name: tool_name.into(),
            rule_content: None,
            extra: Default::default(),
        }
    }

    /// Makes it a rule about a part of the tool, such as `git *` of `Bash`.
    #[must_use]
    pub fn content(mut self, rule_content: impl Into<String>) -> Self {
        self.rule_content = Some(rule_content.into());
        self
    }
}
