//! Matching of names against the segments of a pattern.

/// The purpose of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchPurpose {
    /// A match allows a call.
    Allow,
    /// A match denies a call.
    Deny,
}

/// A segment of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Segment {
    /// `**`: any number of directories.
    Folders,
    /// A name. The CLI ignores the case; allowing a call requires the exact case.
    Name {
        exact: Vec<Token>,
        lower: Vec<Token>,
    },
}

/// A part of the pattern of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// `*`
    Any,
    /// `?`
    One,
    Char(char),
    /// `[a-z]`, `[!a]`: ranges that contain the character, or do not.
    Set {
        is_negative: bool,
        ranges: Vec<(char, char)>,
    },
}

/// A limit was reached before the match was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted;

/// The number of characters that a rule may still compare for one call.
#[derive(Debug)]
pub(super) struct Steps(pub(super) usize);

impl Steps {
    fn take(&mut self) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(1).ok_or(Exhausted)?;
        Ok(())
    }
}

impl Segment {
    pub(super) fn new(text: &str) -> Self {
        match text {
            "**" => Self::Folders,
            text => Self::Name {
                exact: tokens(text),
                lower: tokens(&text.to_lowercase()),
            },
        }
    }
}

/// Conditions of a match, except the names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// Whether it may match in every directory, not only at the root.
    pub(super) in_any_directory: bool,
    /// Whether it only matches directories.
    pub(super) directories_only: bool,
    /// Whether the last name is that of a directory.
    pub(super) is_folder: bool,
}

/// Returns whether a path with these names, or a directory that contains it, matches the
/// segments. Reads each name once.
pub(super) fn matches(
    segments: &[Segment],
    form: Form,
    names: &[&str],
    care: MatchPurpose,
    steps: &mut Steps,
) -> Result<bool, Exhausted> {
    let end = segments.len();
    let is_folders = |at: usize| matches!(segments.get(at), Some(Segment::Folders));
    let in_any_directory = form.in_any_directory && !is_folders(0);
    // The segments that may match the next name.
    let mut open = vec![false; end + 1];
    let mut next = open.clone();
    open[0] = true;
    for (number, name) in names.iter().enumerate() {
        let is_last = number + 1 == names.len();
        let lower;
        let name = match care {
            MatchPurpose::Allow => *name,
            MatchPurpose::Deny => {
                lower = name.to_lowercase();
                &lower
            }
        };
        next.fill(false);
        next[0] = in_any_directory;
        for at in 0..end {
            steps.take()?;
            if !open[at] {
                continue;
            }
            match &segments[at] {
                // At the end, `**` requires a name.
                Segment::Folders => {
                    next[at] = true;
                    open[at + 1] = true;
                    next[end] |= at + 1 == end;
                }
                Segment::Name { exact, lower } => {
                    let tokens = match care {
                        MatchPurpose::Allow => exact,
                        MatchPurpose::Deny => lower,
                    };
                    next[at + 1] |= is_name(tokens, name, steps)?;
                }
            }
        }
        std::mem::swap(&mut open, &mut next);
        // A pattern that matches a directory matches everything in it.
        if open[end] && (!is_last || form.is_folder || !form.directories_only) {
            return Ok(true);
        }
    }
    // `src/**` also matches the directory itself if it is searched.
    let itself = end >= 2 && is_folders(end - 1);
    Ok(form.is_folder && itself && open[end - 1])
}

/// Returns whether a name matches the tokens. Only the last `*` needs backtracking: for each
/// earlier one, the first match of the next tokens is sufficient.
fn is_name(tokens: &[Token], name: &str, steps: &mut Steps) -> Result<bool, Exhausted> {
    let mut at = 0;
    let mut rest = name.chars();
    let mut retry = None;
    loop {
        steps.take()?;
        if tokens.get(at) == Some(&Token::Any) {
            at += 1;
            if at == tokens.len() {
                return Ok(true);
            }
            retry = Some((at, rest.clone()));
            continue;
        }
        match (tokens.get(at), rest.next()) {
            (None, None) => return Ok(true),
            // Every other token requires a character.
            (Some(_), None) => return Ok(false),
            (Some(token), Some(c)) if token.takes(c) => at += 1,
            (_, Some(_)) => {
                let Some((start, from)) = &mut retry else {
                    return Ok(false);
                };
                from.next();
                at = *start;
                rest = from.clone();
            }
        }
    }
}

impl Token {
    fn takes(&self, c: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Char(wanted) => *wanted == c,
            Self::Set {
                is_negative,
                ranges,
            } => ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *is_negative,
        }
    }
}

fn tokens(pattern: &str) -> Vec<Token> {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut rest = &pattern[..];
    let mut tokens = Vec::new();
    while let [first, after @ ..] = rest {
        let (token, after) = match (first, after) {
            ('*', after) => (Token::Any, after),
            ('?', after) => (Token::One, after),
            ('\\', [c, after @ ..]) => (Token::Char(*c), after),
            ('[', after) => set(after).unwrap_or((Token::Char('['), after)),
            (c, after) => (Token::Char(*c), after),
        };
        if !(token == Token::Any && tokens.last() == Some(&Token::Any)) {
            tokens.push(token);
        }
        rest = after;
    }
    tokens
}

/// Parses a set after its `[`. `None` if it is not closed.
fn set(pattern: &[char]) -> Option<(Token, &[char])> {
    // The first character may be a `]`.
    let closed_at = |set: &[char]| set.iter().skip(1).position(|c| *c == ']');
    closed_at(pattern)?;
    let (is_negative, pattern) = match pattern {
        ['!' | '^', pattern @ ..] => (true, pattern),
        pattern => (false, pattern),
    };
    let (mut members, after) = match closed_at(pattern) {
        Some(end) => (&pattern[..=end], &pattern[end + 2..]),
        // `[!]` matches nothing.
        None => {
            let ranges = Vec::new();
            let is_negative = false;
            let nothing = Token::Set {
                is_negative,
                ranges,
            };
            return Some((nothing, &[]));
        }
    };
    let mut ranges = Vec::new();
    loop {
        (members, _) = match members {
            [] => break,
            [from, '-', to, rest @ ..] => (rest, ranges.push((*from, *to))),
            [one, rest @ ..] => (rest, ranges.push((*one, *one))),
        };
    }
    let set = Token::Set {
        is_negative,
        ranges,
    };
    Some((set, after))
}
