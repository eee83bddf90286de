//! The fake Codex as a process.

use super::{Config, Disk, FakeCodex};
use crate::fake_agent::environment::script;
use crate::fake_agent::exit::{USAGE, exit_with};
use crate::fake_agent::gates::{GateFolder, PERIOD};
use crate::fake_agent::input::{Input, Received};
use crate::scenario::Fault;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::exit;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The files of the machine.
#[derive(Debug, Default)]
struct Files {
    /// The folders that were created, once: a home that was removed meanwhile stays removed.
    created: BTreeSet<PathBuf>,
}

impl Disk for Files {
    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(path).ok()
    }

    fn write(&mut self, path: &str, text: &str) {
        if let Some(folder) = Path::new(path).parent()
            && self.created.insert(folder.to_owned())
        {
            drop(fs::create_dir_all(folder));
        }
        drop(fs::write(path, text));
    }

    fn remove(&mut self, path: &str) {
        drop(fs::remove_file(path));
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .map(|it| it.path().to_string_lossy().into_owned())
            .collect()
    }
}

/// Runs the fake Codex on standard input and output. `app-server` must be among
/// the arguments. Threads are stored in `CODEX_HOME`.
///
/// The exit status is 2 if the arguments, the environment or the scenario is
/// invalid.
pub fn main() -> ! {
    if !std::env::args().any(|it| it == "app-server") {
        exit_with("fake-codex: the only command is `app-server`", USAGE);
    }
    let scenario =
        script().unwrap_or_else(|error| exit_with(&format!("fake-codex: {error}"), USAGE));
    let gates = GateFolder::from_environment(&scenario)
        .unwrap_or_else(|error| exit_with(&format!("fake-codex: {error}"), USAGE));
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let home = match variable("CODEX_HOME") {
        home if home.is_empty() => format!("{}/.codex", variable("HOME")),
        home => home,
    };
    let cwd = std::env::current_dir().unwrap_or_default();
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let config = Config {
        home,
        cwd: cwd.to_string_lossy().into_owned(),
        started_ms: u64::try_from(started.as_millis()).unwrap_or_default(),
    };
    run(FakeCodex::new(&scenario, config, Files::default()), &gates)
}

fn run(mut codex: FakeCodex, gates: &GateFolder) -> ! {
    let input = Input::new();
    input.read();
    let mut buffer: Vec<u8> = vec![];
    let mut marked = BTreeSet::new();
    let mut last = Instant::now();
    loop {
        write(&mut codex);
        if codex.has_exited() {
            exit(0);
        }
        let shut: Vec<String> = codex.shut_gates().map(str::to_owned).collect();
        for gate in shut.iter().filter(|gate| marked.insert((*gate).clone())) {
            drop(gates.mark_reached(gate));
        }
        let timer = codex.timer_ms().map(Duration::from_millis);
        let poll = (!shut.is_empty()).then_some(PERIOD);
        let received = input.next(timer.into_iter().chain(poll).min());
        match received {
            Some(Received::Bytes(bytes)) if bytes.is_empty() => codex.handle_eof(),
            Some(Received::Bytes(bytes)) => buffer.extend(bytes),
            Some(Received::Interrupt) | None => {}
        }
        while let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = buffer.drain(..=end).collect();
            codex.handle_line(&line);
        }
        gates.open(&shut, |gate| drop(codex.open_gate(gate)));
        let passed = u64::try_from(last.elapsed().as_millis()).unwrap_or_default();
        last += Duration::from_millis(passed);
        codex.advance_ms(passed);
    }
}

/// Writes the output so far.
fn write(codex: &mut FakeCodex) {
    let mut stdout = io::stdout().lock();
    loop {
        let mut written = Ok(());
        while let Some(line) = codex.poll_line() {
            written = written.and_then(|()| writeln!(stdout, "{line}"));
        }
        if written.and_then(|()| stdout.flush()).is_err() {
            // The host has closed the output.
            exit(0);
        }
        match codex.poll_fault() {
            Some(fault) => apply_fault(&fault, &mut stdout),
            None => return,
        }
    }
}

/// Executes a fault. Other faults are ignored.
fn apply_fault(fault: &Fault, stdout: &mut impl Write) {
    match fault {
        Fault::Stdout(text) => drop(stdout.write_all(text.as_bytes())),
        Fault::Stderr(text) => drop(io::stderr().write_all(text.as_bytes())),
        Fault::FreezeMs(time) => std::thread::sleep(Duration::from_millis(*time)),
        Fault::Hang => loop {
            std::thread::park();
        },
        Fault::Exit(status) => exit(*status),
        Fault::Signal(_) => std::process::abort(),
        _ => {}
    }
}
