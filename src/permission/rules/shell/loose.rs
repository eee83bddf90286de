//! The loose parser: finds everything in a line that may be a command.

use super::runners;
use super::words::{is_in, is_invisible, plain_name};
use agentwire_protocol::text::contains;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The longest line that is analysed, in bytes: on Linux, a shell accepts no longer argument.
const LONGEST: usize = 128 * 1024;

/// The most bytes that are read for one line, in all passes together.
const STEPS: usize = 4 * 1024 * 1024;

/// The most values of one variable that are tried.
const VALUES: usize = 4;

/// The possible commands in a line.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    /// Texts as written.
    texts: HashSet<String>,
    /// Words, and the index at which a command may begin.
    words: Vec<(Vec<String>, usize, Begins)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begins {
    Here,
    /// Also at each later word.
    HereAndBehind,
}

/// A possible command, with a space before each further word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    first: &'a str,
    rest: &'a [String],
}

impl<'a> Candidate<'a> {
    pub(crate) fn chars(self) -> impl Iterator<Item = char> + 'a {
        let rest = self.rest.iter();
        let rest = rest.flat_map(|word| std::iter::once(' ').chain(word.chars()));
        self.first.chars().chain(rest)
    }
}

impl Commands {
    /// Returns the possible commands in a line, in the forms that a rule may have: the line as
    /// written; its commands as written and without quotes; without prefixes (variables, `sudo`,
    /// `timeout 5`); without redirections; without the folder of the program. Returns `None` for a
    /// line that is too long or too deeply nested.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let mut search = Search {
            steps: STEPS,
            seen: HashMap::new(),
            found: Self::default(),
        };
        search.found.texts.insert(line.trim().to_owned());
        search.collect(line, 0)?;
        // An unknown variable is empty or a space, or has a value from the line.
        search.collect(&with_variables(line, |_| Some("")), 0)?;
        search.collect(&with_variables(line, |_| Some(" ")), 0)?;
        let values = assignments(line);
        let most = values.values().map(Vec::len).max().unwrap_or_default();
        for number in 0..most.min(VALUES) {
            let value = |name: &str| {
                let values = values.get(name)?;
                values.get(number).or(values.last()).map(String::as_str)
            };
            let mut line = line.to_owned();
            // A value may contain a variable.
            for _ in 0..2 {
                line = with_variables(&line, value);
                search.collect(&line, 0)?;
            }
        }
        Some(search.found)
    }

    /// Returns whether one of them satisfies the condition.
    pub(crate) fn any(&self, mut is_wanted: impl FnMut(Candidate<'_>) -> bool) -> bool {
        let is_text = self.texts.iter().any(|first| {
            let rest = &[][..];
            is_wanted(Candidate { first, rest })
        });
        is_text
            || self.words.iter().any(|(words, start, begins)| {
                let end = match begins {
                    Begins::Here => words.len().min(start + 1),
                    Begins::HereAndBehind => words.len(),
                };
                (*start..end).any(|start| {
                    let rest = &words[start + 1..];
                    let first = &*words[start];
                    let [folderless, plain] = [folderless(first), plain_name(first)];
                    is_wanted(Candidate { first, rest })
                        || folderless != first
                            && is_wanted(Candidate {
                                first: folderless,
                                rest,
                            })
                        || plain != folderless && is_wanted(Candidate { first: plain, rest })
                })
            })
    }
}

/// Returns every word of a line, and the part after a `=` in a word: each may be a path.
/// Returns `None` for a line that is too long.
pub(crate) fn words(line: &str) -> Option<Vec<String>> {
    if line.len() > LONGEST {
        return None;
    }
    let mut found = Vec::new();
    for opens in [true, false] {
        for segment in segments(line, opens) {
            found.extend(segment.words);
            found.extend(segment.targets);
        }
    }
    // Quoted text may be a command.
    let inner = found
        .iter()
        .filter(|word| word.contains(char::is_whitespace));
    let inner: Vec<String> = inner
        .flat_map(|word| word.split(|c: char| c.is_whitespace() || "'\"()`;|&<>".contains(c)))
        .map(str::to_owned)
        .collect();
    found.extend(inner);
    let values = found.iter().filter_map(|word| word.split_once('='));
    let values: Vec<String> = values.map(|(_, value)| value.to_owned()).collect();
    found.extend(values);
    found.sort();
    found.dedup();
    Some(found)
}

/// Replaces `$NAME` and `${NAME}` by values, where there are any. A result that is too long is
/// truncated.
fn with_variables<'v>(line: &str, value: impl Fn(&str) -> Option<&'v str>) -> String {
    let mut pieces = line.split('$');
    let mut made = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let inner = piece.strip_prefix('{');
        let rest = inner.unwrap_or(piece);
        let end = match rest.starts_with(['@', '*', '#', '?', '-', '!', '$'])
            || rest.starts_with(|c: char| c.is_ascii_digit())
        {
            true => 1,
            false => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                end.unwrap_or(rest.len())
            }
        };
        let (name, rest) = rest.split_at(end);
        match value(name).filter(|_| !name.is_empty()) {
            Some(value) => {
                made.push_str(value);
                let rest = inner.and_then(|_| rest.strip_prefix('}')).unwrap_or(rest);
                made.push_str(rest);
            }
            None => {
                made.push('$');
                made.push_str(piece);
            }
        }
        if made.len() > LONGEST {
            break;
        }
    }
    made
}

/// Returns the values assigned to variables in a line, in order.
fn assignments(line: &str) -> HashMap<String, Vec<String>> {
    let mut values: HashMap<String, Vec<String>> = HashMap::new();
    for segment in segments(line, true) {
        for word in segment.words.iter().filter(|word| is_assignment(word)) {
            let Some((name, value)) = word.split_once('=') else {
                continue;
            };
            let name = name.strip_suffix('+').unwrap_or(name);
            let known = values.entry(name.to_owned()).or_default();
            if known.len() < VALUES && !known.iter().any(|it| it == value) {
                known.push(value.to_owned());
            }
        }
    }
    values
}

/// The deepest nesting of commands in arguments.
const DEPTH: usize = 8;

struct Search {
    /// The number of bytes that may still be read.
    steps: usize,
    /// Analysed lines, with their depth.
    seen: HashMap<String, usize>,
    found: Commands,
}

impl Search {
    /// Analyses a line as written, as displayed, and as Windows and `$'…'` interpret it. Returns
    /// `None` at the limit.
    fn collect(&mut self, line: &str, depth: usize) -> Option<()> {
        self.read(line, depth)?;
        let is_unseen = |c: char| is_invisible(c) || c.is_control() && !c.is_whitespace();
        let mut line = Cow::Borrowed(line);
        if line.contains(is_unseen) {
            line = line.replace(is_unseen, "").into();
            self.read(&line, depth)?;
        }
        if contains(&line, "$'") {
            line = decoded(&line).into();
            self.read(&line, depth)?;
        }
        if line.contains('\\') {
            self.read(&line.replace('\\', "/"), depth)?;
        }
        Some(())
    }

    fn read(&mut self, line: &str, depth: usize) -> Option<()> {
        if line.len() > LONGEST {
            return None;
        }
        let is_known = self.seen.get(line).is_some_and(|before| *before <= depth);
        if is_known {
            return Some(());
        }
        self.seen.insert(line.to_owned(), depth);
        self.steps = self.steps.checked_sub(line.len() * 3 + 64)?;
        // The third pass ignores quotes: additional matches are harmless.
        let pieces = line.replace(',', " ");
        let pieces = pieces.split([';', '|', '&', '\n', '(', ')', '{', '}', '[', ']', '`']);
        let rough = pieces.flat_map(|piece| segments(piece, true));
        let all = segments(line, true).into_iter();
        let all: Vec<_> = all.chain(segments(line, false)).chain(rough).collect();
        let program = |segment: &ShellCommand| {
            let mut words = segment.words.iter();
            let first = words.find(|word| !is_assignment(word));
            first.map(|first| plain_name(first).to_lowercase())
        };
        let is_read = all.iter().any(|segment| {
            program(segment).is_some_and(|program| runners::reads_commands(&program))
        });
        for segment in all {
            let program = program(&segment);
            self.found.texts.insert(segment.text.trim().to_owned());
            let mut words = segment.words;
            let start = words.iter().take_while(|word| is_assignment(word)).count();
            let Some(program) = program else {
                continue;
            };
            // A shell may read the output.
            let runs = runners::may_run(&program, &words[start + 1..])
                || is_read && is_in("cat echo print printf", &program);
            if runs {
                words.extend(segment.targets);
            }
            if runs && depth < DEPTH {
                for word in &words[start + 1..] {
                    self.collect_within(word, depth + 1)?;
                }
            }
            let begins = match runs {
                true => Begins::HereAndBehind,
                false => Begins::Here,
            };
            self.found.words.push((words, start, begins));
        }
        Some(())
    }

    /// Analyses a word, and the value of an option in it: `-Scommand`, `--split-string=command`.
    fn collect_within(&mut self, word: &str, depth: usize) -> Option<()> {
        let is_plain = |c: char| c.is_alphanumeric() || "_-+./:@%=".contains(c);
        if !word.chars().all(is_plain) {
            self.collect(word, depth)?;
        }
        let is_option = word.starts_with('-');
        if let Some((_, value)) = word.split_once('=') {
            let command = value.trim_start_matches('!');
            if is_option || !command.chars().all(is_plain) || command != value {
                self.collect(command, depth)?;
            }
        }
        if is_option && !word.starts_with("--") {
            // Several letters may precede the value: `-lccommand`.
            let letters = word.char_indices().skip(1).take(3);
            for (at, letter) in letters.filter(|(_, c)| c.is_ascii_alphabetic()) {
                self.collect(&word[at + letter.len_utf8()..], depth)?;
            }
        }
        Some(())
    }
}

/// Replaces each `$'…'` by its plain text.
fn decoded(line: &str) -> String {
    let mut pieces = line.split("$'");
    let mut made = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        made.push('\'');
        let mut rest = piece.chars().peekable();
        while let Some(c) = rest.next() {
            if c == '\'' {
                made.push(c);
                break;
            }
            if c != '\\' {
                made.push(c);
                continue;
            }
            let (radix, most) = match rest.peek() {
                Some('x') => (16, 2),
                Some('u') => (16, 4),
                Some('U') => (16, 8),
                Some('0'..='7') => (8, 3),
                _ => (0, 0),
            };
            if radix == 16 {
                rest.next();
            }
            let mut code = String::new();
            while code.len() < most
                && let Some(digit) = rest.next_if(|c| c.is_digit(radix))
            {
                code.push(digit);
            }
            match u32::from_str_radix(&code, radix.max(2)) {
                Ok(code) => made.extend(char::from_u32(code)),
                Err(_) => match rest.next() {
                    Some('n') => made.push('\n'),
                    Some('t' | 'r' | 'v' | 'f') => made.push(' '),
                    Some('\'') | None => {}
                    Some(c) => made.push(c),
                },
            }
        }
        made.extend(rest);
    }
    made
}

fn folderless(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or(command)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        let name = name.split('[').next().unwrap_or(name);
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// A simple command: the part of a line between separators such as `;` and `|`.
#[derive(Default)]
struct ShellCommand {
    text: String,
    words: Vec<String>,
    /// The targets of redirections.
    targets: Vec<String>,
}

/// Splits a line at separators outside quotes; with `opens`, also at parentheses, braces and
/// backticks, even within double quotes.
fn segments(line: &str, opens: bool) -> Vec<ShellCommand> {
    let mut all = Vec::new();
    let mut segment = ShellCommand::default();
    let mut word: Option<String> = None;
    let mut is_target = false;
    let mut quote: Option<char> = None;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let is_open = matches!(c, '(' | ')' | '`') || (quote.is_none() && matches!(c, '{' | '}'));
        let cuts = match quote {
            Some('\'') => false,
            Some(_) => opens && is_open,
            None => matches!(c, ';' | '|' | '&' | '\n' | '\r') || (opens && is_open),
        };
        let redirects = quote.is_none() && matches!(c, '<' | '>');
        let separates = quote.is_none() && (c.is_whitespace() || redirects);
        // `&>` and `>&` are not separators.
        let redirects_all = c == '&' && quote.is_none() && rest.peek() == Some(&'>');
        if redirects_all {
            continue;
        }
        if cuts || separates {
            // A number before a redirection belongs to it.
            let number = redirects
                && word
                    .as_ref()
                    .is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()));
            if let Some(word) = word.take().filter(|_| !number) {
                let list = if is_target {
                    &mut segment.targets
                } else {
                    &mut segment.words
                };
                list.push(word);
                is_target = false;
            }
        }
        if cuts {
            quote = None;
            is_target = false;
            all.push(std::mem::take(&mut segment));
            continue;
        }
        segment.text.push(c);
        if redirects {
            is_target = true;
            while let Some(more) = rest.next_if(|c| matches!(c, '>' | '<' | '&' | '|')) {
                segment.text.push(more);
            }
            continue;
        }
        if separates {
            continue;
        }
        match (quote, c) {
            (None, '$') if matches!(rest.peek(), Some('\'' | '"')) => {}
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => {
                if let Some(c) = rest.next() {
                    segment.text.push(c);
                    if c != '\n' {
                        word.get_or_insert_default().push(c);
                    }
                }
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    if let Some(word) = word {
        if is_target {
            segment.targets.push(word);
        } else {
            segment.words.push(word);
        }
    }
    all.push(segment);
    all
}
