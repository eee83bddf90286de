//! Lists the messages of a transcript like the official SDK.

mod answered;
mod chain;
mod compacted;
mod delivered;
mod fork;
mod graph;
mod hidden;
mod lines;
mod queued;
mod row;
mod shown;
mod trailing;
mod value;

pub use fork::{Fork, ForkError};

use crate::{Json, Members, Message};
use chain::Chain;
use delivered::Delivered;
use graph::Graph;
use hidden::HostRow;
use lines::objects;
use row::{Row, voice_message};
use std::collections::HashSet;

/// A selection of messages of a transcript.
///
/// ```
/// use agentwire_protocol::transcript::MessageSelection;
///
/// let second_page = MessageSelection::new().limit(50).offset(50);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageSelection {
    system: bool,
    limit: Option<usize>,
    offset: usize,
}

impl MessageSelection {
    /// Selects all messages of the user and of the model.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects system messages, too, such as the boundary of a compaction. Like
    /// the official SDK, returns their ID and time, but not their content. Has
    /// no effect on sub-agents, which have no system messages.
    #[must_use]
    pub fn system_messages(mut self, system: bool) -> Self {
        self.system = system;
        self
    }

    /// Sets the maximum number of messages. The default, also for 0, is no
    /// limit.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit).filter(|limit| *limit > 0);
        self
    }

    /// Sets the number of messages to skip. Default: 0.
    #[must_use]
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    fn of<T>(self, all: impl Iterator<Item = T>) -> Vec<T> {
        all.skip(self.offset)
            .take(self.limit.unwrap_or(usize::MAX))
            .collect()
    }
}

/// Returns the messages of a session's transcript that lead to the last message
/// of the main conversation, like `getSessionMessages` of the official
/// TypeScript SDK. Omits messages before a compaction, unless the compaction
/// preserved them. Skips lines that are not JSON.
///
/// If a transcript is larger than 5 MiB, only the part after the last
/// compaction is read.
#[must_use]
pub fn session_messages(text: &[u8], selection: MessageSelection) -> Vec<Message> {
    let lines = Lines::read(
        compacted::since_compaction(text),
        &["user", "assistant", "progress", "system", "attachment"],
    );
    let mut graph = Graph::new(&lines.rows);
    let chain = Chain::of(&mut graph);
    let trailing = trailing::queued_behind(&graph, &lines.rows, &chain);
    let uuids: HashSet<_> = trailing
        .iter()
        .map(|row| lines.rows[*row].uuid.clone())
        .collect();
    let live: Vec<&Row> = chain.rows.iter().map(|row| graph.rows[*row]).collect();
    let parents = chain
        .rows
        .iter()
        .filter_map(|row| graph.parents[*row].as_deref());
    let mut rows = hidden::with_hidden(&lines.rows, &live, &parents.collect());
    rows = hidden::with_host_rows(rows, &lines.rows, &lines.host);
    rows.extend(trailing.into_iter().map(|row| lines.rows[row].clone()));
    let rows = queued::with_queued(rows, false, &uuids, &lines.delivered);
    let shown = rows
        .into_iter()
        .filter(|row| shown::is_shown(row, selection.system));
    let rows = hidden::as_sent(shown.collect());
    selection.of(rows.iter().map(|row| shown::message(row, None, None)))
}

/// Returns the messages of a sub-agent's transcript, like `getSubagentMessages` of
/// the official TypeScript SDK. `meta` is the content of the file
/// `agent-ID.meta.json`, which names the tool call that started the sub-agent.
#[must_use]
pub fn subagent_messages(
    text: &[u8],
    meta: Option<&[u8]>,
    selection: MessageSelection,
) -> Vec<Message> {
    let lines = Lines::read(text, &["user", "assistant", "attachment"]);
    let graph = Graph::new(&lines.rows);
    let chain = graph.chain_of_agent(&lines.rows);
    let parents = chain.iter().filter_map(|row| row.parent.as_deref());
    let mut rows = hidden::with_hidden(&lines.rows, &chain, &parents.collect());
    rows = hidden::with_host_rows(rows, &lines.rows, &lines.host);
    let rows = queued::with_queued(rows, true, &HashSet::new(), &Delivered::default());
    let rows = hidden::as_sent(rows.into_iter().filter(Row::is_message).collect());
    let meta: Option<Json> = meta.and_then(|it| String::from_utf8_lossy(it).parse().ok());
    let member = |name: &str| meta.as_ref().and_then(|it| it.member(name));
    let call = value::run_id(member("toolUseId").as_ref());
    let parent = value::string(member("parentAgentId").as_ref());
    let parent = parent.filter(|id| value::is_agent_id(id));
    selection.of(rows
        .iter()
        .map(|row| shown::message(row, call.as_deref(), parent.as_deref())))
}

/// The content of a transcript's lines.
struct Lines {
    rows: Vec<Row>,
    host: Vec<HostRow>,
    delivered: Delivered,
}

impl Lines {
    /// Reads the lines. Only lines of the given types become rows.
    fn read(text: &[u8], kinds: &[&str]) -> Self {
        let mut lines = Self {
            rows: Vec::new(),
            host: Vec::new(),
            delivered: Delivered::default(),
        };
        for members in objects(text) {
            lines.note(members, kinds);
        }
        lines.delivered.settle();
        lines
    }

    fn note(&mut self, members: Members, kinds: &[&str]) {
        let members = voice_message(members);
        if let Some(host) = HostRow::of(&members) {
            self.host.push(host);
        }
        self.delivered.note(&members);
        if kinds
            .iter()
            .any(|kind| value::is(members.get("type"), kind))
            && let Some(row) = Row::of(members)
        {
            self.rows.push(row);
        }
    }
}
