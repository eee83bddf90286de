use agentwire::store::MemoryStore;
use agentwire::{Client, Error, Options};

pub async fn run(options: Options) -> Result<(), Error> {
    // Implement `SessionStore` for your database in the same way.
    let store = MemoryStore::new();
    let mut client = Client::connect(options.session_store(store.clone())).await?;
    client.prompt("Hello").await?;
    client.flush_store().await?;
    for key in store.keys() {
        println!("{} entries", store.entries(&key).len());
    }
    client.close().await;
    Ok(())
}
