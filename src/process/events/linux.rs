use crate::process::signal::{Signal, raw};
use rustix::buffer::spare_capacity;
use rustix::event::{EventfdFlags, Timespec, epoll, eventfd};
use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

/// The event number of a wake-up, distinct from all children's.
const WAKE: u64 = u64::MAX;

/// The most events that are read at once.
const AT_ONCE: usize = 256;

/// A watched child: its exit is reported as an event.
#[derive(Debug)]
pub(in crate::process) struct Watched(OwnedFd);

impl Watched {
    /// Watches the process `pid`. Returns `None` if the system does not support that.
    pub(in crate::process) fn new(pid: u32) -> Option<Self> {
        pidfd_open(raw(pid)?, PidfdFlags::empty()).ok().map(Self)
    }

    /// Sends a signal to the child, and never to another process, even if the
    /// child was already reaped.
    pub(in crate::process) fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(pidfd_send_signal(&self.0, signal.on_unix())?)
    }
}

/// The closer's event queue.
#[derive(Debug)]
pub(in crate::process) struct Events {
    epoll: OwnedFd,
    wake: OwnedFd,
}

impl Events {
    pub(in crate::process) fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let data = epoll::EventData::new_u64(WAKE);
        epoll::add(&epoll, &wake, data, epoll::EventFlags::IN)?;
        Ok(Self { epoll, wake })
    }

    /// Reports the exit of `child` once, as an event with this number.
    pub(in crate::process) fn watch(&self, child: &Watched, number: u64) -> io::Result<()> {
        let data = epoll::EventData::new_u64(number);
        let flags = epoll::EventFlags::IN | epoll::EventFlags::ONESHOT;
        Ok(epoll::add(&self.epoll, &child.0, data, flags)?)
    }

    /// Makes [`wait`](Self::wait) return.
    pub(in crate::process) fn wake(&self) {
        // Fails only if many wake-ups are pending, and one is enough.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Waits for an event or the timeout. Returns the children that have
    /// exited.
    pub(in crate::process) fn wait(&self, limit: Option<Duration>) -> Vec<u64> {
        let limit = limit.map(|limit| {
            // The system accepts whole milliseconds. At most a day.
            let milliseconds = limit.as_micros().div_ceil(1_000).min(86_400_000);
            let limit = Duration::from_millis(u64::try_from(milliseconds).unwrap_or(u64::MAX));
            Timespec::try_from(limit).unwrap_or_default()
        });
        let mut events = Vec::with_capacity(AT_ONCE);
        // An interruption counts as a wake-up.
        let _ = epoll::wait(&self.epoll, spare_capacity(&mut events), limit.as_ref());
        let mut numbers: Vec<u64> = events.iter().map(|event| event.data.u64()).collect();
        if numbers.contains(&WAKE) {
            numbers.retain(|number| *number != WAKE);
            let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        }
        numbers
    }
}
