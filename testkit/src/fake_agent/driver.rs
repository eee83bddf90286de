//! Runs a [`Player`] on the pipes of this process.

use super::clock::Clock;
use super::environment::SESSIONS;
use super::exit::{USAGE, exit_with, exit_without_log};
use super::gates::{self, GateFolder};
use super::input::{Input, Received};
use super::log::Log;
use super::player::{Output, Player};
use super::print::Print;
use super::process;
use super::sessions::Sessions;
use super::signals::Signals;
use super::stdout::Stdout;
use crate::agent::Profile;
use crate::scenario::Fault;
use std::io::{self, IsTerminal, Write};
use std::process::exit;
use std::time::Duration;

/// How long print mode waits for the first data on standard input.
const PROMPT_TIMEOUT: Duration = Duration::from_secs(3);

/// A player and its I/O.
#[derive(Debug)]
pub(super) struct Driver {
    player: Player,
    gates: GateFolder,
    log: Option<Log>,
    clock: Clock,
    input: Input,
    stdout: Stdout,
    signals: Signals,
    /// The state of print mode, if the agent is in print mode.
    print: Option<Print>,
    /// The storage of sessions, if it is enabled.
    sessions: Option<Sessions>,
    /// Lines about stored records (`--session-mirror`). They are sent after the
    /// message that the record contains.
    mirrored: String,
}

impl Driver {
    pub(super) fn new(
        player: Player,
        gates: GateFolder,
        log: Option<Log>,
        clock: Clock,
        sessions: Option<Sessions>,
        print: Option<Print>,
        profile: Profile,
    ) -> Self {
        let input = Input::new();
        let signals = Signals::handle(profile, input.interrupter());
        let signals = signals
            .unwrap_or_else(|error| exit_with(&format!("fake-agent: signals: {error}"), USAGE));
        Self {
            player,
            gates,
            log,
            clock,
            input,
            stdout: Stdout::default(),
            signals,
            print,
            sessions,
            mirrored: String::new(),
        }
    }

    pub(super) fn run(mut self) -> ! {
        // Start-up faults are performed first, because a process that exits
        // immediately reads nothing.
        self.perform_outputs();
        self.input.read();
        if let Some(print) = self.print.take() {
            self.ask(print);
        }
        loop {
            self.perform_outputs();
            let script_due = self.player.poll_script_timeout();
            let skip_to_due = script_due.filter(|_| self.clock.is_virtual);
            let due = skip_to_due.map_or_else(
                || self.player.poll_timeout(),
                // Input that has arrived is handled before the clock advances.
                |_| Some(self.clock.now()),
            );
            let wait = due.map(|due| due.saturating_duration_since(self.clock.now()));
            // The files of gates are polled.
            let poll_period = self.player.shut_gates().next().map(|_| gates::PERIOD);
            let wait = wait.into_iter().chain(poll_period).min();
            let received = match wait {
                // The input has ended and nothing is scheduled. The turn waits
                // for an event that cannot occur.
                None if !self.input.is_open => {
                    self.player.give_up();
                    self.perform_outputs();
                    None
                }
                wait => self.input.next(wait),
            };
            match received {
                Some(Received::Interrupt) => self.player.interrupt(self.clock.now()),
                Some(Received::Bytes(bytes)) if !bytes.is_empty() => {
                    self.note(|log| log.read(&bytes));
                    self.player.handle_input(self.clock.now(), &bytes);
                }
                Some(Received::Bytes(_)) => {
                    self.input.is_open = false;
                    self.note(Log::input_ended);
                    self.player.handle_input_end(self.clock.now());
                }
                None => {
                    if let Some(due) = skip_to_due {
                        self.clock.skip_to(due);
                    }
                    self.player.handle_timeout(self.clock.now());
                }
            }
            let shut: Vec<String> = self.player.shut_gates().map(str::to_owned).collect();
            let (player, now) = (&mut self.player, self.clock.now());
            // A gate that the script has reached always exists.
            (self.gates).open(&shut, |gate| drop(player.open(now, gate)));
        }
    }

    /// Starts the only turn of print mode.
    fn ask(&mut self, print: Print) {
        let line = print.line(&self.read_prompt());
        self.print = Some(print);
        match line {
            Ok(line) => {
                let now = self.clock.now();
                self.player.handle_last_input(now, line.as_bytes());
            }
            Err(why) => {
                self.note(|log| log.exits(1));
                exit_with(&why.to_string(), 1);
            }
        }
    }

    /// Reads standard input to its end, unless no data arrives in time.
    fn read_prompt(&mut self) -> Vec<u8> {
        let mut prompt = Vec::new();
        let mut wait = Some(PROMPT_TIMEOUT);
        while !io::stdin().is_terminal() {
            match self.input.next(wait) {
                Some(Received::Interrupt) => self.log_and_exit(0),
                Some(Received::Bytes(bytes)) if !bytes.is_empty() => {
                    self.note(|log| log.read(&bytes));
                    prompt.extend(bytes);
                    wait = None;
                }
                Some(Received::Bytes(_)) => break,
                None => {
                    let seconds = PROMPT_TIMEOUT.as_secs();
                    let warning = format!(
                        "fake-agent: no data on standard input within {seconds} s: continuing without it\n"
                    );
                    drop(io::stderr().write_all(warning.as_bytes()));
                    break;
                }
            }
        }
        self.input.stop();
        self.input.is_open = false;
        self.note(Log::input_ended);
        prompt
    }

    /// Performs the player's outputs.
    fn perform_outputs(&mut self) {
        while let Some(output) = self.player.poll_output() {
            let written = match output {
                Output::Stdout(bytes) => self
                    .print_or_write(&bytes)
                    .and_then(|()| self.send_mirrored()),
                Output::Stderr(text) => io::stderr().write_all(text.as_bytes()),
                Output::Spawn(argv) => process::spawn(&argv),
                Output::Store(record) => self.store(|sessions| sessions.store(record)),
                Output::StoreSubagent(record) => {
                    self.store(|sessions| sessions.store_subagent(record))
                }
                Output::StoreUsage(session_id, usage) => self.store(|sessions| {
                    sessions.store_usage(&session_id, &usage)?;
                    Ok(String::new())
                }),
                Output::WriteFile(path, text) => {
                    if let Err(error) = std::fs::write(&path, text) {
                        exit_with(&format!("fake-agent: {path:?}: {error}"), 1);
                    }
                    Ok(())
                }
                Output::Reached(gate) => {
                    drop(io::stdout().flush());
                    match self.gates.mark_reached(&gate) {
                        Ok(()) => Ok(()),
                        Err(error) => {
                            exit_with(&format!("fake-agent: the gate {gate}: {error}"), 1)
                        }
                    }
                }
                Output::Fault(fault) => {
                    drop(io::stdout().flush());
                    if let Err(error) = self.fail(&fault) {
                        exit_with(&format!("fake-agent: the fault {fault:?}: {error}"), USAGE);
                    }
                    Ok(())
                }
                Output::Hang => {
                    drop(io::stdout().flush());
                    self.input.stop();
                    loop {
                        std::thread::park();
                    }
                }
                Output::Exit(code) => {
                    if let Some(rest) = self.print.as_mut().map(Print::finish) {
                        drop(self.write(rest.as_bytes()));
                    }
                    drop(io::stdout().flush());
                    self.log_and_exit(code);
                }
            };
            if written.is_err() {
                // The host has closed standard output.
                self.log_and_exit(1);
            }
        }
        if self.send_mirrored().is_err() || io::stdout().flush().is_err() {
            self.log_and_exit(1);
        }
    }

    /// Stores a record, if sessions are stored.
    fn store(&mut self, store: impl FnOnce(&mut Sessions) -> io::Result<String>) -> io::Result<()> {
        match self.sessions.as_mut().map(store) {
            None => {}
            Some(Ok(lines)) => self.mirrored += &lines,
            Some(Err(error)) => exit_with(&format!("fake-agent: {SESSIONS}: {error}"), USAGE),
        }
        Ok(())
    }

    /// Sends the lines about stored records to the host.
    fn send_mirrored(&mut self) -> io::Result<()> {
        let lines = std::mem::take(&mut self.mirrored);
        for line in lines.split_inclusive('\n') {
            self.print_or_write(line.as_bytes())?;
        }
        Ok(())
    }

    fn print_or_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.print.as_mut().map(|print| print.take(bytes)) {
            Some(printed) => self.write(&printed),
            None => self.write(bytes),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let bytes = self.stdout.as_written(bytes);
        if let Some(log) = &mut self.log
            && let Err(error) = log.written(&bytes)
        {
            exit_without_log(&error);
        }
        self.stdout.write(&bytes)
    }

    /// Applies a fault to the process.
    fn fail(&mut self, fault: &Fault) -> io::Result<()> {
        self.stdout.apply(fault);
        match fault {
            Fault::LeaveStdin => self.input.stop(),
            Fault::FreezeMs(time) if !self.clock.is_virtual => {
                std::thread::sleep(Duration::from_millis(*time));
            }
            Fault::FloodStderrKib(size) => process::flood_stderr(*size)?,
            Fault::CloseStderr => process::close_stderr()?,
            Fault::CloseStdout => process::close_stdout()?,
            Fault::IgnoreSigterm => self.signals.ignore_sigterm()?,
            Fault::LeaveChild(group) => process::leave_child(*group)?,
            Fault::Signal(signal) => process::die(*signal)?,
            // The other faults only write, or change how [`Stdout`] writes.
            _ => {}
        }
        Ok(())
    }

    /// Writes to the log, if the log is enabled.
    fn note(&mut self, write: impl FnOnce(&mut Log) -> io::Result<()>) {
        if let Some(Err(error)) = self.log.as_mut().map(write) {
            exit_without_log(&error);
        }
    }

    fn log_and_exit(&mut self, code: i32) -> ! {
        self.note(|log| log.exits(code));
        exit(code)
    }
}
