//! Answers that come later than the callback's end.

use super::ask::{Ask, AskAnswer, Askable};
use crate::command::{AskNumber, Command, Encode, LateAnswer, Link};
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

/// Answers an ask, whenever there is an answer, from anywhere.
///
/// Dropped without an answer it denies, and a
/// [`Notice::CallbackFailed`](crate::Notice::CallbackFailed) says so.
#[must_use = "dropped, it denies"]
pub struct Responder<A> {
    session: Link,
    request_id: Box<str>,
    number: AskNumber,
    cancelled: CancellationToken,
    /// Whether the drop says nothing any more.
    is_done: bool,
    kind: PhantomData<fn(A)>,
}

/// An answer on its way. It goes whether this is awaited or not.
pub struct PendingAnswer {
    session: Link,
    reply: Result<oneshot::Receiver<Result<(), Error>>, Error>,
}

impl<R: Askable> Ask<R> {
    /// Takes the answering out of the callback, which then returns [`Later`](crate::Later): the responder may be sent anywhere and answered in
    /// minutes or hours. No timer runs. One that is dropped without an answer
    /// denies.
    pub fn later(&self) -> Responder<R::Answer> {
        Responder::new(self)
    }
}

impl<A: AskAnswer> Responder<A> {
    fn new<R: Askable<Answer = A>>(ask: &Ask<R>) -> Self {
        Self {
            session: ask.session.link().clone(),
            request_id: ask.request_id.clone(),
            number: ask.number,
            cancelled: ask.cancelled.clone(),
            is_done: false,
            kind: PhantomData,
        }
    }

    /// Answers. It takes its place in the order when it is called; awaiting
    /// says whether it did: it fails with [`Error::NoPendingRequest`] when the ask is
    /// answered or cancelled already.
    pub fn answer(mut self, answer: impl Into<A>) -> PendingAnswer {
        self.is_done = true;
        let number = Some(self.number);
        put_answer(&self.session, &self.request_id, number, answer.into())
    }
}

impl<A> Responder<A> {
    /// The id of the ask.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Cancelled when the agent does not wait for an answer any more; see
    /// [`Ask::cancelled`].
    #[must_use]
    pub fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    /// Leaves the ask open without this: somebody who has the id will answer
    /// it with [`Handle::answer`], or nobody.
    pub fn into_request_id(mut self) -> Box<str> {
        self.is_done = true;
        self.request_id.clone()
    }
}

impl<A> Drop for Responder<A> {
    fn drop(&mut self) {
        if !self.is_done {
            let (reply, _) = oneshot::channel();
            // When nobody drives the session any more, nobody waits either.
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
    /// Answers an ask whose callback said [`Later`](crate::Later),
    /// by its id: the way for a program in which the id goes through a database
    /// or another process before somebody decides. It takes its place in the
    /// order when it is called; awaiting says whether it did.
    ///
    /// It fails with [`Error::NoPendingRequest`] when nothing is asked under this id
    /// (any more), or something that is answered otherwise.
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
    /// client.handle().answer(id, PermissionResult::allow()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn answer<A: AskAnswer>(&self, request_id: &str, answer: A) -> PendingAnswer {
        put_answer(self.link(), request_id, None, answer)
    }
}

fn put_answer<A: AskAnswer>(
    session: &Link,
    request_id: &str,
    number: Option<AskNumber>,
    answer: A,
) -> PendingAnswer {
    let (reply, told) = oneshot::channel();
    let sent = session.command(Command::Answer(LateAnswer {
        request_id: request_id.into(),
        number,
        answer: Ok(encode(request_id.into(), answer)),
        fits: A::fits,
        reply,
    }));
    PendingAnswer {
        session: session.clone(),
        reply: sent.map(|()| told),
    }
}

/// Makes the line that answers an ask.
pub(crate) fn encode<A: AskAnswer>(request_id: Box<str>, mut answer: A) -> Encode {
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

impl Future for PendingAnswer {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.reply {
            Ok(reply) => Pin::new(reply)
                .poll(context)
                .map(|told| told.unwrap_or_else(|_| Err(Error::Ended(self.session.end())))),
            Err(error) => Poll::Ready(Err(error.clone())),
        }
    }
}

impl fmt::Debug for PendingAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PendingAnswer")
    }
}
