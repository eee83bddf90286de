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

/// The effort level of a model, which hooks are told. Some models have none.
pub(in crate::fake_agent) fn effort(model: &str) -> Option<&'static str> {
    let is_one_of = |names: &[&str]| names.iter().any(|it| model.contains(it));
    if is_one_of(&["3-5-haiku", "haiku-4-5", "sonnet-4-5"]) {
        None
    } else if is_one_of(&["opus-4-7"]) {
        Some("xhigh")
    } else if is_one_of(&["opus-5", "sonnet-5", "haiku-5", "fable-5", "opus-4-1"]) {
        Some("medium")
    } else {
        // The fake agent's own model stands for the default one.
        Some(if model == "fake-model" {
            "medium"
        } else {
            "high"
        })
    }
}

/// What people call a model: `Haiku 4.5` for `claude-haiku-4-5`.
pub(super) fn shown(model: &str) -> String {
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
