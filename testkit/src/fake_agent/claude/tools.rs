//! What the CLI's own tools answer, beside the text for the model.

use super::rules::parts;
use crate::agent::ToolOutcome;
use crate::scenario::ToolCall;
use agentwire_protocol::Json;
use serde_json::json;

/// Shell commands that say nothing when they succeed, by their first word.
const SILENT: [&str; 13] = [
    "cd", "chgrp", "chmod", "chown", "cp", "export", "ln", "mkdir", "mv", "rm", "rmdir", "touch",
    "unset",
];

/// The file that a call writes, and its text. `input` is what the host allowed.
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

/// The outcome of a tool that the script has answer this.
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

/// Whether all commands of a line say nothing when they succeed.
fn is_silent(line: &str) -> bool {
    let is_silent = |command: &str| {
        let word = command.split_whitespace().next();
        word.is_some_and(|word| SILENT.contains(&word))
    };
    parts(line).all(is_silent)
}
