//! Rules about shell commands: `git status`, `git:*`, `git *`.

use super::shell::{self, Candidate, Commands, Part};
use super::verdict::Undecided;

/// The pattern of a rule about shell commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandPattern {
    /// This command.
    Exact(String),
    /// Commands that start with these words.
    Prefix(String),
    /// Commands of this form; each `*` matches anything.
    Glob(String),
}

impl CommandPattern {
    pub(super) fn new(content: &str) -> Result<Self, &'static str> {
        let content = content.trim();
        let prefix = match content.strip_suffix(":*") {
            Some("") => return Err("`:*` requires a command before it"),
            Some(prefix) if prefix.contains('*') => {
                return Err("the text before `:*` cannot contain a `*`");
            }
            Some(prefix) => Some(prefix),
            // `git *` also matches `git`.
            None => content
                .strip_suffix(" *")
                .filter(|prefix| !prefix.contains('*') && !prefix.is_empty()),
        };
        Ok(match prefix {
            Some(prefix) => Self::Prefix(prefix.to_owned()),
            None if content.contains('*') => Self::Glob(content.to_owned()),
            None => Self::Exact(content.to_owned()),
        })
    }

    /// If the pattern matches the command, returns how many characters of the command it matches
    /// literally.
    fn literal_length(&self, command: &str) -> Option<usize> {
        let (literal, matches) = match self {
            Self::Exact(whole) => (&**whole, command == whole),
            Self::Prefix(prefix) => {
                let rest = command.strip_prefix(&**prefix);
                let ends = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
                (&**prefix, rest.is_some_and(ends))
            }
            Self::Glob(pattern) => {
                let beginning = pattern.split('*').next().unwrap_or_default();
                (beginning, glob(pattern, command))
            }
        };
        matches.then(|| literal.chars().count())
    }

    /// Like [`Self::literal_length`], but also matches commands that the pattern may have been intended
    /// for. Subtracts the number of characters read from `steps`; at 0, the pattern may match.
    fn may_match(&self, command: Candidate<'_>, steps: &mut usize) -> bool {
        let beginning = match self {
            Self::Exact(whole) => whole,
            Self::Prefix(prefix) => prefix,
            Self::Glob(pattern) => pattern.split('*').next().unwrap_or_default(),
        };
        let mut rest = command.chars();
        // Some file systems ignore the case of a program.
        let mut is_program = true;
        let is_same = |c: char| {
            rest.next().is_some_and(|other| {
                is_program &= !other.is_whitespace();
                c == other || is_program && c.to_lowercase().eq(other.to_lowercase())
            })
        };
        if !beginning.chars().all(is_same) {
            return false;
        }
        match self {
            Self::Exact(_) => rest.next().is_none(),
            Self::Prefix(_) => rest.next().is_none_or(char::is_whitespace),
            Self::Glob(pattern) => {
                let command: String = beginning.chars().chain(rest).take(*steps).collect();
                *steps = steps.saturating_sub(command.len());
                // `git * x *` may be intended to match `git a x`.
                let shorter = pattern.strip_suffix(" *");
                *steps == 0
                    || glob(pattern, &command)
                    || shorter.is_some_and(|pattern| glob(pattern, &command))
            }
        }
    }
}

/// Returns the rules that together allow a line. Either a rule matches the whole line
/// literally, or a rule matches each command, and each command is parsed and does nothing
/// beyond its words.
pub(super) fn allowed<'a>(
    rules: &[(&'a str, &'a CommandPattern)],
    line: &str,
) -> Result<(Vec<&'a str>, Vec<Part>), Undecided> {
    let parts = shell::parse_commands(line)?;
    let whole = rules.iter().find(
        |(_, pattern)| matches!(pattern, CommandPattern::Exact(whole) if whole == line.trim()),
    );
    let mut used = Vec::new();
    for part in &parts {
        let mut matching = None;
        let mut harmless = None;
        for (rule, pattern) in rules {
            let literal = match whole {
                Some((whole, _)) => (whole == rule).then_some(usize::MAX),
                None => pattern.literal_length(&part.text),
            };
            let Some(literal) = literal else { continue };
            matching = matching.or(Some(*rule));
            if part.is_harmless(literal) {
                harmless = Some(*rule);
                break;
            }
        }
        match (harmless, matching) {
            (Some(rule), _) => used.push(rule),
            (None, Some(rule)) => {
                return Err(Undecided::MayDoMore {
                    command: part.text.clone(),
                    rule: rule.to_owned(),
                });
            }
            (None, None) => return Err(Undecided::NoRule(Some(part.text.clone()))),
        }
    }
    used.sort_unstable();
    used.dedup();
    Ok((used, parts))
}

/// The most characters read for a pattern with a `*`.
const STEPS: usize = 4 * 1024 * 1024;

/// Returns whether a line may contain a command that the pattern matches. Returns `true` for a
/// line that is too long to analyse.
pub(super) fn mentioned(pattern: &CommandPattern, line: Option<&Commands>) -> bool {
    let mut steps = STEPS;
    line.is_none_or(|line| line.any(|candidate| pattern.may_match(candidate, &mut steps)))
}

/// Returns whether a text matches a pattern in which each `*` matches anything.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else {
        return rest.is_empty();
    };
    for piece in pieces {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}
