//! The resources that this process uses, from Linux.

use std::fs;

/// Returns the number in a line of `/proc/self/status`.
fn status(name: &str) -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|value| {
        value
            .trim_start_matches(':')
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    })
    .unwrap_or(f64::NAN)
}

/// Returns the resident memory.
pub fn resident_kb() -> f64 {
    status("VmRSS")
}

/// Returns the largest resident memory so far.
pub fn peak_kb() -> f64 {
    status("VmHWM")
}

/// Returns the CPU time of this process so far, in steps of ten milliseconds.
pub fn cpu_seconds() -> f64 {
    ticks(11)
}

/// Returns the CPU time of its children that have exited, and of their children.
pub fn exited_children_cpu_seconds() -> f64 {
    ticks(13)
}

/// Returns user plus system time. `field` is the field of `/proc/self/stat` with the user
/// time, counted from the end of the program's name, which may contain spaces.
fn ticks(field: usize) -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    let ticks = fields
        .skip(field)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Returns the number of open descriptors.
pub fn descriptors() -> f64 {
    fs::read_dir("/proc/self/fd").map_or(f64::NAN, |folder| folder.count() as f64)
}
