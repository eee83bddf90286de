//! Hooks that the agent runs by itself. Those of the host come as control
//! requests.

use crate::hook::HookKind;
use crate::open::{object, open_enum};

object! {
    /// A hook begins.
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
    /// What a hook has printed so far.
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
    /// A hook is over.
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
        /// The exit code; absent when there was no process.
        pub exit_code: Option<i64>,
        /// How it went.
        pub outcome: Option<HookOutcome>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How a hook went.
    pub enum HookOutcome {
        /// Well.
        Success = "success",
        /// It failed.
        Error = "error",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}
