//! Requests of the host.

use crate::session::Session;
use agentwire_protocol::control::{HostRequest, Initialize, SetModel, SetPermissionMode};
use agentwire_protocol::host::RequestFailure;
use agentwire_protocol::permission::PermissionMode;
use serde::Serialize;
use serde_json::{Value, json};

#[test]
fn requests_are_answered_as_the_agent_answers_them() {
    let mut session = Session::new();
    session.request("r1", &SetModel::to("m-2"));
    assert_eq!(session.answer("r1"), json!({"model": "m-2"}));
    session.request("r2", &SetPermissionMode::to(PermissionMode::AcceptEdits));
    assert_eq!(session.answer("r2"), json!({"mode": "acceptEdits"}));
    assert_eq!(
        session.said(),
        ["user -", "success r1", "success r2", "status"]
    );

    // A second greeting is answered as well.
    session.request("init2", &Initialize::default());
    assert_eq!(session.answer("init2")["pid"], json!(1));
}

#[test]
fn requests_that_the_agent_does_not_take_are_refused_with_a_code() {
    #[derive(Serialize)]
    struct Raw(Value);
    impl HostRequest for Raw {
        const SUBTYPE: &'static str = "raw";
        type Answer = Value;
    }
    let mut session = Session::new();
    for (id, request, code) in [
        ("r1", json!({"subtype": "sing"}), "unsupported_request"),
        (
            "r2",
            json!({"subtype": "set_model", "model": 7}),
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

    // And one that is done without anything to say.
    let request = json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 1});
    session.request("r3", &Raw(request));
    assert_eq!(session.outcome("r3").unwrap().response, None);
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
