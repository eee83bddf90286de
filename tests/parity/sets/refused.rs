//! What one of the two refuses, or both.

use super::{Set, refused};
use agentwire::protocol::Json;
use agentwire::store::{MemoryStore, StoreError, TranscriptKey};
use agentwire::{PermissionResult, SessionStore};
use serde_json::json;

const SESSION: &str = "3b1f0c58-8a52-4c3e-9d0e-6a4f1d2b7c90";

/// A store that cannot say what it has.
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
    vec![
        refused(
            "permission callback and tool",
            json!({ "canUseTool": "$function", "permissionPromptToolName": "mcp__desk__ask" }),
            |options| {
                options
                    .on_permission(|_| async { PermissionResult::allow() })
                    .permission_prompt_tool("mcp__desk__ask")
            },
        ),
        refused(
            "sandbox and a settings file",
            json!({ "sandbox": { "enabled": true }, "settings": "/some/settings.json" }),
            |options| {
                options
                    .sandbox(json!({ "enabled": true }))
                    .settings_file("/some/settings.json")
            },
        ),
        refused("a skill of two", json!({ "skills": ["a,b"] }), |options| {
            options.skills(["a,b"])
        }),
        refused(
            "a skill with space around",
            json!({ "skills": [" a"] }),
            |options| options.skills([" a"]),
        ),
        refused(
            "a skill that is a pattern",
            json!({ "skills": ["*"] }),
            |options| options.skills(["*"]),
        ),
        refused(
            "a skill that is a command",
            json!({ "skills": ["/a"] }),
            |options| options.skills(["/a"]),
        ),
        refused(
            "kept elsewhere, and not here",
            json!({ "sessionStore": "$emptyStore", "persistSession": false }),
            |options| {
                options
                    .session_store(MemoryStore::new())
                    .persist_session(false)
            },
        ),
        refused(
            "kept elsewhere, with checkpoints",
            json!({ "sessionStore": "$emptyStore", "enableFileCheckpointing": true }),
            |options| {
                options
                    .session_store(MemoryStore::new())
                    .file_checkpointing(true)
            },
        ),
        refused(
            "continued from what cannot be listed",
            json!({
                "sessionStore": { "append": "$function", "load": "$function" },
                "continue": true,
            }),
            |options| options.session_store(Unlisted).continue_latest(true),
        ),
        refused("no directory", json!({ "cwd": "/no/such" }), |options| {
            options.cwd("/no/such")
        }),
        refused("a NUL", json!({ "model": "a\0b" }), |options| {
            options.model("a\0b")
        }),
        refused(
            "too long for an argument",
            json!({ "agent": "a".repeat(200_000) }),
            |options| options.agent("a".repeat(200_000)),
        ),
        refused(
            "a model as its own fallback",
            json!({ "model": "haiku", "fallbackModel": "haiku" }),
            |options| options.model("haiku").fallback_models(["haiku"]),
        ),
        refused(
            "resume and continue",
            json!({ "resume": SESSION, "continue": true }),
            |options| options.resume(SESSION).continue_latest(true),
        ),
        refused(
            "fork of nothing",
            json!({ "forkSession": true }),
            |options| options.fork_session(true),
        ),
        refused(
            "a session id that is none",
            json!({ "sessionId": "mine" }),
            |options| options.session_id("mine"),
        ),
        refused("no budget", json!({ "maxBudgetUsd": 0 }), |options| {
            options.max_budget_usd(0.0)
        }),
        refused(
            "an allowed tool whose parenthesis is open",
            json!({ "allowedTools": ["Bash(ls"] }),
            |options| options.allowed_tools(["Bash(ls"]),
        ),
        refused("a beta of two", json!({ "betas": ["a,b"] }), |options| {
            options.betas(["a,b"])
        }),
        refused(
            "a file of no name",
            json!({ "debugFile": "a\0b" }),
            |options| options.debug_file("a\0b"),
        ),
    ]
}
