//! A chat with an agent in the terminal.

mod chat;
mod dialog;
mod screen;
mod transcript;

use agentwire::{Client, Options};
use chat::Chat;
use clap::Parser;
use crossterm::event::EventStream;
use fake::Fake;
use futures::StreamExt;
use ratatui::DefaultTerminal;
use std::error::Error;
use std::path::PathBuf;
use tokio::sync::mpsc;

/// A chat with an agent in the terminal.
#[derive(Parser)]
struct Arguments {
    /// The model
    #[arg(long)]
    model: Option<String>,
    /// Resumes the session with this ID
    #[arg(long, value_name = "ID")]
    resume: Option<String>,
    /// Resumes the latest session of the directory
    #[arg(long = "continue", conflicts_with = "resume")]
    latest: bool,
    /// The directory in which the agent works
    #[arg(long, default_value = ".")]
    cwd: PathBuf,
    #[command(flatten)]
    fake: Fake,
}

impl Arguments {
    fn options(&self) -> std::io::Result<Options> {
        let mut options = self.fake.options(include_str!("../fake.json"))?;
        if let Some(model) = &self.model {
            options = options.model(model);
        }
        if let Some(id) = &self.resume {
            options = options.resume(id);
        }
        Ok(options
            .continue_latest(self.latest)
            .cwd(&self.cwd)
            .partial_messages(true)
            .forward_subagent_text(true)
            .requests_in_stream(true))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    fake::run_if_asked();
    let arguments = Arguments::parse();
    // Closes the session, whatever happens.
    let _guard = agentwire::ExitGuard::new();
    tokio::runtime::Runtime::new()?.block_on(run(arguments.options()?))
}

async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let mut client = Client::connect(options).await?;
    let terminal = ratatui::init();
    let ended = converse(terminal, &mut client).await;
    ratatui::restore();
    client.close().await;
    if let Some(id) = ended? {
        println!("To go on: chat --resume {id}");
    }
    Ok(())
}

/// Runs until the user or the agent ends the session. Returns its ID.
async fn converse(
    mut terminal: DefaultTerminal,
    client: &mut Client,
) -> Result<Option<String>, Box<dyn Error>> {
    let (notes, mut noted) = mpsc::unbounded_channel();
    let mut chat = Chat::new(client.handle(), notes);
    let mut keys = EventStream::new();
    while !chat.is_over() {
        terminal.draw(|frame| screen::draw(frame, &chat))?;
        tokio::select! {
            event = client.next() => match event {
                Some(event) => chat.event(&event?),
                None => break,
            },
            key = keys.next() => match key {
                Some(key) => chat.terminal_event(&key?),
                None => break,
            },
            Some(note) = noted.recv() => chat.note = note,
        }
    }
    Ok(chat.session_id().map(str::to_owned))
}
