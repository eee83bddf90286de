//! Tests of features of scripts with the real CLI: replies for some prompts only, gates,
//! and broken connections.

use super::support::{Live, says, until_idle, wait_for};
use agentwire::permission::PermissionRequest;
use agentwire::{Client, Event, Message, PermissionResult};
use agentwire_testkit::model::{Answer, ModelRequest};
use agentwire_testkit::{Reply, Scenario, Step, TextMatch, Usage, When};
use serde_json::json;

#[tokio::test]
async fn replies_are_matched_and_gates_hold_them() {
    let weather = When::prompt_contains("weather");
    let rain = When::default().result(TextMatch::Contains("rain".into()));
    let usage = Usage {
        input_tokens: Some(1234),
        output_tokens: Some(56),
        cache_read_input_tokens: Some(789),
        ..Usage::default()
    };
    let call = Step::tool("Bash", json!({ "command": "echo rain" }), "rain");
    let parts = [
        Step::text("Before. "),
        Step::gate("go"),
        Step::text("After."),
    ];
    let scenario = Scenario::default()
        .reply([Step::text("Nobody asked for this.")])
        .reply(Reply::new([call]).when(weather.turn(2).after_tools(false)))
        .reply(Reply::new([Step::text("It rains.")]).when(rain))
        .reply(Reply::new([Step::Cut]).when(When::prompt_is("First")))
        // The same question again, which is still in the first turn.
        .reply(
            Reply::new(parts)
                .when(When::prompt_is("First").turn(1))
                .usage(usage),
        );
    let live = Live::start(scenario).await;
    let options = live
        .options()
        .on_permission(|_: PermissionRequest| async { PermissionResult::allow() });
    let mut client = Client::connect(options).await.unwrap();

    client.send("First").await.unwrap();
    wait_for(&mut client, says("Before.")).await;
    live.model.reached("go").await.unwrap();
    live.model.open("go").unwrap();
    wait_for(&mut client, says("After.")).await;
    let result = wait_for(&mut client, |event| match event {
        Event::Frame(frame) => match frame.message() {
            Message::Result(result) => Some(result),
            _ => None,
        },
        _ => None,
    });
    let result = result.await;
    let usage = result.usage.unwrap();
    let tokens = [
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_input_tokens,
    ];
    assert_eq!(tokens, [Some(1234), Some(56), Some(789)]);
    assert!(result.total_cost_usd.unwrap().as_f64() > 0.0);
    until_idle(&mut client).await;

    client.send("How is the weather?").await.unwrap();
    wait_for(&mut client, says("rains.")).await;
    until_idle(&mut client).await;
    client.close().await;

    let requests = live.model.requests();
    let taken = requests.iter().filter(|it| it.reply().is_some());
    let places: Vec<_> = taken
        .map(|it: &ModelRequest| (it.answer, it.place))
        .collect();
    let expected = [3, 4, 1, 2].map(Some);
    let expected: Vec<_> = (0..).map(Answer::Reply).zip(expected).collect();
    assert_eq!(places, expected);
}
