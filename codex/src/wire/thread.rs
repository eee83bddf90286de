//! Threads, turns and their errors.

use super::{Item, enums, named_or, objects};

named_or! {
    /// The kind of error of a turn.
    pub enum ErrorInfo { ErrorName, ErrorDetails }
}

objects! {
    /// A thread: a session with a conversation.
    pub struct Thread {
        /// The ID of the thread.
        pub id: String,
        /// The title.
        pub name: Option<String>,
        /// The start of the first user message.
        pub preview: String,
        /// The working directory.
        pub cwd: String,
        /// The file in which Codex stores the thread.
        pub path: Option<String>,
        /// Whether the thread is not stored.
        pub ephemeral: bool,
        /// The activity.
        pub status: ThreadStatus,
        /// The model.
        pub model: Option<String>,
        /// The provider of the model.
        pub model_provider: String = "modelProvider",
        /// The reasoning effort.
        pub reasoning_effort: Option<String> = "reasoningEffort",
        /// The time of creation, as a Unix time in seconds.
        pub created_at: i64 = "createdAt",
        /// The time of the last change, as a Unix time in seconds.
        pub updated_at: i64 = "updatedAt",
        /// The ID of the thread of which this one is a copy.
        pub forked_from_id: Option<String> = "forkedFromId",
        /// The ID of the thread that started this one as a sub-agent.
        pub parent_thread_id: Option<String> = "parentThreadId",
        /// The turns. Empty except in responses that include them.
        pub turns: Vec<Turn>,
    }

    /// The activity of a thread.
    pub struct ThreadStatus {
        /// The kind of activity.
        pub kind: ThreadActivity = "type",
        /// The pending requests of the running turn.
        pub active_flags: Option<Vec<ActiveFlag>> = "activeFlags",
    }

    /// A turn.
    pub struct Turn {
        /// The ID of the turn.
        pub id: String,
        /// The outcome.
        pub status: TurnStatus,
        /// The items, as far as `items_view` says.
        pub items: Vec<Item>,
        /// Which items are included.
        pub items_view: Option<ItemsView> = "itemsView",
        /// The reason why the turn failed.
        pub error: Option<TurnError>,
        /// The time of the start, as a Unix time in seconds.
        pub started_at: Option<i64> = "startedAt",
        /// The time of the end, as a Unix time in seconds.
        pub completed_at: Option<i64> = "completedAt",
        /// The duration in milliseconds.
        pub duration_ms: Option<i64> = "durationMs",
    }

    /// The error of a turn.
    pub struct TurnError {
        /// The message.
        pub message: String,
        /// The kind of error.
        pub info: Option<ErrorInfo> = "codexErrorInfo",
        /// More text.
        pub additional_details: Option<String> = "additionalDetails",
    }

    /// A kind of error with details. One member is present.
    pub struct ErrorDetails {
        /// A connection failed.
        pub http_connection_failed: Option<HttpFailure> = "httpConnectionFailed",
        /// The connection for a stream failed.
        pub stream_connection_failed: Option<HttpFailure> = "responseStreamConnectionFailed",
        /// A stream ended early.
        pub stream_disconnected: Option<HttpFailure> = "responseStreamDisconnected",
        /// All retries failed.
        pub too_many_failed_attempts: Option<HttpFailure> = "responseTooManyFailedAttempts",
        /// The running turn accepts no input.
        pub active_turn_not_steerable: Option<NotSteerable> = "activeTurnNotSteerable",
    }

    /// A failure of the API.
    pub struct HttpFailure {
        /// The HTTP status.
        pub http_status_code: Option<u16> = "httpStatusCode",
    }

    /// A turn that accepts no input.
    pub struct NotSteerable {
        /// The kind of turn: `review` or `compact`.
        pub turn_kind: String = "turnKind",
    }
}

enums! {
    /// The kind of activity of a thread.
    pub enum ThreadActivity {
        /// The thread is only stored.
        NotLoaded = "notLoaded",
        /// No turn is running.
        Idle = "idle",
        /// A turn is running.
        Active = "active",
        /// The last turn failed. A new one can start.
        SystemError = "systemError",
    }

    /// A kind of pending request.
    pub enum ActiveFlag {
        /// An approval.
        WaitingOnApproval = "waitingOnApproval",
        /// A question.
        WaitingOnUserInput = "waitingOnUserInput",
    }

    /// The outcome of a turn.
    pub enum TurnStatus {
        /// The turn is running.
        InProgress = "inProgress",
        /// The turn is complete.
        Completed = "completed",
        /// The client or the end of the process interrupted the turn.
        Interrupted = "interrupted",
        /// The turn failed.
        Failed = "failed",
    }

    /// Which items of a turn are included.
    pub enum ItemsView {
        /// None.
        NotLoaded = "notLoaded",
        /// The last agent message, and in lists the first user message.
        Summary = "summary",
        /// All.
        Full = "full",
    }

    /// The name of a kind of error.
    pub enum ErrorName {
        /// Another error.
        Other = "other",
        /// The conversation is too long for the model.
        ContextWindowExceeded = "contextWindowExceeded",
        /// The plan's usage limit is reached.
        UsageLimitExceeded = "usageLimitExceeded",
        /// The API limits the rate of requests.
        RateLimitExceeded = "rateLimitExceeded",
        /// The API is overloaded.
        ServerOverloaded = "serverOverloaded",
        /// The API does not know the model.
        ModelNotFound = "modelNotFound",
        /// The API failed.
        InternalServerError = "internalServerError",
        /// The API rejected the credentials.
        Unauthorized = "unauthorized",
        /// The API rejected the request.
        BadRequest = "badRequest",
    }
}
