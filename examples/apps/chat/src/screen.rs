//! Draws the screen: the transcript, a note, a dialog, the input, and a status line.

use crate::chat::Chat;
use crate::transcript::{self, StyledLine, dim};
use agentwire::permission::visible;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Paragraph, Wrap};

pub fn draw(frame: &mut Frame<'_>, chat: &Chat) {
    let note: Vec<StyledLine> = chat
        .note
        .lines()
        .map(|it| (dim(), visible::line(it).into_owned()))
        .collect();
    let dialog = chat.dialog().map(|it| it.text(&chat.answers));
    let width = usize::from(frame.area().width);
    let dialog_height = dialog
        .as_ref()
        .map_or(0, |(_, lines)| height(lines, width.saturating_sub(2)) + 2);
    let [transcript, noted, asked, input, status] = Layout::vertical([
        Constraint::Fill(1),
        Constraint::Length(height(&note, width)),
        Constraint::Length(dialog_height),
        Constraint::Length(2),
        Constraint::Length(1),
    ])
    .areas(frame.area());

    let (width, height) = (transcript.width.into(), transcript.height.into());
    let lines = transcript::tail(&chat.view, width, height, chat.scrolled);
    frame.render_widget(paragraph(lines), transcript);
    frame.render_widget(paragraph(note), noted);
    if let Some((title, lines)) = dialog {
        let block = Block::bordered().title(title);
        let block = block.border_style(Style::new().fg(Color::Yellow));
        frame.render_widget(paragraph(lines).block(block), asked);
    }
    draw_input(frame, chat, input);
    frame.render_widget(Paragraph::new(status_line(chat)).style(dim()), status);
}

fn paragraph(lines: Vec<StyledLine>) -> Paragraph<'static> {
    let lines = lines
        .into_iter()
        .map(|(style, line)| Line::styled(line, style));
    Paragraph::new(lines.collect::<Vec<_>>()).wrap(Wrap { trim: false })
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

fn status_line(chat: &Chat) -> String {
    let state = match (chat.dialog(), chat.is_running()) {
        (Some(_), _) => "waiting for you",
        (None, true) => "running",
        (None, false) => "idle",
    };
    let model = chat.view.session().model.as_deref().unwrap_or_default();
    let (cost_usd, priority) = (chat.cost_usd(), &chat.priority);
    format!("{state} | {model} | {cost_usd:.4} USD | Tab: {priority} | /help")
}

/// Returns the number of rows that lines take.
fn height(lines: &[StyledLine], width: usize) -> u16 {
    let lines = lines.iter();
    let rows = lines.map(|(_, line)| textwrap::wrap(line, width.max(1)).len());
    rows.sum::<usize>() as u16
}
