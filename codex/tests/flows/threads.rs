//! Threads: stored, resumed, forked, listed; settings, images, schemas; the account.

use crate::world::World;
use agentwire_codex::wire::{
    AccountRead, McpServerStatusList, ModelList, NamedPolicy, SandboxMode, ThreadList,
};
use agentwire_codex::{CodexError, Prompt, ThreadOptions};
use agentwire_protocol::Json;
use agentwire_testkit::Step;
use serde_json::json;

/// A PNG of one pixel.
const PIXEL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn texts<const N: usize>(texts: [&str; N]) -> [Vec<Step>; N] {
    texts.map(|it| vec![Step::text(it)])
}

#[tokio::test]
async fn a_thread_is_resumed_in_another_process() {
    let mut world = World::new(texts(["One.", "Two."])).await;
    let thread = world.thread().await;
    thread.send("1").await.unwrap();
    let id = thread.id().to_owned();
    world.restart().await;
    let options = world.options(NamedPolicy::Never);
    let thread = world.codex.resume(&id, options).await.unwrap();
    assert_eq!(thread.id(), id);
    assert!(
        thread.differences().is_empty(),
        "{:?}",
        thread.differences()
    );
    assert_eq!(thread.items().await.unwrap().len(), 2);
    assert!(thread.send("2").await.unwrap().is_completed());
    assert_eq!(thread.items().await.unwrap().len(), 4);
}

#[tokio::test]
async fn what_a_resumed_thread_forgets_is_told() {
    let mut world = World::new(texts(["One.", "Two."])).await;
    let options = world.options(NamedPolicy::Untrusted);
    let options = options.sandbox(SandboxMode::WorkspaceWrite);
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.opened().sandbox.tag().unwrap(), "workspaceWrite");
    thread.send("1").await.unwrap();
    let id = thread.id().to_owned();
    world.restart().await;
    let unset = world.options(NamedPolicy::Untrusted);
    let unset = unset.settings(|it| it.sandbox = None);
    let resumed = world.codex.resume(&id, unset).await.unwrap();
    // Codex restores this one as another.
    assert_eq!(resumed.opened().sandbox.tag().unwrap(), "readOnly");
    world.restart().await;
    let options = world.options(NamedPolicy::Untrusted);
    let options = options.sandbox(SandboxMode::WorkspaceWrite);
    let resumed = world.codex.resume(&id, options).await.unwrap();
    assert_eq!(resumed.opened().sandbox.tag().unwrap(), "workspaceWrite");
    assert!(
        resumed.differences().is_empty(),
        "{:?}",
        resumed.differences()
    );
}

#[tokio::test]
async fn a_fork_has_the_history_and_goes_its_own_way() {
    let world = World::new(texts(["One.", "Two."])).await;
    let thread = world.thread().await;
    thread.send("1").await.unwrap();
    let options = world.options(NamedPolicy::Never);
    let fork = world.codex.fork(thread.id(), options).await.unwrap();
    assert_ne!(fork.id(), thread.id());
    assert!(fork.differences().is_empty(), "{:?}", fork.differences());
    fork.send("2").await.unwrap();
    assert_eq!(fork.items().await.unwrap().len(), 4);
    assert_eq!(thread.items().await.unwrap().len(), 2);
}

#[tokio::test]
async fn threads_are_listed_renamed_archived_and_deleted() {
    let world = World::new(texts(["One."])).await;
    let (codex, thread) = (&world.codex, world.thread().await);
    thread.send("A first message").await.unwrap();
    codex.rename(thread.id(), "A name").await.unwrap();
    let list = async |archived| {
        let mut list = ThreadList::default();
        list.archived = Some(archived);
        list.model_providers = Some(Vec::new());
        let page = codex.list(&list).await.unwrap();
        let names = page.data.into_iter().map(|it| (it.name, it.preview));
        names.collect::<Vec<_>>()
    };
    let expected = [(Some("A name".to_owned()), "A first message".to_owned())];
    assert_eq!(list(false).await, expected);
    codex.archive(thread.id()).await.unwrap();
    assert!(list(false).await.is_empty());
    assert_eq!(list(true).await, expected);
    let refused = codex.resume(thread.id(), ThreadOptions::new()).await;
    assert!(
        matches!(refused, Err(CodexError::Request { .. })),
        "{refused:?}"
    );
    codex.unarchive(thread.id()).await.unwrap();
    assert_eq!(list(false).await, expected);
    codex.delete(thread.id()).await.unwrap();
    assert!(list(false).await.is_empty());
}

#[tokio::test]
async fn a_thread_that_is_reverted_forgets_its_last_turn() {
    let world = World::new(texts(["One.", "Two."])).await;
    let thread = world.thread().await;
    thread.send("1").await.unwrap();
    let second = thread.send("2").await.unwrap();
    thread.revert(&second.turn_id).await.unwrap();
    assert_eq!(thread.items().await.unwrap().len(), 2);
}

#[tokio::test]
async fn settings_of_a_turn_apply_to_later_ones() {
    let world = World::new(texts(["One.", "Two.", "Three."])).await;
    let thread = world.thread().await;
    thread
        .send(Prompt::new("1").model("gpt-5.4"))
        .await
        .unwrap();
    thread.send("2").await.unwrap();
    thread
        .set(|it| it.model = Some("gpt-5.5".to_owned()))
        .await
        .unwrap();
    thread.send("3").await.unwrap();
    if let Some(requests) = world.requests() {
        let model = |it: &agentwire_testkit::model::ModelRequest| {
            it.body.as_ref().unwrap()["model"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let models: Vec<_> = requests.iter().map(model).collect();
        assert_eq!(models, ["gpt-5.4", "gpt-5.4", "gpt-5.5"]);
    }
}

#[tokio::test]
async fn images_reach_the_model() {
    let world = World::new(texts(["A pixel."])).await;
    let thread = world.thread().await;
    let prompt = Prompt::new("What is it?").image_url(PIXEL);
    assert!(thread.send(prompt).await.unwrap().is_completed());
    if let Some(requests) = world.requests() {
        let body = requests[0].body.as_ref().unwrap().to_string();
        assert!(body.contains("input_image"), "{body}");
    }
}

#[tokio::test]
async fn a_schema_reaches_the_model() {
    let world = World::new(texts([r#"{"a":1}"#])).await;
    let thread = world.thread().await;
    let schema = json!({
        "type": "object", "properties": {"a": {"type": "integer"}},
        "required": ["a"], "additionalProperties": false,
    });
    let end = thread
        .send(Prompt::new("Count").output_schema(&schema))
        .await
        .unwrap();
    let value: serde_json::Value = serde_json::from_str(&end.text()).unwrap();
    assert_eq!(value, json!({"a": 1}));
    if let Some(requests) = world.requests() {
        let body = requests[0].body.as_ref().unwrap();
        assert_eq!(body["text"]["format"]["schema"], schema);
    }
}

#[tokio::test]
async fn threads_of_one_process_run_at_the_same_time() {
    let replies = [
        vec![Step::gate("g"), Step::text("One.")],
        vec![Step::text("Two.")],
    ];
    let world = World::new(replies).await;
    let (one, two) = (world.thread().await, world.thread().await);
    let first = one.send("1");
    world.reached("g").await;
    assert_eq!(two.send("2").await.unwrap().text(), "Two.");
    world.open("g");
    assert_eq!(first.await.unwrap().text(), "One.");
}

#[tokio::test]
async fn the_account_the_models_and_the_servers_can_be_read() {
    let world = World::new(texts(["Never."])).await;
    let codex = &world.codex;
    assert!(
        codex.user_agent().contains("agentwire"),
        "{}",
        codex.user_agent()
    );
    let account = codex.request(&AccountRead::default()).await.unwrap();
    assert!(account.account.is_none());
    codex.log_in("a key").await.unwrap();
    let account = codex.request(&AccountRead::default()).await.unwrap();
    assert!(account.account.is_some());
    assert!(
        !codex
            .request(&ModelList::default())
            .await
            .unwrap()
            .data
            .is_empty()
    );
    let servers = codex
        .request(&McpServerStatusList::default())
        .await
        .unwrap();
    assert!(servers.data.is_empty());
}

#[tokio::test]
async fn refusals_have_the_method_and_the_reason() {
    let world = World::new(texts(["Never."])).await;
    let unknown = world
        .codex
        .request_raw("no/such", &Json::of_text("{}"))
        .await;
    assert!(
        unknown
            .unwrap_err()
            .to_string()
            .starts_with("`no/such`: Codex refused it")
    );
    let resumed = world.codex.resume("nothing", ThreadOptions::new()).await;
    assert!(
        resumed
            .unwrap_err()
            .to_string()
            .starts_with("`thread/resume`: ")
    );
    let long = "x".repeat(1 << 20 | 1);
    let refused = world.thread().await.send(long).await.unwrap_err();
    assert!(refused.to_string().contains("refused"), "{refused}");
}
