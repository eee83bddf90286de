//! Converts a record to the message that the official SDK returns.

use super::queued::{is_from_outside, shown_origin};
use super::row::{Kind, Row};
use super::value::{is, is_string, is_true, is_truthy};
use crate::{Json, Members, Message};

/// The reasons for a denied tool call that the SDK returns.
const DENIALS: [&str; 7] = [
    "user-rejected",
    "permission-rule",
    "automode-blocked",
    "automode-unavailable",
    "automode-parsing-error",
    "interrupted",
    "cancelled",
];

/// Returns whether a row is shown as a message of the main conversation.
pub(super) fn is_shown(row: &Row, with_system: bool) -> bool {
    let is_kind = row.is_message() || row.kind == Kind::System && with_system;
    is_kind
        && !row.is_quiet()
        && (!row.is_meta() || is_from_outside(row.get("origin")))
        && !row.is_of_other_conversation()
}

/// Returns the message of a row. `call` is the tool call that started the
/// sub-agent, and `parent` is the sub-agent that made this call.
pub(super) fn message(row: &Row, call: Option<&str>, parent: Option<&str>) -> Message {
    let null_or = |text: Option<&str>| text.map_or_else(Json::null, Json::from);
    let mut shown = Members::default();
    let mut copy = |name: &'static str, of: &str| {
        if let Some(value) = row.get(of) {
            shown.push(name, value.clone());
        }
    };
    copy("type", "type");
    copy("uuid", "uuid");
    copy("session_id", "sessionId");
    copy("message", "message");
    copy("timestamp", "timestamp");
    shown.push("parent_tool_use_id", null_or(call));
    shown.push("parent_agent_id", null_or(parent));
    for name in [
        "interruptedByShutdown",
        "isCompactSummary",
        "isQueuedCommand",
        "isCompletedLocalCommand",
    ] {
        if is_true(row.get(name)) {
            shown.push(name, json_true());
        }
    }
    let meta = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"];
    if meta.iter().any(|name| is_true(row.get(name))) {
        shown.push("is_meta", json_true());
    }
    if is(row.get("toolDenialUnanswered"), "stream-closed") {
        shown.push("toolDenialUnanswered", "stream-closed".into());
    }
    if let Some(denial) = denial(row) {
        shown.push("tool_result_meta", denial);
    }
    let origin = row.get("origin").filter(|it| is_truthy(Some(it)));
    if let Some(origin) = origin {
        shown.push("origin", shown_origin(origin));
    }
    let json = Json::from_value(&shown).unwrap_or_default();
    json.read().unwrap_or(Message::Unknown(shown))
}

fn json_true() -> Json {
    Json::from(serde_json::Value::Bool(true))
}

/// Returns why the tool did not run, if the row contains only the result of
/// that tool.
fn denial(row: &Row) -> Option<Json> {
    let kind = DENIALS
        .iter()
        .find(|kind| is(row.get("toolDenialKind"), kind))?;
    let is_result = |block: &&Json| is(block.member("type").as_ref(), "tool_result");
    let mut results = row.content.iter().filter(is_result);
    let (result, None) = (results.next()?, results.next()) else {
        return None;
    };
    let id = result.member("tool_use_id").filter(is_string)?;
    let mut members = Members::default();
    members.push("id", id);
    members.push("non_execution_kind", (*kind).into());
    Json::from_value(&[members]).ok()
}
