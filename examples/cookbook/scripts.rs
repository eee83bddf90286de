//! The scripts of the fake agent for each recipe.

use agentwire_testkit::scenario::Response;
use agentwire_testkit::{Fault, Load, LoadKind, Reply, Scenario, Step, ToolCall, Usage, When};
use serde_json::json;
use std::time::Duration;

/// A pause that is longer than any recipe runs.
const FOREVER: Step = Step::WaitMs(600_000);

pub(crate) fn of(recipe: &str) -> Scenario {
    let bash =
        |command: &str, result: &str| Step::tool("Bash", json!({ "command": command }), result);
    // Returns a call for which the agent suggests a rule.
    let suggested = |command: &str| {
        let rule = json!({ "toolName": "Bash", "ruleContent": command });
        Step::Tool(ToolCall {
            question: json!({ "permission_suggestions": [{
                "type": "addRules", "rules": [rule],
                "behavior": "allow", "destination": "session",
            }] }),
            ..ToolCall::new("Bash", json!({ "command": command }), "ok")
        })
    };
    let texts = |texts: &[&str]| {
        let replies = texts.iter().map(|text| Reply::new([Step::text(*text)]));
        replies.fold(Scenario::default(), Scenario::reply)
    };
    let novel = || Step::chunks(["It was a dark and stormy night."], Duration::ZERO);
    match recipe {
        "first_answer" => texts(&["It is 4."]),
        "stream_text" => texts(&["There was a crab."]),
        "conversation" => texts(&["Hello, Ferris.", "Ferris."]),
        // Each process of the fake agent plays the script from its beginning.
        "resume" => Scenario::default()
            .reply(Reply::new([Step::text("Ferris.")]).when(When::prompt_contains("What is")))
            .reply([Step::text("Hello, Ferris.")]),
        "failed_turn" => {
            Scenario::default().reply([Step::error(404, "not_found_error", "model: no-such-model")])
        }
        "structured_output" => {
            let rating = json!({ "label": "good", "score": 0.9 });
            Scenario::default()
                .reply([Step::tool("StructuredOutput", rating, "")])
                .reply([Step::text("Rated.")])
        }
        "time_limit" => Scenario::default()
            .reply([Step::text("One, two, "), FOREVER])
            .reply([Step::text("Yes.")]),
        "interrupt" | "withdraw" => Scenario::default().reply([novel(), FOREVER]),
        "interrupt_with_message" => Scenario::default()
            .reply([novel(), FOREVER])
            .reply([Step::text("Roses are red.")]),
        "allow_list" => Scenario::default()
            .reply([
                bash("cargo build", "Finished"),
                Step::tool("Read", json!({ "file_path": ".env" }), "SECRET=1"),
                bash("curl example.com", ""),
            ])
            .reply([Step::text("Built.")]),
        "ask_in_order" => Scenario::default()
            .reply([Step::text("First I look."), bash("ls", "target")])
            .reply([Step::text("Then I clean."), bash("cargo clean", "")])
            .reply([Step::text("Done.")]),
        "answer_later" => Scenario::default()
            .reply([bash("make install", "")])
            .reply([Step::text("Installed.")]),
        "allow_always" => Scenario::default()
            .reply([suggested("cargo test")])
            .reply([suggested("cargo test")])
            .reply([Step::text("Both passed.")]),
        "change_input" => Scenario::default()
            .reply([bash("rm -rf target", "debug")])
            .reply([Step::text("There is still a folder `debug`.")]),
        "steer_with_denial" => Scenario::default()
            .reply([bash("make", "")])
            .reply([bash("cargo build", "Finished")])
            .reply([Step::text("Built with cargo.")]),
        "audit_log" => Scenario::default()
            .reply([
                Step::tool("Read", json!({ "file_path": "a.txt" }), "A"),
                bash("cargo build", ""),
            ])
            .reply([Step::text("I saw a file.")]),
        "answer_question" => {
            let question = json!({ "questions": [{
                "question": "Tea or coffee?", "header": "Drink", "multiSelect": false,
                "options": [{ "label": "Tea", "description": "leaf" },
                            { "label": "Coffee", "description": "bean" }],
            }] });
            Scenario::default()
                .reply([Step::tool("AskUserQuestion", question, "")])
                .reply([Step::text("Here is your tea.")])
        }
        "approve_plan" => Scenario::default()
            .reply([Step::tool(
                "ExitPlanMode",
                json!({ "plan": "Split the file." }),
                "",
            )])
            .reply([Step::text("The file is split.")]),
        "block_with_hook" => Scenario::default()
            .reply([bash("git push origin", "")])
            .reply([Step::text("I may not push.")]),
        "observe_tools" => Scenario::default()
            .reply([bash("whoami", "ferris")])
            .reply([Step::text("You are ferris.")]),
        "own_tool" => Scenario::default()
            .reply([Step::tool(
                "mcp__calc__add",
                json!({ "a": 1.5, "b": 2.0 }),
                "",
            )])
            .reply([Step::text("It is 3.5.")]),
        "tool_with_state" => {
            let note = |text: &str| Step::tool("mcp__desk__note", json!({ "text": text }), "");
            Scenario::default()
                .reply([note("crabs")])
                .reply([note("more crabs")])
                .reply([Step::text("One note is kept, the desk is full.")])
        }
        "delivery_status" => texts(&["Yes.", "And yes."]),
        "switch_model" => texts(&["Quick.", "Hard."]),
        "cost" => {
            let reply = |text| Reply::new([Step::text(text)]).usage(usage()).cost_usd(0.25);
            Scenario::default()
                .reply(reply("One."))
                .reply(reply("Two."))
        }
        "retry" => Scenario::default()
            .reply([Step::error(529, "overloaded_error", "Overloaded")])
            .reply([Step::text("Here I am.")]),
        "batch" | "close_report" => texts(&["Fine."]),
        "context_usage" => {
            Scenario::default().reply(Reply::new([Step::text("Fine.")]).usage(usage()))
        }
        "print_notices" => texts(&["On I go."]),
        "attach_file" => texts(&["It does."]),
        "untrusted_text" => texts(&["That is a text with a slash in it."]),
        "several_readers" => texts(&["There was a crab."]),
        "slow_consumer" => Scenario::default().reply([Step::Load(Load {
            messages: 2_000,
            size: 100,
            kind: LoadKind::WholeMessages,
        })]),
        "cli_crashed" => Scenario::default().reply([
            Step::Fault(Fault::Stderr("out of memory\n".to_owned())),
            Step::Fault(Fault::Exit(134)),
        ]),
        "unknown_messages" => Scenario::default().reply([
            Step::Message(serde_json::Map::from_iter([
                ("type".to_owned(), json!("coffee")),
                ("cups".to_owned(), json!(2)),
            ])),
            Step::text("Have some."),
        ]),
        "other_request" => {
            Scenario::default().responding("make_tea", Response::success(json!({ "cups": 2 })))
        }
        "subagent" => Scenario::default()
            .reply([Step::tool(
                "Agent",
                json!({
                    "description": "review", "prompt": "Review it.",
                    "subagent_type": "reviewer", "run_in_background": false,
                }),
                "",
            )])
            .reply([Step::text("It was reviewed.")])
            .subagent([Step::text("It looks good.")]),
        "show_conversation" => Scenario::default().reply([
            Step::thinking("What rhymes with crab?"),
            Step::text("Sideways, sideways."),
        ]),
        "mirror_transcript" => texts(&["Hello."]),
        _ => Scenario::default(),
    }
}

fn usage() -> Usage {
    Usage {
        input_tokens: Some(1_200),
        output_tokens: Some(40),
        ..Usage::default()
    }
}
