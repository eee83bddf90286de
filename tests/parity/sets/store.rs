//! Sessions that are kept in the host as well, and go on from there.

use super::{Set, set};
use agentwire::SessionStore;
use agentwire::protocol::Json;
use agentwire::store::{MemoryStore, StoreError, StoreFlush, StoredSession, TranscriptKey};
use serde_json::json;
use std::time::{Duration, SystemTime};

const SESSION: &str = "3b1f0c58-8a52-4c3e-9d0e-6a4f1d2b7c90";
const OTHER: &str = "f7c7b0de-1d0e-4f63-8f38-0d2f9f0f5a11";

/// The store of `drive.mjs`: it has one session of whatever project.
struct OneSession;

impl SessionStore for OneSession {
    async fn append(&self, _: &TranscriptKey, _: &[Json]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        let entries = match key.subpath() {
            None => [
                json!({ "type": "user", "uuid": "a" }),
                json!({ "type": "assistant", "uuid": "b" }),
            ],
            Some(_) => [
                json!({ "type": "agent_metadata", "agentType": "crab" }),
                json!({ "type": "user", "uuid": "c" }),
            ],
        };
        let is_it = key.session_id() == SESSION;
        Ok(is_it.then(|| entries.map(Json::from).into()))
    }

    async fn sessions(&self, _: &str) -> Result<Vec<StoredSession>, StoreError> {
        Ok(vec![StoredSession::new(SESSION, SystemTime::now())])
    }

    async fn subpaths(&self, _: &TranscriptKey) -> Result<Vec<String>, StoreError> {
        Ok(vec!["subagents/agent-a1".to_owned()])
    }
}

fn full() -> String {
    format!("$store {SESSION}")
}

pub(super) fn sets() -> Vec<Set> {
    vec![
        set(
            "kept elsewhere",
            json!({ "sessionStore": "$emptyStore" }),
            |options| options.session_store(MemoryStore::new()),
        ),
        set(
            "kept elsewhere, at once",
            json!({
                "sessionStore": "$emptyStore",
                "sessionStoreFlush": "eager",
                "loadTimeoutMs": 1000,
            }),
            |options| {
                options
                    .session_store(MemoryStore::new())
                    .session_store_flush(StoreFlush::Eager)
                    .load_timeout(Duration::from_secs(1))
            },
        ),
        set(
            "resumed from elsewhere",
            json!({ "sessionStore": full(), "resume": SESSION }),
            |options| options.session_store(OneSession).resume(SESSION),
        ),
        set(
            "resumed from elsewhere with a directory and a fork",
            json!({
                "sessionStore": full(), "resume": SESSION, "cwd": "/usr/lib",
                "forkSession": true, "sessionId": OTHER,
            }),
            |options| {
                let options = options.session_store(OneSession).resume(SESSION);
                options.cwd("/usr/lib").fork_session(true).session_id(OTHER)
            },
        ),
        set(
            "resumed, and not known elsewhere",
            json!({ "sessionStore": full(), "resume": OTHER }),
            |options| options.session_store(OneSession).resume(OTHER),
        ),
        set(
            "continued from elsewhere",
            json!({ "sessionStore": full(), "continue": true }),
            |options| options.session_store(OneSession).continue_latest(true),
        ),
        set(
            "continued from nothing elsewhere",
            json!({ "sessionStore": "$emptyStore", "continue": true }),
            |options| {
                let options = options.session_store(MemoryStore::new());
                options.continue_latest(true)
            },
        ),
    ]
}
