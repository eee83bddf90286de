//! The entry of each kind of item, notice and request.

use super::*;

#[test]
fn a_text_grows_and_its_item_completes_it() {
    let mut thread = Thread::new();
    thread.started(json!({"type": "agentMessage", "id": "m", "text": ""}));
    thread.delta("agentMessage/delta", "m", "on");
    thread.delta("agentMessage/delta", "m", "e");
    assert_eq!(
        thread.shown(),
        [json!({"type": "text", "text": {"text": "one"}, "complete": false})]
    );
    let number = thread.view.number();
    thread.completed(json!({"type": "agentMessage", "id": "m", "text": "one"}));
    assert_eq!(thread.view.since(number).unwrap().len(), 1);
    assert!(thread.view.get("m").is_some());
    assert_eq!(
        thread.shown(),
        [json!({"type": "text", "text": {"text": "one"}, "complete": true})]
    );
}

#[test]
fn parts_of_a_thought_are_paragraphs() {
    let mut thread = Thread::new();
    thread.started(json!({"type": "reasoning", "id": "r", "summary": [], "content": []}));
    for (index, delta) in [(0, "a"), (0, "b"), (1, "c")] {
        let params = json!({"threadId": "t", "itemId": "r", "delta": delta, "summaryIndex": index});
        thread.send_notification("item/reasoning/summaryTextDelta", params);
    }
    let params = json!({"threadId": "t", "itemId": "r", "delta": "raw", "contentIndex": 0});
    thread.send_notification("item/reasoning/textDelta", params);
    let number = thread.view.number();
    let item = json!({"type": "reasoning", "id": "r", "summary": ["ab", "c"], "content": ["raw"]});
    thread.completed(item);
    // The text is the same: only `complete` changes.
    assert_eq!(thread.view.since(number).unwrap().len(), 1);
    assert_eq!(
        thread.shown(),
        [json!({"type": "thought", "text": {"text": "ab\n\nc\n\nraw"}, "complete": true})]
    );
}

#[test]
fn a_text_that_starts_over_replaces_what_came_before_and_removes_the_notice() {
    let mut thread = Thread::new();
    let start = json!({"type": "agentMessage", "id": "m", "text": ""});
    let error = json!({"message": "Reconnecting... 2/5", "additionalDetails": "the stream broke"});
    let error = json!({"threadId": "t", "error": error, "willRetry": true});
    thread.started(start.clone());
    thread.delta("agentMessage/delta", "m", "partial");
    thread.send_notification("error", error.clone());
    let Body::Notice(notice) = thread.last() else {
        panic!()
    };
    assert_eq!(notice.kind, NoticeKind::Retrying);
    assert_eq!(
        notice.title,
        "The model request failed: the stream broke; retry 2 of 5"
    );
    thread.started(start.clone());
    thread.delta("agentMessage/delta", "m", "fine");
    let shown = [json!({"type": "text", "text": {"text": "fine"}, "complete": false})];
    assert_eq!(thread.shown(), shown);
    // Without a failure that Codex reports.
    thread.started(start.clone());
    thread.delta("agentMessage/delta", "m", "fine");
    assert_eq!(thread.shown(), shown);
    // A repeated request may have other IDs.
    thread.send_notification("error", error);
    thread.started(with(start, json!({"id": "n"})));
    thread.delta("agentMessage/delta", "n", "fine");
    assert_eq!(thread.shown(), shown);
}

#[test]
fn a_text_that_steering_cut_ends_and_does_not_grow() {
    let mut thread = Thread::new();
    thread.started(json!({"type": "agentMessage", "id": "m", "text": ""}));
    thread.delta("agentMessage/delta", "m", "cut o");
    let content = json!([{"type": "text", "text": "stop"}]);
    let prompt = json!({"type": "userMessage", "id": "u", "clientId": "mine", "content": content});
    thread.started(prompt.clone());
    let text = |text| json!({"type": "text", "text": {"text": text}, "complete": true});
    assert_eq!(thread.shown()[0], text("cut o"));
    thread.completed(prompt);
    thread.delta("agentMessage/delta", "m", "late");
    thread.completed(json!({"type": "agentMessage", "id": "n", "text": "done"}));
    let prompt = json!({"type": "prompt", "text": {"text": "stop"}, "delivery": "delivered"});
    assert_eq!(thread.shown(), [text("cut o"), prompt, text("done")]);
    // The same ID after the end of the turn is another text.
    thread.turn("completed", Value::Null);
    thread.completed(json!({"type": "agentMessage", "id": "m", "text": "again"}));
    assert_eq!(thread.shown().last(), Some(&text("again")));
    assert!(thread.view.get("m#2").is_some());
}

#[test]
fn a_prompt_of_the_host_is_shown_once_and_delivered() {
    let mut thread = Thread::new();
    let message = agentwire_protocol::message::UserMessage::text("hello");
    let (uuid, message) = ("mine", &message);
    thread.view.push(Input::Sent { uuid, message });
    let content = json!([{"type": "text", "text": "hello"}]);
    let item = json!({"type": "userMessage", "id": "u", "clientId": "mine", "content": content});
    thread.started(item.clone());
    thread.completed(item);
    assert_eq!(thread.view.len(), 1);
    let Body::Prompt(prompt) = thread.last() else {
        panic!()
    };
    assert_eq!(prompt.delivery, Delivery::Delivered);
    // Of another client, with an image.
    let content = json!([{"type": "image", "url": "data:image/png;base64,AAAA"},
        {"type": "localImage", "path": "/w/a.png"}, {"type": "mention", "name": "lib.rs"}]);
    thread.completed(json!({"type": "userMessage", "id": "v", "content": content}));
    assert_eq!(
        thread.shown()[1],
        json!({"type": "prompt", "text": {"text": "[lib.rs]"}, "delivery": "delivered",
            "attachments": [{"media_type": "image/png", "data": "AAAA", "size": 3},
                {"url": "/w/a.png"}]})
    );
}

#[test]
fn a_command_shows_its_output_while_it_runs_and_its_exit_code() {
    let mut thread = Thread::new();
    let item = command(
        "cargo test",
        json!([{"type": "unknown", "command": "cargo test"}]),
    );
    thread.started(item.clone());
    thread.delta("commandExecution/outputDelta", "call", "one\n");
    thread.delta("commandExecution/outputDelta", "call", "two\n");
    let call = thread.call("call");
    assert_eq!(
        (&*call.title, call.status),
        ("Run cargo test", Status::InProgress)
    );
    let [Content::Command(shown)] = &call.content[..] else {
        panic!()
    };
    assert_eq!(shown.command.text, "cargo test");
    assert_eq!(shown.output.as_ref().unwrap().text, "one\ntwo\n");
    let end = json!({"status": "failed", "exitCode": 101, "aggregatedOutput": "one\ntwo\nthree\n"});
    thread.completed(with(item, end));
    let call = thread.call("call");
    let [Content::Command(shown)] = &call.content[..] else {
        panic!()
    };
    assert_eq!(shown.output.as_ref().unwrap().text, "one\ntwo\nthree\n");
    assert_eq!((shown.exit_code, call.status), (Some(101), Status::Failed));
}

#[test]
fn a_long_output_is_cut_in_the_middle_while_it_grows() {
    let mut limits = Limits::default();
    limits.output = 400;
    let mut thread = Thread::new();
    thread.view = View::with_limits(limits);
    thread.started(command("yes", json!([])));
    for number in 0..100 {
        thread.delta(
            "commandExecution/outputDelta",
            "call",
            &format!("line {number:03}\n"),
        );
    }
    let [Content::Command(shown)] = &thread.call("call").content[..] else {
        panic!()
    };
    let output = shown.output.as_ref().unwrap();
    assert!(output.text.starts_with("line 000\n") && output.text.ends_with("line 099\n"));
    assert_eq!(
        output.text.len() as u64 + output.omitted.unwrap().bytes,
        900
    );
}

#[test]
fn titles_of_commands_say_what_they_do() {
    let read = |path: &str| json!({"type": "read", "command": "cat", "name": "x", "path": path});
    let search = json!({"type": "search", "command": "rg", "query": "main", "path": "src"});
    for (script, actions, title, kind) in [
        (
            "cat src/lib.rs",
            json!([read("/w/src/lib.rs")]),
            "Read src/lib.rs",
            "read",
        ),
        (
            "rg main src",
            json!([search]),
            "Search for \"main\" in src",
            "search",
        ),
        (
            "ls",
            json!([{"type": "listFiles", "command": "ls"}]),
            "List the files",
            "search",
        ),
        (
            "rg main src; cat a",
            json!([search, read("/w/a")]),
            "Search for \"main\" in src; Read a",
            "search",
        ),
        (
            "cat a; rm a",
            json!([read("/w/a"), {"type": "unknown"}]),
            "Run cat a; rm a",
            "execute",
        ),
        ("cat a", json!([read("a"), {}]), "Run cat a", "execute"),
        ("x", Value::Null, "Run x", "execute"),
    ] {
        let mut thread = Thread::new();
        thread.completed(command(script, actions));
        let shown = &thread.shown()[0];
        assert_eq!(
            (&shown["title"], &shown["kind"]),
            (&title.into(), &kind.into())
        );
    }
}

#[test]
fn a_command_that_runs_after_its_turn_is_in_the_background_until_it_ends() {
    let mut thread = Thread::new();
    let item = with(command("sleep 9", json!([])), json!({"processId": "77"}));
    thread.started(item.clone());
    thread.turn("interrupted", Value::Null);
    let call = thread.call("call");
    let background = call.background.as_ref().unwrap();
    assert_eq!(
        (call.status, &*background.task_id),
        (Status::InProgress, "77")
    );
    // In a later turn.
    thread.turn("completed", Value::Null);
    assert_eq!(thread.call("call").status, Status::InProgress);
    let mut other = View::clone(&thread.view);
    thread.completed(with(item, json!({"status": "completed", "exitCode": 0})));
    let call = thread.call("call");
    assert_eq!((call.status, &call.failure), (Status::Completed, &None));
    assert!(!call.background.as_ref().unwrap().is_running);
    // Or until the session ends.
    other.push(Input::Ended(None));
    let Body::ToolCall(call) = &other.get("call").unwrap().body else {
        panic!()
    };
    assert_eq!(
        call.failure.as_ref().unwrap().reason,
        FailureReason::NoResult
    );
    assert!(!call.background.as_ref().unwrap().is_running);
}

#[test]
fn changes_of_files_are_diffs_with_line_numbers() {
    let mut thread = Thread::new();
    let patch = "@@ -10,3 +10,4 @@ fn main\n a\n--- x\n+b\n+c\n d\n\\ No newline at end of file\n@@ -40 +41 @@\n-e\n+f\n";
    let changes = json!([
        {"path": "/w/old.rs", "kind": {"type": "update", "move_path": null}, "diff": patch},
        {"path": "/w/new.rs", "kind": {"type": "add"}, "diff": "1\n2\n"},
        {"path": "/w/gone.rs", "kind": {"type": "delete"}, "diff": "3\n"},
    ]);
    let item =
        json!({"type": "fileChange", "id": "call", "status": "inProgress", "changes": changes});
    thread.started(item.clone());
    let applied = |thread: &Thread| {
        let content = thread.call("call").content.iter();
        let diffs = content.map(|it| matches!(it, Content::Diff(diff) if diff.applied));
        diffs.collect::<Vec<_>>()
    };
    assert_eq!(applied(&thread), [false; 3]);
    thread.completed(with(item, json!({"status": "completed"})));
    assert_eq!(applied(&thread), [true; 3]);
    let call = &thread.shown()[0];
    assert_eq!(call["title"], "Edit old.rs, new.rs, gone.rs");
    assert_eq!(call["kind"], "edit");
    assert_eq!(
        call["content"][0]["hunks"],
        json!([{"old_start": 10, "new_start": 10, "lines": [" a", "--- x", "+b", "+c", " d"]},
            {"old_start": 40, "new_start": 41, "lines": ["-e", "+f"]}])
    );
    assert_eq!(call["content"][1]["is_new"], true);
    assert_eq!(call["content"][2]["hunks"][0]["lines"], json!(["-3"]));
}

#[test]
fn titles_of_changes_say_what_happens_to_the_file() {
    for (kind, title, shown) in [
        (json!({"type": "update"}), "Edit a", "edit"),
        (
            json!({"type": "update", "move_path": "/w/b"}),
            "Move a to b",
            "move",
        ),
        (json!({"type": "add"}), "Create a", "edit"),
        (json!({"type": "delete"}), "Delete a", "delete"),
    ] {
        let mut thread = Thread::new();
        let changes = json!([{"path": "/w/a", "kind": kind, "diff": ""}]);
        thread.completed(json!({"type": "fileChange", "id": "call", "changes": changes}));
        let call = &thread.shown()[0];
        assert_eq!(
            (&call["title"], &call["kind"]),
            (&title.into(), &shown.into())
        );
    }
}

#[test]
fn other_calls_have_titles_inputs_and_results() {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    for (item, title, input, content) in [
        (
            json!({"type": "mcpToolCall", "server": "db", "tool": "query", "status": "completed",
                "arguments": {"sql": "x"}, "result": {"content": [{"type": "text", "text": "1"}]}}),
            "query (db)",
            Some("{\"sql\":\"x\"}"),
            text("1"),
        ),
        (
            json!({"type": "mcpToolCall", "server": "db", "tool": "query", "status": "failed",
                "arguments": {}, "error": {"message": "gone"}}),
            "query (db)",
            None,
            text("gone"),
        ),
        (
            json!({"type": "dynamicToolCall", "tool": "lookup", "status": "completed",
                "arguments": {"command": "ls", "host": "prod"},
                "contentItems": [{"type": "inputText", "text": "found"}]}),
            "lookup",
            Some("{\"arguments\":{\"command\":\"ls\",\"host\":\"prod\"}}"),
            text("found"),
        ),
        (
            json!({"type": "webSearch", "query": "rust", "action": null,
                "results": [{"url": "https://a.example", "title": "A"}]}),
            "Search the web for \"rust\"",
            None,
            json!([{"type": "attachment", "name": "A", "url": "https://a.example"}]),
        ),
        (
            json!({"type": "imageView", "path": "/w/a.png"}),
            "View a.png",
            None,
            Value::Null,
        ),
        (
            json!({"type": "sleep", "durationMs": 1500}),
            "Wait 2 s",
            None,
            Value::Null,
        ),
        (
            json!({"type": "collabAgentToolCall", "tool": "spawnAgent", "status": "completed",
                "prompt": "Look around."}),
            "Sub-agents: spawn agent",
            None,
            text("Look around."),
        ),
        (
            json!({"type": "newThing", "status": "completed", "what": 1}),
            "New thing",
            Some("{\"what\":1}"),
            Value::Null,
        ),
    ] {
        let mut thread = Thread::new();
        thread.completed(with(item, json!({"id": "call"})));
        let call = &thread.shown()[0];
        assert_eq!(call["title"], title);
        assert_eq!(call["input"]["text"].as_str(), input);
        assert_eq!(call["content"], content, "{title}");
    }
    let mut thread = Thread::new();
    thread.completed(json!({"type": "newThing", "id": "x", "text": "no call"}));
    thread.completed(json!({"id": "x", "status": "completed"}));
    thread.send_notification("new/thing", json!({"threadId": "t"}));
    assert!(thread.view.is_empty());
}

#[test]
fn plans_are_entries() {
    let mut thread = Thread::new();
    let step = |step, status| json!({"step": step, "status": status});
    let todo = json!([step("look", "completed"), step("do", "inProgress")]);
    thread.send_notification("turn/plan/updated", json!({"threadId": "t", "plan": todo}));
    thread.started(json!({"type": "agentMessage", "id": "m", "text": ""}));
    thread.delta("agentMessage/delta", "m", "Sure.\n");
    thread.started(json!({"type": "plan", "id": "p", "text": ""}));
    let words: Vec<String> = (0..500).map(|it| format!("word{it} ")).collect();
    let number = thread.view.number();
    for word in &words {
        thread.delta("plan/delta", "p", word);
    }
    // Changes that replace the text have a linear length.
    assert!(thread.view.since(number).unwrap().len() < 80);
    thread.delta("agentMessage/delta", "m", "Done.");
    thread.completed(json!({"type": "plan", "id": "p", "text": words.concat()}));
    thread.completed(json!({"type": "agentMessage", "id": "m", "text": "Sure.\nDone."}));
    assert_eq!(
        thread.shown(),
        [
            json!({"type": "plan", "status": "completed", "items": [
                {"content": "look", "status": "completed"},
                {"content": "do", "status": "in_progress"}]}),
            json!({"type": "text", "text": {"text": "Sure.\nDone."}, "complete": true}),
            json!({"type": "plan", "text": {"text": words.concat()}, "status": "completed"}),
        ]
    );
}

#[test]
fn notices_say_what_happened() {
    let mut thread = Thread::new();
    let long = "long ".repeat(60);
    let mut tell = |method: &str, params: Value| {
        thread.send_notification(method, params);
        let Body::Notice(notice) = thread.last() else {
            panic!("{method}")
        };
        let detail = notice.detail.as_ref().map(|it| it.text.clone());
        (notice.kind, notice.title.clone(), detail)
    };
    let (kind, _, detail) = tell("warning", json!({"threadId": "t", "message": long}));
    assert_eq!((kind, detail), (NoticeKind::Warning, Some(long)));
    let rerouted = json!({"threadId": "t", "fromModel": "a", "toModel": "b", "reason": "highRisk"});
    assert_eq!(
        tell("model/rerouted", rerouted),
        (
            NoticeKind::ModelChanged,
            "b responds instead of a".to_owned(),
            Some("High risk".to_owned())
        )
    );
    let failed =
        json!({"threadId": "t", "name": "db", "status": "failed", "error": "no such file"});
    assert_eq!(
        tell("mcpServer/startupStatus/updated", failed).1,
        "The MCP server db did not start"
    );
    let run = json!({"status": "blocked", "eventName": "preToolUse",
        "entries": [{"kind": "feedback", "text": "not here"}]});
    assert_eq!(
        tell("hook/completed", json!({"threadId": "t", "run": run})),
        (
            NoticeKind::Hook,
            "Hook \"Pre tool use\": blocked".to_owned(),
            Some("not here".to_owned())
        )
    );
    let item = json!({"type": "contextCompaction", "id": "c"});
    assert_eq!(
        tell("item/completed", json!({"threadId": "t", "item": item})).0,
        NoticeKind::Compacted
    );
    assert!(thread.view.get("c").is_some());
}

#[test]
fn a_rate_limit_is_a_notice_once_per_window() {
    let mut thread = Thread::new();
    let mut limit = |used: u64, resets: u64| {
        let window = json!({"usedPercent": used, "windowDurationMins": 300, "resetsAt": resets});
        let limits = json!({"rateLimits": {"primary": window, "secondary": null}});
        thread.send_notification("account/rateLimits/updated", limits);
        thread.view.len()
    };
    let counts =
        [(50, 1), (91, 1), (92, 1), (100, 1), (10, 2), (95, 2)].map(|it| limit(it.0, it.1));
    assert_eq!(counts, [0, 1, 1, 2, 2, 3]);
    let title = |it: &Value| it["title"].as_str().unwrap().to_owned();
    let titles: Vec<String> = thread.shown().iter().map(title).collect();
    assert_eq!(titles[0], "91 % of the 5-hour limit is used");
    assert_eq!(titles[1], "The 5-hour limit is reached");
}

#[test]
fn the_end_of_a_turn_has_its_outcome_its_tokens_and_what_to_do() {
    let mut thread = Thread::new();
    let usage = |total: u64| {
        let last = json!({"inputTokens": 100, "cachedInputTokens": 60,
            "cacheWriteInputTokens": 10, "outputTokens": 5});
        json!({"threadId": "t", "tokenUsage": {"total": {"totalTokens": total}, "last": last}})
    };
    thread.send_notification("turn/started", json!({"threadId": "t"}));
    assert_eq!(thread.view.session().activity, Activity::Running);
    for total in [105, 105, 210] {
        thread.send_notification("thread/tokenUsage/updated", usage(total));
    }
    thread.turn("completed", Value::Null);
    assert_eq!(
        thread.shown(),
        [
            json!({"type": "turn_end", "outcome": "completed", "duration_ms": 12,
            "tokens": {"input": 60, "cache_read": 120, "cache_write": 20, "output": 10}})
        ]
    );
    assert_eq!(thread.view.session().activity, Activity::Idle);
    for (info, advice) in [
        (json!("usageLimitExceeded"), "Wait until"),
        (
            json!({"httpConnectionFailed": {"httpStatusCode": 401}}),
            "Log in",
        ),
        (
            json!({"responseStreamDisconnected": {"httpStatusCode": null}}),
            "Check the network",
        ),
        (json!("newKind"), ""),
    ] {
        let error = json!({"message": "It broke.", "codexErrorInfo": info});
        let mut thread = Thread::new();
        thread.turn("failed", error);
        let Body::TurnEnd(end) = thread.last() else {
            panic!()
        };
        assert_eq!(end.outcome, Outcome::Failed);
        let message = end.message.as_deref().unwrap();
        assert!(
            message.starts_with("It broke.") && message.contains(advice),
            "{message}"
        );
    }
}

#[test]
fn frames_of_other_threads_are_not_shown() {
    let mut thread = Thread::new();
    let item = json!({"type": "agentMessage", "id": "m", "text": "other"});
    thread.send_notification("item/completed", json!({"threadId": "u", "item": item}));
    let params = json!({"threadId": "u", "itemId": "x", "command": "ls"});
    thread.send_request("1", "item/commandExecution/requestApproval", params);
    assert!(thread.view.is_empty());
}

#[test]
fn the_session_has_a_title_and_an_activity() {
    let mut thread = Thread::new();
    thread.send_notification(
        "thread/name/updated",
        json!({"threadId": "t", "threadName": "Fix it"}),
    );
    let status = json!({"type": "active", "activeFlags": ["waitingOnApproval"]});
    thread.send_notification(
        "thread/status/changed",
        json!({"threadId": "t", "status": status}),
    );
    assert_eq!(
        serde_json::to_value(thread.view.session()).unwrap(),
        json!({"session_id": "t", "title": "Fix it", "cwd": "/w", "model": "gpt-5.5",
            "activity": "requires_action"})
    );
}
