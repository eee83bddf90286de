//! What the host sent and what it was told, written down while it happens: a
//! recording, in the format of all others.

use agentwire_protocol::codec::{Line, LineDecoder};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// A log that is being written. Each line is in the file before what it tells
/// of has an effect: who saw the agent's answer finds the answer there too.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    start: Instant,
    input: LineDecoder,
    output: LineDecoder,
}

impl Log {
    /// Begins a log with how this process was started. What the file held
    /// before stays: a host that starts its agent again has both sessions.
    pub(super) fn begin(
        path: &Path,
        argv: impl IntoIterator<Item = String>,
        env: impl IntoIterator<Item = String>,
    ) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        // What is said in a session is nobody else's business.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        let mut log = Self {
            file,
            start: Instant::now(),
            input: LineDecoder::default(),
            output: LineDecoder::default(),
        };
        // Names only: a value may be a secret.
        let mut env: Vec<_> = env.into_iter().collect();
        env.sort_unstable();
        let argv: Vec<_> = argv.into_iter().collect();
        log.write("spawn", &json!({"argv": argv, "env": env}).to_string())?;
        Ok(log)
    }

    /// Bytes arrived from the host.
    pub(super) fn read(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.input.push(bytes);
        while let Some(line) = self.input.next_line() {
            self.write_line("send", line)?;
        }
        Ok(())
    }

    /// The host closed the pipe.
    pub(super) fn input_ended(&mut self) -> io::Result<()> {
        match self.input.finish() {
            Some(line) => self.write_line("send", line),
            None => Ok(()),
        }
    }

    /// Bytes go to the host.
    pub(super) fn said(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.push(bytes);
        while let Some(line) = self.output.next_line() {
            self.write_line("recv", line)?;
        }
        Ok(())
    }

    /// The process exits, perhaps in the middle of a line.
    pub(super) fn exits(&mut self, code: i32) -> io::Result<()> {
        if let Some(line) = self.output.finish() {
            self.write_line("recv", line)?;
        }
        self.write("exit", &json!({"code": code}).to_string())
    }

    /// A line that is JSON is kept as it is; another one as text, under a
    /// name of its own.
    fn write_line(&mut self, dir: &str, line: Line) -> io::Result<()> {
        let (Line::Whole(raw) | Line::Unfinished(raw) | Line::TooLong { head: raw, .. }) = line;
        let text = String::from_utf8_lossy(&raw);
        if serde_json::from_slice::<serde::de::IgnoredAny>(&raw).is_ok() {
            return self.write(dir, text.trim());
        }
        self.write(&format!("{dir}_raw"), &Value::from(text).to_string())
    }

    /// One write for each line, so that a line is there whole or not at all.
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
    fn a_log_has_both_directions_in_order_and_every_line_as_it_was() {
        let folder = std::env::temp_dir().join(format!("agentwire-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("log");
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for code in [0, 3] {
            let mut log = Log::begin(&path, words("claude -p"), words("PATH HOME")).expect("a log");
            log.read(b"{\"type\":\"user\", \"n\":1.0}\r\n{\"ha")
                .and_then(|()| log.said(b"{\"type\":\"result\"}\nnoise\n{\"cut"))
                .and_then(|()| log.read(b"lf\":1}"))
                .and_then(|()| log.input_ended())
                .and_then(|()| log.exits(code))
                .expect("it can be written");
        }
        let text = std::fs::read_to_string(&path).expect("the log");
        std::fs::remove_dir_all(&folder).expect("the folder goes");
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
