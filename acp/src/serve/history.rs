//! The sessions that the agent has stored.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo,
};
use agentwire::Options;
use agentwire::protocol::transcript::Files;
use agentwire_history::{History, HistoryError, ListSessions};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::spawn_blocking;

/// The number of sessions in one response.
const PAGE: usize = 50;

/// The stored sessions of agents with some options.
pub(super) struct Stored(History);

impl Stored {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let environment = options.passed_environment();
        let history = History::of_environment(|name| environment.get(name)).map_err(failure)?;
        Ok(Self(history))
    }

    pub(super) fn project(self, directory: PathBuf) -> Self {
        Self(self.0.project(directory))
    }

    pub(super) async fn list(
        self,
        request: ListSessionsRequest,
    ) -> Result<ListSessionsResponse, Error> {
        let offset = match &request.cursor {
            None => 0,
            Some(cursor) => cursor.parse().map_err(|_| {
                Error::invalid_params().data(format!("{cursor} is no cursor of this agent"))
            })?,
        };
        let stored = match request.cwd {
            Some(cwd) => self.project(cwd),
            None => self,
        };
        let list = ListSessions::new()
            .worktrees(false)
            .offset(offset)
            .limit(PAGE + 1);
        let mut sessions = blocking(move || stored.0.list_sessions(&list)).await?;
        let more = sessions.len() > PAGE;
        sessions.truncate(PAGE);
        let sessions = sessions.into_iter().map(|it| {
            let updated_at = rfc3339(it.modified());
            SessionInfo::new(it.session_id, it.cwd.unwrap_or_default())
                .title(it.summary)
                .updated_at(updated_at)
        });
        let cursor = more.then(|| (offset + PAGE).to_string());
        Ok(ListSessionsResponse::new(sessions.collect()).next_cursor(cursor))
    }

    /// Returns the transcript of a session.
    pub(super) async fn files(self, id: &SessionId) -> Result<Files, Error> {
        let stored = id.0.to_string();
        let files = blocking(move || self.0.session_files(&stored)).await?;
        files.ok_or_else(|| Error::invalid_params().data(format!("there is no session {id}")))
    }

    pub(super) async fn delete(self, id: SessionId) -> Result<(), Error> {
        blocking(move || self.0.delete_session(&id.0)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, HistoryError> + Send + 'static,
) -> Result<T, Error> {
    let done = spawn_blocking(work).await.map_err(failure)?;
    done.map_err(failure)
}

pub(super) fn failure(error: impl std::fmt::Display) -> Error {
    Error::internal_error().data(error.to_string())
}

/// Returns a time in the format of the protocol, which has the years from 1970 to 9999.
fn rfc3339(time: SystemTime) -> String {
    let last = UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    humantime::format_rfc3339_millis(time.clamp(UNIX_EPOCH, last)).to_string()
}
