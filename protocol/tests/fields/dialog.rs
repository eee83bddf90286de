//! The types of `agentwire_protocol::dialog`.

use crate::fields::table::{objects, unions};

objects! { dialog:
    DialogCancelled {}
    DialogCompleted { result }
    RequestUserDialog { dialog_kind, payload, tool_use_id }
}

unions! { dialog:
    UserDialogResult by "behavior" { Completed = "completed", Cancelled = "cancelled" }
}
