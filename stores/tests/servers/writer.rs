//! Takes over a log and appends numbered batches until the process is killed. Prints a line with the
//! token, and a line for each acknowledged batch.
//!
//! Arguments: `postgres`, `nats`, `redis` or `s3`; the schema or the prefix; the session; the
//! number of the first batch.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod batches;
mod bucket;
#[allow(dead_code, reason = "the tests use all of it")]
mod support;

use agentwire_stores::nats::{NatsOptions, async_nats};
use agentwire_stores::objects::ObjectsOptions;
use agentwire_stores::postgres::PostgresOptions;
use agentwire_stores::redis::{RedisOptions, redis};
use agentwire_stores::session_log::{LogKey, LogStore, Position, Token};
use bucket::bucket;
use std::io::Write;
use support::required_variable;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [engine, name, session, number] = &arguments[..] else {
        panic!("ENGINE NAME SESSION NUMBER");
    };
    let number = number.parse().unwrap();
    match &**engine {
        "postgres" => {
            let config = required_variable("AGENTWIRE_TEST_POSTGRES")
                .parse()
                .unwrap();
            let options = PostgresOptions::new().schema(name);
            write(options.connect(config).await.unwrap(), session, number).await;
        }
        "redis" => {
            let client = redis::Client::open(required_variable("AGENTWIRE_TEST_REDIS")).unwrap();
            let options = RedisOptions::new().prefix(name);
            write(options.connect(client).await.unwrap(), session, number).await;
        }
        "s3" => {
            let options = ObjectsOptions::new().prefix(name);
            write(
                options
                    .open(bucket(&required_variable("AGENTWIRE_TEST_S3")))
                    .await
                    .unwrap(),
                session,
                number,
            )
            .await;
        }
        _ => {
            let client = async_nats::connect(required_variable("AGENTWIRE_TEST_NATS")).await;
            let options = NatsOptions::new().prefix(name);
            let store = options.connect(client.unwrap()).await.unwrap();
            write(store, session, number).await;
        }
    }
}

async fn write(store: impl LogStore, session: &str, mut number: usize) {
    let session = LogKey::new("crashes", session);
    let head = batches::head(&store, &session).await;
    let token = Token::next(head.as_ref(), format!("writer-{}", std::process::id()));
    let mut at = head.map_or(Position::START, |it| it.position);
    say(&format!("{} {}", token.number, token.writer));
    loop {
        let position = batches::append(&store, &session, at, &token, number).await;
        at = position.unwrap();
        say(&at.to_string());
        number += 1;
    }
}

/// Prints in one write, which a kill cannot split.
fn say(line: &str) {
    let line = format!("{line}\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
    std::io::stdout().flush().unwrap();
}
