//! Tests of `Nats`.

use crate::support::required_variable;
use agentwire_protocol::Json;
use agentwire_stores::nats::async_nats::jetstream::{self, Context};
use agentwire_stores::nats::{Nats, NatsError, NatsOptions, async_nats};
use agentwire_stores::session_log::{
    AppendError, Entry, Head, LogKey, LogStore, NewBatch, Part, Position, Token,
};

async fn client() -> async_nats::Client {
    let client = async_nats::connect(required_variable("AGENTWIRE_TEST_NATS")).await;
    client.unwrap()
}

async fn context() -> Context {
    jetstream::new(client().await)
}

async fn store(prefix: &str) -> Nats {
    let options = NatsOptions::new().prefix(prefix);
    options.connect(client().await).await.unwrap()
}

async fn messages(context: &Context, stream: &str) -> u64 {
    let stream = context.get_stream(stream).await.unwrap();
    stream.cached_info().state.messages
}

/// Returns one entry of this size.
fn entries(bytes: usize) -> [Entry; 1] {
    let text = format!("\"{}\"", "x".repeat(bytes.saturating_sub(2)));
    [Entry::new(Part::Main, text.parse().unwrap())]
}

async fn append(
    store: &Nats,
    session: &LogKey,
    after: Position,
    token: &Token,
    bytes: usize,
) -> Result<Position, AppendError> {
    let entries = entries(bytes);
    let batch = NewBatch::new(after, token, &entries);
    store.append(session, &batch).await
}

fn failure<T: std::fmt::Debug>(outcome: Result<T, AppendError>) -> NatsError {
    match outcome {
        Err(AppendError::Failed(error)) => *error.downcast().unwrap(),
        other => panic!("was to fail: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_hosts_create_one_stream() {
    let mut hosts = tokio::task::JoinSet::new();
    for _ in 0..12 {
        hosts.spawn(store("started-at-once"));
    }
    let stores = hosts.join_all().await;
    let session = LogKey::new("p", "s");
    let token = Token::next(None, "host");
    let at = append(&stores[0], &session, Position::START, &token, 10).await;
    let head = stores[11].head(&session).await.unwrap();
    assert_eq!(head, Some(Head::new(at.unwrap(), token)));
}

#[tokio::test]
async fn prefixes_are_checked() {
    for prefix in ["", "a.b", "a b", ">", "é", &"a".repeat(33)] {
        let options = NatsOptions::new().prefix(prefix);
        let error = options.connect(client().await).await.unwrap_err();
        assert!(
            matches!(&error, NatsError::Prefix(it) if it == prefix),
            "{error}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cached_end_does_not_bypass_the_owner_check() {
    let (one, other) = (store("remembered").await, store("remembered").await);
    let session = LogKey::new("p", "s");
    let (first, second) = (Token::new(1, "one"), Token::new(2, "other"));
    let at = append(&one, &session, Position::START, &first, 10)
        .await
        .unwrap();
    let taken = append(&other, &session, at, &second, 10).await.unwrap();
    for after in [at, taken] {
        let refused = append(&one, &session, after, &first, 10).await.unwrap_err();
        let head = Head::new(taken, second.clone());
        assert_eq!(refused.refusal().unwrap().head, Some(head));
    }
    // The owner is also checked after a deletion.
    other.delete(&session, &second).await.unwrap();
    append(&other, &session, taken, &second, 10)
        .await
        .unwrap_err();
    let end = one.head(&session).await.unwrap().unwrap();
    append(&other, &session, end.position, &second, 10)
        .await
        .unwrap_err();
    assert!(end.is_deleted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_large_batches_leave_no_chunks() {
    let (store, context) = (store("large").await, context().await);
    let session = LogKey::new("p", "s");
    let (owner, stale) = (Token::new(2, "owner"), Token::new(1, "stale"));
    let small = append(&store, &session, Position::START, &owner, 10).await;
    let small = small.unwrap();
    assert_eq!(messages(&context, "large").await, 1, "it is one message");
    let at = append(&store, &session, small, &owner, 3 << 20)
        .await
        .unwrap();
    // The small batch, four chunks of just under 1 MiB, and the large batch.
    assert_eq!(messages(&context, "large").await, 6);
    // A repeated batch succeeds. A batch of an old owner is refused.
    let again = append(&store, &session, small, &owner, 3 << 20).await;
    assert_eq!(again.unwrap(), at);
    append(&store, &session, at, &stale, 3 << 20)
        .await
        .unwrap_err();
    assert_eq!(messages(&context, "large").await, 6);
    // Two concurrent appends, one of which is stored.
    let tokens = [Token::new(3, "one"), Token::new(3, "other")];
    let (one, other) = tokio::join!(
        append(&store, &session, at, &tokens[0], 2 << 20),
        append(&store, &session, at, &tokens[1], 2 << 20),
    );
    let kept = one.is_ok() as usize + other.is_ok() as usize;
    assert_eq!(kept, 1, "{one:?} {other:?}");
    assert_eq!(messages(&context, "large").await, 10);
    // The message that ends a deleted log remains.
    let token = Token::new(4, "last");
    store.delete(&session, &token).await.unwrap();
    assert_eq!(messages(&context, "large").await, 1);
    let end = store.head(&session).await.unwrap().unwrap();
    assert_eq!((end.is_deleted, end.token), (true, token));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_large_summaries_are_errors() {
    let store = store("summaries").await;
    let token = Token::new(1, "writer");
    let entries = entries(500_000);
    let mut at = Position::START;
    let session = LogKey::new("p", "s");
    for bytes in [100, 300_000, 1_000_000, 1_048_576] {
        let summary: Json = format!("\"{}\"", "s".repeat(bytes)).parse().unwrap();
        let batch = NewBatch::new(at, &token, &entries).summary(&summary);
        let outcome = store.append(&session, &batch).await;
        if bytes == 1_048_576 {
            let error = failure(outcome);
            assert!(matches!(error, NatsError::TooLarge { .. }), "{error}");
            continue;
        }
        at = outcome.unwrap();
        let summaries = store.summaries("p").await.unwrap();
        assert_eq!(summaries[0].1.as_ref().unwrap().as_ref(), Some(&summary));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_deletion_can_be_repeated() {
    let (store, context) = (store("unfinished").await, context().await);
    let session = LogKey::new("p", "s");
    let token = Token::new(1, "writer");
    let mut at = Position::START;
    let mut positions = vec![at];
    for _ in 0..3 {
        at = append(&store, &session, at, &token, 10).await.unwrap();
        positions.push(at);
    }
    // Deletes a session, but omits the purge.
    let mut headers = async_nats::HeaderMap::new();
    headers.insert("Agentwire-Key", "p.s");
    headers.insert("Agentwire-Token", "1.writer");
    headers.insert("Agentwire-After", at.0.to_string());
    headers.insert("Agentwire-Start", "0");
    headers.insert("Agentwire-Bytes", "0");
    headers.insert("Agentwire-Deleted", "1");
    let deleted = context.publish_with_headers("unfinished.log.p.s", headers, "".into());
    let deleted = Position(deleted.await.unwrap().await.unwrap().sequence);
    assert_eq!(messages(&context, "unfinished").await, 4);
    assert_eq!(store.list("p").await.unwrap(), []);
    assert_eq!(store.parts(&session).await.unwrap(), []);
    for after in &positions {
        assert_eq!(store.read(&session, *after).await.unwrap(), []);
        let refused = append(&store, &session, *after, &token, 10).await;
        let head = Head::deleted(deleted, token.clone());
        assert_eq!(refused.unwrap_err().refusal().unwrap().head, Some(head));
    }
    // A newer owner continues; older messages stay hidden.
    let newer = Token::new(2, "newer");
    let next = append(&store, &session, deleted, &newer, 10).await.unwrap();
    for after in positions.iter().chain([&deleted]) {
        let batches = store.read(&session, *after).await.unwrap();
        let found: Vec<_> = batches.iter().map(|it| it.position).collect();
        assert_eq!(found, [next], "behind {after}");
        if *after != deleted {
            append(&store, &session, *after, &token, 10)
                .await
                .unwrap_err();
        }
    }
    store.delete(&session, &newer).await.unwrap();
    assert_eq!(messages(&context, "unfinished").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_message_is_damage() {
    let (store, context) = (store("damaged").await, context().await);
    let stream = context.get_stream("damaged").await.unwrap();
    let token = Token::new(1, "writer");
    for missing in 0..3 {
        let session = LogKey::new("p", missing.to_string());
        let (mut at, mut positions) = (Position::START, Vec::new());
        for _ in 0..4 {
            at = append(&store, &session, at, &token, 10).await.unwrap();
            positions.push(at);
        }
        let removed = stream.delete_message(positions[missing].0).await;
        assert!(removed.unwrap());
        let error = store.read(&session, Position::START).await.unwrap_err();
        let error = error.downcast_ref::<NatsError>().unwrap();
        let next = positions[missing + 1];
        let found = matches!(error, NatsError::Damaged { position, .. } if *position == next);
        assert!(found, "{error}");
    }
    // A chunk of a large batch.
    let session = LogKey::new("p", "large");
    let at = append(&store, &session, Position::START, &token, 1 << 20).await;
    stream.delete_message(at.unwrap().0 - 1).await.unwrap();
    let error = store.read(&session, Position::START).await.unwrap_err();
    assert!(
        matches!(error.downcast_ref(), Some(NatsError::Damaged { .. })),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_sessions_are_listed() {
    let store = store("thousand").await;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..8 {
        let store = store.clone();
        writers.spawn(async move {
            for number in 0..150 {
                let session = LogKey::new("p", format!("{writer}-{number}"));
                let token = Token::new(1, "writer");
                let at = append(&store, &session, Position::START, &token, 10).await;
                append(&store, &session, at.unwrap(), &token, 10)
                    .await
                    .unwrap();
            }
        });
    }
    writers.join_all().await;
    assert_eq!(store.list("p").await.unwrap().len(), 1_200);
    assert_eq!(store.summaries("p").await.unwrap().len(), 1_200);
    // Consumers are removed.
    let stream = context().await.get_stream("thousand").await.unwrap();
    assert_eq!(stream.cached_info().state.consumer_count, 0);
}
