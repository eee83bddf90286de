//! Cases of the codec, of the host's state machine, and of a client with its
//! mailboxes.

use crate::Case;
use crate::lines::{kinds, repeated};
use agentwire::transport::Pipes;
use agentwire::{Client, Options, Rules};
use agentwire_protocol::codec::LineDecoder;
use agentwire_protocol::control::{Initialize, SetModel};
use agentwire_protocol::host::{Host, Prompt, Request, Transmit};
use agentwire_protocol::message::UserMessage;
use agentwire_protocol::permission::CanUseTool;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

const LONG: Duration = Duration::from_secs(3600);

/// Does what a driver does after input.
fn drive(host: &mut Host) {
    while let Some(transmit) = host.poll_transmit() {
        if let Transmit::Line(_) = transmit {
            host.handle_written(Instant::now());
        }
    }
    while host.poll_event().is_some() {}
}

/// Returns a host whose agent has responded to `initialize`.
fn connected() -> Host {
    let mut host = Host::default();
    let now = Instant::now();
    let request = Request::new("r1", &Initialize::default()).unwrap();
    host.request(now, request, LONG).unwrap();
    drive(&mut host);
    host.handle_input(now, b"{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"r1\",\"response\":{}}}\n");
    drive(&mut host);
    host
}

/// Returns a case in which a host receives lines, each in its own read.
fn host_case(name: impl Into<String>, lines: impl Fn(usize) -> Vec<u8> + 'static) -> Case {
    Case::new(format!("host: {}", name.into()), move |n| {
        let lines = lines(n);
        let mut host = connected();
        move || {
            for line in lines.split_inclusive(|byte| *byte == b'\n') {
                host.handle_input(Instant::now(), line);
                drive(&mut host);
            }
        }
    })
}

/// Returns a case in which a client receives lines and reads all events.
fn read(name: impl Into<String>, lines: impl Fn(usize) -> Vec<u8> + 'static) -> Case {
    Case::new(format!("client: {}", name.into()), move |n| {
        let lines = lines(n);
        move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.unwrap().block_on(session(lines));
        }
    })
}

/// Runs a session whose agent writes these lines, and no more.
async fn session(lines: Vec<u8>) {
    let (to_agent, input) = tokio::io::duplex(1 << 16);
    let (mut output, from_agent) = tokio::io::duplex(1 << 16);
    let agent = tokio::spawn(async move {
        let mut input = BufReader::new(input).lines();
        let first = input.next_line().await.unwrap().unwrap();
        let first: Value = serde_json::from_str(&first).unwrap();
        let id = &first["request_id"];
        let answer = json!({"type": "control_response", "response":
            {"subtype": "success", "request_id": id, "response": {}}});
        let said = tokio::spawn(async move {
            output
                .write_all(format!("{answer}\n").as_bytes())
                .await
                .unwrap();
            // The client may have ended the session.
            let _ = output.write_all(&lines).await;
        });
        while let Ok(Some(_)) = input.next_line().await {}
        said.await.unwrap();
    });
    let options = Options::new().partial_messages(true);
    let pipes = Pipes::new(from_agent, to_agent);
    let mut client = Client::connect_over(pipes, options).await.unwrap();
    while client.next().await.is_some() {}
    drop(client);
    agent.await.unwrap();
}

fn lines(values: impl IntoIterator<Item = Value>) -> Vec<u8> {
    let lines = values.into_iter().map(|value| value.to_string() + "\n");
    lines.collect::<String>().into_bytes()
}

fn permission_request(i: usize) -> Value {
    json!({"type": "control_request", "request_id": format!("a{i}"), "request":
        {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": format!("t{i}")}})
}

fn cancel(i: usize) -> Value {
    json!({"type": "control_cancel_request", "request_id": format!("a{i}")})
}

fn result(i: usize) -> Value {
    json!({"type": "user", "message": {"role": "user", "content":
        [{"type": "tool_result", "tool_use_id": format!("t{i}"), "content": "x"}]}})
}

fn system(subtype: &str, i: usize) -> Value {
    json!({"type": "system", "subtype": subtype, "task_id": format!("k{i}"), "tool_use_id": format!("t{i}"),
        "status": "completed", "hook_id": format!("h{i}"), "session_id": "s", "uuid": format!("u{i}")})
}

/// The name of a case, and the lines of a hostile agent.
type Hostile = (&'static str, fn(usize) -> Vec<u8>);

const HOSTILE: &[Hostile] = &[
    ("open asks", |n| lines((0..n).map(permission_request))),
    ("asks, and results of others", |n| {
        lines((0..n).map(permission_request).chain((n..2 * n).map(result)))
    }),
    ("asks, and results of the last first", |n| {
        lines(
            (0..n)
                .map(permission_request)
                .chain((0..n).rev().map(result)),
        )
    }),
    ("asks, and cancels in their order", |n| {
        lines((0..n).map(permission_request).chain((0..n).map(cancel)))
    }),
    ("asks, each taken back at once", |n| {
        lines((0..n).flat_map(|i| [permission_request(i), cancel(i)]))
    }),
    ("the same ask", |n| {
        lines((0..n).map(|_| permission_request(0)))
    }),
    ("results of one message", |n| {
        let results =
            (0..n).map(|i| json!({"type": "tool_result", "tool_use_id": format!("t{i}")}));
        let results: Vec<_> = results.collect();
        lines([json!({"type": "user", "message": {"role": "user", "content": results}})])
    }),
    ("tasks that begin", |n| {
        lines((0..n).map(|i| system("task_started", i)))
    }),
    ("tasks that begin, and end", |n| {
        let begun = (0..n).map(|i| system("task_started", i));
        lines(begun.chain((0..n).map(|i| system("task_notification", i))))
    }),
    ("hooks that start", |n| {
        lines((0..n).map(|i| system("hook_started", i)))
    }),
    ("sub-agents", |n| {
        lines((0..n).map(|i| {
            json!({"type": "assistant", "parent_tool_use_id": format!("t{i}"), "message":
                {"id": format!("m{i}"), "role": "assistant", "content": [{"type": "tool_use", "id": format!("t{i}"), "name": "Agent", "input": {}}]}})
        }))
    }),
    ("capabilities of their own", |n| {
        lines((0..n).map(|i| {
            json!({"type": "system", "subtype": "init", "session_id": "s", "capabilities": [format!("c{i}")]})
        }))
    }),
    ("sessions", |n| {
        lines(
            (0..n).map(
                |i| json!({"type": "system", "subtype": "init", "session_id": format!("s{i}")}),
            ),
        )
    }),
    ("answers nobody waits for", |n| {
        lines((0..n).map(|i| {
            json!({"type": "control_response", "response": {"subtype": "success", "request_id": format!("x{i}")}})
        }))
    }),
    ("MCP messages for nobody", |n| {
        lines((0..n).map(|i| {
            json!({"type": "control_request", "request_id": format!("m{i}"), "request":
                {"subtype": "mcp_message", "server_name": format!("s{i}"), "message": {"jsonrpc": "2.0", "id": i, "method": "ping"}}})
        }))
    }),
    ("pieces of a text", |n| {
        let start = json!({"type": "stream_event", "event": {"type": "message_start", "message": {"id": "m", "content": []}}});
        let block = json!({"type": "stream_event", "event": {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}});
        let piece = json!({"type": "stream_event", "event": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}});
        lines([start, block].into_iter().chain(vec![piece; n]))
    }),
    ("results of turns", |n| {
        lines((0..n).map(|i| {
            json!({"type": "result", "subtype": "success", "is_error": false, "uuid": format!("u{i}"), "result": "x"})
        }))
    }),
    ("lines that are no JSON", |n| b"not json\n".repeat(n)),
    ("empty lines", |n| b"\n".repeat(n)),
    ("one long line", |n| {
        lines([json!({"type": "drop", "text": "x".repeat(100 * n)})])
    }),
    ("one line of many members", |n| {
        let members: serde_json::Map<_, _> = (0..n).map(|i| (format!("x{i}"), json!(i))).collect();
        let mut line = Value::Object(members);
        line["type"] = json!("system");
        line["subtype"] = json!("init");
        line["session_id"] = json!("s");
        lines([line])
    }),
    ("one line of many levels", |n| {
        let (open, close) = ("[".repeat(n), "]".repeat(n));
        format!("{{\"type\":\"system\",\"subtype\":\"init\",\"x\":{open}{close}}}\n").into_bytes()
    }),
];

pub(crate) fn all() -> Vec<Case> {
    let mut cases = vec![
        Case::new("codec: a line in pieces", |n| {
            move || {
                let mut decoder = LineDecoder::default();
                for _ in 0..n {
                    decoder.push(b"0123456789abcdef");
                    assert!(decoder.next_line().is_none());
                }
                assert!(decoder.finish().is_some());
            }
        }),
        Case::new("codec: lines in one piece", |n| {
            let piece = b"0123456789abcdef\n".repeat(n);
            move || {
                let mut decoder = LineDecoder::default();
                decoder.push(&piece);
                let lines = std::iter::from_fn(|| decoder.next_line());
                assert_eq!(lines.count(), n);
            }
        }),
        Case::new("codec: a line that is too long, in pieces", |n| {
            move || {
                let mut decoder = LineDecoder::new(100);
                for _ in 0..n {
                    decoder.push(b"0123456789abcdef");
                    assert!(decoder.next_line().is_none());
                }
                assert!(decoder.finish().is_some());
            }
        }),
        Case::new("host: requests, answered from the last on", |n| {
            move || {
                let mut host = connected();
                let now = Instant::now();
                for i in 0..n {
                    let request = Request::new(format!("q{i}"), &SetModel::default()).unwrap();
                    host.request(now, request, LONG).unwrap();
                    drive(&mut host);
                }
                for i in (0..n).rev() {
                    let answer = json!({"type": "control_response", "response":
                        {"subtype": "success", "request_id": format!("q{i}")}});
                    host.handle_input(now, &lines([answer]));
                    drive(&mut host);
                }
            }
        }),
        Case::new("host: requests, taken back from the last on", |n| {
            move || {
                let mut host = connected();
                let now = Instant::now();
                for i in 0..n {
                    let request = Request::new(format!("q{i}"), &SetModel::default()).unwrap();
                    host.request(now, request, LONG).unwrap();
                }
                for i in (0..n).rev() {
                    host.cancel(&format!("q{i}"));
                    drive(&mut host);
                }
            }
        }),
        Case::new("host: prompts, told back", |n| {
            move || {
                let mut host = connected();
                let now = Instant::now();
                for i in 0..n {
                    host.submit(now, prompt(i)).unwrap();
                    drive(&mut host);
                }
                for i in 0..n {
                    let host_case = json!({"type": "user", "uuid": format!("p{i}"), "isReplay": true,
                        "message": {"role": "user", "content": "x"}});
                    host.handle_input(now, &lines([host_case]));
                    drive(&mut host);
                }
            }
        }),
        Case::new("host: prompts and results", |n| {
            move || {
                let mut host = connected();
                let now = Instant::now();
                for i in 0..n {
                    host.submit(now, prompt(i)).unwrap();
                    drive(&mut host);
                }
                for i in 0..n {
                    let result = json!({"type": "result", "subtype": "success", "is_error": false,
                        "uuid": format!("r{i}"), "result": "x"});
                    host.handle_input(now, &lines([result]));
                    drive(&mut host);
                }
            }
        }),
    ];
    for kind in kinds() {
        for is_fresh in [true, false] {
            let ids = if is_fresh {
                "ids of their own"
            } else {
                "the same ids"
            };
            let name = format!("{}, {ids}", kind.name);
            let line = kind.line.clone();
            cases.push(host_case(&name, move |n| repeated(&line, n, is_fresh)));
            let line = kind.line.clone();
            cases.push(read(&name, move |n| repeated(&line, n, is_fresh)));
        }
    }
    for (name, lines) in HOSTILE {
        cases.push(host_case(*name, lines));
        cases.push(read(*name, lines));
    }
    cases.extend(COMMANDS.iter().map(|(name, command)| {
        Case::new(format!("rules: {name}"), move |n| {
            let rules = Rules::builder()
                .allow(["Bash(ls *)", "Bash(echo *)", "Bash(git *)"])
                .deny(["Bash(rm *)", "Bash(curl *)"])
                .build()
                .unwrap();
            let request = bash(&command(n));
            move || drop(rules.verdict(&request))
        })
    }));
    cases.push(Case::new("rules: many rules", |n| {
        let rules = (0..n).map(|i| format!("Bash(tool{i} *)"));
        let rules = Rules::builder().allow(rules).build().unwrap();
        let request = bash("echo x; ls");
        move || drop(rules.verdict(&request))
    }));
    cases
}

fn prompt(i: usize) -> Prompt {
    Prompt::new(format!("p{i}"), UserMessage::new("x")).unwrap()
}

fn bash(command: &str) -> CanUseTool {
    let request =
        json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": command}});
    serde_json::from_value(request).unwrap()
}

/// The name of a case, and a function that returns a command of n parts.
type Commands = (&'static str, fn(usize) -> String);

const COMMANDS: &[Commands] = &[
    ("words", |n| format!("echo {}", "x ".repeat(n))),
    ("one word", |n| format!("echo {}", "x".repeat(10 * n))),
    ("commands", |n| "ls; ".repeat(n)),
    ("commands in a pipe", |n| "ls | ".repeat(n) + "ls"),
    ("commands of commands", |n| "sudo ".repeat(n) + "rm x"),
    ("shells in shells", |n| "sh -c \"".repeat(n) + "rm x"),
    ("substitutions in substitutions", |n| "echo $(".repeat(n)),
    ("backquotes", |n| "`".repeat(n)),
    ("variables", |n| "A=x ".repeat(n) + "$A"),
    ("variables of variables", |n| "A=$A$A; ".repeat(n) + "$A"),
    ("heredocs", |n| "cat <<E\n".repeat(n)),
    ("parentheses", |n| "(".repeat(n) + "ls"),
    ("quotes", |n| "'".repeat(n)),
    ("escapes", |n| "\\".repeat(n)),
    ("braces", |n| format!("echo {}", "{a,".repeat(n))),
    ("stars", |n| format!("git {}", "*".repeat(n))),
    ("equals signs", |n| format!("env {}rm x", "a=".repeat(n))),
];
