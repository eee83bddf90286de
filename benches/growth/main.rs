//! Checks that the work grows no faster than the input: with every kind of line
//! of the recorded sessions, and with the output of a hostile agent, once,
//! twice and four times as often. Valgrind's callgrind counts the instructions,
//! which do not depend on the load of the machine.
//!
//! ```sh
//! scripts/instructions --growth [PART-OF-A-NAME]
//! ```
//!
//! Twice the input may take at most 2.2 times as many instructions. Prints the
//! worst cases, and exits with 1 if one exceeds this limit.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a table is what a measurement is for"
)]

mod commands;
mod lines;
mod rules;
mod secrets;
mod sessions;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The smallest number of lines. It is small enough that the work for the start
/// does not hide the work for each line, and large enough that the work for
/// each pair shows.
const TIMES: usize = 300;

/// The largest allowed factor of the instructions for twice the input.
const LIMIT: f64 = 2.2;

/// The variable with the number of the share of the cases that a process under
/// callgrind runs.
const SHARE: &str = "AGENTWIRE_GROWTH_SHARE";
const SHARES: usize = 2;

/// Work for an input of size n.
pub(crate) struct Case {
    name: String,
    /// Prepares the work for a size. Only the returned function is measured.
    prepare: Box<dyn Fn(usize) -> Box<dyn FnOnce()>>,
}

impl Case {
    pub(crate) fn new<W: FnOnce() + 'static>(
        name: impl Into<String>,
        prepare: impl Fn(usize) -> W + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            prepare: Box::new(move |n| Box::new(prepare(n))),
        }
    }
}

/// Runs the work. Callgrind counts only the instructions inside this function.
#[inline(never)]
fn measured(work: Box<dyn FnOnce()>) {
    work();
}

fn main() -> ExitCode {
    let wanted = std::env::args().skip(1).find(|it| !it.starts_with('-'));
    let wanted = wanted.unwrap_or_default();
    let mut cases = sessions::all();
    cases.extend(secrets::all());
    cases.extend(rules::all());
    cases.retain(|case| case.name.contains(&wanted));
    if let Ok(share) = std::env::var(SHARE) {
        let share: usize = share.parse().unwrap();
        for case in cases.iter().skip(share).step_by(SHARES) {
            for n in [TIMES, 2 * TIMES, 4 * TIMES] {
                measured((case.prepare)(n));
            }
        }
        return ExitCode::SUCCESS;
    }
    let counts = count(&cases, &wanted);
    let programs = commands::all(&wanted);
    let counted = cases.into_iter().map(|case| case.name).zip(counts);
    report(counted.chain(programs).collect())
}

/// Returns the instructions of each case for n, 2n and 4n.
fn count(cases: &[Case], wanted: &str) -> Vec<[u64; 3]> {
    let folder = tempfile::tempdir().unwrap();
    let start = |share: usize| {
        let out = folder.path().join(format!("share{share}"));
        let mut command = callgrind(&out);
        command
            .arg("--collect-atstart=no")
            .arg("--toggle-collect=growth::measured")
            .arg("--dump-after=growth::measured")
            .arg(std::env::current_exe().unwrap())
            .arg(wanted)
            .env(SHARE, share.to_string());
        (command.spawn().unwrap(), out)
    };
    let shares: Vec<_> = (0..SHARES).map(start).collect();
    let mut counts = vec![[0; 3]; cases.len()];
    for (share, (mut child, out)) in shares.into_iter().enumerate() {
        assert!(child.wait().unwrap().success(), "share {share}");
        let dumps = (1..).map(|dump| total(&out.with_extension(dump.to_string())).unwrap());
        let of_share = counts.iter_mut().skip(share).step_by(SHARES).flatten();
        for (count, total) in of_share.zip(dumps) {
            *count = total;
        }
    }
    counts
}

/// Returns a command that runs its further arguments as a program under
/// callgrind, which writes its output to `out`.
pub(crate) fn callgrind(out: &Path) -> Command {
    let mut out_file = std::ffi::OsString::from("--callgrind-out-file=");
    out_file.push(out);
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--quiet"])
        .arg(out_file)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

/// Returns the number of instructions in the output of callgrind.
pub(crate) fn total(out: &Path) -> Option<u64> {
    let dump = std::fs::read_to_string(out).ok()?;
    let line = dump
        .lines()
        .rev()
        .find_map(|it| it.strip_prefix("totals: "));
    line?.trim().parse().ok()
}

fn report(counted: Vec<(String, [u64; 3])>) -> ExitCode {
    assert!(!counted.is_empty(), "no case has such a name");
    let mut rows: Vec<_> = counted
        .into_iter()
        .map(|(name, [once, twice, four])| {
            assert!(once > 0, "{name}: nothing was counted");
            let steps = [twice as f64 / once as f64, four as f64 / twice as f64];
            (steps[0].max(steps[1]), steps, once / TIMES as u64, name)
        })
        .collect();
    rows.sort_by(|one, other| other.0.total_cmp(&one.0));
    println!("     2n/n    4n/2n  instructions each");
    let is_bad = |worst: f64| worst > LIMIT;
    let shown = rows.iter().take_while(|row| is_bad(row.0)).count().max(10);
    for (worst, [first, second], each, name) in rows.iter().take(shown) {
        let mark = if is_bad(*worst) { "!!" } else { "  " };
        println!("{mark} {first:>6.2}   {second:>6.2} {each:>10}  {name}");
    }
    let bad = rows.iter().filter(|row| is_bad(row.0)).count();
    println!(
        "{} cases counted; {bad} grow by more than {LIMIT} when there is twice as much",
        rows.len()
    );
    ExitCode::from(u8::from(bad > 0))
}

/// Returns the path of the `agentwire` that was built with this program.
pub(crate) fn built() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    here.parent().unwrap().parent().unwrap().join("agentwire")
}
