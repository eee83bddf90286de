//! What a system passes on to a program that it starts.

use crate::event::Error;
use crate::process::SESSION_VARIABLE;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// What Linux passes on as one argument or variable, its terminating NUL
/// included. Other systems pass on more in one, and less in all.
const ONE: usize = 128 * 1024;

/// The length of what a session adds to the environment by which its processes
/// are found.
const SESSION_NAME: usize = 37;

/// Each argument by itself.
pub(super) fn check_each(arguments: &[String]) -> Result<(), Error> {
    match arguments.iter().find(|it| it.len() >= ONE) {
        Some(argument) => {
            let flag = argument.split('=').next().unwrap_or_default();
            Err(too_long(flag, argument.len()))
        }
        None => Ok(()),
    }
}

/// A variable of the environment.
pub(super) fn check_variable(name: &OsStr, value: &OsStr) -> Result<(), Error> {
    let bytes = name.as_encoded_bytes();
    let option = || format!("env {}", name.to_string_lossy());
    // Some systems have hidden variables whose name begins with it.
    if bytes.is_empty() || bytes[1..].contains(&b'=') || bytes.contains(&0) {
        let problem = "is no name that a variable can have";
        return Err(Error::option(&option(), problem));
    }
    if value.as_encoded_bytes().contains(&0) {
        let problem = "has a NUL character, which no variable can hold";
        return Err(Error::option(&option(), problem));
    }
    let length = size(name, value);
    match length > ONE {
        true => Err(too_long(&option(), length)),
        false => Ok(()),
    }
}

fn too_long(option: &str, length: usize) -> Error {
    let problem = format!("is {length} bytes long; the system passes on less than {ONE}");
    Error::option(option, problem)
}

/// Everything together.
pub(super) fn check_all(
    arguments: &[String],
    environment: &BTreeMap<OsString, OsString>,
) -> Result<(), Error> {
    check_sum(arguments, environment, of_all())
}

/// Everything together, against this limit.
fn check_sum(
    arguments: &[String],
    environment: &BTreeMap<OsString, OsString>,
    limit: usize,
) -> Result<(), Error> {
    let pointer = size_of::<usize>();
    let arguments = arguments.iter().map(|argument| {
        let flag = argument.split('=').next().unwrap_or_default();
        (argument.len() + 1 + pointer, flag.to_owned())
    });
    let variables = environment.iter().map(|(name, value)| {
        let option = format!("env {}", name.to_string_lossy());
        (size(name, value) + pointer, option)
    });
    let mut all: Vec<_> = arguments.chain(variables).collect();
    all.sort();
    let own = SESSION_VARIABLE.len() + SESSION_NAME + pointer;
    let sum = all.iter().map(|(size, _)| size).sum::<usize>() + own;
    match all.pop() {
        Some((size, option)) if sum > limit => {
            let problem = format!(
                "is too long at {size} bytes: all arguments and the environment come to {sum}, \
                 and the system passes on {limit}"
            );
            Err(Error::option(&option, problem))
        }
        _ => Ok(()),
    }
}

/// What a variable takes: `NAME=value` and a NUL.
fn size(name: &OsStr, value: &OsStr) -> usize {
    name.len() + value.len() + 2
}

/// What this system passes on in all: a quarter of the stack that a program
/// may have, but not more than six megabytes; some of it stays for the path of
/// the program, and for what the system puts there itself.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn of_all() -> usize {
    use rustix::process::{Resource, getrlimit};
    const MOST: u64 = 6 * 1024 * 1024;
    let stack = getrlimit(Resource::Stack).current.unwrap_or(u64::MAX);
    let limit = (stack / 4).clamp(ONE as u64, MOST);
    usize::try_from(limit).unwrap_or(ONE) - 8 * 1024
}

/// What this system passes on in all, by its own headers.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn of_all() -> usize {
    const ARG_MAX: usize = match cfg!(any(target_os = "macos", target_os = "ios")) {
        true => 1024 * 1024,
        false => 256 * 1024,
    };
    ARG_MAX - 8 * 1024
}

/// The environment has no limit there; the arguments have one of their own,
/// 32767 units of two bytes, which is told when the program is started.
#[cfg(not(unix))]
fn of_all() -> usize {
    usize::MAX
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Options;
    use std::process::Command;

    #[test]
    fn the_largest_is_named_when_all_together_is_too_much() {
        let options = Options::new().model("m".repeat(3000)).env("A", "a");
        let line = options.assemble().unwrap();
        let set: BTreeMap<_, _> = line.environment.iter().cloned().collect();
        let mut all = set.clone();
        all.insert("B".into(), "b".repeat(4000).into());
        check_sum(&line.arguments, &all, 10_000).unwrap();
        let too_much = |all| match check_sum(&line.arguments, all, 3000) {
            Err(Error::Option { option, .. }) => option,
            it => panic!("{it:?}"),
        };
        assert_eq!(too_much(&all), "env B");
        assert_eq!(too_much(&set), "--model");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_passes_on_what_is_within_the_limit() {
        // As many arguments as may be, each as long as may be.
        let argument = "a".repeat(ONE - 1 - "--a=".len());
        let mut options = Options::new().clean_env();
        for _ in 0..of_all() / ONE {
            options = options.flag_value("--a", argument.clone());
        }
        let line = options.command_line().unwrap();
        let started = line.command(Command::new("/bin/true")).status().unwrap();
        assert!(started.success());
        let more = options.flag_value("--a", argument).command_line();
        assert!(matches!(more, Err(Error::Option { option, .. }) if option == "--a"));
    }
}
