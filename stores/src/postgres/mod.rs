//! A store in a PostgreSQL database.

mod error;
mod migrate;
mod options;
mod statements;

pub use ::{deadpool_postgres, tokio_postgres};
pub use error::{KEY_BYTES, PostgresError};
pub use options::PostgresOptions;

use crate::session_log::{
    Admission, AppendError, Batch, Entry, Head, LogKey, LogStore, NewBatch, Next, Part, Position,
    Summarized, Token,
};
use agentwire::store::{StoreError, StoredSession};
use agentwire_protocol::Json;
use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod};
use statements::Statements;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, NoTls, Row};

/// The number of bytes of entries in a page. A page has at least one batch.
const PAGE: i64 = 1 << 20;

/// A store in a PostgreSQL database, version 13 or newer, for many hosts. Clones share their
/// connections.
///
/// Each log is a row of the table `logs`, and each batch is a row of `batches`, in a separate
/// [schema](PostgresOptions::schema). Entries are stored as `text`, byte for byte. An append is one
/// statement and one round trip, which checks the position and the token and updates the row of the
/// log. Appends to the same log wait for each other. Appends to different logs do not.
///
/// **Durability.** An append is committed when it returns. With the server's default settings it is
/// then in the write-ahead log on disk and survives crashes and power failures. With
/// `synchronous_commit = off`, a crash of the server loses the newest appends. `fsync = off` can
/// damage the database. A failover to a standby loses appends that were not replicated. Set
/// `synchronous_standby_names` if appends must survive the loss of the primary.
///
/// **Failure.** A call whose connection is lost is retried on another connection. If the server
/// cannot be reached, the call fails at once. Retry it. The errors are [`PostgresError`]s.
///
/// **Limits.** A project and a session ID have up to [`KEY_BYTES`] bytes each. A batch has less
/// than 1 GB. The character NUL is refused in keys, writers and names of parts. In entries, JSON
/// escapes it, so it is stored.
///
/// Connections must have the isolation level `read committed`, which is the server's default.
/// [`connect`](Self::connect) sets this level. With a stricter level, conflicting appends to one
/// log are retried.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let config = "host=db.internal user=agents password=… dbname=agents".parse()?;
/// let store = agentwire_stores::Postgres::connect(config).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Postgres(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pool: Pool,
    statements: Statements,
    timeout: Option<Duration>,
}

impl Postgres {
    /// Connects to a server without TLS, and creates or updates the tables. For TLS,
    /// use [`from_pool`](Self::from_pool).
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or refuses the login, the user may not create the schema,
    /// or the schema is newer than this crate.
    pub async fn connect(config: Config) -> Result<Self, PostgresError> {
        PostgresOptions::new().connect(config).await
    }

    /// Creates a store with a pool of connections, and creates or updates the tables.
    ///
    /// Statements are prepared once for each connection. A proxy between the pool and the server
    /// must support prepared statements.
    ///
    /// # Errors
    ///
    /// The errors of [`connect`](Self::connect).
    pub async fn from_pool(pool: Pool) -> Result<Self, PostgresError> {
        PostgresOptions::new().with_pool(pool).await
    }
}

impl PostgresOptions {
    /// Connects with these options. See [`Postgres::connect`].
    ///
    /// # Errors
    ///
    /// The errors of [`Postgres::connect`], and an error if the name of the schema is invalid.
    pub async fn connect(self, mut config: Config) -> Result<Postgres, PostgresError> {
        // If an option has two values, the last one is used.
        let isolation = "-c default_transaction_isolation=read\\ committed";
        let options = match config.get_options() {
            Some(options) => format!("{options} {isolation}"),
            None => isolation.to_owned(),
        };
        config.options(options);
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(config, NoTls, recycling);
        let pool = Pool::builder(manager).max_size(self.connections).build();
        // This cannot fail, because the pool needs a runtime only for timeouts.
        let pool = pool.map_err(|_| PoolError::NoRuntimeSpecified)?;
        self.with_pool(pool).await
    }

    /// Creates a store with a pool and these options. See [`Postgres::from_pool`].
    ///
    /// # Errors
    ///
    /// The errors of [`connect`](Self::connect).
    pub async fn with_pool(self, pool: Pool) -> Result<Postgres, PostgresError> {
        let Self {
            schema, timeout, ..
        } = self;
        if !(1..=63).contains(&schema.len()) || schema.contains('\0') {
            return Err(PostgresError::SchemaName(schema));
        }
        let statements = Statements::new(&schema);
        let inner = Inner {
            pool,
            statements,
            timeout,
        };
        let mut connection = inner.connection().await?;
        let migrated = migrate::migrate(&mut connection, &schema);
        match timeout {
            None => migrated.await?,
            Some(limit) => tokio::time::timeout(limit, migrated)
                .await
                .map_err(|_| PostgresError::TimedOut(limit))??,
        }
        drop(connection);
        Ok(Postgres(Arc::new(inner)))
    }
}

type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

impl Inner {
    async fn connection(&self) -> Result<Object, PostgresError> {
        let connection = self.pool.get();
        match self.timeout {
            None => Ok(connection.await?),
            Some(limit) => match tokio::time::timeout(limit, connection).await {
                Err(_) => Err(PostgresError::TimedOut(limit)),
                Ok(connection) => Ok(connection?),
            },
        }
    }

    /// Executes a statement. Retries on another connection if a connection was lost.
    async fn query(
        &self,
        statement: &str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, PostgresError> {
        let mut lost = 0;
        loop {
            match self.query_once(statement, parameters).await {
                // All connections of the pool may be lost.
                Err(error) if error.is_lost_connection() && lost <= self.pool.status().max_size => {
                    lost += 1;
                }
                outcome => return outcome,
            }
        }
    }

    async fn query_once(
        &self,
        statement: &str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, PostgresError> {
        let connection = self.connection().await?;
        let rows = async {
            let statement = connection.prepare_cached(statement).await?;
            Ok(connection.query(&statement, parameters).await?)
        };
        let Some(limit) = self.timeout else {
            return rows.await;
        };
        match tokio::time::timeout(limit, rows).await {
            Ok(rows) => rows,
            Err(_) => {
                // The connection is not reused, because it is still executing the statement.
                drop(Object::take(connection));
                Err(PostgresError::TimedOut(limit))
            }
        }
    }

    /// Reads the end of a log and the batch directly after a position.
    async fn head_and_next(
        &self,
        session: &LogKey,
        after: Position,
    ) -> Result<(Option<Head>, Option<Next>), PostgresError> {
        let next = after.0.checked_add(1).and_then(|it| i64::try_from(it).ok());
        let (project, session_id) = (&session.project, &session.session_id);
        let rows = self
            .query(
                &self.statements.head_and_next,
                &[project, session_id, &next],
            )
            .await?;
        let Some(row) = rows.first() else {
            return Ok((None, None));
        };
        let next = match row.try_get::<_, Option<i64>>(4)? {
            None => None,
            Some(position) => Some(Next::new(position_of(position), token(row, 5)?)),
        };
        Ok((Some(head(row)?), next))
    }

    async fn summaries(
        &self,
        project: &str,
        with_summaries: bool,
    ) -> Result<Vec<(StoredSession, Option<Json>)>, PostgresError> {
        check_key("project", project)?;
        let parameters: Parameters<'_> = &[&project, &with_summaries];
        let rows = self.query(&self.statements.summaries, parameters).await?;
        let mut listed = Vec::new();
        for row in &rows {
            let (id, modified): (&str, SystemTime) = (row.try_get(0)?, row.try_get(1)?);
            let summary: Option<String> = row.try_get(2)?;
            listed.push((StoredSession::new(id, modified), summary.map(Json::of_text)));
        }
        Ok(listed)
    }
}

impl LogStore for Postgres {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        let (after, token, entries) = (batch.after, batch.token, batch.entries);
        if entries.is_empty() {
            return Ok(after);
        }
        check_session(session)?;
        check_no_nul("writer", &token.writer)?;
        let parts: Vec<&str> = entries.iter().map(|it| it.part.name()).collect();
        for part in &parts {
            check_no_nul("name of a part", part)?;
        }
        let texts: Vec<&str> = entries.iter().map(|it| it.json.get()).collect();
        let bytes: usize = parts.iter().chain(&texts).map(|it| it.len()).sum();
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let (number, writer) = (token.number.to_string(), &*token.writer);
        let summary = batch.summary.map(Json::get);
        loop {
            // A log cannot end at a larger position.
            if let Ok(after) = i64::try_from(after.0) {
                let parameters: Parameters<'_> = &[
                    &session.project,
                    &session.session_id,
                    &after,
                    &number,
                    &writer,
                    &summary,
                    &bytes,
                    &parts,
                    &texts,
                ];
                match self.0.query(&self.0.statements.append, parameters).await {
                    Err(error) if error.is_conflict() => continue,
                    Err(error) => return Err(error.into()),
                    Ok(rows) => {
                        if let Some(row) = rows.first() {
                            let position = row.try_get(0).map_err(PostgresError::from)?;
                            return Ok(position_of(position));
                        }
                    }
                }
            }
            let (head, next) = self.0.head_and_next(session, after).await?;
            let admission = Head::admit(head.as_ref(), next.as_ref(), after, token)?;
            if let Admission::AlreadyStored(position) = admission {
                return Ok(position);
            }
            // The log was changed between the two statements.
        }
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        check_session(session)?;
        let parameters: Parameters<'_> = &[&session.project, &session.session_id];
        let rows = self.0.query(&self.0.statements.head, parameters).await?;
        Ok(rows.first().map(head).transpose()?)
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        check_session(session)?;
        let Ok(after) = i64::try_from(after.0) else {
            return Ok(Vec::new());
        };
        let parameters: Parameters<'_> = &[&session.project, &session.session_id, &after, &PAGE];
        let rows = self.0.query(&self.0.statements.read, parameters).await?;
        let Some(log) = rows.first() else {
            return Ok(Vec::new());
        };
        let (first, last): (i64, i64) = (log.try_get(0)?, log.try_get(1)?);
        let is_deleted: bool = log.try_get(2)?;
        // Positions are consecutive.
        let mut expected = first.max(after.saturating_add(1));
        let damaged = |position| PostgresError::Damaged {
            session: session.clone(),
            position: position_of(position),
        };
        let mut batches = Vec::new();
        for row in &rows {
            let Some(position) = row.try_get::<_, Option<i64>>(3)? else {
                break;
            };
            if position != expected {
                return Err(damaged(expected).into());
            }
            expected += 1;
            batches.push(Batch::new(
                position_of(position),
                token(row, 4)?,
                entries(row.try_get(6)?, row.try_get(7)?).ok_or_else(|| damaged(position))?,
            ));
        }
        if batches.is_empty() && expected <= last && !is_deleted {
            return Err(damaged(expected).into());
        }
        Ok(batches)
    }

    async fn list(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        let listed = self.0.summaries(project, false).await?.into_iter();
        Ok(listed.map(|(session, _)| session).collect())
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        let listed = self.0.summaries(project, true).await?.into_iter();
        Ok(listed.map(|(it, summary)| (it, Ok(summary))).collect())
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        check_session(session)?;
        let parameters: Parameters<'_> = &[&session.project, &session.session_id];
        let rows = self.0.query(&self.0.statements.parts, parameters).await?;
        let mut parts = Vec::new();
        for row in &rows {
            parts.push(Part::named(row.try_get(0)?));
        }
        Ok(parts)
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        check_session(session)?;
        check_no_nul("writer", &token.writer)?;
        let (number, writer) = (token.number.to_string(), &*token.writer);
        loop {
            let (Some(head), _) = self.0.head_and_next(session, Position::START).await? else {
                return Ok(());
            };
            if !head.admit_deletion(token)? {
                return Ok(());
            }
            let position = head.position.0.cast_signed();
            let parameters: Parameters<'_> = &[
                &session.project,
                &session.session_id,
                &position,
                &number,
                &writer,
            ];
            match self.0.query(&self.0.statements.delete, parameters).await {
                Err(error) if error.is_conflict() => {}
                Err(error) => return Err(error.into()),
                Ok(rows) if !rows.is_empty() => return Ok(()),
                // The log was changed during the call, perhaps by this statement before its
                // connection was lost.
                Ok(_) => {}
            }
        }
    }
}

/// Returns an error if PostgreSQL cannot store the key.
fn check_session(session: &LogKey) -> Result<(), PostgresError> {
    let (project, session_id) = (&session.project, &session.session_id);
    check_key("project", project)?;
    check_key("session ID", session_id)
}

fn check_key(name: &'static str, text: &str) -> Result<(), PostgresError> {
    check_no_nul(name, text)?;
    match text.len() {
        bytes if bytes > KEY_BYTES => Err(PostgresError::KeyTooLong { name, bytes }),
        _ => Ok(()),
    }
}

fn check_no_nul(name: &'static str, text: &str) -> Result<(), PostgresError> {
    match text.contains('\0') {
        true => Err(PostgresError::Nul(name)),
        false => Ok(()),
    }
}

/// Converts a position of the tables, which is never negative.
fn position_of(position: i64) -> Position {
    Position(position.cast_unsigned())
}

/// Reads the end of a log from the first four columns of a row.
fn head(row: &Row) -> Result<Head, PostgresError> {
    let position = position_of(row.try_get(0)?);
    let token = token(row, 1)?;
    Ok(match row.try_get(3)? {
        true => Head::deleted(position, token),
        false => Head::new(position, token),
    })
}

/// Reads a token from two columns, its number as text and its writer.
fn token(row: &Row, column: usize) -> Result<Token, PostgresError> {
    let number: &str = row.try_get(column)?;
    let writer: &str = row.try_get(column + 1)?;
    // The table contains only numbers that fit into `u64`.
    Ok(Token::new(number.parse().unwrap_or(u64::MAX), writer))
}

/// Combines parts and texts to entries. Returns `None` if there are not as many parts as texts.
fn entries(parts: Vec<&str>, texts: Vec<String>) -> Option<Vec<Entry>> {
    if parts.len() != texts.len() {
        return None;
    }
    let entries = parts.into_iter().zip(texts);
    let entries = entries.map(|(part, text)| Entry::new(Part::named(part), Json::of_text(text)));
    Some(entries.collect())
}
