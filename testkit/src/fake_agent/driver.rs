//! Runs a player on the pipes of this process.

use super::clock::Clock;
use super::environment::SESSIONS;
use super::exit::{USAGE, complain, no_log};
use super::gates::{self, GateFolder};
use super::input::{Heard, Input};
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
const PROMPT_PATIENCE: Duration = Duration::from_secs(3);

/// A player and what it acts on.
#[derive(Debug)]
pub(super) struct Driver {
    player: Player,
    gates: GateFolder,
    log: Option<Log>,
    clock: Clock,
    input: Input,
    stdout: Stdout,
    signals: Signals,
    /// Set in print mode.
    print: Option<Print>,
    /// Where sessions are kept, if they are.
    sessions: Option<Sessions>,
    /// What was kept and the host is to be told, after the message that it is
    /// about.
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
            .unwrap_or_else(|error| complain(&format!("fake-agent: signals: {error}"), USAGE));
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
        // Nothing is read before the start-up faults: a process that exits at
        // once has read nothing either.
        self.carry_out();
        self.input.read();
        if let Some(print) = self.print.take() {
            self.ask(print);
        }
        loop {
            self.carry_out();
            let script_due = self.player.poll_script_timeout();
            let skips_to = script_due.filter(|_| self.clock.is_virtual);
            let due = skips_to.map_or_else(
                || self.player.poll_timeout(),
                // What has arrived is still heard first.
                |_| Some(self.clock.now()),
            );
            let wait = due.map(|due| due.saturating_duration_since(self.clock.now()));
            // Nobody says when a file appears, so that it is looked for.
            let look = self.player.shut_gates().next().map(|_| gates::PERIOD);
            let wait = wait.into_iter().chain(look).min();
            let heard = match wait {
                // The input is over and nothing is planned: the turn waits for
                // something that can no longer come.
                None if !self.input.is_open => {
                    self.player.give_up();
                    self.carry_out();
                    None
                }
                wait => self.input.next(wait),
            };
            match heard {
                Some(Heard::Interrupt) => self.player.interrupt(self.clock.now()),
                Some(Heard::Bytes(bytes)) if !bytes.is_empty() => {
                    self.note(|log| log.read(&bytes));
                    self.player.handle_input(self.clock.now(), &bytes);
                }
                Some(Heard::Bytes(_)) => {
                    self.input.is_open = false;
                    self.note(Log::input_ended);
                    self.player.handle_input_end(self.clock.now());
                }
                None => {
                    if let Some(due) = skips_to {
                        self.clock.skip_to(due);
                    }
                    self.player.handle_timeout(self.clock.now());
                }
            }
            self.gates.open(&mut self.player, self.clock.now());
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
                complain(&why.to_string(), 1);
            }
        }
    }

    /// Reads standard input to its end, unless no data arrives in time.
    fn read_prompt(&mut self) -> Vec<u8> {
        let mut prompt = Vec::new();
        let mut wait = Some(PROMPT_PATIENCE);
        while !io::stdin().is_terminal() {
            match self.input.next(wait) {
                Some(Heard::Interrupt) => self.leave(0),
                Some(Heard::Bytes(bytes)) if !bytes.is_empty() => {
                    self.note(|log| log.read(&bytes));
                    prompt.extend(bytes);
                    wait = None;
                }
                Some(Heard::Bytes(_)) => break,
                None => {
                    let seconds = PROMPT_PATIENCE.as_secs();
                    let warning = format!(
                        "fake-agent: no data on standard input within {seconds} s: continuing without it\n"
                    );
                    drop(io::stderr().write_all(warning.as_bytes()));
                    break;
                }
            }
        }
        self.input.leave();
        self.input.is_open = false;
        self.note(Log::input_ended);
        prompt
    }

    /// Does what the player wants done.
    fn carry_out(&mut self) {
        while let Some(output) = self.player.poll_output() {
            let written = match output {
                Output::Stdout(bytes) => self.say(&bytes).and_then(|()| self.tell_kept()),
                Output::Stderr(text) => io::stderr().write_all(text.as_bytes()),
                Output::Spawn(argv) => process::spawn(&argv),
                Output::Keep(record) => self.keep(|it| it.keep(record)),
                Output::KeepSubagent(record) => self.keep(|it| it.keep_subagent(record)),
                Output::WriteFile(path, text) => {
                    if let Err(error) = std::fs::write(&path, text) {
                        complain(&format!("fake-agent: {path:?}: {error}"), 1);
                    }
                    Ok(())
                }
                Output::Reached(gate) => {
                    drop(io::stdout().flush());
                    match self.gates.say_reached(&gate) {
                        Ok(()) => Ok(()),
                        Err(error) => complain(&format!("fake-agent: the gate {gate}: {error}"), 1),
                    }
                }
                Output::Fault(fault) => {
                    drop(io::stdout().flush());
                    if let Err(error) = self.fail(&fault) {
                        complain(&format!("fake-agent: the fault {fault:?}: {error}"), USAGE);
                    }
                    Ok(())
                }
                Output::Hang => {
                    drop(io::stdout().flush());
                    self.input.leave();
                    loop {
                        std::thread::park();
                    }
                }
                Output::Exit(code) => {
                    if let Some(rest) = self.print.as_mut().map(Print::finish) {
                        drop(self.write(rest.as_bytes()));
                    }
                    drop(io::stdout().flush());
                    self.leave(code);
                }
            };
            if written.is_err() {
                // Whoever read us is gone.
                self.leave(1);
            }
        }
        if self.tell_kept().is_err() || io::stdout().flush().is_err() {
            self.leave(1);
        }
    }

    /// Keeps something, if sessions are kept.
    fn keep(&mut self, keep: impl FnOnce(&mut Sessions) -> io::Result<String>) -> io::Result<()> {
        match self.sessions.as_mut().map(keep) {
            None => {}
            Some(Ok(lines)) => self.mirrored += &lines,
            Some(Err(error)) => complain(&format!("fake-agent: {SESSIONS}: {error}"), USAGE),
        }
        Ok(())
    }

    /// Tells the host what was kept.
    fn tell_kept(&mut self) -> io::Result<()> {
        let lines = std::mem::take(&mut self.mirrored);
        for line in lines.split_inclusive('\n') {
            self.say(line.as_bytes())?;
        }
        Ok(())
    }

    fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.print.as_mut().map(|print| print.take(bytes)) {
            Some(printed) => self.write(&printed),
            None => self.write(bytes),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let bytes = self.stdout.as_written(bytes);
        if let Some(log) = &mut self.log
            && let Err(error) = log.said(&bytes)
        {
            no_log(&error);
        }
        self.stdout.write(&bytes)
    }

    /// Something goes wrong in the process.
    fn fail(&mut self, fault: &Fault) -> io::Result<()> {
        self.stdout.change(fault);
        match fault {
            Fault::LeaveStdin => self.input.leave(),
            Fault::FreezeMs(time) if !self.clock.is_virtual => {
                std::thread::sleep(Duration::from_millis(*time));
            }
            Fault::FloodStderrKib(size) => process::flood_stderr(*size)?,
            Fault::CloseStderr => process::close_stderr()?,
            Fault::CloseStdout => process::close_stdout()?,
            Fault::IgnoreSigterm => self.signals.ignore_sigterm()?,
            Fault::LeaveChild(belongs) => process::leave_child(*belongs)?,
            Fault::Signal(signal) => process::die(*signal)?,
            // The rest is done once it is written, or changes only that.
            _ => {}
        }
        Ok(())
    }

    /// Writes into the log, if there is one.
    fn note(&mut self, write: impl FnOnce(&mut Log) -> io::Result<()>) {
        if let Some(Err(error)) = self.log.as_mut().map(write) {
            no_log(&error);
        }
    }

    fn leave(&mut self, code: i32) -> ! {
        self.note(|log| log.exits(code));
        exit(code)
    }
}
