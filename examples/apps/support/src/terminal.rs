//! A terminal in which a program runs: it sends keys and reads the screen.

use crate::LONG;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The numbers of lines and columns of the screen.
const SIZE: (u16, u16) = (24, 80);

pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// Closing the terminal would hang up the program.
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Runs a program in a new terminal, with only this environment.
    pub fn run<V: Into<std::ffi::OsString>>(
        program: &str,
        arguments: &[String],
        work: PathBuf,
        environment: impl IntoIterator<Item = (&'static str, V)>,
    ) -> Self {
        let (rows, cols) = SIZE;
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(work);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        for (name, value) in environment {
            command.env(name, value.into());
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);

        // A thread reads, because reading blocks. The thread ends with the program.
        let (sender, output) = channel();
        let mut reader = pair.master.try_clone_reader().unwrap();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            keyboard: pair.master.take_writer().unwrap(),
            output,
            screen: vt100::Parser::new(rows.try_into().unwrap(), cols.try_into().unwrap(), 1000),
            _master: pair.master,
        }
    }

    /// Types these keys: text, `\r` for Enter, `\x03` for Ctrl-C.
    pub fn keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Waits until the screen has this text. Returns the screen.
    pub fn shows(&mut self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    /// Waits until the screen no longer has this text. Returns the screen.
    pub fn hides(&mut self, text: &str) -> String {
        self.until(text, |screen| !screen.contains(text))
    }

    /// Waits until the condition holds for the screen. Returns the screen.
    pub fn until(&mut self, about: &str, is_there: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + LONG;
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            let rest = until.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(rest) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(error) => panic!("waited for {about:?}, {error}; the screen is:\n{screen}"),
            }
        }
    }

    /// Waits until the screen equals this text.
    pub fn is(&mut self, expected: &str) {
        self.until(expected, |screen| screen == expected);
    }

    /// Reads output until none has arrived for a while. Returns the screen. Use this only
    /// for recordings that a person checks; tests wait for a text.
    pub fn settled(&mut self) -> String {
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(500)) {
            self.screen.process(&bytes);
        }
        self.screen()
    }

    /// Returns the screen as text, without empty lines at its end.
    pub fn screen(&self) -> String {
        let rows = self.screen.screen().rows(0, SIZE.1);
        let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Waits for the exit of the program.
    pub fn exit(mut self) -> ExitStatus {
        // Read the output, so that the program does not wait for space in the terminal.
        while let Ok(bytes) = self.output.recv() {
            self.screen.process(&bytes);
        }
        self.child.wait().unwrap()
    }
}

impl Drop for Terminal {
    /// Hangs up the program, as closing a window does.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
