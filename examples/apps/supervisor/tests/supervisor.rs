//! Tests with the fake agent, in a terminal and without one.

use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use support::{Agent, Terminal, processes_with, signal, terminate};

const SUPERVISOR: &str = env!("CARGO_BIN_EXE_supervisor");

/// Returns an agent with these replies, and writes a file with these tasks.
fn agent(replies: serde_json::Value, tasks: &str) -> Agent {
    let agent = Agent::new(replies);
    std::fs::write(agent.work().join("tasks.txt"), tasks).unwrap();
    agent
}

fn open(agent: &Agent) -> Terminal {
    let arguments = ["tasks.txt".to_owned(), agent.flag()];
    Terminal::run(SUPERVISOR, &arguments, agent.work(), agent.environment())
}

fn row<'a>(screen: &'a str, task: &str) -> Vec<&'a str> {
    let row = screen.lines().find(|line| line.contains(task));
    row.unwrap_or_default().split_whitespace().collect()
}

#[test]
fn the_table_shows_states_tokens_and_costs_and_a_session_is_restarted() {
    let agent = agent(
        json!([
            { "when": { "prompt": { "is": "Long" } }, "say": [{ "text": "It takes" }, { "gate": "never" }] },
            { "say": [{ "text": "Done." }], "cost_usd": 0.25, "usage": { "input_tokens": 100, "output_tokens": 20 } },
        ]),
        "Short\nLong\n",
    );
    let mut table = open(&agent);
    let screen = table.shows("idle: completed");
    let short = row(&screen, "Short");
    assert_eq!(
        short[..7],
        ["1", "Short", "idle:", "completed", "1", "120", "0.2500"]
    );
    agent.reached("never");
    // The agent reports that it runs before it reports the message of its turn.
    table.until("the turn of the second task", |screen| {
        row(screen, "Long").starts_with(&["2", "Long", "running", "1", "0", "0.0000"])
    });

    let before = processes_with(&agent.mark());
    table.keys("\x1b[B");
    table.keys("r");
    let screen = table.until("a restart", |screen| {
        row(screen, "Long").last() == Some(&"1") && screen.contains("running")
    });
    assert_eq!(row(&screen, "Short").last(), Some(&"0"));
    assert_eq!(agent.started().len(), 3);
    // A new process has replaced the old one.
    let after = processes_with(&agent.mark());
    assert_eq!((before.len(), after.len()), (3, 3));
    assert_eq!(before.iter().filter(|it| after.contains(it)).count(), 2);

    table.keys("q");
    table.shows("stopping");
    agent.open("never");
    table.shows("all sessions are closed");
    assert!(table.exit().success());
    assert_eq!(processes_with(&agent.mark()), Vec::<u32>::new());
}

#[test]
fn one_process_serves_all_tasks_one_after_the_other() {
    let agent = agent(
        json!([{ "say": [{ "gate": "held" }, { "text": "Done." }] }]),
        "One\nTwo\nThree\n",
    );
    let arguments = [
        "tasks.txt".to_owned(),
        agent.flag(),
        "--processes=1".to_owned(),
    ];
    let mut table = Terminal::run(SUPERVISOR, &arguments, agent.work(), agent.environment());
    agent.reached("held");
    // One of the tasks has the process, the others wait for it.
    table.shows("waiting: 1 ahead");
    // The supervisor and one agent.
    assert_eq!(processes_with(&agent.mark()).len(), 2);
    agent.open("held");
    table.until("the ends of all", |screen| {
        screen.matches("idle: completed").count() == 3
    });
    table.keys("q");
    table.shows("all sessions are closed");
    assert!(table.exit().success());
    assert_eq!(processes_with(&agent.mark()), Vec::<u32>::new());
}

#[test]
fn sigterm_lets_turns_finish_and_leaves_nothing_behind() {
    let agent = agent(
        json!([[
            { "text": "It takes" },
            { "fault": { "leave_child": "in_own_session" } },
            { "gate": "more" },
            { "text": "a while." },
        ]]),
        "One\nTwo\nThree\n",
    );
    let mut supervisor = start(&agent, &[]);
    let mut lines = BufReader::new(supervisor.stdout.take().unwrap()).lines();
    agent.reached("more");
    let running = lines
        .by_ref()
        .filter(|it| it.as_ref().unwrap().contains("running"));
    assert_eq!(running.take(3).count(), 3);
    signal(&supervisor);
    let closing = lines
        .by_ref()
        .filter(|it| it.as_ref().unwrap().contains("closing"));
    assert_eq!(closing.take(3).count(), 3);
    agent.open("more");
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(
        rest.iter()
            .filter(|it| it.contains("idle: completed"))
            .count(),
        3,
        "{rest:?}"
    );
    assert_eq!(
        rest.last().map(String::as_str),
        Some("all sessions are closed")
    );
    assert!(supervisor.wait().unwrap().success());
    assert_eq!(processes_with(&agent.mark()), Vec::<u32>::new());
}

#[test]
fn a_turn_that_does_not_finish_in_time_is_ended() {
    let agent = agent(
        json!([[{ "text": "It takes" }, { "gate": "never" }]]),
        "One\n",
    );
    let mut supervisor = start(&agent, &["--grace=0"]);
    agent.reached("never");
    assert!(terminate(&mut supervisor).success());
    assert_eq!(processes_with(&agent.mark()), Vec::<u32>::new());
}

#[test]
fn a_session_that_ended_by_itself_is_restarted_by_hand() {
    let agent = agent(json!([[{ "fault": { "exit": 3 } }]]), "Die\n");
    let mut table = open(&agent);
    table.shows("ended: ");
    table.keys("r");
    table.until("a restart", |screen| {
        screen.contains("ended: ") && row(screen, "Die").last() == Some(&"1")
    });
    table.keys("q");
    table.shows("all sessions are closed");
    assert!(table.exit().success());
}

fn start(agent: &Agent, arguments: &[&str]) -> std::process::Child {
    let mut command = agent.command(SUPERVISOR);
    command
        .arg("tasks.txt")
        .args(arguments)
        .stdout(Stdio::piped());
    command.spawn().unwrap()
}
