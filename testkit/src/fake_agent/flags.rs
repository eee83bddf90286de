//! Parses the CLI's command line into its options.

use super::claude::{self, Settings, Sources};
use super::command_line::{CommandLine, FlagError};
use super::known::{Support, number};
use super::time::timestamp;
use crate::agent::{Config, Declared, Profile};
use agentwire_protocol::permission::PermissionMode;
use regex_lite::Regex;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The parsed command line.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Flags {
    /// `--version`, `-v`.
    pub version: bool,
    /// `--print`, `-p`.
    pub print: bool,
    /// The prompt: the first argument that is neither a flag nor its value.
    pub prompt: Option<String>,
    /// `--output-format`.
    pub output_format: Option<OutputFormat>,
    /// `--input-format`.
    pub input_format: Option<InputFormat>,
    /// `--verbose`.
    pub verbose: bool,
    /// `--model`.
    pub model: Option<String>,
    /// `--fallback-model`.
    pub fallback_model: Option<String>,
    /// `--permission-mode`.
    pub permission_mode: Option<String>,
    /// `--permission-prompt-tool`.
    pub permission_prompt_tool: Option<String>,
    /// `--dangerously-skip-permissions`.
    pub dangerously_skip_permissions: bool,
    /// `--allow-dangerously-skip-permissions`.
    pub allow_dangerously_skip_permissions: bool,
    /// The rules of `--allowedTools`.
    pub allowed_tools: Vec<String>,
    /// The rules of `--disallowedTools`.
    pub disallowed_tools: Vec<String>,
    /// `--tools`: the built-in tools, if they are limited.
    pub tools: Option<Vec<String>>,
    /// `--mcp-config`: the names of the servers that run inside the host. Other
    /// servers and unreadable files are ignored.
    pub sdk_mcp_servers: Vec<String>,
    /// `--agents`: a JSON object, or the path of a file that contains one.
    pub agents: Option<String>,
    /// `--settings`: a JSON object, or the path of a file that contains one.
    pub settings: Option<String>,
    /// `--setting-sources`: the settings files to read. `None` for all.
    pub setting_sources: Option<Vec<String>>,
    /// `--json-schema`: a JSON object.
    pub json_schema: Option<String>,
    /// `--max-turns`; 0 means no limit. As on the real CLI, a negative limit
    /// allows one turn, and a fraction is rounded down.
    pub max_turns: Option<u64>,
    /// `--max-budget-usd`.
    pub max_budget_usd: Option<f64>,
    /// `--include-partial-messages`.
    pub include_partial_messages: bool,
    /// `--forward-subagent-text`.
    pub forward_subagent_text: bool,
    /// `--replay-user-messages`.
    pub replay_user_messages: bool,
    /// `--session-mirror`.
    pub session_mirror: bool,
    /// `--resume`, `-r`: a session ID, or an empty string if the flag has no
    /// value.
    pub resume: Option<String>,
    /// `--continue`, `-c`.
    pub continue_session: bool,
    /// `--fork-session`.
    pub fork_session: bool,
    /// `--session-id`.
    pub session_id: Option<String>,
    /// `--resume-session-at`: the UUID of a message.
    pub resume_session_at: Option<String>,
    /// `--resume-drops-turn`: the UUID of a message.
    pub resume_drops_turn: Option<String>,
    /// `--no-session-persistence`.
    pub no_session_persistence: bool,
    /// The flags on the command line that have no effect.
    pub unsupported: Vec<&'static str>,
}

/// The values of `--output-format`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputFormat {
    /// `text`: the text of the result.
    #[default]
    Text,
    /// `json`: the result; with `--verbose` an array of all messages.
    Json,
    /// `stream-json`: a line for each message.
    StreamJson,
}

/// The values of `--input-format`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputFormat {
    /// `text`: a prompt.
    #[default]
    Text,
    /// `stream-json`: the protocol.
    StreamJson,
}

impl Flags {
    /// Parses arguments, without the program's name, as this version of the CLI
    /// does.
    ///
    /// # Errors
    ///
    /// Returns an error where the CLI refuses to start: for an unknown flag
    /// (unless `accepts_unknown` is set), a missing or invalid value, or a flag
    /// that requires another one.
    pub fn from_args(
        args: impl IntoIterator<Item = String>,
        profile: Profile,
        accepts_unknown: bool,
    ) -> Result<Self, FlagError> {
        let line = CommandLine::read(args, profile)?;
        let mut flags = Self {
            prompt: line.operands.into_iter().next(),
            ..Self::default()
        };
        let mut awaits = None;
        for (flag, value) in line.flags {
            let name = flag.name();
            if matches!(name, "--await-initialize" | "--await-claim") {
                awaits = Some(name);
            }
            if flag.support == Support::Unsupported && !flags.unsupported.contains(&name) {
                flags.unsupported.push(name);
            }
            flags.take(name, value.unwrap_or_default());
        }
        if flags.version {
            return Ok(flags);
        }
        if let Some(flag) = line.unknown.filter(|_| !accepts_unknown) {
            let version = profile.name();
            return Err(FlagError::Unknown { flag, version });
        }
        match awaits {
            Some(flag) if flags.reads_text() => Err(FlagError::Requires {
                flag,
                other: "--input-format=stream-json",
            }),
            _ => flags.check(),
        }
    }

    /// Stores the value of a supported flag.
    fn take(&mut self, flag: &str, value: String) {
        match flag {
            "--version" => self.version = true,
            "--print" => self.print = true,
            "--output-format" => {
                self.output_format = Some(match value.as_str() {
                    "stream-json" => OutputFormat::StreamJson,
                    "json" => OutputFormat::Json,
                    _ => OutputFormat::Text,
                });
            }
            "--input-format" => {
                self.input_format = Some(match value.as_str() {
                    "stream-json" => InputFormat::StreamJson,
                    _ => InputFormat::Text,
                });
            }
            "--verbose" => self.verbose = true,
            "--model" => self.model = Some(value),
            "--fallback-model" => self.fallback_model = Some(value),
            "--permission-mode" => {
                // The wire uses the name `default`.
                let mode = if value == "manual" {
                    "default".to_owned()
                } else {
                    value
                };
                self.permission_mode = Some(mode);
            }
            "--permission-prompt-tool" => self.permission_prompt_tool = Some(value),
            "--dangerously-skip-permissions" => self.dangerously_skip_permissions = true,
            "--allow-dangerously-skip-permissions" => {
                self.allow_dangerously_skip_permissions = true;
            }
            "--allowedTools" => self.allowed_tools.extend(rules(&value)),
            "--disallowedTools" => self.disallowed_tools.extend(rules(&value)),
            "--tools" => self.tools.get_or_insert_default().extend(rules(&value)),
            "--mcp-config" => self.sdk_mcp_servers.extend(servers_in_host(&value)),
            "--agents" => self.agents = Some(value),
            "--settings" => self.settings = Some(value),
            "--setting-sources" => self.setting_sources = Some(rules(&value)),
            "--json-schema" => self.json_schema = Some(value),
            "--max-turns" => self.max_turns = number(&value).and_then(turns),
            "--max-budget-usd" => self.max_budget_usd = number(&value),
            "--include-partial-messages" => self.include_partial_messages = true,
            "--forward-subagent-text" => self.forward_subagent_text = true,
            "--replay-user-messages" => self.replay_user_messages = true,
            "--session-mirror" => self.session_mirror = true,
            "--resume" => self.resume = Some(value),
            "--continue" => self.continue_session = true,
            "--fork-session" => self.fork_session = true,
            "--session-id" => self.session_id = Some(value),
            "--resume-session-at" => self.resume_session_at = Some(value),
            "--resume-drops-turn" => self.resume_drops_turn = Some(value),
            "--no-session-persistence" => self.no_session_persistence = true,
            _ => {}
        }
    }

    /// Returns whether the input is a single prompt as text (print mode).
    /// Otherwise, and by default, the input is the protocol.
    #[must_use]
    pub fn reads_text(&self) -> bool {
        match self.input_format {
            Some(format) => format == InputFormat::Text,
            None => self.print || self.prompt.is_some() || self.output_format.is_some(),
        }
    }

    /// Returns the output format, which defaults to that of the input.
    #[must_use]
    pub fn output_format(&self) -> OutputFormat {
        match self.output_format {
            Some(format) => format,
            None if self.reads_text() => OutputFormat::Text,
            None => OutputFormat::StreamJson,
        }
    }

    /// Checks that each flag comes with the flags that it requires.
    fn check(self) -> Result<Self, FlagError> {
        let is_stream = self.output_format() == OutputFormat::StreamJson;
        let rules = [
            (
                self.input_format == Some(InputFormat::StreamJson)
                    && self.output_format != Some(OutputFormat::StreamJson),
                "--input-format=stream-json",
                "--output-format=stream-json",
            ),
            (
                self.output_format == Some(OutputFormat::StreamJson) && !self.verbose,
                "--output-format=stream-json",
                "--verbose",
            ),
            (
                self.include_partial_messages && !is_stream,
                "--include-partial-messages",
                "--output-format=stream-json",
            ),
            (
                self.replay_user_messages && (self.reads_text() || !is_stream),
                "--replay-user-messages",
                "--input-format=stream-json and --output-format=stream-json",
            ),
            (
                self.resume_session_at.is_some() && self.resume.is_none(),
                "--resume-session-at",
                "--resume",
            ),
            (
                self.resume_drops_turn.is_some() && self.resume_session_at.is_none(),
                "--resume-drops-turn",
                "--resume-session-at",
            ),
        ];
        match rules.into_iter().find(|(is_broken, ..)| *is_broken) {
            Some((_, flag, other)) => Err(FlagError::Requires { flag, other }),
            None => Ok(self),
        }
    }

    /// Reads the settings of the files in `folder` and in the working
    /// directory, and those of the flags.
    pub(super) fn settings(&self, folder: Option<&Path>, cwd: &str) -> Settings {
        Settings::read(&Sources {
            user: folder,
            project: cwd.into(),
            names: self.setting_sources.as_deref(),
            flag: self.settings.as_deref(),
            agents: self.agents.as_deref(),
            sets_mode: self.permission_mode.is_some(),
        })
    }

    /// Returns the agent's configuration from the flags, the environment and
    /// the working directory.
    #[must_use]
    pub fn config(&self) -> Config {
        let default = Config::default();
        Config {
            model: self.model.clone().unwrap_or_else(|| default.model.clone()),
            cwd: std::env::current_dir().map_or_else(
                |_| default.cwd.clone(),
                |cwd| cwd.to_string_lossy().into_owned(),
            ),
            permission_mode: self
                .permission_mode
                .as_deref()
                .map_or_else(|| default.permission_mode.clone(), PermissionMode::from),
            asks_host: self.permission_prompt_tool.as_deref() == Some("stdio"),
            rules: claude::rules(&self.allowed_tools, &self.disallowed_tools),
            may_bypass: self.dangerously_skip_permissions
                || self.allow_dangerously_skip_permissions,
            declared: Declared {
                disabled_tools: self
                    .tools
                    .as_deref()
                    .map(claude::excluded_tools)
                    .unwrap_or_default(),
                ..Declared::default()
            },
            max_turns: self.max_turns,
            max_budget_usd: self.max_budget_usd,
            fallback_model: self.fallback_model.clone(),
            has_output_schema: self.json_schema.is_some(),
            forwards_subagent_text: self.forward_subagent_text,
            replays_prompts: self.replay_user_messages,
            timestamp: || Some(timestamp(SystemTime::now())),
            sdk_mcp_servers: self.sdk_mcp_servers.clone(),
            partial_messages: self.include_partial_messages,
            session_states: is_set("CLAUDE_CODE_SDK_READS_SESSION_STATE")
                || is_set("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"),
            states_are_for_host: !is_set("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"),
            max_retries: variable("CLAUDE_CODE_MAX_RETRIES").unwrap_or(default.max_retries),
            retry_after: variable(RETRY_MS).map_or(default.retry_after, Duration::from_millis),
            compacts: !is_set("DISABLE_COMPACT") && !is_set("DISABLE_AUTO_COMPACT"),
            compact_window: variable("CLAUDE_CODE_AUTO_COMPACT_WINDOW"),
            pid: std::process::id(),
            effort: claude::effort,
            finds,
            ..default
        }
    }
}

/// Returns the number of turns that a limit allows; `None` is unlimited.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is whole and positive"
)]
fn turns(limit: f64) -> Option<u64> {
    (limit != 0.0).then(|| limit.max(1.0) as u64)
}

/// Splits a list of rules at commas and blanks outside parentheses.
fn rules(list: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = list.split(|letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (letter == ',' || letter.is_whitespace())
    });
    parts
        .filter(|rule| !rule.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the servers of type `sdk` in a configuration. `config` is JSON, or
/// the path of a JSON file.
fn servers_in_host(config: &str) -> Vec<String> {
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct McpConfig {
        #[serde(default)]
        mcp_servers: BTreeMap<String, Server>,
    }
    #[derive(Deserialize)]
    struct Server {
        #[serde(rename = "type")]
        kind: Option<String>,
    }
    let config = if config.trim_start().starts_with('{') {
        config.to_owned()
    } else {
        std::fs::read_to_string(config).unwrap_or_default()
    };
    let config: McpConfig = serde_json::from_str(&config).unwrap_or_default();
    let servers = config.mcp_servers.into_iter();
    servers
        .filter(|(_, server)| server.kind.as_deref() == Some("sdk"))
        .map(|(name, _)| name)
        .collect()
}

/// Names the variable with the delay in milliseconds before the first retry of
/// a failed model request. Default: 550.
pub const RETRY_MS: &str = "FAKE_AGENT_RETRY_MS";

fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| is_true(&value))
}

/// Parses a boolean environment variable as the real CLI does.
fn is_true(value: &str) -> bool {
    matches!(
        value.trim().to_ascii_lowercase().as_str(),
        "1" | "true" | "yes" | "on"
    )
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Returns whether a regular expression matches. An invalid expression does not
/// match, as on the real CLI.
fn finds(expression: &str, text: &str) -> bool {
    Regex::new(expression).is_ok_and(|expression| expression.is_match(text))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_matches_anywhere_in_the_text() {
        assert!(finds("calc_.add", "mcp__calc__add"));
        assert!(!finds("^calc", "mcp__calc__add"));
        assert!(!finds("(", "("));
    }

    fn read(args: &[&str]) -> Result<Flags, FlagError> {
        let args = args.iter().map(|&it| it.to_owned());
        Flags::from_args(args, Profile::V2_1_332, false)
    }

    #[test]
    fn blanks_and_commas_outside_parentheses_separate_rules() {
        let list = "Read,Bash(git add *, rm),mcp__calc  Write,";
        let flags = read(&["--allowedTools", list, "Edit", "--disallowedTools", list]).unwrap();
        let rules = ["Read", "Bash(git add *, rm)", "mcp__calc", "Write", "Edit"];
        assert_eq!(flags.allowed_tools, rules);
        assert_eq!(flags.disallowed_tools, rules[..4]);
    }

    #[test]
    fn only_mcp_servers_inside_the_host_are_read() {
        let config = r#"{"mcpServers":{"calc":{"type":"sdk","name":"calc"},
            "files":{"command":"serve-files"},"web":{"type":"http","url":"http://127.0.0.1"}}}"#;
        let flags = read(&["--mcp-config", config]).unwrap();
        assert_eq!(flags.sdk_mcp_servers, ["calc"]);
        assert!(servers_in_host("/no/such/file").is_empty());
    }

    #[test]
    fn meaningless_flags_are_ignored_and_unsupported_flags_are_reported() {
        let args = "--effort high --model=a=b --setting-sources project --permission-prompt-tool stdio \
                    --include-hook-events --debug --tmux --include-hook-events";
        let args: Vec<_> = args.split_whitespace().collect();
        let expected = Flags {
            model: Some("a=b".to_owned()),
            permission_prompt_tool: Some("stdio".to_owned()),
            setting_sources: Some(vec!["project".to_owned()]),
            unsupported: vec!["--include-hook-events", "--tmux"],
            ..Flags::default()
        };
        assert_eq!(read(&args), Ok(expected));
    }

    #[test]
    fn limits_are_read_as_the_cli_does() {
        let turns = |value| read(&["--max-turns", value]).unwrap().max_turns;
        let limits = ["", "0", "-1", "1.5", "2"].map(turns);
        assert_eq!(limits, [None, None, Some(1), Some(1), Some(2)]);
        let budget = read(&["--max-budget-usd", "1e-3"]).unwrap().max_budget_usd;
        assert_eq!(budget, Some(0.001));
    }

    #[test]
    fn flags_without_the_flags_they_require_are_refused() {
        for args in [
            &["--input-format=stream-json", "--verbose"][..],
            &["-p", "Hi", "--output-format=stream-json"],
            &["-p", "Hi", "--include-partial-messages"],
            &[
                "-p",
                "Hi",
                "--verbose",
                "--output-format=stream-json",
                "--replay-user-messages",
            ],
            &["-p", "Hi", "--await-initialize"],
            &["--resume-session-at", "m"],
            &["--resume", "s", "--resume-drops-turn", "m"],
        ] {
            assert!(
                matches!(read(args), Err(FlagError::Requires { .. })),
                "{args:?}"
            );
        }
    }

    #[test]
    fn the_protocol_is_the_default_input_format() {
        let reads_text = |args: &[&str]| read(args).unwrap().reads_text();
        assert!(!reads_text(&["--model", "m"]));
        let protocol = [
            "--input-format=stream-json",
            "--output-format=stream-json",
            "--verbose",
        ];
        assert!(!reads_text(&protocol));
        assert!(reads_text(&["-p"]) && reads_text(&["Hi"]));
        assert!(reads_text(&protocol[1..]));
    }

    #[test]
    fn boolean_variables_have_several_true_values() {
        for on in ["1", "true", "TRUE", "yes", "on", " 1"] {
            assert!(is_true(on), "{on:?}");
        }
        for off in ["", "0", "2", "y", "false", "off"] {
            assert!(!is_true(off), "{off:?}");
        }
    }
}
