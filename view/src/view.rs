//! The view of a session, its changes and its snapshots.

use crate::change::{Change, Entries, Member, Numbered, TextMember};
use crate::entry::{Body, Delivery, Entry, EntryId, Session, Status};
use crate::fold::Fold;
use crate::input::Input;
use serde::Serialize;

/// The limits of a view, which bound its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The number of entries, with those of sub-agents. If there are more, the oldest finished
    /// ones are removed. Default: 10,000.
    pub entries: usize,
    /// The length of a tool's input, output or diff, and of a prompt, in bytes. Longer ones are
    /// cut in the middle. Default: 64 KiB.
    pub output: usize,
    /// The length of a text of the model, in bytes. Default: 4 MiB.
    pub text: usize,
    /// The length of the base64 of an image, in bytes. Larger ones have no data. Default: 2 MiB.
    pub image: usize,
    /// The length of the changes that [`View::since`] can return, in bytes. Default: 4 MiB.
    pub changes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 10_000,
            output: 64 * 1024,
            text: 4 * 1024 * 1024,
            image: 2 * 1024 * 1024,
            changes: 4 * 1024 * 1024,
        }
    }
}

/// The entries of a session, and the changes that lead to them.
///
/// See the [crate's page](crate) for an example.
#[derive(Debug, Clone, Default)]
pub struct View {
    pub(crate) entries: Entries,
    pub(crate) session: Session,
    pub(crate) limits: Limits,
    pub(crate) fold: Fold,
    log: Log,
}

/// All entries of a view, and the number of its last change.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot<'a>(&'a View);

/// The last changes.
#[derive(Debug, Clone, Default)]
struct Log {
    changes: Vec<Numbered>,
    /// The number of the last change.
    last: u64,
    /// The approximate length of `changes` in bytes.
    bytes: usize,
}

impl Log {
    fn push(&mut self, change: Change) {
        self.last += 1;
        self.bytes += change.size();
        self.changes.push(Numbered {
            number: self.last,
            change,
        });
    }

    /// Removes the first changes while all together exceed `most` bytes.
    fn shorten(&mut self, most: usize) {
        if self.bytes <= most {
            return;
        }
        // Half of the changes at once, so that each is moved once on average.
        let mut dropped = 0;
        while self.bytes > most / 2 && dropped < self.changes.len() {
            self.bytes -= self.changes[dropped].change.size();
            dropped += 1;
        }
        self.changes.drain(..dropped);
    }
}

impl View {
    /// Creates the view of a session that has no messages yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a view with these limits.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Applies a message or an event of a session. Returns the changes.
    ///
    /// Unknown messages cause no changes. Neither does a message that arrives again.
    pub fn push<'a>(&mut self, input: impl Into<Input<'a>>) -> &[Numbered] {
        // Before the new changes, which are returned whatever their length.
        self.log.shorten(self.limits.changes);
        let before = self.log.last;
        self.fold(&input.into());
        self.trim();
        self.since(before).unwrap_or_default()
    }

    /// Returns the entries of the main agent, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.of(None)
    }

    /// Returns the entries of the sub-agent with this entry, in order.
    pub fn children(&self, id: &str) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.of(Some(id))
    }

    /// Returns the entry with this ID.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// Returns the number of entries, with those of sub-agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the session's ID, title, model and activity.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the number of the last change, 0 before the first one.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.log.last
    }

    /// Returns the changes after the one with this number. Returns `None` if they are no longer
    /// there ([`Limits::changes`]), or if there was no such change: then take the
    /// [`snapshot`](Self::snapshot).
    #[must_use]
    pub fn since(&self, number: u64) -> Option<&[Numbered]> {
        let count = usize::try_from(self.log.last.checked_sub(number)?).ok()?;
        let first = self.log.changes.len().checked_sub(count)?;
        self.log.changes.get(first..)
    }

    /// Returns all entries, with the number of the last change.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot(self)
    }

    /// Applies and records a change.
    pub(crate) fn change(&mut self, change: Change) {
        if let Change::Session { session } = &change {
            self.session = Session::clone(session);
        }
        self.entries.apply(&change);
        self.log.push(change);
    }

    /// Adds an entry in front of the pending ones, unless it exists.
    pub(crate) fn insert(&mut self, id: EntryId, parent: Option<EntryId>, body: Body) {
        if self.entries.get(&id).is_some() {
            return;
        }
        let before = match body.is_last() {
            true => None,
            false => self.entries.first_pending(parent.as_deref()).cloned(),
        };
        let entry = Box::new(Entry { id, parent, body });
        self.change(Change::Insert { entry, before });
    }

    pub(crate) fn append(&mut self, id: EntryId, member: TextMember, text: String) {
        if !text.is_empty() {
            self.change(Change::Append { id, member, text });
        }
    }

    pub(crate) fn set(&mut self, id: &EntryId, set: Member) {
        let id = id.clone();
        self.change(Change::Set { id, set });
    }

    pub(crate) fn remove(&mut self, id: &EntryId) {
        if self.entries.get(id).is_some() {
            self.change(Change::Remove { id: id.clone() });
        }
    }

    /// Moves a pending entry in front of the other pending ones.
    pub(crate) fn move_to_end(&mut self, id: &EntryId) {
        let Some(entry) = self.entries.get(id).filter(|entry| entry.body.is_last()) else {
            return;
        };
        let parent = entry.parent.clone();
        let pending = self.entries.of(parent.as_deref());
        let before = pending
            .filter(|entry| entry.body.is_last() && entry.id != *id)
            .map(|entry| entry.id.clone())
            .next();
        let id = id.clone();
        self.change(Change::Move { id, before });
    }

    /// Removes the oldest finished entries while there are too many.
    fn trim(&mut self) {
        while self.entries.len() > self.limits.entries.max(1) {
            let Some(id) = self.oldest() else {
                return;
            };
            self.remove(&id);
        }
    }

    /// Returns the oldest finished entry. If many entries are not finished, returns the oldest one.
    /// If that is an unfinished sub-agent, returns its oldest entry.
    fn oldest(&self) -> Option<EntryId> {
        const MAX_CHECKED: usize = 64;
        let mut parents = vec![None];
        let mut first = None;
        while let Some(parent) = parents.pop() {
            for entry in self.entries.of(parent).take(MAX_CHECKED) {
                if entry.body.is_finished() {
                    return Some(entry.id.clone());
                }
                first = first.or(Some(&entry.id));
                if self.entries.of(Some(&entry.id)).next().is_some() {
                    parents.push(Some(&entry.id));
                }
            }
        }
        first.cloned()
    }
}

impl Snapshot<'_> {
    /// Returns the number of the last change. Changes [since](View::since) this one follow.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.0.number()
    }
}

/// Serializes an object with `number`, `session` and `entries`. The entries of a sub-agent follow
/// it.
impl Serialize for Snapshot<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut entries = Vec::with_capacity(self.0.len());
        let mut open = vec![self.0.entries.of(None)];
        while let Some(list) = open.last_mut() {
            let Some(entry) = list.next() else {
                open.pop();
                continue;
            };
            entries.push(entry);
            open.push(self.0.entries.of(Some(&entry.id)));
        }
        let mut snapshot = serializer.serialize_struct("Snapshot", 3)?;
        snapshot.serialize_field("number", &self.0.number())?;
        snapshot.serialize_field("session", &self.0.session)?;
        snapshot.serialize_field("entries", &entries)?;
        snapshot.end()
    }
}

impl Body {
    /// Returns whether the entry will not change any more.
    pub(crate) fn is_finished(&self) -> bool {
        let is_over = |status: Status| matches!(status, Status::Completed | Status::Failed);
        match self {
            Self::Prompt(it) => !matches!(it.delivery, Delivery::Sent | Delivery::Queued),
            Self::Text(it) | Self::Thought(it) => it.complete,
            Self::ToolCall(it) => {
                is_over(it.status) && !it.background.as_ref().is_some_and(|it| it.is_running)
            }
            Self::Plan(it) => is_over(it.status),
            Self::Question(it) => is_over(it.status),
            Self::SubAgent(it) => {
                is_over(it.status) && !it.background.as_ref().is_some_and(|it| it.is_running)
            }
            Self::Approval(_) => false,
            Self::Notice(_) | Self::TurnEnd(_) => true,
        }
    }
}
