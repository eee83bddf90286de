//! Permission modes.

use crate::open::open_enum;

open_enum! {
    /// How an agent decides whether a tool may run.
    pub enum PermissionMode {
        /// By rules, and by asking.
        Default = "default",
        /// As `default`, but edits in the working directory are allowed.
        AcceptEdits = "acceptEdits",
        /// Everything is allowed.
        BypassPermissions = "bypassPermissions",
        /// Nothing that changes anything is allowed; the model makes a plan.
        Plan = "plan",
        /// What rules do not allow is refused, without asking.
        DontAsk = "dontAsk",
        /// A model decides.
        Auto = "auto",
    }
}
