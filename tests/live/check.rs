//! Tests of the check whether sessions can start, with the real CLI.

use crate::support::Live;
use agentwire::check::{Login, ProblemKind};
use agentwire::{Check, Client, check, check_with_turn};
use agentwire_testkit::{ApiError, Scenario, Step};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn scenario() -> Scenario {
    Scenario::default().reply([Step::text("OK.")]).repeated()
}

/// Returns the kinds of the problems.
fn kinds(check: &Check) -> Vec<ProblemKind> {
    println!("{check}");
    check.problems.iter().map(|it| it.kind).collect()
}

/// Returns the number of requests to the model. Older CLIs also send others at each start.
fn turns(live: &Live) -> usize {
    let requests = live.model.requests();
    requests.iter().filter(|it| it.method == "POST").count()
}

/// Returns all files below a folder with their content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let content = fs::read(&path).unwrap();
            found.insert(path, content);
        }
    }
    found
}

#[tokio::test]
async fn a_check_sends_nothing_to_the_model_and_leaves_no_session() {
    let live = Live::start(scenario()).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let turn = client.send("Hello?").turn_ended().await.unwrap();
    let session = turn.result().unwrap().session_id.unwrap();
    client.close().await;
    let requests = turns(&live);
    let projects = live.home.path().join(".claude/projects");
    let (before, project) = (files(&projects), files(&live.project()));
    assert_eq!(before.len(), 1);

    let found = check(&live.options().resume(session)).await;
    assert_eq!(kinds(&found), []);
    let source = "ANTHROPIC_API_KEY".to_owned();
    assert_eq!(found.login, Login::ApiKey { source });
    assert!(found.version.unwrap().starts_with("2."));
    assert_eq!(turns(&live), requests);
    assert_eq!(files(&projects), before);
    assert_eq!(files(&live.project()), project);
    let running = live.home.path().join(".claude/sessions");
    assert_eq!(files(&running).len(), 0);
}

#[tokio::test]
async fn a_check_with_a_turn_leaves_no_transcript() {
    let live = Live::start(scenario()).await;
    let found = check_with_turn(&live.options()).await;
    assert_eq!(kinds(&found), []);
    assert!(found.model.unwrap().starts_with("claude-"));
    assert_eq!(turns(&live), 1);
    let projects = live.home.path().join(".claude/projects");
    assert_eq!(files(&projects).len(), 0);
}

#[tokio::test]
async fn a_rejected_key_and_a_missing_one_are_problems() {
    let error = ApiError {
        status: 401,
        kind: "authentication_error".to_owned(),
        message: "invalid x-api-key".to_owned(),
    };
    let refusing = Scenario::default().reply([Step::Error(error)]).repeated();
    let live = Live::start(refusing).await;
    let options = live.options().env("CLAUDE_CODE_MAX_RETRIES", "0");
    let rejected = check_with_turn(&options).await;
    assert_eq!(kinds(&rejected), [ProblemKind::NoReply]);
    assert!(rejected.problems[0].advice.contains("API key"));
    let requests = turns(&live);
    let missing = check_with_turn(&options.env("ANTHROPIC_API_KEY", "")).await;
    assert_eq!(kinds(&missing), [ProblemKind::NotLoggedIn]);
    assert_eq!(missing.login, Login::Missing);
    assert_eq!(turns(&live), requests);
}

#[tokio::test]
async fn each_way_to_log_in_is_reported() {
    let live = Live::start(Scenario::default()).await;
    let without = || live.options().env("ANTHROPIC_API_KEY", "");
    let token = |source: &str| Login::Token {
        source: source.to_owned(),
    };
    let oauth = without().env("CLAUDE_CODE_OAUTH_TOKEN", "a");
    let found = check(&oauth).await;
    assert_eq!(found.login, token("CLAUDE_CODE_OAUTH_TOKEN"));
    let gateway = without().env("ANTHROPIC_AUTH_TOKEN", "a");
    assert_eq!(check(&gateway).await.login, token("ANTHROPIC_AUTH_TOKEN"));
    let bedrock = without().env("CLAUDE_CODE_USE_BEDROCK", "1");
    let found = check(&bedrock.env("AWS_REGION", "us-east-1")).await;
    let name = "bedrock".to_owned();
    assert_eq!(found.login, Login::Provider { name });
    assert!(found.is_ready());

    let stored = json!({"claudeAiOauth": {
        "accessToken": "a", "refreshToken": "b", "expiresAt": 4_102_444_800_000_u64,
        "scopes": ["user:inference", "user:profile"], "subscriptionType": "max",
    }});
    let file = live.home.path().join(".claude/.credentials.json");
    fs::write(file, stored.to_string()).unwrap();
    let stored = check(&without()).await;
    let is_account = matches!(&stored.login, Login::Account { plan: Some(_), .. });
    assert!(is_account, "{stored}");
}

#[tokio::test]
async fn all_flags_that_the_cli_does_not_know_are_reported() {
    let live = Live::start(Scenario::default()).await;
    let options = live
        .options()
        .flag("--no-such-flag")
        .flag_value("--nor-this", "1");
    let unknown = check(&options).await;
    let flags = [
        ProblemKind::UnsupportedOption,
        ProblemKind::UnsupportedOption,
    ];
    assert_eq!(kinds(&unknown), flags);
    assert!(unknown.problems[1].message.contains("--nor-this"));
    assert!(matches!(unknown.login, Login::ApiKey { .. }));
}
