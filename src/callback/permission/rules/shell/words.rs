//! Words of commands.

/// Whether a word is one of these.
pub(super) fn is_in(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

pub(super) fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word != "--"
}

/// The name of a command, which may be a path. Some file systems know no upper and
/// lower case.
pub(super) fn name(command: &str) -> String {
    let name = command.rsplit('/').next().unwrap_or(command);
    name.to_lowercase()
}
