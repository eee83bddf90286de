//! `cargo xtask`: what the project needs to keep up with the protocol.

#![allow(clippy::print_stderr, reason = "it is what a command line prints")]

use clap::{Parser, Subcommand};
use std::error::Error;
#[cfg(feature = "parser")]
use std::fs::File;
#[cfg(feature = "parser")]
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use xtask::bugs;
#[cfg(feature = "parser")]
use xtask::declarations::{Declarations, PINNED};
#[cfg(feature = "parser")]
use xtask::{drift, samples};

/// Compares agentwire with the declarations of the protocol.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes samples of everything that is declared to be on the wire, as the
    /// lines of a recording
    #[cfg(feature = "parser")]
    Samples {
        /// The folder that `scripts/install declarations` printed
        #[arg(default_value = PINNED)]
        folder: PathBuf,

        /// The file to write; standard output if there is none
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
    /// Prints how the declarations and our types differ. Exit status: 0 when
    /// every difference is explained, 1 when not
    #[cfg(feature = "parser")]
    Drift {
        /// The folder that `scripts/install declarations` printed
        #[arg(default_value = PINNED)]
        folder: PathBuf,

        /// Also prints the explained differences
        #[arg(long)]
        all: bool,
    },
    /// Copies the files that git tracks, with the intentional bugs of
    /// tests/bugs/bugs.txt
    Bugs {
        /// The folder to copy to
        to: PathBuf,
    },
    /// Prints the JSON Schema of scenarios, for editors
    #[cfg(feature = "parser")]
    ScenarioSchema,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Box<dyn Error>> {
    match command {
        #[cfg(feature = "parser")]
        Command::Samples { folder, output } => {
            let samples = samples::samples(&Declarations::load(&folder)?)?;
            let mut output: Box<dyn Write> = match output {
                Some(path) => Box::new(BufWriter::new(File::create(path)?)),
                None => Box::new(BufWriter::new(io::stdout().lock())),
            };
            for sample in samples {
                writeln!(output, "{}", sample.line())?;
            }
            output.flush()?;
            Ok(ExitCode::SUCCESS)
        }
        #[cfg(feature = "parser")]
        Command::Drift { folder, all } => {
            let drift = drift::drift(&Declarations::load(&folder)?)?;
            let mut output = BufWriter::new(io::stdout().lock());
            for line in &drift.lines {
                writeln!(output, "{line}")?;
            }
            for (reason, lines) in &drift.explained {
                writeln!(output, "explained: {} {reason}", lines.len())?;
                for line in lines.iter().filter(|_| all) {
                    writeln!(output, "    {line}")?;
                }
            }
            output.flush()?;
            match drift.lines.is_empty() {
                true => Ok(ExitCode::SUCCESS),
                false => Ok(ExitCode::FAILURE),
            }
        }
        Command::Bugs { to } => {
            bugs::copy(Path::new("."), &to)?;
            Ok(ExitCode::SUCCESS)
        }
        #[cfg(feature = "parser")]
        Command::ScenarioSchema => {
            let schema = agentwire_testkit::scenario::schema();
            writeln!(io::stdout(), "{:#}", schema.as_value())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
