//! Runs every fault of the fake agent against the client, within a conversation or at its
//! start. `cargo test --test faults` prints a table of the events for the user.
//!
//! Each row has its own expectation. For all rows: no operation exceeds its deadline,
//! nothing panics, output before the fault is delivered, and no process or task remains
//! after the session is closed.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;

mod rows;

use agentwire::process::CloseStep;
use agentwire::{Activity, Client, Error, Event};
use agentwire_testkit::{Scenario, Step, fake_agent};
use rows::{Row, TOO_SLOW, rows};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::{LONG, describe, fake, is_alive};
use tokio::sync::Semaphore;

/// The limit for a whole session, so that a session that hangs fails the test. The
/// deadlines that a row tests are those of the client.
const SAFETY_LIMIT: Duration = Duration::from_secs(600);

/// The maximum length of a line in the table.
const WIDTH: usize = 70;

/// The replies before and after the fault, and in the next turn.
const BEFORE: &str = "text: Before, für 🎉.";
const AFTER: &str = "text: After, für 🎉.";
const NEXT: &str = "text: The next turn.";
const FINE: &str = "result: success fine";

fn main() {
    // Like a test harness, `cargo test NAME` does not print the table.
    let filter = std::env::args().skip(1).find(|it| !it.starts_with('-'));
    if filter.is_some_and(|name| !"faults".contains(&name)) {
        return;
    }
    let panics = count_panics();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    println!("| fault | what the user sees | the session |\n|---|---|---|");
    let mut wrong = Vec::new();
    let some_at_once = Arc::new(Semaphore::new(8));
    let sessions: Vec<_> = rows()
        .into_iter()
        .map(|row| {
            let some_at_once = Arc::clone(&some_at_once);
            runtime.spawn(async move {
                let _one = some_at_once.acquire().await.unwrap();
                let session = tokio::time::timeout(SAFETY_LIMIT, run_in_time(&row));
                let seen = session.await;
                let seen = seen.unwrap_or_else(|_| panic!("{}: it hangs", row.name));
                (row, seen)
            })
        })
        .collect();
    let number = sessions.len();
    for session in sessions {
        let (row, seen) = runtime.block_on(session).unwrap();
        let sees = match &seen.log[..] {
            [] => "nothing of it".to_owned(),
            log => log.join("; "),
        };
        println!("| {} | {sees} | {} |", row.name, seen.outcome);
        if seen.log != row.sees || seen.outcome != row.outcome {
            wrong.push(format!(
                "{}:\n  expected {:?}, {}\n  seen     {:?}, {}",
                row.name, row.sees, row.outcome, seen.log, seen.outcome
            ));
        }
    }
    support::counted(number, "faults");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(panics.load(Ordering::SeqCst), 0, "something panicked");
}

/// Counts the panics of all threads, the client's tasks included.
fn count_panics() -> &'static AtomicUsize {
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panicked| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        before(panicked);
    }));
    &PANICS
}

/// The observations of a user of the session.
struct SessionOutcome {
    /// The differences from a session without a fault.
    log: Vec<String>,
    outcome: String,
}

/// Runs a row with a short deadline for requests if they are not answered. On a busy
/// machine, a start may exceed this deadline although it is answered; then it is repeated
/// with more time.
async fn run_in_time(row: &Row) -> SessionOutcome {
    let mut deadline = match row.is_hurried {
        true => Duration::from_millis(500),
        false => LONG,
    };
    loop {
        let mut seen = run(row, deadline).await;
        let within = format!("within {deadline:?}");
        for line in &mut seen.log {
            *line = line.replace(&within, "within its deadline");
        }
        let is_too_slow = seen.log == [TOO_SLOW] && row.startup.is_empty();
        if !is_too_slow || deadline >= LONG {
            return seen;
        }
        deadline *= 2;
    }
}

async fn run(row: &Row, deadline: Duration) -> SessionOutcome {
    let mut steps = vec![Step::text("Before, für 🎉.")];
    steps.extend(row.faults.iter().cloned().map(Step::Fault));
    steps.push(Step::text("After, für 🎉."));
    let mut scenario = Scenario::default()
        .reply(steps)
        .reply([Step::text("The next turn.")]);
    scenario.startup.clone_from(&row.startup);
    let options = fake(&Scenario::default()).env(fake_agent::SCRIPT, scenario.to_json());
    let options = options
        .request_timeout(deadline)
        .close_policy(row.close_policy());
    let mut client = match Client::connect((row.options)(options)).await {
        Ok(client) => client,
        Err(error) => {
            return SessionOutcome {
                log: vec![plain(&error.to_string())],
                outcome: "does not begin".to_owned(),
            };
        }
    };
    let pid = client.pid().unwrap();
    let mut log = Vec::new();
    client.send("Go");
    let mut error = read_turn(&mut client, row, &mut log).await;
    let before = log.iter().position(|it| it == BEFORE);
    assert!(
        before.is_some(),
        "{}: lost what had arrived: {log:?}",
        row.name
    );
    // Output after the fault is also delivered, unless the fault ends the session.
    let mut goes_on = error.is_none() && take(&mut log, AFTER) && take(&mut log, FINE);
    if goes_on {
        client.send("And now?");
        error = read_turn(&mut client, row, &mut log).await;
        goes_on = error.is_none() && take(&mut log, NEXT) && take(&mut log, FINE);
    }
    take(&mut log, BEFORE);
    log.extend(error.map(|error| plain(&error.to_string())));
    let report = client.close().await;
    assert!(
        report.remaining.is_empty(),
        "{}: {:?} left",
        row.name,
        report.remaining
    );
    assert!(!is_alive(pid), "{}: the agent is alive", row.name);
    let how = match report.step {
        CloseStep::Exited => "",
        CloseStep::Terminated => ", then terminated",
        CloseStep::Killed => ", then killed",
        _ => ", and is left behind",
    };
    let outcome = if goes_on { "goes on" } else { "ends" };
    let swept = if report.swept.is_empty() {
        ""
    } else {
        ", with what it left"
    };
    SessionOutcome {
        log,
        outcome: format!("{outcome}{how}{swept}"),
    }
}

/// Reads until the turn is over, without answering any request. Returns the error if the
/// session ends.
async fn read_turn(client: &mut Client, row: &Row, log: &mut Vec<String>) -> Option<Error> {
    let handle = client.handle();
    while let Some(event) = client.next().await {
        let event = match event {
            Ok(event) => event,
            Err(error) => return Some(error),
        };
        log.extend(describe_event(&event));
        if matches!(event, Event::Activity(Activity::Idle)) {
            return None;
        }
        // Sends a silent agent a request with a deadline.
        let is_before = log.last().is_some_and(|it| it == BEFORE);
        if row.is_silent && is_before && !matches!(event, Event::Activity(_)) {
            if row.is_flooded {
                for _ in 0..64 {
                    client.send("x".repeat(64 * 1024));
                }
            }
            return handle.set_model("other").await.err();
        }
    }
    None
}

/// Returns a line for an event, or `None` for an event of every session.
fn describe_event(event: &Event) -> Option<String> {
    if let Event::Frame(frame) = event {
        let raw = String::from_utf8_lossy(frame.raw());
        if raw.contains("\"unknown") {
            let message = frame.message();
            let came: Value = serde_json::from_str(&raw).unwrap();
            assert_eq!(serde_json::to_value(&message).unwrap(), came);
            return Some(format!(
                "a `{}` message that has all that came",
                frame.kind()
            ));
        }
    }
    let line = describe(event)?;
    let is_notice = line.starts_with("notice") || line.starts_with("unreadable");
    let plain = plain(&line);
    let start = |length| plain.chars().take(length).collect::<String>();
    Some(match plain.chars().count() {
        ..=WIDTH => plain,
        _ if is_notice => format!("{}…", start(WIDTH)),
        _ => format!("{}… ({} bytes)", start(16), line.len()),
    })
}

/// Returns the line without what differs by run and without characters that break the
/// table.
fn plain(line: &str) -> String {
    let is_id = |word: &str| word.len() == 36 && word.split('-').count() == 5;
    let words = line.split(' ').map(|word| {
        let inner = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        if is_id(inner) {
            word.replace(inner, "…")
        } else {
            word.to_owned()
        }
    });
    let words = words.collect::<Vec<_>>().join(" ");
    let breaks = |letter: char| letter.is_control() || "\u{2028}\u{2029}".contains(letter);
    let mut plain = String::new();
    for letter in words.chars() {
        if breaks(letter) {
            plain.extend(letter.escape_unicode());
        } else {
            plain.push(letter);
        }
    }
    plain
}

/// Removes the first line that equals this one. Returns whether there was one.
fn take(log: &mut Vec<String>, line: &str) -> bool {
    let place = log.iter().position(|it| it == line);
    place.map(|place| log.remove(place)).is_some()
}
