//! Stores on servers, compared with `tokio-postgres` and `async-nats`.

use super::server::{NatsServer, Server};
use super::support::required_variable;
use super::{BATCHES, Client, compare};
use agentwire_stores::nats::async_nats::HeaderMap;
use agentwire_stores::nats::async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType};
use agentwire_stores::nats::async_nats::jetstream::{self, Context};
use agentwire_stores::nats::{Nats, async_nats};
use agentwire_stores::postgres::{Postgres, tokio_postgres};
use agentwire_stores::session_log::Entry;
use tokio_postgres::types::ToSql;
use tokio_postgres::{NoTls, Statement};

pub(super) async fn compare_all() {
    let config = required_variable("AGENTWIRE_TEST_POSTGRES");
    let postgres = Postgres::connect(config.parse().unwrap()).await.unwrap();
    let mut client = Rows::connect(&config).await;
    compare("postgres", &postgres, &mut client).await;

    // The server's default: `fsync` every two minutes.
    let address = required_variable("AGENTWIRE_TEST_NATS");
    compare_nats("nats", &address).await;

    let mut server = NatsServer::new();
    server.start().await;
    compare_nats("nats, fsync each time", &server.address()).await;
    server.kill().await;
}

async fn compare_nats(engine: &str, address: &str) {
    let connection = async_nats::connect(address).await.unwrap();
    let nats = Nats::connect(connection).await.unwrap();
    let mut client = Messages::connect(address).await;
    compare(engine, &nats, &mut client).await;
}

/// A row for each batch like the store's, each in its own transaction. Checks nothing.
struct Rows {
    client: tokio_postgres::Client,
    insert: Statement,
    log: i64,
}

impl Rows {
    async fn connect(config: &str) -> Self {
        let (client, connection) = tokio_postgres::connect(config, NoTls).await.unwrap();
        tokio::spawn(connection);
        let table = r#"
            CREATE TABLE public.client (
                log bigint NOT NULL,
                position bigint NOT NULL,
                token_number numeric(20) NOT NULL,
                token_writer text COLLATE "C" NOT NULL,
                bytes bigint NOT NULL,
                parts text[] COLLATE "C" NOT NULL,
                texts text[] COLLATE "C" NOT NULL,
                PRIMARY KEY (log, position)
            )"#;
        client.batch_execute(table).await.unwrap();
        let insert = "
            INSERT INTO public.client
            VALUES ($1, $2, $3::text::numeric, $4, $5, $6, $7)
            RETURNING position";
        let insert = client.prepare(insert).await.unwrap();
        Self {
            client,
            insert,
            log: 0,
        }
    }
}

impl Client for Rows {
    async fn append_all(&mut self, _session: &str, entries: &[Entry]) {
        self.log += 1;
        for position in 1..=BATCHES as i64 {
            let parts: Vec<&str> = entries.iter().map(|it| it.part.name()).collect();
            let texts: Vec<&str> = entries.iter().map(|it| it.json.get()).collect();
            let bytes: usize = parts.iter().chain(&texts).map(|it| it.len()).sum();
            let bytes = bytes as i64;
            let row: &[&(dyn ToSql + Sync)] =
                &[&self.log, &position, &"1", &"bench", &bytes, &parts, &texts];
            let kept = self.client.query_one(&self.insert, row).await.unwrap();
            let kept: i64 = kept.get(0);
            assert_eq!(kept, position);
        }
    }
}

/// A message for each batch on the condition of the last sequence, in a stream like the store's.
struct Messages(Context);

impl Messages {
    async fn connect(address: &str) -> Self {
        let context = jetstream::new(async_nats::connect(address).await.unwrap());
        let config = Config {
            name: "client".to_owned(),
            subjects: vec!["client.*".to_owned()],
            storage: StorageType::File,
            discard: DiscardPolicy::New,
            allow_direct: true,
            ..Config::default()
        };
        context.create_stream(config).await.unwrap();
        Self(context)
    }
}

impl Client for Messages {
    async fn append_all(&mut self, session: &str, entries: &[Entry]) {
        let mut last = 0;
        for _ in 0..BATCHES {
            let mut headers = HeaderMap::new();
            let name = "Nats-Expected-Last-Subject-Sequence";
            headers.insert(name, last.to_string());
            let entries = entries.iter();
            let entries = entries.map(|it| format!("[\"{}\",{}]", it.part.name(), it.json));
            let entries: Vec<_> = entries.collect();
            let payload = format!("{{\"entries\":[{}]}}", entries.join(","));
            let subject = format!("client.{session}");
            let sent = self
                .0
                .publish_with_headers(subject, headers, payload.into());
            last = sent.await.unwrap().await.unwrap().sequence;
        }
    }
}
