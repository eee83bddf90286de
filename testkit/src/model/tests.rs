//! Tests of the HTTP responses.
#![allow(clippy::unwrap_used)]

mod formats;

use super::bodies::{Bodies, MAX_STORED_BODIES};
use super::handler::MAX_BODY;
use super::*;
use crate::{ApiError, Reply, Step, ToolCall, Usage, When};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends an HTTP request. Returns the status and the body.
async fn ask(model: &ScriptedModel, head: &str, body: &Value) -> (u16, String) {
    let (status, _, body) = ask_all(model, head, body).await;
    (status, body)
}

/// Sends an HTTP request. Returns the status, the head and the body.
async fn ask_all(model: &ScriptedModel, head: &str, body: &Value) -> (u16, String, String) {
    let mut stream = TcpStream::connect(model.address).await.unwrap();
    let body = body.to_string();
    let request = format!(
        "{head} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_owned(), body.to_owned())
}

/// Requests a streamed message.
async fn say(model: &ScriptedModel, body: Value) -> (u16, String) {
    ask(model, "POST /v1/messages?beta=true", &body).await
}

fn prompt() -> Value {
    json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": "hi" }] })
}

/// Returns the data of an event stream, without its chunked framing.
fn events(body: &str) -> Vec<Value> {
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

fn error_of(body: &str) -> Value {
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["type"], "error");
    body["error"].clone()
}

fn tool(command: &str) -> Step {
    Step::tool("Bash", json!({ "command": command }), "")
}

#[tokio::test]
async fn a_reply_is_a_stream_of_events() {
    let scenario = Scenario::default().reply([
        Step::thinking("Hm."),
        Step::WaitMs(1),
        Step::chunks(["Let ", "me."], Duration::from_millis(1)),
        tool("a"),
        tool("é"),
    ]);
    let model = ScriptedModel::start(scenario).await.unwrap();
    let (status, body) = say(&model, prompt()).await;
    assert_eq!(status, 200);

    let events = events(&body);
    let shape: Vec<_> = events
        .iter()
        .map(|event| {
            let detail = event.pointer("/delta/type");
            let detail = detail.or_else(|| event.pointer("/content_block/type"));
            match detail.and_then(Value::as_str) {
                Some(detail) => detail,
                None => event["type"].as_str().unwrap(),
            }
        })
        .collect();
    let call = [
        "tool_use",
        "input_json_delta",
        "input_json_delta",
        "input_json_delta",
        "content_block_stop",
    ];
    let mut expected = vec!["message_start"];
    expected.extend([
        "thinking",
        "thinking_delta",
        "signature_delta",
        "content_block_stop",
    ]);
    expected.extend(["text", "text_delta", "text_delta", "content_block_stop"]);
    expected.extend(call);
    expected.extend(call);
    expected.extend(["message_delta", "message_stop"]);
    assert_eq!(shape, expected);

    assert_eq!(events[0]["message"]["id"], "msg_1");
    assert_eq!(events[0]["message"]["model"], "m");
    let input: String = events
        .iter()
        .filter(|event| event["index"] == 3)
        .filter_map(|event| event.pointer("/delta/partial_json")?.as_str())
        .collect();
    assert_eq!(input, r#"{"command":"é"}"#);
    let end = &events[events.len() - 2];
    assert_eq!(end["delta"]["stop_reason"], "tool_use");
    for event in &events {
        let name = format!("event: {}\n", event["type"].as_str().unwrap());
        assert!(body.contains(&name), "{name}");
    }
}

#[tokio::test]
async fn ids_are_unique_in_a_session() {
    let scenario = Scenario::default()
        .reply([tool("a"), tool("b")])
        .reply([Step::Tool(ToolCall::new("Bash", Value::Null, ""))]);
    let model = ScriptedModel::start(scenario).await.unwrap();
    let mut whole = prompt();
    whole["stream"] = json!(false);
    say(&model, whole.clone()).await;
    let (status, body) = say(&model, whole).await;
    assert_eq!(status, 200);
    let message: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(message["id"], "msg_2");
    assert_eq!(message["stop_reason"], "tool_use");
    let call = json!({ "type": "tool_use", "id": "toolu_3", "name": "Bash", "input": {} });
    assert_eq!(message["content"], json!([call]));
}

#[tokio::test]
async fn an_error_is_the_http_response() {
    let scenario = Scenario::default().reply([Step::Error(ApiError {
        status: 529,
        kind: "overloaded_error".into(),
        message: "Overloaded".into(),
    })]);
    let model = ScriptedModel::start(scenario).await.unwrap();
    let (status, body) = say(&model, prompt()).await;
    assert_eq!(status, 529);
    let expected = json!({ "type": "overloaded_error", "message": "Overloaded" });
    assert_eq!(error_of(&body), expected);
}

#[tokio::test]
async fn a_permanent_error_repeats_and_an_overload_does_not() {
    let refusal = |status| {
        Step::Error(ApiError {
            status,
            kind: "some_error".into(),
            message: "No".into(),
        })
    };
    let scenario = Scenario::default()
        .reply([refusal(529)])
        .reply([refusal(400)])
        .reply([Step::text("Yes.")]);
    let model = ScriptedModel::start(scenario).await.unwrap();
    let mut again = prompt();
    again["tools"] = json!([]);
    again["messages"][0]["content"] =
        json!([{ "type": "text", "text": "hi", "cache_control": {} }]);
    let mut other = prompt();
    other["messages"][0]["content"] = json!("else");
    let mut statuses = Vec::new();
    for body in [prompt(), prompt(), again, other] {
        statuses.push(say(&model, body).await.0);
    }
    assert_eq!(statuses, [529, 400, 400, 200]);
}

#[tokio::test]
async fn a_script_ends_with_an_error() {
    let scenario = Scenario::default().reply([Step::text("Bye.")]);
    let model = ScriptedModel::start(scenario).await.unwrap();
    assert_eq!(say(&model, prompt()).await.0, 200);
    let (status, body) = say(&model, prompt()).await;
    assert_eq!(status, 400);
    let error = error_of(&body);
    assert_eq!(error["type"], "invalid_request_error");
    assert_eq!(error["message"], "the script has no remaining reply (of 1)");
    let answers: Vec<_> = model.requests().iter().map(|r| r.answer).collect();
    assert_eq!(answers, [Answer::Reply(0), Answer::EndOfScript]);
}

#[tokio::test]
async fn a_repeated_script_does_not_end_and_its_ids_are_unique() {
    let scenario = Scenario::default()
        .reply([tool("a"), tool("b")])
        .reply([Step::text("Done.")])
        .repeated();
    let model = ScriptedModel::start(scenario).await.unwrap();
    let mut whole = prompt();
    whole["stream"] = json!(false);
    let mut ids = Vec::new();
    for _ in 0..5 {
        let (status, body) = say(&model, whole.clone()).await;
        assert_eq!(status, 200);
        let message: Value = serde_json::from_str(&body).unwrap();
        ids.push(message["id"].clone());
        let blocks = message["content"].as_array().unwrap();
        ids.extend(blocks.iter().filter_map(|block| block.get("id").cloned()));
    }
    let expected = [
        "msg_1", "toolu_1", "toolu_2", "msg_2", "msg_3", "toolu_3", "toolu_4", "msg_4", "msg_5",
        "toolu_5", "toolu_6",
    ];
    assert_eq!(ids, expected);
}

#[tokio::test]
async fn only_the_main_loop_takes_replies() {
    let scenario = Scenario::default().reply([Step::text("Main.")]);
    let model = ScriptedModel::start(scenario).await.unwrap();

    let (status, body) = ask(&model, "POST /v1/messages/count_tokens", &prompt()).await;
    assert_eq!(status, 200);
    let count: Value = serde_json::from_str(&body).unwrap();
    assert!(count["input_tokens"].as_u64() > Some(0));
    assert_eq!(ask(&model, "HEAD /api/hello", &Value::Null).await.0, 200);
    let (status, body) = ask(&model, "POST /v1/else", &prompt()).await;
    assert_eq!(status, 404);
    assert_eq!(error_of(&body)["type"], "not_found_error");

    let cached = |text| json!([{ "type": "text", "text": text, "cache_control": {} }]);
    let side = [
        json!({ "output_config": { "format": {} } }),
        json!({ "tool_choice": { "type": "auto" } }),
        json!({ "max_tokens": 1 }),
        json!({ "messages": [
            { "role": "user", "content": "hi" },
            { "role": "assistant", "content": cached("ho") },
            { "role": "user", "content": "a side question" },
        ] }),
        json!({ "system": cached("You are an agent.") }),
    ];
    for members in side {
        let mut body = prompt();
        let members = members.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(members);
        assert!(say(&model, body).await.1.contains("\"side \""));
    }
    let agent = "POST /v1/messages HTTP/1.1\r\nx-claude-code-agent-id: a1\r\nx:";
    assert!(ask(&model, agent, &prompt()).await.1.contains("\"side \""));

    let mut body = prompt();
    body["system"] = cached("You are an agent.");
    body["messages"][0]["content"] = cached("hi");
    assert!(say(&model, body).await.1.contains("Main."));
    let taken: Vec<_> = model
        .requests()
        .iter()
        .filter_map(ModelRequest::reply)
        .collect();
    assert_eq!(taken, [0]);
    assert_eq!(model.requests().len(), 10);
}

#[tokio::test]
async fn sub_agents_have_their_own_replies() {
    let scenario = Scenario::default()
        .reply([tool("main")])
        .subagent([Step::text("Sub. "), tool("sub")])
        .subagent([Step::Error(ApiError {
            status: 529,
            kind: "overloaded_error".to_owned(),
            message: "Later.".to_owned(),
        })]);
    let model = ScriptedModel::start(scenario).await.unwrap();
    let agent = "POST /v1/messages HTTP/1.1\r\nx-claude-code-agent-id: a1\r\nx:";
    let (_, sub) = ask(&model, agent, &prompt()).await;
    assert!(sub.contains("Sub. "));
    let (_, main) = say(&model, prompt()).await;
    assert_eq!(ask(&model, agent, &prompt()).await.0, 529);
    assert!(ask(&model, agent, &prompt()).await.1.contains("\"side \""));
    let answers: Vec<_> = model.requests().iter().map(|it| it.answer).collect();
    let [first, second] = [0, 1].map(Answer::Subagent);
    assert_eq!(answers, [first, Answer::Reply(0), second, Answer::Side]);
    // Message IDs and call IDs are unique.
    for (body, id, call) in [
        (main, "msg_1", "toolu_1"),
        (sub, "msg_sub_1", "toolu_sub_1"),
    ] {
        let events = events(&body);
        assert_eq!(events[0]["message"]["id"], id);
        let called = events.iter().find_map(|it| it.pointer("/content_block/id"));
        assert_eq!(called.unwrap(), call);
    }
}

#[tokio::test]
async fn a_request_can_be_waited_for() {
    let scenario = Scenario::default().reply([]).reply([]);
    let model = ScriptedModel::start(scenario).await.unwrap();
    let (second, first, ..) = tokio::join!(
        model.wait_for(|request| request.answer == Answer::Reply(1)),
        model.request(0),
        async {
            say(&model, prompt()).await;
            say(&model, json!({ "model": "second" })).await;
        },
    );
    assert_eq!(
        (first.method.as_str(), first.path.as_str()),
        ("POST", "/v1/messages")
    );
    assert_eq!(first.reply(), Some(0));
    assert_eq!(second.body, Some(json!({ "model": "second" })));
}

#[tokio::test]
async fn dropping_the_model_ends_its_streams() {
    let scenario = Scenario::default().reply([Step::WaitMs(60_000), Step::text("Late.")]);
    let model = ScriptedModel::start(scenario).await.unwrap();
    let mut stream = TcpStream::connect(model.address).await.unwrap();
    let body = prompt().to_string();
    let head = "POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length:";
    let request = format!("{head} {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await.unwrap();
    model.request(0).await;
    drop(model);
    let mut answer = String::new();
    // The body is incomplete or missing. The stream ends in both cases.
    let _ = stream.read_to_string(&mut answer).await;
    assert!(!answer.contains("Late."));
}

#[tokio::test]
async fn replies_depend_on_the_prompt() {
    let weather = Reply::new([Step::text("Rain.")]).when(When::prompt_contains("weather"));
    let scenario = Scenario::default()
        .reply([Step::text("First.")])
        .reply(weather);
    let model = ScriptedModel::start(scenario).await.unwrap();
    let mut body = prompt();
    body["messages"][0]["content"] = json!("the weather?");
    assert!(say(&model, body).await.1.contains("Rain."));
    assert!(say(&model, prompt()).await.1.contains("First."));
    let requests = model.requests();
    let places: Vec<_> = requests.iter().map(|it| (it.answer, it.place)).collect();
    let expected = [(Answer::Reply(0), Some(1)), (Answer::Reply(1), Some(0))];
    assert_eq!(places, expected);
    let written = serde_json::to_value(&requests[0]).unwrap();
    assert_eq!(
        (&written["answer"], &written["place"]),
        (&json!({ "reply": 0 }), &json!(1))
    );
}

#[tokio::test]
async fn usage_stop_reason_and_thinking_are_scripted() {
    let usage = Usage {
        input_tokens: Some(7),
        output_tokens: Some(8),
        cache_creation_input_tokens: Some(9),
        cache_read_input_tokens: Some(11),
    };
    let thinking = serde_json::from_value(json!({ "chunks": ["Hm."], "signature": "c2ln" }));
    let reply = Reply::new([
        Step::Thinking(thinking.unwrap()),
        Step::redacted_thinking("ZGF0YQ=="),
    ]);
    let reply = reply.usage(usage).stop_reason("refusal").times(2);
    let model = ScriptedModel::start(Scenario::default().reply(reply))
        .await
        .unwrap();
    let events = events(&say(&model, prompt()).await.1);
    let find = |path| events.iter().find_map(|event| event.pointer(path));
    assert_eq!(find("/delta/signature"), Some(&json!("c2ln")));
    assert_eq!(find("/delta/stop_reason"), Some(&json!("refusal")));
    assert_eq!(
        find("/message/usage/cache_read_input_tokens"),
        Some(&json!(11))
    );
    assert_eq!(find("/usage/output_tokens"), Some(&json!(8)));
    let redacted = json!({ "type": "redacted_thinking", "data": "ZGF0YQ==" });
    assert!(
        events
            .iter()
            .any(|event| event["content_block"] == redacted)
    );

    let mut whole = prompt();
    whole["stream"] = json!(false);
    let message: Value = serde_json::from_str(&say(&model, whole).await.1).unwrap();
    let expected = json!({
        "input_tokens": 7, "output_tokens": 8,
        "cache_creation_input_tokens": 9, "cache_read_input_tokens": 11,
    });
    assert_eq!(message["usage"], expected);
    assert_eq!(message["stop_reason"], "refusal");
}

#[tokio::test]
async fn errors_and_successes_have_the_headers_of_the_script() {
    let refusal = Reply::new([Step::error(429, "rate_limit_error", "Later.")]);
    let scenario = Scenario::default()
        .reply(refusal.header("retry-after", "3"))
        .reply(
            Reply::new([Step::text("Now.")])
                .header("anthropic-ratelimit-unified-status", "allowed"),
        );
    let model = ScriptedModel::start(scenario).await.unwrap();
    let post = "POST /v1/messages";
    let (status, head, _) = ask_all(&model, post, &prompt()).await;
    assert_eq!(status, 429);
    assert!(head.contains("\r\nretry-after: 3"), "{head}");
    let (status, head, _) = ask_all(&model, post, &prompt()).await;
    assert_eq!(status, 200);
    let expected = "\r\nanthropic-ratelimit-unified-status: allowed";
    assert!(head.contains(expected), "{head}");
}

#[tokio::test]
async fn a_connection_breaks_after_the_content() {
    let cut = Reply::new([Step::text("Half of it"), Step::Cut]).times(2);
    let model = ScriptedModel::start(Scenario::default().reply(cut))
        .await
        .unwrap();
    let (status, stream) = say(&model, prompt()).await;
    assert_eq!(status, 200);
    // The last chunk of a complete response is empty.
    assert!(
        stream.contains("of ") && stream.contains("content_block_stop"),
        "{stream}"
    );
    assert!(!stream.contains("message_stop") && !stream.ends_with("0\r\n\r\n"));
    let mut whole = prompt();
    whole["stream"] = json!(false);
    let (status, half) = say(&model, whole).await;
    assert_eq!(status, 200);
    assert!(
        half.contains("\"content\"") && !half.ends_with("0\r\n\r\n"),
        "{half}"
    );
}

#[tokio::test]
async fn a_connection_that_breaks_before_content_sends_nothing() {
    let cut = Reply::new([Step::Cut]);
    let model = ScriptedModel::start(Scenario::default().reply(cut))
        .await
        .unwrap();
    let (status, stream) = say(&model, prompt()).await;
    assert_eq!((status, stream.as_str()), (200, ""));
}

#[tokio::test]
async fn gates_open_from_rust_and_over_http() {
    let scenario = Scenario::default()
        .reply([Step::gate("one"), Step::text("Past one.")])
        .reply([Step::gate("two"), Step::text("Past two.")]);
    let model = ScriptedModel::start(scenario).await.unwrap();
    let test = async {
        model.reached("one").await.unwrap();
        model.open("one").unwrap();
        // The response arrives when the second reply has reached its gate.
        let (status, _) = ask(&model, "GET /gates/two", &Value::Null).await;
        assert_eq!((status, model.requests().len()), (204, 2));
        assert_eq!(ask(&model, "POST /gates/two", &Value::Null).await.0, 204);
    };
    let client = async {
        let first = say(&model, prompt()).await.1;
        let mut whole = prompt();
        whole["stream"] = json!(false);
        [first, say(&model, whole).await.1]
    };
    let ((), [first, second]) = tokio::join!(test, client);
    assert!(first.contains("one."), "{first}");
    assert!(second.contains("Past two."), "{second}");

    let error = model.open("three").unwrap_err();
    assert_eq!(model.reached("three").await, Err(error.clone()));
    let (status, body) = ask(&model, "POST /gates/three", &Value::Null).await;
    assert_eq!(status, 404);
    assert_eq!(error_of(&body)["message"], error.to_string());
    assert_eq!(ask(&model, "PUT /gates/two", &Value::Null).await.0, 405);
    // Requests for gates are not model requests.
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn requests_from_elsewhere_open_no_gate_and_take_no_reply() {
    let scenario = Scenario::default().reply([Step::gate("go"), Step::text("Through.")]);
    let model = ScriptedModel::start(scenario).await.unwrap();
    for (head, header) in [
        ("POST /gates/go", "host: evil.example"),
        (
            "POST /gates/go",
            "host: 127.0.0.1\r\norigin: http://evil.example",
        ),
        ("GET /gates/go", "host: 127.0.0.1\r\norigin: null"),
        ("POST /v1/messages", "host: evil.example:80"),
    ] {
        let body = prompt().to_string();
        let mut stream = TcpStream::connect(model.address).await.unwrap();
        let length = body.len();
        let request = format!(
            "{head} HTTP/1.1\r\n{header}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 403 "), "{header}: {answer}");
    }
    assert!(model.requests().is_empty());
    // The gate is still closed.
    let (said, ()) = tokio::join!(say(&model, prompt()), async {
        model.reached("go").await.unwrap();
        model.open("go").unwrap();
    });
    assert!(said.1.contains("Through."), "{}", said.1);
}

#[tokio::test]
async fn an_oversized_body_is_rejected_before_it_is_read() {
    let model = ScriptedModel::start(Scenario::default()).await.unwrap();
    let mut stream = TcpStream::connect(model.address).await.unwrap();
    let length = MAX_BODY + 1;
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[test]
fn the_oldest_bodies_are_removed_above_the_limit() {
    let request = |path: &str| ModelRequest {
        method: "POST".to_owned(),
        path: path.to_owned(),
        body: Some(Value::Null),
        answer: Answer::Other,
        place: None,
    };
    let mut requests = vec![];
    let mut bodies = Bodies::default();
    for place in 0..6 {
        requests.push(request(&place.to_string()));
        bodies.store(&mut requests, place, MAX_STORED_BODIES / 4);
    }
    let kept = requests.iter().map(|it| it.body.is_some());
    assert_eq!(
        kept.collect::<Vec<_>>(),
        [false, false, true, true, true, true]
    );
}

#[tokio::test]
async fn a_body_that_is_not_json_is_rejected_as_by_the_api() {
    let model = ScriptedModel::start(Scenario::default()).await.unwrap();
    let mut stream = TcpStream::connect(model.address).await.unwrap();
    let request = "POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{]";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
    assert_eq!(error_of(body)["type"], "invalid_request_error");
}
