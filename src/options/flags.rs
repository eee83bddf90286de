//! Flags of the CLI: how options set them.

use super::Options;
use super::argument::Argument;
use std::ffi::OsString;

/// Flags of the CLI that have no method here.
impl Options {
    /// A flag of the CLI that has no method here, without a value.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.arguments.push(Argument::new(flag, None));
        self
    }

    /// A flag of the CLI that has no method here, with its value. It is
    /// passed as one argument, `--flag=value`, so that a value is never read
    /// as a flag of its own.
    ///
    /// Arguments can be read by everybody on the machine: what is secret has
    /// no place there.
    pub fn flag_value(mut self, flag: impl Into<String>, value: impl Into<String>) -> Self {
        let value = OsString::from(value.into());
        self.arguments.push(Argument::new(flag, Some(value)));
        self
    }

    /// Sets a flag that is there once at most: of two calls the second counts.
    pub(super) fn set(self, flag: &str, value: impl Into<OsString>) -> Self {
        self.set_all(flag, [value])
    }

    /// Sets a flag that is there once for each value.
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

    /// Sets a flag without a value, or takes it away.
    pub(super) fn switch(mut self, flag: &str, wanted: bool) -> Self {
        self.unset(flag);
        match wanted {
            true => self.flag(flag),
            false => self,
        }
    }

    /// Sets a flag whose value is a list with commas between. A comma in an
    /// item would make two of it, and is reported when the options are used.
    pub(super) fn list<S: ToString>(
        mut self,
        flag: &str,
        items: impl IntoIterator<Item = S>,
    ) -> Self {
        self.unset(flag);
        let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
        let two = items.iter().find(|item| item.contains(','));
        let problem = two.map(|item| format!("has the item `{item}`, which the CLI takes for two"));
        self.arguments.push(Argument {
            problem,
            ..Argument::new(flag, Some(items.join(",").into()))
        });
        self
    }

    /// Takes a flag away.
    pub(super) fn unset(&mut self, flag: &str) {
        self.arguments.retain(|argument| argument.flag != flag);
    }

    /// Whether a flag is set, by its method or as a flag.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.arguments.iter().any(|argument| argument.flag == flag)
    }

    /// The value of a flag, which is the last one for the CLI as well.
    pub(super) fn value_of(&self, flag: &str) -> Option<&str> {
        let argument = self.arguments.iter().rfind(|it| it.flag == flag)?;
        argument.value.as_deref()?.to_str()
    }
}
