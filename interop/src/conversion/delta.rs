//! Deltas between JSON values.

use super::difference::{self, Difference};
use super::exact::{Object, written};
use super::tree::{Name, Tape};
use agentwire_protocol::{Json, Members};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::collections::BTreeMap;

/// The construction of a JSON value from another value.
///
/// The delta is written as one of these JSON values:
///
/// - `{"is": VALUE}`: the new value;
/// - `{"in": {KEY: DELTA, …}, "without": [KEY, …], "more": [[KEY, VALUE], …]}`: the other object
///   with changed or added members, and without some members. `more` has the hidden members:
///   members that a later one replaces, and members whose name has a lone surrogate;
/// - `{"of": [STEP, …]}`: a list that is constructed from the items of the other list.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// The new value.
    Is(Json),
    /// The other object with changes.
    In {
        /// Changed or added members.
        members: BTreeMap<String, Delta>,
        /// Removed members.
        without: Vec<String>,
        /// The hidden members, if they differ. Names are JSON strings.
        more: Option<Vec<(Json, Json)>>,
    },
    /// A list that is constructed from items of the other list, in this order.
    Of(Vec<Step>),
}

/// A step that constructs items of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Copies items of the other list, given by the first index and the count. JSON: `[N, COUNT]`.
    Run(usize, usize),
    /// Changes an item of the other list. JSON: `[N, DELTA]`.
    Item(usize, Delta),
    /// Adds a new item. JSON: `{"is": VALUE}`.
    Is(Json),
}

/// The error of a delta that is applied to another value than the one from which it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the residue is of another value")]
pub struct OtherValue;

impl Delta {
    /// Returns the delta that constructs `to` from `from`. Returns `None` if they are equal.
    #[must_use]
    pub fn between(from: &Json, to: &Json) -> Option<Self> {
        if from == to {
            return None;
        }
        let (from, to) = (Tape::of(from), Tape::of(to));
        Difference::between(from.tree(), to.tree()).map(Self::from)
    }

    /// Applies the delta to a value.
    ///
    /// # Errors
    ///
    /// If this is the delta of another value: a list lacks items that the delta refers to, or the
    /// value is not an object although it has to be one.
    pub fn apply(&self, from: &Json) -> Result<Json, OtherValue> {
        match self {
            Self::Is(value) => Ok(value.clone()),
            Self::In {
                members,
                without,
                more,
            } => {
                let mut object = Object::of(from).ok_or(OtherValue)?;
                for key in without {
                    object.members.remove(key);
                }
                for (key, delta) in members {
                    let changed = match (delta, object.members.get(key)) {
                        (Self::Is(value), _) => value.clone(),
                        (delta, Some(old)) => delta.apply(old)?,
                        (_, None) => return Err(OtherValue),
                    };
                    object.members.set(key.clone(), changed);
                }
                if let Some(more) = more {
                    object.more.clone_from(more);
                }
                object.write().ok_or(OtherValue)
            }
            Self::Of(steps) => {
                let from: Vec<Json> = from.read().map_err(|_| OtherValue)?;
                let mut items = Vec::new();
                for step in steps {
                    match step {
                        Step::Run(first, count) => {
                            let run = first
                                .checked_add(*count)
                                .and_then(|end| from.get(*first..end))
                                .ok_or(OtherValue)?;
                            items.extend(run.iter().cloned());
                        }
                        Step::Item(index, delta) => {
                            items.push(delta.apply(from.get(*index).ok_or(OtherValue)?)?);
                        }
                        Step::Is(value) => items.push(value.clone()),
                    }
                }
                Json::from_value(&items).map_err(|_| OtherValue)
            }
        }
    }
}

impl From<Difference<'_>> for Delta {
    fn from(difference: Difference<'_>) -> Self {
        match difference {
            Difference::Is(value) => Self::Is(value.json()),
            Difference::In(inside) => {
                let text = |name: Name<'_>| name.text().unwrap_or_default().into_owned();
                let members = inside.members.into_iter();
                let more = inside.more.map(|(_, more)| more);
                Self::In {
                    members: members
                        .map(|it| (text(it.name), it.difference.into()))
                        .collect(),
                    without: inside.without.into_iter().map(text).collect(),
                    more: more.map(|more| more.into_iter().map(written).collect()),
                }
            }
            Difference::Of(steps) => Self::Of(steps.into_iter().map(Step::from).collect()),
        }
    }
}

impl From<difference::Step<'_>> for Step {
    fn from(step: difference::Step<'_>) -> Self {
        match step {
            difference::Step::Run(first, count) => Self::Run(first, count),
            difference::Step::Item(index, difference) => Self::Item(index, difference.into()),
            difference::Step::Is(value) => Self::Is(value.json()),
        }
    }
}

impl Serialize for Delta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Is(value) => map.serialize_entry("is", value)?,
            Self::In {
                members,
                without,
                more,
            } => {
                map.serialize_entry("in", members)?;
                if !without.is_empty() {
                    map.serialize_entry("without", without)?;
                }
                if let Some(more) = more {
                    map.serialize_entry("more", more)?;
                }
            }
            Self::Of(steps) => map.serialize_entry("of", steps)?,
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Delta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        let read = if let Some(value) = members.get("is") {
            Ok(Self::Is(value.clone()))
        } else if let Some(changed) = members.get("in") {
            changed.read().and_then(|changed| {
                Ok(Self::In {
                    members: changed,
                    without: members.get("without").map_or(Ok(vec![]), Json::read)?,
                    more: members.get("more").map(Json::read).transpose()?,
                })
            })
        } else if let Some(steps) = members.get("of") {
            steps.read().map(Self::Of)
        } else {
            return Err(D::Error::custom("a delta has `is`, `in` or `of`"));
        };
        read.map_err(D::Error::custom)
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Run(first, count) => (first, count).serialize(serializer),
            Self::Item(index, delta) => (index, delta).serialize(serializer),
            Self::Is(value) => serializer.collect_map([("is", value)]),
        }
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let step = Json::deserialize(deserializer)?;
        if let Some(value) = step.member("is") {
            return Ok(Self::Is(value));
        }
        let (index, what): (usize, Json) = step.read().map_err(D::Error::custom)?;
        if what.get().starts_with('{') {
            what.read().map(|delta| Self::Item(index, delta))
        } else {
            what.read().map(|count| Self::Run(index, count))
        }
        .map_err(D::Error::custom)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Fingerprint;
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn is_same(one: &Json, other: &Json) -> bool {
        Tape::of(one).tree().is_same(Tape::of(other).tree())
    }

    fn delta(from: &Value, to: &Value) -> Option<Value> {
        let delta = Delta::between(&from.clone().into(), &to.clone().into())?;
        Some(serde_json::to_value(delta).unwrap())
    }

    #[test]
    fn a_delta_contains_only_the_differences() {
        let from = json!({"role": "user", "content": "hello", "name": "x"});
        let to = json!({"role": "user", "content": "hello", "uuid": "1"});
        assert_eq!(
            delta(&from, &to).unwrap(),
            json!({"in": {"uuid": {"is": "1"}}, "without": ["name"]})
        );
        assert_eq!(delta(&to, &to), None);
    }

    #[test]
    fn moved_items_are_not_repeated() {
        let text = json!({"type": "text", "text": "a"});
        let call = json!({"type": "tool_use", "id": "1", "input": {}});
        let more = json!({"type": "tool_use", "id": "1", "input": {}, "caller": "me"});
        let thought = json!({"type": "thinking", "thinking": "…"});
        assert_eq!(
            delta(&json!([text, call]), &json!([more, thought, text])).unwrap(),
            json!({"of": [[1, {"in": {"caller": {"is": "me"}}}], {"is": thought}, [0, 1]]})
        );
        assert_eq!(
            delta(&json!([1, 2, 3, 4]), &json!([3, 4, 1])).unwrap(),
            json!({"of": [[2, 2], [0, 1]]})
        );
    }

    #[test]
    fn numbers_keep_their_digits() {
        let [from, to] = ["[1.0]", "[1.00]"].map(|text| serde_json::from_str(text).unwrap());
        let delta = Delta::between(&from, &to).unwrap();
        assert_eq!(delta.apply(&from).unwrap().get(), "[1.00]");
    }

    #[test]
    fn hidden_members_are_in_a_delta() {
        let [from, to]: [Json; 2] = [
            r#"{"a":[1,2],"b":{"c":"\ufffd"},"\ufffd":3}"#,
            r#"{"a":"first","a":[1,2],"b":{"c":"\ud800"},"\ud800":3}"#,
        ]
        .map(|text| text.parse().unwrap());
        let delta = Delta::between(&from, &to).unwrap();
        assert_eq!(
            serde_json::to_string(&delta).unwrap(),
            r#"{"in":{"b":{"in":{"c":{"is":"\ud800"}}}},"without":["�"],"more":[["a","first"],["\ud800",3]]}"#
        );
        let made = delta.apply(&from).unwrap();
        assert!(is_same(&made, &to), "{made}");
        // Members that both objects have are not repeated.
        let more = r#"{"a":"first","a":[1,2],"\ud800":3,"b":{"c":"\ud800"},"d":0}"#;
        let delta = Delta::between(&to, &more.parse().unwrap()).unwrap();
        assert_eq!(
            serde_json::to_string(&delta).unwrap(),
            r#"{"in":{"d":{"is":0}}}"#
        );
    }

    #[test]
    fn a_delta_of_another_value_is_refused() {
        let [from, to] = [json!({"a": [1, 2]}), json!({"a": [2, 3]})].map(Json::from);
        let delta = Delta::between(&from, &to).unwrap();
        for other in [json!({}), json!({"a": [1]}), json!({"a": {}}), json!(1)] {
            assert_eq!(delta.apply(&other.into()), Err(OtherValue));
        }
    }

    /// Generates JSON with duplicate members, lone surrogates and numbers in any spelling.
    fn value() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "null",
            "true",
            "0",
            "1",
            "1.0",
            "-0",
            "1e400",
            "1E+2",
            r#""""#,
            r#""a""#,
            r#""b""#,
            r#""\ud800""#,
            r#""\uD800""#,
            r#""\udc00a""#,
            r#""\u0061""#,
        ])
        .prop_map(str::to_owned);
        leaf.prop_recursive(4, 24, 4, |inner| {
            let key = prop::sample::select(vec![
                "id", "type", "text", "input", r"\ud800", r"\ufffd", r"i\u0064",
            ]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::vec((key, inner), 0..4).prop_map(|members| {
                    let members: Vec<String> = members
                        .into_iter()
                        .map(|(key, value)| format!("\"{key}\":{value}"))
                        .collect();
                    format!("{{{}}}", members.join(","))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_delta_constructs_any_value_from_any_other(from in value(), to in value()) {
            let [from, wanted]: [Json; 2] = [from, to].map(|text| text.parse().unwrap());
            let made = match Delta::between(&from, &wanted) {
                None => from,
                Some(delta) => {
                    let text = serde_json::to_string(&delta).unwrap();
                    let read: Delta = serde_json::from_str(&text).unwrap();
                    prop_assert_eq!(&read, &delta);
                    read.apply(&from).unwrap()
                }
            };
            prop_assert!(is_same(&made, &wanted), "{} {}", made, wanted);
        }

        #[test]
        fn fingerprints_and_deltas_agree(one in value(), other in value()) {
            let [one, other]: [Json; 2] = [one, other].map(|text| text.parse().unwrap());
            if Delta::between(&one, &other).is_none() {
                prop_assert_eq!(Fingerprint::of(&one), Fingerprint::of(&other));
            }
            if Fingerprint::of(&one) == Fingerprint::of(&other) {
                prop_assert!(is_same(&one, &other), "{} {}", one, other);
            }
        }
    }
}
