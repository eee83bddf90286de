//! What the agent's own tools take and give: the name says which type it is,
//! all of it is known, and what is written again is the same JSON value.
#![allow(clippy::unwrap_used)]

use crate::exact;
use crate::recorded;

use agentwire_protocol::Untyped;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::tool::{
    AgentIsolation, AgentOutput, ArtifactAction, ArtifactWatchRail, AssetStatus, FileReadOutput,
    FileWriteKind, FindingVerdict, GitCommitKind, GrepMode, McpRefreshStatus, NotebookCellType,
    ProjectMethod, ProjectsOutput, PushDisabledReason, QuestionUnanswered, RemoteTriggerAction,
    SkillProposalKind, TodoStatus, ToolError, ToolInput, ToolOutput, ToolSide, WebSearchItem,
    WorkflowStatus, WorktreeFate, mcp_tool,
};
use agentwire_protocol::{Json, Message};
use exact::Exact;
use recorded::Recorded;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

#[track_caller]
fn assert_writes<T: Serialize>(value: &T, text: &str) {
    let written = serde_json::to_string(value).unwrap();
    assert_eq!(Exact::of(&written), Exact::of(text), "{written}");
}

/// An input of which all is known, and which is written as the same value.
#[track_caller]
fn input(name: &str, text: &str) -> ToolInput {
    let input = ToolInput::read(name, &json(text)).unwrap();
    assert_writes(&input, text);
    assert_eq!(input.untyped(), [""; 0]);
    input
}

/// An output of which all is known, and which is written as the same value.
#[track_caller]
fn output(name: &str, text: &str) -> ToolOutput {
    let output = ToolOutput::read(name, &json(text)).unwrap();
    assert_writes(&output, text);
    assert_eq!(output.untyped(), [""; 0]);
    output
}

/// What is held of one tool.
macro_rules! the {
    ($read:expr, $pattern:pat => $held:expr) => {
        match $read {
            $pattern => $held,
            other => panic!("{other:?}"),
        }
    };
}

#[test]
fn shell_commands() {
    let bash = the!(
        input("Bash", r#"{"command":"cargo test","description":"test it","timeout":120000,"run_in_background":true}"#),
        ToolInput::Bash(bash) => bash
    );
    assert_eq!(bash.timeout.unwrap().get(), "120000");

    let bash = the!(
        output("Bash", r#"{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"backgroundTaskId":"bpt74y8s5","backgroundedByUser":true}"#),
        ToolOutput::Bash(bash) => bash
    );
    assert_eq!(bash.background_task_id.as_deref(), Some("bpt74y8s5"));
    assert_eq!(bash.backgrounded_by_user, Some(true));

    let bash = the!(
        output("Bash", r#"{"stdout":"[main 1f2e3d] x","stderr":"","interrupted":false,"gitOperation":{"commit":{"sha":"1f2e3d","kind":"cherry-picked"},"branch":{"ref":"main","action":"rebased"}}}"#),
        ToolOutput::Bash(bash) => bash
    );
    let git = bash.git_operation.unwrap();
    assert_eq!(git.commit.unwrap().kind, Some(GitCommitKind::CherryPicked));
    assert_eq!(git.branch.unwrap().name, "main");
}

#[test]
fn background_tasks() {
    let monitor = the!(
        input("Monitor", r#"{"description":"errors","timeout_ms":300000,"ws":{"url":"wss://host/feed","protocols":["v1"]}}"#),
        ToolInput::Monitor(monitor) => monitor
    );
    assert_eq!(monitor.ws.unwrap().url, "wss://host/feed");
    let monitor = the!(
        output("Monitor", r#"{"taskId":"m1","timeoutMs":0,"persistent":true}"#),
        ToolOutput::Monitor(monitor) => monitor
    );
    assert_eq!(monitor.persistent, Some(true));

    // As it was called once.
    let stop = input("KillShell", r#"{"shell_id":"b1"}"#);
    assert_eq!(stop.name(), "TaskStop");
    assert_eq!(
        the!(stop, ToolInput::TaskStop(stop) => stop)
            .shell_id
            .as_deref(),
        Some("b1")
    );
    let stop = the!(
        output("TaskStop", r#"{"message":"stopped","task_id":"b1","task_type":"local_bash","command":"sleep 9"}"#),
        ToolOutput::TaskStop(stop) => stop
    );
    assert_eq!(stop.task_type.as_deref(), Some("local_bash"));
}

#[test]
fn files_that_are_read() {
    let read = the!(
        input("Read", r#"{"file_path":"/project/w.txt","offset":10,"limit":20}"#),
        ToolInput::Read(read) => read
    );
    assert_eq!((read.offset, read.limit), (Some(10), Some(20)));

    let text = the!(
        output("Read", r#"{"type":"text","file":{"filePath":"/project/w.txt","content":"line\n","numLines":2,"startLine":1,"totalLines":2}}"#),
        ToolOutput::Read(FileReadOutput::Text(text)) => text
    );
    assert_eq!(text.file.content, "line\n");
    assert_eq!(text.file.total_lines, Some(2));

    let image = the!(
        output("Read", r#"{"type":"image","file":{"base64":"iVBO","type":"image/png","originalSize":9,"dimensions":{"originalWidth":4000,"displayWidth":2000}}}"#),
        ToolOutput::Read(FileReadOutput::Image(image)) => image
    );
    assert_eq!(image.file.media_type.as_deref(), Some("image/png"));
    assert_eq!(image.file.dimensions.unwrap().display_width, Some(2000));
}

#[test]
fn files_that_are_changed() {
    let edit = the!(
        output("Edit", r#"{"filePath":"/project/f.txt","oldString":"two","newString":"three","originalFile":"version two\n","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-version two","+version three"]}],"userModified":false,"replaceAll":false}"#),
        ToolOutput::Edit(edit) => edit
    );
    let patch = edit.structured_patch.unwrap();
    assert_eq!(patch[0].lines, ["-version two", "+version three"]);

    let write = the!(
        output("Write", r#"{"type":"create","filePath":"/project/w.txt","content":"line\n","structuredPatch":[],"originalFile":null,"userModified":false}"#),
        ToolOutput::Write(write) => write
    );
    assert_eq!(write.kind, Some(FileWriteKind::Create));
    assert_eq!(write.original_file, None);

    let edit = the!(
        input("Edit", r#"{"replace_all":false,"file_path":"/project/f.txt","old_string":"two","new_string":"three"}"#),
        ToolInput::Edit(edit) => edit
    );
    assert_eq!(edit.replace_all, Some(false));
    input(
        "Write",
        r#"{"file_path":"/project/w.txt","content":"line\n"}"#,
    );

    let notebook = the!(
        input("NotebookEdit", r##"{"notebook_path":"/project/n.ipynb","new_source":"# hi","cell_type":"markdown","edit_mode":"insert"}"##),
        ToolInput::NotebookEdit(notebook) => notebook
    );
    assert_eq!(notebook.cell_type, Some(NotebookCellType::Markdown));
}

#[test]
fn searches() {
    let grep = the!(
        input("Grep", r#"{"pattern":"fn main","output_mode":"content","-A":2,"-n":true,"-i":false,"type":"rust","head_limit":0}"#),
        ToolInput::Grep(grep) => grep
    );
    assert_eq!(grep.output_mode, Some(GrepMode::Content));
    assert_eq!((grep.after, grep.line_numbers), (Some(2), Some(true)));
    assert_eq!(grep.file_type.as_deref(), Some("rust"));
    let grep = the!(
        output("Grep", r#"{"mode":"count","numFiles":1,"filenames":[],"content":"a.rs:3","numMatches":3}"#),
        ToolOutput::Grep(grep) => grep
    );
    assert_eq!(grep.num_matches, Some(3));
    let glob = the!(
        output("Glob", r#"{"filenames":["a.rs"],"durationMs":1.25,"numFiles":1,"truncated":false}"#),
        ToolOutput::Glob(glob) => glob
    );
    assert_eq!(glob.duration_ms.unwrap().get(), "1.25");
}

#[test]
fn the_web() {
    let search = the!(
        output("WebSearch", r#"{"query":"tea","results":[{"tool_use_id":"t","content":[{"title":"Tea","url":"https://tea"}]},"There is tea."],"durationSeconds":0.75,"searchCount":1}"#),
        ToolOutput::WebSearch(search) => search
    );
    let [WebSearchItem::Hits(hits), WebSearchItem::Text(text)] = &search.results[..] else {
        panic!("{search:?}")
    };
    assert_eq!(hits.content[0].url, "https://tea");
    assert_eq!(text, "There is tea.");
    let fetch = the!(
        output("WebFetch", r#"{"bytes":10,"code":200,"codeText":"OK","result":"tea","durationMs":7,"url":"https://tea","artifactRead":{"slug":"s","seeded":false}}"#),
        ToolOutput::WebFetch(fetch) => fetch
    );
    assert_eq!(fetch.code, Some(200));
    assert_eq!(fetch.artifact_read.unwrap().seeded, Some(false));
}

#[test]
fn questions() {
    let asked = the!(
        input("AskUserQuestion", r#"{"questions":[{"question":"Tea or coffee?","header":"Drink","multiSelect":false,"options":[{"label":"Tea","description":"leaf"},{"label":"Coffee","description":"bean"}]}]}"#),
        ToolInput::AskUserQuestion(asked) => asked
    );
    assert_eq!(asked.questions[0].options[1].label, "Coffee");
    assert_eq!(asked.questions[0].multi_select, Some(false));
    let answered = the!(
        output("AskUserQuestion", r#"{"questions":[],"answers":{"Tea or coffee?":"Tea"},"annotations":{"Milk?":{"unanswered":"dismissed"}}}"#),
        ToolOutput::AskUserQuestion(answered) => answered
    );
    assert_eq!(answered.answers["Tea or coffee?"], "Tea");
    assert_eq!(
        answered.annotations.unwrap()["Milk?"].unanswered,
        Some(QuestionUnanswered::Dismissed)
    );
}

#[test]
fn plans_and_goals() {
    input("EnterPlanMode", "{}");
    let plan = the!(
        input("ExitPlanMode", r#"{"plan":"1. Boil water","planFilePath":"/project/plan.md"}"#),
        ToolInput::ExitPlanMode(plan) => plan
    );
    assert_eq!(plan.plan.as_deref(), Some("1. Boil water"));
    let plan = the!(
        output("ExitPlanMode", r#"{"plan":null,"isAgent":false,"planWasEdited":true}"#),
        ToolOutput::ExitPlanMode(plan) => plan
    );
    assert_eq!((plan.plan, plan.plan_was_edited), (None, Some(true)));
    let goal = input(
        "ProposeGoal",
        r#"{"condition":"tests pass","ask_user":false}"#,
    );
    assert_eq!(goal.name(), "SetGoal");
}

#[test]
fn lists_and_tasks() {
    let todos = the!(
        output("TodoWrite", r#"{"oldTodos":[],"newTodos":[{"content":"boil","status":"in_progress","activeForm":"boiling"}]}"#),
        ToolOutput::TodoWrite(todos) => todos
    );
    assert_eq!(todos.new_todos[0].status, TodoStatus::InProgress);
    let update = the!(
        input("TaskUpdate", r#"{"taskId":"1","status":"deleted","addBlockedBy":["2"],"metadata":{"a":null}}"#),
        ToolInput::TaskUpdate(update) => update
    );
    assert_eq!(update.status, Some(TodoStatus::Deleted));
    let update = the!(
        output("TaskUpdate", r#"{"success":true,"taskId":"1","updatedFields":["status"],"statusChange":{"from":"pending","to":"completed"}}"#),
        ToolOutput::TaskUpdate(update) => update
    );
    assert_eq!(update.status_change.unwrap().to, TodoStatus::Completed);
    let got = the!(output("TaskGet", r#"{"task":null}"#), ToolOutput::TaskGet(got) => got);
    assert_eq!(got.task, None);
    let list = the!(
        output("TaskList", r#"{"tasks":[{"id":"1","subject":"boil","status":"pending","owner":"me","blockedBy":[]}]}"#),
        ToolOutput::TaskList(list) => list
    );
    assert_eq!(list.tasks[0].owner.as_deref(), Some("me"));
}

#[test]
fn sub_agents_and_workflows() {
    // The tool goes by its older name in a message, and by the newer in a hook.
    let agent = input(
        "Task",
        r#"{"description":"agent","prompt":"go","subagent_type":"general-purpose","isolation":"worktree"}"#,
    );
    assert_eq!(agent.name(), "Agent");
    let agent = the!(agent, ToolInput::Agent(agent) => agent);
    assert_eq!(agent.isolation, Some(AgentIsolation::Worktree));

    let launched = the!(
        output("Task", r#"{"isAsync":true,"status":"async_launched","agentId":"a1","description":"agent","resolvedModel":"model-5","prompt":"go","outputFile":"/out","canReadOutputFile":true,"canContinueAgent":true}"#),
        ToolOutput::Agent(AgentOutput::AsyncLaunched(launched)) => launched
    );
    assert_eq!(launched.agent_id, "a1");
    let done = the!(
        output("Agent", r#"{"status":"completed","agentId":"a1","content":[{"type":"text","text":"done"}],"totalDurationMs":12.5,"totalTokens":3,"usage":{"input_tokens":1,"cache_creation":null},"toolStats":{"readCount":1}}"#),
        ToolOutput::Agent(AgentOutput::Completed(done)) => done
    );
    assert_eq!(done.content[0].as_text(), Some("done"));
    assert_eq!(done.tool_stats.unwrap().read_count, Some(1));

    let workflow = the!(
        output("Workflow", r#"{"status":"remote_launched","taskId":"w1","taskType":"remote_agent","sessionUrl":"https://session"}"#),
        ToolOutput::Workflow(workflow) => workflow
    );
    assert_eq!(workflow.status, Some(WorkflowStatus::RemoteLaunched));
}

#[test]
fn what_comes_by_the_clock() {
    let jobs = the!(
        output("CronList", r#"{"jobs":[{"id":"c1","cron":"0 9 * * *","humanSchedule":"at 9","prompt":"tea","nextFireAt":1795251600000}]}"#),
        ToolOutput::CronList(list) => list.jobs
    );
    assert_eq!(
        jobs[0].next_fire_at.as_ref().unwrap().get(),
        "1795251600000"
    );
    let wakeup = the!(
        input("ScheduleWakeup", r#"{"delaySeconds":90.5,"reason":"build","prompt":"go on"}"#),
        ToolInput::ScheduleWakeup(wakeup) => wakeup
    );
    assert_eq!(wakeup.delay_seconds.unwrap().as_f64(), 90.5);
    let trigger = the!(
        input("RemoteTrigger", r#"{"action":"list_runs","trigger_id":"t1"}"#),
        ToolInput::RemoteTrigger(trigger) => trigger
    );
    assert_eq!(trigger.action, RemoteTriggerAction::ListRuns);
}

#[test]
fn worktrees() {
    let left = the!(
        output("ExitWorktree", r#"{"action":"remove","originalCwd":"/project","worktreePath":"/w","discardedFiles":2,"message":"gone"}"#),
        ToolOutput::ExitWorktree(left) => left
    );
    assert_eq!(left.action, WorktreeFate::Remove);
    assert_eq!(left.discarded_files, Some(2));
    let entered = the!(
        output("EnterWorktree", r#"{"worktreePath":"/w","message":"there"}"#),
        ToolOutput::EnterWorktree(entered) => entered
    );
    assert_eq!(entered.worktree_path, "/w");
}

#[test]
fn resources_and_tools_of_servers() {
    let list = the!(
        output("ListMcpResourcesTool", r#"[{"uri":"file:///a","name":"a","mimeType":"text/plain","server":"std"}]"#),
        ToolOutput::ListMcpResources(list) => list
    );
    assert_eq!(list[0].server, "std");
    let read = output(
        "ReadMcpResource",
        r#"{"contents":[{"uri":"file:///a","blobSavedTo":"/b/a"}]}"#,
    );
    assert_eq!(read.name(), "ReadMcpResourceTool");
    let refreshed = the!(
        output("RefreshMcpTools", r#"[{"server":"std","status":"not_connected","error":"gone"}]"#),
        ToolOutput::RefreshMcpTools(refreshed) => refreshed
    );
    assert_eq!(refreshed[0].status, McpRefreshStatus::NotConnected);
}

#[test]
fn findings_and_skills() {
    let found = the!(
        input("ReportFindings", r#"{"level":"high","findings":[{"file":"a.rs","line":3,"summary":"off by one","failure_scenario":"3 of 3","verdict":"CONFIRMED"}]}"#),
        ToolInput::ReportFindings(found) => found
    );
    assert_eq!(found.findings[0].verdict, Some(FindingVerdict::Confirmed));
    let proposed = the!(
        input("propose_skills", r#"{"proposals":[{"name":"tea","kind":"improvement","target":"tea","description":"for tea","edits":[{"old_string":"a","new_string":"b"}]}]}"#),
        ToolInput::ProposeSkills(proposed) => proposed
    );
    assert_eq!(proposed.proposals[0].kind, SkillProposalKind::Improvement);
}

#[test]
fn artifacts() {
    let asked = the!(
        input("Artifact", r#"{"action":"upload_asset","url":"https://a","file_paths":["/x.png"]}"#),
        ToolInput::Artifact(asked) => asked
    );
    assert_eq!(asked.action, Some(ArtifactAction::UploadAsset));
    let artifact =
        |text: &str| the!(output("Artifact", text), ToolOutput::Artifact(output) => output);

    let published =
        artifact(r#"{"url":"https://a","path":"/a.html","seq":2,"capabilities":{"x":{}}}"#);
    assert_eq!(published.path.as_deref(), Some("/a.html"));
    let uploads = artifact(
        r#"{"owned":true,"asset_uploads":{"url":"https://a","results":[{"file_path":"/x.png","status":"not_attempted","reason":"order","message":"not tried"}]}}"#,
    );
    assert_eq!(
        uploads.asset_uploads.unwrap().results[0].status,
        AssetStatus::NotAttempted
    );
    // `since` is a number or a text.
    let watches = artifact(
        r#"{"watches":[{"url":"https://a","task_id":"t","since":1795251600000,"explicit":true,"connected":true,"token_expires_at":1795251600000},
            {"url":"https://b","rail":"durable_wake","trigger_id":"t","since":"2026-11-21T12:00:00Z"}]}"#,
    );
    let watches = watches.watches.unwrap();
    assert_eq!(watches[0].rail, None);
    assert_eq!(watches[1].rail, Some(ArtifactWatchRail::DurableWake));
}

#[test]
fn projects() {
    let asked = the!(
        input("Projects", r#"{"method":"project_search","query":"tea","n":5}"#),
        ToolInput::Projects(asked) => asked
    );
    assert_eq!(asked.method, ProjectMethod::Search);
    let found = the!(
        output("Projects", r#"{"method":"project_search","rag":true,"hits":[{"name":"a","text":"tea","page":1}]}"#),
        ToolOutput::Projects(ProjectsOutput::Search(found)) => found
    );
    assert_eq!(found.hits.unwrap()[0].page, Some(1));
}

#[test]
fn notifications() {
    let sent = the!(
        output("PushNotification", r#"{"message":"done","pushSent":false,"disabledReason":"user_present"}"#),
        ToolOutput::PushNotification(sent) => sent
    );
    assert_eq!(sent.disabled_reason, Some(PushDisabledReason::UserPresent));
    let read = the!(
        output("ReadNotifications", r#"{"notifications":[{"notification_id":"n","origin":"github_webhook","queued_at":"2026-11-21T12:00:00Z","content":"merged"}],"remaining":0}"#),
        ToolOutput::ReadNotifications(read) => read
    );
    assert_eq!(read.notifications[0].content, "merged");
}

/// The other tools, with an input and an output of each.
#[test]
fn every_tool_is_found_by_its_name() {
    for (name, takes, gives) in [
        (
            "ClaudeDesign",
            r#"{"operation":"list","arguments":{}}"#,
            r#"{"operation":"list","content":[{"type":"text"}]}"#,
        ),
        (
            "CronCreate",
            r#"{"cron":"0 9 * * *","prompt":"tea"}"#,
            r#"{"id":"c1","humanSchedule":"at 9","recurring":true}"#,
        ),
        (
            "CronDelete",
            r#"{"id":"c1"}"#,
            r#"{"id":"c1","endedLoopWakeup":true}"#,
        ),
        ("Glob", r#"{"pattern":"*.rs"}"#, r#"{"filenames":[]}"#),
        ("ListMcpResourcesTool", r#"{"server":"std"}"#, "[]"),
        (
            "OfferChromeSetup",
            r#"{"reason":"to log in"}"#,
            r#"{"outcome":"not_now"}"#,
        ),
        (
            "ReadMcpResourceDirTool",
            r#"{"server":"std","uri":"file:///"}"#,
            r#"{"resources":[{"uri":"file:///a","name":"a"}]}"#,
        ),
        (
            "SendFeedback",
            r#"{"type":"bug","title":"t","details":"d","failure_mode":"overeager"}"#,
            r#"{"success":true,"message":"m"}"#,
        ),
        (
            "SetGoal",
            r#"{"condition":"done"}"#,
            r#"{"condition":"done","askUser":true}"#,
        ),
        ("ShowOnboardingRolePicker", "{}", r#"{"dismissed":true}"#),
        (
            "TaskCreate",
            r#"{"subject":"s","description":"d"}"#,
            r#"{"task":{"id":"1","subject":"s"}}"#,
        ),
        (
            "TaskGet",
            r#"{"taskId":"1"}"#,
            r#"{"task":{"id":"1","subject":"s","description":"d","status":"pending","blocks":[],"blockedBy":[]}}"#,
        ),
        (
            "WebFetch",
            r#"{"url":"https://tea","prompt":"p"}"#,
            r#"{"result":"r"}"#,
        ),
    ] {
        assert_eq!(input(name, takes).name(), name);
        assert_eq!(output(name, gives).name(), name);
    }
    for (older, name) in [
        ("KillBash", "TaskStop"),
        ("ListMcpResources", "ListMcpResourcesTool"),
        ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
    ] {
        let text = r#"{"server":"s","uri":"u","task_id":"t"}"#;
        assert_eq!(ToolInput::read(older, &json(text)).unwrap().name(), name);
    }
}

#[test]
fn tools_of_servers_and_tools_that_nobody_knows_keep_what_they_have() {
    let text = r#"{"a":2,"b":1e400}"#;
    let call = input("mcp__calc__add", text);
    assert_eq!(call.name(), "mcp__calc__add");
    let raw = the!(call, ToolInput::Mcp { input, .. } => input);
    assert_eq!(raw.get(), text);
    assert_eq!(mcp_tool("mcp__calc__add__all"), Some(("calc", "add__all")));
    assert_eq!(mcp_tool("mcp__calc"), None);
    // A text, a list of blocks, or an object.
    for text in [
        r#""Error: it broke""#,
        r#"[{"type":"text","text":"42"}]"#,
        "{}",
    ] {
        the!(output("mcp__calc__add", text), ToolOutput::Mcp { output, .. } => output);
    }

    let unknown = ToolInput::read("Teleport", &json(text)).unwrap();
    assert_writes(&unknown, text);
    assert_eq!(
        (unknown.name(), unknown.untyped()),
        ("Teleport", vec![String::new()])
    );
    let unknown = ToolOutput::read("Teleport", &json("[null]")).unwrap();
    assert_writes(&unknown, "[null]");
    assert_eq!(
        (unknown.name(), unknown.untyped()),
        ("Teleport", vec![String::new()])
    );
}

#[test]
fn unknown_members_kinds_and_values_survive() {
    let text = r#"{"command":"ls","shell":"fish","timeout":null}"#;
    let bash = ToolInput::read("Bash", &json(text)).unwrap();
    assert_writes(&bash, text);
    assert_eq!(bash.untyped(), ["/shell"]);

    let text = r#"{"type":"hologram","file":{"beam":1.0}}"#;
    let read = ToolOutput::read("Read", &json(text)).unwrap();
    assert_writes(&read, text);
    assert_eq!(read.untyped(), [""]);

    let text = r#"{"query":"tea","results":[{"content":[],"mood":"fine"}]}"#;
    let search = ToolOutput::read("WebSearch", &json(text)).unwrap();
    assert_writes(&search, text);
    assert_eq!(search.untyped(), ["/results/0/mood"]);

    let todos = the!(
        input("TodoWrite", r#"{"todos":[{"content":"boil","status":"dreaming"}]}"#),
        ToolInput::TodoWrite(list) => list.todos
    );
    assert_eq!(todos[0].status, TodoStatus::Unknown("dreaming".into()));
}

#[test]
fn a_tool_that_failed_gives_a_text() {
    let failed = output("Task", r#""Error: No removing""#);
    assert_eq!(failed.name(), "Agent");
    let text = the!(failed, ToolOutput::Text { text, .. } => text);
    assert_eq!(text, "Error: No removing");
}

#[test]
fn an_error_names_the_tool_and_the_place() {
    #[track_caller]
    fn is(error: &ToolError, tool: &str, side: ToolSide, path: &str, reason: &str) {
        assert_eq!((&*error.tool, error.side, &*error.path), (tool, side, path));
        assert!(error.reason.contains(reason), "{error}");
    }
    let error = ToolInput::read("Bash", &json(r#"{"description":"x"}"#)).unwrap_err();
    is(
        &error,
        "Bash",
        ToolSide::Input,
        ".",
        "missing field `command`",
    );
    assert_eq!(
        error.to_string(),
        "the input of `Bash` cannot be read at `.`: missing field `command`"
    );
    let error = ToolInput::read(
        "AskUserQuestion",
        &json(r#"{"questions":[{"question":"Tea?","header":7,"options":[]}]}"#),
    )
    .unwrap_err();
    is(
        &error,
        "AskUserQuestion",
        ToolSide::Input,
        "questions[0].header",
        "expected a string",
    );
    // Where the tag comes last as well.
    let error =
        ToolOutput::read("Task", &json(r#"{"agentId":7,"status":"async_launched"}"#)).unwrap_err();
    is(
        &error,
        "Task",
        ToolSide::Output,
        "agentId",
        "expected a string",
    );
    let text = r#"[{"uri":"a","server":"std"},{"uri":"b"}]"#;
    let error = ToolOutput::read("ListMcpResourcesTool", &json(text)).unwrap_err();
    is(
        &error,
        "ListMcpResourcesTool",
        ToolSide::Output,
        "[1]",
        "missing field `server`",
    );
    let error = ToolOutput::read("WebSearch", &json(r#"{"results":["x",7]}"#)).unwrap_err();
    is(
        &error,
        "WebSearch",
        ToolSide::Output,
        "results[1]",
        "expected pages or a text",
    );
}

#[test]
fn every_tool_call_in_the_recordings_is_known() {
    let (mut took, mut gave) = (BTreeSet::new(), BTreeSet::new());
    for session in recorded::sessions().into_values() {
        let mut names = HashMap::new();
        for Recorded { line, .. } in session.into_iter().filter(|it| it.dir == "recv") {
            match serde_json::from_str(&line) {
                Ok(Message::Assistant(message)) => {
                    for call in message
                        .message
                        .content
                        .iter()
                        .filter_map(ContentBlock::as_tool_use)
                    {
                        let typed = call.typed_input().unwrap();
                        assert_writes(&typed, call.input.get());
                        assert_eq!(typed.untyped(), [""; 0], "{line}");
                        took.insert(typed.name().to_owned());
                        names.insert(call.id.clone(), call.name.clone());
                    }
                }
                Ok(Message::User(message)) => {
                    let Some(result) = message.tool_results().next() else {
                        continue;
                    };
                    let Some(typed) = message
                        .typed_tool_use_result(&names[&result.tool_use_id])
                        .unwrap()
                    else {
                        continue;
                    };
                    assert_writes(&typed, message.tool_use_result.as_ref().unwrap().get());
                    assert_eq!(typed.untyped(), [""; 0], "{line}");
                    gave.insert(typed.name().to_owned());
                }
                _ => {}
            }
        }
    }
    let all = [
        "Agent",
        "AskUserQuestion",
        "Bash",
        "Edit",
        "Read",
        "Write",
        "mcp__calc__add",
        "mcp__calc__boom",
        "mcp__std__echo",
        "mcp__two__add",
    ];
    assert_eq!(took.iter().map(String::as_str).collect::<Vec<_>>(), all);
    assert_eq!(gave.iter().map(String::as_str).collect::<Vec<_>>(), all);
}
