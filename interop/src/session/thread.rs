//! Finds the agent to which a line belongs.

use super::line::Line;
use std::collections::{HashMap, HashSet};

/// The tool calls that started sub-agents, by agent ID. A line names the call, the agent ID or
/// both.
#[derive(Debug, Clone, Default)]
pub(super) struct Agents(HashMap<Box<str>, Box<str>>);

impl Agents {
    /// Adds the call that started a sub-agent. Later calls resume the same conversation.
    pub(super) fn note(&mut self, line: &Line) {
        if let (Some(agent), Some(call)) = (line.agent(), line.parent()) {
            self.0.entry(agent.into()).or_insert_with(|| call.into());
        }
    }

    /// Returns whether a line belongs to this thread. Results that name their call are excluded,
    /// see [`conversation_lines`].
    pub(super) fn is_in_thread(&self, line: &Line, thread: Option<&str>) -> bool {
        let (agent, parent) = (line.agent(), line.parent());
        match thread {
            None => agent.is_none() && parent.is_none(),
            Some(thread) => match agent {
                Some(agent) => {
                    agent == thread
                        || match self.0.get(agent) {
                            Some(call) => **call == *thread,
                            None => parent == Some(thread),
                        }
                }
                None => parent == Some(thread),
            },
        }
    }
}

/// Returns the call of a line's results, if the line names this call as its parent. Some agents
/// write all results this way. A result in a sub-agent never has the call that started the
/// sub-agent.
pub(super) fn own_call(line: &Line) -> Option<&str> {
    let parent = line.parent()?;
    let message = line.message()?;
    let crate::Message::User(message) = message else {
        return None;
    };
    let mut results = message.tool_results().peekable();
    results.peek()?;
    results
        .all(|result| result.tool_use_id == parent)
        .then_some(parent)
}

/// Returns the calls of a line.
pub(super) fn calls(line: &Line) -> impl Iterator<Item = &str> {
    let blocks = match line.message() {
        Some(crate::Message::Assistant(message)) => &message.message.content[..],
        _ => &[],
    };
    blocks
        .iter()
        .filter_map(|block| block.as_tool_use().map(|call| &*call.id))
}

/// Returns the indices of a conversation's lines in a chunk: the lines that `has` selects, and
/// results that name their call if the call is among these lines.
pub(super) fn conversation_lines(lines: &[Line], has: impl Fn(&Line) -> bool) -> Vec<usize> {
    let mut is_included: Vec<bool> = lines
        .iter()
        .map(|line| own_call(line).is_none() && has(line))
        .collect();
    let called: HashSet<&str> = lines
        .iter()
        .zip(&is_included)
        .filter(|(_, is_included)| **is_included)
        .flat_map(|(line, _)| calls(line))
        .collect();
    for (line, is_included) in lines.iter().zip(&mut is_included) {
        *is_included |= own_call(line).is_some_and(|call| called.contains(call));
    }
    let all = is_included.into_iter().enumerate();
    all.filter_map(|(index, is_included)| is_included.then_some(index))
        .collect()
}
