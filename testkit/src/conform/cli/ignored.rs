//! The members of lines whose values are not compared, from
//! `conform/left-out.json`: each with its reason. That they are there is
//! compared, unless the real CLI itself was measured without them some of the
//! time.

use serde::Deserialize;

/// The file.
const FILE: &str = include_str!("../../../conform/left-out.json");

/// The members that are not compared.
#[derive(Debug)]
pub struct LeftOut(Vec<Rule>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// The lines, by type and subtype; a `*` at the end stands for any.
    of: Vec<String>,
    /// The members, by their paths. Items of arrays have that of the array.
    members: Vec<String>,
    /// Whether the member is absent some of the time on the real CLI.
    #[serde(default)]
    may_be_absent: bool,
    #[serde(rename = "why")]
    _why: String,
}

impl LeftOut {
    /// The rules that come with this crate.
    ///
    /// # Errors
    ///
    /// Never, unless somebody has edited the file.
    pub fn embedded() -> serde_json::Result<Self> {
        serde_json::from_str(FILE).map(Self)
    }

    /// The rule by which a member is not compared.
    pub(super) fn rule_for(&self, head: &str, path: &str) -> Option<usize> {
        self.0.iter().position(|rule| {
            rule.of.iter().any(|of| fits(head, of)) && rule.members.iter().any(|it| it == path)
        })
    }

    /// Whether a member is compared with nothing, not even its absence.
    pub(super) fn may_be_absent(&self, rule: usize) -> bool {
        self.0.get(rule).is_some_and(|rule| rule.may_be_absent)
    }

    /// How many rules there are.
    #[must_use]
    pub fn rules(&self) -> usize {
        self.0.len()
    }

    /// What a rule is about, for people. They are counted from 0.
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
