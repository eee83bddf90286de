//! Tests of the HTTP interface, with the fake agent.

use super::server::Server;
use reqwest::StatusCode;
use reqwest::header::{HOST, ORIGIN};
use serde_json::{Value, json};
use support::{Agent, processes_with, terminate};

fn bash(command: &str) -> Value {
    json!({ "tool": { "name": "Bash", "input": { "command": command }, "result": "done" } })
}

fn start(agent: &Agent) -> Server {
    Server::start(agent.command(env!("CARGO_BIN_EXE_web")))
}

async fn listed(server: &Server) -> Value {
    server.get("/sessions").await.json().await.unwrap()
}

#[tokio::test]
async fn an_answer_streams_and_its_cost_follows() {
    let agent = Agent::new(json!([{
        "say": [{ "text": { "chunks": ["Hello", " there."] } }], "cost_usd": 0.25,
    }]));
    let server = start(&agent);
    let session = server.session().await;
    session.send("Hi", "next").await;

    let mut events = session.events(None).await;
    events.text("Hello there.").await;
    let prompt = events.nth(1, "prompt").await;
    assert_eq!(
        (&prompt["text"]["text"], &prompt["priority"]),
        (&json!("Hi"), &json!("next"))
    );
    let end = events.nth(1, "turn_end").await;
    assert_eq!(
        (&end["outcome"], &end["session_cost_usd"]),
        (&json!("completed"), &json!("0.25"))
    );
    let list = json!([{ "id": session.id, "title": "Hi" }]);
    assert_eq!(listed(&server).await, list);
}

#[tokio::test]
async fn the_first_response_to_a_request_counts() {
    let agent = Agent::new(json!([[bash("make")], [bash("rm -r /")], [{ "text": "Done." }]]));
    let server = start(&agent);
    let session = server.session().await;
    session.send("Go", "next").await;

    let mut events = session.events(None).await;
    let request = events.nth(1, "approval").await;
    assert_eq!(request["content"][0]["command"]["text"], "make");
    let (allow, deny) = (
        json!({ "decision": "allow" }),
        json!({ "decision": "deny" }),
    );
    let (first, second) = tokio::join!(
        session.respond(&request, &allow),
        session.respond(&request, &allow)
    );
    let mut statuses = [first, second];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::NO_CONTENT, StatusCode::CONFLICT]);
    assert_eq!(session.respond(&request, &deny).await, StatusCode::CONFLICT);
    let is_made = |it: &Value| it["title"] == "Run make" && it["status"] == "completed";
    let call = events.entry("make", is_made).await;
    assert_eq!(call["content"][0]["output"]["text"], "done");

    let is_asked = |it: &Value| it["type"] == "approval" && it["id"] != request["id"];
    let request = events.entry("the second request", is_asked).await;
    let deny = json!({ "decision": "deny", "feedback": "Not that." });
    session.respond(&request, &deny).await;
    let is_failed = |it: &Value| it["status"] == "failed";
    let call = events.entry("the denied call", is_failed).await;
    assert_eq!(call["failure"]["message"], "Not that.");
    events.nth(1, "turn_end").await;
}

#[tokio::test]
async fn always_applies_what_the_approval_shows() {
    let suggestions = json!([{
        "type": "addRules", "behavior": "allow", "destination": "session",
        "rules": [{ "toolName": "Bash", "ruleContent": "make:*" }],
    }]);
    let mut first = bash("make all");
    first["tool"]["question"] = json!({ "permission_suggestions": suggestions });
    let agent = Agent::new(json!([[first], [bash("make install")], [{ "text": "Installed." }]]));
    let server = start(&agent);
    let session = server.session().await;
    session.send("Go", "next").await;

    let mut events = session.events(None).await;
    let request = events.nth(1, "approval").await;
    assert_eq!(request["always"], json!(["allow Bash(make:*) (session)"]));
    session
        .respond(&request, &json!({ "decision": "always" }))
        .await;
    // The second call needs no permission.
    events.text("Installed.").await;
    assert_eq!(events.nth(2, "tool_call").await["status"], "completed");
}

#[tokio::test]
async fn a_question_gets_the_answers_of_the_user() {
    let question = json!({ "question": "Tea or coffee?", "header": "Drink", "multiSelect": false,
        "options": [{ "label": "Tea", "description": "leaf" }, { "label": "Coffee", "description": "bean" }] });
    let agent = Agent::new(json!([
        [{ "tool": { "name": "AskUserQuestion", "input": { "questions": [question] } } }],
        { "when": { "result": { "contains": "Coffee" } }, "say": [{ "text": "Coffee it is." }] },
    ]));
    let server = start(&agent);
    let session = server.session().await;
    session.send("Go", "next").await;

    let mut events = session.events(None).await;
    let is_asked = |it: &Value| it["request_id"].is_string();
    let request = events.entry("a question", is_asked).await;
    assert_eq!(request["questions"][0]["question"], "Tea or coffee?");
    let answers = json!({ "decision": "answer", "answers": ["Coffee"] });
    assert_eq!(
        session.respond(&request, &answers).await,
        StatusCode::NO_CONTENT
    );
    events.text("Coffee it is.").await;
}

#[tokio::test]
async fn a_page_continues_after_the_last_event_that_it_had() {
    let agent = Agent::new(json!([[{ "text": "One." }], [{ "text": "Two." }]]));
    let server = start(&agent);
    let session = server.session().await;
    session.send("Go", "next").await;
    let mut first = session.events(None).await;
    first.activity("idle").await;
    first.nth(1, "turn_end").await;
    let last = first.last.clone();

    session.send("Go on", "next").await;
    let mut again = session.events(Some(&last)).await;
    again.text("Two.").await;
    assert!(
        again.names.iter().all(|it| it == "change"),
        "{:?}",
        again.names
    );
    // An ID of another view, and one that no event has.
    for unknown in [format!("1{last}"), format!("{last}999")] {
        let mut other = session.events(Some(&unknown)).await;
        other.text("One.").await;
        assert_eq!(other.names[0], "snapshot");
    }
}

#[tokio::test]
async fn messages_steer_a_running_turn() {
    let agent = Agent::new(json!([
        [{ "text": "One " }, { "gate": "more" }, { "text": "two." }],
        [{ "text": "Last." }],
    ]));
    let server = start(&agent);
    let session = server.session().await;
    let mut events = session.events(None).await;
    session.send("First", "next").await;
    agent.reached("more");
    session.send("Never", "later").await;
    session.send("Then", "later").await;
    events.delivery("Then", "queued").await;

    let path = format!("messages/{}", events.delivery("Never", "queued").await);
    assert_eq!(session.delete(&path).await, StatusCode::NO_CONTENT);
    events.delivery("Never", "cancelled").await;
    assert_eq!(session.delete(&path).await, StatusCode::CONFLICT);

    assert_eq!(
        session.post("interrupt", &json!({})).await,
        StatusCode::NO_CONTENT
    );
    assert_eq!(events.nth(1, "turn_end").await["outcome"], "interrupted");
    events.text("Last.").await;
    assert_eq!(events.nth(2, "turn_end").await["outcome"], "completed");
    events.delivery("Then", "delivered").await;
}

#[tokio::test]
async fn a_failed_turn_and_the_end_of_the_agent_are_shown() {
    let agent = Agent::new(json!([
        [{ "error": { "status": 400, "type": "invalid_request_error", "message": "No such thing." } }],
        [{ "fault": { "exit": 3 } }],
    ]));
    let server = start(&agent);
    let session = server.session().await;
    let mut events = session.events(None).await;
    session.send("Fail", "next").await;
    let error = events.nth(1, "turn_end").await["message"].clone();
    assert!(
        error.as_str().unwrap().contains("No such thing."),
        "{error}"
    );
    session.send("Die", "next").await;
    events.activity("ended").await;
    // Another warning is of the message that was lost.
    let is_exit = |it: &Value| {
        let title = it["title"].as_str().unwrap_or_default();
        it["kind"] == "warning" && title.contains("exit status: 3")
    };
    events.entry("the exit", is_exit).await;
}

#[tokio::test]
async fn a_restarted_server_lists_its_sessions_and_a_prompt_resumes_one() {
    // Each process begins with the first reply.
    let agent = Agent::new(json!([
        { "when": { "prompt": { "is": "Go on" } }, "say": [{ "text": "Again." }] },
        [bash("make")],
        [{ "text": "Made." }],
    ]));
    let mut server = start(&agent);
    let session = server.session().await;
    session.send("Go", "next").await;
    let mut events = session.events(None).await;
    let request = events.nth(1, "approval").await;
    session
        .respond(&request, &json!({ "decision": "allow" }))
        .await;
    events.nth(1, "turn_end").await;
    let of_turn = |entries: &[Value]| -> Vec<Value> {
        let mut entries = entries.to_vec();
        entries.retain(|it| it["type"] == "text" || it["type"] == "tool_call");
        entries
            .iter()
            .map(|it| json!([it["id"], it["status"], it["text"], it["title"]]))
            .collect()
    };
    let before = of_turn(&events.entries);
    assert_eq!(before.len(), 2);
    assert!(terminate(&mut server.child).success());

    let server = start(&agent);
    let list = json!([{ "id": session.id, "title": "Go" }]);
    assert_eq!(listed(&server).await, list);
    let session = server.open(&session.id);
    let mut events = session.events(Some(&events.last)).await;
    events.text("Made.").await;
    assert_eq!(events.names, ["snapshot"]);
    assert_eq!(of_turn(&events.entries), before);
    session.send("Go on", "next").await;
    events.text("Again.").await;
    let arguments = agent.started()[1]["argv"].to_string();
    assert!(arguments.contains("--resume"), "{arguments}");
    assert_eq!(listed(&server).await, list);
}

#[tokio::test]
async fn other_hosts_and_origins_are_refused() {
    let agent = Agent::new(json!([]));
    let server = Server::start(agent.command(env!("CARGO_BIN_EXE_web")));
    let client = reqwest::Client::new();
    let url = format!("{}/sessions", server.url);
    let own = server.url.strip_prefix("http://").unwrap().to_owned();
    let port = own.rsplit(':').next().unwrap().to_owned();

    for (header, value, status) in [
        (HOST, own.clone(), StatusCode::OK),
        (HOST, format!("localhost:{port}"), StatusCode::OK),
        (HOST, "127.0.0.1".to_owned(), StatusCode::FORBIDDEN),
        (
            HOST,
            format!("rebound.example:{port}"),
            StatusCode::FORBIDDEN,
        ),
        (ORIGIN, server.url.clone(), StatusCode::OK),
        (
            ORIGIN,
            "https://evil.example".to_owned(),
            StatusCode::FORBIDDEN,
        ),
        (
            ORIGIN,
            format!("http://127.0.0.1:{port}.evil.example"),
            StatusCode::FORBIDDEN,
        ),
        (ORIGIN, "null".to_owned(), StatusCode::FORBIDDEN),
    ] {
        for method in [reqwest::Method::GET, reqwest::Method::POST] {
            let request = client.request(method, &url).header(header.clone(), &value);
            assert_eq!(
                request.send().await.unwrap().status(),
                status,
                "{header}: {value}"
            );
        }
    }
    let page = server.get("/").await;
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("script-src 'self'"), "{policy}");
    let listed = listed(&server).await;
    assert_eq!(
        listed.as_array().unwrap().len(),
        3,
        "only allowed requests create sessions"
    );
}

#[tokio::test]
async fn a_stopped_agent_and_a_stopped_server_leave_no_processes() {
    let agent = Agent::new(json!([
        { "when": { "prompt": { "is": "Wait" } }, "say": [{ "gate": "never" }] },
        [{ "text": "One" }],
    ]));
    let mut server = start(&agent);
    let (first, second) = (server.session().await, server.session().await);
    let mut events = first.events(None).await;
    first.send("Go", "next").await;
    events.text("One").await;
    second.send("Wait", "next").await;
    agent.reached("never");
    assert_eq!(processes_with(&agent.mark()).len(), 3, "the server and two agents");

    assert_eq!(first.delete("").await, StatusCode::NO_CONTENT);
    events.activity("ended").await;
    assert_eq!(processes_with(&agent.mark()).len(), 2, "the server and an agent");
    assert_eq!(server.open("none").delete("").await, StatusCode::NOT_FOUND);

    assert!(terminate(&mut server.child).success());
    assert_eq!(processes_with(&agent.mark()), Vec::<u32>::new());
}
