//! Words of commands.

/// Returns whether a word is in a list separated by spaces.
pub(super) fn is_in(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

pub(super) fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word != "--"
}

/// Returns the name of a command that may be a path, in lower case, because
/// some file systems ignore case.
pub(super) fn name(command: &str) -> String {
    let name = command.rsplit('/').next().unwrap_or(command);
    name.to_lowercase()
}
