//! Tools, tool permissions and skills.

use super::Options;
use super::skills::{Skills, check_skill};
use crate::event::Error;
use agentwire_protocol::StringList;
use agentwire_protocol::permission::{PermissionRule, built_in_tools};
use std::collections::BTreeMap;

/// The format of previews of the choices in the model's questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuestionPreview {
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
}

/// Tools and skills.
impl Options {
    /// Sets the built-in tools of the agent (`--tools`). An empty list disables
    /// all of them, which is different from unset. MCP tools are not affected.
    ///
    /// The agent ignores unknown names. Here and in the rules below, the first turn then begins
    /// with a [`Notice::UnknownTool`](crate::Notice::UnknownTool).
    pub fn tools(self, names: impl Into<StringList>) -> Self {
        self.list("--tools", names)
    }

    /// Enables all built-in tools (`--tools=default`). This is the default.
    pub fn default_tools(self) -> Self {
        self.set("--tools", "default")
    }

    /// Sets the rules for tool calls that run without a permission request
    /// (`--allowedTools`), such as `Read` or `Bash(git *)`: strings or
    /// [`PermissionRule`]s. An
    /// empty list is the same as unset.
    ///
    /// The permission callback is not called for these: see
    /// [`CommandLine::ignored`](crate::options::CommandLine).
    pub fn allowed_tools(mut self, rules: impl Into<StringList>) -> Self {
        self.allowed_tools = rules.into().into();
        self
    }

    /// Sets the rules for tool calls that are always denied
    /// (`--disallowedTools`). A rule without parentheses removes the tool from
    /// the model. An empty list is the same as unset.
    pub fn disallowed_tools(mut self, rules: impl Into<StringList>) -> Self {
        self.disallowed_tools = rules.into().into();
        self
    }

    /// Sets tools that replace others, by the name that the model uses: `[("Bash",
    /// "mcp__workspace__bash")]`.
    pub fn tool_aliases<K: Into<String>, V: Into<String>>(
        mut self,
        aliases: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let aliases: BTreeMap<_, _> = (aliases.into_iter())
            .map(|(from, to)| (from.into(), to.into()))
            .collect();
        self.initialize.tool_aliases = Some(aliases);
        self
    }

    /// Sets the skills of the main agent, by name; those of plugins as
    /// `plugin:skill`. They run without a permission request. An empty list
    /// means no skills; if unset, the CLI decides.
    pub fn skills(mut self, names: impl Into<StringList>) -> Self {
        let names: Vec<String> = names.into().into();
        self.initialize.skills = Some(names.clone());
        self.skills = Some(Skills::Only(names));
        self
    }

    /// Enables all skills. They run without a permission request.
    pub fn all_skills(mut self) -> Self {
        self.initialize.skills = None;
        self.skills = Some(Skills::All);
        self
    }

    /// Sets the format of previews of the choices in the model's questions
    /// (`CLAUDE_CODE_QUESTION_PREVIEW_FORMAT`). Default: no previews.
    #[doc(alias = "toolConfig")]
    pub fn question_preview(self, format: QuestionPreview) -> Self {
        let format = match format {
            QuestionPreview::Markdown => "markdown",
            QuestionPreview::Html => "html",
        };
        self.marker("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", Some(format))
    }

    /// Returns the rules for allowed tool calls and skills.
    pub(super) fn allowed(&self) -> Result<Vec<String>, Error> {
        let mut rules = self.allowed_tools.clone();
        check_rules("--allowedTools", &rules)?;
        let skills = match &self.skills {
            None => vec![],
            Some(Skills::All) => vec!["Skill".to_owned()],
            Some(Skills::Only(names)) => {
                for name in names {
                    check_skill(name)?;
                }
                names.iter().map(|name| format!("Skill({name})")).collect()
            }
        };
        for rule in skills {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        Ok(rules)
    }

    /// Returns the names of tools that are unknown here, each with the first option that has it.
    pub(crate) fn unknown_tools(&self) -> Vec<(&'static str, String)> {
        let mut found: Vec<(&'static str, String)> = Vec::new();
        let mut check = |option, name: &str| {
            let is_known = name.is_empty()
                || name.contains('*')
                || name.starts_with("mcp__")
                || built_in_tools().any(|known| known == name)
                || found.iter().any(|(_, other)| other == name);
            if !is_known {
                found.push((option, name.to_owned()));
            }
        };
        let tools = self.value_of("--tools").filter(|it| *it != "default");
        for name in tools.iter().flat_map(|names| names.split(',')) {
            check("tools", name.trim());
        }
        // The deny rules of the host are among the disallowed tools.
        for name in self.callbacks.rules.iter().flat_map(|it| it.tools()) {
            check("rules", name);
        }
        let lists = [
            ("allowed_tools", &self.allowed_tools),
            ("disallowed_tools", &self.disallowed_tools),
        ];
        for (option, rules) in lists {
            for rule in rules {
                if let Ok(rule) = rule.parse::<PermissionRule>() {
                    check(option, &rule.tool_name);
                }
            }
        }
        found
    }

    /// Returns the rules for denied tool calls.
    pub(super) fn disallowed(&self) -> Result<Vec<String>, Error> {
        check_rules("--disallowedTools", &self.disallowed_tools)?;
        Ok(self.disallowed_tools.clone())
    }
}

/// Checks the rules. An unclosed parenthesis would absorb the rules after it.
fn check_rules(option: &str, rules: &[String]) -> Result<(), Error> {
    for rule in rules {
        if let Err(why) = rule.parse::<PermissionRule>() {
            let problem = format!("has the rule `{rule}`, which is invalid: {why}");
            return Err(Error::option(option, problem));
        }
    }
    Ok(())
}
