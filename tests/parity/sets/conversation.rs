//! Sets of options about the conversation to continue, and about its events.

use super::Set;

const SESSION: &str = "3b1f0c58-8a52-4c3e-9d0e-6a4f1d2b7c90";
const FORK: &str = "f7c7b0de-1d0e-4f63-8f38-0d2f9f0f5a11";
const MESSAGE: &str = "0d9d6c1e-5a40-47c5-9b7d-2f7be2ad6b6f";

pub(super) fn sets() -> Vec<Set> {
    sets! {
        "resume": { "resume": SESSION } => |it| it.resume(SESSION);
        "continue": { "continue": true } => |it| it.continue_latest(true);
        "do not continue": { "continue": false } => |it| it;
        "fork": { "resume": SESSION, "forkSession": true, "sessionId": FORK }
            => |it| it.resume(SESSION).fork_session(true).session_id(FORK);
        "resume at a message": {
            "resume": SESSION, "resumeSessionAt": MESSAGE, "resumeDropsTurn": FORK,
        } => |it| it.resume(SESSION).resume_at(MESSAGE).resume_drops_turn(FORK);
        "session id": { "sessionId": SESSION } => |it| it.session_id(SESSION);
        "session id, title": { "sessionId": SESSION, "title": "A title" }
            => |it| it.title("A title").session_id(SESSION);
        "not kept": { "persistSession": false } => |it| it.persist_session(false);
        "kept": { "persistSession": true } => |it| it.persist_session(true);
        "partial messages": { "includePartialMessages": true } => |it| it.partial_messages(true);
        "no partial messages": { "includePartialMessages": false }
            => |it| it.partial_messages(false);
        "partial messages, hook events": { "includePartialMessages": true, "includeHookEvents": true }
            => |it| it.partial_messages(true).hook_events(true);
        "checkpoints": { "enableFileCheckpointing": true } => |it| it.file_checkpointing(true);
        "verbatim": { "verbatimPrompts": true } => |it| it.verbatim_prompts(true);
    }
}
