//! Approvals and questions.

use super::*;

#[test]
fn an_approval_shows_what_it_asks_and_how_it_was_settled() {
    let mut thread = Thread::new();
    let item = command("touch a", json!([]));
    thread.started(item.clone());
    let params = json!({"threadId": "t", "itemId": "call", "command": item["command"], "cwd": "/w",
        "kind": "command", "reason": "May I?"});
    thread.send_request("7", "item/commandExecution/requestApproval", params);
    assert_eq!(thread.call("call").status, Status::Pending);
    assert_eq!(
        thread.shown()[1],
        json!({"type": "approval", "request_id": "7", "tool_call": "call", "title": "Run touch a",
            "reason": "May I?", "always": ["Allow this for the session"],
            "content": [{"type": "command", "command": {"text": "touch a"}}]})
    );
    assert_eq!(thread.view.session().activity, Activity::RequiresAction);
    let mut accepted = (thread.feed.clone(), thread.view.clone());
    accepted.0.finish_request(&mut accepted.1, "7", false);
    let Body::ToolCall(call) = &accepted.1.get("call").unwrap().body else {
        panic!()
    };
    assert_eq!((call.status, accepted.1.len()), (Status::InProgress, 1));
    thread.feed.finish_request(&mut thread.view, "7", true);
    let denied = |thread: &Thread| thread.call("call").failure.as_ref().map(|it| it.reason);
    assert_eq!(denied(&thread), Some(FailureReason::DeniedByUser));
    thread.completed(with(item, json!({"status": "declined"})));
    assert_eq!(denied(&thread), Some(FailureReason::DeniedByUser));
    assert_eq!(thread.view.len(), 1);
}

#[test]
fn an_approval_that_an_interrupt_cancels_is_removed() {
    let mut thread = Thread::new();
    let item = command("touch a", json!([]));
    thread.started(item.clone());
    let params = json!({"threadId": "t", "itemId": "call", "command": item["command"]});
    thread.send_request("7", "item/commandExecution/requestApproval", params);
    thread.turn("interrupted", Value::Null);
    thread.send_notification(
        "serverRequest/resolved",
        json!({"threadId": "t", "requestId": 7}),
    );
    let call = thread.call("call");
    assert_eq!(
        call.failure.as_ref().unwrap().reason,
        FailureReason::Interrupted
    );
    assert_eq!((call.status, thread.view.len()), (Status::Failed, 2));
    // Another call with its ID.
    thread.started(item);
    assert_eq!(thread.call("call").status, Status::Failed);
    assert_eq!(thread.call("call#2").status, Status::InProgress);
}

#[test]
fn a_command_within_a_command_has_an_approval_of_its_own() {
    let mut thread = Thread::new();
    thread.started(command("./script", json!([])));
    let params = json!({"threadId": "t", "itemId": "call", "approvalId": "x", "command": "rm a",
        "cwd": "/other"});
    thread.send_request("7", "item/commandExecution/requestApproval", params);
    let Body::Approval(approval) = thread.last() else {
        panic!()
    };
    assert_eq!(approval.title, "Run rm a (in /other)");
    let [Content::Command(command)] = &approval.content[..] else {
        panic!()
    };
    assert_eq!(command.command.text, "rm a");
    thread.feed.finish_request(&mut thread.view, "7", false);
    assert_eq!(thread.call("call#2").status, Status::Completed);
    assert_eq!(thread.call("call").status, Status::InProgress);
}

#[test]
fn approvals_of_files_tools_and_permissions_show_what_they_allow() {
    let mut thread = Thread::new();
    let changes = json!([{"path": "/w/a", "kind": {"type": "add"}, "diff": "1\n"}]);
    thread.started(
        json!({"type": "fileChange", "id": "f", "status": "inProgress", "changes": changes}),
    );
    let params = json!({"threadId": "t", "itemId": "f", "reason": null, "grantRoot": "/w"});
    thread.send_request("1", "item/fileChange/requestApproval", params);
    thread.started(
        json!({"type": "mcpToolCall", "id": "m", "status": "inProgress", "server": "db",
        "tool": "drop", "arguments": {"table": "a"}}),
    );
    let meta = json!({"codex_approval_kind": "mcp_tool_call", "tool_name": "drop",
        "tool_params": {"table": "a"}, "persist": ["session"]});
    let params = json!({"threadId": "t", "serverName": "db", "mode": "form", "_meta": meta});
    thread.send_request("2", "mcpServer/elicitation/request", params);
    let params = json!({"threadId": "t", "itemId": "p", "reason": "To build",
        "permissions": {"network": {"enabled": true}}});
    thread.send_request("3", "item/permissions/requestApproval", params);
    let shown = thread.shown();
    let [file, tool, more] = &shown[3..] else {
        panic!("{shown:?}")
    };
    assert_eq!(file["title"], "Create a");
    assert_eq!(file["reason"], "Allows changes below /w for the session.");
    assert_eq!(file["content"][0]["hunks"][0]["lines"], json!(["+1"]));
    assert_eq!(
        (&tool["title"], &tool["tool_call"]),
        (&"drop (db)".into(), &"m".into())
    );
    assert_eq!(tool["content"][0]["text"], "{\"table\":\"a\"}");
    assert_eq!(
        (&more["title"], &more["reason"]),
        (&"Grant permissions".into(), &"To build".into())
    );
    assert_eq!(
        more["content"][0]["text"],
        "{\"permissions\":{\"network\":{\"enabled\":true}}}"
    );
    thread.feed.finish_request(&mut thread.view, "3", true);
    assert_eq!(thread.call("p").status, Status::Failed);
}

#[test]
fn questions_of_the_model_and_of_servers_are_entries() {
    let mut thread = Thread::new();
    let options = json!([{"label": "Red", "description": "warm"}]);
    let question = json!({"id": "c", "header": "Colour", "question": "Which?", "options": options});
    let params = json!({"threadId": "t", "itemId": "q", "questions": [question]});
    thread.send_request("1", "item/tool/requestUserInput", params);
    let question = json!({"type": "question", "request_id": "1", "status": "pending", "questions": [
        {"header": "Colour", "question": "Which?", "multiple": false,
            "choices": [{"label": "Red", "description": "warm"}]}]});
    assert_eq!(thread.shown(), [question]);
    thread.feed.finish_request(&mut thread.view, "1", false);
    assert_eq!(thread.shown()[0]["status"], "completed");
    assert_eq!(thread.shown()[0]["request_id"], Value::Null);
    let params = json!({"threadId": "t", "serverName": "db", "mode": "url", "message": "Log in",
        "url": "https://a.example"});
    thread.send_request("2", "mcpServer/elicitation/request", params);
    let shown = &thread.shown()[1];
    assert_eq!(
        (&shown["server"], &shown["url"]),
        (&"db".into(), &"https://a.example".into())
    );
    thread.turn("interrupted", Value::Null);
    assert_eq!(thread.shown()[1]["request_id"], Value::Null);
}
