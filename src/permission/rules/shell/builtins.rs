//! Shell builtins that a rule may allow.

use super::words::{is_in, is_option};

/// Keywords that start a compound command, and builtins, of bash and of zsh with its modules.
const NAMES: &str = "! - . : [ [[ ]] { } alias always autoload bg bind bindkey break builtin bye caller cap \
    case cd chdir clone command comparguments compcall compctl compdescribe compfiles \
    compgen compgroups complete compopt compquote comptags comptry compvalues continue \
    coproc declare dirs disable disown do done echo echotc echoti elif else emulate enable \
    end esac eval example exec exit export false fc fg fi float for foreach function \
    functions getcap getln getopts hash help history if in integer jobs kill let limit local \
    log logout mapfile nameref nocorrect noglob pcre_compile pcre_match pcre_study popd \
    print printf private pushd pushln pwd r read readarray readonly rehash repeat return \
    sched select set setcap setopt shift shopt source strftime suspend syserror sysopen \
    sysread sysseek syswrite test then time times trap true ttyctl type typeset ulimit umask \
    unalias unfunction unhash unlimit unset unsetopt until vared wait whence where which \
    while zcompile zcurses zdelattr zf_chgrp zf_chmod zf_chown zf_ln zf_mkdir zf_mv zf_rm \
    zf_rmdir zf_sync zformat zftp zgdbmpath zgetattr zle zlistattr zmodload zparseopts zprof \
    zpty zregexparse zselect zsetattr zsocket zstat zstyle zsystem ztcp ztie zuntie";

/// Returns whether a name is a keyword or builtin.
pub(super) fn is_one(name: &str) -> bool {
    is_in(NAMES, name) || name.starts_with("zf_")
}

/// Returns whether a builtin with these arguments evaluates nothing, and changes nothing that
/// later commands depend on.
pub(super) fn is_harmless(builtin: &str, arguments: &[&str]) -> bool {
    let is_number = |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    let is_name = |word: &&str| {
        !word.starts_with('-')
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || "_-.".contains(c))
    };
    let all_in = |known: &str| arguments.iter().all(|word| is_in(known, word));
    match builtin {
        ":" | "echo" | "false" | "true" => true,
        // In zsh, a number may be an expression.
        "printf" => {
            !arguments.iter().any(|word| word.contains('['))
                && arguments
                    .first()
                    .is_some_and(|format| !format.starts_with('-'))
        }
        "cd" => matches!(arguments, [to] if !to.is_empty() && !to.starts_with(['-', '+', '='])
            && !to.contains(['{', '\\'])),
        "pwd" => matches!(arguments, [] | ["-L" | "-P"]),
        "caller" | "times" => arguments.is_empty(),
        "dirs" => all_in("-l -p -v"),
        "help" | "where" | "whence" => arguments.iter().all(is_name),
        "type" | "which" => arguments
            .iter()
            .all(|word| is_in("-a -f -p -t -P", word) || is_name(word)),
        "jobs" => all_in("-l -n -p -r -s"),
        "umask" => arguments
            .iter()
            .all(|word| is_number(word) || is_in("-p -S", word)),
        "history" => arguments.len() < 2 && arguments.iter().all(is_number),
        "break" | "continue" | "exit" | "logout" | "return" | "shift" | "wait" => {
            arguments.iter().all(is_number)
        }
        "kill" => {
            let (signal, pids) = match arguments {
                [signal, pids @ ..] if signal.starts_with('-') => (&signal[1..], pids),
                pids => ("TERM", pids),
            };
            signal.chars().all(|c| c.is_ascii_alphanumeric()) && pids.iter().all(is_number)
        }
        "set" => {
            let is_usual = |word: &&str| {
                *word == "pipefail"
                    || is_option(word) && word[1..].chars().all(|c| "eouvx".contains(c))
            };
            let options = arguments
                .iter()
                .filter(|word| is_option(word) && word.ends_with('o'));
            let values = arguments.iter().filter(|word| **word == "pipefail");
            !arguments.is_empty()
                && arguments.iter().all(is_usual)
                && options.count() == values.count()
        }
        "test" => matches!(arguments, [test, of]
            if is_in("-d -e -f -n -r -s -w -x -z", test) && !of.contains('[')),
        "ulimit" => {
            let is_letters = |word: &str| word.chars().all(|c| c.is_ascii_alphabetic());
            let is_limit = |word: &&str| is_number(word) || is_in("hard soft unlimited", word);
            arguments
                .iter()
                .all(|word| is_limit(word) || is_option(word) && is_letters(&word[1..]))
        }
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// An unknown builtin of a newer bash would be treated as a program.
    #[test]
    fn all_builtins_and_keywords_of_bash_are_known() {
        let output = std::process::Command::new("bash")
            .args(["--norc", "-c", "compgen -b -k"])
            .output()
            .unwrap();
        let names = String::from_utf8(output.stdout).unwrap();
        assert!(names.split_whitespace().count() > 50);
        for name in names.split_whitespace() {
            assert!(is_one(name), "{name}");
        }
    }
}
