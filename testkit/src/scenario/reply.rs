//! A reply of the model.

use super::step::Step;
use super::when::When;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A reply of the model. In a file it is an array of steps, or an object with
/// the steps in `say`.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The requests that the reply matches. A reply without `when` is taken in
    /// order.
    pub when: Option<When>,
    /// The content, in order.
    pub say: Vec<Step>,
    /// The token counts.
    pub usage: Option<Usage>,
    /// The cost in dollars that the fake agent reports. The real CLI computes
    /// the cost from the tokens.
    pub cost_usd: Option<f64>,
    /// The stop reason, such as `max_tokens` or `refusal`. Default: `tool_use`
    /// after a tool call, otherwise `end_turn`.
    pub stop_reason: Option<String>,
    /// Headers of the HTTP response, such as `retry-after`.
    pub headers: BTreeMap<String, String>,
    /// How often the reply can be taken.
    pub times: Times,
}

/// Token counts of a reply. Missing values are generated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Usage {
    /// Input tokens that were not cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Input tokens that were written to the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_creation_input_tokens: Option<u64>,
    /// Input tokens that were read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_input_tokens: Option<u64>,
}

/// How often a reply can be taken: a number, or `"always"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// The reply can be taken this many times.
    Number(u32),
    /// The reply can be taken every time it matches.
    Always,
}

/// The object form of a reply.
#[derive(Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ReplyObject")
)]
#[serde(deny_unknown_fields)]
struct Members {
    /// The requests that the reply matches. A reply without `when` is taken in
    /// order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    when: Option<When>,
    /// The content, in order.
    say: Vec<Step>,
    /// The token counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    /// The cost in dollars that the fake agent reports. The real CLI computes
    /// the cost from the tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    /// The stop reason, such as `max_tokens` or `refusal`. Default: `tool_use`
    /// after a tool call, otherwise `end_turn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stop_reason: Option<String>,
    /// Headers of the HTTP response, such as `retry-after`.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "read_headers"
    )]
    headers: BTreeMap<String, String>,
    /// How often the reply can be taken.
    #[serde(default, skip_serializing_if = "Times::is_once")]
    times: Times,
}

impl Reply {
    /// Creates a reply that is taken once, in order.
    pub fn new(say: impl IntoIterator<Item = Step>) -> Self {
        Self {
            say: say.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Sets the requests that the reply matches.
    #[must_use]
    pub fn when(mut self, when: When) -> Self {
        self.when = Some(when);
        self
    }

    /// Sets the token counts.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Sets the cost in dollars that the fake agent reports.
    #[must_use]
    pub fn cost_usd(mut self, dollars: f64) -> Self {
        self.cost_usd = Some(dollars);
        self
    }

    /// Sets the stop reason, such as `max_tokens` or `refusal`.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        self.stop_reason = Some(reason.into());
        self
    }

    /// Adds a header to the HTTP response.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// Sets how often the reply can be taken.
    #[must_use]
    pub fn times(mut self, number: u32) -> Self {
        self.times = Times::Number(number);
        self
    }

    /// Makes the reply available every time it matches.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.times = Times::Always;
        self
    }

    /// Returns the number of tool calls in the reply.
    pub(crate) fn tool_count(&self) -> usize {
        let tools = self.say.iter().filter(|it| matches!(it, Step::Tool(_)));
        tools.count()
    }

    /// Returns why the reply cannot be played. Returns `None` if it can.
    fn invalid_reason(&self) -> Option<&'static str> {
        let errs = self.say.iter().any(|it| matches!(it, Step::Error(_)));
        let cut = self.say.iter().position(|it| matches!(it, Step::Cut));
        if errs && self.say.len() > 1 {
            Some("an `error` must be the only step of its reply")
        } else if errs && (self.usage, self.cost_usd, &self.stop_reason) != (None, None, &None) {
            Some("a reply with an `error` cannot have `usage`, `cost_usd` or `stop_reason`")
        } else if cut.is_some_and(|place| place + 1 != self.say.len()) {
            Some("a `cut` must be the last step of its reply")
        } else {
            None
        }
    }
}

impl<I: IntoIterator<Item = Step>> From<I> for Reply {
    fn from(steps: I) -> Self {
        Self::new(steps)
    }
}

impl Times {
    /// Returns whether a reply that was taken this often can be taken again.
    pub(crate) fn allow_more(self, taken: u32) -> bool {
        match self {
            Self::Number(number) => taken < number,
            Self::Always => true,
        }
    }

    fn is_once(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for Times {
    fn default() -> Self {
        Self::Number(1)
    }
}

impl<'de> Deserialize<'de> for Reply {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Reply;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a reply: an array of steps, or an object with `say`")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, steps: A) -> Result<Reply, A::Error> {
                let steps = Vec::<Step>::deserialize(SeqAccessDeserializer::new(steps))?;
                check(Reply::new(steps))
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Reply, A::Error> {
                let read = Members::deserialize(MapAccessDeserializer::new(members))?;
                check(Reply {
                    when: read.when,
                    say: read.say,
                    usage: read.usage,
                    cost_usd: read.cost_usd,
                    stop_reason: read.stop_reason,
                    headers: read.headers,
                    times: read.times,
                })
            }
        }

        deserializer.deserialize_any(Either)
    }
}

fn check<E: Error>(reply: Reply) -> Result<Reply, E> {
    match reply.invalid_reason() {
        None => Ok(reply),
        Some(complaint) => Err(E::custom(complaint)),
    }
}

impl Serialize for Reply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if *self == Self::new(self.say.iter().cloned()) {
            return self.say.serialize(serializer);
        }
        let members = Members {
            when: self.when.clone(),
            say: self.say.clone(),
            usage: self.usage,
            cost_usd: self.cost_usd,
            stop_reason: self.stop_reason.clone(),
            headers: self.headers.clone(),
            times: self.times,
        };
        members.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Times {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl Visitor<'_> for Either {
            type Value = Times;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number above 0, or \"always\"")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Times, E> {
                match u32::try_from(number) {
                    Ok(number @ 1..) => Ok(Times::Number(number)),
                    _ => Err(E::invalid_value(
                        serde::de::Unexpected::Unsigned(number),
                        &self,
                    )),
                }
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Times, E> {
                if text == "always" {
                    Ok(Times::Always)
                } else {
                    Err(E::invalid_value(serde::de::Unexpected::Str(text), &self))
                }
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_u32(*number),
            Self::Always => serializer.serialize_str("always"),
        }
    }
}

fn read_headers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let headers = BTreeMap::<String, String>::deserialize(deserializer)?;
    let is_name = |name: &str| {
        let is_fine = |it: u8| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&it);
        !name.is_empty() && name.bytes().all(is_fine)
    };
    let is_value = |value: &str| value.bytes().all(|it| (0x20..0x7f).contains(&it));
    for (name, value) in &headers {
        if !is_name(name) || !is_value(value) {
            return Err(D::Error::custom(format_args!(
                "{name:?}: {value:?} is not a valid header"
            )));
        }
    }
    Ok(headers)
}

#[cfg(feature = "schema")]
mod schema {
    use super::{Members, Reply, Step, Times};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    impl JsonSchema for Reply {
        fn schema_name() -> Cow<'static, str> {
            "Reply".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let steps = generator.subschema_for::<Vec<Step>>();
            let members = generator.subschema_for::<Members>();
            json_schema!({
                "description": "A reply of the model: an array of steps, or an object with the steps in `say`.",
                "anyOf": [steps, members],
            })
        }
    }

    impl JsonSchema for Times {
        fn schema_name() -> Cow<'static, str> {
            "Times".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "description": "How often a reply can be taken: a number, or `always`.",
                "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "always" }],
            })
        }
    }
}
