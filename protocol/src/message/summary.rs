//! Accessors of a result: its text, its cost, and the reason of a failure.

use super::api::ApiErrorKind;
use super::result::{LOGIN, ResultMessage, TerminalReason};

/// The error of a turn that failed.
///
/// [`ResultMessage::error_for_result`] creates it. Its text is
/// [`ResultMessage::error_text`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the turn failed: {}", with_hint(.result))]
pub struct FailedTurn {
    /// The result, with `is_error` set.
    pub result: Box<ResultMessage>,
}

/// The name of the member with the reason why the API sent no response, such as
/// `connection_failed`. It is absent if the API was not called.
const CAUSE: &str = "api_error";

/// Returns the text of the error, with a hint unless the text has one.
fn with_hint(result: &ResultMessage) -> String {
    let mut text = result.error_text().unwrap_or_default();
    if !text.ends_with(LOGIN) {
        text += what_to_do(result);
    }
    text
}

/// Returns the next step after an error that the prompt did not cause.
fn what_to_do(result: &ResultMessage) -> &'static str {
    match result.api_error() {
        Some(ApiErrorKind::Authentication) => {
            " (check `ANTHROPIC_API_KEY`, or the login of `claude`)"
        }
        Some(ApiErrorKind::NotFound) => {
            " (check `Options::model` or `Handle::set_model`, and `ANTHROPIC_BASE_URL`)"
        }
        None if result.has_asked_no_api() => {
            " (if it has no credentials: set `ANTHROPIC_API_KEY`, or run `claude` once and log in)"
        }
        _ => "",
    }
}

impl ResultMessage {
    /// Turns an error result into an error.
    ///
    /// ```
    /// use agentwire_protocol::message::ResultMessage;
    ///
    /// fn text(result: ResultMessage) -> Result<String, Box<dyn std::error::Error>> {
    ///     Ok(result.error_for_result()?.text().to_owned())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// If [`is_error`](Self::is_error) is set.
    pub fn error_for_result(self) -> Result<Self, FailedTurn> {
        if self.is_error {
            return Err(FailedTurn {
                result: Box::new(self),
            });
        }
        Ok(self)
    }

    /// Returns the text of the final response. Empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.result.as_deref().unwrap_or_default()
    }

    /// Returns the cost of the session so far, in US dollars. Returns `None` if
    /// the agent does not report the cost.
    #[must_use]
    pub fn cost_usd(&self) -> Option<f64> {
        self.total_cost_usd
            .as_ref()
            .map(crate::json::Number::as_f64)
    }

    /// Returns the kind of API error that ended the turn, by its HTTP status.
    /// Returns `None` if the turn did not end with an API error, or if the API
    /// sent no response.
    #[must_use]
    pub fn api_error(&self) -> Option<ApiErrorKind> {
        Some(match self.api_error_status? {
            401 => ApiErrorKind::Authentication,
            402 => ApiErrorKind::Billing,
            403 => ApiErrorKind::Permission,
            404 => ApiErrorKind::NotFound,
            408 | 504 => ApiErrorKind::Timeout,
            429 => ApiErrorKind::RateLimit,
            529 => ApiErrorKind::Overloaded,
            500.. => ApiErrorKind::Api,
            _ => ApiErrorKind::InvalidRequest,
        })
    }

    /// Returns whether the same prompt may succeed later. The API was
    /// overloaded, limited the rate, failed, timed out or could not be reached,
    /// and the retries of the CLI failed, too.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        use ApiErrorKind::{Api, Overloaded, RateLimit, Timeout};
        match self.api_error() {
            Some(kind) => matches!(kind, Api | Overloaded | RateLimit | Timeout),
            None => self.has_api_error() && self.extra.get(CAUSE).is_some(),
        }
    }

    /// Returns whether the agent did not call the API, for example because it
    /// has no credentials.
    fn has_asked_no_api(&self) -> bool {
        self.has_api_error() && self.api_error_status.is_none() && self.extra.get(CAUSE).is_none()
    }

    fn has_api_error(&self) -> bool {
        self.is_error && self.terminal_reason == Some(TerminalReason::ApiError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str) -> ResultMessage {
        serde_json::from_str(text).expect(text)
    }

    #[test]
    fn an_error_result_becomes_an_error_with_its_text() {
        let failed = result(
            r#"{"type":"result","subtype":"success","is_error":true,"result":"model not found","terminal_reason":"api_error","api_error_status":404}"#,
        );
        assert_eq!(failed.api_error(), Some(ApiErrorKind::NotFound));
        assert!(!failed.is_retryable());
        let error = failed.error_for_result().expect_err("is_error is set");
        assert_eq!(
            error.to_string(),
            "the turn failed: api_error: model not found (check `Options::model` or \
             `Handle::set_model`, and `ANTHROPIC_BASE_URL`)"
        );
    }

    #[test]
    fn a_successful_result_has_its_text_and_cost() {
        let done = result(
            r#"{"type":"result","subtype":"success","is_error":false,"result":"Monday","total_cost_usd":0.25}"#,
        );
        assert_eq!((done.text(), done.cost_usd()), ("Monday", Some(0.25)));
        assert!(!done.is_retryable() && done.api_error().is_none());
        assert!(done.error_for_result().is_ok());
    }

    #[test]
    fn results_are_retryable_by_the_status_of_the_api() {
        let with = |status: &str| {
            result(&format!(
                r#"{{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error"{status}}}"#
            ))
        };
        for (status, is_retryable) in [
            (400, false),
            (401, false),
            (402, false),
            (403, false),
            (404, false),
            (408, true),
            (413, false),
            (429, true),
            (500, true),
            (503, true),
            (504, true),
            (529, true),
        ] {
            let result = with(&format!(r#","api_error_status":{status}"#));
            assert_eq!(result.is_retryable(), is_retryable, "{status}");
        }
        // The API could not be reached.
        assert!(with(r#","api_error":"connection_failed""#).is_retryable());
        // No request was sent.
        assert!(!with("").is_retryable());
    }

    #[test]
    fn an_error_about_credentials_or_the_model_says_what_to_check() {
        for (status, check) in [
            ("", "set `ANTHROPIC_API_KEY`"),
            (r#","api_error_status":401"#, "check `ANTHROPIC_API_KEY`"),
            (r#","api_error_status":404"#, "`Options::model`"),
        ] {
            let failed = result(&format!(
                r#"{{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","result":"no"{status}}}"#
            ));
            let error = failed.error_for_result().expect_err("is_error is set");
            assert!(error.to_string().contains(check), "{error}");
        }
    }

    #[test]
    fn an_error_has_one_hint_about_credentials() {
        for status in ["", r#","api_error_status":401"#] {
            let failed = result(&format!(
                r#"{{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","result":"Please run /login"{status}}}"#
            ));
            let error = failed.error_for_result().expect_err("is_error is set");
            let hints = error.to_string().matches("ANTHROPIC_API_KEY").count();
            assert_eq!(hints, 1, "{error}");
        }
    }
}
