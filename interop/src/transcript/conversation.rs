//! Conversations of a session with sub-agents.

use super::read::messages;
use crate::Message;
use agentwire_protocol::transcript::{Files, History};

/// A conversation, and the conversations of its sub-agents.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Conversation {
    /// The messages of the conversation.
    pub messages: Vec<Message>,
    /// The sub-agents, in the order of their IDs.
    pub agents: Vec<Subagent>,
}

/// A sub-agent's conversation.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Subagent {
    /// The sub-agent's ID.
    pub id: String,
    /// The tool call that started the sub-agent, if it is known.
    pub call: Option<String>,
    /// The conversation of the sub-agent.
    pub conversation: Conversation,
}

/// Returns the main agent's conversation on its live branch, with each sub-agent's
/// conversation under the agent that started it. A sub-agent whose call is unknown
/// is under the main agent.
#[must_use]
pub fn conversation(files: &Files, history: History) -> Conversation {
    let agents = files.agents.keys();
    let started: Vec<(&str, Option<&str>)> = agents
        .map(|agent| (&**agent, files.parent_of(agent)))
        .collect();
    let branch = files.branch(None, history);
    Conversation {
        messages: messages(&files.main, &branch, None),
        agents: subagents_of(None, files, &started, history),
    }
}

fn subagents_of(
    parent: Option<&str>,
    files: &Files,
    started: &[(&str, Option<&str>)],
    history: History,
) -> Vec<Subagent> {
    let children = started.iter().filter(|(_, by)| *by == parent);
    let children = children.filter_map(|(id, _)| {
        let records = &files.agents.get(*id)?.records;
        let call = files.call_of(id);
        let branch = files.branch(Some(id), history);
        Some(Subagent {
            id: (*id).to_owned(),
            conversation: Conversation {
                messages: messages(records, &branch, call.as_deref()),
                agents: subagents_of(Some(id), files, started, history),
            },
            call,
        })
    });
    children.collect()
}
