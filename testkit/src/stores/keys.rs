//! Keys for contracts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Texts that mean something to file systems, SQL, patterns and subjects.
const ODD: [&str; 32] = [
    "a", "A", "a/b", "a%2fb", "a%2Fb", "a.b", "a b", "a:b", "..", ".", "../a", "/", "\\", "*", ">",
    "$", "'; --", "\"", "é", "e\u{301}", "🦀", "\n", "\u{1}", "con", "%", "_", "a_", "a-", "...a",
    "a=2Fb", "com", "con-1",
];

/// Texts that are odd as a key, all different.
pub(super) fn odd() -> Vec<String> {
    let long = [
        // As long as a transcript's key may be, behind a prefix.
        "a".repeat(160),
        format!("{}b", "a".repeat(159)),
        "ü".repeat(80),
        "a".repeat(300),
        format!("{}b", "a".repeat(299)),
        "ü".repeat(150),
    ];
    let odd = ODD.iter().map(|&it| it.to_owned());
    odd.chain(long).collect()
}

/// Numbers contracts within this process.
static CONTRACTS: AtomicU64 = AtomicU64::new(0);

/// What the projects of a contract begin with, and those of no other.
pub(super) fn unique() -> String {
    let number = CONTRACTS.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |it| it.as_nanos());
    format!("conformance-{}-{now}-{number}", std::process::id())
}
