//! Runs one session: its users, the task that kills its processes, and the checks at its
//! end.

use crate::disk::Disk;
use crate::log::Log;
use crate::transport::Machine;
use agentwire::protocol::host::RequestFailure;
use agentwire::protocol::host::TurnRecovery;
use agentwire::{
    Client, ClosePolicy, Error, Event, Handle, Options, PermissionResult, RestartPolicy,
    Submission, SubmissionState, TurnOutcome, UserMessage,
};
use agentwire_testing::Random;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::sleep;

fn split(dice: &mut Random) -> Random {
    dice.split()
}

fn some_time(dice: &mut Random) -> Duration {
    Duration::from_millis(match dice.below(4) {
        0 => 0,
        1 => dice.below(10) as u64,
        2 => dice.below(500) as u64,
        _ => dice.below(5_000) as u64,
    })
}

pub(crate) async fn run(seed: u64, log: &Log) -> Result<(), String> {
    let mut dice = Random::new(seed);
    let returns_interrupted_turns = dice.one_in(3);
    let may_fail = dice.one_in(3);
    log.note(format_args!(
        "hands back: {returns_interrupted_turns}, starts fail: {may_fail}"
    ));
    let machine = Machine::new(split(&mut dice), log.clone(), may_fail);
    machine.disk.lock().returns_interrupted_turns = returns_interrupted_turns;
    let policy = RestartPolicy::default()
        .hang(Duration::from_secs(60))
        .most(1_000)
        .pause(some_time(&mut dice), Duration::from_secs(5))
        .turn_recovery(if returns_interrupted_turns {
            TurnRecovery::CutOff
        } else {
            TurnRecovery::Resume
        });
    let running = Arc::new(AtomicUsize::new(0));
    let mut options = Options::new()
        .request_timeout(crate::FOR_EVER / 10)
        .close_policy(
            ClosePolicy::default()
                .finish(crate::FOR_EVER / 10)
                .exit(Duration::from_secs(1)),
        )
        .restart(policy);
    if dice.one_in(3) {
        options = options.sleep_after(Duration::from_millis(1 + dice.below(5_000) as u64));
    }
    let (counted, disk, own) = (Arc::clone(&running), machine.disk.clone(), log.clone());
    let times = split(&mut dice);
    let times = Arc::new(std::sync::Mutex::new(times));
    let options = options.on_permission(move |ask| {
        let time = some_time(&mut times.lock().unwrap()) * 3;
        let is_new = disk.lock().called_back.insert(ask.request_id.to_string());
        if !is_new {
            own.report_problem(format_args!("{} is asked twice", ask.request_id));
        }
        let (counted, disk) = (Arc::clone(&counted), disk.clone());
        counted.fetch_add(1, Ordering::Relaxed);
        async move {
            // Some callbacks wait an hour for a human, unless the request is cancelled.
            let is_long = time > Duration::from_millis(10_000);
            tokio::select! {
                () = sleep(if is_long { time * 300 } else { time }) => {}
                () = ask.cancelled.cancelled() => {}
            }
            counted.fetch_sub(1, Ordering::Relaxed);
            disk.lock().answered.insert(ask.request_id.to_string());
            PermissionResult::allow()
        }
    });
    let mut client = Client::connect_over(machine.clone(), options)
        .await
        .map_err(|error| format!("cannot connect: {error}"))?;
    let events = client.subscribe();
    let kills = dice.below(6);
    let killer = tokio::spawn(kill(machine.clone(), split(&mut dice), kills));
    let reader = tokio::spawn(read(events, machine.disk.clone(), log.clone()));
    let handle = client.handle();
    let user = tokio::spawn(act(
        handle,
        machine.clone(),
        split(&mut dice),
        log.clone(),
        returns_interrupted_turns,
    ));
    let mut user = user;
    loop {
        tokio::select! {
            event = client.next() => match event {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(format!("the session ended: {error}")),
                None => return Err("the session ended".to_owned()),
            },
            acted = &mut user => {
                acted.unwrap();
                break;
            }
        }
    }
    killer.await.unwrap();
    // A process that hangs or has ended is replaced before the response.
    if let Err(error) = client.mcp_status().await {
        return Err(format!("the session does not go on: {error}"));
    }
    client.close().await;
    while let Some(event) = client.next().await {
        event.map_err(|error| format!("the session did not end well: {error}"))?;
    }
    reader.await.unwrap();
    drop(client);
    sleep(Duration::from_secs(30)).await;
    if running.load(Ordering::Relaxed) > 0 {
        return Err("a callback waits for ever".to_owned());
    }
    match tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
    {
        0 => Ok(()),
        tasks => Err(format!("{tasks} tasks are left")),
    }
}

/// Kills processes at random times.
async fn kill(machine: Machine, mut dice: Random, kills: usize) {
    for _ in 0..kills {
        sleep(some_time(&mut dice)).await;
        match dice.one_in(4) {
            true => machine.hang(),
            false => machine.kill(),
        }
    }
}

/// Checks the order of events about turns and processes.
async fn read(mut events: agentwire::Subscription, disk: Disk, log: Log) {
    let (mut turn, mut is_open, mut process) = (0, false, 1);
    while let Some(event) = events.next().await {
        let Ok(event) = event else { return };
        match event {
            Event::Restarted(moved) => {
                log.note(format_args!("moved: {:?}", moved.handover));
                if moved.process <= process {
                    log.report_problem("the processes are not in order");
                }
                if !moved.not_restored.is_empty() {
                    log.report_problem("something was not restored");
                }
                process = moved.process;
                let (void, disk, log) =
                    (moved.handover.incoming_requests, disk.clone(), log.clone());
                tokio::spawn(async move {
                    sleep(Duration::from_secs(1)).await;
                    let kept = disk.lock();
                    let waits =
                        |id: &str| kept.called_back.contains(id) && !kept.answered.contains(id);
                    if void.iter().any(|id| waits(id)) {
                        log.report_problem("a callback was not notified of its cancellation");
                    }
                });
            }
            Event::Turn(agentwire::TurnEvent::Started { turn: next }) => {
                if is_open || next <= turn {
                    log.report_problem(format_args!("turn {next} starts after {turn}"));
                }
                (turn, is_open) = (next, true);
            }
            Event::Turn(agentwire::TurnEvent::Ended(end)) => {
                log.note(format_args!("turn {} {}", end.turn, end.outcome));
                if !is_open || end.turn != turn {
                    log.report_problem(format_args!("turn {} ends, and {turn} runs", end.turn));
                }
                is_open = false;
            }
            _ => {}
        }
    }
}

/// Runs a user that sends messages, settings and requests, cancels, interrupts, and
/// puts the agent to sleep.
async fn act(
    handle: Handle,
    machine: Machine,
    mut dice: Random,
    log: Log,
    returns_interrupted_turns: bool,
) {
    let mut submissions: Vec<Submission> = vec![];
    let mut tasks = vec![];
    let mut has_interrupted = false;
    for number in 0..1 + dice.below(12) {
        sleep(some_time(&mut dice)).await;
        let what = dice.below(12);
        log.note(format_args!("the user does {what}"));
        match what {
            0..7 => {
                let wants = machine.disk.lock().model.to_string();
                let uuid = format!("m-{number}");
                let mut message = UserMessage::from(wants);
                message.uuid = Some(uuid.clone());
                let submission = handle.send(message);
                tasks.push(tokio::spawn(follow(
                    submission.clone(),
                    machine.clone(),
                    log.clone(),
                    returns_interrupted_turns,
                )));
                submissions.push(submission);
            }
            7 | 8 => {
                let model = number + 1;
                match handle.set_model(format!("model-{model}")).await {
                    Ok(_) => machine.disk.lock().model = model,
                    Err(error) if is_moved(&error) => {}
                    Err(error) => log.report_problem(format_args!("set_model: {error}")),
                }
            }
            9 => {
                let handle = handle.clone();
                let log = log.clone();
                tasks.push(tokio::spawn(async move {
                    // The request is sent again to another process if necessary.
                    if let Err(error) = handle.mcp_status().await {
                        log.report_problem(format_args!("a request that reads failed: {error}"));
                    }
                }));
            }
            10 if dice.one_in(3) => {
                has_interrupted = true;
                match handle.interrupt().await {
                    Ok(_) => {}
                    Err(error) if is_moved(&error) => {}
                    Err(error) => log.report_problem(format_args!("interrupt: {error}")),
                }
            }
            10 => {
                if let Some(submission) = submissions.last() {
                    match submission.cancel().await {
                        Ok(_) => {}
                        Err(error) if is_moved(&error) => {}
                        Err(error) => log.report_problem(format_args!("cancel: {error}")),
                    }
                }
            }
            _ => match handle.sleep().await {
                Ok(()) | Err(Error::Busy(_)) => {}
                // The process exits instead of sleeping.
                Err(error) => log.report_problem(format_args!("sleep: {error}")),
            },
        }
    }
    for task in tasks {
        task.await.unwrap();
    }
    let all = submissions.iter().map(Submission::state);
    let is_forgotten = |state: SubmissionState| {
        matches!(state, SubmissionState::Lost | SubmissionState::Unknown)
            || state == SubmissionState::Interrupted && !has_interrupted
    };
    if let Some(state) = all.into_iter().find(|state| is_forgotten(*state)) {
        log.report_problem(format_args!("a message is {state}"));
    }
}

/// Follows a message to its end.
async fn follow(
    mut submission: Submission,
    machine: Machine,
    log: Log,
    returns_interrupted_turns: bool,
) {
    let uuid = submission.uuid().to_owned();
    let mut state = submission.state();
    while !state.is_end() {
        let next = submission.changed().await;
        if next < state {
            log.report_problem(format_args!("{uuid} is {next} after {state}"));
        }
        state = next;
        if state == SubmissionState::Started {
            let mut kept = machine.disk.lock();
            let process = kept.processes;
            kept.started.insert(uuid.clone(), process);
        }
    }
    log.note(format_args!("{uuid} is {state}"));
    let (times, is_done) = {
        let mut kept = machine.disk.lock();
        kept.finished.insert(uuid.clone());
        let times = kept.completed.get(&uuid).copied().unwrap_or_default();
        (times, kept.done.contains(&uuid))
    };
    if state == SubmissionState::Completed && !is_done {
        log.report_problem(format_args!(
            "{uuid} is completed, and no turn has ended with it"
        ));
    }
    match state {
        SubmissionState::Completed => {
            let turn = submission.turn_ended().await;
            if let Ok(turn) = turn
                && turn.outcome == TurnOutcome::Completed
                && times > 1
            {
                log.report_problem(format_args!("{uuid} ran {times} times"));
            }
        }
        SubmissionState::CutOff if !returns_interrupted_turns => {
            log.report_problem(format_args!("{uuid} is cut off, and turns go on"));
        }
        _ => {}
    }
}

fn is_moved(error: &Error) -> bool {
    matches!(error, Error::Request(failure) if matches!(**failure, RequestFailure::Restarted { .. }))
}
