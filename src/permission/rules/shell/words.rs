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

/// Returns the name of a command that may be a path, on Unix or on Windows,
/// without the ending of a Windows program.
pub(super) fn plain_name(command: &str) -> &str {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let mut name = name.strip_prefix('=').unwrap_or(name);
    while let Some((before, ending)) = name.rsplit_once('.') {
        let is_ending = |known: &&str| ending.eq_ignore_ascii_case(known);
        if before.is_empty() || !["bat", "cmd", "com", "exe", "ps1"].iter().any(is_ending) {
            break;
        }
        name = before;
    }
    name
}

/// Returns whether a character only changes the appearance of a line.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{3164}' | '\u{ffa0}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
