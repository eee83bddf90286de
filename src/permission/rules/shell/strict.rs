//! Commands that are understood.

use super::super::path::Places;

/// One simple command of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// As it was written, without space around it.
    pub(crate) text: String,
    /// Its words, without quotes.
    pub(crate) words: Vec<Word>,
}

/// A word of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Whether the shell makes something else of it: a variable, a pattern of
    /// file names, a home.
    pub(crate) expands: bool,
}

/// Words with which something other than a simple command begins, and builtins
/// that run or change what other words say.
const NOT_PLAIN: &[&str] = &[
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "do",
    "done",
    "case",
    "esac",
    "while",
    "until",
    "for",
    "select",
    "function",
    "in",
    "coproc",
    ".",
    "alias",
    "bind",
    "complete",
    "emulate",
    "enable",
    "eval",
    "exec",
    "fc",
    "hash",
    "let",
    "mapfile",
    "nocorrect",
    "readarray",
    "shopt",
    "source",
    "trap",
    "vared",
    "zmodload",
];

/// Commands that run the one in their arguments.
const WRAPPERS: &[&str] = &[
    "builtin", "command", "env", "nice", "noglob", "nohup", "stdbuf", "sudo", "time", "timeout",
    "xargs",
];

/// What makes `find` more than a search.
const FIND_ACTIONS: &[&str] = &[
    "-delete", "-exec", "-execdir", "-fls", "-fprint", "-fprint0", "-fprintf", "-ok", "-okdir",
];

/// The simple commands of a line that has nothing else: words, quotes,
/// variables as arguments, `&&`, `||`, `;`, `|`, line ends, and redirections
/// that write nothing. `None` for everything else.
pub(crate) fn understood(line: &str) -> Option<Vec<Part>> {
    let parts = Reader::new(line).read()?;
    let changes_place = parts.iter().any(|part| part.is("cd") || part.is("pushd"));
    let has_git = parts
        .iter()
        .flat_map(|part| &part.words)
        .any(|word| name(&word.text) == "git");
    // A repository can say what git runs, so where it is matters.
    let is_plain = !(changes_place && has_git) && parts.iter().all(Part::is_plain);
    is_plain.then_some(parts)
}

impl Part {
    /// Whether all its words that may be paths stay in the working directory.
    pub(crate) fn stays(&self, places: &Places) -> bool {
        let arguments = &self.words[1..];
        // Behind it the other words would be somewhere else.
        let moves = self.is("cd") || self.is("pushd");
        if moves && !matches!(arguments, [to] if !to.text.starts_with('-')) {
            return false;
        }
        let removes = ["rm", "rmdir", "mv"].iter().any(|command| self.is(command));
        arguments.iter().all(|word| {
            let text = &*word.text;
            let option = text.starts_with('-').then(|| text.find(['/', '~']));
            let value = text.split_once('=').map(|(_, value)| value);
            let glued = option.flatten().map(|at| &text[at..]);
            // Names with a dot in front are those that the agent guards.
            let is_guarded = |path: &str| {
                path.split('/')
                    .any(|name| name.len() > 1 && name.starts_with('.'))
            };
            let is_odd = word.expands
                || text.contains("..")
                || is_guarded(text)
                || value.is_some_and(is_guarded)
                || (removes && places.is_work(text));
            let mut paths = [Some(text), value, glued].into_iter().flatten();
            !is_odd && paths.all(|path| places.is_at_work(path))
        })
    }

    fn is(&self, command: &str) -> bool {
        self.words.first().is_some_and(|word| word.text == command)
    }

    /// Whether the command is the one that it looks like, and runs no other
    /// one that is not in plain sight.
    fn is_plain(&self) -> bool {
        let Some(first) = self.words.first() else {
            return false;
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-+./:@".contains(c);
        // As it was written: a name in quotes or with a variable is none.
        if first.expands || !first.text.chars().all(is_name) || !self.text.starts_with(&*first.text)
        {
            return false;
        }
        let command = name(&first.text);
        let arguments = || self.words[1..].iter().map(|word| word.text.as_str());
        let all = || arguments().chain([command]);
        let wraps = WRAPPERS.contains(&command);
        let is_plain = |word: &str| !NOT_PLAIN.contains(&word) && !word.starts_with("zf_");
        let acts = |command: &str| match command {
            "find" | "bfs" => arguments().any(|word| FIND_ACTIONS.contains(&word)),
            "awk" | "gawk" | "mawk" | "nawk" => arguments().any(|word| {
                word.contains("system") || word.contains("getline") || word.contains(['|', '>'])
            }),
            _ => false,
        };
        is_plain(command)
            && !acts(command)
            && !(wraps && all().any(|word| !is_plain(name(word)) || acts(name(word))))
    }
}

/// The name of a command, which may be a path.
fn name(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or(command)
}

struct Reader {
    line: Vec<char>,
    at: usize,
    parts: Vec<Part>,
    /// Where the part begins that is being read.
    start: usize,
    words: Vec<Word>,
    word: Option<Word>,
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
        }
    }

    fn read(mut self) -> Option<Vec<Part>> {
        // Whether a command has to follow.
        let mut is_open = false;
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' => self.end_word(),
                // A line may be empty, and go on after `&&` and `|`.
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
                ';' | '&' | '|' | '<' | '(' | ')' | '{' | '}' => return None,
                '#' if self.word.is_none() => return None,
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

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    /// Ends a part before the separator of this length that was just read.
    /// Whether there was one.
    fn end_part(&mut self, separator: usize) -> bool {
        self.end_word();
        let text: String = self.line[self.start..self.at - separator].iter().collect();
        self.start = self.at;
        let words = std::mem::take(&mut self.words);
        let is_part = !words.is_empty();
        if is_part {
            let text = text.trim().to_owned();
            self.parts.push(Part { text, words });
        }
        is_part
    }

    /// A character of a word.
    fn character(&mut self, c: char) -> Option<()> {
        match c {
            '\'' => loop {
                match self.next()? {
                    '\'' => break,
                    c => self.quoted(c)?,
                }
            },
            '"' => loop {
                match self.next()? {
                    '"' => break,
                    '\\' => {
                        let c = self.next().filter(|c| *c != '\n')?;
                        if !matches!(c, '"' | '\\' | '$' | '`') {
                            self.quoted('\\')?;
                        }
                        self.quoted(c)?;
                    }
                    '$' => self.variable()?,
                    '`' => return None,
                    c => self.quoted(c)?,
                }
            },
            '\\' => {
                let c = self.next().filter(|c| *c != '\n')?;
                self.quoted(c)?;
            }
            '$' => self.variable()?,
            '`' => return None,
            c => {
                self.quoted(c)?;
                self.word().expands |= matches!(c, '*' | '?' | '[' | '~');
            }
        }
        // `''` is a word as well.
        self.word();
        Some(())
    }

    /// A character that stands for itself. Some look like space to one reader
    /// and not to the other.
    fn quoted(&mut self, c: char) -> Option<()> {
        let is_plain = matches!(c, ' ' | '\t' | '\n')
            || !(c.is_control() || c.is_whitespace() || is_invisible(c));
        is_plain.then(|| self.word().text.push(c))
    }

    /// `$NAME` or `${NAME}`; everything else behind a `$` can run something or
    /// hide something.
    fn variable(&mut self) -> Option<()> {
        let in_braces = self.skip('{');
        let start = self.at;
        while self
            .peek()
            .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            self.at += 1;
        }
        let name: String = self.line[start..self.at].iter().collect();
        let is_name = name.starts_with(|c: char| !c.is_ascii_digit());
        let is_closed = !in_braces || self.skip('}');
        let word = self.word();
        word.expands = true;
        word.text.push('$');
        word.text.push_str(&name);
        (is_name && is_closed).then_some(())
    }

    /// A redirection that writes no file, behind a command: `2>&1`,
    /// `>/dev/null`.
    fn redirection(&mut self) -> Option<()> {
        // A number that is glued to it belongs to it.
        let number = self.word.take();
        let is_number = |word: &Word| word.text.chars().all(|c| c.is_ascii_digit());
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
        self.peek()
            .is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | ';' | '|'))
            .then_some(())
    }
}

/// Characters that change how a line looks, and not what it is.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
