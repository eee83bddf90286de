//! What the agent's own tools take and give, for user interfaces that draw
//! questions, plans, diffs and lists, and for hosts that decide by it.
//!
//! On the wire a tool is only a name beside raw JSON: in a
//! [`ToolUseBlock`], a [`UserMessage`], a permission ask or a hook. The name
//! says how to read it:
//!
//! ```
//! use agentwire_protocol::Json;
//! use agentwire_protocol::tool::ToolInput;
//!
//! let input: Json = serde_json::from_str(r#"{"command":"ls","timeout":5000}"#)?;
//! let ToolInput::Bash(bash) = ToolInput::read("Bash", &input)? else { unreachable!() };
//! assert_eq!(bash.command, "ls");
//!
//! // A tool that this version does not know keeps its input.
//! let unknown = ToolInput::read("Teleport", &input)?;
//! assert_eq!(serde_json::to_string(&unknown)?, input.get());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An input in a message is what the model wrote. The agent looks at it only
//! afterwards, so it can lack what the tool needs; then it is an error here.
//! In a permission ask the agent has looked at it.

mod agent;
mod artifact;
mod files;
mod mcp;
mod notebook;
mod notify;
mod plan;
mod projects;
mod review;
mod schedule;
mod search;
mod shell;
mod skills;
mod todo;
mod web;
mod worktree;

pub use agent::*;
pub use artifact::*;
pub use files::*;
pub use mcp::*;
pub use notebook::*;
pub use notify::*;
pub use plan::*;
pub use projects::*;
pub use review::*;
pub use schedule::*;
pub use search::*;
pub use shell::*;
pub use skills::*;
pub use todo::*;
pub use web::*;
pub use worktree::*;

pub use crate::permission::{
    AllowedPrompt, AllowedPromptTool, AskUserQuestionInput, AskUserQuestionOutput,
    ExitPlanModeInput, Question, QuestionAnnotation, QuestionMetadata, QuestionOption,
    QuestionUnanswered,
};

use crate::content::ToolUseBlock;
use crate::json::Json;
use crate::message::UserMessage;
use crate::open::{Field, Located, Reader, object};
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};
use serde::{Serialize, Serializer};
use std::fmt;

object! {
    /// The input of a tool that takes none.
    #[derive(Default)]
    pub struct NoInput {}
}

/// The table of tools: the names that one has had, the last one being that of
/// today, and the types of what it takes and gives.
macro_rules! tools {
    ($( $(#[$meta:meta])* $($name:literal)|+ => $variant:ident($input:ty, $output:ty), )*) => {
        /// What a tool takes.
        ///
        /// It is written as the input alone, without the tool's name.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "read once, looked at, dropped")]
        pub enum ToolInput {
            $( $(#[$meta])* $variant($input), )*
            /// A tool of an MCP server.
            Mcp {
                /// The tool; see [`mcp_tool`].
                name: String,
                /// What it takes, as the server wants it.
                input: Json,
            },
            /// A tool that this version does not know.
            Unknown {
                /// The tool.
                name: String,
                /// What it takes.
                input: Json,
            },
        }

        /// What a tool gives.
        ///
        /// It is written as the output alone, without the tool's name.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "read once, looked at, dropped")]
        pub enum ToolOutput {
            $( $(#[$meta])* $variant($output), )*
            /// Of a tool that has a type: only a text, which says why the tool
            /// failed or did not run.
            Text {
                /// The tool.
                name: String,
                /// The text.
                text: String,
            },
            /// A tool of an MCP server.
            Mcp {
                /// The tool; see [`mcp_tool`].
                name: String,
                /// What it gives: a text, which can be an error, a list of
                /// blocks, or an object.
                output: Json,
            },
            /// A tool that this version does not know.
            Unknown {
                /// The tool.
                name: String,
                /// What it gives.
                output: Json,
            },
        }

        impl ToolInput {
            /// Reads the input of the tool that has, or once had, this name.
            ///
            /// # Errors
            ///
            /// When the tool has a type and the input has not its shape. A
            /// tool that is not known is no error.
            pub fn read(name: &str, input: &Json) -> Result<Self, ToolError> {
                Ok(match name {
                    $( $($name)|+ => Self::$variant(read(ToolSide::Input, name, input)?), )*
                    _ if mcp_tool(name).is_some() => Self::Mcp {
                        name: name.to_owned(),
                        input: input.clone(),
                    },
                    _ => Self::Unknown {
                        name: name.to_owned(),
                        input: input.clone(),
                    },
                })
            }

            /// The tool's name: of a tool that has had several, that of today.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $( Self::$variant(_) => latest(&[$($name),+]), )*
                    Self::Mcp { name, .. } | Self::Unknown { name, .. } => name,
                }
            }
        }

        impl ToolOutput {
            /// Reads the output of the tool that has, or once had, this name.
            ///
            /// # Errors
            ///
            /// When the tool has a type and the output has not its shape. A
            /// tool that is not known is no error.
            pub fn read(name: &str, output: &Json) -> Result<Self, ToolError> {
                Ok(match name {
                    $( $($name)|+ if is_text(output) => Self::Text {
                        name: latest(&[$($name),+]).to_owned(),
                        text: read(ToolSide::Output, name, output)?,
                    }, )*
                    $( $($name)|+ => Self::$variant(read(ToolSide::Output, name, output)?), )*
                    _ if mcp_tool(name).is_some() => Self::Mcp {
                        name: name.to_owned(),
                        output: output.clone(),
                    },
                    _ => Self::Unknown {
                        name: name.to_owned(),
                        output: output.clone(),
                    },
                })
            }

            /// The tool's name: of a tool that has had several, that of today.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $( Self::$variant(_) => latest(&[$($name),+]), )*
                    Self::Text { name, .. } | Self::Mcp { name, .. } | Self::Unknown { name, .. } => name,
                }
            }
        }

        /// What each tool takes and gives, under the name of today.
        #[cfg(feature = "schema")]
        pub(crate) fn schemas(
            generator: &mut schemars::SchemaGenerator,
        ) -> Vec<(&'static str, schemars::Schema, schemars::Schema)> {
            vec![$((
                latest(&[$($name),+]),
                generator.subschema_for::<$input>(),
                generator.subschema_for::<$output>(),
            )),*]
        }

        impl Serialize for ToolInput {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$variant(input) => input.serialize(serializer), )*
                    Self::Mcp { input, .. } | Self::Unknown { input, .. } => input.serialize(serializer),
                }
            }
        }

        impl Serialize for ToolOutput {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$variant(output) => output.serialize(serializer), )*
                    Self::Text { text, .. } => serializer.serialize_str(text),
                    Self::Mcp { output, .. } | Self::Unknown { output, .. } => output.serialize(serializer),
                }
            }
        }

        #[cfg(feature = "audit")]
        impl Untyped for ToolInput {
            fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
                match self {
                    $( Self::$variant(input) => input.collect_untyped(at, found), )*
                    Self::Mcp { .. } => {}
                    Self::Unknown { .. } => found.push(at.as_str().to_owned()),
                }
            }
        }

        #[cfg(feature = "audit")]
        impl Untyped for ToolOutput {
            fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
                match self {
                    $( Self::$variant(output) => output.collect_untyped(at, found), )*
                    Self::Text { .. } | Self::Mcp { .. } => {}
                    Self::Unknown { .. } => found.push(at.as_str().to_owned()),
                }
            }
        }
    };
}

tools! {
    /// Runs a shell command.
    "Bash" => Bash(BashInput, BashOutput),
    /// Watches something and tells of each event.
    "Monitor" => Monitor(MonitorInput, MonitorOutput),
    /// Stops a background task.
    "KillBash" | "KillShell" | "TaskStop" => TaskStop(TaskStopInput, TaskStopOutput),
    /// Reads a file.
    "Read" => Read(FileReadInput, FileReadOutput),
    /// Replaces text in a file.
    "Edit" => Edit(FileEditInput, FileEditOutput),
    /// Writes a file.
    "Write" => Write(FileWriteInput, FileWriteOutput),
    /// Edits a Jupyter notebook.
    "NotebookEdit" => NotebookEdit(NotebookEditInput, NotebookEditOutput),
    /// Finds files by name.
    "Glob" => Glob(GlobInput, GlobOutput),
    /// Finds text in files.
    "Grep" => Grep(GrepInput, GrepOutput),
    /// Fetches a page.
    "WebFetch" => WebFetch(WebFetchInput, WebFetchOutput),
    /// Searches the web.
    "WebSearch" => WebSearch(WebSearchInput, WebSearchOutput),
    /// Asks the user.
    "AskUserQuestion" => AskUserQuestion(AskUserQuestionInput, AskUserQuestionOutput),
    /// Begins to plan.
    "EnterPlanMode" => EnterPlanMode(NoInput, EnterPlanModeOutput),
    /// Shows the plan to the user.
    "ExitPlanMode" => ExitPlanMode(ExitPlanModeInput, ExitPlanModeOutput),
    /// Sets a goal.
    "ProposeGoal" | "SetGoal" => SetGoal(ProposeGoalInput, ProposeGoalOutput),
    /// Keeps a list of what there is to do.
    "TodoWrite" => TodoWrite(TodoWriteInput, TodoWriteOutput),
    /// Notes a task.
    "TaskCreate" => TaskCreate(TaskCreateInput, TaskCreateOutput),
    /// Looks at a task.
    "TaskGet" => TaskGet(TaskGetInput, TaskGetOutput),
    /// Changes a task.
    "TaskUpdate" => TaskUpdate(TaskUpdateInput, TaskUpdateOutput),
    /// Lists the tasks.
    "TaskList" => TaskList(NoInput, TaskListOutput),
    /// Starts a sub-agent.
    "Task" | "Agent" => Agent(AgentInput, AgentOutput),
    /// Runs a workflow.
    "Workflow" => Workflow(WorkflowInput, WorkflowOutput),
    /// Has a prompt come by the clock.
    "CronCreate" => CronCreate(CronCreateInput, CronCreateOutput),
    /// Has a prompt not come any more.
    "CronDelete" => CronDelete(CronDeleteInput, CronDeleteOutput),
    /// Lists the prompts that come by the clock.
    "CronList" => CronList(NoInput, CronListOutput),
    /// Says when a loop goes on.
    "ScheduleWakeup" => ScheduleWakeup(ScheduleWakeupInput, ScheduleWakeupOutput),
    /// Has sessions started in the cloud.
    "RemoteTrigger" => RemoteTrigger(RemoteTriggerInput, RemoteTriggerOutput),
    /// Goes into a git worktree.
    "EnterWorktree" => EnterWorktree(EnterWorktreeInput, EnterWorktreeOutput),
    /// Leaves a git worktree.
    "ExitWorktree" => ExitWorktree(ExitWorktreeInput, ExitWorktreeOutput),
    /// Lists resources of MCP servers.
    "ListMcpResources" | "ListMcpResourcesTool" => ListMcpResources(ListMcpResourcesInput, Vec<ListedMcpResource>),
    /// Reads a resource of an MCP server.
    "ReadMcpResource" | "ReadMcpResourceTool" => ReadMcpResource(ReadMcpResourceInput, ReadMcpResourceOutput),
    /// Looks into a folder of an MCP server.
    "ReadMcpResourceDir" | "ReadMcpResourceDirTool" => ReadMcpResourceDir(ReadMcpResourceDirInput, ReadMcpResourceDirOutput),
    /// Lists the tools of MCP servers anew.
    "RefreshMcpTools" => RefreshMcpTools(RefreshMcpToolsInput, Vec<RefreshedMcpTools>),
    /// Tells what a review found.
    "ReportFindings" => ReportFindings(ReportFindingsInput, ReportFindingsOutput),
    /// Tells the agent's makers something.
    "SendFeedback" => SendFeedback(SendFeedbackInput, SendFeedbackOutput),
    /// Publishes pages, and does what else there is to do with them.
    "Artifact" => Artifact(ArtifactInput, ArtifactOutput),
    /// Reads and writes a project at claude.ai.
    "Projects" => Projects(ProjectsInput, ProjectsOutput),
    /// Works with designs at claude.ai.
    "ClaudeDesign" => ClaudeDesign(ClaudeDesignInput, ClaudeDesignOutput),
    /// Proposes skills.
    "propose_skills" => ProposeSkills(ProposeSkillsInput, ProposeSkillsOutput),
    /// Tells the user something at once.
    "PushNotification" => PushNotification(PushNotificationInput, PushNotificationOutput),
    /// Reads what the session was told.
    "ReadNotifications" => ReadNotifications(NoInput, ReadNotificationsOutput),
    /// Has the user choose a role.
    "ShowOnboardingRolePicker" => ShowOnboardingRolePicker(NoInput, ShowOnboardingRolePickerOutput),
    /// Offers to set the browser up.
    "OfferChromeSetup" => OfferChromeSetup(OfferChromeSetupInput, OfferChromeSetupOutput),
}

/// What a tool took or gave has not the shape that the tool's has. The JSON
/// is still there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {side} of `{tool}` cannot be read at `{path}`: {reason}")]
#[non_exhaustive]
pub struct ToolError {
    /// The tool.
    pub tool: String,
    /// Whether it is what the tool took or what it gave.
    pub side: ToolSide,
    /// The member that could not be read, such as `questions[0].header`.
    pub path: String,
    /// What was wrong with it.
    pub reason: String,
}

/// What a tool took, or what it gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolSide {
    /// What it took.
    Input,
    /// What it gave.
    Output,
}

impl fmt::Display for ToolSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Input => "input",
            Self::Output => "output",
        })
    }
}

/// The MCP server and its tool, when a tool's name is one of those,
/// `mcp__server__tool`. Characters that tool names cannot have are replaced
/// in both.
#[must_use]
pub fn mcp_tool(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

impl ToolUseBlock {
    /// What the tool is called with, as that tool's own type.
    ///
    /// # Errors
    ///
    /// When the tool has a type and the input has not its shape. A tool that
    /// is not known is no error.
    pub fn typed_input(&self) -> Result<ToolInput, ToolError> {
        ToolInput::read(&self.name, &self.input)
    }
}

impl UserMessage {
    /// What the tool gave, as that tool's own type; `None` when the message
    /// has no `tool_use_result`. The message does not say which tool it was:
    /// its `tool_result` block has the id of the [`ToolUseBlock`], and that
    /// has the name.
    ///
    /// # Errors
    ///
    /// When the tool has a type and the output has not its shape. A tool that
    /// is not known is no error.
    pub fn typed_tool_use_result(&self, tool: &str) -> Result<Option<ToolOutput>, ToolError> {
        let output = self.tool_use_result.as_ref();
        output
            .map(|output| ToolOutput::read(tool, output))
            .transpose()
    }
}

fn read<T: Field>(side: ToolSide, tool: &str, value: &Json) -> Result<T, ToolError> {
    Reader::read_strictly(value.get()).map_err(|error| {
        let Located { path, reason } = error.located();
        ToolError {
            tool: tool.to_owned(),
            side,
            path,
            reason,
        }
    })
}

fn is_text(value: &Json) -> bool {
    value.get().starts_with('"')
}

/// The name of today among those that a tool has had.
fn latest(names: &[&'static str]) -> &'static str {
    names.last().copied().unwrap_or_default()
}
