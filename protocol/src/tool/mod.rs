//! Inputs and outputs of the agent's built-in tools. User interfaces display
//! them as questions, plans, diffs and lists, and hosts base decisions on them.
//!
//! On the wire, a tool is only a name and raw JSON: in a [`ToolUseBlock`], a
//! [`UserMessage`], a permission request or a hook. The name determines the
//! type:
//!
//! ```
//! use agentwire_protocol::Json;
//! use agentwire_protocol::tool::ToolInput;
//!
//! let input: Json = serde_json::from_str(r#"{"command":"ls","timeout":5000}"#)?;
//! let ToolInput::Bash(bash) = ToolInput::read("Bash", &input)? else { unreachable!() };
//! assert_eq!(bash.command, "ls");
//!
//! // The input of an unknown tool is preserved.
//! let unknown = ToolInput::read("Teleport", &input)?;
//! assert_eq!(serde_json::to_string(&unknown)?, input.get());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The input in a message is the text that the model wrote. The agent validates
//! it only afterwards, so required members may be missing, and then reading the
//! input fails. In a permission request, the input has been validated.

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
    /// The input of a tool without parameters.
    #[derive(Default)]
    pub struct NoInput {}
}

/// Declares the tools. Each has all of its names, with the current one last,
/// and its input and output types.
macro_rules! tools {
    ($( $(#[$meta:meta])* $($name:literal)|+ => $variant:ident($input:ty, $output:ty), )*) => {
        /// The input of a tool.
        ///
        /// The input is serialized without the name of the tool.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "read once, looked at, dropped")]
        pub enum ToolInput {
            $( $(#[$meta])* $variant($input), )*
            /// A tool of an MCP server.
            Mcp {
                /// The name of the tool. See [`mcp_tool`].
                name: String,
                /// The input, as defined by the server.
                input: Json,
            },
            /// A tool that is unknown to this version.
            Unknown {
                /// The name of the tool.
                name: String,
                /// The input.
                input: Json,
            },
        }

        /// The output of a tool.
        ///
        /// The output is serialized without the name of the tool.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "read once, looked at, dropped")]
        pub enum ToolOutput {
            $( $(#[$meta])* $variant($output), )*
            /// A text in place of a typed output. The text explains why the
            /// tool failed or did not run.
            Text {
                /// The name of the tool.
                name: String,
                /// The text.
                text: String,
            },
            /// A tool of an MCP server.
            Mcp {
                /// The name of the tool. See [`mcp_tool`].
                name: String,
                /// The output, which is a text (possibly an error), a list of
                /// blocks, or an object.
                output: Json,
            },
            /// A tool that is unknown to this version.
            Unknown {
                /// The name of the tool.
                name: String,
                /// The output.
                output: Json,
            },
        }

        /// All names of the tools with a type.
        #[cfg(test)]
        const TYPED: &[&str] = &[$($($name),+),*];

        impl ToolInput {
            /// Reads the input of the tool with this current or former name.
            ///
            /// # Errors
            ///
            /// If the tool has a type and the input does not match it. An
            /// unknown tool is not an error.
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

            /// Returns the current name of the tool.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $( Self::$variant(_) => latest(&[$($name),+]), )*
                    Self::Mcp { name, .. } | Self::Unknown { name, .. } => name,
                }
            }
        }

        impl ToolOutput {
            /// Reads the output of the tool with this current or former name.
            ///
            /// # Errors
            ///
            /// If the tool has a type and the output does not match it. An
            /// unknown tool is not an error.
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

            /// Returns the current name of the tool.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $( Self::$variant(_) => latest(&[$($name),+]), )*
                    Self::Text { name, .. } | Self::Mcp { name, .. } | Self::Unknown { name, .. } => name,
                }
            }
        }

        /// Returns the schemas of the inputs and outputs of each tool, under
        /// the tool's current name.
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
    /// Watches a source and reports its events.
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
    /// Enters plan mode.
    "EnterPlanMode" => EnterPlanMode(NoInput, EnterPlanModeOutput),
    /// Presents the plan to the user.
    "ExitPlanMode" => ExitPlanMode(ExitPlanModeInput, ExitPlanModeOutput),
    /// Sets a goal.
    "ProposeGoal" | "SetGoal" => SetGoal(ProposeGoalInput, ProposeGoalOutput),
    /// Maintains a to-do list.
    "TodoWrite" => TodoWrite(TodoWriteInput, TodoWriteOutput),
    /// Creates a task.
    "TaskCreate" => TaskCreate(TaskCreateInput, TaskCreateOutput),
    /// Reads a task.
    "TaskGet" => TaskGet(TaskGetInput, TaskGetOutput),
    /// Updates a task.
    "TaskUpdate" => TaskUpdate(TaskUpdateInput, TaskUpdateOutput),
    /// Lists the tasks.
    "TaskList" => TaskList(NoInput, TaskListOutput),
    /// Starts a sub-agent.
    "Task" | "Agent" => Agent(AgentInput, AgentOutput),
    /// Runs a workflow.
    "Workflow" => Workflow(WorkflowInput, WorkflowOutput),
    /// Schedules a prompt.
    "CronCreate" => CronCreate(CronCreateInput, CronCreateOutput),
    /// Cancels a scheduled prompt.
    "CronDelete" => CronDelete(CronDeleteInput, CronDeleteOutput),
    /// Lists the scheduled prompts.
    "CronList" => CronList(NoInput, CronListOutput),
    /// Schedules the next iteration of a loop.
    "ScheduleWakeup" => ScheduleWakeup(ScheduleWakeupInput, ScheduleWakeupOutput),
    /// Manages sessions in the cloud.
    "RemoteTrigger" => RemoteTrigger(RemoteTriggerInput, RemoteTriggerOutput),
    /// Enters a git worktree.
    "EnterWorktree" => EnterWorktree(EnterWorktreeInput, EnterWorktreeOutput),
    /// Leaves a git worktree.
    "ExitWorktree" => ExitWorktree(ExitWorktreeInput, ExitWorktreeOutput),
    /// Lists resources of MCP servers.
    "ListMcpResources" | "ListMcpResourcesTool" => ListMcpResources(ListMcpResourcesInput, Vec<ListedMcpResource>),
    /// Reads a resource of an MCP server.
    "ReadMcpResource" | "ReadMcpResourceTool" => ReadMcpResource(ReadMcpResourceInput, ReadMcpResourceOutput),
    /// Lists a directory of an MCP server.
    "ReadMcpResourceDir" | "ReadMcpResourceDirTool" => ReadMcpResourceDir(ReadMcpResourceDirInput, ReadMcpResourceDirOutput),
    /// Refreshes the tools of MCP servers.
    "RefreshMcpTools" => RefreshMcpTools(RefreshMcpToolsInput, Vec<RefreshedMcpTools>),
    /// Reports the findings of a review.
    "ReportFindings" => ReportFindings(ReportFindingsInput, ReportFindingsOutput),
    /// Sends feedback to Anthropic.
    "SendFeedback" => SendFeedback(SendFeedbackInput, SendFeedbackOutput),
    /// Publishes and manages pages.
    "Artifact" => Artifact(ArtifactInput, ArtifactOutput),
    /// Reads and writes a project at claude.ai.
    "Projects" => Projects(ProjectsInput, ProjectsOutput),
    /// Works with designs at claude.ai.
    "ClaudeDesign" => ClaudeDesign(ClaudeDesignInput, ClaudeDesignOutput),
    /// Proposes skills.
    "propose_skills" => ProposeSkills(ProposeSkillsInput, ProposeSkillsOutput),
    /// Notifies the user at once.
    "PushNotification" => PushNotification(PushNotificationInput, PushNotificationOutput),
    /// Reads the notifications of the session.
    "ReadNotifications" => ReadNotifications(NoInput, ReadNotificationsOutput),
    /// Asks the user to choose a role.
    "ShowOnboardingRolePicker" => ShowOnboardingRolePicker(NoInput, ShowOnboardingRolePickerOutput),
    /// Offers to set up the browser.
    "OfferChromeSetup" => OfferChromeSetup(OfferChromeSetupInput, OfferChromeSetupOutput),
}

/// The error of an input or output that does not match the type of its tool.
/// The JSON remains available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {side} of `{tool}` cannot be read at `{path}`: {reason}")]
#[non_exhaustive]
pub struct ToolError {
    /// The name of the tool.
    pub tool: String,
    /// Whether the input or the output does not match.
    pub side: ToolSide,
    /// The member that could not be read, such as `questions[0].header`.
    pub path: String,
    /// The reason.
    pub reason: String,
}

/// The input or the output of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolSide {
    /// The input.
    Input,
    /// The output.
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

/// Splits a tool name of the form `mcp__server__tool` into server and tool. In
/// both parts, characters that are invalid in tool names have been replaced.
#[must_use]
pub fn mcp_tool(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

impl ToolUseBlock {
    /// Returns the input as the type of its tool.
    ///
    /// # Errors
    ///
    /// If the tool has a type and the input does not match it. An unknown tool
    /// is not an error.
    pub fn typed_input(&self) -> Result<ToolInput, ToolError> {
        ToolInput::read(&self.name, &self.input)
    }
}

impl UserMessage {
    /// Returns the tool result as the type of its tool. Returns `None` if the
    /// message has no `tool_use_result`. The message does not name the tool:
    /// its `tool_result` block has the ID of the [`ToolUseBlock`], which has
    /// the name.
    ///
    /// # Errors
    ///
    /// If the tool has a type and the output does not match it. An unknown tool
    /// is not an error.
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

/// Returns the current one of a tool's names.
fn latest(names: &[&'static str]) -> &'static str {
    names.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::built_in_tools;

    #[test]
    fn every_tool_with_a_type_is_a_known_tool() {
        for typed in TYPED {
            assert!(built_in_tools().any(|known| known == *typed), "{typed}");
        }
    }
}
