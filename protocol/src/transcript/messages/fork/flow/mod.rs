//! The data flow of a session, which describes the data that tool calls and
//! responses touched. A copy has it in one record.

mod item;

pub(super) use item::is_name;

use super::super::row::{Kind, Row};
use super::super::value::{elements, is, is_array, is_true, is_truthy, key, string};
use super::outside::record;
use crate::{Json, Members};
use item::{Item, json};
use std::collections::{HashMap, HashSet};

/// Codes for the reasons why a data flow is incomplete: an item is unknown, a
/// message was written without data flow, a record is invalid, or a compaction
/// is not covered.
const UNKNOWN: u8 = 1;
const NOT_RECORDED: u8 = 11;
pub(super) const INVALID: u8 = 12;
const NOT_COVERED: u8 = 13;

/// The data flow of the sessions in a transcript.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// The data flow of each session by its ID, in the order of the file.
    flows: Vec<(Box<str>, Flow)>,
    /// The sessions that have a compaction after the last complete record.
    not_covered: HashSet<Option<Box<str>>>,
}

#[derive(Debug, Clone, Default)]
struct Flow {
    items: Vec<Item>,
    incomplete: Vec<u8>,
}

impl Flow {
    fn lacks(&mut self, codes: impl IntoIterator<Item = u8>) {
        for code in codes {
            if !self.incomplete.contains(&code) {
                self.incomplete.push(code);
            }
        }
    }
}

impl Flows {
    /// Reads the next record in the tree.
    pub(super) fn note_row(&mut self, row: &Row) {
        let is_boundary = row.kind == Kind::System && is(row.get("subtype"), "compact_boundary");
        if is_boundary && !is_true(row.get("isSidechain")) {
            self.not_covered.insert(row.get("sessionId").map(key));
        }
        if !is_true(row.get("dataFlowOn")) && !is_truthy(row.get("isSidechain")) {
            for (_, flow) in &mut self.flows {
                flow.lacks([NOT_RECORDED]);
            }
        }
    }

    /// Reads the next record outside the tree.
    pub(super) fn note(&mut self, record: &Members) {
        let is_complete = match string(record.get("type")).as_deref() {
            Some("data-flow-records") => is_true(record.get("snapshot")),
            Some("data-flow-incomplete") => false,
            _ => return,
        };
        let session = record
            .get("sessionId")
            .filter(|it| it.get().starts_with('"'));
        let Some(session) = session.map(key).filter(|_| record.get("agentId").is_none()) else {
            return;
        };
        let at = self.of(session.clone());
        if is(record.get("type"), "data-flow-incomplete") {
            self.flows[at].1.lacks(codes(record.get("codes")));
            return;
        }
        let records = record.get("records").filter(|it| is_array(it));
        let is_first_version = record.get("v").is_some_and(is_one);
        match records.filter(|_| is_first_version) {
            Some(records) => self.add(at, &elements(Some(records)), is_complete),
            None => self.flows[at].1.lacks([INVALID]),
        }
        if is_complete {
            self.not_covered.remove(&Some(session));
        }
    }

    /// Records that a record of this session is invalid.
    pub(super) fn lacks(&mut self, session: &str) {
        let at = self.of(key(&Json::from(session)));
        self.flows[at].1.lacks([INVALID]);
    }

    fn of(&mut self, session: Box<str>) -> usize {
        let known = self.flows.iter().position(|(of, _)| *of == session);
        known.unwrap_or_else(|| {
            self.flows.push((session, Flow::default()));
            self.flows.len() - 1
        })
    }

    fn add(&mut self, at: usize, records: &[Json], is_complete: bool) {
        let items: Vec<Item> = records.iter().filter_map(Item::of).collect();
        let flow = &mut self.flows[at].1;
        if items.len() < records.len() {
            flow.lacks([INVALID]);
        }
        // Responses follow their calls.
        let calls = flow.items.iter().rposition(|it| it.response().is_none());
        let before = flow.items.split_off(calls.map_or(0, |last| last + 1));
        let mut responses = Responses::default();
        if !is_complete {
            before.into_iter().for_each(|item| responses.set(item));
        }
        let mut new = Vec::new();
        let mut listed: HashSet<Box<str>> = HashSet::new();
        for mut item in items {
            if item.response().is_none() {
                new.push(item);
                continue;
            }
            for id in item.take_listed() {
                responses.remove(id.get());
                listed.insert(id.get().into());
            }
            responses.set(item);
        }
        self.forget(&listed);
        let flow = &mut self.flows[at].1;
        if is_complete {
            flow.items.clear();
        }
        merge(&mut flow.items, new, is_complete);
        flow.items.extend(responses.0);
    }

    /// Removes the responses that other responses replace, in all sessions.
    fn forget(&mut self, listed: &HashSet<Box<str>>) {
        if listed.is_empty() {
            return;
        }
        let is_listed = |item: &Item| item.response().is_some_and(|it| listed.contains(it));
        for (_, flow) in &mut self.flows {
            let last = flow
                .items
                .iter()
                .rfind(|it| it.response().is_none() || is_listed(it));
            if last.is_some_and(|it| it.response().is_some()) {
                flow.items.retain(|it| !is_listed(it));
            }
        }
    }

    /// Returns the data flow records for a copy of the session `of`. Returns
    /// none if there is no data flow.
    pub(super) fn records(&self, of: &str, copy: &str) -> Vec<Members> {
        let of = key(&Json::from(of));
        if !self.flows.iter().any(|(session, _)| *session == of) {
            return Vec::new();
        }
        let mut all = Self::default();
        let at = all.of(of);
        let items = self.flows.iter().flat_map(|(_, flow)| &flow.items);
        let items: Vec<Json> = items.map(|item| json(&item.0)).collect();
        all.add(at, &items, false);
        let flow = &mut all.flows[at].1;
        flow.lacks(
            self.flows
                .iter()
                .flat_map(|(_, flow)| flow.incomplete.clone()),
        );
        let is_not_covered =
            |(session, _): &(Box<str>, Flow)| self.not_covered.contains(&Some(session.clone()));
        if self.flows.iter().any(is_not_covered) {
            flow.lacks([NOT_COVERED]);
        }
        let mut records = Vec::new();
        if !flow.incomplete.is_empty() {
            let mut incomplete = record("data-flow-incomplete", copy);
            incomplete.push("v", Json::of_text("1"));
            incomplete.push("codes", json(&flow.incomplete));
            records.push(incomplete);
        }
        let items: Vec<&Members> = flow.items.iter().map(|item| &item.0).collect();
        let mut complete = record("data-flow-records", copy);
        complete.push("v", Json::of_text("1"));
        complete.push("records", json(&items));
        complete.push("snapshot", Json::of_text("true"));
        records.push(complete);
        records
    }
}

/// Responses, in the order of their first record.
#[derive(Default)]
struct Responses(Vec<Item>);

impl Responses {
    fn set(&mut self, item: Item) {
        let known = self
            .0
            .iter_mut()
            .find(|it| it.response() == item.response());
        match known {
            Some(known) => *known = item,
            None => self.0.push(item),
        }
    }

    fn remove(&mut self, id: &str) {
        self.0.retain(|it| it.response() != Some(id));
    }
}

/// Adds calls. Updates a known call from its new item, unless `is_complete`
/// says that its first item counts.
fn merge(items: &mut Vec<Item>, new: Vec<Item>, is_complete: bool) {
    let keys = items.iter().enumerate();
    let keys = keys.filter_map(|(at, item)| Some((item.key()?, at)));
    let mut places: HashMap<String, usize> = keys.collect();
    for item in new {
        let Some(key) = item.key() else {
            items.push(item);
            continue;
        };
        let Some(known) = places.get(&key).map(|at| &mut items[*at]) else {
            places.insert(key, items.len());
            items.push(item);
            continue;
        };
        if is_complete {
            continue;
        }
        if known.has("carried") && !item.has("carried") {
            *known = item;
        } else if item.has("no_message") && !known.has("no_message") {
            known.0.set("no_message", Json::of_text("true"));
        }
    }
}

fn codes(given: Option<&Json>) -> Vec<u8> {
    let code = |code: &Json| {
        let number = code.get().parse::<f64>().ok();
        let number = number.filter(|it| it.fract() == 0.0 && (1.0..=255.0).contains(it));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        number.map_or(UNKNOWN, |it| it as u8)
    };
    let codes: Vec<u8> = elements(given).iter().map(code).collect();
    if codes.is_empty() {
        vec![UNKNOWN]
    } else {
        codes
    }
}

/// Returns whether a value is the number 1.
pub(super) fn is_one(value: &Json) -> bool {
    value.get().starts_with('1') && value.get().parse() == Ok(1.0_f64)
}
