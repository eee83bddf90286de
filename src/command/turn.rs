//! The turn that runs.

use agentwire_protocol::host::TurnEnd;
use std::sync::Arc;
use tokio::sync::watch;

/// A turn that runs, as the driver knows it.
#[derive(Debug)]
pub(crate) struct OpenTurn(watch::Sender<Option<Arc<TurnEnd>>>);

/// A turn, for who wants to know how it ends.
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

impl TurnWatch {
    pub(crate) fn is_over(&self) -> bool {
        self.end.borrow().is_some()
    }

    /// How the turn ended, once it has; `None`, when the runtime went first.
    pub(crate) async fn ended(mut self) -> Option<Arc<TurnEnd>> {
        self.end.wait_for(Option::is_some).await.ok()?.clone()
    }
}
