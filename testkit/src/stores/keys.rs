//! Keys that the contracts use.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Texts with a special meaning in file systems, SQL, patterns or subjects.
const UNUSUAL: [&str; 32] = [
    "a", "A", "a/b", "a%2fb", "a%2Fb", "a.b", "a b", "a:b", "..", ".", "../a", "/", "\\", "*", ">",
    "$", "'; --", "\"", "é", "e\u{301}", "🦀", "\n", "\u{1}", "con", "%", "_", "a_", "a-", "...a",
    "a=2Fb", "com", "con-1",
];

/// Returns distinct unusual keys.
pub(super) fn unusual() -> Vec<String> {
    let long = [
        // The text has the maximum length of a transcript's key, after a
        // prefix.
        "a".repeat(160),
        format!("{}b", "a".repeat(159)),
        "ü".repeat(80),
        "a".repeat(300),
        format!("{}b", "a".repeat(299)),
        "ü".repeat(150),
    ];
    let unusual = UNUSUAL.iter().map(|&it| it.to_owned());
    unusual.chain(long).collect()
}

/// The number of the next contract of this process.
static CONTRACTS: AtomicU64 = AtomicU64::new(0);

/// Returns a prefix for the projects of a contract. It is unique across
/// programs.
pub(super) fn unique() -> String {
    let number = CONTRACTS.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |it| it.as_nanos());
    format!("conformance-{}-{now}-{number}", std::process::id())
}
