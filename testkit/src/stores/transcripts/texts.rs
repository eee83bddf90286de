//! Entries come back as they were.

use super::bed::{Bed, numbered, text};
use agentwire::SessionStore;
use agentwire_protocol::Json;

async fn come_back<S: SessionStore>(bed: &Bed<S>, entries: &[Json]) {
    // Each alone, so that a store that refuses one says which.
    for (number, entry) in entries.iter().enumerate() {
        let key = bed.key_of("proj", &format!("s-{number}"));
        bed.append(&key, std::slice::from_ref(entry)).await;
        bed.holds(&key, std::slice::from_ref(entry)).await;
    }
    bed.append(&bed.key(), entries).await;
    bed.holds(&bed.key(), entries).await;
}

/// What an agent writes when a tool prints bytes, or a text is cut in the middle.
pub(super) async fn unusual_characters_come_back<S: SessionStore>(bed: Bed<S>) {
    let texts = [
        r#"{"text":"plain"}"#,
        r#"{"nul":"a\u0000b"}"#,
        r#"{"lone":"\ud800","low":"\udc00"}"#,
        r#"{"pair":"\ud83e\udd80"}"#,
        r#"{"\u0000":1}"#,
        r#"{"lines":"a\nb\r\nc\u2028d\u2029e\u0085f"}"#,
        "{\"raw\":\"\u{2028}\u{2029}\u{85}\u{feff}\u{7f}\u{10ffff}\"}",
        "{\"crab\":\"🦀\",\"combining\":\"e\u{301}\"}",
        r#"{"sql":"'; DROP TABLE entries; --","format":"%s {} $1 :a ?"}"#,
    ];
    come_back(&bed, &texts.map(text)).await;
}

/// Numbers that are not 64 bits of anything.
pub(super) async fn every_digit_comes_back<S: SessionStore>(bed: Bed<S>) {
    let texts = [
        r#"{"integer":9007199254740993,"negative":-9223372036854775808}"#,
        r#"{"big":123456789012345678901234567890}"#,
        r#"{"digits":3.14159265358979323846264338327950288419716939937510582097494459}"#,
        r#"{"fraction":1.0,"exponent":1e0,"zero":-0}"#,
        r#"{"large":1e400,"small":1E-400}"#,
    ];
    come_back(&bed, &texts.map(text)).await;
}

pub(super) async fn unusual_members_come_back<S: SessionStore>(bed: Bed<S>) {
    let texts = [
        "{}",
        r#"{"":""}"#,
        r#"{"b":1,"a":2,"10":3,"9":4}"#,
        r#"{"__proto__":1,"constructor":2,"toString":3}"#,
        r#"{"null":null,"no":false,"empty":[[],{}]}"#,
        r#"{"$set":1,"a.b":2,"_id":3}"#,
    ];
    let mut entries = texts.map(text).to_vec();
    let deep = format!("{{\"deep\":{}1{}}}", "[".repeat(100), "]".repeat(100));
    entries.push(text(&deep));
    come_back(&bed, &entries).await;
}

/// Texts of all characters, from a fixed seed.
pub(super) async fn generated_characters_come_back<S: SessionStore>(bed: Bed<S>) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut all = Vec::new();
    for _ in 0..20 {
        let mut batch = Vec::new();
        for _ in 0..random() % 20 {
            let mut entry = String::from("{\"text\":\"");
            for _ in 0..random() % 60 {
                let any = char::from_u32((random() % 0x11_0000) as u32);
                let any = any.filter(|it| *it >= ' ' && !matches!(it, '"' | '\\'));
                entry.extend(any);
            }
            entry.push_str("\"}");
            batch.push(text(&entry));
        }
        bed.append(&bed.key(), &batch).await;
        all.extend(batch);
    }
    bed.holds(&bed.key(), &all).await;
}

/// Over the limits of messages, pages and rows.
pub(super) async fn long_entries_come_back<S: SessionStore>(bed: Bed<S>) {
    let mut all = Vec::new();
    for bytes in [0xffff, 0x10_0000, 0x90_0000] {
        let long = |bytes: usize, letter: &str| {
            text(&format!(
                r#"{{"type":"user","text":"{}"}}"#,
                letter.repeat(bytes)
            ))
        };
        let batch = [long(bytes, "a"), text("{}"), long(bytes / 4, "🦀")];
        bed.append(&bed.key(), &batch).await;
        all.extend(batch);
    }
    bed.append(&bed.key(), &numbered([1])).await;
    all.extend(numbered([1]));
    bed.holds(&bed.key(), &all).await;
}
