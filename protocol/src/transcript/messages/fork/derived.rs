//! Records the sessions from which a session is derived.

use super::super::row::Row;
use super::super::value::{elements, is, is_array, object};
use super::flow::{is_name, is_one};
use super::outside::record;
use crate::{Json, Members};

/// The kinds of derivation.
const DERIVATION_KINDS: [&str; 12] = [
    "clear",
    "fork",
    "branch",
    "background",
    "cloud",
    "teleport",
    "teammate",
    "launch",
    "subprocess",
    "resume",
    "import",
    "compact",
];

/// The sessions from which a session is derived, according to its own records.
#[derive(Debug, Default)]
pub(super) struct Derived {
    /// The sessions. `None` if no record lists them.
    sessions: Option<Vec<Members>>,
    /// The source sessions of copied messages.
    copied: Vec<Json>,
}

impl Derived {
    /// Reads the next record in the tree.
    pub(super) fn note_row(&mut self, row: &Row) {
        let origin = object(row.get("forkedFrom")).unwrap_or_default();
        let of = origin.get("sessionId").filter(|it| is_name(it));
        let is_new = |of: &&Json| !self.copied.contains(of);
        self.copied.extend(of.filter(is_new).cloned());
    }

    /// Reads the next record outside the tree of the session `of`. Returns whether it is
    /// valid.
    pub(super) fn note(&mut self, record: &Members, of: &str) -> bool {
        if !is(record.get("type"), "derived-from") || !is(record.get("sessionId"), of) {
            return true;
        }
        let given = record.get("sessions").filter(|it| is_array(it));
        let given = given.filter(|_| record.get("v").is_some_and(is_one));
        let all = elements(given);
        let sessions: Vec<Members> = all.iter().filter_map(session).collect();
        let is_valid = given.is_some() && sessions.len() == all.len();
        // An invalid record is merged with the earlier records.
        let mut known = match is_valid {
            true => Vec::new(),
            false => self.sessions.take().unwrap_or_default(),
        };
        for session in sessions {
            add(&mut known, session);
        }
        self.sessions = Some(known);
        is_valid
    }

    /// Returns the record for the copy of the session `of`. Returns `None` if
    /// neither the derivation nor the data flow is known.
    pub(super) fn record(self, of: &str, copy: &str, has_flow: bool) -> Option<Members> {
        if self.sessions.is_none() && !has_flow {
            return None;
        }
        let mut sessions = self.sessions.unwrap_or_default();
        for copied in &self.copied {
            let is_it = |it: &Members| it.get("id") == Some(copied);
            if !sessions.iter().any(is_it) {
                sessions.push(forked(copied.clone()));
            }
        }
        add(&mut sessions, forked(of.into()));
        let mut record = record("derived-from", copy);
        record.push("v", Json::of_text("1"));
        record.push("sessions", Json::from_value(&sessions).unwrap_or_default());
        Some(record)
    }
}

/// Adds a session, unless it is already listed.
fn add(sessions: &mut Vec<Members>, session: Members) {
    let names = ["type", "id", "via", "started"];
    let is_same = |other: &Members| names.iter().all(|it| other.get(it) == session.get(it));
    if !sessions.iter().any(is_same) {
        sessions.push(session);
    }
}

/// Reads a session. Returns `None` if it is invalid.
fn session(json: &Json) -> Option<Members> {
    let given = object(Some(json))?;
    let kind = given.get("type")?;
    let id = given.get("id")?;
    let is_valid = (is(Some(kind), "unknown") && id.is_null())
        || (is(Some(kind), "claude_code_session") && is_name(id));
    let via = given.get("via")?;
    let is_via = DERIVATION_KINDS.iter().any(|it| is(Some(via), it));
    (is_valid && is_via).then(|| {
        let mut session = Members::default();
        session.push("type", kind.clone());
        session.push("id", id.clone());
        session.push("via", via.clone());
        if let Some(started) = given.get("started").filter(|it| is_name(it)) {
            session.push("started", started.clone());
        }
        session
    })
}

fn forked(id: Json) -> Members {
    let mut session = Members::default();
    session.push("type", "claude_code_session".into());
    session.push("id", id);
    session.push("via", "fork".into());
    session
}
