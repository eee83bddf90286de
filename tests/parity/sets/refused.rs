//! Sets of options that one or both SDKs refuse.

use super::Set;
use agentwire::protocol::Json;
use agentwire::store::{MemoryStore, StoreError, TranscriptKey};
use agentwire::{PermissionResult, SessionStore};
use serde_json::json;

const SESSION: &str = "3b1f0c58-8a52-4c3e-9d0e-6a4f1d2b7c90";

/// A store that cannot list its sessions.
struct Unlisted;

impl SessionStore for Unlisted {
    async fn append(&self, _: &TranscriptKey, _: &[Json]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn load(&self, _: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        Ok(None)
    }
}

pub(super) fn sets() -> Vec<Set> {
    sets! {
        "permission callback and tool": { "canUseTool": "$function", "permissionPromptToolName": "mcp__desk__ask" }
            => |it| it.on_permission(|_| async { PermissionResult::allow() })
                .permission_prompt_tool("mcp__desk__ask");
        "sandbox and a settings file": { "sandbox": { "enabled": true }, "settings": "/some/settings.json" }
            => |it| it.sandbox(json!({ "enabled": true })).settings_file("/some/settings.json");
        "a skill of two": { "skills": ["a,b"] } => |it| it.skills(["a,b"]);
        "a skill with space around": { "skills": [" a"] } => |it| it.skills([" a"]);
        "a skill that is a pattern": { "skills": ["*"] } => |it| it.skills(["*"]);
        "a skill that is a command": { "skills": ["/a"] } => |it| it.skills(["/a"]);
        "kept elsewhere, and not here": { "sessionStore": "$emptyStore", "persistSession": false }
            => |it| it.session_store(MemoryStore::new()).persist_session(false);
        "kept elsewhere, with checkpoints": { "sessionStore": "$emptyStore", "enableFileCheckpointing": true }
            => |it| it.session_store(MemoryStore::new()).file_checkpointing(true);
        "continued from what cannot be listed": {
            "sessionStore": { "append": "$function", "load": "$function" },
            "continue": true,
        } => |it| it.session_store(Unlisted).continue_latest(true);
        "no directory": { "cwd": "/no/such" } => |it| it.cwd("/no/such");
        "a NUL": { "model": "a\0b" } => |it| it.model("a\0b");
        "too long for an argument": { "agent": "a".repeat(200_000) }
            => |it| it.agent("a".repeat(200_000));
        "a model as its own fallback": { "model": "haiku", "fallbackModel": "haiku" }
            => |it| it.model("haiku").fallback_models(["haiku"]);
        "resume and continue": { "resume": SESSION, "continue": true }
            => |it| it.resume(SESSION).continue_latest(true);
        "fork of nothing": { "forkSession": true } => |it| it.fork_session(true);
        "a session id that is none": { "sessionId": "mine" } => |it| it.session_id("mine");
        "no budget": { "maxBudgetUsd": 0 } => |it| it.max_budget_usd(0.0);
        "an allowed tool whose parenthesis is open": { "allowedTools": ["Bash(ls"] }
            => |it| it.allowed_tools(["Bash(ls"]);
        "a beta of two": { "betas": ["a,b"] } => |it| it.betas(["a,b"]);
        "a file of no name": { "debugFile": "a\0b" } => |it| it.debug_file("a\0b");
    }
}
