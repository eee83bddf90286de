//! Subscriptions to new versions of artifacts.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// The result of watching an artifact.
    pub struct ArtifactWatchReceipt {
        /// The URL.
        pub url: String,
        /// Whether the artifact is watched.
        pub watching: Option<bool>,
        /// The outcome.
        pub outcome: Option<String>,
        /// The reason for the outcome.
        pub reason: Option<String>,
        /// The reason why the session is not woken by new versions.
        pub durable_skip_reason: Option<String>,
        /// The ID of the watching task.
        pub task_id: Option<String>,
        /// The start time, in milliseconds since 1970.
        pub since: Option<Number>,
        /// The time when the permission to watch expires, in milliseconds since
        /// 1970.
        pub token_expires_at: Option<Number>,
        /// How the artifact is watched.
        pub rail: Option<ArtifactWatchRail>,
        /// The ID of the trigger that wakes the session.
        pub trigger_id: Option<String>,
        /// The time since which the trigger wakes the session.
        pub durable_since: Option<String>,
        /// The HTTP status code of a rejection.
        pub status: Option<u64>,
        /// The details of a rejection.
        pub detail: Option<String>,
        /// A notice.
        pub note: Option<String>,
        /// The events that the session is notified of.
        pub events: Option<Vec<String>>,
    }
}

object! {
    /// An artifact that is no longer watched.
    pub struct ArtifactUnwatched {
        /// The URL.
        pub url: String,
        /// Whether the artifact was watched before.
        pub was_watching: Option<bool>,
    }
}

object! {
    /// A watched artifact. `rail` determines which members are present. For a
    /// live connection, `rail` is `None`.
    pub struct ArtifactWatch {
        /// The URL.
        pub url: String,
        /// How the artifact is watched.
        pub rail: Option<ArtifactWatchRail>,
        /// The ID of the watching task.
        pub task_id: Option<String>,
        /// The ID of the trigger that wakes the session.
        pub trigger_id: Option<String>,
        /// The start time. It is a number of milliseconds since 1970, or a
        /// string if a trigger wakes the session.
        pub since: Option<Json>,
        /// Whether the subscription was requested explicitly.
        pub explicit: Option<bool>,
        /// Whether the subscription is connected.
        pub connected: Option<bool>,
        /// Whether the subscription is connecting.
        pub connecting: Option<bool>,
        /// The time when the permission to watch expires, in milliseconds since
        /// 1970.
        pub token_expires_at: Option<Number>,
        /// The origin of the subscription.
        pub armed_via: Option<String>,
        /// The events that the session is notified of.
        pub events: Option<Vec<String>>,
        /// Whether the subscription was restored from an earlier run of the
        /// session.
        pub restored: Option<bool>,
        /// The reason why the subscription stopped.
        pub stop_kind: Option<String>,
    }
}

open_enum! {
    /// The way in which an artifact is watched.
    pub enum ArtifactWatchRail {
        /// A trigger wakes the session.
        DurableWake = "durable_wake",
        /// A live connection that has stopped.
        LiveStopped = "live_stopped",
    }
}

object! {
    /// The state of a watch connection.
    pub struct ArtifactArm {
        /// The URL.
        pub url: String,
        /// How the artifact is watched.
        pub rail: Option<ArtifactWatchRail>,
        /// The state.
        pub state: Option<String>,
        /// Whether the connection is retried.
        pub reconnect: Option<bool>,
        /// The number of failures.
        pub failures: Option<u64>,
        /// The maximum number of failures.
        pub max_failures: Option<u64>,
        /// The delay until the next attempt, in seconds.
        pub next_in_s: Option<Number>,
        /// The reason for the last failure.
        pub last_failure: Option<String>,
        /// The reason for the state.
        pub reason: Option<String>,
        /// Further details.
        pub detail: Option<String>,
        /// The message of the server.
        pub server_message: Option<String>,
        /// The time of the state, in milliseconds since 1970.
        pub at: Option<Number>,
    }
}
