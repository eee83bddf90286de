//! Finds the `fake-agent` binary.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The environment variable that names the `fake-agent` binary for [`path`].
pub const BIN: &str = "FAKE_AGENT_BIN";

/// The error of [`path`] when there is no `fake-agent` binary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotBuilt {
    /// The variable [`BIN`] names no file.
    #[error("`{BIN}` is {}: no such file", .0.display())]
    NoSuchFile(PathBuf),
    /// The directory contains neither the binary nor an example that Cargo
    /// built.
    #[error(
        "{}: no such file, nor an example `fake_agent`; build it with \
         `cargo build -p agentwire-testkit --bin fake-agent` in the profile of the tests, \
         or set `{BIN}`",
        .0.display()
    )]
    NotInTarget(PathBuf),
    /// The path of the running executable is unknown.
    #[error("the path of this executable is unknown: {0}; set `{BIN}`")]
    UnknownExecutable(io::Error),
}

/// Returns the absolute path of the fake agent's executable, for a test.
///
/// The executable is the file that the environment variable `FAKE_AGENT_BIN`
/// ([`BIN`]) names. If the variable is unset or empty, it is one of these,
/// relative to the running executable `target/debug/deps/my_test`:
///
/// 1. the binary `target/debug/fake-agent`;
/// 2. the example `target/debug/examples/fake_agent`.
///
/// `cargo test` builds the examples of your package. All that a test requires is
/// a file `examples/fake_agent.rs` with a `main` that calls
/// [`fake_agent::main`](super::main()).
///
/// `cargo test --test NAME` does not build examples; run `cargo build --examples`
/// first.
///
/// Cargo does not build the binaries of a dependency with your tests. Without
/// an example, build the binary first:
///
/// ```sh
/// cargo build -p agentwire-testkit --bin fake-agent
/// ```
///
/// If `agentwire-testkit` is only a dev-dependency, Cargo (1.95) also needs the
/// name of one of your tests, and panics without it:
///
/// ```sh
/// cargo build -p my-crate --test my_test -p agentwire-testkit --bin fake-agent
/// ```
///
/// # Errors
///
/// Returns [`NotBuilt`] if the executable does not exist. The message says what
/// to build.
///
/// # Examples
///
/// ```no_run
/// use agentwire_testkit::{Scenario, Step, fake_agent};
/// use std::process::Command;
///
/// let scenario = Scenario::default().reply([Step::text("Hello.")]);
/// let agent = Command::new(fake_agent::path()?)
///     .env(fake_agent::SCRIPT, scenario.to_json())
///     .spawn()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn path() -> Result<PathBuf, NotBuilt> {
    match std::env::var_os(BIN).filter(|named| !named.is_empty()) {
        Some(named) => named_file(&named),
        None => in_target(&std::env::current_exe().map_err(NotBuilt::UnknownExecutable)?),
    }
}

fn named_file(named: &OsString) -> Result<PathBuf, NotBuilt> {
    match std::path::absolute(named) {
        Ok(path) if path.is_file() => Ok(path),
        _ => Err(NotBuilt::NoSuchFile(named.into())),
    }
}

/// Returns the binary in the profile directory of this executable.
fn in_target(executable: &Path) -> Result<PathBuf, NotBuilt> {
    let folder = executable.parent().unwrap_or(executable);
    // Tests and examples are in a subdirectory of the profile's directory.
    let profile = match folder.parent() {
        Some(above) if folder.ends_with("deps") || folder.ends_with("examples") => above,
        _ => folder,
    };
    let binary = profile.join(format!("fake-agent{EXE_SUFFIX}"));
    let example = profile.join(format!("examples/fake_agent{EXE_SUFFIX}"));
    if binary.is_file() {
        Ok(binary)
    } else if example.is_file() {
        Ok(example)
    } else {
        Err(NotBuilt::NotInTarget(binary))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir, write};

    fn binary_in(folder: &Path) -> PathBuf {
        folder.join(format!("fake-agent{EXE_SUFFIX}"))
    }

    #[test]
    fn tests_examples_and_binaries_find_the_binary_of_their_profile() {
        let profile = tempfile::tempdir().expect("a folder");
        let binary = binary_in(profile.path());
        write(&binary, "").expect("a file");
        for executable in ["deps/test-1a2b", "examples/host", "host"] {
            let found = in_target(&profile.path().join(executable));
            assert_eq!(found.expect(executable), binary);
        }
    }

    #[test]
    fn without_a_binary_the_example_is_found() {
        let profile = tempfile::tempdir().expect("a folder");
        create_dir(profile.path().join("examples")).expect("a folder");
        let example = format!("examples/fake_agent{EXE_SUFFIX}");
        let example = profile.path().join(example);
        write(&example, "").expect("a file");
        let executable = profile.path().join("deps/test-1a2b");
        assert_eq!(in_target(&executable).expect("the example"), example);

        let binary = binary_in(profile.path());
        write(&binary, "").expect("a file");
        assert_eq!(in_target(&executable).expect("the binary"), binary);
    }

    #[test]
    fn a_missing_binary_is_an_error_with_the_build_command() {
        let profile = tempfile::tempdir().expect("a folder");
        // A directory of this name is not the binary.
        let binary = binary_in(profile.path());
        create_dir(&binary).expect("a folder");
        let error = in_target(&profile.path().join("deps/test-1a2b")).expect_err("no binary");
        assert_eq!(
            error.to_string(),
            format!(
                "{}: no such file, nor an example `fake_agent`; build it with `cargo build -p \
                 agentwire-testkit --bin fake-agent` in the profile of the tests, or set \
                 `FAKE_AGENT_BIN`",
                binary.display()
            )
        );
    }

    #[test]
    fn the_variable_names_an_absolute_or_a_relative_file() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        for named in [manifest.as_path(), Path::new("Cargo.toml")] {
            let found = named_file(&named.into());
            assert_eq!(found.expect("the file"), manifest);
        }
    }

    #[test]
    fn a_variable_that_names_no_file_is_an_error_that_names_it() {
        let error = named_file(&"missing/fake-agent".into()).expect_err("no file");
        assert_eq!(
            error.to_string(),
            "`FAKE_AGENT_BIN` is missing/fake-agent: no such file"
        );
    }
}
