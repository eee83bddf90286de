//! What programs do with their arguments.
//!
//! A rule names a program; what else a line does must follow from its words. A
//! program that can run another program, or read or write something that no
//! word names, is therefore allowed only with options that are known to be
//! harmless, or that the rule spells out. The CLI was measured with nearly two
//! thousand programs; `scripts/real commands` repeats this for those that matter.

use super::builtins;
use super::filters::{is_pattern, is_plain_awk, is_plain_jq, is_plain_sed};
use super::runners;
use super::words::{is_in, is_option, name};
use agentwire_protocol::text::contains;

/// Programs that can run others, or read or write what no word names, and the
/// options with which they do not: letters, and whole words.
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

/// Programs whose files the CLI looks at, and for whose files it therefore asks
/// behind `cd`.
const FILES: &str = "awk base64 cat cmp column comm cp cut diff egrep expand fgrep file find fmt fold gawk \
    grep head hexdump jq ls man mawk md5sum mkdir mv nawk nl numfmt od paste pr rev rg rm \
    rmdir sed sha1sum sha256sum sort stat strings tac tail tee touch tr tsort unexpand uniq \
    wc";

/// How options of git begin that name a command or a file to write.
const GIT_RUNS: &str =
    "--exec --ext --open-files-in-pager --output --receive-pack --upload-pack -O -x";

/// Those that heed what a repository says.
const OF_REPOSITORIES: &str = "bzr fossil gh git hg jj svn";

/// Whether commands behind one that changes the directory are none that depend on
/// it.
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

/// Whether names with a dot in front are nothing to guard from it.
pub(super) fn only_reads(program: &str) -> bool {
    is_in(
        "cat diff file find grep head ls rg stat tail test wc",
        program,
    )
}

/// Whether a command does only what its words say, the first so many of which are
/// spelled out by a rule.
pub(super) fn is_harmless(words: &[&str], spelled: usize) -> bool {
    let Some((first, arguments)) = words.split_first() else {
        return false;
    };
    let program = &*name(first);
    let spelled = spelled.saturating_sub(1).min(arguments.len());
    // What is quoted is none of the shell's; some readers do not see quotes.
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
    if runners::must_be_spelled(program) {
        return runs_spelled_command(arguments, spelled);
    }
    let rest = &arguments[spelled..];
    match program {
        "awk" | "gawk" | "mawk" | "nawk" => is_plain_awk(rest),
        "git" => is_plain_git(arguments, spelled),
        "jq" => has_known_options(program, rest) && is_plain_jq(rest),
        "sed" => has_known_options(program, rest) && is_plain_sed(arguments, spelled),
        // The CLI asks about every option of these, a rule or not.
        "cp" | "mv" => !arguments.iter().any(|word| word.starts_with('-')),
        _ => has_known_options(program, rest),
    }
}

/// Whether all options are known to be harmless, if the program is one of those
/// whose options matter.
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

/// Whether a rule spells out what a program runs, and that is harmless itself.
fn runs_spelled_command(arguments: &[&str], spelled: usize) -> bool {
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_before =
        |word: &&&str| word.contains('=') || is_number(word.trim_end_matches(['s', 'm', 'h', 'd']));
    let at = arguments.iter().take_while(|word| is_before(word)).count();
    let is_all = spelled == arguments.len() && spelled > 0;
    // What an option means, and where the command begins, only the program knows.
    is_all
        || (at < spelled
            && !arguments[at].starts_with('-')
            && is_harmless(&arguments[at..], spelled - at))
}

/// Whether git is told neither where to work nor what to run, but by what a rule
/// spells out.
fn is_plain_git(arguments: &[&str], spelled: usize) -> bool {
    let (known, rest) = arguments.split_at(spelled);
    // A word that is no option, and no value of one before the command.
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
