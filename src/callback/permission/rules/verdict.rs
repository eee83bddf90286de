//! What rules say, and why.

use super::super::policy::Decision;
use agentwire_protocol::permission::PermissionResult;
use std::fmt;

/// What [`Rules`](super::Rules) say about a call, and why.
///
/// ```
/// use agentwire::protocol::permission::CanUseTool;
/// use agentwire::{Rules, RulesVerdict, Undecided};
/// use serde_json::json;
///
/// let rules = Rules::builder().allow(["Bash(find:*)"]).build()?;
/// let call = CanUseTool::new("Bash", json!({"command": "find . -delete"}));
/// let why = Undecided::MayDoMore {
///     command: "find . -delete".to_owned(),
///     rule: "Bash(find:*)".to_owned(),
/// };
/// assert_eq!(rules.verdict(&call), RulesVerdict::None(why));
/// # Ok::<(), agentwire::RulesError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RulesVerdict {
    /// These rules allow it.
    Allow {
        /// The rules.
        rules: Vec<String>,
    },
    /// This rule denies it.
    Deny {
        /// The rule.
        rule: String,
    },
    /// This rule says that it is to be asked.
    Ask {
        /// The rule.
        rule: String,
    },
    /// They have no decision.
    None(Undecided),
}

/// Why rules have no decision.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecided {
    /// A person is meant to decide
    /// ([`CanUseTool::requires_human`](agentwire_protocol::permission::CanUseTool::requires_human)).
    Person,
    /// No rule is about it; of a shell line, about this command.
    NoRule(Option<String>),
    /// A rule about commands does not lead out of the sandbox.
    Sandbox,
    /// The line is not made of simple commands in which each word is what it looks
    /// like.
    NotUnderstood,
    /// A command stands behind one that changes the directory, and depends on it.
    DependsOnDirectory,
    /// A rule is about this command, which may run, read or write more than the
    /// rule says.
    MayDoMore {
        /// The command.
        command: String,
        /// The rule.
        rule: String,
    },
    /// Rules are about this command, which may be about a place outside of the
    /// working directory, or a file that is guarded.
    Place(String),
}

impl From<RulesVerdict> for Decision {
    fn from(verdict: RulesVerdict) -> Self {
        match verdict {
            RulesVerdict::Allow { .. } => PermissionResult::allow().into(),
            RulesVerdict::Deny { rule } => {
                PermissionResult::deny(format!("The rule {rule} denies it.")).into()
            }
            RulesVerdict::Ask { .. } => Self::MustAsk,
            RulesVerdict::None(_) => Self::None,
        }
    }
}

/// The reason, as part of a sentence: `the rule Bash(rm:*) denies it`.
impl fmt::Display for RulesVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allow { rules } => {
                let (noun, verb) = match rules.len() {
                    1 => ("rule", "allows"),
                    _ => ("rules", "allow"),
                };
                write!(f, "the {noun} {} {verb} it", rules.join(", "))
            }
            Self::Deny { rule } => write!(f, "the rule {rule} denies it"),
            Self::Ask { rule } => write!(f, "the rule {rule} has it asked"),
            Self::None(why) => why.fmt(f),
        }
    }
}

/// The reason, as part of a sentence.
impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person => f.write_str("a person is meant to decide"),
            Self::NoRule(None) => f.write_str("no rule is about it"),
            Self::NoRule(Some(command)) => write!(f, "no rule is about `{command}`"),
            Self::Sandbox => f.write_str("a rule about commands does not lead out of the sandbox"),
            Self::NotUnderstood => f.write_str(
                "it is not made of simple commands in which each word is what it looks like",
            ),
            Self::DependsOnDirectory => {
                f.write_str("behind `cd` stands a command that depends on the directory")
            }
            Self::MayDoMore { command, rule } => {
                write!(f, "`{command}` may do more than the rule {rule} says")
            }
            Self::Place(command) => write!(
                f,
                "`{command}` may be about a place outside of the working directory, or a guarded file"
            ),
        }
    }
}
