//! Tools from functions, without knowledge of MCP.

use crate::handle::Handle;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, InitializeResult, JsonObject, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// An MCP server whose tools are functions.
///
/// ```
/// use agentwire::mcp::{Call, Tools};
/// use agentwire::schemars::{self, JsonSchema};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Search {
///     /// What to look for.
///     words: Vec<String>,
/// }
///
/// #[derive(Serialize)]
/// struct Found {
///     pages: Vec<String>,
/// }
///
/// let tools = Tools::new()
///     .read_only_tool("search", "Searches the handbook.", |search: Search, call: Call| async move {
///         let mut pages = vec![];
///         for (number, word) in search.words.iter().enumerate() {
///             call.progress(number as f64, Some(search.words.len() as f64), word).await;
///             pages.push(format!("A page about {word}"));
///         }
///         Ok::<_, String>(Found { pages })
///     })
///     .tool("forget", "Forgets everything.", |(): ()| async move {
///         Err::<String, _>("That cannot be forgotten.")
///     });
/// # drop(tools);
/// ```
///
/// The schema of a tool's input is generated from its type, including doc
/// comments. A function takes the input, and optionally the [`Call`].
///
/// The model gets a returned string as text, and any other value as JSON text.
/// The model gets a returned string as text, and any other value as JSON text. An object is
/// also the result's structured content. An error, or input that does not match its type, is
/// reported to the model as text in a result marked as an error.
#[derive(Clone)]
#[must_use]
pub struct Tools {
    info: ServerConfig,
    tools: BTreeMap<String, Registered>,
}

#[derive(Clone)]
struct Registered {
    description: Tool,
    run: Arc<dyn Fn(Value, Call) -> Running + Send + Sync>,
}

/// The output of a call, or the text of its error.
type Running = Pin<Box<dyn Future<Output = Result<Value, String>> + Send>>;

/// A function that can be a tool: `Fn(Input) -> Future` or
/// `Fn(Input, Call) -> Future`, with a `Result` as the future's output.
///
/// `Takes` distinguishes the two and need not be named.
#[diagnostic::on_unimplemented(
    message = "this function cannot be a tool",
    label = "not an async function of an input that returns a `Result`",
    note = "write `|input: Input| async move {{ Ok::<_, String>(output) }}`; with a second \
            parameter, it gets the `agentwire::mcp::Call`",
    note = "the input must implement `serde::Deserialize` and `agentwire::schemars::JsonSchema` \
            (`()` for no input), the output `serde::Serialize`, the error `Display`; the future \
            must be `Send`"
)]
pub trait ToolFunction<Takes>: Send + Sync + 'static {
    /// The input from the model.
    type Input: DeserializeOwned + JsonSchema;
    /// The output for the model.
    type Output: Serialize;
    /// The error, whose text the model gets.
    type Error: fmt::Display;

    /// Calls the function.
    fn call(
        &self,
        input: Self::Input,
        call: Call,
    ) -> impl Future<Output = Result<Self::Output, Self::Error>> + Send + 'static;
}

impl<F, I, R, O, E> ToolFunction<(I,)> for F
where
    F: Fn(I) -> R + Send + Sync + 'static,
    R: Future<Output = Result<O, E>> + Send + 'static,
    I: DeserializeOwned + JsonSchema,
    O: Serialize,
    E: fmt::Display,
{
    type Input = I;
    type Output = O;
    type Error = E;

    fn call(&self, input: I, _: Call) -> impl Future<Output = Result<O, E>> + Send + 'static {
        self(input)
    }
}

impl<F, I, R, O, E> ToolFunction<(I, Call)> for F
where
    F: Fn(I, Call) -> R + Send + Sync + 'static,
    R: Future<Output = Result<O, E>> + Send + 'static,
    I: DeserializeOwned + JsonSchema,
    O: Serialize,
    E: fmt::Display,
{
    type Input = I;
    type Output = O;
    type Error = E;

    fn call(&self, input: I, call: Call) -> impl Future<Output = Result<O, E>> + Send + 'static {
        self(input, call)
    }
}

impl Default for Tools {
    fn default() -> Self {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let host = Implementation::new("agentwire", env!("CARGO_PKG_VERSION"));
        Self {
            info: InitializeResult::new(capabilities).with_server_info(host),
            tools: BTreeMap::new(),
        }
    }
}

impl Tools {
    /// Creates a server without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the instructions for the agent: when and how to use these tools.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.info.instructions = Some(text.into());
        self
    }

    /// Adds a tool. If a name is added twice, the last one counts.
    ///
    /// # Panics
    ///
    /// If the input, or a variant of it, is not an object, which MCP requires:
    /// a scalar, a list, an enum with a variant `"name"`. Put the type into a
    /// field of a struct. `()` and `None` are an object without members.
    ///
    /// An enum whose variants are all objects is accepted. CLI 2.1.332 merges them into one object
    /// for the model, because the API does not accept unions.
    pub fn tool<T: 'static>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        function: impl ToolFunction<T>,
    ) -> Self {
        self.add(name.into(), description.into(), function, false)
    }

    /// Adds a tool that changes nothing. Unlike other tools, agents may call it in parallel, and in
    /// modes that allow no changes.
    ///
    /// # Panics
    ///
    /// As for [`Tools::tool`].
    pub fn read_only_tool<T: 'static>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        function: impl ToolFunction<T>,
    ) -> Self {
        self.add(name.into(), description.into(), function, true)
    }

    /// Returns the tools, for agents that do not speak MCP. [`Tools::call`] calls them.
    pub fn definitions(&self) -> impl Iterator<Item = &Tool> {
        self.tools.values().map(|it| &it.description)
    }

    /// Calls a tool for an agent that does not speak MCP. Its [`Call`] has no session, and reports
    /// no progress. Dropping the future drops the call.
    ///
    /// # Errors
    ///
    /// The text of the tool's error for the model, also if there is no such tool.
    pub async fn call(&self, name: &str, input: JsonObject) -> Result<Value, String> {
        match self.tools.get(name) {
            Some(tool) => (tool.run)(Value::Object(input), Call { context: None }).await,
            None => Err(format!("there is no tool `{name}`")),
        }
    }

    fn add<T: 'static, F: ToolFunction<T>>(
        mut self,
        name: String,
        text: String,
        function: F,
        is_read_only: bool,
    ) -> Self {
        let schema = schema_of::<F::Input>().unwrap_or_else(|kind| {
            panic!(
                "the input of the tool `{name}` must be an object, but {kind}: \
                 put the type into a field of a struct"
            )
        });
        let mut description = Tool::new(name.clone(), text, schema);
        if is_read_only {
            description = description.with_annotations(ToolAnnotations::new().read_only(true));
        }
        let function = Arc::new(function);
        let run = move |input: Value, call: Call| -> Running {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let input = read(input)?;
                let output = function.call(input, call).await;
                let output = output.map_err(|error| error.to_string())?;
                serde_json::to_value(output).map_err(|error| error.to_string())
            })
        };
        let run = Arc::new(run);
        self.tools.insert(name, Registered { description, run });
        self
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tools").field(&self.tools.keys()).finish()
    }
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        self.info.clone()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.values().map(|it| it.description.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.get(&*request.name) else {
            let problem = format!("there is no tool `{}`", request.name);
            return Err(ErrorData::invalid_params(problem, None));
        };
        let input = Value::Object(request.arguments.unwrap_or_default());
        Ok(match (tool.run)(
            input,
            Call {
                context: Some(context),
            },
        )
        .await
        {
            Ok(output) => success(output),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error)]),
        }
        .into())
    }
}

/// A running tool call.
#[derive(Debug)]
pub struct Call {
    context: Option<RequestContext<RoleServer>>,
}

impl Call {
    /// Reports progress to the agent: `done`, and the `total` if known. Returns
    /// once the report is queued; it always precedes the result. Does nothing
    /// if the agent did not request progress.
    pub async fn progress(&self, done: f64, total: Option<f64>, text: impl Into<String>) {
        let Some(context) = &self.context else { return };
        let Some(token) = context.meta.get_progress_token() else {
            return;
        };
        let text = text.into();
        let mut progress = ProgressNotificationParam::new(token, done);
        progress.total = total;
        progress.message = (!text.is_empty()).then_some(text);
        // Fails if the session has ended.
        drop(context.peer.notify_progress(progress).await);
    }

    /// Waits until the agent no longer waits for the result. The call may still run to completion.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe.
    pub async fn cancelled(&self) {
        match &self.context {
            Some(context) => context.ct.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Returns the handle of the agent's session. All of its methods may be
    /// called inside the tool. Returns `None` if the server does not run in an
    /// agentwire session.
    #[must_use]
    pub fn session(&self) -> Option<&Handle> {
        self.context.as_ref()?.extensions.get()
    }

    /// Returns the ID of the model's tool call, if the agent sends it.
    #[must_use]
    pub fn tool_use_id(&self) -> Option<&str> {
        let context = self.context.as_ref()?;
        context.meta.get("claudecode/toolUseId")?.as_str()
    }

    /// Returns rmcp's context of the request. Returns `None` for a call of [`Tools::call`].
    #[must_use]
    pub fn context(&self) -> Option<&RequestContext<RoleServer>> {
        self.context.as_ref()
    }
}

/// Returns the schema of a type, or an error if some of its values are not objects.
fn schema_of<I: JsonSchema>() -> Result<JsonObject, String> {
    let mut settings = SchemaSettings::draft2020_12();
    let mut schema = (settings.clone().into_generator()).into_root_schema_for::<I>();
    if schema.get("$ref").is_some() {
        // The root of a newtype would be a reference to the other type's schema.
        settings.inline_subschemas = true;
        schema = settings.into_generator().into_root_schema_for::<I>();
    }
    let root = schema.to_value();
    if let Some(kind) = other_kind(&root, &root, DEPTH) {
        return Err(match root["type"] == kind {
            true => format!("is {kind}"),
            false => format!("has a variant that is {kind}"),
        });
    }
    let Value::Object(mut schema) = root else {
        return Ok(JsonObject::from_iter([(
            "type".to_owned(),
            "object".into(),
        )]));
    };
    schema.insert("type".to_owned(), "object".into());
    // The name of a Rust type is not useful to a model.
    schema.remove("title");
    Ok(schema)
}

/// The deepest variants that are checked: types may be recursive.
const DEPTH: u8 = 8;

/// Returns a type that the schema allows and that is neither an object nor null (empty input), if
/// there is one.
fn other_kind<'a>(root: &'a Value, schema: &'a Value, depth: u8) -> Option<&'a str> {
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.as_slice(),
        kind => std::slice::from_ref(kind),
    };
    let other =
        (kinds.iter().filter_map(Value::as_str)).find(|it| !["object", "null"].contains(it));
    if other.is_some() || depth == 0 {
        return other;
    }
    let target = schema["$ref"]
        .as_str()
        .and_then(|it| root.pointer(it.strip_prefix('#')?));
    let variants = (["oneOf", "anyOf", "allOf"].iter()).filter_map(|it| schema[it].as_array());
    (target.into_iter().chain(variants.flatten())).find_map(|it| other_kind(root, it, depth - 1))
}

/// Deserializes the input. Empty input also matches `()`.
fn read<I: DeserializeOwned>(input: Value) -> Result<I, String> {
    let is_empty = input.as_object().is_some_and(JsonObject::is_empty);
    let problem = match I::deserialize(&input) {
        Ok(input) => return Ok(input),
        Err(problem) => problem,
    };
    match I::deserialize(Value::Null) {
        Ok(input) if is_empty => Ok(input),
        _ => Err(format!("The input does not match the schema: {problem}")),
    }
}

fn success(output: Value) -> CallToolResult {
    match output {
        Value::Null => CallToolResult::success(vec![]),
        Value::String(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Value::Object(_) => CallToolResult::structured(output),
        // Structured content must be an object.
        other => CallToolResult::success(vec![ContentBlock::text(other.to_string())]),
    }
}
