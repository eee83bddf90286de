//! Updates of agents that speak the Agent Client Protocol.

use super::{assert_visible, of_copy, of_view};
use agentwire_view::entry::{Content, FailureReason, Outcome, Status};
use agentwire_view::{AcpInput, Body, Entries, Limits, Numbered, View};
use proptest::prelude::*;
use serde_json::{Value, json};

fn update(view: &mut View, update: Value) {
    view.push(AcpInput::Update(&update));
}

#[test]
fn a_call_that_is_known_from_its_permission_alone_is_an_entry() {
    // Gemini sends no `tool_call` for calls that ask, and nothing for those that are denied.
    let mut view = View::new();
    let params = json!({"toolCall": {"toolCallId": "a", "title": "touch made", "kind": "execute"},
        "options": [{"optionId": "1", "name": "Allow for this session", "kind": "allow_always"}]});
    view.push(AcpInput::Permission {
        request_id: "1",
        params: &params,
    });
    let Some(Body::Approval(approval)) = view.get("approval/1").map(|it| &it.body) else {
        panic!()
    };
    assert_eq!(approval.always, ["Allow for this session"]);
    view.push(agentwire_view::Input::Settled { request_id: "1" });
    view.push(AcpInput::Denied { params: &params });
    view.push(AcpInput::Response(&json!({"stopReason": "end_turn"})));
    assert!(view.get("approval/1").is_none());
    let Some(Body::ToolCall(call)) = view.get("a").map(|it| &it.body) else {
        panic!()
    };
    assert_eq!((&*call.title, call.status), ("touch made", Status::Failed));
    assert_eq!(
        call.failure.as_ref().unwrap().reason,
        FailureReason::DeniedByUser
    );
}

#[test]
fn whole_files_become_hunks() {
    let lines = |changed: &str| {
        let line = |n: u32| {
            if n == 500 {
                changed.to_owned()
            } else {
                n.to_string()
            }
        };
        (0..1000).map(line).collect::<Vec<_>>().join("\n")
    };
    let mut view = View::new();
    update(
        &mut view,
        json!({"sessionUpdate": "tool_call", "toolCallId": "a", "status": "completed",
        "kind": "edit", "content": [{"type": "diff", "path": "/a", "oldText": lines("old"), "newText": lines("new")}]}),
    );
    let Some(Body::ToolCall(call)) = view.get("a").map(|it| &it.body) else {
        panic!()
    };
    let [Content::Diff(diff)] = call.content.as_slice() else {
        panic!("{call:?}")
    };
    let [hunk] = diff.hunks.as_slice() else {
        panic!("{diff:?}")
    };
    assert_eq!(
        hunk.lines,
        [
            " 497", " 498", " 499", "-old", "+new", " 501", " 502", " 503"
        ]
    );
    assert_eq!(
        (hunk.old_start, diff.applied, diff.is_new),
        (Some(498), true, false)
    );
}

#[test]
fn output_that_comes_in_parts_of_the_metadata_is_the_output_of_the_command() {
    // Codex sends it nowhere else.
    let mut view = View::new();
    let part = |meta: Value| {
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "a",
        "status": "in_progress", "rawInput": {"cmd": "make"}, "_meta": meta})
    };
    for text in ["one\n", "two\n"] {
        update(
            &mut view,
            part(json!({"terminal_output_delta": {"data": text}})),
        );
    }
    update(&mut view, part(json!({"terminal_exit": {"exit_code": 2}})));
    let Some(Body::ToolCall(call)) = view.get("a").map(|it| &it.body) else {
        panic!()
    };
    let Some(Content::Command(command)) = call.content.first() else {
        panic!("{call:?}")
    };
    assert_eq!(command.command.text, "make");
    assert_eq!(command.output.as_ref().unwrap().text, "one\ntwo\n");
    assert_eq!(command.exit_code, Some(2));
}

#[test]
fn what_an_agent_does_not_tell_is_absent() {
    let mut view = View::new();
    let zeros = json!({"stopReason": "refusal", "usage": {"inputTokens": 0, "outputTokens": 0}});
    view.push(AcpInput::Response(&zeros));
    let Some(Body::TurnEnd(end)) = view.entries().last().map(|it| &it.body) else {
        panic!()
    };
    assert_eq!((end.outcome, end.tokens), (Outcome::Failed, None));
    assert_eq!((&end.session_cost_usd, end.duration_ms), (&None, None));
}

#[test]
fn a_whole_message_replaces_its_chunks() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let chunk = |id: &str, it: &str| json!({"sessionUpdate": "agent_message_chunk", "messageId": id, "content": text(it)});
    let whole = |id: &str, content: Value| json!({"sessionUpdate": "agent_message", "messageId": id, "content": content});
    let mut view = View::new();
    update(&mut view, chunk("a", "one"));
    update(&mut view, chunk("b", "two"));
    update(&mut view, whole("a", json!([text("1"), text("2")])));
    update(&mut view, whole("c", json!([text("three")])));
    update(&mut view, whole("b", json!([])));
    update(&mut view, chunk("b", "fo"));
    update(&mut view, chunk("b", "ur"));
    let end = json!({"sessionUpdate": "agent_message", "messageId": "b"});
    update(&mut view, end);
    let shown: Vec<_> = view
        .entries()
        .map(|entry| match &entry.body {
            Body::Text(it) => (&*entry.id, &*it.text.text, it.complete),
            body => panic!("{body:?}"),
        })
        .collect();
    assert_eq!(
        shown,
        [("a", "12", true), ("c", "three", true), ("b", "four", true)]
    );
}

#[test]
fn the_output_of_a_running_call_does_not_split_a_text() {
    let mut view = View::new();
    let chunk =
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "a"}});
    let call = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "in_progress",
        "rawInput": {"command": "make"}, "_meta": {"terminal_output_delta": {"data": "x"}}});
    for it in [&call, &chunk, &call, &chunk] {
        view.push(AcpInput::Update(it));
    }
    let Some(Body::Text(text)) = view.entries().last().map(|it| &it.body) else {
        panic!()
    };
    assert_eq!((&*text.text.text, view.len()), ("aa", 2));
}

#[test]
fn patches_of_several_files_are_diffs() {
    let patch = "diff --git /a /a\n--- /a\n+++ /a\n@@ -3,2 +3,2 @@\n x\n--- y\n++++ z\n\
        diff --git /b /b\n--- /dev/null\n+++ /b\n@@ -0,0 +1 @@\n+new\n\
        --- /c\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
    let mut view = View::new();
    update(
        &mut view,
        json!({"sessionUpdate": "tool_call", "toolCallId": "a", "status": "completed",
            "content": [{"type": "diff", "patch": {"format": "git_patch", "text": patch}}]}),
    );
    let Some(Body::ToolCall(call)) = view.get("a").map(|it| &it.body) else {
        panic!()
    };
    let diffs = call.content.iter().map(|it| match it {
        Content::Diff(diff) => (&*diff.path, diff.is_new, diff.hunks[0].lines.join("\n")),
        content => panic!("{content:?}"),
    });
    let lines = str::to_owned;
    assert_eq!(
        diffs.collect::<Vec<_>>(),
        [
            ("/a", false, lines(" x\n--- y\n++++ z")),
            ("/b", true, lines("+new")),
            ("/c", false, lines("-gone")),
        ]
    );
}

#[test]
fn a_call_in_the_background_ends_with_the_session() {
    let mut view = View::new();
    update(
        &mut view,
        json!({"sessionUpdate": "tool_call", "toolCallId": "a", "status": "in_progress",
            "_meta": {"background": {"taskId": "7"}}}),
    );
    let status = |view: &View| match view.get("a").map(|it| &it.body) {
        Some(Body::ToolCall(call)) => call.status,
        body => panic!("{body:?}"),
    };
    view.push(AcpInput::Response(&json!({"stopReason": "end_turn"})));
    assert_eq!(status(&view), Status::InProgress);
    view.push(agentwire_view::Input::Ended(None));
    assert_eq!(status(&view), Status::Failed);
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![".{0,6}", Just("\u{202e}\u{1b}[31m```\n".to_owned())];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let name = prop::sample::select(vec![
            "type",
            "text",
            "content",
            "path",
            "oldText",
            "newText",
            "line",
            "data",
            "status",
            "priority",
            "terminal_output_delta",
            "output",
            "command",
            "title",
            "uri",
            "amount",
            "patch",
            "planId",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..4).prop_map(|it| it
                .into_iter()
                .map(|(name, it)| (name.to_owned(), it))
                .collect()),
        ]
    })
}

/// Returns an update of a known kind, with members of any type.
fn any_update() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        "agent_message_chunk",
        "agent_thought_chunk",
        "agent_message",
        "agent_thought",
        "plan_update",
        "user_message_chunk",
        "tool_call",
        "tool_call_update",
        "plan",
        "current_mode_update",
        "session_info_update",
        "usage_update",
        "notice",
        "unknown",
    ]);
    let member = prop::sample::select(vec![
        "content",
        "toolCallId",
        "title",
        "kind",
        "status",
        "locations",
        "rawInput",
        "rawOutput",
        "_meta",
        "entries",
        "currentModeId",
        "cost",
        "messageId",
        "plan",
        "name",
        "description",
    ]);
    let id = prop::sample::select(vec!["a", "b", "c"]);
    let status = prop::sample::select(vec!["pending", "in_progress", "completed", "failed"]);
    let members = prop::collection::vec((member, any_value()), 0..6);
    (kind, id, status, any::<bool>(), members).prop_map(|(kind, id, status, is_text, members)| {
        let mut update = json!({"sessionUpdate": kind, "toolCallId": id, "status": status});
        if is_text {
            update["content"] = json!({"type": "text", "text": "\u{202e}text"});
            update["messageId"] = id.into();
            update["plan"] = json!({"planId": id, "content": "\u{202e}plan"});
        }
        for (name, value) in members {
            update[name] = value;
        }
        update
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn copies_are_equal_and_texts_are_visible_whatever_agents_send(
        updates in prop::collection::vec((any_update(), 0..5_u8), 0..40),
    ) {
        let mut limits = Limits::default();
        limits.entries = 12;
        limits.output = 64;
        let mut view = View::with_limits(limits);
        let mut copy = Entries::default();
        for (update, how) in &updates {
            let params = json!({"toolCall": update, "options": update["content"]});
            let id = view.number().to_string();
            let input = match how {
                0 => AcpInput::Replayed(update),
                1 => AcpInput::Permission { request_id: &id, params: &params },
                2 => AcpInput::Denied { params: &params },
                3 => AcpInput::Response(update),
                _ => AcpInput::Update(update),
            };
            for Numbered { change, .. } in view.push(input) {
                copy.apply(change);
                assert_visible(&serde_json::to_value(change).unwrap(), "");
            }
        }
        prop_assert!(view.len() <= 12);
        prop_assert_eq!(of_view(&view), of_copy(&copy));
        view.push(AcpInput::Failed("gone"));
        view.push(agentwire_view::Input::Ended(None));
    }
}
