//! Being told of new versions of artifacts.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// Whether an artifact is watched.
    pub struct ArtifactWatchReceipt {
        /// Where it is.
        pub url: String,
        /// Whether it is watched.
        pub watching: Option<bool>,
        /// What came of it.
        pub outcome: Option<String>,
        /// Why.
        pub reason: Option<String>,
        /// Why the session is not woken for it.
        pub durable_skip_reason: Option<String>,
        /// The task that watches it.
        pub task_id: Option<String>,
        /// Since when, in milliseconds since 1970.
        pub since: Option<Number>,
        /// Until when it may be watched, in milliseconds since 1970.
        pub token_expires_at: Option<Number>,
        /// How it is watched.
        pub rail: Option<ArtifactWatchRail>,
        /// The trigger that wakes the session.
        pub trigger_id: Option<String>,
        /// Since when it does.
        pub durable_since: Option<String>,
        /// The status code of HTTP, when it was refused.
        pub status: Option<u64>,
        /// What was said then.
        pub detail: Option<String>,
        /// Something to know besides.
        pub note: Option<String>,
        /// What the session is told of.
        pub events: Option<Vec<String>>,
    }
}

object! {
    /// An artifact that is not watched any more.
    pub struct ArtifactUnwatched {
        /// Where it is.
        pub url: String,
        /// Whether it was.
        pub was_watching: Option<bool>,
    }
}

object! {
    /// An artifact that is watched. Which members there are depends on
    /// `rail`, which is absent for a connection that is there.
    pub struct ArtifactWatch {
        /// Where it is.
        pub url: String,
        /// How it is watched.
        pub rail: Option<ArtifactWatchRail>,
        /// The task that watches it.
        pub task_id: Option<String>,
        /// The trigger that wakes the session.
        pub trigger_id: Option<String>,
        /// Since when: a number of milliseconds since 1970, or a text where
        /// the session is woken.
        pub since: Option<Json>,
        /// Whether somebody asked for it.
        pub explicit: Option<bool>,
        /// Whether the connection is there.
        pub connected: Option<bool>,
        /// Whether it is being made.
        pub connecting: Option<bool>,
        /// Until when it may be watched, in milliseconds since 1970.
        pub token_expires_at: Option<Number>,
        /// What began it.
        pub armed_via: Option<String>,
        /// What the session is told of.
        pub events: Option<Vec<String>>,
        /// Whether it comes from an earlier run of the session.
        pub restored: Option<bool>,
        /// Why it ended.
        pub stop_kind: Option<String>,
    }
}

open_enum! {
    /// How an artifact is watched.
    pub enum ArtifactWatchRail {
        /// The session is woken.
        DurableWake = "durable_wake",
        /// There was a connection, and it ended.
        LiveStopped = "live_stopped",
    }
}

object! {
    /// How the watching of an artifact goes.
    pub struct ArtifactArm {
        /// Where it is.
        pub url: String,
        /// How it is watched.
        pub rail: Option<ArtifactWatchRail>,
        /// How it goes.
        pub state: Option<String>,
        /// Whether the connection is made anew.
        pub reconnect: Option<bool>,
        /// How many times it failed.
        pub failures: Option<u64>,
        /// How many times it may fail.
        pub max_failures: Option<u64>,
        /// Seconds until it is tried again.
        pub next_in_s: Option<Number>,
        /// Why it failed last.
        pub last_failure: Option<String>,
        /// Why it is so.
        pub reason: Option<String>,
        /// What else is known.
        pub detail: Option<String>,
        /// What the server said.
        pub server_message: Option<String>,
        /// When, in milliseconds since 1970.
        pub at: Option<Number>,
    }
}
