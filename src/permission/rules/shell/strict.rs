//! The strict parser: accepts only simple commands with literal words.

use super::super::path::{Disk, Places};
use super::super::verdict::Undecided;
use super::filters::is_pattern;
use super::programs;
use super::words::{is_invisible, name};

/// A simple command of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The command as written, without surrounding space and trailing redirections.
    pub(crate) text: String,
    /// The words of the command, without quotes.
    pub(crate) words: Vec<Word>,
}

/// A word of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// The length in bytes before the first quote or backslash, if any.
    quoted_at: Option<usize>,
    /// The length in characters of the command up to the end of this word.
    end: usize,
}

/// The maximum length of a line. The CLI asks about longer ones.
const LONGEST: usize = 10_000;
/// The most words: each may be a path to check.
const MOST_WORDS: usize = 4096;

/// Returns the simple commands of a line that consists only of words that no shell expands,
/// quotes, `&&`, `||`, `;`, `|`, line ends, and trailing redirections that write no file. Fails
/// for every other line.
pub(crate) fn parse_commands(line: &str) -> Result<Vec<Part>, Undecided> {
    let is_short = line.len() <= LONGEST;
    let reader = is_short.then(|| Reader::new(line));
    let parts = reader
        .and_then(Reader::read)
        .filter(|parts| parts.iter().map(|part| part.words.len()).sum::<usize>() <= MOST_WORDS)
        .filter(|parts| parts.iter().all(Part::is_plain))
        .ok_or(Undecided::Unparsed)?;
    let commands: Vec<_> = parts.iter().map(Part::texts).collect();
    if !programs::is_order_fine(&commands) {
        return Err(Undecided::DependsOnDirectory);
    }
    Ok(parts)
}

impl Part {
    pub(super) fn name(&self) -> String {
        name(&self.words[0].text)
    }

    fn texts(&self) -> Vec<&str> {
        self.words.iter().map(|word| &*word.text).collect()
    }

    /// Returns whether the command has no effects beyond its words. A rule contains the first
    /// `literal` characters literally.
    pub(crate) fn is_harmless(&self, literal: usize) -> bool {
        let literal = self
            .words
            .iter()
            .take_while(|word| word.end <= literal)
            .count();
        // A path can name any program.
        let is_named = literal > 0 || !self.words[0].text.contains('/');
        is_named && programs::is_harmless(&self.texts(), literal)
    }

    /// Returns whether all words that may be paths are in the working directory.
    pub(crate) fn stays(&self, places: &Places, disk: &Disk) -> bool {
        let program = self.name();
        let removes = matches!(&*program, "rm" | "rmdir" | "mv");
        let only_reads = programs::only_reads(&program);
        let words = self.texts();
        let arguments = &words[1..];
        let stays = |text: &str| {
            let mut names = text.split(['/', '=', ':', ',']);
            // The agent protects names with a leading dot.
            let is_guarded = |name: &str| !only_reads && name.len() > 1 && name.starts_with('.');
            let is_outside = names.any(|name| name == ".." || is_guarded(name))
                || (removes && places.is_work(text));
            let value = text.split_once('=').map(|(_, value)| value);
            let option = text.starts_with('-').then(|| text.find(['/', '~']));
            let glued = option.flatten().map(|at| &text[at..]);
            let mut paths = [Some(text), value, glued].into_iter().flatten();
            !is_outside && paths.all(|path| places.is_at_work(path, disk))
        };
        let mut words = arguments.iter().enumerate();
        words.all(|(at, word)| stays(word) || is_pattern(&program, arguments, at))
    }

    /// Returns whether program and options are evident.
    fn is_plain(&self) -> bool {
        let is_bare = |word: &Word| word.quoted_at.is_none();
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-+./:@".contains(c);
        let first = &self.words[0];
        let is_option = |word: &Word| word.text.starts_with('-');
        let shows = |word: &Word| match word.quoted_at {
            Some(at) => word.text[..at].contains('='),
            None => true,
        };
        // The CLI treats a quoted brace within a word as an expansion.
        let has_brace = |word: &Word| word.quoted_at != Some(0) && word.text.contains(['{', '}']);
        is_bare(first)
            && !self.words.iter().any(has_brace)
            && first.text.chars().all(is_name)
            && !first.text.starts_with('-')
            && self.words[1..]
                .iter()
                .all(|word| !is_option(word) || shows(word))
    }
}

struct Reader {
    line: Vec<char>,
    at: usize,
    parts: Vec<Part>,
    /// The start of the current part: that of its first word, once there is one.
    start: usize,
    words: Vec<Word>,
    word: Option<Word>,
    /// Whether the current part has a redirection: no word may follow.
    is_redirected: bool,
}

impl Reader {
    fn new(line: &str) -> Self {
        Self {
            line: line.chars().collect(),
            at: 0,
            parts: Vec::new(),
            start: 0,
            words: Vec::new(),
            word: None,
            is_redirected: false,
        }
    }

    fn read(mut self) -> Option<Vec<Part>> {
        // Whether a command must follow.
        let mut is_open = false;
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' => self.end_word(1),
                // A line may be empty, and continue after `&&` and `|`.
                '\n' => {
                    if self.end_part(1) {
                        is_open = false;
                    }
                }
                ';' if self.peek() != Some(';') => {
                    self.end_part(1).then_some(())?;
                    is_open = false;
                }
                '&' if self.skip('&') => {
                    self.end_part(2).then_some(())?;
                    is_open = true;
                }
                '|' if self.peek() != Some('&') => {
                    let length = if self.skip('|') { 2 } else { 1 };
                    self.end_part(length).then_some(())?;
                    is_open = true;
                }
                '>' => self.redirection()?,
                ';' | '&' | '|' => return None,
                c => self.character(c)?,
            }
        }
        if !self.end_part(0) && is_open {
            return None;
        }
        (!self.parts.is_empty()).then_some(self.parts)
    }

    fn peek(&self) -> Option<char> {
        self.line.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn skip(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    /// Ends a word before the last `behind` characters.
    fn end_word(&mut self, behind: usize) {
        if let Some(mut word) = self.word.take() {
            word.end = self.at - behind - self.start;
            self.words.push(word);
        }
    }

    /// Ends a part before the separator just read, which has this length. Returns whether there was
    /// a part.
    fn end_part(&mut self, separator: usize) -> bool {
        self.end_word(separator);
        let words = std::mem::take(&mut self.words);
        let is_part = !words.is_empty();
        if let Some(last) = words.last() {
            let written = &self.line[self.start..self.start + last.end];
            let text = written.iter().collect();
            self.parts.push(Part { text, words });
        }
        self.start = self.at;
        self.is_redirected = false;
        is_part
    }

    /// Reads a character of a word.
    fn character(&mut self, c: char) -> Option<()> {
        if self.is_redirected {
            // Only another redirection may follow a redirection.
            return (c.is_ascii_digit() && self.peek() == Some('>')).then_some(());
        }
        if self.words.is_empty() && self.word.is_none() {
            self.start = self.at - 1;
        }
        match c {
            '\'' => {
                self.begin_quote();
                loop {
                    match self.next()? {
                        '\'' => break,
                        c => self.quoted(c)?,
                    }
                }
            }
            '"' => {
                self.begin_quote();
                loop {
                    match self.next()? {
                        '"' => break,
                        '\\' => match self.next()? {
                            c @ ('"' | '\\' | '$' | '`') => self.quoted(c)?,
                            c => {
                                self.quoted('\\')?;
                                self.quoted(c)?;
                            }
                        },
                        '$' | '`' => return None,
                        c => self.quoted(c)?,
                    }
                }
            }
            '\\' => {
                let c = self
                    .next()
                    .filter(|c| c.is_ascii_punctuation() && !matches!(c, '{' | '}'))?;
                self.begin_quote();
                self.quoted(c)?;
            }
            c => self.bare(c)?,
        }
        Some(())
    }

    /// Reads a literal character outside quotes, in bash and in zsh.
    fn bare(&mut self, c: char) -> Option<()> {
        let before = self.word.as_ref().and_then(|word| word.text.chars().last());
        let is_plain = match c {
            // zsh expands `=command` to its path.
            '=' => before.is_some(),
            // A home directory, or in zsh a pattern, unless inside a word like `HEAD~1`.
            '~' | '^' => before.is_some_and(char::is_alphanumeric),
            '_' | '-' | '.' | '/' | ':' | ',' | '@' | '%' | '+' => true,
            c => c.is_alphanumeric(),
        };
        (is_plain && !is_invisible(c)).then(|| self.word().text.push(c))
    }

    fn begin_quote(&mut self) {
        let word = self.word();
        let at = word.text.len();
        word.quoted_at.get_or_insert(at);
    }

    /// Reads a literal character in quotes. Parsers disagree about some kinds of space. Some also
    /// treat a quoted line that begins with `#` as a comment, and a quoted backslash as a line
    /// continuation.
    fn quoted(&mut self, c: char) -> Option<()> {
        let is_space = matches!(c, ' ' | '\t' | '\n');
        let is_plain = is_space || !(c.is_control() || c.is_whitespace() || is_invisible(c));
        let text = &mut self.word().text;
        let mut before = text.chars().rev().skip_while(|c| matches!(c, ' ' | '\t'));
        let hides = (c == '#' && before.next() == Some('\n')) || (is_space && text.ends_with('\\'));
        (is_plain && !hides).then(|| text.push(c))
    }

    /// Reads a redirection that writes no file, after a command: `2>&1`, `>/dev/null`.
    fn redirection(&mut self) -> Option<()> {
        // An adjacent number belongs to it.
        let number = self.word.take();
        let is_number =
            |word: &Word| word.quoted_at.is_none() && word.text.chars().all(|c| c.is_ascii_digit());
        if number.is_some_and(|word| !is_number(&word)) || self.words.is_empty() {
            return None;
        }
        if self.skip('&') {
            self.next().filter(char::is_ascii_digit)?;
        } else {
            self.skip('>');
            while self.skip(' ') {}
            for wanted in "/dev/null".chars() {
                self.skip(wanted).then_some(())?;
            }
        }
        self.is_redirected = true;
        self.peek()
            .is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | ';' | '|' | '&' | '>'))
            .then_some(())
    }
}
