//! Encodes entries as JSON, `[["PART",ENTRY],…]`. The text of each entry is preserved.

use crate::session_log::{Entry, LogKey, LogStore, Part, Position};
use agentwire::store::StoreError;
use agentwire_protocol::Json;
#[cfg(any(feature = "nats", feature = "objects"))]
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeSet;

/// Encodes entries.
pub(crate) fn encode(entries: &[Entry]) -> String {
    let mut text = String::from("[");
    for (number, entry) in entries.iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        let name = serde_json::Value::from(entry.part.name());
        text.push_str(&format!("[{name},{}]", entry.json));
    }
    text.push(']');
    text
}

/// Decodes entries.
pub(crate) fn decode(entries: Vec<(String, Box<RawValue>)>) -> Vec<Entry> {
    let entries = entries.into_iter();
    let entries = entries.map(|(part, text)| Entry::new(Part::named(&part), Json::from(text)));
    entries.collect()
}

/// Deserializes a summary. `null` is a valid summary.
#[cfg(any(feature = "nats", feature = "objects"))]
pub(crate) fn present<'de, D: serde::Deserializer<'de>>(
    value: D,
) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(value).map(Some)
}

/// Reads a whole log and returns the parts of its entries.
pub(crate) async fn parts(
    store: &impl LogStore,
    session: &LogKey,
) -> Result<Vec<Part>, StoreError> {
    let (mut parts, mut after) = (BTreeSet::new(), Position::START);
    loop {
        let page = store.read(session, after).await?;
        let Some(last) = page.last() else {
            return Ok(parts.into_iter().collect());
        };
        after = last.position;
        let entries = page.into_iter().flat_map(|batch| batch.entries);
        parts.extend(entries.map(|entry| entry.part));
    }
}
