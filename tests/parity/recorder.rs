//! An agent that writes its arguments and its input, up to the first prompt, to
//! `recording.json` in its working directory. It sends only the responses that its host
//! needs to exit cleanly.

#![allow(clippy::unwrap_used, reason = "a test's: who panics is seen to fail")]
#![allow(clippy::print_stdout, reason = "it is a program that answers on it")]

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::Path;

fn main() {
    // Use the path of the link in the folder, not the path of the executable.
    let mut arguments = std::env::args();
    let called_as = arguments.next().unwrap();
    let arguments: Vec<_> = arguments.collect();
    // Our SDK requests the version if an option depends on it.
    if arguments == ["--version"] {
        println!("99.0.0 (recorder)");
        return;
    }
    // Read the files now, because they may be removed with the session.
    let files: Map<_, _> = (arguments.iter())
        .filter_map(|argument| {
            let (_, value) = argument.split_once('=').unwrap_or(("", argument));
            Some((
                value.to_owned(),
                std::fs::read_to_string(value).ok()?.into(),
            ))
        })
        .collect();
    let mut recording = json!({
        "arguments": arguments,
        "files": files,
        "environment": std::env::vars().collect::<BTreeMap<_, _>>(),
        "directory": std::env::current_dir().unwrap(),
        "lines": [],
    });
    if let Ok(folder) = std::env::var("CLAUDE_CONFIG_DIR") {
        let mut found = Map::new();
        list(Path::new(&folder), "", &mut found);
        recording["configuration"] = found.into();
    }
    let mut lines = std::io::stdin().lock().lines();
    for line in lines.by_ref() {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        recording["lines"]
            .as_array_mut()
            .unwrap()
            .push(line.clone());
        match line["type"].as_str() {
            Some("control_request") => say(&answer(&line)),
            Some("user") => break,
            _ => {}
        }
    }
    let folder = Path::new(&called_as).parent().unwrap();
    std::fs::write(folder.join("recording.json"), recording.to_string()).unwrap();
    for message in turn() {
        say(&message);
    }
    // The host closes the input when it has finished.
    for line in lines {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if line["type"] == "control_request" {
            say(&answer(&line));
        }
    }
}

/// Adds the lines of each file in a folder, by its path in the folder.
fn list(folder: &Path, inside: &str, found: &mut Map<String, Value>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let name = format!("{inside}/{name}");
        if path.is_dir() {
            list(&path, &name, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        found.insert(name, lines.collect::<Vec<Value>>().into());
    }
}

fn answer(request: &Value) -> Value {
    let takes_all = json!({
        "commands": [],
        "agents": [],
        "models": [],
        "account": {},
        "output_style": "default",
        "available_output_styles": ["default"],
        "hooks_applied": true,
        "hook_on_failure_supported": true,
        "plugins_applied": true,
        "mcp_servers_applied": true,
        "settings_applied": true,
        "managed_settings_applied": true,
    });
    json!({
        "type": "control_response",
        "response": {
            "subtype": "success",
            "request_id": request["request_id"],
            "response": takes_all,
        },
    })
}

/// Returns the messages of the shortest turn: its start, its result, and its end.
fn turn() -> [Value; 3] {
    let message = |kind: &str, subtype: &str| {
        json!({
            "type": kind,
            "subtype": subtype,
            "session_id": "11111111-1111-4111-8111-111111111111",
            "uuid": "22222222-2222-4222-8222-222222222222",
        })
    };
    let mut working = message("system", "session_state_changed");
    working["state"] = "running".into();
    let mut idle = working.clone();
    idle["state"] = "idle".into();
    let mut result = message("result", "success");
    let members = json!({
        "is_error": false,
        "result": "",
        "stop_reason": "end_turn",
        "num_turns": 1,
        "duration_ms": 0,
        "duration_api_ms": 0,
        "total_cost_usd": 0,
        "usage": {},
        "modelUsage": {},
        "permission_denials": [],
    });
    result
        .as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    [working, result, idle]
}

fn say(message: &Value) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{message}").unwrap();
    stdout.flush().unwrap();
}
