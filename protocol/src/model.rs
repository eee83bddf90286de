//! Models: availability, effort, fast mode and display of thinking.

use crate::json::Number;
use crate::open::{choice, object, open_enum};

object! {
    /// An available model.
    pub struct ModelInfo {
        /// The value for `set_model`.
        pub value: String,
        /// The API's name of the model.
        pub resolved_model: Option<String> = "resolvedModel",
        /// The display name.
        pub display_name: Option<String> = "displayName",
        /// A description of its uses.
        pub description: Option<String>,
        /// Whether it supports effort levels.
        pub supports_effort: Option<bool> = "supportsEffort",
        /// The supported effort levels.
        pub supported_effort_levels: Option<Vec<EffortLevel>> = "supportedEffortLevels",
        /// Whether it supports adaptive thinking.
        pub supports_adaptive_thinking: Option<bool> = "supportsAdaptiveThinking",
        /// Whether it supports fast mode.
        pub supports_fast_mode: Option<bool> = "supportsFastMode",
        /// Whether it supports the permission mode `auto`.
        pub supports_auto_mode: Option<bool> = "supportsAutoMode",
        /// Whether thinking can be disabled.
        pub supports_thinking_off: Option<bool> = "supportsThinkingOff",
    }
}

open_enum! {
    /// The effort level of a model.
    pub enum EffortLevel {
        /// Low.
        Low = "low",
        /// Medium.
        Medium = "medium",
        /// High.
        High = "high",
        /// Higher than `high`.
        XHigh = "xhigh",
        /// The maximum.
        Max = "max",
    }
}

open_enum! {
    /// How a model's thinking is displayed.
    pub enum ThinkingDisplay {
        /// A summary.
        Summarized = "summarized",
        /// Nothing.
        Omitted = "omitted",
        /// The main points. Can be requested.
        Highlights = "highlights",
        /// Updates while it thinks. Only in messages.
        Updates = "updates",
    }
}

/// The effort of a model: a level, or a number.
#[derive(Eq)]
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

open_enum! {
    /// The state of fast mode.
    pub enum FastModeState {
        /// Off.
        Off = "off",
        /// Paused after a rate limit.
        Cooldown = "cooldown",
        /// On.
        On = "on",
    }
}

open_enum! {
    /// Why fast mode is unavailable.
    pub enum FastModeDisabledReason {
        /// The account is on a free plan.
        Free = "free",
        /// The user disabled it.
        Preference = "preference",
        /// Extra usage is disabled for the account.
        ExtraUsageDisabled = "extra_usage_disabled",
        /// The network failed.
        NetworkError = "network_error",
        /// Unknown.
        Other = "unknown",
        /// The API is not Anthropic's own.
        NotFirstParty = "not_first_party",
        /// The environment disables it.
        DisabledByEnv = "disabled_by_env",
        /// The model does not support it or is not allowed to use it.
        ModelNotAllowed = "model_not_allowed",
        /// The host has to opt in.
        SdkOptInRequired = "sdk_opt_in_required",
        /// Not yet known.
        Pending = "pending",
    }
}

choice! {
    Effort by |reader| match reader.peek() {
        Some(b'"') => Ok(0),
        Some(b'-' | b'0'..=b'9') => Ok(1),
        _ => Err(reader.unexpected("a level or a number")),
    };
    untyped None;
    Level(EffortLevel), Number(Number),
}

#[cfg(feature = "schema")]
crate::schema::one_of!(Effort = "The effort of a model: a level, or a number.": EffortLevel, Number);

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
