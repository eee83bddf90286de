//! What a scenario expects of the host.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the host is to do. When it does something else, or ends the session
/// without having done it, the fake agent says on standard error in what it
/// differs, and exits with status 64.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Expect {
    /// The arguments. `--flag` is the flag with any value or none,
    /// `--flag=value` is the flag with this value, behind a `=` or as the next
    /// argument; anything else is an argument as it is.
    #[serde(skip_serializing_if = "HasAndHasNot::is_empty")]
    pub argv: HasAndHasNot,
    /// The environment: `NAME`, with any value, or `NAME=value`.
    #[serde(skip_serializing_if = "HasAndHasNot::is_empty")]
    pub env: HasAndHasNot,
    /// Lines that the host is to send, in this order. Each is an object with
    /// members that the line has; it may have others beside them. The object
    /// `{"$matches": "expression"}` stands for a text in which the regular
    /// expression has a match. Other lines may come between them.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "read_objects"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Map<String, Value>>"))]
    pub lines: Vec<Value>,
    /// Kinds of lines, written as in `lines`, of which the host is to send
    /// those in `lines` and no others.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "read_objects"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Map<String, Value>>"))]
    pub no_others: Vec<Value>,
}

/// What has to be there, and what may not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct HasAndHasNot {
    /// What has to be there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub has: Vec<String>,
    /// What may not be there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub has_not: Vec<String>,
}

impl HasAndHasNot {
    fn is_empty(&self) -> bool {
        self.has.is_empty() && self.has_not.is_empty()
    }
}

impl Expect {
    /// Whether nothing is expected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Expects an argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<String>) -> Self {
        self.argv.has.push(argument.into());
        self
    }

    /// Expects that an argument is not there.
    #[must_use]
    pub fn no_argument(mut self, argument: impl Into<String>) -> Self {
        self.argv.has_not.push(argument.into());
        self
    }

    /// Expects a variable.
    #[must_use]
    pub fn variable(mut self, variable: impl Into<String>) -> Self {
        self.env.has.push(variable.into());
        self
    }

    /// Expects that a variable is not there.
    #[must_use]
    pub fn no_variable(mut self, variable: impl Into<String>) -> Self {
        self.env.has_not.push(variable.into());
        self
    }

    /// Expects a line with these members, after those expected before.
    #[must_use]
    pub fn line(mut self, members: Value) -> Self {
        self.lines.push(members);
        self
    }

    /// Expects no other lines of this kind.
    #[must_use]
    pub fn no_others(mut self, members: Value) -> Self {
        self.no_others.push(members);
        self
    }
}

fn read_objects<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    let objects = Vec::<Map<String, Value>>::deserialize(deserializer)?;
    let objects: Vec<Value> = objects.into_iter().map(Value::Object).collect();
    match objects.iter().find_map(bad_expression) {
        None => Ok(objects),
        Some(expression) => Err(D::Error::custom(format_args!(
            "`$matches` stands alone in its object, with a regular expression, which {expression} is not"
        ))),
    }
}

/// Something beside `$matches` that is no expression.
fn bad_expression(value: &Value) -> Option<&Value> {
    match value {
        Value::Object(members) => match members.get("$matches") {
            None => members.values().find_map(bad_expression),
            Some(Value::String(text))
                if members.len() == 1 && regex_lite::Regex::new(text).is_ok() =>
            {
                None
            }
            Some(other) => Some(other),
        },
        Value::Array(items) => items.iter().find_map(bad_expression),
        _ => None,
    }
}
