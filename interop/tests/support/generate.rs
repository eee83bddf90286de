//! Strategies for JSON.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

/// A strategy for the value of a member. `None` omits the member.
pub(crate) type Member = BoxedStrategy<Option<Value>>;

/// Generates values with a strategy. Every run generates the same values.
pub(crate) fn samples<S: Strategy>(strategy: &S, count: usize) -> Vec<S::Value> {
    let seed = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), seed);
    let values = (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    values.collect()
}

/// Generates objects with these members.
pub(crate) fn object<const N: usize>(members: [(&'static str, Member); N]) -> BoxedStrategy<Value> {
    let (names, members): (Vec<_>, Vec<_>) = members.into_iter().unzip();
    let object = members.prop_map(move |values| {
        let members = names.iter().zip(values);
        let members = members.filter_map(|(name, value)| Some(((*name).to_owned(), value?)));
        Value::Object(Map::from_iter(members))
    });
    object.boxed()
}

/// Generates a member with this value.
pub(crate) fn is(value: impl Into<Value>) -> Member {
    Just(Some(value.into())).boxed()
}

/// Generates a member with a value of the strategy.
pub(crate) fn of<T: Into<Value> + std::fmt::Debug + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> Member {
    value.prop_map(|value| Some(value.into())).boxed()
}

/// Generates a member with this probability.
pub(crate) fn sometimes<T: Into<Value> + std::fmt::Debug + 'static>(
    probability: f64,
    value: impl Strategy<Value = T> + 'static,
) -> Member {
    let value = value.prop_map(Into::into);
    prop::option::weighted(probability, value).boxed()
}

/// Generates a member with a value or `null`, or no member.
pub(crate) fn maybe<T: Into<Value> + std::fmt::Debug + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> Member {
    prop_oneof![1 => Just(Some(Value::Null)), 7 => sometimes(0.55, value)].boxed()
}

/// Selects one of these values. A repeated value is more likely.
pub(crate) fn any_of<T: Into<Value>>(values: impl IntoIterator<Item = T>) -> BoxedStrategy<Value> {
    let values: Vec<Value> = values.into_iter().map(Into::into).collect();
    select(values).boxed()
}

/// Generates lists of less than `end` values.
pub(crate) fn list(
    value: impl Strategy<Value = Value> + 'static,
    end: usize,
) -> BoxedStrategy<Value> {
    vec(value, 0..end).prop_map(Value::from).boxed()
}

/// Generates texts: plain, empty, and texts that have caused bugs.
pub(crate) fn text() -> BoxedStrategy<String> {
    prop_oneof![
        4 => "[a-zA-Z0-9 .,]{1,24}",
        1 => Just(String::new()),
        1 => Just("  two\n\nlines \n".to_owned()),
        1 => Just("\u{2028}zwölf 🦀 \"quoted\" \\ </tag>".to_owned()),
        1 => any::<String>().prop_map(|text| text.replace('\0', "")),
    ]
    .boxed()
}

/// Generates objects with a tag and a text.
pub(crate) fn tagged(kind: &'static str, member: &'static str) -> BoxedStrategy<Value> {
    object([("type", is(kind)), (member, of(text()))])
}

/// Generates arguments of a call: objects as text, in several spellings, and other
/// text.
pub(crate) fn arguments() -> BoxedStrategy<Value> {
    prop_oneof![
        4 => text().prop_map(|text| json!({"q": text}).to_string().into()),
        1 => any_of(["{}", "{ \"a\" : 1.0 }", "{\n\"x\": \"\\u00e9\", \"n\" : [1, 2.50, 1e3, null] }"]),
        1 => any_of(["", " ", "{\"a\":", "{", "null", "[1]", "3", "\"x\"", "rm -rf"]),
    ]
    .boxed()
}

/// Generates URLs of images.
pub(crate) fn image_url() -> BoxedStrategy<Value> {
    any_of([
        "data:image/png;base64,iVBORw0KGgo=",
        "data:image/jpeg;base64,/9j/4AAQ",
        "https://example.com/a.png",
        "[omitted]",
        "data:image/svg+xml,<svg/>",
        "",
    ])
}
