//! Sessions on disk, as the real CLI keeps them, so that they can be listed,
//! read, resumed and forked.

use super::flags::Flags;
use super::time::timestamp;
use agentwire_protocol::content::Content;
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Something that was said, and is kept.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// The session.
    pub session_id: String,
    /// `user` or `assistant`.
    pub kind: String,
    /// The message's id, if it has one.
    pub uuid: Option<String>,
    /// The message, as on the wire.
    pub message: Value,
}

impl Record {
    /// What the host's user said.
    pub(super) fn prompt(session_id: &str, uuid: Option<String>, content: &Content) -> Self {
        Self {
            session_id: session_id.to_owned(),
            kind: "user".to_owned(),
            uuid,
            message: json!({"role": "user", "content": content}),
        }
    }

    /// What a line of the agent's says, where it is kept: messages, but not
    /// those of sub-agents.
    pub(super) fn of_line(line: &[u8]) -> Option<Self> {
        let mut line: Value = serde_json::from_slice(line).ok()?;
        if !line["parent_tool_use_id"].is_null() {
            return None;
        }
        Some(Self {
            session_id: line["session_id"].as_str()?.to_owned(),
            kind: line["type"].as_str()?.to_owned(),
            uuid: line["uuid"].as_str().map(str::to_owned),
            message: line["message"].take(),
        })
    }
}

/// Why a session cannot begin.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    /// What is said on standard error.
    pub(super) why: String,
    /// The session that the host is told of with a result; nothing for what
    /// the command line alone shows to be wrong.
    pub(super) session_id: Option<String>,
}

impl Refusal {
    /// Creates a refusal of the command line.
    pub(super) fn of_flags(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            session_id: None,
        }
    }
}

/// The sessions under a directory of the CLI's configuration.
#[derive(Debug)]
pub(super) struct Sessions {
    projects: PathBuf,
    cwd: String,
    /// The file of the session that goes on.
    resumed: Option<PathBuf>,
    /// The session and the record that the next one follows.
    last: Option<(String, String)>,
    number: u64,
}

/// The session that a process begins with: its id, if that is settled, and
/// where it is kept, if it is.
#[derive(Debug, Default)]
pub(super) struct Begun {
    pub(super) session_id: Option<String>,
    pub(super) sessions: Option<Sessions>,
}

impl Sessions {
    /// Finds or begins the session that the command line wants. `fresh` is an
    /// id for a new one.
    pub(super) fn begin(
        flags: &Flags,
        config: Option<&Path>,
        cwd: &str,
        fresh: &str,
    ) -> Result<Begun, Refusal> {
        let is_resumed = flags.resume.is_some() || flags.goes_on;
        if let Some(id) = &flags.session_id {
            if !is_uuid(id) {
                return Err(Refusal::of_flags("--session-id takes a UUID"));
            }
            if is_resumed && !flags.fork_session {
                return Err(Refusal::of_flags(
                    "--session-id beside --resume or --continue needs --fork-session",
                ));
            }
        }
        if let Some(id) = flags.resume.as_ref().filter(|id| !is_uuid(id)) {
            return Err(Refusal {
                why: format!("--resume takes the id of a session, which {id:?} is not"),
                session_id: Some(flags.session_id.as_deref().unwrap_or(fresh).to_owned()),
            });
        }
        let Some(config) = config else {
            let id = flags.session_id.clone().or_else(|| flags.resume.clone());
            return Ok(Begun {
                session_id: id,
                sessions: None,
            });
        };
        let mut sessions = Self {
            projects: config.join("projects"),
            cwd: cwd.to_owned(),
            resumed: None,
            last: None,
            number: 0,
        };
        let new_id = flags.session_id.as_deref().unwrap_or(fresh);
        if sessions.file(new_id).exists() {
            let why = format!("there is a session {new_id} already");
            return Err(Refusal::of_flags(why));
        }
        let session_id = match sessions.wanted(flags)? {
            None => new_id.to_owned(),
            Some(old) => sessions.resume(&old, flags, new_id)?,
        };
        Ok(Begun {
            session_id: Some(session_id),
            sessions: (!flags.no_session_persistence).then_some(sessions),
        })
    }

    /// The file of the session that is to go on.
    fn wanted(&self, flags: &Flags) -> Result<Option<PathBuf>, Refusal> {
        if let Some(id) = &flags.resume {
            return self.find(id).map(Some).ok_or_else(|| Refusal {
                why: format!("there is no session {id:?}"),
                session_id: Some(id.clone()),
            });
        }
        // Where there is none to go on with, a new one begins.
        Ok(flags.goes_on.then(|| self.newest()).flatten())
    }

    /// Goes on with a session, or with a copy of it, from its end or from the
    /// message that the command line names. The id under which it does.
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
            let place = records.iter().position(|it| it["uuid"] == **uuid);
            let place = place.ok_or_else(|| refuse(format!("there is no message {uuid}")))?;
            let dropped = records.split_off(place + 1);
            if let Some(turn) = &flags.resume_drops_turn
                && !is_of_turn(&dropped, turn)
            {
                return Err(refuse(format!(
                    "--resume-drops-turn: behind {uuid} there is more than the turn {turn}"
                )));
            }
        }
        let last = records.iter().rev().find_map(|it| it["uuid"].as_str());
        let last = last.map(str::to_owned);
        let id = if flags.fork_session {
            if !flags.no_session_persistence {
                let copied = self.copy(records, new_id);
                copied.map_err(|error| refuse(error.to_string()))?;
            }
            new_id.to_owned()
        } else {
            self.resumed = Some(old.to_owned());
            old_id.clone().into_owned()
        };
        self.last = last.map(|uuid| (id.clone(), uuid));
        Ok(id)
    }

    /// Keeps what was said.
    pub(super) fn keep(&mut self, record: Record) -> io::Result<()> {
        let id = record.session_id;
        self.number += 1;
        let uuid = record.uuid.unwrap_or_else(|| {
            let process = std::process::id();
            format!("00000000-0000-4000-8002-{process:08x}{:04x}", self.number)
        });
        let parent = self.last.take().filter(|(session, _)| *session == id);
        let line = json!({
            "parentUuid": parent.map(|(_, uuid)| uuid),
            "isSidechain": false,
            "type": record.kind,
            "message": record.message,
            "uuid": uuid,
            "timestamp": timestamp(SystemTime::now()),
            "userType": "external",
            "entrypoint": std::env::var("CLAUDE_CODE_ENTRYPOINT").unwrap_or("sdk-cli".to_owned()),
            "cwd": self.cwd,
            "sessionId": id,
            "version": env!("CARGO_PKG_VERSION"),
            "gitBranch": "",
        });
        let is_resumed = |file: &&PathBuf| file.file_stem().is_some_and(|stem| *stem == *id);
        let file = self.resumed.as_ref().filter(is_resumed).cloned();
        append(&file.unwrap_or_else(|| self.file(&id)), &[line])?;
        self.last = Some((id, uuid));
        Ok(())
    }

    fn copy(&self, mut records: Vec<Value>, id: &str) -> io::Result<()> {
        for record in &mut records {
            if let Some(session) = record.get_mut("sessionId") {
                *session = id.into();
            }
        }
        append(&self.file(id), &records)
    }

    fn folder(&self) -> PathBuf {
        self.projects.join(key(&self.cwd))
    }

    /// Where a session of this project is kept.
    fn file(&self, id: &str) -> PathBuf {
        self.folder().join(format!("{id}.jsonl"))
    }

    /// A session of this project, or else of any other.
    fn find(&self, id: &str) -> Option<PathBuf> {
        let own = self.file(id);
        let others = fs::read_dir(&self.projects).into_iter().flatten().flatten();
        let others = others.map(|folder| folder.path().join(format!("{id}.jsonl")));
        std::iter::once(own).chain(others).find(|it| it.is_file())
    }

    /// The session of this project that was written to last.
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
    let said = |it: &&Value| it["type"] == "user" || it["type"] == "assistant";
    let mut said = records.iter().filter(said);
    let is_prompt = |it: &Value| {
        let is_result = |block: &Value| block["type"] == "tool_result";
        let blocks = it["message"]["content"].as_array();
        it["type"] == "user" && !blocks.is_some_and(|it| it.iter().any(is_result))
    };
    said.next().is_none_or(|first| first["uuid"] == *prompt) && !said.any(is_prompt)
}

/// What the host is told when a session that it wants cannot go on.
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

fn append(file: &Path, records: &[Value]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let text: String = records.iter().map(|it| format!("{it}\n")).collect();
    options.open(file)?.write_all(text.as_bytes())
}

/// The name of a project's folder: its path, with a dash for each character
/// that is neither a letter nor a digit of ASCII.
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
    fn a_project_is_kept_under_its_path_with_dashes() {
        assert_eq!(key("/home/me/em_pty.é dir"), "-home-me-em-pty---dir");
    }

    #[test]
    fn ids_have_a_form() {
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
