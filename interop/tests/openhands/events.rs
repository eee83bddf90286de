//! Events, caching marks, and output that is no list of items.

use crate::openhands::library::{COUNT, dump, oracle, read};
use crate::openhands::theirs;
use crate::support::oracle::samples;
use agentwire_interop::Compat;
use agentwire_interop::openhands::{
    Event, FromModelError, Message, apply_caching, events_to_messages,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

fn dumps(messages: &[Message]) -> Value {
    messages.iter().map(dump).collect()
}

/// The index of the last message that the user or a tool wrote.
fn last_heard(messages: &[Message]) -> Option<&Message> {
    let is_heard = |it: &&Message| matches!(it.role.as_str(), "user" | "tool");
    messages.iter().rev().find(is_heard)
}

#[test]
fn the_prompt_is_cached_where_the_library_has_it_cached() {
    let conversations = samples(&vec(theirs::message(), 0..4), COUNT);
    let conversations: Vec<(Value, Vec<Message>)> = conversations
        .into_iter()
        .filter_map(|messages| {
            let messages = Value::from(messages);
            let read: Vec<Message> = read(&messages)?;
            // There the library fails.
            let is_empty = last_heard(&read).is_some_and(|it| it.contents().is_empty());
            (!is_empty).then_some((messages, read))
        })
        .collect();
    let requests: Vec<Value> = conversations
        .iter()
        .map(|(messages, _)| json!({"op": "apply_caching", "messages": messages}))
        .collect();
    assert!(requests.len() > COUNT / 2, "{}", requests.len());
    oracle("apply_caching").agrees(&requests, |index| {
        let mut messages = conversations[index].1.clone();
        apply_caching(&mut messages);
        Some(dumps(&messages))
    });
}

#[test]
fn a_message_without_content_gets_no_mark() {
    let mut messages: Vec<Message> = read(&json!([{"role": "user", "content": []}])).unwrap();
    let before = messages.clone();
    apply_caching(&mut messages);
    assert_eq!(messages, before);
}

fn text() -> impl Strategy<Value = Value> {
    select(vec!["", "Hm.", "two\nlines"]).prop_map(|text| json!({"type": "text", "text": text}))
}

fn texts() -> impl Strategy<Value = Value> {
    vec(text(), 0..3).prop_map(Value::from)
}

fn event() -> impl Strategy<Value = Value> {
    let id = || select(vec!["a", "b"]);
    let action = (
        id(),
        prop_oneof![3 => Just(json!([])), 1 => texts()],
        any::<bool>(),
    );
    let action = action.prop_map(|(response, thought, thinks)| {
        json!({
            "kind": "ActionEvent", "source": "agent", "thought": thought, "action": null,
            "tool_name": "bash", "tool_call_id": "t", "llm_response_id": response,
            "tool_call": {"id": "t", "name": "bash", "arguments": "{}", "origin": "completion"},
            "reasoning_content": thinks.then_some("Hm."),
            "thinking_blocks": if thinks { json!([{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]) } else { json!([]) },
        })
    });
    let role = select(vec!["user", "user", "assistant"]);
    let message = (role, texts(), texts()).prop_map(|(role, content, more)| {
        json!({
            "kind": "MessageEvent", "source": if role == "user" { "user" } else { "agent" },
            "llm_message": {"role": role, "content": content}, "extended_content": more,
        })
    });
    let observation = (texts(), any::<bool>(), texts()).prop_map(|(content, is_error, more)| {
        json!({
            "kind": "ObservationEvent", "source": "environment", "tool_name": "finish",
            "tool_call_id": "t", "action_id": "a", "extended_content": more,
            "observation": {"kind": "FinishObservation", "content": content, "is_error": is_error},
        })
    });
    let system = (text(), any::<bool>()).prop_map(|(text, is_dynamic)| {
        json!({
            "kind": "SystemPromptEvent", "source": "agent", "system_prompt": text, "tools": [],
            "dynamic_context": is_dynamic.then(|| text.clone()),
        })
    });
    prop_oneof![
        5 => action,
        3 => message,
        3 => observation,
        1 => system,
        1 => Just(json!({
            "kind": "UserRejectObservation", "source": "environment", "tool_name": "bash",
            "tool_call_id": "t", "action_id": "a", "rejection_reason": "No.",
        })),
        1 => Just(json!({
            "kind": "UserRejectObservation", "source": "environment", "tool_name": "bash",
            "tool_call_id": "t", "action_id": "a",
        })),
        1 => Just(json!({
            "kind": "AgentErrorEvent", "source": "agent", "tool_name": "bash", "tool_call_id": "t",
            "error": "no such tool",
        })),
        1 => Just(json!({
            "kind": "CondensationSummaryEvent", "source": "environment", "summary": "It was long.",
        })),
        1 => Just(json!({"kind": "PauseEvent", "source": "user"})),
    ]
}

#[test]
fn events_are_the_messages_that_they_are_there() {
    let events = samples(&vec(event(), 0..7), COUNT);
    let requests: Vec<Value> = events
        .iter()
        .map(|events| json!({"op": "events_to_messages", "events": events}))
        .collect();
    oracle("events_to_messages").agrees(&requests, |index| {
        let events: Vec<Event> = read(&requests[index]["events"])?;
        Some(dumps(&events_to_messages(&events).ok()?))
    });
}

#[test]
fn output_without_items_is_an_empty_message_as_there() {
    let odd = || {
        select(vec![
            json!(null),
            json!("x"),
            json!(3),
            json!([]),
            json!({}),
            json!({"type": 3}),
        ])
    };
    let item = prop_oneof![2 => odd(), 3 => theirs::output_item(false)];
    let outputs = samples(
        &prop_oneof![1 => Just(Value::Null), 8 => vec(item, 0..4).prop_map(Value::from)],
        COUNT,
    );
    let requests: Vec<Value> = outputs
        .iter()
        .map(|output| json!({"op": "from_responses", "output": output}))
        .collect();
    oracle("from_responses_value").agrees(&requests, |index| {
        let output = outputs[index].clone().into();
        let made = Message::from_llm_responses_value(&output, Compat::Library);
        Some(dump(&made.ok()?))
    });
}

#[test]
fn output_that_is_no_list_is_refused() {
    for output in [json!("x"), json!({}), json!(3), json!(true)] {
        let made = Message::from_llm_responses_value(&output.into(), Compat::Right);
        assert_eq!(made.unwrap_err(), FromModelError::NoList);
    }
}
