//! Measures the processes of a pool from outside.

/// Returns the number of processes that this process has started with this environment variable,
/// and the resident kilobytes of all that have it.
pub(crate) fn seen(variable: &str) -> (usize, u64) {
    let own = std::process::id().to_string();
    let (mut processes, mut kilobytes) = (0, 0_u64);
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let path = entry.path();
        let read = |name: &str| std::fs::read_to_string(path.join(name)).unwrap_or_default();
        if !read("environ").split('\0').any(|it| it == variable) {
            continue;
        }
        let status = read("status");
        let value = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_default().trim().to_owned()
        };
        processes += usize::from(value("PPid:") == own);
        let resident = value("VmRSS:");
        kilobytes += resident.trim_end_matches(" kB").parse().unwrap_or(0);
    }
    (processes, kilobytes)
}

/// Returns a number of the environment, such as that of the sessions. The documentation shows what
/// larger ones give.
pub(crate) fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |it| it.parse().unwrap())
}
