//! Programs with agents of several kinds, all of them fake.

use crate::support::kinds::{example, rules_and_tools, side_by_side};
use agentwire::Options;
use agentwire_codex::{CodexOptions, ThreadOptions};
use agentwire_testkit::fake_agent::SCRIPT;
use agentwire_testkit::{Reply, Scenario, Step};
use serde_json::json;

#[tokio::test]
async fn one_program_shows_agents_of_three_kinds() {
    let home = agentwire_testing::tempdir().unwrap();
    std::fs::create_dir(home.path().join("project")).unwrap();
    let fake = example("fake_acp_agent").display().to_string();
    let script = Scenario::default().reply(Reply::new([Step::text("Hello, crab.")]));
    let variables = vec![
        ("HOME", home.path().display().to_string()),
        ("AGENTWIRE_CLI", fake.clone()),
        ("AGENTWIRE_CODEX", fake.clone()),
        (SCRIPT, script.to_json()),
    ];
    let acp = format!("{fake} --acp");
    side_by_side(&acp, home.path(), variables, "Hello, crab.").await;
}

#[tokio::test]
async fn one_program_gives_rules_and_tools_to_two_kinds() {
    let home = agentwire_testing::tempdir().unwrap();
    let fake = example("fake_acp_agent");
    let shell = |tool: &str, member: &str, line: &str| Step::tool(tool, json!({member: line}), "");
    let steps = |lookup: Step, tool: &str, member: &str| {
        Scenario::default()
            .reply([lookup])
            .reply([shell(tool, member, "mkdir allowed")])
            .reply([shell(tool, member, "touch denied")])
            .reply([Step::text("Done.")])
            .to_json()
    };
    let lookup = |name: &str, of: &str| Step::tool(name, json!({"word": of}), "");
    let of_claude = steps(lookup("mcp__words__lookup", "claude"), "Bash", "command");
    let of_codex = steps(lookup("lookup", "codex"), "exec_command", "cmd");
    let claude = Options::new()
        .cli(&fake)
        .env(SCRIPT, of_claude)
        .cwd(home.path());
    let codex = CodexOptions::new()
        .program(&fake)
        .env(SCRIPT, of_codex)
        .env("CODEX_HOME", home.path());
    let thread = ThreadOptions::new().cwd(home.path().to_str().unwrap());
    rules_and_tools(claude, home.path(), codex, thread, home.path()).await;
}
