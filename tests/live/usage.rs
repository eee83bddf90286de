//! Tests of the usage of a turn, as the real CLI and the fake agent report it.

use crate::support::{Live, fake};
use agentwire::{Event, Options, PermissionResult, query};
use agentwire_testkit::{Reply, Scenario, Step, Usage};
use serde_json::{Value, json};

const COUNTS: [&str; 4] = [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
];

const MODEL_COUNTS: [&str; 4] = [
    "inputTokens",
    "outputTokens",
    "cacheCreationInputTokens",
    "cacheReadInputTokens",
];

/// Returns a reply that uses this number of tokens.
fn reply_using(tokens: u64, steps: impl IntoIterator<Item = Step>) -> Reply {
    let usage = Usage {
        input_tokens: Some(tokens),
        output_tokens: Some(tokens + 1),
        cache_creation_input_tokens: Some(tokens + 2),
        cache_read_input_tokens: Some(tokens + 3),
    };
    Reply::new(steps).usage(usage).cost_usd(0.5)
}

/// Returns a scenario with a sub-agent that uses a tool. The model waits for the
/// sub-agent unless it runs in the background.
fn with_subagent(in_background: bool) -> Scenario {
    let input = json!({
        "description": "Look", "prompt": "Look around.", "subagent_type": "general-purpose",
        "run_in_background": in_background,
    });
    let shell = Step::tool("Bash", json!({ "command": "touch a; echo one" }), "one");
    Scenario::default()
        .reply(reply_using(1000, [Step::tool("Agent", input, "")]))
        .reply(reply_using(2000, [Step::text("It looks.")]))
        .reply(reply_using(3000, [Step::text("It looked.")]))
        .subagent(reply_using(10_000, [shell]))
        .subagent(reply_using(20_000, [Step::text("I looked.")]))
}

/// Returns the usage in each result: the tokens of the turn, the tokens of all models
/// since the previous result and in total, and whether the total cost is the sum of the
/// costs of the models.
async fn usages(prompt: &str, options: Options) -> Vec<(Vec<u64>, Vec<u64>, Vec<u64>, bool)> {
    let options = options.on_permission(|_| async { PermissionResult::allow() });
    let mut answer = query(prompt, options).await.unwrap();
    let mut told = vec![];
    while let Some(event) = answer.next().await {
        if let Event::Frame(frame) = event.unwrap()
            && frame.kind() == "result"
        {
            let result: Value = serde_json::from_slice(frame.raw()).unwrap();
            let turn = COUNTS.map(|name| result["usage"][name].as_u64().unwrap());
            let models = ["model_usage_since_last_result", "modelUsage"].map(|member| {
                let models = result[member].as_object().unwrap();
                let [model] = &models.values().collect::<Vec<_>>()[..] else {
                    panic!("{result}");
                };
                MODEL_COUNTS
                    .map(|name| model[name].as_u64().unwrap())
                    .to_vec()
            });
            let cost = result["total_cost_usd"].as_f64().unwrap();
            let of_models = result["modelUsage"].as_object().unwrap().values();
            let of_models: f64 = of_models.map(|it| it["costUSD"].as_f64().unwrap()).sum();
            let [since, all] = models;
            told.push((turn.to_vec(), since, all, (cost - of_models).abs() < 1e-9));
        }
    }
    told
}

#[tokio::test]
async fn a_sub_agent_is_counted_with_the_models_and_not_with_the_turn() {
    let scenario = with_subagent(false);
    let live = Live::start(scenario.clone()).await;
    let real = usages("Have it looked at", live.options()).await;
    let of_turn = |it: u64| vec![it, it + 2, it + 4, it + 6];
    let of_all = |it: u64| vec![it, it + 4, it + 8, it + 12];
    let expected = [(of_turn(3000), of_all(33_000), of_all(33_000), true)];
    assert_eq!(real, expected);
    assert_eq!(usages("Have it looked at", fake(&scenario)).await, expected);
}

#[tokio::test]
async fn a_background_sub_agent_is_counted_after_its_output() {
    let scenario = with_subagent(true);
    let live = Live::start(scenario.clone()).await;
    for told in [
        usages("Have it looked at", live.options()).await,
        usages("Have it looked at", fake(&scenario)).await,
    ] {
        let [(first, ..), (second, _, all, is_sum)] = &told[..] else {
            panic!("{told:?}");
        };
        assert_eq!((first[0], second[0]), (3000, 3000));
        // The output of the sub-agent before the first result is random.
        assert_eq!((all[0], *is_sum), (36_000, true));
    }
}
