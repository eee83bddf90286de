//! Contracts of entries, which are returned unchanged.

use super::fixture::{Fixture, numbered, text};
use agentwire::SessionStore;
use agentwire_protocol::Json;

async fn assert_round_trip<S: SessionStore>(fixture: &Fixture<S>, entries: &[Json]) {
    // One append for each entry, so that the failure of a store names the
    // entry.
    for (number, entry) in entries.iter().enumerate() {
        let key = fixture.key_of("proj", &format!("s-{number}"));
        fixture.append(&key, std::slice::from_ref(entry)).await;
        fixture
            .assert_transcript(&key, std::slice::from_ref(entry))
            .await;
    }
    fixture.append(&fixture.key(), entries).await;
    fixture.assert_transcript(&fixture.key(), entries).await;
}

/// Checks output of tools that print bytes, and text that was cut.
pub(super) async fn unusual_characters_round_trip<S: SessionStore>(fixture: Fixture<S>) {
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
    assert_round_trip(&fixture, &texts.map(text)).await;
}

/// Checks numbers that do not fit into 64 bits.
pub(super) async fn every_digit_is_preserved<S: SessionStore>(fixture: Fixture<S>) {
    let texts = [
        r#"{"integer":9007199254740993,"negative":-9223372036854775808}"#,
        r#"{"big":123456789012345678901234567890}"#,
        r#"{"digits":3.14159265358979323846264338327950288419716939937510582097494459}"#,
        r#"{"fraction":1.0,"exponent":1e0,"zero":-0}"#,
        r#"{"large":1e400,"small":1E-400}"#,
    ];
    assert_round_trip(&fixture, &texts.map(text)).await;
}

pub(super) async fn unusual_members_round_trip<S: SessionStore>(fixture: Fixture<S>) {
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
    assert_round_trip(&fixture, &entries).await;
}

/// Checks texts of all characters, from a fixed seed.
pub(super) async fn generated_characters_round_trip<S: SessionStore>(fixture: Fixture<S>) {
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
        fixture.append(&fixture.key(), &batch).await;
        all.extend(batch);
    }
    fixture.assert_transcript(&fixture.key(), &all).await;
}

/// Checks entries that exceed the limits of messages, pages and rows.
pub(super) async fn long_entries_round_trip<S: SessionStore>(fixture: Fixture<S>) {
    let mut all = Vec::new();
    for bytes in [0xffff, 0x10_0000, 0x90_0000] {
        let long = |bytes: usize, letter: &str| {
            text(&format!(
                r#"{{"type":"user","text":"{}"}}"#,
                letter.repeat(bytes)
            ))
        };
        let batch = [long(bytes, "a"), text("{}"), long(bytes / 4, "🦀")];
        fixture.append(&fixture.key(), &batch).await;
        all.extend(batch);
    }
    fixture.append(&fixture.key(), &numbered([1])).await;
    all.extend(numbered([1]));
    fixture.assert_transcript(&fixture.key(), &all).await;
}
