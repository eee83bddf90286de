//! Tests of the programs with the fake agent, which is this test program itself.

use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::json;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

fn main() {
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    the_first_answer();
    the_chat_streams_and_changes_the_model();
    the_server_sends_messages_and_requests_in_order();
    the_trait_example_runs_a_mock_and_a_client();
    println!("four programs ran");
}

fn the_first_answer() {
    let scenario = Scenario::default().reply([Step::text("Tuesday.")]);
    let answer = program(env!("CARGO_BIN_EXE_answer"), &scenario);
    assert_eq!(output(answer), "Tuesday.\n");
}

fn the_trait_example_runs_a_mock_and_a_client() {
    let scenario = Scenario::default().reply([Step::text("yes")]);
    let answer = program(env!("CARGO_BIN_EXE_agent"), &scenario);
    assert_eq!(output(answer), "true true\n");
}

/// Without a terminal to prompt on, the tool is denied.
fn the_chat_streams_and_changes_the_model() {
    let mut chat = program(env!("CARGO_BIN_EXE_chat"), &tool());
    let mut stdin = chat.stdin.take().unwrap();
    stdin.write_all(b"Go\n/model other\n").unwrap();
    drop(stdin);
    let output = output(chat);
    assert!(output.contains("Let me look."), "{output}");
    assert!(output.contains("Done."), "{output}");
}

fn the_server_sends_messages_and_requests_in_order() {
    let mut server = program(env!("CARGO_BIN_EXE_server"), &tool());
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let (address, token) = (next(&mut lines), next(&mut lines));
    let port = address.split(':').next_back().unwrap();
    let own = format!("Host: {address}\r\nAuthorization: Bearer {token}");
    let ask = |method, path: &str, body| request(&address, &own, method, path, body);

    let session = format!("/sessions/{}", ask("POST", "/sessions", "").1);
    let mut events = open(&address, &own, "GET", &session, "");
    // Requests from web sites, and without the token.
    let with =
        |host: &str, more: &str| format!("Host: {host}{more}\r\nAuthorization: Bearer {token}");
    for (headers, status) in [
        (with(&format!("localhost:{port}"), ""), 404),
        (
            with(&address, &format!("\r\nOrigin: http://{address}")),
            404,
        ),
        (with("127.0.0.1", ""), 403),
        (with(&format!("rebound.example:{port}"), ""), 403),
        (with(&address, "\r\nOrigin: https://evil.example"), 403),
        (
            with(
                &address,
                &format!("\r\nOrigin: http://{address}.evil.example"),
            ),
            403,
        ),
        (with(&address, "\r\nOrigin: null"), 403),
        (format!("Host: {address}"), 401),
        (
            format!("Host: {address}\r\nAuthorization: Bearer {}", &token[1..]),
            401,
        ),
    ] {
        // The program took the events of the session, so that they are not found.
        for path in [&session, "/sessions"] {
            let method = if path == "/sessions" { "POST" } else { "GET" };
            let wanted = if status == 404 && method == "POST" {
                200
            } else {
                status
            };
            let found = request(&address, &headers, method, path, "").0;
            assert_eq!(found, wanted, "{method} {headers}");
        }
    }
    assert_eq!(ask("POST", &session, "Go").0, 202);
    let mut seen = String::new();
    let pending = loop {
        let mut line = String::new();
        assert!(events.read_line(&mut line).unwrap() > 0, "{seen}");
        if let Some(text) = seen.ends_with("event: request\n").then_some(&line) {
            break text["data: ".len()..].split(' ').next().unwrap().to_owned();
        }
        seen += &line;
    };
    assert!(seen.contains("Let me look."), "{seen}");
    let request = format!("{session}/requests/{pending}");
    assert_eq!(ask("POST", &request, "yes").0, 204);
    assert_eq!(ask("POST", &request, "yes").0, 404);
    assert_eq!(ask("POST", "/sessions/0", "Go").0, 400);
    let unknown = "/sessions/00000000-0000-4000-8000-000000000000";
    assert_eq!(ask("POST", unknown, "Go").0, 404);
    while !seen.contains("Done.") {
        assert!(events.read_line(&mut seen).unwrap() > 0, "{seen}");
    }
    server.kill().unwrap();
    server.wait().unwrap();
}

/// Returns a reply with a text and a tool that needs a permission, and the final reply.
fn tool() -> Scenario {
    Scenario::default()
        .reply([
            Step::text("Let me look."),
            Step::tool("Bash", json!({"command": "make"}), "made"),
        ])
        .reply([Step::text("Done.")])
}

fn program(path: &str, scenario: &Scenario) -> Child {
    Command::new(path)
        .env("AGENTWIRE_CLI", std::env::current_exe().unwrap())
        .env(fake_agent::SCRIPT, scenario.to_json())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn output(program: Child) -> String {
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn next(lines: &mut Lines<BufReader<ChildStdout>>) -> String {
    lines.next().unwrap().unwrap()
}

/// Returns the status and the body of the response.
fn request(address: &str, headers: &str, method: &str, path: &str, body: &str) -> (u16, String) {
    let mut response = String::new();
    let mut stream = open(address, headers, method, path, body);
    stream.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

fn open(
    address: &str,
    headers: &str,
    method: &str,
    path: &str,
    body: &str,
) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\
         Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    BufReader::new(stream)
}
