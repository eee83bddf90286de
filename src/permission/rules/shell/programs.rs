//! The effects of programs' arguments.
//!
//! A rule names a program; all other effects of a line must be evident from its words. So a
//! program that can run another program, or access files that no word names, is only allowed
//! with options that are known to be harmless or that the rule contains literally. The CLI was
//! measured with nearly two thousand programs; `scripts/real commands` repeats this for the
//! relevant ones.

use super::builtins;
use super::filters::{is_pattern, is_plain_awk, is_plain_jq, is_plain_sed};
use super::runners;
use super::words::{is_in, is_option, name};
use agentwire_protocol::text::contains;

/// Programs that can run others or access files that no word names, with their harmless
/// options: letters, and whole words.
const OPTIONS: &[(&str, &str, &str)] = &[
    (
        "du",
        "abchklmsxHLPS0",
        "--human-readable --max-depth --summarize",
    ),
    ("find", "", FIND_TESTS),
    (
        "jq",
        "acejnrsCMSR",
        "--compact-output --exit-status --null-input --raw-output --sort-keys --tab",
    ),
    ("man", "fkw", ""),
    (
        "rg",
        "cFhHiIlLnNopqsSUvwxABCegtT",
        "--count --files --glob --hidden --ignore-case --type",
    ),
    ("sed", "nErs", "-e -ne --quiet --regexp-extended"),
    (
        "sort",
        "bdfghiMnRrVcCmsukt",
        "--key --numeric-sort --reverse --unique",
    ),
    ("stat", "fLtc", "--format --printf"),
    (
        "tar",
        "cdfhjJkpPrtuvxz",
        "--create --extract --file --gzip --list --verbose",
    ),
    ("wc", "cmlLw", "--bytes --chars --lines --words"),
];

const FIND_TESTS: &str = "-H -L -P -a -amin -and -anewer -atime -cmin -cnewer -ctime -daystart -depth -empty \
    -executable -false -gid -group -iname -ipath -iregex -iwholename -links -ls -maxdepth \
    -mindepth -mmin -mount -mtime -name -newer -nogroup -not -nouser -o -or -path -perm \
    -print -print0 -printf -prune -quit -readable -regex -regextype -size -true -type -uid \
    -user -wholename -writable -xdev";

/// Programs whose file arguments the CLI checks, so that it asks about them after `cd`.
const FILES: &str = "awk base64 cat cmp column comm cp cut diff egrep expand fgrep file find fmt fold gawk \
    grep head hexdump jq ls man mawk md5sum mkdir mv nawk nl numfmt od paste pr rev rg rm \
    rmdir sed sha1sum sha256sum sort stat strings tac tail tee touch tr tsort unexpand uniq \
    wc";

/// Prefixes of git options that name a command or an output file.
const GIT_RUNS: &str =
    "--exec --ext --open-files-in-pager --output --receive-pack --upload-pack -O -x";

/// Programs that follow the configuration of a repository.
const OF_REPOSITORIES: &str = "bzr fossil gh git hg jj svn";

/// Returns whether no command depends on a directory that an earlier command changed to.
pub(super) fn is_order_fine(commands: &[Vec<&str>]) -> bool {
    let program = |words: &[&str]| words.first().map(|first| name(first)).unwrap_or_default();
    let Some(at) = commands.iter().position(|words| program(words) == "cd") else {
        return true;
    };
    let depends = |words: &Vec<&str>| {
        let mut names = words.iter().map(|word| name(word));
        let program = program(words);
        program == "cd" || is_in(FILES, &program) || names.any(|name| is_in(OF_REPOSITORIES, &name))
    };
    at == 0 && !commands[1..].iter().any(depends)
}

/// Returns whether the program may access names with a leading dot, because it only reads.
pub(super) fn only_reads(program: &str) -> bool {
    is_in(
        "cat diff file find grep head ls rg stat tail test wc",
        program,
    )
}

/// Returns whether a command has no effects beyond its words. A rule contains the first
/// `literal` words literally.
pub(super) fn is_harmless(words: &[&str], literal: usize) -> bool {
    let Some((first, arguments)) = words.split_first() else {
        return false;
    };
    let program = &*name(first);
    let literal = literal.saturating_sub(1).min(arguments.len());
    // Quoted characters have no meaning to the shell, but some parsers ignore quotes.
    let special: &[char] = match is_in(FILES, program) {
        true => &['$', '`', '*', '?', '[', '{', '\\'],
        false => &['$', '`'],
    };
    let mut words = arguments.iter().enumerate();
    let is_file = is_in(FILES, program);
    let is_special = |at: usize, word: &str| {
        contains(word, "/proc/")
            || (word.contains(special) || is_file && word.starts_with('='))
                && !is_pattern(program, arguments, at)
    };
    if words.any(|(at, word)| is_special(at, word)) {
        return false;
    }
    if builtins::is_one(program) {
        return builtins::is_harmless(program, arguments);
    }
    if runners::must_be_named(program) {
        return runs_literal_command(arguments, literal);
    }
    let rest = &arguments[literal..];
    match program {
        "awk" | "gawk" | "mawk" | "nawk" => is_plain_awk(rest),
        "git" => is_plain_git(arguments, literal),
        "jq" => has_known_options(program, rest) && is_plain_jq(rest),
        "sed" => has_known_options(program, rest) && is_plain_sed(arguments, literal),
        // The CLI always asks about options of these.
        "cp" | "mv" => !arguments.iter().any(|word| word.starts_with('-')),
        _ => has_known_options(program, rest),
    }
}

/// Returns whether all options are known to be harmless, if the program's options matter.
fn has_known_options(program: &str, arguments: &[&str]) -> bool {
    let program = if program == "bfs" { "find" } else { program };
    let Some((_, letters, words)) = OPTIONS.iter().find(|(known, ..)| *known == program) else {
        return true;
    };
    let is_known = |option: &str| {
        let name = option.split_once('=').map_or(option, |(name, _)| name);
        let is_letter = |c: char| letters.contains(c) || c.is_ascii_digit() || ",.:".contains(c);
        is_in(words, name)
            || option.trim_start_matches('-').chars().all(is_letter) && !option.starts_with("--")
    };
    let mut options = arguments.iter().filter(|word| is_option(word));
    // `tar xf` is `tar -xf`.
    let first = arguments.first().filter(|_| program == "tar");
    options.all(|option| is_known(option)) && first.is_none_or(|first| is_known(first))
}

/// Returns whether a rule contains the command literally that a program runs, and that command
/// is harmless.
fn runs_literal_command(arguments: &[&str], literal: usize) -> bool {
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_before =
        |word: &&&str| word.contains('=') || is_number(word.trim_end_matches(['s', 'm', 'h', 'd']));
    let at = arguments.iter().take_while(|word| is_before(word)).count();
    let is_all = literal == arguments.len() && literal > 0;
    // Only the program knows the meaning of an option and where the command begins.
    is_all
        || (at < literal
            && !arguments[at].starts_with('-')
            && is_harmless(&arguments[at..], literal - at))
}

/// Returns whether no option of git sets its directory or a command to run, except options that
/// a rule contains literally.
fn is_plain_git(arguments: &[&str], literal: usize) -> bool {
    let (known, rest) = arguments.split_at(literal);
    // A word that is neither an option nor the value of one before the command.
    let is_command = |at: usize| {
        let is_value = at > 0 && is_in("-C -c --git-dir --work-tree", known[at - 1]);
        !is_option(known[at]) && !is_value
    };
    let may_run = |word: &&str| GIT_RUNS.split(' ').any(|runs| word.starts_with(runs));
    if (0..known.len()).any(is_command) {
        return !rest.iter().any(may_run);
    }
    let mut rest = rest
        .iter()
        .skip_while(|word| matches!(**word, "--no-pager" | "-P"));
    let Some(command) = rest.next() else {
        return true;
    };
    (is_in("--help --version", command) || !is_option(command))
        && !is_in(
            "bisect config difftool filter-branch mergetool submodule",
            command,
        )
        && !rest.any(may_run)
}
