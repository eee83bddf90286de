//! Tests of `Postgres`.

use crate::support::required_variable;
use agentwire_stores::Postgres;
use agentwire_stores::postgres::tokio_postgres::{Client, Config, NoTls};
use agentwire_stores::postgres::{KEY_BYTES, PostgresError, PostgresOptions};
use agentwire_stores::session_log::{
    AppendError, Entry, Head, LogKey, LogStore, NewBatch, Part, Position, Token,
};
use std::time::Duration;

fn config() -> Config {
    required_variable("AGENTWIRE_TEST_POSTGRES")
        .parse()
        .unwrap()
}

async fn client() -> Client {
    let (client, connection) = config().connect(NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

async fn store(schema: &str) -> Postgres {
    let options = PostgresOptions::new().schema(schema);
    options.connect(config()).await.unwrap()
}

fn entries(text: &str) -> [Entry; 1] {
    [Entry::new(Part::Main, text.parse().unwrap())]
}

async fn append(
    store: &Postgres,
    session: &LogKey,
    after: Position,
    token: &Token,
) -> Result<Position, AppendError> {
    let entries = entries("1");
    let batch = NewBatch::new(after, token, &entries);
    store.append(session, &batch).await
}

/// Downcasts the error of a call.
fn failure<T: std::fmt::Debug>(outcome: Result<T, AppendError>) -> PostgresError {
    match outcome {
        Err(AppendError::Failed(error)) => *error.downcast().unwrap(),
        other => panic!("was to fail: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_hosts_migrate_the_schema_once() {
    let mut hosts = tokio::task::JoinSet::new();
    for _ in 0..12 {
        hosts.spawn(store("started_at_once"));
    }
    let stores = hosts.join_all().await;
    let session = LogKey::new("p", "s");
    let token = Token::next(None, "host");
    let at = append(&stores[0], &session, Position::START, &token).await;
    let head = stores[11].head(&session).await.unwrap();
    assert_eq!(head, Some(Head::new(at.unwrap(), token)));
    let client = client().await;
    let versions = client
        .query("SELECT version FROM started_at_once.migrations", &[])
        .await;
    assert_eq!(versions.unwrap().len(), 1);
}

#[tokio::test]
async fn newer_schemas_are_refused() {
    store("of_a_newer_version").await;
    let client = client().await;
    client
        .execute("INSERT INTO of_a_newer_version.migrations VALUES (99)", &[])
        .await
        .unwrap();
    let options = PostgresOptions::new().schema("of_a_newer_version");
    let error = options.connect(config()).await.unwrap_err();
    assert!(
        matches!(error, PostgresError::NewerSchema { found: 99, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn names_of_schemas_are_checked() {
    for name in [String::new(), "a\0b".to_owned(), "a".repeat(64)] {
        let options = PostgresOptions::new().schema(&name);
        let error = options.connect(config()).await.unwrap_err();
        assert!(
            matches!(&error, PostgresError::SchemaName(it) if *it == name),
            "{error}"
        );
    }
}

#[tokio::test]
async fn unsupported_texts_are_errors() {
    let store = store("refused_texts").await;
    let token = Token::new(1, "writer");
    let long = "x".repeat(KEY_BYTES + 1);
    for (project, id) in [("a\0", "s"), ("p", "\0"), (&*long, "s"), ("p", &*long)] {
        let session = LogKey::new(project, id);
        let error = failure(append(&store, &session, Position::START, &token).await);
        let is_expected = matches!(
            error,
            PostgresError::Nul(_) | PostgresError::KeyTooLong { bytes: 1_001, .. }
        );
        assert!(is_expected, "{error}");
        store.head(&session).await.unwrap_err();
        store.read(&session, Position::START).await.unwrap_err();
        store.parts(&session).await.unwrap_err();
        failure(store.delete(&session, &token).await);
    }
    store.list("\0").await.unwrap_err();
    let session = LogKey::new("p", "s");
    let writer = Token::new(1, "\0");
    let error = failure(append(&store, &session, Position::START, &writer).await);
    assert!(matches!(error, PostgresError::Nul("writer")), "{error}");
    let entries = [Entry::new(
        Part::Transcript("\0".into()),
        "1".parse().unwrap(),
    )];
    let batch = NewBatch::new(Position::START, &token, &entries);
    failure(store.append(&session, &batch).await);
    // Keys of the maximum length are accepted.
    let longest: String = (0..KEY_BYTES)
        .map(|it| char::from(b'!' + (it * 31 % 90) as u8))
        .collect();
    let session = LogKey::new(longest.clone(), longest);
    append(&store, &session, Position::START, &token)
        .await
        .unwrap();
}

#[tokio::test]
async fn numbers_of_tokens_use_all_64_bits() {
    let store = store("numbers").await;
    let session = LogKey::new("p", "s");
    let mut at = Position::START;
    for number in [0, 1, i64::MAX as u64, 1 << 63, u64::MAX - 1, u64::MAX] {
        let token = Token::new(number, "writer");
        at = append(&store, &session, at, &token).await.unwrap();
        assert_eq!(store.head(&session).await.unwrap().unwrap().token, token);
    }
    let stale = Token::new(i64::MAX as u64, "writer");
    let refused = append(&store, &session, at, &stale).await.unwrap_err();
    assert!(refused.refusal().is_some(), "{refused}");
    let owner = Token::new(u64::MAX, "writer");
    let beyond = Position(u64::MAX);
    let refused = append(&store, &session, beyond, &owner).await.unwrap_err();
    assert!(refused.refusal().is_some(), "{refused}");
    assert_eq!(store.read(&session, beyond).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_connections_are_replaced() {
    let store = store("lost_connections").await;
    let client = client().await;
    let session = LogKey::new("p", "s");
    let token = Token::new(1, "writer");
    let mut at = Position::START;
    for _ in 0..10 {
        // Several connections are lost.
        let heads: Vec<_> = (0..8).map(|_| store.head(&session)).collect();
        let mut all = tokio::task::JoinSet::new();
        for _ in heads {
            let (store, session) = (store.clone(), session.clone());
            all.spawn(async move { store.head(&session).await.unwrap() });
        }
        all.join_all().await;
        let ended = client
            .query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE query LIKE '%lost_connections%' AND pid <> pg_backend_pid()",
                &[],
            )
            .await;
        assert!(!ended.unwrap().is_empty());
        at = append(&store, &session, at, &token).await.unwrap();
    }
    assert_eq!(store.head(&session).await.unwrap().unwrap().position, at);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stricter_isolation_levels_are_supported() {
    use agentwire_stores::postgres::deadpool_postgres::{Manager, Pool};
    for level in ["repeatable\\ read", "serializable"] {
        let mut config = config();
        config.options(format!("-c default_transaction_isolation={level}"));
        let pool = Pool::builder(Manager::new(config, NoTls)).build().unwrap();
        let options = PostgresOptions::new().schema(level);
        let store = options.with_pool(pool).await.unwrap();
        let session = LogKey::new("p", "s");
        let mut writers = tokio::task::JoinSet::new();
        for number in 0..8 {
            let (store, session) = (store.clone(), session.clone());
            writers.spawn(async move {
                let token = Token::new(1, format!("writer-{number}"));
                let mut kept = 0;
                for _ in 0..10 {
                    let head = store.head(&session).await.unwrap();
                    let after = head.as_ref().map_or(Position::START, |it| it.position);
                    let token = match kept {
                        0 => Token::next(head.as_ref(), format!("writer-{number}")),
                        _ => token.clone(),
                    };
                    match append(&store, &session, after, &token).await {
                        Ok(_) => kept += 1,
                        Err(error) => assert!(error.refusal().is_some(), "{error}"),
                    }
                }
            });
        }
        writers.join_all().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_time_out_and_can_be_retried() {
    let limit = Duration::from_millis(300);
    let options = PostgresOptions::new().schema("slow").timeout(limit);
    let store = options.connect(config()).await.unwrap();
    let session = LogKey::new("p", "s");
    let token = Token::new(1, "writer");
    let at = append(&store, &session, Position::START, &token)
        .await
        .unwrap();
    let mut client = client().await;
    let transaction = client.transaction().await.unwrap();
    let lock = "SELECT 1 FROM slow.logs FOR UPDATE";
    transaction.query(lock, &[]).await.unwrap();
    let error = failure(append(&store, &session, at, &token).await);
    assert!(
        matches!(error, PostgresError::TimedOut(it) if it == limit),
        "{error}"
    );
    transaction.rollback().await.unwrap();
    // The batch may be stored by now.
    let kept = append(&store, &session, at, &token).await.unwrap();
    assert_eq!(kept.0, at.0 + 1);
}

#[tokio::test]
async fn a_missing_batch_is_damage() {
    let store = store("damaged").await;
    let client = client().await;
    let token = Token::new(1, "writer");
    for missing in 1..=3 {
        let session = LogKey::new("p", missing.to_string());
        let mut at = Position::START;
        for _ in 0..3 {
            at = append(&store, &session, at, &token).await.unwrap();
        }
        let remove = "DELETE FROM damaged.batches WHERE position = $1
             AND log = (SELECT id FROM damaged.logs WHERE session_id = $2)";
        let position = i64::from(missing);
        let removed = client
            .execute(remove, &[&position, &session.session_id])
            .await;
        assert_eq!(removed.unwrap(), 1);
        // An empty page shows that the end of the log is missing.
        let mut read = store.read(&session, Position::START).await;
        if let Ok(batches) = &read {
            read = store.read(&session, batches.last().unwrap().position).await;
        }
        let error = read.unwrap_err();
        let error = error.downcast_ref::<PostgresError>().unwrap();
        let found = matches!(error, PostgresError::Damaged { position, .. } if position.0 == missing as u64);
        assert!(found, "{error}");
    }
}
