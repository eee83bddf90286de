//! Normalizes a recording. IDs, times, paths and the agents' prose are removed,
//! and each line becomes one text.

use super::{Case, Entry, IgnoredMembers};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The replacement of an ignored value.
const IGNORED: &str = "(left out)";

/// Members whose values are generated names.
const NAMES: [&str; 15] = [
    "uuid",
    "session_id",
    "request_id",
    "prompt_id",
    "task_id",
    "agent_id",
    "agentId",
    "parent_task_id",
    "new_conversation_id",
    "message_id",
    "run_id",
    "id",
    "tool_use_id",
    "uuids",
    "command_uuid",
];

/// Normalizes the recording of a case.
#[derive(Debug)]
pub struct Normal<'a> {
    rules: &'a IgnoredMembers,
    /// The texts of the case file, longest first. An agent did not generate
    /// them.
    case_texts: Vec<String>,
    /// How often each name occurs in the recording.
    counts: BTreeMap<String, usize>,
    /// Names that occur more than once, with their replacement.
    known: BTreeMap<String, String>,
    numbers: BTreeMap<&'static str, usize>,
    is_in_order: bool,
    ignored: BTreeMap<usize, BTreeSet<String>>,
}

impl<'a> Normal<'a> {
    /// Creates a normalizer for one recording of this case.
    #[must_use]
    pub fn new(case: &Case, rules: &'a IgnoredMembers) -> Self {
        let mut case_texts = BTreeSet::new();
        texts(case.file(), &mut case_texts);
        let mut case_texts: Vec<_> = case_texts.into_iter().filter(|it| it.len() > 3).collect();
        case_texts.sort_by_key(|it| std::cmp::Reverse(it.len()));
        Self {
            rules,
            case_texts,
            counts: BTreeMap::new(),
            known: BTreeMap::new(),
            numbers: BTreeMap::new(),
            is_in_order: case.host.in_order,
            ignored: BTreeMap::new(),
        }
    }

    /// Returns the ignored members, by the index of their rule.
    #[must_use]
    pub fn ignored(&self) -> &BTreeMap<usize, BTreeSet<String>> {
        &self.ignored
    }

    /// Returns the lines of a recording.
    pub fn lines(&mut self, record: &[Entry]) -> Vec<String> {
        for entry in record {
            if let Entry::Sent(line) | Entry::Received(line) = entry {
                count(line, &mut self.counts);
            }
        }
        let record = if self.is_in_order {
            record.to_vec()
        } else {
            in_order(record)
        };
        record
            .iter()
            .map(|entry| match entry {
                Entry::Sent(line) => format!("> {}", self.line(line, ">")),
                Entry::Received(line) => format!("< {}", self.line(line, &head(line))),
                Entry::Noise(text) => format!("< (no JSON object) {text}"),
                Entry::Exited(Some(code)) => format!("exit {code}"),
                Entry::Exited(None) => "killed by a signal".to_owned(),
            })
            .collect()
    }

    fn line(&mut self, line: &Value, head: &str) -> String {
        let normal = self.value(line, head, &mut String::new(), "");
        let kind = ["type", "subtype"].map(|it| normal.get(it).cloned());
        let mut rest = normal;
        if let Some(members) = rest.as_object_mut() {
            // `remove` can change the order of the others.
            members.retain(|name, _| name != "type" && name != "subtype");
        }
        let kind: Vec<_> = kind.iter().flatten().filter_map(Value::as_str).collect();
        format!("{} {rest}", kind.join("/"))
    }

    fn value(&mut self, value: &Value, head: &str, path: &mut String, name: &str) -> Value {
        match value {
            Value::Object(members) => {
                let mut sorted: Vec<_> = members.iter().collect();
                sorted.sort_by_key(|(name, _)| *name);
                let mut normal = Map::new();
                for (name, value) in sorted {
                    let length = path.len();
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                    match self.rules.rule_for(head, path) {
                        Some(rule) => {
                            let seen = self.ignored.entry(rule).or_default();
                            seen.insert(format!("{head} {path} {value}"));
                            if !self.rules.may_be_absent(rule) {
                                normal.insert(name.clone(), IGNORED.into());
                            }
                        }
                        None => {
                            let value = self.value(value, head, path, name);
                            normal.insert(name.clone(), value);
                        }
                    }
                    path.truncate(length);
                }
                normal.into()
            }
            Value::Array(items) => {
                let items = items.iter().map(|it| self.value(it, head, path, name));
                Value::Array(items.collect())
            }
            Value::String(text) => {
                let is_models = head == "stream_event/content_block_delta";
                self.text(text, name, is_models).into()
            }
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &str, name: &str, is_models: bool) -> String {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        if let Some(role) = is_name(text, name) {
            if self.counts.get(text).is_some_and(|&count| count > 1) {
                let number = self.numbers.entry(role).or_default();
                *number += 1;
                let known = format!("({role} {number})");
                self.known.insert(text.to_owned(), known.clone());
                return known;
            }
            return format!("({role})");
        }
        // The model's texts, and parts of the case, are compared unchanged.
        if is_models
            || self
                .case_texts
                .iter()
                .any(|case_text| case_text.contains(text))
        {
            return text.to_owned();
        }
        if text.starts_with('/') && !text.contains(' ') {
            return "(path)".to_owned();
        }
        if text.contains(char::is_whitespace) || text.contains("://") {
            // The text is prose. Only quotes from the case are compared, except
            // for single words.
            let is_quoted = |case_text: &&String| {
                case_text.contains(|it: char| !it.is_alphanumeric()) && text.contains(&***case_text)
            };
            let quoted: Vec<_> = self.case_texts.iter().filter(is_quoted).collect();
            let mut quoted: Vec<&str> = quoted.into_iter().map(String::as_str).collect();
            // A quote that is part of another quote adds nothing.
            let all = quoted.clone();
            quoted.retain(|it| !all.iter().any(|other| other != it && other.contains(it)));
            quoted.sort_unstable();
            return format!("(prose) {}", quoted.join(" | "))
                .trim_end()
                .to_owned();
        }
        text.to_owned()
    }
}

/// Moves the model's lines before the lines of its tools. From a tool call to
/// the end of its message, the agent already runs the tool, so the order of
/// lines is random. The order is deterministic where the model pauses.
fn in_order(record: &[Entry]) -> Vec<Entry> {
    let mut ordered: Vec<Entry> = vec![];
    let mut late: Option<Vec<Entry>> = None;
    let mut speaking = Value::Null;
    for entry in record {
        let (kind, line) = match entry {
            Entry::Received(line) => (line["type"].as_str().unwrap_or_default(), line),
            _ => ("", &Value::Null),
        };
        let content = &line["message"]["content"][0]["type"];
        // Without partial messages, a message ends when the next message
        // begins.
        let id = &line["message"]["id"];
        if kind == "assistant" && speaking != *id {
            ordered.append(&mut late.take().unwrap_or_default());
            speaking = id.clone();
        }
        match &mut late {
            None => {
                ordered.push(entry.clone());
                if kind == "assistant" && content == "tool_use" {
                    late = Some(vec![]);
                }
            }
            Some(waiting) => {
                let is_over = line["event"]["type"] == "message_stop"
                    || matches!(kind, "result")
                    || matches!(entry, Entry::Exited(_));
                if matches!(kind, "stream_event" | "assistant") {
                    ordered.push(entry.clone());
                } else {
                    waiting.push(entry.clone());
                }
                if is_over {
                    ordered.append(waiting);
                    late = None;
                }
            }
        }
    }
    ordered
}

/// Returns the kind of a name that an agent generated: the member that contains
/// it.
fn is_name(text: &str, member: &str) -> Option<&'static str> {
    let is_from_case = text.starts_with("11111111-") || text.starts_with("host-");
    let is_scripted = text.starts_with("toolu_") || text.starts_with("msg_");
    if is_from_case || is_scripted && !text.contains("side") {
        return None;
    }
    let is_uuid = is_uuid(text) || text.strip_prefix("hook-").is_some_and(is_uuid);
    match NAMES.iter().find(|it| **it == member) {
        Some(name) if !text.is_empty() => Some(name),
        _ if is_uuid => Some("uuid"),
        _ => None,
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn count(value: &Value, counts: &mut BTreeMap<String, usize>) {
    match value {
        Value::String(text) => *counts.entry(text.clone()).or_default() += 1,
        Value::Array(items) => items.iter().for_each(|it| count(it, counts)),
        Value::Object(members) => members.values().for_each(|it| count(it, counts)),
        _ => {}
    }
}

fn texts(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => drop(into.insert(text.clone())),
        Value::Array(items) => items.iter().for_each(|it| texts(it, into)),
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| *name != "about")
            .for_each(|(_, it)| texts(it, into)),
        _ => {}
    }
}

/// Returns the kind of a line, such as `result/success` or
/// `control_request/can_use_tool`.
fn head(line: &Value) -> String {
    let kind = line["type"].as_str().unwrap_or_default();
    let subtype = [
        &line["subtype"],
        &line["request"]["subtype"],
        &line["event"]["type"],
    ];
    match subtype.iter().find_map(|it| it.as_str()) {
        Some(subtype) => format!("{kind}/{subtype}"),
        None => kind.to_owned(),
    }
}
