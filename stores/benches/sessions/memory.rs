//! Measures the memory of this process. Linux only.

use std::fs;

/// Kilobytes that are resident now.
pub(crate) fn resident() -> u64 {
    status("VmRSS:")
}

/// Returns the peak of the resident memory since [`forget_peak`].
#[allow(dead_code, reason = "each benchmark uses a part of it")]
pub(crate) fn peak() -> u64 {
    status("VmHWM:")
}

#[allow(dead_code, reason = "each benchmark uses a part of it")]
pub(crate) fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").expect("/proc/self/clear_refs takes it");
}

fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has /proc");
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .expect("a number of kilobytes")
}
