//! Changes of the session's metadata: its ID, model, title and login.

use super::classify::FrameClass;
use super::login::AuthUpdate;
use crate::message::Init;
use crate::permission::PermissionMode;

/// A change of the session's metadata.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SessionUpdate {
    /// The first turn started. The value describes the session.
    Began(Box<Init>),
    /// A turn started, and the metadata differs from that of the last turn.
    Changed(Box<Init>),
    /// The session ID changed, after `/clear` for example. Later messages
    /// belong to the new ID.
    Renumbered {
        /// The new ID.
        session_id: String,
        /// The old ID.
        before: String,
    },
    /// The permission mode changed.
    PermissionMode(PermissionMode),
    /// The session has a title.
    Titled(String),
    /// The login state changed.
    Auth(AuthUpdate),
}

/// The last metadata that the agent reported.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    init: Option<Box<Init>>,
    session_id: Option<String>,
}

impl Metadata {
    /// The session ID, once it is known.
    pub(super) fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// Returns the updates in a frame.
    pub(super) fn handle(&mut self, class: &FrameClass) -> Vec<SessionUpdate> {
        let mut updates = vec![];
        match class {
            // The `conversation_reset` of a `/clear` still has the old session
            // ID, and the ID that it names is not a session ID.
            FrameClass::Init(init) => {
                updates.extend(init.session_id.as_deref().and_then(|id| self.has_id(id)));
                updates.extend(self.began(init));
            }
            FrameClass::Result(result) => {
                updates.extend(result.session_id.as_deref().and_then(|id| self.has_id(id)));
            }
            FrameClass::Status {
                mode: Some(mode), ..
            } => {
                if let Some(init) = &mut self.init {
                    if init.permission_mode.as_ref() == Some(mode) {
                        return updates;
                    }
                    init.permission_mode = Some(mode.clone());
                }
                updates.push(SessionUpdate::PermissionMode(mode.clone()));
            }
            FrameClass::Title(title) => updates.push(SessionUpdate::Titled(title.clone())),
            _ => {}
        }
        updates
    }

    fn has_id(&mut self, id: &str) -> Option<SessionUpdate> {
        let before = self.session_id.replace(id.to_owned())?;
        (before != id).then(|| SessionUpdate::Renumbered {
            session_id: id.to_owned(),
            before,
        })
    }

    fn began(&mut self, init: &Init) -> Option<SessionUpdate> {
        // Fields that differ between turns are not metadata of the session.
        let lasting = Box::new(Init {
            uuid: None,
            user_message_uuids: None,
            ..init.clone()
        });
        let reported = Box::new(init.clone());
        match self.init.replace(lasting) {
            None => Some(SessionUpdate::Began(reported)),
            Some(before) if self.init.as_ref() != Some(&before) => {
                Some(SessionUpdate::Changed(reported))
            }
            Some(_) => None,
        }
    }
}
