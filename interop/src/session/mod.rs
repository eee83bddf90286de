//! Converts the lines of a session.
//!
//! - Lines of one message of the model become one message. They are recognized by `message.id`,
//!   otherwise by the order of thinking, texts and calls. The results of its calls are one message
//!   after it. Then follow user messages that were sent in between.
//! - Sub-agents are separate conversations, by tool call or by ID ([`Session::of`]).
//! - Superseded messages are removed ([`Superseded`]). A prompt counts where the agent
//!   echoes it.
//! - A call without a result gets a [`PLACEHOLDER`], and a result without a call is removed,
//!   because APIs refuse both. A placeholder is a loss, and is never read as a result.
//!
//! [`Session`] is a [`Direction`]. Everything that it removes is a loss and is part of the residue.

mod chunk;
mod line;
mod placeholder;
mod thread;

pub use line::Line;
pub use placeholder::PLACEHOLDER;

use crate::conversion::{Direction, Lost, Outline, System, Unanswered, Why, read, write};
use crate::{Calls, Message, author};
use chunk::Chunk;
pub(crate) use chunk::{lines_of, messages_of, unanswered};
pub(crate) use placeholder::{is_placeholder, without_placeholders};
use std::borrow::Cow;
use std::collections::HashSet;
use thread::Agents;

/// Relations between lines that must be known before the conversion: which lines are superseded,
/// and the IDs of sub-agents.
#[derive(Debug, Clone, Default)]
pub struct Superseded {
    agents: Agents,
    /// The IDs of superseded lines.
    replaced: HashSet<Box<str>>,
    /// The prompts that the agent echoed when it started with them. The echo counts in place of the
    /// prompt.
    echoed: HashSet<Box<str>>,
}

impl Superseded {
    /// Adds a line.
    pub fn note(&mut self, line: &Line) {
        self.agents.note(line);
        for uuid in line.supersedes() {
            self.replaced.insert(uuid.as_str().into());
        }
        if let (true, Some(uuid)) = (line.is_echo(), line.uuid()) {
            self.echoed.insert(uuid.into());
        }
    }

    fn has(&self, line: &Line) -> bool {
        line.uuid().is_some_and(|uuid| {
            self.replaced.contains(uuid) || (!line.is_echo() && self.echoed.contains(uuid))
        })
    }
}

/// Converts the lines of a session to another system and back.
#[derive(Debug, Clone)]
pub struct Session<S> {
    system: S,
    thread: Option<Box<str>>,
    superseded: Superseded,
}

impl<S: System> Session<S> {
    /// Selects the main agent.
    pub fn new(system: S) -> Self {
        Self {
            system,
            thread: None,
            superseded: Superseded::default(),
        }
    }

    /// Selects a sub-agent by the tool call that started it, or by its ID.
    #[must_use]
    pub fn of(mut self, thread: impl Into<String>) -> Self {
        self.thread = Some(thread.into().into());
        self
    }

    /// Omits superseded lines, and resolves the IDs of sub-agents.
    #[must_use]
    pub fn without(mut self, superseded: Superseded) -> Self {
        self.superseded = superseded;
        self
    }

    fn lines(&self) -> Lines<'_> {
        Lines {
            thread: self.thread.as_deref(),
            superseded: &self.superseded,
        }
    }
}

/// A selection of the lines of a conversation.
#[derive(Clone, Copy)]
struct Lines<'a> {
    thread: Option<&'a str>,
    superseded: &'a Superseded,
}

impl Lines<'_> {
    /// Returns whether the IDs of a line belong to this conversation.
    fn is_in_thread(self, line: &Line) -> bool {
        self.superseded.agents.is_in_thread(line, self.thread)
    }

    /// Returns whether a line belongs to this conversation. Results that name their call are
    /// excluded.
    fn has(self, line: &Line) -> bool {
        line.message().is_some() && self.is_in_thread(line) && !self.superseded.has(line)
    }

    /// Returns whether a line belongs to the chunk.
    fn continues(self, chunk: &mut Chunk, line: &Line) -> bool {
        if line.ends_turn() {
            if self.is_in_thread(line) {
                chunk.end_turn();
            }
            return true;
        }
        let is_included = match thread::own_call(line) {
            Some(call) => chunk.has_call(call) && !self.superseded.has(line),
            None => self.has(line),
        };
        chunk.takes(line, is_included)
    }

    /// Selects the lines of this conversation in a chunk.
    fn messages(self, lines: &[Line]) -> impl Iterator<Item = (usize, &Message)> {
        let indices = thread::conversation_lines(lines, |line| self.has(line));
        let indices = indices.into_iter();
        indices.filter_map(|index| Some((index, lines.get(index)?.message()?)))
    }
}

impl<S: System> Direction for Session<S> {
    type From = Line;
    type To = S::Item;
    type State = Chunk;

    fn read(outline: &Outline) -> serde_json::Result<Line> {
        Ok(Line::of_outline(outline))
    }

    fn continues(&self, state: &mut Chunk, _: &[Line], next: &Line) -> bool {
        self.lines().continues(state, next)
    }

    fn convert(&self, calls: &mut Calls, lines: &[Line]) -> Vec<S::Item> {
        let messages = self.lines().messages(lines).map(|(_, message)| message);
        write(&self.system, calls, messages_of(messages))
    }

    fn outside(&self, lines: &[Line]) -> Vec<bool> {
        let mut outside = vec![true; lines.len()];
        for (index, _) in self.lines().messages(lines) {
            if let Some(outside) = outside.get_mut(index) {
                *outside = false;
            }
        }
        outside
    }

    fn authors(&self, lines: &[Line]) -> Vec<(usize, String)> {
        match self.system.has_authors() {
            true => Vec::new(),
            false => author::other_authors(self.lines().messages(lines)),
        }
    }

    fn unanswered(&self, lines: &[Line]) -> Vec<Unanswered> {
        unanswered(self.lines().messages(lines))
    }

    fn output_continues(&self, before: &[S::Item], next: &S::Item) -> bool {
        self.system.joins(before, next)
    }

    fn convert_back(&self, calls: &mut Calls, items: &[S::Item]) -> Vec<Line> {
        let messages = without_placeholders(read(&self.system, calls, items));
        messages
            .into_iter()
            .flat_map(|message| lines_of(message, self.thread.as_deref()))
            .collect()
    }

    // A result has a place if its call has one.
    fn why(&self, line: &Line, path: &str, lost: &Lost) -> Why {
        if !path.is_empty() {
            return match path {
                "/aborted" => Why::Aborted,
                _ if *lost == Lost::Item("tool_result".to_owned()) => Why::Unpaired,
                _ => self.system.why(path, lost),
            };
        }
        let Some(message) = line.message() else {
            return Why::Envelope;
        };
        let is_own = thread::own_call(line).is_some() && self.thread.is_none();
        if self.superseded.has(line) {
            Why::Superseded
        } else if !is_own && !self.lines().is_in_thread(line) {
            Why::Subagent
        } else if chunk::is_results(message) {
            Why::Unpaired
        } else {
            self.system.why(path, lost)
        }
    }
}

/// Returns the messages of the main agent, or of the sub-agent that a tool call started.
#[must_use]
pub fn messages(lines: &[Line], thread: Option<&str>) -> Vec<Message> {
    let mut superseded = Superseded::default();
    for line in lines {
        superseded.note(line);
    }
    let conversation = Lines {
        thread,
        superseded: &superseded,
    };
    let mut chunk = Chunk::default();
    let mut first = 0;
    let mut messages = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if !conversation.continues(&mut chunk, line) {
            let chunk_lines = conversation.messages(&lines[first..index]);
            let merged = messages_of(chunk_lines.map(|(_, message)| message));
            messages.extend(merged.into_iter().map(Cow::into_owned));
            first = index;
        }
    }
    let lines = conversation.messages(&lines[first..]);
    let merged = messages_of(lines.map(|(_, message)| message));
    messages.extend(merged.into_iter().map(Cow::into_owned));
    messages
}
