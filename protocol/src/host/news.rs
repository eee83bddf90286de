//! What the session is: its id, its model, its title and the like, as they
//! change.

use super::login::AuthUpdate;
use super::sign::Sign;
use crate::message::Init;
use crate::permission::PermissionMode;

/// The session has become something else.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SessionUpdate {
    /// The first turn began: what the session is and has.
    Began(Box<Init>),
    /// A turn began, and something is not as it was when the last one did.
    Changed(Box<Init>),
    /// The session has another id than before, after `/clear` for example.
    /// What comes from now on is under the new one.
    Renumbered {
        /// The id from now on.
        session_id: String,
        /// The id before.
        before: String,
    },
    /// How permissions are decided from now on.
    PermissionMode(PermissionMode),
    /// The session has a title.
    Titled(String),
    /// How it stands with the agent's login.
    Auth(AuthUpdate),
}

/// What was told of the session.
#[derive(Debug, Default)]
pub(super) struct Known {
    init: Option<Box<Init>>,
    session_id: Option<String>,
}

impl Known {
    /// The session's id, once it is known.
    pub(super) fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// What a sign says that is new.
    pub(super) fn saw(&mut self, sign: &Sign) -> Vec<SessionUpdate> {
        let mut news = vec![];
        match sign {
            // The `conversation_reset` of a `/clear` is still under the id
            // before, and the one that it names is not the session's.
            Sign::Init(init) => {
                news.extend(init.session_id.as_deref().and_then(|id| self.has_id(id)));
                news.extend(self.began(init));
            }
            Sign::Result(result) => {
                news.extend(result.session_id.as_deref().and_then(|id| self.has_id(id)));
            }
            Sign::Status {
                mode: Some(mode), ..
            } => {
                if let Some(init) = &mut self.init {
                    if init.permission_mode.as_ref() == Some(mode) {
                        return news;
                    }
                    init.permission_mode = Some(mode.clone());
                }
                news.push(SessionUpdate::PermissionMode(mode.clone()));
            }
            Sign::Title(title) => news.push(SessionUpdate::Titled(title.clone())),
            _ => {}
        }
        news
    }

    fn has_id(&mut self, id: &str) -> Option<SessionUpdate> {
        let before = self.session_id.replace(id.to_owned())?;
        (before != id).then(|| SessionUpdate::Renumbered {
            session_id: id.to_owned(),
            before,
        })
    }

    fn began(&mut self, init: &Init) -> Option<SessionUpdate> {
        // What differs from turn to turn says nothing of the session.
        let lasting = Box::new(Init {
            uuid: None,
            user_message_uuids: None,
            ..init.clone()
        });
        let told = Box::new(init.clone());
        match self.init.replace(lasting) {
            None => Some(SessionUpdate::Began(told)),
            Some(before) if self.init.as_ref() != Some(&before) => {
                Some(SessionUpdate::Changed(told))
            }
            Some(_) => None,
        }
    }
}
