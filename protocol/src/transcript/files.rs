//! The files of transcripts: which of them belong together.

use super::entry::Entry;
use super::record::Record;
use super::tree::{Branch, History, Tree};
use crate::open::object;
use crate::{Json, Members};
use std::collections::BTreeMap;

/// Which file of which session a path is, as the agent lays them out under
/// `projects/` in its directory: `KEY/SESSION.jsonl`, and for sub-agents
/// `KEY/SESSION/subagents/agent-ID.jsonl`, with `agent-ID.meta.json` beside
/// it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Place {
    /// The project's key.
    pub project: String,
    /// The session.
    pub session: String,
    /// The sub-agent, where it is one's.
    pub agent: Option<String>,
    /// Whether it is what is known of the sub-agent, and not its transcript.
    pub is_meta: bool,
}

impl Place {
    /// Which file a path is; nothing, when it is none of a transcript. It may
    /// have anything before `KEY`, and either kind of slash.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.split(['/', '\\']).collect();
        let (file, folders) = parts.split_last()?;
        let (stem, is_meta) = match (file.strip_suffix(".jsonl"), file.strip_suffix(".meta.json")) {
            (Some(stem), _) => (stem, false),
            (_, Some(stem)) => (stem, true),
            _ => return None,
        };
        let (project, session, agent) = match folders.iter().rposition(|it| *it == "subagents") {
            Some(at) => {
                let agent = stem.strip_prefix("agent-")?;
                let session = folders.get(at.checked_sub(1)?)?;
                (folders.get(at.checked_sub(2)?)?, *session, Some(agent))
            }
            None if is_meta => return None,
            None => (folders.last()?, stem, None),
        };
        let is_name = |name: &str| !matches!(name, "" | "." | "..");
        ([project, session].iter().all(|it| is_name(it)) && agent.is_none_or(is_name)).then(|| {
            Self {
                project: (*project).to_owned(),
                session: session.to_owned(),
                agent: agent.map(str::to_owned),
                is_meta,
            }
        })
    }
}

object! {
    /// What the agent writes down of a sub-agent.
    #[derive(Default)]
    pub struct AgentMeta {
        /// Its kind.
        pub agent_type: Option<String> = "agentType",
        /// Whether that kind comes with the agent.
        pub is_built_in: Option<bool> = "isBuiltIn",
        /// Its task, in a few words.
        pub description: Option<String>,
        /// The tool call that started it.
        pub tool_use_id: Option<String> = "toolUseId",
        /// How many agents are above it.
        pub spawn_depth: Option<u64> = "spawnDepth",
        /// How it was asked for: `foreground` or `background`.
        pub request_shape: Option<String> = "requestShape",
        /// Whether the run had no user to ask.
        pub request_non_interactive: Option<bool> = "requestNonInteractive",
        /// Whether it was started as the agent does it by itself.
        pub launched_with_defaults: Option<bool> = "launchedWithDefaults",
        /// Its model.
        pub model: Option<String>,
        /// The model whose effort was taken.
        pub picked_effort_model: Option<String> = "pickedEffortModel",
        /// Whether it is done.
        pub finished: Option<bool>,
        /// Whether a person stopped it.
        pub stopped_by_user: Option<bool> = "stoppedByUser",
    }
}

/// The files of one session.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The main agent's transcript.
    pub main: Vec<Record>,
    /// The sub-agents, by their ids.
    pub agents: BTreeMap<String, AgentFiles>,
    /// The lines that are no JSON, such as one that was cut off: its file, its
    /// number from 1 on, and what is wrong with it.
    pub unread: Vec<Unread>,
}

/// A line that is no JSON, or that has more than a record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unread {
    /// The sub-agent whose file it is in.
    pub agent: Option<String>,
    /// Its number, from 1 on.
    pub line: usize,
    /// What is wrong.
    pub error: String,
}

/// The files of a sub-agent.
#[derive(Debug, Clone, Default)]
pub struct AgentFiles {
    /// Its transcript.
    pub records: Vec<Record>,
    /// What is known of it.
    pub meta: Option<AgentMeta>,
}

/// The sessions in a directory, by their project and their id.
#[derive(Debug, Clone, Default)]
pub struct Directory(pub BTreeMap<(String, String), Files>);

impl Directory {
    /// Takes a file. Those that are none of a transcript are left out, which
    /// is the answer.
    pub fn add(&mut self, path: &str, text: &str) -> bool {
        let Some(place) = Place::of(path) else {
            return false;
        };
        let key = (place.project.clone(), place.session.clone());
        self.0.entry(key).or_default().add(&place, text);
        true
    }
}

impl Files {
    /// Takes a file of this session.
    pub fn add(&mut self, place: &Place, text: &str) {
        if let (Some(agent), true) = (&place.agent, place.is_meta) {
            let agent = self.agents.entry(agent.clone()).or_default();
            agent.meta = serde_json::from_str(text).ok();
            return;
        }
        let mut records = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            // The agent reads the first record of a line, and nothing behind it.
            let mut values = serde_json::Deserializer::from_str(line).into_iter::<Record>();
            let error = match values.next() {
                Some(Ok(record)) => {
                    records.push(record);
                    let rest = line.get(values.byte_offset()..).unwrap_or_default();
                    (!rest.trim().is_empty()).then(|| "there is more behind the record".to_owned())
                }
                Some(Err(error)) => Some(error.to_string()),
                None => None,
            };
            self.unread.extend(error.map(|error| Unread {
                agent: place.agent.clone(),
                line: index + 1,
                error,
            }));
        }
        match &place.agent {
            Some(agent) => self.agents.entry(agent.clone()).or_default().records = records,
            None => self.main = records,
        }
    }

    /// The tool call that started a sub-agent: what was written down of it,
    /// or else the call whose answer names it.
    #[must_use]
    pub fn call_of(&self, agent: &str) -> Option<String> {
        let meta = self.agents.get(agent).and_then(|it| it.meta.as_ref());
        let written = meta.and_then(|meta| meta.tool_use_id.clone());
        written.or_else(|| {
            let all = self.agents.values().flat_map(|it| &it.records);
            self.main
                .iter()
                .chain(all)
                .find_map(|record| answers(record, agent))
        })
    }

    /// Returns the sub-agent that started this one; none if the main agent did,
    /// or if the call that started it is not in the files.
    #[must_use]
    pub fn parent_of(&self, agent: &str) -> Option<&str> {
        let call = self.call_of(agent)?;
        let parent = self.agents.iter().find(|(id, files)| {
            **id != agent && files.records.iter().any(|it| calls_tool(it, &call))
        });
        parent.map(|(id, _)| &**id)
    }

    /// Returns the live branch of the main agent's transcript, or of a
    /// sub-agent's.
    #[must_use]
    pub fn branch(&self, agent: Option<&str>, history: History) -> Branch {
        let (mut tree, records) = match agent {
            None => (Tree::default(), Some(&self.main)),
            Some(agent) => {
                let files = self.agents.get(agent);
                (Tree::of_agent(agent), files.map(|it| &it.records))
            }
        };
        for record in records.into_iter().flatten() {
            tree.note(record);
        }
        tree.branch(history)
    }
}

/// The call that a record answers with the word of this sub-agent.
fn answers(record: &Record, agent: &str) -> Option<String> {
    let Entry::User(entry) = record.entry() else {
        return None;
    };
    let data: Members = entry.tool_use_result.as_ref().map(Json::read)?.ok()?;
    if data.get_str("agentId").as_deref() != Some(agent) {
        return None;
    }
    let content = entry.message.content.as_ref()?;
    Some(content.tool_results().next()?.tool_use_id.clone())
}

/// Whether a record has this call.
fn calls_tool(record: &Record, call: &str) -> bool {
    let Entry::Assistant(entry) = record.entry() else {
        return false;
    };
    let mut calls = entry
        .message
        .content
        .iter()
        .filter_map(|block| block.as_tool_use());
    calls.any(|it| it.id == call)
}
