//! Plays a case to an agent over pipes, as its host.

use super::case::{Case, Step};
use agentwire_testing::TempDir;
use agentwire_testkit::fake_agent;
use agentwire_testkit::model::ScriptedModel;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{sleep, timeout};

/// The timeout of a step.
const STEP: Duration = Duration::from_secs(20);

/// An entry of a recording.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    Sent(String),
    Received(Value),
    Noise(String),
    Exited(Option<i32>),
}

/// A recorded session, with the texts that differ from run to run and their
/// replacements.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) entries: Vec<Entry>,
    pub(crate) stuck: Option<String>,
    pub(crate) names: Vec<(String, String)>,
}

/// Which agent plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agent {
    Real,
    Fake,
}

struct Host<'a> {
    agent: Agent,
    program: &'a Path,
    case: &'a Case,
    model: ScriptedModel,
    /// The home, and in it the working directory `w`.
    home: TempDir,
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
    entries: Vec<Entry>,
    /// The number of entries before the last action.
    acted: usize,
    requests: u64,
    names: Map<String, Value>,
    turns: u64,
    threads: u64,
    pending: Vec<Value>,
}

/// Plays a case to the program of an agent.
pub(crate) async fn play(case: &Case, agent: Agent, program: &Path) -> Recording {
    let model = ScriptedModel::start(case.scenario()).await.unwrap();
    let home = agentwire_testing::tempdir().unwrap();
    let cwd = home.path().join("w");
    std::fs::create_dir_all(&cwd).unwrap();
    std::fs::create_dir_all(home.path().join("tmp")).unwrap();
    for (name, text) in &case.files {
        std::fs::write(cwd.join(name), text).unwrap();
    }
    let mut names = Map::new();
    names.insert("cwd".to_owned(), cwd.to_string_lossy().into());
    let mut provider = json!({
        "name": "fake", "base_url": format!("{}/v1", model.url()), "wire_api": "responses",
        "env_key": "KEY", "request_max_retries": 0, "stream_max_retries": 0,
    });
    for (name, value) in case.provider.as_object().into_iter().flatten() {
        provider[name] = value.clone();
    }
    let mut config = json!({
        "model_providers": { "fake": provider },
        "features": { "default_mode_request_user_input": true },
    });
    if case.mcp {
        let server = cwd.join("server.py");
        config["mcp_servers"] =
            json!({ "t": { "command": "/usr/bin/env", "args": ["python3", server] } });
    }
    names.insert("config".to_owned(), config);
    let mut child = spawn(agent, program, case, home.path());
    let mut host = Host {
        agent,
        program,
        case,
        model,
        stdin: child.stdin.take(),
        stdout: lines(&mut child),
        child,
        home,
        entries: vec![],
        acted: 0,
        requests: 0,
        names,
        turns: 0,
        threads: 0,
        pending: vec![],
    };
    let mut stuck = None;
    for step in case.steps() {
        match timeout(STEP, host.step(&step)).await {
            Ok(Ok(())) => continue,
            Ok(Err(why)) => stuck = Some(format!("{step:?}: {why}")),
            Err(_) => stuck = Some(format!("timeout: {step:?}")),
        }
        break;
    }
    if host.stdin.is_some() && timeout(STEP, host.close()).await.is_err() {
        stuck.get_or_insert("timeout: exit".to_owned());
    }
    let home = host.home.path().to_string_lossy().into_owned();
    let names = vec![
        (host.model.url(), "$url".to_owned()),
        (format!("{home}/w"), "$cwd".to_owned()),
        (home, "$home".to_owned()),
    ];
    Recording {
        entries: host.entries,
        stuck,
        names,
    }
}

fn spawn(agent: Agent, program: &Path, case: &Case, home: &Path) -> Child {
    let mut command = Command::new(program);
    command
        .arg("app-server")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home)
        .env("CODEX_HOME", home.join(".codex"))
        .env("TMPDIR", home.join("tmp"))
        .env("KEY", "anything")
        .current_dir(home.join("w"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    std::fs::create_dir_all(home.join(".codex")).unwrap();
    if agent == Agent::Fake {
        command
            .env(fake_agent::SCRIPT, case.scenario().to_json())
            .env(fake_agent::GATES, home.join("w"));
    }
    command.spawn().unwrap()
}

fn lines(child: &mut Child) -> Lines<BufReader<ChildStdout>> {
    BufReader::new(child.stdout.take().unwrap()).lines()
}

impl Host<'_> {
    async fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Send(request) => {
                let mut request = self.filled(request);
                self.requests += 1;
                if request.get("id").is_none() {
                    request["id"] = self.requests.into();
                }
                self.names.insert("id".to_owned(), request["id"].clone());
                self.write(format!("{request}\n").into_bytes()).await;
            }
            Step::Prompt(text) => {
                let params =
                    json!({ "threadId": "$thread", "input": [{ "type": "text", "text": text }] });
                let request = json!({ "method": "turn/start", "params": params });
                Box::pin(self.step(&Step::Send(request))).await?;
            }
            Step::Raw(text) => self.write(format!("{text}\n").into_bytes()).await,
            Step::InvalidUtf8 => self.write(b"{\"id\":\"\xff\"}\n".to_vec()).await,
            Step::Until(pattern) => {
                let pattern = self.filled(pattern);
                self.until(&pattern).await?;
            }
            Step::Answered => {
                let id = self.names["id"].clone();
                self.until(&json!({ "id": id })).await?;
            }
            Step::Respond(result) => self.respond("result", result).await?,
            Step::Refuse(error) => self.respond("error", error).await?,
            Step::Reached(gate) => self.reached(gate).await?,
            Step::Open(gate) => {
                self.acted = self.entries.len();
                std::fs::write(self.home.path().join("w").join(gate), "").unwrap();
                // A gate of a tool is not a gate of the model.
                drop(self.model.open(gate));
            }
            Step::Close => self.close().await,
            Step::Restart => {
                self.close().await;
                let mut child = spawn(self.agent, self.program, self.case, self.home.path());
                (self.stdin, self.stdout) = (child.stdin.take(), lines(&mut child));
                self.child = child;
                self.pending.clear();
            }
        }
        Ok(())
    }

    async fn write(&mut self, bytes: Vec<u8>) {
        self.acted = self.entries.len();
        let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        self.entries.push(Entry::Sent(text));
        if let Some(stdin) = &mut self.stdin {
            // A failed write shows in the missing responses.
            drop(stdin.write_all(&bytes).await);
            drop(stdin.flush().await);
        }
    }

    async fn respond(&mut self, kind: &str, value: &Value) -> Result<(), String> {
        if self.pending.is_empty() {
            return Err("no request of the agent is pending".to_owned());
        }
        let response = json!({ "id": self.pending.remove(0), kind: self.filled(value) });
        self.write(format!("{response}\n").into_bytes()).await;
        Ok(())
    }

    /// Waits for a frame. Frames since the last action count.
    async fn until(&mut self, pattern: &Value) -> Result<(), String> {
        let mut from = self.acted;
        loop {
            let mut new = self.entries[from..].iter();
            if new.any(|entry| matches!(entry, Entry::Received(frame) if contains(frame, pattern)))
            {
                return Ok(());
            }
            from = self.entries.len();
            if !self.read().await {
                return Err("the output has ended".to_owned());
            }
        }
    }

    async fn read(&mut self) -> bool {
        let line = self.stdout.next_line().await;
        self.handle(line)
    }

    /// Handles a line. Returns whether there was one.
    fn handle(&mut self, line: std::io::Result<Option<String>>) -> bool {
        let Ok(Some(line)) = line else { return false };
        match serde_json::from_str::<Value>(&line) {
            Ok(frame) => {
                if frame.get("id").is_some() && frame.get("method").is_some() {
                    self.pending.push(frame["id"].clone());
                }
                self.learn(&frame);
                self.entries.push(Entry::Received(frame));
            }
            Err(_) => self.entries.push(Entry::Noise(line)),
        }
        true
    }

    /// Stores the IDs in a frame.
    fn learn(&mut self, frame: &Value) {
        let is_new = |names: &Map<String, Value>, id: &Value| !names.values().any(|it| it == id);
        let thread = &frame["result"]["thread"]["id"];
        if thread.is_string() && is_new(&self.names, thread) {
            self.threads += 1;
            let number = match self.threads {
                1 => String::new(),
                number => number.to_string(),
            };
            self.names.insert(format!("thread{number}"), thread.clone());
        }
        let turn = match &frame["result"]["turn"]["id"] {
            Value::Null => &frame["params"]["turn"]["id"],
            turn => turn,
        };
        if turn.is_string() && self.names.get("turn") != Some(turn) {
            self.turns += 1;
            self.names.insert("turn".to_owned(), turn.clone());
            self.names
                .insert(format!("turn{}", self.turns), turn.clone());
        }
        for (name, path) in [
            ("process", "/params/item/processId"),
            ("item", "/params/item/id"),
        ] {
            if let Some(value @ Value::String(_)) = frame.pointer(path) {
                self.names.insert(name.to_owned(), value.clone());
            }
        }
    }

    async fn reached(&mut self, gate: &str) -> Result<(), String> {
        let file = self.home.path().join("w").join(format!("{gate}.reached"));
        loop {
            let model = async {
                if self.model.reached(gate).await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                () = model => return Ok(()),
                () = exists(&file) => return Ok(()),
                line = self.stdout.next_line() => if !self.handle(line) {
                    return Err("the output has ended".to_owned());
                },
            }
        }
    }

    async fn close(&mut self) {
        self.stdin = None;
        while self.read().await {}
        let status = self.child.wait().await.unwrap();
        self.entries.push(Entry::Exited(status.code()));
    }

    /// Returns a value with its names replaced.
    fn filled(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match text.strip_prefix('$') {
                Some(name) if self.names.contains_key(name) => self.names[name].clone(),
                _ => match text.strip_prefix("$cwd/") {
                    Some(rest) => format!("{}/{rest}", self.names["cwd"].as_str().unwrap()).into(),
                    None => value.clone(),
                },
            },
            Value::Array(items) => items.iter().map(|it| self.filled(it)).collect(),
            Value::Object(members) => {
                let filled = |(name, it): (&String, &Value)| (name.clone(), self.filled(it));
                Value::Object(members.iter().map(filled).collect())
            }
            other => other.clone(),
        }
    }
}

/// Waits until a file exists. There is no portable event for its creation.
async fn exists(file: &Path) {
    while !file.exists() {
        sleep(Duration::from_millis(5)).await;
    }
}

/// Returns whether a value has all members of the pattern.
fn contains(value: &Value, pattern: &Value) -> bool {
    match pattern {
        Value::Object(members) => members
            .iter()
            .all(|(name, pattern)| value.get(name).is_some_and(|it| contains(it, pattern))),
        _ => value == pattern,
    }
}

/// Returns the path of the fake agent.
pub(crate) fn fake() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(Path::parent).unwrap();
    target.join("examples/fake_codex")
}
