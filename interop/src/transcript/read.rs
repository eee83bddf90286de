//! A transcript as a conversation.

use super::entry::Entry;
use super::record::{Author, Record};
use super::tree::{Branch, Standing};
use crate::conversion::{Direction, Lost, System, Unanswered, Why, read, write};
use crate::session::{Line, lines_of, messages_of, unanswered, without_placeholders};
use crate::{Calls, Message};

/// The records of a transcript, to another system and back.
///
/// The live branch is converted. What is not on it is among the losses, with
/// the reason, and in the residue, as is everything that is beside what was
/// said.
#[derive(Debug, Clone)]
pub struct Transcript<S> {
    system: S,
    branch: Branch,
    call: Option<Box<str>>,
}

impl<S: System> Transcript<S> {
    /// What was said on a branch.
    pub fn new(system: S, branch: Branch) -> Self {
        Self {
            system,
            branch,
            call: None,
        }
    }

    /// It is that of a sub-agent that this tool call started.
    #[must_use]
    pub fn of(mut self, tool_use_id: impl Into<String>) -> Self {
        self.call = Some(tool_use_id.into().into());
        self
    }

    fn has(&self, record: &Record) -> bool {
        says(record) && self.branch.standing(record) == Standing::Live
    }
}

/// Whether a record is a message.
fn says(record: &Record) -> bool {
    matches!(record.entry(), Entry::User(_) | Entry::Assistant(_))
}

/// The id of the model's message that records belong to.
#[derive(Debug, Clone, Default)]
pub struct Current(Option<Box<str>>);

impl Current {
    /// Whether a record is read together with those before it: only a new
    /// message of the model is not.
    fn takes(&mut self, record: &Record) -> bool {
        let Entry::Assistant(entry) = record.entry() else {
            return true;
        };
        let id = entry.message.id.as_deref().or(entry.uuid.as_deref());
        if id.is_some() && id == self.0.as_deref() {
            return true;
        }
        self.0 = id.map(Box::from);
        false
    }
}

impl<S: System> Direction for Transcript<S> {
    type From = Record;
    type To = S::Item;
    type Together = Current;

    fn goes_on(&self, together: &mut Current, _: &[Record], next: &Record) -> bool {
        !self.has(next) || together.takes(next)
    }

    fn forth(&self, calls: &mut Calls, records: &[Record]) -> Vec<S::Item> {
        let said = records.iter().filter(|record| self.has(record));
        let said: Vec<Message> = said
            .filter_map(|record| record.message(self.call.as_deref()))
            .collect();
        write(&self.system, calls, &messages_of(&said))
    }

    fn beside(&self, records: &[Record]) -> Vec<bool> {
        records.iter().map(|record| !self.has(record)).collect()
    }

    fn unanswered(&self, records: &[Record]) -> Vec<Unanswered> {
        let said: Vec<(usize, Message)> = records
            .iter()
            .enumerate()
            .filter(|(_, record)| self.has(record))
            .filter_map(|(index, record)| Some((index, record.message(None)?)))
            .collect();
        unanswered(said.iter().map(|(index, said)| (*index, said)))
    }

    fn belongs(&self, before: &[S::Item], next: &S::Item) -> bool {
        self.system.joins(before, next)
    }

    fn back(&self, calls: &mut Calls, items: &[S::Item]) -> Vec<Record> {
        let messages = without_placeholders(read(&self.system, calls, items));
        let lines: Vec<Line> = messages
            .into_iter()
            .flat_map(|message| lines_of(message, None))
            .collect();
        let said = lines.iter().filter_map(Line::said);
        said.filter_map(Record::of_message).collect()
    }

    fn why(&self, record: &Record, path: &str, lost: &Lost) -> Why {
        if !path.is_empty() {
            return self.system.why(path, lost);
        }
        match self.branch.standing(record) {
            Standing::Dead => Why::DeadBranch,
            Standing::Summarised => Why::Superseded,
            Standing::Subagent => Why::Subagent,
            Standing::Live if says(record) => self.system.why(path, lost),
            Standing::Live | Standing::Beside => Why::Envelope,
        }
    }
}

/// The messages on a branch: each of the model's is one, and the answers of
/// its tools are one behind it. A summary comes before what the model has
/// behind it, which was there before. `call` is the tool call that started the
/// sub-agent, where it is one's.
#[must_use]
pub fn messages(records: &[Record], branch: &Branch, call: Option<&str>) -> Vec<Message> {
    let is_live = |record: &&Record| says(record) && branch.standing(record) == Standing::Live;
    let mut live: Vec<&Record> = records.iter().filter(is_live).collect();
    let is_summary = |record: &&Record| matches!(record.entry(), Entry::User(entry) if entry.author() == Author::Summary);
    let kept = live.iter().position(|record| branch.is_kept(record));
    if let (Some(kept), Some(summary)) = (kept, live.iter().rposition(is_summary)) {
        live[kept..=summary.max(kept)].rotate_right(1);
    }
    let mut current = Current::default();
    let mut together = Vec::new();
    let mut messages = Vec::new();
    for record in live {
        if !current.takes(record) {
            messages.extend(messages_of(&std::mem::take(&mut together)));
        }
        together.extend(record.message(call));
    }
    messages.extend(messages_of(&together));
    messages
}
