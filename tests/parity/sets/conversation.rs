//! Which conversation it is, and what is heard of it.

use super::{Set, set};
use serde_json::json;

const SESSION: &str = "3b1f0c58-8a52-4c3e-9d0e-6a4f1d2b7c90";
const FORK: &str = "f7c7b0de-1d0e-4f63-8f38-0d2f9f0f5a11";
const MESSAGE: &str = "0d9d6c1e-5a40-47c5-9b7d-2f7be2ad6b6f";

pub(super) fn sets() -> Vec<Set> {
    vec![
        set("resume", json!({ "resume": SESSION }), |options| {
            options.resume(SESSION)
        }),
        set("continue", json!({ "continue": true }), |options| {
            options.continue_latest(true)
        }),
        set("do not continue", json!({ "continue": false }), |options| {
            options
        }),
        set(
            "fork",
            json!({ "resume": SESSION, "forkSession": true, "sessionId": FORK }),
            |options| options.resume(SESSION).fork_session(true).session_id(FORK),
        ),
        set(
            "resume at a message",
            json!({
                "resume": SESSION, "resumeSessionAt": MESSAGE, "resumeDropsTurn": FORK,
            }),
            |options| {
                options
                    .resume(SESSION)
                    .resume_at(MESSAGE)
                    .resume_drops_turn(FORK)
            },
        ),
        set("session id", json!({ "sessionId": SESSION }), |options| {
            options.session_id(SESSION)
        }),
        set(
            "session id, title",
            json!({ "sessionId": SESSION, "title": "A title" }),
            |options| options.title("A title").session_id(SESSION),
        ),
        set("not kept", json!({ "persistSession": false }), |options| {
            options.persist_session(false)
        }),
        set("kept", json!({ "persistSession": true }), |options| {
            options.persist_session(true)
        }),
        set(
            "partial messages",
            json!({ "includePartialMessages": true }),
            |options| options.partial_messages(true),
        ),
        set(
            "no partial messages",
            json!({ "includePartialMessages": false }),
            |options| options.partial_messages(false),
        ),
        set(
            "partial messages, hook events",
            json!({ "includePartialMessages": true, "includeHookEvents": true }),
            |options| options.partial_messages(true).hook_events(true),
        ),
        set(
            "checkpoints",
            json!({ "enableFileCheckpointing": true }),
            |options| options.file_checkpointing(true),
        ),
        set("verbatim", json!({ "verbatimPrompts": true }), |options| {
            options.verbatim_prompts(true)
        }),
    ]
}
