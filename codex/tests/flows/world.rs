//! Codex, the real or the fake one, with a script.

use agentwire_codex::wire::{ApprovalPolicy, NamedPolicy, SandboxMode};
use agentwire_codex::{Codex, CodexOptions, Thread, ThreadOptions};
use agentwire_testing::TempDir;
use agentwire_testkit::fake_agent::{GATES, Gates, SCRIPT};
use agentwire_testkit::model::{ModelRequest, ScriptedModel};
use agentwire_testkit::{Reply, Scenario, Step, ToolCall};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;

/// Codex with a script, a home and a project of its own.
pub(crate) struct World {
    pub(crate) codex: Codex,
    pub(crate) home: TempDir,
    model: Option<ScriptedModel>,
    scenario: Scenario,
    gates: Gates,
}

/// Returns the real Codex, if the tests run on that.
pub(crate) fn real() -> Option<PathBuf> {
    std::env::var_os("AGENTWIRE_LIVE_CODEX").map(Into::into)
}

impl World {
    /// Starts Codex with the replies of the model.
    pub(crate) async fn new<R: Into<Reply>>(replies: impl IntoIterator<Item = R>) -> Self {
        let gates = Gates::new().unwrap();
        Self::with(gates, replies).await
    }

    /// Starts Codex with replies that wait at gates.
    pub(crate) async fn with<R: Into<Reply>>(
        gates: Gates,
        replies: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut scenario = Scenario::default();
        for reply in replies {
            scenario = scenario.reply(reply);
        }
        let home = agentwire_testing::tempdir().unwrap();
        for folder in ["home", "tmp", "project"] {
            std::fs::create_dir(home.path().join(folder)).unwrap();
        }
        let model = match real() {
            Some(_) => Some(ScriptedModel::start(scenario.clone()).await.unwrap()),
            None => None,
        };
        let options = codex_options(&home, &scenario, &gates);
        let codex = Codex::spawn(options).await.unwrap();
        Self {
            codex,
            home,
            model,
            scenario,
            gates,
        }
    }

    /// Closes Codex and starts it again, with the rest of the script.
    pub(crate) async fn restart(&mut self) {
        self.codex.close().await;
        self.codex = Codex::spawn(self.codex_options()).await.unwrap();
    }

    /// Returns the options with which Codex is started.
    pub(crate) fn codex_options(&self) -> CodexOptions {
        codex_options(&self.home, &self.scenario, &self.gates)
    }

    /// Returns options for a thread with this policy and without a sandbox.
    pub(crate) fn options(&self, policy: NamedPolicy) -> ThreadOptions {
        self.options_with_retries(policy, 1)
    }

    /// Returns options for a thread that repeats failing requests to the model so often.
    pub(crate) fn options_with_retries(&self, policy: NamedPolicy, retries: u32) -> ThreadOptions {
        let url = self.model.as_ref().map(ScriptedModel::url);
        let provider = json!({
            "name": "fake",
            "base_url": format!("{}/v1", url.unwrap_or_default()),
            "wire_api": "responses",
            "env_key": "KEY",
            "request_max_retries": 0,
            "stream_max_retries": retries,
            "supports_websockets": false,
        });
        ThreadOptions::new()
            .cwd(self.project().to_str().unwrap())
            .model("gpt-5.5")
            .approval_policy(ApprovalPolicy::from(policy))
            .sandbox(SandboxMode::DangerFullAccess)
            .settings(|it| {
                it.model_provider = Some("fake".to_owned());
                let config = json!({"model_providers.fake": provider});
                it.config = serde_json::from_value(config).unwrap();
            })
    }

    /// Returns the parameters with which a thread is started, as JSON.
    pub(crate) fn settings(&self, options: ThreadOptions) -> String {
        let mut settings = String::new();
        drop(options.settings(|it| settings = serde_json::to_string(it).unwrap()));
        settings
    }

    /// Returns the environment of Codex.
    pub(crate) fn variables(&self) -> [(&'static str, OsString); 6] {
        variables(&self.home, &self.scenario, &self.gates)
    }

    /// Starts a thread that never asks.
    pub(crate) async fn thread(&self) -> Thread {
        let options = self.options(NamedPolicy::Never);
        self.codex.start(options).await.unwrap()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    /// Waits until the script, or a command, has reached a gate.
    pub(crate) async fn reached(&self, gate: &str) {
        match &self.model {
            Some(model) if self.is_of_model(gate) => model.reached(gate).await.unwrap(),
            _ => self.gates.reached(gate).await.unwrap(),
        }
    }

    pub(crate) fn open(&self, gate: &str) {
        match &self.model {
            Some(model) if self.is_of_model(gate) => model.open(gate).unwrap(),
            _ => self.gates.open(gate).unwrap(),
        }
    }

    /// Returns whether a gate is a step of a reply and not a part of a tool.
    fn is_of_model(&self, gate: &str) -> bool {
        let mut steps = self.scenario.replies.iter().flat_map(|it| &it.say);
        steps.any(|it| matches!(it, Step::Gate(name) if name == gate))
    }

    /// Returns what the model was asked, on the real Codex.
    pub(crate) fn requests(&self) -> Option<Vec<ModelRequest>> {
        self.model.as_ref().map(ScriptedModel::requests)
    }
}

impl Drop for World {
    /// Kills what runs in the home, so that nothing writes to it when it is removed. Closing would
    /// need the runtime, which waits for this.
    fn drop(&mut self) {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let left = processes(self.home.path());
            if left.is_empty() || Instant::now() > until {
                return;
            }
            for (pid, _) in left {
                let kill = std::process::Command::new("kill")
                    .args(["-9", &pid])
                    .output();
                drop(kill);
            }
            // Nothing tells that a process of others has exited.
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn codex_options(home: &TempDir, scenario: &Scenario, gates: &Gates) -> CodexOptions {
    let options = CodexOptions::new()
        .program(program())
        .environment(agentwire::process::Environment::only(["PATH"]))
        .cwd(home.path().join("project"))
        .request_timeout(Duration::from_secs(30));
    variables(home, scenario, gates)
        .into_iter()
        .fold(options, |all, (name, value)| all.env(name, value))
}

/// Returns the environment of Codex.
fn variables(home: &TempDir, scenario: &Scenario, gates: &Gates) -> [(&'static str, OsString); 6] {
    let path = |name: &str| home.path().join(name).into_os_string();
    [
        ("HOME", path("home")),
        ("CODEX_HOME", path("home")),
        ("TMPDIR", path("tmp")),
        ("KEY", "anything".into()),
        (SCRIPT, scenario.to_json().into()),
        (GATES, gates.path().as_os_str().to_owned()),
    ]
}

/// Returns the path of an example. Cargo builds a package's examples with its tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().unwrap().parent().unwrap();
    built.join("examples").join(name)
}

/// Returns the path of Codex.
pub(crate) fn program() -> PathBuf {
    real().unwrap_or_else(|| example("fake_codex"))
}

/// Returns the IDs and command lines of processes that mention a path in these or in their
/// environment.
pub(crate) fn processes(path: &Path) -> Vec<(String, String)> {
    let lines = std::fs::read_dir("/proc").unwrap().filter_map(|it| {
        let folder = it.ok()?.path();
        // Not a process, or one that has exited.
        let read = |name: &str| std::fs::read(folder.join(name)).ok();
        let line = String::from_utf8_lossy(&read("cmdline")?).replace('\0', " ");
        let all = format!("{line}{}", String::from_utf8_lossy(&read("environ")?));
        let pid = folder.file_name()?.to_str()?.to_owned();
        (all.contains(path.to_str()?) && !line.is_empty()).then_some((pid, line))
    });
    lines.collect()
}

/// Makes approvals wait for ever. The receiver gets, for each, a receiver that fails when its
/// callback is dropped.
pub(crate) fn never_answers(
    options: ThreadOptions,
) -> (ThreadOptions, UnboundedReceiver<oneshot::Receiver<()>>) {
    let (asks, asked) = unbounded_channel();
    let options = options.on_approval(move |_| {
        let (dropped, is_dropped) = oneshot::channel();
        asks.send(is_dropped).unwrap();
        async move {
            let _dropped = dropped;
            std::future::pending().await
        }
    });
    (options, asked)
}

/// Returns a command with its output, which does not run on the fake Codex.
pub(crate) fn command(line: &str, output: &str) -> Step {
    Step::tool("exec_command", json!({"cmd": line}), output)
}

/// Returns a command that waits at a gate.
pub(crate) fn waiting_command(gates: &Gates, gate: &str) -> Step {
    let path = gates.path().join(gate);
    let path = path.to_str().unwrap();
    let line =
        format!("touch {path}.reached; while [ ! -e {path} ]; do sleep 0.02; done; echo over");
    let input = json!({"cmd": line, "yield_time_ms": 30000});
    Step::Tool(ToolCall {
        gate: Some(gate.to_owned()),
        ..ToolCall::new("exec_command", input, "over\n")
    })
}

/// Returns a patch that adds a file.
pub(crate) fn patch(file: &str, line: &str) -> Step {
    let input = format!("*** Begin Patch\n*** Add File: {file}\n+{line}\n*** End Patch\n");
    let call = ToolCall::new("apply_patch", json!({"input": input}), "Success.");
    Step::Tool(ToolCall {
        writes: true,
        ..call
    })
}

/// Returns the texts of user messages in a request to the model.
pub(crate) fn user_texts(request: &ModelRequest) -> Vec<String> {
    let is_of_user = |it: &&Value| it["role"] == "user";
    let content = input(request).iter().filter(is_of_user);
    let parts = content.flat_map(|it| it["content"].as_array().into_iter().flatten());
    let texts = parts.filter_map(|it| it["text"].as_str().map(str::to_owned));
    texts.filter(|it| !it.starts_with('<')).collect()
}

/// Returns the outputs of tools in a request to the model.
pub(crate) fn outputs(request: &ModelRequest) -> Vec<String> {
    let is_output = |it: &&Value| {
        it["type"]
            .as_str()
            .is_some_and(|it| it.ends_with("_output"))
    };
    let outputs = input(request).iter().filter(is_output);
    outputs.map(|it| it["output"].to_string()).collect()
}

fn input(request: &ModelRequest) -> &[Value] {
    let input = request.body.as_ref().and_then(|it| it["input"].as_array());
    input.map_or(&[], Vec::as_slice)
}
