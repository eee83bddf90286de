//! Compares entries as JSON values.

use agentwire_protocol::{Json, Members};

/// Returns whether two JSON texts have the same value. Members of objects may
/// be reordered. Strings are equal if they have the same characters, even if
/// they are escaped differently. Numbers are equal if they have the same text.
pub(super) fn json_eq(one: &Json, other: &Json) -> bool {
    if one == other {
        return true;
    }
    if let (Some(one), Some(other)) = (units(one.get()), units(other.get())) {
        return one == other;
    }
    if let (Ok(one), Ok(other)) = (one.read::<Members>(), other.read::<Members>()) {
        let (one, other) = (sorted(&one), sorted(&other));
        let pairs = one.iter().zip(&other);
        return one.len() == other.len()
            && pairs
                .into_iter()
                .all(|(one, other)| one.0 == other.0 && json_eq(one.1, other.1));
    }
    if let (Ok(one), Ok(other)) = (one.read::<Vec<Json>>(), other.read::<Vec<Json>>()) {
        let mut pairs = one.iter().zip(&other);
        return one.len() == other.len() && pairs.all(|(one, other)| json_eq(one, other));
    }
    false
}

fn sorted(members: &Members) -> Vec<(&str, &Json)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(name, _)| *name);
    members
}

/// Returns the UTF-16 code units of a JSON string, which may contain lone
/// surrogates. Returns `None` for other text.
fn units(text: &str) -> Option<Vec<u16>> {
    let inner = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut units = Vec::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(next) = rest.next() {
        let unescaped = match next {
            '\\' => match rest.next()? {
                'u' => {
                    let digits = rest.as_str().get(..4)?;
                    units.push(u16::from_str_radix(digits, 16).ok()?);
                    rest = rest.as_str()[4..].chars();
                    continue;
                }
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            },
            other => other,
        };
        units.extend_from_slice(unescaped.encode_utf16(&mut [0; 2]));
    }
    Some(units)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_the_order_of_members_may_differ() {
        let same = |one: &str, other: &str| json_eq(&one.parse().unwrap(), &other.parse().unwrap());
        assert!(same(
            r#"{"a":[1,{"b":2,"c":3}]}"#,
            r#"{ "a": [1, {"c":3, "b":2}] }"#
        ));
        assert!(same(r#"{"a":1,"b":"\ud800"}"#, r#"{"b":"\ud800","a":1}"#));
        assert!(same(
            r#"["🦀é/\n\"\\"]"#,
            r#"["\ud83e\uDD80\u00e9\/\u000a\u0022\u005c"]"#
        ));
        assert!(!same(r#"["\ud800"]"#, "[\"\u{fffd}\"]"));
        assert!(!same(r#""1""#, "1"));
        assert!(!same(r#"{"a":1.0}"#, r#"{"a":1}"#));
        assert!(!same(r#"{"a":1,"b":2}"#, r#"{"a":1}"#));
        assert!(!same(r#"[1,2]"#, r#"[2,1]"#));
        assert!(!same(r#"{"a":"\u0000"}"#, r#"{"a":""}"#));
    }
}
