//! The entries of a view as lines. The view escapes control characters.

use agentwire::view::entry::{
    Command, Content, Delivery, Diff, FailureReason, LongText, Outcome, Plan, Prompt, Status,
    ToolCall, TurnEnd,
};
use agentwire::view::{Body, Entry, View};
use ratatui::style::{Color, Modifier, Style};

/// The maximum number of lines of a diff or of the output of a command.
const SHOWN: usize = 10;

pub type StyledLine = (Style, String);

/// Returns the last lines, without `skip` at the end, in order. Only what is shown is wrapped,
/// so a long conversation costs no more than a short one.
pub fn tail(view: &View, width: usize, height: usize, skip: usize) -> Vec<StyledLine> {
    let mut lines = vec![];
    collect(view, None, width, skip + height, &mut lines);
    let mut shown: Vec<_> = lines.into_iter().skip(skip + 1).take(height).collect();
    shown.reverse();
    shown
}

/// Adds the lines of the entries of an agent, the last one first, and an empty line after each
/// entry.
fn collect(
    view: &View,
    agent: Option<&Entry>,
    width: usize,
    most: usize,
    all: &mut Vec<StyledLine>,
) {
    let entries: Box<dyn DoubleEndedIterator<Item = &Entry>> = match agent {
        None => Box::new(view.entries()),
        Some(agent) => Box::new(view.children(&agent.id)),
    };
    let indent = if agent.is_some() { "  | " } else { "" };
    for entry in entries.rev() {
        if all.len() > most {
            return;
        }
        collect(view, Some(entry), width, most, all);
        let lines = lines(&entry.body);
        if lines.is_empty() {
            continue;
        }
        all.push((Style::new(), String::new()));
        for (style, line) in lines.into_iter().rev() {
            let line = line.replace('\t', "    ");
            let options = textwrap::Options::new(width)
                .initial_indent(indent)
                .subsequent_indent(indent);
            let wrapped = textwrap::wrap(&line, options).into_iter();
            all.extend(wrapped.rev().map(|it| (style, it.into_owned())));
        }
    }
}

pub fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

fn lines(body: &Body) -> Vec<StyledLine> {
    match body {
        Body::Prompt(it) => vec![(Style::new().fg(Color::Cyan), prompt(it))],
        Body::Text(it) => text(Style::new(), &long(&it.text)),
        Body::Thought(it) => vec![(dim(), format!("Thought: {}", beginning(&it.text.text)))],
        Body::ToolCall(it) => tool_call(it),
        Body::Plan(it) => plan(it),
        Body::Question(it) => {
            let answered = it.questions.iter().map(|it| {
                let answer = it.answer.as_deref().unwrap_or("…");
                (tool(), format!("{} {answer}", it.question))
            });
            answered.collect()
        }
        // The dialog shows it.
        Body::Approval(_) => vec![],
        Body::SubAgent(it) => {
            let outcome = it.failure.as_ref().map(|it| it.message.as_str());
            vec![(
                tool(),
                call_line(it.status, &it.title, outcome.unwrap_or_default()),
            )]
        }
        Body::Notice(it) => {
            let mut lines = vec![(dim(), it.title.clone())];
            lines.extend(it.detail.iter().flat_map(|it| shortened(dim(), &long(it))));
            lines
        }
        Body::TurnEnd(it) => vec![(dim(), turn_end(it))],
        _ => vec![],
    }
}

fn tool() -> Style {
    Style::new().fg(Color::Green)
}

fn prompt(prompt: &Prompt) -> String {
    let mut line = format!("> {}", long(&prompt.text));
    for attachment in &prompt.attachments {
        let name = attachment.name.as_ref().or(attachment.media_type.as_ref());
        line += &format!(" [{}]", name.map_or("file", |it| it));
    }
    let state = match prompt.delivery {
        Delivery::Sent => "sent",
        Delivery::Queued => "queued",
        Delivery::Cancelled => "cancelled",
        _ => return line,
    };
    let priority = prompt.priority.as_deref().unwrap_or("next");
    format!("{line} ({priority}, {state})")
}

/// Returns the line of a call, and the lines of its diffs.
fn tool_call(call: &ToolCall) -> Vec<StyledLine> {
    let outcome = match &call.failure {
        Some(failure) => {
            let reason = match failure.reason {
                FailureReason::Error => "",
                FailureReason::TimedOut => "timed out: ",
                FailureReason::Interrupted => "interrupted: ",
                FailureReason::NoResult => "no result: ",
                _ => "denied: ",
            };
            format!("{reason}{}", beginning(&failure.message))
        }
        None => match (&call.background, call.content.last()) {
            (Some(it), _) if it.is_running => "in the background".to_owned(),
            (_, Some(content)) if call.status == Status::Completed => outcome(content),
            _ => String::new(),
        },
    };
    let mut lines = vec![(tool(), call_line(call.status, &call.title, &outcome))];
    for content in &call.content {
        if let Content::Diff(it) = content {
            lines.extend(diff(it));
        }
    }
    lines
}

fn call_line(status: Status, title: &str, outcome: &str) -> String {
    let mark = match status {
        Status::Completed => "✓",
        Status::Failed => "✗",
        _ => "…",
    };
    match outcome {
        "" => format!("{mark} {title}"),
        outcome => format!("{mark} {title}: {outcome}"),
    }
}

/// Returns the result of a call in one line.
fn outcome(content: &Content) -> String {
    match content {
        Content::Text(text) | Content::Json(text) => beginning(&text.text),
        Content::Lines(it) => format!("{} lines", it.text.text.lines().count()),
        Content::Command(it) => command_outcome(it),
        Content::Search(it) => {
            let count = it.hits.len() as u64 + it.omitted.unwrap_or_default();
            format!("{count} hits")
        }
        Content::Links(it) => format!("{} links", it.links.len()),
        Content::Attachment(it) => it.media_type.clone().unwrap_or_default(),
        _ => String::new(),
    }
}

fn command_outcome(command: &Command) -> String {
    let output = command.output.as_ref();
    let output = output.map_or_else(String::new, |it| beginning(&it.text));
    match command.exit_code {
        Some(code) if code != 0 => format!("exit code {code}, {output}"),
        _ => output,
    }
}

/// Returns the lines of a diff, as many as are shown.
pub fn diff(diff: &Diff) -> Vec<StyledLine> {
    let lines = diff.hunks.iter().flat_map(|it| &it.lines);
    let all = lines.clone().count() + diff.omitted_lines.unwrap_or_default() as usize;
    let styled = lines.take(SHOWN).map(|line| {
        let style = match line.as_bytes().first() {
            Some(b'+') => tool(),
            Some(b'-') => Style::new().fg(Color::Red),
            _ => dim(),
        };
        (style, format!("    {line}"))
    });
    let mut shown: Vec<_> = styled.collect();
    if all > SHOWN {
        shown.push((dim(), format!("    … {} more lines", all - SHOWN)));
    }
    shown
}

fn plan(plan: &Plan) -> Vec<StyledLine> {
    let mut lines: Vec<_> = plan
        .text
        .iter()
        .flat_map(|it| text(tool(), &long(it)))
        .collect();
    lines.extend(plan.items.iter().map(|item| {
        let mark = match item.status {
            Status::Completed => "x",
            Status::InProgress => ">",
            _ => " ",
        };
        (tool(), format!("[{mark}] {}", item.content))
    }));
    lines
}

fn turn_end(end: &TurnEnd) -> String {
    let outcome = match end.outcome {
        Outcome::Completed => "completed",
        Outcome::Interrupted => "interrupted",
        Outcome::LimitReached => "stopped at a limit",
        _ => "failed",
    };
    match &end.message {
        Some(message) => format!("Turn {outcome}: {message}"),
        None => format!("Turn {outcome}"),
    }
}

fn text(style: Style, text: &str) -> Vec<StyledLine> {
    text.lines().map(|line| (style, line.to_owned())).collect()
}

/// Returns the first lines of a text.
pub fn shortened(style: Style, all: &str) -> Vec<StyledLine> {
    let mut lines = text(style, all);
    let more = lines.len().saturating_sub(SHOWN);
    if more > 0 {
        lines.truncate(SHOWN);
        lines.push((dim(), format!("… {more} more lines")));
    }
    lines
}

/// Returns the first line of a text, and the number of further lines.
fn beginning(text: &str) -> String {
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default();
    match lines.count() {
        0 => first.to_owned(),
        more => format!("{first} (and {more} more lines)"),
    }
}

/// Returns the text with a note where a part was omitted.
pub fn long(text: &LongText) -> String {
    let Some(omitted) = text.omitted else {
        return text.text.clone();
    };
    let at = usize::try_from(omitted.at).unwrap_or(usize::MAX);
    let (before, after) = text.text.split_at_checked(at).unwrap_or((&text.text, ""));
    format!("{before}\n… {} bytes omitted …\n{after}", omitted.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentwire::protocol::Json;
    use agentwire::protocol::message::{Message, UserMessage};
    use agentwire::view::Input;
    use serde_json::{Value, json};

    fn push(view: &mut View, message: Value) {
        let message: Message = Json::from(message).read().unwrap();
        view.push(&message);
    }

    fn push_text(view: &mut View, id: &str, block: Value) {
        let message =
            json!({ "id": id, "type": "message", "role": "assistant", "content": [block] });
        push(
            view,
            json!({ "type": "assistant", "uuid": id, "message": message }),
        );
    }

    fn shown(view: &View, height: usize, skip: usize) -> Vec<String> {
        let lines = tail(view, 24, height, skip);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn the_last_lines_are_shown_and_can_be_scrolled() {
        let mut view = View::new();
        let message = UserMessage::text("tell me");
        view.push(Input::Sent {
            uuid: "1",
            message: &message,
        });
        let text = json!({ "type": "text", "text": "one two three four five six" });
        push_text(&mut view, "m", text);
        // The prompt was not picked up yet, so it is the last entry.
        let all = [
            "one two three four five",
            "six",
            "",
            "> tell me (next, sent)",
        ];
        assert_eq!(shown(&view, 9, 0), all);
        assert_eq!(shown(&view, 2, 0), all[2..]);
        assert_eq!(shown(&view, 2, 1), all[1..3]);
    }

    #[test]
    fn a_call_has_one_line_with_its_outcome_and_the_beginning_of_its_diff() {
        let mut view = View::new();
        let content: String = (1..=12).map(|it| format!("{it}\n")).collect();
        let input = json!({ "file_path": "a", "content": content });
        push_text(
            &mut view,
            "m",
            json!({ "type": "tool_use", "id": "t", "name": "Write", "input": input }),
        );
        let lines = shown(&view, 20, 0);
        assert_eq!(lines[0], "… Write a");
        assert_eq!(lines[1], "    +1");
        assert_eq!(lines[SHOWN + 1], "    … 2 more lines");
        let result = json!({ "type": "tool_result", "tool_use_id": "t", "is_error": true,
            "content": "No space\u{1b}[2J" });
        push(
            &mut view,
            json!({ "type": "user", "message": { "role": "user", "content": [result] } }),
        );
        assert_eq!(shown(&view, 20, 0)[0], "✗ Write a: No space");
    }
}
