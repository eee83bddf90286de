//! Requests of the host.

use crate::agent::session::Session;
use agentwire_protocol::control::{HostRequest, Initialize, SetModel, SetPermissionMode};
use agentwire_protocol::host::RequestFailure;
use agentwire_protocol::permission::PermissionMode;
use agentwire_testkit::agent::Event;
use serde::Serialize;
use serde_json::{Value, json};

#[test]
fn requests_are_answered_as_the_agent_answers_them() {
    let mut session = Session::new();
    session.request("r2", &SetPermissionMode::to(PermissionMode::AcceptEdits));
    assert_eq!(session.answer("r2"), json!({"mode": "acceptEdits"}));
    assert_eq!(session.said(), ["success r2", "status"]);
    // A mode that is in force already is not told.
    session.request("r3", &SetPermissionMode::to(PermissionMode::AcceptEdits));
    assert_eq!(session.said(), ["success r3"]);

    // A second greeting is answered as well.
    session.request("init2", &Initialize::default());
    assert_eq!(session.answer("init2")["pid"], json!(1));
}

#[test]
fn a_request_that_is_not_about_the_session_is_for_the_driver() {
    let mut session = Session::new();
    // Before the first turn a new model is not told.
    session.agent.set_model("m-1");
    assert_eq!(session.said(), [""; 0]);
    session.submit("m1");
    session.begins(&["m1"]);
    session.says("hello");
    session.ends_turn();
    session.said();
    session.request("r1", &SetModel::to("m-2"));
    let Some(Event::Requested {
        request_id,
        request,
    }) = session.event()
    else {
        panic!("the request does not come out")
    };
    assert_eq!(request_id, "r1");
    assert_eq!(
        request.member("model").unwrap().read::<String>().unwrap(),
        "m-2"
    );
    session.agent.set_model("m-2");
    let payload = json!({"model": "m-2"});
    session
        .agent
        .respond("r1", Ok(Some(payload.clone().into())));
    assert_eq!(session.said(), ["user -", "success r1"]);
    assert_eq!(session.answer("r1"), payload);
    // The same model again is not told.
    session.agent.set_model("m-2");
    assert_eq!(session.said(), [""; 0]);
}

/// A request as it stands.
#[derive(Serialize)]
struct Raw(Value);

impl HostRequest for Raw {
    const SUBTYPE: &'static str = "raw";
    type Answer = Option<Value>;
}

#[test]
fn members_that_do_not_matter_to_the_cli_may_be_anything() {
    let mut session = Session::new();
    for (id, request) in [
        ("r1", json!({"subtype": "mcp_message", "server_name": 7})),
        ("r2", json!({"subtype": "mcp_message"})),
        (
            "r3",
            json!({"subtype": "interrupt", "cancel_queued": "yes"}),
        ),
    ] {
        session.request(id, &Raw(request));
        assert!(session.outcome(id).is_ok(), "{id}");
    }
}

#[test]
fn requests_that_the_agent_does_not_take_are_refused_with_a_code() {
    let mut session = Session::new();
    for (id, request, code) in [
        (
            "r1",
            json!({"subtype": "set_permission_mode", "mode": "careless"}),
            "invalid_mode",
        ),
        (
            "r2",
            json!({"subtype": "set_permission_mode", "mode": "bypassPermissions"}),
            "bypass_not_launched",
        ),
        (
            "r3",
            json!({"subtype": "initialize", "hooks": 7}),
            "invalid_request",
        ),
    ] {
        session.request(id, &Raw(request));
        let outcome = session.outcome(id).map_err(|failure| *failure);
        let Err(RequestFailure::Refused { refusal, .. }) = outcome else {
            panic!()
        };
        assert_eq!(refusal.code.as_deref(), Some(code));
    }
}

#[test]
fn the_greeting_says_which_of_what_it_brought_was_taken() {
    let mut session = Session::new();
    let request = |it: Value| serde_json::from_value::<Initialize>(it).unwrap();
    for (given, value, taken) in [
        ("settings", json!({}), "settings_applied"),
        ("managedSettings", json!({}), "managed_settings_applied"),
        ("mcpServers", json!({}), "mcp_servers_applied"),
        ("plugins", json!([]), "plugins_applied"),
    ] {
        session.request(given, &request(json!({ given: value })));
        assert_eq!(session.answer(given)[taken], json!(true), "{given}");
        session.request("none", &request(json!({})));
        assert_eq!(session.answer("none")[taken], Value::Null, "{given}");
    }
}
