//! Text functions with JavaScript's rules, which count UTF-16 units and have
//! their own set of white space.

/// Returns whether a character is white space in JavaScript.
pub(super) fn is_space(char: char) -> bool {
    matches!(
        char,
        '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}'
            | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// Trims JavaScript's white space from a text.
pub(in crate::transcript) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Returns the first `units` UTF-16 units, without a character that would be split.
pub(super) fn first_units(text: &str, units: usize) -> &str {
    let mut left = units;
    let end = text
        .char_indices()
        .find(|(_, char)| match left.checked_sub(char.len_utf16()) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// Returns whether a character is a control or format character (Unicode's
/// categories Cc and Cf), or a separator of lines or paragraphs.
pub(super) fn is_invisible(char: char) -> bool {
    char.is_control() || is_format(char) || matches!(char, '\u{2028}' | '\u{2029}')
}

/// Returns whether a character is a format character (Unicode's category Cf).
fn is_format(char: char) -> bool {
    matches!(
        char,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}'
    )
}

/// Trims a tag, and removes format characters, characters for private use and
/// noncharacters.
pub(in crate::transcript) fn tag(text: &str) -> String {
    let is_private = |it| matches!(it, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}');
    let is_noncharacter =
        |it: char| matches!(it, '\u{fdd0}'..='\u{fdef}') || u32::from(it) & 0xfffe == 0xfffe;
    let is_kept = |it: &char| !is_format(*it) && !is_private(*it) && !is_noncharacter(*it);
    trimmed(&text.chars().filter(is_kept).collect::<String>()).to_owned()
}

/// Returns a title as one line of up to 200 characters. Returns `None` if the
/// title would be empty.
pub(super) fn title(text: &str) -> Option<String> {
    let mut line = String::new();
    let mut is_between = false;
    for char in trimmed(text).chars() {
        if !is_invisible(char) {
            line.push(char);
        } else if !is_between {
            line.push(' ');
        }
        is_between = is_invisible(char);
    }
    let cut: String = line.chars().take(200).collect();
    Some(trimmed(&cut).to_owned()).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_truncated_between_characters() {
        assert_eq!(first_units("a🦀b", 2), "a");
        assert_eq!(first_units("a🦀b", 3), "a🦀");
        assert_eq!(first_units("ab", 5), "ab");
    }

    #[test]
    fn white_space_is_javascripts() {
        assert_eq!(trimmed("\u{feff}\u{a0} a\u{85} \n"), "a\u{85}");
    }

    #[test]
    fn tags_have_no_hidden_characters() {
        assert_eq!(tag(" a\u{200b}\u{e001}b\u{fffe}\n\u{feff}"), "ab");
        assert_eq!(tag("a\nb \u{85}\u{2028}c"), "a\nb \u{85}\u{2028}c");
        assert_eq!(tag("\u{200b} "), "");
    }

    #[test]
    fn titles_are_one_line() {
        assert_eq!(title(" a\n\t\u{200b}b ").as_deref(), Some("a b"));
        assert_eq!(title("\u{200b}"), None);
        assert_eq!(title(&"🦀".repeat(300)), Some("🦀".repeat(200)));
    }
}
