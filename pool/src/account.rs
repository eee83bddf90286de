//! Accounts of a provider, and their rate limits.

use agentwire::Options;
use agentwire_protocol::message::{
    ApiErrorKind, Message, RateLimitInfo, RateLimitStatus, ResultMessage,
};
use agentwire_protocol::{Frame, Number};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// An account of a provider: a name, and the options with which an agent uses it.
///
/// ```
/// use agentwire_pool::Account;
///
/// let team = Account::new("team").env("ANTHROPIC_API_KEY", "sk-…");
/// ```
#[derive(Clone)]
pub struct Account {
    name: Arc<str>,
    variables: Vec<(String, String)>,
}

impl Account {
    /// Names an account. Without variables, its sessions use the login of the CLI.
    #[must_use]
    pub fn new(name: impl AsRef<str>) -> Self {
        Self {
            name: name.as_ref().into(),
            variables: Vec::new(),
        }
    }

    /// Sets an environment variable of the account's sessions, such as `ANTHROPIC_API_KEY`,
    /// `CLAUDE_CODE_OAUTH_TOKEN` or `ANTHROPIC_BASE_URL`.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn apply(&self, options: Options) -> Options {
        let variables = self.variables.iter();
        variables.fold(options, |options, (name, value)| options.env(name, value))
    }
}

impl fmt::Debug for Account {
    /// Omits the values, which are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.variables.iter().map(|(name, _)| name);
        f.debug_struct("Account")
            .field("name", &self.name)
            .field("variables", &names.collect::<Vec<_>>())
            .finish()
    }
}

/// Returns whether the turn failed because requests were refused.
pub(crate) fn is_refused(result: &ResultMessage) -> bool {
    matches!(
        result.api_error(),
        Some(ApiErrorKind::RateLimit | ApiErrorKind::Overloaded)
    )
}

/// A report about the limits of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitReport {
    /// Requests are accepted.
    Accepted,
    /// A turn has succeeded. A limit may have been reported meanwhile.
    Succeeded,
    /// Requests are refused, until this time if it is known.
    Refused(Option<SystemTime>),
}

/// Returns what a message reports about the limits of its account, if anything.
pub(crate) fn limit_report(frame: &Frame) -> Option<LimitReport> {
    match frame.kind() {
        "rate_limit_event" => match frame.message() {
            Message::RateLimitEvent(event) => Some(limit(&event.rate_limit_info)),
            _ => None,
        },
        "result" => match frame.message() {
            Message::Result(result) if is_refused(&result) => Some(LimitReport::Refused(None)),
            Message::Result(result) if !result.is_error => Some(LimitReport::Succeeded),
            _ => None,
        },
        _ => None,
    }
}

fn limit(info: &RateLimitInfo) -> LimitReport {
    let pays = info.is_using_overage == Some(true)
        && info.overage_status != Some(RateLimitStatus::Rejected);
    if info.status != RateLimitStatus::Rejected || pays {
        return LimitReport::Accepted;
    }
    let seconds = info.resets_at.as_ref().map(Number::as_f64);
    // A time that does not exist is none.
    let since = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
    LimitReport::Refused(since.and_then(|it| SystemTime::UNIX_EPOCH.checked_add(it)))
}
