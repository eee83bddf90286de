//! Tests of Codex as an agent with a view.

use crate::world::{World, command, patch};
use agentwire::view::agent::{Agent, AgentError, Decision};
use agentwire::view::entry::{Content, Outcome, Status, ToolCall};
use agentwire::view::{Body, View};
use agentwire_codex::CodexAgent;
use agentwire_codex::wire::NamedPolicy;
use agentwire_testkit::Step;

async fn start(world: &World, policy: NamedPolicy) -> CodexAgent {
    let options = world.options(policy);
    CodexAgent::start(world.codex_options(), options)
        .await
        .unwrap()
}

/// Waits until the view is as wanted.
async fn until(agent: &CodexAgent, mut wanted: impl FnMut(&View) -> bool) {
    loop {
        let (mut is_there, mut number) = (false, 0);
        agent.read(&mut |view| (is_there, number) = (wanted(view), view.number()));
        if is_there {
            return;
        }
        agent.changed(number).await.unwrap();
    }
}

/// Waits for an approval. Returns the ID of its request and its title.
async fn approval(agent: &CodexAgent) -> (String, String) {
    let mut found = None;
    until(agent, |view| {
        found = view.entries().find_map(|it| match &it.body {
            Body::Approval(it) => Some((it.request_id.clone(), it.title.clone())),
            _ => None,
        });
        found.is_some()
    })
    .await;
    found.unwrap()
}

fn entries(agent: &CodexAgent) -> Vec<(String, Body)> {
    let mut entries = Vec::new();
    agent.read(&mut |view| {
        entries = view
            .entries()
            .map(|it| (it.id.to_string(), it.body.clone()))
            .collect();
    });
    entries
}

fn calls(agent: &CodexAgent) -> Vec<ToolCall> {
    let entries = entries(agent).into_iter();
    let calls = entries.filter_map(|(_, body)| match body {
        Body::ToolCall(call) => Some(*call),
        _ => None,
    });
    calls.collect()
}

#[tokio::test]
async fn a_prompt_is_shown_with_what_it_causes() {
    let replies = [
        vec![Step::thinking("Let me see."), command("echo hi", "hi\n")],
        vec![patch("new.txt", "hello")],
        vec![Step::text("Done.")],
    ];
    let world = World::new(replies).await;
    let agent = start(&world, NamedPolicy::Never).await;
    agent.prompt("Work").await.unwrap();
    let shown = entries(&agent);
    let kinds: Vec<_> = shown
        .iter()
        .map(|(_, body)| match body {
            Body::Prompt(it) => it.text.text.clone(),
            Body::Thought(it) | Body::Text(it) => it.text.text.clone(),
            Body::ToolCall(it) => it.title.clone(),
            Body::TurnEnd(it) => format!("{:?}", it.outcome),
            other => format!("{other:?}"),
        })
        .collect();
    let expected = [
        "Work",
        "Let me see.",
        "Run echo hi",
        "Create new.txt",
        "Done.",
        "Completed",
    ];
    assert_eq!(kinds, expected);
    let calls = calls(&agent);
    assert!(matches!(&calls[0].content[0], Content::Command(it)
        if it.exit_code == Some(0) && it.output.as_ref().unwrap().text == "hi\n"));
    assert!(matches!(&calls[1].content[0], Content::Diff(it)
        if it.applied && it.hunks[0].lines == ["+hello"]));
    agent.close().await.unwrap();
}

#[tokio::test]
async fn an_approval_waits_for_the_response() {
    let replies = [vec![command("touch made", "")], vec![Step::text("Done.")]];
    let world = World::new(replies).await;
    let agent = start(&world, NamedPolicy::Untrusted).await;
    let turn = agent.prompt("Work");
    let (request_id, title) = approval(&agent).await;
    assert_eq!(title, "Run touch made");
    agent.respond(&request_id, Decision::Allow).await.unwrap();
    turn.await.unwrap();
    assert_eq!(calls(&agent)[0].status, Status::Completed);
    let again = agent.respond(&request_id, Decision::Allow).await;
    assert_eq!(again, Err(AgentError::NoRequest(request_id)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_can_be_answered_as_soon_as_it_is_shown() {
    let steps = (0..20).map(|_| vec![command("touch made", "")]);
    let world = World::new(steps.chain([vec![Step::text("Done.")]])).await;
    let agent = start(&world, NamedPolicy::Untrusted).await;
    let turn = agent.prompt("Work");
    for _ in 0..20 {
        let (request_id, _) = approval(&agent).await;
        agent.respond(&request_id, Decision::Allow).await.unwrap();
        until(&agent, |view| {
            view.entries()
                .all(|it| !matches!(&it.body, Body::Approval(it) if it.request_id == request_id))
        })
        .await;
    }
    turn.await.unwrap();
}

#[tokio::test]
async fn what_codex_cannot_do_denies() {
    let replies = [
        vec![command("touch made", "")],
        vec![command("touch made", "")],
        vec![Step::text("Done.")],
    ];
    let world = World::new(replies).await;
    let agent = start(&world, NamedPolicy::Untrusted).await;
    let turn = agent.prompt("Work");
    for decision in [
        Decision::AllowWith("{}".into()),
        Decision::Deny("Why?".into()),
    ] {
        let (request_id, _) = approval(&agent).await;
        let refused = agent.respond(&request_id, decision).await;
        assert!(
            matches!(refused, Err(AgentError::Unsupported(_))),
            "{refused:?}"
        );
        until(&agent, |view| {
            view.entries()
                .all(|it| !matches!(&it.body, Body::Approval(it) if it.request_id == request_id))
        })
        .await;
    }
    turn.await.unwrap();
    let statuses: Vec<_> = calls(&agent).into_iter().map(|it| it.status).collect();
    assert_eq!(statuses, [Status::Failed, Status::Failed]);
    assert!(!world.project().join("made").exists());
}

#[tokio::test]
async fn cancelling_stops_the_turn_and_what_waits() {
    let replies = [
        vec![Step::text("Slow."), Step::gate("g")],
        vec![Step::text("Next.")],
    ];
    let world = World::new(replies).await;
    let agent = start(&world, NamedPolicy::Never).await;
    let (turn, waits) = (agent.prompt("1"), agent.prompt("2"));
    world.reached("g").await;
    agent.cancel().await.unwrap();
    assert_eq!(turn.await, Err(AgentError::Cancelled));
    assert_eq!(waits.await, Err(AgentError::Cancelled));
    agent.prompt("3").await.unwrap();
    let outcomes = entries(&agent)
        .into_iter()
        .filter_map(|(_, body)| match body {
            Body::TurnEnd(it) => Some(it.outcome),
            _ => None,
        });
    assert!(outcomes.eq([Outcome::Interrupted, Outcome::Completed]));
}

#[tokio::test]
async fn modes_and_models_are_set_for_later_turns() {
    let world = World::new([[Step::text("Done.")]]).await;
    let agent = start(&world, NamedPolicy::Never).await;
    agent.set_model("gpt-5.4").await.unwrap();
    agent.set_mode("untrusted").await.unwrap();
    let unknown = agent.set_mode("plan").await;
    assert!(matches!(unknown, Err(AgentError::Failed(it)) if it.contains("on-request")));
    agent.prompt("Work").await.unwrap();
    until(&agent, |view| {
        let session = view.session();
        session.model.as_deref() == Some("gpt-5.4")
            && session.permission_mode.as_deref() == Some("untrusted")
    })
    .await;
}

#[tokio::test]
async fn a_resumed_thread_has_the_entries_of_the_live_one() {
    let replies = [
        vec![command("echo hi", "hi\n")],
        vec![Step::text("Done.")],
        vec![Step::text("Again.")],
    ];
    let world = World::new(replies).await;
    let agent = start(&world, NamedPolicy::Never).await;
    agent.prompt("Work").await.unwrap();
    let is_stored = |(_, body): &(String, Body)| !matches!(body, Body::TurnEnd(_));
    let live: Vec<_> = entries(&agent).into_iter().filter(is_stored).collect();
    let thread_id = agent.thread().id().to_owned();
    agent.close().await.unwrap();
    let options = world.options(NamedPolicy::Never);
    let resumed = CodexAgent::resume(world.codex_options(), &thread_id, options)
        .await
        .unwrap();
    let restored: Vec<_> = entries(&resumed).into_iter().filter(is_stored).collect();
    assert_eq!(restored, live);
    let before = resumed.restored();
    resumed.prompt("More").await.unwrap();
    let mut number = 0;
    resumed.read(&mut |view| number = view.number());
    assert!(number > before);
}

#[tokio::test]
async fn an_agent_whose_process_ends_says_why() {
    let world = World::new([[Step::gate("g")]]).await;
    let agent = start(&world, NamedPolicy::Never).await;
    let turn = agent.prompt("Work");
    world.reached("g").await;
    let pid = agent.thread().codex().pid().unwrap().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid])
        .status();
    assert!(killed.unwrap().success());
    match turn.await {
        Err(AgentError::Ended(why)) => assert!(why.contains("signal: 9"), "{why}"),
        other => panic!("{other:?}"),
    }
    let mut number = 0;
    agent.read(&mut |view| number = view.number());
    assert!(agent.changed(number).await.is_err());
    let late = agent.prompt("More").await;
    assert!(matches!(late, Err(AgentError::Ended(_))), "{late:?}");
    assert!(agent.cancel().await.is_err());
}
