//! Dialogs: what the agent wants the host to show to its user.

use crate::json::Json;
use crate::open::{object, union};

object! {
    /// The agent wants the host to show a dialog. Answered with a
    /// [`UserDialogResult`].
    ///
    /// Only kinds are sent that a host of the session listed in
    /// `supportedDialogKinds` of its `initialize`. A host leaves the kinds
    /// that it did not list unanswered: they may be another host's.
    pub struct RequestUserDialog tags("subtype" = "request_user_dialog") {
        /// What kind of dialog.
        pub dialog_kind: String,
        /// What it shows, an object that depends on the kind.
        pub payload: Option<Json>,
        /// The tool call that it is about.
        pub tool_use_id: Option<String>,
    }
}

union! {
    /// The answer to a [`RequestUserDialog`].
    pub enum UserDialogResult by "behavior" {
        /// The user answered.
        "completed" => Completed(DialogCompleted),
        /// The user dismissed it.
        "cancelled" => Cancelled(DialogCancelled),
    }
}

object! {
    /// The user answered.
    pub struct DialogCompleted tags("behavior" = "completed") {
        /// The answer, whose shape depends on the kind of dialog.
        pub result: Json,
    }
}

object! {
    /// The user dismissed the dialog.
    #[derive(Default)]
    pub struct DialogCancelled tags("behavior" = "cancelled") {}
}

impl RequestUserDialog {
    /// A dialog of this kind that shows this, an object.
    pub fn new(dialog_kind: impl Into<String>, payload: impl Into<Json>) -> Self {
        Self {
            dialog_kind: dialog_kind.into(),
            payload: Some(payload.into()),
            tool_use_id: None,
            extra: Default::default(),
        }
    }
}

impl UserDialogResult {
    /// The user answered this.
    #[must_use]
    pub fn completed(result: impl Into<Json>) -> Self {
        Self::Completed(DialogCompleted {
            result: result.into(),
            extra: Default::default(),
        })
    }

    /// The user dismissed it.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::Cancelled(DialogCancelled::default())
    }
}
