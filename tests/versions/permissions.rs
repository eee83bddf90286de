//! What the CLI asks its host: permissions, questions, plans, hooks.

use crate::lab::{Bench, Fault, Lab, Turn, ask, bash, ensure, flows};
use agentwire::hook::HookCall;
use agentwire::permission::PermissionRequest;
use agentwire::protocol::hook::{
    HookOutput, PostToolUse, PreToolUse, PreToolUseOutput, UserPromptSubmit, UserPromptSubmitOutput,
};
use agentwire::protocol::permission::{
    Allow, PermissionBehavior, PermissionDestination, PermissionMode, PermissionResult,
    PermissionRule, PermissionUpdate,
};
use agentwire::{Client, Hook, Later, Options};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc;

flows! {
    "allow" => allow,
    "allow by ID, after the callback" => allow_later,
    "allow with a rule for next time" => allow_with_rule,
    "deny" => deny,
    "changed input" => changed_input,
    "callback that panics" => panics,
    "question answered" => question,
    "question allowed without answers" => question_allowed,
    "plan approved" => plan,
    "plan changed" => plan_changed,
    "plan rejected" => plan_rejected,
    "hook is called" => hook,
    "hook denies" => hook_denies,
    "hook changes the input" => hook_changes,
    "hook after a tool" => hook_after,
    "hook of prompts adds context" => hook_of_prompts,
    "gate that fails" => gate,
}

fn making() -> Scenario {
    Scenario::default()
        .reply([bash("touch made; echo done")])
        .reply([Step::text("Fine.")])
}

struct Made {
    turn: Turn,
    bench: Bench,
}

impl Made {
    fn is_made(&self) -> bool {
        self.bench.live.project().join("made").exists()
    }
}

/// A turn in which the model wants to make a file.
async fn make(lab: Lab, options: impl FnOnce(Options) -> Options) -> Result<Made, Fault> {
    let bench = lab.start(making()).await;
    let mut client = Client::connect(options(bench.options())).await?;
    let turn = ask(&mut client, "Make it").await?.well()?;
    client.close().await;
    Ok(Made { turn, bench })
}

async fn allow(lab: Lab) -> Result<(), Fault> {
    let made = make(lab, |it| {
        it.on_permission(|_| async { PermissionResult::allow() })
    })
    .await?;
    ensure!(made.is_made(), "{:?}", made.turn.log);
    Ok(())
}

async fn allow_later(lab: Lab) -> Result<(), Fault> {
    let (sender, mut asks) = mpsc::unbounded_channel();
    let answering = tokio::spawn(async move {
        let ask: PermissionRequest = asks.recv().await?;
        Some(
            ask.session
                .respond(&ask.request_id, PermissionResult::allow())
                .await,
        )
    });
    let made = make(lab, |it| {
        it.on_permission(move |ask| {
            sender.send(ask).unwrap();
            async { Later }
        })
    })
    .await?;
    ensure!(
        matches!(answering.await, Ok(Some(Ok(())))),
        "the answer did not go"
    );
    ensure!(made.is_made(), "{:?}", made.turn.log);
    Ok(())
}

async fn allow_with_rule(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([bash("touch first")])
        .reply([bash("touch second")])
        .reply([Step::text("Fine.")]);
    let bench = lab.start(scenario).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let options = bench.options().on_permission(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        let touching = PermissionUpdate::add_rules(
            [PermissionRule::new("Bash").content("touch:*")],
            PermissionBehavior::Allow,
            PermissionDestination::Session,
        );
        async { Allow::default().updated_permissions([touching]) }
    });
    let mut client = Client::connect(options).await?;
    let turn = ask(&mut client, "Make them").await?.well()?;
    ensure!(
        bench.live.project().join("second").exists(),
        "{:?}",
        turn.log
    );
    let asked = asked.load(Ordering::Relaxed);
    ensure!(asked == 1, "asked {asked} times");
    Ok(())
}

async fn deny(lab: Lab) -> Result<(), Fault> {
    let made = make(lab, |it| {
        it.on_permission(|_| async { PermissionResult::deny("Not today.") })
    })
    .await?;
    ensure!(
        !made.is_made() && made.turn.has("Not today."),
        "{:?}",
        made.turn.log
    );
    Ok(())
}

async fn changed_input(lab: Lab) -> Result<(), Fault> {
    let made = make(lab, |it| {
        it.on_permission(|_| async {
            PermissionResult::allow_with(json!({"command": "touch other", "description": "d"}))
        })
    })
    .await?;
    let other = made.bench.live.project().join("other").exists();
    ensure!(other && !made.is_made(), "{:?}", made.turn.log);
    Ok(())
}

async fn panics(lab: Lab) -> Result<(), Fault> {
    async fn panicking() -> PermissionResult {
        panic!("on purpose")
    }
    let made = make(lab, |it| it.on_permission(|_| panicking())).await?;
    ensure!(!made.is_made(), "{:?}", made.turn.log);
    Ok(())
}

/// A turn in which the model asks the user about tea.
async fn tea(lab: Lab, options: impl FnOnce(Options) -> Options) -> Result<Turn, Fault> {
    let option = |label: &str| json!({"label": label, "description": "a leaf"});
    let question = json!({"question": "Tea?", "header": "Drink", "multiSelect": false,
        "options": [option("Green"), option("Black")]});
    let call = Step::tool("AskUserQuestion", json!({"questions": [question]}), "");
    let bench = lab
        .start(
            Scenario::default()
                .reply([call])
                .reply([Step::text("Thanks.")]),
        )
        .await;
    let mut client = Client::connect(options(bench.options())).await?;
    let turn = ask(&mut client, "Go").await?.well()?;
    if turn
        .init
        .as_ref()
        .is_some_and(|it| !it["tools"].to_string().contains("AskUserQuestion"))
        && turn.has("No such tool")
    {
        return Err(Fault::Unsupported(
            "it has no tool `AskUserQuestion`".to_owned(),
        ));
    }
    Ok(turn)
}

async fn question(lab: Lab) -> Result<(), Fault> {
    let turn = tea(lab, |it| {
        it.on_question(|ask| async move { ask.answers().choose("Tea?", ["Green"]) })
    })
    .await?;
    ensure!(
        turn.has("tool answered") && turn.has("Green"),
        "{:?}",
        turn.log
    );
    Ok(())
}

/// Without answers the model is not told that the user has answered.
async fn question_allowed(lab: Lab) -> Result<(), Fault> {
    let turn = tea(lab, |it| {
        it.on_permission(|_| async { PermissionResult::allow() })
    })
    .await?;
    let chosen = turn
        .log
        .iter()
        .any(|it| it.starts_with("tool answered") && it.contains("Green"));
    ensure!(!chosen, "{:?}", turn.log);
    Ok(())
}

/// A turn in plan mode that comes to a plan.
async fn planning(lab: Lab, options: impl FnOnce(Options) -> Options) -> Result<Turn, Fault> {
    let call = Step::tool("ExitPlanMode", json!({"plan": "Dig a hole."}), "");
    let bench = lab
        .start(
            Scenario::default()
                .reply([call])
                .reply([Step::text("Fine.")]),
        )
        .await;
    let options = options(bench.options().permission_mode(PermissionMode::Plan));
    let mut client = Client::connect(options).await?;
    ask(&mut client, "Plan it").await?.well()
}

async fn plan(lab: Lab) -> Result<(), Fault> {
    let turn = planning(lab, |it| it.on_plan(|ask| async move { ask.approve() })).await?;
    ensure!(turn.has("tool answered"), "{:?}", turn.log);
    Ok(())
}

async fn plan_changed(lab: Lab) -> Result<(), Fault> {
    let turn = planning(lab, |it| {
        it.on_plan(|ask| async move { ask.approve_changed("Fill a hole.") })
    })
    .await?;
    ensure!(turn.has("Fill a hole."), "{:?}", turn.log);
    if turn.has("tool failed") {
        let what = "a changed plan cannot be approved: the model is told to plan it";
        return Err(Fault::Unsupported(what.to_owned()));
    }
    Ok(())
}

async fn plan_rejected(lab: Lab) -> Result<(), Fault> {
    let turn = planning(lab, |it| {
        it.on_plan(|ask| async move { ask.reject("Deeper.") })
    })
    .await?;
    ensure!(
        turn.has("tool failed") && turn.has("Deeper."),
        "{:?}",
        turn.log
    );
    Ok(())
}

fn allowing(options: Options) -> Options {
    options.on_permission(|_| async { PermissionResult::allow() })
}

async fn hook(lab: Lab) -> Result<(), Fault> {
    let (sender, mut calls) = mpsc::unbounded_channel();
    let made = make(lab, |it| {
        allowing(it).hook(Hook::new(move |call: HookCall<PreToolUse>| {
            sender.send(call.event.tool_name.clone()).unwrap();
            async { HookOutput::proceed() }
        }))
    })
    .await?;
    ensure!(made.is_made(), "{:?}", made.turn.log);
    let called = calls.recv().await;
    ensure!(called.as_deref() == Some("Bash"), "{called:?}");
    Ok(())
}

async fn hook_denies(lab: Lab) -> Result<(), Fault> {
    let made = make(lab, |it| {
        allowing(it).hook(Hook::new(|call: HookCall<PreToolUse>| async move {
            drop(call);
            PreToolUseOutput::deny("Not by the hook.")
        }))
    })
    .await?;
    ensure!(
        !made.is_made() && made.turn.has("Not by the hook."),
        "{:?}",
        made.turn.log
    );
    Ok(())
}

async fn hook_changes(lab: Lab) -> Result<(), Fault> {
    let made = make(lab, |it| {
        allowing(it).hook(Hook::new(|call: HookCall<PreToolUse>| async move {
            drop(call);
            PreToolUseOutput::allow_with(json!({"command": "touch other", "description": "d"}))
        }))
    })
    .await?;
    if !made.is_made() && made.turn.has("which this CLI version does not support") {
        let what = "a hook cannot change the input: the tool is denied";
        return Err(Fault::Unsupported(what.to_owned()));
    }
    let other = made.bench.live.project().join("other").exists();
    ensure!(other && !made.is_made(), "{:?}", made.turn.log);
    Ok(())
}

async fn hook_after(lab: Lab) -> Result<(), Fault> {
    let (sender, mut calls) = mpsc::unbounded_channel();
    let made = make(lab, |it| {
        allowing(it).hook(Hook::new(move |call: HookCall<PostToolUse>| {
            sender.send(call.event.tool_name.clone()).unwrap();
            async { HookOutput::proceed() }
        }))
    })
    .await?;
    ensure!(made.is_made(), "{:?}", made.turn.log);
    ensure!(calls.try_recv().is_ok(), "the hook was not called");
    Ok(())
}

async fn hook_of_prompts(lab: Lab) -> Result<(), Fault> {
    let made = make(lab, |it| {
        allowing(it).hook(Hook::new(|call: HookCall<UserPromptSubmit>| async move {
            drop(call);
            UserPromptSubmitOutput::default().additional_context("ZORK is near.")
        }))
    })
    .await?;
    let asked = made
        .bench
        .live
        .model
        .asked(0)
        .await
        .body
        .unwrap()
        .to_string();
    ensure!(asked.contains("ZORK is near."), "the model was not told");
    Ok(())
}

async fn gate(lab: Lab) -> Result<(), Fault> {
    let made = make(lab, |it| {
        let failing = |_: HookCall<PreToolUse>| async { Err::<HookOutput, _>("on purpose") };
        allowing(it).hook(Hook::new(failing).gate())
    })
    .await?;
    ensure!(!made.is_made(), "{:?}", made.turn.log);
    Ok(())
}
