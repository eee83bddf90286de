//! Random lines: the decisions about them, and their interpretation by bash.

use super::*;
use proptest::prelude::*;

/// Parts of random lines.
fn line() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "git",
        "rm",
        "gitk",
        " ",
        " ",
        " ",
        "&&",
        "||",
        ";",
        "|",
        "&",
        "\n",
        "'",
        "\"",
        "\\",
        "$(",
        ")",
        "`",
        "(",
        "{",
        "}",
        ">",
        "<",
        "2>&1",
        "/dev/null",
        "X=1",
        "$X",
        "${X}",
        "#",
        "*",
        "~",
        "a",
        "-x",
        "''",
        "=x",
        "2",
        ">&1",
        "^",
        "?",
        "[",
        "--y=",
        "%1",
        "\t",
        "eval",
        "sudo",
        "if",
        "then",
        "!",
        "\r",
        "\u{a0}",
    ]);
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Returns the commands that bash runs for a line, where each command prints its words.
fn commands_run_by_bash(line: &str) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    for name in ["git", "rm", "gitk", "a", "sudo"] {
        let path = folder.path().join(name);
        let log = log.display();
        let script =
            format!("#!/bin/sh\nprintf '%s\\0' {name} \"$@\" \"$(printf '\\1')\" >> {log}\n");
        std::fs::write(&path, script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
    }
    let status = std::process::Command::new("/bin/bash")
        .args(["--noprofile", "--norc", "-c", line])
        .env_clear()
        .env("PATH", folder.path())
        .env("HOME", folder.path())
        .current_dir(folder.path())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status();
    status.unwrap();
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let words = |command: &str| {
        let words = command.split_terminator('\0');
        words.map(str::to_owned).collect()
    };
    log.split_terminator("\u{1}\0").map(words).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_command_of_an_allowed_line_is_matched(line in line()) {
        let rules = allowing("Bash(git *)");
        if allows(&rules, &bash(&line)) {
            let parts = shell::parse_commands(&line).unwrap();
            for part in parts {
                let first = &part.words[0].text;
                prop_assert_eq!(first, "git", "{:?}", line);
            }
            for sign in ["$(", "`", "<", "\r", "\u{a0}"] {
                // A quoted separator is an ordinary character.
                let is_quoted = line.contains('\'') || line.contains('\\') || line.contains('"');
                prop_assert!(is_quoted || !line.contains(sign), "{:?}", line);
            }
        }
    }

    #[test]
    fn a_rule_that_allows_a_line_can_deny_it(line in line()) {
        if allows(&allowing("Bash(git *)"), &bash(&line)) {
            prop_assert!(denies(&denying("Bash(git *)"), &bash(&line)), "{:?}", line);
        }
    }
}

/// Returns whether the name of a command may be the result of an expansion, so that it is
/// unknown.
fn is_computed(line: &str) -> bool {
    if line.contains(['?', '[']) {
        return true;
    }
    let line = line
        .replace(['\'', '"', '\\'], "")
        .replace("$X", "")
        .replace("${X}", "");
    let glued = ["*", "$(", "`", ")"].map(|sign| [format!("{sign}rm"), format!("rm{sign}")]);
    glued.iter().flatten().any(|glued| line.contains(glued))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bash_runs_the_parsed_commands(line in line()) {
        let is_allowed = allows(&allowing("Bash(git *)"), &bash(&line));
        let is_denied = denies(&denying("Bash(rm *)"), &bash(&line)) || is_computed(&line);
        if is_allowed || !is_denied {
            let ran = commands_run_by_bash(&line);
            prop_assert!(is_denied || ran.iter().all(|words| words[0] != "rm"), "{:?}: {:?}", line, ran);
            if is_allowed {
                // With exactly these words, in any order: `|` starts commands concurrently.
                let parts = shell::parse_commands(&line).unwrap();
                let words = |part: &shell::Part| part.words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
                let parts: Vec<_> = parts.iter().map(words).collect();
                for command in &ran {
                    prop_assert!(parts.contains(command), "{:?}: {:?}", line, ran);
                }
            }
        }
    }
}
