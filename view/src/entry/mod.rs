//! The entries of a view.

mod content;

pub use content::{
    Command, Content, Diff, Hit, Hunk, Lines, Link, Links, PlanItem, PlanItems, Search,
};

use serde::Serialize;
use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The ID of an entry. It is unique in its view, and the same in the view of the
/// session's transcript.
///
/// | entry | ID |
/// |---|---|
/// | prompt | the `uuid` of the user message |
/// | text, thought | the API's message ID, `/text` or `/thought`, and a number |
/// | tool call, plan, question, sub-agent | the `tool_use_id`; `#2` follows if a gateway uses an ID for a second call, and so on |
/// | approval | `approval/` and the `request_id` |
/// | notice, end of a turn | the `uuid` of the message |
///
/// If the agent sends no such ID, the ID is a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(Arc<str>);

impl EntryId {
    /// Returns the ID as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Arc<str>>> From<T> for EntryId {
    fn from(id: T) -> Self {
        Self(id.into())
    }
}

impl Deref for EntryId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for EntryId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for EntryId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for EntryId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EntryId".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

/// Declares data types: their derives are the same for all.
macro_rules! data {
    ($( $(#$meta:tt)* pub $what:ident $name:ident $body:tt )*) => { $(
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(test, derive(ts_rs::TS))]
        #[serde(rename_all = "snake_case")]
        $(#$meta)*
        #[non_exhaustive]
        pub $what $name $body
    )* };
}
pub(crate) use data;

data! {
    /// An entry of a view.
    pub struct Entry {
        /// The ID.
        #[cfg_attr(test, ts(type = "string"))]
        pub id: EntryId,
        /// The sub-agent to which the entry belongs. Absent for the main agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "string"))]
        pub parent: Option<EntryId>,
        /// The content.
        #[serde(flatten)]
        pub body: Body,
    }

    /// The content of an entry.
    #[serde(tag = "type")]
    pub enum Body {
        /// A prompt of the user.
        Prompt(Prompt),
        /// A text of the model, in Markdown.
        Text(Text),
        /// The thinking of the model, in Markdown.
        Thought(Text),
        /// A tool call.
        ToolCall(Box<ToolCall>),
        /// A to-do list of the model, or a plan that it proposes.
        Plan(Box<Plan>),
        /// A question to the user, from the model or from an MCP server.
        Question(Box<Question>),
        /// A permission request that is pending.
        Approval(Box<Approval>),
        /// A sub-agent. Its entries have this entry as `parent`.
        SubAgent(Box<SubAgent>),
        /// An event between messages.
        Notice(Notice),
        /// The end of a turn.
        TurnEnd(Box<TurnEnd>),
    }

    /// A prompt of the user.
    pub struct Prompt {
        /// The text.
        pub text: LongText,
        /// Images and files of the prompt, in order.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(optional, as = "Option<Vec<Attachment>>"))]
        pub attachments: Vec<Attachment>,
        /// When the agent picks up the prompt: `now`, `next` or `later`. Absent for the
        /// default, `next`, and in a restored view.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub priority: Option<String>,
        /// The delivery state.
        pub delivery: Delivery,
    }

    /// The delivery state of a prompt.
    #[derive(Copy, Eq)]
    pub enum Delivery {
        /// The host sent the prompt, or will send it.
        Sent,
        /// The prompt is in the agent's queue.
        Queued,
        /// A turn picked up the prompt.
        Delivered,
        /// The prompt was withdrawn or lost before a turn picked it up.
        Cancelled,
    }

    /// An image or a file of a prompt or of a tool's output.
    pub struct Attachment {
        /// The media type, such as `image/png`.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub media_type: Option<String>,
        /// The name.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub name: Option<String>,
        /// The URL or path.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub url: Option<String>,
        /// The bytes as base64. Absent if they are elsewhere, or larger than
        /// the limit of the view.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub data: Option<String>,
        /// The size in bytes, if it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "number"))]
        pub size: Option<u64>,
    }

    /// A text of the model.
    pub struct Text {
        /// The text.
        pub text: LongText,
        /// Whether the text is complete. A text of Claude Code that was cut off stays incomplete; a
        /// text of another agent is complete when nothing more is appended.
        pub complete: bool,
    }

    /// A text that may be cut in the middle.
    #[derive(Default)]
    pub struct LongText {
        /// The text, without the omitted part.
        pub text: String,
        /// The part that was omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub omitted: Option<Omitted>,
    }

    /// A part that was omitted from a text.
    #[derive(Copy, Eq)]
    pub struct Omitted {
        /// The position of the omission in the remaining text, in bytes of UTF-8.
        #[cfg_attr(test, ts(type = "number"))]
        pub at: u64,
        /// The length of the part in bytes of UTF-8.
        #[cfg_attr(test, ts(type = "number"))]
        pub bytes: u64,
    }

    /// The status of a tool call, a plan or a sub-agent.
    #[derive(Copy, Eq)]
    pub enum Status {
        /// The model is still writing the input, or the call waits for an approval.
        Pending,
        /// The tool runs.
        InProgress,
        /// The tool succeeded.
        Completed,
        /// The tool failed, was denied, or did not end.
        Failed,
    }

    /// The kind of a tool, for icons. The names are those of the Agent Client Protocol.
    #[derive(Copy, Eq)]
    pub enum ToolKind {
        /// Reads files or data.
        Read,
        /// Changes files.
        Edit,
        /// Deletes files or data.
        Delete,
        /// Moves or renames files.
        Move,
        /// Searches.
        Search,
        /// Runs a command or code.
        Execute,
        /// Plans or thinks.
        Think,
        /// Fetches data from the network.
        Fetch,
        /// Switches the mode of the session.
        SwitchMode,
        /// Does something else.
        Other,
    }

    /// A tool call.
    pub struct ToolCall {
        /// The name of the tool.
        pub tool: String,
        /// A title in one line, such as `Edit src/lib.rs`.
        pub title: String,
        /// The kind of tool.
        pub kind: ToolKind,
        /// The status.
        pub status: Status,
        /// The files that the call accesses.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(optional, as = "Option<Vec<Location>>"))]
        pub locations: Vec<Location>,
        /// The input as JSON text, as far as the model has written it. Absent once
        /// `content` shows the input.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub input: Option<LongText>,
        /// The action and result of the call.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(optional, as = "Option<Vec<Content>>"))]
        pub content: Vec<Content>,
        /// The reason why the call failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub failure: Option<Failure>,
        /// The entry of the pending approval for which the call waits.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "string"))]
        pub approval: Option<EntryId>,
        /// The background task that the call became.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub background: Option<Background>,
    }

    /// A file that a tool call accesses.
    #[derive(Eq)]
    pub struct Location {
        /// The path as the agent wrote it.
        pub path: String,
        /// The line, counted from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "number"))]
        pub line: Option<u64>,
    }

    /// The reason why a tool call has no result.
    #[derive(Eq)]
    pub struct Failure {
        /// The reason.
        pub reason: FailureReason,
        /// The text of the tool, or the reason of a denial.
        pub message: String,
    }

    /// The reason why a tool call has no result.
    #[derive(Copy, Eq)]
    pub enum FailureReason {
        /// The tool failed.
        Error,
        /// The time limit of the tool was reached.
        TimedOut,
        /// The user or the host denied the call.
        DeniedByUser,
        /// A permission rule or the permission mode denied the call.
        DeniedByRule,
        /// A hook denied the call.
        DeniedByHook,
        /// A classifier denied the call.
        DeniedByClassifier,
        /// The turn was interrupted.
        Interrupted,
        /// The session or the turn ended before the result.
        NoResult,
    }

    /// A background task.
    #[derive(Eq)]
    pub struct Background {
        /// The ID of the task.
        pub task_id: String,
        /// Whether the task is still running.
        pub is_running: bool,
        /// A summary of its outcome.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub summary: Option<String>,
    }

    /// A to-do list of the model, or a plan that it proposes.
    pub struct Plan {
        /// The proposed plan, in Markdown.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub text: Option<LongText>,
        /// The items of the to-do list.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(optional, as = "Option<Vec<PlanItem>>"))]
        pub items: Vec<PlanItem>,
        /// The status of the tool call. A proposed plan is completed when it was approved,
        /// and failed when it was not.
        pub status: Status,
        /// The reason why the plan was not accepted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub failure: Option<Failure>,
        /// The entry of the pending approval for which the plan waits.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "string"))]
        pub approval: Option<EntryId>,
    }

    /// A question to the user.
    pub struct Question {
        /// The request to respond to, while it is pending.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub request_id: Option<String>,
        /// The MCP server that asks. Absent for the model.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub server: Option<String>,
        /// The questions.
        pub questions: Vec<QuestionItem>,
        /// The fields of the form, as a JSON Schema, if an MCP server asks.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub form: Option<String>,
        /// The page to open, if an MCP server asks for that.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub url: Option<String>,
        /// The status. A question is completed when it was answered.
        pub status: Status,
        /// The reason why there is no answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub failure: Option<Failure>,
    }

    /// A question with its choices.
    pub struct QuestionItem {
        /// A short label.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub header: Option<String>,
        /// The question.
        pub question: String,
        /// The choices. The user may also write another answer.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(optional, as = "Option<Vec<Choice>>"))]
        pub choices: Vec<Choice>,
        /// Whether several choices may be selected.
        pub multiple: bool,
        /// The answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub answer: Option<String>,
    }

    /// A choice of a question.
    #[derive(Eq)]
    pub struct Choice {
        /// The label, which is the answer.
        pub label: String,
        /// The description.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub description: Option<String>,
    }

    /// A permission request that is pending. It is the last entry of its agent, and is removed when
    /// it is no longer pending.
    pub struct Approval {
        /// The request to respond to.
        pub request_id: String,
        /// The tool call of the request.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "string"))]
        pub tool_call: Option<EntryId>,
        /// A title in one line.
        pub title: String,
        /// The reason why the agent asks.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub reason: Option<String>,
        /// The action of the call.
        pub content: Vec<Content>,
        /// The rules that would allow similar calls in the future. Empty if the agent offers none.
        pub always: Vec<String>,
    }

    /// A sub-agent.
    pub struct SubAgent {
        /// The task of the sub-agent, in a few words.
        pub title: String,
        /// The kind of the sub-agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub agent: Option<String>,
        /// The prompt of the parent agent.
        pub prompt: LongText,
        /// The status.
        pub status: Status,
        /// The final response, in Markdown.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub result: Option<LongText>,
        /// The reason why the sub-agent failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub failure: Option<Failure>,
        /// The entry of the pending approval for which the sub-agent waits.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "string"))]
        pub approval: Option<EntryId>,
        /// The background task of the sub-agent, if it runs in the background.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub background: Option<Background>,
        /// The usage of the sub-agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub usage: Option<SubAgentUsage>,
    }

    /// The usage of a sub-agent.
    #[derive(Copy, Eq, Default)]
    pub struct SubAgentUsage {
        /// The number of tokens.
        #[cfg_attr(test, ts(type = "number"))]
        pub tokens: u64,
        /// The number of tool calls.
        #[cfg_attr(test, ts(type = "number"))]
        pub tool_calls: u64,
        /// The duration in milliseconds.
        #[cfg_attr(test, ts(type = "number"))]
        pub duration_ms: u64,
    }

    /// An event between messages.
    pub struct Notice {
        /// The kind of event.
        pub kind: NoticeKind,
        /// The event in one line.
        pub title: String,
        /// A longer text, such as the output of a command.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub detail: Option<LongText>,
    }

    /// The kind of a notice.
    #[derive(Copy, Eq)]
    pub enum NoticeKind {
        /// The conversation was compacted.
        Compacted,
        /// A model request failed and is retried.
        Retrying,
        /// A model request failed.
        ApiError,
        /// A rate limit is close, or was reached.
        RateLimit,
        /// Another model responds from here on.
        ModelChanged,
        /// A hook reported something.
        Hook,
        /// The output of a command that ran without the model.
        CommandOutput,
        /// A background task ended.
        Task,
        /// The user interrupted the turn.
        Interrupted,
        /// A message that the agent inserted for the model.
        Message,
        /// Other information.
        Info,
        /// A problem.
        Warning,
    }

    /// The end of a turn.
    pub struct TurnEnd {
        /// The outcome.
        pub outcome: Outcome,
        /// The reason why the turn failed, and a remedy.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub message: Option<String>,
        /// The cost of the session so far in US dollars, as a decimal number.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub session_cost_usd: Option<String>,
        /// The duration of the turn in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "number"))]
        pub duration_ms: Option<u64>,
        /// The tokens of the turn. Absent if the agent does not report them.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub tokens: Option<Tokens>,
    }

    /// The outcome of a turn.
    #[derive(Copy, Eq)]
    pub enum Outcome {
        /// The turn ran to its end.
        Completed,
        /// The turn was interrupted.
        Interrupted,
        /// The turn failed.
        Failed,
        /// The limit of turns or of the budget was reached.
        LimitReached,
    }

    /// The tokens of a turn.
    #[derive(Copy, Eq, Default)]
    pub struct Tokens {
        /// Input tokens that were not cached.
        #[cfg_attr(test, ts(type = "number"))]
        pub input: u64,
        /// Input tokens that were written to the cache.
        #[cfg_attr(test, ts(type = "number"))]
        pub cache_write: u64,
        /// Input tokens that were read from the cache.
        #[cfg_attr(test, ts(type = "number"))]
        pub cache_read: u64,
        /// Output tokens.
        #[cfg_attr(test, ts(type = "number"))]
        pub output: u64,
    }

    /// The session of a view.
    #[derive(Default)]
    pub struct Session {
        /// The session ID.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub session_id: Option<String>,
        /// The title.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub title: Option<String>,
        /// The working directory.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub cwd: Option<String>,
        /// The model.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub model: Option<String>,
        /// The permission mode.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub permission_mode: Option<String>,
        /// The activity of the session.
        pub activity: Activity,
    }

    /// The activity of a session.
    #[derive(Copy, Eq, Default)]
    pub enum Activity {
        /// The session waits for a prompt.
        #[default]
        Idle,
        /// A turn is running.
        Running,
        /// A turn waits for the user.
        RequiresAction,
        /// The session has ended.
        Ended,
    }
}
