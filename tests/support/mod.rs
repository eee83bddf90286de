//! Helpers of all tests: the agents, and a log of the events that a session delivered.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test file uses a part of it"
)]

pub(crate) mod peer;
pub(crate) mod priorities;
pub(crate) mod scenario;

use agentwire::event::{CallbackFailure, RequestSummary};
use agentwire::protocol::content::ContentBlock;
use agentwire::{
    Activity, Client, ClosePolicy, Error, Event, Message, Notice, Options, SessionEnd,
};
use agentwire_testing::TempDir;
use agentwire_testkit::model::ScriptedModel;
use agentwire_testkit::{Scenario, fake_agent};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Returns the path of the fake agent. Cargo builds a package's examples with its tests.
pub(crate) fn fake_agent_path() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/fake_agent");
    assert!(
        path.exists(),
        "{} is not built: `cargo test` and `cargo build --examples` build it",
        path.display()
    );
    path
}

/// Returns options for a session with the fake agent.
pub(crate) fn fake(scenario: &Scenario) -> Options {
    Options::new()
        .cli(fake_agent_path())
        .env(fake_agent::SCRIPT, scenario.to_json())
        .partial_messages(true)
        .close_policy(patient())
}

pub(crate) use agentwire_testing::counted;

/// A timeout that only a broken test exceeds, even on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// Returns a close policy with long timeouts, for an agent that exits by itself.
pub(crate) fn patient() -> ClosePolicy {
    ClosePolicy::default().exit(LONG).terminate(LONG).kill(LONG)
}

/// Returns a close policy with short timeouts, for an agent that must be terminated or
/// killed.
pub(crate) fn hasty() -> ClosePolicy {
    let short = Duration::from_millis(300);
    patient().exit(short).terminate(short)
}

/// The real CLI with a scripted model, in a clean environment with its own home
/// directory.
pub(crate) struct Live {
    pub(crate) model: ScriptedModel,
    pub(crate) home: TempDir,
}

impl Live {
    pub(crate) async fn start(scenario: Scenario) -> Self {
        let model = ScriptedModel::start(scenario).await.unwrap();
        let home = agentwire_testing::tempdir().unwrap();
        std::fs::create_dir(home.path().join("tmp")).unwrap();
        Self { model, home }
    }

    /// Returns the agent's working directory.
    pub(crate) fn project(&self) -> PathBuf {
        let project = self.home.path().join("project");
        std::fs::create_dir_all(&project).unwrap();
        project
    }

    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let home = self.home.path().display().to_string();
        vec![
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", home.clone()),
            ("CLAUDE_CONFIG_DIR", format!("{home}/.claude")),
            ("TMPDIR", format!("{home}/tmp")),
            ("ANTHROPIC_BASE_URL", self.model.url()),
            ("ANTHROPIC_API_KEY", "anything".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_TELEMETRY", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ]
    }

    pub(crate) fn options(&self) -> Options {
        self.options_for(&live_cli())
    }

    /// Returns options for a session with this CLI.
    pub(crate) fn options_for(&self, cli: &Path) -> Options {
        let options = Options::new()
            .cli(cli)
            .cwd(self.project())
            .clean_env()
            .setting_sources([])
            .partial_messages(true)
            .request_timeout(LONG)
            .close_policy(patient());
        self.environment()
            .into_iter()
            .fold(options, |options, (name, value)| options.env(name, value))
    }
}

impl Drop for Live {
    /// Waits until the processes of the session have exited, because they could create the removed
    /// home directory again. A failed test waits only briefly. A test that passes has closed its
    /// client, or has dropped it in a runtime that continues.
    fn drop(&mut self) {
        let home = format!("HOME={}", self.home.path().display());
        let has_failed = std::thread::panicking();
        let until = std::time::Instant::now() + if has_failed { Duration::ZERO } else { LONG };
        while let left = processes_with(&home)
            && !left.is_empty()
        {
            if std::time::Instant::now() > until {
                left.into_iter().map(try_kill).for_each(drop);
                assert!(has_failed, "processes were left with {home}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Returns the processes with this environment variable, without zombies.
pub(crate) fn processes_with(variable: &str) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let named = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    let has = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|it| it == variable.as_bytes())
    };
    named.filter(has).collect()
}

/// Returns the path of the real CLI. Fails the test if there is none.
pub(crate) fn live_cli() -> PathBuf {
    let path = std::env::var_os("AGENTWIRE_LIVE_CLI")
        .map(PathBuf::from)
        .expect("AGENTWIRE_LIVE_CLI is not set: run the live tests with scripts/real live");
    assert!(
        path.exists(),
        "{} is not there: run scripts/real live",
        path.display()
    );
    path
}

/// Returns the texts of the user in a model request, without additions of the CLI.
pub(crate) fn said_by_user(body: &serde_json::Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap().iter();
    let users = messages.filter(|it| it["role"] == "user");
    let texts = users.flat_map(|it| match it["content"].as_str() {
        Some(text) => vec![text.to_owned()],
        None => {
            let blocks = it["content"].as_array().unwrap().iter();
            blocks
                .filter_map(|it| it["text"].as_str().map(str::to_owned))
                .collect()
        }
    });
    texts
        .filter(|it| {
            let added = ["<system-reminder>", "<local-command-", "<command-name>"];
            !added.iter().any(|tag| it.contains(tag))
        })
        .map(|it| it.trim().to_owned())
        .collect()
}

/// Logs the events of a session to its end, one line each.
pub(crate) async fn log_to_end(
    mut next: impl AsyncFnMut() -> Option<Result<Event, Error>>,
) -> (Vec<String>, Option<Error>) {
    let mut log = Vec::new();
    while let Some(event) = next().await {
        match event {
            Ok(event) => log.extend(describe(&event)),
            Err(error) => return (log, Some(error)),
        }
    }
    (log, None)
}

/// Describes an event by its text and shape. Omits parts that differ in each run.
pub(crate) fn describe(event: &Event) -> Option<String> {
    let frame = match event {
        Event::Frame(frame) => frame,
        Event::Notice(notice) => return Some(format!("notice: {notice}")),
        _ => return None,
    };
    if let Some(fault) = frame.faults().first() {
        return Some(format!("fault: {fault}"));
    }
    match frame.message() {
        Message::Assistant(said) => match said.message.content.first()? {
            ContentBlock::Text(block) => Some(format!("text: {}", block.text)),
            ContentBlock::Thinking(block) => Some(format!("thinking: {}", block.thinking)),
            ContentBlock::ToolUse(call) => Some(format!("call: {} {}", call.name, call.input)),
            block => Some(format!("block: {}", block.tag()?)),
        },
        Message::User(user) => {
            let result = user.tool_results().next()?;
            let what = if result.is_error == Some(true) {
                "failed"
            } else {
                "answered"
            };
            Some(format!("tool {what}: {}", result.content.as_ref()?.text()))
        }
        Message::Result(result) => Some(format!(
            "result: {} {}",
            result.subtype,
            if result.is_error { "error" } else { "fine" }
        )),
        _ => None,
    }
}

/// Waits for the next event for which `wanted` returns a value. Panics if the session
/// ends first, and after a timeout.
pub(crate) async fn wait_for<T>(
    client: &mut Client,
    mut wanted: impl FnMut(&Event) -> Option<T>,
) -> T {
    let next = async |client: &mut Client| {
        let next = tokio::time::timeout(LONG, client.next()).await;
        next.unwrap_or_else(|_| panic!("nothing came for {LONG:?}"))
    };
    while let Some(event) = next(client).await {
        if let Some(found) = wanted(&event.unwrap()) {
            return found;
        }
    }
    panic!("the session ended before it came");
}

/// Waits until the session is idle.
pub(crate) async fn until_idle(client: &mut Client) {
    let is_idle = |event: &Event| matches!(event, Event::Activity(Activity::Idle)).then_some(());
    wait_for(client, is_idle).await;
}

/// Matches a text delta that contains `text`.
pub(crate) fn says(text: &str) -> impl FnMut(&Event) -> Option<()> {
    move |event| {
        let Event::Frame(frame) = event else {
            return None;
        };
        let message = frame.message();
        message.text_delta()?.contains(text).then_some(())
    }
}

/// Waits for the next callback that failed or was not called.
pub(crate) async fn callback_failure(client: &mut Client) -> (RequestSummary, CallbackFailure) {
    wait_for(client, |event| match event {
        Event::Notice(Notice::CallbackFailed {
            request, failure, ..
        }) => Some((request.clone(), failure.clone())),
        _ => None,
    })
    .await
}

/// Returns the output of a future that does not wait.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

/// Returns whether a process is alive. A zombie is not.
pub(crate) fn is_alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        let state = stat.rsplit_once(") ").map(|(_, rest)| rest.chars().next());
        state.flatten() != Some('Z')
    })
}

/// Waits until the process has exited.
pub(crate) fn wait_until_gone(pid: u32) {
    let until = std::time::Instant::now() + LONG;
    while is_alive(pid) {
        assert!(
            std::time::Instant::now() < until,
            "process {pid} is still alive"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until a file contains a line, and returns it.
pub(crate) async fn line_of(file: &Path) -> String {
    let until = std::time::Instant::now() + LONG;
    loop {
        assert!(
            std::time::Instant::now() < until,
            "{} has no line",
            file.display()
        );
        if let Ok(text) = std::fs::read_to_string(file)
            && let Some((line, _)) = text.split_once('\n')
        {
            return line.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Kills a process with `SIGKILL`, as the system does when memory runs out.
pub(crate) fn kill(pid: u32) {
    assert!(try_kill(pid), "there is no process {pid}");
}

/// Kills a process. Returns whether it was running.
fn try_kill(pid: u32) -> bool {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).is_ok()
}

/// Creates an executable shell script in a folder.
pub(crate) fn script(folder: &TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("cli");
    // If this process opened the file for writing, a child that another test spawns
    // at that moment could inherit it, and the file could not be executed.
    let written = std::process::Command::new("sh")
        .args([
            "-c",
            "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"",
            "sh",
        ])
        .arg(&path)
        .arg(text)
        .status()
        .unwrap();
    assert!(written.success());
    path
}

/// Returns the end of the session from an error that it caused. Panics for any other
/// error.
#[track_caller]
pub(crate) fn ended(error: Error) -> Arc<SessionEnd> {
    match error {
        Error::Ended(end) => end,
        error => panic!("{error}"),
    }
}

/// Creates a CLI that responds to `initialize` with `answer` and then runs `then`.
pub(crate) fn answering(folder: &agentwire_testing::TempDir, answer: &str, then: &str) -> Options {
    let text = format!(
        r#"read -r line
id=$(printf %s "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
echo '{{"type":"control_response","response":{{"subtype":"success","request_id":"'$id'","response":{answer}}}}}'
{then}"#
    );
    Options::new()
        .cli(script(folder, &text))
        .close_policy(patient())
}
