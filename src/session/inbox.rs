//! The messages that this host has accepted, in the session's store: another host that
//! resumes the session finds there what is not over.

use super::blocked::Blocked;
use super::claims::Claims;
use crate::command::Progress;
use crate::event::Notice;
use crate::store::{InboxEntry, Inherited, Source, TranscriptKey};
use agentwire_protocol::Json;
use agentwire_protocol::host::{Fate, Prompt, SubmissionState};
use std::collections::{HashMap, VecDeque};
use std::future::pending;
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The pause after an attempt that failed.
const PAUSE: Duration = Duration::from_millis(250);

/// How many bytes are appended at once, if it is more than one entry.
const MOST: usize = 1024 * 1024;

/// How long the store may take at the end of the session.
const LAST: Duration = Duration::from_secs(5);

/// The driver's end of the inbox. Does nothing if the session is not claimed.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    store: Option<Store>,
    /// The accepted messages that are not over.
    open: HashMap<Box<str>, Open>,
    /// How many were accepted.
    accepted: u64,
    /// Those that a turn has picked up, or may have, and of which the store is not told.
    picked_up: Vec<Box<str>>,
    /// How many times the store is just told of some.
    telling: usize,
    /// What earlier hosts had accepted, and this one only told of.
    handed_back: Vec<Box<str>>,
    queue: VecDeque<(Arc<TranscriptKey>, InboxEntry)>,
    appending: JoinSet<Vec<InboxEntry>>,
}

/// A message that is not over.
#[derive(Debug)]
struct Open {
    /// Its place in the order in which they were accepted.
    number: u64,
    message: Json,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    PickedUp,
    /// The store is told that it is picked up.
    Begun,
}

#[derive(Debug)]
struct Store {
    source: Source,
    session: Arc<TranscriptKey>,
    /// The timeout of a call: a connection may hang, and another one be better.
    limit: Duration,
}

impl Inbox {
    pub(crate) fn new(claims: &Claims, handed_back: Vec<Box<str>>) -> Self {
        let store = claims.session().map(|(source, session)| Store {
            limit: match source.store.lease() {
                Some(length) => source.limit.min(length / 4),
                None => source.limit,
            },
            source: source.clone(),
            session: Arc::new(session),
        });
        Self {
            store,
            handed_back,
            ..Self::default()
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.store.is_some()
    }

    /// Accepts a message, if there is an inbox, and returns whether it is to be held back.
    pub(crate) fn accept(&mut self, prompt: &Prompt) -> bool {
        if self.store.is_none() {
            return false;
        }
        let Ok(message) = serde_json::from_slice::<Json>(prompt.line()) else {
            return false;
        };
        self.accepted += 1;
        let open = Open {
            number: self.accepted,
            message: message.clone(),
            stage: Stage::Waiting,
        };
        // Accepted again, it is the same one.
        self.open.entry(prompt.uuid().into()).or_insert(open);
        self.put(InboxEntry::accepted(prompt.uuid(), message));
        true
    }

    /// A message has got so far. `is_told` says whether the agent tells what its turns pick
    /// up.
    pub(crate) fn saw(&mut self, uuid: &str, state: SubmissionState, is_told: bool) {
        let Some(open) = self.open.get_mut(uuid) else {
            return;
        };
        let is_picked_up = match state {
            SubmissionState::Started => true,
            SubmissionState::Written => !is_told,
            _ => false,
        };
        if is_picked_up && open.stage == Stage::Waiting {
            open.stage = Stage::PickedUp;
            self.picked_up.push(uuid.into());
        } else if state == SubmissionState::Queued && open.stage == Stage::PickedUp {
            open.stage = Stage::Waiting;
        } else if state.is_end() {
            self.open.remove(uuid);
            self.picked_up.retain(|it| **it != *uuid);
            self.put(InboxEntry::over(vec![uuid.into()]));
        }
    }

    /// A turn has ended: the application goes on with the session.
    pub(crate) fn turn_ended(&mut self) {
        if !self.handed_back.is_empty() {
            let uuids = take(&mut self.handed_back);
            self.put(InboxEntry::over(uuids));
        }
    }

    /// Notes that what was picked up begins, and returns whether the store knows it already.
    pub(crate) fn begins(&mut self) -> bool {
        let mut uuids = take(&mut self.picked_up);
        uuids.retain(|uuid| {
            let open = self.open.get_mut(uuid);
            let open = open.filter(|it| it.stage == Stage::PickedUp);
            open.map(|it| it.stage = Stage::Begun).is_some()
        });
        if !uuids.is_empty() {
            self.put(InboxEntry::began(uuids));
        }
        self.telling == 0
    }

    /// The store has an entry. Returns the message that was accepted with it.
    pub(crate) fn kept<'a>(&mut self, entry: &'a InboxEntry) -> Option<&'a str> {
        self.telling -= usize::from(entry.is_begun());
        entry.accepts()
    }

    /// Goes on in the inbox of the session that was claimed last, with what is not over.
    pub(crate) fn follow(&mut self, claims: &Claims) {
        let (Some(store), Some((_, session))) = (&mut self.store, claims.session()) else {
            return;
        };
        if *store.session == session {
            return;
        }
        let before = std::mem::replace(&mut store.session, Arc::new(session));
        let mut open: Vec<_> = self.open.iter().collect();
        open.sort_unstable_by_key(|(_, it)| it.number);
        let begun = open.iter().filter(|(_, it)| it.stage == Stage::Begun);
        let begun: Vec<Box<str>> = begun.map(|(uuid, _)| (*uuid).clone()).collect();
        let uuids: Vec<Box<str>> = open.iter().map(|(uuid, _)| (*uuid).clone()).collect();
        let accepted = open.into_iter();
        let accepted = accepted.map(|(uuid, it)| InboxEntry::accepted(uuid, it.message.clone()));
        for entry in accepted.collect::<Vec<_>>() {
            self.put(entry);
        }
        if !begun.is_empty() {
            self.put(InboxEntry::began(begun));
        }
        if !uuids.is_empty() {
            self.queue.push_back((before, InboxEntry::over(uuids)));
            self.append();
        }
    }

    /// Waits until the store has entries, and returns them. Cancel safe.
    pub(crate) async fn next(&mut self) -> Vec<InboxEntry> {
        let Some(done) = self.appending.join_next().await else {
            return pending().await;
        };
        self.append();
        done.unwrap_or_default()
    }

    /// Waits until the store has everything, for a limited time.
    pub(crate) async fn finish(&mut self) {
        let all = async {
            while !self.appending.is_empty() {
                self.next().await;
            }
        };
        let _ = timeout(LAST, all).await;
        self.appending.shutdown().await;
    }

    fn put(&mut self, entry: InboxEntry) {
        if let Some(store) = &self.store {
            self.telling += usize::from(entry.is_begun());
            self.queue.push_back((Arc::clone(&store.session), entry));
            self.append();
        }
    }

    /// Appends the queue, one call at a time.
    fn append(&mut self) {
        let Some(store) = self.store.as_ref().filter(|_| self.appending.is_empty()) else {
            return;
        };
        let Some((session, _)) = self.queue.front() else {
            return;
        };
        let session = Arc::clone(session);
        let (mut entries, mut lines, mut bytes) = (vec![], vec![], 0);
        while (self.queue.front()).is_some_and(|(of, _)| *of == session)
            && bytes < MOST
            && let Some((_, entry)) = self.queue.pop_front()
        {
            let line = entry.to_json();
            bytes += line.get().len();
            entries.push(entry);
            lines.push(line);
        }
        let (source, limit) = (store.source.clone(), store.limit);
        let lines: Arc<[Json]> = lines.into();
        self.appending.spawn(async move {
            // If it fails for long, the lease is lost, and the session with it.
            while let Err(failure) = source.store.append_inbox(&session, &lines, limit).await {
                tracing::warn!(%failure, "cannot append to the inbox of a session");
                sleep(PAUSE).await;
            }
            entries
        });
    }
}

/// Tells what earlier hosts had accepted, and returns what is sent again, and the IDs of the
/// rest.
pub(crate) fn inherit(
    inherited: Vec<Inherited>,
    notices: &mut Vec<Notice>,
) -> (VecDeque<Blocked>, Vec<Box<str>>) {
    let (mut again, mut handed_back) = (VecDeque::new(), vec![]);
    for Inherited {
        uuid,
        message,
        mut fate,
    } in inherited
    {
        let prompt = message.read().and_then(|it| Prompt::new(uuid.clone(), it));
        match prompt {
            Ok(prompt) if fate == Fate::SentAgain => {
                let (progress, _) = watch::channel(Progress::new());
                again.push_back(Blocked {
                    prompt,
                    progress,
                    has_room: None,
                });
            }
            _ => {
                fate = Fate::HandedBack;
                handed_back.push(uuid.clone());
            }
        }
        notices.push(Notice::Inherited {
            uuid,
            message,
            fate,
        });
    }
    (again, handed_back)
}
