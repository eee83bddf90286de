//! Tool calls that the host ran or hid. For these, the transcript differs from
//! the messages that the host sent.

use super::row::{Kind, Row};
use super::value::{elements, is, is_array, is_string, is_true, key, object, string};
use crate::{Json, Members};
use std::collections::{HashMap, HashSet};

/// A record of the host's action inside a tool call.
pub(super) struct HostRow {
    /// The ID of the call, as [`key`].
    by: Box<str>,
    members: Members,
}

impl HostRow {
    /// Reads a record. Returns `None` if it is not a record of the host.
    pub(super) fn of(members: &Members) -> Option<Self> {
        let by = members.get("ranByToolUseId").filter(|it| is_string(it))?;
        is(members.get("type"), "host-row").then(|| Self {
            by: key(by),
            members: members.clone(),
        })
    }

    fn block(&self, kind: &str) -> Option<&Json> {
        let block = self.members.get("block")?;
        is(block.member("type").as_ref(), kind).then_some(block)
    }

    /// Returns the content as a record next to `row`.
    fn row(&self, row: &Row, kind: &'static str) -> Option<Row> {
        let mut message = Members::default();
        message.push("role", kind.into());
        message.push(
            "content",
            Json::from_value(&[self.members.get("block")?]).ok()?,
        );
        let mut members = Members::default();
        members.push("type", kind.into());
        members.push("uuid", self.members.get("rowUuid")?.clone());
        members.push("parentUuid", Json::null());
        if let Some(session) = row.get("sessionId") {
            members.push("sessionId", session.clone());
        }
        if let Some(timestamp) = self.members.get("timestamp").filter(|it| is_string(it)) {
            members.push("timestamp", timestamp.clone());
        }
        members.push("isVirtual", Json::from(serde_json::Value::Bool(true)));
        members.push(
            "ranByToolUseId",
            self.members.get("ranByToolUseId")?.clone(),
        );
        members.push("message", Json::from_value(&message).ok()?);
        Row::of(members)
    }
}

/// Returns whether the host ran or hid a call of this message.
fn involves_host(row: &Row) -> bool {
    let has_hidden = row.get("hostHiddenToolUseIds").is_some_and(is_array);
    row.kind == Kind::Assistant && (has_hidden || row.get("ranByToolUseId").is_some_and(is_string))
}

fn is_virtual(row: &Row) -> bool {
    is_true(row.get("isVirtual"))
}

/// Returns the rows of a chain, with the host's rows below them. `parents` are
/// the parents of the rows.
pub(super) fn with_hidden(rows: &[Row], chain: &[&Row], parents: &HashSet<&str>) -> Vec<Row> {
    let of_chain = chain.iter().copied();
    if !of_chain.clone().any(involves_host) {
        return of_chain.cloned().collect();
    }
    let mut taken: HashSet<&str> = of_chain.clone().map(|row| &*row.uuid).collect();
    let below: HashMap<&str, &Row> = rows
        .iter()
        .filter(|row| !taken.contains(&*row.uuid))
        .filter_map(|row| Some((row.parent.as_deref()?, row)))
        .collect();
    let mut shown: Vec<&Row> = Vec::new();
    for row in of_chain {
        shown.push(row);
        let Some(mut next) = below.get(&*row.uuid).copied().filter(|_| !is_virtual(row)) else {
            continue;
        };
        if involves_host(row) && next.kind == Kind::User {
            taken.insert(&next.uuid);
            match below.get(&*next.uuid) {
                Some(row) => next = row,
                None => continue,
            }
        } else if next.kind == Kind::Attachment
            && (row.kind != Kind::User || parents.contains(&*row.uuid))
        {
            continue;
        }
        while taken.insert(&next.uuid) {
            let is_answer =
                || next.kind == Kind::User && shown.last().is_some_and(|it| involves_host(it));
            if is_virtual(next) && (involves_host(next) || is_answer()) {
                shown.push(next);
            } else if next.kind != Kind::Attachment {
                break;
            }
            match below.get(&*next.uuid) {
                Some(row) => next = row,
                None => break,
            }
        }
    }
    shown.into_iter().cloned().collect()
}

/// Adds the host's records outside the conversation.
pub(super) fn with_host_rows(rows: Vec<Row>, all: &[Row], host: &[HostRow]) -> Vec<Row> {
    if host.is_empty() {
        return rows;
    }
    let mut known: HashSet<Box<str>> = all.iter().map(|row| row.uuid.clone()).collect();
    let mut withheld = HashSet::new();
    let mut results: HashMap<Box<str>, &HostRow> = HashMap::new();
    let mut calls: HashMap<&str, Vec<&HostRow>> = HashMap::new();
    for row in host {
        let uuid = row
            .members
            .get("rowUuid")
            .filter(|it| is_string(it))
            .map(key);
        if is_true(row.members.get("withheld")) {
            withheld.insert(&*row.by);
        } else if let Some(uuid) = uuid.filter(|uuid| !known.contains(uuid)) {
            if let Some(id) = row
                .block("tool_result")
                .and_then(|it| it.member("tool_use_id"))
            {
                results.insert(key(&id), row);
            } else if row.block("tool_use").is_some() {
                known.insert(uuid);
                calls.entry(&row.by).or_default().push(row);
            }
        }
    }
    let with_host = rows.into_iter().flat_map(|row| {
        let hidden = row
            .get("hostHiddenToolUseIds")
            .filter(|_| !is_virtual(&row));
        let mut added = Vec::new();
        for id in elements(hidden).iter().map(key) {
            let of_it = calls.remove(&*id).unwrap_or_default();
            if withheld.contains(&*id) {
                continue;
            }
            for call in of_it {
                added.extend(call.row(&row, "assistant"));
                let id = call.block("tool_use").and_then(|it| it.member("id"));
                let result = id.and_then(|id| results.get(&key(&id)));
                added.extend(result.and_then(|result| result.row(&row, "user")));
            }
        }
        std::iter::once(row).chain(added)
    });
    with_host.collect()
}

/// Returns the rows as the host sent them, without hidden calls.
pub(super) fn as_sent(rows: Vec<Row>) -> Vec<Row> {
    if !rows.iter().any(involves_host) {
        return rows;
    }
    let mut ids = HashSet::new();
    let said = rows.iter().filter(|row| row.kind == Kind::Assistant);
    let doubled = said
        .flat_map(Row::calls)
        .filter(|id| !ids.insert(id.clone()));
    let mut sent = HostCalls {
        doubled: doubled.collect(),
        ..HostCalls::default()
    };
    rows.into_iter().flat_map(|row| sent.take(row)).collect()
}

#[derive(Default)]
struct HostCalls {
    /// The IDs that several calls share.
    doubled: HashSet<Box<str>>,
    /// The messages of hidden calls.
    hidden: HashMap<Box<str>, Members>,
    /// The rows that the host sent in place of calls, until the results of the
    /// calls arrive.
    instead: HashMap<Box<str>, Row>,
    /// The IDs of the calls that the host ran.
    ran: HashSet<Box<str>>,
}

impl HostCalls {
    fn take(&mut self, row: Row) -> Vec<Row> {
        let Some(message) = object(row.get("message")) else {
            return vec![row];
        };
        match row.kind {
            Kind::Assistant if involves_host(&row) => self.take_call(row, message),
            Kind::User => self.take_answer(row, message),
            _ => vec![row],
        }
    }

    fn take_call(&mut self, row: Row, message: Members) -> Vec<Row> {
        let hidden = elements(row.get("hostHiddenToolUseIds"));
        let hidden: HashSet<Box<str>> = hidden.iter().filter(|it| is_string(it)).map(key).collect();
        let mut left = Vec::new();
        for block in &row.content {
            match call_id(block) {
                Some(id) if hidden.contains(&id) && !self.doubled.contains(&id) => {
                    self.hidden.insert(id, message.clone());
                }
                _ => left.push(block.clone()),
            }
        }
        let only = match &*row.content {
            [block] if is(block.member("type").as_ref(), "tool_use") => Some(block),
            _ => None,
        };
        if left.len() < row.content.len() {
            let host = elements(row.get("hostContent")).into_iter().next();
            if let Some((id, host)) = only.and_then(call_id).zip(host)
                && call_id(&host).as_ref() == Some(&id)
            {
                self.instead
                    .insert(id, with_content(&row, &message, &[host]));
            }
            return match left.is_empty() {
                true => Vec::new(),
                false => vec![with_content(&row, &message, &left)],
            };
        }
        let by = string(row.get("ranByToolUseId")).is_some() && is_virtual(&row);
        let Some(block) = only.filter(|_| by) else {
            return vec![row];
        };
        self.ran.extend(block.member("id").as_ref().map(key));
        let by = row.get("ranByToolUseId").map(key);
        let of = by.and_then(|by| self.hidden.get(&by)).unwrap_or(&message);
        let content = host_content(&row, block, "id").unwrap_or_else(|| row.content.clone());
        vec![with_content(&row, of, &content)]
    }

    fn take_answer(&mut self, row: Row, message: Members) -> Vec<Row> {
        let is_result = |block: &&Json| is(block.member("type").as_ref(), "tool_result");
        let results: Vec<&Json> = row.content.iter().filter(is_result).collect();
        if let [result] = &*results {
            let id = result.member("tool_use_id").as_ref().map(key);
            let instead = id.as_ref().and_then(|id| self.instead.get(id)).cloned();
            let is_other = match &instead {
                Some(_) => is_true(result.member("is_error").as_ref()),
                None => is_virtual(&row) && id.as_ref().is_some_and(|id| self.ran.contains(id)),
            };
            let content = is_other
                .then(|| host_content(&row, result, "tool_use_id"))
                .flatten();
            if let Some((content, id)) = content.zip(id) {
                self.instead.remove(&id);
                let row = with_content(&row, &message, &content);
                return instead.into_iter().chain([row]).collect();
            }
        }
        let is_hidden = |block: &Json| {
            let id = block.member("tool_use_id").as_ref().map(key);
            is_result(&block) && id.is_some_and(|id| self.hidden.contains_key(&id))
        };
        let hidden = results.iter().filter(|block| is_hidden(block)).count();
        if hidden == 0 {
            return vec![row];
        }
        if hidden == results.len() {
            return Vec::new();
        }
        let left = row.content.iter().filter(|block| !is_hidden(block));
        let left: Vec<Json> = left.cloned().collect();
        let mut row = with_content(&row, &message, &left);
        row.members.remove("toolDenialKind");
        row.members.remove("toolDenialUnanswered");
        vec![row]
    }
}

/// Returns the ID of a call, if the block is a call.
fn call_id(block: &Json) -> Option<Box<str>> {
    let id = block.member("id").filter(is_string)?;
    is(block.member("type").as_ref(), "tool_use").then(|| key(&id))
}

/// Returns the content that the host sent in place of a block.
fn host_content(row: &Row, block: &Json, id: &str) -> Option<Vec<Json>> {
    let content = elements(row.get("hostContent"));
    let kind = string(block.member("type").as_ref())?;
    let mut same = content
        .iter()
        .filter(|it| is(it.member("type").as_ref(), &kind));
    let (one, None) = (same.next()?, same.next()) else {
        return None;
    };
    let is_same = |member: &str| {
        one.member(member).as_ref().map(key) == block.member(member).as_ref().map(key)
    };
    (is_same(id) && is_same("name")).then_some(content)
}

fn with_content(row: &Row, message: &Members, content: &[Json]) -> Row {
    let mut message = message.clone();
    message.set("content", Json::from_value(content).unwrap_or_default());
    let mut row = row.clone();
    row.members
        .set("message", Json::from_value(&message).unwrap_or_default());
    row.content = content.to_vec();
    row
}
