//! Classifies a value by its form as a word, a placeholder or a random text.

/// The minimum length of a random value.
const MIN_RANDOM_LENGTH: usize = 16;

/// Returns whether the value is a placeholder.
pub(super) fn is_placeholder(value: &str) -> bool {
    let first = value.bytes().next();
    let begins = matches!(first, None | Some(b'$' | b'<' | b'{' | b'[' | b'(' | b'%'));
    begins || value.bytes().all(|byte| Some(byte) == first) || value.starts_with("your")
}

/// Returns whether the value is neither a word nor a combination of words.
pub(super) fn is_not_words(value: &str) -> bool {
    let has = |characters: &[u8]| value.bytes().any(|it| characters.contains(&it));
    let is_upward = |one: u8, two: u8| one.is_ascii_lowercase() && two.is_ascii_uppercase();
    has(b"0123456789") || has(b"!@#$%^&*+=?~") || changes(value, is_upward) >= 2
}

/// Returns whether the value looks random. It is long, alternates letters and
/// digits, and is neither a UUID nor a path.
pub(super) fn looks_random(value: &str) -> bool {
    let is_of_keys = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_.~-".contains(&byte);
    value.len() >= MIN_RANDOM_LENGTH
        && value.bytes().all(is_of_keys)
        && !value.starts_with(['/', '.'])
        && !is_uuid(value)
        && is_mixed(value, 3)
        && entropy(value) >= 3.0
}

fn is_uuid(value: &str) -> bool {
    let dashes = value.match_indices('-').map(|(at, _)| at);
    value.len() == 36 && dashes.eq([8, 13, 18, 23])
}

/// Returns whether letters and digits alternate at least `times` times.
pub(super) fn is_mixed(value: &str, times: usize) -> bool {
    let is_change = |one: u8, two: u8| {
        one.is_ascii_alphanumeric()
            && two.is_ascii_alphanumeric()
            && one.is_ascii_digit() != two.is_ascii_digit()
    };
    changes(value, is_change) >= times
}

fn changes(value: &str, is_change: impl Fn(u8, u8) -> bool) -> usize {
    let pairs = value.as_bytes().windows(2);
    pairs.filter(|pair| is_change(pair[0], pair[1])).count()
}

/// Returns the Shannon entropy in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0);
    shares
        .map(|&count| f64::from(count) / length)
        .map(|share| -share * share.log2())
        .sum()
}
