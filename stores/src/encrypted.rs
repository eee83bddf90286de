//! A layer that encrypts.

use crate::session_log::{LogKey, Part, Position};
use crate::{Layer, Place};
use agentwire::store::StoreError;
use agentwire_protocol::Json;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chacha20poly1305::aead::{Aead, Generate, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use std::fmt;

/// Encrypts entries and summaries with XChaCha20-Poly1305, each with a random nonce.
///
/// ```
/// use agentwire_stores::{Encrypted, Layered, LogBacked, MemoryLog};
///
/// # let (new_key, old_key) = ([1; 32], [2; 32]);
/// let layer = Encrypted::new(new_key).also_reads(old_key);
/// let store = LogBacked::new(Layered::new(MemoryLog::new(), layer));
/// ```
///
/// # What is bound
///
/// An entry is bound to its session, its part, its index in its batch, the number of entries
/// in the batch, and the position of the batch before. An entry or a batch that was changed,
/// moved, repeated, swapped or inserted, or an entry that was removed from its batch, is a
/// [`DecryptError`]. A summary is bound to its session, and is never accepted as an entry.
///
/// # What a program that can write the store can do
///
/// - Read the keys of sessions, names of parts, positions, tokens, sizes and times.
/// - Remove whole batches: at the end, at the start, and in the middle, if it also changes the
///   position of the batch before. What remains is in its order.
/// - Restore an earlier state of a log, and choose between its two continuations if the host
///   then appends again.
/// - Substitute a batch that the store had refused for the one that it accepted behind the
///   same position.
/// - Return an older summary of a session, or none.
/// - Hide or delete sessions, and change times, tokens and so the ownership of logs.
///
/// A store that has entries which are not encrypted cannot be read with this layer.
#[derive(Clone)]
pub struct Encrypted {
    cipher: XChaCha20Poly1305,
    older: Vec<XChaCha20Poly1305>,
}

impl fmt::Debug for Encrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Encrypted")
    }
}

/// The member with what is encrypted: the version, the position of the batch before, the
/// nonce and the ciphertext, in base64.
const SEALED: &str = "sealed";

/// The version of the format.
const VERSION: u8 = 1;

const NONCE: usize = 24;

/// The error of [`Encrypted`] for an entry or a summary.
///
/// The [`StoreError`] that the store returns holds this type:
/// `error.downcast_ref::<DecryptError>()`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecryptError {
    /// The session.
    pub session: LogKey,
    /// The part that the entry belongs to; `None` for a summary.
    pub part: Option<Part>,
    /// What is wrong.
    pub problem: DecryptProblem,
}

/// The kind of a [`DecryptError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecryptProblem {
    /// The stored value is not encrypted.
    NotEncrypted,
    /// The stored value is too short or not base64.
    Malformed,
    /// The stored value has a version of the format that this release does not support.
    UnknownVersion(u8),
    /// No key decrypts it in this place: it has another key, was changed, or was moved from
    /// another session, part or index, or entries of its batch are missing.
    Undecryptable,
    /// It was stored behind another batch: batches were moved, repeated or removed.
    OutOfOrder {
        /// The position of the batch before, when it was stored.
        stored: Position,
        /// The position of the batch before, as the store returns it now; or that of its own
        /// batch, if that is not behind `stored`.
        found: Position,
    },
}

impl fmt::Display for DecryptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            None => write!(f, "the summary of {}", self.session)?,
            Some(part) => write!(f, "an entry of {part} in log {}", self.session)?,
        }
        match self.problem {
            DecryptProblem::NotEncrypted => f.write_str(" is not encrypted"),
            DecryptProblem::Malformed => f.write_str(" is too short or not base64"),
            DecryptProblem::UnknownVersion(version) => write!(
                f,
                " has version {version} of the format; this release supports {VERSION}"
            ),
            DecryptProblem::Undecryptable => f.write_str(
                " cannot be decrypted: it has another key, was changed, or was moved here",
            ),
            DecryptProblem::OutOfOrder { stored, found } => write!(
                f,
                " was stored behind position {stored}, which position {found} contradicts: \
                 batches were moved, repeated or removed"
            ),
        }
    }
}

impl std::error::Error for DecryptError {}

impl Encrypted {
    /// Creates a layer that encrypts with this key, which has to be random.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self {
            cipher: cipher(key),
            older: Vec::new(),
        }
    }

    /// Also decrypts what was encrypted with an older key.
    #[must_use]
    pub fn also_reads(mut self, key: [u8; 32]) -> Self {
        self.older.push(cipher(key));
        self
    }
}

fn cipher(key: [u8; 32]) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&Key::from(key))
}

/// The associated data: the place, with the length of each text before it.
fn associated(place: &Place<'_>, after: Position) -> Vec<u8> {
    let number = |it: usize| u64::try_from(it).unwrap_or(u64::MAX).to_be_bytes();
    let mut data = vec![VERSION];
    let text = |data: &mut Vec<u8>, it: &str| {
        data.extend(number(it.len()));
        data.extend(it.as_bytes());
    };
    let LogKey {
        project,
        session_id,
        ..
    } = place.session();
    text(&mut data, project);
    text(&mut data, session_id);
    if let Place::Entry {
        part, index, count, ..
    } = place
    {
        text(&mut data, part.name());
        data.extend(after.0.to_be_bytes());
        data.extend(number(*index));
        data.extend(number(*count));
    }
    data
}

/// The position of the batch before and that of the batch, as far as they are known.
fn positions(place: &Place<'_>) -> (Option<Position>, Option<Position>) {
    match place {
        Place::Summary { .. } => (None, None),
        Place::Entry {
            after, position, ..
        } => (*after, *position),
    }
}

impl Encrypted {
    fn decrypt(&self, place: &Place<'_>, json: &Json) -> Result<Vec<u8>, DecryptProblem> {
        use DecryptProblem::{Malformed, NotEncrypted, OutOfOrder, Undecryptable, UnknownVersion};
        let member = json.member(SEALED).ok_or(NotEncrypted)?;
        let text: String = member.read().map_err(|_| Malformed)?;
        let bytes = BASE64_STANDARD.decode(text).map_err(|_| Malformed)?;
        let (version, rest) = bytes.split_first().ok_or(Malformed)?;
        if *version != VERSION {
            return Err(UnknownVersion(*version));
        }
        let (stored, rest) = rest.split_first_chunk().ok_or(Malformed)?;
        let stored = Position(u64::from_be_bytes(*stored));
        let (nonce, msg) = rest.split_at_checked(NONCE).ok_or(Malformed)?;
        let nonce = XNonce::try_from(nonce).map_err(|_| Malformed)?;
        let aad = &associated(place, stored);
        let decrypt = |cipher: &XChaCha20Poly1305| cipher.decrypt(&nonce, Payload { msg, aad });
        let mut ciphers = [&self.cipher].into_iter().chain(&self.older);
        let text = ciphers.find_map(|it| decrypt(it).ok());
        let text = text.ok_or(Undecryptable)?;
        // The position of a batch is not encrypted. Together the two checks order the batches.
        let (after, position) = positions(place);
        let contradicts = after.filter(|it| *it != stored);
        match contradicts.or(position.filter(|it| *it <= stored)) {
            Some(found) => Err(OutOfOrder { stored, found }),
            None => Ok(text),
        }
    }
}

impl Layer for Encrypted {
    fn seal(&self, place: &Place<'_>, json: &Json) -> Result<Json, StoreError> {
        let after = positions(place).0.unwrap_or(Position::START);
        let nonce = XNonce::try_generate()?;
        let payload = Payload {
            msg: json.get().as_bytes(),
            aad: &associated(place, after),
        };
        let sealed = self.cipher.encrypt(&nonce, payload)?;
        let bytes = [&[VERSION][..], &after.0.to_be_bytes(), &nonce, &sealed].concat();
        let text = BASE64_STANDARD.encode(bytes);
        Ok(Json::of_text(format!(r#"{{"{SEALED}":"{text}"}}"#)))
    }

    fn open(&self, place: &Place<'_>, json: Json) -> Result<Json, StoreError> {
        let text = self.decrypt(place, &json).map_err(|problem| DecryptError {
            session: place.session().clone(),
            part: match place {
                Place::Summary { .. } => None,
                Place::Entry { part, .. } => Some((*part).clone()),
            },
            problem,
        })?;
        Ok(serde_json::from_slice(&text)?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::session_log::{Batch, Entry, LogStore, NewBatch, Token};
    use crate::{Layered, LogBacked, MemoryLog};
    use DecryptProblem::{Malformed, NotEncrypted, OutOfOrder, Undecryptable, UnknownVersion};
    use agentwire::SessionStore;
    use std::collections::BTreeSet;

    type Store = Layered<MemoryLog, Encrypted>;

    fn session(id: &str) -> LogKey {
        LogKey::new("crabs", id)
    }

    fn json(text: &str) -> Json {
        serde_json::Value::from(text).into()
    }

    fn agent() -> Part {
        Part::Transcript("subagents/agent-1".into())
    }

    fn store() -> Store {
        Layered::new(MemoryLog::new(), Encrypted::new([1; 32]))
    }

    /// Appends a batch of each of these parts and texts, one behind the other.
    async fn append(store: &impl LogStore, id: &str, batches: &[&[(Part, &str)]]) {
        let token = Token::new(1, "writer");
        let mut after = Position::START;
        for batch in batches {
            let entries = batch
                .iter()
                .map(|(part, it)| Entry::new(part.clone(), json(it)));
            let entries: Vec<_> = entries.collect();
            let summary = json("a summary");
            let batch = NewBatch::new(after, &token, &entries).summary(&summary);
            after = store.append(&session(id), &batch).await.unwrap();
        }
    }

    const MAIN: Part = Part::Main;

    /// A log of three batches: of two entries, of a sub-agent's and a note, of one.
    async fn written() -> (MemoryLog, Vec<Batch>) {
        let memory = MemoryLog::new();
        let store = Layered::new(memory.clone(), Encrypted::new([1; 32]));
        let second = [(agent(), "c"), (Part::Session, "d")];
        append(
            &store,
            "one",
            &[&[(MAIN, "a"), (MAIN, "b")], &second, &[(MAIN, "e")]],
        )
        .await;
        let batches = memory.read(&session("one"), Position::START).await.unwrap();
        (memory, batches)
    }

    /// Opens a log in one page, and in pages of one batch.
    fn open(id: &str, batches: &[Batch]) -> Result<Vec<String>, StoreError> {
        let mut whole = batches.to_vec();
        let opened = store().open(&session(id), Position::START, &mut whole);
        let mut after = Position::START;
        let mut paged = batches.to_vec();
        let pages = paged.chunks_mut(1).try_for_each(|page| {
            let behind = std::mem::replace(&mut after, page[0].position);
            store().open(&session(id), behind, page)
        });
        let text = |it: &Result<(), StoreError>| it.as_ref().map_err(ToString::to_string).err();
        assert_eq!(text(&opened), text(&pages));
        opened?;
        let entries = whole.iter().flat_map(|batch| &batch.entries);
        Ok(entries.map(|it| it.json.read().unwrap()).collect())
    }

    /// The problem of a log that was changed; its batches are numbered anew.
    async fn problem(id: &str, change: impl FnOnce(&mut Vec<Batch>)) -> DecryptProblem {
        let (_, mut batches) = written().await;
        change(&mut batches);
        for (batch, position) in batches.iter_mut().zip(1..) {
            batch.position = Position(position);
        }
        let error = open(id, &batches).unwrap_err();
        error.downcast_ref::<DecryptError>().unwrap().problem
    }

    fn order(stored: u64, found: u64) -> DecryptProblem {
        let (stored, found) = (Position(stored), Position(found));
        OutOfOrder { stored, found }
    }

    #[test]
    fn what_is_sealed_is_another_text_each_time_and_opens_to_the_same() {
        let (layer, session) = (Encrypted::new([1; 32]), &session("one"));
        let place = Place::Summary { session };
        let json: Json = r#"{"b": 1.00, "a":"\ud83d"}"#.parse().unwrap();
        let one = layer.seal(&place, &json).unwrap();
        assert_ne!(one, layer.seal(&place, &json).unwrap());
        assert!(!one.get().contains("1.00"));
        assert_eq!(layer.open(&place, one).unwrap().get(), json.get());
    }

    #[test]
    fn another_key_text_or_format_does_not_open() {
        let (layer, session) = (Encrypted::new([1; 32]), &session("one"));
        let place = Place::Summary { session };
        let json = json("a summary");
        let sealed = layer.seal(&place, &json).unwrap();
        let problem = |layer: &Encrypted, json: Json| {
            let error = layer.open(&place, json).unwrap_err();
            error.downcast_ref::<DecryptError>().unwrap().problem
        };
        let newer = Encrypted::new([2; 32]);
        assert_eq!(problem(&newer, sealed.clone()), Undecryptable);
        let both = newer.also_reads([1; 32]);
        assert_eq!(both.open(&place, sealed.clone()).unwrap(), json);
        let text: String = sealed.member(SEALED).unwrap().read().unwrap();
        let bytes = BASE64_STANDARD.decode(text).unwrap();
        let of = |bytes: &[u8]| {
            let text = BASE64_STANDARD.encode(bytes);
            Json::of_text(format!(r#"{{"sealed":"{text}"}}"#))
        };
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let wanted = match at {
                0 => UnknownVersion(0),
                // A summary has no position.
                1..9 => continue,
                _ => Undecryptable,
            };
            assert_eq!(problem(&layer, of(&changed)), wanted, "byte {at}");
        }
        for (invalid, wanted) in [
            (r#"{"type":"user"}"#, NotEncrypted),
            (r#"{"sealed":1}"#, Malformed),
            (r#"{"sealed":"?"}"#, Malformed),
            (r#"{"sealed":""}"#, Malformed),
            (r#"{"sealed":"AQAA"}"#, Malformed),
        ] {
            assert_eq!(
                problem(&layer, invalid.parse().unwrap()),
                wanted,
                "{invalid}"
            );
        }
    }

    #[tokio::test]
    async fn an_untouched_log_opens_and_also_one_that_continues_after_a_deletion() {
        let (_, batches) = written().await;
        assert_eq!(open("one", &batches).unwrap(), ["a", "b", "c", "d", "e"]);
        let store = store();
        append(&store, "one", &[&[(MAIN, "a")], &[(MAIN, "b")]]).await;
        let token = Token::new(2, "other");
        store.delete(&session("one"), &token).await.unwrap();
        let end = store.head(&session("one")).await.unwrap().unwrap().position;
        let (token, entries) = (Token::new(3, "other"), [Entry::new(MAIN, json("c"))]);
        let batch = NewBatch::new(end, &token, &entries);
        store.append(&session("one"), &batch).await.unwrap();
        let found = store.read(&session("one"), Position::START).await.unwrap();
        assert_eq!(found[0].entries, entries);
    }

    #[tokio::test]
    async fn entries_of_another_session_are_refused() {
        assert_eq!(problem("two", |_| {}).await, Undecryptable);
    }

    #[tokio::test]
    async fn entries_of_another_part_are_refused() {
        // A sub-agent's into the main conversation, a note into it, and back.
        for (index, part) in [(0, MAIN), (1, MAIN), (0, Part::Session), (1, agent())] {
            let change = |it: &mut Vec<Batch>| it[1].entries[index].part = part.clone();
            assert_eq!(
                problem("one", change).await,
                Undecryptable,
                "{index} {part}"
            );
        }
        let change = |it: &mut Vec<Batch>| it[2].entries[0].part = Part::Session;
        assert_eq!(problem("one", change).await, Undecryptable);
    }

    #[tokio::test]
    async fn a_summary_is_no_entry_and_an_entry_no_summary() {
        let (memory, batches) = written().await;
        let (_, summary) = memory.summaries("crabs").await.unwrap().remove(0);
        let summary = summary.unwrap().unwrap();
        let change = |it: &mut Vec<Batch>| it[2].entries[0].json = summary;
        assert_eq!(problem("one", change).await, Undecryptable);
        let layer = Encrypted::new([1; 32]);
        let session = &session("one");
        let entry = batches[2].entries[0].json.clone();
        let error = layer.open(&Place::Summary { session }, entry).unwrap_err();
        let error = error.downcast_ref::<DecryptError>().unwrap();
        assert_eq!((error.problem, &error.part), (Undecryptable, &None));
    }

    #[tokio::test]
    async fn entries_that_are_swapped_repeated_or_removed_in_a_batch_are_refused() {
        let swap = |it: &mut Vec<Batch>| it[0].entries.swap(0, 1);
        assert_eq!(problem("one", swap).await, Undecryptable);
        let repeat = |it: &mut Vec<Batch>| it[0].entries[1] = it[0].entries[0].clone();
        assert_eq!(problem("one", repeat).await, Undecryptable);
        let append = |it: &mut Vec<Batch>| {
            let again = it[0].entries[0].clone();
            it[0].entries.push(again);
        };
        assert_eq!(problem("one", append).await, Undecryptable);
        let remove = |it: &mut Vec<Batch>| drop(it[0].entries.pop());
        assert_eq!(problem("one", remove).await, Undecryptable);
    }

    #[tokio::test]
    async fn batches_that_are_swapped_repeated_or_removed_are_refused() {
        assert_eq!(problem("one", |it| it.swap(1, 2)).await, order(2, 1));
        assert_eq!(problem("one", |it| it.swap(0, 1)).await, order(1, 1));
        let repeat = |it: &mut Vec<Batch>| it.push(it[1].clone());
        assert_eq!(problem("one", repeat).await, order(1, 3));
        let remove = |it: &mut Vec<Batch>| drop(it.remove(1));
        assert_eq!(problem("one", remove).await, order(2, 1));
        let join = |it: &mut Vec<Batch>| {
            let entries = it.remove(2).entries;
            it[1].entries.extend(entries);
        };
        assert_eq!(problem("one", join).await, Undecryptable);
    }

    /// Whatever the order of the batches and their positions: those that open are in the order
    /// in which they were appended. That some are missing is a limit in the documentation of
    /// [`Encrypted`].
    #[tokio::test]
    async fn batches_open_only_in_their_order() {
        const POSITIONS: usize = 5;
        let (_, batches) = written().await;
        let mut opened = BTreeSet::new();
        for length in 1..=3 {
            let choices = batches.len() * POSITIONS;
            for number in 0..choices.pow(length) {
                let digit = |at| number / choices.pow(at) % choices;
                let order: Vec<_> = (0..length).map(|at| digit(at) / POSITIONS).collect();
                let of = |at: u32| {
                    let mut batch = batches[order[at as usize]].clone();
                    batch.position = Position((digit(at) % POSITIONS) as u64);
                    batch
                };
                let log: Vec<_> = (0..length).map(of).collect();
                if open("one", &log).is_ok() {
                    opened.insert(order);
                }
            }
        }
        let some = [&[0][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
        assert_eq!(opened, some.iter().map(|it| it.to_vec()).collect());
    }

    #[tokio::test]
    async fn a_summary_with_another_key_hides_no_other_session() {
        let memory = MemoryLog::new();
        let with = |key| Layered::new(memory.clone(), Encrypted::new([key; 32]));
        append(&with(1), "one", &[&[(MAIN, "a")]]).await;
        append(&with(2), "two", &[&[(MAIN, "b")]]).await;
        let found = with(1).summaries("crabs").await.unwrap();
        let [(one, Ok(Some(summary))), (two, Err(error))] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!((&*one.id, &*two.id), ("one", "two"));
        assert_eq!(*summary, json("a summary"));
        let error = error.downcast_ref::<DecryptError>().unwrap();
        assert_eq!(
            (&error.session, error.problem),
            (&session("two"), Undecryptable)
        );
        // The store for sessions lists both, too.
        let store = LogBacked::new(with(1));
        let listed = store.sessions("crabs").await.unwrap();
        assert_eq!(listed.len(), 2);
        let found = SessionStore::summaries(&store, "crabs").await.unwrap();
        assert!(matches!(&found[..], [(_, Ok(_)), (_, Err(_))]), "{found:?}");
    }
}
