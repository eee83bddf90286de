//! CLI flags, and how options set them.

use super::Options;
use super::argument::Argument;
use agentwire_protocol::StringList;
use agentwire_protocol::permission::PermissionMode;
use std::ffi::OsString;

/// CLI flags without a method here.
impl Options {
    /// Passes a CLI flag that has no method here, without a value.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.arguments.push(Argument::new(flag, None));
        self
    }

    /// Passes a CLI flag that has no method here, with a value. They are passed as one argument,
    /// `--flag=value`, so that the value is never parsed as another flag.
    ///
    /// Every user of the machine can read arguments. Do not pass secrets.
    #[doc(alias = "extraArgs")]
    #[doc(alias = "extra_args")]
    #[doc(alias = "mcpServersDelivery")]
    #[doc(alias = "pluginDelivery")]
    pub fn flag_value(mut self, flag: impl Into<String>, value: impl Into<String>) -> Self {
        let value = OsString::from(value.into());
        self.arguments.push(Argument::new(flag, Some(value)));
        self
    }

    /// Sets a flag that occurs at most once. A later call replaces the value.
    pub(super) fn set(self, flag: &str, value: impl Into<OsString>) -> Self {
        self.set_all(flag, [value])
    }

    /// Sets a flag that is passed once per value.
    pub(super) fn set_all<V: Into<OsString>>(
        mut self,
        flag: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.unset(flag);
        for value in values {
            self.arguments.push(Argument::new(flag, Some(value.into())));
        }
        self
    }

    /// Sets or removes a flag without a value.
    pub(super) fn switch(mut self, flag: &str, wanted: bool) -> Self {
        self.unset(flag);
        match wanted {
            true => self.flag(flag),
            false => self,
        }
    }

    /// Sets a flag whose value is a comma-separated list. An item with a comma would be split; that
    /// is reported when the options are used.
    pub(super) fn list(mut self, flag: &str, items: impl Into<StringList>) -> Self {
        self.unset(flag);
        let items: Vec<String> = items.into().into();
        let two = items.iter().find(|item| item.contains(','));
        let problem = two
            .map(|item| format!("has the item `{item}`, which the CLI would split at its comma"));
        self.arguments.push(Argument {
            problem,
            ..Argument::new(flag, Some(items.join(",").into()))
        });
        self
    }

    /// Removes a flag.
    pub(super) fn unset(&mut self, flag: &str) {
        self.arguments.retain(|argument| argument.flag != flag);
    }

    /// Returns whether a flag is set, by its method or by [`Options::flag`].
    pub(super) fn has(&self, flag: &str) -> bool {
        self.arguments.iter().any(|argument| argument.flag == flag)
    }

    /// Returns the value of a flag; the last one if it occurs twice, as for the CLI.
    pub(super) fn value_of(&self, flag: &str) -> Option<&str> {
        let argument = self.arguments.iter().rfind(|it| it.flag == flag)?;
        argument.value.as_deref()?.to_str()
    }

    /// Returns the options that the agent reports back: the names of its MCP servers, the model,
    /// and the permission mode.
    pub(crate) fn reported(&self) -> (Vec<String>, Option<String>, Option<PermissionMode>) {
        let servers = self.initialize.mcp_servers.iter().flat_map(|it| it.keys());
        let mode = self.value_of("--permission-mode");
        (
            servers.cloned().collect(),
            self.value_of("--model").map(str::to_owned),
            mode.map(PermissionMode::from),
        )
    }
}
