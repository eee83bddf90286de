//! Persistence of the session, and its failures.

use crate::open::{object, open_enum};

object! {
    /// A report that data could not be saved because the disk was full. Sent
    /// when the agent exits, after the last result.
    pub struct SessionWritesLost: tolerant tags("type" = "system", "subtype" = "session_writes_lost") {
        /// The reason why the data could not be saved.
        pub error_code: WriteErrorCode,
        /// The data that was lost.
        pub lost: Vec<LostWrites>,
        /// The sessions whose transcripts lack lines.
        pub transcript_session_ids: Option<Vec<String>>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The reason why data could not be saved.
    pub enum WriteErrorCode {
        /// The disk was full.
        NoSpace = "ENOSPC",
        /// The disk quota was exceeded.
        QuotaExceeded = "EDQUOT",
    }
}

open_enum! {
    /// Data that could not be saved.
    pub enum LostWrites {
        /// Lines of a transcript.
        Transcript = "transcript",
        /// Changes to the user's configuration.
        GlobalConfig = "global_config",
    }
}

object! {
    /// A copy of the transcript could not be stored.
    pub struct MirrorError: tolerant tags("type" = "system", "subtype" = "mirror_error") {
        /// The error.
        pub error: String,
        /// The key under which the copy should have been stored.
        pub key: Option<SessionKey>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The key under which a transcript is stored.
    pub struct SessionKey {
        /// The key of the project.
        pub project_key: String = "projectKey",
        /// The session ID.
        pub session_id: String = "sessionId",
        /// The part of the session, such as a sub-agent. `None` for the main
        /// transcript.
        pub subpath: Option<String>,
    }
}

object! {
    /// Files were uploaded.
    pub struct FilesPersisted: tolerant tags("type" = "system", "subtype" = "files_persisted") {
        /// The uploaded files.
        pub files: Vec<PersistedFile>,
        /// The files that could not be uploaded.
        pub failed: Option<Vec<FailedFile>>,
        /// The time of the upload.
        pub processed_at: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// A file that was uploaded.
    pub struct PersistedFile {
        /// The name of the file.
        pub filename: String,
        /// The API's ID of the file.
        pub file_id: String,
    }
}

object! {
    /// A file that could not be uploaded.
    pub struct FailedFile {
        /// The name of the file.
        pub filename: String,
        /// The reason.
        pub error: String,
    }
}
