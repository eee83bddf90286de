//! Members of lines whose values are ignored. `conform/left-out.json` lists
//! them with a reason for each. The presence of a member is compared, unless
//! the real CLI omits it in some runs.

use serde::Deserialize;

/// The list of ignored members.
const FILE: &str = include_str!("../../../conform/left-out.json");

/// The ignored members.
#[derive(Debug)]
pub struct IgnoredMembers(Vec<Rule>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// The lines that contain the members, by type and subtype. A final `*`
    /// matches anything.
    of: Vec<String>,
    /// The paths of members. Items of an array have the path of the array.
    members: Vec<String>,
    /// Whether the real CLI omits the member in some runs.
    #[serde(default)]
    may_be_absent: bool,
    #[serde(rename = "why")]
    _why: String,
}

impl IgnoredMembers {
    /// Returns the rules in this crate.
    ///
    /// # Errors
    ///
    /// Fails only if the file was edited by hand.
    pub fn embedded() -> serde_json::Result<Self> {
        serde_json::from_str(FILE).map(Self)
    }

    /// Returns the rule that ignores a member.
    pub(super) fn rule_for(&self, head: &str, path: &str) -> Option<usize> {
        self.0.iter().position(|rule| {
            rule.of.iter().any(|of| fits(head, of)) && rule.members.iter().any(|it| it == path)
        })
    }

    /// Returns whether the presence of a member is ignored.
    pub(super) fn may_be_absent(&self, rule: usize) -> bool {
        self.0.get(rule).is_some_and(|rule| rule.may_be_absent)
    }

    /// Returns the number of rules.
    #[must_use]
    pub fn rules(&self) -> usize {
        self.0.len()
    }

    /// Describes the rule with this index.
    #[must_use]
    pub fn rule(&self, number: usize) -> String {
        self.0.get(number).map_or_else(String::new, |rule| {
            format!("{} of {}", rule.members.join(", "), rule.of.join(", "))
        })
    }
}

fn fits(head: &str, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => head.starts_with(start),
        None => head == pattern,
    }
}
