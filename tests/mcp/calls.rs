//! Tests of tool calls: concurrent, in order, cancelled, and failed.

use super::{adding, notice, to_server, with};
use agentwire::mcp::{Call, Tools};
use agentwire::{Activity, Event, Handle};
use rmcp::model::{PingRequest, ServerRequest};
use serde_json::json;
use std::collections::BTreeMap;
use tokio::sync::mpsc;

#[tokio::test]
async fn many_calls_run_at_once_and_a_stuck_tool_does_not_block_others() {
    let (_client, mut agent) = with(adding(50)).await;
    agent.calls("stuck", "stuck", json!({})).await;
    for number in 0..50 {
        let (id, add) = (format!("c{number}"), json!({"a": number, "b": 1}));
        agent.calls(&id, "add", add).await;
    }
    let mut sums = BTreeMap::new();
    for _ in 0..50 {
        let (id, answer) = agent.is_answered().await;
        let reply = &answer["mcp_response"];
        assert_eq!(reply["id"], id);
        let text = reply["result"]["content"][0]["text"].as_str().unwrap();
        sums.insert(
            id[1..].parse::<i64>().unwrap(),
            text.parse::<i64>().unwrap(),
        );
    }
    assert!(sums.iter().all(|(number, sum)| number + 1 == *sum));
    assert_eq!(sums.len(), 50);
}

#[tokio::test]
async fn ids_of_requests_are_preserved() {
    let (_client, mut agent) = with(adding(1)).await;
    for id in [json!(0), json!("0"), json!(-7), json!("x")] {
        agent
            .sends("ask", json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
            .await;
        assert_eq!(agent.hears_reply("ask").await["id"], id);
    }
    // An invalid request also gets an answer.
    agent
        .sends("odd", json!({"id": 1.5, "method": "ping"}))
        .await;
    let reply = agent.hears_reply("odd").await;
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&json!(1.5), &json!(-32600))
    );
    agent.sends("none", json!(["ping"])).await;
    let reply = agent.hears_reply("none").await;
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&json!(null), &json!(-32600))
    );
    // The running call keeps its ID.
    agent.calls("c", "stuck", json!({})).await;
    agent
        .sends(
            "ask",
            json!({"jsonrpc": "2.0", "id": "c", "method": "ping"}),
        )
        .await;
    assert_eq!(agent.hears_reply("ask").await["error"]["code"], -32600);
}

#[tokio::test]
async fn a_result_comes_after_all_of_its_progress() {
    let tools = Tools::new().tool("count", "Counts.", |(): (), call: Call| async move {
        for number in 0..300 {
            call.progress(f64::from(number), Some(300.0), "on").await;
        }
        assert_eq!(call.tool_use_id(), Some("toolu_1"));
        Ok::<_, String>("done")
    });
    let (client, mut agent) = with(tools).await;
    let rounds = 3;
    for round in 0..rounds {
        // Neither the call nor the message waits for the other.
        client.send("Hello");
        assert_eq!(agent.hears().await["type"], "user");
        let id = format!("c{round}");
        agent.calls(&id, "count", json!({})).await;
        for number in 0..300 {
            let message = agent.hears_server().await;
            assert_eq!(message["method"], "notifications/progress");
            let expected = json!({"progressToken": id, "progress": f64::from(number),
                "total": 300.0, "message": "on"});
            assert_eq!(message["params"], expected);
        }
        let result = agent.hears_result(&id).await;
        assert_eq!(result["content"][0]["text"], "done");
    }
}

#[tokio::test]
async fn acknowledgements_of_progress_are_not_delivered() {
    let tools = Tools::new().tool("count", "Counts.", |(): (), call: Call| async move {
        call.progress(1.0, None, "on").await;
        Ok::<_, String>(())
    });
    let (mut client, mut agent) = with(tools).await;
    agent.calls("c", "count", json!({})).await;
    agent.hears_server().await;
    assert_eq!(agent.hears_result("c").await["content"], json!([]));
    agent.says(r#"{"type":"hello"}"#).await;
    let Event::Frame(frame) = client.next().await.unwrap().unwrap() else {
        panic!()
    };
    assert_eq!(frame.kind(), "hello");
}

/// Returns a tool that reports when it starts and when it is cancelled.
fn cancellable_tool() -> (Tools, mpsc::UnboundedReceiver<&'static str>) {
    let (says, said) = mpsc::unbounded_channel();
    let tools = Tools::new().tool("wait", "Waits.", move |(): (), call: Call| {
        let says = says.clone();
        async move {
            says.send("begun").unwrap();
            call.cancelled().await;
            says.send("cancelled").unwrap();
            Ok::<_, String>("too late")
        }
    });
    (tools, said)
}

#[tokio::test]
async fn a_cancelled_request_cancels_its_call_and_gets_no_answer() {
    let (tools, mut said) = cancellable_tool();
    let (_client, mut agent) = with(tools).await;
    agent.calls("c", "wait", json!({})).await;
    assert_eq!(said.recv().await, Some("begun"));
    agent.cancels("c").await;
    assert_eq!(said.recv().await, Some("cancelled"));
    agent
        .sends("p", json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}))
        .await;
    agent.hears_reply("p").await;
}

#[tokio::test]
async fn a_cancelled_call_ends_with_its_request() {
    let (tools, mut said) = cancellable_tool();
    let (_client, mut agent) = with(tools).await;
    agent.calls("c", "wait", json!({})).await;
    assert_eq!(said.recv().await, Some("begun"));
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "c", "reason": "interrupted"}});
    agent.sends("n", cancelled).await;
    assert_eq!(agent.hears_reply("c").await["error"]["code"], -32800);
    // The official hosts also respond to notifications with this result.
    let nothing = json!({"jsonrpc": "2.0", "result": {}, "id": 0});
    assert_eq!(agent.hears_reply("n").await, nothing);
    assert_eq!(said.recv().await, Some("cancelled"));
    // The server is not notified twice.
    agent.cancels("c").await;
    agent
        .sends("p", json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}))
        .await;
    agent.hears_reply("p").await;
}

#[tokio::test]
async fn servers_stop_when_the_session_ends() {
    let (tools, mut said) = cancellable_tool();
    let (client, mut agent) = with(tools).await;
    agent.calls("c", "wait", json!({})).await;
    assert_eq!(said.recv().await, Some("begun"));
    drop(client);
    assert_eq!(said.recv().await, Some("cancelled"));
    // The function was dropped with everything that it captured.
    assert_eq!(said.recv().await, None);
}

#[tokio::test]
async fn an_unknown_server_is_refused_by_name() {
    let (mut client, mut agent) = with(adding(1)).await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    agent.asks("a", &to_server("other", ping)).await;
    let reason = "this host has no MCP server `other`";
    let answer = agent.is_answered().await;
    assert_eq!(answer, ("a".to_owned(), json!(reason)));
    let told = notice(&mut client).await;
    assert_eq!(
        told,
        format!("cannot handle the agent's request `mcp_message`: {reason}")
    );
}

#[tokio::test]
async fn a_tool_that_panics_fails_its_call() {
    let tools = adding(1).tool("boom", "Panics.", |(): ()| async move {
        std::panic::panic_any("oh".to_owned());
        #[allow(unreachable_code)]
        Ok::<_, String>(())
    });
    let (mut client, mut agent) = with(tools).await;
    agent.calls("c", "boom", json!({})).await;
    let result = agent.hears_result("c").await;
    let text = json!([{"type": "text", "text": "The tool `boom` panicked."}]);
    assert_eq!(result, json!({"isError": true, "content": text}));
    let told = notice(&mut client).await;
    assert_eq!(told, "the MCP server `s` panicked in `boom`: oh");
    agent.calls("d", "add", json!({"a": 1, "b": 2})).await;
    assert_eq!(agent.hears_result("d").await["content"][0]["text"], "3");
}

#[tokio::test]
async fn a_tool_may_control_the_session_and_ask_the_agent() {
    let (does, mut done) = mpsc::unbounded_channel();
    let tools = Tools::new().tool("control", "Controls.", move |(): (), call: Call| {
        let does = does.clone();
        async move {
            let session: &Handle = call.session().unwrap();
            let model = session.set_model("other").await.unwrap().model;
            let receipt = session.interrupt().await.unwrap();
            let peer = &call.context().unwrap().peer;
            peer.notify_tool_list_changed().await.unwrap();
            let ping = ServerRequest::PingRequest(PingRequest::default());
            let pong = peer.send_request(ping).await;
            does.send(format!("{pong:?}")).unwrap();
            Ok::<_, String>(format!("{} {:?}", model.unwrap(), receipt.still_queued))
        }
    });
    let (_client, mut agent) = with(tools).await;
    agent.calls("c", "control", json!({})).await;
    for (subtype, answer) in [
        ("set_model", json!({"model": "other"})),
        ("interrupt", json!({"still_queued": []})),
    ] {
        let request = agent.answers(&answer).await;
        assert_eq!(request["subtype"], subtype);
    }
    let changed = agent.hears_server().await;
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    let ping = agent.hears_server().await;
    assert_eq!(ping["method"], "ping");
    // The response of the agent is another request to the host, which is handled at once.
    let pong = json!({"jsonrpc": "2.0", "id": ping["id"], "result": {}});
    agent.sends("pong", pong).await;
    agent.hears_reply("pong").await;
    assert!(done.recv().await.unwrap().starts_with("Ok("));
    let result = agent.hears_result("c").await;
    assert_eq!(result["content"][0]["text"], "other Some([])");
}

#[tokio::test]
async fn a_working_server_does_not_require_action() {
    let (mut client, mut agent) = with(adding(1)).await;
    agent.calls("c", "stuck", json!({})).await;
    let state = json!({"type": "system", "subtype": "session_state_changed", "state": "running"});
    agent.says(&state.to_string()).await;
    loop {
        if let Event::Activity(activity) = client.next().await.unwrap().unwrap() {
            assert_eq!(activity, Activity::Running);
            return;
        }
    }
}
