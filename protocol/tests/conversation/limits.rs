//! Tests of the limits on the memory of a conversation.

use crate::conversation::said::*;
use agentwire_protocol::conversation::{Assembler, Change, Conversation};
use agentwire_protocol::message::Message;
use serde_json::{Value, json};

const MAX_SUB_AGENTS: usize = 4096;

/// Returns a message of each kind that can start a sub-agent.
fn of_thread(thread: &str) -> [Message; 3] {
    let user = json!({"role": "user", "content": "Go"});
    let assistant = json!({"id": thread, "role": "assistant", "content": []});
    let start = json!({"type": "message_start", "message": assistant});
    let of = |kind: &str, name: &str, value: Value| {
        message(json!({"type": kind, name: value, "parent_tool_use_id": thread}))
    };
    [
        of("user", "message", user),
        of("assistant", "message", assistant),
        of("stream_event", "event", start),
    ]
}

#[test]
fn sub_agents_beyond_the_limit_are_omitted_and_counted() {
    let mut assembler = Assembler::default();
    for number in 0..2 * MAX_SUB_AGENTS {
        let thread = format!("toolu_{number}");
        let said = of_thread(&thread);
        let change = assembler.push(&said[number % 3]);
        let is_omitted = change == Some(Change::Omitted { thread: &thread });
        assert_eq!(is_omitted, number >= MAX_SUB_AGENTS, "{thread}");
    }
    // Known sub-agents and the main agent continue.
    let [user, ..] = of_thread("toolu_0");
    assert!(matches!(assembler.push(&user), Some(Change::Added(_))));
    assert_eq!(assembler.push(&start("m")), Some(Change::Added(at(0))));
    let conversation = assembler.into_conversation();
    assert_eq!(conversation.subagents.len(), MAX_SUB_AGENTS);
    assert_eq!(conversation.omitted, Some(MAX_SUB_AGENTS as u64));
    // A stored conversation preserves the count and the limit.
    let text = serde_json::to_string(&conversation).unwrap();
    let read: Conversation = serde_json::from_str(&text).unwrap();
    let mut assembler = Assembler::from(read);
    let [user, ..] = of_thread("another");
    assert_eq!(
        assembler.push(&user),
        Some(Change::Omitted { thread: "another" })
    );
    assert_eq!(
        assembler.conversation().omitted,
        Some(MAX_SUB_AGENTS as u64 + 1)
    );
}

#[test]
fn a_sub_agent_with_a_long_id_is_omitted() {
    let mut assembler = Assembler::default();
    for (length, is_omitted) in [(4096, false), (4097, true)] {
        let thread = "t".repeat(length);
        for said in &of_thread(&thread) {
            let change = assembler.push(said);
            assert_eq!(matches!(change, Some(Change::Omitted { .. })), is_omitted);
        }
    }
    let conversation = assembler.into_conversation();
    assert_eq!(
        (conversation.subagents.len(), conversation.omitted),
        (1, Some(3))
    );
}

#[test]
fn a_complete_conversation_has_no_omission_count() {
    let mut assembler = assembled(&of_thread("toolu_1"));
    let text = serde_json::to_string(assembler.conversation()).unwrap();
    assert!(!text.contains("omitted"), "{text}");
}
