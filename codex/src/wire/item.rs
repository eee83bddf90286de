//! Items: the parts of a turn.

use super::{enums, objects};
use agentwire_protocol::Json;
use agentwire_protocol::open::{Field as _, Form, each_member, string_of, union};

union! {
    /// A part of a turn: a message, a tool call, and so on.
    pub enum Item by "type" {
        /// Input of the user.
        "userMessage" => UserMessage(UserMessage),
        /// Text of the model.
        "agentMessage" => AgentMessage(AgentMessage),
        /// Reasoning of the model.
        "reasoning" => Reasoning(Reasoning),
        /// A plan that the model proposes.
        "plan" => Plan(Plan),
        /// A shell command.
        "commandExecution" => CommandExecution(CommandExecution),
        /// Changes to files.
        "fileChange" => FileChange(FileChange),
        /// A call of a tool of an MCP server.
        "mcpToolCall" => McpToolCall(McpToolCall),
        /// A call of a tool of the client.
        "dynamicToolCall" => DynamicToolCall(DynamicToolItem),
        /// A call of a tool that controls sub-agents.
        "collabAgentToolCall" => CollabAgentToolCall(CollabAgentToolCall),
        /// Activity of a sub-agent.
        "subAgentActivity" => SubAgentActivity(SubAgentActivity),
        /// The start of a review.
        "enteredReviewMode" => EnteredReviewMode(EnteredReviewMode),
        /// The end of a review.
        "exitedReviewMode" => ExitedReviewMode(ExitedReviewMode),
        /// A web search.
        "webSearch" => WebSearch(WebSearch),
        /// An image file that the model looked at.
        "imageView" => ImageView(ImageView),
        /// An image that the model generated.
        "imageGeneration" => ImageGeneration(ImageGeneration),
        /// A compaction of the conversation.
        "contextCompaction" => ContextCompaction(ContextCompaction),
    }
}

impl Item {
    /// Returns the ID of the item, also of an unknown kind.
    #[must_use]
    pub fn id(&self) -> Option<String> {
        let mut id = None;
        each_member(self.form(), &mut |name, value| match value {
            Form::Text(text) if name == "id" => id = Some(text.to_owned()),
            Form::Raw(text) if name == "id" => id = string_of(Some(text)).map(Into::into),
            _ => {}
        });
        id
    }
}

union! {
    /// A part of a user message.
    pub enum UserInput by "type" {
        /// Text.
        "text" => Text(TextInput),
        /// An image at a URL.
        "image" => Image(ImageInput),
        /// An image file.
        "localImage" => LocalImage(LocalImageInput),
    }
}

impl UserInput {
    /// Creates a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextInput {
            text: text.into(),
            ..TextInput::default()
        })
    }

    /// Creates an image from a URL, which can be a data URL.
    pub fn image(url: impl Into<String>) -> Self {
        Self::Image(ImageInput {
            url: Some(url.into()),
            ..ImageInput::default()
        })
    }

    /// Creates an image from the path of a file on the machine of Codex.
    pub fn local_image(path: impl Into<String>) -> Self {
        Self::LocalImage(LocalImageInput {
            path: path.into(),
            ..LocalImageInput::default()
        })
    }
}

union! {
    /// A part of the output of a tool of the client.
    pub enum ToolContent by "type" {
        /// Text.
        "inputText" => Text(TextContent),
        /// An image.
        "inputImage" => Image(ImageContent),
    }
}

impl ToolContent {
    /// Creates a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent {
            text: text.into(),
            ..TextContent::default()
        })
    }
}

objects! {
    /// Input of the user.
    pub struct UserMessage of(identity) tags("type" = "userMessage") {
        /// The `clientUserMessageId` of the request.
        pub client_id: Option<String> = "clientId",
        /// The input.
        pub content: Vec<UserInput>,
    }

    /// Text of the model.
    pub struct AgentMessage of(identity) tags("type" = "agentMessage") {
        /// The text. Empty when the item starts.
        pub text: String,
        /// The role of the text in the turn.
        pub phase: Option<MessagePhase>,
    }

    /// Reasoning of the model.
    pub struct Reasoning of(identity) tags("type" = "reasoning") {
        /// The parts of the summary.
        pub summary: Option<Vec<String>>,
        /// The reasoning itself, if the provider sends it.
        pub content: Option<Vec<String>>,
    }

    /// A plan that the model proposes in plan mode.
    pub struct Plan of(identity) tags("type" = "plan") {
        /// The plan.
        pub text: String,
    }

    /// A shell command.
    pub struct CommandExecution of(identity) tags("type" = "commandExecution") {
        /// The command line.
        pub command: String,
        /// The working directory.
        pub cwd: String,
        /// The ID of the process, for the requests about background terminals.
        pub process_id: Option<String> = "processId",
        /// The reason why the command ran, such as `agent` or `userShell`.
        pub source: Option<String>,
        /// The state.
        pub status: ItemStatus,
        /// The commands in the command line, as far as Codex recognises them.
        pub command_actions: Vec<CommandAction> = "commandActions",
        /// Standard output and standard error, up to 1 MiB.
        pub aggregated_output: Option<String> = "aggregatedOutput",
        /// The exit code.
        pub exit_code: Option<i64> = "exitCode",
        /// The duration in milliseconds.
        pub duration_ms: Option<i64> = "durationMs",
    }

    /// A command in a command line.
    pub struct CommandAction {
        /// The kind of command: `read`, `listFiles`, `search` or `unknown`.
        pub kind: String = "type",
        /// The command.
        pub command: String,
        /// The path that is read, listed or searched.
        pub path: Option<String>,
        /// The text that is searched.
        pub query: Option<String>,
    }

    /// Changes to files.
    pub struct FileChange of(identity) tags("type" = "fileChange") {
        /// The changes.
        pub changes: Vec<FileUpdate>,
        /// The state.
        pub status: ItemStatus,
    }

    /// A change to one file.
    pub struct FileUpdate {
        /// The path of the file.
        pub path: String,
        /// The kind of change.
        pub kind: FileUpdateKind,
        /// A unified diff. For a new or deleted file, its text.
        pub diff: String,
    }

    /// The kind of change to a file.
    pub struct FileUpdateKind {
        /// The name of the kind.
        pub kind: FileUpdateName = "type",
        /// The new path of a file that was renamed.
        pub move_path: Option<String>,
    }

    /// A call of a tool of an MCP server.
    pub struct McpToolCall of(identity) tags("type" = "mcpToolCall") {
        /// The name of the server.
        pub server: String,
        /// The name of the tool.
        pub tool: String,
        /// The state.
        pub status: CallStatus,
        /// The input of the tool.
        pub arguments: Json,
        /// Whether the server says that the tool only reads.
        pub read_only_hint: Option<bool> = "readOnlyHint",
        /// The output of the tool.
        pub result: Option<McpToolResult>,
        /// The reason why the call failed.
        pub error: Option<McpToolError>,
        /// The duration in milliseconds.
        pub duration_ms: Option<i64> = "durationMs",
    }

    /// The output of a tool of an MCP server.
    pub struct McpToolResult {
        /// The content blocks of MCP.
        pub content: Vec<Json>,
        /// The structured output.
        pub structured_content: Option<Json> = "structuredContent",
    }

    /// The error of a tool of an MCP server.
    pub struct McpToolError {
        /// The message.
        pub message: String,
    }

    /// A call of a tool of the client.
    pub struct DynamicToolItem of(identity) tags("type" = "dynamicToolCall") {
        /// The namespace of the tool.
        pub namespace: Option<String>,
        /// The name of the tool.
        pub tool: String,
        /// The input of the tool.
        pub arguments: Json,
        /// The state.
        pub status: CallStatus,
        /// The output of the tool.
        pub content_items: Option<Vec<ToolContent>> = "contentItems",
        /// Whether the call succeeded.
        pub success: Option<bool>,
        /// The duration in milliseconds.
        pub duration_ms: Option<i64> = "durationMs",
    }

    /// A call of a tool that controls sub-agents.
    pub struct CollabAgentToolCall of(identity) tags("type" = "collabAgentToolCall") {
        /// The name of the tool, such as `spawnAgent`.
        pub tool: String,
        /// The state.
        pub status: CallStatus,
        /// The threads of the sub-agents.
        pub receiver_thread_ids: Vec<String> = "receiverThreadIds",
        /// The prompt for the sub-agents.
        pub prompt: Option<String>,
    }

    /// Activity of a sub-agent.
    pub struct SubAgentActivity of(identity) tags("type" = "subAgentActivity") {
        /// The activity, such as `started`.
        pub kind: String,
        /// The path of the sub-agent.
        pub agent_path: String = "agentPath",
        /// The thread of the sub-agent.
        pub agent_thread_id: String = "agentThreadId",
    }

    /// The start of a review.
    pub struct EnteredReviewMode of(identity) tags("type" = "enteredReviewMode") {
        /// The subject of the review.
        pub review: String,
    }

    /// The end of a review.
    pub struct ExitedReviewMode of(identity) tags("type" = "exitedReviewMode") {
        /// The result of the review.
        pub review: String,
    }

    /// A web search.
    pub struct WebSearch of(identity) tags("type" = "webSearch") {
        /// The query.
        pub query: String,
        /// The action.
        pub action: Option<WebSearchAction>,
    }

    /// The action of a web search.
    pub struct WebSearchAction {
        /// The kind: `search`, `openPage`, `findInPage` or `other`.
        pub kind: String = "type",
        /// The queries of a search.
        pub queries: Option<Vec<String>>,
        /// The URL of the page.
        pub url: Option<String>,
        /// The text that is searched in the page.
        pub pattern: Option<String>,
    }

    /// An image file that the model looked at.
    pub struct ImageView of(identity) tags("type" = "imageView") {
        /// The path of the file.
        pub path: String,
    }

    /// An image that the model generated.
    pub struct ImageGeneration of(identity) tags("type" = "imageGeneration") {
        /// The state.
        pub status: String,
        /// The image as base64.
        pub result: Option<String>,
        /// The path of the stored image.
        pub saved_path: Option<String> = "savedPath",
    }

    /// A compaction of the conversation.
    pub struct ContextCompaction of(identity) tags("type" = "contextCompaction") {}

    /// Text of the user.
    #[derive(Default)]
    pub struct TextInput tags("type" = "text") {
        /// The text.
        pub text: String,
    }

    /// An image of the user.
    #[derive(Default)]
    pub struct ImageInput tags("type" = "image") {
        /// The URL, which can be a data URL.
        pub url: Option<String>,
    }

    /// An image file on the machine of Codex.
    #[derive(Default)]
    pub struct LocalImageInput tags("type" = "localImage") {
        /// The path of the file.
        pub path: String,
    }

    /// Text in the output of a tool.
    #[derive(Default)]
    pub struct TextContent tags("type" = "inputText") {
        /// The text.
        pub text: String,
    }

    /// An image in the output of a tool.
    #[derive(Default)]
    pub struct ImageContent tags("type" = "inputImage") {
        /// The URL, which can be a data URL.
        pub image_url: String = "imageUrl",
    }
}

enums! {
    /// The state of a command or a file change.
    pub enum ItemStatus {
        /// The command or change is in progress, or an approval is pending.
        InProgress = "inProgress",
        /// It succeeded.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// An approval was denied.
        Declined = "declined",
    }

    /// The state of a tool call.
    pub enum CallStatus {
        /// The tool is running, or an approval is pending.
        InProgress = "inProgress",
        /// The call succeeded.
        Completed = "completed",
        /// The call failed.
        Failed = "failed",
    }

    /// The role of an agent message in its turn.
    pub enum MessagePhase {
        /// Text between tool calls.
        Commentary = "commentary",
        /// A part of the final reply.
        PartialAnswer = "partial_answer",
        /// The final reply.
        FinalAnswer = "final_answer",
    }

    /// The name of a kind of change to a file.
    pub enum FileUpdateName {
        /// A changed file.
        Update = "update",
        /// A new file.
        Add = "add",
        /// A deleted file.
        Delete = "delete",
    }
}
