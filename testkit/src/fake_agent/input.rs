//! Reads standard input on a separate thread.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// An input from the host.
#[derive(Debug)]
pub(crate) enum Received {
    /// Bytes of standard input. An empty chunk marks the end of the input.
    Bytes(Vec<u8>),
    /// The signal SIGINT.
    Interrupt,
}

/// Bytes and signals, in order of arrival.
#[derive(Debug)]
pub(crate) struct Input {
    receiver: Receiver<Received>,
    /// Keeps the channel open, so that input which is not read yet does not
    /// look ended.
    sender: Sender<Received>,
    is_stopped: Arc<AtomicBool>,
    pub(crate) is_open: bool,
}

impl Input {
    /// Creates an input. Reading has not started.
    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self {
            receiver,
            sender,
            is_stopped: Arc::default(),
            is_open: true,
        }
    }

    /// Starts to read standard input, unless the input is stopped.
    pub(crate) fn read(&self) {
        if self.is_stopped.load(Ordering::Acquire) {
            return;
        }
        let (sender, is_stopped) = (self.sender.clone(), Arc::clone(&self.is_stopped));
        std::thread::spawn(move || {
            let mut stdin = io::stdin().lock();
            let mut chunk = vec![0; 64 * 1024];
            while !is_stopped.load(Ordering::Acquire) {
                // An error counts as the end of the input.
                let length = stdin.read(&mut chunk).unwrap_or_default();
                let bytes = Received::Bytes(chunk[..length].to_vec());
                if sender.send(bytes).is_err() || length == 0 {
                    return;
                }
            }
        });
    }

    /// Stops reading. Input of a read in progress is discarded.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
    }

    /// Returns a function that queues an interrupt.
    pub(crate) fn interrupter(&self) -> impl FnMut() + Send + use<> {
        let sender = self.sender.clone();
        // Without a receiver, the process is exiting.
        move || drop(sender.send(Received::Interrupt))
    }

    /// Returns the next input. Returns `None` if none arrives in this time.
    pub(crate) fn next(&self, wait: Option<Duration>) -> Option<Received> {
        loop {
            let read = match wait {
                Some(wait) => self.receiver.recv_timeout(wait),
                None => self
                    .receiver
                    .recv()
                    .map_err(|_| RecvTimeoutError::Disconnected),
            };
            match read {
                Ok(Received::Bytes(_)) if self.is_stopped.load(Ordering::Acquire) => {}
                Ok(received) => return Some(received),
                Err(_) => return None,
            }
        }
    }
}
