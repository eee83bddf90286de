//! Expectations of a scenario about the host.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Expectations about the host. If the host violates an expectation, or ends
/// the session before all are met, the fake agent prints the difference on
/// standard error and exits with status 64.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Expect {
    /// Expected arguments. `--flag` matches the flag with or without a value.
    /// `--flag=value` matches this value after `=` or as the next argument. Any
    /// other text matches an equal argument.
    #[serde(skip_serializing_if = "HasAndHasNot::is_empty")]
    pub argv: HasAndHasNot,
    /// Expected environment variables. `NAME` matches any value, `NAME=value`
    /// this value.
    #[serde(skip_serializing_if = "HasAndHasNot::is_empty")]
    pub env: HasAndHasNot,
    /// Lines that the host sends in this order. Other lines may come between
    /// them. Each entry is an object whose members the line must have;
    /// additional members are allowed. The object `{"$matches": "expression"}`
    /// matches a string in which the regular expression has a match.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "read_objects"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Map<String, Value>>"))]
    pub lines: Vec<Value>,
    /// Kinds of lines, written as in `lines`. Of these kinds, the host may only
    /// send lines that are in `lines`.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "read_objects"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Map<String, Value>>"))]
    pub no_others: Vec<Value>,
}

/// Required and forbidden entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct HasAndHasNot {
    /// Entries that must be present.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub has: Vec<String>,
    /// Entries that must be absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub has_not: Vec<String>,
}

impl HasAndHasNot {
    fn is_empty(&self) -> bool {
        self.has.is_empty() && self.has_not.is_empty()
    }
}

impl Expect {
    /// Returns whether there are no expectations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Requires an argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<String>) -> Self {
        self.argv.has.push(argument.into());
        self
    }

    /// Forbids an argument.
    #[must_use]
    pub fn no_argument(mut self, argument: impl Into<String>) -> Self {
        self.argv.has_not.push(argument.into());
        self
    }

    /// Requires an environment variable.
    #[must_use]
    pub fn variable(mut self, variable: impl Into<String>) -> Self {
        self.env.has.push(variable.into());
        self
    }

    /// Forbids an environment variable.
    #[must_use]
    pub fn no_variable(mut self, variable: impl Into<String>) -> Self {
        self.env.has_not.push(variable.into());
        self
    }

    /// Requires a line with these members, after the lines required before.
    #[must_use]
    pub fn line(mut self, members: Value) -> Self {
        self.lines.push(members);
        self
    }

    /// Forbids other lines of this kind.
    #[must_use]
    pub fn no_others(mut self, members: Value) -> Self {
        self.no_others.push(members);
        self
    }
}

fn read_objects<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    let objects = Vec::<Map<String, Value>>::deserialize(deserializer)?;
    let objects: Vec<Value> = objects.into_iter().map(Value::Object).collect();
    match objects.iter().find_map(invalid_expression) {
        None => Ok(objects),
        Some(expression) => Err(D::Error::custom(format_args!(
            "`$matches` must be the only member of its object; {expression} is not a valid regular expression"
        ))),
    }
}

/// Returns the first invalid `$matches` value.
fn invalid_expression(value: &Value) -> Option<&Value> {
    match value {
        Value::Object(members) => match members.get("$matches") {
            None => members.values().find_map(invalid_expression),
            Some(Value::String(text))
                if members.len() == 1 && regex_lite::Regex::new(text).is_ok() =>
            {
                None
            }
            Some(other) => Some(other),
        },
        Value::Array(items) => items.iter().find_map(invalid_expression),
        _ => None,
    }
}
