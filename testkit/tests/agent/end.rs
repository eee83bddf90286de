//! Tests of the exit of an agent.

use crate::agent::session::{Session, input, pending_permissions};
use agentwire_protocol::message::Priority;
use agentwire_protocol::permission::PermissionResult;
use agentwire_testkit::agent::{Decision, ToolCall};
use std::time::Duration;

#[test]
fn an_idle_agent_exits_at_the_end_of_its_input() {
    let mut session = Session::new();
    session.host.finish(session.now, Duration::ZERO);
    assert_eq!(session.exit_status(), 0);
    assert_eq!(session.event(), None);
}

#[test]
fn finishing_waits_for_the_end_of_the_turn() {
    let mut session = Session::new();
    session.submit("m1");
    session.submit_at("m2", Some(Priority::Later));
    session.host.finish(session.now, Duration::ZERO);
    session.assert_turn_starts(&["m1"]);
    session.call_tools(&["t1"]);
    let id = session.permission_request_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.finish_tool("t1", "done", false);
    session.finish_tools();
    session.say_text("done");
    session.end_turn();
    session.assert_turn_starts(&["m2"]);
    session.say_text("done");
    session.end_turn();
    assert_eq!(session.exit_status(), 0);
    session.host_events.clear();
    session.host.handle_input_end(session.now);
    session.host.handle_end();
    session.transfer_all();
    assert_eq!(session.host_events, []);
}

#[test]
fn a_turn_continues_after_the_end_of_the_input() {
    let mut session = Session::new();
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.start_text("once");
    session.submit("m2");
    session.transfer_all();
    session.host.end();
    assert_eq!(session.event(), None);
    session.agent.stop_block();
    session.agent.stop_message();
    session.end_turn();
    session.assert_turn_starts(&["m2"]);
    session.say_text("done");
    session.end_turn();
    assert_eq!(session.exit_status(), 0);
}

#[test]
fn a_pending_permission_request_is_denied_at_the_end_of_the_input() {
    let mut session = pending_permissions(&["t1"]);
    let id = session.permission_request_id();
    session.host.end();
    assert!(matches!(session.decision("t1"), Decision::Denied(_)));
    assert_eq!(session.lines(), ["running"]);

    // A later permission request is denied, too.
    session
        .agent
        .call_tool(session.now, ToolCall::new("t2", "Bash", input("t2")));
    assert!(matches!(session.decision("t2"), Decision::Denied(_)));
    assert_eq!(session.lines(), Vec::<String>::new());
    session.finish_tool("t1", "denied", true);
    let result = session.messages("user", None).pop().unwrap();
    let decision = &result["tool_result_meta"][0]["permission_decision"];
    assert_eq!(decision["reason_type"], "other", "{result}");
    session.finish_tools();
    session.end_turn();
    assert_eq!(session.exit_status(), 0);
    assert!(
        session
            .lines()
            .contains(&"result success completed [m1]".to_owned())
    );
    // The agent does not cancel the request; the host closes it on the tool
    // result.
    assert!(!session.host.is_open(&id));
}

#[test]
fn an_api_error_in_the_last_turn_sets_the_exit_status() {
    for (turns, code) in [
        (&["fail"][..], 1),
        (&["fail", "end"], 0),
        (&["end", "fail"], 1),
    ] {
        let mut session = Session::new();
        for (number, turn) in turns.iter().enumerate() {
            let uuid = format!("m{number}");
            session.submit(&uuid);
            session.assert_turn_starts(&[&uuid]);
            if *turn == "fail" {
                session.fail_turn();
            } else {
                session.say_text("done");
                session.end_turn();
            }
            let said = session.lines();
            let how = if *turn == "fail" {
                format!("result success api_error [{uuid}]")
            } else {
                format!("result success completed [{uuid}]")
            };
            assert!(said.contains(&how), "{said:?}");
            assert_eq!(said.last().unwrap(), "idle");
        }
        session.host.finish(session.now, Duration::ZERO);
        assert_eq!(session.exit_status(), code, "{turns:?}");
    }
}
