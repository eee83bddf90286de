//! Responses after the callback has returned.

use super::request::{CallbackRequest, CallbackResponse, Request};
use crate::command::{Command, Encode, LateAnswer, Link, RequestNumber};
use crate::event::{CallbackFailure, Error};
use crate::handle::Handle;
use agentwire_protocol::control;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Responds to a request of the agent at any later time, from any task.
///
/// Dropping it without a response denies the request, and a
/// [`Notice::CallbackFailed`](crate::Notice::CallbackFailed) reports it.
#[must_use = "dropping it denies the request"]
pub struct Responder<A> {
    session: Link,
    request_id: Box<str>,
    number: RequestNumber,
    cancelled: CancellationToken,
    /// Whether the drop sends nothing.
    is_done: bool,
    kind: PhantomData<fn(A)>,
}

/// A sent response. Await it to learn whether the agent was still waiting. Dropping it does not
/// withdraw the response.
pub struct RespondFuture {
    session: Link,
    reply: Result<oneshot::Receiver<Result<(), Error>>, Error>,
}

impl<R: CallbackRequest> Request<R> {
    /// Returns a responder, which can be sent to other tasks and used minutes or hours later. The
    /// callback then returns [`Later`](crate::Later). There is no timeout. Dropping the responder
    /// without a response denies the request.
    pub fn later(&self) -> Responder<R::Response> {
        Responder::new(self)
    }
}

impl<A: CallbackResponse> Responder<A> {
    fn new<R: CallbackRequest<Response = A>>(ask: &Request<R>) -> Self {
        Self {
            session: ask.session.link().clone(),
            request_id: ask.request_id.clone(),
            number: ask.number,
            cancelled: ask.cancelled.clone(),
            is_done: false,
            kind: PhantomData,
        }
    }

    /// Sends the response. Its place in the order is that of this call.
    ///
    /// # Errors
    ///
    /// The returned [`RespondFuture`] fails with [`Error::NoPendingRequest`] if the request was
    /// already answered or cancelled, and with [`Error::Ended`] if the session has ended.
    pub fn respond(mut self, response: impl Into<A>) -> RespondFuture {
        self.is_done = true;
        let number = Some(self.number);
        put_answer(&self.session, &self.request_id, number, response.into())
    }
}

impl<A> Responder<A> {
    /// Returns the request ID.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Returns the token that is cancelled once the agent no longer waits for
    /// the response; see [`Request::cancelled`].
    #[must_use]
    pub fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    /// Returns the request ID, and leaves the request pending. Only [`Handle::respond`] can then
    /// respond to it.
    pub fn into_request_id(mut self) -> Box<str> {
        self.is_done = true;
        self.request_id.clone()
    }
}

impl<A> Drop for Responder<A> {
    fn drop(&mut self) {
        if !self.is_done {
            let (reply, _) = oneshot::channel();
            // Fails only if the driver has ended, and so the agent too.
            let _ = self.session.command(Command::Answer(LateAnswer {
                request_id: self.request_id.clone(),
                number: Some(self.number),
                answer: Err(CallbackFailure::Dropped),
                fits: |_| true,
                reply,
            }));
        }
    }
}

impl<A> fmt::Debug for Responder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder")
            .field("request_id", &self.request_id)
            .finish_non_exhaustive()
    }
}

impl Handle {
    /// Responds to a request by its ID, after its callback has returned [`Later`](crate::Later).
    /// Use this if the ID passes through a database or another process before the decision. The
    /// response's place in the order is that of this call.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), agentwire::Error> {
    /// use agentwire::{Client, Later, Options, PermissionResult};
    /// # let store = |_: &str| ();
    ///
    /// let options = Options::new().on_permission(move |ask| {
    ///     store(&ask.request_id);
    ///     async { Later }
    /// });
    /// let client = Client::connect(options).await?;
    /// // Much later, and anywhere:
    /// # let id = "id";
    /// client.handle().respond(id, PermissionResult::allow()).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The returned [`RespondFuture`] fails with [`Error::NoPendingRequest`] if no request with
    /// this ID is pending, or if it takes another type of response; and with [`Error::Ended`] if
    /// the session has ended.
    pub fn respond<A: CallbackResponse>(&self, request_id: &str, answer: A) -> RespondFuture {
        put_answer(self.link(), request_id, None, answer)
    }
}

fn put_answer<A: CallbackResponse>(
    session: &Link,
    request_id: &str,
    number: Option<RequestNumber>,
    answer: A,
) -> RespondFuture {
    let (reply, delivered) = oneshot::channel();
    let sent = session.command(Command::Answer(LateAnswer {
        request_id: request_id.into(),
        number,
        answer: Ok(encode(request_id.into(), answer)),
        fits: A::fits,
        reply,
    }));
    RespondFuture {
        session: session.clone(),
        reply: sent.map(|()| delivered),
    }
}

/// Serializes a response to a line.
pub(crate) fn encode<A: CallbackResponse>(request_id: Box<str>, mut answer: A) -> Encode {
    Encode::new(move |asked, to_repeat, version| {
        answer.check(asked).map_err(CallbackFailure::Invalid)?;
        answer.fit(version);
        if let Some(part) = to_repeat {
            answer.repeat(part);
        }
        control::success(&request_id, Some(&answer))
            .map_err(|error| CallbackFailure::Failed(error.to_string()))
    })
}

impl Future for RespondFuture {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.reply {
            Ok(reply) => Pin::new(reply).poll(context).map(|delivered| {
                delivered.unwrap_or_else(|_| Err(Error::Ended(self.session.end())))
            }),
            Err(error) => Poll::Ready(Err(error.clone())),
        }
    }
}

impl fmt::Debug for RespondFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RespondFuture")
    }
}
