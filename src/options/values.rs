//! Checks of single values and paths.

use super::{CommandLine, Options};
use crate::event::Error;
use std::path::{Path, PathBuf};

/// Flags whose value must not be empty, with their methods. Otherwise the CLI exits or ignores
/// the flag.
const NOT_EMPTY: [(&str, &str); 11] = [
    ("--add-dir", "additional_directories"),
    ("--agent", "agent"),
    ("--debug-file", "debug_file"),
    ("--effort", "effort"),
    ("--model", "model"),
    ("--permission-mode", "permission_mode"),
    ("--permission-prompt-tool", "permission_prompt_tool"),
    ("--resume", "resume"),
    ("--resume-drops-turn", "resume_drops_turn"),
    ("--resume-session-at", "resume_at"),
    ("--thinking-display", "thinking_display"),
];

const SETTINGS: &str = "--settings";
const SOURCES: &str = "--setting-sources";
const TASK_BUDGET: &str = "--task-budget";
const ROOT: &str = "--project-config-root";

impl Options {
    /// Rejects values that the CLI would refuse or silently ignore.
    pub(super) fn check_values(&self) -> Result<(), Error> {
        for argument in &self.arguments {
            let flag = argument.flag.as_str();
            let refused = |method: &str, problem: &str| Err(refusal(flag, method, problem));
            let Some(value) = argument.value.as_deref() else {
                continue;
            };
            if value.is_empty()
                && let Some((_, method)) = NOT_EMPTY.iter().find(|(it, _)| *it == flag)
            {
                return refused(method, "is empty");
            }
            let Some(value) = value.to_str() else {
                continue;
            };
            match flag {
                SETTINGS if value.trim().is_empty() => {
                    return refused("settings_file", "is empty");
                }
                SOURCES if !value.is_empty() => {
                    let mut sources = value.split(',').map(str::trim);
                    if let Some(other) =
                        sources.find(|it| !["user", "project", "local"].contains(it))
                    {
                        let problem =
                            format!("has `{other}`, which is not `user`, `project` or `local`");
                        return refused("setting_sources", &problem);
                    }
                }
                TASK_BUDGET if value == "0" => {
                    return refused("task_budget", "is 0; it must be greater than 0");
                }
                ROOT if !Path::new(value).has_root() => {
                    let problem = format!("is `{value}`, which is not an absolute path");
                    return refused("project_config_root", &problem);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl CommandLine {
    /// Rejects paths that do not exist although the CLI needs them at its start.
    pub(super) fn check_paths(&self) -> Result<(), Error> {
        if let Some(cwd) = self.cwd.as_deref().filter(|cwd| !cwd.is_dir()) {
            let problem = format!("is {}, which is not a directory", cwd.display());
            return Err(Error::option("cwd", problem));
        }
        for argument in &self.arguments {
            match argument.split_once('=') {
                // The flag also accepts JSON.
                Some((SETTINGS, value))
                    if !value.trim_start().starts_with('{') && !self.seen(value).is_file() =>
                {
                    let problem = format!("is {value}, which is not a file");
                    return Err(refusal(SETTINGS, "settings_file", &problem));
                }
                Some((ROOT, value)) if !self.seen(value).is_dir() => {
                    let problem = format!("is {value}, which is not a directory");
                    return Err(refusal(ROOT, "project_config_root", &problem));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Resolves a path against the CLI's working directory.
    fn seen(&self, path: &str) -> PathBuf {
        self.cwd.as_deref().unwrap_or(Path::new("")).join(path)
    }
}

fn refusal(flag: &str, method: &str, problem: &str) -> Error {
    Error::option(flag, format!("(`{method}`) {problem}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use agentwire_protocol::permission::PermissionMode;

    /// Returns the message of the refusal.
    fn refused(options: Options) -> String {
        options.command_line().unwrap_err().to_string()
    }

    #[test]
    fn empty_values_that_the_cli_refuses_or_ignores_are_refused_by_name() {
        type Set = fn(Options) -> Options;
        let all: [(&str, Set); 11] = [
            ("additional_directories", |it| {
                it.additional_directories([""])
            }),
            ("agent", |it| it.agent("")),
            ("debug_file", |it| it.debug_file("")),
            ("effort", |it| it.effort("".into())),
            ("model", |it| it.model("")),
            ("permission_mode", |it| {
                it.permission_mode(PermissionMode::from(""))
            }),
            ("permission_prompt_tool", |it| it.permission_prompt_tool("")),
            ("resume", |it| it.resume("")),
            ("resume_drops_turn", |it| {
                it.resume("a").resume_at("b").resume_drops_turn("")
            }),
            ("resume_at", |it| it.resume("a").resume_at("")),
            ("settings_file", |it| it.settings_file("")),
        ];
        for (method, set) in all {
            let text = refused(set(Options::new()));
            assert!(text.ends_with(&format!("(`{method}`) is empty")), "{text}");
        }
        // Here, an empty list or text has a meaning.
        let empty = Options::new()
            .setting_sources([])
            .tools([])
            .system_prompt("");
        empty.command_line().unwrap();
    }

    #[test]
    fn values_that_the_cli_refuses_are_refused_with_the_problem() {
        let sources = Options::new().setting_sources(["user", "usr"]);
        assert_eq!(
            refused(sources),
            "the option `--setting-sources` (`setting_sources`) has `usr`, which is not `user`, \
             `project` or `local`"
        );
        let budget = refused(Options::new().task_budget(0));
        assert!(budget.contains("greater than 0"), "{budget}");
        let root = refused(Options::new().project_config_root("here"));
        assert!(root.contains("not an absolute path"), "{root}");
        // Names in sets that newer CLIs may extend are passed on.
        let newer = Options::new().permission_mode(PermissionMode::from("newer"));
        newer.command_line().unwrap();
    }

    #[test]
    fn files_and_directories_that_the_cli_needs_at_its_start_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let file = refused(Options::new().settings_file(path.join("none.json")));
        assert!(
            file.contains("(`settings_file`) is ") && file.ends_with("is not a file"),
            "{file}"
        );
        let root = refused(Options::new().project_config_root(path.join("none")));
        assert!(root.ends_with("is not a directory"), "{root}");
        // The CLI resolves it against its working directory.
        std::fs::write(path.join("s.json"), "{}").unwrap();
        let options = Options::new().settings_file("s.json");
        refused(options.clone());
        options.cwd(path).command_line().unwrap();
        // JSON is not a path, and a CLI spawned elsewhere is not checked here.
        Options::new()
            .flag_value("--settings", "{}")
            .command_line()
            .unwrap();
        Options::new()
            .settings_file("/none.json")
            .arguments()
            .unwrap();
    }
}
