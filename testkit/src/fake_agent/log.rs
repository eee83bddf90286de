//! The log: a recording of the session in progress.

use agentwire_protocol::codec::{Line, LineDecoder};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// A log. Each line is written to the file before it has an effect, so that a
/// host which has read a message finds it in the log.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    start: Instant,
    input: LineDecoder,
    output: LineDecoder,
}

impl Log {
    /// Appends a session to a log, beginning with the arguments and the
    /// environment of this process.
    pub(super) fn begin(
        path: &Path,
        argv: impl IntoIterator<Item = String>,
        env: impl IntoIterator<Item = String>,
    ) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        // The log contains the conversation, so only the user may read it.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        let mut log = Self {
            file,
            start: Instant::now(),
            input: LineDecoder::default(),
            output: LineDecoder::default(),
        };
        // The log contains the names of variables without their values, which
        // may be secrets.
        let mut env: Vec<_> = env.into_iter().collect();
        env.sort_unstable();
        let argv: Vec<_> = argv.into_iter().collect();
        log.write("spawn", &json!({"argv": argv, "env": env}).to_string())?;
        Ok(log)
    }

    /// Records bytes from the host.
    pub(super) fn read(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.input.push(bytes);
        while let Some(line) = self.input.next_line() {
            self.write_line("send", line)?;
        }
        Ok(())
    }

    /// Records the end of the input.
    pub(super) fn input_ended(&mut self) -> io::Result<()> {
        match self.input.finish() {
            Some(line) => self.write_line("send", line),
            None => Ok(()),
        }
    }

    /// Records bytes that were written to the host.
    pub(super) fn written(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.push(bytes);
        while let Some(line) = self.output.next_line() {
            self.write_line("recv", line)?;
        }
        Ok(())
    }

    /// Records the exit. A line may be incomplete.
    pub(super) fn exits(&mut self, code: i32) -> io::Result<()> {
        if let Some(line) = self.output.finish() {
            self.write_line("recv", line)?;
        }
        self.write("exit", &json!({"code": code}).to_string())
    }

    /// Writes a line that is JSON unchanged, and any other line as text with
    /// the direction `…_raw`.
    fn write_line(&mut self, dir: &str, line: Line) -> io::Result<()> {
        let (Line::Whole(raw) | Line::Unfinished(raw) | Line::TooLong { head: raw, .. }) = line;
        let text = String::from_utf8_lossy(&raw);
        if serde_json::from_slice::<serde::de::IgnoredAny>(&raw).is_ok() {
            return self.write(dir, text.trim());
        }
        self.write(&format!("{dir}_raw"), &Value::from(text).to_string())
    }

    /// Writes a whole entry at once, so that a reader never sees a partial
    /// entry.
    fn write(&mut self, dir: &str, message: &str) -> io::Result<()> {
        let t = self.start.elapsed().as_secs_f64();
        let line = format!("{{\"t\":{t:.4},\"dir\":\"{dir}\",\"msg\":{message}}}\n");
        self.file.write_all(line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_all_lines_of_both_directions_unchanged_and_in_order() {
        let folder = std::env::temp_dir().join(format!("agentwire-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("log");
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for code in [0, 3] {
            let mut log = Log::begin(&path, words("claude -p"), words("PATH HOME")).expect("a log");
            log.read(b"{\"type\":\"user\", \"n\":1.0}\r\n{\"ha")
                .and_then(|()| log.written(b"{\"type\":\"result\"}\nnoise\n{\"cut"))
                .and_then(|()| log.read(b"lf\":1}"))
                .and_then(|()| log.input_ended())
                .and_then(|()| log.exits(code))
                .expect("it can be written");
        }
        let text = std::fs::read_to_string(&path).expect("the log");
        std::fs::remove_dir_all(&folder).expect("a removed folder");
        let lines: Vec<_> = text
            .lines()
            .map(|line| {
                let read: Value = serde_json::from_str(line).expect("a line is JSON");
                assert!(read["t"].is_f64(), "{line}");
                let (_, rest) = line.split_once(",\"dir\":").expect("a direction");
                rest.to_owned()
            })
            .collect();
        let session = |code: i32| {
            [
                r#""spawn","msg":{"argv":["claude","-p"],"env":["HOME","PATH"]}}"#.to_owned(),
                r#""send","msg":{"type":"user", "n":1.0}}"#.to_owned(),
                r#""recv","msg":{"type":"result"}}"#.to_owned(),
                r#""recv_raw","msg":"noise"}"#.to_owned(),
                r#""send","msg":{"half":1}}"#.to_owned(),
                r#""recv_raw","msg":"{\"cut"}"#.to_owned(),
                format!(r#""exit","msg":{{"code":{code}}}}}"#),
            ]
        };
        assert_eq!(lines, [session(0), session(3)].concat());
    }
}
