//! Sets of options with sessions that the host stores and resumes.

use super::Set;
use agentwire::SessionStore;
use agentwire::protocol::Json;
use agentwire::store::{MemoryStore, StoreError, StoreFlush, StoredSession, TranscriptKey};
use serde_json::json;
use std::time::{Duration, SystemTime};

const SESSION: &str = "3b1f0c58-8a52-4c3e-9d0e-6a4f1d2b7c90";
const OTHER: &str = "f7c7b0de-1d0e-4f63-8f38-0d2f9f0f5a11";

/// The same store as in `drive.mjs`. It has one session in each project.
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

fn store_with_session() -> String {
    format!("$store {SESSION}")
}

pub(super) fn sets() -> Vec<Set> {
    sets! {
        "kept elsewhere": { "sessionStore": "$emptyStore" }
            => |it| it.session_store(MemoryStore::new());
        "kept elsewhere, at once": {
            "sessionStore": "$emptyStore",
            "sessionStoreFlush": "eager",
            "loadTimeoutMs": 1000,
        } => |it| it.session_store(MemoryStore::new())
            .session_store_flush(StoreFlush::Eager)
            .load_timeout(Duration::from_secs(1));
        "resumed from elsewhere": { "sessionStore": store_with_session(), "resume": SESSION }
            => |it| it.session_store(OneSession).resume(SESSION);
        "resumed from elsewhere with a directory and a fork": {
            "sessionStore": store_with_session(), "resume": SESSION, "cwd": "/usr/lib",
            "forkSession": true, "sessionId": OTHER,
        } => |it| {
            let it = it.session_store(OneSession).resume(SESSION);
            it.cwd("/usr/lib").fork_session(true).session_id(OTHER)
        };
        "resumed, and not known elsewhere": { "sessionStore": store_with_session(), "resume": OTHER }
            => |it| it.session_store(OneSession).resume(OTHER);
        "continued from elsewhere": { "sessionStore": store_with_session(), "continue": true }
            => |it| it.session_store(OneSession).continue_latest(true);
        "continued from nothing elsewhere": { "sessionStore": "$emptyStore", "continue": true }
            => |it| { let it = it.session_store(MemoryStore::new()); it.continue_latest(true) };
    }
}
