//! Tools of the host, which Codex calls `dynamicTools`.

use crate::asking::Answer;
use crate::wire::{DynamicToolCall, DynamicToolResponse, ToolContent};
use agentwire_protocol::Json;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

type Run = dyn Fn(Json) -> Answer<Result<String, String>> + Send + Sync;

/// The tools of a thread, by name.
#[derive(Clone, Default)]
pub(crate) struct Tools(BTreeMap<String, Tool>);

#[derive(Clone)]
struct Tool {
    definition: Value,
    /// The name of the tool in rules.
    rule_name: String,
    run: Arc<Run>,
}

impl Tools {
    pub(crate) fn add(
        &mut self,
        name: &str,
        rule_name: String,
        description: &str,
        input_schema: &Value,
        run: Arc<Run>,
    ) {
        let definition = json!({
            "type": "function",
            "name": name,
            "description": description,
            "inputSchema": input_schema,
        });
        let tool = Tool {
            definition,
            rule_name,
            run,
        };
        self.0.insert(name.to_owned(), tool);
    }

    /// Adds the tools of a server of the crate `agentwire`.
    #[cfg(feature = "mcp")]
    pub(crate) fn add_all(&mut self, server: &str, tools: &agentwire::mcp::Tools) {
        for tool in tools.definitions() {
            let name = tool.name.clone().into_owned();
            let schema = Value::Object((*tool.input_schema).clone());
            let description = tool.description.as_deref().unwrap_or_default();
            let (tools, called) = (tools.clone(), name.clone());
            let run = move |input: Json| -> Answer<Result<String, String>> {
                let (tools, name) = (tools.clone(), called.clone());
                Box::pin(async move {
                    let input = input.read().map_err(|it| it.to_string())?;
                    Ok(match tools.call(&name, input).await? {
                        Value::Null => String::new(),
                        Value::String(text) => text,
                        other => other.to_string(),
                    })
                })
            };
            let rule_name = format!("mcp__{server}__{name}");
            self.add(&name, rule_name, description, &schema, Arc::new(run));
        }
    }

    /// Returns the `dynamicTools` of `thread/start`.
    pub(crate) fn definitions(&self) -> Vec<&Value> {
        self.0.values().map(|it| &it.definition).collect()
    }

    /// Returns the name of a tool in rules.
    pub(crate) fn rule_name<'a>(&'a self, tool: &'a str) -> &'a str {
        self.0.get(tool).map_or(tool, |it| &it.rule_name)
    }

    pub(crate) async fn call(&self, call: DynamicToolCall) -> DynamicToolResponse {
        let outcome = match self.0.get(&call.tool) {
            Some(tool) => (tool.run)(call.arguments).await,
            None => Err(format!("there is no tool `{}`", call.tool)),
        };
        match outcome {
            Ok(text) => response(text, true),
            Err(text) => response(text, false),
        }
    }
}

/// Returns the response to a call, with the text for the model.
pub(crate) fn response(text: impl Into<String>, success: bool) -> DynamicToolResponse {
    DynamicToolResponse {
        content_items: vec![ToolContent::text(text)],
        success,
        ..DynamicToolResponse::default()
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tools").field(&self.0.keys()).finish()
    }
}
