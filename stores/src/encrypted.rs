//! Encrypts entries and summaries.

use crate::session_log::{LogKey, Part, Position};
use crate::{Layer, Place};
use agentwire::store::StoreError;
use agentwire_protocol::Json;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chacha20poly1305::aead::{Aead, Generate, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use std::fmt;

/// A layer that encrypts entries and summaries with XChaCha20-Poly1305, each with a random nonce.
///
/// ```
/// use agentwire_stores::{Encrypted, Layered, LogBacked, MemoryLog};
///
/// # let (new_key, old_key) = ([1; 32], [2; 32]);
/// let layer = Encrypted::new(new_key).also_reads(old_key);
/// let store = LogBacked::new(Layered::new(MemoryLog::new(), layer));
/// ```
///
/// # Authenticated data
///
/// An entry is bound to its session, its part, its index in the batch, the number of entries in the
/// batch, and the position of the preceding batch. Entries and batches that were changed, moved,
/// repeated, swapped or inserted cause a [`DecryptError`], and so do batches from which an entry
/// was removed. A summary is bound to its session, and is never accepted as an entry.
///
/// # Attacks that are not prevented
///
/// A program that can write to the store can
///
/// - read session keys, names of parts, positions, tokens, sizes and times;
/// - remove all batches: at the end, at the start, and, if it also changes the position of the
///   preceding batch, in the middle. The remaining batches are in order;
/// - restore an earlier state of a log, and choose between its two continuations if the host then
///   appends again;
/// - substitute a batch that the store refused for the batch that it accepted at the same
///   position;
/// - return an older summary of a session, or none;
/// - hide or delete sessions, and change times, tokens and therefore the ownership of logs.
///
/// This layer cannot read entries that are not encrypted.
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

/// The name of the member with the sealed text, which is base64 of the version, the position of the
/// preceding batch, the nonce and the ciphertext.
const SEALED: &str = "sealed";

/// The version of the format.
const VERSION: u8 = 1;

const NONCE: usize = 24;

/// The error of decrypting an entry or a summary.
///
/// Stores return it in a [`StoreError`]:
/// `error.downcast_ref::<DecryptError>()`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecryptError {
    /// The session.
    pub session: LogKey,
    /// The entry's part. `None` for a summary.
    pub part: Option<Part>,
    /// The cause.
    pub problem: DecryptProblem,
}

/// The cause of a [`DecryptError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecryptProblem {
    /// The stored value is not encrypted.
    NotEncrypted,
    /// The stored value is too short or not base64.
    Malformed,
    /// The stored value has a format version that this release does not support.
    UnknownVersion(u8),
    /// No key decrypts the value in this place. It was encrypted with another key, changed, or
    /// moved from another session, part or index, or its batch has lost entries.
    Undecryptable,
    /// The preceding batch is another one, because batches were moved, repeated or removed.
    OutOfOrder {
        /// The position of the preceding batch when the value was stored.
        stored: Position,
        /// The position of the preceding batch that the store returns. If the value's own batch is
        /// not after `stored`, its position.
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
                " has format version {version}; this release supports {VERSION}"
            ),
            DecryptProblem::Undecryptable => f.write_str(
                " cannot be decrypted: it has another key, was changed, or was moved here",
            ),
            DecryptProblem::OutOfOrder { stored, found } => write!(
                f,
                " was stored after position {stored}, which does not fit position {found}: \
                 batches were moved, repeated or removed"
            ),
        }
    }
}

impl std::error::Error for DecryptError {}

impl Encrypted {
    /// Creates a layer that encrypts with a random key.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self {
            cipher: cipher(key),
            older: Vec::new(),
        }
    }

    /// Adds an older key, which is only used for decryption.
    #[must_use]
    pub fn also_reads(mut self, key: [u8; 32]) -> Self {
        self.older.push(cipher(key));
        self
    }
}

fn cipher(key: [u8; 32]) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&Key::from(key))
}

/// Returns the associated data, which is the place. Each text in it is prefixed by its length.
fn associated(place: &Place<'_>, after: Position) -> Vec<u8> {
    let number = |it: usize| u64::try_from(it).unwrap_or(u64::MAX).to_be_bytes();
    let mut data = vec![VERSION];
    let text = |data: &mut Vec<u8>, it: &str| {
        data.extend(number(it.len()));
        data.extend(it.as_bytes());
    };
    let (project, session_id) = (&place.session().project, &place.session().session_id);
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

/// Returns the positions of the preceding batch and of the batch itself, if they are known.
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
        // The store could change the position of a batch. Both checks together ensure the order.
        let (after, position) = positions(place);
        let mismatch = after.filter(|it| *it != stored);
        match mismatch.or(position.filter(|it| *it <= stored)) {
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

    /// Appends batches of these parts and texts.
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

    /// Returns a log of three batches: two entries, then a sub-agent's entry and a note, then one
    /// entry.
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

    /// Decrypts a log, both in one page and in pages of one batch. Returns the texts.
    fn open(id: &str, batches: &[Batch]) -> Result<Vec<String>, StoreError> {
        let mut all = batches.to_vec();
        let opened = store().open(&session(id), Position::START, &mut all);
        let mut after = Position::START;
        let mut paged = batches.to_vec();
        let pages = paged.chunks_mut(1).try_for_each(|page| {
            let previous = std::mem::replace(&mut after, page[0].position);
            store().open(&session(id), previous, page)
        });
        let text = |it: &Result<(), StoreError>| it.as_ref().map_err(ToString::to_string).err();
        assert_eq!(text(&opened), text(&pages));
        opened?;
        let entries = all.iter().flat_map(|batch| &batch.entries);
        Ok(entries.map(|it| it.json.read().unwrap()).collect())
    }

    /// Returns the problem of a log after a change. The batches are renumbered after the change.
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
    fn sealing_is_randomized_and_lossless() {
        let (layer, session) = (Encrypted::new([1; 32]), &session("one"));
        let place = Place::Summary { session };
        let json: Json = r#"{"b": 1.00, "a":"\ud83d"}"#.parse().unwrap();
        let one = layer.seal(&place, &json).unwrap();
        assert_ne!(one, layer.seal(&place, &json).unwrap());
        assert!(!one.get().contains("1.00"));
        assert_eq!(layer.open(&place, one).unwrap().get(), json.get());
    }

    #[test]
    fn another_key_text_or_format_is_an_error() {
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
        let seal = |bytes: &[u8]| {
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
            assert_eq!(problem(&layer, seal(&changed)), wanted, "byte {at}");
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
    async fn logs_are_decrypted_also_after_a_deletion() {
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
    async fn moved_to_another_session_is_an_error() {
        assert_eq!(problem("two", |_| {}).await, Undecryptable);
    }

    #[tokio::test]
    async fn moved_to_another_part_is_an_error() {
        // Entries move from a sub-agent or a note to the main conversation, and back.
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
    async fn a_summary_is_not_an_entry_and_vice_versa() {
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
    async fn swapped_repeated_or_removed_entries_are_errors() {
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
    async fn swapped_repeated_or_removed_batches_are_errors() {
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

    /// Checks batches in any order with any positions. They must only be decrypted in the order in
    /// which they were appended. Missing batches are a documented limit of [`Encrypted`].
    #[tokio::test]
    async fn batches_are_decrypted_only_in_order() {
        const POSITIONS: usize = 5;
        let (_, batches) = written().await;
        let mut opened = BTreeSet::new();
        for length in 1..=3 {
            let choices = batches.len() * POSITIONS;
            for number in 0..choices.pow(length) {
                let digit = |at| number / choices.pow(at) % choices;
                let order: Vec<_> = (0..length).map(|at| digit(at) / POSITIONS).collect();
                let batch = |at: u32| {
                    let mut batch = batches[order[at as usize]].clone();
                    batch.position = Position((digit(at) % POSITIONS) as u64);
                    batch
                };
                let log: Vec<_> = (0..length).map(batch).collect();
                if open("one", &log).is_ok() {
                    opened.insert(order);
                }
            }
        }
        let some = [&[0][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
        assert_eq!(opened, some.iter().map(|it| it.to_vec()).collect());
    }

    #[tokio::test]
    async fn a_summary_with_another_key_does_not_hide_other_sessions() {
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
        // `LogBacked` lists both sessions, too.
        let store = LogBacked::new(with(1));
        let listed = store.sessions("crabs").await.unwrap();
        assert_eq!(listed.len(), 2);
        let found = SessionStore::summaries(&store, "crabs").await.unwrap();
        assert!(matches!(&found[..], [(_, Ok(_)), (_, Err(_))]), "{found:?}");
    }
}
