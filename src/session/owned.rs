//! A session that this process has, as long as its agent may write it.

use crate::attachment::{Attachment, Happened};
use crate::command::{Command, Link};
use crate::event::{Error, Notice};
use crate::handle::Handle;
use crate::ownership::{Attempt, SessionLock, SessionOwner, WhenOwned, attempt, is_on_disk, seen};
use crate::process::{blocking_result, spawn};
use crate::store::UsersHome;
use std::mem;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a process that has a session locked may take to decide whether it takes it.
/// Until then it has not written its PID.
const LOOKING: Duration = Duration::from_secs(2);

/// How often a session is tried again that another host seems to have.
const TRIES: u32 = 40;

/// After how many turns a new session is on disk at the latest.
const ATTEMPTS: u32 = 3;

/// A session that this process has.
#[derive(Debug)]
pub(crate) struct Owned {
    /// The agent's configuration folder.
    config: PathBuf,
    /// The session is in a store, whether or not the agent's own files have it.
    is_stored: bool,
    /// `None` once the session can be opened again.
    state: Option<Arc<Mutex<State>>>,
    /// The session of which this is a part.
    link: Option<Link>,
    /// Whether its files are put back at the end, from a private folder.
    has_home: bool,
    /// The agent's process, and the session that it has.
    pid: Option<u32>,
    id: Option<Box<str>>,
}

#[derive(Debug, Default)]
struct State {
    lock: Option<SessionLock>,
    /// The session that the agent has told, and how many more attempts to lock it there are.
    session_id: Option<Box<str>>,
    attempts: u32,
    /// An attempt runs. Of two at once, each would find that the other has the session.
    is_trying: bool,
    /// Reports, when dropped, that the session can be opened again.
    _unlocked: Option<DropGuard>,
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
            state: Some(Arc::new(Mutex::new(state))),
            link: None,
            has_home: false,
            pid: None,
            id: None,
        }))
    }

    /// Makes it a part of this session. Returns a token that is cancelled when the session
    /// can be opened again.
    pub(crate) fn attached(&mut self, session: &Handle, has_home: bool) -> CancellationToken {
        self.link = Some(session.link().clone());
        self.has_home = has_home;
        let unlocked = CancellationToken::new();
        if let Some(state) = &self.state {
            locked(state)._unlocked = Some(unlocked.clone().drop_guard());
        }
        unlocked
    }

    /// Tries to lock the session that the agent has: a new one, or the one that was last open.
    /// A new one can only be locked after its first turns, when it is on disk.
    fn lock(&self, turn_ended: bool) {
        let (Some(state), Some(id), Some(link)) = (&self.state, &self.id, &self.link) else {
            return;
        };
        if !locked(state).is_to_be_tried(id, turn_ended) {
            return;
        }
        let (config, id, link) = (self.config.clone(), id.to_string(), link.clone());
        let (is_stored, pid, state) = (self.is_stored, self.pid, Arc::downgrade(state));
        spawn(async move {
            let attempt = || lock_own(&config, &id, is_stored, pid);
            if let Some(owner) = State::try_for(&state, &id, attempt).await {
                let session_id = id.into();
                let notice = Notice::SessionShared { session_id, owner };
                drop(link.command(Command::Tell(notice)));
            }
        });
    }
}

impl Attachment for Owned {
    fn observe(&mut self, happened: &Happened<'_>) {
        match happened {
            Happened::Started { pid, .. } => self.pid = *pid,
            Happened::SessionId(id) => {
                if self.id.as_deref() != Some(id) {
                    self.id = Some((*id).into());
                }
                self.lock(false);
            }
            Happened::TurnEnded => self.lock(true),
            // Otherwise it is dropped when its files are put back.
            Happened::Exited { is_last: true } if !self.has_home => self.state = None,
            _ => {}
        }
    }
}

impl State {
    fn is_to_be_tried(&mut self, id: &str, turn_ended: bool) -> bool {
        if self.lock.as_ref().is_some_and(|it| it.is_of(id)) {
            return false;
        }
        if self.session_id.as_deref() != Some(id) {
            self.session_id = Some(id.into());
            self.attempts = ATTEMPTS;
        } else if !turn_ended || self.attempts == 0 || self.is_trying {
            return false;
        } else {
            self.attempts -= 1;
        }
        !mem::replace(&mut self.is_trying, true)
    }

    /// Returns who else has the session.
    async fn try_for<A>(
        state: &Weak<Mutex<Self>>,
        id: &str,
        attempt: impl Fn() -> A,
    ) -> Option<SessionOwner>
    where
        A: Future<Output = Attempt>,
    {
        for attempts in (0..=TRIES).rev() {
            // Nothing is tried for a session that has ended.
            let state = state.upgrade()?;
            let outcome = attempt().await;
            if let ControlFlow::Break(owner) = locked(&state).has_tried(id, outcome, attempts == 0)
            {
                return owner;
            }
            drop(state);
            sleep(PAUSE).await;
        }
        None
    }

    /// Returns who else has the session, unless it is to be tried again: the host that has the session may only
    /// have looked whether it can be opened.
    fn has_tried(
        &mut self,
        id: &str,
        outcome: Attempt,
        is_last: bool,
    ) -> ControlFlow<Option<SessionOwner>> {
        // The agent may have another session by now.
        let is_current = self.session_id.as_deref() == Some(id);
        if let Attempt::Owned(SessionOwner::Host { .. }) = outcome
            && is_current
            && !is_last
        {
            return ControlFlow::Continue(());
        }
        self.is_trying = false;
        ControlFlow::Break(match outcome {
            Attempt::Owned(owner) if is_current => {
                self.attempts = 0;
                Some(owner)
            }
            Attempt::Locked(Some(lock)) if is_current => {
                self.lock = Some(lock);
                None
            }
            Attempt::Owned(_) | Attempt::Locked(_) => None,
        })
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Attempts to lock a session that this process has, if another could open it.
async fn lock_own(config: &Path, id: &str, is_stored: bool, pid: Option<u32>) -> Attempt {
    let (config, id) = (config.to_owned(), id.to_owned());
    let attempt = blocking_result(move || {
        if is_stored || is_on_disk(&config, &id) {
            attempt(&config, &id, pid)
        } else {
            Attempt::Locked(None)
        }
    });
    // Or the runtime is shutting down.
    attempt.await.unwrap_or(Attempt::Locked(None))
}

async fn lock(
    config: &Path,
    id: &str,
    is_stored: bool,
    when: WhenOwned,
) -> Result<Option<SessionLock>, Error> {
    let begun = Instant::now();
    let until = match when {
        WhenOwned::Wait(time) => Instant::now().checked_add(time),
        WhenOwned::Refuse | WhenOwned::OpenAnyway => Some(Instant::now()),
    };
    loop {
        let (folder, name) = (config.to_owned(), id.to_owned());
        let can_be_resumed = move || is_stored || is_on_disk(&folder, &name);
        let (folder, name) = (config.to_owned(), id.to_owned());
        let attempt = blocking_result(move || match can_be_resumed() {
            true => attempt(&folder, &name, None),
            // Its agent may not have written it yet.
            false => seen(&folder, &name),
        });
        match attempt.await {
            Ok(Attempt::Locked(lock)) => return Ok(lock),
            // Somebody may only be looking whether it can be opened.
            Ok(Attempt::Owned(SessionOwner::Host { pid: None })) if begun.elapsed() < LOOKING => {
                sleep(PAUSE).await;
            }
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
    use std::cell::Cell;
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
        let first = open(WhenOwned::Refuse).await.unwrap().unwrap();
        let unlocked = CancellationToken::new();
        let guard = unlocked.clone().drop_guard();
        locked(first.state.as_ref().unwrap())._unlocked = Some(guard);
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
        assert!(!unlocked.is_cancelled());
        let second = tokio::spawn({
            let users = users.clone();
            async move { Owned::new(Some(&users), Some(ID), true, WhenOwned::default()).await }
        });
        sleep(Duration::from_secs(1)).await;
        assert!(!second.is_finished());
        drop(first);
        assert!(unlocked.is_cancelled());
        assert!(second.await.unwrap().unwrap().is_some());
    }
    /// A turn may end while the session's beginning is still being looked at.
    #[tokio::test]
    async fn one_attempt_runs_at_a_time() {
        let config = TempDir::new().unwrap();
        let (state, tried) = (Arc::new(Mutex::new(State::default())), Cell::new(0));
        let tries = |turn_ended| locked(&state).is_to_be_tried(ID, turn_ended);
        assert!(tries(false));
        let weak = Arc::downgrade(&state);
        let attempt = || {
            tried.set(tried.get() + 1);
            assert!(!tries(true), "a second one at once");
            lock_own(config.path(), ID, true, None)
        };
        assert!(State::try_for(&weak, ID, attempt).await.is_none());
        assert_eq!(tried.get(), 1);
        assert!(locked(&state).lock.is_some());
        assert!(!tries(true), "it is locked");
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_only_looks_is_not_told_and_one_that_stays_is() {
        let config = TempDir::new().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let weak = Arc::downgrade(&state);
        let attempt = || lock_own(config.path(), ID, true, None);
        let Attempt::Locked(Some(other)) = attempt().await else {
            panic!("nobody has it");
        };
        let looking = async {
            sleep(PAUSE * 3).await;
            drop(other);
        };
        assert!(locked(&state).is_to_be_tried(ID, false));
        let (owner, ()) = tokio::join!(State::try_for(&weak, ID, attempt), looking);
        assert!(owner.is_none());
        let lock = locked(&state).lock.take();
        assert!(lock.is_some());

        assert!(locked(&state).is_to_be_tried(ID, true));
        let owner = State::try_for(&weak, ID, attempt).await;
        assert!(matches!(owner, Some(SessionOwner::Host { .. })));
        assert!(!locked(&state).is_to_be_tried(ID, true), "it is told once");
        drop(state);
        assert!(State::try_for(&weak, ID, attempt).await.is_none());
    }
    /// Who looks whether a session can be opened has it locked for that time.
    #[tokio::test(start_paused = true)]
    async fn a_session_at_which_somebody_looks_is_not_refused() {
        let config = TempDir::new().unwrap();
        let refuse = || lock(config.path(), ID, true, WhenOwned::Refuse);
        let folder = config.path().join("agentwire");
        fs::create_dir(&folder).unwrap();
        // With and without the PID of a program that was killed.
        for text in ["", "4000000000\n"] {
            let path = folder.join(format!("{ID}.lock"));
            fs::write(&path, text).unwrap();
            let file = fs::File::open(&path).unwrap();
            file.lock().unwrap();
            let looking = async {
                sleep(PAUSE * 3).await;
                drop(file);
            };
            let (locked, ()) = tokio::join!(refuse(), looking);
            drop(locked.unwrap().unwrap());
            fs::create_dir_all(&folder).unwrap();
        }
    }
}
