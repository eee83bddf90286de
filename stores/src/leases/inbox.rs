//! The messages that this host has accepted, in the session's store: another host that
//! resumes the session finds there what is not over.

use super::LeasedStore;
use super::entry::InboxEntry;
use super::store::Store;
use agentwire::SubmissionState;
use agentwire::store::TranscriptKey;
use agentwire_protocol::Json;
use agentwire_protocol::host::Prompt;
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::mem::take;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The pause after an attempt that failed.
const PAUSE: Duration = Duration::from_millis(250);

/// How many bytes are appended at once, if it is more than one entry.
const MOST: usize = 1024 * 1024;

/// How long the store may take at the end of the session.
const LAST: Duration = Duration::from_secs(5);

/// The inbox of a session that is claimed.
#[derive(Debug)]
pub(super) struct Inbox<S> {
    store: Store<S>,
    session: Arc<TranscriptKey>,
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

impl<S: LeasedStore> Inbox<S> {
    pub(super) fn new(store: Store<S>, session: TranscriptKey) -> Self {
        Self {
            store,
            session: Arc::new(session),
            open: HashMap::new(),
            accepted: 0,
            picked_up: vec![],
            telling: 0,
            handed_back: vec![],
            queue: VecDeque::new(),
            appending: JoinSet::new(),
        }
    }

    /// Notes a message of an earlier host that is not sent again.
    pub(super) fn hand_back(&mut self, uuid: Box<str>) {
        self.handed_back.push(uuid);
    }

    /// Accepts a message, and returns whether it has to wait until the store has it.
    pub(super) fn accept(&mut self, prompt: &Prompt) -> bool {
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

    /// A message has got so far. `is_reported` says whether the agent tells what its turns pick
    /// up.
    pub(super) fn handle_state(&mut self, uuid: &str, state: SubmissionState, is_reported: bool) {
        let Some(open) = self.open.get_mut(uuid) else {
            return;
        };
        let is_picked_up = match state {
            SubmissionState::Started => true,
            SubmissionState::Written => !is_reported,
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
    pub(super) fn turn_ended(&mut self) {
        if !self.handed_back.is_empty() {
            let uuids = take(&mut self.handed_back);
            self.put(InboxEntry::over(uuids));
        }
    }

    /// Notes that what was picked up begins, and returns whether the store knows it already.
    pub(super) fn begins(&mut self) -> bool {
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
    pub(super) fn stored<'a>(&mut self, entry: &'a InboxEntry) -> Option<&'a str> {
        self.telling -= usize::from(entry.is_begun());
        entry.accepts()
    }

    /// Goes on in the inbox of the session that was claimed last, with what is not over.
    pub(super) fn follow(&mut self, session: &TranscriptKey) {
        if *self.session == *session {
            return;
        }
        let before = std::mem::replace(&mut self.session, Arc::new(session.clone()));
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

    /// Resolves to entries that the store has.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Vec<InboxEntry>> {
        let Some(done) = std::task::ready!(self.appending.poll_join_next(context)) else {
            return Poll::Pending;
        };
        self.append();
        Poll::Ready(done.unwrap_or_default())
    }

    /// Waits until the store has everything, for a limited time.
    pub(super) async fn finish(&mut self) {
        let all = async {
            while !self.appending.is_empty() {
                poll_fn(|context| self.poll(context)).await;
            }
        };
        let _ = timeout(LAST, all).await;
        self.appending.shutdown().await;
    }

    fn put(&mut self, entry: InboxEntry) {
        self.telling += usize::from(entry.is_begun());
        self.queue.push_back((Arc::clone(&self.session), entry));
        self.append();
    }

    /// Appends the queue, one call at a time.
    fn append(&mut self) {
        if !self.appending.is_empty() {
            return;
        }
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
        let store = self.store.clone();
        let lines: Arc<[Json]> = lines.into();
        self.appending.spawn(async move {
            // If it fails for long, the lease is lost, and the session with it.
            while let Err(failure) = store.append_inbox(&session, &lines).await {
                tracing::warn!(%failure, "cannot append to the inbox of a session");
                sleep(PAUSE).await;
            }
            entries
        });
    }
}
