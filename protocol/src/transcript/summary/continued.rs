//! Detects sessions that were continued under another ID.

use super::fields::{has, lines, object, string_of};
use super::prompt::Prompts;
use crate::{Json, Members};

/// Returns the ID under which a session was continued. Returns `None` if a
/// later message follows.
pub(super) fn id(tail: &[u8]) -> Option<String> {
    let continued = "\"type\":\"continued-in\"";
    if !has(tail, &[continued]) {
        return None;
    }
    for line in lines(tail).rev() {
        let is_continued = has(line, &[continued]);
        let is_said = has(line, &["\"type\":\"user\"", "\"type\":\"assistant\""]);
        if !is_continued && !is_said {
            continue;
        }
        let Some(members) = object(line) else {
            continue;
        };
        if is_continued
            && string_of(&members, "type").as_deref() == Some("continued-in")
            && let Some(id) = string_of(&members, "continuedInSessionId")
        {
            return Some(id);
        }
        if is_said && goes_on(&members) {
            return None;
        }
    }
    None
}

/// Returns whether a record is a reply of the model, or a prompt.
fn goes_on(record: &Members) -> bool {
    answer(record).unwrap_or_else(|| Prompts::default().read(record).is_some())
}

/// Returns whether a reply is complete. Returns `None` if the record is not a
/// reply.
fn answer(record: &Members) -> Option<bool> {
    let is_error = match record.get("isApiErrorMessage").map(Json::get) {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return None,
    };
    if string_of(record, "type").as_deref() != Some("assistant") {
        return None;
    }
    let stopped = match record.get("message") {
        None => false,
        Some(message) if !message.get().starts_with('{') => return None,
        Some(message) => match message.member("stop_reason") {
            None => false,
            Some(reason) if reason.is_null() => false,
            Some(reason) if reason.get().starts_with('"') => true,
            Some(_) => return None,
        },
    };
    Some(!is_error && stopped)
}
