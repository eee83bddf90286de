//! Reports of decisions, for logs and tests.

use crate::callback::{BoxFuture, CallbackRequest, Handler, Request, Response};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A handler that reports each decision of another handler to a closure: the request, the
/// response, and the duration.
///
/// [`Response::Later`] is reported as such; the later response is not. A panic is not reported
/// here, but as a [`Notice::CallbackFailed`](crate::Notice::CallbackFailed).
///
/// ```
/// use agentwire::Options;
/// use agentwire::permission::{Audited, Policy, ReadOnly};
///
/// let handler = ReadOnly.or_deny("Only reading.");
/// let options = Options::new().permission_handler(Audited::new(handler, |request, reply, took| {
///     println!("{}: {reply:?} after {took:?}", request.tool_name);
/// }));
/// # drop(options);
/// ```
pub struct Audited<H, T> {
    handler: H,
    tell: Arc<T>,
}

impl<H, T> Audited<H, T> {
    /// Reports the decisions of `handler` to `tell`.
    pub fn new<R>(handler: H, tell: T) -> Self
    where
        R: CallbackRequest + Clone,
        H: Handler<R>,
        T: Fn(&R, &Response<R::Response>, Duration) + Send + Sync + 'static,
    {
        let tell = Arc::new(tell);
        Self { handler, tell }
    }
}

impl<R, H, T> Handler<R> for Audited<H, T>
where
    R: CallbackRequest + Clone,
    H: Handler<R>,
    T: Fn(&R, &Response<R::Response>, Duration) + Send + Sync + 'static,
{
    fn handle(&self, ask: Request<R>) -> BoxFuture<Response<R::Response>> {
        let tell = Arc::clone(&self.tell);
        let request = ask.request.clone();
        let begun = Instant::now();
        let reply = self.handler.handle(ask);
        Box::pin(async move {
            let reply = reply.await;
            tell(&request, &reply, begun.elapsed());
            reply
        })
    }
}

impl<H: fmt::Debug, T> fmt::Debug for Audited<H, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audited")
            .field("handler", &self.handler)
            .finish_non_exhaustive()
    }
}
