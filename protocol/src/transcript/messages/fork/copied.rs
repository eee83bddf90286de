//! Creates the records of a copy, which have new IDs.

use super::super::delivered::command;
use super::super::graph::is_name;
use super::super::row::{Kind, Row};
use super::super::value::{elements, is, is_array, key, object};
use super::cut::prompt;
use crate::{Json, Members};
use std::collections::{HashMap, HashSet};

/// The members that a copy does not have: the owner of the record, and
/// references to records of the first session.
const NOT_COPIED: [&str; 10] = [
    "teamName",
    "agentName",
    "sessionKind",
    "slug",
    "sourceToolAssistantUUID",
    "summarizedTurnPromptUuids",
    "droppedPromptUuids",
    "sentAsUuid",
    "rowsAheadOfPutBack",
    "turnAttributionKey",
];

/// Removes members that a copy does not have. The copy has only the main conversation.
pub(super) fn strip(row: &mut Row) {
    row.members.set("isSidechain", Json::of_text("false"));
    for name in NOT_COPIED {
        row.members.remove(name);
    }
}

/// The IDs of the original session and of the copy.
pub(super) struct Sessions<'f> {
    pub(super) of: &'f str,
    pub(super) copy: &'f str,
}

/// The new IDs of the records, by their old IDs.
pub(super) struct Ids {
    new: HashMap<Box<str>, Json>,
    progress: HashSet<Box<str>>,
}

impl Ids {
    pub(super) fn of(rows: &[Row], mut new_id: impl FnMut() -> String) -> Self {
        let new = |row: &Row| (row.uuid.clone(), Json::from(&*new_id()));
        let new = rows.iter().map(new).collect();
        let progress = rows.iter().filter(|row| row.kind == Kind::Progress);
        let progress = progress.map(|row| row.uuid.clone());
        let mut progress: HashSet<Box<str>> = progress.collect();
        for row in rows.iter().filter(|row| row.kind != Kind::Progress) {
            progress.remove(&row.uuid);
        }
        Self { new, progress }
    }

    fn get(&self, id: &Json) -> Option<&Json> {
        self.new.get(&key(id))
    }

    /// Returns the new ID. If the value is not the ID of a copied record,
    /// returns the value itself.
    fn renamed(&self, id: &Json) -> Json {
        let key = key(id);
        let new = self.new.get(&key);
        let new = new.filter(|_| !self.progress.contains(&key));
        new.unwrap_or(id).clone()
    }
}

/// Returns the records of a copy. Progress records are omitted, and their
/// children become children of the record before them.
pub(super) fn copy(rows: &[Row], ids: &Ids, sessions: &Sessions<'_>, now: &str) -> Vec<Members> {
    let by_uuid: HashMap<&str, &Row> = rows.iter().map(|row| (&*row.uuid, row)).collect();
    let copied = rows.iter().filter(|row| row.kind != Kind::Progress);
    let copied = copied.map(|row| {
        let mut copy = row.members.clone();
        rename_inside(row, &mut copy, ids);
        copy.set("uuid", ids.new[&row.uuid].clone());
        copy.set("parentUuid", parent(row, &by_uuid, ids).unwrap_or_default());
        if let Some(before) = row.get("logicalParentUuid").filter(|it| !it.is_null()) {
            copy.set(
                "logicalParentUuid",
                ids.get(before).cloned().unwrap_or_default(),
            );
        }
        copy.set("sessionId", sessions.copy);
        match requested_in(row) {
            Some(session) => copy.set("requestSessionId", session),
            None => drop(copy.remove("requestSessionId")),
        }
        let mut origin = Members::default();
        origin.push("sessionId", sessions.of.into());
        origin.push("messageUuid", row.get("uuid").cloned().unwrap_or_default());
        copy.set("forkedFrom", json(&origin));
        copy
    });
    let mut copied: Vec<Members> = copied.collect();
    if let Some(last) = copied.last_mut() {
        last.set("timestamp", now);
    }
    copied
}

/// Returns the new ID of the nearest ancestor that is not a progress record.
fn parent(row: &Row, by_uuid: &HashMap<&str, &Row>, ids: &Ids) -> Option<Json> {
    let mut seen = HashSet::new();
    let mut next = row.parent.as_deref();
    while let Some(row) = next
        .filter(|it| is_name(it))
        .and_then(|parent| by_uuid.get(parent))
    {
        // A cycle of progress records has no other ancestor.
        if row.kind != Kind::Progress || !seen.insert(&*row.uuid) {
            return ids.new.get(&row.uuid).cloned();
        }
        next = row.parent.as_deref();
    }
    None
}

/// Returns the session that made a request to the model. In a copy of a copy,
/// this is the first session.
fn requested_in(row: &Row) -> Option<Json> {
    if row.kind != Kind::Assistant {
        return None;
    }
    let origin = object(row.get("forkedFrom")).unwrap_or_default();
    let sessions = [
        row.get("requestSessionId"),
        origin.get("sessionId"),
        row.get("sessionId"),
    ];
    let mut sessions = sessions.into_iter().flatten();
    sessions.find(|it| it.get().starts_with('"')).cloned()
}

/// Replaces the IDs inside a record.
fn rename_inside(row: &Row, copy: &mut Members, ids: &Ids) {
    if row.kind == Kind::System {
        if is(row.get("subtype"), "model_refusal_fallback") {
            copy.set("neutralizedByFork", Json::of_text("true"));
        }
        if let Some(metadata) = compaction(row, ids) {
            copy.set("compactMetadata", json(&metadata));
        }
    }
    if let Some(record) = row.attachment("deferred_tools_record") {
        let names = record.member("nameOnlyAnnouncements");
        if names.as_ref().is_some_and(is_array) {
            let announced = elements(names.as_ref());
            let known = announced.iter().filter_map(|id| ids.get(id).cloned());
            let known: Vec<Json> = known.collect();
            let record = with(record, "nameOnlyAnnouncements", json(&known));
            copy.set("attachment", record);
        }
    }
    let source = prompt(row).and_then(|it| ids.new.get(&it).cloned());
    let Some((source, command)) = source.zip(command(row)) else {
        return;
    };
    let command = with(&command, "source_uuid", source);
    if row.kind == Kind::Attachment {
        copy.set("attachment", command);
    } else if let Some(fold) = row.get("fold") {
        copy.set("fold", with(fold, "command", command));
    }
}

/// Returns the metadata of a compaction with the new IDs of preserved messages.
/// Messages that were being sent during the compaction are omitted.
fn compaction(row: &Row, ids: &Ids) -> Option<Members> {
    let mut metadata = object(row.get("compactMetadata"))?;
    let messages = metadata.remove("preservedMessages");
    let segment = metadata.remove("preservedSegment");
    let sends = metadata.remove("runningTurnSends");
    if messages.is_none() && segment.is_none() && sends.is_none() {
        return None;
    }
    let kept = [
        (
            "preservedMessages",
            messages,
            ["anchorUuid", "uuids", "allUuids"],
        ),
        (
            "preservedSegment",
            segment,
            ["headUuid", "anchorUuid", "tailUuid"],
        ),
    ];
    for (name, value, with_ids) in kept {
        let Some(value) = value else {
            continue;
        };
        let Some(mut members) = object(Some(&value)) else {
            metadata.set(name, value);
            continue;
        };
        for name in with_ids {
            let Some(value) = members.get(name) else {
                continue;
            };
            let renamed = match value.get().starts_with('[') {
                true => {
                    let ids = elements(Some(value)).into_iter().map(|id| ids.renamed(&id));
                    json(&ids.collect::<Vec<_>>())
                }
                false => ids.renamed(value),
            };
            members.set(name, renamed);
        }
        metadata.set(name, json(&members));
    }
    Some(metadata)
}

/// Returns a copy of an object in which a member has another value.
fn with(value: &Json, name: &'static str, member: Json) -> Json {
    let mut members = object(Some(value)).unwrap_or_default();
    members.set(name, member);
    json(&members)
}

fn json(value: &(impl serde::Serialize + ?Sized)) -> Json {
    Json::from_value(value).unwrap_or_default()
}
