//! Models, with their effort, fast mode and display of thinking.

use crate::json::Number;
use crate::open::{choice, object, open_enum};

object! {
    /// An available model.
    pub struct ModelInfo {
        /// The value that `set_model` accepts for this model.
        pub value: String,
        /// The API's name of the model.
        pub resolved_model: Option<String> = "resolvedModel",
        /// The display name.
        pub display_name: Option<String> = "displayName",
        /// A description of its uses.
        pub description: Option<String>,
        /// Whether the model supports effort levels.
        pub supports_effort: Option<bool> = "supportsEffort",
        /// The supported effort levels.
        pub supported_effort_levels: Option<Vec<EffortLevel>> = "supportedEffortLevels",
        /// Whether the model supports adaptive thinking.
        pub supports_adaptive_thinking: Option<bool> = "supportsAdaptiveThinking",
        /// Whether the model supports fast mode.
        pub supports_fast_mode: Option<bool> = "supportsFastMode",
        /// Whether the model supports the permission mode `auto`.
        pub supports_auto_mode: Option<bool> = "supportsAutoMode",
        /// Whether the model's thinking can be disabled.
        pub supports_thinking_off: Option<bool> = "supportsThinkingOff",
    }
}

open_enum! {
    /// The effort level of a model.
    pub enum EffortLevel {
        /// Low effort.
        Low = "low",
        /// Medium effort.
        Medium = "medium",
        /// High effort.
        High = "high",
        /// An effort higher than `high`.
        XHigh = "xhigh",
        /// The maximum effort.
        Max = "max",
    }
}

open_enum! {
    /// The display of a model's thinking.
    pub enum ThinkingDisplay {
        /// A summary of the thinking.
        Summarized = "summarized",
        /// No thinking.
        Omitted = "omitted",
        /// The main points of the thinking. A host can request this display.
        Highlights = "highlights",
        /// Updates while the model is thinking. This display occurs only in
        /// messages.
        Updates = "updates",
    }
}

/// The effort of a model, which is a level or a number.
#[derive(Eq)]
pub enum Effort {
    /// A level.
    Level(EffortLevel),
    /// An integer.
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
        /// Fast mode is off.
        Off = "off",
        /// Fast mode is paused after a rate limit.
        Cooldown = "cooldown",
        /// Fast mode is on.
        On = "on",
    }
}

open_enum! {
    /// The reason why fast mode is unavailable.
    pub enum FastModeDisabledReason {
        /// The account is on a free plan.
        Free = "free",
        /// The user disabled it.
        Preference = "preference",
        /// Extra usage is disabled for the account.
        ExtraUsageDisabled = "extra_usage_disabled",
        /// The network failed.
        NetworkError = "network_error",
        /// The reason is unknown.
        Other = "unknown",
        /// The API is not Anthropic's own.
        NotFirstParty = "not_first_party",
        /// The environment disables it.
        DisabledByEnv = "disabled_by_env",
        /// The model does not support fast mode, or is not allowed to use it.
        ModelNotAllowed = "model_not_allowed",
        /// The host must opt in.
        SdkOptInRequired = "sdk_opt_in_required",
        /// The reason is not known yet.
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
