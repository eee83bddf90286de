//! The arguments and the input of an agent, in a comparable form.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The arguments and the input of an agent, by name: `argument --model`, `environment
/// HOME`, `configuration /settings.json`, `initialize agents`, `prompt uuid`,
/// `directory`.
pub(crate) type Recording = BTreeMap<String, Value>;

/// The variables that both SDKs receive from the test unchanged.
const GIVEN: [&str; 2] = ["PATH", "HOME"];

/// The file that the recorder writes to its working directory.
const FILE: &str = "recording.json";

/// Returns whether an agent was started in `folder`.
pub(crate) fn exists(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

/// Returns the recording in `folder`, without the name of `folder`.
pub(crate) fn read(folder: &Path) -> Result<Recording, String> {
    let text = std::fs::read_to_string(folder.join(FILE))
        .map_err(|error| format!("no recording: {error}"))?;
    let text = text.replace(&folder.display().to_string(), "$folder");
    normalise(&serde_json::from_str(&text).map_err(|error| error.to_string())?)
}

fn normalise(recorded: &Value) -> Result<Recording, String> {
    let mut recording = Recording::new();
    for (flag, values) in arguments(recorded)? {
        recording.insert(format!("argument {flag}"), values.into_iter().collect());
    }
    for (name, value) in members(&recorded["environment"])? {
        if !GIVEN.contains(&name.as_str()) {
            recording.insert(format!("environment {name}"), value.clone());
        }
    }
    // The path of the configuration folder differs in each run, so only its contents are
    // compared.
    if let Some(found) = recorded["configuration"].as_object() {
        for (path, content) in found {
            recording.insert(format!("configuration {path}"), content.clone());
        }
        let name = |it: &str| it.contains("-resume-");
        if let Some(folder) = recording.get_mut("environment CLAUDE_CONFIG_DIR")
            && folder.as_str().is_some_and(name)
        {
            *folder = "$private".into();
        }
    }
    for line in recorded["lines"].as_array().ok_or("no lines")? {
        let (heading, told) = match line["type"].as_str() {
            Some("control_request") if line["request"]["subtype"] == "initialize" => {
                ("initialize", &line["request"])
            }
            Some("user") => ("prompt", line),
            _ => return Err(format!("something else was said at the start: {line}")),
        };
        for (name, value) in members(told)? {
            recording.insert(format!("{heading} {name}"), value.clone());
        }
    }
    if let Some(hooks) = recording.get_mut("initialize hooks") {
        number_hooks(hooks);
    }
    recording.insert("directory".to_owned(), recorded["directory"].clone());
    Ok(recording)
}

fn members(value: &Value) -> Result<&Map<String, Value>, String> {
    (value.as_object()).ok_or_else(|| format!("not an object: {value}"))
}

/// Returns the values of each flag. The order of flags and the form `--flag=value` are
/// irrelevant. `null` stands for no value.
fn arguments(recorded: &Value) -> Result<BTreeMap<String, Vec<Value>>, String> {
    let all = recorded["arguments"].as_array().ok_or("no arguments")?;
    let mut all = all.iter().filter_map(Value::as_str).peekable();
    let mut found: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    while let Some(argument) = all.next() {
        let (flag, value) = match argument.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (argument, all.next_if(|next| !next.starts_with("--"))),
        };
        if !flag.starts_with("--") {
            return Err(format!("`{flag}` is no flag"));
        }
        let value = match value {
            Some(value) => inline(value, &recorded["files"]),
            None => Value::Null,
        };
        (found.entry(flag.to_owned()).or_default()).insert(value.to_string());
    }
    let parsed = |values: BTreeSet<String>| {
        values
            .iter()
            .map(|value| serde_json::from_str(value))
            .collect::<Result<_, _>>()
    };
    found
        .into_iter()
        .map(|(flag, values)| Ok((flag, parsed(values).map_err(|error| error.to_string())?)))
        .collect()
}

/// Returns a value, or the content of the file that it names. JSON is parsed.
fn inline(value: &str, files: &Value) -> Value {
    let text = files[value].as_str().unwrap_or(value);
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Value::Object(members),
        _ => text.into(),
    }
}

/// Replaces the IDs of hooks with numbers, in order of their occurrence.
fn number_hooks(hooks: &mut Value) {
    let matchers = (hooks.as_object_mut().into_iter().flatten())
        .filter_map(|(_, matchers)| matchers.as_array_mut())
        .flatten();
    let ids = matchers
        .filter_map(|matcher| matcher["hookCallbackIds"].as_array_mut())
        .flatten();
    for (number, id) in ids.enumerate() {
        *id = format!("hook {number}").into();
    }
}
