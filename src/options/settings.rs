//! Settings, and the sandbox, which is a part of them.

use super::Options;
use super::sandbox::merge;
use crate::event::Error;
use agentwire_protocol::Json;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Settings that are given in code.
///
/// They go over the pipe in the first request, since they can hold keys. CLIs
/// before 2.1.327 get settings in a private file (`--settings`). CLIs before
/// 2.1.323 get administrator's settings as an argument (`--managed-settings`),
/// which others on the machine can read.
impl Options {
    /// Settings that count more than those of the user and the project, as an
    /// object such as settings files have it.
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

    /// A file with such settings (`--settings`), in place of
    /// [`Options::settings`].
    pub fn settings_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.settings = None;
        self.set("--settings", path.into())
    }

    /// Settings of the kind that administrators make, which can only forbid.
    /// Where there is an administrator's own they are passed over, unless
    /// those say otherwise.
    pub fn managed_settings(mut self, settings: impl Into<Json>) -> Self {
        self.managed_settings = Some(settings.into());
        self
    }

    /// Which settings files are read (`--setting-sources`): `user`,
    /// `project`, `local`. None at all is not the same as not set.
    pub fn setting_sources<S: AsRef<str>>(self, sources: impl IntoIterator<Item = S>) -> Self {
        let sources = sources.into_iter().map(|it| it.as_ref().to_owned());
        self.list("--setting-sources", sources)
    }

    /// The sandbox that commands run in, as the member `sandbox` of settings
    /// has it. It counts more than that of [`Options::settings`], and lists of
    /// what is forbidden are joined.
    ///
    /// With `enabled` the session fails where there can be no sandbox, unless
    /// `failIfUnavailable` is said to be `false`.
    pub fn sandbox(mut self, sandbox: impl Into<Json>) -> Self {
        self.sandbox = Some(sandbox.into());
        self
    }

    /// The settings as they go into the first request, the sandbox among them.
    pub(super) fn merged_settings(&self) -> Result<Option<Json>, Error> {
        let settings = self.settings.as_ref();
        let settings = settings.map(|it| object("settings", it)).transpose()?;
        let Some(sandbox) = &self.sandbox else {
            return Ok(self.settings.clone());
        };
        if self.has("--settings") {
            let problem = "cannot be combined with a settings file: it belongs in there";
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

/// Reads what has to be an object.
fn object(option: &str, json: &Json) -> Result<Map<String, Value>, Error> {
    json.read()
        .map_err(|why| Error::option(option, format!("is no JSON object: {why}")))
}
