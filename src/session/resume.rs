//! Resuming a session from its store.

use super::claims::Claims;
use super::mirror::Lacking;
use super::owned::Owned;
use crate::event::{Error, Notice};
use crate::options::CommandLine;
use crate::ownership::WhenOwned;
use crate::store::{
    Inherited, Leftover, Merged, PrivateHome, Source, StoreFailure, Transcript, TranscriptKey,
    UsersHome, hole, inherited, is_session_id, merge, project, transcripts,
};
use agentwire_protocol::Json;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::oneshot;
use uuid::Uuid;

/// What is known of a session before it starts.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) owned: Option<Owned>,
    pub(crate) claims: Claims,
    /// What earlier hosts have accepted, and not told of.
    pub(crate) inherited: Vec<Inherited>,
    /// What the store lacks, and this machine has.
    pub(crate) lacking: Lacking,
    pub(crate) notices: Vec<Notice>,
    /// The folders of earlier hosts from which the session is resumed.
    pub(crate) leftovers: Vec<Leftover>,
}

/// Adapts the command line to resume a session from the store: with a private
/// configuration folder. It stays as it is if there is no store, no session to
/// resume, or the store does not have the session.
///
/// What only this machine has of the session, because the store was behind when it was
/// here last, is resumed as well, and returned.
///
/// The session is locked first, and claimed if the store has leases. A new one gets its ID
/// for that.
pub(crate) async fn resume(
    line: &CommandLine,
    when_owned: WhenOwned,
) -> Result<(Cow<'_, CommandLine>, Known), Error> {
    let mut known = Known::default();
    let environment = line.passed_environment();
    let users = UsersHome::of(&environment);
    let is_stored = line.source.is_some();
    let own = async |id: Option<&str>| match line.is_kept() {
        true => {
            let id = id.filter(|id| is_session_id(id));
            Owned::new(users.as_ref(), id, is_stored, when_owned).await
        }
        false => Ok(None),
    };
    known.owned = own(line.written_session()).await?;
    let Some(source) = &line.source else {
        return Ok((Cow::Borrowed(line), known));
    };
    let mut line = line.clone();
    let project = project(line.cwd.as_deref(), |name| environment.get(name));
    let continues = take(&mut line.arguments, "--continue");
    let given = (line.arguments.iter()).find_map(|it| it.strip_prefix(RESUME));
    let id = match given {
        Some(id) => Some(id.to_owned()),
        None if continues => source.latest(&project).await?,
        None => None,
    };
    let is_given = given.is_some();
    if continues && let Some(id) = &id {
        known.owned = own(line.written_session().is_none().then_some(id)).await?;
    }
    if source.store.lease().is_some() {
        line.name_session(&Uuid::new_v4().to_string());
        let written = line
            .written_session()
            .or(id.as_deref().filter(|_| continues));
        if let Some(written) = written.filter(|id| is_session_id(id)) {
            let session = key(&project, written)?;
            known.claims = Claims::new(source, &session, when_owned).await?;
        }
    }
    let inbox = match known.claims.session() {
        Some((source, session)) => source.inbox(session).await?,
        None => vec![],
    };
    let Some(id) = id.filter(|id| is_session_id(id)) else {
        known.inherited = inherited(&inbox, &[]);
        if source.has_session {
            return Err(Error::session_store("load", project, StoreFailure::Missing));
        }
        return Ok((Cow::Owned(line), known));
    };
    let session = key(&project, &id)?;
    let stored = source.transcripts(&session).await?;
    let has_none = stored.is_empty() && inherited(&inbox, &[]).is_empty();
    if has_none && source.has_session {
        return Err(Error::session_store(
            "load",
            &session,
            StoreFailure::Missing,
        ));
    }
    let found = Found::look(users.clone(), session.clone()).await;
    let is_elsewhere = !stored.is_empty() || !found.leftovers.is_empty();
    let transcripts = found.merge(stored, &mut known);
    let main = transcripts.iter().find(|(key, _)| *key == session);
    known.inherited = inherited(&inbox, main.map_or(&[], |(_, entries)| entries));
    if main.is_none() && !known.inherited.is_empty() {
        // It was accepted, and nothing was said yet.
        return Ok((Cow::Owned(line.beginning(&id)), known));
    }
    for (key, entries) in &transcripts {
        if !source.allows_holes && hole(entries).is_some() {
            return Err(Error::session_store("load", key, StoreFailure::Hole));
        }
    }
    // Otherwise only the agent's own files have it, or it is nowhere.
    if is_elsewhere {
        let home = tokio::task::spawn_blocking(move || write(users.as_ref(), &transcripts));
        let home = home
            .await
            .unwrap_or_else(|gone| Err((std::env::temp_dir(), gone.into())))
            .map_err(|(path, error)| unwritten(path, error))?;
        let variables = home.variables().iter();
        line.environment
            .extend(variables.map(|(name, value)| (name.into(), value.clone())));
        line.private.home = Some(Arc::new(home));
    }
    if !is_given && is_elsewhere {
        line.arguments.push(format!("{RESUME}{id}"));
    }
    tracing::debug!(session = id, is_elsewhere, "resuming a session");
    Ok((Cow::Owned(line), known))
}

/// Removes the folders of earlier hosts once the store has what only they had. If it fails,
/// they stay for the next session.
pub(super) async fn remove_when_sent(
    leftovers: Vec<Leftover>,
    sent: oneshot::Receiver<Result<(), Error>>,
) {
    if let Ok(Ok(())) = sent.await {
        let remove = move || leftovers.into_iter().for_each(Leftover::remove);
        let _ = tokio::task::spawn_blocking(remove).await;
    }
}

const RESUME: &str = "--resume=";

/// Removes a flag, and returns whether it was set.
/// Returns the key of a session that is to be loaded.
fn key(project: &str, id: &str) -> Result<TranscriptKey, Error> {
    TranscriptKey::new(project, id).map_err(|error| {
        let failure = StoreFailure::Refused(error.to_string());
        Error::session_store("load", id, failure)
    })
}

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

/// What this machine has of a session.
#[derive(Debug, Default)]
struct Found {
    /// What the user's own folder has.
    own: Vec<Transcript>,
    /// What the private folders of earlier sessions have, whose hosts were killed.
    leftovers: Vec<(Leftover, Vec<Transcript>)>,
    notices: Vec<Notice>,
}

impl Found {
    async fn look(users: Option<UsersHome>, session: TranscriptKey) -> Self {
        let look = move || {
            let read = |folder: &Path| {
                transcripts(folder, &session).map_err(|error| Notice::NotMirrored {
                    key: Some(session.clone()),
                    entries: 0,
                    failure: StoreFailure::Failed(format!(
                        "cannot read {}: {error}",
                        folder.display()
                    )),
                })
            };
            let mut found = Self::default();
            match users.as_ref().map(|users| read(users.config())) {
                Some(Ok(own)) => found.own = own,
                Some(Err(notice)) => found.notices.push(notice),
                None => {}
            }
            for leftover in Leftover::of_session(&session) {
                match read(leftover.path()) {
                    Ok(transcripts) => found.leftovers.push((leftover, transcripts)),
                    Err(notice) => found.notices.push(notice),
                }
            }
            found
        };
        let found = tokio::task::spawn_blocking(look).await;
        found.unwrap_or_default()
    }

    /// Merges what the store has with what is here.
    fn merge(self, stored: Vec<Transcript>, known: &mut Known) -> Vec<Transcript> {
        known.notices.extend(self.notices);
        let mut all: BTreeMap<_, _> = stored.into_iter().collect();
        known.add(&mut all, self.own);
        for (leftover, transcripts) in self.leftovers {
            // What is nowhere else stays.
            if known.add(&mut all, transcripts) {
                known.leftovers.push(leftover);
            }
        }
        all.into_iter().collect()
    }
}

impl Known {
    /// Adds what is here to what the store has. Returns whether that was possible.
    fn add(&mut self, all: &mut BTreeMap<TranscriptKey, Vec<Json>>, here: Vec<Transcript>) -> bool {
        let mut is_merged = true;
        for (key, local) in here {
            let stored = all.remove(&key).unwrap_or_default();
            let Merged {
                entries,
                behind,
                holes,
                diverged,
            } = merge(stored, local);
            for (count, failure) in [
                (holes, StoreFailure::Hole),
                (diverged, StoreFailure::Diverged),
            ] {
                if count > 0 {
                    self.notices.push(Notice::NotMirrored {
                        key: Some(key.clone()),
                        entries: count,
                        failure,
                    });
                }
            }
            is_merged &= diverged == 0;
            if behind > 0 {
                let added = entries[entries.len() - behind..].to_vec();
                self.lacking.push((key.clone(), added));
            }
            all.insert(key, entries);
        }
        is_merged
    }
}

impl Source {
    /// Returns the session that was modified last.
    async fn latest(&self, project: &str) -> Result<Option<String>, Error> {
        let sessions = self.store.sessions(project, self.limit).await;
        let sessions =
            sessions.map_err(|failure| Error::session_store("sessions", project, failure))?;
        let latest = sessions.into_iter().max_by_key(|session| session.modified);
        Ok(latest.map(|session| session.id))
    }

    async fn inbox(&self, session: TranscriptKey) -> Result<Vec<Json>, Error> {
        let inbox = self.store.load_inbox(session.clone(), self.limit).await;
        inbox.map_err(|failure| Error::session_store("load_inbox", session, failure))
    }
}

fn unwritten(path: PathBuf, error: io::Error) -> Error {
    Error::PrivateFile {
        path,
        error: Arc::new(error),
    }
}
