//! The logs in a stream: what is requested of the server.

use super::error::NatsError;
use super::page::{self, Stored, next};
use super::record::{self, Last, Record};
use super::subject::Subjects;
use crate::session_log::{Batch, Entry, LogKey, Next, Position, Token};
use agentwire_protocol::Json;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, push};
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};
use async_nats::jetstream::{self, Context, ErrorCode};
use async_nats::{Client, HeaderMap};
use bytes::Bytes;
use std::collections::{BTreeMap, HashMap};
use std::error::Error as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// The bytes of entries that are read at once, unless one batch has more.
const PAGE: usize = 1 << 20;

/// The largest payload of a batch; the entries of larger ones are in chunks. With the
/// end of a log comes the payload of its last batch.
const INLINE: usize = 1 << 18;

/// The largest payload of a chunk, if the server accepts it.
const CHUNK: usize = 1 << 20;

/// What is left of `max_payload` for the headers of a chunk.
const SPARE: usize = 1 << 10;

/// How many logs' ends are remembered.
const REMEMBERED: usize = 10_000;

/// The stream of a store, and what is done with it.
pub(super) struct Logs {
    pub(super) client: Client,
    pub(super) context: Context,
    /// What subjects of the API begin with.
    pub(super) api: String,
    pub(super) stream: Stream<()>,
    pub(super) name: String,
    pub(super) subjects: Subjects,
    pub(super) timeout: Duration,
    /// Ends of logs, as this store has written them. Others may have written since:
    /// an append is on condition that they have not.
    pub(super) written: Mutex<HashMap<LogKey, Last>>,
}

/// What became of a message.
pub(super) enum Published {
    At(u64),
    /// The log has gone on behind another message meanwhile.
    Moved,
}

impl Logs {
    /// The end of a log, as it was written last, if it can be appended behind it with
    /// this token.
    pub(super) fn remembered(
        &self,
        session: &LogKey,
        after: Position,
        token: &Token,
    ) -> Option<Last> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let last = written.get(session)?;
        let is_ours = last.head.position == after && last.head.token == *token;
        (is_ours && !last.head.is_deleted).then(|| last.clone())
    }

    fn remember(&self, session: &LogKey, last: Option<Last>) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        match last {
            None => {
                written.remove(session);
            }
            Some(last) => {
                if written.len() >= REMEMBERED {
                    written.clear();
                }
                written.insert(session.clone(), last);
            }
        }
    }

    /// Asks the leader of the stream for the last message of a log.
    pub(super) async fn last(&self, session: &LogKey) -> Result<Option<Last>, NatsError> {
        let subject = self.subjects.log(session);
        let request = self.stream.raw_message_builder().last_by_subject(subject);
        match request.send().await {
            Ok(message) => {
                let record = record_of(session, message.sequence, &message.headers)?;
                Ok(Some(Last::of(message.sequence, &record)))
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(NatsError::of("reading the end of a log")(error)),
        }
    }

    /// Asks the leader of the stream for the first message of a log from a sequence on.
    async fn first(&self, session: &LogKey, from: u64) -> Result<Option<Stored>, NatsError> {
        let subject = self.subjects.log(session);
        let request = self.stream.raw_message_builder().sequence(from);
        match request.next_by_subject(subject).send().await {
            Ok(message) => Ok(Some(Stored {
                sequence: message.sequence,
                headers: message.headers,
                payload: message.payload,
            })),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(NatsError::of("reading a message")(error)),
        }
    }

    /// The batch directly behind a position of a log that ends so, and its chunks.
    pub(super) async fn next(
        &self,
        session: &LogKey,
        last: &Last,
        after: Position,
    ) -> Result<Option<(Next, Vec<u64>)>, NatsError> {
        if after >= last.head.position {
            return Ok(None);
        }
        let Some(message) = self.first(session, after.0 + 1).await? else {
            return Ok(None);
        };
        let record = record_of(session, message.sequence, &message.headers)?;
        let next = last.next(message.sequence, &record, after);
        Ok(next.map(|next| (next, record.chunks)))
    }

    /// Publishes a message of a log, unless its last message is not the one that
    /// this one goes behind.
    pub(super) async fn publish(
        &self,
        record: &Record,
        payload: String,
    ) -> Result<Published, NatsError> {
        let mut headers = record.headers();
        let after = record.after.to_string();
        headers.insert("Nats-Expected-Last-Subject-Sequence", after);
        let subject = self.subjects.log(&record.session);
        match self.send(subject, headers, payload.into()).await {
            Ok(acknowledged) => {
                let sequence = acknowledged.sequence;
                self.remember(&record.session, Some(Last::of(sequence, record)));
                Ok(Published::At(sequence))
            }
            Err(error) => {
                self.remember(&record.session, None);
                let source = error.source().and_then(|it| it.downcast_ref());
                let code = source.map(jetstream::Error::error_code);
                // Another message with the same condition is not decided yet.
                if code == Some(ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT) {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    return Ok(Published::Moved);
                }
                match error.kind() {
                    PublishErrorKind::WrongLastSequence => Ok(Published::Moved),
                    _ => Err(NatsError::of("publishing a batch")(error)),
                }
            }
        }
    }

    async fn send(
        &self,
        subject: String,
        headers: HeaderMap,
        payload: Bytes,
    ) -> Result<PublishAck, PublishError> {
        let sent = self.context.publish_with_headers(subject, headers, payload);
        sent.await?.await
    }

    /// Publishes the entries of a large batch. Returns the sequences of the messages.
    async fn publish_chunks(
        &self,
        session: &LogKey,
        entries: &[u8],
    ) -> Result<Vec<u64>, NatsError> {
        const WHAT: &str = "publishing a large batch";
        let most = self.client.server_info().max_payload;
        let most = most.saturating_sub(SPARE).clamp(1, CHUNK);
        let mut sent = Vec::new();
        for chunk in entries.chunks(most) {
            let subject = self.subjects.chunks(session);
            let chunk = Bytes::copy_from_slice(chunk);
            let chunk = self.context.publish(subject, chunk).await;
            sent.push(chunk.map_err(NatsError::of(WHAT))?);
        }
        let mut sequences = Vec::new();
        for chunk in sent {
            sequences.push(chunk.await.map_err(NatsError::of(WHAT))?.sequence);
        }
        Ok(sequences)
    }

    /// Removes the chunks of a batch that was not kept. What remains is removed with the
    /// log.
    pub(super) async fn remove_chunks(&self, chunks: &[u64]) {
        for chunk in chunks {
            let _ = self.stream.delete_message(*chunk).await;
        }
    }

    /// Reads the entries of a batch. `None` if a chunk is missing.
    async fn entries(
        &self,
        session: &LogKey,
        record: &Record,
        message: &Stored,
    ) -> Result<Option<Vec<Entry>>, NatsError> {
        let damaged =
            || NatsError::damaged(session, message.sequence, "its entries cannot be read");
        if record.chunks.is_empty() {
            let (_, entries) = record::read(&message.payload).ok_or_else(damaged)?;
            return Ok(Some(entries));
        }
        let mut text = Vec::with_capacity(record.bytes);
        for chunk in &record.chunks {
            match self.stream.get_raw_message(*chunk).await {
                Ok(chunk) => text.extend_from_slice(&chunk.payload),
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => {
                    return Ok(None);
                }
                Err(error) => return Err(NatsError::of("reading a large batch")(error)),
            }
        }
        Ok(Some(record::entries(&text).ok_or_else(damaged)?))
    }

    /// Reads a page of a log behind a position; `None` if the log was deleted
    /// meanwhile, so that there is another end now.
    pub(super) async fn read(
        &self,
        session: &LogKey,
        after: Position,
        last: &Last,
    ) -> Result<Option<Vec<Batch>>, NatsError> {
        // What is before the last deletion may not be purged yet.
        let behind = after.0.max(last.start);
        let from = behind + 1;
        let subject = self.subjects.log(session);
        let (client, limit) = (&self.client, self.timeout);
        let page = page::page(client, &self.api, &self.name, &subject, from, PAGE, limit);
        let mut page = page.await?;
        if page.is_empty() {
            // The server that has responded may not have the messages yet.
            page.extend(self.first(session, from).await?);
        }
        if page.is_empty() {
            return Ok(None);
        }
        let (mut batches, mut bytes, mut before) = (Vec::new(), 0, behind);
        for message in page {
            let Stored { sequence, .. } = message;
            let record = record_of(session, sequence, &message.headers)?;
            if record.is_deleted || record.start != last.start {
                break;
            }
            // A position that is none of the log is behind the batch before it.
            let is_next = match batches.is_empty() {
                true => record.after <= before,
                false => record.after == before,
            };
            if !is_next {
                let problem = "the message before it is missing";
                return Err(NatsError::damaged(session, sequence, problem));
            }
            bytes += record.bytes;
            if bytes > PAGE && !batches.is_empty() {
                break;
            }
            let Some(entries) = self.entries(session, &record, &message).await? else {
                break;
            };
            batches.push(Batch::new(Position(sequence), record.token, entries));
            before = sequence;
        }
        Ok((!batches.is_empty()).then_some(batches))
    }

    /// Purges what is before a deletion. Chunks of a batch behind it are behind it, too,
    /// because only then its writer knew the position.
    pub(super) async fn purge(&self, session: &LogKey, deletion: u64) -> Result<(), NatsError> {
        for subject in [self.subjects.log(session), self.subjects.chunks(session)] {
            let purge = self.stream.purge().filter(subject).sequence(deletion);
            purge.await.map_err(NatsError::of("deleting a log"))?;
        }
        Ok(())
    }

    /// The sessions of a project, each with its last message, of which the payload is
    /// left out unless it is asked for.
    pub(super) async fn listed(
        &self,
        project: &str,
        with_payloads: bool,
    ) -> Result<BTreeMap<String, (SystemTime, Bytes)>, NatsError> {
        const WHAT: &str = "listing the sessions";
        let inbox = self.client.new_inbox();
        let messages = self.client.subscribe(inbox.clone()).await;
        let mut messages = messages.map_err(NatsError::of(WHAT))?;
        // The messages are pushed: a pull fails in a cluster until all of its servers know
        // the consumer.
        let consumer = self.stream.create_consumer(push::Config {
            deliver_subject: inbox,
            deliver_policy: DeliverPolicy::LastPerSubject,
            ack_policy: AckPolicy::None,
            filter_subject: self.subjects.project(project),
            headers_only: !with_payloads,
            flow_control: true,
            idle_heartbeat: Duration::from_secs(1),
            inactive_threshold: Duration::from_secs(30),
            memory_storage: true,
            num_replicas: 1,
            ..push::Config::default()
        });
        let mut consumer = consumer.await.map_err(NatsError::of(WHAT))?;
        let mut pending = consumer.cached_info().num_pending;
        let (mut listed, mut seen) = (BTreeMap::new(), 0);
        let mut deadline = Instant::now() + self.timeout;
        while pending > 0 {
            let message = tokio::time::timeout_at(deadline, next(&mut messages)).await;
            let message = message.map_err(NatsError::of(WHAT))?;
            let message = message.ok_or("the connection is closed");
            let message = message.map_err(NatsError::of(WHAT))?;
            if message.status.is_some() {
                if let Some(reply) = message.reply {
                    // The server asks whether it can go on.
                    let sent = self.client.publish(reply, Bytes::new()).await;
                    sent.map_err(NatsError::of(WHAT))?;
                    continue;
                }
                // It has nothing to send, because the rest was deleted meanwhile?
                let info = consumer.info().await.map_err(NatsError::of(WHAT))?;
                if info.num_pending == 0 && info.delivered.consumer_sequence == seen {
                    break;
                }
                continue;
            }
            let context = self.context.clone();
            let message = jetstream::Message { message, context };
            let info = message.info().map_err(NatsError::of(WHAT))?;
            seen += 1;
            // Messages are lost with a connection, and are not sent again.
            if info.consumer_sequence != seen {
                return Err(NatsError::of(WHAT)("the connection was interrupted"));
            }
            pending = info.pending;
            deadline = Instant::now() + self.timeout;
            let record = message.headers.as_ref().and_then(Record::of);
            let Some(record) = record.filter(|it| it.session.project == project) else {
                continue;
            };
            let time = SystemTime::from(info.published);
            let id = record.session.session_id;
            match record.is_deleted {
                true => listed.remove(&id),
                false => listed.insert(id, (time, message.payload.clone())),
            };
        }
        let name = &consumer.cached_info().name;
        // It goes by itself, if this fails.
        let _ = self.stream.delete_consumer(name).await;
        Ok(listed)
    }

    /// The payload of a batch. The entries of a large one are published, once, and
    /// `record` says where.
    pub(super) async fn payload(
        &self,
        record: &mut Record,
        chunks: &mut Vec<u64>,
        summary: Option<&Json>,
        entries: &str,
    ) -> Result<String, NatsError> {
        let headers = |record: &Record| -> usize {
            let headers = record.headers();
            let lines = headers.iter().flat_map(|(name, values)| {
                values
                    .iter()
                    .map(|it| it.as_str().len() + name.to_string().len() + 4)
            });
            lines.sum()
        };
        let limit = self.client.server_info().max_payload.saturating_sub(SPARE);
        let summary_bytes = summary.map_or(0, |it| it.get().len());
        let needed = headers(record) + summary_bytes;
        if needed + entries.len() <= limit.min(INLINE) {
            return Ok(record::payload(summary, Some(entries)));
        }
        if needed > limit {
            return Err(NatsError::TooLarge {
                bytes: needed,
                limit,
            });
        }
        if chunks.is_empty() {
            *chunks = self
                .publish_chunks(&record.session, entries.as_bytes())
                .await?;
        }
        record.chunks.clone_from(chunks);
        Ok(record::payload(summary, None))
    }
}

/// Reads the headers of a message of a log.
fn record_of(session: &LogKey, sequence: u64, headers: &HeaderMap) -> Result<Record, NatsError> {
    let damaged = |problem| NatsError::damaged(session, sequence, problem);
    let record = Record::of(headers).ok_or_else(|| damaged("its headers cannot be read"))?;
    if record.session != *session {
        return Err(damaged("it is of another log"));
    }
    Ok(record)
}
