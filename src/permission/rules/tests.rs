//! Decisions of rules; `tests/live/rules.rs` compares them with the real CLI.

#![allow(clippy::unwrap_used)]

mod lines;
mod paths;

use super::*;
use agentwire_protocol::mcp::McpServerProvenance;
use agentwire_protocol::permission::{
    DecisionReason, MatchedAskRule, PermissionBehavior, PermissionDestination, PermissionResult,
    PermissionUpdate, RuleError,
};
use serde_json::json;

fn rules() -> RulesBuilder {
    Rules::builder()
        .working_directory("/project")
        .home("/home/me")
}

fn allowing(rule: &str) -> Rules {
    rules().allow([rule]).build().unwrap()
}

fn denying(rule: &str) -> Rules {
    rules().deny([rule]).build().unwrap()
}

fn bash(line: &str) -> CanUseTool {
    CanUseTool::new("Bash", json!({"command": line}))
}

fn allows(rules: &Rules, request: &CanUseTool) -> bool {
    matches!(
        rules.decide(request),
        Decision::Decided(PermissionResult::Allow(_))
    )
}

fn denies(rules: &Rules, request: &CanUseTool) -> bool {
    matches!(
        rules.decide(request),
        Decision::Decided(PermissionResult::Deny(_))
    )
}

#[test]
fn deny_rules_match_variables_and_options_with_commands() {
    let denying = denying("Bash(rm:*)");
    for line in [
        "RM=rm; $RM x",
        "R=r; ${R}m x",
        "A=rm; B=$A; $B x",
        "X=ls; X=rm; $X x",
        "export RM=rm && sudo $RM x",
        "env --split-string='rm x'",
        "env -S'rm x'",
        "env -S 'rm x'",
        "RM=rm;$RM x",
        "R='rm x'; $R",
        "R=rm; \"$R\" x",
        "declare R=rm; eval $R x",
        "bash -c 'sudo rm x'",
        "bash -c \"bash -c 'rm x'\"",
    ] {
        assert!(denies(&denying, &bash(line)), "{line}");
    }
    for line in ["RM=rm; $R x", "echo --split=rm", "RM=ls; $RM x"] {
        assert!(!denies(&denying, &bash(line)), "{line}");
    }
}

#[test]
fn deny_rules_match_nested_and_disguised_commands() {
    let denying = denying("Bash(rm:*)");
    for line in [
        "unshare -n rm x",
        "script -c 'rm x'",
        "script -crm",
        "script -qc'rm x' log",
        "script --command='rm x'",
        "pkexec rm x",
        "nsenter -t 1 rm x",
        "bash <<< 'rm x'",
        "echo 'rm x' | sh",
        "bash -c 'rm<x'",
        "ssh host rm x",
        "find . -exec rm {} +",
        "git -c alias.x='!rm y' x",
        "git bisect run rm",
        "git rebase -x 'rm x'",
        "docker exec box rm x",
        "npx rm x",
        "python3 -c 'import os; os.system(\"rm x\")'",
        "awk 'BEGIN { system(\"rm x\") }'",
        "SUDO.EXE rm x",
        "rm.exe x",
        "rm.CMD x",
        "RM x",
        "\u{feff}rm x",
        "r\u{200b}m x",
        "\u{feff}A=b rm x",
        r"C:\x\rm x",
        r"'C:\x\rm.exe' x",
        r"$'\x72m' x",
        "$'rm' x",
        "{rm,x}",
        "r$@m x",
        "rm${IFS}x",
    ] {
        assert!(denies(&denying, &bash(line)), "{line:?}");
    }
    for line in [
        "git rm x",
        "docker rm x",
        "npm rm y",
        "rg rm src",
        "grep rm x",
        "git commit -m 'rm x'",
        "echo rm x",
        "cat rm.py",
        "rm.d/x",
        "firm x",
    ] {
        assert!(!denies(&denying, &bash(line)), "{line:?}");
    }
    // The case matters in options, but not in the program's name.
    let denying = self::denying("Bash(git branch -D:*)");
    assert!(denies(&denying, &bash("GIT branch -D x")));
    assert!(!denies(&denying, &bash("git branch -d x")));
}

#[test]
fn lines_that_are_too_long_match_deny_rules() {
    let denying_rm = denying("Bash(rm:*)");
    let denying_glob = denying("Bash(* --force)");
    let denying_files = denying("Read(.env)");
    // A line of many nested commands is analysed.
    let sudo = "sudo ".repeat(8000);
    assert!(denies(&denying_rm, &bash(&format!("{sudo}rm x"))));
    assert!(!denies(&denying_rm, &bash(&format!("{sudo}ls"))));
    // For a rule with a leading `*`, a command may begin at each word.
    assert!(denies(&denying_glob, &bash(&format!("{sudo}ls"))));
    assert!(!denies(
        &denying_glob,
        &bash(&format!("{}ls", "sudo ".repeat(500)))
    ));
    let quoted = "sh -c \"".repeat(16_000);
    assert!(!denies(&denying_rm, &bash(&quoted)));
    assert!(denies(&denying_rm, &bash(&format!("{quoted}rm"))));
    let text = format!(
        "cat > big <<'END'\n{}\nEND",
        "some words in it\n".repeat(4000)
    );
    assert!(!denies(&denying_rm, &bash(&text)));
    assert!(!denies(&denying_files, &bash(&text)));
    // No shell accepts that as an argument.
    let text = text.repeat(3);
    assert!(denies(&denying_rm, &bash(&text)));
    assert!(denies(&denying_files, &bash(&text)));
    let asking = rules().ask(["Bash(rm:*)"]).allow(["Bash"]).build().unwrap();
    assert_eq!(asking.decide(&bash(&text)), Decision::MustAsk);
    // A path with so many names does not exist.
    let long = format!("cat {}", "a/".repeat(64 * 1000));
    assert!(denies(&denying_files, &bash(&long)));
    assert!(!denies(
        &denying_files,
        &bash(&format!("cat {}", "a/".repeat(4000)))
    ));
    let read = |path: &str| CanUseTool::new("Read", json!({"file_path": path}));
    assert!(denies(&denying_files, &read(&long)));
    assert!(!allows(&allowing("Read(**)"), &read(&long)));
    // Each of these may be the directory of the others.
    let folders: String = (0..300).map(|n| format!(" {}", "/.".repeat(n))).collect();
    assert!(denies(&denying_files, &bash(&format!("cd {folders}"))));
}

#[test]
fn a_rule_about_every_tool_is_about_mentioned_files_too() {
    for (rule, expected) in [
        ("*", &["*", "Read(//**)"][..]),
        ("**", &["**", "Read(//**)"]),
        ("Read", &["Read"]),
    ] {
        assert_eq!(denying(rule).stopping().0, expected);
    }
}

#[test]
fn deny_precedes_ask_precedes_allow() {
    let rules = rules()
        .allow(["Bash(git *)"])
        .ask(["Bash(git push *)"])
        .deny(["Bash(git push --force *)"])
        .build()
        .unwrap();
    assert!(allows(&rules, &bash("git status")));
    assert_eq!(rules.decide(&bash("git push")), Decision::MustAsk);
    assert!(denies(&rules, &bash("git push --force")));
    assert_eq!(rules.decide(&bash("make")), Decision::None);
    assert!(denies(&rules, &bash("make; git push --force")));
}

#[test]
fn rules_that_never_match_are_refused() {
    let error = rules().deny(["Bash(x"]).build().unwrap_err();
    let unreadable = RulesError::Unreadable {
        rule: "Bash(x".to_owned(),
        error: RuleError::NotClosed { at: 4 },
    };
    assert_eq!(error, unreadable);
    for rule in [
        "Bash(:*)",
        "Bash(a *:*)",
        "Write(src/**)",
        "Grep(src/**)",
        "Read(../x)",
        "Read(!x)",
        "Read(/)",
        "WebFetch(example.com)",
        "WebFetch(domain:example.com/x)",
        "WebFetch(domain:exam*)",
        "WebSearch(x)",
        "Web*(x)",
        "mcp__server__tool(x)",
        "mcp__",
        "mcp__server__",
    ] {
        let refused = |rules: RulesBuilder| matches!(rules.build(), Err(RulesError::NeverMatches { rule: named, .. }) if named == rule);
        assert!(refused(rules().allow([rule])), "{rule}");
        assert!(refused(rules().deny([rule])), "{rule}");
    }
    for (rule, why) in [
        (
            "Bsh(git *)",
            "there is no known tool `Bsh`; the closest name is `Bash`",
        ),
        (
            "edit(src/**)",
            "there is no known tool `edit`; the closest name is `Edit`",
        ),
        ("Teleport(home)", "there is no known tool `Teleport`"),
        ("TodoWrite(x)", "rules about this tool take no parentheses"),
    ] {
        let error = rules().allow([rule]).build().unwrap_err().to_string();
        assert_eq!(error, format!("the rule `{rule}` can never match: {why}"));
    }
    // The agent supports these in deny rules only.
    for rule in ["*", "Web*", "mcp__*", "mcp__*__get"] {
        assert!(rules().allow([rule]).build().is_err(), "{rule}");
        assert!(rules().deny([rule]).build().is_ok(), "{rule}");
    }
}

#[test]
fn requests_that_require_a_human_are_not_allowed() {
    let rules = allowing("Bash");
    let guarded: [fn(&mut CanUseTool); 6] = [
        |ask| ask.requires_user_interaction = Some(true),
        |ask| ask.default_to_no = Some(true),
        |ask| {
            ask.matched_ask_rule = serde_json::from_value::<Option<MatchedAskRule>>(
                json!({"source": "session", "toolName": "Bash", "tool_name": "Bash"}),
            )
            .unwrap();
        },
        |ask| ask.decision_reason_type = Some(DecisionReason::Rule),
        |ask| ask.decision_reason_type = Some(DecisionReason::SafetyCheck),
        |ask| ask.decision_reason_type = Some(DecisionReason::from("brandNew")),
    ];
    assert!(allows(&rules, &bash("ls")));
    for (number, guard) in guarded.iter().enumerate() {
        let mut request = bash("ls");
        guard(&mut request);
        assert_eq!(rules.decide(&request), Decision::None, "{number}");
        assert!(denies(&denying("Bash"), &request), "{number}");
    }
    let mut request = bash("ls");
    request.server_policy_ask_only = Some(true);
    assert!(allows(&rules, &request));
    // A command that the agent could not analyse: it suggests no rule.
    request.decision_reason_type = Some(DecisionReason::Other);
    assert_eq!(rules.decide(&request), Decision::None);
    request.permission_suggestions = Some(Vec::new());
    assert_eq!(rules.decide(&request), Decision::None);
    assert!(denies(&denying("Bash(ls)"), &request));
    let asking = self::rules().ask(["Bash(ls)"]).build().unwrap();
    assert_eq!(asking.decide(&request), Decision::MustAsk);
    // Except where it must not suggest one.
    request.suppress_always_allow_rule = Some(true);
    assert!(allows(&rules, &request));
    request.suppress_always_allow_rule = None;
    let suggested = PermissionUpdate::add_rules(
        [PermissionRule::new("Bash")],
        PermissionBehavior::Allow,
        PermissionDestination::Session,
    );
    request.permission_suggestions = Some(vec![suggested]);
    assert!(allows(&rules, &request));
}

#[test]
fn commands_outside_the_working_directory_are_not_allowed() {
    let rules = allowing("Bash(touch *)");
    let blocked = |line: &str, path: &str| {
        let mut request = bash(line);
        request.blocked_path = Some(path.to_owned());
        request
    };
    assert!(allows(&rules, &blocked("touch a", "/project/a")));
    assert!(!allows(&rules, &blocked("touch /etc/a", "/etc/a")));
    assert!(!allows(&rules, &blocked("touch a /etc/b", "/project/a")));
    assert!(!allows(&rules, &blocked("touch a ../b", "/project/a")));
    assert!(!allows(&rules, &blocked("touch a $B", "/project/a")));
    // For several commands, the agent does not report which one is outside.
    assert!(allows(&rules, &bash("touch a && touch b")));
    assert!(!allows(&rules, &bash("touch a && touch /etc/b")));
    assert!(!allows(&rules, &bash("touch a && touch -r/etc/b c")));
    assert!(!allows(&rules, &bash("touch a && touch .git/hooks/b")));
    assert!(allows(
        &allowing("Bash"),
        &blocked("touch /etc/a", "/etc/a")
    ));
}

#[test]
fn commands_of_literal_words_are_allowed() {
    let rules = allowing("Bash(frob:*)");
    for line in [
        "frob",
        "frob x",
        "frob \t x",
        "frob 'a b' \"c d\"",
        "frob 'a;b' \"a|b\" 'a>b' '*.rs' '{a}' 'a~' '#x'",
        "frob \"it's\" 'say \"x\"' \"a\\\"b\"",
        "frob a\\;b",
        "frob HEAD~1 HEAD^ a..b 100% a@b +x a,b a=b",
        "frob --x='a b' --y=\"c\"",
        "frob 'one\n\ntwo'",
        "frob 2>&1",
        "frob >/dev/null 2>&1",
        "frob x 2> /dev/null | frob && frob || frob; frob\nfrob",
    ] {
        assert!(allows(&rules, &bash(line)), "{line:?}");
    }
    for line in [
        "",
        "frob $X",
        "frob \"$X\"",
        "frob '$X'",
        "frob `x`",
        "frob '`x`'",
        "frob $(x)",
        "frob *",
        "frob a?",
        "frob [a]",
        "frob {a,b}",
        "frob ~",
        "frob ~x",
        "frob x=~",
        "frob =x",
        "frob ^x",
        "frob !x",
        "frob #x",
        "frob x#y",
        "frob <(x)",
        "frob a\\ b",
        "frob a\\\nb",
        "frob \"a\\\nb\"",
        "frob 'a\n # b'",
        "frob \"-x\"",
        "frob -\"x\"",
        "frob -''x",
        "frob \\-x",
        "frob 'a",
        "frob \u{a0}x",
        "frob 'a\u{200b}b'",
        "frob \u{3164}",
        "frob x\r",
        "frob > x",
        "frob >/dev/nullx",
        "frob 2>&1 x",
        "frob 2''>&1",
        "frob '2'>&1",
        "frob a2>&1",
        "frob < x",
        "frob & frob",
        "frob |& frob",
        "frob &&",
        "frob ;; frob",
        "'frob' x",
        "\\frob x",
        "fr''ob x",
        "X=1 frob",
        "(frob)",
        "{ frob; }",
        "! frob",
    ] {
        assert!(!allows(&rules, &bash(line)), "{line:?}");
    }
}

#[test]
fn lines_with_too_many_words_are_not_allowed() {
    let rules = allowing("Bash(frob:*)");
    let line = |words: usize| format!("frob{}", " x".repeat(words));
    assert!(allows(&rules, &bash(&line(1000))));
    assert!(!allows(&rules, &bash(&line(5000))));
    let quoted = |length: usize| format!("frob '{}'", "x".repeat(length - 7));
    assert!(allows(&rules, &bash(&quoted(10_000))));
    assert!(!allows(&rules, &bash(&quoted(10_001))));
    assert!(!allows(
        &rules,
        &bash(&format!("frob '{}'", "x".repeat(200_000)))
    ));
}

#[test]
fn few_builtins_are_allowed() {
    let allowed = |line: &str| {
        let name = line.split(' ').next().unwrap();
        allows(&allowing(&format!("Bash({name}:*)")), &bash(line))
    };
    for line in [
        "echo x -n",
        "printf '%s\\n' x",
        "true",
        ": x",
        "pwd",
        "cd sub",
        "type ls",
        "test -f x",
        "exit 1",
        "set -euo pipefail",
        "kill -9 12",
        "ulimit -n 10",
    ] {
        assert!(allowed(line), "{line}");
    }
    for line in [
        "printf -v 'a[1]' x",
        "printf -v PATH x",
        "printf %d 'a[b]'",
        "test -v x",
        "test 'a[b]' -eq 1",
        "test -f 'a[b]'",
        "read x",
        "unset x",
        "export PATH=x",
        "declare x",
        "typeset -i x=y",
        "readonly x",
        "wait -p x",
        "getopts x y",
        "compgen -C x",
        "jobs -x x",
        "command cd sub",
        "builtin cd sub",
        "chdir sub",
        "popd",
        "cd -",
        "cd a b",
        "set -o noclobber",
        "set -- x",
        "eval x",
        "zmodload x",
        "zf_rm x",
        "exit x",
        "if x",
    ] {
        assert!(!allowed(line), "{line}");
    }
}

#[test]
fn programs_that_run_others_require_a_rule_that_names_both() {
    let allowed = |rule: &str, line: &str| allows(&allowing(rule), &bash(line));
    for (rule, line) in [
        ("Bash(timeout 5 frob:*)", "timeout 5 frob x"),
        ("Bash(env A=b frob:*)", "env A=b frob x"),
        ("Bash(xargs grep:*)", "xargs grep x"),
        ("Bash(bash run.sh:*)", "bash run.sh x"),
        ("Bash(sudo -u me frob)", "sudo -u me frob"),
        ("Bash(find . -delete)", "find . -delete"),
        ("Bash(git -C sub:*)", "git -C sub status"),
        ("Bash(git config user.name:*)", "git config user.name me"),
        ("Bash(sed -i s/a/b/ x)", "sed -i s/a/b/ x"),
        ("Bash(./frob:*)", "./frob x"),
        ("Bash(find:*)", "find . -name '*.rs' -type f"),
        ("Bash(awk:*)", "awk -F: '{print $1}' x"),
        ("Bash(sed:*)", "sed -n '/a/,/b/p' x"),
        ("Bash(sed:*)", "sed -e 's/a/b/g' -e 's|c|/d|' x"),
        ("Bash(jq:*)", "jq -r '.a[0] | .b' x"),
        ("Bash(sort:*)", "sort -k2,2n -t, x"),
        ("Bash(tar:*)", "tar xzf x"),
        ("Bash(grep:*)", "grep -rn '/a$' x"),
        ("Bash(cargo:*)", "cargo run --example frob -- --flag x"),
    ] {
        assert!(allowed(rule, line), "{rule} {line}");
    }
    for (rule, line) in [
        ("Bash(timeout:*)", "timeout 5 frob x"),
        ("Bash(timeout 5:*)", "timeout 5 frob x"),
        ("Bash(sudo -u me:*)", "sudo -u me frob"),
        ("Bash(* x)", "xargs frob x"),
        ("Bash(xargs --:*)", "xargs -- frob x"),
        ("Bash(xargs find:*)", "xargs find -delete"),
        ("Bash(env:*)", "env -S 'frob x'"),
        ("Bash(bash:*)", "bash -c frob"),
        ("Bash(*frob*)", "./frob x"),
        ("Bash(find:*)", "find . -exec frob"),
        ("Bash(find:*)", "FIND . -exec frob"),
        ("Bash(find:*)", "find . -files0-from x"),
        ("Bash(find:*)", "find '*'"),
        ("Bash(awk:*)", "awk -f x y"),
        ("Bash(awk:*)", "awk '@load \"x\"' y"),
        ("Bash(awk:*)", "awk '{print > \"x\"}' y"),
        ("Bash(jq:*)", "jq -f x y"),
        ("Bash(jq:*)", "jq -L x . y"),
        ("Bash(jq:*)", "jq 'system(\"x\")' y"),
        ("Bash(sed:*)", "sed 's/a/b/e' x"),
        ("Bash(sed:*)", "sed s/a/b/ -i x"),
        ("Bash(sed:*)", "sed 'w x' y"),
        ("Bash(sort:*)", "sort --compress-pro=frob x"),
        ("Bash(tar:*)", "tar xIf frob x"),
        ("Bash(git:*)", "git -c core.pager=frob log"),
        ("Bash(git:*)", "git grep -Ofrob x"),
        ("Bash(git grep:*)", "git grep -Ofrob x"),
        ("Bash(git -C sub:*)", "git -C sub -c core.pager=frob log"),
        ("Bash(git -C sub:*)", "git -C sub config alias.x frob"),
        ("Bash(cp -r:*)", "cp -r a b"),
        ("Bash(cp:*)", "cp -- a b"),
        ("Bash(mv:*)", "mv -"),
        ("Bash(tee:*)", "tee '=ls'"),
        ("Bash(cd:*)", "cd '=ls'"),
        ("Bash(find:*)", "find \"\\../x\""),
        ("Bash(touch:*)", "touch '{a,b}'"),
        ("Bash(frob:*)", "frob \\{a,b\\}"),
        ("Bash(frob:*)", "frob --x='{a,b}'"),
        ("Bash(frob:*)", "frob a'{b'"),
        ("Bash(find:*)", "find -D exec ."),
        ("Bash(sed:*)", "sed 's/a/b/;s/c/d/e' x"),
        ("Bash(tar:*)", "tar -xf x --to-command=frob"),
        ("Bash(cat:*)", "cat '*'"),
        ("Bash(cat:*)", "cat /proc/self/environ"),
    ] {
        assert!(!allowed(rule, line), "{rule} {line}");
    }
}

#[test]
fn commands_after_cd_must_not_depend_on_the_directory() {
    let rules = rules()
        .allow(["Bash(cd:*)", "Bash(frob:*)", "Bash(git:*)", "Bash(cat:*)"])
        .build()
        .unwrap();
    for (line, is_allowed) in [
        ("cd sub && frob x", true),
        ("cd sub; frob", true),
        ("cd .. && frob", false),
        ("cd sub && git status", false),
        ("cd sub && frob git", false),
        ("cd sub && cat x", false),
        ("cd sub && cd deep && frob", false),
        ("frob && cd sub", false),
    ] {
        assert_eq!(allows(&rules, &bash(line)), is_allowed, "{line}");
    }
}

#[test]
fn verdicts_have_reasons() {
    let rules = rules()
        .allow(["Bash(git:*)", "Bash(find:*)", "Bash(cd:*)", "Bash(ls -l)"])
        .ask(["Bash(git push:*)"])
        .deny(["Read(.env)"])
        .build()
        .unwrap();
    let read = |path: &str| CanUseTool::new("Read", json!({"file_path": path}));
    let mut opaque = bash("git log");
    opaque.decision_reason_type = Some(DecisionReason::Other);
    let outside = json!({"command": "git log", "dangerouslyDisableSandbox": true});
    for (request, why) in [
        (bash("git log"), "the rule Bash(git:*) allows the call"),
        (
            bash("git log; find ."),
            "the rules Bash(find:*), Bash(git:*) allow the call",
        ),
        (bash("ls -l"), "the rule Bash(ls -l) allows the call"),
        (
            bash("git push x"),
            "the rule Bash(git push:*) asks about the call",
        ),
        (read(".env"), "the rule Read(.env) denies the call"),
        (read("x"), "no rule matches the call"),
        (bash("git log; rm x"), "no rule matches `rm x`"),
        (
            bash("git log; find . -delete"),
            "`find . -delete` may do more than the rule Bash(find:*) names",
        ),
        (
            bash("git log $X"),
            "the line does not consist of simple commands with literal words",
        ),
        (
            bash("cd sub && git log"),
            "a command after `cd` depends on the directory",
        ),
        (
            bash("find /etc"),
            "`find /etc` may access a place outside the working directory, or a protected file",
        ),
        (opaque, "the request requires a human"),
        (
            CanUseTool::new("Bash", outside),
            "the call leaves the sandbox, which no command rule allows",
        ),
    ] {
        let verdict = rules.verdict(&request);
        assert_eq!(verdict.to_string(), why);
        assert_eq!(rules.decide(&request), verdict.into());
    }
}

#[test]
fn no_command_leaves_the_sandbox_by_a_rule_about_it() {
    let outside = |outside: bool| {
        let input = json!({"command": "ls", "dangerouslyDisableSandbox": outside});
        allows(&allowing("Bash(ls)"), &CanUseTool::new("Bash", input))
    };
    assert!(outside(false));
    assert!(!outside(true));
}

#[test]
fn unreadable_calls_are_denied() {
    for (rule, tool) in [
        ("Bash(ls)", "Bash"),
        ("WebFetch(domain:a.b)", "WebFetch"),
        ("Agent(x)", "Agent"),
    ] {
        let odd = CanUseTool::new(tool, json!({"command": 1, "url": [], "subagent_type": {}}));
        assert!(!allows(&allowing(rule), &odd), "{rule}");
        assert!(denies(&denying(rule), &odd), "{rule}");
    }
    let nothing = CanUseTool::new("Read", json!({}));
    assert!(!allows(&allowing("Read(//**)"), &nothing));
}

#[test]
fn domains_match_exact_hosts() {
    let fetch = |url: &str| CanUseTool::new("WebFetch", json!({"url": url}));
    let allowing = allowing("WebFetch(domain:example.com)");
    let denying = denying("WebFetch(domain:example.com)");
    for (url, is_allowed, is_denied) in [
        ("https://example.com", true, true),
        ("https://EXAMPLE.com:8443/x?y#z", true, true),
        ("https://a.example.com/", false, false),
        ("https://example.com.evil.net/", false, false),
        ("https://example.com@evil.net/", false, false),
        ("https://evil.net/@example.com", false, false),
        ("https://evil.net\\@example.com/", false, false),
        // An unclear address is neither allowed nor exempt from a deny rule.
        ("https://me@example.com/", false, true),
        ("https:example.com", false, true),
        (" ht\ntps://example.com", false, true),
        ("https:\\\\example.com", false, true),
        ("https://example.com./", false, true),
        ("ftp://example.com/", false, true),
        ("https://ex%61mple.com/", false, true),
        ("https://ex\u{ff41}mple.com/", false, true),
        ("example.com", false, true),
        ("https://0x7f.1/", false, true),
    ] {
        assert_eq!(allows(&allowing, &fetch(url)), is_allowed, "{url}");
        assert_eq!(denies(&denying, &fetch(url)), is_denied, "{url}");
    }
}

#[test]
fn rules_match_the_server_of_a_tool() {
    let from = |server: Option<&str>, tool: &str| {
        let mut request = CanUseTool::new(tool, json!({}));
        request.mcp_server = server.map(|server| {
            serde_json::from_value::<McpServerProvenance>(json!({"name": server})).unwrap()
        });
        request
    };
    let rules = allowing("mcp__a");
    assert!(allows(&rules, &from(Some("a"), "mcp__a__get")));
    assert!(allows(&rules, &from(None, "mcp__a__get")));
    assert!(!allows(&rules, &from(Some("a__b"), "mcp__a__b__get")));
    assert!(!allows(&rules, &from(None, "mcp__a__b__get")));
    assert!(!allows(&rules, &from(Some("other"), "mcp__a__get")));
    assert!(!allows(&rules, &from(Some("ab"), "mcp__ab__get")));
    let spaced = allowing("mcp__my_server__get");
    assert!(allows(
        &spaced,
        &from(Some("my server"), "mcp__my_server__get")
    ));
    let denying = denying("mcp__a");
    assert!(denies(&denying, &from(Some("a__b"), "mcp__a__b__get")));
    assert!(!denies(&denying, &from(Some("ab"), "mcp__ab__get")));
}
