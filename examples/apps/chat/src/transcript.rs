//! The conversation as text.

use agentwire::permission::visible;

/// The author of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    User,
    Agent,
    Tool,
    /// The program itself.
    Chat,
}

/// The entries of a conversation.
#[derive(Debug, Default)]
pub struct Transcript {
    entries: Vec<(From, String)>,
    /// Whether the last entry may grow.
    is_open: bool,
}

impl Transcript {
    pub fn push(&mut self, from: From, text: &str) {
        self.entries.push((from, printable(text)));
        self.is_open = false;
    }

    /// Appends a piece of the agent's text.
    pub fn stream(&mut self, text: &str) {
        if !self.is_open {
            self.push(From::Agent, "");
            self.is_open = true;
        }
        if let Some((_, entry)) = self.entries.last_mut() {
            entry.push_str(&printable(text));
        }
    }

    /// Ends the agent's text. Returns whether there was one.
    pub fn end(&mut self) -> bool {
        std::mem::take(&mut self.is_open)
    }

    /// Returns the last lines, without `skip` at the end, in order. Only what is
    /// shown is wrapped, so a long conversation costs no more than a short one.
    pub fn tail(&self, width: usize, height: usize, skip: usize) -> Vec<(From, String)> {
        let mut lines = vec![];
        // Collect the last line first, and an empty line after each entry.
        for (from, text) in self.entries.iter().rev() {
            if lines.len() > skip + height {
                break;
            }
            lines.push((*from, String::new()));
            let wrapped = textwrap::wrap(
                text,
                textwrap::Options::new(width).subsequent_indent(if *from == From::Agent {
                    ""
                } else {
                    "  "
                }),
            );
            let entry = wrapped.into_iter().map(|line| (*from, line.into_owned()));
            lines.extend(entry.rev());
        }
        let mut shown: Vec<_> = lines.into_iter().skip(skip + 1).take(height).collect();
        shown.reverse();
        shown
    }
}

/// Escapes control characters for a terminal, and replaces tabs with spaces.
fn printable(text: &str) -> String {
    visible::lines(text).replace('\t', "    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(transcript: &Transcript, height: usize, skip: usize) -> Vec<String> {
        let lines = transcript.tail(10, height, skip);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn the_last_lines_are_shown_and_can_be_scrolled() {
        let mut transcript = Transcript::default();
        transcript.push(From::User, "> tell me");
        transcript.stream("one two ");
        transcript.stream("three four");
        let all = ["> tell me", "", "one two", "three four"];
        assert_eq!(lines(&transcript, 9, 0), all);
        assert_eq!(lines(&transcript, 2, 0), all[2..]);
        assert_eq!(lines(&transcript, 2, 1), all[1..3]);
    }

    #[test]
    fn control_characters_of_the_agent_are_not_obeyed() {
        let mut transcript = Transcript::default();
        transcript.stream("\x1b[2J\tx");
        assert_eq!(
            transcript.tail(40, 1, 0),
            [(From::Agent, r"\u{1b}[2J    x".to_owned())]
        );
    }
}
