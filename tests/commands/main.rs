//! Compares the decisions of the real CLI about shell commands, under rules that allow
//! their programs, with the decisions of our rules. The commands run if the CLI allows
//! them; `scripts/real commands` ensures that they do no harm.
//!
//! With `--nocapture`, prints a line for each command.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod corpus;
mod denied;
#[path = "../support/mod.rs"]
mod support;

use agentwire::permission::{Decision, PermissionRequest, Policy, ReadOnly};
use agentwire::protocol::content::ContentBlock;
use agentwire::protocol::control::ApplyFlagSettings;
use agentwire::protocol::permission::CanUseTool;
use agentwire::{Client, Event, Message, PermissionResult, Rules};
use agentwire_testkit::{Scenario, Step};
use corpus::Line;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};
use support::{Live, counted};

/// The number of commands in a turn. Each turn takes longer than the previous one,
/// because the CLI reads the whole conversation again.
const CHUNK: usize = 50;

/// The largest share of plain lines about which our rules may ask a person although the
/// CLI does not ask.
const MAX_ASKED_SHARE: f64 = 0.1;

#[tokio::test(flavor = "multi_thread")]
async fn our_rules_allow_no_command_that_the_cli_asks_about() {
    let step = std::env::var("AGENTWIRE_COMMANDS_STEP");
    let step = step.map_or(4, |step| step.parse().expect("a number"));
    let lines = corpus::lines(step);
    let programs = corpus::programs(&lines);
    let rules = corpus::rules(&programs);
    let (first, second) = lines.split_at(lines.len() / 2);
    let (mut found, rest) = tokio::join!(
        compare_decisions(first, &programs, &rules),
        compare_decisions(second, &programs, &rules)
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
    assert!(
        share <= MAX_ASKED_SHARE,
        "of what the CLI runs we leave {share}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn our_rules_deny_every_command_that_the_cli_denies() {
    let step = std::env::var("AGENTWIRE_COMMANDS_STEP");
    let step = step.map_or(4, |step| step.parse().expect("a number"));
    let kinds = [
        ("obfuscated", denied::obfuscated(3600 / step)),
        ("wrapped", denied::wrapped(4200 / step)),
    ];
    let [(_, first), (_, second)] = &kinds;
    let (first, second) = tokio::join!(denied_by_cli(first), denied_by_cli(second));
    let mut missed = Vec::new();
    for ((kind, lines), denied) in kinds.iter().zip([first, second]) {
        let before = missed.len();
        let ours = denied.iter().filter(|(_, is_ours)| !is_ours);
        missed.extend(ours.map(|(line, _)| format!("{line:?}")));
        counted(
            lines.len(),
            &format!(
                "{kind} lines tried: the CLI denies {}, of which our rules miss {}",
                denied.len(),
                missed.len() - before
            ),
        );
        // The CLI does not recognise most runners: it denied 13 of 175.
        assert!(denied.len() > lines.len() / 40, "the CLI denies few");
    }
    assert!(
        missed.is_empty(),
        "the CLI denies, and we do not:\n{}",
        missed.join("\n")
    );
}

/// The decisions about a line.
struct Found<'a> {
    line: &'a Line,
    /// The request of the CLI, if it asks.
    request: Option<CanUseTool>,
    /// Whether our rules allow the request, and whether they also allow it without its
    /// other members: a reason, suggestions, and a path.
    allowed: bool,
    allowed_bare: bool,
}

/// Runs these lines through the CLI, and compares its decisions with those of our rules.
async fn compare_decisions<'a>(
    lines: &'a [Line],
    programs: &BTreeSet<&str>,
    rules: &[String],
) -> Vec<Found<'a>> {
    let mut scenario = Scenario::default();
    for lines in lines.chunks(CHUNK) {
        // The commands run one by one, because a failed command cancels parallel ones.
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
        // With this variable, a command that exceeds its timeout ends and does not start
        // a turn later.
        .env("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1")
        .flag_value("--tools", "Bash")
        .on_permission(move |ask: PermissionRequest| {
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
        let (ids, result) = turn(&mut client, "Go on").await;
        assert_eq!(ids.len(), lines.len(), "{result}");
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

/// Returns the input of a shell call. A timeout ends commands that do not end by
/// themselves.
fn input(command: &str) -> Value {
    json!({"command": command, "description": "d", "timeout": 2000})
}

/// Runs lines through the CLI under a rule that denies a program. Returns the lines that
/// the CLI denies, and whether our rules also deny each. No command runs, because the
/// requests are denied as well.
async fn denied_by_cli(lines: &[String]) -> Vec<(String, bool)> {
    let mut scenario = Scenario::default();
    for lines in lines.chunks(CHUNK) {
        for line in lines {
            scenario = scenario.reply([Step::tool("Bash", input(line), "")]);
        }
        scenario = scenario.reply([Step::text("Done.")]);
    }
    let live = Live::start(scenario).await;
    lay_out(&live.project());
    let rule = format!("Bash({}:*)", denied::PROGRAM);
    let ours = Rules::builder()
        .working_directory(live.project())
        .home(live.home.path())
        .deny([&*rule])
        .build()
        .unwrap();
    let options =
        live.options()
            .flag_value("--tools", "Bash")
            .on_permission(|_: PermissionRequest| async {
                PermissionResult::deny("The test says no.")
            });
    let mut client = Client::connect(options).await.unwrap();
    let mut settings = ApplyFlagSettings::default();
    settings.settings = json!({"permissions": {"deny": [rule]}}).into();
    client.request(&settings).await.unwrap();
    let mut denied = Vec::new();
    for lines in lines.chunks(CHUNK) {
        let results = results(&mut client, "Go on").await;
        assert_eq!(results.len(), lines.len());
        for (line, result) in lines.iter().zip(results) {
            let is_denied = result.contains("has been denied");
            let decision = ours.decide(&CanUseTool::new("Bash", input(line)));
            let is_ours = matches!(decision, Decision::Decided(PermissionResult::Deny(_)));
            let cli = if is_denied { "denies" } else { "lets" };
            println!(
                "{cli} {} {line:?}",
                if is_ours { "denied" } else { "missed" }
            );
            if is_denied {
                denied.push((line.clone(), is_ours));
            }
        }
        turn(&mut client, "/clear").await;
    }
    client.close().await;
    denied
}

/// Runs a turn. Returns the results of its calls, as text.
async fn results(client: &mut Client, prompt: &str) -> Vec<String> {
    client.send(prompt);
    let mut results = Vec::new();
    while let Some(event) = client.next().await {
        if let Event::Frame(frame) = event.unwrap() {
            match frame.message() {
                Message::User(said) => {
                    let text = serde_json::to_value(&said.message.content).unwrap();
                    let blocks = text.as_array().cloned().unwrap_or_default();
                    let blocks = blocks.iter().filter(|block| block["type"] == "tool_result");
                    results.extend(blocks.map(|block| block["content"].to_string()));
                }
                Message::Result(_) => return results,
                _ => {}
            }
        }
    }
    panic!("the session ended");
}

/// Runs a turn. Returns the IDs of its tool calls, and its result.
async fn turn(client: &mut Client, prompt: &str) -> (Vec<String>, String) {
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
                Message::Result(_) => {
                    let result = String::from_utf8_lossy(frame.raw());
                    return (ids, result.into_owned());
                }
                _ => {}
            }
        }
    }
    panic!("the session ended");
}

/// Creates a folder with programs of these names that do nothing, so that no real program
/// runs. Returns a `PATH` with this folder and the programs that the CLI needs.
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

/// Creates the files that the commands mention.
fn lay_out(project: &Path) {
    std::fs::create_dir(project.join("sub")).unwrap();
    for file in ["a.txt", "b.txt", "sub/a.txt"] {
        std::fs::write(project.join(file), "hi\n").unwrap();
    }
}
