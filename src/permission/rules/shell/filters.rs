//! Programs whose arguments are scripts or patterns: awk, jq, sed, find.

use super::words::{is_in, is_option};
use agentwire_protocol::text::contains;

/// Returns whether this argument is a pattern, a script or a text, and not a file.
pub(super) fn is_pattern(program: &str, arguments: &[&str], at: usize) -> bool {
    let before = &arguments[..at];
    let are_flags = |flags: &str| {
        let is_flag = |word: &&str| is_option(word) && word[1..].chars().all(|c| flags.contains(c));
        before.iter().all(is_flag)
    };
    let is_first = match program {
        "echo" => return true,
        // The pattern of a test.
        "find" | "bfs" => {
            let is_test = |test: &&str| test.ends_with("name") || test.ends_with("path");
            return !arguments[at].contains(['$', '`']) && before.last().is_some_and(is_test);
        }
        "grep" | "egrep" | "fgrep" | "rg" => {
            let option = arguments[at]
                .split_once('=')
                .map_or("", |(option, _)| option);
            if is_in("--exclude --exclude-dir --glob --include", option) {
                return !arguments[at].contains(['$', '`']);
            }
            are_flags("EFGPRabchHiIlLnoqrsvwxz")
        }
        "sed" => are_flags("nErs"),
        "jq" => are_flags("rcensSMC") && !arguments[at].contains(['$', '`']),
        "awk" | "gawk" | "mawk" | "nawk" => match before {
            [] | ["-F" | "-v", _] => true,
            [separator] => separator.len() > 2 && separator.starts_with("-F"),
            _ => false,
        },
        _ => false,
    };
    is_first && !is_option(arguments[at])
}

/// Returns whether an awk script runs nothing, and accesses only the files in its arguments.
pub(super) fn is_plain_awk(arguments: &[&str]) -> bool {
    let is_plain = |word: &str| {
        !word.contains(['|', '>', '<', '@', '`'])
            && !contains(word, "system")
            && !contains(word, "getline")
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let is_fine = match *word {
            "-F" | "-v" => words.next().is_some_and(|value| is_plain(value)),
            word if is_option(word) => word.starts_with("-F") && is_plain(word),
            word => is_plain(word),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

/// Returns whether a jq filter only filters.
pub(super) fn is_plain_jq(arguments: &[&str]) -> bool {
    let forbidden = ["env", "import", "include", "input_filename", "system"];
    !arguments
        .iter()
        .any(|word| forbidden.iter().any(|it| contains(word, it)))
}

/// Returns whether sed only prints, deletes and replaces. Its script is the first word that is
/// not an option, and the argument of `-e`.
pub(super) fn is_plain_sed(arguments: &[&str], literal: usize) -> bool {
    let mut scripts = Vec::new();
    let mut words = arguments.iter().enumerate();
    let mut others = Vec::new();
    while let Some((at, word)) = words.next() {
        if matches!(*word, "-e" | "-ne") {
            scripts.extend(words.next());
        } else if !is_option(word) {
            others.push((at, word));
        }
    }
    if scripts.is_empty() {
        scripts.extend(others.first());
    }
    let is_fine = |(at, script): &(usize, &&str)| *at < literal || is_plain_script(script);
    !scripts.is_empty() && scripts.iter().all(is_fine)
}

/// Returns whether a script is one command: `s`, `p`, `d`, `q` or `=`, with addresses.
fn is_plain_script(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest =
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$' | ' '));
        let Some(pattern) = rest.strip_prefix('/') else {
            break;
        };
        let Some((_, behind)) = split_at_limit(pattern, '/') else {
            return false;
        };
        rest = behind;
    }
    let Some(rest) = rest.strip_prefix('s') else {
        return matches!(rest, "p" | "d" | "q" | "=");
    };
    let limit = rest
        .chars()
        .next()
        .filter(|c| c.is_ascii_punctuation() && *c != '\\');
    let flags = limit.and_then(|limit| {
        let (_, rest) = split_at_limit(&rest[1..], limit)?;
        Some(split_at_limit(rest, limit)?.1)
    });
    flags.is_some_and(|flags| {
        flags
            .chars()
            .all(|c| "gIip".contains(c) || c.is_ascii_digit())
    })
}

/// Splits a text at the first delimiter without a backslash before it.
fn split_at_limit(text: &str, limit: char) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let at = text.find(|c| {
        let ends = c == limit && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    Some((&text[..at], &text[at + limit.len_utf8()..]))
}
