//! Tests of the HTTP interface, with the fake agent.

use super::server::{Events, Server};
use reqwest::StatusCode;
use reqwest::header::{HOST, ORIGIN};
use serde_json::{Value, json};
use support::{Agent, left, terminate};

fn bash(command: &str) -> Value {
    json!({ "tool": { "name": "Bash", "input": { "command": command }, "result": "done" } })
}

#[tokio::test]
async fn an_answer_streams_and_its_cost_follows() {
    let agent = Agent::new(json!([{
        "say": [{ "text": { "chunks": ["Hello", " there."] } }], "cost_usd": 0.25,
    }]));
    let server = Server::start(agent.command(env!("CARGO_BIN_EXE_web")));
    let session = server.session().await;
    session.send("Hi", "next").await;

    let mut events = session.events(None).await;
    let prompt = events.next("prompt").await;
    assert_eq!(
        (&prompt["text"], &prompt["priority"]),
        (&json!("Hi"), &json!("next"))
    );
    assert_eq!(events.next("text").await["text"], "Hello");
    assert_eq!(events.next("text").await["text"], " there.");
    events.next("text_end").await;
    let end = events.next("turn_ended").await;
    assert_eq!(
        (&end["outcome"], &end["cost_usd"]),
        (&json!("completed"), &json!(0.25))
    );

    let list: Value = server.get("/sessions").await.json().await.unwrap();
    assert_eq!(list, json!([{ "id": 1, "title": "Hi" }]));
}

#[tokio::test]
async fn a_permission_request_waits_and_is_settled_once() {
    let agent = Agent::new(json!([[bash("make")], [bash("rm -r /")], [{ "text": "Done." }]]));
    let server = Server::start(agent.command(env!("CARGO_BIN_EXE_web")));
    let session = server.session().await;
    session.send("Go", "next").await;

    let mut events = session.events(None).await;
    let request = events.next("permission").await;
    assert_eq!(request["title"], "Allow Bash?");
    assert_eq!(request["detail"], r#"{"command":"make"}"#);
    let allow = json!({ "decision": "allow" });
    assert_eq!(
        session.respond(&request, &allow).await,
        StatusCode::NO_CONTENT
    );
    assert_eq!(events.next("settled").await["how"], "allowed");
    assert_eq!(
        session.respond(&request, &allow).await,
        StatusCode::NOT_FOUND
    );
    let result = events.next("tool_result").await;
    assert_eq!(
        (&result["text"], &result["is_error"]),
        (&json!("done"), &json!(false))
    );

    let request = events.next("permission").await;
    session
        .respond(&request, &json!({ "decision": "deny" }))
        .await;
    let result = events.next("tool_result").await;
    assert_eq!(
        (&result["text"], &result["is_error"]),
        (&json!("The user denied this."), &json!(true))
    );
    events.next("turn_ended").await;
}

#[tokio::test]
async fn always_applies_what_the_dialog_shows() {
    let suggestions = json!([{
        "type": "addRules", "behavior": "allow", "destination": "session",
        "rules": [{ "toolName": "Bash", "ruleContent": "make:*" }],
    }]);
    let mut first = bash("make all");
    first["tool"]["question"] = json!({ "permission_suggestions": suggestions });
    let agent = Agent::new(json!([[first], [bash("make install")], [{ "text": "Installed." }]]));
    let server = Server::start(agent.command(env!("CARGO_BIN_EXE_web")));
    let session = server.session().await;
    session.send("Go", "next").await;

    let mut events = session.events(None).await;
    let request = events.next("permission").await;
    assert_eq!(request["always"], json!(["allow Bash(make:*) (session)"]));
    session
        .respond(&request, &json!({ "decision": "always" }))
        .await;
    events.next("turn_ended").await;
    // The second call needed no permission.
    let asked = events
        .seen
        .iter()
        .filter(|it| it["type"] == "permission")
        .count();
    let ran = events
        .seen
        .iter()
        .filter(|it| it["type"] == "tool_result")
        .count();
    assert_eq!((asked, ran), (1, 2));
}

#[tokio::test]
async fn a_request_that_requires_a_human_offers_no_always() {
    let mut call = bash("make");
    call["tool"]["question"] = json!({
        "default_to_no": true,
        "permission_suggestions": [{ "type": "setMode", "mode": "acceptEdits", "destination": "session" }],
    });
    let agent = Agent::new(json!([[call], [{ "text": "Done." }]]));
    let server = Server::start(agent.command(env!("CARGO_BIN_EXE_web")));
    let session = server.session().await;
    session.send("Go", "next").await;
    let mut events = session.events(None).await;
    assert_eq!(events.next("permission").await["always"], json!([]));
}

#[tokio::test]
async fn a_question_gets_the_answers_of_the_user() {
    let question = json!({ "question": "Tea or coffee?", "header": "Drink", "multiSelect": false,
        "options": [{ "label": "Tea", "description": "leaf" }, { "label": "Coffee", "description": "bean" }] });
    let agent = Agent::new(json!([
        [{ "tool": { "name": "AskUserQuestion", "input": { "questions": [question] } } }],
        { "when": { "result": { "contains": "Coffee" } }, "say": [{ "text": "Coffee it is." }] },
    ]));
    let server = Server::start(agent.command(env!("CARGO_BIN_EXE_web")));
    let session = server.session().await;
    session.send("Go", "next").await;

    let mut events = session.events(None).await;
    let request = events.next("question").await;
    assert_eq!(request["questions"], json!([question]));
    let answers = json!({ "decision": "answer", "answers": { "Tea or coffee?": "Coffee" } });
    assert_eq!(
        session.respond(&request, &answers).await,
        StatusCode::NO_CONTENT
    );
    events.text("Coffee it is.").await;
}

#[tokio::test]
async fn a_reader_continues_after_the_last_event_that_it_had() {
    let agent = Agent::new(json!([[{ "text": "One." }]]));
    let server = Server::start(agent.command(env!("CARGO_BIN_EXE_web")));
    let session = server.session().await;
    session.send("Go", "next").await;
    let mut first = session.events(None).await;
    first.next("turn_ended").await;

    let mut again = session.events(Some(1)).await;
    again.next("turn_ended").await;
    assert_eq!(again.seen, first.seen[2..]);
    assert_eq!(again.ids[0], 2);
    // No event can have this ID.
    session.events(Some(usize::MAX)).await;
}

#[tokio::test]
async fn messages_steer_a_running_turn() {
    let agent = Agent::new(json!([
        [{ "text": "One " }, { "gate": "more" }, { "text": "two." }],
        [{ "text": "Last." }],
    ]));
    let server = Server::start(agent.command(env!("CARGO_BIN_EXE_web")));
    let session = server.session().await;
    let mut events = session.events(None).await;
    session.send("First", "next").await;
    agent.reached("more");
    session.send("Never", "later").await;
    session.send("Then", "later").await;
    events.delivery("Then", "queued").await;

    let path = format!("messages/{}", events.id("Never"));
    assert_eq!(session.delete(&path).await, StatusCode::NO_CONTENT);
    events.delivery("Never", "cancelled").await;
    assert_eq!(session.delete(&path).await, StatusCode::CONFLICT);

    assert_eq!(
        session.post("interrupt", &json!({})).await,
        StatusCode::NO_CONTENT
    );
    assert_eq!(events.next("turn_ended").await["outcome"], "interrupted");
    events.text("Last.").await;
    assert_eq!(events.next("turn_ended").await["outcome"], "completed");
    events.delivery("Then", "completed").await;
}

#[tokio::test]
async fn a_failed_turn_and_the_end_of_the_agent_are_shown() {
    let agent = Agent::new(json!([
        [{ "error": { "status": 400, "type": "invalid_request_error", "message": "No such thing." } }],
        [{ "fault": { "exit": 3 } }],
    ]));
    let server = Server::start(agent.command(env!("CARGO_BIN_EXE_web")));
    let session = server.session().await;
    let mut events = session.events(None).await;
    session.send("Fail", "next").await;
    let error = events.next("turn_ended").await["error"].clone();
    assert!(
        error.as_str().unwrap().contains("No such thing."),
        "{error}"
    );
    session.send("Die", "next").await;
    let error = events.next("ended").await["error"].clone();
    assert!(error.as_str().unwrap().contains('3'), "{error}");
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
    // Only the three allowed requests started a session.
    assert_eq!(agent.started().len(), 3);
}

#[tokio::test]
async fn an_ended_session_and_a_stopped_server_leave_no_processes() {
    let agent = Agent::new(json!([[{ "text": "One" }, { "gate": "never" }]]));
    let mut server = Server::start(agent.command(env!("CARGO_BIN_EXE_web")));
    let (first, second) = (server.session().await, server.session().await);
    let mut events: Events = first.events(None).await;
    second.send("Go", "next").await;
    agent.reached("never");
    assert_eq!(left(&agent.mark()).len(), 3, "the server and two agents");

    assert_eq!(first.delete("").await, StatusCode::NO_CONTENT);
    events.next("ended").await;
    assert_eq!(left(&agent.mark()).len(), 2, "the server and an agent");
    assert_eq!(first.delete("").await, StatusCode::NOT_FOUND);

    assert!(terminate(&mut server.child).success());
    assert_eq!(left(&agent.mark()), Vec::<u32>::new());
}
