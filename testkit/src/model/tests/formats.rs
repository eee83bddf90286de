//! The same scenario in each format. The readers follow the documentation of
//! the APIs, and fail at an event that has no place in its stream.

use super::*;

/// A format: the line of a request, how a request is written, and how the
/// response is read, streamed and whole.
struct Api {
    post: &'static str,
    post_whole: &'static str,
    /// Writes the request of a prompt, or of what follows these results.
    request: fn(prompt: &str, results: &[&str]) -> Value,
    stream: fn(&[Value]) -> Reading,
    whole: fn(&Value) -> Reading,
    error: fn(&Value) -> (&str, &str),
}

const CHAT: Api = Api {
    post: "POST /v1/chat/completions",
    post_whole: "POST /v1/chat/completions",
    request: chat_request,
    stream: chat_stream,
    whole: |whole| {
        assert_eq!(whole["object"], "chat.completion");
        let choice = &whole["choices"][0];
        let mut reading = Reading::default();
        chat_usage(&mut reading, &whole["usage"]);
        let message = &choice["message"];
        assert_eq!(message["role"], "assistant");
        reading.text = owned(&message["content"]);
        reading.thought = owned(&message["reasoning_content"]);
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            assert_eq!(call["type"], "function");
            let (name, arguments) = (&call["function"]["name"], &call["function"]["arguments"]);
            reading.call(&call["id"], name, &owned(arguments));
        }
        reading.reason = owned(&choice["finish_reason"]);
        reading
    },
    error: |body| {
        (
            kind(&body["error"]["code"]),
            kind(&body["error"]["message"]),
        )
    },
};

const RESPONSES: Api = Api {
    post: "POST /v1/responses",
    post_whole: "POST /v1/responses",
    request: responses_request,
    stream: responses_stream,
    whole: response,
    error: |body| {
        (
            kind(&body["error"]["code"]),
            kind(&body["error"]["message"]),
        )
    },
};

const GEMINI: Api = Api {
    post: "POST /v1beta/models/m:streamGenerateContent?alt=sse",
    post_whole: "POST /v1beta/models/m:generateContent",
    request: gemini_request,
    stream: |chunks| {
        let mut reading = Reading::default();
        let (last, before) = chunks.split_last().unwrap();
        assert!(
            before
                .iter()
                .all(|it| it.pointer("/candidates/0/finishReason").is_none())
        );
        for chunk in before {
            gemini_parts(&mut reading, chunk);
        }
        gemini_end(&mut reading, last);
        reading
    },
    whole: |whole| {
        let mut reading = Reading::default();
        gemini_end(&mut reading, whole);
        reading
    },
    error: |body| {
        (
            kind(&body["error"]["status"]),
            kind(&body["error"]["message"]),
        )
    },
};

const APIS: [Api; 3] = [CHAT, RESPONSES, GEMINI];

/// The content of a response.
#[derive(Debug, Default, PartialEq)]
struct Reading {
    text: String,
    thought: String,
    calls: Vec<(String, String, Value)>,
    reason: String,
    /// All input, cached input, output.
    tokens: [u64; 3],
}

impl Reading {
    fn call(&mut self, id: &Value, name: &Value, input: &str) {
        let input = serde_json::from_str(input).unwrap();
        self.calls.push((owned(id), owned(name), input));
    }
}

fn kind(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn owned(value: &Value) -> String {
    kind(value).to_owned()
}

fn chat_request(prompt: &str, results: &[&str]) -> Value {
    let mut messages = vec![
        json!({ "role": "system", "content": "You are an agent." }),
        json!({ "role": "user", "content": [
            { "type": "text", "text": "<system-reminder>It is late.</system-reminder>" },
            { "type": "text", "text": prompt },
        ] }),
    ];
    if !results.is_empty() {
        messages.push(json!({ "role": "assistant", "content": null, "tool_calls": [] }));
    }
    for text in results {
        messages.push(json!({ "role": "tool", "tool_call_id": "x", "content": text }));
    }
    json!({ "model": "m", "messages": messages, "stream_options": { "include_usage": true } })
}

fn chat_stream(chunks: &[Value]) -> Reading {
    let mut reading = Reading::default();
    let mut calls: Vec<(Value, Value, String)> = Vec::new();
    let [chunks @ .., usage] = chunks else {
        panic!("the stream is empty");
    };
    assert_eq!(usage["choices"], json!([]));
    chat_usage(&mut reading, &usage["usage"]);
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    for chunk in chunks {
        assert_eq!(
            (kind(&chunk["object"]), kind(&chunk["id"])),
            ("chat.completion.chunk", "chatcmpl-1")
        );
        assert_eq!(reading.reason, "", "nothing follows the reason");
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        reading.text += kind(&delta["content"]);
        reading.thought += kind(&delta["reasoning_content"]);
        reading.reason += kind(&choice["finish_reason"]);
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
            if call.get("id").is_some() {
                assert_eq!(index, calls.len());
                calls.push((
                    call["id"].clone(),
                    call["function"]["name"].clone(),
                    String::new(),
                ));
            }
            calls[index].2 += kind(&call["function"]["arguments"]);
        }
    }
    for (id, name, input) in calls {
        reading.call(&id, &name, &input);
    }
    reading
}

fn chat_usage(reading: &mut Reading, usage: &Value) {
    let cached = &usage["prompt_tokens_details"]["cached_tokens"];
    let tokens = [&usage["prompt_tokens"], cached, &usage["completion_tokens"]];
    reading.tokens = tokens.map(|tokens| tokens.as_u64().unwrap());
    assert_eq!(usage["total_tokens"], reading.tokens[0] + reading.tokens[2]);
}

fn responses_request(prompt: &str, results: &[&str]) -> Value {
    let user =
        |text| json!({ "role": "user", "content": [{ "type": "input_text", "text": text }] });
    let mut input = vec![
        json!({ "role": "developer", "content": "You are an agent." }),
        user("<environment_context>\n</environment_context>"),
        user(prompt),
    ];
    for _ in results {
        input.push(json!({ "type": "reasoning", "summary": [] }));
        input.push(json!({ "type": "function_call", "call_id": "x", "arguments": "{}" }));
    }
    for text in results {
        input.push(json!({ "type": "function_call_output", "call_id": "x", "output": text }));
    }
    json!({ "model": "m", "input": input })
}

/// Reads a stream, and returns the content of its last event.
fn responses_stream(events: &[Value]) -> Reading {
    let mut items: Vec<(Value, Option<String>)> = Vec::new();
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
        let name = kind(&event["type"]).strip_prefix("response.").unwrap();
        let index = event["output_index"]
            .as_u64()
            .map(|it| usize::try_from(it).unwrap());
        match (name, index) {
            ("created" | "in_progress", _) => assert!(number < 2),
            ("output_item.added", Some(index)) => {
                assert_eq!(index, items.len());
                assert!(
                    items.iter().all(|(_, open)| open.is_none()),
                    "an item is open"
                );
                items.push((event["item"].clone(), Some(String::new())));
            }
            ("output_item.done", Some(index)) => {
                let (item, text) = &mut items[index];
                let text = text.take().unwrap();
                let done = &event["item"];
                assert_eq!((&done["id"], &done["type"]), (&item["id"], &item["type"]));
                let paths = ["/content/0/text", "/summary/0/text", "/arguments", "/input"];
                let complete = paths.iter().find_map(|path| done.pointer(path));
                assert_eq!(complete.map_or("", kind), text);
                // Redacted thinking has no text.
                let ends: &[&str] = match kind(&item["type"]) {
                    _ if complete.is_none() => &[],
                    "message" => &["output_text", "content_part"],
                    "reasoning" => &["reasoning_summary_text", "reasoning_summary_part"],
                    "function_call" => &["function_call_arguments"],
                    _ => &["custom_tool_call_input"],
                };
                for (before, end) in events[number - ends.len()..].iter().zip(ends) {
                    assert_eq!(before["type"], format!("response.{end}.done"));
                }
                *item = done.clone();
            }
            ("completed" | "incomplete", _) => {
                assert_eq!(number + 1, events.len());
                let last = &event["response"];
                let items: Vec<_> = items.into_iter().map(|(item, _)| item).collect();
                assert_eq!(last["output"], json!(items));
                return response(last);
            }
            (name, Some(index)) => {
                let (item, text) = &mut items[index];
                assert_eq!(event["item_id"], item["id"]);
                let text = text.as_mut().unwrap();
                let (part, change) = name.rsplit_once('.').unwrap();
                let expected: &[&str] = match kind(&item["type"]) {
                    "message" => &["content_part", "output_text"],
                    "reasoning" => &["reasoning_summary_part", "reasoning_summary_text"],
                    "function_call" => &["function_call_arguments"],
                    _ => &["custom_tool_call_input"],
                };
                assert!(expected.contains(&part), "{name}");
                match change {
                    "delta" => *text += kind(&event["delta"]),
                    "done" => {
                        let paths = ["/text", "/part/text", "/arguments", "/input"];
                        let complete = paths.iter().find_map(|path| event.pointer(path));
                        assert_eq!(complete.unwrap(), text);
                    }
                    _ => assert_eq!((change, &**text), ("added", "")),
                }
            }
            _ => panic!("{event}"),
        }
    }
    panic!("the response does not end")
}

fn response(response: &Value) -> Reading {
    let mut reading = Reading::default();
    for item in response["output"].as_array().unwrap() {
        match kind(&item["type"]) {
            "message" => reading.text += kind(&item["content"][0]["text"]),
            "reasoning" => reading.thought += kind(&item["summary"][0]["text"]),
            "custom_tool_call" => {
                let input = json!(item["input"]).to_string();
                reading.call(&item["call_id"], &item["name"], &input);
            }
            _ => reading.call(&item["call_id"], &item["name"], kind(&item["arguments"])),
        }
    }
    let usage = &response["usage"];
    let cached = &usage["input_tokens_details"]["cached_tokens"];
    let tokens = [&usage["input_tokens"], cached, &usage["output_tokens"]];
    reading.tokens = tokens.map(|tokens| tokens.as_u64().unwrap());
    assert_eq!(usage["total_tokens"], reading.tokens[0] + reading.tokens[2]);
    let reason = response.pointer("/incomplete_details/reason");
    reading.reason = owned(reason.unwrap_or(&response["status"]));
    reading
}

fn gemini_request(prompt: &str, results: &[&str]) -> Value {
    let context = json!({ "text": "<session_context>\n</session_context>" });
    let mut contents = vec![json!({ "role": "user", "parts": [context, { "text": prompt }] })];
    if !results.is_empty() {
        let response =
            |text| json!({ "functionResponse": { "name": "f", "response": { "output": text } } });
        let parts: Vec<_> = results.iter().map(response).collect();
        contents.push(json!({ "role": "model", "parts": [{ "functionCall": { "name": "f" } }] }));
        contents.push(json!({ "role": "user", "parts": parts }));
    }
    json!({ "contents": contents })
}

fn gemini_parts(reading: &mut Reading, chunk: &Value) {
    assert_eq!(chunk["modelVersion"], "m");
    assert!(kind(&chunk["responseId"]).starts_with("resp_"));
    let content = &chunk["candidates"][0]["content"];
    assert_eq!(content["role"], "model");
    for part in content["parts"].as_array().unwrap() {
        match (&part["functionCall"], &part["thought"]) {
            (Value::Null, Value::Null) => reading.text += part["text"].as_str().unwrap(),
            (Value::Null, _) => reading.thought += part["text"].as_str().unwrap(),
            (call, _) => reading.call(&call["id"], &call["name"], &call["args"].to_string()),
        }
    }
}

fn gemini_end(reading: &mut Reading, chunk: &Value) {
    gemini_parts(reading, chunk);
    reading.reason = owned(&chunk["candidates"][0]["finishReason"]);
    let usage = &chunk["usageMetadata"];
    let cached = &usage["cachedContentTokenCount"];
    let tokens = [
        &usage["promptTokenCount"],
        cached,
        &usage["candidatesTokenCount"],
    ];
    reading.tokens = tokens.map(|tokens| tokens.as_u64().unwrap());
    assert_eq!(
        usage["totalTokenCount"],
        reading.tokens[0] + reading.tokens[2]
    );
}

/// Sends a request whose response is streamed, and reads it.
async fn read(model: &ScriptedModel, api: &Api, mut request: Value) -> Reading {
    if api.post != GEMINI.post {
        request["stream"] = json!(true);
    }
    let (status, body) = ask(model, api.post, &request).await;
    assert_eq!(status, 200, "{body}");
    let body = match api.post == CHAT.post {
        true => body.replace("data: [DONE]\n", "done\n"),
        false => body.clone(),
    };
    assert_eq!(body.contains("\ndone\n"), api.post == CHAT.post);
    let events = events(&body);
    for event in &events {
        let name = format!("event: {}\n", kind(&event["type"]));
        assert_eq!(body.contains(&name), api.post == RESPONSES.post);
    }
    (api.stream)(&events)
}

async fn read_whole(model: &ScriptedModel, api: &Api, request: &Value) -> Reading {
    let (status, body) = ask(model, api.post_whole, request).await;
    assert_eq!(status, 200, "{body}");
    (api.whole)(&serde_json::from_str(&body).unwrap())
}

async fn start(replies: impl IntoIterator<Item = Reply>) -> ScriptedModel {
    let scenario = replies
        .into_iter()
        .fold(Scenario::default(), Scenario::reply);
    ScriptedModel::start(scenario).await.unwrap()
}

#[tokio::test]
async fn each_format_has_the_same_content_streamed_or_whole() {
    for api in &APIS {
        let reply = Reply::new([
            Step::thinking("Hm, größer? "),
            Step::redacted_thinking("ZGF0YQ=="),
            Step::chunks(["Grüße ", "👋🏽 \u{2028}"], Duration::ZERO),
            Step::tool("first", json!({ "city": "Zürich \"✓\"" }), ""),
            Step::text("And "),
            Step::tool("second", json!({ "deep": [1, { "x": null }] }), ""),
            Step::tool("third", Value::Null, ""),
        ]);
        let usage = Usage {
            input_tokens: Some(7),
            output_tokens: Some(8),
            cache_creation_input_tokens: Some(9),
            cache_read_input_tokens: Some(11),
        };
        let mut replies = [reply.clone().usage(usage), reply.usage(usage)];
        replies[1].when = Some(When::prompt_is("whole"));
        let model = start(replies).await;
        let call = |id: &str, name: &str, input| (id.to_owned(), name.to_owned(), input);
        let reason = match api.post == CHAT.post {
            true => "tool_calls",
            false if api.post == GEMINI.post => "STOP",
            false => "completed",
        };
        let mut expected = Reading {
            text: "Grüße 👋🏽 \u{2028}And ".to_owned(),
            thought: "Hm, größer? ".to_owned(),
            calls: vec![
                call("toolu_1", "first", json!({ "city": "Zürich \"✓\"" })),
                call("toolu_2", "second", json!({ "deep": [1, { "x": null }] })),
                call("toolu_3", "third", json!({})),
            ],
            reason: reason.to_owned(),
            tokens: [27, 11, 8],
        };
        let streamed = read(&model, api, (api.request)("stream", &[])).await;
        assert_eq!(streamed, expected, "{}", api.post);
        // The IDs are unique in a session.
        for (number, (id, ..)) in (4..).zip(&mut expected.calls) {
            *id = format!("toolu_{number}");
        }
        let whole = read_whole(&model, api, &(api.request)("whole", &[])).await;
        assert_eq!(whole, expected, "{}", api.post);
    }
}

#[tokio::test]
async fn prompts_results_and_models_select_the_reply_in_each_format() {
    for api in &APIS {
        let text = |text: &str| Reply::new([Step::text(text)]);
        let is = |text: &str| crate::TextMatch::Is(text.to_owned());
        let model = start([
            text("Any."),
            text("Prompt.").when(When::prompt_is("Grüße?").model(is("m")).after_tools(false)),
            text("Result.").when(When::prompt_is("Grüße?").result(is("sunny")).turn(1)),
        ])
        .await;
        let whole = |prompt, results: &'static [&str]| (api.request)(prompt, results);
        let mut said = Vec::new();
        for request in [
            whole("Grüße?", &[]),
            whole("Grüße?", &["cloudy", "sunny"]),
            whole("Else", &[]),
        ] {
            let (status, body) = ask(&model, api.post_whole, &request).await;
            assert_eq!(status, 200, "{body}");
            let texts = ["Prompt.", "Result.", "Any."];
            said.push(texts.iter().position(|text| body.contains(text)).unwrap());
        }
        assert_eq!(said, [0, 1, 2], "{}", api.post);
        let requests = model.requests();
        assert_eq!(requests[2].place, Some(0));
        assert_eq!(
            requests[1].body,
            Some(whole("Grüße?", &["cloudy", "sunny"]))
        );
        let path = api.post_whole.strip_prefix("POST ").unwrap();
        assert_eq!(requests[1].path, path);
    }
}

#[tokio::test]
async fn errors_have_the_status_the_headers_and_the_body_of_each_format() {
    for api in &APIS {
        let error = |status| Reply::new([Step::error(status, "rate_limit_error", "Später.")]);
        let model = start([error(429).header("retry-after", "3"), error(403)]).await;
        let request = (api.request)("hi", &[]);
        let is_gemini = api.post == GEMINI.post;
        let kind_of = |google| {
            if is_gemini {
                google
            } else {
                "rate_limit_error"
            }
        };
        let (status, head, body) = ask_all(&model, api.post, &request).await;
        assert!(head.contains("\r\nretry-after: 3"), "{head}");
        let body: Value = serde_json::from_str(&body).unwrap();
        let expected = (kind_of("RESOURCE_EXHAUSTED"), "Später.");
        assert_eq!((status, (api.error)(&body)), (429, expected));
        // A permanent error is the response to each retry.
        for _ in 0..2 {
            let (status, body) = ask(&model, api.post, &request).await;
            let body: Value = serde_json::from_str(&body).unwrap();
            let expected = (kind_of("PERMISSION_DENIED"), "Später.");
            assert_eq!((status, (api.error)(&body)), (403, expected));
        }
        let (status, body) = ask(&model, api.post, &(api.request)("else", &[])).await;
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(status, 400);
        assert_eq!(
            (api.error)(&body).1,
            "the script has no remaining reply (of 2)"
        );
    }
}

#[tokio::test]
async fn gates_hold_and_cuts_break_the_streams_of_each_format() {
    for api in &APIS {
        let go = [
            Step::gate("go"),
            Step::tool("f", json!({}), ""),
            Step::gate("end"),
        ];
        let cut = [Step::text("Half "), Step::text("of it"), Step::Cut];
        let model = start([Reply::new(go), Reply::new(cut), Reply::new([Step::Cut])]).await;
        let (reading, ()) = tokio::join!(read(&model, api, (api.request)("hi", &[])), async {
            for gate in ["go", "end"] {
                model.reached(gate).await.unwrap();
                model.open(gate).unwrap();
            }
        });
        assert_eq!(reading.calls.len(), 1);
        let mut request = (api.request)("more", &[]);
        request["stream"] = json!(true);
        let (status, body) = ask(&model, api.post, &request).await;
        assert_eq!(status, 200);
        // The last chunk of a complete response is empty.
        assert!(
            body.contains("of ") && !body.ends_with("0\r\n\r\n"),
            "{body}"
        );
        let ends = ["[DONE]", "response.completed", "finishReason\":\"STOP"];
        assert!(!ends.iter().any(|end| body.contains(end)), "{body}");
        assert_eq!(ask(&model, api.post, &request).await, (200, String::new()));
    }
}

#[tokio::test]
async fn stop_reasons_have_the_words_of_each_format() {
    let reasons = [
        ("end_turn", ["stop", "completed", "STOP"]),
        ("max_tokens", ["length", "max_output_tokens", "MAX_TOKENS"]),
        ("refusal", ["content_filter", "content_filter", "SAFETY"]),
    ];
    for (reason, words) in reasons {
        for (api, word) in APIS.iter().zip(words) {
            let model = start([Reply::new([Step::text("Hi.")]).stop_reason(reason)]).await;
            let reading = read(&model, api, (api.request)("hi", &[])).await;
            assert_eq!(
                (reading.reason.as_str(), reading.tokens),
                (word, [10, 0, 1])
            );
            let model = start([Reply::new([]).stop_reason(reason)]).await;
            let reading = read_whole(&model, api, &(api.request)("hi", &[])).await;
            assert_eq!(
                (reading.reason.as_str(), reading.tokens),
                (word, [10, 0, 0])
            );
        }
    }
}

#[tokio::test]
async fn side_requests_take_no_reply_in_each_format() {
    let model = start([]).await;
    for api in &APIS {
        for prompt in [
            "Generate a title for this conversation:\n",
            "[SUGGESTION MODE: What is next?]",
            "The following is the Codex agent history added since your last approval assessment.",
        ] {
            let reading = read_whole(&model, api, &(api.request)(prompt, &[])).await;
            assert_eq!(reading.text, crate::model::user_content::SIDE_REPLY);
        }
    }
    let mut forced = chat_request("hi", &[]);
    forced["tool_choice"] = json!("required");
    read_whole(&model, &CHAT, &forced).await;
    assert!(model.requests().iter().all(|it| it.answer == Answer::Side));
    forced["tool_choice"] = json!("auto");
    assert_eq!(ask(&model, CHAT.post, &forced).await.0, 400);
}

#[tokio::test]
async fn an_interrupted_prompt_of_codex_is_not_part_of_the_next_one() {
    let model = start([Reply::new([Step::text("Hi.")]).when(When::prompt_is("new"))]).await;
    let user =
        |text| json!({ "role": "user", "content": [{ "type": "input_text", "text": text }] });
    let mark = "<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>";
    let request = json!({ "input": [user("old"), user(mark), user("new")] });
    assert_eq!(read_whole(&model, &RESPONSES, &request).await.text, "Hi.");
}

#[tokio::test]
async fn a_tool_without_json_gets_its_text() {
    let patch = "*** Begin Patch\n+zwei ✓\n";
    let call = Reply::new([Step::tool("apply_patch", json!({ "input": patch }), "")]);
    let model = start([call.times(3)]).await;
    let mut request = responses_request("hi", &[]);
    let tool = json!({ "type": "custom", "name": "apply_patch" });
    let call = |input| vec![("toolu_1".to_owned(), "apply_patch".to_owned(), input)];
    request["tools"] = json!([tool]);
    let reading = read(&model, &RESPONSES, request.clone()).await;
    assert_eq!(reading.calls, call(json!(patch)));
    request["tools"] = json!([]);
    let group =
        json!({ "type": "additional_tools", "tools": [{ "name": "all", "tools": [tool] }] });
    request["input"].as_array_mut().unwrap().insert(0, group);
    let reading = read(&model, &RESPONSES, request.clone()).await;
    assert_eq!(reading.calls[0].2, json!(patch));
    request["input"].as_array_mut().unwrap().remove(0);
    let reading = read(&model, &RESPONSES, request).await;
    assert_eq!(reading.calls[0].2, json!({ "input": patch }));
}

#[tokio::test]
async fn an_mcp_tool_that_is_not_declared_has_its_namespace_apart() {
    let call = Reply::new([Step::tool("mcp__files__read_all", json!({}), "")]);
    let model = start([call.times(2)]).await;
    let mut request = responses_request("hi", &[]);
    for (declared, namespace, name) in [
        ("other", json!("mcp__files"), "read_all"),
        ("mcp__files__read_all", Value::Null, "mcp__files__read_all"),
    ] {
        request["tools"] = json!([{ "type": "function", "name": declared }]);
        let (_, body) = ask(&model, RESPONSES.post_whole, &request).await;
        let body: Value = serde_json::from_str(&body).unwrap();
        let item = &body["output"][0];
        assert_eq!(
            (&item["namespace"], &item["name"]),
            (&namespace, &json!(name)),
            "{body}"
        );
    }
}

#[tokio::test]
async fn requests_without_a_reply_have_the_form_of_their_format() {
    let model = start([]).await;
    let request = gemini_request("hi", &[]);
    let count = "POST /v1beta/models/m:countTokens";
    let (status, body) = ask(&model, count, &request).await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert!(
        status == 200 && body["totalTokens"].as_u64() > Some(0),
        "{body}"
    );
    // Without `alt=sse` the API streams an array.
    let post = "POST /v1beta/models/m:streamGenerateContent";
    let (status, body) = ask(&model, post, &request).await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, (GEMINI.error)(&body).0), (404, "NOT_FOUND"));
    let (status, body) = ask(&model, "GET /v1/chat/completions", &Value::Null).await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, (CHAT.error)(&body).0), (404, "not_found_error"));
}

#[tokio::test]
async fn chat_has_token_counts_only_on_request() {
    let model = start([Reply::new([Step::text("Hi.")])]).await;
    let request = json!({ "stream": true, "messages": [{ "role": "user", "content": "hi" }] });
    let (_, body) = ask(&model, CHAT.post, &request).await;
    assert!(
        body.contains("finish_reason\":\"stop") && !body.contains("usage"),
        "{body}"
    );
}
