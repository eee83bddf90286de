//! Tests that the examples of `SCENARIOS.md` are valid.
#![allow(clippy::unwrap_used)]

use agentwire_testkit::{Reply, Scenario, Step};
use serde_json::Value;

#[test]
fn the_examples_of_the_page_are_valid() {
    let page = include_str!("../SCENARIOS.md");
    let (mut scenarios, mut replies, mut steps) = (0, 0, 0);
    for block in page.split("```json\n").skip(1) {
        let example = block.split("```").next().unwrap();
        // An example is a scenario, a reply, or one step per line.
        if example.contains("\"replies\"") {
            let scenario = Scenario::from_json(example);
            scenario.unwrap_or_else(|error| panic!("{error}: {example}"));
            scenarios += 1;
        } else if example.contains("\"say\"") {
            let reply = serde_json::from_str::<Reply>(example);
            reply.unwrap_or_else(|error| panic!("{error}: {example}"));
            replies += 1;
        } else {
            for step in serde_json::Deserializer::from_str(example).into_iter::<Step>() {
                step.unwrap_or_else(|error| panic!("{error}: {example}"));
                steps += 1;
            }
        }
    }
    assert!(
        scenarios > 3 && replies > 0 && steps > 9,
        "{scenarios} {replies} {steps}"
    );
}

#[test]
fn the_error_on_the_page_is_current() {
    let page = include_str!("../SCENARIOS.md");
    let (_, rest) = page.split_once("```json-error\n").unwrap();
    let (script, rest) = rest.split_once("```").unwrap();
    assert!(serde_json::from_str::<Value>(script).is_ok());
    let (_, rest) = rest.split_once("```text\n").unwrap();
    let (message, _) = rest.split_once("\n```").unwrap();
    let error = Scenario::from_json(script).unwrap_err();
    assert_eq!(error.to_string(), message);
}
