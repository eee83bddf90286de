//! Sends requests for the logs in a stream.

use super::error::NatsError;
use super::page::{self, Message, next};
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

/// The number of bytes of entries in a page. A page has at least one batch.
const PAGE: usize = 1 << 20;

/// The maximum payload of a batch. The entries of larger batches are stored in chunks. The limit is
/// small, because reading the end of a log also reads the payload of its last batch.
const MAX_INLINE: usize = 1 << 18;

/// The maximum payload of a chunk. The server may accept less.
const MAX_CHUNK: usize = 1 << 20;

/// The part of `max_payload` that is reserved for the headers of a chunk.
const HEADER_BYTES: usize = 1 << 10;

/// The maximum number of cached ends of logs.
const MAX_CACHED: usize = 10_000;

/// The stream of a store.
pub(super) struct Logs {
    pub(super) client: Client,
    pub(super) context: Context,
    /// The prefix of API subjects.
    pub(super) api: String,
    pub(super) stream: Stream<()>,
    pub(super) name: String,
    pub(super) subjects: Subjects,
    pub(super) timeout: Duration,
    /// The ends of logs as this store has written them. They may be outdated, so appends check
    /// them.
    pub(super) written: Mutex<HashMap<LogKey, Last>>,
}

/// The outcome of publishing a message.
pub(super) enum Published {
    Stored(u64),
    /// Another message was published to the log first.
    Conflict,
}

impl Logs {
    /// Returns the cached end of a log if a batch with this token can be appended after it.
    pub(super) fn cached_end(
        &self,
        session: &LogKey,
        after: Position,
        token: &Token,
    ) -> Option<Last> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let last = written.get(session)?;
        let is_usable = last.head.position == after && last.head.token == *token;
        (is_usable && !last.head.is_deleted).then(|| last.clone())
    }

    fn cache_end(&self, session: &LogKey, last: Option<Last>) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        match last {
            None => {
                written.remove(session);
            }
            Some(last) => {
                if written.len() >= MAX_CACHED {
                    written.clear();
                }
                written.insert(session.clone(), last);
            }
        }
    }

    /// Returns the sequence of the last message on a subject, which may be a wildcard, from the
    /// leader of the stream. Returns 0 if there is none.
    async fn last_sequence(&self, subject: &str) -> Result<u64, NatsError> {
        let request = self.stream.raw_message_builder().last_by_subject(subject);
        match request.send().await {
            Ok(message) => Ok(message.sequence),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(0),
            Err(error) => Err(NatsError::request("reading the end of a project")(error)),
        }
    }

    /// Reads the last message of a log from the leader of the stream.
    pub(super) async fn last(&self, session: &LogKey) -> Result<Option<Last>, NatsError> {
        let subject = self.subjects.log(session);
        let request = self.stream.raw_message_builder().last_by_subject(subject);
        match request.send().await {
            Ok(message) => {
                let record = record_of(session, message.sequence, &message.headers)?;
                Ok(Some(Last::of(message.sequence, &record)))
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(NatsError::request("reading the end of a log")(error)),
        }
    }

    /// Reads the first message of a log from a sequence on, from the leader of the stream.
    async fn first(&self, session: &LogKey, from: u64) -> Result<Option<Message>, NatsError> {
        let subject = self.subjects.log(session);
        let request = self.stream.raw_message_builder().sequence(from);
        match request.next_by_subject(subject).send().await {
            Ok(message) => Ok(Some(Message {
                sequence: message.sequence,
                headers: message.headers,
                payload: message.payload,
            })),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(NatsError::request("reading a message")(error)),
        }
    }

    /// Returns the batch directly after a position, with the sequences of its chunks. `last` is the
    /// end of the log.
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

    /// Publishes a message of a log if `record.after` is its last message.
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
            Ok(ack) => {
                let sequence = ack.sequence;
                self.cache_end(&record.session, Some(Last::of(sequence, record)));
                Ok(Published::Stored(sequence))
            }
            Err(error) => {
                self.cache_end(&record.session, None);
                let source = error.source().and_then(|it| it.downcast_ref());
                let code = source.map(jetstream::Error::error_code);
                // A concurrent message with the same condition is still pending.
                if code == Some(ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT) {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    return Ok(Published::Conflict);
                }
                match error.kind() {
                    PublishErrorKind::WrongLastSequence => Ok(Published::Conflict),
                    _ => Err(NatsError::request("publishing a batch")(error)),
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

    /// Publishes the entries of a large batch in chunks. Returns the sequences of the chunks.
    async fn publish_chunks(
        &self,
        session: &LogKey,
        entries: &[u8],
    ) -> Result<Vec<u64>, NatsError> {
        const ACTION: &str = "publishing a large batch";
        let max = self.client.server_info().max_payload;
        let max = max.saturating_sub(HEADER_BYTES).clamp(1, MAX_CHUNK);
        let mut sent = Vec::new();
        for chunk in entries.chunks(max) {
            let subject = self.subjects.chunks(session);
            let chunk = Bytes::copy_from_slice(chunk);
            let chunk = self.context.publish(subject, chunk).await;
            sent.push(chunk.map_err(NatsError::request(ACTION))?);
        }
        let mut sequences = Vec::new();
        for chunk in sent {
            sequences.push(chunk.await.map_err(NatsError::request(ACTION))?.sequence);
        }
        Ok(sequences)
    }

    /// Removes the chunks of a batch that was not stored. Remaining chunks are removed when the
    /// log is deleted.
    pub(super) async fn remove_chunks(&self, chunks: &[u64]) {
        for chunk in chunks {
            let _ = self.stream.delete_message(*chunk).await;
        }
    }

    /// Reads the entries of a batch. Returns `None` if a chunk is missing.
    async fn entries(
        &self,
        session: &LogKey,
        record: &Record,
        message: &Message,
    ) -> Result<Option<Vec<Entry>>, NatsError> {
        let damaged = || NatsError::damaged(session, message.sequence, "the entries are invalid");
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
                Err(error) => return Err(NatsError::request("reading a large batch")(error)),
            }
        }
        Ok(Some(record::entries(&text).ok_or_else(damaged)?))
    }

    /// Reads a page of a log after a position. Returns `None` if the log was deleted during the
    /// call.
    pub(super) async fn read(
        &self,
        session: &LogKey,
        after: Position,
        last: &Last,
    ) -> Result<Option<Vec<Batch>>, NatsError> {
        // Messages before the last deletion may not be purged yet.
        let start = after.0.max(last.start);
        let from = start + 1;
        let subject = self.subjects.log(session);
        let (client, limit) = (&self.client, self.timeout);
        let page = page::page(client, &self.api, &self.name, &subject, from, PAGE, limit);
        let mut page = page.await?;
        if page.is_empty() {
            // The server that responded may lack the newest messages.
            page.extend(self.first(session, from).await?);
        }
        if page.is_empty() {
            return Ok(None);
        }
        let (mut batches, mut bytes, mut previous) = (Vec::new(), 0, start);
        for message in page {
            let Message { sequence, .. } = message;
            let record = record_of(session, sequence, &message.headers)?;
            if record.is_deleted || record.start != last.start {
                break;
            }
            // `after` need not be the position of a batch.
            let is_next = match batches.is_empty() {
                true => record.after <= previous,
                false => record.after == previous,
            };
            if !is_next {
                let problem = "the preceding message is missing";
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
            previous = sequence;
        }
        Ok((!batches.is_empty()).then_some(batches))
    }

    /// Purges the messages before a deletion. Chunks of later batches are published after the
    /// deletion, because their writers had to know its position.
    pub(super) async fn purge(&self, session: &LogKey, deletion: u64) -> Result<(), NatsError> {
        for subject in [self.subjects.log(session), self.subjects.chunks(session)] {
            let purge = self.stream.purge().filter(subject).sequence(deletion);
            purge.await.map_err(NatsError::request("deleting a log"))?;
        }
        Ok(())
    }

    /// Returns the sessions of a project with the times of their last messages. If `with_payloads`
    /// is set, the payloads are included.
    pub(super) async fn sessions(
        &self,
        project: &str,
        with_payloads: bool,
    ) -> Result<BTreeMap<String, (SystemTime, Bytes)>, NatsError> {
        const ACTION: &str = "listing the sessions";
        let subject = self.subjects.project(project);
        // The server of the consumer may lack the newest messages.
        let mut last = self.last_sequence(&subject).await?;
        if last == 0 {
            return Ok(BTreeMap::new());
        }
        let inbox = self.client.new_inbox();
        let messages = self.client.subscribe(inbox.clone()).await;
        let mut messages = messages.map_err(NatsError::request(ACTION))?;
        // The consumer is a push consumer, because pulling fails in a cluster until all of its
        // servers know the consumer.
        let consumer = self.stream.create_consumer(push::Config {
            deliver_subject: inbox,
            deliver_policy: DeliverPolicy::LastPerSubject,
            ack_policy: AckPolicy::None,
            filter_subject: subject.clone(),
            headers_only: !with_payloads,
            flow_control: true,
            idle_heartbeat: Duration::from_secs(1),
            inactive_threshold: Duration::from_secs(30),
            memory_storage: true,
            num_replicas: 1,
            ..push::Config::default()
        });
        let mut consumer = consumer.await.map_err(NatsError::request(ACTION))?;
        let mut pending = consumer.cached_info().num_pending;
        let (mut sessions, mut seen, mut newest) = (BTreeMap::new(), 0, 0);
        let mut deadline = Instant::now() + self.timeout;
        while pending > 0 || newest < last {
            let message = tokio::time::timeout_at(deadline, next(&mut messages)).await;
            let message = message.map_err(NatsError::request(ACTION))?;
            let message = message.ok_or("the connection is closed");
            let message = message.map_err(NatsError::request(ACTION))?;
            if message.status.is_some() {
                if let Some(reply) = message.reply {
                    // The message is for flow control.
                    let sent = self.client.publish(reply, Bytes::new()).await;
                    sent.map_err(NatsError::request(ACTION))?;
                    continue;
                }
                // The message is an idle heartbeat. The remaining messages may have been deleted
                // during the call.
                let info = consumer.info().await.map_err(NatsError::request(ACTION))?;
                if info.num_pending == 0 && info.delivered.consumer_sequence == seen {
                    pending = 0;
                    last = self.last_sequence(&subject).await?;
                }
                continue;
            }
            let context = self.context.clone();
            let message = jetstream::Message { message, context };
            let info = message.info().map_err(NatsError::request(ACTION))?;
            seen += 1;
            // The server does not repeat messages that were lost with a connection.
            if info.consumer_sequence != seen {
                return Err(NatsError::request(ACTION)("the connection was interrupted"));
            }
            (pending, newest) = (info.pending, info.stream_sequence);
            deadline = Instant::now() + self.timeout;
            let record = message.headers.as_ref().and_then(Record::parse);
            let Some(record) = record.filter(|it| it.session.project == project) else {
                continue;
            };
            let time = SystemTime::from(info.published);
            let id = record.session.session_id;
            match record.is_deleted {
                true => sessions.remove(&id),
                false => sessions.insert(id, (time, message.payload.clone())),
            };
        }
        let name = &consumer.cached_info().name;
        // If this fails, the consumer expires.
        let _ = self.stream.delete_consumer(name).await;
        Ok(sessions)
    }

    /// Returns the payload of a batch, and sets `record.chunks`. Publishes the entries of a large
    /// batch in chunks, unless `chunks` already contains them.
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
        let limit = self
            .client
            .server_info()
            .max_payload
            .saturating_sub(HEADER_BYTES);
        let summary_bytes = summary.map_or(0, |it| it.get().len());
        let needed = headers(record) + summary_bytes;
        if needed + entries.len() <= limit.min(MAX_INLINE) {
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

/// Parses the headers of a log's message.
fn record_of(session: &LogKey, sequence: u64, headers: &HeaderMap) -> Result<Record, NatsError> {
    let damaged = |problem| NatsError::damaged(session, sequence, problem);
    let record = Record::parse(headers).ok_or_else(|| damaged("the headers are invalid"))?;
    if record.session != *session {
        return Err(damaged("the message belongs to another log"));
    }
    Ok(record)
}
