//! What the real CLI makes of shell commands under rules that allow their
//! programs, and what our rules make of them. The commands run where the CLI
//! allows them: `scripts/commands` sees to it that they can do no harm.
//!
//! With `--nocapture` a line is printed for each of them.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod corpus;
#[path = "../support/mod.rs"]
mod support;
mod tricks;
mod usual;

use agentwire::protocol::content::ContentBlock;
use agentwire::protocol::control::ApplyFlagSettings;
use agentwire::protocol::permission::CanUseTool;
use agentwire::{
    Client, Decision, Event, Message, PermissionAsk, PermissionResult, Policy, ReadOnly, Rules,
};
use agentwire_testkit::{Scenario, Step};
use corpus::Line;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};
use support::{Live, counted};

/// How many commands there are in a turn. With all that was said before, each
/// would take longer than the last.
const CHUNK: usize = 50;

/// Of the plain lines that the CLI runs without asking, how many our rules may
/// leave to a person.
const MOST_LEFT: f64 = 0.1;

#[tokio::test(flavor = "multi_thread")]
async fn our_rules_allow_no_command_that_the_cli_asks_about() {
    let step = std::env::var("AGENTWIRE_COMMANDS_STEP");
    let step = step.map_or(4, |step| step.parse().expect("a number"));
    let lines = corpus::lines(step);
    let programs = corpus::programs(&lines);
    let rules = corpus::rules(&programs);
    let (first, second) = lines.split_at(lines.len() / 2);
    let (mut found, rest) = tokio::join!(
        put(first, &programs, &rules),
        put(second, &programs, &rules)
    );
    found.extend(rest);

    let mut wrong = Vec::new();
    let [mut asked, mut plain, mut left] = [0_u32; 3];
    for Found {
        line,
        request,
        allowed,
        allowed_bare,
    } in &found
    {
        println!(
            "{} {} {} {:?}",
            if request.is_some() { "asks" } else { "runs" },
            if *allowed_bare { "allowed" } else { "left" },
            if line.is_plain { "plain" } else { "odd" },
            line.text,
        );
        if let Some(request) = request {
            asked += 1;
            if *allowed || *allowed_bare {
                let why = request.decision_reason.as_deref().unwrap_or_default();
                wrong.push(format!("{:?}: {why}", line.text));
            }
        } else if line.is_plain {
            plain += 1;
            left += u32::from(!allowed);
        }
    }
    let share = f64::from(left) / f64::from(plain);
    counted(
        lines.len(),
        &format!(
            "shell commands tried: {asked} asked about, of which our rules allow {}; \
             {plain} plain ones run, of which our rules leave {left} to a person ({:.1} %)",
            wrong.len(),
            share * 100.0
        ),
    );
    assert!(
        wrong.is_empty(),
        "the CLI asks, and we allow:\n{}",
        wrong.join("\n")
    );
    assert!(share <= MOST_LEFT, "of what the CLI runs we leave {share}");
}

/// What becomes of a line.
struct Found<'a> {
    line: &'a Line,
    /// The request, if the CLI asks.
    request: Option<CanUseTool>,
    /// Whether our rules allow the request, and whether they do without what it
    /// says besides: a reason, suggestions, a path.
    allowed: bool,
    allowed_bare: bool,
}

/// Puts these lines to the CLI, and to our rules.
async fn put<'a>(lines: &'a [Line], programs: &BTreeSet<&str>, rules: &[String]) -> Vec<Found<'a>> {
    let mut scenario = Scenario::default();
    for lines in lines.chunks(CHUNK) {
        // One by one: a command that fails takes those beside it with it.
        for line in lines {
            scenario = scenario.reply([Step::tool("Bash", input(&line.text), "")]);
        }
        scenario = scenario.reply([Step::text("Done.")]);
    }
    let live = Live::start(scenario).await;
    lay_out(&live.project());
    let path = stand_ins(live.home.path(), programs);
    let ours = Rules::builder()
        .working_directory(live.project())
        .home(live.home.path())
        .allow(rules.iter().map(String::as_str))
        .build()
        .unwrap();
    let asks: Arc<Mutex<HashMap<String, CanUseTool>>> = Arc::default();
    let heard = Arc::clone(&asks);
    let options = live
        .options()
        .env("PATH", path)
        .flag_value("--tools", "Bash")
        .on_permission(move |ask: PermissionAsk| {
            let id = ask.request.tool_use_id.clone().unwrap_or_default();
            heard.lock().unwrap().insert(id, ask.request);
            async { PermissionResult::deny("The test says no.") }
        });
    let mut client = Client::connect(options).await.unwrap();
    let mut settings = ApplyFlagSettings::default();
    settings.settings = json!({"permissions": {"allow": rules}}).into();
    client.request(&settings).await.unwrap();
    let mut found = Vec::new();
    for lines in lines.chunks(CHUNK) {
        let ids = turn(&mut client, "Go on").await;
        assert_eq!(ids.len(), lines.len());
        for (line, id) in lines.iter().zip(ids) {
            let request = asks.lock().unwrap().remove(&id);
            let bare = CanUseTool::new("Bash", input(&line.text));
            let asked = request.as_ref().unwrap_or(&bare);
            found.push(Found {
                line,
                allowed: allows(&ours, asked) || allows(&ReadOnly, asked),
                allowed_bare: allows(&ours, &bare),
                request,
            });
        }
        turn(&mut client, "/clear").await;
    }
    client.close().await;
    found
}

fn allows(policy: &dyn Policy, request: &CanUseTool) -> bool {
    let decision = policy.decide(request);
    matches!(decision, Decision::Decided(PermissionResult::Allow(_)))
}

/// The input of a call. What does not end is ended soon.
fn input(command: &str) -> Value {
    json!({"command": command, "description": "d", "timeout": 2000})
}

/// The calls of a turn.
async fn turn(client: &mut Client, prompt: &str) -> Vec<String> {
    client.send(prompt);
    let mut ids = Vec::new();
    while let Some(event) = client.next().await {
        if let Event::Frame(frame) = event.unwrap() {
            match frame.message() {
                Message::Assistant(said) => {
                    let calls = said.message.content.iter();
                    let calls = calls.filter_map(ContentBlock::as_tool_use);
                    ids.extend(calls.map(|call| call.id.clone()));
                }
                Message::Result(_) => return ids,
                _ => {}
            }
        }
    }
    panic!("the session ended");
}

/// A `PATH` with programs of these names that do nothing: what they do is another
/// matter, and takes its time. The CLI itself needs some.
fn stand_ins(home: &Path, programs: &BTreeSet<&str>) -> String {
    let folder = home.join("bin");
    std::fs::create_dir(&folder).unwrap();
    let needed = ["bash", "env", "git", "sh", "zsh"];
    for name in programs.iter().filter(|name| !needed.contains(name)) {
        if !name.contains(['/', '.']) {
            std::os::unix::fs::symlink("/bin/true", folder.join(name)).unwrap();
        }
    }
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

/// The files that the commands are about.
fn lay_out(project: &Path) {
    std::fs::create_dir(project.join("sub")).unwrap();
    for file in ["a.txt", "b.txt", "sub/a.txt"] {
        std::fs::write(project.join(file), "hi\n").unwrap();
    }
}
