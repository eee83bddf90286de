//! Updates of permission rules.

use super::mode::PermissionMode;
use crate::json::Json;
use crate::open::{object, open_enum, union};
use std::fmt::{self, Display};

union! {
    /// An update of the permission rules.
    pub enum PermissionUpdate by "type" {
        /// Adds rules.
        "addRules" => AddRules(AddRules),
        /// Replaces rules.
        "replaceRules" => ReplaceRules(ReplaceRules),
        /// Removes rules.
        "removeRules" => RemoveRules(RemoveRules),
        /// Sets the permission mode.
        "setMode" => SetMode(SetMode),
        /// Adds working directories.
        "addDirectories" => AddDirectories(AddDirectories),
        /// Removes working directories.
        "removeDirectories" => RemoveDirectories(RemoveDirectories),
    }
}

/// Declares the three updates that carry rules, which differ only in their tag.
macro_rules! rules_update {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            pub struct $name tags("type" = $tag) {
                /// The rules.
                pub rules: Vec<PermissionRule>,
                /// The behavior of the rules.
                pub behavior: PermissionBehavior,
                /// The destination of the rules.
                pub destination: PermissionDestination,
            }
        }

        impl $name {
            /// Creates the update.
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
    /// Replaces rules.
    ReplaceRules = "replaceRules",
    /// Removes rules.
    RemoveRules = "removeRules",
}

object! {
    /// Sets the permission mode.
    pub struct SetMode tags("type" = "setMode") {
        /// The mode.
        pub mode: PermissionMode,
        /// The destination of the mode.
        pub destination: PermissionDestination,
    }
}

object! {
    /// Adds working directories.
    pub struct AddDirectories tags("type" = "addDirectories") {
        /// The directories.
        pub directories: Vec<String>,
        /// The destination.
        pub destination: PermissionDestination,
    }
}

object! {
    /// Removes working directories.
    pub struct RemoveDirectories tags("type" = "removeDirectories") {
        /// The directories.
        pub directories: Vec<String>,
        /// The destination.
        pub destination: PermissionDestination,
    }
}

object! {
    /// A permission rule for a tool.
    pub struct PermissionRule {
        /// The name of the tool.
        pub tool_name: String = "toolName",
        /// The part of the tool that the rule covers, such as `git *` of
        /// `Bash`. `None` for the whole tool.
        pub rule_content: Option<String> = "ruleContent",
    }
}

open_enum! {
    /// The behavior of a rule.
    pub enum PermissionBehavior {
        /// Allows the tool.
        Allow = "allow",
        /// Denies the tool.
        Deny = "deny",
        /// Requires a permission request.
        Ask = "ask",
    }
}

open_enum! {
    /// The destination of an update.
    pub enum PermissionDestination {
        /// The user's settings.
        UserSettings = "userSettings",
        /// The project's shared settings.
        ProjectSettings = "projectSettings",
        /// The project's local settings, which are not shared.
        LocalSettings = "localSettings",
        /// The current session.
        Session = "session",
        /// The command line of the session.
        CliArg = "cliArg",
    }
}

impl PermissionUpdate {
    /// Adds rules.
    pub fn add_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: PermissionDestination,
    ) -> Self {
        AddRules::new(rules, behavior, destination).into()
    }

    /// Replaces all rules with the same behavior and destination.
    pub fn replace_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: PermissionDestination,
    ) -> Self {
        ReplaceRules::new(rules, behavior, destination).into()
    }

    /// Removes rules.
    pub fn remove_rules(
        rules: impl IntoIterator<Item = PermissionRule>,
        behavior: PermissionBehavior,
        destination: PermissionDestination,
    ) -> Self {
        RemoveRules::new(rules, behavior, destination).into()
    }

    /// Sets the permission mode.
    #[must_use]
    pub fn set_mode(mode: PermissionMode, destination: PermissionDestination) -> Self {
        Self::SetMode(SetMode {
            mode,
            destination,
            extra: Default::default(),
        })
    }

    /// Adds working directories.
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

    /// Removes working directories.
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

/// Describes the effect for a user, such as `allow Bash(make:*) (session)`. The
/// text comes from the agent and is not escaped.
impl Display for PermissionUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tell = |what: &str, these: String, destination: &PermissionDestination| {
            write!(f, "{what} {these} ({destination})")
        };
        match self {
            Self::AddRules(AddRules {
                rules,
                behavior,
                destination,
                ..
            }) => tell(behavior.as_str(), listed(rules), destination),
            Self::ReplaceRules(ReplaceRules {
                rules,
                behavior,
                destination,
                ..
            }) => tell(&format!("{behavior} only"), listed(rules), destination),
            Self::RemoveRules(RemoveRules {
                rules,
                behavior,
                destination,
                ..
            }) => tell(&format!("no longer {behavior}"), listed(rules), destination),
            Self::SetMode(SetMode {
                mode, destination, ..
            }) => tell("mode", mode.to_string(), destination),
            Self::AddDirectories(AddDirectories {
                directories,
                destination,
                ..
            }) => tell("add directory", listed(directories), destination),
            Self::RemoveDirectories(RemoveDirectories {
                directories,
                destination,
                ..
            }) => tell("remove directory", listed(directories), destination),
            Self::Unknown(_) => Json::from_value(self).map_err(|_| fmt::Error)?.fmt(f),
        }
    }
}

fn listed(items: &[impl Display]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    items.join(", ")
}

impl PermissionRule {
    /// Creates a rule for a whole tool.
    pub fn new(tool_name: impl Into<String>) -> Self {
        Self {
            tool_name: tool_name.into(),
            rule_content: None,
            extra: Default::default(),
        }
    }

    /// Restricts the rule to a part of the tool, such as `git *` of `Bash`.
    #[must_use]
    pub fn content(mut self, rule_content: impl Into<String>) -> Self {
        self.rule_content = Some(rule_content.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_described_by_their_effect() {
        let rules = || {
            [
                PermissionRule::new("Bash").content("make *"),
                PermissionRule::new("Read"),
            ]
        };
        let (allow, session) = (PermissionBehavior::Allow, PermissionDestination::Session);
        let local = PermissionDestination::LocalSettings;
        for (update, text) in [
            (
                PermissionUpdate::add_rules(rules(), allow.clone(), session.clone()),
                "allow Bash(make *), Read (session)",
            ),
            (
                PermissionUpdate::replace_rules(rules(), allow.clone(), session.clone()),
                "allow only Bash(make *), Read (session)",
            ),
            (
                PermissionUpdate::remove_rules(rules(), allow, session.clone()),
                "no longer allow Bash(make *), Read (session)",
            ),
            (
                PermissionUpdate::set_mode(PermissionMode::AcceptEdits, session),
                "mode acceptEdits (session)",
            ),
            (
                PermissionUpdate::add_directories(["/a", "/b"], local.clone()),
                "add directory /a, /b (localSettings)",
            ),
            (
                PermissionUpdate::remove_directories(["/a"], local),
                "remove directory /a (localSettings)",
            ),
        ] {
            assert_eq!(update.to_string(), text);
        }
        let unknown = r#"{"type":"forgetAll"}"#;
        let update: PermissionUpdate = serde_json::from_str(unknown).expect("an update");
        assert_eq!(update.to_string(), unknown);
    }
}
