//! Structured results of the CLI's tools.

use super::rules::parts;
use crate::agent::ToolOutcome;
use crate::scenario::ToolCall;
use agentwire_protocol::Json;
use serde_json::json;

/// Shell commands without output on success, by their first word.
const SILENT: [&str; 13] = [
    "cd", "chgrp", "chmod", "chown", "cp", "export", "ln", "mkdir", "mv", "rm", "rmdir", "touch",
    "unset",
];

/// Returns the path and the text that a call writes. `input` is the call's
/// input, including changes by the host.
pub(in crate::fake_agent) fn written_file(
    call: &ToolCall,
    input: &Json,
) -> Option<(String, String)> {
    let text = |name: &str| -> Option<String> { input.member(name)?.read().ok() };
    if !call.writes || call.name != "Write" {
        return None;
    }
    Some((text("file_path")?, text("content")?))
}

/// Returns the outcome of a tool, with the result from the script.
pub(in crate::fake_agent) fn outcome(call: &ToolCall) -> ToolOutcome {
    if call.is_error {
        return ToolOutcome::error(&*call.result);
    }
    match &*call.name {
        "Bash" => {
            let command = call.input["command"].as_str().unwrap_or_default();
            let data = json!({
                "stdout": call.result, "stderr": "", "interrupted": false, "isImage": false,
                "noOutputExpected": is_silent(command),
            });
            let text = if call.result.is_empty() {
                "(Bash completed with no output)"
            } else {
                &call.result
            };
            ToolOutcome::success(text).data(data).flagged()
        }
        "Write" => {
            let data = json!({
                "type": "create",
                "filePath": call.input["file_path"],
                "content": call.input["content"],
                "structuredPatch": [],
                "originalFile": null,
                "userModified": false,
            });
            let text = if call.result.is_empty() {
                format!(
                    "The file {} is new.",
                    call.input["file_path"].as_str().unwrap_or_default()
                )
            } else {
                call.result.clone()
            };
            ToolOutcome::success(text).data(data)
        }
        _ => ToolOutcome::success(&*call.result).flagged(),
    }
}

/// Returns whether no command of a command line has output on success.
fn is_silent(line: &str) -> bool {
    let is_silent = |command: &str| {
        let word = command.split_whitespace().next();
        word.is_some_and(|word| SILENT.contains(&word))
    };
    parts(line).all(is_silent)
}
