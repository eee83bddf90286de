//! Every store holds every contract.

#![allow(clippy::unwrap_used)]

use agentwire_testkit::stores::Conformance;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_in_memory_holds_every_contract() {
    let outcomes = Conformance::default()
        .check(agentwire_stores::MemoryLog::new())
        .await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[cfg(feature = "encryption")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_encrypted_store_holds_every_contract() {
    use agentwire_stores::{Encrypted, Layered, MemoryLog};

    let store = Layered::new(MemoryLog::new(), Encrypted::new([7; 32]));
    let outcomes = Conformance::default().many(2_000).check(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[cfg(feature = "directory")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_in_a_directory_holds_every_contract() {
    let folder = tempfile::tempdir().unwrap();
    let store = agentwire_stores::Directory::new(folder.path().join("store"));
    let outcomes = Conformance::default().check(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_in_sqlite_holds_every_contract() {
    let folder = tempfile::tempdir().unwrap();
    let store = agentwire_stores::Sqlite::open(folder.path().join("sessions.db")).unwrap();
    let outcomes = Conformance::default().check(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[cfg(feature = "objects")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_in_an_object_store_in_memory_holds_every_contract() {
    use agentwire_stores::objects::{Objects, object_store::memory::InMemory};

    let store = Objects::open(InMemory::new()).await.unwrap();
    let outcomes = Conformance::default().check(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[cfg(feature = "objects")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_in_an_object_store_of_files_holds_every_contract() {
    use agentwire_stores::objects::{Objects, object_store::local::LocalFileSystem};

    let folder = tempfile::tempdir().unwrap();
    let files = LocalFileSystem::new_with_prefix(folder.path()).unwrap();
    let store = Objects::open(files).await.unwrap();
    let outcomes = Conformance::default().check(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}
