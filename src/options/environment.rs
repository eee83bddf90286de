//! The environment of the CLI.

use super::{CommandLine, Options};
use crate::process::{Environment, PassedEnvironment};
use std::env;
use std::process::Command;

impl Options {
    /// Sets which variables the CLI inherits from this process. Default: [`Environment::Filtered`].
    pub fn environment(mut self, environment: Environment) -> Self {
        self.inherited = environment;
        self
    }

    /// Returns the environment that the CLI would be started with now. A session adds the variable
    /// `AGENTWIRE_SESSION`, by which its processes can be found.
    #[must_use]
    pub fn passed_environment(&self) -> PassedEnvironment {
        let mut command = Command::new("");
        self.set_environment(&mut command);
        PassedEnvironment::of(&command)
    }

    /// Sets the command's environment to that of these options.
    fn set_environment(&self, command: &mut Command) {
        (self.inherited).apply_with(command, env::vars_os(), &self.all_variables());
    }
}

impl CommandLine {
    /// Returns the environment that a CLI would be started with here.
    pub(crate) fn passed_environment(&self) -> PassedEnvironment {
        PassedEnvironment::of(&self.command(Command::new("")))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn set_variables_override_inherited_ones() {
        let options = Options::new().env("CLAUDECODE", "mine").env("A", "b");
        let passed = options.passed_environment();
        assert_eq!(passed.get("CLAUDECODE"), Some(OsStr::new("mine")));
        assert_eq!(passed.get("PATH"), env::var_os("PATH").as_deref());
        assert_eq!(
            passed.get("CLAUDE_CODE_ENTRYPOINT"),
            Some(OsStr::new("sdk-rs"))
        );

        let clean = options.clean_env().passed_environment();
        let names = clean.iter().map(|(name, _)| name.to_str().unwrap());
        let names: Vec<_> = names
            .filter(|it| !it.starts_with("CLAUDE_") && !it.starts_with("BUN_"))
            .collect();
        assert_eq!(names, ["A", "CLAUDECODE"]);
    }

    #[test]
    fn a_printed_environment_has_one_line_per_variable_and_no_secrets() {
        let options = Options::new()
            .clean_env()
            .env("MY_TOKEN", "s3cret")
            .env("LINES", "one\ntwo");
        let passed = options.passed_environment();
        let printed = format!("{passed}{passed:?}");
        assert!(!printed.contains("s3cret"), "{printed}");
        let lines: Vec<_> = printed.lines().collect();
        for line in ["LINES=one\\ntwo", "MY_TOKEN=***"] {
            assert!(lines.contains(&line), "{line}: {printed}");
        }
    }
}
