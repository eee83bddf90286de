//! The command line of the real CLI, as far as the fake one minds it.

use super::claude;
use super::time::timestamp;
use agentwire_protocol::agent::Config;
use agentwire_protocol::permission::PermissionMode;
use regex_lite::Regex;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

/// What the command line says. Flags that are not listed are accepted and
/// have no effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flags {
    /// `--version`, `-v`.
    pub version: bool,
    /// `--model`.
    pub model: Option<String>,
    /// `--permission-mode`.
    pub permission_mode: Option<String>,
    /// `--permission-prompt-tool`.
    pub permission_prompt_tool: Option<String>,
    /// `--allowedTools`, the rules for whole tools. One that minds a tool's
    /// input, such as `Bash(ls:*)`, is passed over.
    pub allowed_tools: Vec<String>,
    /// `--mcp-config`: the names of the servers that run inside the host.
    /// Others are passed over, and so is a file that cannot be read.
    pub sdk_mcp_servers: Vec<String>,
    /// `--include-partial-messages`.
    pub include_partial_messages: bool,
    /// `--resume`, `-r`: the id of a session.
    pub resume: Option<String>,
    /// `--continue`, `-c`.
    pub goes_on: bool,
    /// `--fork-session`.
    pub fork_session: bool,
    /// `--session-id`.
    pub session_id: Option<String>,
    /// `--resume-session-at`: the id of a message.
    pub resume_session_at: Option<String>,
    /// `--no-session-persistence`.
    pub no_session_persistence: bool,
}

impl Flags {
    /// Reads arguments, the program's name left out. A value may follow its
    /// flag or stand behind a `=`.
    pub fn from_args(args: impl IntoIterator<Item = String>) -> Self {
        let mut flags = Self::default();
        let mut args = args.into_iter();
        while let Some(argument) = args.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            let slot = match name.as_str() {
                "--model" => &mut flags.model,
                "--permission-mode" => &mut flags.permission_mode,
                "--permission-prompt-tool" => &mut flags.permission_prompt_tool,
                "--allowedTools" | "--allowed-tools" => {
                    let rules = value.or_else(|| args.next()).unwrap_or_default();
                    flags.allowed_tools.extend(whole_tools(&rules));
                    continue;
                }
                "--mcp-config" => {
                    let config = value.or_else(|| args.next()).unwrap_or_default();
                    flags.sdk_mcp_servers.extend(servers_in_host(&config));
                    continue;
                }
                "--include-partial-messages" => {
                    flags.include_partial_messages = true;
                    continue;
                }
                "--resume" | "-r" => &mut flags.resume,
                "--session-id" => &mut flags.session_id,
                "--resume-session-at" => &mut flags.resume_session_at,
                "--continue" | "-c" => {
                    flags.goes_on = true;
                    continue;
                }
                "--fork-session" => {
                    flags.fork_session = true;
                    continue;
                }
                "--no-session-persistence" => {
                    flags.no_session_persistence = true;
                    continue;
                }
                "--version" | "-v" => {
                    flags.version = true;
                    continue;
                }
                _ => continue,
            };
            *slot = value.or_else(|| args.next());
        }
        flags
    }

    /// How the agent is to behave, from the flags and this process.
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
            rules: claude::rules(&self.allowed_tools, &[]),
            timestamp: || Some(timestamp(SystemTime::now())),
            sdk_mcp_servers: self.sdk_mcp_servers.clone(),
            partial_messages: self.include_partial_messages,
            session_states: is_set("CLAUDE_CODE_SDK_READS_SESSION_STATE"),
            max_retries: number("CLAUDE_CODE_MAX_RETRIES").unwrap_or(default.max_retries),
            retry_after: number(RETRY_MS).map_or(default.retry_after, Duration::from_millis),
            compacts: !is_set("DISABLE_COMPACT") && !is_set("DISABLE_AUTO_COMPACT"),
            compact_window: number("CLAUDE_CODE_AUTO_COMPACT_WINDOW"),
            pid: std::process::id(),
            finds,
            ..default
        }
    }
}

/// The rules of a list that name a tool and nothing of its input. Commas and
/// blanks part rules, but not within parentheses.
fn whole_tools(rules: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = rules.split(|letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (letter == ',' || letter.is_whitespace())
    });
    let is_whole = |rule: &&str| !rule.is_empty() && !rule.contains('(');
    parts.filter(is_whole).map(str::to_owned).collect()
}

/// The servers of type `sdk` in a configuration, which is JSON or the path of
/// a file of it.
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

/// The environment variable that says how many milliseconds the fake agent
/// waits before it asks a model's server again that failed.
pub const RETRY_MS: &str = "FAKE_AGENT_RETRY_MS";

fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| value == "1")
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Whether an expression has a match in a text. What is no expression has
/// none, as on the real CLI.
fn finds(expression: &str, text: &str) -> bool {
    Regex::new(expression).is_ok_and(|expression| expression.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_may_match_anywhere() {
        assert!(finds("calc_.add", "mcp__calc__add"));
        assert!(!finds("^calc", "mcp__calc__add"));
        assert!(!finds("(", "("));
    }

    #[test]
    fn rules_are_for_whole_tools_unless_they_mind_the_input() {
        let list = "Read,Bash(git add *, rm),mcp__calc  Write,";
        assert_eq!(whole_tools(list), ["Read", "mcp__calc", "Write"]);
    }

    #[test]
    fn of_configured_servers_those_in_the_host_count() {
        let config = r#"{"mcpServers":{"calc":{"type":"sdk","name":"calc"},
            "files":{"command":"serve-files"},"web":{"type":"http","url":"http://127.0.0.1"}}}"#;
        let flags = Flags::from_args(["--mcp-config".to_owned(), config.to_owned()]);
        assert_eq!(flags.sdk_mcp_servers, ["calc"]);
        assert!(servers_in_host("/no/such/file").is_empty());
    }

    #[test]
    fn values_follow_or_stand_behind_an_equals_sign_and_the_rest_is_accepted() {
        let args = "--output-format stream-json --verbose --model=a=b --setting-sources= \
                    --permission-prompt-tool stdio --include-partial-messages --mcp-config {}";
        let flags = Flags::from_args(args.split_whitespace().map(str::to_owned));
        assert_eq!(
            flags,
            Flags {
                model: Some("a=b".to_owned()),
                permission_prompt_tool: Some("stdio".to_owned()),
                include_partial_messages: true,
                ..Flags::default()
            }
        );
    }
}
