//! A page as text for a terminal.

use super::{Kind, Page, Part, entries};
use agentwire::permission::visible::{lines, shortened};
use agentwire::view::View;
use agentwire::view::entry::Diff;
use console::{Style, style};

/// The maximum length of a tool's input or output, in characters.
const MAX_TOOL: usize = 500;

/// Returns the entries of a view for a terminal, with those of sub-agents indented.
pub(crate) fn terminal(view: &View) -> String {
    let mut page = Terminal::default();
    entries(view, view.entries(), &mut page);
    page.text
}

#[derive(Default)]
struct Terminal {
    text: String,
    depth: usize,
}

impl Terminal {
    fn lines(&mut self, text: &str, style: impl Fn(&str) -> Style) {
        for line in lines(text).lines() {
            self.text.extend(std::iter::repeat_n("  ", self.depth));
            self.text += style(line).apply_to(line).to_string().trim_end();
            self.text.push('\n');
        }
    }
}

impl Page for Terminal {
    fn open(&mut self, Part { kind, title, id }: Part<'_>) {
        let heading = match kind {
            Kind::Failed => Style::new().red().bold(),
            Kind::Thought | Kind::Notice => Style::new().dim(),
            _ => Style::new().bold(),
        };
        self.lines(title, |_| heading.clone());
        if let Some(id) = id {
            // Behind the title.
            self.text.pop();
            self.text += &format!(
                " {}\n",
                style(agentwire::permission::visible::line(id)).dim()
            );
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
    }

    fn prose(&mut self, text: &str) {
        self.lines(text, |_| Style::new());
    }

    fn plain(&mut self, text: &str) {
        self.prose(text);
    }

    fn verbatim(&mut self, text: &str) {
        self.prose(&shortened(text, MAX_TOOL));
    }

    fn diff(&mut self, diff: &Diff) {
        let hunks = diff.hunks.iter().map(|hunk| hunk.lines.join("\n"));
        let text = hunks.collect::<Vec<_>>().join("\n⋯\n");
        self.lines(&shortened(&text, MAX_TOOL), |line| {
            match line.as_bytes().first() {
                Some(b'-') => Style::new().red(),
                Some(b'+') => Style::new().green(),
                _ => Style::new(),
            }
        });
    }

    fn note(&mut self, text: &str) {
        self.lines(text, |_| Style::new().dim());
    }

    fn link(&mut self, url: &str, title: &str) {
        self.prose(title);
        if title != url {
            self.note(url);
        }
    }
}
