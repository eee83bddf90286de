//! Kills writers and servers at any moment. Acknowledged batches must be stored in order, and the
//! log must be continuable.

use crate::batches::{append, batches, entries, head};
use crate::bucket::bucket;
use crate::server::{NatsCluster, NatsServer, PostgresServer, RedisServer, Server};
use crate::support::{kills, moment, random, required_variable};
use agentwire_stores::nats::{NatsOptions, async_nats};
use agentwire_stores::objects::ObjectsOptions;
use agentwire_stores::postgres::PostgresOptions;
use agentwire_stores::redis::{RedisOptions, redis};
use agentwire_stores::session_log::{LogKey, LogStore, Position, Token};
use agentwire_testing::{Random, counted};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::task::JoinSet;

/// An acknowledged batch.
struct Acknowledged {
    position: Position,
    token: Token,
}

/// Compares a log with the acknowledged batches. The log may contain one more batch.
async fn is_whole(store: &impl LogStore, session: &LogKey, acknowledged: &[Acknowledged]) {
    let found = batches(store, session).await;
    let lost = acknowledged.len().saturating_sub(found.len());
    assert_eq!(lost, 0, "acknowledged batches are lost");
    assert!(found.len() <= acknowledged.len() + 1, "more than was sent");
    for (number, batch) in found.iter().enumerate() {
        assert_eq!(batch.entries, entries(number), "of batch {number}");
    }
    for (batch, wanted) in found.iter().zip(acknowledged) {
        assert_eq!(
            (batch.position, &batch.token),
            (wanted.position, &wanted.token)
        );
    }
}

/// Kills writers repeatedly.
async fn writers_are_killed(store: impl LogStore, engine: &str, name: &str, mut dice: Random) {
    let session = LogKey::new("crashes", "killed");
    let mut all: Vec<Acknowledged> = Vec::new();
    let mut unfinished = 0;
    for _ in 0..kills() {
        let mut writer = Command::new(required_variable("AGENTWIRE_STORE_WRITER"))
            .args([engine, name, &session.session_id, &all.len().to_string()])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        let token = lines.next_line().await.unwrap().expect("a token");
        let (number, name) = token.split_once(' ').unwrap();
        let token = Token::new(number.parse().unwrap(), name);
        let stale = all.last().map(|it| it.token.clone());
        let before = all.len();
        // Kill the writer during an append.
        let wanted = before + dice.below(30);
        let acknowledged = |line: String| Acknowledged {
            position: Position(line.parse().unwrap()),
            token: token.clone(),
        };
        while all.len() < wanted {
            let line = lines.next_line().await.unwrap();
            all.push(acknowledged(line.expect("it writes until it is killed")));
        }
        tokio::time::sleep(moment(&mut dice, 8)).await;
        writer.kill().await.unwrap();
        while let Some(line) = lines.next_line().await.unwrap() {
            all.push(acknowledged(line));
        }
        is_whole(&store, &session, &all).await;
        // Complete the unfinished append.
        let after = all.last().map_or(Position::START, |it| it.position);
        let there = head(&store, &session).await;
        unfinished += usize::from(there.is_some_and(|it| it.position != after));
        let number = all.len();
        let position = append(&store, &session, after, &token, number).await;
        let position = position.expect("the same append is accepted");
        all.push(Acknowledged { position, token });
        is_whole(&store, &session, &all).await;
        if let Some(stale) = stale {
            let refused = append(&store, &session, position, &stale, 0).await;
            let error = refused.expect_err("a stale writer is refused");
            assert!(error.refusal().is_some(), "{error}");
        }
    }
    counted(
        kills(),
        &format!("kills of a process that writes to {engine}"),
    );
    counted(
        all.len(),
        "acknowledged batches of writers that were killed, 0 lost",
    );
    println!("{unfinished} of the batches at a kill were kept");
}

/// Kills a server with several writers repeatedly.
async fn a_server_is_killed<S: LogStore>(
    store: S,
    mut server: impl Server,
    engine: &str,
    mut dice: Random,
) {
    const WRITERS: usize = 4;
    let store = Arc::new(store);
    let all = Arc::new(AtomicUsize::new(0));
    let is_over = Arc::new(AtomicUsize::new(0));
    let mut writers = JoinSet::new();
    for number in 0..WRITERS {
        let (store, all, is_over) = (Arc::clone(&store), Arc::clone(&all), Arc::clone(&is_over));
        writers.spawn(async move {
            let session = LogKey::new("crashes", format!("session-{number}"));
            let mut acknowledged: Vec<Acknowledged> = Vec::new();
            while is_over.load(Ordering::SeqCst) == 0 {
                // Sometimes another writer takes over.
                let number = acknowledged.len();
                let owner = number / 25 + 1;
                let token = Token::new(owner as u64, format!("owner-{owner}"));
                let after = acknowledged
                    .last()
                    .map_or(Position::START, |it| it.position);
                let position = append(&*store, &session, after, &token, number).await;
                let position = position.expect("the append is accepted, at last");
                acknowledged.push(Acknowledged { position, token });
                all.fetch_add(1, Ordering::SeqCst);
            }
            (session, acknowledged)
        });
    }
    for _ in 0..kills() {
        // Kill the server after some more appends.
        let before = all.load(Ordering::SeqCst);
        while all.load(Ordering::SeqCst) < before + WRITERS {
            tokio::time::sleep(Duration::from_millis(1)).await;
            if let Some(failed) = writers.try_join_next() {
                panic!(
                    "a writer has failed: {:?}",
                    failed.map(|(session, _)| session)
                );
            }
        }
        tokio::time::sleep(moment(&mut dice, 150)).await;
        server.kill().await;
        server.start().await;
    }
    is_over.store(1, Ordering::SeqCst);
    let written = writers.join_all().await;
    // Reload from disk.
    server.kill().await;
    server.start().await;
    let mut total = 0;
    for (session, acknowledged) in &written {
        total += acknowledged.len();
        is_whole(&*store, session, acknowledged).await;
        assert_eq!(batches(&*store, session).await.len(), acknowledged.len());
        // Repeat appends, and append with the token of an old writer.
        for (number, it) in acknowledged.iter().enumerate().rev().take(5) {
            let after = match number {
                0 => Position::START,
                _ => acknowledged[number - 1].position,
            };
            let again = append(&*store, session, after, &it.token, number).await;
            assert_eq!(again.expect("the same append is accepted"), it.position);
        }
        let last = acknowledged.last().expect("it has written");
        let newer = Token::new(last.token.number + 1, "newer");
        let position = append(&*store, session, last.position, &newer, acknowledged.len()).await;
        let refused = append(&*store, session, position.unwrap(), &last.token, 0).await;
        let error = refused.expect_err("a stale writer is refused");
        assert!(error.refusal().is_some(), "{error}");
    }
    counted(kills() + 1, &format!("kills of {engine}"));
    counted(
        total,
        "acknowledged batches on servers that were killed, 0 lost",
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_to_postgresql_are_killed() {
    let config = required_variable("AGENTWIRE_TEST_POSTGRES")
        .parse()
        .unwrap();
    let options = PostgresOptions::new().schema("killed_writers");
    let store = options.connect(config).await.unwrap();
    writers_are_killed(store, "postgres", "killed_writers", random(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_to_nats_are_killed() {
    let client = async_nats::connect(required_variable("AGENTWIRE_TEST_NATS")).await;
    let options = NatsOptions::new().prefix("killed-writers");
    let store = options.connect(client.unwrap()).await.unwrap();
    writers_are_killed(store, "nats", "killed-writers", random(2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_is_killed() {
    let mut server = PostgresServer::new();
    server.start().await;
    let config = server.config().parse().unwrap();
    let options = PostgresOptions::new().timeout(Duration::from_secs(10));
    let store = options.connect(config).await.unwrap();
    a_server_is_killed(store, server, "postgres", random(3)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nats_is_killed() {
    let mut server = NatsServer::new();
    server.start().await;
    let options =
        async_nats::ConnectOptions::new().reconnect_delay_callback(|_| Duration::from_millis(20));
    let client = options.connect(server.address()).await.unwrap();
    let options = NatsOptions::new().timeout(Duration::from_millis(500));
    let store = options.connect(client).await.unwrap();
    a_server_is_killed(store, server, "nats", random(4)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_of_a_nats_cluster_are_killed() {
    let cluster = NatsCluster::started().await;
    let store = cluster.store(Duration::from_secs(1)).await;
    a_server_is_killed(store, cluster, "nats in a cluster", random(5)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_to_redis_are_killed() {
    let client = redis::Client::open(required_variable("AGENTWIRE_TEST_REDIS")).unwrap();
    let options = RedisOptions::new().prefix("killed-writers");
    let store = options.connect(client).await.unwrap();
    writers_are_killed(store, "redis", "killed-writers", random(6)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_to_s3_are_killed() {
    let options = ObjectsOptions::new().prefix("killed-writers");
    let store = options
        .open(bucket(&required_variable("AGENTWIRE_TEST_S3")))
        .await
        .unwrap();
    writers_are_killed(store, "s3", "killed-writers", random(7)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_is_killed() {
    let mut server = RedisServer::new();
    server.start().await;
    let client = redis::Client::open(server.address()).unwrap();
    let options = RedisOptions::new().timeout(Duration::from_secs(1));
    let store = options.connect(client).await.unwrap();
    a_server_is_killed(store, server, "redis", random(8)).await;
}
