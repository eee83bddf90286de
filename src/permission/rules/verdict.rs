//! Verdicts of rules, with reasons.

use super::super::policy::Decision;
use agentwire_protocol::permission::PermissionResult;
use std::fmt;

/// The verdict of [`Rules`](super::Rules) about a call, with the reason.
///
/// ```
/// use agentwire::protocol::permission::CanUseTool;
/// use agentwire::Rules;
/// use agentwire::permission::{RulesVerdict, Undecided};
/// use serde_json::json;
///
/// let rules = Rules::builder().allow(["Bash(find:*)"]).build()?;
/// let call = CanUseTool::new("Bash", json!({"command": "find . -delete"}));
/// let why = Undecided::MayDoMore {
///     command: "find . -delete".to_owned(),
///     rule: "Bash(find:*)".to_owned(),
/// };
/// assert_eq!(rules.verdict(&call), RulesVerdict::None(why));
/// # Ok::<(), agentwire::permission::RulesError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RulesVerdict {
    /// These rules allow the call.
    Allow {
        /// The rules.
        rules: Vec<String>,
    },
    /// This rule denies the call.
    Deny {
        /// The rule.
        rule: String,
    },
    /// This rule requires a decision of the handler.
    Ask {
        /// The rule.
        rule: String,
    },
    /// The rules have no decision.
    None(Undecided),
}

/// The reason why rules have no decision.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecided {
    /// The request requires a human
    /// ([`CanUseTool::requires_human`](agentwire_protocol::permission::CanUseTool::requires_human)).
    RequiresHuman,
    /// No rule matches the call, or this command of a shell line.
    NoRule(Option<String>),
    /// The call leaves the sandbox, which no command rule allows.
    Sandbox,
    /// The line does not consist of simple commands with literal words.
    Unparsed,
    /// A command after one that changes the directory depends on the directory.
    DependsOnDirectory,
    /// A rule matches the command, but the command may run, read or write more
    /// than the rule names.
    MayDoMore {
        /// The command.
        command: String,
        /// The rule.
        rule: String,
    },
    /// Rules match this command, but it may access a place outside the working
    /// directory or a protected file.
    Place(String),
}

impl From<RulesVerdict> for Decision {
    fn from(verdict: RulesVerdict) -> Self {
        match verdict {
            RulesVerdict::Allow { .. } => PermissionResult::allow().into(),
            RulesVerdict::Deny { rule } => {
                PermissionResult::deny(format!("The rule {rule} denies this call.")).into()
            }
            RulesVerdict::Ask { .. } => Self::MustAsk,
            RulesVerdict::None(_) => Self::None,
        }
    }
}

/// Formats the reason as part of a sentence: `the rule Bash(rm:*) denies the call`.
impl fmt::Display for RulesVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allow { rules } => {
                let (noun, verb) = match rules.len() {
                    1 => ("rule", "allows"),
                    _ => ("rules", "allow"),
                };
                write!(f, "the {noun} {} {verb} the call", rules.join(", "))
            }
            Self::Deny { rule } => write!(f, "the rule {rule} denies the call"),
            Self::Ask { rule } => write!(f, "the rule {rule} asks about the call"),
            Self::None(why) => why.fmt(f),
        }
    }
}

/// Formats the reason as part of a sentence.
impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RequiresHuman => f.write_str("the request requires a human"),
            Self::NoRule(None) => f.write_str("no rule matches the call"),
            Self::NoRule(Some(command)) => write!(f, "no rule matches `{command}`"),
            Self::Sandbox => {
                f.write_str("the call leaves the sandbox, which no command rule allows")
            }
            Self::Unparsed => {
                f.write_str("the line does not consist of simple commands with literal words")
            }
            Self::DependsOnDirectory => {
                f.write_str("a command after `cd` depends on the directory")
            }
            Self::MayDoMore { command, rule } => {
                write!(f, "`{command}` may do more than the rule {rule} names")
            }
            Self::Place(command) => write!(
                f,
                "`{command}` may access a place outside the working directory, or a protected file"
            ),
        }
    }
}
