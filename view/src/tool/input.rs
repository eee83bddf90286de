//! Titles, kinds, locations and contents of tool calls, from their inputs.

use super::{Fields, cut_diff, replacement, short_path};
use crate::entry::{
    Command, Content, Diff, Hunk, Link, Links, Location, PlanItem, PlanItems, Status, ToolKind,
};
use crate::text::{cut, lines, title};
use agentwire_protocol::Json;
use agentwire_protocol::tool::mcp_tool;

/// Describes the action of a tool call, from its input.
pub(crate) struct Described {
    pub(crate) title: String,
    pub(crate) kind: ToolKind,
    pub(crate) locations: Vec<Location>,
    pub(crate) content: Vec<Content>,
    /// Whether `content` shows the whole input.
    pub(crate) is_whole: bool,
}

/// Describes a call. The content is at most `most` bytes long.
pub(crate) fn describe(tool: &str, input: &Json, cwd: Option<&str>, most: usize) -> Described {
    described(tool, input, cwd, Some(most))
}

/// Describes a call without its content. The input may be incomplete.
pub(crate) fn announce(tool: &str, input: &Json, cwd: Option<&str>) -> Described {
    described(tool, input, cwd, None)
}

fn described(tool: &str, input: &Json, cwd: Option<&str>, most: Option<usize>) -> Described {
    let call = Call {
        input: Fields::of(input),
        cwd,
        most,
    };
    let mut described = call.describe(tool);
    described.title = title(&described.title);
    described.is_whole |= call.input.are_among(in_title(tool));
    described
}

/// Returns the members that the title or the content of a call shows.
fn in_title(tool: &str) -> &'static [&'static str] {
    match tool {
        "Read" => &["file_path", "offset", "limit", "pages"],
        "Edit" => &["file_path", "old_string", "new_string"],
        "Glob" => &["pattern", "path"],
        "Grep" => &["pattern", "path", "glob", "type", "output_mode", "-n"],
        "WebSearch" => &["query"],
        "TaskGet" | "TaskUpdate" => &["taskId", "status"],
        "TaskStop" | "KillShell" | "KillBash" => &["task_id", "shell_id"],
        "Skill" => &["skill", "command"],
        "ToolSearch" => &["query", "max_results"],
        "ListMcpResources" | "ListMcpResourcesTool" => &["server"],
        _ => &[],
    }
}

struct Call<'a> {
    input: Fields<'a>,
    cwd: Option<&'a str>,
    /// The maximum length of the content. `None` if it is not needed.
    most: Option<usize>,
}

fn plain(title: impl Into<String>, kind: ToolKind) -> Described {
    Described {
        title: title.into(),
        kind,
        locations: Vec::new(),
        content: Vec::new(),
        is_whole: false,
    }
}

/// Returns a title of a verb and an object. Without the object, the verb is the title.
fn with(verb: &str, object: Option<&str>) -> String {
    match object.map(str::trim).filter(|it| !it.is_empty()) {
        Some(object) => format!("{verb} {object}"),
        None => verb.to_owned(),
    }
}

impl Call<'_> {
    fn text(&self, name: &str) -> Option<String> {
        self.input.text(name)
    }

    /// Describes a call. The title is the verb and this member of the input.
    fn described_by(&self, verb: &str, name: &str, kind: ToolKind) -> Described {
        plain(with(verb, self.text(name).as_deref()), kind)
    }

    /// Returns a call about the file in this member of the input.
    fn file(&self, verb: &str, name: &str, kind: ToolKind, line: Option<u64>) -> Described {
        let path = self.text(name);
        let shown = path.as_deref().map(|path| short_path(path, self.cwd));
        let mut described = plain(with(verb, shown), kind);
        if let Some(path) = path {
            let path = lines(&path).into_owned();
            described.locations.push(Location { path, line });
        }
        described
    }

    fn describe(&self, tool: &str) -> Described {
        use ToolKind::{Delete, Execute, Fetch, Other, Read, Search, SwitchMode, Think};
        match tool {
            "Bash" | "PowerShell" => self.command(),
            "Monitor" => self.monitor(),
            "BashOutput" | "TaskOutput" | "AgentOutputTool" => {
                let task = self.text("task_id").or_else(|| self.text("bash_id"));
                plain(with("Read the output of task", task.as_deref()), Read)
            }
            "KillBash" | "KillShell" | "TaskStop" => {
                let task = self.text("task_id").or_else(|| self.text("shell_id"));
                plain(with("Stop task", task.as_deref()), Other)
            }
            "Read" => self.read(),
            "Edit" | "MultiEdit" => self.edit(),
            "Write" => self.write(),
            "NotebookEdit" => self.notebook(),
            "LS" => self.file("List", "path", Read, None),
            "Glob" => self.glob(),
            "Grep" => self.grep(),
            "LSP" => self.file("Look up symbols in", "filePath", Search, None),
            "WebFetch" => self.fetch(),
            "WebSearch" => {
                let query = self.text("query").map(|query| format!("for {query:?}"));
                plain(with("Search the web", query.as_deref()), Fetch)
            }
            "EnterPlanMode" => plain("Enter plan mode", SwitchMode),
            "ExitPlanMode" => plain("Leave plan mode", SwitchMode),
            "SetGoal" | "ProposeGoal" => self.described_by("Set goal:", "condition", Think),
            "TodoWrite" => {
                let mut described = plain("Update the to-do list", Think);
                let todos = self.input.json("todos");
                let items = todos.map(|it| todo_items(&it)).unwrap_or_default();
                described.content.push(Content::Plan(PlanItems { items }));
                described.is_whole = true;
                described
            }
            "TaskCreate" => self.task("Add task:", self.text("subject")),
            "TaskUpdate" => self.task("Update task", self.task_change()),
            "TaskGet" => self.described_by("Read task", "taskId", Read),
            "TaskList" => plain("List the tasks", Read),
            "Workflow" => self.described_by("Run workflow", "name", Execute),
            "Skill" => {
                let skill = self.text("skill").or_else(|| self.text("command"));
                plain(with("Use skill", skill.as_deref()), Other)
            }
            "SlashCommand" => self.described_by("Run", "command", Other),
            "ToolSearch" => self.described_by("Find tools:", "query", Search),
            "CronCreate" => self.described_by("Schedule:", "prompt", Other),
            "CronDelete" => self.described_by("Cancel schedule", "id", Delete),
            "CronList" => plain("List the schedules", Read),
            "ScheduleWakeup" => self.described_by("Continue later:", "reason", Other),
            "RemoteTrigger" => self.described_by("Cloud session:", "action", Other),
            "EnterWorktree" => self.described_by("Enter worktree", "name", SwitchMode),
            "ExitWorktree" => plain("Leave the worktree", SwitchMode),
            "ListMcpResources" | "ListMcpResourcesTool" => match self.text("server") {
                Some(server) => plain(format!("List the resources of {server}"), Read),
                None => plain("List the resources of MCP servers", Read),
            },
            "ReadMcpResource" | "ReadMcpResourceTool" => {
                self.described_by("Read resource", "uri", Read)
            }
            "ReadMcpResourceDir" | "ReadMcpResourceDirTool" => {
                self.described_by("List", "uri", Read)
            }
            "RefreshMcpTools" => self.described_by("Refresh tools of", "server", Other),
            "ReportFindings" => plain("Report findings", Other),
            "SendFeedback" => plain("Send feedback to Anthropic", Other),
            "SendMessage" => self.described_by("Message", "to", Other),
            "ListAgents" => plain("List the agents", Read),
            "SendUserFile" => self.file("Show", "file_path", Read, None),
            "Artifact" => self.file("Publish", "file_path", Other, None),
            "Projects" => self.described_by("Project:", "method", Other),
            "ClaudeDesign" => self.described_by("Design:", "method", Other),
            "propose_skills" => plain("Propose skills", Other),
            "PushNotification" => self.described_by("Notify:", "message", Other),
            "ReadNotifications" => plain("Read the notifications", Read),
            "StructuredOutput" => plain("Return the structured output", Other),
            "ShowOnboardingRolePicker" => plain("Ask for the role", Other),
            "OfferChromeSetup" => plain("Offer to set up the browser", Other),
            _ => match mcp_tool(tool) {
                Some((server, tool)) => plain(format!("{tool} ({server})"), Other),
                None => plain(tool, Other),
            },
        }
    }

    fn command(&self) -> Described {
        let command = self.text("command").unwrap_or_default();
        let mut described = plain(with("Run", Some(&command)), ToolKind::Execute);
        described.content.extend(self.shell(&command));
        described.is_whole = true;
        described
    }

    fn shell(&self, command: &str) -> Option<Content> {
        Some(Content::Command(Command {
            command: cut(lines(command), self.most?),
            output: None,
            exit_code: None,
            output_file: None,
        }))
    }

    fn monitor(&self) -> Described {
        let command = self.text("command");
        let what = self.text("description").or_else(|| command.clone());
        let mut described = plain(with("Watch", what.as_deref()), ToolKind::Execute);
        (described.content).extend(command.and_then(|command| self.shell(&command)));
        described
    }

    fn read(&self) -> Described {
        let first: Option<u64> = self.input.get("offset");
        let count: Option<u64> = self.input.get("limit");
        let mut described = self.file("Read", "file_path", ToolKind::Read, first);
        let from = first.unwrap_or(1);
        match (first, count) {
            (_, Some(count)) => {
                let last = from.saturating_add(count.saturating_sub(1));
                described.title += &format!(" (lines {from} to {last})");
            }
            (Some(first), None) => described.title += &format!(" (from line {first})"),
            (None, None) => {}
        }
        if let Some(pages) = self.text("pages") {
            described.title += &format!(" (pages {pages})");
        }
        described
    }

    fn edit(&self) -> Described {
        let mut described = self.file("Edit", "file_path", ToolKind::Edit, None);
        if self.most.is_none() {
            return described;
        }
        let hunk = |input: &Fields<'_>| {
            let old = input.text("old_string")?;
            let new = input.text("new_string").unwrap_or_default();
            Some(replacement(&lines(&old), &lines(&new)))
        };
        let edits: Vec<Json> = self.input.get("edits").unwrap_or_default();
        let hunks: Vec<Hunk> = match edits.is_empty() {
            true => hunk(&self.input).into_iter().collect(),
            false => edits
                .iter()
                .filter_map(|it| hunk(&Fields::of(it)))
                .collect(),
        };
        self.propose(&mut described, hunks);
        described
    }

    fn write(&self) -> Described {
        let mut described = self.file("Write", "file_path", ToolKind::Edit, None);
        if self.most.is_none() {
            return described;
        }
        let content = self.text("content").unwrap_or_default();
        self.propose(&mut described, vec![replacement("", &lines(&content))]);
        described.is_whole = true;
        described
    }

    fn notebook(&self) -> Described {
        let mut described = self.file("Edit", "notebook_path", ToolKind::Edit, None);
        let source = self.text("new_source").unwrap_or_default();
        self.propose(&mut described, vec![replacement("", &lines(&source))]);
        described
    }

    /// Adds the diff of a proposed change.
    fn propose(&self, described: &mut Described, hunks: Vec<Hunk>) {
        let (Some(location), Some(most)) = (described.locations.first(), self.most) else {
            return;
        };
        let mut diff = Diff {
            path: location.path.clone(),
            is_new: false,
            applied: false,
            hunks,
            omitted_lines: None,
        };
        cut_diff(&mut diff, most);
        described.content.push(Content::Diff(diff));
    }

    fn glob(&self) -> Described {
        let mut described = match self.text("path") {
            Some(_) => self.file("in", "path", ToolKind::Search, None),
            None => plain("", ToolKind::Search),
        };
        let pattern = with("Find", self.text("pattern").as_deref());
        described.title = with(&pattern, Some(&described.title));
        described
    }

    fn grep(&self) -> Described {
        let mut described = match self.text("path") {
            Some(_) => self.file("in", "path", ToolKind::Search, None),
            None => plain("", ToolKind::Search),
        };
        let pattern = self.text("pattern").map(|it| format!("for {it:?}"));
        let search = with("Search", pattern.as_deref());
        described.title = with(&search, Some(&described.title));
        if let Some(files) = self.text("glob").or_else(|| self.text("type")) {
            described.title += &format!(" ({files})");
        }
        described
    }

    fn fetch(&self) -> Described {
        let mut described = self.described_by("Fetch", "url", ToolKind::Fetch);
        if let Some(url) = self.text("url") {
            let url = lines(&url).into_owned();
            let links = vec![Link { url, title: None }];
            described.content.push(Content::Links(Links { links }));
        }
        described
    }

    fn task(&self, verb: &str, what: Option<String>) -> Described {
        plain(with(verb, what.as_deref()), ToolKind::Think)
    }

    fn task_change(&self) -> Option<String> {
        let id = self.text("taskId")?;
        let change = self.text("status").or_else(|| self.text("subject"));
        Some(match change {
            Some(change) => format!("{id}: {change}"),
            None => id,
        })
    }
}

/// Returns the items of a to-do list.
pub(crate) fn todo_items(todos: &Json) -> Vec<PlanItem> {
    let todos: Vec<Json> = todos.read().unwrap_or_default();
    let item = |todo: &Json| {
        let todo = Fields::of(todo);
        let content = todo.text("content").or_else(|| todo.text("subject"))?;
        Some(PlanItem {
            content: title(&content),
            status: item_status(todo.text("status").as_deref()),
        })
    };
    todos.iter().filter_map(item).collect()
}

pub(crate) fn item_status(status: Option<&str>) -> Status {
    match status {
        Some("completed") => Status::Completed,
        Some("in_progress") => Status::InProgress,
        _ => Status::Pending,
    }
}
