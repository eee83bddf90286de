//! A page in Markdown.

use super::{Page, Part, entries, heading};
use agentwire::view::View;
use agentwire::view::entry::Diff;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The extensions of Markdown that are read.
pub(super) const EXTENSIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// Returns the entries of a view in Markdown, with those of sub-agents below them.
pub(crate) fn markdown(view: &View) -> String {
    let (title, about) = heading(view.session());
    let mut page = Markdown {
        text: format!("# {}\n\n", escaped(title)),
        depth: 2,
    };
    about.iter().for_each(|line| page.note(line));
    entries(view, view.entries(), &mut page);
    page.text
}

struct Markdown {
    text: String,
    /// The level of the next heading.
    depth: usize,
}

impl Markdown {
    fn block(&mut self, text: &str) {
        self.text += text.trim_end_matches('\n');
        self.text += "\n\n";
    }

    /// Writes Markdown of the model or the user, each line with a prefix.
    fn source(&mut self, text: &str, prefix: &str) {
        let text = without_html(text);
        let lines = text.lines().map(|line| format!("{prefix}{line}"));
        let placed = lines.collect::<Vec<_>>().join("\n");
        // The `>` of a quote can be the end of a tag that the text begins.
        if !is_closed(&text) || has_html(&placed) {
            return self.text += &fenced("markdown", &text);
        }
        self.block(&placed);
    }
}

impl Page for Markdown {
    fn open(&mut self, Part { title, .. }: Part<'_>) {
        let level = "#".repeat(self.depth.min(6));
        self.block(&format!("{level} {}", escaped(title)));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
    }

    fn prose(&mut self, text: &str) {
        self.source(text, "");
    }

    fn plain(&mut self, text: &str) {
        self.source(text, "> ");
    }

    fn verbatim(&mut self, text: &str) {
        if !text.is_empty() {
            self.text += &fenced("", text);
        }
    }

    fn diff(&mut self, diff: &Diff) {
        let mut text = format!("--- {0}\n+++ {0}\n", diff.path);
        for hunk in &diff.hunks {
            let count = |other: char| {
                let lines = hunk.lines.iter();
                lines.filter(|line| !line.starts_with(other)).count()
            };
            if let (Some(old), Some(new)) = (hunk.old_start, hunk.new_start) {
                text += &format!("@@ -{old},{} +{new},{} @@\n", count('+'), count('-'));
            }
            text += &hunk.lines.join("\n");
            text.push('\n');
        }
        self.text += &fenced("diff", text.trim_end_matches('\n'));
    }

    fn note(&mut self, text: &str) {
        self.block(&escaped(text));
    }

    fn link(&mut self, url: &str, title: &str) {
        let url = url.replace(['<', '>', '\n', '\\'], "");
        self.block(&format!("[{}](<{url}>)", escaped(title)));
    }
}

/// Returns a block of code. The fence is longer than any in the text.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}\n\n")
}

/// Escapes a text of one line. Line ends become spaces.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c {
            '\n' | '\r' => shown.push(' '),
            c if c.is_ascii_punctuation()
                && !matches!(
                    c,
                    '.' | ',' | ':' | ';' | '/' | '\'' | '"' | '(' | ')' | '?' | '%' | '@'
                ) =>
            {
                shown.extend(['\\', c]);
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Escapes the HTML in a text.
fn without_html(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut copied = 0;
    for (event, range) in Parser::new_ext(text, EXTENSIONS).into_offset_iter() {
        if matches!(event, Event::Html(_) | Event::InlineHtml(_)) && range.start >= copied {
            shown += &text[copied..range.start];
            shown += &text[range.clone()].replace('<', "&lt;");
            copied = range.end;
        }
    }
    shown + &text[copied..]
}

fn has_html(text: &str) -> bool {
    let mut events = Parser::new_ext(text, EXTENSIONS);
    events.any(|event| matches!(event, Event::Html(_) | Event::InlineHtml(_)))
}

/// Returns whether a text has no HTML, and a paragraph after it would not
/// become a part of it.
fn is_closed(text: &str) -> bool {
    let text = format!("{text}\n\nend");
    let mut depth = 0;
    let mut last = false;
    for event in Parser::new_ext(&text, EXTENSIONS) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => return false,
            Event::Start(tag) => {
                last = depth == 0 && tag == Tag::Paragraph;
                depth += 1;
            }
            Event::End(tag) => {
                depth -= 1;
                last &= depth == 0 && tag == TagEnd::Paragraph;
            }
            Event::Text(text) => last &= &*text == "end",
            _ => last = false,
        }
    }
    last
}
