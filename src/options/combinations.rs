//! Checks for conflicting and ignored options.

use super::Options;
use crate::event::{Error, IgnoredOption};
use agentwire_protocol::permission::PermissionMode;
use uuid::Uuid;

impl Options {
    /// Rejects options that the CLI would refuse or silently ignore.
    pub(super) fn check_combinations(&self) -> Result<(), Error> {
        self.check_values()?;
        let resumes = self.has("--resume");
        let continues = self.has("--continue");
        let forks = self.has("--fork-session");
        let refused = |option: &str, problem: &str| Err(Error::option(option, problem));
        if resumes && continues {
            return refused(
                "--resume",
                "(`resume`) cannot be combined with `--continue` (`continue_latest`)",
            );
        }
        if forks && !resumes && !continues {
            return refused(
                "--fork-session",
                "(`fork_session`) needs `--resume` (`resume`) or `--continue` (`continue_latest`)",
            );
        }
        if let Some(id) = self.value_of("--session-id") {
            if Uuid::try_parse(id).is_err() {
                let problem = format!("(`session_id`) is `{id}`, which is not a UUID");
                return refused("--session-id", &problem);
            }
            if (resumes || continues) && !forks {
                let problem = "(`session_id`) needs `--fork-session` (`fork_session`) when a \
                               session is resumed: without it the session keeps its id";
                return refused("--session-id", problem);
            }
        }
        if self.has("--resume-session-at") && !resumes {
            return refused(
                "--resume-session-at",
                "(`resume_at`) needs `--resume` (`resume`)",
            );
        }
        if self.has("--resume-drops-turn") && !self.has("--resume-session-at") {
            return refused(
                "--resume-drops-turn",
                "(`resume_drops_turn`) needs `--resume-session-at` (`resume_at`)",
            );
        }
        if let Some(dollars) = self.value_of("--max-budget-usd") {
            let number = dollars.parse::<f64>();
            if !number.is_ok_and(|dollars| dollars.is_finite() && dollars > 0.0) {
                let problem = format!(
                    "(`max_budget_usd`) is `{dollars}`; it must be a number greater than 0"
                );
                return refused("--max-budget-usd", &problem);
            }
        }
        self.check_unread_limits()?;
        self.check_store()?;
        self.check_output_format()?;
        if self.callbacks.decide_about_tools()
            && self.value_of("--permission-prompt-tool").is_some()
        {
            let problem =
                "(`permission_prompt_tool`) cannot be combined with a permission callback";
            return refused("--permission-prompt-tool", problem);
        }
        #[cfg(feature = "mcp")]
        for name in self.initialize.mcp_servers.iter().flat_map(|it| it.keys()) {
            if self.mcp_servers.contains_key(name) {
                let problem = format!("has `{name}`, which is an in-process server as well");
                return Err(Error::option("mcp_servers", problem));
            }
        }
        Ok(())
    }

    /// Returns the options that have no effect.
    pub(super) fn find_ignored(&self) -> Vec<IgnoredOption> {
        let mut found = vec![];
        let mut add = |option: &str, by: &str, effect: &str| {
            found.push(IgnoredOption {
                option: option.to_owned(),
                by: by.to_owned(),
                effect: effect.to_owned(),
            });
        };
        let asked = if self.callbacks.decide_about_tools() {
            Some("Options::on_permission")
        } else if self.has("--permission-prompt-tool") {
            Some("--permission-prompt-tool")
        } else {
            None
        };
        if let Some(asked) = asked {
            let mode = self.value_of("--permission-mode").map(PermissionMode::from);
            if mode == Some(PermissionMode::BypassPermissions)
                || self.has("--dangerously-skip-permissions")
            {
                let effect = "every permission request is approved without it";
                add(asked, "--permission-mode=bypassPermissions", effect);
            }
            if mode == Some(PermissionMode::DontAsk) {
                let effect = "every permission request is denied without it";
                add(asked, "--permission-mode=dontAsk", effect);
            }
            if self.value_of("--permission-prompts") == Some("none") {
                let effect = "every permission request is denied without it";
                add(asked, "--permission-prompts=none", effect);
            }
            let rules = self.allowed_tools.iter().filter(|rule| !rule.contains('('));
            for rule in rules {
                let by = format!("--allowedTools={rule}");
                add(asked, &by, "calls of this tool are approved without it");
            }
        }
        for rule in &self.allowed_tools {
            if self.disallowed_tools.contains(rule) {
                add(
                    &format!("--allowedTools={rule}"),
                    &format!("--disallowedTools={rule}"),
                    "disallowed tools remain disallowed",
                );
            }
        }
        if self.initialize.system_prompt.is_some()
            && self.initialize.exclude_dynamic_sections == Some(true)
        {
            let effect = "a custom system prompt has no dynamic sections";
            add("exclude_dynamic_sections", "system_prompt", effect);
        }
        if self.initialize.title.is_some() {
            for by in ["--resume", "--continue"] {
                if self.has(by) {
                    add("title", by, "the title of a resumed session is unchanged");
                }
            }
        }
        if let (Some(model), Some(fallbacks)) =
            (self.value_of("--model"), self.value_of("--fallback-model"))
            && fallbacks.split(',').any(|it| it == model)
        {
            let effect = "a model cannot be its own fallback";
            add("--fallback-model", "--model", effect);
        }
        if self.value_of("--thinking") == Some("disabled") && self.has("--thinking-display") {
            add(
                "--thinking-display",
                "--thinking=disabled",
                "no thinking is shown",
            );
        }
        found
    }
}
