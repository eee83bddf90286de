//! Rules about paths.

use super::*;

#[test]
fn rules_apply_to_the_targets_of_links() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    std::fs::create_dir_all(work.join("src")).unwrap();
    std::fs::write(folder.path().join("outside"), "").unwrap();
    std::os::unix::fs::symlink(folder.path(), work.join("src/out")).unwrap();
    std::os::unix::fs::symlink(work.join("nowhere"), work.join("src/broken")).unwrap();
    let rules = |allow: &[&str], deny: &[&str]| {
        let rules = Rules::builder().working_directory(&work);
        let rules = rules
            .allow(allow.iter().copied())
            .deny(deny.iter().copied());
        rules.build().unwrap()
    };
    let write = |path: &str| CanUseTool::new("Write", json!({"file_path": path}));
    let allowing = rules(&["Edit(src/**)"], &[]);
    assert!(allows(&allowing, &write("src/new")));
    assert!(allows(
        &allowing,
        &write(work.join("src/new").to_str().unwrap())
    ));
    for path in ["src/../new", "src/out/outside", "src/out/new", "src/broken"] {
        assert!(!allows(&allowing, &write(path)), "{path}");
    }
    let outside = format!("Edit(/{})", folder.path().join("outside").display());
    let denying = rules(&[], &[&outside]);
    assert!(denies(&denying, &write("src/out/outside")));
    assert!(denies(&denying, &write("../outside")));
    assert!(denies(&denying, &bash("echo x >src/out/outside")));
    assert!(denies(&denying, &bash("cd src && echo x >out/outside")));
    assert!(!denies(&denying, &write("src/new")));
}

#[test]
fn paths_that_depend_on_the_process_are_denied() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    let home = folder.path().join("home");
    std::fs::create_dir_all(work.join("secrets")).unwrap();
    std::fs::create_dir_all(&home).unwrap();
    for (link, target) in [
        ("cwd", "/proc/self/cwd"),
        ("system", "/proc"),
        ("twice", "system/self"),
        ("input", "/dev/stdin"),
        ("null", "/dev/null"),
    ] {
        std::os::unix::fs::symlink(target, work.join(link)).unwrap();
    }
    let project = work.clone();
    let rules = || Rules::builder().working_directory(&work).home(&home);
    let read = |path: &str| CanUseTool::new("Read", json!({"file_path": path}));
    let magic = [
        "/proc/self/cwd/secrets/key.txt",
        "/proc/thread-self/root/etc/passwd",
        "/proc/1/root/etc/passwd",
        "/proc",
        "//proc/self/environ",
        "/proc/../proc/self/fd/3",
        "/proc/self/../cpuinfo",
        "/proc/../etc/passwd",
        "/./none/../proc/self/cwd/x",
        "/dev/fd/3",
        "/dev/../dev//fd/3",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
        "cwd/secrets/key.txt",
        "system/self/root/etc/passwd",
        "system/..",
        "twice/cwd/x",
        "input",
    ];
    let harmless = [
        "/dev/null",
        "/dev/zero",
        "/dev/tty",
        "/dev/fdx",
        "/procx/self",
        "null",
        "proc/self",
        "dev/stdin",
        "src/new",
    ];
    for rule in [
        "Read(./secrets/**)",
        "Edit(~/.ssh)",
        "Read(//etc/shadow)",
        "Edit(**/*.pem)",
    ] {
        let denying = rules().deny([rule]).build().unwrap();
        let asking = rules().ask([rule]).build().unwrap();
        for path in magic {
            let calls = [
                CanUseTool::new("Write", json!({"file_path": path})),
                bash(&format!("cat {path}")),
                bash(&format!("cp --from='{path}' x")),
                bash(&format!("cat <{path}")),
                bash(&format!("sh -c 'cat {path}'")),
            ];
            for request in calls {
                assert!(denies(&denying, &request), "{rule} {request:?}");
                assert_eq!(asking.decide(&request), Decision::MustAsk);
            }
        }
        for path in harmless {
            assert!(!denies(&denying, &read(path)), "{rule} {path}");
            let line = format!("cat x >{path} 2>/dev/null");
            assert!(!denies(&denying, &bash(&line)), "{rule} {line}");
        }
    }
    let denying = rules().deny(["Read(./secrets/**)"]).build().unwrap();
    assert!(denies(&denying, &read(magic[0])));
    assert!(denies(&denying, &bash("cd /proc && cat self/cwd/x")));
    assert!(denies(&denying, &bash("cd / && cat proc/self/cwd/x")));
    let grep = CanUseTool::new("Grep", json!({"pattern": "x", "path": "/proc/self/cwd"}));
    assert!(denies(&denying, &grep));
    let glob = CanUseTool::new("Glob", json!({"pattern": "/proc/self/cwd/**"}));
    assert!(denies(&denying, &glob));

    let in_project = |path: &str| project.join(path).to_str().unwrap().to_owned();
    // Even if the working directory or the home directory contains it.
    let relative = [
        "Read(*)",
        "Read(**)",
        "Read(./**)",
        "Read(cwd/**)",
        "Read(~/**)",
    ];
    for work in [
        &*work,
        std::path::Path::new("/"),
        std::path::Path::new("/proc"),
    ] {
        let rules = Rules::builder().working_directory(work).home("/");
        let allowing = rules.allow(relative).build().unwrap();
        for path in magic {
            let path = in_project(path);
            assert!(!allows(&allowing, &read(&path)), "{path}");
        }
    }
    let allowing = rules()
        .allow(["Bash(cat *)", "Bash(tee *)"])
        .build()
        .unwrap();
    for line in ["cat cwd/x", "cat system/version", "tee input"] {
        assert!(!allows(&allowing, &bash(line)), "{line}");
    }
    // An absolute rule allows files that are the same for every process.
    for rule in ["Read(//proc/**)", "Read(//**)"] {
        let allowing = rules().allow([rule]).build().unwrap();
        // These two are links to such files.
        let is_same = |path: &str| path == "/proc" || path == "/proc/self/../cpuinfo";
        for path in magic.into_iter().filter(|path| !is_same(path)) {
            assert!(!allows(&allowing, &read(path)), "{rule} {path}");
        }
        if cfg!(target_os = "linux") {
            assert!(allows(&allowing, &read("/proc/version")), "{rule}");
            assert!(!allows(&allowing, &read("/proc/none")), "{rule}");
            assert!(!allows(&allowing, &read("/proc/mounts")), "{rule}");
        }
    }
}

#[test]
fn the_parent_of_a_link_is_the_parent_of_its_target() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    std::fs::create_dir_all(work.join("src")).unwrap();
    std::fs::create_dir_all(folder.path().join("other/inner")).unwrap();
    std::fs::write(folder.path().join("other/key"), "").unwrap();
    std::os::unix::fs::symlink(folder.path().join("other/inner"), work.join("out")).unwrap();
    let rules = || Rules::builder().working_directory(&work);
    let key = format!("Read(/{})", folder.path().join("other/key").display());
    let denying = rules().deny([key]).build().unwrap();
    assert!(denies(&denying, &bash("cat out/../key")));
    assert!(!denies(&denying, &bash("cat out/../new")));
    assert!(!denies(&denying, &bash("cat src/../key")));
    let allowing = rules().allow(["Read(./**)"]).build().unwrap();
    let read = |path: &str| CanUseTool::new("Read", json!({"file_path": path}));
    assert!(allows(&allowing, &read("src/../key")));
    assert!(allows(&allowing, &read("none/../key")));
    assert!(!allows(&allowing, &read("out/../key")));
}
