//! Whether a store returned what was appended.

use agentwire_protocol::{Json, Members};

/// Whether two JSON texts have the same value, with the members of objects in any
/// order. Numbers and strings are the same if their texts are: no store has a reason
/// to write a digit or an escape otherwise.
pub(super) fn is_same(one: &Json, other: &Json) -> bool {
    if one == other {
        return true;
    }
    if let (Ok(one), Ok(other)) = (one.read::<Members>(), other.read::<Members>()) {
        let (one, other) = (sorted(&one), sorted(&other));
        let pairs = one.iter().zip(&other);
        return one.len() == other.len()
            && pairs
                .into_iter()
                .all(|(one, other)| one.0 == other.0 && is_same(one.1, other.1));
    }
    if let (Ok(one), Ok(other)) = (one.read::<Vec<Json>>(), other.read::<Vec<Json>>()) {
        let mut pairs = one.iter().zip(&other);
        return one.len() == other.len() && pairs.all(|(one, other)| is_same(one, other));
    }
    false
}

fn sorted(members: &Members) -> Vec<(&str, &Json)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(name, _)| *name);
    members
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn members_may_be_in_another_order_and_nothing_else_may_differ() {
        let same = |one: &str, other: &str| is_same(&one.parse().unwrap(), &other.parse().unwrap());
        assert!(same(
            r#"{"a":[1,{"b":2,"c":3}]}"#,
            r#"{ "a": [1, {"c":3, "b":2}] }"#
        ));
        assert!(same(r#"{"a":1,"b":"\ud800"}"#, r#"{"b":"\ud800","a":1}"#));
        assert!(!same(r#"{"a":1.0}"#, r#"{"a":1}"#));
        assert!(!same(r#"{"a":1,"b":2}"#, r#"{"a":1}"#));
        assert!(!same(r#"[1,2]"#, r#"[2,1]"#));
        assert!(!same(r#"{"a":"\u0000"}"#, r#"{"a":""}"#));
    }
}
