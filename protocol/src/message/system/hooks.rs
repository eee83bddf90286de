//! Hooks that the agent itself runs. Hooks of the host arrive as control
//! requests.

use crate::hook::HookKind;
use crate::open::{object, open_enum};

object! {
    /// A hook started.
    pub struct HookStarted: tolerant tags("type" = "system", "subtype" = "hook_started") {
        /// The ID of this run of the hook.
        pub hook_id: String,
        /// The name of the hook.
        pub hook_name: String,
        /// The event that triggered the hook.
        pub hook_event: HookKind,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The output of a hook so far.
    pub struct HookProgress: tolerant tags("type" = "system", "subtype" = "hook_progress") {
        /// The ID of this run of the hook.
        pub hook_id: String,
        /// The name of the hook.
        pub hook_name: String,
        /// The event that triggered the hook.
        pub hook_event: HookKind,
        /// The output on stdout.
        pub stdout: Option<String>,
        /// The output on stderr.
        pub stderr: Option<String>,
        /// The combined output.
        pub output: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// A hook ended.
    pub struct HookResponse: tolerant tags("type" = "system", "subtype" = "hook_response") {
        /// The ID of this run of the hook.
        pub hook_id: String,
        /// The name of the hook.
        pub hook_name: String,
        /// The event that triggered the hook.
        pub hook_event: HookKind,
        /// The output on stdout.
        pub stdout: Option<String>,
        /// The output on stderr.
        pub stderr: Option<String>,
        /// The combined output.
        pub output: Option<String>,
        /// The exit code. `None` if there was no process.
        pub exit_code: Option<i64>,
        /// The outcome.
        pub outcome: Option<HookOutcome>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The outcome of a hook.
    pub enum HookOutcome {
        /// The hook succeeded.
        Success = "success",
        /// The hook failed.
        Error = "error",
        /// The hook was cancelled.
        Cancelled = "cancelled",
    }
}
