//! Which tools there are, which may run unasked, and which skills.

use super::Options;
use super::skills::{Skills, check_skill};
use crate::event::Error;
use agentwire_protocol::permission::PermissionRule;
use std::collections::BTreeMap;

/// How a question of the model's shows what its choices look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuestionPreview {
    /// As Markdown.
    Markdown,
    /// As HTML.
    Html,
}

/// Tools and skills.
impl Options {
    /// The agent's own tools that there are (`--tools`): these and no others.
    /// None at all is not the same as not set: the agent then has none of its
    /// own. Those of MCP servers are not touched.
    pub fn tools<S: ToString>(self, names: impl IntoIterator<Item = S>) -> Self {
        self.list("--tools", names)
    }

    /// All of the agent's own tools (`--tools=default`), which is also what
    /// not set is.
    pub fn default_tools(self) -> Self {
        self.set("--tools", "default")
    }

    /// What may run without anybody being asked (`--allowedTools`): rules as
    /// `Read` or `Bash(git *)`, as texts or as
    /// [`PermissionRule`](agentwire_protocol::permission::PermissionRule)s.
    /// None at all is as if it were not set.
    ///
    /// A permission callback does not hear of these: see
    /// [`CommandLine::ignored`](crate::CommandLine).
    pub fn allowed_tools<S: ToString>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.allowed_tools = rules.into_iter().map(|rule| rule.to_string()).collect();
        self
    }

    /// What may never run (`--disallowedTools`), as rules. A rule without
    /// parentheses takes the tool away from the model. None at all is as if it
    /// were not set.
    pub fn disallowed_tools<S: ToString>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.disallowed_tools = rules.into_iter().map(|rule| rule.to_string()).collect();
        self
    }

    /// Tools that run in place of others, by the name that the model uses:
    /// `[("Bash", "mcp__workspace__bash")]`.
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

    /// The skills that the main agent has, by name, and as `plugin:skill` those
    /// of plugins. They may be used without anybody being asked. None at all
    /// is not the same as not set, which leaves it to the CLI.
    pub fn skills<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.initialize.skills = Some(names.clone());
        self.skills = Some(Skills::Only(names));
        self
    }

    /// All skills that there are, which may be used without anybody being
    /// asked.
    pub fn all_skills(mut self) -> Self {
        self.initialize.skills = None;
        self.skills = Some(Skills::All);
        self
    }

    /// How a question of the model's shows what its choices look like
    /// (`CLAUDE_CODE_QUESTION_PREVIEW_FORMAT`). Without it there are no such
    /// previews.
    pub fn question_preview(self, format: QuestionPreview) -> Self {
        let format = match format {
            QuestionPreview::Markdown => "markdown",
            QuestionPreview::Html => "html",
        };
        self.marker("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", Some(format))
    }

    /// What may run unasked, skills included.
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

    /// What may never run.
    pub(super) fn disallowed(&self) -> Result<Vec<String>, Error> {
        check_rules("--disallowedTools", &self.disallowed_tools)?;
        Ok(self.disallowed_tools.clone())
    }
}

/// A rule whose parenthesis is not closed would take those behind it along.
fn check_rules(option: &str, rules: &[String]) -> Result<(), Error> {
    for rule in rules {
        if let Err(why) = rule.parse::<PermissionRule>() {
            let problem = format!("has the rule `{rule}`, which cannot be read: {why}");
            return Err(Error::option(option, problem));
        }
    }
    Ok(())
}
