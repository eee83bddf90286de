//! Normalizes a recording: IDs, times, paths and the members that `ignored.json`
//! lists are removed, and each frame becomes one line.

use super::host::{Entry, Recording};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const FILE: &str = include_str!("ignored.json");

/// What is not compared, each with its reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ignored {
    /// Notifications that are not compared.
    frames: Vec<Frames>,
    /// Notifications that count once if the last one of the method was equal.
    repeated: Vec<Frames>,
    /// Notifications whose place is not compared.
    unordered: Vec<Frames>,
    /// Members whose values are not compared.
    members: Vec<Members>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Frames {
    methods: Vec<String>,
    /// Only those with this text at this JSON pointer.
    #[serde(default)]
    with: Option<(String, String)>,
    #[serde(rename = "why")]
    _why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    /// The heads of lines, such as `item/completed` or `result thread/start`.
    /// A final `*` matches anything.
    of: Vec<String>,
    /// The paths. Items of an array have the path of the array.
    paths: Vec<String>,
    /// The items of these types only.
    #[serde(default)]
    items: Vec<String>,
    #[serde(rename = "why")]
    _why: String,
}

impl Ignored {
    pub(crate) fn read() -> Self {
        serde_json::from_str(FILE).unwrap_or_else(|error| panic!("ignored.json: {error}"))
    }

    fn is_member(&self, head: &str, item: &str, path: &str) -> bool {
        self.members.iter().any(|rule| {
            rule.of.iter().any(|of| fits(head, of))
                && (rule.items.is_empty() || rule.items.iter().any(|it| it == item))
                && rule.paths.iter().any(|it| fits(path, it))
        })
    }
}

impl Frames {
    fn has(&self, frame: &Value) -> bool {
        let with = self.with.as_ref();
        self.methods.iter().any(|it| frame["method"] == **it)
            && with.is_none_or(|(at, text)| frame.pointer(at).is_some_and(|it| it == text))
    }
}

fn any(rules: &[Frames], frame: &Value) -> bool {
    rules.iter().any(|it| it.has(frame))
}

fn fits(text: &str, pattern: &str) -> bool {
    match (pattern.strip_suffix('*'), pattern.strip_prefix('*')) {
        (Some(start), _) => text.starts_with(start),
        (_, Some(end)) => text.ends_with(end),
        _ => text == pattern,
    }
}

/// Returns the lines of a recording.
pub(crate) fn lines(recording: &Recording, ignored: &Ignored) -> Vec<String> {
    let mut normal = Normal {
        ignored,
        names: recording.names.clone(),
        methods: BTreeMap::new(),
        numbers: BTreeMap::new(),
        items: None,
        last: BTreeMap::new(),
        unordered: vec![],
    };
    let lines = recording.entries.iter().filter_map(|it| normal.entry(it));
    let mut lines: Vec<_> = lines.collect();
    normal.unordered.sort_unstable();
    lines.extend(normal.unordered);
    lines
}

struct Normal<'a> {
    ignored: &'a Ignored,
    /// Texts and their replacements.
    names: Vec<(String, String)>,
    /// The methods of the host's requests.
    methods: BTreeMap<String, String>,
    numbers: BTreeMap<&'static str, usize>,
    /// The items of a process after a restart. The fake then begins its script
    /// again.
    items: Option<Vec<String>>,
    /// The last line of each method that may be repeated.
    last: BTreeMap<String, String>,
    unordered: Vec<String>,
}

impl Normal<'_> {
    fn entry(&mut self, entry: &Entry) -> Option<String> {
        match entry {
            Entry::Sent(text) => {
                if let Ok(frame) = serde_json::from_str::<Value>(text)
                    && let Some(method) = frame["method"].as_str()
                {
                    self.methods
                        .insert(frame["id"].to_string(), method.to_owned());
                    return Some(format!("> {method} {}", frame["id"]));
                }
                Some(format!("> {}", self.text(text, "")))
            }
            Entry::Received(frame) => self.frame(frame).map(|line| format!("< {line}")),
            Entry::Noise(text) => Some(format!("< (no JSON) {text}")),
            Entry::Exited(status) => {
                self.items = Some(vec![]);
                Some(format!("exit {status:?}"))
            }
        }
    }

    fn frame(&mut self, frame: &Value) -> Option<String> {
        let method = frame["method"].as_str();
        if any(&self.ignored.frames, frame) {
            return None;
        }
        let head = match method {
            Some(method) => method.to_owned(),
            None => {
                let asked = self.methods.get(&frame["id"].to_string());
                let kind = if frame.get("error").is_some() {
                    "error"
                } else {
                    "result"
                };
                format!("{kind} {}", asked.map_or("?", String::as_str))
            }
        };
        let item = frame["params"]["item"]["type"].as_str().unwrap_or_default();
        let mut rest = self.value(frame, &head, item, "");
        if let Some(members) = rest.as_object_mut() {
            members.retain(|name, _| name != "method");
        }
        let line = format!("{head} {rest}");
        if any(&self.ignored.repeated, frame)
            && self.last.insert(head, line.clone()).as_ref() == Some(&line)
        {
            return None;
        }
        if any(&self.ignored.unordered, frame) {
            self.unordered.push(line);
            return None;
        }
        Some(line)
    }

    fn value(&mut self, value: &Value, head: &str, item: &str, path: &str) -> Value {
        if !value.is_null() && self.ignored.is_member(head, item, path) {
            return "(ignored)".into();
        }
        match value {
            Value::Object(members) => {
                // The order of the members does not matter, but gives IDs their
                // numbers.
                let sorted: BTreeMap<_, _> = members.iter().collect();
                let mut normal = Map::new();
                for (name, value) in sorted {
                    let path = format!("{path}{}{name}", if path.is_empty() { "" } else { "." });
                    normal.insert(name.clone(), self.value(value, head, item, &path));
                }
                normal.into()
            }
            Value::Array(items) => {
                let items = items.iter().map(|it| self.value(it, head, item, path));
                Value::Array(items.collect())
            }
            Value::String(text) => self.text(text, path).into(),
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &str, path: &str) -> String {
        if is_uuid(text) && !self.names.iter().any(|(name, _)| name == text) {
            let role = match path.rsplit('.').next() {
                Some("threadId" | "sessionId") => "thread",
                Some("turnId" | "rootTurnId") => "turn",
                Some("id") if path.ends_with("thread.id") => "thread",
                Some("id") if path.ends_with("turn.id") => "turn",
                _ => "uuid",
            };
            let number = self.numbers.entry(role).or_default();
            *number += 1;
            let name = match role {
                // Their order is a matter of chance.
                "uuid" => "(uuid)".to_owned(),
                role => format!("({role} {number})"),
            };
            self.names.push((text.to_owned(), name));
        }
        if text.starts_with("item_")
            && let Some(items) = &mut self.items
        {
            let known = items.iter().position(|it| it == text);
            let place = known.unwrap_or_else(|| {
                items.push(text.to_owned());
                items.len() - 1
            });
            return format!("(item {place})");
        }
        let mut text = text.to_owned();
        // Texts of the real one's parsers, and IDs of blobs.
        for start in ["Invalid request: ", "invalid thread id: "] {
            if text.starts_with(start) {
                return start.to_owned();
            }
        }
        if text.starts_with("diff --git") {
            let lines = text.split_inclusive('\n');
            text = lines.filter(|it| !it.starts_with("index ")).collect();
        }
        for (name, replacement) in &self.names {
            text = text.replace(name, replacement);
        }
        text
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
