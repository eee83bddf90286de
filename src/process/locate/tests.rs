#![allow(clippy::unwrap_used)]

use super::*;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, mode: u32) -> PathBuf {
        self.text(name, mode, "")
    }

    fn text(&self, name: &str, mode: u32, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// Variables with folders inside this one.
    fn surroundings(&self, is_windows: bool, variables: &[(&str, &str)]) -> Surroundings {
        let named = |(name, place): &(&str, &str)| ((*name).to_owned(), self.path(place));
        let variables: std::collections::BTreeMap<_, _> = variables.iter().map(named).collect();
        Surroundings {
            is_windows,
            home: Some(self.path("home")),
            variable: Box::new(move |name| variables.get(name).map(OsString::from)),
        }
    }

    fn surroundings_with(&self, variable: Option<&str>) -> Surroundings {
        let variable = variable.map(|place| (VARIABLE, place));
        let all: Vec<_> = variable.into_iter().chain([("PATH", "bin")]).collect();
        self.surroundings(false, &all)
    }

    fn windows(&self) -> Surroundings {
        let all = [
            ("PATH", "bin"),
            ("APPDATA", "home/AppData/Roaming"),
            ("USERPROFILE", "home"),
        ];
        self.surroundings(true, &all)
    }
}

/// Locates the CLI without how it was found.
fn find(explicit: Option<&Path>, around: &Surroundings) -> Result<Cli, CliNotFound> {
    super::find(explicit, around).map(|(cli, _)| cli)
}

fn direct_cli(file: PathBuf) -> Result<Cli, CliNotFound> {
    Ok(Cli { file, node: None })
}

fn node_cli(node: PathBuf, file: PathBuf) -> Result<Cli, CliNotFound> {
    let node = Some(node);
    Ok(Cli { file, node })
}

#[test]
fn an_explicit_path_precedes_the_variable_which_precedes_the_path() {
    let folder = Folder::new();
    let (explicit, variable) = (folder.file("a/x", 0o755), folder.file("b/y", 0o755));
    let on_path = folder.file("bin/claude", 0o755);
    let around = folder.surroundings_with(Some("b/y"));
    assert_eq!(find(Some(&explicit), &around), direct_cli(explicit));
    assert_eq!(find(None, &around), direct_cli(variable));
    let around = folder.surroundings_with(None);
    assert_eq!(find(None, &around), direct_cli(on_path.clone()));
    let named = find(Some(Path::new("claude")), &around);
    assert_eq!(named, direct_cli(on_path));
}

#[test]
fn it_is_reported_how_the_cli_was_found() {
    let folder = Folder::new();
    folder.file("home/.claude/local/claude", 0o755);
    let source = |explicit: Option<&Path>, variable| {
        let found = super::find(explicit, &folder.surroundings_with(variable));
        found.unwrap().1
    };
    assert_eq!(source(None, None), CliSource::InstallFolder);
    folder.file("bin/claude", 0o755);
    assert_eq!(source(None, None), CliSource::Path);
    assert_eq!(source(None, Some("bin/claude")), CliSource::Variable);
    let named = Path::new("claude");
    assert_eq!(source(Some(named), None), CliSource::Option);
}

#[test]
fn the_usual_folders_are_searched_last() {
    let folder = Folder::new();
    let installed = folder.file("home/.claude/local/claude", 0o755);
    folder.file("bin/claude", 0o644);
    assert_eq!(
        find(None, &folder.surroundings_with(None)),
        direct_cli(installed)
    );
}

#[test]
fn without_a_path_the_cli_is_found_in_installers_folders() {
    for place in [
        "home/.local/bin/claude",
        "home/.local/share/pnpm/claude",
        "home/Library/pnpm/claude",
        "home/.bun/bin/claude",
        "home/.volta/bin/claude",
        "home/.nvm/versions/node/v20.1.0/bin/claude",
        "home/.local/share/fnm/node-versions/v22.0.0/installation/bin/claude",
        "pnpm/claude",
        "nvm/versions/node/v18.0.0/bin/claude",
    ] {
        let folder = Folder::new();
        let installed = folder.file(place, 0o755);
        let around = folder.surroundings(false, &[("PNPM_HOME", "pnpm"), ("NVM_DIR", "nvm")]);
        assert_eq!(find(None, &around), direct_cli(installed));
    }
}

#[test]
fn the_newest_version_of_node_is_used() {
    let folder = Folder::new();
    let place = |version: &str| format!("home/.nvm/versions/node/{version}/bin/claude");
    folder.file(&place("v9.11.2"), 0o755);
    let newest = folder.file(&place("v22.2.0"), 0o755);
    folder.file(&place("v22.1.9"), 0o755);
    folder.file(&place("alias"), 0o755);
    let around = folder.surroundings(false, &[]);
    assert_eq!(find(None, &around), direct_cli(newest));
}

#[test]
fn node_scripts_are_started_with_the_node_of_their_installation() {
    let folder = Folder::new();
    let bin = "home/.nvm/versions/node/v20.1.0/bin";
    let text = "#!/usr/bin/env node\nconsole.log('\u{1f980}')\n";
    let script = folder.text(&format!("{bin}/claude"), 0o755, text);
    let node = folder.file(&format!("{bin}/node"), 0o755);
    let on_path = folder.file("bin/node", 0o755);
    let around = folder.surroundings_with(None);
    assert_eq!(find(None, &around), node_cli(node.clone(), script.clone()));
    std::fs::remove_file(node).unwrap();
    let found = find(None, &around).unwrap();
    let command = found.command();
    assert_eq!(command.get_program(), on_path.as_os_str());
    assert_eq!(command.get_args().collect::<Vec<_>>(), [script.as_os_str()]);

    // A file that is set explicitly need not be executable.
    let named = folder.text("lib/cli.js", 0o644, text);
    assert_eq!(
        find(Some(&named), &around),
        node_cli(on_path.clone(), named.clone())
    );
    std::fs::remove_file(on_path).unwrap();
    let around = folder.surroundings(false, &[]);
    // The machine may have Node in /usr/bin.
    if let Err(missing) = find(Some(&named), &around) {
        assert!(
            missing.looked[0].ends_with("cli.js`: it is a Node script, and Node was not found")
        );
    }
}

/// The relevant parts of the shims of npm, pnpm and older npm.
const SHIMS: [&str; 4] = [
    "@ECHO off\r\nSETLOCAL\r\nIF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n)\r\n\"%_prog%\"  \"%dp0%\\node_modules\\claude\\TARGET\" %*\r\n",
    "@IF EXIST \"%~dp0\\node.exe\" (\r\n  \"%~dp0\\node.exe\"  \"%~dp0\\.\\node_modules\\claude\\TARGET\" %*\r\n)\r\n",
    "#!/usr/bin/env pwsh\n$exe=\"\"\n& \"$basedir/node$exe\"  \"$basedir/node_modules/claude/TARGET\" $args\n",
    "#!/bin/sh\nexec \"$basedir/node\"  \"$basedir/node_modules/claude/TARGET\" \"$@\"\n",
];

#[test]
fn on_windows_the_program_of_a_shim_is_started() {
    for (shim, name) in SHIMS
        .iter()
        .zip(["claude.cmd", "claude.cmd", "claude.ps1", "claude"])
    {
        let folder = Folder::new();
        let npm = "home/AppData/Roaming/npm";
        let shim_file = folder.text(
            &format!("{npm}/{name}"),
            0o755,
            &shim.replace("TARGET", "cli.js"),
        );
        let script = folder.file(&format!("{npm}/node_modules/claude/cli.js"), 0o644);
        let node = folder.file(&format!("{npm}/node.exe"), 0o755);
        let around = folder.windows();
        let Cli { file, node: found } = find(Some(&shim_file), &around).unwrap();
        assert_eq!(file.canonicalize().unwrap(), script);
        assert_eq!(found, Some(node));
        if name == "claude.cmd" {
            assert!(find(None, &around).is_ok(), "npm's folder is a usual place");
        }

        let folder = Folder::new();
        let shim_file = folder.text(
            &format!("bin/{name}"),
            0o755,
            &shim.replace("TARGET", "bin\\claude.exe"),
        );
        let executable = folder.file("bin/node_modules/claude/bin/claude.exe", 0o755);
        let Cli { file, node } = find(Some(&shim_file), &folder.windows()).unwrap();
        assert_eq!(file.canonicalize().unwrap(), executable);
        assert_eq!(node, None);
    }
}

#[test]
fn on_windows_executables_precede_shims() {
    let folder = Folder::new();
    folder.text("bin/claude.cmd", 0o755, SHIMS[0]);
    let executable = folder.file("bin/claude.exe", 0o755);
    assert_eq!(find(None, &folder.windows()), direct_cli(executable));
}

#[test]
fn a_shim_without_a_program_is_an_error_with_advice() {
    for text in ["@echo off\r\nvolta run claude %*\r\n", SHIMS[0]] {
        let folder = Folder::new();
        let shim = folder.text("bin/claude.cmd", 0o755, text);
        folder.file("bin/node.exe", 0o755);
        for explicit in [None, Some(shim.as_path())] {
            let missing = find(explicit, &folder.windows()).unwrap_err();
            assert_eq!(missing.shim.as_ref(), Some(&shim));
            let text = missing.to_string();
            assert!(
                text.contains("the program that it starts was not found"),
                "{text}"
            );
            assert!(text.contains("set the path of the `claude.exe`"), "{text}");
        }
    }
}

#[test]
fn a_missing_explicit_cli_has_no_fallback_and_the_error_lists_the_places() {
    let folder = Folder::new();
    folder.file("bin/claude", 0o755);
    let data = folder.file("data", 0o644);
    let missing = find(
        Some(Path::new("/no/such/cli")),
        &folder.surroundings_with(None),
    )
    .unwrap_err();
    assert_eq!(
        missing.to_string(),
        "`Options::cli` is `/no/such/cli`: no such file"
    );
    let not_executable = find(None, &folder.surroundings_with(Some("data"))).unwrap_err();
    let expected = format!(
        "`AGENTWIRE_CLI` is `{}`: it is not executable (`chmod +x`)",
        data.display()
    );
    assert_eq!(not_executable.to_string(), expected);
    let directory = find(
        Some(data.parent().unwrap()),
        &folder.surroundings_with(None),
    )
    .unwrap_err();
    let text = directory.to_string();
    assert!(text.ends_with("`: it is a directory"), "{text}");
    let unknown = find(
        Some(Path::new("no-such-cli")),
        &folder.surroundings_with(None),
    )
    .unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "`Options::cli` is `no-such-cli`: not on the PATH"
    );

    let empty = Folder::new();
    let nowhere = find(None, &empty.surroundings_with(None));
    // If the machine has a CLI in /usr/local/bin, there is no error.
    if let Err(nowhere) = nowhere {
        let text = nowhere.to_string();
        for place in [
            "AGENTWIRE_CLI",
            "on the PATH",
            ".claude/local/claude",
            "/usr/local/bin/claude",
        ] {
            assert!(text.contains(place), "{text}");
        }
        // One place per line.
        assert_eq!(text.lines().count(), nowhere.looked.len() + 2, "{text}");
    }
}
