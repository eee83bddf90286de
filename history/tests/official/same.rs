//! Finds differences between values.

use serde_json::Value;
use std::collections::HashMap;

/// Returns the first difference of two values. Numbers are compared by value.
pub(crate) fn difference(official: &Value, ours: &Value, path: &str) -> Option<String> {
    match (official, ours) {
        (Value::Object(official), Value::Object(ours)) => {
            let names = official
                .keys()
                .chain(ours.keys().filter(|it| !official.contains_key(*it)));
            names.into_iter().find_map(|name| {
                let path = format!("{path}.{name}");
                match (official.get(name), ours.get(name)) {
                    (Some(official), Some(ours)) => difference(official, ours, &path),
                    (Some(official), None) => Some(format!("{path}: only official: {official}")),
                    (_, ours) => ours.map(|ours| format!("{path}: only ours: {ours}")),
                }
            })
        }
        (Value::Array(official), Value::Array(ours)) => {
            let both = official.iter().zip(ours).enumerate();
            let mut both = both.filter_map(|(at, (official, ours))| {
                difference(official, ours, &format!("{path}[{at}]"))
            });
            both.next().or_else(|| {
                let (official, ours) = (official.len(), ours.len());
                (official != ours).then(|| format!("{path}: {official} official, {ours} ours"))
            })
        }
        (Value::Number(official), Value::Number(ours)) if official.as_f64() == ours.as_f64() => {
            None
        }
        _ if official == ours => None,
        _ => Some(format!("{path}: official {official}\n  ours {ours}")),
    }
}

/// Pairs of new IDs, one of each side.
#[derive(Debug, Default)]
pub(crate) struct Renamed {
    ours: HashMap<String, String>,
    official: HashMap<String, String>,
}

impl Renamed {
    /// Returns whether two texts are equal, are the same new ID, or are new times.
    fn is_same(&mut self, official: &str, ours: &str) -> bool {
        official == ours || are_new_times(official, ours) || self.is_same_id(official, ours)
    }

    fn is_same_id(&mut self, official: &str, ours: &str) -> bool {
        if !is_id(official) || !is_id(ours) {
            return false;
        }
        let known = self.ours.entry(official.to_owned());
        let known = known.or_insert_with(|| ours.to_owned()) == ours;
        let back = self.official.entry(ours.to_owned());
        known && back.or_insert_with(|| official.to_owned()) == official
    }

    /// Returns whether two paths are equal except for new IDs and times.
    pub(crate) fn is_same_path(&mut self, official: &str, ours: &str) -> bool {
        let names = |path: &str| -> Vec<String> {
            let names = path.split(['/', '.']).map(str::to_owned);
            names.collect()
        };
        let (official, ours) = (names(official), names(ours));
        let same = official.iter().zip(&ours).all(|(a, b)| self.is_same(a, b));
        same && official.len() == ours.len()
    }
}

/// Returns the first difference of two files. JSON lines are compared by value. New IDs and times
/// may differ.
pub(crate) fn lines(official: &[u8], ours: &[u8], renamed: &mut Renamed) -> Option<String> {
    let lines = |text: &[u8]| -> Vec<Vec<u8>> {
        text.split(|it| *it == b'\n').map(<[u8]>::to_vec).collect()
    };
    let (official, ours) = (lines(official), lines(ours));
    for (at, (official, ours)) in official.iter().zip(&ours).enumerate() {
        if official == ours {
            continue;
        }
        let value = |line: &[u8]| -> Option<Value> {
            let json: agentwire_protocol::Json = std::str::from_utf8(line).ok()?.parse().ok()?;
            json.read().ok()
        };
        let what = match (value(official), value(ours)) {
            (Some(official), Some(ours)) => renaming(&official, &ours, "", renamed),
            _ => Some(format!(
                ": official {}\n  ours {}",
                String::from_utf8_lossy(official),
                String::from_utf8_lossy(ours)
            )),
        };
        if let Some(what) = what {
            return Some(format!(":{}{what}", at + 1));
        }
    }
    let (official, ours) = (official.len(), ours.len());
    (official != ours).then(|| format!(": {official} lines official, {ours} ours"))
}

/// Returns the first difference of two values. New IDs and times may differ.
fn renaming(official: &Value, ours: &Value, path: &str, renamed: &mut Renamed) -> Option<String> {
    match (official, ours) {
        (Value::Object(a), Value::Object(b))
            if a.len() == b.len() && a.keys().all(|name| b.contains_key(name)) =>
        {
            let mut members = a.iter();
            members.find_map(|(name, a)| renaming(a, &b[name], &format!("{path}.{name}"), renamed))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut both = a.iter().zip(b).enumerate();
            both.find_map(|(at, (a, b))| renaming(a, b, &format!("{path}[{at}]"), renamed))
        }
        (Value::String(a), Value::String(b)) if renamed.is_same(a, b) => None,
        _ => difference(official, ours, path),
    }
}

/// Returns whether both texts are times outside the range of the generated times.
fn are_new_times(official: &str, ours: &str) -> bool {
    let is_new = |it: &str| it.len() == 24 && it.ends_with('Z') && it > "2025-12-31";
    is_new(official) && is_new(ours)
}

fn is_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|it| it == b'-' || it.is_ascii_hexdigit())
}
