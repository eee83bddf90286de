//! Standard input, read beside what the script does.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// An input from the host.
#[derive(Debug)]
pub(super) enum Heard {
    /// Bytes. Without any, the input is over.
    Bytes(Vec<u8>),
    /// SIGINT.
    Interrupt,
}

/// Bytes and signals, in order of arrival.
#[derive(Debug)]
pub(super) struct Input {
    receiver: Receiver<Heard>,
    /// Keeps an input that nobody reads from looking like one that is over.
    sender: Sender<Heard>,
    is_left: Arc<AtomicBool>,
    pub(super) is_open: bool,
}

impl Input {
    /// Reads nothing yet.
    pub(super) fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self {
            receiver,
            sender,
            is_left: Arc::default(),
            is_open: true,
        }
    }

    /// Begins to read, unless it is to be left.
    pub(super) fn read(&self) {
        if self.is_left.load(Ordering::Acquire) {
            return;
        }
        let (sender, is_left) = (self.sender.clone(), Arc::clone(&self.is_left));
        std::thread::spawn(move || {
            let mut stdin = io::stdin().lock();
            let mut chunk = vec![0; 64 * 1024];
            while !is_left.load(Ordering::Acquire) {
                // An input that fails is over.
                let length = stdin.read(&mut chunk).unwrap_or_default();
                let bytes = Heard::Bytes(chunk[..length].to_vec());
                if sender.send(bytes).is_err() || length == 0 {
                    return;
                }
            }
        });
    }

    /// Reads nothing any more. What is being read is thrown away.
    pub(super) fn leave(&self) {
        self.is_left.store(true, Ordering::Release);
    }

    /// Returns a function that queues an interrupt.
    pub(super) fn interrupter(&self) -> impl FnMut() + Send + use<> {
        let sender = self.sender.clone();
        // Without a receiver, the process is exiting.
        move || drop(sender.send(Heard::Interrupt))
    }

    /// Returns the next input, or `None` after this time.
    pub(super) fn next(&self, wait: Option<Duration>) -> Option<Heard> {
        loop {
            let read = match wait {
                Some(wait) => self.receiver.recv_timeout(wait),
                None => self
                    .receiver
                    .recv()
                    .map_err(|_| RecvTimeoutError::Disconnected),
            };
            match read {
                Ok(Heard::Bytes(_)) if self.is_left.load(Ordering::Acquire) => {}
                Ok(heard) => return Some(heard),
                Err(_) => return None,
            }
        }
    }
}
