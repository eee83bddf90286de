//! The loose parser: finds everything in a line that may be a command.

use std::collections::{HashMap, HashSet};

/// Words behind which a command comes: those of the shell's grammar, and
/// commands that run another one.
const RUNS_THE_REST: &[&str] = &[
    "!",
    "builtin",
    "chronic",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "do",
    "doas",
    "elif",
    "else",
    "env",
    "eval",
    "exec",
    "find",
    "flock",
    "if",
    "ionice",
    "ltrace",
    "nice",
    "nocorrect",
    "noglob",
    "nohup",
    "parallel",
    "setsid",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "taskset",
    "then",
    "time",
    "timeout",
    "unbuffer",
    "until",
    "watch",
    "while",
    "xargs",
    "busybox",
    "function",
    "bash",
    "sh",
    "zsh",
    "dash",
    "ksh",
    "ash",
    "fish",
    "case",
];

/// How long a line may be that is looked through, in bytes: no longer argument
/// can be handed to a shell on Linux.
const LONGEST: usize = 128 * 1024;

/// How many bytes are looked at for one line, all readings together.
const STEPS: usize = 4 * 1024 * 1024;

/// How many values of one variable are tried.
const VALUES: usize = 4;

/// What may be a command in a line.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    /// Texts, as they are written.
    texts: HashSet<String>,
    /// Words, and where among them a command may begin.
    words: Vec<(Vec<String>, usize, Begins)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begins {
    Here,
    /// And at each word behind it.
    HereAndBehind,
}

/// A text that may be a command, with a space before each word of the rest.
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
    /// What may be a command in a line, in the spellings that a rule may have:
    /// the line as it is, its commands as they are written and without quotes,
    /// without what is in front of them (variables, `sudo`, `timeout 5`),
    /// without redirections, without the folder. `None` for a line that is too
    /// long, or too deep, to be looked through.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let mut search = Search {
            steps: STEPS,
            seen: HashMap::new(),
            found: Self::default(),
        };
        search.found.texts.insert(line.trim().to_owned());
        search.collect(line, 0)?;
        // A variable is what the line says, or nothing.
        search.collect(&with_variables(line, |_| Some("")), 0)?;
        let values = assignments(line);
        let most = values.values().map(Vec::len).max().unwrap_or_default();
        for number in 0..most.min(VALUES) {
            let value = |name: &str| {
                let values = values.get(name)?;
                values.get(number).or(values.last()).map(String::as_str)
            };
            let mut line = line.to_owned();
            // A value may have a variable in it.
            for _ in 0..2 {
                line = with_variables(&line, value);
                search.collect(&line, 0)?;
            }
        }
        Some(search.found)
    }

    /// Whether one of them is wanted.
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
                    let names = [&*words[start], folderless(&words[start])];
                    names
                        .into_iter()
                        .any(|first| is_wanted(Candidate { first, rest }))
                })
            })
    }
}

/// Every word of a line, and what is behind a `=` in one: what may be a path.
/// `None` for a line that is too long to be looked through.
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
    // What is in quotes may be a command of its own.
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

/// A line with values in place of `$NAME` and `${NAME}`, where there are any.
/// What would become too long is cut.
fn with_variables<'v>(line: &str, value: impl Fn(&str) -> Option<&'v str>) -> String {
    let mut pieces = line.split('$');
    let mut made = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let inner = piece.strip_prefix('{');
        let rest = inner.unwrap_or(piece);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
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

/// What variables are set to in a line, in that order.
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

/// How deep commands are looked for in the arguments of others.
const DEPTH: usize = 3;

struct Search {
    /// How many bytes may still be looked at.
    steps: usize,
    /// Lines that were looked through, and how deep they were found.
    seen: HashMap<String, usize>,
    found: Commands,
}

impl Search {
    /// `None` when it took too long.
    fn collect(&mut self, line: &str, depth: usize) -> Option<()> {
        if line.len() > LONGEST {
            return None;
        }
        let is_known = self.seen.get(line).is_some_and(|before| *before <= depth);
        if is_known {
            return Some(());
        }
        self.seen.insert(line.to_owned(), depth);
        self.steps = self.steps.checked_sub(line.len() * 3 + 64)?;
        // The third reading minds no quotes: what it finds too much does no harm.
        let pieces = line.split([';', '|', '&', '\n', '(', ')', '{', '}', '`']);
        let rough = pieces.flat_map(|piece| segments(piece, true));
        for segment in segments(line, true)
            .into_iter()
            .chain(segments(line, false))
            .chain(rough)
        {
            self.found.texts.insert(segment.text.trim().to_owned());
            let words = segment.words;
            let start = words.iter().take_while(|word| is_assignment(word)).count();
            let Some(first) = words.get(start) else {
                continue;
            };
            let runs = RUNS_THE_REST.contains(&folderless(first));
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

    /// A word, and what is behind an option in it: `-Scommand`,
    /// `--split-string=command`.
    fn collect_within(&mut self, word: &str, depth: usize) -> Option<()> {
        let value = word.split_once('=').map(|(_, value)| value);
        let glued = word.strip_prefix('-').and_then(|word| {
            let mut rest = word.chars();
            rest.next().filter(|c| *c != '-')?;
            Some(rest.as_str())
        });
        let is_option = word.starts_with('-');
        if word.contains(char::is_whitespace) {
            self.collect(word, depth)?;
        }
        for inner in [value, glued].into_iter().flatten() {
            if is_option && !inner.is_empty() {
                self.collect(inner, depth)?;
            }
        }
        Some(())
    }
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

/// A stretch between separators.
#[derive(Default)]
struct Segment {
    text: String,
    words: Vec<String>,
    /// What redirections point at.
    targets: Vec<String>,
}

/// Cuts a line at separators that are not quoted; with `opens`, at parentheses,
/// braces and backticks as well, which may be in double quotes.
fn segments(line: &str, opens: bool) -> Vec<Segment> {
    let mut all = Vec::new();
    let mut segment = Segment::default();
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
        // `&>` and `>&` are no separators.
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
