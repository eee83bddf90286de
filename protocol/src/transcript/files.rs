//! Assigns the files of transcripts to sessions and sub-agents.

use super::entry::Entry;
use super::record::Record;
use super::tree::{Branch, History, Tree};
use crate::open::object;
use crate::{Json, Members};
use std::collections::BTreeMap;

/// The session and sub-agent to which the path of a file belongs. Below
/// `projects/` in its directory, the agent writes `KEY/SESSION.jsonl`. For
/// sub-agents, it writes `KEY/SESSION/subagents/agent-ID.jsonl`, and
/// `agent-ID.meta.json` in the same directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Place {
    /// The project's key.
    pub project: String,
    /// The ID of the session.
    pub session: String,
    /// The ID of the sub-agent. `None` for the main agent.
    pub agent: Option<String>,
    /// Whether the file contains the sub-agent's metadata, not its transcript.
    pub is_meta: bool,
}

impl Place {
    /// Parses a path. Returns `None` if the path is not that of a transcript's
    /// file. Accepts any prefix before `KEY`, and both kinds of slashes.
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
    /// The metadata of a sub-agent.
    #[derive(Default)]
    pub struct AgentMeta {
        /// The type of the sub-agent.
        pub agent_type: Option<String> = "agentType",
        /// Whether the sub-agent's type is built into the agent.
        pub is_built_in: Option<bool> = "isBuiltIn",
        /// A short description of the sub-agent's task.
        pub description: Option<String>,
        /// The ID of the tool call that started the sub-agent.
        pub tool_use_id: Option<String> = "toolUseId",
        /// The number of the sub-agent's ancestors.
        pub spawn_depth: Option<u64> = "spawnDepth",
        /// How the sub-agent was requested: `foreground` or `background`.
        pub request_shape: Option<String> = "requestShape",
        /// Whether the sub-agent was requested in a non-interactive run.
        pub request_non_interactive: Option<bool> = "requestNonInteractive",
        /// Whether the sub-agent was started with the agent's defaults.
        pub launched_with_defaults: Option<bool> = "launchedWithDefaults",
        /// The model of the sub-agent.
        pub model: Option<String>,
        /// The model whose effort was used.
        pub picked_effort_model: Option<String> = "pickedEffortModel",
        /// Whether the sub-agent has finished.
        pub finished: Option<bool>,
        /// Whether the user stopped the sub-agent.
        pub stopped_by_user: Option<bool> = "stoppedByUser",
    }
}

/// The files of one session.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The main agent's transcript.
    pub main: Vec<Record>,
    /// The files of sub-agents, by ID.
    pub agents: BTreeMap<String, AgentFiles>,
    /// The lines that could not be read, such as a truncated line.
    pub unread: Vec<Unread>,
}

/// A line that is not JSON, or that has more than one record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unread {
    /// The ID of the sub-agent whose file contains the line.
    pub agent: Option<String>,
    /// The number of the line, counted from 1.
    pub line: usize,
    /// The error.
    pub error: String,
}

/// The files of a sub-agent.
#[derive(Debug, Clone, Default)]
pub struct AgentFiles {
    /// The transcript of the sub-agent.
    pub records: Vec<Record>,
    /// The metadata of the sub-agent.
    pub meta: Option<AgentMeta>,
}

/// The sessions in a directory, by project and session ID.
#[derive(Debug, Clone, Default)]
pub struct Directory(pub BTreeMap<(String, String), Files>);

impl Directory {
    /// Adds a file. Returns `false`, and ignores the file, if it is not a file
    /// of a transcript.
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
    /// Adds a file of this session.
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
            // The agent reads only the first record of a line.
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

    /// Returns the ID of the tool call that started a sub-agent. It comes from
    /// the sub-agent's metadata, or else from the call whose result names the
    /// sub-agent.
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

    /// Returns the ID of the sub-agent that started this one. Returns `None` if
    /// the main agent started it, or if the call that started it is not in the
    /// files.
    #[must_use]
    pub fn parent_of(&self, agent: &str) -> Option<&str> {
        let call = self.call_of(agent)?;
        let parent = self.agents.iter().find(|(id, files)| {
            **id != agent && files.records.iter().any(|it| calls_tool(it, &call))
        });
        parent.map(|(id, _)| &**id)
    }

    /// Returns the live branch of a transcript. `agent` is the ID of the
    /// sub-agent, or `None` for the main agent.
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

/// Returns the ID of the tool call whose result the record is, if the result
/// names this sub-agent.
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

/// Returns whether a record contains this call.
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
