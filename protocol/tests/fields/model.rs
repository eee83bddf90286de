//! The types of `agentwire_protocol::model`.

use crate::fields::table::{either, enums, objects};

objects! { model:
    ModelInfo {
        value, resolved_model = "resolvedModel", display_name = "displayName", description,
        supports_effort = "supportsEffort", supported_effort_levels = "supportedEffortLevels",
        supports_adaptive_thinking = "supportsAdaptiveThinking",
        supports_fast_mode = "supportsFastMode", supports_auto_mode = "supportsAutoMode",
        supports_thinking_off = "supportsThinkingOff",
    }
}

either! { model:
    Effort { Level, Number }
}

enums! { model:
    EffortLevel { Low = "low", Medium = "medium", High = "high", XHigh = "xhigh", Max = "max" }
    FastModeDisabledReason {
        Free = "free", Preference = "preference", ExtraUsageDisabled = "extra_usage_disabled",
        NetworkError = "network_error", Other = "unknown", NotFirstParty = "not_first_party",
        DisabledByEnv = "disabled_by_env", ModelNotAllowed = "model_not_allowed",
        SdkOptInRequired = "sdk_opt_in_required", Pending = "pending",
    }
    FastModeState { Off = "off", Cooldown = "cooldown", On = "on" }
    ThinkingDisplay {
        Summarized = "summarized", Omitted = "omitted", Highlights = "highlights",
        Updates = "updates",
    }
}
