//! What the store has not taken yet: entries in memory, and entries that are only in
//! the agent's own file.

use super::spool::{CALL_BYTES, CALL_ENTRIES, End, Place, Read};
use crate::store::{TranscriptFailure, TranscriptKey};
use agentwire_protocol::Json;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The pauses between attempts. The last one is that of all further attempts.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(200),
    Duration::from_millis(800),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
];

/// After how many failed attempts the store counts as behind.
const ATTEMPTS: usize = 3;

/// The pause before the agent's file is read again, and how often it is. The agent
/// writes entries to its file a moment after it has told them.
const NOT_YET: Duration = Duration::from_millis(500);
const LOOKS: u32 = 20;

/// The most transcripts of a session that are mirrored: the agent names them.
const MOST: usize = 16 * 1024;

/// What the store has not taken yet.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    transcripts: Vec<Transcript>,
    /// The number of the next piece.
    next: u64,
    /// Pieces with lower numbers are to be sent.
    due: u64,
}

/// A transcript, and what of it the store has not taken.
#[derive(Debug)]
struct Transcript {
    key: TranscriptKey,
    /// The agent's own file, if it has told of it.
    file: Option<PathBuf>,
    pieces: VecDeque<Piece>,
    /// The end of the entries so far.
    end: End,
    /// How many attempts have failed in a row.
    failed: usize,
    /// Not before this time is the store asked again.
    pause: Option<Instant>,
    /// It is not known what of the last attempt was kept.
    is_unsure: bool,
    /// How often the agent's file was read in vain.
    looks: u32,
    behind: Option<Since>,
    /// Why entries are missing for ever: what follows them would leave a hole.
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
    /// How many entries.
    count: usize,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Entries, and their size on the wire.
    Memory(Vec<Json>, usize),
    OnDisk(Place),
}

/// Entries to send.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) key: TranscriptKey,
    pub(super) source: Source,
    /// Some may be stored already.
    pub(super) is_unsure: bool,
    /// How many pieces.
    pieces: usize,
}

#[derive(Debug, Clone)]
pub(super) enum Source {
    Memory(Arc<[Json]>),
    OnDisk(PathBuf, Place),
}

/// How a call went.
#[derive(Debug)]
pub(super) enum Outcome {
    Stored,
    /// Entries that were read from the agent's file are stored.
    StoredFromDisk(Read),
    /// The agent's file does not have it, or not yet.
    NotThere,
    Failed(TranscriptFailure),
}

/// The state that the store is in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Behind {
    pub(super) entries: usize,
    pub(super) since: SystemTime,
    pub(super) failure: TranscriptFailure,
}

/// Entries that the store will not get.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) key: TranscriptKey,
    pub(super) entries: usize,
    pub(super) failure: TranscriptFailure,
}

impl Backlog {
    /// Adds entries. Returns `false` if they are not kept because earlier ones of that
    /// transcript are missing, or the session has too many transcripts:
    /// [`Backlog::cut`] has the reason.
    pub(super) fn hold(
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

    /// Adds entries that are read from the agent's file when it is their turn. Returns as
    /// [`Backlog::hold`].
    pub(super) fn leave_on_disk(
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

    /// Everything so far is to be sent. Returns a number for [`Backlog::is_sent`].
    pub(super) fn flush(&mut self) -> u64 {
        self.due = self.next;
        self.due
    }

    /// Makes the next attempts now. An agent that has not written yet is not hurried.
    pub(super) fn hurry(&mut self) {
        for transcript in &mut self.transcripts {
            if transcript.looks == 0 {
                transcript.pause = None;
            }
        }
    }

    /// Whether everything before this number was sent.
    pub(super) fn is_sent(&self, until: u64) -> bool {
        let mut fronts = self.transcripts.iter().filter_map(|it| it.pieces.front());
        fronts.all(|piece| piece.number >= until)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.transcripts.iter().all(|it| it.pieces.is_empty())
    }

    /// Returns what to send now: what came first.
    pub(super) fn next_call(&self, now: Instant) -> Option<Call> {
        let due = self.waiting();
        let ready = due.filter(|(it, _)| it.pause.is_none_or(|pause| pause <= now));
        let (transcript, _) = ready.min_by_key(|(_, piece)| piece.number)?;
        Some(transcript.call(self.due))
    }

    /// Returns when there may be something to send, if nothing new comes.
    pub(super) fn next_time(&self) -> Option<Instant> {
        self.waiting().filter_map(|(it, _)| it.pause).min()
    }

    /// Transcripts with something that is to be sent, and the first piece of each.
    fn waiting(&self) -> impl Iterator<Item = (&Transcript, &Piece)> {
        let all = self.transcripts.iter();
        all.filter_map(|it| Some((it, it.pieces.front()?)))
            .filter(|(_, piece)| piece.number < self.due)
    }

    /// Handles the outcome of a call. Returns how many bytes are not held any more, and
    /// what will be missing from the store.
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
            Outcome::NotThere if transcript.looks < LOOKS => {
                transcript.looks += 1;
                transcript.pause = now.checked_add(NOT_YET);
                return (0, None);
            }
            // An agent may not write what it has told. It is of no entry's conversation.
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
        transcript.looks = 0;
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

    /// Returns why a transcript goes on in the agent's own file only.
    pub(super) fn cut(&self, key: &TranscriptKey) -> Option<TranscriptFailure> {
        match self.transcripts.iter().find(|it| it.key == *key) {
            Some(known) => known.cut.clone(),
            None if self.transcripts.len() < MOST => None,
            None => {
                let why = format!("the session has more than {MOST} transcripts");
                Some(TranscriptFailure::Unreadable(why))
            }
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

    /// Gives up what has been attempted often enough: at the end of the session. Returns as
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
            looks: 0,
            behind: None,
            cut: None,
        }
    }

    fn count(&self) -> usize {
        self.pieces.iter().map(|it| it.count).sum()
    }

    /// What to send first. Entries of several messages go together.
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
    fn transcripts_beyond_the_limit_are_not_mirrored_and_the_others_are() {
        let mut backlog = Backlog::default();
        let session = TranscriptKey::new("p", "s").unwrap();
        let key = |number: usize| session.part(format!("agent-{number}")).unwrap();
        backlog.transcripts = (0..MOST).map(|it| Transcript::new(key(it))).collect();
        let entries = || vec![Json::null()];
        assert!(backlog.hold(&key(0), None, entries(), 4));
        assert!(!backlog.hold(&key(MOST), None, entries(), 4));
        let end = End::of(&entries());
        assert!(!backlog.leave_on_disk(&key(MOST + 1), PathBuf::new(), 1, end));
        assert_eq!(backlog.transcripts.len(), MOST);
        let why = backlog.cut(&key(MOST)).map(|it| it.to_string());
        let wanted = "the agent's message is invalid: the session has more than 16384 transcripts";
        assert_eq!(why.as_deref(), Some(wanted));
        assert_eq!(backlog.cut(&key(0)), None);
    }
}
