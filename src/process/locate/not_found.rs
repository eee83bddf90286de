//! The error for a missing CLI.

use std::fmt;
use std::path::PathBuf;

/// No agent CLI was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CliNotFound {
    /// What set the CLI: `Options::cli`, or the variable `AGENTWIRE_CLI`.
    /// `None` if neither is set and the CLI was searched for.
    pub named_by: Option<&'static str>,
    /// The places in the order tried, each with the reason why it failed.
    pub looked: Vec<String>,
    /// A shell script (`.cmd`, `.ps1`) found on Windows, if the program that it
    /// starts was not found.
    pub shim: Option<PathBuf>,
}

impl fmt::Display for CliNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.named_by, &self.looked[..]) {
            (Some(by), [place]) => write!(f, "`{by}` is {place}")?,
            (Some(by), places) => {
                write!(f, "no agent CLI was found for `{by}`. Looked for:")?;
                write_lines(f, places)?;
            }
            (None, places) => {
                f.write_str("no agent CLI was found. Looked for:")?;
                write_lines(f, places)?;
                f.write_str(
                    "\nInstall it with `npm install -g @anthropic-ai/claude-code`, or set its \
                     path with `Options::cli` or AGENTWIRE_CLI.",
                )?;
            }
        }
        if let Some(shim) = &self.shim {
            write!(
                f,
                "\n{} is a shell script, and shells do not pass arguments on unchanged: set the \
                 path of the `claude.exe` or `cli.js` that it starts.",
                shim.display()
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for CliNotFound {}

fn write_lines(f: &mut fmt::Formatter<'_>, lines: &[String]) -> fmt::Result {
    lines.iter().try_for_each(|line| write!(f, "\n  {line}"))
}
