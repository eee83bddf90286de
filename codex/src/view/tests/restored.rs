//! Restored views, copies, and frames that are not whole.

use super::*;

/// Returns completed items of every kind that Codex stores.
fn items() -> Vec<Value> {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let patch = "@@ -1 +1 @@\n-a\n+b\n";
    let changes = json!([{"path": "/w/a", "kind": {"type": "update"}, "diff": patch}]);
    vec![
        json!({"type": "userMessage", "id": "u", "clientId": "mine", "content": text("go")}),
        json!({"type": "reasoning", "id": "r", "summary": ["a", "b"], "content": ["c"]}),
        json!({"type": "agentMessage", "id": "m", "text": "Looking."}),
        with(
            command("ls", json!([])),
            json!({"status": "completed", "aggregatedOutput": "a\n", "exitCode": 0}),
        ),
        with(command("rm a", json!([])), json!({"status": "declined"})),
        json!({"type": "fileChange", "id": "f", "status": "completed", "changes": changes}),
        json!({"type": "mcpToolCall", "id": "x", "server": "db", "tool": "query", "arguments": {},
            "status": "completed", "result": {"content": text("1")}}),
        json!({"type": "dynamicToolCall", "id": "d", "tool": "lookup", "arguments": {"q": 1},
            "status": "failed", "contentItems": [{"type": "inputText", "text": "no"}]}),
        json!({"type": "webSearch", "id": "w", "query": "rust"}),
        json!({"type": "plan", "id": "p", "text": "1. look\n"}),
        json!({"type": "contextCompaction", "id": "c"}),
        json!({"type": "newThing", "id": "n", "status": "completed", "what": 1}),
        json!({"type": "agentMessage", "id": "m", "text": "Done."}),
    ]
}

/// Returns an item as it is when it starts.
fn start(item: &Value) -> Value {
    let mut item = item.clone();
    for (name, value) in item.as_object_mut().unwrap() {
        match name.as_str() {
            "status" => *value = "inProgress".into(),
            "text" => *value = "".into(),
            "summary" | "content" if value[0].is_string() => *value = json!([]),
            "aggregatedOutput" | "exitCode" | "result" | "contentItems" => *value = Value::Null,
            _ => {}
        }
    }
    item
}

fn live(items: &[Value]) -> Thread {
    let mut thread = Thread::new();
    thread.send_notification("turn/started", json!({"threadId": "t"}));
    for item in items {
        thread.started(start(item));
        let id = item["id"].as_str().unwrap();
        let text = item["text"].as_str().unwrap_or_default();
        match item["type"].as_str().unwrap() {
            "agentMessage" => text.chars().for_each(|c| {
                thread.delta("agentMessage/delta", id, &c.to_string());
            }),
            "plan" => thread.delta("plan/delta", id, text),
            "reasoning" => {
                for (index, part) in item["summary"].as_array().unwrap().iter().enumerate() {
                    let params = json!({"threadId": "t", "itemId": id, "delta": part,
                        "summaryIndex": index});
                    thread.send_notification("item/reasoning/summaryTextDelta", params);
                }
            }
            "commandExecution" if item["aggregatedOutput"].is_string() => {
                thread.delta("commandExecution/outputDelta", id, "a\n");
            }
            _ => {}
        }
        thread.completed(item.clone());
    }
    thread.turn("completed", Value::Null);
    thread
}

#[test]
fn restored_entries_are_those_of_the_live_view() {
    let items = items();
    let mut live = live(&items);
    let turn = json!({"id": "turn", "status": "completed", "durationMs": 12, "items": items});
    let mut restored = Thread::new();
    restored.feed.restored(&mut restored.view, &[turn]);
    let entries = |thread: &Thread| thread.view.entries().cloned().collect::<Vec<Entry>>();
    let of_restored = entries(&restored);
    assert_eq!(entries(&live), of_restored);
    let reason = |id| restored.call(id).failure.as_ref().map(|it| it.reason);
    assert_eq!(reason("call#2"), Some(FailureReason::DeniedByUser));
    // Items alone make the same entries, without the ends of turns.
    let mut alone = Thread::new();
    let rows: Vec<Value> = items
        .iter()
        .map(|it| json!({"turnId": "turn", "item": it}))
        .collect();
    alone.feed.restored(&mut alone.view, &rows);
    assert_eq!(entries(&alone), of_restored[..of_restored.len() - 1]);
    // The thread goes on.
    for thread in [&mut live, &mut restored] {
        thread.completed(json!({"type": "agentMessage", "id": "m", "text": "More."}));
    }
    assert!(live.view.get("m#3").is_some());
    assert_eq!(live.view.get("m#3"), restored.view.get("m#3"));
}

#[test]
fn a_call_that_runs_when_its_thread_is_restored_goes_on() {
    let mut thread = Thread::new();
    let item = command("make", json!([]));
    thread
        .feed
        .restored(&mut thread.view, std::slice::from_ref(&item));
    assert_eq!(thread.call("call").status, Status::InProgress);
    thread.completed(with(item, json!({"status": "completed", "exitCode": 0})));
    assert_eq!(thread.call("call").status, Status::Completed);
    assert_eq!(thread.view.len(), 1);
}

/// Returns numbers that look random: the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Removes members, or gives them other values.
    fn damage(&mut self, value: &mut Value) {
        let other = [
            Value::Null,
            json!(-1),
            json!(1.5),
            json!("\u{202e}\u{1b}[31m"),
            json!([null, {}]),
            json!({"type": 1}),
        ];
        match value {
            Value::Object(members) => {
                let names: Vec<String> = members.keys().cloned().collect();
                for name in names {
                    match self.below(12) {
                        0 => drop(members.remove(&name)),
                        1 => drop(members.insert(name, self.of(&other).clone())),
                        _ => self.damage(&mut members[&name]),
                    }
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|it| self.damage(it)),
            _ => {}
        }
    }
}

/// Returns notifications, and requests with an ID.
fn frames() -> Vec<(Option<&'static str>, &'static str, Value)> {
    let mut frames = Vec::new();
    for item in items() {
        let params = |item| json!({"threadId": "t", "item": item});
        frames.push((None, "item/started", params(start(&item))));
        frames.push((None, "item/completed", params(item.clone())));
        for method in [
            "item/agentMessage/delta",
            "item/reasoning/summaryTextDelta",
            "item/reasoning/textDelta",
            "item/plan/delta",
            "item/commandExecution/outputDelta",
        ] {
            let params = json!({"itemId": item["id"], "delta": "a\u{202e}", "summaryIndex": 1});
            frames.push((None, method, params));
        }
    }
    let turn = |status: &str| {
        json!({"turn": {"id": "turn", "status": status, "error": {"message": "x",
            "codexErrorInfo": {"a": {"httpStatusCode": 1}}}}})
    };
    let meta = json!({"codex_approval_kind": "mcp_tool_call", "tool_name": "query"});
    let window = json!({"usedPercent": 99, "resetsAt": 1});
    let run = json!({"status": "failed", "entries": [{"text": "x"}]});
    let usage = json!({"total": {"a": 1}, "last": {"inputTokens": u64::MAX}});
    for (id, method, params) in [
        (None, "turn/started", json!({"turn": {}})),
        (None, "turn/completed", turn("completed")),
        (None, "turn/completed", turn("interrupted")),
        (None, "turn/completed", turn("failed")),
        (
            None,
            "turn/plan/updated",
            json!({"plan": [{"step": "a", "status": "pending"}]}),
        ),
        (
            None,
            "thread/status/changed",
            json!({"status": {"type": "active"}}),
        ),
        (
            None,
            "thread/tokenUsage/updated",
            json!({"tokenUsage": usage}),
        ),
        (
            None,
            "thread/name/updated",
            json!({"threadName": "\u{202e}name"}),
        ),
        (
            None,
            "account/rateLimits/updated",
            json!({"rateLimits": {"primary": window}}),
        ),
        (
            None,
            "error",
            json!({"willRetry": true, "error": {"message": "a 1/5"}}),
        ),
        (None, "warning", json!({"message": "\u{202e}x\ny"})),
        (None, "hook/completed", json!({"run": run})),
        (
            None,
            "model/rerouted",
            json!({"fromModel": "a", "toModel": "b"}),
        ),
        (
            None,
            "item/fileChange/patchUpdated",
            json!({"itemId": "f", "changes": [{"diff": "x"}]}),
        ),
        (
            None,
            "item/mcpToolCall/progress",
            json!({"itemId": "x", "message": "x"}),
        ),
        (None, "serverRequest/resolved", json!({"requestId": 1})),
        (
            Some("1"),
            "item/commandExecution/requestApproval",
            json!({"itemId": "call"}),
        ),
        (
            Some("2"),
            "item/fileChange/requestApproval",
            json!({"itemId": "f"}),
        ),
        (
            Some("3"),
            "item/permissions/requestApproval",
            json!({"permissions": {"a": 1}}),
        ),
        (
            Some("4"),
            "mcpServer/elicitation/request",
            json!({"serverName": "db", "_meta": meta}),
        ),
        (
            Some("5"),
            "mcpServer/elicitation/request",
            json!({"serverName": "db", "message": "?"}),
        ),
        (
            Some("6"),
            "item/tool/requestUserInput",
            json!({"itemId": "q", "questions": [{"question": "?", "options": [{"label": "a"}]}]}),
        ),
    ] {
        frames.push((id, method, params));
    }
    frames
}

#[test]
fn frames_in_any_order_do_not_panic_and_copies_are_equal() {
    const OPAQUE: &[&str] = &[
        "id",
        "parent",
        "data",
        "approval",
        "tool_call",
        "request_id",
    ];
    fn assert_visible(value: &Value, member: &str) {
        match value {
            Value::String(text) if !OPAQUE.contains(&member) => {
                assert!(!text.contains(['\u{202e}', '\u{1b}']), "{member}: {text:?}");
            }
            Value::Array(values) => values.iter().for_each(|it| assert_visible(it, member)),
            Value::Object(members) => members
                .iter()
                .for_each(|(name, it)| assert_visible(it, name)),
            _ => {}
        }
    }
    let frames = frames();
    for seed in 1..=300 {
        let mut random = Random(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15));
        let mut limits = Limits::default();
        (limits.entries, limits.output) = (12, 64);
        let mut thread = Thread {
            feed: Feed::new("t"),
            view: View::with_limits(limits),
        };
        let mut copy = Entries::default();
        for _ in 0..80 {
            let (id, method, mut params) = random.of(&frames).clone();
            if random.below(2) == 0 {
                random.damage(&mut params);
            }
            let before = thread.view.number();
            match (id, random.below(3)) {
                (Some(id), 0) => thread
                    .feed
                    .finish_request(&mut thread.view, id, seed % 2 == 0),
                (Some(id), _) => thread.send_request(id, method, params),
                (None, _) => thread.send_notification(method, params),
            }
            for change in thread.view.since(before).unwrap() {
                copy.apply(&change.change);
            }
            let shown: Vec<&Entry> = thread.view.entries().collect();
            assert_eq!(shown, copy.of(None).collect::<Vec<_>>());
            assert!(thread.view.len() <= 12);
        }
        assert_visible(&serde_json::to_value(thread.view.snapshot()).unwrap(), "");
        thread.view.push(Input::Ended(Some("gone")));
        for entry in thread.view.entries() {
            if let Body::ToolCall(call) = &entry.body {
                assert!(
                    matches!(call.status, Status::Completed | Status::Failed),
                    "{call:?}"
                );
            }
        }
    }
}
