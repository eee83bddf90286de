//! The measured stores.

use agentwire_stores::{Directory, Sqlite};
use std::path::Path;

/// A function that is called with each store.
pub(crate) trait Visit {
    async fn visit<S: agentwire_stores::session_log::LogStore>(self, store: S);
}

/// Returns the names of the available stores.
pub(crate) fn names() -> Vec<&'static str> {
    let mut names = vec!["directory", "sqlite"];
    if std::env::var_os(POSTGRES).is_some() {
        names.extend(["postgres", "nats"]);
    }
    names
}

/// Returns a variable of `scripts/stores`.
const POSTGRES: &str = "AGENTWIRE_TEST_POSTGRES";

/// Opens a store. Local stores have their files in `folder`. A store that is opened again has the
/// same logs.
pub(crate) async fn open(name: &str, folder: &Path, visit: impl Visit) {
    match name {
        "directory" => visit.visit(Directory::new(folder.join("logs"))).await,
        "sqlite" => {
            let store = Sqlite::open(folder.join("logs.db"));
            visit.visit(store.unwrap()).await;
        }
        "postgres" => {
            let config = std::env::var(POSTGRES).unwrap().parse();
            let store = agentwire_stores::Postgres::connect(config.unwrap()).await;
            visit.visit(store.unwrap()).await;
        }
        "nats" => {
            let address = std::env::var("AGENTWIRE_TEST_NATS").unwrap();
            let client = agentwire_stores::nats::async_nats::connect(address).await;
            let store = agentwire_stores::Nats::connect(client.unwrap()).await;
            visit.visit(store.unwrap()).await;
        }
        _ => panic!("no store {name}"),
    }
}
