//! Dialogs that the agent requests the host to show to its user.

use crate::json::Json;
use crate::open::{object, union};

object! {
    /// Requests that the host show a dialog. The response is a
    /// [`UserDialogResult`].
    ///
    /// The agent only sends kinds that a host of the session listed in
    /// `supportedDialogKinds` of its `initialize`. A host must not answer kinds
    /// that it did not list, because they may be meant for another host.
    pub struct RequestUserDialog tags("subtype" = "request_user_dialog") {
        /// The kind of dialog.
        pub dialog_kind: String,
        /// The content, an object that depends on the kind.
        pub payload: Option<Json>,
        /// The tool call that it is about.
        pub tool_use_id: Option<String>,
    }
}

union! {
    /// The response to a [`RequestUserDialog`].
    pub enum UserDialogResult by "behavior" {
        /// The user completed the dialog.
        "completed" => Completed(DialogCompleted),
        /// The user dismissed the dialog.
        "cancelled" => Cancelled(DialogCancelled),
    }
}

object! {
    /// The user completed the dialog.
    pub struct DialogCompleted tags("behavior" = "completed") {
        /// The user's input, whose shape depends on the kind of dialog.
        pub result: Json,
    }
}

object! {
    /// The user dismissed the dialog.
    #[derive(Default)]
    pub struct DialogCancelled tags("behavior" = "cancelled") {}
}

impl RequestUserDialog {
    /// Creates a request for a dialog of this kind. `payload` is an object.
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
    /// The user completed the dialog with this input.
    #[must_use]
    pub fn completed(result: impl Into<Json>) -> Self {
        Self::Completed(DialogCompleted {
            result: result.into(),
            extra: Default::default(),
        })
    }

    /// The user dismissed the dialog.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::Cancelled(DialogCancelled::default())
    }
}
