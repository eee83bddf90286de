//! Older CLIs: what they are given in another way, and what they do not
//! support.
//!
//! A CLI refuses a flag that it does not know, and ignores without a word a
//! member of the first request, or a variable, that it does not know. So where
//! a session sets one of those, the CLI's version is asked for before the start.

use super::CommandLine;
use super::command_line::{MANAGED_SETTINGS, PLUGINS, SETTINGS, flags_of};
use super::prompt::DYNAMIC_BOUNDARY;
use crate::error::Error;
use crate::private_folder::{PrivateFolder, WriteError};
use crate::version::CliVersion;
use agentwire_protocol::Json;
use agentwire_protocol::json::Members;
use agentwire_protocol::plugin::PluginConfig;
use std::sync::Arc;

const fn v(major: u32, minor: u32, patch: u32) -> CliVersion {
    CliVersion::new(major, minor, patch)
}

/// The first version that starts with what the first request has of settings,
/// plugins and MCP servers. Each flag below is of another version.
const AWAITS: CliVersion = v(2, 1, 261);

/// The first version whose settings can be in the first request.
const TAKES_SETTINGS: CliVersion = v(2, 1, 327);

/// The first version whose administrator's settings can be in the first
/// request, and the first that takes them at all.
const TAKES_MANAGED: (CliVersion, CliVersion) = (v(2, 1, 323), v(2, 1, 197));

/// The first version whose system prompt can be in blocks.
const TAKES_BLOCKS: CliVersion = v(2, 1, 197);

/// The first version that is known to take [`DYNAMIC_BOUNDARY`] for no part of
/// the prompt.
const TAKES_BOUNDARY: CliVersion = v(2, 1, 330);

/// The first version that minds what the first request adds to the system
/// prompt, and its sub-agents.
const TAKES_PROMPTS: CliVersion = v(2, 0, 77);

/// What an older CLI ignores without a word.
struct Ignored {
    /// The method of [`Options`](crate::Options).
    option: &'static str,
    /// The first version that has it.
    since: CliVersion,
    /// Whether a session without it would do something else than was
    /// configured, and is not to start.
    is_needed: bool,
    is_set: fn(&CommandLine) -> bool,
}

const IGNORED: &[Ignored] = &[
    Ignored {
        option: "plan_mode_instructions",
        since: v(2, 1, 118),
        is_needed: true,
        is_set: |it| it.initialize.plan_mode_instructions.is_some(),
    },
    Ignored {
        option: "tool_aliases",
        since: v(2, 1, 142),
        is_needed: true,
        is_set: |it| it.initialize.tool_aliases.is_some(),
    },
    Ignored {
        option: "verbatim_prompts",
        since: VERBATIM,
        is_needed: true,
        is_set: |it| it.verbatim_prompts,
    },
    Ignored {
        option: "file_checkpointing",
        since: v(2, 0, 44),
        is_needed: true,
        is_set: |it| it.has_variable("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"),
    },
    Ignored {
        option: "exclude_dynamic_sections",
        since: v(2, 1, 97),
        is_needed: false,
        is_set: |it| it.initialize.exclude_dynamic_sections == Some(true),
    },
    Ignored {
        option: "system_prompt_snapshot",
        since: v(2, 1, 257),
        is_needed: false,
        is_set: |it| it.initialize.system_prompt_snapshot == Some(false),
    },
    Ignored {
        option: "prompt_suggestions",
        since: v(2, 1, 48),
        is_needed: false,
        is_set: |it| it.initialize.prompt_suggestions == Some(true),
    },
    Ignored {
        option: "agent_progress_summaries",
        since: v(2, 1, 72),
        is_needed: false,
        is_set: |it| it.initialize.agent_progress_summaries == Some(true),
    },
    Ignored {
        option: "forward_subagent_text",
        since: v(2, 1, 119),
        is_needed: false,
        is_set: |it| it.initialize.forward_subagent_text == Some(true),
    },
    Ignored {
        option: "per_task_stop",
        since: v(2, 1, 246),
        is_needed: false,
        is_set: |it| it.initialize.per_task_stop_affordance == Some(true),
    },
    Ignored {
        option: "question_preview",
        since: v(2, 1, 70),
        is_needed: false,
        is_set: |it| it.has_variable("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT"),
    },
];

/// The first version that does not expand files and commands in a message that
/// says so.
pub(crate) const VERBATIM: CliVersion = v(2, 1, 248);

/// Flags that a CLI may not know, their methods, and the first version that
/// has them.
const FLAGS: &[(&str, &str, CliVersion)] = &[
    ("--agent", "agent", v(2, 0, 59)),
    (
        "--allow-dangerously-skip-permissions",
        "allow_bypassing_permissions",
        v(2, 0, 26),
    ),
    ("--betas", "betas", v(2, 0, 58)),
    ("--debug-file", "debug_file", v(2, 1, 20)),
    ("--effort", "effort", v(2, 1, 38)),
    ("--include-hook-events", "hook_events", v(2, 1, 88)),
    ("--json-schema", "output_format", v(2, 0, 45)),
    ("--max-budget-usd", "max_budget_usd", v(2, 0, 30)),
    ("--max-thinking-tokens", "thinking", v(2, 0, 2)),
    ("--no-session-persistence", "persist_session", v(2, 0, 64)),
    ("--permission-prompts", "permission_prompts", v(2, 1, 259)),
    ("--plugin-dir", "plugins", v(2, 0, 25)),
    ("--project-config-root", "project_config_root", v(2, 1, 275)),
    ("--resume-drops-turn", "resume_drops_turn", v(2, 1, 223)),
    ("--session-mirror", "session_store", v(2, 1, 97)),
    ("--task-budget", "task_budget", v(2, 1, 84)),
    ("--thinking", "thinking", v(2, 1, 47)),
    ("--thinking-display", "thinking_display", v(2, 1, 94)),
    ("--tools", "tools", v(2, 0, 31)),
];

/// The option that a CLI did not start with, from what it said on standard
/// error: its method or flag, and the version that it needs.
pub(crate) fn unknown_option(stderr: &str) -> Option<(&str, Option<CliVersion>)> {
    let (_, rest) = stderr.split_once("error: unknown option '")?;
    let flag = rest.split(['=', '\'', '\n']).next()?;
    let known = FLAGS.iter().find(|(name, ..)| *name == flag);
    Some(known.map_or((flag, None), |(_, method, since)| (*method, Some(*since))))
}

impl CommandLine {
    /// Whether the CLI has to be of some version for what it is started with.
    pub(crate) fn depends_on_version(&self) -> bool {
        let request = &self.initialize;
        !flags_of(request).is_empty()
            || request.system_prompt.is_some()
            || request.append_system_prompt.is_some()
            || request.agents.is_some()
            || IGNORED.iter().any(|it| (it.is_set)(self))
    }

    /// Makes it a line for a CLI of this version: what that does not read from
    /// the first request goes into arguments and private files. Returns the
    /// options that the session does without.
    ///
    /// # Errors
    ///
    /// [`Error::TooOld`] for an option without which the session would do
    /// something else than was configured; [`Error::PrivateFile`].
    pub(crate) fn fit(&mut self, version: CliVersion) -> Result<Vec<&'static str>, Error> {
        let mut without = Vec::new();
        for option in IGNORED {
            if version >= option.since || !(option.is_set)(self) {
                continue;
            }
            if option.is_needed {
                return Err(too_old(option.option, option.since, version));
            }
            without.push(option.option);
        }
        self.fit_prompts(version)?;
        if !self.fit_configuration(version)? {
            without.push(PLUGINS);
        }
        Ok(without)
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
                "has a NUL character, which no argument can hold",
            ));
        }
        self.arguments.append(&mut arguments);
        Ok(())
    }

    /// Settings, plugins and MCP servers. Settings and servers can hold keys:
    /// they go into files that only this user can read. `false` when a plugin is
    /// not there, which an older CLI would not tell.
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
                return Err(too_old("managed_settings", TAKES_MANAGED.1, version));
            }
            // It takes no file there.
            arguments.push(format!("--managed-settings={settings}"));
        }
        if version < AWAITS {
            for plugin in request.plugins.take().into_iter().flatten() {
                let PluginConfig::Local(plugin) = plugin else {
                    return Err(too_old("plugins", AWAITS, version));
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
            self.folder = Some(Arc::new(folder));
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

fn too_old(option: &str, needs: CliVersion, version: CliVersion) -> Error {
    Error::TooOld {
        option: option.into(),
        needs: Some(needs),
        version: Some(version),
    }
}

fn cannot_write((path, source): WriteError) -> Error {
    Error::PrivateFile {
        path,
        source: Arc::new(source),
    }
}
