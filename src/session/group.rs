//! Groups of sessions that are closed together.

use super::Peers;
use crate::event::{EndReason, Error, SessionEnd};
use crate::handle::{Handle, deadline};
use crate::process::{CloseReport, spawn};
use agentwire_protocol::sorted::SortedMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// Sessions that are closed together. Clones are the same group.
///
/// ```no_run
/// # async fn example() -> Result<(), agentwire::Error> {
/// use agentwire::{Client, Options, SessionGroup};
/// use std::time::Duration;
///
/// let group = SessionGroup::new();
/// let client = Client::connect(Options::new().group(&group)).await?;
/// client.send("Summarise the README.");
/// // In ten seconds, the container is killed.
/// for report in group.close_all(Duration::from_secs(9)).await {
///     println!("{report:?}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SessionGroup(Arc<watch::Sender<State>>);

#[derive(Default)]
struct State {
    /// The time by which all sessions must be closed, once closing has started.
    closes_by: Option<Instant>,
    /// The sessions that have not ended with all their processes, by their numbers. `None`: the
    /// session is connecting.
    members: SortedMap<u64, Option<Handle>>,
    last: u64,
    /// The reports of the sessions that ended since closing has started.
    reports: Vec<CloseReport>,
}

impl SessionGroup {
    /// Creates a group without sessions.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(State::default())))
    }

    /// Closes all sessions of the group, and those that are connecting, as
    /// [`Handle::close`] does [within](crate::process::CloseFuture::within) this time. Await the
    /// returned future to wait until all their processes have exited, at most for this time.
    ///
    /// Returns the reports of the sessions that ended since the call. From the call on, connecting
    /// with this group fails with [`Error::Ended`].
    ///
    /// # Cancel safety
    ///
    /// Closing starts with this call, and continues if the future is dropped.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn close_all(
        &self,
        within: Duration,
    ) -> impl Future<Output = Vec<CloseReport>> + Send + 'static + use<> {
        let until = deadline(within);
        let mut sessions = Vec::new();
        self.0.send_modify(|state| {
            let earlier = state.closes_by.map_or(until, |it| it.min(until));
            state.closes_by = Some(earlier);
            sessions = state.members.values().flatten().cloned().collect();
        });
        for session in sessions {
            drop(session.close().within(within));
        }
        let group = Arc::clone(&self.0);
        async move {
            let mut changes = group.subscribe();
            let are_gone = changes.wait_for(|state| state.members.is_empty());
            // The rest has no reports.
            let _ = timeout_at(until, are_gone).await;
            let mut reports = Vec::new();
            group.send_modify(|state| reports = std::mem::take(&mut state.reports));
            reports
        }
    }

    /// Waits for a step of connecting, unless the group is closed first.
    pub(crate) async fn unless_closed<T>(
        &self,
        step: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let mut changes = self.0.subscribe();
        tokio::select! {
            done = step => done,
            _ = changes.wait_for(|state| state.closes_by.is_some()) => Err(closed()),
        }
    }

    /// Adds a session that is connecting.
    pub(crate) fn join(&self) -> Result<Member, Error> {
        let mut number = None;
        self.0.send_modify(|state| {
            if state.closes_by.is_none() {
                state.last += 1;
                state.members.insert(state.last, None);
                number = Some(state.last);
            }
        });
        match number {
            Some(number) => Ok(Member {
                group: Arc::clone(&self.0),
                number,
            }),
            None => Err(closed()),
        }
    }
}

impl Default for SessionGroup {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SessionGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.borrow();
        f.debug_struct("SessionGroup")
            .field("sessions", &state.members.len())
            .field("is_closing", &state.closes_by.is_some())
            .finish()
    }
}

fn closed() -> Error {
    Error::Ended(Arc::new(SessionEnd::closing(EndReason::Closed)))
}

/// A session of a group, until it has ended with all its processes.
pub(crate) struct Member {
    group: Arc<watch::Sender<State>>,
    number: u64,
}

impl Member {
    /// Records the session, and closes it if the group is closing.
    pub(crate) fn connected(self, session: &Handle, peers: Arc<Peers>) {
        let mut closes_by = None;
        self.group.send_modify(|state| {
            closes_by = state.closes_by;
            state.members.insert(self.number, Some(session.clone()));
        });
        if let Some(until) = closes_by {
            drop(
                session
                    .close()
                    .within(until.saturating_duration_since(Instant::now())),
            );
        }
        spawn(async move {
            let report = peers.closed().await;
            drop(peers);
            self.group.send_modify(|state| {
                if state.closes_by.is_some() {
                    state.reports.extend(report);
                }
            });
            // Leaves the group.
            drop(self);
        });
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.group.send_modify(|state| {
            state.members.remove(&self.number);
        });
    }
}
