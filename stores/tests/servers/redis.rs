//! Tests of `Redis`.

use crate::batches::append;
use crate::server::{RedisServer, Server};
use crate::support::required_variable;
use agentwire_stores::redis::redis::{Client, Cmd, cmd};
use agentwire_stores::redis::{Redis, RedisError, RedisOptions};
use agentwire_stores::session_log::{LogKey, LogStore, NewBatch, Position, Token};
use std::time::Duration;

async fn run(client: &Client, command: &Cmd) {
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let () = command.query_async(&mut connection).await.unwrap();
}

async fn store(client: &Client, prefix: &str) -> Redis {
    let options = RedisOptions::new().prefix(prefix);
    let options = options.timeout(Duration::from_millis(500));
    options.connect(client.clone()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_batch_is_damage() {
    let client = Client::open(required_variable("AGENTWIRE_TEST_REDIS")).unwrap();
    let store = store(&client, "missing").await;
    let (session, token) = (LogKey::new("crabs", "a"), Token::new(1, "a"));
    let mut at = Position::START;
    for number in 0..3 {
        at = append(&store, &session, at, &token, number).await.unwrap();
    }
    let batches = r#"missing:batches:["crabs","a"]"#;
    run(&client, cmd("HDEL").arg(batches).arg("2")).await;
    let error = store.read(&session, Position::START).await.unwrap_err();
    let error: Box<RedisError> = error.downcast().unwrap();
    assert!(
        matches!(*error, RedisError::Damaged { position, .. } if position == Position(2)),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flushed_scripts_are_sent_again() {
    let client = Client::open(required_variable("AGENTWIRE_TEST_REDIS")).unwrap();
    let store = store(&client, "forgotten").await;
    let (session, token) = (LogKey::new("crabs", "a"), Token::new(1, "a"));
    let mut at = Position::START;
    for number in 0..5 {
        at = append(&store, &session, at, &token, number).await.unwrap();
        run(&client, cmd("SCRIPT").arg("FLUSH")).await;
    }
    let read = store.read(&session, Position::START).await.unwrap();
    assert_eq!(read.len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_time_out_and_can_be_retried() {
    let mut server = RedisServer::new();
    server.start().await;
    let client = Client::open(server.address()).unwrap();
    let store = store(&client, "slow").await;
    let (session, token) = (LogKey::new("crabs", "a"), Token::new(1, "a"));
    let entries = crate::batches::entries(0);
    let batch = NewBatch::new(Position::START, &token, &entries);
    run(&client, cmd("CLIENT").arg("PAUSE").arg(1_500).arg("ALL")).await;
    let error = store.append(&session, &batch).await.unwrap_err();
    assert!(error.refusal().is_none(), "{error}");
    // The command may have been executed.
    let position = append(&store, &session, Position::START, &token, 0).await;
    assert_eq!(position.unwrap(), Position(1));
    let read = store.read(&session, Position::START).await.unwrap();
    assert_eq!(read.len(), 1);
    server.kill().await;
}
