//! Converts transcripts.

use crate::conversion::{Direction, Lost, System, Unanswered, Why, read, write};
use crate::session::{Line, lines_of, messages_of, unanswered, without_placeholders};
use crate::{Calls, Message, author};
use agentwire_protocol::message::{Message as OnTheWire, UserMessage};
use agentwire_protocol::transcript::{Author, Branch, Entry, Record, Standing};
use agentwire_protocol::{Json, Members};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Converts the live branch of a transcript to another system and back. Records outside the branch
/// are losses, and are part of the residue.
#[derive(Debug, Clone)]
pub struct Transcript<S> {
    system: S,
    branch: Branch,
    call: Option<Box<str>>,
}

impl<S: System> Transcript<S> {
    /// Creates a conversion of this branch.
    pub fn new(system: S, branch: Branch) -> Self {
        Self {
            system,
            branch,
            call: None,
        }
    }

    /// Sets the tool call that started the sub-agent of the transcript.
    #[must_use]
    pub fn of(mut self, tool_use_id: impl Into<String>) -> Self {
        self.call = Some(tool_use_id.into().into());
        self
    }

    fn has(&self, record: &Record) -> bool {
        self.branch.index(record).is_some() && self.branch.standing(record) == Standing::Live
    }

    /// Returns the messages of the conversation, with the indices of their records.
    fn conversation_messages(&self, records: &[Record]) -> Vec<(usize, Message)> {
        let included = records
            .iter()
            .enumerate()
            .zip(self.are_in_conversation(records));
        included
            .filter(|(_, is_included)| *is_included)
            .filter_map(|((index, record), _)| Some((index, message(record, None)?)))
            .collect()
    }

    /// Returns, for each record, whether it is in the conversation.
    fn are_in_conversation(&self, records: &[Record]) -> Vec<bool> {
        let mut later = HashSet::new();
        let included = records.iter().rev().map(|record| {
            // Of several records with the same ID, the last one counts.
            let mut is_last = || self.branch.copies(record) == 1 || later.insert(record.uuid());
            self.has(record) && is_last()
        });
        let mut included: Vec<bool> = included.collect();
        included.reverse();
        included
    }
}

/// Returns whether a record is a message.
fn is_message(record: &Record) -> bool {
    matches!(record.entry(), Entry::User(_) | Entry::Assistant(_))
}

/// Returns the message of a record. Returns `None` if the record is not a message. `call` is the
/// tool call that started the sub-agent of the transcript.
#[must_use]
pub fn message(record: &Record, call: Option<&str>) -> Option<Message> {
    match record.message(call)? {
        OnTheWire::User(message) => Some(Message::User(message)),
        OnTheWire::Assistant(message) => Some(Message::Assistant(Box::new(message))),
        _ => None,
    }
}

/// Creates the record of a message.
fn record_of(message: &Message) -> Option<Record> {
    let (kind, body) = match message {
        Message::User(message) => ("user", Json::from_value(&message.message)),
        Message::Assistant(message) => ("assistant", Json::from_value(&message.message)),
        _ => return None,
    };
    let mut members = Members::default();
    members.set("parentUuid", Json::null());
    members.set("isSidechain", serde_json::Value::Bool(false));
    members.set("type", kind);
    members.set("message", body.ok()?);
    if let Message::User(message) = message {
        set_author(&mut members, message);
    }
    Json::from_value(&members).ok().map(Record::from)
}

/// Sets the author as agents do.
fn set_author(members: &mut Members, message: &UserMessage) {
    if let Some(origin) = &message.origin
        && let Ok(origin) = Json::from_value(origin)
    {
        members.set("origin", origin);
    }
    let member = match message.author() {
        Author::Summary => "isCompactSummary",
        Author::Hook | Author::Agent => "isMeta",
        _ => return,
    };
    members.set(member, serde_json::Value::Bool(true));
}

/// The records that are converted together. These are the records of one message of the model, or
/// all records up to a point at which the file and the model's context have the same order. A
/// compaction preserves records that are before its summary in the file, and after it in the
/// context.
#[derive(Debug, Clone, Default)]
pub struct Current {
    /// The ID of the message.
    id: Option<Box<str>>,
    /// The number of live messages so far, and the end of their places.
    taken: usize,
    end: usize,
    /// The remaining copies of records, by ID.
    copies: HashMap<Box<str>, usize>,
}

impl Current {
    /// Returns whether a record does not start a new message of the model.
    fn takes(&mut self, record: &Record) -> bool {
        let Entry::Assistant(entry) = record.entry() else {
            return true;
        };
        let id = entry.message.id.as_deref().or(entry.uuid.as_deref());
        if id.is_some() && id == self.id.as_deref() {
            return true;
        }
        self.id = id.map(Box::from);
        false
    }

    /// Returns whether a live record belongs to the records before it.
    fn continues(&mut self, record: &Record, branch: &Branch) -> bool {
        let index = branch.index(record).unwrap_or(self.end);
        let is_open = self.taken < self.end;
        // The open message is the last one in the model's context, but not in the file.
        let continues = index < self.end || self.takes(record) || is_open;
        self.end = self.end.max(index + 1);
        let copies = branch.copies(record);
        if copies == 1 {
            self.taken += 1;
        } else if let Some(uuid) = record.uuid() {
            let remaining = self.copies.entry(uuid.into()).or_insert(copies);
            *remaining -= 1;
            if *remaining == 0 {
                self.copies.remove(uuid);
                self.taken += 1;
            }
        }
        continues
    }
}

/// Merges live records into messages.
fn merged(records: &[&Record], call: Option<&str>) -> Vec<Message> {
    let mut current = Current::default();
    let mut state = Vec::new();
    let mut messages = Vec::new();
    for record in records {
        if !current.takes(record) {
            let before = std::mem::take(&mut state);
            messages.extend(messages_of(&before).into_iter().map(Cow::into_owned));
        }
        state.extend(message(record, call));
    }
    messages.extend(messages_of(&state).into_iter().map(Cow::into_owned));
    messages
}

impl<S: System> Direction for Transcript<S> {
    type From = Record;
    type To = S::Item;
    type State = Current;

    fn continues(&self, state: &mut Current, _: &[Record], next: &Record) -> bool {
        !self.has(next) || state.continues(next, &self.branch)
    }

    fn convert(&self, calls: &mut Calls, records: &[Record]) -> Vec<S::Item> {
        let included = self.branch.messages(records);
        write(&self.system, calls, merged(&included, self.call.as_deref()))
    }

    fn outside(&self, records: &[Record]) -> Vec<bool> {
        self.are_in_conversation(records)
            .into_iter()
            .map(|is_included| !is_included)
            .collect()
    }

    fn authors(&self, records: &[Record]) -> Vec<(usize, String)> {
        if self.system.has_authors() {
            return Vec::new();
        }
        let messages = self.conversation_messages(records);
        author::other_authors(messages.iter().map(|(index, message)| (*index, message)))
    }

    fn unanswered(&self, records: &[Record]) -> Vec<Unanswered> {
        let messages = self.conversation_messages(records);
        unanswered(messages.iter().map(|(index, message)| (*index, message)))
    }

    fn output_continues(&self, before: &[S::Item], next: &S::Item) -> bool {
        self.system.joins(before, next)
    }

    fn convert_back(&self, calls: &mut Calls, items: &[S::Item]) -> Vec<Record> {
        let messages = without_placeholders(read(&self.system, calls, items));
        let lines: Vec<Line> = messages
            .into_iter()
            .flat_map(|message| lines_of(message, None))
            .collect();
        let included = lines.iter().filter_map(Line::message);
        included.filter_map(record_of).collect()
    }

    fn why(&self, record: &Record, path: &str, lost: &Lost) -> Why {
        if path == "/parentUuid" && self.branch.is_orphan(record) {
            return Why::Unlinked;
        }
        if !path.is_empty() {
            return self.system.why(path, lost);
        }
        match self.branch.standing(record) {
            Standing::Dead => Why::DeadBranch,
            Standing::Unlinked => Why::Unlinked,
            Standing::Live if self.has(record) && self.branch.copies(record) > 1 => Why::Repeated,
            Standing::Summarised => Why::Superseded,
            Standing::Subagent => Why::Subagent,
            Standing::Live if is_message(record) => self.system.why(path, lost),
            _ => Why::Envelope,
        }
    }
}

/// Returns the messages of a branch, in the order of the model's context. `call` is the tool call
/// that started the sub-agent of the transcript.
#[must_use]
pub fn messages(records: &[Record], branch: &Branch, call: Option<&str>) -> Vec<Message> {
    merged(&branch.messages(records), call)
}
