//! That there is no CLI where it is looked for.

use std::fmt;
use std::path::PathBuf;

/// There is no agent CLI where one is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CliNotFound {
    /// What names the CLI: `Options::cli`, or the variable `AGENTWIRE_CLI`.
    /// `None` when nothing does, and it was looked for.
    pub named_by: Option<&'static str>,
    /// The places, in the order in which they were tried, each with what is
    /// wrong with it.
    pub looked: Vec<String>,
    /// A script for a shell (`.cmd`, `.ps1`) that was found on Windows, and
    /// behind which nothing was found that can be started without that shell.
    pub shim: Option<PathBuf>,
}

impl fmt::Display for CliNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.named_by, &self.looked[..]) {
            (Some(by), [place]) => write!(f, "`{by}` is {place}")?,
            (Some(by), places) => {
                write!(f, "there is no agent CLI where `{by}` says:")?;
                write_lines(f, places)?;
            }
            (None, places) => {
                f.write_str("no agent CLI was found. Looked for:")?;
                write_lines(f, places)?;
                f.write_str(
                    "\nInstall it with `npm install -g @anthropic-ai/claude-code`, or say where it \
                     is with `Options::cli` or AGENTWIRE_CLI.",
                )?;
            }
        }
        if let Some(shim) = &self.shim {
            write!(
                f,
                "\n{} is run by a shell, which does not pass arguments on as they are: name the \
                 `claude.exe`, or the `cli.js`, that it starts.",
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
