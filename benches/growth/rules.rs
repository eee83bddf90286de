//! Cases of permission rules with calls of a hostile agent. Unit tests count the steps of
//! path patterns.

use crate::Case;
use agentwire::Rules;
use agentwire::permission::RulesBuilder;
use agentwire::protocol::permission::CanUseTool;
use serde_json::json;

pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let deny = |rule: &str| builder().deny([rule]).build().unwrap();
    let allow = |rule: &str| builder().allow([rule]).build().unwrap();
    let mut add = |name: &str, rules: Rules, request: fn(usize) -> CanUseTool| {
        let prepare = move |n| {
            let (rules, request) = (rules.clone(), request(n));
            move || drop(rules.verdict(&request))
        };
        cases.push(Case::new(format!("rules: {name}"), prepare));
    };
    let cat: fn(usize) -> CanUseTool = |n| bash(format!("cat {}", "a/".repeat(n)));
    let words: fn(usize) -> CanUseTool = |n| bash(format!("cat{}", numbered(" a", n)));
    add("parents", deny("Read(.env)"), |n| {
        bash(format!("cat {}", "a/../".repeat(n)))
    });
    add("words behind cd", deny("Read(.env)"), |n| {
        bash(format!("cd / && cat{}", numbered(" a", n)))
    });
    add("allow words", allow("Bash(cat:*)"), |n| {
        bash(format!("cat{}", numbered(" a", n)))
    });
    add("allow options", allow("Bash(grep:*)"), |n| {
        bash(format!("grep{} /a", numbered(" -r", n)))
    });
    add("allow folders of a word", allow("Bash(cat:*)"), cat);
    add("allow commands", allow("Bash(cat:*)"), |n| {
        bash(numbered("; cat a", n)[1..].to_owned())
    });
    add("allow command with stars", allow("Bash(cat *a*a*b)"), words);
    add("deny command", deny("Bash(rm:*)"), words);
    add("deny command with stars", deny("Bash(* a*a*b)"), words);
    add("deny commands", deny("Bash(rm *)"), |n| {
        bash(numbered("; cat a", n))
    });
    for rule in ["WebFetch(domain:example.com)", "WebFetch(domain:*.a.b)"] {
        for rules in [deny(rule), allow(rule)] {
            add(&format!("{rule}, labels"), rules.clone(), |n| {
                fetch(format!("https://{}b/", "a.".repeat(n)))
            });
            add(&format!("{rule}, users"), rules, |n| {
                fetch(format!("https://{}b/", "a:@".repeat(n)))
            });
        }
    }
    cases
}

fn builder() -> RulesBuilder {
    Rules::builder()
        .working_directory("/project")
        .home("/home/me")
}

fn bash(line: String) -> CanUseTool {
    CanUseTool::new("Bash", json!({"command": line}))
}

fn fetch(url: String) -> CanUseTool {
    CanUseTool::new("WebFetch", json!({"url": url}))
}

/// Returns the text with a number, n times.
fn numbered(text: &str, n: usize) -> String {
    (0..n)
        .map(|number| format!("{text}{:06}", number))
        .collect()
}
