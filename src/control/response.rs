//! Control requests that were sent.

use crate::command::{Command, Link};
use crate::event::Error;
use agentwire_protocol::control::{Answer, HostRequest};
use agentwire_protocol::host::Request;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::oneshot;
use uuid::Uuid;

/// A control request that was sent. Await it for the typed response;
/// [`Handle::request`](crate::Handle::request) lists the errors.
///
/// # Cancel safety
///
/// Dropping this stops the waiting and does not withdraw the request.
/// [`ResponseFuture::cancel`] withdraws it.
pub struct ResponseFuture<T> {
    pending: PendingResponse,
    kind: PhantomData<fn() -> T>,
}

/// The part that does not depend on the type of the response, so that it is compiled once.
struct PendingResponse {
    request_id: Box<str>,
    subtype: Box<str>,
    /// The capability of agents that support the request, if there is one.
    capability: Option<&'static str>,
    /// Receives the response; or the error, if the request was not sent.
    reply: Result<Reply, Error>,
    link: Link,
}

type Reply = oneshot::Receiver<Result<Answer, Error>>;

impl<T> fmt::Debug for ResponseFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture")
            .field("subtype", &self.pending.subtype)
            .finish_non_exhaustive()
    }
}

impl<T> ResponseFuture<T> {
    /// Sends a request, unless the agent does not support all of it.
    pub(crate) fn request<R: HostRequest<Response = T>>(link: &Link, request: &R) -> Self {
        Self::request_within(link, request, link.request_timeout)
    }

    /// Sends a request with a timeout of its own.
    pub(crate) fn request_within<R: HostRequest<Response = T>>(
        link: &Link,
        request: &R,
        timeout: Duration,
    ) -> Self {
        let made = supports(link, R::SUBTYPE, request.relies_on())
            .and_then(|()| Request::new(new_id(), request).map_err(Error::from));
        Self {
            pending: PendingResponse::new(link, R::SUBTYPE, R::CAPABILITY, made, timeout),
            kind: PhantomData,
        }
    }

    /// Sends a request that was built, or fails with its error.
    pub(crate) fn make(
        link: &Link,
        subtype: &str,
        capability: Option<&'static str>,
        request: Result<Request, Error>,
    ) -> Self {
        Self {
            pending: PendingResponse::new(link, subtype, capability, request, link.request_timeout),
            kind: PhantomData,
        }
    }

    /// Withdraws the request: it is removed from the outbound queue, or
    /// cancelled at the agent if it was already sent. Effects that it has had
    /// by then remain. Unless the response has already arrived, awaiting this
    /// fails with
    /// [`RequestFailure::Cancelled`](agentwire_protocol::host::RequestFailure::Cancelled).
    pub fn cancel(&self) {
        let request_id = self.pending.request_id.clone();
        // Fails only if the driver is gone, and then the request is over.
        let _ = self.pending.link.command(Command::Cancel { request_id });
    }
}

/// Fails if the agent does not support all of a request.
fn supports(link: &Link, subtype: &'static str, relies_on: Vec<&'static str>) -> Result<(), Error> {
    match link.declared().first_missing(relies_on) {
        Some(capability) => Err(Error::NotSupported {
            subtype: subtype.into(),
            needs: Some(capability),
            refusal: None,
        }),
        None => Ok(()),
    }
}

impl PendingResponse {
    fn new(
        link: &Link,
        subtype: &str,
        capability: Option<&'static str>,
        request: Result<Request, Error>,
        timeout: Duration,
    ) -> Self {
        link.declared().configured.changes(subtype);
        let (reply, answer) = oneshot::channel();
        let request_id = request
            .as_ref()
            .map_or_else(|_| "".into(), |it| it.request_id().into());
        let made = request.and_then(|request| {
            link.command(Command::Request {
                request,
                timeout,
                reply,
            })
        });
        Self {
            request_id,
            subtype: subtype.into(),
            capability,
            reply: made.map(|()| answer),
            link: link.clone(),
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Answer, Error>> {
        let answer = match &mut self.reply {
            Ok(reply) => Pin::new(reply)
                .poll(context)
                .map(|reply| reply.unwrap_or_else(|_| Err(Error::Ended(self.link.end())))),
            Err(error) => Poll::Ready(Err(error.clone())),
        };
        answer.map_err(|error| error.if_not_supported(self.capability))
    }

    fn invalid(&self, reason: &dyn fmt::Display, answer: Answer) -> Error {
        Error::InvalidResponse {
            subtype: self.subtype.clone(),
            reason: reason.to_string(),
            payload: answer.response,
        }
    }
}

impl<T: serde::de::DeserializeOwned> Future for ResponseFuture<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.pending.poll(context).map(|answer| {
            let answer = answer?;
            answer
                .read()
                .map_err(|error| self.pending.invalid(&error, answer))
        })
    }
}

/// Returns a new ID for a message or a request: a UUID that no other call returns. The first is
/// random, and each later one follows from it without a system call. IDs are not secret.
pub(crate) fn new_id() -> Arc<str> {
    // The golden ratio, whose multiples differ in all digits.
    const STEP: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    static FIRST: LazyLock<u128> = LazyLock::new(|| Uuid::new_v4().as_u128());
    static IDS: AtomicU64 = AtomicU64::new(0);
    let number = IDS.fetch_add(1, Ordering::Relaxed);
    let bytes = FIRST.wrapping_add(STEP.wrapping_mul(number.into()));
    let uuid = uuid::Builder::from_random_bytes(bytes.to_be_bytes()).into_uuid();
    (&*uuid.hyphenated().encode_lower(&mut Uuid::encode_buffer())).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use uuid::Version;

    #[test]
    fn ids_are_random_uuids_and_no_two_are_the_same() {
        let ids: HashSet<Arc<str>> = (0..10_000).map(|_| new_id()).collect();
        assert_eq!(ids.len(), 10_000);
        for id in ids {
            let version = Uuid::try_parse(&id).ok().and_then(|it| it.get_version());
            assert_eq!(version, Some(Version::Random), "{id}");
        }
    }
}
