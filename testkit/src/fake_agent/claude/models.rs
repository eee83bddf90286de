//! The models that the CLI names, and their aliases.

use serde_json::{Value, json};

/// The aliases, and the models that they stand for.
const MODELS: [(&str, &str, &str); 5] = [
    ("default", "claude-opus-5-5", "Default"),
    ("opus", "claude-opus-5-5", "Opus"),
    ("fable", "claude-fable-5-2", "Fable"),
    ("sonnet", "claude-sonnet-5-5", "Sonnet"),
    ("haiku", "claude-haiku-5-5", "Haiku"),
];

const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];

/// The model that an alias stands for, or the name itself.
pub(super) fn resolve(name: &str) -> &str {
    let mut models = MODELS.iter();
    models.find(|it| it.0 == name).map_or(name, |it| it.1)
}

/// The models, as `initialize` and `list_models` report them.
pub(super) fn list() -> Value {
    let model = |(value, resolved, name): &(&str, &str, &str)| {
        json!({
            "value": value,
            "resolvedModel": resolved,
            "displayName": name,
            "description": format!("{name}, for the fake agent"),
            "supportsEffort": true,
            "supportedEffortLevels": EFFORTS,
            "supportsAdaptiveThinking": true,
            "supportsAutoMode": true,
            "supportsThinkingOff": false,
        })
    };
    MODELS.iter().map(model).collect()
}
