//! An MCP server that repeats the recorded responses.

use agentwire_testkit::recording::Entry;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// An MCP server that repeats the recorded responses.
#[derive(Clone)]
pub(crate) struct Recorded {
    tools: Value,
    /// The result of each call, by its tool and arguments.
    results: Arc<HashMap<String, Value>>,
}

impl Recorded {
    pub(crate) fn of(session: &[Entry]) -> Self {
        let asked: HashMap<String, Value> = super::host::received(session)
            .filter(|line| line["request"]["subtype"] == "mcp_message")
            .map(|mut line| {
                let id = line["request_id"].as_str().unwrap().to_owned();
                (id, line["request"]["message"].take())
            })
            .collect();
        let mut tools = Value::Null;
        let mut results = HashMap::new();
        for (id, mut answer) in super::host::answers(session) {
            let result = answer["mcp_response"]["result"].take();
            let Some(message) = asked.get(&id) else {
                continue;
            };
            match message["method"].as_str() {
                Some("tools/list") => tools = result,
                Some("tools/call") => {
                    let params = &message["params"];
                    let name = params["name"].as_str().unwrap();
                    results.insert(call(name, &params["arguments"]), result);
                }
                _ => {}
            }
        }
        Self {
            tools,
            results: Arc::new(results),
        }
    }
}

fn call(tool: &str, arguments: &Value) -> String {
    format!("{tool} {arguments}")
}

impl ServerHandler for Recorded {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("calc", "1.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(serde_json::from_value(self.tools.clone()).unwrap())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::from(request.arguments.unwrap_or_default());
        let result = self.results[&call(&request.name, &arguments)].clone();
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        Ok(result.into())
    }
}
