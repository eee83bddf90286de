//! System limits on arguments and environment.

use crate::event::Error;
use crate::process::SESSION_VARIABLE;
use agentwire_protocol::sorted::SortedMap;
use std::ffi::{OsStr, OsString};

/// Linux's limit for one argument or variable, including its terminating NUL.
/// Other systems allow longer ones, but less in total.
const ONE: usize = 128 * 1024;

/// The length of the variable's value that marks a session's processes.
const SESSION_NAME: usize = 37;

/// Checks the length of each argument.
pub(super) fn check_each(arguments: &[String]) -> Result<(), Error> {
    match arguments.iter().find(|it| it.len() >= ONE) {
        Some(argument) => {
            let flag = argument.split('=').next().unwrap_or_default();
            Err(too_long(flag, argument.len()))
        }
        None => Ok(()),
    }
}

/// Checks a variable of the environment.
pub(super) fn check_variable(name: &OsStr, value: &OsStr) -> Result<(), Error> {
    let bytes = name.as_encoded_bytes();
    let option = || format!("env {}", name.to_string_lossy());
    // On some systems, names of hidden variables start with `=`.
    if bytes.is_empty() || bytes[1..].contains(&b'=') || bytes.contains(&0) {
        let problem = "is not a valid variable name";
        return Err(Error::option(&option(), problem));
    }
    if value.as_encoded_bytes().contains(&0) {
        let problem = "contains a NUL character, which variables cannot contain";
        return Err(Error::option(&option(), problem));
    }
    let length = variable_size(name, value);
    match length > ONE {
        true => Err(too_long(&option(), length)),
        false => Ok(()),
    }
}

fn too_long(option: &str, length: usize) -> Error {
    let problem = format!("is {length} bytes long; the system's limit is less than {ONE}");
    Error::option(option, problem)
}

/// Checks the total length.
pub(super) fn check_all(
    arguments: &[String],
    environment: &SortedMap<OsString, OsString>,
) -> Result<(), Error> {
    check_total(arguments, environment, of_all())
}

/// Checks the total length against this limit.
fn check_total(
    arguments: &[String],
    environment: &SortedMap<OsString, OsString>,
    limit: usize,
) -> Result<(), Error> {
    let pointer = size_of::<usize>();
    let mut sum = SESSION_VARIABLE.len() + SESSION_NAME + pointer;
    let mut largest: Option<(usize, String)> = None;
    let mut add = |size: usize, option: &dyn Fn() -> String| {
        sum += size;
        if largest.as_ref().is_none_or(|(most, _)| size > *most) {
            largest = Some((size, option()));
        }
    };
    for argument in arguments {
        let flag = || argument.split('=').next().unwrap_or_default().to_owned();
        add(argument.len() + 1 + pointer, &flag);
    }
    for (name, value) in environment.entries() {
        let option = || format!("env {}", name.to_string_lossy());
        add(variable_size(name, value) + pointer, &option);
    }
    match largest {
        Some((size, option)) if sum > limit => {
            let problem = format!(
                "is too long at {size} bytes: all arguments and the environment take {sum} bytes, \
                 and the system's limit is {limit}"
            );
            Err(Error::option(&option, problem))
        }
        _ => Ok(()),
    }
}

/// Returns the size of a variable: `NAME=value` and a NUL.
fn variable_size(name: &OsStr, value: &OsStr) -> usize {
    name.len() + value.len() + 2
}

/// Returns this system's total limit: a quarter of the stack limit, at most six megabytes,
/// minus the program's path and the system's own data.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn of_all() -> usize {
    use rustix::process::{Resource, getrlimit};
    const MOST: u64 = 6 * 1024 * 1024;
    let stack = getrlimit(Resource::Stack).current.unwrap_or(u64::MAX);
    let limit = (stack / 4).clamp(ONE as u64, MOST);
    usize::try_from(limit).unwrap_or(ONE) - 8 * 1024
}

/// Returns this system's total limit, from its headers.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn of_all() -> usize {
    const ARG_MAX: usize = match cfg!(any(target_os = "macos", target_os = "ios")) {
        true => 1024 * 1024,
        false => 256 * 1024,
    };
    ARG_MAX - 8 * 1024
}

/// Returns no limit: Windows limits only the arguments, to 32767 UTF-16 units, which is
/// reported when the program is started.
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
    fn errors_for_the_total_limit_name_the_largest_option() {
        let options = Options::new().model("m".repeat(3000)).env("A", "a");
        let line = options.assemble().unwrap();
        let set: SortedMap<_, _> = line.environment.iter().cloned().collect();
        let mut all = set.clone();
        all.insert("B".into(), "b".repeat(4000).into());
        check_total(&line.arguments, &all, 10_000).unwrap();
        let too_much = |all| match check_total(&line.arguments, all, 3000) {
            Err(Error::Option { option, .. }) => option,
            it => panic!("{it:?}"),
        };
        assert_eq!(too_much(&all), "env B");
        assert_eq!(too_much(&set), "--model");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_accepts_arguments_within_the_limit() {
        // The largest number of arguments of the largest length.
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
