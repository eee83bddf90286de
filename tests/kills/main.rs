//! The real CLI, killed in every phase of a session that goes on: a table of
//! what became of the messages. `scripts/kills` installs the CLI and prints it.
//!
//! What is counted is not what agentwire says: the scripted model knows what it
//! was shown, and a tool appends a line to a file each time that it runs.
//!
//! `AGENTWIRE_KILLS` is how often each phase is killed; `AGENTWIRE_SEED` moves
//! the moments.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../../testkit/tests/simulation/dice.rs"]
#[allow(dead_code, reason = "the simulations use the rest")]
mod dice;
#[path = "../support/mod.rs"]
mod support;

use agentwire::event::Restart;
use agentwire::protocol::host::Redelivery;
use agentwire::{
    Client, Event, Hook, Options, PermissionResult, RestartPolicy, Submission, SubmissionState,
    TurnEvent,
};
use agentwire_testkit::{Scenario, Step};
use dice::Dice;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::{LONG, Live, kill, said_by_user};
use tokio::sync::{Notify, Semaphore};

/// How many sessions run at once.
const AT_ONCE: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Idle,
    Queued,
    Streaming,
    Tool,
    Ask,
    Hook,
    Compaction,
}

const PHASES: [Phase; 7] = [
    Phase::Idle,
    Phase::Queued,
    Phase::Streaming,
    Phase::Tool,
    Phase::Ask,
    Phase::Hook,
    Phase::Compaction,
];

/// What became of the sessions of a phase.
#[derive(Debug, Default)]
struct Row {
    kills: usize,
    fates: BTreeMap<&'static str, usize>,
    messages: usize,
    /// Messages that are not completed, or that the model was never shown.
    lost: usize,
    /// Messages that two turns ended with, or that the model is shown twice.
    twice: usize,
    /// Tools that ran twice, and those of them that were told.
    tools: usize,
    told: usize,
}

fn main() {
    let number = |name: &str| Some(std::env::var(name).ok()?.parse::<usize>().unwrap());
    let kills = number("AGENTWIRE_KILLS").unwrap_or(3);
    let seed = number("AGENTWIRE_SEED").unwrap_or(1);
    let only = std::env::args().skip(1).find(|it| !it.starts_with('-'));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rows = runtime.block_on(all(kills, seed, only.as_deref()));
    println!("{}", table(&rows));
    let all = |of: fn(&Row) -> usize| rows.values().map(of).sum::<usize>();
    let is_wrong =
        all(|it| it.lost) + all(|it| it.twice) > 0 || all(|it| it.tools) > all(|it| it.told);
    support::counted(all(|it| it.kills), "kills of the real CLI");
    if is_wrong {
        eprintln!("a message was lost or ran twice, or a tool ran twice suppressed");
        std::process::exit(1);
    }
}

fn table(rows: &BTreeMap<Phase, Row>) -> String {
    let mut table =
        String::from("phase        kills  messages  lost  run twice  tools twice  told  fates\n");
    for (phase, row) in rows {
        let fates = row
            .fates
            .iter()
            .map(|(fate, times)| format!("{fate} {times}"));
        let _ = writeln!(
            table,
            "{:<12} {:>5}  {:>8}  {:>4}  {:>9}  {:>11}  {:>4}  {}",
            format!("{phase:?}"),
            row.kills,
            row.messages,
            row.lost,
            row.twice,
            row.tools,
            row.told,
            fates.collect::<Vec<_>>().join(", ")
        );
    }
    table
}

async fn all(kills: usize, seed: usize, only: Option<&str>) -> BTreeMap<Phase, Row> {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut rounds = tokio::task::JoinSet::new();
    for number in 0..kills {
        let is_wanted = |it: &Phase| only.is_none_or(|only| format!("{it:?}") == only);
        for phase in PHASES.into_iter().filter(is_wanted) {
            let places = Arc::clone(&places);
            rounds.spawn(async move {
                let _place = places.acquire_owned().await;
                let dice = Dice::new((seed * 1_000_000 + number * 100 + phase as usize) as u64);
                let played = tokio::time::timeout(LONG, play(phase, dice)).await;
                (
                    phase,
                    played.unwrap_or_else(|_| panic!("{phase:?} {number} hangs")),
                )
            });
        }
    }
    let mut rows = BTreeMap::<Phase, Row>::new();
    while let Some(played) = rounds.join_next().await {
        let (phase, one) = played.unwrap();
        let row = rows.entry(phase).or_default();
        row.kills += one.kills;
        row.messages += one.messages;
        row.lost += one.lost;
        row.twice += one.twice;
        row.tools += one.tools;
        row.told += one.told;
        for (fate, times) in one.fates {
            *row.fates.entry(fate).or_default() += times;
        }
    }
    rows
}

/// What the model says: first what the phase needs, then a word.
fn scenario(phase: Phase) -> Scenario {
    let command = "echo ran >> ran.txt; sleep 0.5";
    let mut scenario = Scenario::default().reply([Step::text("Hello.")]);
    scenario = match phase {
        Phase::Idle | Phase::Compaction => scenario,
        Phase::Queued => scenario.reply([Step::gate("held"), Step::text("Never said.")]),
        Phase::Streaming => {
            let words = ["One ", "word ", "and ", "another."];
            scenario.reply([Step::chunks(words, Duration::from_secs(1))])
        }
        Phase::Tool | Phase::Hook => {
            scenario.reply([Step::tool("Bash", json!({ "command": command }), "")])
        }
        Phase::Ask => {
            let input = json!({ "file_path": "x.txt", "content": "x" });
            scenario.reply([Step::tool("Write", input, "")])
        }
    };
    for _ in 0..12 {
        scenario = scenario.reply([Step::text("Done.")]);
    }
    scenario
}

/// What the callbacks wait for, once.
#[derive(Clone, Default)]
struct Held {
    was: Arc<AtomicBool>,
    here: Arc<Notify>,
}

impl Held {
    /// Waits for ever the first time.
    async fn once(&self) {
        if !self.was.swap(true, Ordering::SeqCst) {
            self.here.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

fn options(live: &Live, phase: Phase, held: &Held) -> Options {
    let policy =
        RestartPolicy::default().pause(Duration::from_millis(10), Duration::from_millis(50));
    let options = live.options().restart(policy).allowed_tools(["Bash"]);
    match phase {
        Phase::Ask => {
            let held = held.clone();
            options.on_permission(move |_| {
                let held = held.clone();
                async move {
                    held.once().await;
                    PermissionResult::allow()
                }
            })
        }
        Phase::Hook | Phase::Compaction => {
            let held = held.clone();
            let event = match phase {
                Phase::Hook => "PreToolUse",
                // The model's summary comes at once.
                _ => "PreCompact",
            };
            options.hook(Hook::named(event, move |_| {
                let held = held.clone();
                async move {
                    held.once().await;
                    agentwire::protocol::hook::HookOutput::default()
                }
            }))
        }
        _ => options,
    }
}

/// What was told of a session.
#[derive(Default)]
struct Told {
    moved: Vec<Restart>,
    /// The messages of the turns that ended.
    ended: Vec<Box<str>>,
}

async fn play(phase: Phase, mut dice: Dice) -> Row {
    let live = Live::start(scenario(phase)).await;
    let held = Held::default();
    let mut client = Client::connect(options(&live, phase, &held)).await.unwrap();
    let mut told = Told::default();
    let mut sent = vec![client.send("message 0")];
    hear(&mut client, &mut told, |told| !told.ended.is_empty()).await;
    match phase {
        Phase::Idle => {}
        Phase::Compaction => sent.push(client.send("/compact")),
        _ => sent.extend(["message 1", "message 2", "message 3"].map(|it| client.send(it))),
    }
    match phase {
        Phase::Idle => {}
        Phase::Queued => drop(live.model.asked(1).await),
        Phase::Streaming => {
            support::wait_for(&mut client, support::says("One")).await;
        }
        Phase::Tool => {
            support::line_of(&live.project().join("ran.txt")).await;
        }
        Phase::Ask | Phase::Hook | Phase::Compaction => held.here.notified().await,
    }
    // The transcript is written a little after what it says has happened.
    tokio::time::sleep(Duration::from_millis(dice.below(300) as u64)).await;
    kill(client.pid().unwrap());
    hear(&mut client, &mut told, |told| !told.moved.is_empty()).await;
    sent.push(client.send("the last message"));
    let mut states = vec![];
    let all = async {
        for submission in &mut sent {
            states.push(submission.final_state().await);
        }
    };
    tokio::select! {
        () = all => {}
        () = hear(&mut client, &mut told, |_| false) => {}
    }
    let last = live.model.requests();
    let last: Vec<Value> = last
        .into_iter()
        .filter(|it| it.reply().is_some())
        .filter_map(|it| it.body)
        .collect();
    client.close().await;
    while let Some(event) = client.next().await {
        told.hear(&event.unwrap());
    }
    count(&live, phase, &sent, &states, &told, &last)
}

impl Told {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::Restarted(moved) => self.moved.push((**moved).clone()),
            Event::Turn(TurnEvent::Ended(end)) => self.ended.extend(end.messages.iter().cloned()),
            _ => {}
        }
    }
}

/// Reads events until enough was told.
async fn hear(client: &mut Client, told: &mut Told, enough: impl Fn(&Told) -> bool) {
    while !enough(told) {
        let event = client.next().await.unwrap().unwrap();
        told.hear(&event);
    }
}

fn count(
    live: &Live,
    phase: Phase,
    sent: &[Submission],
    states: &[SubmissionState],
    told: &Told,
    asked: &[Value],
) -> Row {
    let mut row = Row {
        kills: 1,
        messages: sent.len(),
        ..Row::default()
    };
    let shown: Vec<Vec<String>> = asked.iter().map(said_by_user).collect();
    for (submission, state) in sent.iter().zip(states) {
        let text = match sent
            .iter()
            .position(|it| it.uuid() == submission.uuid())
            .unwrap()
        {
            number if number == sent.len() - 1 => "the last message".to_owned(),
            1 if phase == Phase::Compaction => "/compact".to_owned(),
            number => format!("message {number}"),
        };
        let is_command = text.starts_with('/');
        let times = |texts: &Vec<String>| -> usize {
            let times = texts.iter().map(|it| it.matches(&text).count());
            times.sum()
        };
        let most = shown.iter().map(times).max().unwrap_or_default();
        let is_shown = most > 0;
        if *state != SubmissionState::Completed || !is_shown && !is_command {
            eprintln!("{phase:?}: {text} is {state}, shown: {is_shown}");
            row.lost += 1;
        }
        let uuid = submission.uuid();
        let turns = told.ended.iter().filter(|it| ***it == *uuid).count();
        let is_shown_twice = most > 1 && !is_command;
        if turns > 1 || is_shown_twice {
            eprintln!("{phase:?}: {text}: {turns} turns, shown twice: {is_shown_twice}");
            row.twice += 1;
        }
    }
    for (_, fate) in told.moved.iter().flat_map(|it| &it.handover.messages) {
        let fate = match fate {
            Redelivery::Resent => "sent again",
            Redelivery::Resumed => "goes on",
            _ => "another",
        };
        *row.fates.entry(fate).or_default() += 1;
    }
    let ran = std::fs::read_to_string(live.project().join("ran.txt")).unwrap_or_default();
    if ran.lines().count() > 1 {
        row.tools += 1;
        let calls = told.moved.iter().flat_map(|it| &it.handover.tool_calls);
        row.told += usize::from(calls.into_iter().any(|it| it.tool_name == "Bash"));
    }
    row
}
