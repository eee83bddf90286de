//! Spans as a tree, with short names for IDs.

use crate::receiver::Span;
use std::fmt::Write;

/// The attributes that show what belongs together, and what a turn was.
const SHOWN: [&str; 11] = [
    "gen_ai.conversation.id",
    "session.id",
    "agentwire.turn",
    "interaction.sequence",
    "gen_ai.tool.call.id",
    "tool_use_id",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.response.finish_reasons",
    "agentwire.outcome",
    "error.type",
];

/// Returns the tree of each trace.
pub fn of(spans: Vec<Span>) -> String {
    let (mut text, mut names) = (String::new(), Names::default());
    let is_root = |span: &&Span| !spans.iter().any(|it| it.id == span.parent);
    for root in spans.iter().filter(is_root) {
        let _ = writeln!(text, "{}", names.of("trace", &root.trace));
        add(&mut text, &mut names, &spans, root, 1);
    }
    text
}

fn add(text: &mut String, names: &mut Names, spans: &[Span], span: &Span, depth: usize) {
    let indent = "  ".repeat(depth);
    let _ = write!(text, "{indent}{} [{}]", span.name, span.service);
    for name in SHOWN {
        let Some(value) = span.attributes.get(name) else {
            continue;
        };
        let value = match name {
            "gen_ai.conversation.id" | "session.id" => names.of("session", value),
            "gen_ai.tool.call.id" | "tool_use_id" => names.of("call", value),
            _ => value.clone(),
        };
        let _ = write!(text, " {name}={value}");
    }
    text.push('\n');
    let mut children: Vec<_> = spans.iter().filter(|it| it.parent == span.id).collect();
    // The two spans of a turn start at about the same time.
    children.sort_by_key(|it| (turn(it), it.service == "claude-code", it.start));
    for child in children {
        add(text, names, spans, child, depth + 1);
    }
}

/// Returns the number of the turn that a span is.
fn turn(span: &Span) -> Option<u64> {
    let number = |name| span.attributes.get(name)?.parse().ok();
    number("agentwire.turn").or_else(|| number("interaction.sequence"))
}

/// Short names for IDs: `call-1`, `call-2`.
#[derive(Default)]
struct Names(Vec<(&'static str, String)>);

impl Names {
    fn of(&mut self, kind: &'static str, id: &str) -> String {
        if !self.0.iter().any(|(_, it)| it == id) {
            self.0.push((kind, id.to_owned()));
        }
        let mut alike = self.0.iter().filter(|(it, _)| *it == kind);
        let number = alike.position(|(_, it)| it == id).map_or(0, |it| it + 1);
        format!("{kind}-{number}")
    }
}
