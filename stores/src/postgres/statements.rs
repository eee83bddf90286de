//! The SQL statements of the store.

/// Statements for the tables of a schema.
#[derive(Debug)]
pub(super) struct Statements {
    pub(super) append: String,
    pub(super) head_and_next: String,
    pub(super) head: String,
    pub(super) read: String,
    pub(super) summaries: String,
    pub(super) parts: String,
    pub(super) delete: String,
}

/// Quotes an identifier.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Statements {
    pub(super) fn new(schema: &str) -> Self {
        let schema = quoted(schema);
        let in_schema = |statement: &str| statement.replace("{schema}", &schema);
        Self {
            append: in_schema(APPEND),
            head_and_next: in_schema(HEAD_AND_NEXT),
            head: in_schema(HEAD),
            read: in_schema(READ),
            summaries: in_schema(SUMMARIES),
            parts: in_schema(PARTS),
            delete: in_schema(DELETE),
        }
    }
}

/// Appends a batch if the conditions of `Head::admit` hold. Otherwise returns no row.
///
/// Of two concurrent appends, the second one waits for the row of the log. Its conditions are then
/// evaluated on the changed row.
///
/// $1 project, $2 session, $3 after, $4 and $5 token, $6 summary, $7 bytes,
/// $8 parts, $9 texts.
const APPEND: &str = "
WITH continued AS (
    UPDATE {schema}.logs AS log SET
        position = log.position + 1,
        token_number = $4::text::numeric,
        token_writer = $5::text,
        is_deleted = false,
        modified = greatest(log.modified, clock_timestamp()),
        summary = $6::text
    WHERE log.project = $1::text AND log.session_id = $2::text
        AND log.position = $3::bigint
        AND ($4::text::numeric > log.token_number
            OR ($4::text::numeric = log.token_number
                AND $5::text = log.token_writer
                AND NOT log.is_deleted))
    RETURNING log.id, log.position
), created AS (
    INSERT INTO {schema}.logs
        (project, session_id, position, token_number, token_writer, summary)
    SELECT $1::text, $2::text, 1, $4::text::numeric, $5::text, $6::text
    WHERE $3::bigint = 0
    ON CONFLICT (project, session_id) DO NOTHING
    RETURNING id, position
)
INSERT INTO {schema}.batches
    (log, position, token_number, token_writer, bytes, parts, texts)
SELECT stored.id, stored.position, $4::text::numeric, $5::text,
    $7::bigint, $8::text[], $9::text[]
FROM (SELECT * FROM continued UNION ALL SELECT * FROM created) AS stored
RETURNING position";

/// Reads the end of a log and the batch at a position.
const HEAD_AND_NEXT: &str = "
SELECT log.position, log.token_number::text, log.token_writer, log.is_deleted,
    batch.position, batch.token_number::text, batch.token_writer
FROM {schema}.logs AS log
LEFT JOIN {schema}.batches AS batch ON batch.log = log.id AND batch.position = $3::bigint
WHERE log.project = $1::text AND log.session_id = $2::text";

const HEAD: &str = "
SELECT position, token_number::text, token_writer, is_deleted
FROM {schema}.logs
WHERE project = $1::text AND session_id = $2::text";

/// Reads a page: the first batch, and further batches up to $4 bytes in total. Each row has the
/// start and the end of the log. If there is no batch, returns one row without a batch.
const READ: &str = "
SELECT log.first, log.position, log.is_deleted,
    page.position, page.token_number::text, page.token_writer, page.parts, page.texts
FROM {schema}.logs AS log
LEFT JOIN LATERAL (
    SELECT near.*, sum(near.bytes) OVER (ORDER BY near.position) AS total
    FROM (
        SELECT * FROM {schema}.batches AS batch
        WHERE batch.log = log.id AND batch.position > $3::bigint
        ORDER BY batch.position
        LIMIT 1000
    ) AS near
) AS page ON page.total <= $4::bigint OR page.total = page.bytes
WHERE log.project = $1::text AND log.session_id = $2::text
ORDER BY page.position";

const SUMMARIES: &str = "
SELECT session_id, modified, CASE WHEN $2::boolean THEN summary END
FROM {schema}.logs
WHERE project = $1::text AND NOT is_deleted";

const PARTS: &str = "
SELECT DISTINCT part.name
FROM {schema}.logs AS log
JOIN {schema}.batches AS batch ON batch.log = log.id
CROSS JOIN LATERAL unnest(batch.parts) AS part (name)
WHERE log.project = $1::text AND log.session_id = $2::text";

/// Deletes a log that ends at $3. Returns no row if the log ends elsewhere. If the log has not
/// changed, the statement sees all of its batches.
///
/// $1 project, $2 session, $3 position, $4 and $5 token.
const DELETE: &str = "
WITH deleted AS (
    UPDATE {schema}.logs AS log SET
        position = log.position + 1,
        first = log.position + 2,
        token_number = $4::text::numeric,
        token_writer = $5::text,
        is_deleted = true,
        modified = greatest(log.modified, clock_timestamp()),
        summary = NULL
    WHERE log.project = $1::text AND log.session_id = $2::text
        AND log.position = $3::bigint
    RETURNING log.id
), cleared AS (
    DELETE FROM {schema}.batches AS batch USING deleted WHERE batch.log = deleted.id
)
SELECT id FROM deleted";
