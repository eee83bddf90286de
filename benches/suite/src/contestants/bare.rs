//! The pipe without an SDK: blocking reads and writes, without parsing.

use super::{Outcome, Task, Times, Watch, rate};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

pub(super) fn run(task: &Task) -> Outcome {
    match task.program.as_str() {
        "stream" => stream(task),
        "round-trip" => round_trip(task),
        "connect" => connect(task),
        "first-token" => first_token(task),
        "send" => send(task),
        _ => task.unsupported(),
    }
}

struct Pipe {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    buffer: Vec<u8>,
}

impl Pipe {
    fn open(task: &Task) -> std::io::Result<Self> {
        let mut child = Command::new(&task.cli)
            .args(["--input-format", "stream-json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let ends = child.stdin.take().zip(child.stdout.take());
        let (input, output) = ends.ok_or(std::io::ErrorKind::BrokenPipe)?;
        Ok(Self {
            child,
            input,
            output,
            buffer: vec![0; 64 * 1024],
        })
    }

    fn write(&mut self, line: &str) -> std::io::Result<()> {
        self.input.write_all(line.as_bytes())
    }

    /// Reads once. Returns the number of line ends.
    fn read(&mut self) -> std::io::Result<usize> {
        match self.output.read(&mut self.buffer)? {
            0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
            length => Ok(memchr::memchr_iter(b'\n', &self.buffer[..length]).count()),
        }
    }

    /// Reads this number of lines.
    fn read_lines(&mut self, count: usize) -> std::io::Result<()> {
        let mut lines = 0;
        while lines < count {
            lines += self.read()?;
        }
        Ok(())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const INITIALIZE: &str = concat!(
    r#"{"type":"control_request","request_id":"1","request":{"subtype":"initialize","hooks":null}}"#,
    "\n"
);

const USER: &str = concat!(
    r#"{"type":"user","message":{"role":"user","content":"hello"},"parent_tool_use_id":null}"#,
    "\n"
);

fn stream(task: &Task) -> Outcome {
    let mut watch = Watch::start();
    let mut pipe = Pipe::open(task)?;
    pipe.write(USER)?;
    while watch.messages < task.lines {
        let lines = pipe.read()?;
        watch.first.get_or_insert_with(Instant::now);
        watch.messages += lines;
    }
    watch.finish()
}

fn round_trip(task: &Task) -> Outcome {
    let mut pipe = Pipe::open(task)?;
    let mut times = Times::new();
    for number in 0..task.count {
        let request = set_model(number);
        let start = Instant::now();
        pipe.write(&request)?;
        pipe.read_lines(1)?;
        times.push(start);
    }
    times.finish()
}

fn connect(task: &Task) -> Outcome {
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        let mut pipe = Pipe::open(task)?;
        pipe.write(INITIALIZE)?;
        pipe.read_lines(1)?;
        times.push(start);
    }
    times.finish()
}

fn first_token(task: &Task) -> Outcome {
    let mut pipe = Pipe::open(task)?;
    let mut times = Times::new();
    for _ in 0..task.count {
        let start = Instant::now();
        pipe.write(USER)?;
        let lines = pipe.read()?;
        times.push(start);
        pipe.read_lines(task.lines - lines)?;
    }
    times.finish()
}

fn send(task: &Task) -> Outcome {
    let mut pipe = Pipe::open(task)?;
    let start = Instant::now();
    for _ in 0..task.count {
        pipe.write(USER)?;
    }
    pipe.read_lines(1)?;
    rate(task.count, start)
}

/// Runs the task on tokio's pipes. No SDK on tokio can be faster.
pub(super) async fn run_on_tokio(task: &Task) -> Outcome {
    let mut child = tokio::process::Command::new(&task.cli)
        .args(["--input-format", "stream-json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    let mut buffer = vec![0; 64 * 1024];
    let mut times = Times::new();
    for number in 0..task.count {
        let request = set_model(number);
        let start = Instant::now();
        input.write_all(request.as_bytes()).await?;
        loop {
            let length = output.read(&mut buffer).await?;
            if buffer[..length].ends_with(b"\n") {
                break;
            }
        }
        times.push(start);
    }
    times.finish()
}

fn set_model(number: usize) -> String {
    format!(
        r#"{{"type":"control_request","request_id":"{number}","request":{{"subtype":"set_model","model":"x"}}}}"#
    ) + "\n"
}
