//! What an agent's messages say of its login.

use crate::content::ContentBlock;
use crate::frame::Frame;
use crate::message::{
    ApiRetry, AssistantError, AssistantMessage, AuthStatus, Message, SystemMessage,
};

/// How it stands with the agent's login, and with the account behind it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AuthUpdate {
    /// The agent is logging in, or has tried to.
    Status(Box<AuthStatus>),
    /// The API did not take the agent's login. The agent asks again, which may
    /// take minutes.
    Retrying {
        /// Why not.
        error: AssistantError,
        /// Which attempt comes next.
        attempt: Option<u64>,
        /// How many there will be at most.
        max_retries: Option<u64>,
    },
    /// The model could not be asked: there is no login, or the API does not
    /// take it, or the account behind it.
    Failed {
        /// Why not.
        error: AssistantError,
        /// What the agent says to that, for people.
        said: String,
    },
}

impl AuthUpdate {
    /// How many bytes from the wire it holds.
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
            Self::Failed { said, .. } => said.len(),
        }
    }

    /// What a frame says of the login.
    pub(super) fn of(frame: &Frame) -> Option<Self> {
        match (frame.kind(), frame.subtype()) {
            ("auth_status", _) => Some(Self::Status(Box::new(frame.read().ok()?))),
            ("system", Some("api_retry")) => {
                let Message::System(SystemMessage::ApiRetry(retry)) = frame.message() else {
                    return None;
                };
                let ApiRetry {
                    error,
                    attempt,
                    max_retries,
                    ..
                } = retry;
                Some(Self::Retrying {
                    error: error.filter(AssistantError::is_about_login)?,
                    attempt,
                    max_retries,
                })
            }
            ("assistant", _) => {
                // Hardly any has an error; the whole of it is read only then.
                let error: AssistantError = frame.member("error")?.read().ok()?;
                error.is_about_login().then(|| Self::Failed {
                    said: frame.read().map_or_else(|_| String::new(), |it| text(&it)),
                    error,
                })
            }
            _ => None,
        }
    }
}

fn text(message: &AssistantMessage) -> String {
    let texts = (message.message.content.iter()).filter_map(|block| match block {
        ContentBlock::Text(block) => Some(&*block.text),
        _ => None,
    });
    texts.collect()
}
