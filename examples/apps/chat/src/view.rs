//! Draws the screen: the transcript, the queue, a dialog, the input, and a status line.

use crate::chat::Chat;
use crate::dialog::Dialog;
use crate::transcript::From;
use agentwire::permission::visible;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Paragraph, Wrap};

pub fn draw(frame: &mut Frame<'_>, chat: &Chat) {
    let queue = queue(chat);
    let dialog = chat.dialog().map(Dialog::text);
    let width = usize::from(frame.area().width);
    let dialog_height = dialog
        .as_ref()
        .map_or(0, |(_, lines)| height(lines, width) + 2);
    let [transcript, queued, asked, input, status] = Layout::vertical([
        Constraint::Fill(1),
        Constraint::Length(queue.len() as u16),
        Constraint::Length(dialog_height),
        Constraint::Length(2),
        Constraint::Length(1),
    ])
    .areas(frame.area());

    draw_transcript(frame, chat, transcript);
    frame.render_widget(Paragraph::new(queue).style(dim()), queued);
    if let Some((title, lines)) = dialog {
        let lines: Vec<Line<'_>> = lines.into_iter().map(Line::from).collect();
        let block = Block::bordered()
            .title(title)
            .style(Style::new().fg(Color::Yellow));
        let text = Paragraph::new(lines).wrap(Wrap { trim: false });
        frame.render_widget(text.block(block), asked);
    }
    draw_input(frame, chat, input);
    frame.render_widget(Paragraph::new(status_line(chat)).style(dim()), status);
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

fn draw_transcript(frame: &mut Frame<'_>, chat: &Chat, area: Rect) {
    let (width, height) = (area.width.into(), area.height.into());
    let lines = chat.transcript.tail(width, height, chat.scrolled);
    let lines = lines.into_iter().map(|(from, line)| {
        let style = match from {
            From::User => Style::new().fg(Color::Cyan),
            From::Agent => Style::new(),
            From::Tool => Style::new().fg(Color::Green),
            From::Chat => dim(),
        };
        Line::styled(line, style)
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), area);
}

fn draw_input(frame: &mut Frame<'_>, chat: &Chat, area: Rect) {
    // Two columns for the prompt, one for the cursor behind the text.
    let width = usize::from(area.width.saturating_sub(3));
    let scroll = chat.input.visual_scroll(width);
    let text: String = chat.input.value().chars().skip(scroll).collect();
    let block = Block::new().borders(Borders::TOP).border_style(dim());
    let [line] = Layout::vertical([Constraint::Length(1)]).areas(block.inner(area));
    frame.render_widget(Paragraph::new(format!("> {text}")).block(block), area);
    let column = 2 + chat.input.visual_cursor().saturating_sub(scroll);
    frame.set_cursor_position((line.x + column as u16, line.y));
}

/// Returns the messages that wait, one line each.
fn queue(chat: &Chat) -> Vec<Line<'static>> {
    let lines = chat.queue().map(|(text, priority, state)| {
        Line::from(format!("{priority} ({state}): {}", visible::line(text)))
    });
    lines.collect()
}

fn status_line(chat: &Chat) -> String {
    let state = match (chat.dialog(), chat.is_running) {
        (Some(_), _) => "waiting for you",
        (None, true) => "running",
        (None, false) => "idle",
    };
    let model = visible::line(&chat.model);
    let Chat {
        cost_usd, priority, ..
    } = chat;
    format!("{state} | {model} | {cost_usd:.4} USD | Tab: {priority} | /help")
}

/// Returns the number of rows that lines take in a box.
fn height(lines: &[String], width: usize) -> u16 {
    let inner = width.saturating_sub(2).max(1);
    let rows = lines.iter().map(|line| textwrap::wrap(line, inner).len());
    rows.sum::<usize>() as u16
}
