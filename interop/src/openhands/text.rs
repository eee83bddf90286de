//! Cuts and trims texts like the library.

/// The maximum length of a tool's text in characters.
const LIMIT: usize = 50_000;

/// The notice in place of the removed middle.
const NOTICE: &str = "<response clipped><NOTE>Due to the max output limit, only part of the full \
                      response has been shown to you.</NOTE>";

/// Removes the middle of a text that is too long.
pub(super) fn shortened(text: String) -> String {
    // The number of bytes is at least the number of characters.
    if text.len() <= LIMIT {
        return text;
    }
    let length = text.chars().count();
    if length <= LIMIT {
        return text;
    }
    let remaining = LIMIT - NOTICE.chars().count();
    let (head, tail) = (remaining - remaining / 2, remaining / 2);
    let index = |character: usize| {
        text.char_indices()
            .nth(character)
            .map_or(text.len(), |(index, _)| index)
    };
    let (head, tail) = (&text[..index(head)], &text[index(length - tail)..]);
    format!("{head}{NOTICE}{tail}")
}

/// Returns whether Python's `str.strip` removes a character.
fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

/// Returns whether a text is blank.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// Trims a text.
pub(super) fn stripped(text: &str) -> &str {
    text.trim_matches(is_space)
}
