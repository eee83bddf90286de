//! Ownership of sessions on one machine.
//!
//! If two processes write one session, both append to its transcript, and each model sees half
//! of it. So an open session is locked, by a file in the agent's configuration folder. The lock
//! ends with the process that has it. An agent that another program has started has no such
//! lock, but writes `sessions/PID.json` while it runs.

mod lock;
mod running;

pub(crate) use lock::SessionLock;

use crate::store::private_homes;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// What to do if the session is open in another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenOwned {
    /// Fails with [`Error::SessionOwned`](crate::Error::SessionOwned). A host on another machine
    /// that may have exited counts as an owner.
    Refuse,
    /// Waits at most this long, then fails as [`WhenOwned::Refuse`]. If a host on another machine
    /// may have exited, waits until its claim has expired.
    Wait(Duration),
    /// Opens the session anyway, without locking or claiming it.
    OpenAnyway,
}

impl Default for WhenOwned {
    /// Waits for five seconds, which is enough for an agent that is about to exit.
    fn default() -> Self {
        Self::Wait(Duration::from_secs(5))
    }
}

/// A process that owns a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionOwner {
    /// A program that uses agentwire.
    Host {
        /// The PID of the owner, if it can be read.
        pid: Option<u32>,
    },
    /// An agent without such a program: started by hand, or its program was killed.
    Agent {
        /// Its PID.
        pid: u32,
    },
    /// A host with a claim in the [store](crate::Options::session_store), possibly on another
    /// machine.
    Elsewhere,
}

impl fmt::Display for SessionOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host { pid: Some(pid) } => write!(f, "process {pid}"),
            Self::Host { pid: None } => f.write_str("another process"),
            Self::Agent { pid } => write!(f, "the agent's process {pid}"),
            Self::Elsewhere => f.write_str("another host, by its claim in the store"),
        }
    }
}

/// Returns whether there is a transcript to resume.
pub(crate) fn is_on_disk(config: &Path, id: &str) -> bool {
    let name = format!("{id}.jsonl");
    let projects = std::fs::read_dir(config.join("projects"));
    (projects.into_iter().flatten().flatten()).any(|project| project.path().join(&name).exists())
}

/// The outcome of an attempt to lock a session.
pub(crate) enum Attempt {
    /// The session is locked; `None` if sessions cannot be locked here.
    Locked(Option<SessionLock>),
    Owned(SessionOwner),
}

/// Checks whether an agent has the session. Locks nothing.
pub(crate) fn seen(config: &Path, id: &str) -> Attempt {
    match running::agent_of(config, id, None) {
        Some(pid) => Attempt::Owned(SessionOwner::Agent { pid }),
        None => Attempt::Locked(None),
    }
}

/// Locks a session, unless an agent other than the one with PID `own` has it.
pub(crate) fn attempt(config: &Path, id: &str, own: Option<u32>) -> Attempt {
    let mut lock = match SessionLock::new(config, id) {
        Ok(Ok(lock)) => Some(lock),
        Ok(Err(pid)) => return Attempt::Owned(SessionOwner::Host { pid }),
        Err(error) => {
            tracing::debug!(id, %error, "sessions cannot be locked here");
            None
        }
    };
    let mut agent = running::agent_of(config, id, own);
    if agent.is_none() && lock.as_ref().is_some_and(SessionLock::was_abandoned) {
        // An agent resumed from a store has its own configuration folder, and an agent that starts
        // up has not written its file yet.
        agent = running::started(id, own)
            .or_else(|| private_homes().find_map(|folder| running::agent_of(&folder, id, own)));
    }
    if let Some(pid) = agent {
        return Attempt::Owned(SessionOwner::Agent { pid });
    }
    if let Some(taken) = &mut lock
        && let Err(error) = taken.take()
    {
        tracing::debug!(id, %error, "sessions cannot be locked here");
        lock = None;
    }
    Attempt::Locked(lock)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
