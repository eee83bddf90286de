//! Models: which there are, how hard and how fast they are to work, and what is
//! shown of their thinking.

use crate::json::Number;
use crate::open::{
    Error, Field, Form, Reader, Written, deserialize, object, open_enum, serialize_written,
};
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};
use serde::{Deserialize, Deserializer};

object! {
    /// A model that a session can have.
    pub struct ModelInfo {
        /// What `set_model` takes.
        pub value: String,
        /// The model behind it, by the API's name.
        pub resolved_model: Option<String> = "resolvedModel",
        /// Its name, as people are to read it.
        pub display_name: Option<String> = "displayName",
        /// What it is good for.
        pub description: Option<String>,
        /// Whether it can be told how hard to work.
        pub supports_effort: Option<bool> = "supportsEffort",
        /// How hard it can be told to work.
        pub supported_effort_levels: Option<Vec<EffortLevel>> = "supportedEffortLevels",
        /// Whether it can decide for itself how much to think.
        pub supports_adaptive_thinking: Option<bool> = "supportsAdaptiveThinking",
        /// Whether it has a fast mode.
        pub supports_fast_mode: Option<bool> = "supportsFastMode",
        /// Whether the permission mode `auto` works with it.
        pub supports_auto_mode: Option<bool> = "supportsAutoMode",
        /// Whether its thinking can be switched off.
        pub supports_thinking_off: Option<bool> = "supportsThinkingOff",
    }
}

open_enum! {
    /// How hard a model works.
    pub enum EffortLevel {
        /// Little.
        Low = "low",
        /// Somewhat.
        Medium = "medium",
        /// Hard.
        High = "high",
        /// Harder.
        XHigh = "xhigh",
        /// As hard as it can.
        Max = "max",
    }
}

open_enum! {
    /// What is shown of a model's thinking.
    pub enum ThinkingDisplay {
        /// A summary.
        Summarized = "summarized",
        /// Nothing.
        Omitted = "omitted",
        /// Its main points. Can be asked for.
        Highlights = "highlights",
        /// News while it thinks. Comes with messages.
        Updates = "updates",
    }
}

/// How hard a model is to work: a level, or a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effort {
    /// A level.
    Level(EffortLevel),
    /// A number, an integer.
    Number(Number),
}

impl From<EffortLevel> for Effort {
    fn from(level: EffortLevel) -> Self {
        Self::Level(level)
    }
}

impl From<Number> for Effort {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl Written for Effort {
    fn form(&self) -> Form<'_> {
        match self {
            Self::Level(level) => level.form(),
            Self::Number(number) => number.form(),
        }
    }
}

serialize_written!(Effort);

impl<'de> Deserialize<'de> for Effort {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

open_enum! {
    /// Whether the fast mode is on.
    pub enum FastModeState {
        /// It is off.
        Off = "off",
        /// It rests after a rate limit.
        Cooldown = "cooldown",
        /// It is on.
        On = "on",
    }
}

open_enum! {
    /// Why the fast mode cannot be had.
    pub enum FastModeDisabledReason {
        /// The account is a free one.
        Free = "free",
        /// The user does not want it.
        Preference = "preference",
        /// The account does not pay for extra usage.
        ExtraUsageDisabled = "extra_usage_disabled",
        /// The network failed.
        NetworkError = "network_error",
        /// Nobody knows.
        Other = "unknown",
        /// The API is not Anthropic's own.
        NotFirstParty = "not_first_party",
        /// The environment switched it off.
        DisabledByEnv = "disabled_by_env",
        /// The model has none, or may not.
        ModelNotAllowed = "model_not_allowed",
        /// The host has to ask for it.
        SdkOptInRequired = "sdk_opt_in_required",
        /// It is not known yet.
        Pending = "pending",
    }
}

impl Field for Effort {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        *self = match reader.peek() {
            Some(b'"') => Self::Level(reader.value()?),
            Some(b'-' | b'0'..=b'9') => Self::Number(reader.value()?),
            _ => return Err(reader.unexpected("a level or a number")),
        };
        Ok(())
    }

    fn empty() -> Self {
        Self::Level(Field::empty())
    }
}

#[cfg(feature = "schema")]
crate::schema::one_of!(Effort = "How hard the model is to think: a level, or a number.": EffortLevel, Number);

#[cfg(feature = "audit")]
impl Untyped for Effort {
    fn collect_untyped(&self, _: &mut Pointer, _: &mut Vec<String>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effort_is_a_level_or_a_number() {
        for text in [r#""xhigh""#, r#""new""#, "7"] {
            let effort: Effort = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_string(&effort).expect(text), text);
        }
        assert!(serde_json::from_str::<Effort>("true").is_err());
    }
}
