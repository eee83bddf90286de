//! Plays a round with two hosts of one session.

use crate::engine::{ConnectionState, Engine, Proxy, on_store};
use crate::host::{HostConfig, VARIABLE, time};
use crate::number;
use agentwire::store::TranscriptKey;
use agentwire_stores::session_log::{LogKey, LogStore, Part, Position};
use agentwire_testing::Random;
use agentwire_testkit::model::ScriptedModel;
use agentwire_testkit::{Reply, Scenario, Step, When};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{sleep, timeout};

/// Returns the length of the leases.
fn lease() -> Duration {
    Duration::from_secs(number("AGENTWIRE_LEASE", 4))
}

/// A generous timeout.
const LONG: Duration = Duration::from_secs(90);

/// The phase of the first host's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Idle,
    Queued,
    Streaming,
    Tool,
    Ask,
    Flush,
    Renewal,
    Resuming,
}

const PHASES: [Phase; 8] = [
    Phase::Idle,
    Phase::Queued,
    Phase::Streaming,
    Phase::Tool,
    Phase::Ask,
    Phase::Flush,
    Phase::Renewal,
    Phase::Resuming,
];

/// The disturbance of the first host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Killed,
    Stopped,
    Cut,
    Slowed,
}

/// The result of a round.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) round: u64,
    pub(crate) phase: Phase,
    pub(crate) kind: Kind,
    /// The number of batches that the first host stored after the first batch of the second host.
    pub(crate) two_writers: usize,
    /// The number of lost prompts. A prompt is lost if it was accepted or its result was delivered,
    /// but it is neither stored, nor handed back to the next host, nor reported as cut off.
    pub(crate) lost: usize,
    /// The number of prompts that are stored more than once, and of tools that both hosts have run.
    pub(crate) twice: usize,
    /// The number of actions of the first host's tools, callbacks and model after the second host's
    /// claim.
    pub(crate) late: usize,
    pub(crate) problems: Vec<String>,
    /// How long the second host waited, in milliseconds.
    pub(crate) taken_over_after: u128,
}

/// A machine with a host.
struct Machine {
    name: &'static str,
    home: PathBuf,
    model: Option<ScriptedModel>,
}

struct Host {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// The events that the host printed, with their times.
    printed: Vec<(String, u128)>,
}

impl Host {
    fn start(machine: &Machine, project: &Path, told: &HostConfig) -> Self {
        let home = machine.home.display().to_string();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", &home)
            .env("CLAUDE_CONFIG_DIR", format!("{home}/.claude"))
            .env("TMPDIR", format!("{home}/tmp"))
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("ANTHROPIC_API_KEY", "anything")
            .env("CHAOS_HOST", machine.name)
            .env("CHAOS_WITNESS", &told.witness)
            .env(VARIABLE, serde_json::to_string(told).unwrap())
            .current_dir(project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        if let Some(model) = &machine.model {
            command.env("ANTHROPIC_BASE_URL", model.url());
        }
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            child,
            stdin,
            lines,
            printed: vec![],
        }
    }

    async fn command_host(&mut self, line: &str) {
        let _ = self.stdin.write_all(format!("{line}\n").as_bytes()).await;
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.child.id() {
            let pid = Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
            kill_process(pid, signal).unwrap();
        }
    }

    /// Reads up to one of these events. Returns it with its time, or an error if the host exits
    /// first.
    async fn prints(&mut self, wanted: &[&str]) -> Result<(String, u128), String> {
        let read = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                let (what, when) = line.rsplit_once(' ').unwrap();
                let printed = (what.to_owned(), when.parse().unwrap());
                self.printed.push(printed.clone());
                if wanted.iter().any(|it| what.starts_with(it)) {
                    return Ok(printed);
                }
            }
            Err(format!("{wanted:?} did not come: {:?}", self.printed))
        };
        let late = || Err(format!("{wanted:?} did not come in time"));
        let outcome = timeout(LONG, read).await.unwrap_or_else(|_| late());
        outcome.map_err(|why| format!("{why}; {:?}", self.printed))
    }

    /// Reads the remaining events until the host exits.
    async fn wait_for_exit(&mut self) -> Result<(), String> {
        let printed = self.prints(&["never"]).await;
        match timeout(LONG, self.child.wait()).await {
            Ok(_) => Ok(()),
            Err(_) => Err(format!("it does not end: {printed:?}")),
        }
    }

    fn when(&self, wanted: &str) -> Option<u128> {
        let found = self
            .printed
            .iter()
            .find(|(what, _)| what.starts_with(wanted));
        found.map(|(_, when)| *when)
    }

    /// Returns the prompts whose results were printed.
    fn results(&self) -> impl Iterator<Item = &str> {
        let lines = self.printed.iter();
        lines.filter_map(|(what, _)| what.strip_prefix("result ")?.strip_suffix(':'))
    }

    /// Returns the accepted and resent prompts.
    fn accepted(&self) -> impl Iterator<Item = &str> {
        self.events_of(&["accepted ", "inherited Resent "])
    }

    /// Returns the prompts that were handed back.
    fn handed_back(&self) -> impl Iterator<Item = &str> {
        self.events_of(&["inherited CutOff "])
    }

    /// Returns the prompts that were reported as incomplete.
    fn not_completed(&self) -> impl Iterator<Item = &str> {
        self.events_of(&["not completed "])
    }

    fn events_of(&self, kinds: &'static [&'static str]) -> impl Iterator<Item = &str> {
        let lines = self.printed.iter();
        lines.filter_map(|(what, _)| {
            let prompt = kinds.iter().find_map(|kind| what.strip_prefix(kind))?;
            prompt.strip_suffix(':')
        })
    }
}

/// Returns the replies of the model of a machine. The model of the first machine calls tools while
/// its host lives.
fn scenario(machine: &str) -> Scenario {
    let tick = r#"for i in 1 2 3 4; do echo "tool $CHAOS_HOST $(cut -d' ' -f1 /proc/uptime)" >> "$CHAOS_WITNESS"; sleep 0.05; done"#;
    let bash = json!({ "tool": { "name": "Bash", "input": { "command": tick }, "takes_ms": 200 } });
    let write = json!({ "file_path": "held", "content": "x" });
    let chunks = std::iter::repeat_n("word ", 150);
    let bash: Step = serde_json::from_value(bash).unwrap();
    let say =
        |when: &str, steps: Vec<Step>| Reply::new(steps).when(When::prompt_contains(when)).always();
    Scenario::default()
        .reply(match machine {
            "one" => say("Prompt tool", vec![bash]),
            _ => Reply::new([bash])
                .when(When::prompt_contains("Prompt tool").after_tools(false))
                .always(),
        })
        .reply(say(
            "Prompt stream",
            vec![Step::chunks(chunks, Duration::from_millis(100))],
        ))
        .reply(say("Prompt held", vec![Step::tool("Write", write, "")]))
        .reply(Reply::new([Step::text("Hello.")]).always())
        .deciding_as_cli()
}

pub(crate) async fn play(engine: &Engine, round: u64, seed: u64) -> Outcome {
    let kinds: &[Kind] = match engine.port() {
        Some(_) => &[Kind::Killed, Kind::Stopped, Kind::Cut, Kind::Slowed],
        None => &[Kind::Killed, Kind::Stopped],
    };
    let phase = PHASES[(round % 8) as usize];
    let kind = kinds[(round + round / 8) as usize % kinds.len()];
    let mut outcome = Outcome {
        round,
        phase,
        kind,
        two_writers: 0,
        lost: 0,
        twice: 0,
        late: 0,
        problems: vec![],
        taken_over_after: 0,
    };
    if let Err(problem) = try_play(
        engine,
        Random::new(seed ^ (round << 32)).number(),
        &mut outcome,
    )
    .await
    {
        outcome.problems.push(problem);
    }
    outcome
}

async fn try_play(engine: &Engine, seed: u64, outcome: &mut Outcome) -> Result<(), String> {
    let (phase, kind) = (outcome.phase, outcome.kind);
    let folder = agentwire_testing::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let witness = folder.path().join("witness");
    std::fs::write(&witness, "").unwrap();
    let cli = std::env::var("AGENTWIRE_LIVE_CLI").ok().map(PathBuf::from);
    let mut machines = vec![];
    for name in ["one", "two"] {
        let home = folder.path().join(name);
        for part in ["tmp", ".claude"] {
            std::fs::create_dir_all(home.join(part)).unwrap();
        }
        let model = match &cli {
            Some(_) => Some(ScriptedModel::start(scenario(name)).await.unwrap()),
            None => None,
        };
        machines.push(Machine { name, home, model });
    }
    let [first, second] = &machines[..] else {
        unreachable!("there are two");
    };
    let proxy = match engine.port() {
        Some(port) => Some(Proxy::to(port).await),
        None => None,
    };
    let id = uuid::Uuid::new_v4().to_string();
    let host_config = |machine: &Machine, waits: Duration| HostConfig {
        engine: match &proxy {
            Some(proxy) if machine.name == "one" => engine.at(proxy.port),
            _ => engine.clone(),
        },
        session: id.clone(),
        resumes: true,
        lease: lease(),
        waits,
        cli: cli.clone().ok_or_else(|| scenario(machine.name).to_json()),
        name: machine.name.to_owned(),
        witness: witness.clone(),
    };
    let start = |machine: &Machine, told: &HostConfig| Host::start(machine, &project, told);

    let begins = HostConfig {
        resumes: false,
        ..host_config(first, LONG)
    };
    let mut one = start(first, &begins);
    one.prints(&["open"]).await?;
    one.command_host("send Prompt hello 1").await;
    one.prints(&["result"]).await?;
    let slow = ConnectionState::Slow(Duration::from_millis(150 + seed % 100));
    match phase {
        Phase::Idle => {}
        Phase::Queued => {
            one.command_host("send Prompt tool 2").await;
            one.prints(&["tooling"]).await?;
            one.command_host("send Prompt hello 3").await;
        }
        Phase::Streaming => {
            one.command_host("send Prompt stream 2").await;
            one.prints(&["streaming"]).await?;
        }
        Phase::Tool => {
            one.command_host("send Prompt tool 2").await;
            one.prints(&["tooling"]).await?;
        }
        Phase::Ask => {
            one.command_host("send Prompt held 2").await;
            one.prints(&["asking"]).await?;
        }
        Phase::Flush => {
            if let Some(proxy) = &proxy {
                proxy.set(slow);
            }
            one.command_host("send Prompt hello 2").await;
        }
        Phase::Renewal => {
            let claimed = one.when("claimed").unwrap_or_default();
            let third = lease().as_millis() / 3;
            let passed = (time() - claimed) % third;
            sleep(Duration::from_millis((third - passed) as u64)).await;
        }
        Phase::Resuming => {
            one.command_host("close").await;
            one.wait_for_exit().await?;
            let before = std::mem::replace(&mut one, start(first, &host_config(first, LONG)));
            one.printed = before.printed;
            one.printed
                .retain(|(what, _)| what != "claimed" && what != "open");
            sleep(Duration::from_millis(seed / 7 % 1200)).await;
        }
    }
    let moments = if phase == Phase::Renewal { 40 } else { 300 };
    sleep(Duration::from_millis(seed / 3 % moments)).await;
    match kind {
        Kind::Killed => one.child.start_kill().unwrap(),
        Kind::Stopped => one.signal(Signal::STOP),
        Kind::Cut => proxy.as_ref().unwrap().set(ConnectionState::Cut),
        Kind::Slowed => proxy.as_ref().unwrap().set(slow),
    }
    let happened = time();

    let mut two;
    if kind == Kind::Slowed {
        // A slow store does not end the session.
        if phase == Phase::Resuming {
            one.prints(&["open"]).await?;
        }
        let mut early = start(second, &host_config(second, Duration::from_secs(1)));
        let (said, _) = early.prints(&["refused", "open"]).await?;
        if !said.contains("is open in another host, by its claim") {
            return Err(format!("the session of a slow host was taken over: {said}"));
        }
        early.wait_for_exit().await?;
        one.command_host("close").await;
        one.prints(&["closed"]).await?;
        one.wait_for_exit().await?;
        two = start(second, &host_config(second, LONG));
    } else {
        two = start(second, &host_config(second, LONG));
    }
    let (_, claimed) = two.prints(&["claimed"]).await?;
    let asked = |machine: &Machine| machine.model.as_ref().map_or(0, |it| it.requests().len());
    let asked_before = asked(first);
    outcome.taken_over_after = claimed.saturating_sub(happened);
    two.prints(&["open"]).await?;
    two.command_host("send Prompt hello 9").await;
    two.prints(&["result"]).await?;
    match kind {
        Kind::Killed | Kind::Slowed => {}
        Kind::Stopped => {
            let least = Duration::from_secs(number("AGENTWIRE_STOPPED", 0));
            let passed = Duration::from_millis((time() - happened) as u64);
            sleep(least.saturating_sub(passed)).await;
            one.signal(Signal::CONT);
        }
        Kind::Cut => proxy.as_ref().unwrap().set(ConnectionState::Open),
    }
    // The host may have been stopped before its claim.
    let had_it = one.when("claimed").is_some();
    if !had_it && matches!(kind, Kind::Stopped | Kind::Cut) {
        two.command_host("close").await;
        two.prints(&["closed"]).await?;
        two.wait_for_exit().await?;
        one.command_host("close").await;
        one.wait_for_exit().await?;
    } else {
        one.wait_for_exit().await?;
        if matches!(kind, Kind::Stopped | Kind::Cut) {
            let lost = "error another host owns the session, or may own it";
            let refused = "refused";
            if one.when(lost).is_none() && one.when(refused).is_none() {
                let printed = &one.printed;
                outcome
                    .problems
                    .push(format!("the first host did not lose it: {printed:?}"));
            }
        }
        two.command_host("close").await;
        two.prints(&["closed"]).await?;
        two.wait_for_exit().await?;
    }

    let ran = std::fs::read_to_string(&witness).unwrap();
    let has_run = |host: &str| ran.lines().any(|it| it.split(' ').nth(1) == Some(host));
    // Only the first host was configured to run tools.
    outcome.twice += usize::from(has_run("one") && has_run("two"));
    if had_it {
        outcome.late += asked(first) - asked_before;
        for line in ran.lines() {
            let words: Vec<_> = line.split(' ').collect();
            let when: u128 = match words[2].split_once('.') {
                Some((seconds, hundredths)) => format!("{seconds}{hundredths}0").parse().unwrap(),
                None => words[2].parse().unwrap(),
            };
            // The resolution of the tools' clock is 10 ms.
            if words[1] == "one" && when > claimed + 10 {
                outcome.late += 1;
                outcome
                    .problems
                    .push(format!("{line}, and claimed at {claimed}"));
            }
        }
    }
    let key = LogKey::from(&TranscriptKey::in_directory(&project, &id).expect("a key"));
    on_store!(engine, store => compare_store(&store, &key, [&one, &two], outcome).await);
    Ok(())
}

/// Compares the contents of the store with the events of the hosts.
async fn compare_store(
    store: &impl LogStore,
    key: &LogKey,
    hosts: [&Host; 2],
    outcome: &mut Outcome,
) {
    let (mut after, mut token) = (Position::START, 0);
    let mut uuids = BTreeSet::new();
    let mut prompts: BTreeMap<String, usize> = BTreeMap::new();
    loop {
        let batches = store.read(key, after).await.unwrap();
        let Some(last) = batches.last() else { break };
        after = last.position;
        for batch in batches {
            outcome.two_writers += usize::from(batch.token.number < token);
            token = token.max(batch.token.number);
            for entry in batch.entries.iter().filter(|it| it.part == Part::Main) {
                let entry: Value = entry.json.to_value().unwrap();
                let parent = entry["parentUuid"].as_str();
                if parent.is_some_and(|it| !uuids.contains(it)) {
                    outcome.problems.push(format!("a hole before {entry}"));
                }
                if let Some(uuid) = entry["uuid"].as_str()
                    && !uuids.insert(uuid.to_owned())
                {
                    outcome.problems.push(format!("twice: {entry}"));
                }
                // The prompt of a turn, or a prompt that was picked up during another turn.
                let content = match entry["type"].as_str() {
                    Some("user") => &entry["message"]["content"],
                    _ => &entry["attachment"]["prompt"],
                };
                let text = match content {
                    Value::Array(blocks) => blocks[0]["text"].as_str(),
                    content => content.as_str(),
                };
                if let Some(text) = text.filter(|it| it.starts_with("Prompt ")) {
                    *prompts.entry(text.to_owned()).or_default() += 1;
                }
            }
        }
    }
    let mut known: BTreeSet<&str> = hosts.into_iter().flat_map(Host::handed_back).collect();
    // Ignore the end of the session on a host that has lost the session.
    let keeps_it = match outcome.kind {
        Kind::Slowed => &hosts[..],
        Kind::Killed | Kind::Stopped | Kind::Cut => &hosts[1..],
    };
    known.extend(keeps_it.iter().flat_map(|it| it.not_completed()));
    let results = hosts.into_iter().flat_map(Host::results);
    let accepted = hosts.into_iter().flat_map(Host::accepted);
    let accepted = accepted.filter(|it| !known.contains(it));
    let seen: BTreeSet<&str> = results.chain(accepted).collect();
    for prompt in seen.into_iter().filter(|it| !prompts.contains_key(*it)) {
        outcome.lost += 1;
        let printed: Vec<_> = hosts.iter().map(|it| &it.printed).collect();
        outcome
            .problems
            .push(format!("{prompt} is lost: {printed:?}"));
    }
    outcome.twice += prompts.values().filter(|it| **it > 1).count();
}
