//! Replaces every member of every object by an invalid value. The other fields
//! keep their values, the member is reported as a fault and written back
//! unchanged, and setting the field overrides it.

use crate::fields::OBJECTS;
use crate::fields::sample::{Sampler, definitions};
use crate::fields::table::{Object, Odd};
use agentwire_protocol::is_same_value;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::Write as _;

/// Values that are invalid for most members.
const ODD: &[&str] = &[
    "1.5",
    "-0",
    "1e400",
    "1e3",
    "-1",
    "18446744073709551616",
    "\"odd\"",
    "\"\\ud800\"",
    "true",
    "null",
    "{}",
    "[]",
    r#"{"type":7}"#,
    r#"[7,"odd",{},null,[[]]]"#,
];

/// An object, its members as they are written.
type Members<'a> = BTreeMap<&'a str, Box<RawValue>>;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// An object that has all of its members.
fn whole<'a>(definitions: &Map<String, Value>, object: &'a Object) -> Members<'a> {
    let definition = &definitions[object.name];
    let mut all = Members::new();
    for member in object.members {
        let sample = Sampler::new(definitions).object(definition, Some(member));
        all.insert(member, raw(&sample[*member].to_string()));
    }
    // Tags.
    for (name, schema) in definition["properties"].as_object().into_iter().flatten() {
        if let Some(tag) = schema.get("const") {
            let name: &'static str = name.clone().leak();
            all.insert(name, raw(&tag.to_string()));
        }
    }
    all
}

fn text(members: &Members<'_>) -> String {
    serde_json::to_string(members).unwrap()
}

/// What is wrong with how an object is read of which one member is odd.
fn problem(object: &Object, all: &Members<'_>, at: usize, odd: Option<&str>) -> Option<String> {
    let member = object.members[at];
    let mut spoilt = all.clone();
    match odd {
        Some(odd) => drop(spoilt.insert(member, raw(odd))),
        None => drop(spoilt.remove(member)),
    }
    let (text_of_all, spoilt) = (text(all), text(&spoilt));
    let Odd { held: unspoilt, .. } = (object.odd)(&text_of_all, None);
    let Odd {
        held,
        written,
        faults,
        is_read_strictly,
    } = (object.odd)(&spoilt, None);

    let others = (0..object.members.len()).filter(|other| *other != at);
    for other in others {
        if held[other] != unspoilt[other] {
            let name = object.members[other];
            return Some(format!("`{name}` holds {} now", held[other]));
        }
    }
    let extra: Members<'_> = serde_json::from_str(held.last()?).unwrap();
    if extra.keys().any(|name| *name != member) {
        return Some(format!("the others are unknown: {extra:?}"));
    }
    let is_told = |path: &str| {
        path.strip_prefix(member)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    if faults.iter().any(|fault| !is_told(&fault.path)) {
        return Some(format!("other faults are told: {faults:?}"));
    }
    if faults.is_empty() != is_read_strictly {
        return Some(format!("strictly: {is_read_strictly}, and {faults:?}"));
    }
    if !is_same_value(&written, &spoilt).unwrap() {
        return Some(format!("it is written as {written}"));
    }
    // What it has already it cannot be set to.
    let is_other = held[at] != unspoilt[at];
    let Odd { written, .. } = (object.odd)(&spoilt, Some((at, &text_of_all)));
    if is_other && !is_same_value(&written, &text_of_all).unwrap() {
        return Some(format!("when the field is set, {written} is written"));
    }
    None
}

#[test]
fn one_member_that_is_odd_spoils_no_other_is_told_and_written_and_can_be_set() {
    let definitions = definitions();
    let (mut found, mut tried) = (Vec::new(), 0);
    for object in OBJECTS.into_iter().flatten() {
        if !definitions.contains_key(object.name) {
            continue;
        }
        let all = whole(&definitions, object);
        for at in 0..object.members.len() {
            for odd in ODD.iter().copied().map(Some).chain([None]) {
                tried += 1;
                if let Some(problem) = problem(object, &all, at, odd) {
                    let (name, member) = (object.name, object.members[at]);
                    found.push(format!("`{name}`, `{member}` as {odd:?}: {problem}"));
                }
            }
        }
    }
    crate::fields::assert_none(&found);
    let line = format!("counted: {tried} members replaced by invalid values\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// The whole number that a count becomes which is none.
#[test]
fn a_count_is_the_nearest_whole_number_or_absent() {
    use agentwire_protocol::open::Reader;

    for (text, nearest) in [
        ("1.5", Some(2)),
        ("1.4", Some(1)),
        ("-0", Some(0)),
        ("-0.4", Some(0)),
        ("1e3", Some(1000)),
        ("1.8e19", Some(18_000_000_000_000_000_000)),
        ("1e400", None),
        ("-1", None),
        ("18446744073709551616", None),
        ("\"1\"", None),
        ("true", None),
    ] {
        let spoilt = format!(
            r#"{{"type":"result","subtype":"success","is_error":false,"num_turns":{text}}}"#
        );
        let (read, faults) = Reader::read_with_faults(&spoilt);
        let read: agentwire_protocol::message::ResultMessage = read.unwrap();
        assert_eq!(read.num_turns, nearest, "{text}");
        assert_eq!(faults.len(), 1, "{faults:?}");
    }
}
