//! The server, driven by a client that is not part of the crate.

use crate::fake_agent_path;
use crate::support::{Peer, select};
use agentwire::Options;
use agentwire_acp::Server;
use agentwire_testing::TempDir;
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::{Value, json};
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

/// Serves the fake agent. Returns a client, and the agent's home.
fn serve(scenario: &Scenario) -> (Peer, TempDir) {
    let home = agentwire_testing::tempdir().unwrap();
    let options = Options::new()
        .cli(fake_agent_path())
        .env("CLAUDE_CONFIG_DIR", home.path())
        .env(fake_agent::GATES, home.path())
        .env(fake_agent::SCRIPT, scenario.to_json());
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    let streams = agent_client_protocol::ByteStreams::new(writer.compat_write(), reader.compat());
    tokio::spawn(Server::new(options).serve(streams));
    let (reader, writer) = tokio::io::split(ours);
    (Peer::new(reader, writer), home)
}

async fn open(scenario: &Scenario) -> (Peer, String, TempDir) {
    let (mut peer, home) = serve(scenario);
    peer.initialize().await;
    let session = peer.open(home.path()).await;
    (peer, session, home)
}

#[tokio::test]
async fn texts_and_thoughts_are_streamed_before_the_response() {
    let scenario = Scenario::default().reply([Step::thinking("Hm."), Step::text("Hello, crab!")]);
    let (mut peer, session, _home) = open(&scenario).await;
    let response = peer.prompt(&session, "Say hello").await.unwrap();
    assert_eq!(response["stopReason"], "end_turn");
    assert_eq!(peer.text("agent_thought_chunk"), "Hm.");
    assert_eq!(peer.text("agent_message_chunk"), "Hello, crab!");
    assert!(peer.of_kind("agent_message_chunk").count() > 1);
    assert_eq!(peer.text("user_message_chunk"), "");
}

#[tokio::test]
async fn a_tool_call_is_approved_and_shown_with_its_output() {
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", json!({"command": "echo hi"}), "hi")])
        .reply([Step::text("Done.")]);
    let (mut peer, session, _home) = open(&scenario).await;
    peer.respond = Box::new(|_, params| Some(select(params, "allow_once")));
    peer.prompt(&session, "Run it").await.unwrap();
    let [(method, params)] = peer.requests.as_slice() else {
        panic!("{:?}", peer.requests)
    };
    assert_eq!(method, "session/request_permission");
    let id = params["toolCall"]["toolCallId"].as_str().unwrap();
    let call = peer.call(id);
    assert_eq!(call["title"], "Run echo hi");
    assert_eq!(call["kind"], "execute");
    assert_eq!(call["status"], "completed");
    assert_eq!(call["rawInput"], json!({"command": "echo hi"}));
    let output = call["content"][0]["content"]["text"].as_str().unwrap();
    assert_eq!(output, "```console\nhi\n```");
}

#[tokio::test]
async fn a_rejected_call_has_failed() {
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", json!({"command": "echo hi"}), "hi")])
        .reply([Step::text("Done.")]);
    let (mut peer, session, _home) = open(&scenario).await;
    peer.respond = Box::new(|_, params| Some(select(params, "reject_once")));
    let response = peer.prompt(&session, "Run it").await.unwrap();
    assert_eq!(response["stopReason"], "end_turn");
    let id = peer.requests[0].1["toolCall"]["toolCallId"]
        .as_str()
        .unwrap();
    assert_eq!(peer.call(id)["status"], "failed");
}

#[tokio::test]
async fn a_rejection_can_have_the_words_of_the_user() {
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", json!({"command": "echo hi"}), "hi")])
        .reply([Step::text("Done.")]);
    let (mut peer, session, _home) = open(&scenario).await;
    peer.respond = Box::new(|_, params| {
        let mut response = select(params, "reject_once");
        response["_meta"] = json!({"agentwire": {"feedback": "Count them first."}});
        Some(response)
    });
    peer.prompt(&session, "Run it").await.unwrap();
    let id = &peer.requests[0].1["toolCall"]["toolCallId"];
    let call = peer.call(id.as_str().unwrap());
    assert_eq!(call["status"], "failed");
    assert!(
        call["content"].to_string().contains("Count them first."),
        "{call}"
    );
}

#[tokio::test]
async fn a_steered_prompt_ends_with_the_message_that_steers_it() {
    let scenario = Scenario::default()
        .reply([Step::text("Begin."), Step::gate("never")])
        .reply([Step::text("Turned.")]);
    let (mut peer, home) = serve(&scenario);
    assert_eq!(
        peer.initialize().await["_meta"]["steering"]["supported"],
        true
    );
    let session = peer.open(home.path()).await;
    let steer = |text: &str| {
        json!({
            "sessionId": session,
            "prompt": [{"type": "text", "text": text}],
            "_meta": {"steering": {"idleBehavior": "promptRequired"}},
        })
    };
    let idle = peer.request("_session/steering", steer("Too early")).await;
    assert_eq!(idle["outcome"], "promptRequired");
    let prompt = peer.send_prompt(&session, "First").await;
    peer.until(|peer| peer.text("agent_message_chunk").contains("Begin"))
        .await;
    let steered = peer.request("_session/steering", steer("Turn")).await;
    assert_eq!(steered["outcome"], "injected");
    assert_eq!(
        peer.response(prompt).await.unwrap()["stopReason"],
        "end_turn"
    );
    assert!(peer.text("agent_message_chunk").contains("Turned."));
}

#[tokio::test]
async fn closing_a_session_stops_its_turn() {
    let scenario = Scenario::default().reply([Step::text("Begin."), Step::gate("never")]);
    let (mut peer, session, _home) = open(&scenario).await;
    let prompt = peer.send_prompt(&session, "First").await;
    peer.until(|peer| peer.text("agent_message_chunk").contains("Begin"))
        .await;
    peer.request("session/close", json!({"sessionId": session}))
        .await;
    assert_eq!(
        peer.response(prompt).await.unwrap()["stopReason"],
        "cancelled"
    );
}

#[tokio::test]
async fn an_option_that_was_not_offered_denies() {
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", json!({"command": "echo hi"}), "hi")])
        .reply([Step::text("Done.")]);
    let (mut peer, session, _home) = open(&scenario).await;
    peer.respond = Box::new(|_, _| {
        Some(json!({"outcome": {"outcome": "selected", "optionId": "no such option"}}))
    });
    peer.prompt(&session, "Run it").await.unwrap();
    let id = peer.requests[0].1["toolCall"]["toolCallId"].as_str();
    assert_eq!(peer.call(id.unwrap())["status"], "failed");
}

#[tokio::test]
async fn a_prompt_during_a_turn_has_a_response_of_its_own() {
    let scenario = Scenario::default()
        .reply([Step::text("One.")])
        .reply([Step::text("Two.")]);
    let (mut peer, session, _home) = open(&scenario).await;
    let first = peer.send_prompt(&session, "First").await;
    let second = peer.send_prompt(&session, "Second").await;
    for id in [second, first] {
        assert_eq!(peer.response(id).await.unwrap()["stopReason"], "end_turn");
    }
}

#[tokio::test]
async fn cancelling_ends_the_turn_and_withdraws_queued_prompts() {
    let scenario = Scenario::default()
        .reply([Step::text("Begin."), Step::gate("never")])
        .reply([Step::text("Two.")]);
    let (mut peer, session, _home) = open(&scenario).await;
    let first = peer.send_prompt(&session, "First").await;
    peer.until(|peer| peer.text("agent_message_chunk").contains("Begin"))
        .await;
    let second = peer.send_prompt(&session, "Second").await;
    peer.notify("session/cancel", json!({"sessionId": session}))
        .await;
    for id in [first, second] {
        assert_eq!(peer.response(id).await.unwrap()["stopReason"], "cancelled");
    }
    // The session goes on.
    assert_eq!(
        peer.prompt(&session, "Third").await.unwrap()["stopReason"],
        "end_turn"
    );
    assert!(!peer.text("user_message_chunk").contains("Second"));
}

#[tokio::test]
async fn a_cancelled_approval_is_withdrawn() {
    let scenario =
        Scenario::default().reply([Step::tool("Bash", json!({"command": "echo hi"}), "hi")]);
    let (mut peer, session, _home) = open(&scenario).await;
    let prompt = peer.send_prompt(&session, "Run it").await;
    peer.until(|peer| !peer.requests.is_empty()).await;
    peer.notify("session/cancel", json!({"sessionId": session}))
        .await;
    assert_eq!(
        peer.response(prompt).await.unwrap()["stopReason"],
        "cancelled"
    );
    peer.until(|peer| {
        peer.notifications
            .iter()
            .any(|it| it.0 == "$/cancel_request")
    })
    .await;
}

#[tokio::test]
async fn a_loaded_session_is_replayed_and_goes_on() {
    let scenario = Scenario::default()
        .reply([
            Step::tool("Bash", json!({"command": "echo hi"}), "hi"),
            Step::text("Hello."),
        ])
        .reply([Step::text("Again.")]);
    let (mut peer, session, home) = open(&scenario).await;
    peer.respond = Box::new(|_, params| Some(select(params, "allow_once")));
    peer.prompt(&session, "Say hello").await.unwrap();
    let live = peer.text("agent_message_chunk");
    peer.request("session/close", json!({"sessionId": session}))
        .await;
    let closed = peer.prompt(&session, "Anybody?").await;
    assert!(
        closed.unwrap_err()["data"]
            .as_str()
            .unwrap()
            .contains("no session")
    );
    let list = peer
        .request("session/list", json!({"cwd": home.path()}))
        .await;
    assert_eq!(list["sessions"][0]["sessionId"], session.as_str());

    peer.updates.clear();
    let params = json!({"sessionId": session, "cwd": home.path(), "mcpServers": []});
    peer.request("session/load", params.clone()).await;
    assert_eq!(peer.text("user_message_chunk"), "Say hello");
    assert_eq!(peer.text("agent_message_chunk"), live);
    assert_eq!(
        peer.of_kind("tool_call").next().unwrap()["title"],
        "Run echo hi"
    );
    peer.updates.clear();
    peer.request("session/resume", params).await;
    assert_eq!(peer.text("user_message_chunk"), "");
    peer.prompt(&session, "And again").await.unwrap();
}

#[tokio::test]
async fn modes_and_models_are_set() {
    let scenario = Scenario::default();
    let (mut peer, home) = serve(&scenario);
    peer.initialize().await;
    let params = json!({"cwd": home.path(), "mcpServers": []});
    let response = peer.request("session/new", params).await;
    let session = response["sessionId"].as_str().unwrap();
    assert_eq!(response["modes"]["currentModeId"], "default");
    let mode = json!({"sessionId": session, "modeId": "plan"});
    peer.request("session/set_mode", mode).await;
    let option = json!({"sessionId": session, "configId": "mode", "value": "acceptEdits"});
    let response = peer.request("session/set_config_option", option).await;
    let of = |id: &str| {
        let options = response["configOptions"].as_array().unwrap().iter();
        options.clone().find(|it| it["id"] == id).unwrap()["currentValue"].clone()
    };
    assert_eq!(of("mode"), "acceptEdits");
    let unknown = json!({"sessionId": session, "modeId": "yolo"});
    let id = peer.send("session/set_mode", unknown).await;
    let error = peer.response(id).await.unwrap_err();
    assert!(
        error["data"]
            .as_str()
            .unwrap()
            .contains("the modes are default")
    );
}

#[tokio::test]
async fn questions_are_forms() {
    let question = json!({"questions": [{
        "question": "Tea or coffee?", "header": "Drink", "multiSelect": false,
        "options": [{"label": "Tea", "description": "Hot"}, {"label": "Coffee", "description": "Hot"}],
    }]});
    let scenario = Scenario::default()
        .reply([Step::tool("AskUserQuestion", question, "Tea")])
        .reply([Step::text("Done.")]);
    let (mut peer, session, _home) = open(&scenario).await;
    peer.respond = Box::new(|method, _| {
        (method == "elicitation/create")
            .then(|| json!({"action": "accept", "content": {"question_0": "Tea"}}))
    });
    peer.prompt(&session, "Ask").await.unwrap();
    let (method, params) = &peer.requests[0];
    assert_eq!(method, "elicitation/create");
    let field = &params["requestedSchema"]["properties"]["question_0"];
    assert_eq!(field["oneOf"][1]["const"], "Coffee");
    assert_eq!(peer.requests.len(), 1);
}

#[tokio::test]
async fn an_error_of_the_model_is_an_error_of_the_prompt() {
    let scenario = Scenario::default();
    let (mut peer, session, _home) = open(&scenario).await;
    let error = peer.prompt(&session, "Say hello").await.unwrap_err();
    assert_eq!(error["code"], -32603);
    assert!(
        error["data"].as_str().unwrap().contains("script"),
        "{error}"
    );
}

#[tokio::test]
async fn invalid_requests_are_refused_and_the_session_goes_on() {
    let scenario = Scenario::default().reply([Step::text("Hello.")]);
    let (mut peer, session, _home) = open(&scenario).await;
    let audio = json!([{"type": "audio", "data": "", "mimeType": "audio/wav"}]);
    for (method, params, code) in [
        (
            "session/prompt",
            json!({"sessionId": "other", "prompt": []}),
            -32602,
        ),
        (
            "session/prompt",
            json!({"sessionId": session, "prompt": audio}),
            -32602,
        ),
        (
            "session/prompt",
            json!({"sessionId": session, "prompt": "text"}),
            -32602,
        ),
        ("session/teleport", json!({}), -32601),
        (
            "session/load",
            json!({"sessionId": "none", "cwd": "/", "mcpServers": []}),
            -32602,
        ),
    ] {
        let id = peer.send(method, params).await;
        let error = peer.response(id).await.unwrap_err();
        assert_eq!(error["code"], Value::from(code), "{method}: {error}");
    }
    assert!(peer.prompt(&session, "Say hello").await.is_ok());
}
