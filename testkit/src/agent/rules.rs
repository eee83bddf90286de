//! Permission rules: those that the agent was started with, and those that the
//! host added since.

use agentwire_protocol::json::Json;
use agentwire_protocol::permission::{
    PermissionBehavior, PermissionDestination, PermissionRule, PermissionUpdate,
};
use std::fmt;

/// A rule and its origin.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionRule {
    /// The tool, and the inputs that the rule matches.
    pub rule: PermissionRule,
    /// The effect of the rule.
    pub behavior: PermissionBehavior,
    /// Where the rule is stored. Rules of the command line have
    /// [`PermissionDestination::CliArg`].
    pub destination: PermissionDestination,
}

/// The permission rules of a session.
#[derive(Clone)]
pub struct Rules {
    list: Vec<SessionRule>,
    /// Returns whether the content of a rule (the first argument) covers a call
    /// of this tool with this input.
    covers: fn(&str, &str, &Json) -> bool,
}

impl Rules {
    /// Creates an empty set. `covers` returns whether the content of a rule,
    /// such as `git *` of `Bash(git *)`, covers a call of a tool with an input.
    #[must_use]
    pub fn new(covers: fn(&str, &str, &Json) -> bool) -> Self {
        Self {
            list: vec![],
            covers,
        }
    }

    /// Adds a rule of the command line.
    pub fn add(&mut self, rule: PermissionRule, behavior: PermissionBehavior) {
        self.add_from(PermissionDestination::CliArg, rule, behavior);
    }

    /// Adds a rule of a settings file.
    pub fn add_from(
        &mut self,
        source: PermissionDestination,
        rule: PermissionRule,
        behavior: PermissionBehavior,
    ) {
        self.list.push(SessionRule {
            rule,
            behavior,
            destination: source,
        });
    }

    /// Returns the rules, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &SessionRule> {
        self.list.iter()
    }

    /// Applies an update of the host. Updates that are not about rules have no
    /// effect.
    pub(super) fn update(&mut self, update: &PermissionUpdate) {
        match update {
            PermissionUpdate::AddRules(update) => {
                for rule in &update.rules {
                    let rule = SessionRule {
                        rule: rule.clone(),
                        behavior: update.behavior.clone(),
                        destination: update.destination.clone(),
                    };
                    if !self.list.contains(&rule) {
                        self.list.push(rule);
                    }
                }
            }
            PermissionUpdate::ReplaceRules(update) => {
                self.list.retain(|it| {
                    (&it.behavior, &it.destination) != (&update.behavior, &update.destination)
                });
                self.list
                    .extend(update.rules.iter().map(|rule| SessionRule {
                        rule: rule.clone(),
                        behavior: update.behavior.clone(),
                        destination: update.destination.clone(),
                    }));
            }
            PermissionUpdate::RemoveRules(update) => self.list.retain(|it| {
                (&it.behavior, &it.destination) != (&update.behavior, &update.destination)
                    || !update.rules.contains(&it.rule)
            }),
            _ => {}
        }
    }

    /// Returns the first rule with this behavior that covers a call.
    pub(super) fn find(
        &self,
        behavior: &PermissionBehavior,
        tool: &str,
        input: &Json,
    ) -> Option<&PermissionRule> {
        let mut rules = self.list.iter().filter(|it| it.behavior == *behavior);
        let found = rules.find(|it| self.covers(&it.rule, tool, input));
        found.map(|it| &it.rule)
    }

    /// Returns whether the command line or a settings file disables a tool
    /// altogether, so that it does not exist for the model.
    pub(super) fn disable(&self, tool: &str) -> bool {
        self.list.iter().any(|it| {
            it.behavior == PermissionBehavior::Deny
                && it.destination != PermissionDestination::Session
                && it.rule.rule_content.is_none()
                && is_about(&it.rule.tool_name, tool)
        })
    }

    fn covers(&self, rule: &PermissionRule, tool: &str, input: &Json) -> bool {
        match &rule.rule_content {
            None => is_about(&rule.tool_name, tool),
            Some(content) => rule.tool_name == tool && (self.covers)(content, tool, input),
        }
    }
}

impl Default for Rules {
    /// Creates an empty set in which rules with content cover nothing.
    fn default() -> Self {
        Self::new(|_, _, _| false)
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list).finish()
    }
}

/// Returns whether a rule for `name` applies to this tool.
fn is_about(name: &str, tool: &str) -> bool {
    name == tool || is_of_server(name, tool)
}

/// Returns whether a rule for all tools of an MCP server, `mcp__server` or
/// `mcp__server__*`, covers this tool. As on the real CLI, a tool whose own
/// name contains `__` is not covered.
fn is_of_server(rule: &str, tool: &str) -> bool {
    let is_server = rule.starts_with("mcp__") && rule.matches("__").count() == 1;
    let server = rule.strip_suffix("__*").or(is_server.then_some(rule));
    server
        .and_then(|server| tool.strip_prefix(server)?.strip_prefix("__"))
        .is_some_and(|name| rule.starts_with("mcp__") && !name.contains("__"))
}

#[cfg(test)]
mod tests {
    use super::is_of_server;

    #[test]
    fn server_rules_match_as_on_the_real_cli() {
        let tools = [
            "mcp__srv__one",
            "mcp__srv__two",
            "mcp__srv2__one",
            "mcp__srv__x__one",
        ];
        // The live tests of rules have the same cases.
        for (rule, covered) in [
            ("mcp__srv", [true, true, false, false]),
            ("mcp__srv__*", [true, true, false, false]),
            ("mcp__srv__x", [false; 4]),
            ("mcp__srv__x__*", [false, false, false, true]),
            ("Bash", [false; 4]),
        ] {
            assert_eq!(
                tools.map(|tool| is_of_server(rule, tool)),
                covered,
                "{rule}"
            );
        }
    }
}
