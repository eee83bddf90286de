//! Writes the entries of a view as a page: HTML, Markdown, or text for a terminal.

mod html;
mod markdown;
mod terminal;
#[cfg(test)]
mod tests;

pub(crate) use html::html;
pub(crate) use markdown::markdown;
pub(crate) use terminal::terminal;

use agentwire::view::entry::{
    Attachment, Background, Content, Diff, Failure, FailureReason, Hit, LongText, PlanItem,
    Question, Session, Status, ToolCall,
};
use agentwire::view::{Body, Entry, View};
use std::borrow::Cow;

/// The format of a page. All texts are untrusted.
trait Page {
    /// Begins a part.
    fn open(&mut self, part: Part<'_>);

    /// Ends the last part that was begun.
    fn close(&mut self);

    /// Writes a text in Markdown.
    fn prose(&mut self, text: &str);

    /// Writes a text of the user.
    fn plain(&mut self, text: &str);

    /// Writes output of a tool, or a command.
    fn verbatim(&mut self, text: &str);

    /// Writes a change of a file.
    fn diff(&mut self, diff: &Diff);

    /// Writes a remark in one line.
    fn note(&mut self, text: &str);

    /// Writes a link. The URL begins with `http://` or `https://`.
    fn link(&mut self, url: &str, title: &str);

    /// Writes an image in base64. The media type is one that browsers show as an image.
    fn image(&mut self, media_type: &str, _data: &str, name: &str) {
        self.note(&format!("Image ({media_type}) {name}"));
    }
}

/// A part of a page.
struct Part<'a> {
    kind: Kind,
    title: &'a str,
    /// The ID of a prompt.
    id: Option<&'a str>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    User,
    Model,
    Thought,
    Call,
    Failed,
    Plan,
    Notice,
}

/// Returns a title in one line, or an empty text for entries without a title.
pub(crate) fn title(body: &Body) -> Cow<'_, str> {
    match body {
        Body::Text(_) => "Model".into(),
        Body::Prompt(_) => "User".into(),
        Body::Thought(_) => "Thought".into(),
        Body::ToolCall(call) => call.title.as_str().into(),
        Body::Plan(plan) if plan.text.is_some() => "Plan".into(),
        Body::Plan(_) => "To-do list".into(),
        Body::Question(question) => match &question.server {
            Some(server) => format!("Question of {server}").into(),
            None => "Question".into(),
        },
        Body::SubAgent(agent) => format!("Agent: {}", agent.title).into(),
        Body::Notice(notice) => notice.title.as_str().into(),
        _ => "".into(),
    }
}

/// Returns the status of a tool call, a plan, a question or a sub-agent.
pub(crate) fn status(body: &Body) -> Option<Status> {
    match body {
        Body::ToolCall(it) => Some(it.status),
        Body::Plan(it) => Some(it.status),
        Body::Question(it) => Some(it.status),
        Body::SubAgent(it) => Some(it.status),
        _ => None,
    }
}

/// Returns why a tool call, a plan, a question or a sub-agent failed.
pub(crate) fn failure(body: &Body) -> Option<&Failure> {
    match body {
        Body::ToolCall(it) => it.failure.as_ref(),
        Body::Plan(it) => it.failure.as_ref(),
        Body::Question(it) => it.failure.as_ref(),
        Body::SubAgent(it) => it.failure.as_ref(),
        _ => None,
    }
}

/// Returns why a call failed, without the message.
pub(crate) fn reason(failure: &Failure) -> &'static str {
    match failure.reason {
        FailureReason::TimedOut => "timed out",
        FailureReason::DeniedByUser => "denied by the user",
        FailureReason::DeniedByRule => "denied by a rule",
        FailureReason::DeniedByHook => "denied by a hook",
        FailureReason::DeniedByClassifier => "denied by a classifier",
        FailureReason::Interrupted => "interrupted",
        FailureReason::NoResult => "no result",
        _ => "failed",
    }
}

/// Returns the title of a session, and lines about it.
fn heading(session: &Session) -> (&str, Vec<String>) {
    let about = [
        ("Session", &session.session_id),
        ("Directory", &session.cwd),
        ("Model", &session.model),
    ];
    let about = about.into_iter();
    let about = about.filter_map(|(name, value)| Some(format!("{name}: {}", value.as_ref()?)));
    let title = session.title.as_deref().unwrap_or("Session");
    (title, about.collect())
}

/// Returns whether a link may be opened.
fn is_web(url: &str) -> bool {
    let is_scheme = |scheme: &str| {
        url.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    is_scheme("http://") || is_scheme("https://")
}

/// Writes entries, with those of sub-agents.
fn entries<'v>(view: &'v View, entries: impl Iterator<Item = &'v Entry>, page: &mut dyn Page) {
    for entry in entries {
        let body = &entry.body;
        let mark = match status(body) {
            None => "",
            Some(Status::Completed) => "✓ ",
            Some(Status::Failed) => "✗ ",
            Some(_) => "… ",
        };
        page.open(Part {
            kind: match body {
                Body::Prompt(_) => Kind::User,
                Body::Text(_) => Kind::Model,
                Body::Thought(_) => Kind::Thought,
                Body::Plan(_) | Body::Question(_) => Kind::Plan,
                Body::ToolCall(_) | Body::SubAgent(_) if mark == "✗ " => Kind::Failed,
                Body::ToolCall(_) | Body::SubAgent(_) => Kind::Call,
                Body::Notice(_) => Kind::Notice,
                // Those are no part of a stored conversation.
                _ => continue,
            },
            title: &format!("{mark}{}", title(body)),
            id: matches!(body, Body::Prompt(_)).then_some(&*entry.id),
        });
        match body {
            Body::Prompt(prompt) => {
                page.plain(&whole(&prompt.text));
                prompt.attachments.iter().for_each(|it| attach(page, it));
            }
            Body::Text(text) | Body::Thought(text) => page.prose(&whole(&text.text)),
            Body::ToolCall(call) => self::call(page, call),
            Body::Plan(plan) => {
                plan.text.iter().for_each(|text| page.prose(&whole(text)));
                items(page, &plan.items);
            }
            Body::Question(question) => self::question(page, question),
            Body::SubAgent(agent) => {
                agent.agent.iter().for_each(|agent| page.note(agent));
                page.plain(&whole(&agent.prompt));
                self::entries(view, view.children(&entry.id), page);
                if let Some(result) = &agent.result {
                    page.open(Part {
                        kind: Kind::Model,
                        title: "Result",
                        id: None,
                    });
                    page.prose(&whole(result));
                    page.close();
                }
                background(page, agent.background.as_ref());
            }
            Body::Notice(notice) => {
                let detail = notice.detail.iter();
                detail.for_each(|text| page.verbatim(&whole(text)));
            }
            _ => {}
        }
        if let Some(failure) = failure(body) {
            let why = reason(failure);
            match failure.message.contains('\n') {
                false => page.note(&format!("{why}: {}", failure.message)),
                true => {
                    page.note(why);
                    page.verbatim(&failure.message);
                }
            }
        }
        page.close();
    }
}

/// Returns a text with a remark in the place of the omitted part.
fn whole(text: &LongText) -> Cow<'_, str> {
    let Some(omitted) = text.omitted else {
        return text.text.as_str().into();
    };
    let (head, tail) = text.parts();
    format!("{head}\n… {} bytes omitted …\n{tail}", omitted.bytes).into()
}

fn call(page: &mut dyn Page, call: &ToolCall) {
    call.input
        .iter()
        .for_each(|input| page.verbatim(&whole(input)));
    for content in &call.content {
        match content {
            Content::Text(text) => page.prose(&whole(text)),
            Content::Json(text) => page.verbatim(&whole(text)),
            Content::Lines(lines) => {
                if let Some(first) = lines.first_line.filter(|first| *first > 1) {
                    page.note(&format!("From line {first}"));
                }
                page.verbatim(&whole(&lines.text));
            }
            Content::Diff(diff) => {
                page.diff(diff);
                omitted(page, diff.omitted_lines, "lines");
            }
            Content::Command(command) => {
                page.verbatim(&format!("$ {}", whole(&command.command)));
                let output = command.output.iter().filter(|output| !output.is_empty());
                output.for_each(|output| page.verbatim(&whole(output)));
                let file = command.output_file.iter();
                file.for_each(|file| page.note(&format!("The whole output is in {file}")));
            }
            Content::Search(search) => {
                let hits: Vec<_> = search.hits.iter().map(print_hit).collect();
                page.verbatim(&hits.join("\n"));
                omitted(page, search.omitted, "hits");
            }
            Content::Links(links) => {
                for link in &links.links {
                    self::link(page, &link.url, link.title.as_deref());
                }
            }
            Content::Attachment(attachment) => attach(page, attachment),
            Content::Plan(plan) => items(page, &plan.items),
            _ => {}
        }
    }
    background(page, call.background.as_ref());
}

fn print_hit(hit: &Hit) -> String {
    let line = hit.location.line.map(|line| format!(":{line}"));
    let text = hit.text.as_ref().map(|text| format!(": {text}"));
    let (line, text) = (line.unwrap_or_default(), text.unwrap_or_default());
    format!("{}{line}{text}", hit.location.path)
}

fn omitted(page: &mut dyn Page, count: Option<u64>, what: &str) {
    if let Some(count) = count {
        page.note(&format!("… {count} more {what}"));
    }
}

fn link(page: &mut dyn Page, url: &str, title: Option<&str>) {
    match (is_web(url), title) {
        (true, title) => page.link(url, title.unwrap_or(url)),
        (false, Some(title)) => page.note(&format!("{title}: {url}")),
        (false, None) => page.note(url),
    }
}

fn attach(page: &mut dyn Page, attachment: &Attachment) {
    const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    let media_type = attachment.media_type.as_deref().unwrap_or("file");
    let name = attachment.name.as_deref().unwrap_or_default();
    let is_base64 = |data: &&String| {
        let digit = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=');
        data.bytes().all(digit)
    };
    match (attachment.data.as_ref().filter(is_base64), &attachment.url) {
        (Some(data), _) if IMAGES.contains(&media_type) => page.image(media_type, data, name),
        (_, Some(url)) => link(page, url, attachment.name.as_deref()),
        _ => {
            let size = attachment.size.map(|size| format!(", {size} bytes"));
            let size = size.unwrap_or_default();
            page.note(&format!("Attachment ({media_type}{size}) {name}"));
        }
    }
}

fn items(page: &mut dyn Page, items: &[PlanItem]) {
    for item in items {
        let mark = match item.status {
            Status::Completed => "☑",
            Status::InProgress => "▶",
            _ => "☐",
        };
        page.note(&format!("{mark} {}", item.content));
    }
}

fn question(page: &mut dyn Page, question: &Question) {
    for item in &question.questions {
        page.plain(&item.question);
        for choice in &item.choices {
            let description = choice.description.as_ref();
            let description = description.map(|it| format!(" ({it})")).unwrap_or_default();
            page.note(&format!("○ {}{description}", choice.label));
        }
        let answer = item.answer.iter();
        answer.for_each(|answer| page.note(&format!("Answer: {answer}")));
    }
    question.form.iter().for_each(|form| page.verbatim(form));
    question.url.iter().for_each(|url| link(page, url, None));
}

fn background(page: &mut dyn Page, background: Option<&Background>) {
    if let Some(background) = background {
        page.note("In the background");
        background.summary.iter().for_each(|it| page.note(it));
    }
}
