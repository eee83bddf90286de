//! Turns: prompts, their answers, and what they carry.

use crate::lab::{Fault, Lab, ask, bash, ensure, flows, until_idle};
use crate::support::says;
use crate::support::wait_for;
use agentwire::protocol::content::{ImageBlock, Source};
use agentwire::protocol::host::AuthUpdate;
use agentwire::protocol::message::Priority;
use agentwire::{
    Client, Event, SessionUpdate, SubmissionState, TurnEvent, TurnOutcome, UserMessage, query,
};
use agentwire_testkit::{ApiError, Reply, Scenario, Step, When};
use serde_json::{Value, json};
use std::time::Duration;

flows! {
    "prompt" => prompt,
    "one-shot query" => one_shot,
    "partial messages" => stream,
    "two prompts in a session" => two_prompts,
    "prompts sent while a turn runs" => queued,
    "prompt with priority now" => now,
    "withdraw a queued prompt" => withdraw,
    "image" => image,
    "verbatim prompt" => verbatim,
    "sub-agent" => subagent,
    "background task" => background,
    "structured output" => structured,
    "structured output, with formats" => structured_with_formats,
    "resume" => resume,
    "fork" => fork,
    "continue the latest session" => continue_latest,
    "/clear" => clear,
    "login refused" => bad_login,
    "no login" => no_login,
    "API overloaded, then recovers" => overloaded,
}

pub(crate) fn hello() -> Scenario {
    Scenario::default().reply([Step::text("Hello.")])
}

async fn prompt(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(hello()).await;
    let mut client = Client::connect(bench.options()).await?;
    let mut submission = client.send("Hi");
    let turn = until_idle(&mut client).await?.well()?;
    ensure!(turn.has("text: Hello."), "{:?}", turn.log);
    ensure!(
        submission.final_state().await == SubmissionState::Completed,
        "{:?}",
        submission.state()
    );
    ensure!(turn.init.is_some(), "no init");
    let report = client.close().await;
    ensure!(report.exit.is_some_and(|exit| exit.success()), "{report:?}");
    Ok(())
}

async fn one_shot(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([bash("touch made")])
        .reply([Step::text("Done.")]);
    let bench = lab.start(scenario).await;
    let result = query("Make it", bench.allowing()).await?.result().await?;
    ensure!(!result.is_error, "{result:?}");
    ensure!(
        bench.live.project().join("made").exists(),
        "the tool did not run"
    );
    Ok(())
}

async fn stream(lab: Lab) -> Result<(), Fault> {
    let pieces = Step::chunks(["One ", "two ", "three."], Duration::from_millis(1));
    let bench = lab.start(Scenario::default().reply([pieces])).await;
    let mut client = Client::connect(bench.options()).await?;
    let turn = ask(&mut client, "Count").await?.well()?;
    ensure!(turn.deltas >= 3, "{} deltas", turn.deltas);
    Ok(())
}

async fn two_prompts(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(hello().reply([Step::text("Again.")])).await;
    let mut client = Client::connect(bench.options()).await?;
    ask(&mut client, "Hi").await?.well()?;
    let turn = ask(&mut client, "And?").await?.well()?;
    ensure!(turn.has("text: Again."), "{:?}", turn.log);
    Ok(())
}

async fn queued(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([
            Step::text("One "),
            Step::Gate("go".to_owned()),
            Step::text("two."),
        ])
        .reply([Step::text("Three.")])
        .reply([Step::text("Four.")]);
    let bench = lab.start(scenario).await;
    let mut client = Client::connect(bench.options()).await?;
    let mut first = client.send("Count");
    wait_for(&mut client, says("One")).await;
    let mut second = client.send("On");
    let mut third = client.send("And on");
    bench.live.model.open("go").unwrap();
    for submission in [&mut first, &mut second, &mut third] {
        let ended = submission.final_state().await;
        ensure!(ended == SubmissionState::Completed, "{ended}");
    }
    Ok(())
}

async fn now(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([Step::text("Once upon "), Step::WaitMs(600_000)])
        .reply([Step::text("Stopped.")]);
    let bench = lab.start(scenario).await;
    let mut client = Client::connect(bench.options()).await?;
    let mut first = client.send("Tell a story");
    wait_for(&mut client, says("upon")).await;
    let mut second = client.send(UserMessage::text("Stop").priority(Priority::Now));
    wait_for(&mut client, says("Stopped")).await;
    let ended = (first.final_state().await, second.final_state().await);
    let expected = (SubmissionState::Interrupted, SubmissionState::Completed);
    ensure!(ended == expected, "{ended:?}");
    Ok(())
}

async fn withdraw(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([
            Step::text("One "),
            Step::Gate("go".to_owned()),
            Step::text("two."),
        ])
        .reply([Step::text("Three.")]);
    let bench = lab.start(scenario).await;
    let mut client = Client::connect(bench.options()).await?;
    let mut first = client.send("Count");
    wait_for(&mut client, says("One")).await;
    let mut second = client.send(UserMessage::text("On").priority(Priority::Later));
    let answer = second.cancel().await?;
    bench.live.model.open("go").unwrap();
    ensure!(answer.cancelled, "{answer:?}");
    let ended = (first.final_state().await, second.final_state().await);
    ensure!(ended.0 == SubmissionState::Completed, "{ended:?}");
    ensure!(
        matches!(
            ended.1,
            SubmissionState::Withdrawn | SubmissionState::Cancelled
        ),
        "{ended:?}"
    );
    Ok(())
}

async fn image(lab: Lab) -> Result<(), Fault> {
    const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cch\x10P\0\0\x01\xc4\0\xb1\xab\x8e\xec&\0\0\0\0IEND\xaeB`\x82";
    let bench = lab.start(hello()).await;
    let mut client = Client::connect(bench.options()).await?;
    let image = ImageBlock::new(Source::bytes("image/png", PNG));
    client.send(UserMessage::text("Look").with(image)).await?;
    until_idle(&mut client).await?.well()?;
    let asked = bench.live.model.asked(0).await.body.unwrap().to_string();
    ensure!(asked.contains("iVBORw0KGgo"), "the model got no image");
    Ok(())
}

async fn verbatim(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(hello()).await;
    std::fs::write(bench.live.project().join("notes"), "ZORK").unwrap();
    let options = bench.options().verbatim_prompts(true);
    let mut client = Client::connect(options).await?;
    ask(&mut client, "See @notes").await?.well()?;
    let asked = bench.live.model.asked(0).await.body.unwrap().to_string();
    ensure!(!asked.contains("ZORK"), "the file was read");
    Ok(())
}

async fn subagent(lab: Lab) -> Result<(), Fault> {
    let prompt = "Look around.";
    let call = json!({"description": "d", "prompt": prompt, "subagent_type": "general-purpose"});
    // Older versions do not tell their model that a sub-agent asks.
    let of = |prompt: &str| When::prompt_contains(prompt);
    let scenario = Scenario::default()
        .reply(Reply::new([Step::tool("Task", call, "")]).when(of("Dig").after_tools(false)))
        .reply(Reply::new([Step::text("I dug.")]).when(of(prompt)))
        .reply(Reply::new([Step::text("All done.")]).when(of("Dig").after_tools(true)))
        .subagent([Step::text("I dug.")]);
    let bench = lab.start(scenario).await;
    let mut client = Client::connect(bench.allowing()).await?;
    client.send("Dig").await?;
    let mut log = vec![];
    wait_for(&mut client, |event| {
        log.extend(crate::support::describe(event));
        log.last()
            .is_some_and(|it| it == "text: All done.")
            .then_some(())
    })
    .await;
    Ok(())
}

async fn background(lab: Lab) -> Result<(), Fault> {
    let command = "while ! [ -e go ]; do sleep 0.1; done; echo DUG";
    let call = json!({"command": command, "description": "d", "run_in_background": true});
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", call, "")])
        .reply([Step::text("It runs.")])
        .reply([Step::text("It is done.")])
        .reply([Step::text("Yes.")]);
    let bench = lab.start(scenario).await;
    let mut client = Client::connect(bench.allowing()).await?;
    let turn = ask(&mut client, "Dig").await?.well()?;
    ensure!(turn.has("It runs."), "{:?}", turn.log);
    std::fs::write(bench.live.project().join("go"), "").unwrap();
    // Whether the CLI begins a turn by itself or not, the session goes on.
    let turn = ask(&mut client, "Is it done?").await?.well()?;
    ensure!(turn.result.is_some(), "{:?}", turn.log);
    Ok(())
}

async fn structured(lab: Lab) -> Result<(), Fault> {
    let schema = json!({"type": "object", "properties": {"legs": {"type": "integer"}},
        "required": ["legs"]});
    structured_as(lab, schema, json!({"legs": 8})).await
}

async fn structured_with_formats(lab: Lab) -> Result<(), Fault> {
    let schema = json!({"type": "object", "properties": {
        "format": {"type": "string", "format": "date-time"},
        "legs": {"type": "array", "items": {"type": "integer", "format": "uint8"}},
    }});
    let output = json!({"format": "2026-11-22T10:00:00Z", "legs": [8]});
    structured_as(lab, schema, output).await
}

async fn structured_as(lab: Lab, schema: Value, output: Value) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([Step::tool("StructuredOutput", output.clone(), "")])
        .reply([Step::text("Done.")]);
    let bench = lab.start(scenario).await;
    let options = bench.options().output_format(schema);
    let result = query("How many?", options).await?.result().await?;
    let read = result.structured_output.as_ref();
    ensure!(
        read.and_then(|it| it.to_value().ok()) == Some(output),
        "{result:?}"
    );
    Ok(())
}

/// A session with one turn; its id.
async fn first_session(bench: &crate::lab::Bench) -> Result<String, Fault> {
    let mut client = Client::connect(bench.options()).await?;
    let turn = ask(&mut client, "Remember the crab").await?.well()?;
    let result = turn.result.unwrap();
    client.close().await;
    result
        .session_id
        .clone()
        .ok_or_else(|| Fault::Wrong("no session id".to_owned()))
}

async fn resumed(lab: Lab, how: Resume) -> Result<(), Fault> {
    let bench = lab.start(hello().reply([Step::text("Again.")])).await;
    let id = first_session(&bench).await?;
    let options = match how {
        Resume::ById => bench.options().resume(&id),
        Resume::Fork => bench.options().resume(&id).fork_session(true),
        Resume::Latest => bench.options().continue_latest(true),
    };
    let mut client = Client::connect(options).await?;
    let turn = ask(&mut client, "What did I say?").await?.well()?;
    let now = turn.result.unwrap().session_id.clone();
    ensure!(
        (now.as_deref() == Some(&id)) != matches!(how, Resume::Fork),
        "{now:?} and {id}"
    );
    let asked = bench.live.model.asked(1).await.body.unwrap().to_string();
    ensure!(
        asked.contains("Remember the crab"),
        "the model knows nothing of it"
    );
    Ok(())
}

enum Resume {
    ById,
    Fork,
    Latest,
}

async fn resume(lab: Lab) -> Result<(), Fault> {
    resumed(lab, Resume::ById).await
}

async fn fork(lab: Lab) -> Result<(), Fault> {
    resumed(lab, Resume::Fork).await
}

async fn continue_latest(lab: Lab) -> Result<(), Fault> {
    resumed(lab, Resume::Latest).await
}

async fn clear(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(hello().reply([Step::text("Again.")])).await;
    let mut client = Client::connect(bench.options()).await?;
    ask(&mut client, "Remember the crab").await?.well()?;
    let mut cleared = client.send("/clear");
    ensure!(cleared.final_state().await.is_end(), "it never ended");
    client.send("What did I say?").await?;
    wait_for(&mut client, says("Again")).await;
    let asked = bench.live.model.asked(1).await.body.unwrap().to_string();
    if asked.contains("Remember the crab") {
        return Err(Fault::Unsupported("`/clear` does not clear".to_owned()));
    }
    Ok(())
}

fn failing(status: u16, kind: &str, message: &str) -> Scenario {
    let error = ApiError {
        status,
        kind: kind.to_owned(),
        message: message.to_owned(),
    };
    Scenario::default().reply([Step::Error(error)]).repeated()
}

/// The turn ends with an API error, and the login's failure is told.
async fn fails_to_log_in(client: &mut Client) -> Result<(), Fault> {
    client.send("Hi").await?;
    let mut told = false;
    while let Some(event) = client.next().await {
        match event? {
            Event::Session(SessionUpdate::Auth(AuthUpdate::Failed { .. })) => told = true,
            Event::Turn(TurnEvent::Ended(end)) => {
                ensure!(
                    end.outcome == TurnOutcome::ApiError,
                    "told as {}",
                    end.outcome
                );
                if !told {
                    let why = "the turn fails as an API error; that it is the login is not told";
                    return Err(Fault::Unsupported(why.to_owned()));
                }
                return Ok(());
            }
            _ => {}
        }
    }
    Err(Fault::Wrong("the session ended".to_owned()))
}

async fn bad_login(lab: Lab) -> Result<(), Fault> {
    let bench = lab
        .start(failing(401, "authentication_error", "invalid x-api-key"))
        .await;
    let options = bench.options().env("CLAUDE_CODE_MAX_RETRIES", "1");
    fails_to_log_in(&mut Client::connect(options).await?).await
}

async fn no_login(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(Scenario::default()).await;
    let options = bench.options().env("ANTHROPIC_API_KEY", "");
    fails_to_log_in(&mut Client::connect(options).await?).await
}

async fn overloaded(lab: Lab) -> Result<(), Fault> {
    let error = ApiError {
        status: 529,
        kind: "overloaded_error".to_owned(),
        message: "Overloaded".to_owned(),
    };
    let scenario = Scenario::default()
        .reply([Step::Error(error)])
        .reply([Step::text("Hello.")]);
    let bench = lab.start(scenario).await;
    let mut client = Client::connect(bench.options()).await?;
    let turn = ask(&mut client, "Hi").await?.well()?;
    ensure!(turn.has("text: Hello."), "{:?}", turn.log);
    Ok(())
}
