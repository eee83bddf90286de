//! Permission modes.

use crate::open::open_enum;

open_enum! {
    /// How an agent decides whether a tool may run.
    pub enum PermissionMode {
        /// By rules; other calls need a permission.
        Default = "default",
        /// Like `default`, but edits in the working directory are allowed.
        AcceptEdits = "acceptEdits",
        /// Everything is allowed.
        BypassPermissions = "bypassPermissions",
        /// Read-only: the model makes a plan.
        Plan = "plan",
        /// Calls that no rule allows are denied without a permission request.
        DontAsk = "dontAsk",
        /// A model decides.
        Auto = "auto",
    }
}
