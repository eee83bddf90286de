//! The running turn.

use agentwire_protocol::host::TurnEnd;
use std::sync::Arc;
use tokio::sync::watch;

/// The driver's side of a running turn.
#[derive(Debug)]
pub(crate) struct OpenTurn(watch::Sender<Option<Arc<TurnEnd>>>);

/// An observer's side of a turn.
#[derive(Debug, Clone)]
pub(crate) struct TurnWatch {
    pub(crate) number: u64,
    end: watch::Receiver<Option<Arc<TurnEnd>>>,
}

impl OpenTurn {
    pub(crate) fn begin(number: u64) -> (Self, TurnWatch) {
        let (turn, end) = watch::channel(None);
        (Self(turn), TurnWatch { number, end })
    }

    pub(crate) fn end(self, end: &TurnEnd) {
        self.0.send_replace(Some(Arc::new(end.clone())));
    }
}

impl PartialEq for TurnWatch {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl TurnWatch {
    pub(crate) fn is_over(&self) -> bool {
        self.end.borrow().is_some()
    }

    /// Waits for the end of the turn; `None` if the runtime is shut down first.
    pub(crate) async fn ended(mut self) -> Option<Arc<TurnEnd>> {
        self.end.wait_for(Option::is_some).await.ok()?.clone()
    }
}
