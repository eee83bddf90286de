//! Generates texts of users and agents, and JSON objects as text.

use agentwire_testing::Random;

/// Encodes a string as JSON. Escapes of lone surrogates are preserved.
pub(crate) fn quoted(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted.replace("\\\\ud83d", "\\ud83d")
}

/// Returns the text of a message.
pub(crate) fn text(random: &mut Random) -> String {
    let texts = [
        "What is in this directory?",
        "  spaces around \n",
        "two\nlines\n\nand more",
        "tab\tand \u{a0} other \u{feff} spaces\u{3000}",
        "🦀 crab \u{1f469}\u{200d}\u{1f4bb}",
        "\\ud83d half of a crab",
        "",
        "   ",
        "\n",
        "<command-name>/clear</command-name>\n<command-message>clear</command-message>",
        "<command-message>clear</command-message>",
        "<command-name></command-name>",
        "<command-name>/a\r\nb</command-name>",
        "<command-name>\n/x</command-name> <command-name>/y</command-name>",
        "<local-command-stdout>done</local-command-stdout>",
        "<local-command-stderr>bad</local-command-stderr>",
        "<local-command-caveat>Caveat: the messages below</local-command-caveat>",
        "<bash-input> ls -la </bash-input>",
        "say <bash-input>x</bash-input>",
        "<bash-input>open",
        "<tick>",
        "<b and more",
        "<B>bold</B>",
        "<goal attr>",
        "<3 you",
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
        "[Request interrupted by user",
        "[This turn ended before it finished.] more",
        "No response requested.",
        "See <pasted_content id=\"0a1f\">\nline one\nline two\n</pasted_content id=\"0a1f\">\n\n\nthis",
        "<pasted_content id=\"0a1f\">\n</pasted_content id=\"0a1f\">",
        "<pasted_content id=\"zzzz\">\nx\n</pasted_content id=\"zzzz\">",
        "\n\n\na\n\n\n<pasted_content id=\"1234\">\nopen",
        "with \"quotes\" and \\ backslash",
        "\"type\":\"user\" in a text, \"cwd\": \"/nowhere\" too",
        "a \"customTitle\":\"no title\" and \"tag\":\"none\"",
        "\"type\":\"custom-title\" {\"type\":\"custom-title\",\"customTitle\":\"x\"}",
        "\"compact_boundary\" in words",
        "The crab plugin sent a message:\nhello",
        "ends with a quote\"",
        "\u{2028}separators\u{2029}",
        "e\u{301}clair ümlaut",
        "\u{85}next line\u{85}",
    ];
    match random.below(12) {
        0 => "x".repeat(190 + random.below(20)),
        1 => format!("{}🦀🦀 tail", "y ".repeat(96 + random.below(6))),
        2 => format!("{} {}", random.pick(&texts), random.pick(&texts)),
        _ => random.pick(&texts).to_owned(),
    }
}

/// Returns a text that is sometimes too long for the ends of a file.
pub(crate) fn long_text(random: &mut Random) -> String {
    match random.below(30) {
        0 => "long ".repeat(2_000 + random.below(20_000)),
        1 => "ü🦀".repeat(5_000 + random.below(10_000)),
        _ => text(random),
    }
}

/// A JSON object as text, with its members in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object(pub(crate) Vec<(String, String)>);

impl Object {
    pub(crate) fn new(kind: &str) -> Self {
        Self(Vec::new()).text("type", kind)
    }

    pub(crate) fn raw(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn text(self, name: &str, value: &str) -> Self {
        self.raw(name, quoted(value))
    }

    pub(crate) fn maybe(self, name: &str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.raw(name, value),
            None => self,
        }
    }

    pub(crate) fn compact(&self) -> String {
        let members = self
            .0
            .iter()
            .map(|(name, value)| format!("{}:{value}", quoted(name)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }

    pub(crate) fn spaced(&self) -> String {
        let members = self
            .0
            .iter()
            .map(|(name, value)| format!("{}: {value}", quoted(name)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
    }
}
