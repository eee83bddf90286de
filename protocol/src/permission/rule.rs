//! Permission rules in their text form, such as `Bash(git *)`.

use super::PermissionRule;
use std::fmt::{self, Display, Write as _};
use std::str::FromStr;

/// The reason why a text is not a permission rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The text is empty.
    #[error("the rule is empty: expected the name of a tool")]
    Empty,
    /// There is no tool name before the parenthesis.
    #[error("there is no tool name before the parenthesis")]
    NoTool,
    /// The tool name contains an invalid character.
    #[error("invalid character {found:?} in the tool name at byte {at}")]
    NotInAName {
        /// The byte offset of the character.
        at: usize,
        /// The character.
        found: char,
    },
    /// The parentheses are empty.
    #[error("the parentheses at byte {at} are empty; omit them to match every call of the tool")]
    EmptyContent {
        /// The byte offset of the opening parenthesis.
        at: usize,
    },
    /// The parenthesis is not closed.
    #[error("the parenthesis at byte {at} is not closed")]
    NotClosed {
        /// The byte offset of the opening parenthesis.
        at: usize,
    },
    /// Text follows the rule.
    #[error("unexpected text after the closing parenthesis, at byte {at}")]
    Behind {
        /// The byte offset of the text.
        at: usize,
    },
}

/// Parses a rule in the form of the agent's settings and command line: the name
/// of a tool, followed by the part of the tool in parentheses. Surrounding
/// whitespace is ignored. In the parentheses, `\(`, `\)` and `\\` stand for the
/// character itself. Parentheses need no backslash if the last one closes the
/// rule.
///
/// ```
/// use agentwire_protocol::permission::{PermissionRule, RuleError};
///
/// let rule: PermissionRule = "Bash(git *)".parse()?;
/// assert_eq!(rule, PermissionRule::new("Bash").content("git *"));
/// assert_eq!(rule.to_string(), "Bash(git *)");
///
/// let error = "Bash(git *".parse::<PermissionRule>().unwrap_err();
/// assert_eq!(error, RuleError::NotClosed { at: 4 });
/// # Ok::<(), RuleError>(())
/// ```
impl FromStr for PermissionRule {
    type Err = RuleError;

    fn from_str(whole: &str) -> Result<Self, RuleError> {
        let start = whole.len() - whole.trim_start().len();
        let text = whole.trim();
        let (name, rest) = text.split_at(text.find('(').unwrap_or(text.len()));
        let odd = name.char_indices().find(|&(_, c)| !is_in_names(c));
        if let Some((at, found)) = odd {
            let at = start + at;
            return Err(RuleError::NotInAName { at, found });
        }
        if rest.is_empty() {
            return if name.is_empty() {
                Err(RuleError::Empty)
            } else {
                Ok(Self::new(name))
            };
        }
        let open = start + name.len();
        if name.is_empty() {
            return Err(RuleError::NoTool);
        }
        let Some(close) = last_that_closes(rest) else {
            return Err(RuleError::NotClosed { at: open });
        };
        if close + 1 < rest.len() {
            let at = open + close + 1;
            return Err(RuleError::Behind { at });
        }
        let content = &rest[1..close];
        if content.trim().is_empty() {
            return Err(RuleError::EmptyContent { at: open });
        }
        Ok(Self::new(name).content(without_escapes(content)))
    }
}

/// Formats a rule so that it can be parsed again.
impl Display for PermissionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool_name)?;
        let Some(content) = &self.rule_content else {
            return Ok(());
        };
        f.write_char('(')?;
        for c in content.chars() {
            if matches!(c, '(' | ')' | '\\') {
                f.write_char('\\')?;
            }
            f.write_char(c)?;
        }
        f.write_char(')')
    }
}

fn is_in_names(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | ':')
}

/// Returns the position of the last unescaped closing parenthesis.
fn last_that_closes(text: &str) -> Option<usize> {
    let mut escaped = false;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if c == ')' && !escaped {
            last = Some(at);
        }
        escaped = c == '\\' && !escaped;
    }
    last
}

fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match rest.peek() {
            Some(&next @ ('(' | ')' | '\\')) if c == '\\' => {
                plain.push(next);
                rest.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<(String, Option<String>), RuleError> {
        let rule: PermissionRule = text.parse()?;
        Ok((rule.tool_name, rule.rule_content))
    }

    #[test]
    fn a_rule_is_a_tool_and_its_content() {
        for (text, tool, content) in [
            ("Bash", "Bash", None),
            (" Bash\n", "Bash", None),
            ("Bash(git *)", "Bash", Some("git *")),
            ("Bash(git:*)", "Bash", Some("git:*")),
            ("Read(src/**)", "Read", Some("src/**")),
            (
                "WebFetch(domain:example.com)",
                "WebFetch",
                Some("domain:example.com"),
            ),
            ("mcp__server", "mcp__server", None),
            ("mcp__server__*", "mcp__server__*", None),
            ("mcp__server__tool", "mcp__server__tool", None),
            ("Agent(name)", "Agent", Some("name")),
            (r"Bash(echo \(a\))", "Bash", Some("echo (a)")),
            ("Bash(echo (a))", "Bash", Some("echo (a)")),
            (r"Bash(a\\b \* \n)", "Bash", Some(r"a\b \* \n")),
        ] {
            let read = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(
                read,
                (tool.to_owned(), content.map(str::to_owned)),
                "{text}"
            );
        }
    }

    #[test]
    fn an_invalid_rule_is_an_error_with_a_position() {
        for (text, error) in [
            ("", RuleError::Empty),
            ("  ", RuleError::Empty),
            ("(git *)", RuleError::NoTool),
            ("Bash()", RuleError::EmptyContent { at: 4 }),
            (" Bash( )", RuleError::EmptyContent { at: 5 }),
            ("Bash(git", RuleError::NotClosed { at: 4 }),
            (r"Bash(git\)", RuleError::NotClosed { at: 4 }),
            ("Bash(git) x", RuleError::Behind { at: 9 }),
            ("Read, Bash", RuleError::NotInAName { at: 4, found: ',' }),
            (" git *", RuleError::NotInAName { at: 4, found: ' ' }),
            ("Bash)", RuleError::NotInAName { at: 4, found: ')' }),
        ] {
            assert_eq!(read(text), Err(error), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_formatted_rule_is_parsed_again(
            tool in "[A-Za-z_][A-Za-z0-9_-]{0,8}",
            content in proptest::option::of(r"[a-z*() \\:/.]{0,12}"),
        ) {
            let mut rule = PermissionRule::new(tool);
            rule.rule_content = content.filter(|content| !content.trim().is_empty());
            prop_assert_eq!(rule.to_string().parse(), Ok(rule));
        }
    }
}
