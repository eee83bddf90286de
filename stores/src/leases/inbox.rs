//! Records the messages that this host has accepted in the session's store. Another host that
//! resumes the session reads the unfinished ones.

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

/// The pause after a failed attempt to append.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// The maximum size of an append with several entries, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The timeout of the last appends when the session ends.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);

/// The inbox of a claimed session.
#[derive(Debug)]
pub(super) struct Inbox<S> {
    store: Store<S>,
    session: Arc<TranscriptKey>,
    /// The accepted messages without a final delivery status.
    unfinished: HashMap<Box<str>, Unfinished>,
    /// The number of accepted messages.
    accepted: u64,
    /// The messages that a turn may have picked up and that are not yet recorded as started.
    picked_up: Vec<Box<str>>,
    /// The number of [started](InboxEntry::started) entries that are not stored yet.
    unstored_starts: usize,
    /// Messages of earlier hosts that this host reported but did not send again.
    handed_back: Vec<Box<str>>,
    queue: VecDeque<(Arc<TranscriptKey>, InboxEntry)>,
    appending: JoinSet<Vec<InboxEntry>>,
}

/// A message without a final delivery status.
#[derive(Debug)]
struct Unfinished {
    /// The index in the order of acceptance.
    number: u64,
    message: Json,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Accepted,
    PickedUp,
    /// The store records that the message was picked up, or is about to record it.
    Started,
}

impl<S: LeasedStore> Inbox<S> {
    pub(super) fn new(store: Store<S>, session: TranscriptKey) -> Self {
        Self {
            store,
            session: Arc::new(session),
            unfinished: HashMap::new(),
            accepted: 0,
            picked_up: vec![],
            unstored_starts: 0,
            handed_back: vec![],
            queue: VecDeque::new(),
            appending: JoinSet::new(),
        }
    }

    /// Adds a message of an earlier host that is not sent again.
    pub(super) fn hand_back(&mut self, uuid: Box<str>) {
        self.handed_back.push(uuid);
    }

    /// Accepts a message. Returns whether it must be stored before it is sent.
    pub(super) fn accept(&mut self, prompt: &Prompt) -> bool {
        let Ok(message) = serde_json::from_slice::<Json>(prompt.line()) else {
            return false;
        };
        self.accepted += 1;
        let unfinished = Unfinished {
            number: self.accepted,
            message: message.clone(),
            stage: Stage::Accepted,
        };
        // A message may be accepted twice under the same UUID.
        self.unfinished
            .entry(prompt.uuid().into())
            .or_insert(unfinished);
        self.enqueue(InboxEntry::accepted(prompt.uuid(), message));
        true
    }

    /// Updates the delivery status of a message. `reports_pick_ups` says whether the agent
    /// reports which messages its turns pick up.
    pub(super) fn update(&mut self, uuid: &str, state: SubmissionState, reports_pick_ups: bool) {
        let Some(unfinished) = self.unfinished.get_mut(uuid) else {
            return;
        };
        let is_picked_up = match state {
            SubmissionState::Started => true,
            SubmissionState::Written => !reports_pick_ups,
            _ => false,
        };
        if is_picked_up && unfinished.stage == Stage::Accepted {
            unfinished.stage = Stage::PickedUp;
            self.picked_up.push(uuid.into());
        } else if state == SubmissionState::Queued && unfinished.stage == Stage::PickedUp {
            unfinished.stage = Stage::Accepted;
        } else if state.is_end() {
            self.unfinished.remove(uuid);
            self.picked_up.retain(|it| **it != *uuid);
            self.enqueue(InboxEntry::finished(vec![uuid.into()]));
        }
    }

    /// Finishes the messages that were handed back, because the application has continued the
    /// session.
    pub(super) fn turn_ended(&mut self) {
        if !self.handed_back.is_empty() {
            let uuids = take(&mut self.handed_back);
            self.enqueue(InboxEntry::finished(uuids));
        }
    }

    /// Records that the picked-up messages are started. Returns whether the store has recorded it.
    pub(super) fn record_starts(&mut self) -> bool {
        let mut uuids = take(&mut self.picked_up);
        uuids.retain(|uuid| {
            let unfinished = self.unfinished.get_mut(uuid);
            let unfinished = unfinished.filter(|it| it.stage == Stage::PickedUp);
            unfinished.map(|it| it.stage = Stage::Started).is_some()
        });
        if !uuids.is_empty() {
            self.enqueue(InboxEntry::started(uuids));
        }
        self.unstored_starts == 0
    }

    /// Processes a stored entry. Returns the UUID of the message that the entry accepted.
    pub(super) fn stored<'a>(&mut self, entry: &'a InboxEntry) -> Option<&'a str> {
        self.unstored_starts -= usize::from(entry.is_started());
        entry.accepted_uuid()
    }

    /// Moves the unfinished messages to the inbox of another session.
    pub(super) fn move_to(&mut self, session: &TranscriptKey) {
        if *self.session == *session {
            return;
        }
        let before = std::mem::replace(&mut self.session, Arc::new(session.clone()));
        let mut unfinished: Vec<_> = self.unfinished.iter().collect();
        unfinished.sort_unstable_by_key(|(_, it)| it.number);
        let started = unfinished
            .iter()
            .filter(|(_, it)| it.stage == Stage::Started);
        let started: Vec<Box<str>> = started.map(|(uuid, _)| (*uuid).clone()).collect();
        let uuids: Vec<Box<str>> = unfinished.iter().map(|(uuid, _)| (*uuid).clone()).collect();
        let accepted = unfinished.into_iter();
        let accepted = accepted.map(|(uuid, it)| InboxEntry::accepted(uuid, it.message.clone()));
        for entry in accepted.collect::<Vec<_>>() {
            self.enqueue(entry);
        }
        if !started.is_empty() {
            self.enqueue(InboxEntry::started(started));
        }
        if !uuids.is_empty() {
            self.queue.push_back((before, InboxEntry::finished(uuids)));
            self.append();
        }
    }

    /// Resolves when entries were stored. Returns them.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Vec<InboxEntry>> {
        let Some(done) = std::task::ready!(self.appending.poll_join_next(context)) else {
            return Poll::Pending;
        };
        self.append();
        Poll::Ready(done.unwrap_or_default())
    }

    /// Waits until all entries are stored, for a limited time.
    pub(super) async fn finish(&mut self) {
        let all = async {
            while !self.appending.is_empty() {
                poll_fn(|context| self.poll(context)).await;
            }
        };
        let _ = timeout(FINISH_TIMEOUT, all).await;
        self.appending.shutdown().await;
    }

    fn enqueue(&mut self, entry: InboxEntry) {
        self.unstored_starts += usize::from(entry.is_started());
        self.queue.push_back((Arc::clone(&self.session), entry));
        self.append();
    }

    /// Appends the next queued entries unless an append is running.
    fn append(&mut self) {
        if !self.appending.is_empty() {
            return;
        }
        let Some((session, _)) = self.queue.front() else {
            return;
        };
        let session = Arc::clone(session);
        let (mut entries, mut lines, mut bytes) = (vec![], vec![], 0);
        while (self.queue.front()).is_some_and(|(other, _)| *other == session)
            && bytes < MAX_BYTES
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
            // If the append fails for too long, the lease expires and the session ends.
            while let Err(failure) = store.append_inbox(&session, &lines).await {
                tracing::warn!(%failure, "cannot append to the inbox of a session");
                sleep(RETRY_INTERVAL).await;
            }
            entries
        });
    }
}
