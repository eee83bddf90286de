//! Copies the records outside the conversation.

use super::super::value::{elements, is, is_array, string};
use crate::{Json, Members};

/// The content of the records outside a conversation.
#[derive(Debug, Default)]
pub(super) struct Outside {
    history_suppressed: bool,
    organizations: Vec<String>,
    replacements: Vec<Json>,
    latch: Option<Json>,
    tools: Option<Vec<Json>>,
    relocated: Option<Json>,
}

impl Outside {
    /// Reads the next record of the session `of`.
    pub(super) fn note(&mut self, record: &Members, of: &str) {
        let Some(kind) = string(record.get("type")) else {
            return;
        };
        match &*kind {
            "history-suppression" => self.history_suppressed = true,
            "hybrid-organization" => {
                let id = string(record.get("organizationUuid")).filter(|id| is_uuid(id));
                let id = id.map(|id| id.to_ascii_lowercase());
                let is_new = |id: &String| !self.organizations.contains(id);
                self.organizations.extend(id.filter(is_new));
            }
            _ if is(record.get("sessionId"), of) => self.note_own(&kind, record),
            _ => {}
        }
    }

    /// Reads a record that counts only in the session that the record names.
    fn note_own(&mut self, kind: &str, record: &Members) {
        match kind {
            "content-replacement" => {
                let replacements = elements(record.get("replacements")).into_iter();
                self.replacements
                    .extend(replacements.filter(|it| it.get().starts_with('{')));
            }
            "atis-latch" => {
                let is_plain = |it: &&Json| {
                    string(Some(it)).is_some_and(|it| it.bytes().all(|it| it.is_ascii_graphic()))
                };
                if let Some(latch) = record.get("atis").filter(is_plain) {
                    self.latch = Some(latch.clone());
                }
            }
            "tools-used" => {
                if let Some(tools) = record.get("tools").filter(|it| is_array(it)) {
                    self.tools = Some(elements(Some(tools)).into_iter().filter(is_text).collect());
                }
            }
            "relocated" => {
                if let Some(cwd) = record.get("relocatedCwd").filter(|it| is_text(it)) {
                    self.relocated = Some(cwd.clone());
                }
            }
            _ => {}
        }
    }

    /// Returns the records before the conversation of a copy.
    pub(super) fn records_before(&self, copy: &str, now: &str) -> Vec<Members> {
        let suppression = self.history_suppressed.then(|| {
            let mut record = record("history-suppression", copy);
            record.push("cause", "fork_inherit".into());
            record.push("ts", now.into());
            record
        });
        let organizations = self.organizations.iter().map(|id| {
            let mut record = record("hybrid-organization", copy);
            record.push("organizationUuid", (&**id).into());
            record
        });
        suppression.into_iter().chain(organizations).collect()
    }

    /// Returns the record of the directory to which the session was moved.
    pub(super) fn relocated(&self, copy: &str) -> Option<Members> {
        let mut record = record("relocated", copy);
        record.push("relocatedCwd", self.relocated.clone()?);
        Some(record)
    }

    /// Returns the records after the conversation of a copy.
    pub(super) fn records_after(
        &self,
        copy: &str,
        now: &str,
        mut new_id: impl FnMut() -> String,
    ) -> Vec<Members> {
        let mut records = Vec::new();
        let mut add = |kind: &'static str, name: &'static str, value: Json| {
            let mut record = record(kind, copy);
            record.push(name, value);
            records.push(record);
        };
        if !self.replacements.is_empty() {
            add(
                "content-replacement",
                "replacements",
                json(&self.replacements),
            );
        }
        if let Some(latch) = &self.latch {
            add("atis-latch", "atis", latch.clone());
        }
        if let Some(tools) = &self.tools {
            add("tools-used", "tools", json(tools));
        }
        if let Some(first) = records.first_mut()
            && is(first.get("type"), "content-replacement")
        {
            first.push("uuid", (&*new_id()).into());
            first.push("timestamp", now.into());
        }
        records
    }
}

/// Creates a record outside the tree.
pub(super) fn record(kind: &'static str, session: &str) -> Members {
    let mut record = Members::default();
    record.push("type", kind.into());
    record.push("sessionId", session.into());
    record
}

fn json(values: &[Json]) -> Json {
    Json::from_value(values).unwrap_or_default()
}

/// Returns whether a value is a non-empty string.
fn is_text(value: &Json) -> bool {
    value.get().starts_with('"') && value.get() != "\"\""
}

fn is_uuid(id: &str) -> bool {
    let shape = b"00000000-0000-0000-0000-000000000000";
    let is_letter = |(byte, shape): (u8, &u8)| match shape {
        b'-' => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    id.len() == shape.len() && id.bytes().zip(shape).all(is_letter)
}
