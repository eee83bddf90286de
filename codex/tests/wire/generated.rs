//! Frames with members that are missing, renamed, invalid or unknown.

use super::frames::{NOTIFICATIONS, REQUESTS, RESULTS};
use super::{assert_same, client_request};
use agentwire_codex::wire::{AgentRequest, Notification};
use agentwire_protocol::Json;
use agentwire_testing::{Random, counted, simulate};
use serde_json::{Value, json};

/// Changes a random member or item somewhere in a value.
fn mutate(value: &mut Value, random: &mut Random) {
    let inner: Vec<&mut Value> = match value {
        Value::Object(members) => members.values_mut().collect(),
        Value::Array(items) => items.iter_mut().collect(),
        _ => vec![],
    };
    let inner = inner
        .into_iter()
        .filter(|it| it.is_object() || it.is_array());
    let mut inner: Vec<&mut Value> = inner.collect();
    if !inner.is_empty() && random.chance(70) {
        let number = random.below(inner.len());
        return mutate(inner.swap_remove(number), random);
    }
    match value {
        Value::Object(members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            let name = match names.is_empty() {
                true => "new".to_owned(),
                false => random.pick(&names),
            };
            match random.below(4) {
                0 => drop(members.remove(&name)),
                1 => {
                    let value = members.remove(&name).unwrap_or_default();
                    members.insert(format!("{name}2"), value);
                }
                2 => drop(members.insert(name, any(random))),
                _ => drop(members.insert("new~/".to_owned(), any(random))),
            }
        }
        Value::Array(items) => match random.below(2) {
            0 => items.push(any(random)),
            _ => drop(items.pop()),
        },
        _ => *value = any(random),
    }
}

fn any(random: &mut Random) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!("\u{2028}\"x\\"),
        json!([]),
        json!([{ "type": "text" }, null]),
        json!({}),
        json!({ "type": "unheard", "id": 7 }),
    ];
    random.pick(&values)
}

#[test]
fn mutated_frames_are_written_as_they_were_read() {
    let check = |seed: u64, typed: &mut u64| {
        let mut random = Random::new(seed);
        let frames = [NOTIFICATIONS, REQUESTS, RESULTS];
        let kind = random.below(frames.len());
        let (method, text) = random.pick(frames[kind]);
        let mut value: Value = serde_json::from_str(text).unwrap();
        for _ in 0..=random.below(3) {
            mutate(&mut value, &mut random);
        }
        let text = value.to_string();
        let json: Json = text.parse().unwrap();
        match kind {
            0 => {
                let read = Notification::read(method, &json);
                *typed += u64::from(!matches!(read, Notification::Unreadable { .. }));
                assert_eq!(read.method(), method);
                assert_same(&text, &read.params());
                assert_eq!(Notification::read(method, &read.params()), read);
            }
            1 => {
                let read = AgentRequest::read(method, &json);
                *typed += u64::from(!matches!(read, AgentRequest::Unreadable { .. }));
                assert_same(&text, &read.params());
                assert_eq!(AgentRequest::read(method, &read.params()), read);
            }
            _ => {
                if let Ok(read) = client_request(method, None, Some(&json)).unwrap() {
                    *typed += 1;
                    assert_same(&text, &read);
                }
            }
        }
        Ok(())
    };
    let alone = |seed| check(seed, &mut 0);
    if let Some((seeds, typed)) = simulate(20_000, alone, check) {
        let typed: u64 = typed.iter().sum();
        assert!(
            typed > seeds / 4 && typed < seeds,
            "{typed} of {seeds} have types"
        );
        counted(seeds, "mutated frames");
    }
}
