//! Dialogs that the agent asks the host to show to its user.

use crate::json::Json;
use crate::open::{object, union};

object! {
    /// Requests that the host show a dialog. The response is a
    /// [`UserDialogResult`].
    ///
    /// The agent only sends kinds that a host of the session listed in
    /// `supportedDialogKinds` of its `initialize`. A host must not respond to
    /// kinds that it did not list, because they may be meant for another host.
    pub struct RequestUserDialog tags("subtype" = "request_user_dialog") {
        /// The kind of dialog.
        pub dialog_kind: String,
        /// The content, an object that depends on the kind.
        pub payload: Option<Json>,
        /// The ID of the tool call that the dialog is about.
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
    /// The result of a dialog that the user completed.
    pub struct DialogCompleted tags("behavior" = "completed") {
        /// The user's input, whose shape depends on the kind of dialog.
        pub result: Json,
    }
}

object! {
    /// The result of a dialog that the user dismissed.
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
    /// Creates the result of a dialog that the user completed with this input.
    #[must_use]
    pub fn completed(result: impl Into<Json>) -> Self {
        Self::Completed(DialogCompleted {
            result: result.into(),
            extra: Default::default(),
        })
    }

    /// Creates the result of a dialog that the user dismissed.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::Cancelled(DialogCancelled::default())
    }
}
