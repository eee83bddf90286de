//! The command lines of shells.

/// Returns the script of a command line that runs a shell with a script of one word. Codex runs the
/// model's commands in this form.
pub(crate) fn script(command: &str) -> Option<String> {
    [" -lc ", " -c "].iter().find_map(|flag| {
        let (shell, script) = command.split_once(flag)?;
        let name = shell.rsplit('/').next()?;
        let is_shell = matches!(name, "bash" | "sh" | "zsh" | "dash");
        (is_shell && !shell.contains(char::is_whitespace)).then(|| word(script))?
    })
}

/// Returns the text of a word, as a shell reads it. Returns `None` if it is more than one word
/// or has expansions.
fn word(quoted: &str) -> Option<String> {
    let mut word = String::new();
    let mut rest = quoted.chars();
    while let Some(c) = rest.next() {
        match c {
            '\'' => loop {
                match rest.next()? {
                    '\'' => break,
                    c => word.push(c),
                }
            },
            '"' => loop {
                match rest.next()? {
                    '"' => break,
                    '$' | '`' => return None,
                    '\\' => match rest.next()? {
                        '\n' => return None,
                        c @ ('"' | '\\' | '$' | '`') => word.push(c),
                        c => word.extend(['\\', c]),
                    },
                    c => word.push(c),
                }
            },
            '\\' => word.push(rest.next().filter(|c| *c != '\n')?),
            c if c.is_whitespace() || "|&;<>()$`#*?[~!{".contains(c) => return None,
            c => word.push(c),
        }
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::script;

    #[test]
    fn a_script_is_one_word_without_expansions() {
        let is = |line, expected: Option<&str>| assert_eq!(script(line).as_deref(), expected);
        is("/bin/bash -lc 'rm -rf x'", Some("rm -rf x"));
        is("/bin/sh -c ls", Some("ls"));
        is(r#"zsh -lc "echo 'a'""#, Some("echo 'a'"));
        is(r"bash -lc 'it'\''s'", Some("it's"));
        is(r#"bash -c "echo \"hi\" \$x""#, Some(r#"echo "hi" $x"#));
        is("bash -lc 'ls' x", None);
        is("rm a; bash -lc 'ls'", None);
        is("bash -lc 'ls'; rm x", None);
        is(r#"bash -lc "$(rm x)""#, None);
        is("env bash -lc 'ls'", None);
        is("python3 -c 'ls'", None);
        is("bash -lc 'ls", None);
    }
}
