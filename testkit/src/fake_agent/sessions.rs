//! Stored sessions, in the format of the real CLI.

use super::flags::{Flags, OutputFormat};
use super::records::{Record, SubagentRecord};
use super::time::timestamp;
use agentwire_protocol::message::ModelUsage;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The type of the records with the usage of a session. The real CLI writes one
/// when it exits, unless it is killed, and at `/clear`.
const USAGE: &str = "cost-state";

/// The error of a session that cannot begin.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    /// The message for standard error.
    pub(super) why: String,
    /// The session ID for the result that the host gets. `None` for invalid
    /// flags, which have no result.
    pub(super) session_id: Option<String>,
}

impl Refusal {
    /// Creates the refusal of an invalid command line.
    pub(super) fn invalid_flags(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            session_id: None,
        }
    }
}

/// The sessions in a configuration directory.
#[derive(Debug)]
pub(super) struct Sessions {
    projects: PathBuf,
    cwd: String,
    /// The transcript of the resumed session.
    resumed: Option<PathBuf>,
    /// The UUID of the last record of each transcript.
    last: BTreeMap<PathBuf, String>,
    /// Records that complete the transcript of a killed process.
    repairs: Vec<Record>,
    /// The session and the metadata of each running sub-agent.
    subagents: BTreeMap<String, (String, Value)>,
    /// Whether the host gets the stored records (`--session-mirror`).
    is_mirrored: bool,
    /// The usage of the resumed session, by model.
    model_usage: BTreeMap<String, ModelUsage>,
    number: u64,
}

/// The session of this process, and its storage if sessions are stored.
#[derive(Debug, Default)]
pub(super) struct CurrentSession {
    pub(super) session_id: Option<String>,
    pub(super) sessions: Option<Sessions>,
    /// The usage of a resumed session, by model.
    pub(super) model_usage: BTreeMap<String, ModelUsage>,
}

impl Sessions {
    /// Finds or creates the session that the command line selects. `fresh_id`
    /// is the ID of a new session.
    pub(super) fn begin(
        flags: &Flags,
        config: Option<&Path>,
        cwd: &str,
        fresh_id: &str,
    ) -> Result<CurrentSession, Refusal> {
        let is_resumed = flags.resume.is_some() || flags.continue_session;
        if let Some(id) = &flags.session_id {
            if !is_uuid(id) {
                return Err(Refusal::invalid_flags("--session-id requires a UUID"));
            }
            if is_resumed && !flags.fork_session {
                return Err(Refusal::invalid_flags(
                    "--session-id with --resume or --continue requires --fork-session",
                ));
            }
        }
        if let Some(id) = flags.resume.as_ref().filter(|id| !is_uuid(id)) {
            return Err(Refusal {
                why: format!("{id:?} is not a UUID and does not match any session title"),
                session_id: Some(flags.session_id.as_deref().unwrap_or(fresh_id).to_owned()),
            });
        }
        let Some(config) = config else {
            let id = flags.session_id.clone().or_else(|| flags.resume.clone());
            return Ok(CurrentSession {
                session_id: id,
                ..CurrentSession::default()
            });
        };
        let mut sessions = Self {
            projects: config.join("projects"),
            cwd: cwd.to_owned(),
            resumed: None,
            last: BTreeMap::new(),
            repairs: vec![],
            subagents: BTreeMap::new(),
            model_usage: BTreeMap::new(),
            is_mirrored: flags.session_mirror && flags.output_format() == OutputFormat::StreamJson,
            number: 0,
        };
        let new_id = flags.session_id.as_deref().unwrap_or(fresh_id);
        if sessions.file(new_id).exists() {
            let why = format!("session {new_id} already exists");
            return Err(Refusal::invalid_flags(why));
        }
        let session_id = match sessions.session_to_resume(flags)? {
            None => new_id.to_owned(),
            Some(old) => sessions.resume(&old, flags, new_id)?,
        };
        Ok(CurrentSession {
            session_id: Some(session_id),
            model_usage: std::mem::take(&mut sessions.model_usage),
            sessions: (!flags.no_session_persistence).then_some(sessions),
        })
    }

    /// Returns the transcript of the session to resume.
    fn session_to_resume(&self, flags: &Flags) -> Result<Option<PathBuf>, Refusal> {
        if let Some(id) = &flags.resume {
            return self.find(id).map(Some).ok_or_else(|| Refusal {
                why: format!("No conversation found with session ID: {id}"),
                session_id: Some(id.clone()),
            });
        }
        // If there is no earlier session, a new session begins.
        Ok(flags.continue_session.then(|| self.newest()).flatten())
    }

    /// Resumes a session or its copy, from its end or from the message that the
    /// command line names. Returns the session ID.
    fn resume(&mut self, old: &Path, flags: &Flags, new_id: &str) -> Result<String, Refusal> {
        let old_id = old.file_stem().unwrap_or_default().to_string_lossy();
        let refuse = |why: String| Refusal {
            why,
            session_id: Some(old_id.clone().into_owned()),
        };
        let text = fs::read_to_string(old).map_err(|error| refuse(error.to_string()))?;
        let lines = text.lines().filter_map(|it| serde_json::from_str(it).ok());
        let mut records: Vec<Value> = lines.collect();
        if let Some(uuid) = &flags.resume_session_at {
            let index = records.iter().position(|it| it["uuid"] == **uuid);
            let index = index.ok_or_else(|| refuse(format!("there is no message {uuid}")))?;
            let dropped = records.split_off(index + 1);
            if let Some(turn) = &flags.resume_drops_turn
                && !is_of_turn(&dropped, turn)
            {
                return Err(refuse(format!(
                    "Resume rejected by --resume-drops-turn: behind {uuid} there is more than the turn {turn}"
                )));
            }
        }
        let last = records.iter().rev().find_map(|it| it["uuid"].as_str());
        let last = last.map(str::to_owned);
        let usage = records.iter().rev().find(|it| it["type"] == USAGE);
        let usage = usage.and_then(|it| BTreeMap::deserialize(&it["modelUsage"]).ok());
        self.model_usage = usage.unwrap_or_default();
        let id = if flags.fork_session {
            if !flags.no_session_persistence {
                let copied = self.copy(&records, new_id);
                copied.map_err(|error| refuse(error.to_string()))?;
            }
            new_id.to_owned()
        } else {
            self.resumed = Some(old.to_owned());
            old_id.clone().into_owned()
        };
        self.repairs = Record::repairs(&id, &records);
        self.last
            .extend(last.map(|uuid| (self.path(&id, None), uuid)));
        Ok(id)
    }

    /// Stores a record. Returns the line that reports it to the host, if the
    /// host enabled such lines.
    pub(super) fn store(&mut self, record: Record) -> io::Result<String> {
        let mut repairs = std::mem::take(&mut self.repairs);
        repairs.push(record);
        let mut lines = String::new();
        for record in repairs {
            lines += &self.append(record)?;
        }
        Ok(lines)
    }

    fn append(&mut self, record: Record) -> io::Result<String> {
        self.number += 1;
        let uuid = record.uuid.unwrap_or_else(|| {
            let process = std::process::id();
            format!("00000000-0000-4000-8002-{process:08x}{:04x}", self.number)
        });
        let file = self.path(&record.session_id, record.agent_id.as_deref());
        let mut line = json!({
            "parentUuid": self.last.get(&file),
            "isSidechain": record.agent_id.is_some(),
            "type": record.kind,
            "message": record.message,
            "uuid": uuid,
            "timestamp": timestamp(SystemTime::now()),
            "userType": "external",
            "entrypoint": std::env::var("CLAUDE_CODE_ENTRYPOINT").unwrap_or("sdk-cli".to_owned()),
            "cwd": self.cwd,
            "sessionId": record.session_id,
            "version": env!("CARGO_PKG_VERSION"),
            "gitBranch": "",
        });
        if let Some(agent_id) = record.agent_id {
            line["agentId"] = agent_id.into();
        }
        for (name, value) in record.about {
            line[name] = value;
        }
        let lines = self.mirror(&file, &line);
        if !self.last.contains_key(&file) {
            create_folder(&file)?;
        }
        append(&file, &[line])?;
        self.last.insert(file, uuid);
        Ok(lines)
    }

    /// Stores the usage of a session, with which a later process continues.
    pub(super) fn store_usage(&self, session_id: &str, usage: &Value) -> io::Result<()> {
        let entry = json!({"type": USAGE, "sessionId": session_id, "modelUsage": usage});
        append(&self.path(session_id, None), &[entry])
    }

    /// Stores the metadata of a sub-agent. Returns the line that reports it to
    /// the host, if the host enabled such lines.
    pub(super) fn store_subagent(&mut self, record: SubagentRecord) -> io::Result<String> {
        let (session_id, agent_id, metadata) = match record {
            SubagentRecord::Started {
                session_id,
                agent_id,
                metadata,
            } => {
                create_folder(&self.path(&session_id, Some(&agent_id)))?;
                let known = (session_id.clone(), metadata.clone());
                self.subagents.insert(agent_id.clone(), known);
                (session_id, agent_id, metadata)
            }
            SubagentRecord::Ended { agent_id } => {
                // Shells have no transcript.
                let Some((session_id, mut metadata)) = self.subagents.remove(&agent_id) else {
                    return Ok(String::new());
                };
                metadata["finished"] = true.into();
                (session_id, agent_id, metadata)
            }
        };
        let file = self.path(&session_id, Some(&agent_id));
        fs::write(file.with_extension("meta.json"), metadata.to_string())?;
        let mut entry = metadata;
        entry["type"] = "agent_metadata".into();
        Ok(self.mirror(&file, &entry))
    }

    /// Returns the line that reports a stored record to the host.
    fn mirror(&self, file: &Path, entry: &Value) -> String {
        if !self.is_mirrored {
            return String::new();
        }
        let line = json!({"type": "transcript_mirror", "filePath": file, "entries": [entry]});
        format!("{line}\n")
    }

    /// Returns the transcript of a session, or of one of its sub-agents.
    fn path(&self, session_id: &str, agent_id: Option<&str>) -> PathBuf {
        let is_resumed = |file: &&PathBuf| file.file_stem().is_some_and(|it| it == session_id);
        let resumed = self.resumed.as_ref().filter(is_resumed).cloned();
        let session = resumed.unwrap_or_else(|| self.file(session_id));
        match agent_id {
            None => session,
            Some(id) => session
                .with_extension("")
                .join("subagents")
                .join(format!("agent-{id}.jsonl")),
        }
    }

    fn copy(&self, records: &[Value], id: &str) -> io::Result<()> {
        let mut records = records.to_vec();
        for record in &mut records {
            if let Some(session) = record.get_mut("sessionId") {
                *session = id.into();
            }
        }
        let file = self.file(id);
        create_folder(&file)?;
        append(&file, &records)
    }

    fn folder(&self) -> PathBuf {
        self.projects.join(key(&self.cwd))
    }

    /// Returns the transcript of a session of this project.
    fn file(&self, id: &str) -> PathBuf {
        self.folder().join(format!("{id}.jsonl"))
    }

    /// Returns the transcript of a session of this project or of another one.
    fn find(&self, id: &str) -> Option<PathBuf> {
        let own = self.file(id);
        let others = fs::read_dir(&self.projects).into_iter().flatten().flatten();
        let others = others.map(|folder| folder.path().join(format!("{id}.jsonl")));
        std::iter::once(own).chain(others).find(|it| it.is_file())
    }

    /// Returns the most recently written session of this project.
    fn newest(&self) -> Option<PathBuf> {
        let files = fs::read_dir(self.folder()).ok()?.flatten();
        let sessions = files.filter(|it| it.path().extension().is_some_and(|it| it == "jsonl"));
        let dated = sessions.filter_map(|it| Some((it.metadata().ok()?.modified().ok()?, it)));
        let newest = dated.max_by_key(|(modified, _)| *modified);
        newest.map(|(_, file)| file.path())
    }
}

/// Returns whether all records belong to the turn of this prompt.
fn is_of_turn(records: &[Value], prompt: &str) -> bool {
    let is_message = |it: &&Value| it["type"] == "user" || it["type"] == "assistant";
    let mut messages = records.iter().filter(is_message);
    let is_prompt = |it: &Value| {
        let is_result = |block: &Value| block["type"] == "tool_result";
        let blocks = it["message"]["content"].as_array();
        it["type"] == "user" && !blocks.is_some_and(|it| it.iter().any(is_result))
    };
    messages.next().is_none_or(|first| first["uuid"] == *prompt) && !messages.any(is_prompt)
}

/// Returns the result that reports a refused session.
pub(super) fn refused(session_id: &str, why: &str, uuid: &str) -> String {
    let result = json!({
        "type": "result",
        "subtype": "error_during_execution",
        "is_error": true,
        "duration_ms": 0,
        "duration_api_ms": 0,
        "num_turns": 0,
        "stop_reason": null,
        "session_id": session_id,
        "total_cost_usd": 0,
        "usage": {"input_tokens": 0, "output_tokens": 0},
        "modelUsage": {},
        "permission_denials": [],
        "result_index": 0,
        "uuid": uuid,
        "errors": [why],
    });
    format!("{result}\n")
}

fn create_folder(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Appends to a file whose folder exists: a home that was removed meanwhile stays removed.
fn append(file: &Path, records: &[Value]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let text: String = records.iter().map(|it| format!("{it}\n")).collect();
    options.open(file)?.write_all(text.as_bytes())
}

/// Returns the folder name of a project: its path, with `-` for each character
/// that is not an ASCII letter or digit.
fn key(cwd: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '-'
        }
    };
    cwd.chars().map(plain).collect()
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    let is_hex = |letter: char| letter == '-' || letter.is_ascii_hexdigit();
    lengths.eq([8, 4, 4, 4, 12]) && text.chars().all(is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_folder_is_its_path_with_dashes() {
        assert_eq!(key("/home/me/em_pty.é dir"), "-home-me-em-pty---dir");
    }

    #[test]
    fn session_ids_are_uuids() {
        assert!(is_uuid("aaaaaaaa-aaaa-4aaa-8aaa-AAAAAAAAAAA1"));
        for text in [
            "",
            "foo",
            "aaaaaaaa-aaaa-4aaa-8aaa",
            "gaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaa1",
        ] {
            assert!(!is_uuid(text), "{text}");
        }
    }
}
