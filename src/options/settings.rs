//! Settings, including the sandbox.

use super::Options;
use super::sandbox::merge;
use crate::event::Error;
use agentwire_protocol::{Json, StringList};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Settings given in code.
///
/// They are sent over the pipe in the first request, because they may contain keys. CLIs before
/// 2.1.327 get settings in a private file (`--settings`). CLIs before 2.1.323 get managed
/// settings as an argument (`--managed-settings`), which other users of the machine can read.
impl Options {
    /// Sets settings that take precedence over those of the user and the
    /// project, as a JSON object in the format of settings files.
    ///
    /// ```
    /// use agentwire::Options;
    /// use serde_json::json;
    ///
    /// let options = Options::new()
    ///     .settings(json!({ "permissions": { "deny": ["Read(.env)"] } }))
    ///     .setting_sources(["project"]);
    /// # drop(options);
    /// ```
    pub fn settings(mut self, settings: impl Into<Json>) -> Self {
        self.unset("--settings");
        self.settings = Some(settings.into());
        self
    }

    /// Sets a settings file (`--settings`), instead of [`Options::settings`].
    pub fn settings_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.settings = None;
        self.set("--settings", path.into())
    }

    /// Sets managed settings, which can only restrict. They are ignored if an administrator has set
    /// managed settings, unless those allow more.
    pub fn managed_settings(mut self, settings: impl Into<Json>) -> Self {
        self.managed_settings = Some(settings.into());
        self
    }

    /// Sets which settings files are read (`--setting-sources`): `user`,
    /// `project`, `local`. An empty list reads none, which is different from
    /// unset.
    pub fn setting_sources(self, sources: impl Into<StringList>) -> Self {
        self.list("--setting-sources", sources)
    }

    /// Sets the sandbox for commands, in the format of the `sandbox` setting.
    /// It takes precedence over that of [`Options::settings`]. Deny lists are
    /// joined.
    ///
    /// With `enabled`, the session fails if no sandbox is available, unless
    /// `failIfUnavailable` is `false`.
    pub fn sandbox(mut self, sandbox: impl Into<Json>) -> Self {
        self.sandbox = Some(sandbox.into());
        self
    }

    /// Returns the settings for the first request, including the sandbox.
    pub(super) fn merged_settings(&self) -> Result<Option<Json>, Error> {
        let settings = self.settings.as_ref();
        let settings = settings.map(|it| object("settings", it)).transpose()?;
        let Some(sandbox) = &self.sandbox else {
            return Ok(self.settings.clone());
        };
        if self.has("--settings") {
            let problem = "cannot be combined with a settings file: set `sandbox` in that file";
            return Err(Error::option("sandbox", problem));
        }
        let sandbox = object("sandbox", sandbox)?;
        let mut settings = settings.unwrap_or_default();
        let merged = merge(settings.remove("sandbox"), sandbox);
        settings.insert("sandbox".to_owned(), Value::Object(merged));
        Ok(Some(settings.into()))
    }

    pub(super) fn checked_managed_settings(&self) -> Result<Option<Json>, Error> {
        if let Some(settings) = &self.managed_settings {
            object("managed_settings", settings)?;
        }
        Ok(self.managed_settings.clone())
    }
}

/// Reads a JSON object.
pub(super) fn object(option: &str, json: &Json) -> Result<Map<String, Value>, Error> {
    json.read()
        .map_err(|why| Error::option(option, format!("is not a JSON object: {why}")))
}
