//! A JSON parser that shares no code with the conversions.

/// A JSON value that preserves duplicate members, lone surrogates and all digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    Object(Vec<(Vec<u16>, Node)>),
    List(Vec<Node>),
    Text(Vec<u16>),
    /// A number, `true`, `false` or `null`, as it was written.
    Word(String),
}

impl Node {
    /// Reads a text that is valid JSON.
    pub(crate) fn read(text: &str) -> Self {
        let mut reader = Reader(text.as_bytes(), 0);
        let node = reader.value();
        reader.blank();
        assert_eq!(reader.1, text.len(), "{text}");
        node
    }

    /// Sorts members by name. Duplicate members keep their order.
    pub(crate) fn sorted(self) -> Self {
        match self {
            Self::Object(members) => {
                let sorted = members
                    .into_iter()
                    .map(|(name, value)| (name, value.sorted()));
                let mut sorted: Vec<_> = sorted.collect();
                sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
                Self::Object(sorted)
            }
            Self::List(items) => Self::List(items.into_iter().map(Self::sorted).collect()),
            leaf => leaf,
        }
    }
}

struct Reader<'a>(&'a [u8], usize);

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.0.get(self.1).copied().unwrap_or_default()
    }

    fn blank(&mut self) {
        while self.peek().is_ascii_whitespace() {
            self.1 += 1;
        }
    }

    fn value(&mut self) -> Node {
        self.blank();
        match self.peek() {
            b'{' => {
                let mut members = Vec::new();
                while self.has_next(b'}') {
                    let name = self.text();
                    self.blank();
                    self.1 += 1;
                    members.push((name, self.value()));
                }
                Node::Object(members)
            }
            b'[' => {
                let mut items = Vec::new();
                while self.has_next(b']') {
                    items.push(self.value());
                }
                Node::List(items)
            }
            b'"' => Node::Text(self.text()),
            _ => {
                let start = self.1;
                while matches!(self.peek(), b'+' | b'-' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E') {
                    self.1 += 1;
                }
                Node::Word(String::from_utf8_lossy(&self.0[start..self.1]).into_owned())
            }
        }
    }

    /// Skips the delimiter before an item. Returns `false` at the end of the list.
    fn has_next(&mut self, end: u8) -> bool {
        self.blank();
        let is_first = self.peek() == end - 2;
        if is_first || self.peek() == b',' {
            self.1 += 1;
            self.blank();
        }
        let ends = self.peek() == end;
        self.1 += usize::from(ends);
        !ends
    }

    fn text(&mut self) -> Vec<u16> {
        self.blank();
        self.1 += 1;
        let mut units = Vec::new();
        loop {
            let start = self.1;
            while !matches!(self.peek(), b'"' | b'\\') {
                self.1 += 1;
            }
            let run = String::from_utf8_lossy(&self.0[start..self.1]).into_owned();
            units.extend(run.encode_utf16());
            self.1 += 1;
            if self.0[self.1 - 1] == b'"' {
                return units;
            }
            self.1 += 1;
            units.push(match self.0[self.1 - 1] {
                b'n' => 10,
                b't' => 9,
                b'r' => 13,
                b'b' => 8,
                b'f' => 12,
                b'u' => {
                    let digits = String::from_utf8_lossy(&self.0[self.1..self.1 + 4]).into_owned();
                    self.1 += 4;
                    u16::from_str_radix(&digits, 16).unwrap_or_default()
                }
                other => other.into(),
            });
        }
    }
}

/// Writes a value as JSON with pseudo-random duplicate members, lone surrogates and unusual
/// spellings of numbers.
pub(crate) fn unusual_json(value: &serde_json::Value, seed: u64) -> String {
    let mut text = String::new();
    Unusual(seed).write(value, &mut text);
    text
}

struct Unusual(u64);

impl Unusual {
    fn one_in(&mut self, count: u64) -> bool {
        self.next().is_multiple_of(count)
    }

    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn write(&mut self, value: &serde_json::Value, text: &mut String) {
        use serde_json::Value;
        match value {
            Value::Object(members) => {
                text.push('{');
                let mut is_first = true;
                let mut between = |text: &mut String| {
                    if !std::mem::take(&mut is_first) {
                        text.push(',');
                    }
                };
                if self.one_in(12) {
                    between(text);
                    text.push_str(r#""\ud83d":"half""#);
                }
                for (name, value) in members {
                    if self.one_in(16) {
                        between(text);
                        text.push_str(&serde_json::Value::from(name.as_str()).to_string());
                        text.push(':');
                        match self.one_in(2) {
                            true => self.write(value, text),
                            false => text.push_str(r#""an earlier value""#),
                        }
                    }
                    between(text);
                    text.push_str(&serde_json::Value::from(name.as_str()).to_string());
                    text.push(':');
                    self.write(value, text);
                }
                text.push('}');
            }
            Value::Array(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    self.write(item, text);
                }
                text.push(']');
            }
            // Change few strings, so that most IDs and tags stay valid.
            Value::String(_) if self.one_in(12) => {
                let written = value.to_string();
                text.push_str(&written[..written.len() - 1]);
                text.push_str(
                    ["\\ud800\"", "\\udc00 x\"", "\\ud83d\\ud83d\\ude00\""]
                        [self.next() as usize % 3],
                );
            }
            Value::Number(_) if self.one_in(2) => {
                let spellings = [
                    "1e400",
                    "-0",
                    "-0.0",
                    "1.0",
                    "1E+2",
                    "9007199254740993",
                    "0.00014000000000000001",
                    "123456789012345678901234567890",
                ];
                text.push_str(spellings[self.next() as usize % spellings.len()]);
            }
            other => text.push_str(&other.to_string()),
        }
    }
}
