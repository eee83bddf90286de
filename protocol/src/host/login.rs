//! The agent's login state, which is derived from its messages.

use crate::content::ContentBlock;
use crate::frame::Frame;
use crate::message::{AssistantError, AssistantMessage, AuthStatus, SystemMessage, look_at_system};

/// A change of the agent's login, or of its account.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AuthUpdate {
    /// The agent is logging in, or a login attempt ended.
    Status(Box<AuthStatus>),
    /// The API rejected the agent's credentials. The agent retries, which may
    /// take minutes.
    Retrying {
        /// The error.
        error: AssistantError,
        /// The number of the next attempt.
        attempt: Option<u64>,
        /// The maximum number of attempts.
        max_retries: Option<u64>,
    },
    /// The model request failed, because the agent is not logged in, or because
    /// the API rejected its credentials or its account.
    Failed {
        /// The error.
        error: AssistantError,
        /// The agent's explanation for the user.
        message: String,
    },
}

impl AuthUpdate {
    /// Returns the number of bytes from the wire in this update.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Status(status) => {
                let lines = status.output.iter().flatten().chain(&status.error);
                let others = status.extra.iter();
                lines.map(String::len).sum::<usize>()
                    + others.map(|(_, it)| it.get().len()).sum::<usize>()
            }
            Self::Retrying { .. } => 0,
            Self::Failed { message, .. } => message.len(),
        }
    }

    /// Returns the login update that a frame contains, if there is one.
    pub(super) fn of(frame: &Frame) -> Option<Self> {
        match (frame.kind(), frame.subtype()) {
            ("auth_status", _) => Some(Self::Status(Box::new(frame.read().ok()?))),
            ("system", Some("api_retry")) => {
                let mut update = None;
                look_at_system(frame, &mut |message| {
                    if let SystemMessage::ApiRetry(retry) = message
                        && let Some(error) = &retry.error
                        && error.is_about_login()
                    {
                        update = Some(Self::Retrying {
                            error: error.clone(),
                            attempt: retry.attempt,
                            max_retries: retry.max_retries,
                        });
                    }
                });
                update
            }
            ("assistant", _) if frame.has_error() => {
                // The whole message is parsed only if it has an error, which is
                // rare.
                let error: AssistantError = frame.member("error")?.read().ok()?;
                error.is_about_login().then(|| Self::Failed {
                    message: text(frame),
                    error,
                })
            }
            _ => None,
        }
    }
}

fn text(frame: &Frame) -> String {
    let Ok(message) = frame.read::<AssistantMessage>() else {
        return String::new();
    };
    let texts = (message.message.content.iter()).filter_map(|block| match block {
        ContentBlock::Text(block) => Some(&*block.text),
        _ => None,
    });
    texts.collect()
}
