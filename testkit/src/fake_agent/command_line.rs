//! Splits the command line into flags, their values and operands, as the real
//! CLI does.

use super::environment::UNKNOWN_FLAGS;
use super::known::{Flag, Values, find_flag};
use crate::agent::Profile;
use std::collections::VecDeque;

/// The arguments of a command line.
#[derive(Debug, Default)]
pub(super) struct CommandLine {
    /// The given flags in order, each with its value. A flag with several
    /// values appears once for each value.
    pub(super) flags: Vec<(&'static Flag, Option<String>)>,
    /// Arguments that are neither flags nor values.
    pub(super) operands: Vec<String>,
    /// The first unknown flag.
    pub(super) unknown: Option<String>,
}

/// The reason why the CLI refuses its arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlagError {
    /// The emulated version does not have the flag.
    #[error("{flag}: {version} has no such flag; {UNKNOWN_FLAGS}=accept starts without it")]
    Unknown {
        /// The argument.
        flag: String,
        /// The version.
        version: &'static str,
    },
    /// A flag's value is missing.
    #[error("{0}: the value is missing")]
    NoValue(&'static str),
    /// A flag's value is invalid.
    #[error("{flag}: {value:?} is invalid, expected {expected}")]
    BadValue {
        /// The flag.
        flag: &'static str,
        /// Its value.
        value: String,
        /// The valid values.
        expected: String,
    },
    /// The flag requires another one, which is missing.
    #[error("{flag} requires {other}")]
    Requires {
        /// The flag.
        flag: &'static str,
        /// The required flag.
        other: &'static str,
    },
}

impl CommandLine {
    pub(super) fn read(
        args: impl IntoIterator<Item = String>,
        profile: Profile,
    ) -> Result<Self, FlagError> {
        let mut line = Self::default();
        let mut args: VecDeque<String> = args.into_iter().collect();
        let mut several = None;
        while let Some(argument) = args.pop_front() {
            if argument == "--" {
                line.take_operands(args);
                break;
            }
            if !is_flag(&argument) {
                match several {
                    Some(flag) => line.take(flag, Some(argument))?,
                    None => line.take_operands([argument]),
                }
                continue;
            }
            several = None;
            if let Some(flag) = find_flag(&argument, profile) {
                let value = match flag.takes {
                    Values::Nothing => None,
                    Values::One | Values::Several => {
                        let value = args.pop_front();
                        Some(value.ok_or_else(|| FlagError::NoValue(flag.name()))?)
                    }
                    Values::Optional => match args.front() {
                        Some(next) if !is_flag(next) => args.pop_front(),
                        _ => None,
                    },
                };
                line.take(flag, value)?;
                several = (flag.takes == Values::Several).then_some(flag);
            } else if let Some((flag, rest)) = short(&argument, profile) {
                if flag.takes == Values::Nothing {
                    line.take(flag, None)?;
                    args.push_front(format!("-{rest}"));
                } else {
                    line.take(flag, Some(rest.to_owned()))?;
                }
            } else if let Some((flag, value)) = assigned(&argument, profile) {
                line.take(flag, Some(value.to_owned()))?;
            } else {
                line.unknown.get_or_insert(argument);
            }
        }
        Ok(line)
    }

    fn take(&mut self, flag: &'static Flag, value: Option<String>) -> Result<(), FlagError> {
        let refused = value.as_deref().and_then(|value| flag.refuses(value));
        if let Some(expected) = refused {
            let value = value.unwrap_or_default();
            return Err(FlagError::BadValue {
                flag: flag.name(),
                value,
                expected,
            });
        }
        self.flags.push((flag, value));
        Ok(())
    }

    /// Takes operands. Operands after an unknown flag are discarded, because
    /// the first may be the flag's value.
    fn take_operands(&mut self, operands: impl IntoIterator<Item = String>) {
        if self.unknown.is_none() {
            self.operands.extend(operands);
        }
    }
}

fn is_flag(argument: &str) -> bool {
    argument.len() > 1 && argument.starts_with('-')
}

/// Splits an argument after its first one-letter flag. The rest is the flag's
/// value, or more flags.
fn short(argument: &str, profile: Profile) -> Option<(&'static Flag, &str)> {
    let letters = argument
        .strip_prefix('-')
        .filter(|it| !it.starts_with('-'))?;
    let first = letters.chars().next()?;
    let flag = find_flag(&format!("-{first}"), profile)?;
    Some((flag, &letters[first.len_utf8()..]))
}

/// Splits `--flag=value` into the flag and the value.
fn assigned(argument: &str, profile: Profile) -> Option<(&'static Flag, &str)> {
    let (name, value) = argument.split_once('=')?;
    let flag = find_flag(name, profile)?;
    (name.starts_with("--") && flag.takes != Values::Nothing).then_some((flag, value))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Returns the flags with their values, followed by the operands.
    fn read(args: &str, profile: Profile) -> Result<Vec<String>, FlagError> {
        let line = CommandLine::read(args.split(' ').map(str::to_owned), profile)?;
        let flags = line.flags.into_iter();
        let flags = flags.map(|(flag, value)| match value {
            Some(value) => format!("{}={value}", flag.name()),
            None => flag.name().to_owned(),
        });
        let unknown = line.unknown.into_iter().map(|it| format!("unknown {it}"));
        Ok(flags.chain(line.operands).chain(unknown).collect())
    }

    #[test]
    fn values_go_to_their_flags_and_what_is_left_over_is_an_operand() {
        for (args, expected) in [
            ("-p hi --model m", &["--print", "--model=m", "hi"][..]),
            ("--model --verbose hi", &["--model=--verbose", "hi"]),
            ("--resume --verbose", &["--resume", "--verbose"]),
            ("--resume id -c", &["--resume=id", "--continue"]),
            (
                "--allowedTools A B --verbose C",
                &["--allowedTools=A", "--allowedTools=B", "--verbose", "C"],
            ),
            ("--allowed-tools=A B", &["--allowedTools=A", "B"]),
            ("-pc hi", &["--print", "--continue", "hi"]),
            ("-pnName", &["--print", "--name=Name"]),
            (
                "-d2e --debug-to-stderr",
                &["--debug-to-stderr", "--debug-to-stderr"],
            ),
            ("-- --model m", &["--model", "m"]),
            ("--verbose=true hi", &["unknown --verbose=true"]),
            (
                "hi --zork value --model m",
                &["--model=m", "hi", "unknown --zork"],
            ),
        ] {
            assert_eq!(read(args, Profile::V2_1_332).unwrap(), expected, "{args}");
        }
    }

    #[test]
    fn each_version_has_its_own_flags_and_values() {
        let [new, middle, old] = [Profile::V2_1_332, Profile::V2_1_197, Profile::V2_0_77];
        let is_known = |args, profile| {
            let read = read(args, profile).unwrap();
            !read.iter().any(|it| it.starts_with("unknown"))
        };
        for (args, expected) in [
            ("--await-initialize", [true, false, false]),
            ("--session-mirror", [true, true, false]),
            ("--mcp-debug", [false, false, true]),
        ] {
            assert_eq!(
                [new, middle, old].map(|it| is_known(args, it)),
                expected,
                "{args}"
            );
        }
        assert!(is_known("--await-initialize", Profile::NoQueue));
        for (args, expected) in [
            ("--permission-mode=manual", [true, false, false]),
            ("--permission-mode=delegate", [false, false, true]),
            ("--max-turns=2x", [false, true, true]),
            ("--json-schema=[]", [false, false, true]),
            ("--agents={}", [true, true, true]),
            ("--agents=[]", [false, true, true]),
        ] {
            assert_eq!(
                [new, middle, old].map(|it| read(args, it).is_ok()),
                expected,
                "{args}"
            );
        }
    }

    #[test]
    fn bad_and_missing_values_are_refused() {
        for args in [
            "--output-format=xml",
            "--input-format=json",
            "--permission-mode=nonsense",
            "--max-budget-usd=0",
            "--task-budget=1.5",
            "--autocompact=5",
            "--setting-sources=user,zzz",
            "--settings={bad",
            "--mcp-config={}",
            "--agents={\"a\":{}}",
            "--json-schema={bad",
            "--system-prompt-file=/no/such",
        ] {
            let refused = read(args, Profile::V2_1_332);
            assert!(matches!(refused, Err(FlagError::BadValue { .. })), "{args}");
        }
        let missing = read("-p --model", Profile::V2_1_332);
        assert_eq!(missing, Err(FlagError::NoValue("--model")));
        for args in [
            "--autocompact=200",
            "--autocompact=auto",
            "--setting-sources=user, local",
        ] {
            let line = CommandLine::read([args.to_owned()], Profile::V2_1_332);
            assert!(line.is_ok(), "{args}");
        }
    }
}
