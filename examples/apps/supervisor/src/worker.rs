//! A worker runs a session with one task. The user can restart it.

use crate::status::{State, Status};
use agentwire::Options;
use agentwire_pool::ledger::Ledger;
use agentwire_pool::{Pool, Ticket};
use std::sync::Arc;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;

/// The program's handle of a worker.
pub struct Worker {
    pub task: String,
    status: watch::Receiver<Status>,
    restart: mpsc::Sender<()>,
    ticket: Ticket,
    ledger: Ledger,
}

/// The state that all workers share.
#[derive(Clone)]
pub struct Shared {
    pub pool: Pool,
    /// The cost of each task.
    pub ledger: Ledger,
    pub options: Options,
    /// Notified when the status of a worker changes.
    pub changed: Arc<Notify>,
    /// True when the program stops.
    pub stop: watch::Receiver<bool>,
}

/// The end of a session.
enum End {
    Restarted,
    Stopped,
    /// The session failed for this reason.
    Failed(String),
}

impl Shared {
    /// Waits until the program stops.
    async fn stopped(&self) {
        let mut stop = self.stop.clone();
        // If its sender was dropped, the program has also stopped.
        drop(stop.wait_for(|it| *it).await);
    }
}

impl Worker {
    /// Starts a worker, which runs until `stop`.
    pub fn start(task: String, shared: Shared, running: &mut JoinSet<()>) -> Self {
        let (updates, status) = watch::channel(Status::new(0));
        // One pending request is enough, however often the key is pressed.
        let (restart, restarts) = mpsc::channel(1);
        let (ticket, ledger) = (Ticket::default(), shared.ledger.clone());
        let run = Run {
            task: task.clone(),
            shared,
            status: updates,
            restarts,
            ticket: ticket.clone(),
        };
        running.spawn(run.run());
        Self {
            task,
            status,
            restart,
            ticket,
            ledger,
        }
    }

    pub fn status(&self) -> Status {
        let mut status = self.status.borrow().clone();
        if let Some(place) = self.ticket.place() {
            status.state = State::Waiting(place.ahead);
        }
        status.cost = self.ledger.tenant(&self.task).cost;
        status
    }

    /// Ends the session at once, and starts a new one with the same task.
    pub fn restart(&self) {
        // If the channel is full, a restart is pending. If it is closed, the program
        // stops.
        let _ = self.restart.try_send(());
    }
}

struct Run {
    task: String,
    shared: Shared,
    status: watch::Sender<Status>,
    restarts: mpsc::Receiver<()>,
    /// The place in the pool's queue.
    ticket: Ticket,
}

impl Run {
    async fn run(mut self) {
        for restarts in 0.. {
            self.update(|status| *status = Status::new(restarts));
            match self.session().await {
                End::Restarted => continue,
                End::Stopped => return,
                End::Failed(why) => self.update(|status| status.state = State::Ended(why)),
            }
            tokio::select! {
                () = self.shared.stopped() => return,
                restart = self.restarts.recv() => if restart.is_none() { return },
            }
        }
    }

    async fn session(&mut self) -> End {
        let shared = self.shared.clone();
        let caller = self
            .shared
            .pool
            .caller()
            .tenant(&self.task)
            .ticket(&self.ticket);
        let connecting = caller.connect(self.shared.options.clone());
        let mut client = tokio::select! {
            client = connecting => match client {
                Ok(client) => client,
                Err(error) => return End::Failed(error.to_string()),
            },
            () = shared.stopped() => return End::Stopped,
        };
        client.send(self.task.as_str());
        loop {
            tokio::select! {
                event = client.next() => match event {
                    Some(Ok(event)) => self.update(|status| status.event(&event)),
                    Some(Err(error)) => return End::Failed(error.to_string()),
                    None => return End::Failed("the agent closed the session".to_owned()),
                },
                _ = self.restarts.recv() => {
                    client.abort().await;
                    return End::Restarted;
                }
                () = shared.stopped() => break,
            }
        }
        self.update(|status| status.state = State::Closing);
        client.close().await;
        while let Some(Ok(event)) = client.next().await {
            self.update(|status| status.event(&event));
        }
        End::Stopped
    }

    fn update(&self, change: impl FnOnce(&mut Status)) {
        self.status.send_modify(change);
        self.shared.changed.notify_one();
    }
}
