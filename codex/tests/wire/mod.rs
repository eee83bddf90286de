//! Tests of the types of messages.

mod frames;
mod generated;

use agentwire_codex::wire::*;
use agentwire_protocol::{Json, is_same_value};
use frames::{NOTIFICATIONS, REQUESTS, RESULTS};
use serde_json::json;

fn of_value<T: serde::Serialize>(value: &T) -> Json {
    Json::from_value(value).unwrap()
}

/// Reads the parameters of a request of the client, or its result, and writes them. Returns
/// `None` if the request has no type, and the faults if the value does not fit.
pub(crate) fn client_request(
    method: &str,
    params: Option<&Json>,
    result: Option<&Json>,
) -> Option<Result<Json, String>> {
    macro_rules! requests {
        ($($request:ident)*; $($without:ident)*) => {
            match (method, params, result) {
                $( ($request::METHOD, Some(params), _) => {
                    let read = params.read::<$request>();
                    Some(read.map(|it| of_value(&it)).map_err(|it| it.to_string()))
                } )*
                $( ($request::METHOD, None, Some(result)) => requests!(@ $request result), )*
                $( ($without::METHOD, None, Some(result)) => requests!(@ $without result), )*
                _ => None,
            }
        };
        (@ $request:ident $result:ident) => {{
            let read = $request::response($result);
            Some(read.map(|it| of_value(&it)).map_err(|it| format!("{it:?}")))
        }};
    }
    requests! {
        Initialize ThreadStart ThreadResume ThreadFork ThreadList ThreadRead ThreadTurnsList
        ThreadItemsList ThreadArchive ThreadUnarchive ThreadDelete ThreadUnsubscribe ThreadNameSet
        ThreadRevert ThreadCompactStart ThreadSettingsUpdate BackgroundTerminalsList
        BackgroundTerminalsTerminate BackgroundTerminalsClean TurnStart TurnSteer TurnInterrupt
        ModelList AccountRead AccountLogin McpServerStatusList ConfigRead;
        AccountLogout AccountRateLimitsRead
    }
}

#[track_caller]
pub(crate) fn assert_same(read: &str, written: &Json) {
    assert!(
        is_same_value(read, written.get()).unwrap(),
        "\n read    {read}\n written {written}"
    );
}

fn json(value: serde_json::Value) -> Json {
    value.into()
}

fn notification(method: &str, params: serde_json::Value) -> Notification {
    Notification::read(method, &json(params))
}

#[test]
fn frames_have_types_and_are_written_as_they_were_read() {
    for (method, text) in NOTIFICATIONS {
        let read = Notification::read(method, &text.parse().unwrap());
        let has_no_type = matches!(
            read,
            Notification::Unknown { .. } | Notification::Unreadable { .. }
        );
        assert!(!has_no_type, "{read:?}");
        assert_eq!(read.method(), *method);
        assert_same(text, &read.params());
    }
    for (method, text) in REQUESTS {
        let read = AgentRequest::read(method, &text.parse().unwrap());
        let has_no_type = matches!(
            read,
            AgentRequest::Unknown { .. } | AgentRequest::Unreadable { .. }
        );
        assert!(!has_no_type, "{read:?}");
        assert_eq!(read.method(), *method);
        assert_same(text, &read.params());
    }
    for (method, text) in RESULTS {
        let read = client_request(method, None, Some(&text.parse().unwrap()));
        assert_same(text, &read.unwrap().unwrap());
    }
}

#[test]
fn unknown_methods_keep_their_parameters() {
    let params = json(json!({ "threadId": "t", "n": 1 }));
    let read = Notification::read("thread/goal/cleared", &params);
    assert!(matches!(read, Notification::Unknown { .. }), "{read:?}");
    assert_eq!(read.method(), "thread/goal/cleared");
    assert_eq!(read.params(), params);
}

#[test]
fn an_invalid_member_of_a_notification_costs_only_that_member() {
    let params = json!({ "threadId": "t", "turn": {
        "id": "u", "status": "completed", "items": [7, { "type": "plan", "id": "p", "text": [] }],
        "durationMs": "long", "error": { "message": "no" } } });
    let Notification::TurnCompleted(read) = notification("turn/completed", params.clone()) else {
        panic!("it is read");
    };
    assert_eq!(read.turn.status, TurnStatus::Completed);
    assert_eq!(read.turn.duration_ms, None);
    assert_eq!(read.turn.error.as_ref().unwrap().message, "no");
    let [Item::Plan(plan)] = &read.turn.items[..] else {
        panic!("{:?}", read.turn.items);
    };
    assert_eq!(plan.id, "p");
    assert_same(&params.to_string(), &Json::from_value(&read).unwrap());
}

#[test]
fn a_notification_without_a_necessary_member_is_unreadable() {
    for (params, path) in [
        (
            json!({ "turn": { "id": "u", "status": "failed", "items": [] } }),
            "threadId",
        ),
        (
            json!({ "threadId": 1, "turn": { "id": "u", "status": "failed", "items": [] } }),
            "threadId",
        ),
        (
            json!({ "threadId": "t", "turn": { "status": "failed", "items": [] } }),
            "turn.id",
        ),
        (json!({ "threadId": "t", "turn": null }), "turn"),
        (json!(null), "."),
        (json!([]), "."),
    ] {
        let read = notification("turn/completed", params.clone());
        let Notification::Unreadable { faults, .. } = &read else {
            panic!("{read:?}");
        };
        assert!(faults.iter().any(|fault| fault.path == path), "{faults:?}");
        assert_eq!(read.params(), json(params));
    }
}

#[test]
fn a_status_without_a_kind_is_unreadable() {
    let params = json!({ "threadId": "t", "status": { "activeFlags": [] } });
    let read = notification("thread/status/changed", params);
    assert!(matches!(read, Notification::Unreadable { .. }), "{read:?}");
}

#[test]
fn an_unknown_item_has_its_id() {
    let params = json!({ "threadId": "t", "turnId": "u", "startedAtMs": 1,
        "item": { "type": "hologram", "id": "i\n1", "frames": 9 } });
    let Notification::ItemStarted(read) = notification("item/started", params) else {
        panic!("it is read");
    };
    assert!(matches!(read.item, Item::Unknown(_)), "{:?}", read.item);
    assert_eq!(read.item.id().as_deref(), Some("i\n1"));
    assert_eq!(read.item.tag().as_deref(), Some("hologram"));
}

#[test]
fn an_invalid_member_makes_a_request_unreadable() {
    for (method, text) in REQUESTS {
        let params: serde_json::Value = serde_json::from_str(text).unwrap();
        for name in params.as_object().unwrap().keys() {
            // These have no type, or may be any value.
            if [
                "environmentId",
                "autoResolutionMs",
                "_meta",
                "arguments",
                "permissions",
            ]
            .contains(&name.as_str())
                || ["requestedSchema", "additionalPermissions"].contains(&name.as_str())
            {
                continue;
            }
            let mut params = params.clone();
            params[name] = json!({ "not": "valid" });
            let read = AgentRequest::read(method, &json(params.clone()));
            let AgentRequest::Unreadable { faults, .. } = &read else {
                panic!("{name}: {read:?}");
            };
            assert!(
                faults.iter().any(|fault| fault.path.starts_with(name)),
                "{name}: {faults:?}"
            );
            assert_eq!(read.params(), json(params));
        }
    }
}

#[test]
fn values_unknown_to_this_version_are_not_read_as_known_ones() {
    let mut params: serde_json::Value = serde_json::from_str(REQUESTS[0].1).unwrap();
    params["kind"] = "newKind".into();
    params["availableDecisions"] = json!(["acceptAll", { "acceptForEver": {} }, 7]);
    let AgentRequest::CommandApproval(read) = AgentRequest::read(REQUESTS[0].0, &json(params))
    else {
        panic!("it is read");
    };
    assert_eq!(
        read.kind,
        Some(CommandApprovalKind::Unknown("newKind".into()))
    );
    let decisions = read.available_decisions.unwrap();
    assert_eq!(decisions[0], Decision::Unknown("acceptAll".into()).into());
    let CommandDecision::Object(amendment) = &decisions[1] else {
        panic!("{decisions:?}");
    };
    assert_eq!(amendment.exec_policy, None);
    assert_eq!(decisions[2], CommandDecision::Unknown(json(json!(7))));
}

#[test]
fn the_approval_of_a_tool_is_recognised_by_its_metadata() {
    let elicitation = |index: usize| {
        let (method, text): (&str, &str) = REQUESTS[index];
        match AgentRequest::read(method, &text.parse().unwrap()) {
            AgentRequest::Elicitation(read) => read,
            other => panic!("{other:?}"),
        }
    };
    assert!(elicitation(4).is_tool_approval());
    assert!(!elicitation(5).is_tool_approval());
}

#[test]
fn a_response_without_a_necessary_member_is_an_error() {
    for name in ["thread", "approvalPolicy", "approvalsReviewer", "sandbox"] {
        let mut result: serde_json::Value = serde_json::from_str(RESULTS[1].1).unwrap();
        result.as_object_mut().unwrap().remove(name);
        let faults = ThreadStart::response(&json(result)).unwrap_err();
        assert!(faults.iter().any(|fault| fault.path == name), "{faults:?}");
    }
    let result = json(json!({ "type": "chatgpt", "loginId": "l" }));
    let faults = AccountLogin::response(&result).unwrap_err();
    assert_eq!(faults[0].path, "authUrl");

    let mut result: serde_json::Value = serde_json::from_str(RESULTS[1].1).unwrap();
    result["instructionSources"] = json!(7);
    result["thread"]["createdAt"] = json!("today");
    let read = ThreadStart::response(&json(result)).unwrap();
    assert_eq!(read.approval_policy, NamedPolicy::Untrusted.into());
    assert!(
        matches!(read.sandbox, SandboxPolicy::ReadOnly(_)),
        "{read:?}"
    );
}

#[test]
fn requests_and_decisions_have_the_form_that_codex_expects() {
    let mut start = ThreadStart::default();
    start.cwd = Some("/w".into());
    start.approval_policy = Some(NamedPolicy::OnRequest.into());
    start.sandbox = Some(SandboxMode::DangerFullAccess);
    assert_same(
        r#"{"cwd":"/w","approvalPolicy":"on-request","sandbox":"danger-full-access"}"#,
        &Json::from_value(&start).unwrap(),
    );

    let mut turn = TurnStart::default();
    turn.thread_id = "t".into();
    turn.input = vec![UserInput::text("Hello"), UserInput::local_image("/w/a.png")];
    turn.sandbox_policy = Some(WorkspaceWrite::default().into());
    assert_same(
        r#"{"threadId":"t","input":[{"type":"text","text":"Hello"},{"type":"localImage","path":"/w/a.png"}],"sandboxPolicy":{"type":"workspaceWrite"}}"#,
        &Json::from_value(&turn).unwrap(),
    );
    assert_same("null", &Json::from_value(&AccountLogout).unwrap());

    let decision = CommandDecision::from(Decision::AcceptForSession);
    assert_same(
        r#""acceptForSession""#,
        &Json::from_value(&decision).unwrap(),
    );
    let mut amendment = ExecPolicyAmendment::default();
    amendment.prefix = vec!["touch".into()];
    let mut decision = CommandAmendment::default();
    decision.exec_policy = Some(amendment);
    assert_same(
        r#"{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch"]}}"#,
        &Json::from_value(&CommandDecision::from(decision)).unwrap(),
    );
}
