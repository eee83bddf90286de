//! Adds parallel tool calls to a conversation. Each call of a message is a
//! record whose child is its result, and the conversation continues from one of
//! the results. The other calls and results also belong to the message.

use super::graph::Graph;
use super::row::Kind;
use std::collections::{HashMap, HashSet};

/// The record of a tool call, by the ID of the call.
enum Call {
    One(usize),
    /// Calls of several messages share this ID.
    Ambiguous,
}

struct Calls {
    /// The rows of each message of the model.
    of_message: HashMap<Box<str>, Vec<usize>>,
    by_id: HashMap<Box<str>, Call>,
    /// The results of a call's row. They are assigned by their parent, their
    /// content and the call that they name.
    answers: HashMap<usize, Vec<usize>>,
}

impl Calls {
    fn of(graph: &Graph<'_>) -> Self {
        let mut calls = Self {
            of_message: HashMap::new(),
            by_id: HashMap::new(),
            answers: HashMap::new(),
        };
        let mut results = Vec::new();
        for (at, row) in graph.rows.iter().enumerate() {
            if let Some(id) = row.message_id() {
                for call in row.calls() {
                    let is_same = match calls.by_id.get(&call) {
                        None => true,
                        Some(Call::One(of)) => graph.rows[*of].message_id().as_ref() == Some(&id),
                        Some(Call::Ambiguous) => false,
                    };
                    let call_is = if is_same {
                        Call::One(at)
                    } else {
                        Call::Ambiguous
                    };
                    calls.by_id.insert(call, call_is);
                }
                calls.of_message.entry(id).or_default().push(at);
            } else if row.has_result() && graph.names_parent(at) {
                results.push(at);
            }
        }
        for result in results {
            calls.note(graph, result);
        }
        calls
    }

    fn note(&mut self, graph: &Graph<'_>, result: usize) {
        let row = graph.rows[result];
        let is_same_agent = |of: &usize| {
            let other = graph.rows[*of];
            let side = |row: &super::row::Row| match row.get("isSidechain") {
                None => "false".to_owned(),
                Some(side) if side.is_null() => "false".to_owned(),
                Some(side) => side.get().to_owned(),
            };
            side(row) == side(other) && row.get("agentId") == other.get("agentId")
        };
        let source = row
            .get("sourceToolAssistantUUID")
            .filter(|it| super::value::is_string(it));
        let source = source.map(super::value::key);
        let source = source.filter(|it| Some(&**it) != graph.parents[result].as_deref());
        let source = source.and_then(|it| graph.by_uuid.get(&*it).copied());
        let answered = row.answers().into_iter().filter_map(|id| self.one(&id));
        let of: Vec<usize> = (graph.parent(result).into_iter())
            .chain(source.filter(is_same_agent))
            .chain(answered.filter(is_same_agent))
            .collect();
        for row in of {
            let answers = self.answers.entry(row).or_default();
            if !answers.contains(&result) {
                answers.push(result);
            }
        }
    }

    fn one(&self, id: &str) -> Option<usize> {
        match self.by_id.get(id) {
            Some(Call::One(row)) => Some(*row),
            _ => None,
        }
    }
}

/// Inserts the other calls and results after the last record of their message.
pub(super) fn with_parallel_calls(graph: &Graph<'_>, chain: Vec<usize>) -> Vec<usize> {
    let said = |row: &&usize| graph.rows[**row].kind == Kind::Assistant;
    if !chain.iter().any(|row| said(&row)) {
        return chain;
    }
    let calls = Calls::of(graph);
    let mut live: HashSet<usize> = chain.iter().copied().collect();
    let answered: HashSet<Box<str>> = chain
        .iter()
        .flat_map(|row| graph.rows[*row].answers())
        .collect();
    let mut last_of: HashMap<Box<str>, usize> = HashMap::new();
    let mut messages = Vec::new();
    for row in chain.iter().filter(said) {
        if let Some(id) = graph.rows[*row].message_id()
            && last_of.insert(id.clone(), *row).is_none()
        {
            messages.push(id);
        }
    }
    let mut added: HashMap<usize, Vec<usize>> = HashMap::new();
    for id in messages {
        let rows = &calls.of_message[&id];
        let mut said: Vec<usize> = rows
            .iter()
            .copied()
            .filter(|it| !live.contains(it))
            .collect();
        let mut answers = answers(graph, &calls, rows, &live, &answered);
        let when = |row: &usize| graph.rows[*row].timestamp();
        said.sort_by_cached_key(when);
        answers.sort_by_cached_key(when);
        said.append(&mut answers);
        live.extend(&said);
        added.insert(last_of[&id], said);
    }
    let with_added = chain.into_iter().flat_map(|row| {
        let added = added.remove(&row).unwrap_or_default();
        std::iter::once(row).chain(added)
    });
    with_added.collect()
}

/// Returns the results of a message's calls that are not in the conversation
/// yet. These are the children of a call, and other results of calls that have
/// none.
fn answers(
    graph: &Graph<'_>,
    calls: &Calls,
    rows: &[usize],
    live: &HashSet<usize>,
    answered: &HashSet<Box<str>>,
) -> Vec<usize> {
    let (mut near, mut far, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    let of_rows = rows
        .iter()
        .filter_map(|row| calls.answers.get(row))
        .flatten();
    for answer in of_rows.filter(|it| !live.contains(it)) {
        if !seen.insert(*answer) {
            continue;
        }
        let is_near = graph
            .parent(*answer)
            .is_some_and(|parent| rows.contains(&parent));
        if is_near { &mut near } else { &mut far }.push(*answer);
    }
    if far.is_empty() {
        return near;
    }
    let mut answered: HashSet<Box<str>> = answered.clone();
    answered.extend(near.iter().flat_map(|row| graph.rows[*row].answers()));
    far.sort_unstable();
    for answer in far {
        let ids = graph.rows[answer].answers();
        let is_of = |id: &str| calls.one(id).is_some_and(|row| rows.contains(&row));
        if ids.iter().any(|id| !answered.contains(id) && is_of(id)) {
            answered.extend(ids);
            near.push(answer);
        }
    }
    near
}
