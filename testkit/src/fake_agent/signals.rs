//! The signals that the real CLI handles: SIGINT, SIGHUP and SIGTERM.
//!
//! SIGINT interrupts the turn, and then the process exits. On SIGHUP and
//! SIGTERM the process exits immediately, with status 128 plus the signal's
//! number.

pub(super) use system::Signals;

#[cfg(unix)]
mod system {
    use crate::agent::Profile;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::{register_conditional_default, register_conditional_shutdown};
    use signal_hook::low_level::pipe;
    use std::io::{self, Read};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The signal handlers of this process.
    #[derive(Debug)]
    pub(in super::super) struct Signals {
        dies_of_sigterm: Arc<AtomicBool>,
    }

    impl Signals {
        /// Installs the handlers that this version of the CLI has. Each SIGINT
        /// calls `interrupt` on a separate thread.
        pub(in super::super) fn handle(
            profile: Profile,
            mut interrupt: impl FnMut() + Send + 'static,
        ) -> io::Result<Self> {
            let dies_of_sigterm = Arc::new(AtomicBool::new(true));
            register_conditional_shutdown(SIGTERM, 128 + SIGTERM, Arc::clone(&dies_of_sigterm))?;
            if profile == Profile::V2_0_77 {
                // 2.0.77 exits immediately on SIGINT. SIGHUP kills it even if
                // its parent ignores the signal, as under `nohup`.
                let always = Arc::new(AtomicBool::new(true));
                register_conditional_shutdown(SIGINT, 0, Arc::clone(&always))?;
                register_conditional_default(SIGHUP, always)?;
                return Ok(Self { dies_of_sigterm });
            }
            let always = Arc::new(AtomicBool::new(true));
            register_conditional_shutdown(SIGHUP, 128 + SIGHUP, always)?;
            let (mut signals, signal) = UnixStream::pair()?;
            pipe::register(SIGINT, signal)?;
            std::thread::spawn(move || {
                while signals.read_exact(&mut [0]).is_ok() {
                    interrupt();
                }
            });
            Ok(Self { dies_of_sigterm })
        }

        /// Ignores SIGTERM from now on.
        pub(in super::super) fn ignore_sigterm(&self) -> io::Result<()> {
            self.dies_of_sigterm.store(false, Ordering::Relaxed);
            Ok(())
        }
    }
}

#[cfg(not(unix))]
mod system {
    use crate::agent::Profile;
    use std::io;

    /// Signal handlers on a system without Unix signals. The system's defaults
    /// apply.
    #[derive(Debug)]
    pub(in super::super) struct Signals;

    impl Signals {
        pub(in super::super) fn handle(
            _: Profile,
            _: impl FnMut() + Send + 'static,
        ) -> io::Result<Self> {
            Ok(Self)
        }

        pub(in super::super) fn ignore_sigterm(&self) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}
