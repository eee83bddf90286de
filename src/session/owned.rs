//! A session that this process has, as long as its agent may write it.

use crate::command::Command;
use crate::event::{Error, Notice};
use crate::handle::Handle;
use crate::ownership::{Attempt, SessionLock, WhenOwned, attempt, is_on_disk, seen};
use crate::store::UsersHome;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// After how many turns a new session is on disk at the latest.
const ATTEMPTS: u32 = 3;

/// A session that this process has.
#[derive(Debug)]
pub(crate) struct Owned {
    /// The agent's configuration folder.
    config: PathBuf,
    /// The session is in a store, whether or not the agent's own files have it.
    is_stored: bool,
    state: Arc<Mutex<State>>,
    /// Reports, when dropped, that the session can be opened again.
    _released: DropGuard,
}

#[derive(Debug, Default)]
struct State {
    lock: Option<SessionLock>,
    /// The session that the agent has told, and how many more attempts to lock it there are.
    told: Option<Box<str>>,
    attempts: u32,
}

impl Owned {
    /// Locks a session, if its ID is known already, and there is something that another
    /// process could open. Returns `None` if sessions are not locked here.
    pub(crate) async fn new(
        users: Option<&UsersHome>,
        id: Option<&str>,
        is_stored: bool,
        when: WhenOwned,
    ) -> Result<Option<Self>, Error> {
        let (Some(users), false) = (users, when == WhenOwned::OpenAnyway) else {
            return Ok(None);
        };
        let config = users.config();
        let lock = match id {
            Some(id) => lock(config, id, is_stored, when).await?,
            None => None,
        };
        let state = State {
            lock,
            ..State::default()
        };
        Ok(Some(Self {
            config: config.to_owned(),
            is_stored,
            state: Arc::new(Mutex::new(state)),
            _released: CancellationToken::new().drop_guard(),
        }))
    }

    /// Returns a token that is cancelled when the session can be opened again.
    pub(crate) fn released(&mut self) -> CancellationToken {
        let released = CancellationToken::new();
        self._released = released.clone().drop_guard();
        released
    }

    /// The agent has told which session it has: a new one, or the one that was last open.
    /// A new one can only be locked after its first turns, when it is on disk.
    pub(crate) fn has(&self, id: &str, turn_ended: bool, pid: Option<u32>, session: &Handle) {
        let mut state = held(&self.state);
        if state.lock.as_ref().is_some_and(|it| it.is_of(id)) {
            return;
        }
        let is_new = state.told.as_deref() != Some(id);
        if is_new {
            state.told = Some(id.into());
            state.attempts = ATTEMPTS;
        } else if !turn_ended || state.attempts == 0 {
            return;
        } else {
            state.attempts -= 1;
        }
        drop(state);
        let (config, id) = (self.config.clone(), id.to_owned());
        let (is_stored, state) = (self.is_stored, Arc::clone(&self.state));
        let link = session.link().clone();
        tokio::task::spawn_blocking(move || {
            if !is_stored && !is_on_disk(&config, &id) {
                return;
            }
            match attempt(&config, &id, pid) {
                Attempt::Locked(lock) => held(&state).lock = lock,
                Attempt::Owned(owner) => {
                    held(&state).attempts = 0;
                    let session_id = id.into();
                    let notice = Notice::SessionShared { session_id, owner };
                    drop(link.command(Command::Tell(notice)));
                }
            }
        });
    }
}

fn held(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn lock(
    config: &Path,
    id: &str,
    is_stored: bool,
    when: WhenOwned,
) -> Result<Option<SessionLock>, Error> {
    let until = match when {
        WhenOwned::Wait(time) => Instant::now().checked_add(time),
        WhenOwned::Refuse | WhenOwned::OpenAnyway => Some(Instant::now()),
    };
    loop {
        let (folder, name) = (config.to_owned(), id.to_owned());
        let can_be_resumed = move || is_stored || is_on_disk(&folder, &name);
        let (folder, name) = (config.to_owned(), id.to_owned());
        let attempt = tokio::task::spawn_blocking(move || match can_be_resumed() {
            true => attempt(&folder, &name, None),
            // Its agent may not have written it yet.
            false => seen(&folder, &name),
        });
        match attempt.await {
            Ok(Attempt::Locked(lock)) => return Ok(lock),
            Ok(Attempt::Owned(owner)) if until.is_some_and(|it| Instant::now() >= it) => {
                let session_id = id.to_owned();
                return Err(Error::SessionOwned { session_id, owner });
            }
            Ok(Attempt::Owned(_)) => sleep(PAUSE).await,
            // The runtime is shutting down.
            Err(_) => return Ok(None),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Options;
    use std::fs;
    use tempfile::TempDir;

    const ID: &str = "11111111-2222-4333-8444-555555555555";

    #[tokio::test(start_paused = true)]
    async fn a_session_that_is_open_is_refused_at_once_or_after_a_time() {
        let home = TempDir::new().unwrap();
        fs::create_dir(home.path().join(".claude")).unwrap();
        let options = Options::new().clean_env().env("HOME", home.path());
        let users = UsersHome::of(&options.passed_environment()).unwrap();
        let open = |when| Owned::new(Some(&users), Some(ID), true, when);
        let mut first = open(WhenOwned::Refuse).await.unwrap().unwrap();
        let released = first.released();
        for (when, time) in [
            (WhenOwned::Refuse, Duration::ZERO),
            (
                WhenOwned::Wait(Duration::from_secs(2)),
                Duration::from_secs(2),
            ),
        ] {
            let begun = Instant::now();
            let error = open(when).await.unwrap_err();
            assert_eq!(begun.elapsed(), time);
            let pid = std::process::id();
            assert_eq!(
                error.to_string(),
                format!("the session {ID} is open in process {pid}")
            );
        }
        assert!(open(WhenOwned::OpenAnyway).await.unwrap().is_none());
        assert!(!released.is_cancelled());
        let second = tokio::spawn({
            let users = users.clone();
            async move { Owned::new(Some(&users), Some(ID), true, WhenOwned::default()).await }
        });
        sleep(Duration::from_secs(1)).await;
        assert!(!second.is_finished());
        drop(first);
        assert!(released.is_cancelled());
        assert!(second.await.unwrap().unwrap().is_some());
    }
}
