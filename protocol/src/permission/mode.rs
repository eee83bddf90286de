//! Permission modes.

use crate::open::open_enum;

open_enum! {
    /// How an agent decides whether a tool may run.
    pub enum PermissionMode {
        /// Rules decide. Calls without a matching rule need a permission.
        Default = "default",
        /// Like `default`, but edits in the working directory are allowed.
        AcceptEdits = "acceptEdits",
        /// All calls are allowed.
        BypassPermissions = "bypassPermissions",
        /// Only reading is allowed, while the model makes a plan.
        Plan = "plan",
        /// Calls that no rule allows are denied without a permission request.
        DontAsk = "dontAsk",
        /// A model decides.
        Auto = "auto",
    }
}
