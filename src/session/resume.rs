//! Resuming a session from its store.

use super::mirror::{Flusher, Lacking};
use super::owned::Owned;
use crate::attachment::{Attach, Attachment, Loaded, Opening};
use crate::event::{Error, Notice};
use crate::options::{CommandLine, Options};
use crate::process::{blocking, blocking_result};
use crate::store::{
    Leftover, Merged, PrivateHome, Source, Transcript, TranscriptFailure, TranscriptKey, UsersHome,
    hole, is_session_id, merge, project, transcripts,
};
use agentwire_protocol::Json;
use agentwire_protocol::host::Prompt;
use agentwire_protocol::sorted::SortedMap;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The state of a session before its start.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) owned: Option<Owned>,
    pub(crate) attachments: Vec<Box<dyn Attachment>>,
    /// Whether results wait for the store, regardless of the options.
    pub(crate) stores_results_first: bool,
    /// Messages that are sent before all others.
    pub(crate) messages: VecDeque<Prompt>,
    /// Entries that this machine has and the store lacks.
    pub(crate) lacking: Lacking,
    pub(crate) notices: Vec<Notice>,
    /// Private folders of killed hosts from which the session is resumed.
    pub(crate) leftovers: Vec<Leftover>,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").finish_non_exhaustive()
    }
}

/// Creates the attachments of a session whose agent is spawned elsewhere.
pub(crate) async fn attach(line: &CommandLine, options: &Options) -> Result<Known, Error> {
    let mut known = Known::default();
    if options.attachments.is_empty() {
        return Ok(known);
    }
    let mut line = line.clone();
    let environment = line.passed_environment();
    let project = project(line.cwd.as_deref(), |name| environment.get(name));
    let opening = Opening::new(&mut line, &project, None, options).elsewhere();
    known.attach(&options.attachments, opening).await?;
    known.load(&[]);
    Ok(known)
}

/// Adapts the command line to resume a session from the store, with a private configuration
/// folder. The line is unchanged if there is no store, no session to resume, or the store does
/// not have the session.
///
/// Entries that only this machine has, because the store was behind, are resumed too, and
/// returned.
///
/// The session is locked before its attachments are created.
pub(crate) async fn resume<'a>(
    line: &'a CommandLine,
    options: &Options,
) -> Result<(Cow<'a, CommandLine>, Known), Error> {
    let mut known = Known::default();
    let environment = line.passed_environment();
    let users = UsersHome::of(&environment);
    let is_stored = line.source.is_some();
    let own = async |id: Option<&str>| match line.is_persisted() {
        true => {
            let id = id.filter(|id| is_session_id(id));
            Owned::new(users.as_ref(), id, is_stored, options.when_owned).await
        }
        false => Ok(None),
    };
    known.owned = own(line.written_session()).await?;
    let attach: Vec<_> = options.all_attachments().cloned().collect();
    if line.source.is_none() && attach.is_empty() {
        return Ok((Cow::Borrowed(line), known));
    }
    let mut line = line.clone();
    let source = line.source.clone();
    let project = project(line.cwd.as_deref(), |name| environment.get(name));
    let continues = source.is_some() && take(&mut line.arguments, "--continue");
    let given = (line.arguments.iter()).find_map(|it| it.strip_prefix(RESUME));
    let is_given = given.is_some();
    let id = match (given, &source) {
        (Some(id), _) => Some(id.to_owned()),
        (None, Some(source)) if continues => source.latest(&project).await?,
        (None, _) => None,
    };
    if continues && let Some(id) = &id {
        known.owned = own(line.written_session().is_none().then_some(id)).await?;
    }
    let continued = id.as_deref().filter(|_| continues);
    let opening = Opening::new(&mut line, &project, continued, options);
    known.attach(&attach, opening).await?;
    let Some((source, id)) = source.as_ref().zip(id.filter(|id| is_session_id(id))) else {
        known.load(&[]);
        if source.is_some_and(|it| it.has_session) {
            return Err(Error::session_store(
                "load",
                project,
                TranscriptFailure::Missing,
            ));
        }
        return Ok((Cow::Owned(line), known));
    };
    let session = key(&project, &id)?;
    let stored = source.transcripts(&session).await?;
    let is_stored = !stored.is_empty();
    let found = Found::look(users.clone(), session.clone()).await;
    let is_elsewhere = is_stored || !found.leftovers.is_empty();
    let transcripts = found.merge(stored, &mut known);
    let main = transcripts.iter().find(|(key, _)| *key == session);
    let is_known = known.load(main.map_or(&[], |(_, entries)| entries));
    if source.has_session && !is_stored && !is_known {
        let missing = TranscriptFailure::Missing;
        return Err(Error::session_store("load", &session, missing));
    }
    if main.is_none() && is_known {
        // An attachment has pending messages for the session, which has no turn yet.
        return Ok((Cow::Owned(line.beginning(&id)), known));
    }
    for (key, entries) in &transcripts {
        if !source.allows_holes && hole(entries).is_some() {
            return Err(Error::session_store("load", key, TranscriptFailure::Hole));
        }
    }
    // Otherwise only the agent's own files have the session, or it does not exist.
    if is_elsewhere {
        let home = blocking_result(move || write(users.as_ref(), &transcripts));
        let home = home
            .await
            .unwrap_or_else(|gone| Err((std::env::temp_dir(), gone)))
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

/// Removes the folders of killed hosts once the store has their entries. On failure, the
/// folders remain for the next session.
pub(super) async fn remove_when_sent(leftovers: Vec<Leftover>, store: Flusher) {
    if let Some(Ok(())) = store.flush().await {
        let remove = move || leftovers.into_iter().for_each(Leftover::remove);
        blocking(remove).await;
    }
}

const RESUME: &str = "--resume=";

/// Returns the key of a session that is to be loaded.
fn key(project: &str, id: &str) -> Result<TranscriptKey, Error> {
    TranscriptKey::new(project, id).map_err(|error| {
        let failure = TranscriptFailure::Refused(error.to_string());
        Error::session_store("load", id, failure)
    })
}

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

/// The transcripts of a session on this machine.
#[derive(Debug, Default)]
struct Found {
    /// From the user's own configuration folder.
    own: Vec<Transcript>,
    /// From the private folders of killed hosts.
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
                    failure: TranscriptFailure::Failed(format!(
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
        let found = blocking_result(look).await;
        found.unwrap_or_default()
    }

    /// Merges the stored transcripts with the local ones.
    fn merge(self, stored: Vec<Transcript>, known: &mut Known) -> Vec<Transcript> {
        known.notices.extend(self.notices);
        let mut all: SortedMap<_, _> = stored.into_iter().collect();
        known.add(&mut all, self.own);
        for (leftover, transcripts) in self.leftovers {
            // A folder with entries that could not be merged is not removed.
            if known.add(&mut all, transcripts) {
                known.leftovers.push(leftover);
            }
        }
        all.into_entries()
    }
}

impl Known {
    async fn attach(
        &mut self,
        attach: &[Arc<dyn Attach>],
        mut opening: Opening<'_>,
    ) -> Result<(), Error> {
        for it in attach {
            self.attachments.extend(it.attach(&mut opening).await?);
        }
        self.stores_results_first = opening.stores_results_first();
        Ok(())
    }

    /// Loads the attachments. Returns whether one of them knows the session.
    fn load(&mut self, transcript: &[Json]) -> bool {
        let mut loaded = Loaded::new(transcript);
        for attachment in &mut self.attachments {
            attachment.loaded(&mut loaded);
        }
        let (messages, notices) = loaded.take();
        let is_known = !notices.is_empty();
        self.messages = messages;
        self.notices.extend(notices);
        is_known
    }

    /// Merges local transcripts into the stored ones. Returns whether all were merged.
    fn add(
        &mut self,
        all: &mut SortedMap<TranscriptKey, Vec<Json>>,
        here: Vec<Transcript>,
    ) -> bool {
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
                (holes, TranscriptFailure::Hole),
                (diverged, TranscriptFailure::Diverged),
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
}

fn unwritten(path: PathBuf, error: io::Error) -> Error {
    Error::PrivateFile {
        path,
        error: Arc::new(error),
    }
}
