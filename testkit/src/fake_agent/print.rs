//! Print mode. The input is one prompt as text, and the output is the result in
//! an output format.
//!
//! Print mode runs a session of the protocol whose only input is the prompt.
//! The output format selects from the lines of the agent.

use super::flags::{Flags, OutputFormat};
use super::lines;
use agentwire_protocol::codec::encode;
use agentwire_protocol::message::ResultMessage;
use serde_json::json;

/// An error for a missing prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoPrompt {
    #[error("no prompt: pass it as an argument or on standard input")]
    Missing,
    #[error("the prompt is blank: pass one as an argument or on standard input")]
    Blank,
}

/// The state of print mode.
#[derive(Debug)]
pub(super) struct Print {
    /// The prompt on the command line.
    argument: String,
    format: OutputFormat,
    /// Whether `json` prints all messages. If not, it prints only the result.
    prints_all: bool,
    /// The messages that `json` prints.
    messages: Vec<String>,
    /// The text of the result.
    text: Option<String>,
}

impl Print {
    /// Returns the state of print mode, if the command line selects print mode.
    pub(super) fn from_flags(flags: &Flags) -> Option<Self> {
        flags.reads_text().then(|| Self {
            argument: flags.prompt.clone().unwrap_or_default(),
            format: flags.output_format(),
            prints_all: flags.verbose,
            messages: Vec::new(),
            text: None,
        })
    }

    /// Returns the prompt as a line of the protocol. The prompt is the
    /// argument, followed by the text from standard input.
    pub(super) fn line(&self, input: &[u8]) -> Result<String, NoPrompt> {
        let input = String::from_utf8_lossy(input);
        let parts = [self.argument.as_str(), &input];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let prompt = parts.collect::<Vec<_>>().join("\n");
        if prompt.trim().is_empty() {
            return Err(if prompt.is_empty() {
                NoPrompt::Missing
            } else {
                NoPrompt::Blank
            });
        }
        let message = json!({"role": "user", "content": prompt});
        Ok(format!("{}\n", json!({"type": "user", "message": message})))
    }

    /// Takes the agent's output. Returns the part that is printed at once:
    /// everything for `stream-json`, otherwise lines that are not messages.
    pub(super) fn take(&mut self, output: &[u8]) -> Vec<u8> {
        if self.format == OutputFormat::StreamJson {
            return output.to_vec();
        }
        let mut printed = Vec::new();
        for line in output.split_inclusive(|byte| *byte == b'\n') {
            match lines::kind(line) {
                None => printed.extend_from_slice(line),
                Some("result") => self.add_result(line),
                Some(_) if self.prints_all => self.add(line),
                Some(_) => {}
            }
        }
        printed
    }

    fn add_result(&mut self, line: &[u8]) {
        let Ok(mut result) = serde_json::from_slice::<ResultMessage>(line) else {
            return self.add(line);
        };
        // The real CLI sends this member only in `stream-json`.
        result.model_usage_since_last_result = None;
        match encode(&result) {
            Ok(line) => self.add(&line),
            Err(_) => self.add(line),
        }
        self.text = Some(text(result));
    }

    fn add(&mut self, line: &[u8]) {
        if !self.prints_all {
            self.messages.clear();
        }
        let line = String::from_utf8_lossy(line);
        self.messages.push(line.trim_end().to_owned());
    }

    /// Returns the part of the output that is printed when the agent exits.
    pub(super) fn finish(&mut self) -> String {
        let messages = std::mem::take(&mut self.messages);
        let text = self.text.take();
        match self.format {
            OutputFormat::StreamJson => String::new(),
            OutputFormat::Text => text
                .map(|text| format!("{}\n", text.trim_end_matches('\n')))
                .unwrap_or_default(),
            OutputFormat::Json if messages.is_empty() => String::new(),
            OutputFormat::Json if self.prints_all => format!("[{}]\n", messages.join(",")),
            OutputFormat::Json => format!("{}\n", messages.concat()),
        }
    }
}

/// Returns the text of a result, or its errors.
fn text(result: ResultMessage) -> String {
    let why = |errors: Vec<String>| errors.join("\n");
    let text = result.result.or_else(|| result.errors.map(why));
    text.unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::agent::Profile;
    use serde_json::Value;

    fn print(args: &str) -> Print {
        let args = args.split(' ').map(str::to_owned);
        let flags = Flags::from_args(args, Profile::V2_1_332, false).unwrap();
        Print::from_flags(&flags).unwrap()
    }

    #[test]
    fn a_prompt_is_the_argument_and_then_the_input() {
        let prompt = |args, input: &[u8]| {
            let line: Value = serde_json::from_str(&print(args).line(input)?).unwrap();
            Ok(line["message"]["content"].as_str().unwrap().to_owned())
        };
        assert_eq!(prompt("-p one", b""), Ok("one".to_owned()));
        assert_eq!(prompt("-p", b"two\n"), Ok("two\n".to_owned()));
        assert_eq!(prompt("-p one", b"two\n"), Ok("one\ntwo\n".to_owned()));
        assert_eq!(prompt("-p", b"\xff"), Ok("\u{fffd}".to_owned()));
        assert_eq!(prompt("-p", b""), Err(NoPrompt::Missing));
        assert_eq!(prompt("-p", b" \n"), Err(NoPrompt::Blank));
    }

    #[test]
    fn each_format_selects_from_the_output() {
        let system = r#"{"type":"system","subtype":"init"}"#;
        let result = r#"{"type":"result","subtype":"success","result":"Done.\n","model_usage_since_last_result":{}}"#;
        let short = r#"{"type":"result","subtype":"success","result":"Done.\n"}"#;
        for (args, expected) in [
            ("-p x", "Done.\n".to_owned()),
            ("-p x --output-format json", format!("{short}\n")),
            (
                "-p x --output-format json --verbose",
                format!("[{system},{short}]\n"),
            ),
            (
                "-p x --output-format stream-json --verbose",
                format!("{system}\n{result}\n"),
            ),
        ] {
            let mut print = print(args);
            let mut printed = print.take(format!("{system}\n").as_bytes());
            printed.extend(print.take(format!("{result}\n").as_bytes()));
            printed.extend(print.finish().into_bytes());
            assert_eq!(String::from_utf8(printed).unwrap(), expected, "{args}");
        }
    }

    #[test]
    fn lines_that_are_not_messages_are_printed_unchanged_and_errors_have_a_text() {
        let mut print = print("-p x");
        assert_eq!(print.take(b"noise\n"), b"noise\n");
        let result = r#"{"type":"result","subtype":"error_during_execution","errors":["No."]}"#;
        assert_eq!(print.take(result.as_bytes()), b"");
        assert_eq!(print.finish(), "No.\n");
        assert_eq!(print.finish(), "");
    }
}
