//! Queued prompts that were delivered to the model within a turn. A transcript
//! may contain copies of them.

use super::row::{Kind, Row};
use super::value::{is, key, object, string};
use crate::{Json, Members};
use std::collections::{HashMap, HashSet};

/// The identity of a delivery, which is one of two IDs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Delivery {
    /// The ID of the delivery.
    Id(Box<str>),
    /// The ID of the prompt.
    Prompt(Box<str>),
}

/// The deliveries recorded in a file.
#[derive(Debug, Default)]
pub(super) struct Delivered {
    counts: HashMap<Delivery, usize>,
    /// The content of each prompt, by its ID.
    copies: HashMap<Box<str>, Json>,
    /// The IDs that prompts with different content share.
    mixed: HashSet<Box<str>>,
    copies_of: HashMap<Box<str>, Vec<Box<str>>>,
    seen: HashSet<Box<str>>,
    /// The IDs of the rows that were certainly delivered.
    entries: HashSet<Box<str>>,
}

impl Delivered {
    /// Records the next line.
    pub(super) fn note(&mut self, members: &Members) {
        if is(members.get("type"), "queue-operation") {
            self.note_operation(members);
            return;
        }
        let Some(uuid) = members.get("uuid").filter(|it| it.get().starts_with('"')) else {
            return;
        };
        let Some(kind) = string(members.get("type")) else {
            return;
        };
        let attachment = members.get("attachment").filter(|_| kind == "attachment");
        let Some(command) =
            attachment.filter(|it| is(it.member("type").as_ref(), "queued_command"))
        else {
            return;
        };
        if let Some(id) = name(command, "delivery_id") {
            if self.seen.insert(key(uuid)) {
                self.copies_of.entry(id).or_default().push(key(uuid));
            }
        } else if let Some(prompt) = name(command, "source_uuid") {
            match self.copies.get(&prompt) {
                None => {
                    self.copies.insert(prompt, command.clone());
                }
                Some(copy) if copy != command => {
                    self.mixed.insert(prompt);
                }
                Some(_) => {}
            }
        }
    }

    fn note_operation(&mut self, members: &Members) {
        if !is(members.get("operation"), "remove")
            || !is(members.get("reason"), "absorbed_mid_turn")
        {
            return;
        }
        let of = |name: &str| {
            members
                .get(name)
                .filter(|it| it.get().starts_with('"'))
                .map(key)
        };
        let by_id = of("deliveryId")
            .filter(|it| &**it != "\"\"")
            .map(Delivery::Id);
        if let Some(delivery) = by_id.or_else(|| of("commandUuid").map(Delivery::Prompt)) {
            *self.counts.entry(delivery).or_default() += 1;
        }
    }

    /// Determines the deliveries after the last line.
    pub(super) fn settle(&mut self) {
        for prompt in &self.mixed {
            self.counts.remove(&Delivery::Prompt(prompt.clone()));
        }
        for (id, copies) in &self.copies_of {
            let delivery = Delivery::Id(id.clone());
            let count = self.counts.get(&delivery).copied().unwrap_or(0);
            let last = copies.len().saturating_sub(count);
            self.entries.extend(copies[last..].iter().cloned());
        }
    }

    /// Returns the rows that are copies of delivered prompts. The value is
    /// whether the row is the one that was delivered.
    pub(super) fn copies(&self, rows: &[&Row]) -> HashMap<usize, bool> {
        let mut copies = HashMap::new();
        let mut of_delivery: HashMap<Delivery, Vec<usize>> = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            let Some(command) = command(row) else {
                continue;
            };
            let by_id = name(&command, "delivery_id").map(Delivery::Id);
            let delivery = by_id.or_else(|| name(&command, "source_uuid").map(Delivery::Prompt));
            if let Some(delivery) = delivery.filter(|it| self.counts.contains_key(it)) {
                of_delivery.entry(delivery).or_default().push(at);
            }
        }
        for (delivery, of_it) in of_delivery {
            let count = self.counts[&delivery];
            for (place, at) in of_it.iter().enumerate() {
                let is_delivered = match delivery {
                    Delivery::Id(_) => self.entries.contains(&rows[*at].uuid),
                    Delivery::Prompt(_) => place + count >= of_it.len(),
                };
                copies.insert(*at, is_delivered);
            }
        }
        copies
    }
}

/// Returns the queued prompt of a row, including one from a voice call.
pub(super) fn command(row: &Row) -> Option<Json> {
    if row.kind == Kind::System && is(row.get("subtype"), "voice_call_talk") {
        let fold = object(row.get("fold"))?;
        return fold
            .get("command")
            .filter(|it| it.get().starts_with('{'))
            .cloned();
    }
    row.attachment("queued_command").cloned()
}

/// Returns a member of a queued prompt as [`key`], if it is a non-empty string.
pub(super) fn name(command: &Json, member: &str) -> Option<Box<str>> {
    let name = command.member(member)?;
    let is_name = name.get().starts_with('"') && name.get() != "\"\"";
    is_name.then(|| key(&name))
}
