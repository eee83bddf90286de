//! Generates the output of the stand-in for the CLI: messages as Claude Code
//! writes them, the same bytes in every run.
//!
//! Lines are built as text, so that members have the order of the CLI, `type`
//! first, whatever order the maps of `serde_json` have in this build.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A file with lines of a turn, which ends with a result.
#[derive(Clone, Debug)]
pub struct Corpus {
    pub path: PathBuf,
    pub lines: usize,
    pub bytes: u64,
}

impl Corpus {
    fn write(folder: &Path, name: &str, lines: &[String]) -> std::io::Result<Self> {
        let path = folder.join(name);
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
        let mut bytes = 0;
        for line in lines {
            file.write_all(line.as_bytes())?;
            file.write_all(b"\n")?;
            bytes += line.len() as u64 + 1;
        }
        file.flush()?;
        Ok(Self {
            path,
            lines: lines.len(),
            bytes,
        })
    }

    /// Returns the average length of a line, without its line end.
    pub fn line_bytes(&self) -> u64 {
        self.bytes / self.lines as u64 - 1
    }

    /// Creates a corpus of one turn. Four fifths of the lines are deltas. The
    /// rest are texts, tool calls and tool results of up to six thousand bytes.
    pub fn messages(folder: &Path, count: usize) -> std::io::Result<Self> {
        let mut random = Random::new(1);
        let mut lines = vec![init(&mut random)];
        while lines.len() < count - 1 {
            let line = match random.below(100) {
                0..80 => {
                    let words = random.range(1, 4);
                    text_delta(&mut random, 0, &"lorem ipsum ".repeat(words))
                }
                80..90 => {
                    let words = random.range(50, 401);
                    assistant_with(&mut random, &text_block(&"word ".repeat(words)), USAGE)
                }
                90..95 => {
                    let command = format!("ls -la {}", "x".repeat(random.range(0, 301)));
                    let input =
                        format!(r#"{{"command":{},"description":"list"}}"#, quoted(&command));
                    let id = random.id("toolu_");
                    assistant_with(&mut random, &tool_use(&id, "Bash", &input), USAGE)
                }
                _ => {
                    let output = "line of output\n".repeat(random.range(1, 401));
                    let id = random.id("toolu_");
                    let outcome = r#"{"stdout":"ok","stderr":"","interrupted":false}"#;
                    tool_result(&mut random, &id, &quoted(&output), outcome)
                }
            };
            lines.push(line);
        }
        lines.push(result(&mut random));
        Self::write(folder, &format!("messages-{count}.ndjson"), &lines)
    }

    /// Creates a corpus of one turn of texts and tool calls, with partial
    /// messages: mostly deltas of about 260 bytes.
    pub fn turn(folder: &Path, count: usize) -> std::io::Result<Self> {
        let mut random = Random::new(42);
        let mut lines = vec![init(&mut random)];
        while lines.len() < count - 1 {
            push_response(&mut random, &mut lines);
        }
        lines.truncate(count - 1);
        lines.push(result(&mut random));
        Self::write(folder, &format!("turn-{count}.ndjson"), &lines)
    }

    /// Creates a corpus of messages of about `size` bytes each. If no message
    /// is that short, it has deltas.
    pub fn of_size(folder: &Path, size: usize, count: usize) -> std::io::Result<Self> {
        let mut random = Random::new(7);
        let mut lines = vec![init(&mut random)];
        let text = |length: usize| {
            "lorem ipsum dolor "
                .chars()
                .cycle()
                .take(length)
                .collect::<String>()
        };
        let empty = assistant(&mut random, &text_block("")).len();
        for _ in 0..count {
            let line = if size > empty {
                assistant(&mut random, &text_block(&text(size - empty)))
            } else {
                // With short IDs, this line has a hundred bytes.
                r#"{"type":"stream_event","event":{"type":"ping"},"session_id":"1","parent_tool_use_id":null,"uuid":"1"}"#
                    .to_owned()
            };
            lines.push(line);
        }
        lines.push(result(&mut random));
        Self::write(folder, &format!("size-{size}.ndjson"), &lines)
    }

    /// Creates a corpus with the first words of a response, and its end.
    pub fn first_token(folder: &Path) -> std::io::Result<Self> {
        let mut random = Random::new(3);
        let lines = [text_delta(&mut random, 0, "Hello"), result(&mut random)];
        Self::write(folder, "first-token.ndjson", &lines)
    }
}

const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const MODEL: &str = "claude-sonnet-4-5-20250929";

/// The usage of a message, with few members.
const USAGE: &str = r#"{"input_tokens":1,"output_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}"#;

const WORDS: &[&str] = &[
    "the",
    "function",
    "returns",
    "a",
    "Result",
    "because",
    "parser",
    "reads",
    "line",
    "from",
    "stdout",
    "and",
    "then",
    "error",
    "`tokio::spawn`",
    "buffer",
    "—",
    "naïve",
    "we",
    "should",
    "\"quoted\"",
    "check",
    "that",
    "module",
    "path/to/file.rs",
    "\n\n",
    "- item",
    "**bold**",
    "λ",
    "測試",
    "🙂",
    "let x = 1;",
    "\tindented",
    "fn main() {}",
    "C:\\dir",
    "handles",
    "message",
    "queue",
];

fn init(random: &mut Random) -> String {
    format!(
        r#"{{"type":"system","subtype":"init","cwd":"/home/user/project","session_id":"{SESSION}","tools":["Task","Bash","Glob","Grep","Read","Edit","Write","WebFetch","TodoWrite","WebSearch","mcp__github__create_issue","mcp__db__query"],"mcp_servers":[{{"name":"github","status":"connected"}},{{"name":"db","status":"failed"}}],"model":"{MODEL}","permissionMode":"default","slash_commands":["compact","context","cost","init","review"],"apiKeySource":"none","claude_code_version":"2.1.329","output_style":"default","agents":["general-purpose","Explore","Plan"],"skills":[],"plugins":[],"uuid":"{}"}}"#,
        random.uuid()
    )
}

fn result(random: &mut Random) -> String {
    format!(
        r#"{{"type":"result","subtype":"success","is_error":false,"duration_ms":1200,"duration_api_ms":1100,"num_turns":3,"result":"done","stop_reason":"end_turn","session_id":"{SESSION}","total_cost_usd":0.0123,"usage":{},"modelUsage":{{"{MODEL}":{{"inputTokens":12,"outputTokens":340,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"webSearchRequests":0,"costUSD":0.0123,"contextWindow":200000,"maxOutputTokens":32000}}}},"permission_denials":[],"uuid":"{}"}}"#,
        usage(random),
        random.uuid()
    )
}

fn usage(random: &mut Random) -> String {
    format!(
        r#"{{"input_tokens":{},"cache_creation_input_tokens":{},"cache_read_input_tokens":{},"cache_creation":{{"ephemeral_5m_input_tokens":{},"ephemeral_1h_input_tokens":0}},"output_tokens":{},"service_tier":"standard"}}"#,
        random.range(3, 4000),
        random.range(0, 9000),
        random.range(0, 120_000),
        random.range(0, 9000),
        random.range(1, 900),
    )
}

fn stream_event(random: &mut Random, event: &str) -> String {
    format!(
        r#"{{"type":"stream_event","event":{event},"session_id":"{SESSION}","parent_tool_use_id":null,"uuid":"{}"}}"#,
        random.uuid()
    )
}

fn delta(random: &mut Random, index: usize, delta: &str) -> String {
    stream_event(
        random,
        &format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#),
    )
}

fn text_delta(random: &mut Random, index: usize, text: &str) -> String {
    delta(
        random,
        index,
        &format!(r#"{{"type":"text_delta","text":{}}}"#, quoted(text)),
    )
}

fn assistant(random: &mut Random, block: &str) -> String {
    let usage = usage(random);
    assistant_with(random, block, &usage)
}

fn assistant_with(random: &mut Random, block: &str, usage: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"model":"{MODEL}","id":"{}","type":"message","role":"assistant","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{usage}}},"parent_tool_use_id":null,"session_id":"{SESSION}","uuid":"{}"}}"#,
        random.id("msg_"),
        random.uuid()
    )
}

fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quoted(text))
}

fn tool_use(id: &str, name: &str, input: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#)
}

/// Returns a tool result. `content` and `outcome` are JSON.
fn tool_result(random: &mut Random, id: &str, content: &str, outcome: &str) -> String {
    format!(
        r#"{{"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"{id}","type":"tool_result","content":{content},"is_error":false}}]}},"parent_tool_use_id":null,"session_id":"{SESSION}","uuid":"{}","tool_use_result":{outcome}}}"#,
        random.uuid()
    )
}

/// Adds a response of the model, first as partial messages and then as
/// messages: a text, and in four of five cases a tool call with its result.
fn push_response(random: &mut Random, lines: &mut Vec<String>) {
    let message = format!(
        r#"{{"type":"message_start","message":{{"model":"{MODEL}","id":"{}","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,"usage":{}}}}}"#,
        random.id("msg_"),
        usage(random)
    );
    lines.push(stream_event(random, &message));
    let block =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    lines.push(stream_event(random, block));
    let mut left = random.range(20, 160);
    let mut text = String::new();
    while left > 0 {
        let words = random.range(1, 5).min(left);
        left -= words;
        let piece = random.words(words) + " ";
        lines.push(text_delta(random, 0, &piece));
        text.push_str(&piece);
    }
    lines.push(stream_event(
        random,
        r#"{"type":"content_block_stop","index":0}"#,
    ));
    lines.push(assistant(random, &text_block(&text)));
    let calls = random.below(10) < 8;
    if calls {
        push_call(random, lines);
    }
    let end = format!(
        r#"{{"type":"message_delta","delta":{{"stop_reason":"{}","stop_sequence":null}},"usage":{{"output_tokens":{}}}}}"#,
        if calls { "tool_use" } else { "end_turn" },
        random.range(1, 900)
    );
    lines.push(stream_event(random, &end));
    lines.push(stream_event(random, r#"{"type":"message_stop"}"#));
}

fn push_call(random: &mut Random, lines: &mut Vec<String>) {
    let id = random.id("toolu_");
    let (name, input) = match random.below(4) {
        0 => (
            "Read",
            format!(
                r#"{{"file_path":"/home/user/project/src/m{}.rs","offset":{},"limit":200}}"#,
                random.below(50),
                random.below(500)
            ),
        ),
        1 => (
            "Bash",
            r#"{"command":"cargo test -p parser -- --nocapture 2>&1 | tail -n 50","description":"Run tests","timeout":120000}"#.to_owned(),
        ),
        2 => (
            "Edit",
            format!(
                r#"{{"file_path":"/home/user/project/src/lib.rs","old_string":{},"new_string":{},"replace_all":false}}"#,
                quoted(&random.code(6)),
                quoted(&random.code(9))
            ),
        ),
        _ => (
            "Grep",
            r#"{"pattern":"fn\\s+\\w+\\(","path":"src","output_mode":"content","-n":true,"head_limit":50}"#.to_owned(),
        ),
    };
    let block = format!(
        r#"{{"type":"content_block_start","index":1,"content_block":{}}}"#,
        tool_use(&id, name, "{}")
    );
    lines.push(stream_event(random, &block));
    let characters: Vec<char> = input.chars().collect();
    for piece in characters.chunks(24) {
        let piece: String = piece.iter().collect();
        let json = format!(
            r#"{{"type":"input_json_delta","partial_json":{}}}"#,
            quoted(&piece)
        );
        lines.push(delta(random, 1, &json));
    }
    lines.push(stream_event(
        random,
        r#"{"type":"content_block_stop","index":1}"#,
    ));
    lines.push(assistant(random, &tool_use(&id, name, &input)));
    let count = random.range(3, 120);
    let content = quoted(&random.code(count));
    let outcome = format!(
        r#"{{"type":"text","file":{{"filePath":"/home/user/project/src/lib.rs","content":{content},"numLines":{count},"startLine":1,"totalLines":400}}}}"#
    );
    lines.push(tool_result(random, &id, &content, &outcome));
}

/// Encodes a text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A random number generator (xorshift64*).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn range(&mut self, start: usize, end: usize) -> usize {
        start + self.below(end - start)
    }

    fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            a >> 32,
            (a >> 16) & 0xffff,
            a & 0xfff,
            b >> 52,
            b & 0xffff_ffff_ffff
        )
    }

    fn id(&mut self, prefix: &str) -> String {
        format!(
            "{prefix}01{:016x}{:06x}",
            self.next(),
            self.next() & 0xff_ffff
        )
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<_> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }

    /// Returns numbered lines, like those of the tool that reads files.
    fn code(&mut self, lines: usize) -> String {
        let mut code = String::new();
        for line in 1..=lines {
            let word = WORDS[self.below(WORDS.len())];
            let (variable, function, number) =
                (self.below(99), self.below(999), self.below(100_000));
            let _ = writeln!(
                code,
                "{line:>6}\u{2192}    let v{variable} = call_{function}(\"{word}\", {number});"
            );
        }
        code
    }
}
