//! Tests of the requests of the host.

use crate::agent::session::Session;
use agentwire_protocol::control::{
    HostRequest, Initialize, Interrupt, SetModel, SetPermissionMode,
};
use agentwire_protocol::host::RequestFailure;
use agentwire_protocol::permission::PermissionMode;
use agentwire_testkit::agent::Event;
use serde::Serialize;
use serde_json::{Value, json};

#[test]
fn requests_get_their_responses() {
    let mut session = Session::new();
    session.request("r2", &SetPermissionMode::to(PermissionMode::AcceptEdits));
    assert_eq!(session.answer("r2"), json!({"mode": "acceptEdits"}));
    assert_eq!(session.lines(), ["success r2", "status"]);
    // Setting the current mode sends no message.
    session.request("r3", &SetPermissionMode::to(PermissionMode::AcceptEdits));
    assert_eq!(session.lines(), ["success r3"]);

    // A second `initialize` is answered too.
    session.request("init2", &Initialize::default());
    assert_eq!(session.answer("init2")["pid"], json!(1));
}

#[test]
fn the_driver_responds_to_other_requests() {
    let mut session = Session::new();
    // Before the first turn a new model sends no message.
    session.agent.set_model("m-1");
    assert_eq!(session.lines(), [""; 0]);
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.say_text("hello");
    session.end_turn();
    session.lines();
    session.request("r1", &SetModel::to("m-2"));
    let Some(Event::Requested {
        request_id,
        request,
    }) = session.event()
    else {
        panic!("expected a request for the driver")
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
    assert_eq!(session.lines(), ["user -", "success r1"]);
    assert_eq!(session.answer("r1"), payload);
    // Setting the current model sends no message.
    session.agent.set_model("m-2");
    assert_eq!(session.lines(), [""; 0]);
}

#[test]
fn a_new_model_is_reported_after_an_interrupted_first_turn() {
    let mut session = Session::new();
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.request("stop", &Interrupt::default());
    session.lines();
    session.agent.set_model("m-2");
    assert_eq!(session.lines(), ["user -"]);
}

/// A request in wire format.
#[derive(Serialize)]
struct Raw(Value);

impl HostRequest for Raw {
    const SUBTYPE: &'static str = "raw";
    type Response = Option<Value>;
}

#[test]
fn irrelevant_members_may_have_any_type() {
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
        assert!(session.response(id).is_ok(), "{id}");
    }
}

#[test]
fn unsupported_requests_are_errors_with_a_code() {
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
        let outcome = session.response(id).map_err(|failure| *failure);
        let Err(RequestFailure::Refused { refusal, .. }) = outcome else {
            panic!()
        };
        assert_eq!(refusal.code.as_deref(), Some(code));
    }
}

#[test]
fn the_response_to_initialize_lists_the_applied_members() {
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
