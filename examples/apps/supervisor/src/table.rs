//! Draws the live table.

use crate::worker::Worker;
use agentwire::permission::visible;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Paragraph, Row, Table, TableState};

const HELP: &str = "Up, Down: select | r: restart | q: stop all and quit";

pub fn draw(frame: &mut Frame<'_>, workers: &[Worker], selected: usize, is_stopping: bool) {
    let [table, help] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(frame.area());
    let header = [
        "", "task", "state", "turn", "tokens", "USD", "age", "restarts",
    ];
    let widths = [
        Constraint::Length(3),
        Constraint::Fill(1),
        Constraint::Fill(1),
        Constraint::Length(4),
        Constraint::Length(8),
        Constraint::Length(7),
        Constraint::Length(6),
        Constraint::Length(8),
    ];
    let rows = (1..)
        .zip(workers)
        .map(|(number, worker)| row(number, worker));
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let table_widget = Table::new(rows, widths)
        .header(Row::new(header).style(bold))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected(selected);
    frame.render_stateful_widget(table_widget, table, &mut state);
    let help_text = if is_stopping {
        "stopping: running turns may finish"
    } else {
        HELP
    };
    frame.render_widget(Paragraph::new(help_text), help);
}

fn row(number: usize, worker: &Worker) -> Row<'static> {
    let status = worker.status();
    let seconds = status.age().as_secs();
    Row::new([
        number.to_string(),
        visible::line(&worker.task).into_owned(),
        visible::line(&status.state.to_string()).into_owned(),
        status.turn.to_string(),
        status.cost.tokens.total().to_string(),
        format!("{:.4}", status.cost.usd),
        format!("{}:{:02}", seconds / 60, seconds % 60),
        status.restarts.to_string(),
    ])
}
