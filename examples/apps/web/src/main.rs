//! A chat with an agent in the browser.

mod guard;
mod routes;
mod session;
mod store;

use agentwire_pool::{Limits, Pool};
use clap::Parser;
use fake::Fake;
use std::error::Error;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use store::Store;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// A chat with an agent in the browser, on 127.0.0.1.
#[derive(Parser)]
struct Arguments {
    /// The port; 0 selects a free one
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The directory in which the agents work
    #[arg(long, default_value = ".")]
    cwd: PathBuf,
    /// How many agents may run at once; idle ones sleep while others wait
    #[arg(long, default_value_t = 8)]
    processes: usize,
    #[command(flatten)]
    fake: Fake,
}

fn main() -> Result<(), Box<dyn Error>> {
    fake::run_if_asked();
    let arguments = Arguments::parse();
    // Closes every session when the server stops.
    let _guard = agentwire::ExitGuard::new();
    tokio::runtime::Runtime::new()?.block_on(serve(arguments))
}

async fn serve(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let options = arguments.fake.options(include_str!("../fake.json"))?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port)).await?;
    let address = listener.local_addr()?;
    let pool = Pool::new(Limits::new(arguments.processes));
    let store = Store::new(pool, options, &arguments.cwd.canonicalize()?)?;
    let routes = routes::routes(store, address.port());
    println!("http://{address}");

    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        // Event streams never end, so there is no waiting for open connections.
        served = axum::serve(listener, routes) => served?,
        _ = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    Ok(())
}
