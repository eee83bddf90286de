//! Tests of `Objects` on an object store with the anomalies of real ones.

#![allow(clippy::unwrap_used)]

use agentwire_protocol::Json;
use agentwire_stores::objects::object_store::memory::InMemory;
use agentwire_stores::objects::object_store::path::Path;
use agentwire_stores::objects::object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    Result,
};
use agentwire_stores::objects::{Objects, ObjectsError, ObjectsOptions};
use agentwire_stores::session_log::{
    AppendError, Entry, LogKey, LogStore, NewBatch, Part, Position, Token,
};
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The anomaly of an object store.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Anomaly {
    None,
    /// The store overwrites existing objects.
    Overwrites,
    /// The store creates an object, but the response is lost. The client's retry conflicts.
    SaysExistsAfterCreating,
    /// The store reports this number of times that a missing object exists, like S3 during a
    /// concurrent creation.
    SaysExists(usize),
    /// The store lists objects in any order.
    ListsBackwards,
    /// Requests for batches get no response.
    Hangs,
    /// Only the first object can be overwritten.
    EmptiesOne,
}

#[derive(Debug)]
struct AnomalousStore {
    inner: Arc<InMemory>,
    anomaly: Anomaly,
    times: AtomicUsize,
}

impl AnomalousStore {
    fn new(inner: &Arc<InMemory>, anomaly: Anomaly) -> Self {
        Self {
            inner: Arc::clone(inner),
            anomaly,
            times: AtomicUsize::new(0),
        }
    }

    /// Returns the number of earlier anomalies, and counts one more.
    fn count(&self) -> usize {
        self.times.fetch_add(1, Ordering::SeqCst)
    }
}

impl std::fmt::Display for AnomalousStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Odd({:?})", self.anomaly)
    }
}

fn exists(path: &Path) -> Error {
    Error::AlreadyExists {
        path: path.to_string(),
        source: "412".into(),
    }
}

#[async_trait::async_trait]
impl ObjectStore for AnomalousStore {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        mut options: PutOptions,
    ) -> Result<PutResult> {
        let is_created = options.mode == PutMode::Create;
        let is_batch = path.as_ref().contains("/logs/");
        match self.anomaly {
            Anomaly::Overwrites => options.mode = PutMode::Overwrite,
            Anomaly::SaysExistsAfterCreating if is_created && is_batch => {
                self.inner.put_opts(path, payload, options).await?;
                return Err(exists(path));
            }
            Anomaly::SaysExists(times) if is_created && is_batch && self.count() < times => {
                return Err(exists(path));
            }
            Anomaly::Hangs if is_batch => std::future::pending().await,
            Anomaly::EmptiesOne if !is_created && self.count() > 0 => {
                let (store, source) = ("Odd", "503".into());
                return Err(Error::Generic { store, source });
            }
            _ => {}
        }
        self.inner.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.inner.get_opts(path, options).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let listed = self.inner.list(prefix);
        if self.anomaly != Anomaly::ListsBackwards {
            return listed;
        }
        let backwards = async {
            let mut listed: Vec<_> = listed.try_collect().await?;
            listed.reverse();
            Ok::<_, Error>(futures_util::stream::iter(listed.into_iter().map(Ok)))
        };
        futures_util::stream::once(backwards).try_flatten().boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

async fn store(objects: &Arc<InMemory>, anomaly: Anomaly) -> Objects {
    let options = ObjectsOptions::new().timeout(Duration::from_millis(200));
    options
        .open(AnomalousStore::new(objects, anomaly))
        .await
        .unwrap()
}

fn session() -> LogKey {
    LogKey::new("crabs", "0d4f7d6a")
}

fn entry(text: &str) -> Entry {
    Entry::new(Part::Main, text.parse().unwrap())
}

async fn append(store: &Objects, after: u64, token: &Token) -> Result<Position, AppendError> {
    let entries = [entry(&format!(r#"{{"behind":{after}}}"#))];
    let batch = NewBatch::new(Position(after), token, &entries);
    store.append(&session(), &batch).await
}

async fn numbers(store: &Objects) -> Vec<u64> {
    let batches = store.read(&session(), Position::START).await.unwrap();
    batches.iter().map(|it| it.position.0).collect()
}

fn failure(error: AppendError) -> ObjectsError {
    match error {
        AppendError::Failed(error) => *error.downcast().unwrap(),
        other => panic!("was to fail: {other}"),
    }
}

#[tokio::test]
async fn overwriting_object_stores_are_refused() {
    let odd = AnomalousStore::new(&Arc::default(), Anomaly::Overwrites);
    let error = Objects::open(odd).await.unwrap_err();
    assert!(matches!(error, ObjectsError::NotExclusive), "{error}");
}

#[tokio::test]
async fn a_repeated_request_finds_its_own_object() {
    let store = store(&Arc::default(), Anomaly::SaysExistsAfterCreating).await;
    let token = Token::new(1, "a");
    for after in 0..5 {
        let position = append(&store, after, &token).await.unwrap();
        assert_eq!(position, Position(after + 1));
    }
    assert_eq!(numbers(&store).await, [1, 2, 3, 4, 5]);
    store.delete(&session(), &token).await.unwrap();
    assert!(store.head(&session()).await.unwrap().unwrap().is_deleted);
}

#[tokio::test]
async fn creation_is_retried_after_a_false_conflict() {
    let objects = Arc::default();
    let token = Token::new(1, "a");
    let odd = store(&objects, Anomaly::SaysExists(3)).await;
    assert_eq!(append(&odd, 0, &token).await.unwrap(), Position(1));
    assert_eq!(numbers(&odd).await, [1]);
    let odd = store(&objects, Anomaly::SaysExists(usize::MAX)).await;
    let error = failure(append(&odd, 1, &token).await.unwrap_err());
    let position = Position(2);
    assert!(
        matches!(&error, ObjectsError::NotListed { position: at, .. } if *at == position),
        "{error}"
    );
}

#[tokio::test]
async fn lists_may_have_any_order() {
    let objects = Arc::default();
    let token = Token::new(1, "a");
    let plain = store(&objects, Anomaly::None).await;
    for after in 0..12 {
        append(&plain, after, &token).await.unwrap();
    }
    let backwards = store(&objects, Anomaly::ListsBackwards).await;
    let head = backwards.head(&session()).await.unwrap().unwrap();
    assert_eq!(head.position, Position(12));
    assert_eq!(backwards.list("crabs").await.unwrap().len(), 1);
    append(&backwards, 12, &token).await.unwrap();
    assert_eq!(numbers(&plain).await, (1..=13).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn requests_time_out() {
    let store = store(&Arc::default(), Anomaly::Hangs).await;
    let error = failure(append(&store, 0, &Token::new(1, "a")).await.unwrap_err());
    assert!(matches!(error, ObjectsError::TimedOut { .. }), "{error}");
}

#[tokio::test]
async fn a_superseded_host_cannot_append_to_a_recreated_session() {
    let objects = Arc::default();
    let stopped = store(&objects, Anomaly::None).await;
    let token = Token::new(1, "stopped");
    append(&stopped, 0, &token).await.unwrap();
    // Another host continues, deletes and recreates the session.
    let other = store(&objects, Anomaly::None).await;
    let newer = Token::new(2, "other");
    for after in 1..4 {
        append(&other, after, &newer).await.unwrap();
    }
    other.delete(&session(), &newer).await.unwrap();
    append(&other, 5, &Token::new(3, "other")).await.unwrap();
    let error = append(&stopped, 1, &token).await.unwrap_err();
    assert!(error.refusal().is_some(), "{error}");
    assert_eq!(numbers(&stopped).await, [6]);
    // Nothing is stored in the deleted log.
    let listed: Vec<ObjectMeta> = objects.list(None).try_collect().await.unwrap();
    let empty = listed.iter().filter(|it| it.size == 0).count();
    // The count includes the object of the probe.
    assert_eq!((listed.len(), empty), (7, 5));
}

#[tokio::test]
async fn an_interrupted_deletion_can_be_repeated() {
    let objects = Arc::default();
    let token = Token::new(1, "a");
    let odd = store(&objects, Anomaly::EmptiesOne).await;
    for after in 0..4 {
        append(&odd, after, &token).await.unwrap();
    }
    odd.delete(&session(), &token).await.unwrap_err();
    let plain = store(&objects, Anomaly::None).await;
    assert!(numbers(&plain).await.is_empty());
    assert!(plain.list("crabs").await.unwrap().is_empty());
    plain.delete(&session(), &token).await.unwrap();
    let listed: Vec<ObjectMeta> = objects.list(None).try_collect().await.unwrap();
    let full = listed.iter().filter(|it| it.size > 0).count();
    assert_eq!(full, 1, "only the deletion has contents");
}

#[tokio::test]
async fn missing_and_invalid_objects_are_damage() {
    let token = Token::new(1, "a");
    for damage in ["missing", "empty", "odd", "of another"] {
        let objects: Arc<InMemory> = Arc::default();
        let plain = store(&objects, Anomaly::None).await;
        for after in 0..4 {
            append(&plain, after, &token).await.unwrap();
        }
        let listed: Vec<ObjectMeta> = objects.list(None).try_collect().await.unwrap();
        let at = |number: &str| {
            let found = listed
                .iter()
                .find(|it| it.location.as_ref().ends_with(number));
            &found.unwrap().location
        };
        let third = at("03");
        match damage {
            "missing" => objects.delete(third).await.unwrap(),
            "empty" => drop(objects.put(third, PutPayload::default()).await.unwrap()),
            "odd" => drop(objects.put(third, PutPayload::from("{}")).await.unwrap()),
            _ => objects.copy(at("02"), third).await.unwrap(),
        }
        let other = store(&objects, Anomaly::None).await;
        let error = other.read(&session(), Position::START).await.unwrap_err();
        let error: Box<ObjectsError> = error.downcast().unwrap();
        assert!(matches!(*error, ObjectsError::Damaged { .. }), "{error}");
    }
}

#[tokio::test]
async fn an_unreadable_log_does_not_hide_other_sessions() {
    let objects: Arc<InMemory> = Arc::default();
    let plain = store(&objects, Anomaly::None).await;
    let (token, entries) = (Token::new(1, "a"), [Entry::new(Part::Main, Json::null())]);
    let batch = NewBatch::new(Position::START, &token, &entries);
    for id in ["a.b", "c"] {
        let session = LogKey::new("crabs", id);
        plain.append(&session, &batch).await.unwrap();
    }
    let listed: Vec<ObjectMeta> = objects.list(None).try_collect().await.unwrap();
    let is_first = |it: &&ObjectMeta| it.location.as_ref().contains("a=2Eb");
    let first = listed.iter().find(is_first).unwrap();
    objects
        .put(&first.location, PutPayload::from("{}"))
        .await
        .unwrap();
    let mut found = plain.summaries("crabs").await.unwrap();
    found.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
    let [(damaged, Err(error)), (whole, Ok(None))] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!((&*damaged.id, &*whole.id), ("a.b", "c"));
    assert!(
        matches!(error.downcast_ref(), Some(ObjectsError::Damaged { .. })),
        "{error}"
    );
}

#[tokio::test]
async fn other_objects_below_the_prefix_are_ignored() {
    let objects: Arc<InMemory> = Arc::default();
    let plain = store(&objects, Anomaly::None).await;
    append(&plain, 0, &Token::new(1, "a")).await.unwrap();
    for path in [
        "agentwire/logs/crabs/0d4f7d6a/notes.txt",
        "agentwire/logs/crabs/notes",
    ] {
        let path = Path::from(path);
        objects.put(&path, PutPayload::from("hello")).await.unwrap();
    }
    let other = store(&objects, Anomaly::None).await;
    assert_eq!(numbers(&other).await, [1]);
    assert_eq!(other.list("crabs").await.unwrap().len(), 1);
}

#[tokio::test]
async fn any_text_is_a_valid_and_distinct_prefix() {
    let objects: Arc<InMemory> = Arc::default();
    let prefixes = ["", "a", "a/b", "a/b/logs", "../x", "ü %2F *", "logs"];
    for prefix in prefixes {
        let odd = AnomalousStore::new(&objects, Anomaly::None);
        let store = ObjectsOptions::new()
            .prefix(prefix)
            .open(odd)
            .await
            .unwrap();
        assert!(store.list("crabs").await.unwrap().is_empty(), "{prefix}");
        append(&store, 0, &Token::new(1, "a")).await.unwrap();
        assert_eq!(numbers(&store).await, [1], "{prefix}");
    }
}
