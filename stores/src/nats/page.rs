//! Reads messages in batches, without a consumer.

use super::error::NatsError;
use async_nats::{Client, HeaderMap, Subscriber};
use bytes::Bytes;
use futures_core::Stream;
use std::pin::Pin;
use std::time::Duration;

/// A message of a stream.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) sequence: u64,
    pub(super) headers: HeaderMap,
    pub(super) payload: Bytes,
}

/// Reads messages of a subject, from a sequence on and up to `bytes` bytes. If there are messages,
/// reads at least one. In a cluster, any server may respond, and may lack the newest messages.
/// Servers before 2.11 return one message.
pub(super) async fn page(
    client: &Client,
    api: &str,
    stream: &str,
    subject: &str,
    from: u64,
    bytes: usize,
    limit: Duration,
) -> Result<Vec<Message>, NatsError> {
    const ACTION: &str = "reading messages";
    let inbox = client.new_inbox();
    let replies = client.subscribe(inbox.clone()).await;
    let mut replies = replies.map_err(NatsError::request(ACTION))?;
    // Subjects need no escapes in JSON.
    let request =
        format!(r#"{{"seq":{from},"next_by_subj":"{subject}","batch":1000,"max_bytes":{bytes}}}"#);
    let to = format!("{api}.DIRECT.GET.{stream}");
    let sent = client.publish_with_reply(to, inbox, request.into()).await;
    sent.map_err(NatsError::request(ACTION))?;
    let mut page = Vec::new();
    loop {
        let reply = tokio::time::timeout(limit, next(&mut replies)).await;
        let reply = reply.map_err(NatsError::request(ACTION))?;
        let reply = reply.ok_or("the connection is closed");
        let reply = reply.map_err(NatsError::request(ACTION))?;
        match reply.status {
            // The status means the end of the page, no message, or that `allow_direct` is off.
            Some(status) if [204, 404, 503].contains(&status.as_u16()) => return Ok(page),
            Some(status) => {
                let description = reply.description.unwrap_or_default();
                return Err(NatsError::request(ACTION)(format!(
                    "{status} {description}"
                )));
            }
            _ => {}
        }
        let headers = reply.headers.unwrap_or_default();
        let number = |name| -> Option<u64> { headers.get(name)?.as_str().parse().ok() };
        let sequence = number("Nats-Sequence").ok_or("a message has no sequence");
        let sequence = sequence.map_err(NatsError::request(ACTION))?;
        // The server does not repeat messages that were lost with a connection.
        let before = page.last().map(|it: &Message| it.sequence);
        if before.is_some() && number("Nats-Last-Sequence") != before {
            return Err(NatsError::request(ACTION)("the connection was interrupted"));
        }
        let is_batched = headers.get("Nats-Num-Pending").is_some();
        page.push(Message {
            sequence,
            headers,
            payload: reply.payload,
        });
        if !is_batched {
            return Ok(page);
        }
    }
}

/// Returns the next message of a subscription. Returns `None` if the subscription has ended.
pub(super) async fn next(replies: &mut Subscriber) -> Option<async_nats::Message> {
    std::future::poll_fn(|context| Pin::new(&mut *replies).poll_next(context)).await
}
