//! A session that goes on from its store.

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

/// A transcript, and the key under which it is kept.
type Transcript = (TranscriptKey, Vec<Json>);

/// What an agent is to be started with that goes on from what the store has of
/// a session: in a configuration folder of its own, which has to live as long
/// as the agent does. When there is no store, no session is to go on, or the
/// store does not have it, there is no folder.
pub(crate) async fn resume(
    line: &CommandLine,
) -> Result<(Cow<'_, CommandLine>, Option<PrivateHome>), Error> {
    let Some(source) = &line.source else {
        return Ok((Cow::Borrowed(line), None));
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
        return Ok((Cow::Owned(line), None));
    };
    let transcripts = source.transcripts(TranscriptKey::new(project, &id)).await?;
    if transcripts.is_empty() {
        return Ok((Cow::Owned(line), None));
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
    tracing::debug!(session = id, "the agent goes on from the session store");
    Ok((Cow::Owned(line), Some(home)))
}

const RESUME: &str = "--resume=";

/// Takes a flag away, and says whether it was there.
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
    /// The session that was changed last.
    async fn latest(&self, project: &str) -> Result<Option<String>, Error> {
        let sessions = self.store.sessions(project, self.limit).await;
        let sessions = sessions.map_err(|failure| failed("sessions", project, failure))?;
        let latest = sessions.into_iter().max_by_key(|session| session.modified);
        Ok(latest.map(|session| session.id))
    }

    /// A session's own transcript, and those of its parts; none, if its own is
    /// empty.
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
                let why = "a name in its answer is no path inside the session".to_owned();
                return Err(failed("subpaths", session, StoreFailure::Failed(why)));
            }
            let key = session.part(subpath);
            if let Some(entries) = self.load(&key).await? {
                found.push((key, entries));
            }
        }
        Ok(found)
    }

    /// `None` when there is nothing in it.
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
