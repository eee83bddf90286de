//! Queued prompts as messages of the user, and commands that were completed
//! without the model.

use super::delivered::Delivered;
use super::row::{Kind, Row};
use super::value::{is, is_array, is_string, is_true, is_truthy, key, object, run_id, string};
use crate::{Json, Members};
use std::collections::HashSet;

/// The texts with which the agent records that a turn or a call was interrupted.
const INTERRUPTED: [&str; 11] = [
    "[Request interrupted by user]",
    "[Request interrupted: the session ended before this agent finished. Nobody asked it to stop.]",
    "[This turn ended before it finished.]",
    "[Agent call interrupted: the process running this conversation stopped before this agent finished, so it returned no result. Nobody asked it to stop.]",
    "[Request interrupted by user for tool use]",
    "[Tool call did not complete: the turn was ended to deliver the message that follows. Nothing refused it; re-run it if still needed.]",
    "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. Check whether it took effect before relying on it or running it again.]",
    "[Tool call result not in this copy: this session was copied from another session before that session recorded this call's result. The call may have finished there, may still be running there, or may never have run. Check whether it took effect before relying on it or running it again.]",
    "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you how to proceed.",
    "[Tool call skipped: the turn was stopped before this call ran, by the check whose denial is on another call in this batch. Nothing refused this call and it had no effects; re-run it if still needed.]",
    "[Tool call skipped: the turn ended to deliver the message that follows before this call ran. Nothing refused it; re-run it if still needed.]",
];

/// Converts queued prompts to messages of the user at the position of their delivery to
/// the model, and marks commands that were completed without the model.
pub(super) fn with_queued(
    rows: Vec<Row>,
    keep_meta: bool,
    trailing: &HashSet<Box<str>>,
    delivered: &Delivered,
) -> Vec<Row> {
    let borrowed: Vec<&Row> = rows.iter().collect();
    let commands = completed_commands(&borrowed);
    let answered = answered(&borrowed, &commands);
    let copies = delivered.copies(&borrowed);
    let mut uuids: HashSet<Box<str>> = rows.iter().map(|row| row.uuid.clone()).collect();
    let shown = rows.into_iter().enumerate().map(|(at, mut row)| {
        if commands.contains(&at) {
            row.members.set(
                "isCompletedLocalCommand",
                Json::from(serde_json::Value::Bool(true)),
            );
            return row;
        }
        let is_handed = copies.get(&at).copied();
        let is_handed = is_handed.unwrap_or(answered[at] || trailing.contains(&row.uuid));
        let prompt = is_handed
            .then(|| prompt(&row, &mut uuids, keep_meta))
            .flatten();
        prompt.unwrap_or(row)
    });
    shown.collect()
}

/// The role of a row in a command that the agent runs without the model.
#[derive(PartialEq)]
enum Local {
    Caveat,
    Command,
    Output,
}

impl Local {
    fn of(row: &Row) -> Option<Self> {
        if row.kind != Kind::User || row.get("promptSource").is_some() {
            return None;
        }
        let content = row.get("message")?.member("content")?;
        let text = if is_array(&content) {
            let blocks = row.content.iter();
            let last = blocks
                .rev()
                .find(|block| is(block.member("type").as_ref(), "text"));
            string(last?.member("text").as_ref())
        } else {
            string(Some(&content))
        }?;
        let tags = [
            ("<command-name>", Self::Command),
            ("<local-command-stdout>", Self::Output),
            ("<local-command-stderr>", Self::Output),
            ("<local-command-caveat>", Self::Caveat),
        ];
        let found = tags.into_iter().find(|(tag, _)| text.starts_with(tag));
        found.map(|(_, local)| local)
    }
}

/// Returns the rows of commands that follow a caveat, and of their output.
fn completed_commands(rows: &[&Row]) -> HashSet<usize> {
    let mut found = HashSet::new();
    for (at, row) in rows.iter().enumerate() {
        if !row.is_meta() || Local::of(row) != Some(Local::Caveat) {
            continue;
        }
        let mut has_command = false;
        for (at, row) in rows.iter().enumerate().skip(at + 1) {
            if row.kind == Kind::Assistant {
                break;
            }
            if row.kind != Kind::User || row.is_meta() {
                continue;
            }
            match Local::of(row) {
                Some(Local::Command) if !has_command => has_command = true,
                Some(Local::Output) if has_command => {}
                _ => break,
            }
            found.insert(at);
        }
    }
    found
}

/// Returns, for each row, whether the model continued after the row and before
/// the next message of the user.
fn answered(rows: &[&Row], commands: &HashSet<usize>) -> Vec<bool> {
    let mut goes_on = false;
    let mut answered = vec![false; rows.len()];
    for (at, row) in rows.iter().enumerate().rev() {
        answered[at] = goes_on;
        let has_answer = row.has_result() && is_truthy(row.get("parentUuid"));
        if row.kind == Kind::Assistant || has_answer || is_interruption(row) {
            goes_on = true;
        } else if row.kind == Kind::User
            && !row.is_meta()
            && !is_truthy(row.get("isCompactSummary"))
            && !commands.contains(&at)
        {
            goes_on = false;
        }
    }
    answered
}

fn is_interruption(row: &Row) -> bool {
    let is_one = |text: &str| INTERRUPTED.iter().any(|it| text.starts_with(it));
    if row.kind != Kind::User {
        return false;
    }
    let content = row.get("message").and_then(|it| it.member("content"));
    if let Some(text) = string(content.as_ref()) {
        return is_one(&text);
    }
    let text = |block: &Json| {
        let kind = block.member("type");
        if is(kind.as_ref(), "text") {
            string(block.member("text").as_ref())
        } else if is(kind.as_ref(), "tool_result") && is_true(block.member("is_error").as_ref()) {
            string(block.member("content").as_ref())
        } else {
            None
        }
    };
    let texts = row.content.iter().map(text);
    !row.content.is_empty()
        && texts
            .into_iter()
            .all(|text| text.is_some_and(|it| is_one(&it)))
}

/// Converts a queued prompt to a message of the user.
fn prompt(row: &Row, uuids: &mut HashSet<Box<str>>, keep_meta: bool) -> Option<Row> {
    let command = object(Some(row.attachment("queued_command")?))?;
    let origin = command.get("origin").filter(|it| it.get().starts_with('{'));
    let origin = origin.filter(|it| it.member("kind").is_some_and(|kind| is_string(&kind)));
    let is_meta = is_truthy(command.get("isMeta"));
    let content = command
        .get("prompt")
        .filter(|it| is_string(it) || is_array(it))?;
    if is_meta && !keep_meta && !is_from_outside(origin) || is_forwarded(&command) {
        return None;
    }
    let source = command
        .get("source_uuid")
        .filter(|it| is_string(it) && it.get() != "\"\"");
    let uuid = source.or_else(|| row.get("uuid"))?;
    if key(uuid) != row.uuid && uuids.contains(&key(uuid)) {
        return None;
    }
    uuids.insert(key(uuid));
    let mut message = Members::default();
    message.set("role", "user");
    message.set("content", content.clone());
    let mut members = Members::default();
    members.set("type", "user");
    members.set("uuid", uuid.clone());
    for name in [
        "parentUuid",
        "sessionId",
        "timestamp",
        "isSidechain",
        "teamName",
    ] {
        if let Some(value) = row.get(name) {
            members.set(name, value.clone());
        }
    }
    members.set("message", Json::from_value(&message).ok()?);
    members.set("isMeta", Json::from(serde_json::Value::Bool(is_meta)));
    members.set("isQueuedCommand", Json::from(serde_json::Value::Bool(true)));
    if let Some(origin) = origin_of(&command, origin) {
        members.set("origin", origin);
    }
    Row::of(members)
}

fn is_forwarded(command: &Members) -> bool {
    let intent = command
        .get("forwardedIntent")
        .and_then(|it| it.member("lineage"));
    intent.is_some_and(|it| is_string(&it) && it.get() != "\"\"")
}

/// Returns the origin of a queued prompt.
fn origin_of(command: &Members, origin: Option<&Json>) -> Option<Json> {
    let is_task = is(command.get("commandMode"), "task-notification");
    let origin = match origin {
        Some(origin) => shown_origin(origin),
        None => {
            let mut members = Members::default();
            members.set("kind", "task-notification");
            is_task.then(|| Json::from_value(&members).unwrap_or_default())?
        }
    };
    let Some(run) = run_id(command.get("runId")) else {
        return Some(origin);
    };
    let mut members = object(Some(&origin)).unwrap_or_default();
    if is(members.get("kind"), "task-notification") && members.get("runId").is_none() {
        members.set("runId", &*run);
        return Json::from_value(&members).ok();
    }
    Some(origin)
}

/// Returns the origin of a message as the SDK does. For tasks, some members are
/// omitted.
pub(super) fn shown_origin(origin: &Json) -> Json {
    let members = object(Some(origin)).filter(|it| is(it.get("kind"), "task-notification"));
    let Some(members) = members else {
        return origin.clone();
    };
    let mut shown = Members::default();
    shown.set("kind", "task-notification");
    for name in ["subkind", "fireReason", "producer"] {
        if let Some(value) = members.get(name) {
            shown.set(name, value.clone());
        }
    }
    if let Some(run) = run_id(members.get("runId")) {
        shown.set("runId", &*run);
    }
    if is(members.get("taskKind"), "mcp-task") {
        shown.set("taskKind", "mcp-task");
    }
    Json::from_value(&shown).unwrap_or_default()
}

/// Returns whether a message of this origin was written outside the session: by
/// a channel, an observer, a peer, Slack or a call. Such a message is shown
/// although it is marked `isMeta`.
pub(super) fn is_from_outside(origin: Option<&Json>) -> bool {
    let kind = origin.and_then(|it| string(it.member("kind").as_ref()));
    matches!(
        kind.as_deref(),
        Some("channel" | "observer" | "observer-activity" | "slack-ping" | "voice-call" | "peer")
    )
}
