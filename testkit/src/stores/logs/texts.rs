//! Contracts of texts, which are returned unchanged.

use super::fixture::{Fixture, entry, numbered};
use agentwire_stores::session_log::{Entry, LogStore, Part};

const ODD: [&str; 24] = [
    r#"{"nul":"a\u0000b"}"#,
    r#"{"lone":"\ud800","low":"\udc00","pair":"\ud83e\udd80"}"#,
    r#"{"\ud800":1,"\u0000":2}"#,
    r#"{"digits":3.14159265358979323846264338327950288419716939937510582097494459}"#,
    r#"{"large":1e400,"small":1E-400,"zero":-0,"fraction":1.0,"exponent":1e0}"#,
    r#"{"big":123456789012345678901234567890,"small":-9223372036854775809}"#,
    r#"{"twice":1,"twice":2}"#,
    r#"{"escaped":"\/\u002f\u00e9é","other":"\b\f\n\r\t\\\""}"#,
    r#"{"b":1,"a":2,"10":3,"9":4}"#,
    r#"{"":""}"#,
    "{}",
    "[]",
    "null",
    "true",
    "0",
    "-0.0e-0",
    r#""text""#,
    r#"{"sql":"'; DROP TABLE entries; --","format":"%s {} $1 :a ?"}"#,
    r#"{"lines":"a\nb\r\nc\u2028d\u2029e\u0085f"}"#,
    "{\"raw\":\"\u{2028}\u{2029}\u{85}\u{feff}\u{7f}\u{10ffff}\"}",
    "{\"crab\":\"🦀\",\"long\":\"ﷺ\",\"combining\":\"e\u{301}\"}",
    " { \"space\" :\t[ 1 , 2 ] } ",
    "{\n  \"pretty\": [\n    1,\n    2\n  ]\n}",
    "{\r\n\"windows\":1\r\n}",
];

pub(super) async fn unusual_texts_round_trip<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 1);
    let mut all: Vec<Entry> = ODD.iter().map(|text| entry(text)).collect();
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    all.push(entry(&deep));
    for entry in &all {
        writer.append(std::slice::from_ref(entry)).await;
    }
    writer.append(&all).await;
    fixture
        .assert_log(&session, &[&all[..], &all].concat())
        .await;
}

/// Checks texts of all characters and random numbers, from a fixed seed.
pub(super) async fn generated_texts_round_trip<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 1);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut all = Vec::new();
    for _ in 0..40 {
        let mut batch = Vec::new();
        for _ in 0..random() % 20 {
            let mut text = String::from("{\"text\":\"");
            for _ in 0..random() % 60 {
                match random() % 5 {
                    0 => text.push_str(&format!("\\u{:04x}", random() as u16)),
                    1 => text.push(char::from(b'a' + (random() % 26) as u8)),
                    _ => {
                        let any = char::from_u32((random() % 0x11_0000) as u32);
                        let any = any.filter(|it| *it >= ' ' && !matches!(it, '"' | '\\'));
                        text.extend(any);
                    }
                }
            }
            let (digits, exponent) = (random(), random() % 999);
            text.push_str(&format!("\",\"number\":-{digits}.{digits}e{exponent}}}"));
            batch.push(entry(&text));
        }
        writer.append(&batch).await;
        all.extend(batch);
    }
    fixture.assert_log(&session, &all).await;
}

/// Checks entries that exceed the limits of messages, pages and rows.
pub(super) async fn long_entries_round_trip<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 1);
    let long = |bytes: usize, letter: &str| {
        let text = format!(r#"{{"type":"user","text":"{}"}}"#, letter.repeat(bytes));
        Entry::new(Part::Main, text.parse().expect("JSON"))
    };
    let mut all = Vec::new();
    for bytes in [0xffff, 0x10_0000, 0x90_0000] {
        let batch = [long(bytes, "a"), entry("1"), long(bytes / 4, "🦀")];
        let before = writer.at;
        writer.append(&batch).await;
        let again = writer.append_at(before, &batch).await;
        assert_eq!(again.expect("the same"), writer.at);
        all.extend(batch);
    }
    writer.append(&numbered([1])).await;
    all.extend(numbered([1]));
    fixture.assert_log(&session, &all).await;
    let token = writer.token;
    fixture
        .store
        .delete(&session, &token)
        .await
        .expect("deleted");
    assert_eq!(fixture.entries(&session).await, []);
}

pub(super) async fn batches_of_many_entries_round_trip<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 1);
    let mut all = Vec::new();
    for entries in [1, 999, 20_000, 2] {
        let batch = numbered(all.len()..all.len() + entries);
        writer.append(&batch).await;
        all.extend(batch);
    }
    fixture.assert_log(&session, &all).await;
}
