//! Which conversation it is, and what is heard of it.

use super::{Set, introduce, set};
use agentwire::UserMessage;
use serde_json::json;

const SESSION: &str = "3b1f0c58-8a52-4c3e-9d0e-6a4f1d2b7c90";
const FORK: &str = "f7c7b0de-1d0e-4f63-8f38-0d2f9f0f5a11";
const MESSAGE: &str = "0d9d6c1e-5a40-47c5-9b7d-2f7be2ad6b6f";

pub(super) fn sets() -> Vec<Set> {
    vec![
        set("resume", json!({ "resume": SESSION }), |options| {
            options.flag_value("--resume", SESSION)
        }),
        set("continue", json!({ "continue": true }), |options| {
            options.flag("--continue")
        }),
        set("do not continue", json!({ "continue": false }), |options| {
            options
        }),
        set(
            "fork",
            json!({ "resume": SESSION, "forkSession": true, "sessionId": FORK }),
            |options| {
                options
                    .flag_value("--resume", SESSION)
                    .flag("--fork-session")
                    .flag_value("--session-id", FORK)
            },
        ),
        set(
            "resume at a message",
            json!({
                "resume": SESSION, "resumeSessionAt": MESSAGE, "resumeDropsTurn": FORK,
            }),
            |options| {
                options
                    .flag_value("--resume", SESSION)
                    .flag_value("--resume-session-at", MESSAGE)
                    .flag_value("--resume-drops-turn", FORK)
            },
        ),
        set("session id", json!({ "sessionId": SESSION }), |options| {
            options.flag_value("--session-id", SESSION)
        }),
        set(
            "session id, title",
            json!({ "sessionId": SESSION, "title": "A title" }),
            |options| {
                introduce(options, |request| {
                    request.title = Some("A title".to_owned());
                })
                .flag_value("--session-id", SESSION)
            },
        ),
        set("not kept", json!({ "persistSession": false }), |options| {
            options.flag("--no-session-persistence")
        }),
        set("kept", json!({ "persistSession": true }), |options| options),
        set(
            "kept elsewhere",
            json!({
                "sessionStore": { "append": "$function", "load": "$function" },
                "sessionStoreFlush": "eager",
                "loadTimeoutMs": 1000,
            }),
            |options| options.flag("--session-mirror"),
        ),
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
            |options| options.partial_messages(true).flag("--include-hook-events"),
        ),
        set(
            "checkpoints",
            json!({ "enableFileCheckpointing": true }),
            |options| options.env("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true"),
        ),
        Set {
            prompt: UserMessage::new("Hello.").verbatim(),
            ..set("verbatim", json!({ "verbatimPrompts": true }), |options| {
                options
            })
        },
    ]
}
