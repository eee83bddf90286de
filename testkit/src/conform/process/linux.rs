use super::marked::Marked;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// The processes that have this variable in their environment, but for
/// zombies.
pub(super) fn marked(mark: &OsStr) -> Vec<Marked> {
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let has_mark = |folder: &Path| {
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|it| it == mark.as_encoded_bytes())
    };
    let mut marked = Vec::new();
    for process in processes.flatten() {
        let name = process.file_name();
        if let Some(pid) = name.to_str().and_then(|name| name.parse().ok())
            && has_mark(&process.path())
        {
            let argv = fs::read(process.path().join("cmdline")).unwrap_or_default();
            let argv = String::from_utf8_lossy(&argv).replace('\0', " ");
            let argv = argv.trim_end().to_owned();
            marked.push(Marked { pid, argv });
        }
    }
    marked
}
