//! What this process uses, as Linux tells.

use std::fs;

/// The value of a line of `/proc/self/status`.
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

/// Resident memory.
pub fn resident_kb() -> f64 {
    status("VmRSS")
}

/// The most that was resident.
pub fn peak_kb() -> f64 {
    status("VmHWM")
}

/// What it has used of the processors so far, in steps of ten milliseconds.
pub fn cpu_seconds() -> f64 {
    ticks(11)
}

/// What its children have used that have exited, and theirs.
pub fn children_cpu_seconds() -> f64 {
    ticks(13)
}

/// User and system time, from this field of `/proc/self/stat` on, counted from
/// the name of the program, which may contain spaces.
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

/// How many descriptors are open.
pub fn descriptors() -> f64 {
    fs::read_dir("/proc/self/fd").map_or(f64::NAN, |folder| folder.count() as f64)
}
