//! A clock that, unlike timers, runs while the machine is suspended.

use std::time::Duration;

/// Returns the time since boot.
#[cfg(unix)]
pub(crate) fn since_boot() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const CLOCK: ClockId = ClockId::Monotonic;
    clock_gettime(CLOCK).try_into().unwrap_or_default()
}

/// Returns the time since the first call, on systems without such a clock.
#[cfg(not(unix))]
pub(crate) fn since_boot() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
