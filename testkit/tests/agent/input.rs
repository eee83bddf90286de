//! Tests of invalid input.

use crate::agent::session::Session;
use agentwire_protocol::host::Activity;
use agentwire_testkit::agent::Event;

/// Returns a session whose agent has received this line.
fn agent_after(line: &str) -> Session {
    let mut session = Session::new();
    session
        .agent
        .handle_input(session.now, format!("{line}\n").as_bytes());
    session
}

#[test]
fn invalid_input_exits_the_agent() {
    for line in [
        "not json",
        r#"{"type":"user""#,
        "{} {}",
        "null",
        " null\t",
        "\u{feff}\u{feff}{}",
        "{}\u{feff}",
        "\u{a0}{}",
        "\0",
        r#"{"type":"control_request","request_id":"r1"}"#,
        r#"{"type":"user","message":{"role":"assistant","content":"x"}}"#,
        r#"{"type":"user","message":{"content":"x"}}"#,
        r#"{"type":"user"}"#,
    ] {
        let mut session = agent_after(line);
        let event = session.event();
        let Some(Event::Exit {
            code: 1,
            message: Some(_),
        }) = event
        else {
            panic!("{line}: {event:?}")
        };
        // Later input is ignored.
        session
            .agent
            .handle_input(session.now, b"not json\n{\"type\":\"user\"}\n");
        session.agent.handle_input_end(session.now);
        assert_eq!(session.event(), None);
    }
}

#[test]
fn unknown_input_is_ignored() {
    for line in [
        "[1,2]",
        "7",
        "true",
        r#""text""#,
        "\u{feff}",
        "\u{feff}{}",
        " \u{a0}\u{2028}",
        "",
        r#"{"hello":1}"#,
        r#"{"type":7}"#,
        r#"{"type":"weather"}"#,
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"nobody"}}"#,
        r#"{"type":"control_response"}"#,
        r#"{"type":"control_cancel_request","request_id":"nobody"}"#,
        r#"{"type":"keep_alive"}"#,
    ] {
        let mut session = agent_after(line);
        assert_eq!(session.event(), None, "{line}");
        assert_eq!(session.lines(), Vec::<String>::new());
        session.submit("m1");
        session.assert_turn_starts(&["m1"]);
    }
}

#[test]
fn a_message_without_an_id_has_no_lifecycle() {
    let mut session = agent_after(r#"{"type":"user","message":{"role":"user","content":"x"}}"#);
    session.assert_turn_starts(&[]);
    session.say_text("done");
    session.end_turn();
    assert_eq!(
        session.lines_without_events(),
        [
            "running",
            "init [-]",
            "status",
            "assistant text",
            "result success completed [-]",
            "idle"
        ]
    );
    assert_eq!(session.host.activity(), Activity::Idle);
}

#[test]
fn a_request_with_a_bom_and_invalid_utf_8_is_read() {
    let mut session = Session::new();
    let request = b"\xef\xbb\xbf{\"type\":\"control_request\",\"request_id\":\"r\xff\",\
        \"request\":{\"subtype\":\"mcp_status\"}}\n";
    session.agent.handle_input(session.now, request);
    assert_eq!(session.event(), None);
    let said = session.lines().join("\n");
    assert!(said.contains("r\u{fffd}"), "{said}");
}
