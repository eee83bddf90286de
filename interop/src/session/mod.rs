//! The lines of a session as a conversation.
//!
//! What is said in a session does not stand there as it was said to the model.
//! Here it does:
//!
//! - an assistant's message, which comes a block a line, is one message again
//!   (by `message.id`), and the answers of its tools are one message behind it,
//!   with what users said meanwhile behind that;
//! - sub-agents are conversations of their own, by the tool call that started
//!   them ([`Session::of`]);
//! - messages whose place another one took are left out ([`Superseded`]); of a
//!   prompt that the agent says again when it takes it up, that is the place;
//! - a call that never got an answer gets one that says so, and an answer
//!   nobody asked for is left out, because models refuse both.
//!
//! [`Session`] is a [`Direction`], so all that is left out is among the losses
//! and in the residue, with which the lines come back to the last one.

mod chunk;
mod line;

pub use line::Line;

use crate::conversion::{Direction, Lost, System, Why, read, write};
use crate::{Calls, Message};
use chunk::Chunk;
pub(crate) use chunk::{lines_of, messages_of};
use std::collections::HashSet;

/// The lines whose place other lines took. They have to be known before the
/// lines are converted, because a line says it of those before it.
#[derive(Debug, Clone, Default)]
pub struct Superseded {
    /// Lines whose place others took.
    replaced: HashSet<Box<str>>,
    /// Prompts that the agent said again, when it took them up: that is their
    /// place, and not where the host wrote them.
    echoed: HashSet<Box<str>>,
}

impl Superseded {
    /// Notes what a line says of others.
    pub fn note(&mut self, line: &Line) {
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

/// The lines of a session, to another system and back.
#[derive(Debug, Clone)]
pub struct Session<S> {
    system: S,
    thread: Option<Box<str>>,
    superseded: Superseded,
}

impl<S: System> Session<S> {
    /// What was said to the main agent and by it.
    pub fn new(system: S) -> Self {
        Self {
            system,
            thread: None,
            superseded: Superseded::default(),
        }
    }

    /// What was said to a sub-agent and by it: the tool call that started it.
    #[must_use]
    pub fn of(mut self, tool_use_id: impl Into<String>) -> Self {
        self.thread = Some(tool_use_id.into().into());
        self
    }

    /// Leaves out these lines.
    #[must_use]
    pub fn without(mut self, superseded: Superseded) -> Self {
        self.superseded = superseded;
        self
    }

    /// Whether a line is part of this conversation.
    fn has(&self, line: &Line) -> bool {
        line.said().is_some()
            && line.thread() == self.thread.as_deref()
            && !self.superseded.has(line)
    }
}

impl<S: System> Direction for Session<S> {
    type From = Line;
    type To = S::Item;
    type Together = Chunk;

    fn goes_on(&self, together: &mut Chunk, _: &[Line], next: &Line) -> bool {
        together.takes(next, self.has(next))
    }

    fn forth(&self, calls: &mut Calls, lines: &[Line]) -> Vec<S::Item> {
        let said = lines.iter().filter(|line| self.has(line));
        write(
            &self.system,
            calls,
            &messages_of(said.filter_map(Line::said)),
        )
    }

    fn belongs(&self, before: &[S::Item], next: &S::Item) -> bool {
        self.system.joins(before, next)
    }

    fn back(&self, calls: &mut Calls, items: &[S::Item]) -> Vec<Line> {
        let messages = read(&self.system, calls, items);
        messages
            .into_iter()
            .flat_map(|message| lines_of(message, self.thread.as_deref()))
            .collect()
    }

    fn why(&self, line: &Line, path: &str, lost: &Lost) -> Why {
        if !path.is_empty() {
            return match path {
                "/aborted" => Why::Aborted,
                _ => self.system.why(path, lost),
            };
        }
        if line.said().is_none() {
            Why::Envelope
        } else if self.superseded.has(line) {
            Why::Superseded
        } else if line.thread() != self.thread.as_deref() {
            Why::Subagent
        } else {
            self.system.why(path, lost)
        }
    }
}

/// The messages of a session's lines: what was said to the main agent and by
/// it, or to a sub-agent that a tool call started.
#[must_use]
pub fn messages(lines: &[Line], thread: Option<&str>) -> Vec<Message> {
    let mut superseded = Superseded::default();
    for line in lines {
        superseded.note(line);
    }
    let mut chunk = Chunk::default();
    let mut together = Vec::new();
    let mut messages = Vec::new();
    for line in lines {
        let said = line.said().filter(|_| line.thread() == thread);
        let said = said.filter(|_| !superseded.has(line));
        if !chunk.takes(line, said.is_some()) {
            messages.extend(messages_of(together.drain(..)));
        }
        together.extend(said);
    }
    messages.extend(messages_of(together.drain(..)));
    messages
}
