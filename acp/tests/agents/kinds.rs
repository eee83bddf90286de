//! Programs with agents of several kinds, all of them real.

use super::driven::{configure, program, variables};
use super::processes::variable;
use crate::support::kinds::{rules_and_tools, side_by_side};
use agentwire::Options;
use agentwire::process::Environment;
use agentwire_codex::wire::SandboxMode;
use agentwire_codex::{CodexOptions, ThreadOptions};
use agentwire_testkit::model::ScriptedModel;
use agentwire_testkit::{Reply, Scenario, Step, When};
use serde_json::json;

#[tokio::test]
async fn one_program_shows_agents_of_three_kinds() {
    let home = agentwire_testing::tempdir().unwrap();
    let reply = Reply::new([Step::text("Hello, crab.")]).always();
    let scenario = Scenario::default().reply(reply.when(When::prompt_contains("hello")));
    let model = ScriptedModel::start(scenario).await.unwrap();
    configure(home.path(), &model.url());
    let mut variables = Vec::from(variables(home.path(), &model.url()));
    for (name, of) in [
        ("AGENTWIRE_CLI", "AGENTWIRE_LIVE_CLI"),
        ("AGENTWIRE_CODEX", "AGENTWIRE_LIVE_CODEX"),
    ] {
        variables.push((name, variable(of).display().to_string()));
    }
    let acp = program("opencode").command.join(" ");
    side_by_side(&acp, home.path(), variables, "Hello, crab.").await;
}

#[tokio::test]
async fn one_program_gives_rules_and_tools_to_two_kinds() {
    let home = agentwire_testing::tempdir().unwrap();
    let project = home.path().join("project");
    let projects = [project.join("claude"), project.join("codex")];
    let lookup = |name: &str, of: &str| Step::tool(name, json!({"word": of}), "");
    let shell = |tool: &str, member: &str, line: &str| Step::tool(tool, json!({member: line}), "");
    let scenario = |lookup: Step, tool: &str, member: &str| {
        Scenario::default()
            .reply([lookup])
            .reply([shell(tool, member, "mkdir allowed")])
            .reply([shell(tool, member, "touch denied")])
            .reply([Step::text("Done.")])
    };
    let of_claude = scenario(lookup("mcp__words__lookup", "claude"), "Bash", "command");
    let of_codex = scenario(lookup("lookup", "codex"), "exec_command", "cmd");
    let of_claude = ScriptedModel::start(of_claude).await.unwrap();
    let of_codex = ScriptedModel::start(of_codex).await.unwrap();
    configure(home.path(), &of_codex.url());
    for project in &projects {
        std::fs::create_dir_all(project).unwrap();
    }
    let none = || Environment::only([""; 0]);
    let claude = Options::new()
        .cli(variable("AGENTWIRE_LIVE_CLI"))
        .environment(none())
        .cwd(&projects[0]);
    let claude = variables(home.path(), &of_claude.url())
        .into_iter()
        .fold(claude, |all, (name, it)| all.env(name, it));
    let codex = CodexOptions::new()
        .program(variable("AGENTWIRE_LIVE_CODEX"))
        .environment(none());
    let codex = variables(home.path(), &of_codex.url())
        .into_iter()
        .fold(codex, |all, (name, it)| all.env(name, it));
    let thread = ThreadOptions::new()
        .sandbox(SandboxMode::DangerFullAccess)
        .cwd(projects[1].to_str().unwrap());
    rules_and_tools(claude, &projects[0], codex, thread, &projects[1]).await;
    for project in projects {
        assert!(project.join("allowed").exists());
    }
}
