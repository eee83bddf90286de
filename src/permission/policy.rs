//! Policies, which decide immediately, and their combinations.

use super::PermissionRequest;
use crate::callback::{BoxFuture, Handler, Response};
use agentwire_protocol::permission::{CanUseTool, PermissionResult};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The decision of a [`Policy`] about a tool call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// The call is allowed or denied.
    Decided(PermissionResult),
    /// The handler must be asked. Other policies may deny the call, but not
    /// allow it.
    MustAsk,
    /// No decision.
    None,
}

/// Decides about tool calls immediately, or has no decision.
///
/// [`Rules`](crate::Rules), [`ReadOnly`](crate::permission::ReadOnly), and every closure from a
/// request to a [`Decision`], a [`PermissionResult`] or an `Option` of one are policies. The
/// policies of agentwire never approve requests that require a human. A closure must check this
/// with [`CanUseTool::requires_human`]; nothing else does.
///
/// ```
/// use agentwire::protocol::permission::CanUseTool;
/// use agentwire::permission::{PermissionRequest, Policy, ReadOnly};
/// use agentwire::{Options, PermissionResult, Rules};
///
/// let no_secrets = |request: &CanUseTool| {
///     let mentions = request.input.get().contains("secret");
///     mentions.then(|| PermissionResult::deny("Nothing about secrets."))
/// };
/// let policy = no_secrets
///     .or(ReadOnly)
///     .or(Rules::builder().allow(["Bash(cargo test *)"]).build()?);
/// let options = Options::new().permission_handler(policy.or_ask(|ask: PermissionRequest| async move {
///     println!("{} requires an answer", ask.request.tool_name);
///     PermissionResult::deny("No user is available.")
/// }));
/// # drop(options);
/// # Ok::<(), agentwire::permission::RulesError>(())
/// ```
pub trait Policy: Send + Sync + 'static {
    /// Decides about a tool call.
    fn decide(&self, request: &CanUseTool) -> Decision;

    /// Decides about a tool call of an agent that works in this directory. [`Hook::policy`] calls
    /// it, because a hook call reports the directory and a permission request does not. Default:
    /// as [`Policy::decide`].
    ///
    /// [`Hook::policy`]: crate::Hook::policy
    fn decide_in(&self, request: &CanUseTool, directory: &Path) -> Decision {
        let _ = directory;
        self.decide(request)
    }

    /// Combines this with another policy, for requests about which this one has
    /// no decision. After [`Decision::MustAsk`] from this one, the other may
    /// only deny.
    fn or<P: Policy>(self, other: P) -> Either<Self, P>
    where
        Self: Sized,
    {
        Either(self, other)
    }

    /// Passes requests without a decision to a handler. The result can be
    /// passed to
    /// [`Options::permission_handler`](crate::Options::permission_handler).
    fn or_ask<H: Handler<CanUseTool>>(self, handler: H) -> OrAsk<Self, H>
    where
        Self: Sized,
    {
        OrAsk {
            policy: self,
            handler,
        }
    }

    /// Denies requests without a decision, with this message to the model. The
    /// result is a policy, and can be passed to
    /// [`Options::permission_handler`](crate::Options::permission_handler).
    fn or_deny(self, message: impl Into<String>) -> OrDeny<Self>
    where
        Self: Sized,
    {
        OrDeny {
            policy: self,
            message: message.into(),
        }
    }
}

impl From<PermissionResult> for Decision {
    fn from(result: PermissionResult) -> Self {
        Self::Decided(result)
    }
}

impl From<Option<PermissionResult>> for Decision {
    fn from(result: Option<PermissionResult>) -> Self {
        result.map_or(Self::None, Self::Decided)
    }
}

impl<F, O> Policy for F
where
    F: Fn(&CanUseTool) -> O + Send + Sync + 'static,
    O: Into<Decision>,
{
    fn decide(&self, request: &CanUseTool) -> Decision {
        self(request).into()
    }
}

/// A policy of any type.
#[derive(Clone)]
pub(crate) struct SharedPolicy(Arc<dyn Policy>);

impl SharedPolicy {
    pub(crate) fn new(policy: impl Policy) -> Self {
        Self(Arc::new(policy))
    }

    pub(crate) fn decide(&self, request: &CanUseTool) -> Decision {
        self.0.decide(request)
    }
}

impl fmt::Debug for SharedPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Policy")
    }
}

/// Two policies: the second one decides if the first has no decision. Returned by
/// [`Policy::or`].
#[derive(Debug, Clone)]
pub struct Either<A, B>(A, B);

impl<A: Policy, B: Policy> Policy for Either<A, B> {
    fn decide(&self, request: &CanUseTool) -> Decision {
        either(self.0.decide(request), || self.1.decide(request))
    }

    fn decide_in(&self, request: &CanUseTool, directory: &Path) -> Decision {
        let first = self.0.decide_in(request, directory);
        either(first, || self.1.decide_in(request, directory))
    }
}

fn either(first: Decision, second: impl FnOnce() -> Decision) -> Decision {
    match first {
        Decision::None => second(),
        Decision::MustAsk => match second() {
            denied @ Decision::Decided(PermissionResult::Deny(_)) => denied,
            _ => Decision::MustAsk,
        },
        decided => decided,
    }
}

/// A policy, and a handler for requests without a decision. Returned by [`Policy::or_ask`].
#[derive(Debug, Clone)]
pub struct OrAsk<P, H> {
    policy: P,
    handler: H,
}

impl<P: Policy, H: Handler<CanUseTool>> Handler<CanUseTool> for OrAsk<P, H> {
    fn handle(&self, ask: PermissionRequest) -> BoxFuture<Response<PermissionResult>> {
        match self.policy.decide(&ask.request) {
            Decision::Decided(result) => Box::pin(std::future::ready(result.into())),
            _ => self.handler.handle(ask),
        }
    }
}

/// A policy that denies requests without a decision. Returned by [`Policy::or_deny`].
#[derive(Debug, Clone)]
pub struct OrDeny<P> {
    policy: P,
    message: String,
}

impl<P> OrDeny<P> {
    fn or_deny(&self, decision: Decision) -> PermissionResult {
        match decision {
            Decision::Decided(result) => result,
            _ => PermissionResult::deny(&*self.message),
        }
    }
}

impl<P: Policy> Policy for OrDeny<P> {
    fn decide(&self, request: &CanUseTool) -> Decision {
        Decision::Decided(self.or_deny(self.policy.decide(request)))
    }

    fn decide_in(&self, request: &CanUseTool, directory: &Path) -> Decision {
        Decision::Decided(self.or_deny(self.policy.decide_in(request, directory)))
    }
}

impl<P: Policy> Handler<CanUseTool> for OrDeny<P> {
    fn handle(&self, ask: PermissionRequest) -> BoxFuture<Response<PermissionResult>> {
        let result = self.or_deny(self.policy.decide(&ask.request));
        Box::pin(std::future::ready(result.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn policy_of(decision: &Decision) -> impl Policy + use<> {
        let decision = decision.clone();
        move |_: &CanUseTool| decision.clone()
    }

    #[test]
    fn the_first_decision_counts_and_must_ask_can_only_become_deny() {
        let yes = Decision::from(PermissionResult::allow());
        let no = Decision::from(PermissionResult::deny("no"));
        let ask = Decision::MustAsk;
        let none = Decision::None;
        for (first, second, both) in [
            (&yes, &no, &yes),
            (&no, &yes, &no),
            (&none, &yes, &yes),
            (&none, &no, &no),
            (&none, &ask, &ask),
            (&none, &none, &none),
            (&ask, &yes, &ask),
            (&ask, &no, &no),
            (&ask, &none, &ask),
        ] {
            let request = CanUseTool::new("Bash", json!({}));
            let decision = policy_of(first).or(policy_of(second)).decide(&request);
            assert_eq!(&decision, both, "{first:?}, {second:?}");
        }
    }
}
