//! Sessions with several processes, on the real CLI: put to sleep and woken,
//! killed and resumed.

use crate::support::{LONG, Live, kill, line_of, said_by_user, wait_for, wait_until_gone};
use agentwire::event::{Busy, Restart, RestartReason};
use agentwire::protocol::control::SetCwd;
use agentwire::protocol::host::{Redelivery, TurnRecovery};
use agentwire::protocol::permission::PermissionMode;
use agentwire::{
    Client, Error, Event, Options, RestartPolicy, SubmissionState, TurnEvent, TurnOutcome,
};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::time::Duration;

/// Returns a policy with short pauses, for fast tests.
fn short_pauses() -> RestartPolicy {
    RestartPolicy::default().pause(Duration::from_millis(10), Duration::from_millis(20))
}

fn moved(event: &Event) -> Option<Box<Restart>> {
    match event {
        Event::Restarted(moved) => Some(moved.clone()),
        _ => None,
    }
}

/// Waits until a transcript on disk contains this text. The CLI writes it shortly after
/// it reports the end of a turn.
async fn until_on_disk(live: &Live, text: &str) {
    let projects = live.home.path().join(".claude/projects");
    let until = std::time::Instant::now() + LONG;
    loop {
        let folders = std::fs::read_dir(&projects).into_iter().flatten().flatten();
        let files = folders.flat_map(|it| std::fs::read_dir(it.path()).into_iter().flatten());
        let mut texts = files.flatten().map(|it| std::fs::read_to_string(it.path()));
        if texts.any(|it| it.is_ok_and(|it| it.contains(text))) {
            return;
        }
        assert!(std::time::Instant::now() < until, "{text} is not on disk");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn text_of(client: &Client, prompt: &str) -> String {
    let result = tokio::time::timeout(LONG, client.prompt(prompt)).await;
    result.unwrap().unwrap().text().to_owned()
}

#[tokio::test]
async fn a_session_that_slept_keeps_its_conversation_and_settings() {
    let scenario = Scenario::default()
        .reply([Step::text("Hello, Ferris.")])
        .reply([Step::text("You are Ferris.")]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    assert_eq!(text_of(&client, "I am Ferris.").await, "Hello, Ferris.");
    client.set_model("claude-haiku-4-5").await.unwrap();
    client
        .set_permission_mode(PermissionMode::AcceptEdits)
        .await
        .unwrap();
    let rules = json!({ "permissions": { "deny": ["WebFetch"] } });
    client.apply_flag_settings(rules).await.unwrap();
    let first = client.pid().unwrap();

    client.sleep().await.unwrap();
    wait_until_gone(first);
    assert!(client.sleep().await.is_ok(), "it sleeps already");

    assert_eq!(text_of(&client, "Who am I?").await, "You are Ferris.");
    let moved = wait_for(&mut client, moved).await;
    assert!(matches!(moved.reason, RestartReason::Slept));
    assert_eq!((moved.process, moved.attempts), (2, 1));
    let restored: Vec<&str> = moved.restored.iter().map(|it| &**it).collect();
    assert_eq!(
        restored,
        ["set_model", "set_permission_mode", "apply_flag_settings"]
    );
    assert_eq!(client.pid(), moved.pid);
    let asked = live.model.asked(1).await.body.unwrap();
    assert_eq!(asked["model"], "claude-haiku-4-5");
    assert_eq!(said_by_user(&asked), ["I am Ferris.", "Who am I?"]);
    let settings = client.settings().await.unwrap();
    let settings = serde_json::to_value(&settings).unwrap();
    assert_eq!(settings["effective"]["permissions"]["deny"][0], "WebFetch");
    assert!(client.close().await.exit.unwrap().success());
}

#[tokio::test]
async fn an_accepted_directory_is_set_again_but_not_a_rejected_one() {
    let scenario = Scenario::default()
        .reply([Step::text("One.")])
        .reply([Step::text("Two.")]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    assert_eq!(text_of(&client, "Count.").await, "One.");
    let folder = live.project().join("sub");
    std::fs::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    let set_cwd = SetCwd::to(folder).trusting(folder);
    client.request(&set_cwd).await.unwrap();
    // The CLI notes the new directory in a turn of its own.
    let is_noted = |event: &Event| match event {
        Event::Turn(TurnEvent::Ended(end)) => end.messages.is_empty().then_some(()),
        _ => None,
    };
    wait_for(&mut client, is_noted).await;
    // This request also succeeds, but has no effect.
    client.request(&SetCwd::to("/nowhere")).await.unwrap();
    client.sleep().await.unwrap();
    assert_eq!(text_of(&client, "Go on.").await, "Two.");
    let moved = wait_for(&mut client, moved).await;
    assert_eq!(moved.restored, [Box::from("set_cwd")]);
    assert!(moved.not_restored.is_empty());
    let asked = live.model.asked(1).await.body.unwrap();
    assert_eq!(said_by_user(&asked), ["Count.", "Go on."]);
    client.close().await;
}

#[tokio::test]
async fn a_busy_session_does_not_sleep() {
    let scenario = Scenario::default().reply([Step::gate("held"), Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let mut submission = client.send("Go on.");
    live.model.asked(0).await;
    assert!(matches!(client.sleep().await, Err(Error::Busy(Busy::Turn))));
    live.model.open("held").unwrap();
    submission.result().await.unwrap();
    client.close().await;
}

#[tokio::test]
async fn an_idle_session_falls_asleep_and_wakes_at_a_message() {
    let scenario = Scenario::default()
        .reply([Step::text("One.")])
        .reply([Step::text("Two.")]);
    let live = Live::start(scenario).await;
    let options = live.options().sleep_after(Duration::from_millis(200));
    let mut client = Client::connect(options).await.unwrap();
    assert_eq!(text_of(&client, "Count.").await, "One.");
    let is_asleep = |event: &Event| matches!(event, Event::Asleep).then_some(());
    wait_for(&mut client, is_asleep).await;
    assert_eq!(text_of(&client, "Go on.").await, "Two.");
    client.close().await;
}

#[tokio::test]
async fn a_cli_that_is_killed_while_idle_is_restarted() {
    let scenario = Scenario::default()
        .reply([Step::text("One.")])
        .reply([Step::text("Two.")]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options().restart(short_pauses()))
        .await
        .unwrap();
    assert_eq!(text_of(&client, "Count.").await, "One.");
    until_on_disk(&live, "One.").await;
    kill(client.pid().unwrap());
    let moved = wait_for(&mut client, moved).await;
    assert!(matches!(&moved.reason, RestartReason::Ended(end) if end.exit.is_some()));
    assert_eq!(moved.handover.messages, []);
    assert_eq!(text_of(&client, "Go on.").await, "Two.");
    let asked = live.model.asked(1).await.body.unwrap();
    assert_eq!(said_by_user(&asked), ["Count.", "Go on."]);
    client.close().await;
}

/// Returns a turn whose tool records that it ran, and then never ends.
fn with_tool() -> Scenario {
    let command = "echo ran >> ran.txt; sleep 60";
    Scenario::default()
        .reply([Step::tool("Bash", json!({ "command": command }), "")])
        .reply([Step::text("It went on.")])
        .reply([Step::text("And this is the next.")])
}

fn with_bash(live: &Live) -> Options {
    live.options().allowed_tools(["Bash"])
}

#[tokio::test]
async fn a_turn_interrupted_in_a_tool_resumes_and_later_messages_run_once() {
    let live = Live::start(with_tool()).await;
    let options = with_bash(&live).restart(short_pauses());
    let mut client = Client::connect(options).await.unwrap();
    let mut first = client.send("Run it.");
    let mut second = client.send("And then?");
    line_of(&live.project().join("ran.txt")).await;
    kill(client.pid().unwrap());
    let moved = wait_for(&mut client, moved).await;
    assert_eq!(moved.handover.turn, Some(1));
    assert!(moved.handover.resumes, "{moved:?}");
    assert_eq!(moved.handover.tool_calls[0].tool_name, "Bash");
    let fates: Vec<_> = moved.handover.messages.iter().map(|it| it.1).collect();
    assert_eq!(fates, [Redelivery::Resumed, Redelivery::Resent]);
    assert_eq!(first.result().await.unwrap().text(), "It went on.");
    assert_eq!(
        second.result().await.unwrap().text(),
        "And this is the next."
    );
    assert_eq!(first.final_state().await, SubmissionState::Completed);
    let asked = live.model.asked(2).await.body.unwrap();
    let said = said_by_user(&asked);
    for prompt in ["Run it.", "And then?"] {
        let times = said.iter().filter(|it| *it == prompt).count();
        assert_eq!(times, 1, "{prompt}: {said:?}");
    }
    client.close().await;
}

#[tokio::test]
async fn a_first_turn_without_a_transcript_is_started_again() {
    let scenario = Scenario::default()
        .reply([Step::gate("never"), Step::text("Lost.")])
        .reply([Step::text("Here I am.")]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options().restart(short_pauses()))
        .await
        .unwrap();
    let mut submission = client.send("Hello?");
    live.model.asked(0).await;
    kill(client.pid().unwrap());
    let moved = wait_for(&mut client, moved).await;
    // The first attempt finds no session to resume, unless the CLI wrote it before it was
    // killed. This happens if the test is slow to kill the CLI.
    assert!(moved.attempts <= 2, "{}", moved.attempts);
    assert_eq!(submission.result().await.unwrap().text(), "Here I am.");
    client.close().await;
}

#[tokio::test]
async fn an_interrupted_turn_is_handed_back_if_configured() {
    let live = Live::start(with_tool()).await;
    let options = with_bash(&live).restart(short_pauses().turn_recovery(TurnRecovery::CutOff));
    let mut client = Client::connect(options).await.unwrap();
    let mut first = client.send("Run it.");
    line_of(&live.project().join("ran.txt")).await;
    kill(client.pid().unwrap());
    let end = first.turn_ended().await.unwrap();
    assert_eq!(end.outcome, TurnOutcome::CutOff);
    assert_eq!(first.final_state().await, SubmissionState::CutOff);
    let moved = wait_for(&mut client, moved).await;
    let uuid = first.uuid().into();
    assert_eq!(moved.handover.messages, [(uuid, Redelivery::CutOff)]);
    assert_eq!(text_of(&client, "Again, please.").await, "It went on.");
    client.close().await;
}

#[tokio::test]
async fn a_hung_cli_is_ended_and_its_turn_resumes() {
    let live = Live::start(with_tool()).await;
    let policy = short_pauses().hang(Duration::from_secs(2));
    let options = with_bash(&live)
        .restart(policy)
        .close_policy(crate::support::hasty());
    let mut client = Client::connect(options).await.unwrap();
    let mut submission = client.send("Run it.");
    line_of(&live.project().join("ran.txt")).await;
    until_on_disk(&live, "echo ran").await;
    let pid = rustix::process::Pid::from_raw(i32::try_from(client.pid().unwrap()).unwrap());
    rustix::process::kill_process(pid.unwrap(), rustix::process::Signal::STOP).unwrap();
    let moved = wait_for(&mut client, moved).await;
    let is_hung = |end: &agentwire::SessionEnd| end.reason == agentwire::EndReason::Hung;
    assert!(
        matches!(&moved.reason, RestartReason::Ended(end) if is_hung(end)),
        "{moved:?}"
    );
    assert_eq!(submission.result().await.unwrap().text(), "It went on.");
    client.close().await;
}

/// [`Restart`] documents that background tasks are lost.
#[tokio::test]
async fn a_background_task_prevents_sleep_and_is_lost_with_its_process() {
    let input = json!({ "command": "sleep 60", "run_in_background": true });
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", input, "")])
        .reply([Step::text("It runs.")])
        .reply([Step::text("Here.")])
        .reply([Step::text("Here.")]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(with_bash(&live).restart(short_pauses()))
        .await
        .unwrap();
    assert_eq!(text_of(&client, "Run it.").await, "It runs.");
    assert!(matches!(
        client.sleep().await,
        Err(Error::Busy(Busy::Background))
    ));
    until_on_disk(&live, "It runs.").await;
    kill(client.pid().unwrap());
    let moved = wait_for(&mut client, moved).await;
    assert_eq!(moved.handover.background.len(), 1);
    text_of(&client, "Where are you?").await;
    client.close().await;
}

/// [`Restart`] documents that planned wake-ups are lost.
#[tokio::test]
async fn a_planned_wake_up_prevents_sleep() {
    let input = json!({ "cron": "0 9 * * *", "prompt": "Good morning.", "recurring": false });
    let scenario = Scenario::default()
        .reply([Step::tool("CronCreate", input, "")])
        .reply([Step::text("Planned.")]);
    let live = Live::start(scenario).await;
    let options = live.options().allowed_tools(["CronCreate"]);
    let mut client = Client::connect(options).await.unwrap();
    assert_eq!(text_of(&client, "Wake me.").await, "Planned.");
    assert!(matches!(
        client.sleep().await,
        Err(Error::Busy(Busy::WakeUp))
    ));
    client.close().await;
}

/// [`Restart`] documents that learned rules and the directory of the shell are lost.
#[tokio::test]
async fn learned_rules_and_the_directory_of_the_shell_are_lost() {
    use agentwire::protocol::permission::{
        Allow, PermissionBehavior, PermissionDestination, PermissionRule, PermissionUpdate,
    };
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    let bash = |command: &str| Step::tool("Bash", json!({ "command": command }), "");
    let scenario = Scenario::default()
        .reply([bash("mkdir -p sub && cd sub && touch x")])
        .reply([bash("touch y && pwd")])
        .reply([Step::text("Both done.")])
        .reply([bash("touch z && pwd")])
        .reply([Step::text("That too.")]);
    let live = Live::start(scenario).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let options = live
        .options()
        .restart(short_pauses())
        .on_permission(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            let learned = PermissionUpdate::add_rules(
                [PermissionRule::new("Bash")],
                PermissionBehavior::Allow,
                PermissionDestination::Session,
            );
            async { Allow::default().updated_permissions([learned]) }
        });
    let mut client = Client::connect(options).await.unwrap();
    assert_eq!(text_of(&client, "Do both.").await, "Both done.");
    let before = asked.load(Ordering::Relaxed);
    client.sleep().await.unwrap();
    assert_eq!(text_of(&client, "And that.").await, "That too.");
    wait_for(&mut client, moved).await;
    assert_eq!(
        asked.load(Ordering::Relaxed),
        before + 1,
        "it is asked again"
    );
    assert!(
        live.project().join("z").exists(),
        "the directory is the first"
    );
    client.close().await;
}
