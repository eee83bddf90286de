//! Ownership of a session on this machine.

use crate::attachment::{Attachment, AttachmentEvent};
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

/// The time that a process may have a session locked without taking it. Until it does, the file
/// has no PID.
const UNDECIDED: Duration = Duration::from_secs(2);

/// The attempts for a session that another host seems to own.
const TRIES: u32 = 40;

/// The turns after which a new session is on disk at the latest.
const ATTEMPTS: u32 = 3;

/// A session that this process owns.
#[derive(Debug)]
pub(crate) struct Owned {
    /// The agent's configuration folder.
    config: PathBuf,
    /// Whether the session is in a store.
    is_stored: bool,
    /// `None` once another process may open the session.
    state: Option<Arc<Mutex<State>>>,
    /// The session that this is attached to.
    link: Option<Link>,
    /// Whether the session's files are in a private folder, and are copied back at the end.
    has_home: bool,
    /// The agent's process and its session.
    pid: Option<u32>,
    id: Option<Box<str>>,
}

#[derive(Debug, Default)]
struct State {
    lock: Option<SessionLock>,
    /// The session ID that the agent reported, and the remaining attempts to lock it.
    session_id: Option<Box<str>>,
    attempts: u32,
    /// Whether an attempt is running. Two concurrent attempts would each find the session locked by
    /// the other.
    is_trying: bool,
    /// Reports, when dropped, that another process may open the session.
    _unlocked: Option<DropGuard>,
}

impl Owned {
    /// Locks a session, if its ID is known and another process could open it. Returns `None` if
    /// sessions are not locked.
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

    /// Attaches this to a session. Returns a token that is cancelled when another process may open
    /// the session.
    pub(crate) fn attached(&mut self, session: &Handle, has_home: bool) -> CancellationToken {
        self.link = Some(session.link().clone());
        self.has_home = has_home;
        let unlocked = CancellationToken::new();
        if let Some(state) = &self.state {
            locked(state)._unlocked = Some(unlocked.clone().drop_guard());
        }
        unlocked
    }

    /// Tries to lock the agent's current session. A new session can only be locked after its first
    /// turns, when it is on disk.
    fn lock(&self, turn_ended: bool) {
        let (Some(state), Some(id), Some(link)) = (&self.state, &self.id, &self.link) else {
            return;
        };
        if !locked(state).should_try(id, turn_ended) {
            return;
        }
        let (config, id, link) = (self.config.clone(), id.to_string(), link.clone());
        let (is_stored, pid, state) = (self.is_stored, self.pid, Arc::downgrade(state));
        spawn(async move {
            let attempt = || lock_own(&config, &id, is_stored, pid);
            if let Some(owner) = State::try_lock(&state, &id, attempt).await {
                let session_id = id.into();
                let notice = Notice::SessionShared { session_id, owner };
                drop(link.command(Command::Notify(notice)));
            }
        });
    }
}

impl Attachment for Owned {
    fn observe(&mut self, happened: &AttachmentEvent<'_>) {
        match happened {
            AttachmentEvent::Started { pid, .. } => self.pid = *pid,
            AttachmentEvent::SessionId(id) => {
                if self.id.as_deref() != Some(id) {
                    self.id = Some((*id).into());
                }
                self.lock(false);
            }
            AttachmentEvent::TurnEnded => self.lock(true),
            // With a private folder, it is dropped after its files are copied back.
            AttachmentEvent::Exited { is_last: true } if !self.has_home => self.state = None,
            _ => {}
        }
    }
}

impl State {
    fn should_try(&mut self, id: &str, turn_ended: bool) -> bool {
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

    /// Returns the other owner of the session, if any.
    async fn try_lock<A>(
        state: &Weak<Mutex<Self>>,
        id: &str,
        attempt: impl Fn() -> A,
    ) -> Option<SessionOwner>
    where
        A: Future<Output = Attempt>,
    {
        for attempts in (0..=TRIES).rev() {
            // An ended session needs no lock.
            let state = state.upgrade()?;
            let outcome = attempt().await;
            if let ControlFlow::Break(owner) =
                locked(&state).finish_attempt(id, outcome, attempts == 0)
            {
                return owner;
            }
            drop(state);
            sleep(PAUSE).await;
        }
        None
    }

    /// Returns the other owner of the session, or `Continue` to try again: another host may have
    /// locked the session only to check whether it can be opened.
    fn finish_attempt(
        &mut self,
        id: &str,
        outcome: Attempt,
        is_last: bool,
    ) -> ControlFlow<Option<SessionOwner>> {
        // The agent may have changed to another session.
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

/// Attempts to lock a session that this process owns, if another process could open it.
async fn lock_own(config: &Path, id: &str, is_stored: bool, pid: Option<u32>) -> Attempt {
    let (config, id) = (config.to_owned(), id.to_owned());
    let attempt = blocking_result(move || {
        if is_stored || is_on_disk(&config, &id) {
            attempt(&config, &id, pid)
        } else {
            Attempt::Locked(None)
        }
    });
    // The runtime is shutting down.
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
            // The agent of another process may not have written the session yet.
            false => seen(&folder, &name),
        });
        match attempt.await {
            Ok(Attempt::Locked(lock)) => return Ok(lock),
            // The other process may only be checking whether it can be opened.
            Ok(Attempt::Owned(SessionOwner::Host { pid: None })) if begun.elapsed() < UNDECIDED => {
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
    async fn open_sessions_are_refused_immediately_or_after_a_timeout() {
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
    /// A turn may end while the first attempt is running.
    #[tokio::test]
    async fn one_attempt_runs_at_a_time() {
        let config = TempDir::new().unwrap();
        let (state, tried) = (Arc::new(Mutex::new(State::default())), Cell::new(0));
        let tries = |turn_ended| locked(&state).should_try(ID, turn_ended);
        assert!(tries(false));
        let weak = Arc::downgrade(&state);
        let attempt = || {
            tried.set(tried.get() + 1);
            assert!(!tries(true), "a second one at once");
            lock_own(config.path(), ID, true, None)
        };
        assert!(State::try_lock(&weak, ID, attempt).await.is_none());
        assert_eq!(tried.get(), 1);
        assert!(locked(&state).lock.is_some());
        assert!(!tries(true), "it is locked");
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_host_that_takes_the_session_is_reported() {
        let config = TempDir::new().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let weak = Arc::downgrade(&state);
        let attempt = || lock_own(config.path(), ID, true, None);
        let Attempt::Locked(Some(other)) = attempt().await else {
            panic!("nobody has it");
        };
        let checking = async {
            sleep(PAUSE * 3).await;
            drop(other);
        };
        assert!(locked(&state).should_try(ID, false));
        let (owner, ()) = tokio::join!(State::try_lock(&weak, ID, attempt), checking);
        assert!(owner.is_none());
        let lock = locked(&state).lock.take();
        assert!(lock.is_some());

        assert!(locked(&state).should_try(ID, true));
        let owner = State::try_lock(&weak, ID, attempt).await;
        assert!(matches!(owner, Some(SessionOwner::Host { .. })));
        assert!(!locked(&state).should_try(ID, true), "it is reported once");
        drop(state);
        assert!(State::try_lock(&weak, ID, attempt).await.is_none());
    }
    /// A process that checks whether a session can be opened locks it meanwhile.
    #[tokio::test(start_paused = true)]
    async fn a_session_that_is_only_being_checked_is_not_refused() {
        let config = TempDir::new().unwrap();
        let refuse = || lock(config.path(), ID, true, WhenOwned::Refuse);
        let folder = config.path().join("agentwire");
        fs::create_dir(&folder).unwrap();
        // With and without the PID of a killed process.
        for text in ["", "4000000000\n"] {
            let path = folder.join(format!("{ID}.lock"));
            fs::write(&path, text).unwrap();
            let file = fs::File::open(&path).unwrap();
            file.lock().unwrap();
            let checking = async {
                sleep(PAUSE * 3).await;
                drop(file);
            };
            let (locked, ()) = tokio::join!(refuse(), checking);
            drop(locked.unwrap().unwrap());
            fs::create_dir_all(&folder).unwrap();
        }
    }
}
