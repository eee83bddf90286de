//! Support for older CLIs: workarounds, and options that they do not support.
//!
//! A CLI refuses an unknown flag, but silently ignores unknown members of the first request and
//! unknown variables. If a session sets one of those, the CLI's version is queried before it is
//! started.

mod schema;
mod since;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use self::since::{FLAGS, IGNORED, OptionUse, v};
use super::CommandLine;
use super::command_line::{JSON_SCHEMA, MANAGED_SETTINGS, PLUGINS, SETTINGS, flags_of};
use super::prompt::DYNAMIC_BOUNDARY;
use crate::event::Error;
use crate::process::CliVersion;
use crate::process::{PrivateFolder, WriteError};
use agentwire_protocol::Json;
use agentwire_protocol::json::Members;
use agentwire_protocol::plugin::PluginConfig;
use std::sync::Arc;

/// The first supported version, which the official Python SDK requires too.
const OLDEST: CliVersion = v(2, 0, 0);

/// The first version that waits for the settings, plugins and MCP servers of the first request
/// before it starts. The following members need later versions.
const AWAITS: CliVersion = v(2, 1, 261);

/// The first version that accepts settings in the first request.
const TAKES_SETTINGS: CliVersion = v(2, 1, 327);

/// The first version that accepts managed settings in the first request, and the first version
/// that accepts them in any form.
const TAKES_MANAGED: (CliVersion, CliVersion) = (v(2, 1, 323), v(2, 1, 197));

/// The first version that accepts a system prompt in blocks.
const TAKES_BLOCKS: CliVersion = v(2, 1, 197);

/// The first version known to support [`DYNAMIC_BOUNDARY`]. Older versions may treat it as a
/// part of the prompt.
const TAKES_BOUNDARY: CliVersion = v(2, 1, 330);

/// The first version that applies an appended system prompt and sub-agents from
/// the first request.
const TAKES_PROMPTS: CliVersion = v(2, 0, 77);

/// The first version that accepts a schema with formats. Older ones silently
/// ignore the whole schema.
const TAKES_FORMATS: CliVersion = v(2, 1, 205);

/// The first version that parses these flags with their value in one argument. Older versions
/// silently ignore them and the settings.
const READS_JOINED: CliVersion = v(2, 0, 72);
const SPLIT: [&str; 2] = ["--settings=", "--setting-sources="];

/// Returns the option that the CLI refused, parsed from its standard error: its method or flag,
/// and the version that it needs. An unsupported value is in parentheses.
pub(crate) fn unsupported_option(stderr: &str) -> Option<(String, Option<CliVersion>)> {
    let (_, said) = stderr.split_once("error: ")?;
    let flag = |text: &'_ str| {
        let flag = text.split(['=', '\'', ' ', '\n']).next()?.to_owned();
        Some((FLAGS.iter().find(|(name, ..)| *name == flag), flag))
    };
    if let Some(rest) = said.strip_prefix("unknown option '") {
        return Some(match flag(rest)? {
            (Some((_, method, since)), _) => ((*method).to_owned(), Some(*since)),
            (None, flag) => (flag, None),
        });
    }
    let rest = said.strip_prefix("option '")?;
    let (_, value) = rest.split_once("' argument '")?;
    let (value, _) = value.split_once("' is invalid")?;
    let method = match flag(rest)? {
        (Some((_, method, _)), _) => (*method).to_owned(),
        (None, flag) => flag.trim_start_matches('-').replace('-', "_"),
    };
    Some((format!("{method}({value})"), None))
}

impl CommandLine {
    /// Returns whether the command line depends on the CLI's version.
    pub(crate) fn depends_on_version(&self) -> bool {
        let request = &self.initialize;
        !flags_of(request).is_empty()
            || request.system_prompt.is_some()
            || request.append_system_prompt.is_some()
            || request.agents.is_some()
            || request.json_schema.is_some()
            || IGNORED.iter().any(|it| (it.is_set)(self) != OptionUse::No)
            || self.arguments.iter().any(|it| is_split(it))
    }

    /// Adapts the command line to a CLI of this version: members of the first request that it does
    /// not support become arguments and private files. Returns the unsupported options that are
    /// omitted.
    ///
    /// # Errors
    ///
    /// [`Error::TooOld`] for an unsupported version, and for an unsupported required option;
    /// [`Error::PrivateFile`].
    pub(crate) fn fit(&mut self, version: CliVersion) -> Result<Vec<&'static str>, Error> {
        if version < OLDEST {
            return Err(too_old(None, OLDEST, version));
        }
        let mut without = Vec::new();
        for option in IGNORED {
            if version >= option.since {
                continue;
            }
            match (option.is_set)(self) {
                OptionUse::No => {}
                OptionUse::Optional => without.push(option.option),
                OptionUse::Needed => {
                    return Err(too_old(Some(option.option), option.since, version));
                }
            }
        }
        if version < TAKES_FORMATS {
            self.strip_formats();
        }
        self.fit_prompts(version)?;
        if !self.fit_configuration(version)? {
            without.push(PLUGINS);
        }
        if version < READS_JOINED {
            self.split_arguments();
        }
        Ok(without)
    }

    /// Returns an [`Error::TooOld`] for each required option that a CLI of this version does not
    /// support, and the error of [`fit`](Self::fit) if there is another.
    #[cfg(feature = "check")]
    pub(crate) fn unsupported(&mut self, version: CliVersion) -> Vec<Error> {
        let members = IGNORED
            .iter()
            .filter(|it| version < it.since && (it.is_set)(self) == OptionUse::Needed)
            .map(|it| (it.option, it.since));
        let is_set = |flag: &str| {
            self.arguments
                .iter()
                .any(|it| it.split('=').next() == Some(flag))
        };
        let flags = FLAGS
            .iter()
            .filter(|(flag, _, since)| version < *since && is_set(flag))
            .map(|(_, method, since)| (*method, *since));
        let needed: Vec<_> = members.chain(flags).collect();
        if version < OLDEST || needed.is_empty() {
            return self.fit(version).err().into_iter().collect();
        }
        let error = |(option, since)| too_old(Some(option), since, version);
        needed.into_iter().map(error).collect()
    }

    fn strip_formats(&mut self) {
        let Some(schema) = &mut self.initialize.json_schema else {
            return;
        };
        let Some(stripped) = schema.to_value().ok().and_then(schema::without_formats) else {
            return;
        };
        let before = format!("{JSON_SCHEMA}{schema}");
        *schema = stripped.into();
        if let Some(argument) = self.arguments.iter_mut().find(|it| **it == before) {
            *argument = format!("{JSON_SCHEMA}{schema}");
        }
    }

    fn split_arguments(&mut self) {
        let split = |argument: String| match argument.split_once('=') {
            Some((flag, value)) if is_split(&argument) => vec![flag.to_owned(), value.to_owned()],
            _ => vec![argument],
        };
        self.arguments = self.arguments.drain(..).flat_map(split).collect();
    }

    fn fit_prompts(&mut self, version: CliVersion) -> Result<(), Error> {
        let request = &mut self.initialize;
        let mut arguments = Vec::new();
        if version < TAKES_BOUNDARY
            && let Some(blocks) = &mut request.system_prompt
        {
            blocks.retain(|block| block != DYNAMIC_BOUNDARY);
        }
        if version < TAKES_BLOCKS
            && let Some(blocks) = request.system_prompt.take()
        {
            arguments.push(format!("--system-prompt={}", blocks.join("\n\n")));
        }
        if version < TAKES_PROMPTS {
            if let Some(text) = request.append_system_prompt.take() {
                arguments.push(format!("--append-system-prompt={text}"));
            }
            if let Some(agents) = request.agents.take() {
                let agents = Json::from_value(&agents)?;
                arguments.push(format!("--agents={agents}"));
            }
        }
        if let Some(argument) = arguments.iter().find(|it| it.contains('\0')) {
            let flag = argument.split('=').next().unwrap_or_default();
            return Err(Error::option(
                flag,
                "contains a NUL character, which arguments cannot contain",
            ));
        }
        self.arguments.append(&mut arguments);
        Ok(())
    }

    /// Moves settings, plugins and MCP servers out of the first request. Settings and servers may
    /// contain keys, so they are written to private files. Returns `false` if a plugin does not
    /// exist, which an older CLI would not report.
    fn fit_configuration(&mut self, version: CliVersion) -> Result<bool, Error> {
        let mut are_there = true;
        let before = flags_of(&self.initialize);
        let request = &mut self.initialize;
        let mut files = vec![];
        let mut arguments = vec![];
        if version < TAKES_SETTINGS
            && let Some(settings) = request.extra.remove(SETTINGS)
        {
            files.push(("--settings", "settings.json", settings));
        }
        if version < TAKES_MANAGED.0
            && let Some(settings) = request.extra.remove(MANAGED_SETTINGS)
        {
            if version < TAKES_MANAGED.1 {
                return Err(too_old(Some("managed_settings"), TAKES_MANAGED.1, version));
            }
            // That version does not accept a file.
            arguments.push(format!("--managed-settings={settings}"));
        }
        if version < AWAITS {
            for plugin in request.plugins.take().into_iter().flatten() {
                let PluginConfig::Local(plugin) = plugin else {
                    return Err(too_old(Some("plugins"), AWAITS, version));
                };
                let folder = self.cwd.clone().unwrap_or_default().join(&plugin.path);
                are_there &= folder.is_dir();
                arguments.push(format!("--plugin-dir={}", plugin.path));
            }
            if let Some(servers) = request.mcp_servers.take() {
                let mut config = Members::default();
                config.set("mcpServers", Json::from_value(&servers)?);
                files.push(("--mcp-config", "mcp.json", Json::from_value(&config)?));
            }
        }
        if !files.is_empty() {
            let folder = PrivateFolder::new("agentwire-config").map_err(cannot_write)?;
            for (flag, name, text) in files {
                let path = folder
                    .write(name, text.get().as_bytes())
                    .map_err(cannot_write)?;
                arguments.push(format!("{flag}={}", path.display()));
            }
            self.private.folder = Some(Arc::new(folder));
        }
        let after = flags_of(&self.initialize);
        self.arguments
            .retain(|it| !before.contains(&&**it) || after.contains(&&**it));
        self.arguments.append(&mut arguments);
        Ok(are_there)
    }

    fn has_variable(&self, name: &str) -> bool {
        self.environment.iter().any(|(it, _)| it == name)
    }
}

fn is_split(argument: &str) -> bool {
    SPLIT.iter().any(|flag| argument.starts_with(flag))
}

fn too_old(option: Option<&str>, needs: CliVersion, version: CliVersion) -> Error {
    Error::TooOld {
        option: option.map(Into::into),
        needs: Some(needs),
        version: Some(version),
    }
}

fn cannot_write((path, error): WriteError) -> Error {
    Error::PrivateFile {
        path,
        error: Arc::new(error),
    }
}
