//! Entries that are not stored yet: in memory, or only in the agent's own file.

use super::spool::{CALL_BYTES, CALL_ENTRIES, End, Place, Read};
use crate::store::{TranscriptFailure, TranscriptKey};
use agentwire_protocol::Json;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The pauses between attempts. The last one repeats.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(200),
    Duration::from_millis(800),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
];

/// The number of failed attempts after which the store counts as behind.
const ATTEMPTS: usize = 3;

/// The pause between two reads of the agent's file, and the most reads. The agent writes
/// entries to its file shortly after it has reported them.
const READ_PAUSE: Duration = Duration::from_millis(500);
const READS: u32 = 20;

/// The most transcripts of a session that are mirrored. The agent chooses their names.
const MOST: usize = 16 * 1024;

/// Entries that are not stored yet.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    transcripts: Vec<Transcript>,
    /// The number of the next piece.
    next: u64,
    /// Pieces with lower numbers are due.
    due: u64,
}

/// A transcript, and its entries that are not stored.
#[derive(Debug)]
struct Transcript {
    key: TranscriptKey,
    /// The agent's own file, once reported.
    file: Option<PathBuf>,
    pieces: VecDeque<Piece>,
    /// The end of the entries received so far.
    end: End,
    /// Failed attempts in a row.
    failed: usize,
    /// The time of the next attempt.
    pause: Option<Instant>,
    /// Whether the last attempt may have stored some entries.
    is_unsure: bool,
    /// How many reads of the agent's file found nothing.
    reads: u32,
    behind: Option<Since>,
    /// Why entries are missing for good: storing later ones would leave a hole.
    cut: Option<TranscriptFailure>,
}

/// Since when the store is behind, and why.
#[derive(Debug, Clone)]
struct Since {
    time: SystemTime,
    failure: TranscriptFailure,
}

#[derive(Debug)]
struct Piece {
    number: u64,
    /// The number of entries.
    count: usize,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Entries, and their size on the wire.
    Memory(Vec<Json>, usize),
    OnDisk(Place),
}

/// A call to the store.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) key: TranscriptKey,
    pub(super) source: Source,
    /// Whether some may be stored already.
    pub(super) is_unsure: bool,
    /// The number of pieces.
    pieces: usize,
}

#[derive(Debug, Clone)]
pub(super) enum Source {
    Memory(Arc<[Json]>),
    OnDisk(PathBuf, Place),
}

/// The outcome of a call.
#[derive(Debug)]
pub(super) enum Outcome {
    Stored,
    /// Entries read from the agent's file are stored.
    StoredFromDisk(Read),
    /// The agent's file does not contain them, or not yet.
    NotThere,
    Failed(TranscriptFailure),
}

/// The state of a store that is behind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Behind {
    pub(super) entries: usize,
    pub(super) since: SystemTime,
    pub(super) failure: TranscriptFailure,
}

/// Entries that will never be stored.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) key: TranscriptKey,
    pub(super) entries: usize,
    pub(super) failure: TranscriptFailure,
}

impl Backlog {
    /// Adds entries. Returns `false` if they are discarded, because earlier ones of the transcript
    /// are missing or the session has too many transcripts. [`Backlog::cut`] returns the reason.
    pub(super) fn add(
        &mut self,
        key: &TranscriptKey,
        file: Option<PathBuf>,
        entries: Vec<Json>,
        bytes: usize,
    ) -> bool {
        if self.cut(key).is_some() {
            return false;
        }
        let number = self.number();
        let transcript = self.transcript(key, file);
        transcript.end.extend(End::of(&entries));
        transcript.pieces.push_back(Piece {
            number,
            count: entries.len(),
            content: Content::Memory(entries, bytes),
        });
        true
    }

    /// Adds entries that are read from the agent's file when they are due. Returns `false` as
    /// [`Backlog::add`].
    pub(super) fn add_on_disk(
        &mut self,
        key: &TranscriptKey,
        file: PathBuf,
        count: usize,
        end: End,
    ) -> bool {
        if self.cut(key).is_some() {
            return false;
        }
        let number = self.number();
        let transcript = self.transcript(key, Some(file));
        let after = transcript.end.clone();
        transcript.end.extend(end.clone());
        if let Some(Piece {
            count: counted,
            content: Content::OnDisk(place),
            ..
        }) = transcript.pieces.back_mut()
        {
            *counted += count;
            place.extend(end);
        } else {
            transcript.pieces.push_back(Piece {
                number,
                count,
                content: Content::OnDisk(Place::new(after, end)),
            });
        }
        true
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    fn transcript(&mut self, key: &TranscriptKey, file: Option<PathBuf>) -> &mut Transcript {
        let index = self.transcripts.iter().position(|it| it.key == *key);
        let index = index.unwrap_or_else(|| {
            self.transcripts.push(Transcript::new(key.clone()));
            self.transcripts.len() - 1
        });
        let transcript = &mut self.transcripts[index];
        if file.is_some() {
            transcript.file = file;
        }
        transcript
    }

    /// Makes all entries due. Returns a number for [`Backlog::is_sent`].
    pub(super) fn flush(&mut self) -> u64 {
        self.due = self.next;
        self.due
    }

    /// Ends the pauses before the next attempts, except for files that the agent has not written
    /// yet.
    pub(super) fn hurry(&mut self) {
        for transcript in &mut self.transcripts {
            if transcript.reads == 0 {
                transcript.pause = None;
            }
        }
    }

    /// Returns whether no piece before this number remains.
    pub(super) fn is_sent(&self, until: u64) -> bool {
        let mut fronts = self.transcripts.iter().filter_map(|it| it.pieces.front());
        fronts.all(|piece| piece.number >= until)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.transcripts.iter().all(|it| it.pieces.is_empty())
    }

    /// Returns the next call: the oldest due piece whose pause is over.
    pub(super) fn next_call(&self, now: Instant) -> Option<Call> {
        let due = self.waiting();
        let ready = due.filter(|(it, _)| it.pause.is_none_or(|pause| pause <= now));
        let (transcript, _) = ready.min_by_key(|(_, piece)| piece.number)?;
        Some(transcript.call(self.due))
    }

    /// Returns when the next pause is over.
    pub(super) fn next_time(&self) -> Option<Instant> {
        self.waiting().filter_map(|(it, _)| it.pause).min()
    }

    /// Returns the transcripts with due pieces, and the first piece of each.
    fn waiting(&self) -> impl Iterator<Item = (&Transcript, &Piece)> {
        let all = self.transcripts.iter();
        all.filter_map(|it| Some((it, it.pieces.front()?)))
            .filter(|(_, piece)| piece.number < self.due)
    }

    /// Handles the outcome of a call. Returns how many bytes were released, and the entries that
    /// will be missing.
    pub(super) fn done(
        &mut self,
        call: &Call,
        outcome: Outcome,
        now: Instant,
    ) -> (usize, Option<Missing>) {
        let transcript = self.transcript(&call.key, None);
        match outcome {
            Outcome::Failed(failure @ TranscriptFailure::Refused(_)) => {
                transcript.cut = Some(failure.clone());
                return transcript.give_up(failure);
            }
            Outcome::Failed(failure) => {
                transcript.failed(failure, now);
                return (0, None);
            }
            Outcome::NotThere if transcript.reads < READS => {
                transcript.reads += 1;
                transcript.pause = now.checked_add(READ_PAUSE);
                return (0, None);
            }
            // The agent may never write entries without a `uuid`. They are not part of a
            // conversation.
            Outcome::NotThere if call.has_only_trailing() => {}
            Outcome::NotThere => {
                transcript.cut = Some(TranscriptFailure::TooSlow);
                return transcript.give_up(TranscriptFailure::TooSlow);
            }
            Outcome::Stored | Outcome::StoredFromDisk(_) => {}
        }
        transcript.failed = 0;
        transcript.pause = None;
        transcript.is_unsure = false;
        transcript.reads = 0;
        if let Outcome::StoredFromDisk(read) = outcome
            && let Source::OnDisk(_, before) = &call.source
            && let Some(Piece {
                content: Content::OnDisk(place),
                ..
            }) = transcript.pieces.front_mut()
            && !place.was_read(before, read)
        {
            return (0, None);
        }
        let mut bytes = 0;
        for piece in transcript.pieces.drain(..call.pieces) {
            if let Content::Memory(_, size) = piece.content {
                bytes += size;
            }
        }
        if transcript.pieces.is_empty() {
            transcript.behind = None;
        }
        (bytes, None)
    }

    /// Returns why a transcript is no longer mirrored.
    pub(super) fn cut(&self, key: &TranscriptKey) -> Option<TranscriptFailure> {
        match self.transcripts.iter().find(|it| it.key == *key) {
            Some(known) => known.cut.clone(),
            None if self.transcripts.len() < MOST => None,
            None => Some(TranscriptFailure::TooManyTranscripts(MOST)),
        }
    }

    /// Returns the state of the store if it is behind.
    pub(super) fn behind(&self) -> Option<Behind> {
        let behind = || self.transcripts.iter().filter(|it| it.behind.is_some());
        let since = behind().filter_map(|it| it.behind.clone());
        let Since { time, failure } = since.min_by_key(|it| it.time)?;
        Some(Behind {
            entries: behind().map(Transcript::count).sum(),
            since: time,
            failure,
        })
    }

    /// Gives up transcripts with enough failed attempts, at the end of the session. Returns as
    /// [`Backlog::done`].
    pub(super) fn give_up_failing(&mut self) -> (usize, Vec<Missing>) {
        self.give_up(|it| it.behind.clone().map(|it| it.failure))
    }

    /// Gives up everything.
    pub(super) fn give_up_all(&mut self, failure: &TranscriptFailure) -> (usize, Vec<Missing>) {
        self.give_up(|_| Some(failure.clone()))
    }

    fn give_up(
        &mut self,
        why: impl Fn(&Transcript) -> Option<TranscriptFailure>,
    ) -> (usize, Vec<Missing>) {
        let (mut bytes, mut all) = (0, vec![]);
        for transcript in &mut self.transcripts {
            if let Some(failure) = why(transcript) {
                let (size, missing) = transcript.give_up(failure);
                bytes += size;
                all.extend(missing);
            }
        }
        (bytes, all)
    }
}

impl Call {
    fn has_only_trailing(&self) -> bool {
        matches!(&self.source, Source::OnDisk(_, place) if place.has_only_trailing())
    }
}

impl Transcript {
    fn new(key: TranscriptKey) -> Self {
        Self {
            key,
            file: None,
            pieces: VecDeque::new(),
            end: End::default(),
            failed: 0,
            pause: None,
            is_unsure: false,
            reads: 0,
            behind: None,
            cut: None,
        }
    }

    fn count(&self) -> usize {
        self.pieces.iter().map(|it| it.count).sum()
    }

    /// Returns the next call. It combines the entries of several messages.
    fn call(&self, due: u64) -> Call {
        let (mut batch, mut bytes, mut pieces) = (Vec::new(), 0, 0);
        let mut source = None;
        for piece in self.pieces.iter().take_while(|it| it.number < due) {
            match &piece.content {
                Content::OnDisk(place) if pieces == 0 => {
                    pieces = 1;
                    let file = self.file.clone().unwrap_or_default();
                    source = Some(Source::OnDisk(file, place.clone()));
                    break;
                }
                Content::OnDisk(_) => break,
                Content::Memory(entries, size) => {
                    let fits =
                        batch.len() + entries.len() <= CALL_ENTRIES && bytes + size <= CALL_BYTES;
                    if pieces > 0 && !fits {
                        break;
                    }
                    batch.extend(entries.iter().cloned());
                    bytes += size;
                    pieces += 1;
                }
            }
        }
        Call {
            key: self.key.clone(),
            source: source.unwrap_or_else(|| Source::Memory(batch.into())),
            is_unsure: self.is_unsure,
            pieces,
        }
    }

    fn failed(&mut self, failure: TranscriptFailure, now: Instant) {
        let pause = PAUSES[self.failed.min(PAUSES.len() - 1)];
        self.failed += 1;
        self.pause = now.checked_add(pause);
        self.is_unsure |= !matches!(failure, TranscriptFailure::Failed(_));
        let is_slow = matches!(failure, TranscriptFailure::TimedOut(_));
        if let Some(since) = &mut self.behind {
            since.failure = failure;
        } else if self.failed >= ATTEMPTS || is_slow {
            self.behind = Some(Since {
                time: SystemTime::now(),
                failure,
            });
        }
    }

    fn give_up(&mut self, failure: TranscriptFailure) -> (usize, Option<Missing>) {
        let entries = self.count();
        let mut bytes = 0;
        for piece in self.pieces.drain(..) {
            if let Content::Memory(_, size) = piece.content {
                bytes += size;
            }
        }
        self.behind = None;
        let missing = (entries > 0).then(|| Missing {
            key: self.key.clone(),
            entries,
            failure,
        });
        (bytes, missing)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_beyond_the_limit_are_not_mirrored() {
        let mut backlog = Backlog::default();
        let session = TranscriptKey::new("p", "s").unwrap();
        let key = |number: usize| session.part(format!("agent-{number}")).unwrap();
        backlog.transcripts = (0..MOST).map(|it| Transcript::new(key(it))).collect();
        let entries = || vec![Json::null()];
        assert!(backlog.add(&key(0), None, entries(), 4));
        assert!(!backlog.add(&key(MOST), None, entries(), 4));
        let end = End::of(&entries());
        assert!(!backlog.add_on_disk(&key(MOST + 1), PathBuf::new(), 1, end));
        assert_eq!(backlog.transcripts.len(), MOST);
        let why = backlog.cut(&key(MOST)).map(|it| it.to_string());
        let wanted = "the session has more than 16384 transcripts";
        assert_eq!(why.as_deref(), Some(wanted));
        assert_eq!(backlog.cut(&key(0)), None);
    }
}
