//! Runs a session for each task, and shows them in a table.

mod status;
mod table;
mod worker;

use agentwire::ClosePolicy;
use agentwire::permission::visible;
use agentwire_pool::ledger::Ledger;
use agentwire_pool::{Limits, Pool};
use clap::Parser;
use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyModifiers};
use fake::Fake;
use futures::{Stream, StreamExt};
use ratatui::DefaultTerminal;
use status::Status;
use std::error::Error;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use worker::{Shared, Worker};

/// Runs a session for each task, and shows them in a table. SIGTERM stops all.
#[derive(Parser)]
struct Arguments {
    /// A file with a task on each line
    tasks: PathBuf,
    /// The directory in which the agents work
    #[arg(long, default_value = ".")]
    cwd: PathBuf,
    /// How many seconds running turns may take to finish when the program stops
    #[arg(long, default_value_t = 10)]
    grace: u64,
    /// How many agents may run at once; idle ones sleep while others wait
    #[arg(long, default_value_t = 8)]
    processes: usize,
    #[command(flatten)]
    fake: Fake,
}

fn main() -> Result<(), Box<dyn Error>> {
    fake::run_if_asked();
    let arguments = Arguments::parse();
    // The guard ends sessions that workers leave, for example after a panic.
    let _guard = agentwire::ExitGuard::new();
    tokio::runtime::Runtime::new()?.block_on(run(&arguments))
}

async fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let policy = ClosePolicy::default().finish(Duration::from_secs(arguments.grace));
    let options = arguments.fake.options(include_str!("../fake.json"))?;
    let (stop, stopping) = watch::channel(false);
    let ledger = Ledger::new();
    let shared = Shared {
        pool: Pool::with_ledger(Limits::new(arguments.processes), ledger.clone()),
        ledger,
        options: options.cwd(&arguments.cwd).close_policy(policy),
        changed: Arc::new(Notify::new()),
        stop: stopping,
    };
    let tasks = std::fs::read_to_string(&arguments.tasks)?;
    let tasks = tasks.lines().filter(|task| !task.trim().is_empty());
    let mut running = JoinSet::new();
    let workers: Vec<Worker> = tasks
        .map(|task| Worker::start(task.to_owned(), shared.clone(), &mut running))
        .collect();
    let mut sessions = Sessions {
        workers,
        running,
        changed: shared.changed,
        stop,
    };

    let signals = signals()?;
    let shown = if io::stdout().is_terminal() {
        let terminal = ratatui::init();
        let shown = sessions.show(terminal, signals).await;
        ratatui::restore();
        shown
    } else {
        sessions.print(signals).await;
        Ok(())
    };
    sessions.stop.send_replace(true);
    while sessions.running.join_next().await.is_some() {}
    println!("all sessions are closed");
    Ok(shown?)
}

struct Sessions {
    workers: Vec<Worker>,
    /// The tasks of the workers. Empty once all sessions are closed.
    running: JoinSet<()>,
    changed: Arc<Notify>,
    stop: watch::Sender<bool>,
}

/// The signals that ask the program to stop.
fn signals() -> io::Result<impl Stream<Item = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(futures::stream::poll_fn(move |context| {
        let signals = [&mut terminate, &mut interrupt, &mut hangup];
        let mut polled = signals.into_iter().map(|it| it.poll_recv(context));
        polled
            .find(std::task::Poll::is_ready)
            .unwrap_or(std::task::Poll::Pending)
    }))
}

impl Sessions {
    /// Shows the table until all sessions are closed.
    async fn show(
        &mut self,
        mut terminal: DefaultTerminal,
        mut signals: impl Stream<Item = ()> + Unpin,
    ) -> io::Result<()> {
        let mut keys = EventStream::new();
        // The displayed ages change every second.
        let mut seconds = tokio::time::interval(Duration::from_secs(1));
        let mut selected = 0;
        while !self.running.is_empty() {
            let is_stopping = *self.stop.borrow();
            terminal.draw(|frame| table::draw(frame, &self.workers, selected, is_stopping))?;
            tokio::select! {
                () = self.changed.notified() => {}
                _ = seconds.tick() => {}
                Some(_) = self.running.join_next() => {}
                _ = signals.next() => drop(self.stop.send_replace(true)),
                event = keys.next() => match event.transpose()? {
                    Some(Event::Key(key)) => self.key(key, &mut selected),
                    Some(_) => {}
                    // The terminal was closed.
                    None => drop(self.stop.send_replace(true)),
                },
            }
        }
        Ok(())
    }

    fn key(&self, key: KeyEvent, selected: &mut usize) {
        let last = self.workers.len().saturating_sub(1);
        match key.code {
            KeyCode::Up => *selected = selected.saturating_sub(1),
            KeyCode::Down => *selected = last.min(*selected + 1),
            KeyCode::Char('r') => self.workers[*selected].restart(),
            KeyCode::Char('q') => drop(self.stop.send_replace(true)),
            KeyCode::Char('c') if key.modifiers == KeyModifiers::CONTROL => {
                self.stop.send_replace(true);
            }
            _ => {}
        }
    }

    /// Prints a line for each change of a state until all sessions are closed. It is used
    /// without a terminal, for logs.
    async fn print(&mut self, mut signals: impl Stream<Item = ()> + Unpin) {
        let mut printed = vec![String::new(); self.workers.len()];
        loop {
            for (number, (worker, last)) in (1..).zip(self.workers.iter().zip(&mut printed)) {
                let Status {
                    state, turn, cost, ..
                } = worker.status();
                let state = visible::line(&state.to_string()).into_owned();
                if state != *last {
                    let (tokens, usd) = (cost.tokens.total(), cost.usd);
                    println!("{number}: {state}, turn {turn}, {tokens} tokens, {usd:.4} USD");
                    *last = state;
                }
            }
            if self.running.is_empty() {
                return;
            }
            tokio::select! {
                () = self.changed.notified() => {}
                Some(_) = self.running.join_next() => {}
                _ = signals.next() => drop(self.stop.send_replace(true)),
            }
        }
    }
}
