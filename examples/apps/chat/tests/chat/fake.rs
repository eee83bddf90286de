//! Tests with the fake agent.

use crate::CHAT;
use serde_json::{Value, json};
use support::{Agent, Terminal, processes_with};

fn bash(command: &str) -> Value {
    json!({ "tool": { "name": "Bash", "input": { "command": command }, "result": "it ran" } })
}

fn open(agent: &Agent, arguments: &[&str]) -> Terminal {
    let mut all = vec![agent.flag()];
    all.extend(arguments.iter().map(|&it| it.to_owned()));
    let mut chat = Terminal::run(CHAT, &all, agent.work(), agent.environment());
    chat.shows("/help lists the keys.");
    chat
}

#[test]
fn text_is_shown_as_it_is_written() {
    let agent = Agent::new(json!([{
        "say": [{ "text": "Let me think." }, { "gate": "thought" }, { "text": "It is so." }],
        "cost_usd": 0.25,
    }]));
    let mut chat = open(&agent, &[]);
    chat.keys("Is it so?\r");
    chat.shows("Let me think.");
    let screen = chat.shows("running |");
    assert!(
        screen.contains("> Is it so?") && !screen.contains("It is so."),
        "{screen}"
    );
    agent.open("thought");
    chat.shows("It is so.");
    chat.shows("0.2500 USD");
    chat.shows("idle |");
}

#[test]
fn a_permission_is_granted_denied_or_granted_for_good() {
    let mut always = bash("make all");
    always["tool"]["question"] = json!({ "permission_suggestions": [{
        "type": "addRules", "behavior": "allow", "destination": "session",
        "rules": [{ "toolName": "Bash", "ruleContent": "make:*" }],
    }] });
    let agent = Agent::new(json!([
        [bash("first")],
        [bash("second")],
        [always],
        [bash("make install")],
        [{ "text": "All done." }],
    ]));
    let mut chat = open(&agent, &[]);
    chat.keys("Go\r");
    chat.shows("│$ first");
    chat.shows("… Run first");
    chat.shows("[y]es, [n]o");
    // A line that is no answer leaves the dialog open.
    chat.keys("what?\r");
    chat.keys("y\r");
    chat.shows("✓ Run first: it ran");

    chat.shows("│$ second");
    chat.keys("n not that\r");
    chat.shows("✗ Run second: denied: not that");

    chat.shows("[a]lways: allow Bash(make:*) (session)");
    chat.keys("a\r");
    chat.shows("✓ Run make all: it ran");
    // The last call needed no permission.
    chat.shows("All done.");
}

#[test]
fn a_draft_is_no_answer_and_comes_back() {
    let agent = Agent::new(json!([
        [{ "text": "Wait." }, { "gate": "asks" }, bash("make")],
        [{ "text": "Made." }],
    ]));
    let mut chat = open(&agent, &[]);
    chat.keys("Go\r");
    chat.shows("Wait.");
    chat.keys("y");
    chat.shows("> y");
    agent.open("asks");
    chat.shows("waiting for you");
    chat.hides("> y");
    chat.keys("n\r");
    chat.shows("✗ Run make");
    chat.shows("> y");
}

#[test]
fn a_question_is_answered_by_a_number() {
    let question = json!({ "questions": [{
        "question": "Tea or coffee?", "header": "Drink", "multiSelect": false,
        "options": [{ "label": "Tea", "description": "leaf" }, { "label": "Coffee", "description": "bean" }],
    }] });
    let agent = Agent::new(json!([
        [{ "tool": { "name": "AskUserQuestion", "input": question } }],
        { "when": { "result": { "contains": "Coffee" } }, "say": [{ "text": "Coffee it is." }] },
    ]));
    let mut chat = open(&agent, &[]);
    chat.keys("Ask me\r");
    chat.shows("Tea or coffee?");
    chat.shows("2. Coffee: bean");
    chat.keys("2\r");
    chat.shows("Coffee it is.");
}

#[test]
fn messages_wait_by_priority_and_ctrl_c_interrupts() {
    let agent = Agent::new(json!([
        [{ "text": "A long story." }, { "gate": "never" }],
        [{ "text": "The second answer." }],
    ]));
    let mut chat = open(&agent, &[]);
    chat.keys("Tell me\r");
    chat.shows("A long story.");
    chat.keys("\tThen this\r");
    chat.shows("> Then this (later, queued)");
    chat.keys("\tNever this\r");
    chat.shows("> Never this (later, queued)");
    chat.keys("\x1b");
    chat.shows("> Never this (later, cancelled)");
    chat.keys("\x03");
    chat.shows("Turn interrupted");
    chat.shows("The second answer.");
    chat.hides("(later, queued)");
    chat.shows("idle |");
    chat.keys("\x03");
    assert!(chat.exit().success());
    assert_eq!(processes_with(&agent.mark()), Vec::<u32>::new());
}

#[test]
fn now_takes_the_place_of_the_running_turn() {
    let agent = Agent::new(json!([
        [{ "text": "A long story." }, { "gate": "never" }],
        [{ "text": "A short one." }],
    ]));
    let mut chat = open(&agent, &[]);
    chat.keys("Tell me\r");
    chat.shows("A long story.");
    chat.keys("\t\t");
    chat.shows("Tab: now");
    chat.keys("Stop\r");
    chat.shows("Turn interrupted");
    chat.shows("A short one.");
}

#[test]
fn the_model_changes_for_the_next_turn() {
    let agent = Agent::new(json!([
        { "when": { "model": { "contains": "opus" } }, "say": [{ "text": "Opus here." }] },
        { "say": [{ "text": "Another model." }], "times": "always" },
    ]));
    let mut chat = open(&agent, &["--model", "haiku"]);
    chat.keys("Who?\r");
    chat.shows("Another model.");
    chat.shows("haiku");
    chat.keys("/model opus\r");
    chat.shows("the model is opus");
    chat.keys("Who?\r");
    chat.shows("Opus here.");
    chat.shows("opus");
}

#[test]
fn an_earlier_session_is_resumed() {
    let agent = Agent::new(json!([{ "say": [{ "text": "Hello." }], "times": "always" }]));
    let mut chat = open(&agent, &[]);
    chat.keys("Hi\r");
    chat.shows("Hello.");
    chat.shows("idle |");
    chat.keys("/quit\r");
    let screen = chat.shows("To go on: chat --resume ");
    let id = screen.rsplit("--resume ").next().unwrap().trim().to_owned();
    assert!(chat.exit().success());

    let mut chat = open(&agent, &["--resume", &id]);
    chat.keys("Hi again\r");
    chat.shows("Hello.");
    chat.keys("/quit\r");
    chat.shows(&format!("To go on: chat --resume {id}"));
    let arguments = &agent.started()[1]["argv"];
    assert!(arguments.to_string().contains(&id), "{arguments}");
}

#[test]
fn an_agent_that_dies_is_an_error_and_the_terminal_is_restored() {
    let agent = Agent::new(json!([[{ "fault": { "exit": 3 } }]]));
    let mut chat = open(&agent, &[]);
    chat.keys("Die\r");
    chat.shows("Error: ");
    assert!(!chat.exit().success());
}

#[test]
fn the_demonstration_needs_no_set_up() {
    let work = tempfile::tempdir().unwrap();
    let arguments = ["--fake".to_owned()];
    let nothing: [(_, &str); 0] = [];
    let mut chat = Terminal::run(CHAT, &arguments, work.path().to_owned(), nothing);
    chat.shows("/help lists the keys.");
    chat.keys("hello\r");
    chat.shows("[a]lways: allow Bash(cargo test:*) (session)");
    chat.keys("y\r");
    chat.shows("All 12 tests pass.");
    chat.shows("idle |");
    chat.keys("ask me something\r");
    chat.shows("2. PostgreSQL");
    chat.keys("2\r");
    chat.shows("Good choice.");
}
