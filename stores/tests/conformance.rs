//! Runs the conformance suite on the local stores.

#![allow(clippy::unwrap_used)]

use agentwire_testkit::stores::Conformance;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_passes() {
    let outcomes = Conformance::default()
        .check(agentwire_stores::MemoryLog::new())
        .await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[cfg(feature = "encryption")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_encrypted_store_passes() {
    use agentwire_stores::{Encrypted, Layered, MemoryLog};

    let store = Layered::new(MemoryLog::new(), Encrypted::new([7; 32]));
    let outcomes = Conformance::default().many(2_000).check(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[cfg(feature = "directory")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn directory_passes() {
    let folder = agentwire_testing::tempdir().unwrap();
    let store = agentwire_stores::Directory::new(folder.path().join("store"));
    let outcomes = Conformance::default().check(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_passes() {
    let folder = agentwire_testing::tempdir().unwrap();
    let store = agentwire_stores::Sqlite::open(folder.path().join("sessions.db")).unwrap();
    let outcomes = Conformance::default().check(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[cfg(feature = "objects")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_in_memory_pass() {
    use agentwire_stores::objects::{Objects, object_store::memory::InMemory};

    let store = Objects::open(InMemory::new()).await.unwrap();
    let outcomes = Conformance::default().check(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[cfg(feature = "objects")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_in_files_pass() {
    use agentwire_stores::objects::{Objects, object_store::local::LocalFileSystem};

    let folder = agentwire_testing::tempdir().unwrap();
    let files = LocalFileSystem::new_with_prefix(folder.path()).unwrap();
    let store = Objects::open(files).await.unwrap();
    let outcomes = Conformance::default().check(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}
