//! The tables and their migrations.

use super::error::PostgresError;
use super::statements::quoted;
use tokio_postgres::Client;

/// The migrations, each to the next version. Append new ones, and do not change released ones.
const MIGRATIONS: &[&str] = &[r#"
CREATE TABLE {schema}.logs (
    id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    project text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    -- Of the last batch, or of the deletion.
    position bigint NOT NULL,
    -- The owner's token. Its number can be larger than a bigint.
    token_number numeric(20) NOT NULL,
    token_writer text COLLATE "C" NOT NULL,
    is_deleted boolean NOT NULL DEFAULT false,
    -- The position of the first batch since the last deletion.
    first bigint NOT NULL DEFAULT 1,
    modified timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- As text: jsonb refuses \u0000 and lone surrogates, and changes numbers.
    summary text,
    PRIMARY KEY (project, session_id)
    -- Every append updates the row, and no index has to follow.
) WITH (fillfactor = 50);

CREATE TABLE {schema}.batches (
    log bigint NOT NULL REFERENCES {schema}.logs (id),
    position bigint NOT NULL,
    token_number numeric(20) NOT NULL,
    token_writer text COLLATE "C" NOT NULL,
    -- Of the parts and texts together, for pages.
    bytes bigint NOT NULL,
    parts text[] COLLATE "C" NOT NULL,
    texts text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (log, position)
);
"#];

/// Returns the newest version of the schema.
fn supported() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// The ID of the advisory lock that all migrations take, "agentwir".
const LOCK: i64 = 0x6167_656e_7477_6972;

/// Migrates the schema to the newest version. Hosts may call this concurrently, and wait for each
/// other. If the schema is up to date, this only requires the privilege to read.
pub(super) async fn migrate(client: &mut Client, schema: &str) -> Result<(), PostgresError> {
    let encoding = client.query_one("SHOW server_encoding", &[]).await?;
    let encoding: String = encoding.get(0);
    if encoding != "UTF8" {
        return Err(PostgresError::Encoding(encoding));
    }
    let schema = quoted(schema);
    let version = format!("SELECT coalesce(max(version), 0) FROM {schema}.migrations");
    let found = client.query_one(&version, &[]).await;
    match found.map_err(PostgresError::from) {
        Ok(row) if is_newest(row.get(0))? => return Ok(()),
        Err(error) if !error.is_missing_table() => return Err(error),
        _ => {}
    }
    let transaction = client.transaction().await?;
    let lock = "SELECT pg_advisory_xact_lock($1)";
    transaction.execute(lock, &[&LOCK]).await?;
    // `CREATE SCHEMA IF NOT EXISTS` needs the privilege even if the schema exists.
    let exists = "SELECT to_regnamespace($1) IS NOT NULL";
    let exists = transaction.query_one(exists, &[&schema]).await?;
    if !exists.get::<_, bool>(0) {
        let create = format!("CREATE SCHEMA {schema}");
        transaction.batch_execute(&create).await?;
    }
    let table = format!(
        "CREATE TABLE IF NOT EXISTS {schema}.migrations (
            version integer PRIMARY KEY,
            applied timestamptz NOT NULL DEFAULT clock_timestamp()
        )"
    );
    transaction.batch_execute(&table).await?;
    let found: i32 = transaction.query_one(&version, &[]).await?.get(0);
    if !is_newest(found)? {
        for (version, migration) in (1..).zip(MIGRATIONS) {
            if version > found {
                let migration = migration.replace("{schema}", &schema);
                transaction.batch_execute(&migration).await?;
                let insert = format!("INSERT INTO {schema}.migrations (version) VALUES ($1)");
                transaction.execute(&insert, &[&version]).await?;
            }
        }
    }
    Ok(transaction.commit().await?)
}

fn is_newest(found: i32) -> Result<bool, PostgresError> {
    let supported = supported();
    if found > supported {
        return Err(PostgresError::NewerSchema { found, supported });
    }
    Ok(found == supported)
}
