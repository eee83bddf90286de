//! What an agent was started with and told, in a form in which two can be
//! compared.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What an agent was started with and told, by name: `argument --model`,
/// `environment HOME`, `configuration /settings.json`, `initialize agents`,
/// `prompt uuid`, `directory`.
pub(crate) type Recording = BTreeMap<String, Value>;

/// Both sides get these from the test, as they are.
const GIVEN: [&str; 2] = ["PATH", "HOME"];

/// What the recorder writes, in the folder that it is called in.
const FILE: &str = "recording.json";

/// Whether an agent was started in `folder`.
pub(crate) fn exists(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

/// What the recorder wrote down in `folder`, as if `folder` had no name.
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
    // The folder is another one each time; what is in it is not.
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

/// The values of each flag. In which order they come says nothing, and neither
/// does whether a value is an argument of its own; `null` is no value.
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

/// A value, or what is in the file that it names; JSON as what it means.
fn inline(value: &str, files: &Value) -> Value {
    let text = files[value].as_str().unwrap_or(value);
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Value::Object(members),
        _ => text.into(),
    }
}

/// Gives hooks their numbers in the order in which they stand.
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn recorded(arguments: &[&str], request: Value) -> Recording {
        normalise(&json!({
            "arguments": arguments,
            "files": { "/a/settings": "{ \"b\": 1, \"a\": 2 }" },
            "environment": { "PATH": "/bin", "LANG": "C" },
            "directory": "/",
            "lines": [{ "type": "control_request", "request_id": "random", "request": request }],
        }))
        .unwrap()
    }

    fn started_with(arguments: &[&str]) -> Recording {
        recorded(arguments, json!({ "subtype": "initialize" }))
    }

    #[test]
    fn how_a_value_is_passed_makes_no_difference() {
        let ours = started_with(&[
            "--a=1",
            "--settings=/a/settings",
            "--b",
            "--dir=x",
            "--dir=y",
        ]);
        let theirs = started_with(&[
            "--dir",
            "y",
            "--dir",
            "x",
            "--b",
            "--settings",
            "{\"a\":2,\"b\":1}",
            "--a",
            "1",
        ]);
        assert_eq!(ours, theirs);
        assert_eq!(ours["argument --a"], json!(["1"]));
        assert_eq!(ours["argument --b"], json!([null]));
        assert_eq!(ours["environment LANG"], "C");
        assert!(!ours.contains_key("environment PATH"));
    }

    #[test]
    fn every_other_difference_is_one() {
        let one = started_with(&["--a=1"]);
        for other in [
            &["--a=2"][..],
            &["--a="],
            &["--a"],
            &["--b=1"],
            &["--a=1", "--a=2"],
            &[],
        ] {
            assert_ne!(one, started_with(other), "{other:?}");
        }
    }

    #[test]
    fn hooks_are_the_same_under_other_ids() {
        let hooks = |ids: [&str; 3]| {
            json!({ "subtype": "initialize", "hooks": {
                "PreToolUse": [{ "hookCallbackIds": ids[..2] }],
                "Stop": [{ "hookCallbackIds": ids[2..] }],
            }})
        };
        let ours = recorded(&[], hooks(["hook_7", "hook_1", "hook_3"]));
        assert_eq!(ours, recorded(&[], hooks(["hook_0", "hook_1", "hook_2"])));
    }

    #[test]
    fn what_is_said_before_the_prompt_besides_is_told() {
        let said = json!({
            "arguments": [], "files": {}, "environment": {}, "directory": "/",
            "lines": [{ "type": "keep_alive" }],
        });
        assert!(normalise(&said).unwrap_err().contains("keep_alive"));
    }
}
