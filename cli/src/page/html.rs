//! A page in HTML, without scripts and without parts on other servers.

use super::markdown::EXTENSIONS;
use super::{Kind, Page, Part, entries, heading, is_web};
use agentwire::view::View;
use agentwire::view::entry::{Diff, Hunk};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Parser, Tag, TagEnd};

const STYLE: &str = include_str!("page.css");

/// Returns the entries of a view as a page in HTML, with those of sub-agents inside.
pub(crate) fn html(view: &View) -> String {
    let (title, about) = heading(view.session());
    let title = escaped(title);
    let mut page = Html {
        text: format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        ),
        open: Vec::new(),
    };
    about.iter().for_each(|line| page.note(line));
    entries(view, view.entries(), &mut page);
    page.text += "</body>\n</html>\n";
    page.text
}

struct Html {
    text: String,
    /// The tags of the parts that were begun.
    open: Vec<&'static str>,
}

impl Html {
    fn element(&mut self, tag: &str, class: &str, text: &str) {
        if !text.is_empty() {
            let text = escaped(text);
            self.text += &format!("<{tag} class=\"{class}\">{text}</{tag}>\n");
        }
    }

    fn hunk(&mut self, hunk: &Hunk) {
        let (mut old, mut new) = (hunk.old_start, hunk.new_start);
        for line in &hunk.lines {
            let (class, numbers) = match line.as_bytes().first() {
                Some(b'-') => ("del", [old, None]),
                Some(b'+') => ("add", [None, new]),
                // `\ No newline at end of file`
                Some(b'\\') => ("same", [None, None]),
                _ => ("same", [old, new]),
            };
            for (number, shown) in [&mut old, &mut new].into_iter().zip(&numbers) {
                *number = number.map(|number| number.saturating_add(shown.is_some().into()));
            }
            let [old, new] = numbers.map(|it| it.map(|it| it.to_string()).unwrap_or_default());
            self.text += &format!(
                "<tr class=\"{class}\"><td class=\"n\">{old}</td><td class=\"n\">{new}</td><td>{}</td></tr>\n",
                escaped(line)
            );
        }
    }
}

impl Page for Html {
    fn open(&mut self, Part { kind, title, .. }: Part<'_>) {
        let title = escaped(title);
        let (class, is_folded) = match kind {
            Kind::User => ("user", false),
            Kind::Model => ("model", false),
            Kind::Plan => ("plan", false),
            Kind::Thought => ("thought", true),
            Kind::Call => ("call", true),
            Kind::Failed => ("failed", true),
            Kind::Notice => ("notice", true),
        };
        let (tag, heading) = match is_folded {
            true => ("details", "summary"),
            false => ("section", "h2"),
        };
        self.text += &format!("<{tag} class=\"{class}\"><{heading}>{title}</{heading}>\n");
        self.open.push(tag);
    }

    fn close(&mut self) {
        let tag = self.open.pop().unwrap_or_default();
        self.text += &format!("</{tag}>\n");
    }

    fn prose(&mut self, text: &str) {
        let mut safe = Safe::default();
        let events = Parser::new_ext(text, EXTENSIONS).filter_map(|event| safe.event(event));
        pulldown_cmark::html::push_html(&mut self.text, events);
    }

    fn plain(&mut self, text: &str) {
        self.element("p", "plain", text);
    }

    fn verbatim(&mut self, text: &str) {
        self.element("pre", "output", text);
    }

    fn diff(&mut self, diff: &Diff) {
        self.note(&diff.path);
        self.text += "<table class=\"diff\">\n";
        for (at, hunk) in diff.hunks.iter().enumerate() {
            if at > 0 {
                self.text += "<tr class=\"hunk\"><td class=\"n\">⋯</td><td></td><td></td></tr>\n";
            }
            self.hunk(hunk);
        }
        self.text += "</table>\n";
    }

    fn note(&mut self, text: &str) {
        self.element("p", "note", text);
    }

    fn link(&mut self, url: &str, title: &str) {
        let (url, title) = (escaped(url), escaped(title));
        self.text += &format!("<p class=\"note\"><a href=\"{url}\">{title}</a></p>\n");
    }

    fn image(&mut self, media_type: &str, data: &str, name: &str) {
        let name = escaped(name);
        self.text += &format!("<img alt=\"{name}\" src=\"data:{media_type};base64,{data}\">\n");
    }
}

/// Escapes a text for elements and attributes.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => shown += "&amp;",
            '<' => shown += "&lt;",
            '>' => shown += "&gt;",
            '"' => shown += "&quot;",
            '\'' => shown += "&#39;",
            c => shown.push(c),
        }
    }
    shown
}

/// Makes Markdown of the model safe: HTML becomes text, images become links, and links to
/// anything but pages on the web are removed.
#[derive(Default)]
struct Safe {
    /// Whether each link or image that was begun is a link of the page.
    is_page_link: Vec<bool>,
}

impl Safe {
    fn event<'t>(&mut self, event: Event<'t>) -> Option<Event<'t>> {
        Some(match event {
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
            Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
            // The language would become a class.
            Event::Start(Tag::CodeBlock(_)) => {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let is_link = is_web(&dest_url) && !self.is_page_link.contains(&true);
                self.is_page_link.push(is_link);
                is_link.then_some(Event::Start(Tag::Link {
                    link_type: LinkType::Inline,
                    dest_url,
                    title: CowStr::Borrowed(""),
                    id: CowStr::Borrowed(""),
                }))?
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let is_link = self.is_page_link.pop().unwrap_or_default();
                is_link.then_some(Event::End(TagEnd::Link))?
            }
            event => event,
        })
    }
}
