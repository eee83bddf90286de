//! How an agent ends.

use crate::agent::session::{Session, asking, input};
use agentwire_protocol::message::Priority;
use agentwire_protocol::permission::PermissionResult;
use agentwire_testkit::agent::{Decision, ToolCall};
use std::time::Duration;

#[test]
fn an_agent_that_is_idle_exits_when_its_input_ends() {
    let mut session = Session::new();
    session.host.finish(session.now, Duration::ZERO);
    assert_eq!(session.exits(), 0);
    assert_eq!(session.event(), None);
}

#[test]
fn finishing_waits_for_the_turn_and_everything_is_done_by_then() {
    let mut session = Session::new();
    session.submit("m1");
    session.submit_at("m2", Some(Priority::Later));
    session.host.finish(session.now, Duration::ZERO);
    session.begins(&["m1"]);
    session.calls(&["t1"]);
    let id = session.ask_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.finishes("t1", "done", false);
    session.goes_on();
    session.says("done");
    session.ends_turn();
    session.begins(&["m2"]);
    session.says("done");
    session.ends_turn();
    assert_eq!(session.exits(), 0);
    session.heard.clear();
    session.host.handle_input_end(session.now);
    session.host.handle_end();
    session.pump();
    assert_eq!(session.heard, []);
}

#[test]
fn a_turn_goes_on_when_the_input_ends() {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.begins_to_say("once");
    session.submit("m2");
    session.pump();
    session.host.end();
    assert_eq!(session.event(), None);
    session.agent.stop_block();
    session.agent.stop_message();
    session.ends_turn();
    session.begins(&["m2"]);
    session.says("done");
    session.ends_turn();
    assert_eq!(session.exits(), 0);
}

#[test]
fn an_ask_that_is_open_when_the_input_ends_is_denied() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    session.host.end();
    assert!(matches!(session.decision("t1"), Decision::Denied(_)));
    assert_eq!(session.said(), ["running"]);

    // So is one that comes afterwards.
    session
        .agent
        .call_tool(session.now, ToolCall::new("t2", "Bash", input("t2")));
    assert!(matches!(session.decision("t2"), Decision::Denied(_)));
    assert_eq!(session.said(), Vec::<String>::new());
    session.finishes("t1", "denied", true);
    let result = session.messages("user", None).pop().unwrap();
    let decision = &result["tool_result_meta"][0]["permission_decision"];
    assert_eq!(decision["reason_type"], "other", "{result}");
    session.goes_on();
    session.ends_turn();
    assert_eq!(session.exits(), 0);
    assert!(
        session
            .said()
            .contains(&"result success completed [m1]".to_owned())
    );
    // The agent does not take it back; the tool's result does, for the host.
    assert!(!session.host.is_open(&id));
}

#[test]
fn the_exit_status_tells_of_an_api_error_in_the_last_turn() {
    for (turns, code) in [
        (&["fail"][..], 1),
        (&["fail", "end"], 0),
        (&["end", "fail"], 1),
    ] {
        let mut session = Session::new();
        for (number, turn) in turns.iter().enumerate() {
            let uuid = format!("m{number}");
            session.submit(&uuid);
            session.begins(&[&uuid]);
            if *turn == "fail" {
                session.fails_turn();
            } else {
                session.says("done");
                session.ends_turn();
            }
            let said = session.said();
            let how = if *turn == "fail" {
                format!("result success api_error [{uuid}]")
            } else {
                format!("result success completed [{uuid}]")
            };
            assert!(said.contains(&how), "{said:?}");
            assert_eq!(said.last().unwrap(), "idle");
        }
        session.host.finish(session.now, Duration::ZERO);
        assert_eq!(session.exits(), code, "{turns:?}");
    }
}
