//! The text of a permission prompt.

use crate::permission::visible;
use agentwire_protocol::permission::{
    AddRules, CanUseTool, PermissionBehavior, PermissionRule, PermissionUpdate,
};
use std::fmt;

/// The maximum length of a displayed input, in characters.
const INPUT: usize = 4000;
/// The maximum length of a displayed title or reason, in characters.
const TITLE: usize = 400;

/// The parts of a permission prompt. All text from the agent is escaped
/// ([`visible`]) and shortened.
#[derive(Debug, Clone)]
pub struct TerminalQuestion<'a> {
    request: &'a CanUseTool,
    always: Always,
}

/// The permission that the answer `a` would give for the rest of the session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Always {
    /// The answer is not offered.
    No,
    /// The calls that these rules allow. The agent suggested them.
    Rules(Vec<PermissionRule>),
    /// The calls of this tool with this exact input.
    ThisInput,
}

impl<'a> TerminalQuestion<'a> {
    pub(super) fn new(request: &'a CanUseTool) -> Self {
        Self {
            request,
            always: Always::of(request),
        }
    }

    /// Returns the request.
    #[must_use]
    pub fn request(&self) -> &'a CanUseTool {
        self.request
    }

    /// Returns what the answer `a` would allow.
    #[must_use]
    pub fn always(&self) -> &Always {
        &self.always
    }

    /// Returns the agent's title, or one made of the tool's name.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.request.title {
            Some(title) => shown(title, TITLE),
            None => format!("Allow {}?", shown(&self.request.tool_name, TITLE)),
        }
    }

    /// Returns the tool's input, as JSON.
    #[must_use]
    pub fn input(&self) -> String {
        shown(self.request.input.get(), INPUT)
    }

    /// Returns why the agent requests permission, if it gives a reason.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let reason = self.request.decision_reason.as_ref();
        reason.map(|reason| shown(reason, TITLE))
    }

    /// Returns the possible answers: `[y]es, [n]o, [a]lways Bash(git *)`.
    #[must_use]
    pub fn choices(&self) -> String {
        format!("[y]es, [n]o{}", self.always)
    }
}

impl Always {
    fn of(request: &CanUseTool) -> Self {
        if request.suppress_always_allow_rule == Some(true) {
            return Self::No;
        }
        let suggested = request.permission_suggestions.iter().flatten();
        // A change of the mode would allow more than was asked about.
        let rules = suggested.filter_map(|update| match update {
            PermissionUpdate::AddRules(AddRules {
                rules,
                behavior: PermissionBehavior::Allow,
                ..
            }) => Some(rules.clone()),
            _ => None,
        });
        let rules: Vec<PermissionRule> = rules.flatten().collect();
        if !rules.is_empty() {
            Self::Rules(rules)
        } else if request.requires_human() {
            Self::No
        } else {
            Self::ThisInput
        }
    }
}

/// The answer, as part of the choices: `, [a]lways Bash(git *)`.
impl fmt::Display for Always {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::No => Ok(()),
            Self::Rules(rules) => {
                let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
                write!(f, ", [a]lways {}", visible::line(&rules.join(", ")))
            }
            Self::ThisInput => f.write_str(", [a]lways with this exact input"),
        }
    }
}

fn shown(text: &str, most: usize) -> String {
    visible::line(&visible::shortened(text, most)).into_owned()
}
