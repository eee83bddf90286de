//! The CLI that every contestant starts. It responds to control requests, and
//! writes a file for each user message, as fast as the pipe accepts it.
//!
//! Arguments are ignored, except `--version` and `--input-format stream-json`.
//! Without the latter, the prompt is an argument, and the file is written once.
//!
//! | variable | |
//! |---|---|
//! | `EMIT_FILE` | the response to a user message |
//! | `EMIT_CALLBACKS` | instead of the file: the number of permission requests
//! to make, with lines of the file in between |
//! | `EMIT_OUTSTANDING` | the number of these requests that wait for a response
//! at once |
//! | `EMIT_SINK` | instead of the file: the number of user messages after which
//! a result is written |
//! | `EMIT_REPORT` | the file for the measurements of this program |

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::time::Instant;

/// The size of a write, which is also that of `cat`.
const CHUNK: usize = 128 * 1024;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--version") {
        println!("2.1.329 (Claude Code)");
        return Ok(());
    }
    // Use the pipes directly, without the buffers of std.
    let input = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    let mut agent = Agent {
        input: BufReader::with_capacity(64 * 1024, input),
        output,
        users: 0,
    };
    let joined = arguments.join(" ").replace('=', " ");
    if joined.contains("--input-format stream-json") {
        agent.serve()
    } else {
        agent.write_file()
    }
}

struct Agent {
    input: BufReader<File>,
    output: File,
    /// The number of received user messages.
    users: u64,
}

impl Agent {
    /// Responds until the input ends.
    fn serve(&mut self) -> std::io::Result<()> {
        let sink: Option<u64> = variable("EMIT_SINK");
        let callbacks: Option<usize> = variable("EMIT_CALLBACKS");
        let mut line = Vec::new();
        while self.read(&mut line)? {
            if has(&line, br#""control_request""#) {
                self.acknowledge(&line)?;
            } else if has(&line, br#""user""#) {
                self.users += 1;
                match (sink, callbacks) {
                    (Some(sink), _) if self.users < sink => {}
                    (Some(_), _) => self.output.write_all(RESULT)?,
                    (None, Some(count)) => self.ask(count)?,
                    (None, None) => self.write_file()?,
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, line: &mut Vec<u8>) -> std::io::Result<bool> {
        line.clear();
        Ok(self.input.read_until(b'\n', line)? != 0)
    }

    /// Responds to a control request with success and the members that
    /// `initialize` requires.
    fn acknowledge(&mut self, request: &[u8]) -> std::io::Result<()> {
        let id = String::from_utf8_lossy(request_id(request)).into_owned();
        let line = format!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"{id}","response":{{"commands":[],"agents":[],"models":[],"account":{{}},"output_style":"default","available_output_styles":[],"capabilities":["interrupt_receipt_v1"]}}}}}}"#
        ) + "\n";
        self.output.write_all(line.as_bytes())
    }

    /// Writes the file in large pieces.
    fn write_file(&mut self) -> std::io::Result<()> {
        let mut file = File::open(std::env::var("EMIT_FILE").unwrap_or_default())?;
        let mut chunk = vec![0; CHUNK];
        loop {
            match file.read(&mut chunk)? {
                0 => return Ok(()),
                length => self.output.write_all(&chunk[..length])?,
            }
        }
    }

    /// Makes `count` permission requests, with lines of the file in between.
    /// Reports the times of the responses.
    fn ask(&mut self, count: usize) -> std::io::Result<()> {
        let outstanding = variable("EMIT_OUTSTANDING").unwrap_or(1);
        let file = std::fs::read(std::env::var("EMIT_FILE").unwrap_or_default())?;
        // A result would end the turn.
        let messages = file.split_inclusive(|byte| *byte == b'\n');
        let mut load = messages
            .filter(|line| !has(line, br#""type":"result""#))
            .cycle();
        let mut asked = Vec::with_capacity(count);
        let mut took = Vec::with_capacity(count);
        let mut line = Vec::new();
        let start = Instant::now();
        while took.len() < count {
            let mut lines = Vec::new();
            while asked.len() < count && asked.len() - took.len() < outstanding {
                for message in load.by_ref().take(LOAD) {
                    lines.extend_from_slice(message);
                }
                lines.extend_from_slice(permission_request(asked.len()).as_bytes());
                asked.push(Instant::now());
            }
            self.output.write_all(&lines)?;
            if !self.read(&mut line)? {
                return Ok(());
            }
            if has(&line, br#""control_response""#) {
                let id = std::str::from_utf8(request_id(&line)).unwrap_or_default();
                let at: usize = id
                    .strip_prefix("ask-")
                    .and_then(|id| id.parse().ok())
                    .unwrap_or(0);
                took.push(asked[at].elapsed().as_secs_f64() * 1e6);
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        took.sort_by(f64::total_cmp);
        let report = format!(
            r#"{{"callbacks_per_second":{},"p50_us":{},"p99_us":{}}}"#,
            count as f64 / seconds,
            took[count / 2],
            took[count * 99 / 100],
        );
        std::fs::write(std::env::var("EMIT_REPORT").unwrap_or_default(), report)?;
        self.output.write_all(RESULT)
    }
}

/// The number of messages before each permission request.
const LOAD: usize = 4;

const RESULT: &[u8] = concat!(
    r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":1,"#,
    r#""result":"done","stop_reason":"end_turn","session_id":"11111111-1111-4111-8111-111111111111","#,
    r#""total_cost_usd":0.0,"usage":{"input_tokens":1,"output_tokens":1},"modelUsage":{},"permission_denials":[],"#,
    r#""uuid":"22222222-2222-4222-8222-222222222222"}"#,
    "\n"
)
.as_bytes();

fn permission_request(number: usize) -> String {
    format!(
        r#"{{"type":"control_request","request_id":"ask-{number}","request":{{"subtype":"can_use_tool","tool_name":"Bash","input":{{"command":"ls -la","description":"List files"}},"permission_suggestions":[],"tool_use_id":"toolu_{number}"}}}}"#
    ) + "\n"
}

/// Returns the value of `request_id`, with or without a space before it.
fn request_id(line: &[u8]) -> &[u8] {
    let key = br#""request_id""#;
    let Some(at) = line.windows(key.len()).position(|window| window == key) else {
        return b"";
    };
    let mut quoted = line[at + key.len()..].split(|byte| *byte == b'"');
    quoted.nth(1).unwrap_or_default()
}

fn has(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|window| window == word)
}

fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}
