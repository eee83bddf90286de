//! The conversation that a line belongs to: the main agent's, or a sub-agent's.

use super::line::Line;
use std::collections::{HashMap, HashSet};

/// The sub-agents of a session, by their ids. A line names its sub-agent by the
/// tool call that started it, by the sub-agent's id, or by both.
#[derive(Debug, Clone, Default)]
pub(super) struct Agents(HashMap<Box<str>, Box<str>>);

impl Agents {
    /// Notes the tool call that started a sub-agent. A sub-agent that is resumed
    /// by a later call is still the conversation of the first one.
    pub(super) fn note(&mut self, line: &Line) {
        if let (Some(agent), Some(call)) = (line.agent(), line.parent()) {
            self.0.entry(agent.into()).or_insert_with(|| call.into());
        }
    }

    /// Whether a line names this thread. Results that name their own call are not
    /// told apart here, see [`said`].
    pub(super) fn names(&self, line: &Line, thread: Option<&str>) -> bool {
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

/// The call that a line's results belong to, if the line names that call as its
/// parent. Some agents write all results so; a sub-agent's result never has the
/// id of the call that started the sub-agent.
pub(super) fn own_call(line: &Line) -> Option<&str> {
    let parent = line.parent()?;
    let message = line.said()?;
    let crate::Message::User(message) = message else {
        return None;
    };
    let mut results = message.tool_results().peekable();
    results.peek()?;
    results
        .all(|result| result.tool_use_id == parent)
        .then_some(parent)
}

/// The tool calls that a line makes.
pub(super) fn calls(line: &Line) -> impl Iterator<Item = &str> {
    let blocks = match line.said() {
        Some(crate::Message::Assistant(message)) => &message.message.content[..],
        _ => &[],
    };
    blocks
        .iter()
        .filter_map(|block| block.as_tool_use().map(|call| &*call.id))
}

/// The indices of the lines that are part of a conversation, of lines that are
/// read together: those that `has` has, and results that name their own call,
/// where the call is among them.
pub(super) fn said(lines: &[Line], has: impl Fn(&Line) -> bool) -> Vec<usize> {
    let mut is_said: Vec<bool> = lines
        .iter()
        .map(|line| own_call(line).is_none() && has(line))
        .collect();
    let called: HashSet<&str> = lines
        .iter()
        .zip(&is_said)
        .filter(|(_, is_said)| **is_said)
        .flat_map(|(line, _)| calls(line))
        .collect();
    for (line, is_said) in lines.iter().zip(&mut is_said) {
        *is_said |= own_call(line).is_some_and(|call| called.contains(call));
    }
    let all = is_said.into_iter().enumerate();
    all.filter_map(|(index, is_said)| is_said.then_some(index))
        .collect()
}
