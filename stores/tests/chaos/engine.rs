//! The store of the hosts, and a proxy that can cut and slow its connections.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The kind and the address of the store of both hosts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Engine {
    Directory(PathBuf),
    /// The port on this machine, and the schema.
    Postgres(u16, String),
    /// The port on this machine, and the prefix.
    Nats(u16, String),
    Redis(u16, String),
    S3(u16, String),
}

/// Calls a generic function with the store of an engine.
macro_rules! on_store {
    ($engine:expr, $store:ident => $body:expr) => {
        match $engine {
            $crate::engine::Engine::Directory(path) => {
                let $store = agentwire_stores::Directory::new(path);
                $body
            }
            $crate::engine::Engine::Postgres(port, schema) => {
                let config = format!("host=127.0.0.1 port={port} user=agentwire dbname=postgres");
                let options = agentwire_stores::postgres::PostgresOptions::new().schema(schema);
                let $store = options.connect(config.parse().unwrap()).await.unwrap();
                $body
            }
            $crate::engine::Engine::Nats(port, prefix) => {
                use agentwire_stores::nats::{NatsOptions, async_nats};
                let client = async_nats::connect(format!("nats://127.0.0.1:{port}")).await;
                let options = NatsOptions::new().prefix(prefix);
                let $store = options.connect(client.unwrap()).await.unwrap();
                $body
            }
            $crate::engine::Engine::Redis(port, prefix) => {
                use agentwire_stores::redis::{RedisOptions, redis};
                let client = redis::Client::open(format!("redis://127.0.0.1:{port}")).unwrap();
                let options = RedisOptions::new().prefix(prefix);
                let $store = options.connect(client).await.unwrap();
                $body
            }
            $crate::engine::Engine::S3(port, prefix) => {
                let options = agentwire_stores::objects::ObjectsOptions::new().prefix(prefix);
                let bucket = $crate::bucket::bucket(&format!("http://127.0.0.1:{port}"));
                let $store = options.open(bucket).await.unwrap();
                $body
            }
        }
    };
}
pub(crate) use on_store;

impl Engine {
    /// Returns the same engine on another port.
    pub(crate) fn at(&self, port: u16) -> Self {
        match self {
            Self::Directory(path) => Self::Directory(path.clone()),
            Self::Postgres(_, schema) => Self::Postgres(port, schema.clone()),
            Self::Nats(_, prefix) => Self::Nats(port, prefix.clone()),
            Self::Redis(_, prefix) => Self::Redis(port, prefix.clone()),
            Self::S3(_, prefix) => Self::S3(port, prefix.clone()),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Directory(_) => "directory",
            Self::Postgres(..) => "PostgreSQL",
            Self::Nats(..) => "NATS",
            Self::Redis(..) => "Redis",
            Self::S3(..) => "S3 of moto",
        }
    }

    pub(crate) fn port(&self) -> Option<u16> {
        match self {
            Self::Directory(_) => None,
            Self::Postgres(port, _)
            | Self::Nats(port, _)
            | Self::Redis(port, _)
            | Self::S3(port, _) => Some(*port),
        }
    }
}

/// The state of the connections of a proxy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ConnectionState {
    Open,
    /// Data is discarded silently in both directions.
    Cut,
    /// Each read is delayed by this time.
    Slow(Duration),
}

/// A proxy of a server. Its connections can be cut and slowed.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    line: Arc<watch::Sender<ConnectionState>>,
}

impl Proxy {
    pub(crate) async fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let line = Arc::new(watch::Sender::new(ConnectionState::Open));
        let state = Arc::clone(&line);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let mut state = state.subscribe();
                tokio::spawn(async move {
                    // While the proxy is cut, new connections get no response either.
                    let _ = state.wait_for(|it| *it != ConnectionState::Cut).await;
                    let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await else {
                        return;
                    };
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = server.into_split();
                    tokio::join!(
                        forward(from_client, to_server, state.clone()),
                        forward(from_server, to_client, state),
                    );
                });
            }
        });
        Self { port, line }
    }

    pub(crate) fn set(&self, line: ConnectionState) {
        self.line.send_replace(line);
    }
}

async fn forward(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut state: watch::Receiver<ConnectionState>,
) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let Ok(length @ 1..) = from.read(&mut buffer).await else {
            let _ = to.shutdown().await;
            return;
        };
        // Data in flight is not delivered.
        let Ok(line) = state
            .wait_for(|it| *it != ConnectionState::Cut)
            .await
            .map(|it| *it)
        else {
            return;
        };
        if let ConnectionState::Slow(time) = line {
            tokio::time::sleep(time).await;
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
