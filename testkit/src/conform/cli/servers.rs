//! Minimal MCP servers inside the host.

use super::case::McpTool;
use serde_json::{Value, json};

/// Returns the response of a server with these tools.
pub(super) fn reply(tools: &[McpTool], message: &Value) -> Value {
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"},
        }),
        "tools/list" => {
            let tools = tools.iter().map(|it| Value::from(it.tool.clone()));
            json!({ "tools": tools.collect::<Vec<_>>() })
        }
        "tools/call" => {
            let wanted = &message["params"]["name"];
            let tool = tools.iter().find(|it| it.tool["name"] == *wanted);
            tool.map(|it| it.result.clone()).unwrap_or_default()
        }
        _ => json!({}),
    };
    let id = message.get("id").cloned().unwrap_or(json!(0));
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}
