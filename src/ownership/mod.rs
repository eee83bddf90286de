//! Which process has a session, on one machine.
//!
//! Two processes that write one session both append to its transcript, and each model
//! knows half of it. So a session that is opened is locked, by a file in the agent's
//! configuration folder whose lock ends with the process that holds it. An agent that
//! another program has started holds no such lock, but writes down that it runs
//! (`sessions/PID.json`).

mod lock;
mod running;

pub(crate) use lock::SessionLock;

use crate::store::private_homes;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// What happens if a session that is to be opened is open in another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenOwned {
    /// Connecting fails with [`Error::SessionOwned`](crate::Error::SessionOwned). A host
    /// elsewhere that may be gone counts as there.
    Refuse,
    /// As [`WhenOwned::Refuse`], if it is still open after this time. If a host elsewhere
    /// may be gone, it is waited for until that is certain.
    Wait(Duration),
    /// The session is opened all the same, and neither locked nor claimed.
    OpenAnyway,
}

impl Default for WhenOwned {
    /// Waits for five seconds, in which an agent exits that was just told to.
    fn default() -> Self {
        Self::Wait(Duration::from_secs(5))
    }
}

/// A process that has a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionOwner {
    /// A program that uses agentwire.
    Host {
        /// Its PID, if it could be read.
        pid: Option<u32>,
    },
    /// An agent that no such program has, for example one that was started by hand, or
    /// whose program was killed.
    Agent {
        /// Its PID.
        pid: u32,
    },
    /// A host that has claimed it in the [store](crate::Options::session_store), perhaps on
    /// another machine.
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

/// Whether there is a transcript that a process could resume.
pub(crate) fn is_on_disk(config: &Path, id: &str) -> bool {
    let name = format!("{id}.jsonl");
    let projects = std::fs::read_dir(config.join("projects"));
    (projects.into_iter().flatten().flatten()).any(|project| project.path().join(&name).exists())
}

/// The outcome of an attempt to lock a session.
pub(crate) enum Attempt {
    /// It is locked; or, if `None`, it cannot be.
    Locked(Option<SessionLock>),
    Owned(SessionOwner),
}

/// Locks nothing, and says whether an agent has the session.
pub(crate) fn seen(config: &Path, id: &str) -> Attempt {
    match running::agent_of(config, id, None) {
        Some(pid) => Attempt::Owned(SessionOwner::Agent { pid }),
        None => Attempt::Locked(None),
    }
}

/// Locks a session that no agent has, other than that with this PID.
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
        // An agent that was resumed from a store has a configuration folder of its own.
        // While it starts up, it has written nothing down.
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
