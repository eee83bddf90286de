//! Resuming a session from its store.

use crate::event::Error;
use crate::options::CommandLine;
use crate::store::{
    PrivateHome, Source, StoreFailure, TranscriptKey, UsersHome, is_safe, is_session_id, project,
};
use agentwire_protocol::Json;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// A transcript and its key.
type Transcript = (TranscriptKey, Vec<Json>);

/// Adapts the command line to resume a session from the store: with a private
/// configuration folder. It stays as it is if there is no store, no session to
/// resume, or the store does not have the session.
pub(crate) async fn resume(line: &CommandLine) -> Result<Cow<'_, CommandLine>, Error> {
    let Some(source) = &line.source else {
        return Ok(Cow::Borrowed(line));
    };
    let mut line = line.clone();
    let environment = line.passed_environment();
    let project = project(line.cwd.as_deref(), &environment);
    let continues = take(&mut line.arguments, "--continue");
    let given = (line.arguments.iter()).find_map(|it| it.strip_prefix(RESUME));
    let id = match given {
        Some(id) => Some(id.to_owned()),
        None if continues => source.latest(&project).await?,
        None => None,
    };
    let is_given = given.is_some();
    let Some(id) = id.filter(|id| is_session_id(id)) else {
        return Ok(Cow::Owned(line));
    };
    let transcripts = source.transcripts(TranscriptKey::new(project, &id)).await?;
    if transcripts.is_empty() {
        return Ok(Cow::Owned(line));
    }
    let users = UsersHome::of(&environment);
    let home = tokio::task::spawn_blocking(move || write(users.as_ref(), &transcripts))
        .await
        .unwrap_or_else(|gone| Err((std::env::temp_dir(), gone.into())))
        .map_err(|(path, error)| Error::PrivateFile {
            path,
            error: Arc::new(error),
        })?;
    if !is_given {
        line.arguments.push(format!("{RESUME}{id}"));
    }
    let variables = home.variables().iter();
    line.environment
        .extend(variables.map(|(name, value)| (name.into(), value.clone())));
    tracing::debug!(session = id, "resuming from the session store");
    line.private.home = Some(Arc::new(home));
    Ok(Cow::Owned(line))
}

const RESUME: &str = "--resume=";

/// Removes a flag, and returns whether it was set.
fn take(arguments: &mut Vec<String>, flag: &str) -> bool {
    let before = arguments.len();
    arguments.retain(|argument| argument != flag);
    arguments.len() < before
}

fn write(
    users: Option<&UsersHome>,
    transcripts: &[Transcript],
) -> Result<PrivateHome, (PathBuf, io::Error)> {
    let home = PrivateHome::new(users)?;
    for (key, entries) in transcripts {
        home.write_transcript(key, entries)?;
    }
    Ok(home)
}

impl Source {
    /// Returns the session that was modified last.
    async fn latest(&self, project: &str) -> Result<Option<String>, Error> {
        let sessions = self.store.sessions(project, self.limit).await;
        let sessions = sessions.map_err(|failure| failed("sessions", project, failure))?;
        let latest = sessions.into_iter().max_by_key(|session| session.modified);
        Ok(latest.map(|session| session.id))
    }

    /// Returns the session's own transcript and those of its parts, or none if
    /// its own is empty.
    async fn transcripts(&self, session: TranscriptKey) -> Result<Vec<Transcript>, Error> {
        let mut found = vec![];
        let Some(own) = self.load(&session).await? else {
            return Ok(found);
        };
        found.push((session.clone(), own));
        let subpaths = self.store.subpaths(session.clone(), self.limit).await;
        let subpaths = subpaths.map_err(|failure| failed("subpaths", &session, failure))?;
        for subpath in BTreeSet::from_iter(subpaths) {
            if !is_safe(&subpath) {
                let why = "a subpath in its response leads outside the session".to_owned();
                return Err(failed("subpaths", session, StoreFailure::Failed(why)));
            }
            let key = session.part(subpath);
            if let Some(entries) = self.load(&key).await? {
                found.push((key, entries));
            }
        }
        Ok(found)
    }

    /// Loads a transcript; `None` if it is empty.
    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, Error> {
        let entries = self.store.load(key.clone(), self.limit).await;
        let entries = entries.map_err(|failure| failed("load", key, failure))?;
        Ok(entries.filter(|entries| !entries.is_empty()))
    }
}

fn failed(call: &'static str, of: impl ToString, failure: StoreFailure) -> Error {
    Error::SessionStore {
        call,
        of: of.to_string(),
        failure,
    }
}
