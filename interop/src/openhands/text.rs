//! Cuts and trims texts as the library does.

/// How many characters of a tool's text are sent.
const LIMIT: usize = 50_000;

/// What stands where a text was cut, so that a model knows.
const NOTICE: &str = "<response clipped><NOTE>Due to the max output limit, only part of the full \
                      response has been shown to you.</NOTE>";

/// A tool's text, cut in the middle when it is too long.
pub(super) fn shortened(text: String) -> String {
    // Bytes are at least as many as characters.
    if text.len() <= LIMIT {
        return text;
    }
    let length = text.chars().count();
    if length <= LIMIT {
        return text;
    }
    let left = LIMIT - NOTICE.chars().count();
    let (head, tail) = (left - left / 2, left / 2);
    let index = |character: usize| {
        text.char_indices()
            .nth(character)
            .map_or(text.len(), |(index, _)| index)
    };
    let (head, tail) = (&text[..index(head)], &text[index(length - tail)..]);
    format!("{head}{NOTICE}{tail}")
}

/// What Python's `str.strip` takes for space: some control characters as well.
fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

/// Whether there is nothing but space in a text.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// A text without the space around it.
pub(super) fn stripped(text: &str) -> &str {
    text.trim_matches(is_space)
}
