//! Runs the conformance suite on servers.

use crate::bucket::bucket;
use crate::server::{NatsCluster, NatsServer, Server};
use crate::support::required_variable;
use agentwire_stores::nats::{NatsOptions, async_nats};
use agentwire_stores::objects::ObjectsOptions;
use agentwire_stores::postgres::PostgresOptions;
use agentwire_stores::redis::{RedisOptions, redis};
use agentwire_testing::counted;
use agentwire_testkit::stores::{Conformance, Outcomes};
use std::time::Duration;

fn all_hold(outcomes: &Outcomes) {
    println!("{outcomes}");
    assert!(outcomes.all_hold(), "{outcomes}");
    counted(outcomes.0.len(), "contracts of stores on servers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_passes() {
    let config = required_variable("AGENTWIRE_TEST_POSTGRES")
        .parse()
        .unwrap();
    let options = PostgresOptions::new().schema("conformance \"quoted\" Schema");
    let store = options.connect(config).await.unwrap();
    all_hold(&Conformance::default().check(store).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nats_passes() {
    let client = async_nats::connect(required_variable("AGENTWIRE_TEST_NATS")).await;
    let options = NatsOptions::new().prefix("conformance");
    let store = options.connect(client.unwrap()).await.unwrap();
    all_hold(&Conformance::default().check(store).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_nats_cluster_passes() {
    let cluster = NatsCluster::started().await;
    let store = cluster.store(Duration::from_secs(10)).await;
    all_hold(&Conformance::default().check(store).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nats_with_small_messages_passes() {
    let mut server = NatsServer::with_max_payload(16 * 1024);
    server.start().await;
    let client = async_nats::connect(server.address()).await.unwrap();
    let store = NatsOptions::new().connect(client).await.unwrap();
    all_hold(&Conformance::default().check(store).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_passes() {
    let client = redis::Client::open(required_variable("AGENTWIRE_TEST_REDIS")).unwrap();
    let options = RedisOptions::new().prefix("conformance");
    let store = options.connect(client).await.unwrap();
    all_hold(&Conformance::default().check(store).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s3_holds_every_contract() {
    let options = ObjectsOptions::new().prefix("conformance");
    let store = options
        .open(bucket(&required_variable("AGENTWIRE_TEST_S3")))
        .await
        .unwrap();
    all_hold(&Conformance::default().many(20_000).check(store).await);
}
