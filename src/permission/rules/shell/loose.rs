//! Everything in a line that may be a command.

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

/// What may be a command in a line, in the spellings that a rule may have: the
/// line as it is, its commands as they are written and without quotes, without
/// what is in front of them (variables, `sudo`, `timeout 5`), without
/// redirections, without the folder.
pub(crate) fn candidates(line: &str) -> Vec<String> {
    let mut found = vec![line.trim().to_owned()];
    collect(line, 0, &mut found);
    // A variable that is not set is nothing.
    let without = without_variables(line);
    if without != line {
        collect(&without, 0, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

/// Every word of a line, and what is behind a `=` in one: what may be a path.
pub(crate) fn words(line: &str) -> Vec<String> {
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
    found
}

/// A line as it is when `$NAME` and `${NAME}` are empty.
fn without_variables(line: &str) -> String {
    let mut pieces = line.split('$');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest = piece.strip_prefix('{').unwrap_or(piece);
        let name = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let rest = &rest[name.unwrap_or(rest.len())..];
        let is_name = rest.len() < piece.len() && !piece.starts_with("{}");
        match (is_name, piece.starts_with('{')) {
            (true, true) => plain.push_str(rest.strip_prefix('}').unwrap_or(rest)),
            (true, false) => plain.push_str(rest),
            (false, _) => {
                plain.push('$');
                plain.push_str(piece);
            }
        }
    }
    plain
}

/// How deep commands are looked for in the arguments of others.
const DEPTH: usize = 3;

fn collect(line: &str, depth: usize, found: &mut Vec<String>) {
    // The third reading minds no quotes: what it finds too much does no harm.
    let pieces = line.split([';', '|', '&', '\n', '(', ')', '{', '}', '`']);
    let rough = pieces.flat_map(|piece| segments(piece, true));
    for segment in segments(line, true)
        .into_iter()
        .chain(segments(line, false))
        .chain(rough)
    {
        found.push(segment.text.trim().to_owned());
        let mut words = &segment.words[..];
        while let [first, rest @ ..] = words
            && is_assignment(first)
        {
            words = rest;
        }
        spellings(words, found);
        let runs = words
            .first()
            .is_some_and(|first| RUNS_THE_REST.contains(&folderless(first)));
        if runs {
            for start in 1..words.len() {
                spellings(&words[start..], found);
                if depth < DEPTH && words[start].contains(char::is_whitespace) {
                    collect(&words[start], depth + 1, found);
                }
            }
        }
    }
}

/// A command as a rule may spell it.
fn spellings(words: &[String], found: &mut Vec<String>) {
    if let [first, rest @ ..] = words {
        for name in [first, folderless(first)] {
            let mut text = name.to_owned();
            for word in rest {
                text.push(' ');
                text.push_str(word);
            }
            found.push(text);
        }
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
