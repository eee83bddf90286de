//! The CLI's models and their aliases.

use serde_json::{Value, json};

/// The aliases and their models.
const MODELS: [(&str, &str, &str); 5] = [
    ("default", "claude-opus-5-5", "Default"),
    ("opus", "claude-opus-5-5", "Opus"),
    ("fable", "claude-fable-5-2", "Fable"),
    ("sonnet", "claude-sonnet-5-5", "Sonnet"),
    ("haiku", "claude-haiku-5-5", "Haiku"),
];

const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];

/// Resolves an alias. Other names are returned unchanged.
pub(super) fn resolve(name: &str) -> &str {
    let mut models = MODELS.iter();
    models.find(|it| it.0 == name).map_or(name, |it| it.1)
}

/// Returns the effort level of a model for hooks. Some models have none.
pub(in crate::fake_agent) fn effort(model: &str) -> Option<&'static str> {
    let is_one_of = |names: &[&str]| names.iter().any(|it| model.contains(it));
    if is_one_of(&["3-5-haiku", "haiku-4-5", "sonnet-4-5"]) {
        None
    } else if is_one_of(&["opus-4-7"]) {
        Some("xhigh")
    } else if is_one_of(&["opus-5", "sonnet-5", "haiku-5", "fable-5", "opus-4-1"]) {
        Some("medium")
    } else {
        // The model of the fake agent has the effort of the default model.
        Some(if model == "fake-model" {
            "medium"
        } else {
            "high"
        })
    }
}

/// Returns the display name of a model, such as `Haiku 4.5` for
/// `claude-haiku-4-5`.
pub(super) fn display_name(model: &str) -> String {
    let name = model.strip_prefix("claude-");
    let Some((family, version)) = name.and_then(|it| it.split_once('-')) else {
        return model.to_owned();
    };
    let mut letters = family.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let family: String = first.chain(letters).collect();
    let version: Vec<_> = version.split('-').take(2).collect();
    format!("{family} {}", version.join("."))
}

/// Returns the models for `initialize` and `list_models`.
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
