//! Runs one session: its tasks, and the checks at its end.

use crate::FOR_EVER;
use crate::agent::{Agent, AgentEnd};
use crate::check::{Delivered, Wire};
use crate::log::Log;
use crate::pipe::{Pipe, Reader, Writer, pause};
use crate::user::{self, Users, Waiting};
use agentwire::options::Backpressure;
use agentwire::process::{CloseReport, CloseStep};
use agentwire::protocol::outbox::Limits;
use agentwire::transport::Pipes;
use agentwire::{Client, ClosePolicy, EndReason, Error};
use agentwire::{Handle, Hook, Options, SessionEnd};
use agentwire_testing::Random;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime;
use tokio::time::{Instant, sleep, timeout};

/// The tolerance for the driver's deadlines. After a broken pipe, the driver waits for
/// the exit and reads the remaining output.
const SLACK: Duration = Duration::from_secs(5);

pub(crate) async fn run(seed: u64, log: &Log) -> Result<(), String> {
    let mut dice = Random::new(seed);
    let has_no_faults = dice.one_in(3);
    let policy = policy(&mut dice, has_no_faults);
    let request_timeout = match has_no_faults {
        true => FOR_EVER / 10,
        false => Duration::from_millis(1 + dice.below(60_000) as u64),
    };
    log.note(format_args!(
        "calm: {has_no_faults}, {policy:?}, {request_timeout:?}"
    ));

    let wire = Wire::new(log);
    let (to_agent, to_host) = (pipe(&mut dice), pipe(&mut dice));
    let reader = Reader::new(
        to_host.clone(),
        wire.clone(),
        split(&mut dice),
        !has_no_faults && dice.one_in(4),
    );
    let writer = Writer::new(
        to_agent.clone(),
        wire.clone(),
        split(&mut dice),
        (!has_no_faults && dice.one_in(5)).then(|| dice.below(10_000)),
        !has_no_faults && dice.one_in(10),
    );
    let watching = tokio::spawn(watch(to_host.clone(), wire.clone(), log.clone()));
    let agent = Agent {
        dice: split(&mut dice),
        log: log.clone(),
        input: to_agent,
        output: to_host,
        agent_end: (!has_no_faults).then(|| agent_end(&mut dice)),
        invalid_lines: 0,
    };
    let agent = tokio::spawn(agent.live());
    let (options, hard_limit) = options(&mut dice, has_no_faults, log, &wire);
    let options = options
        .close_policy(policy)
        .request_timeout(request_timeout);

    let connect = Client::connect_over(Pipes::new(reader, writer), options);
    let connected = match !has_no_faults && dice.one_in(10) {
        true => timeout(pause(&mut dice), connect).await.ok(),
        false => Some(connect.await),
    };
    match connected {
        Some(Ok(client)) => {
            let session = Session {
                users: Users {
                    log: log.clone(),
                    wire: wire.clone(),
                    handle: client.handle(),
                    has_no_faults,
                    awaits_nothing: !has_no_faults && dice.one_in(3),
                    request_timeout,
                    waiting: Waiting::default(),
                    refused: Arc::default(),
                    lost: Arc::default(),
                    unsent: Arc::default(),
                },
                wire,
                policy,
                delivered: Delivered::default(),
                hard_limit,
                report: None,
                closed: None,
                aborted: None,
                error: None,
            };
            session.run(client, &mut dice).await?;
        }
        Some(Err(Error::Ended(_) | Error::StartUp { .. })) if !has_no_faults => {}
        Some(Err(error)) => return Err(format!("cannot connect: {error:?}")),
        None => {
            log.note("the user does not wait for the connection");
            sleep(policy.exit + SLACK).await;
        }
    }

    watching.abort();
    agent.abort();
    sleep(Duration::from_secs(1)).await;
    match runtime::Handle::current().metrics().num_alive_tasks() {
        0 => Ok(()),
        tasks => Err(format!("{tasks} tasks are left")),
    }
}

struct Session {
    users: Users,
    wire: Wire,
    policy: ClosePolicy,
    delivered: Delivered,
    /// The number of unread bytes below which no event is lost.
    hard_limit: usize,
    report: Option<CloseReport>,
    /// When the owner started to close the session, and how long closing takes without a
    /// grace period.
    closed: Option<Instant>,
    aborted: Option<Instant>,
    /// The error of the stream, if it was read while the session was closed.
    error: Option<Error>,
}

impl Session {
    async fn run(mut self, client: Client, dice: &mut Random) -> Result<(), String> {
        let acting = Waiting::default();
        for name in 0..1 + dice.below(3) {
            acting.spawn(self.users.clone().act(split(dice), name));
        }
        let error = self.run_session(client, &acting, dice).await?;
        acting.all().await;
        self.users.waiting.all().await;
        self.check_end(error).await
    }

    /// Owns the client. Reads its events or not, and ends the session. Returns the last
    /// error of the stream, if it was read to its end.
    async fn run_session(
        &mut self,
        mut client: Client,
        acting: &Waiting,
        dice: &mut Random,
    ) -> Result<Option<Option<Error>>, String> {
        let waiting = self.users.waiting.clone();
        let (has_no_faults, some_time) = (self.users.has_no_faults, pause(dice) * 20);
        let enough = async {
            if has_no_faults {
                acting.all().await;
                waiting.all().await;
            } else {
                sleep(some_time).await;
            }
        };
        let mut enough = std::pin::pin!(enough);
        let mut error = None;
        let wire = self.wire.clone();
        loop {
            let often = if self.users.awaits_nothing { 2 } else { 10 };
            let slow = dice.one_in(often).then(|| pause(dice));
            let reads = async {
                if let Some(slow) = slow {
                    sleep(slow).await;
                }
                let _wanted = wire.want();
                client.next().await
            };
            tokio::select! {
                () = &mut enough => break,
                event = reads => match event {
                    Some(Ok(event)) => {
                        self.users.respond(&event, dice);
                        self.delivered.add(&wire, &event);
                    }
                    Some(Err(it)) if error.is_none() => error = Some(it),
                    Some(Err(_)) => return Err("the stream fails twice".to_owned()),
                    // A session that is not closed does no harm.
                    None => {
                        enough.await;
                        break;
                    }
                },
            }
        }
        if !self.end(&mut client, dice).await? {
            drop(client);
            sleep(self.policy.exit + SLACK).await;
            self.delivered.check(&self.wire, false)?;
            return Ok(None);
        }
        error = error.or(self.error.take());
        let rest = async {
            while let Some(event) = client.next().await {
                match event {
                    Ok(event) => self.delivered.add(&wire, &event),
                    Err(it) if error.is_none() => error = Some(it),
                    Err(_) => return Err("the stream fails twice".to_owned()),
                }
            }
            Ok(())
        };
        timeout(SLACK, rest)
            .await
            .map_err(|_| "the stream does not end with the session")??;
        if client.next().await.is_some() {
            return Err("something comes after the end of the stream".to_owned());
        }
        self.delivered.check(&self.wire, true)?;
        if self.delivered.lagged() && self.wire.max_unread() < self.hard_limit {
            return Err(format!(
                "something is lost, and no more than {} of {} bytes were unread",
                self.wire.max_unread(),
                self.hard_limit
            ));
        }
        Ok(Some(error))
    }

    /// Ends the session. Returns whether the client is still needed.
    async fn end(&mut self, client: &mut Client, dice: &mut Random) -> Result<bool, String> {
        let begun = Instant::now();
        self.closed = Some(begun);
        let soon = self.policy.exit + SLACK;
        let what = if self.users.has_no_faults {
            0
        } else {
            dice.below(6)
        };
        self.users
            .log
            .note(format_args!("the owner ends it: {what}"));
        let (report, within) = match what {
            0 | 1 => (client.close().await, self.policy.finish + soon),
            2 => {
                self.aborted = Some(begun);
                (client.abort().await, soon)
            }
            3 => {
                // A caller of `close` may give up.
                drop(timeout(pause(dice), client.close()).await);
                self.aborted = Some(Instant::now());
                (client.abort().await, Duration::MAX)
            }
            // Others read and respond while it closes.
            4 => {
                let mut closing = client.handle().close();
                let report = loop {
                    tokio::select! {
                        report = &mut closing => break report,
                        event = client.next() => match event {
                            Some(Ok(event)) => {
                                self.users.respond(&event, dice);
                                self.delivered.add(&self.wire, &event);
                            }
                            Some(Err(error)) => self.error = Some(error),
                            None => break closing.await,
                        },
                    }
                };
                (report, self.policy.finish + soon)
            }
            _ => {
                self.aborted = Some(begun);
                return Ok(false);
            }
        };
        self.users.log.note(format_args!("{report:?}"));
        if begun.elapsed() > within {
            return Err(format!("closing took {:?}", begun.elapsed()));
        }
        self.check_report(&report)?;
        if client.close().await != report {
            return Err("closing again says something else".to_owned());
        }
        self.report = Some(report);
        Ok(true)
    }

    fn check_report(&self, report: &CloseReport) -> Result<(), String> {
        let exited = report.step == CloseStep::Exited;
        if exited && !self.wire.read_end() {
            return Err(format!("{report:?}, and that is not so"));
        }
        if self.users.has_no_faults && !exited {
            return Err("a session in which nothing broke did not end well".to_owned());
        }
        Ok(())
    }

    /// Checks that all calls report the same end of the session.
    async fn check_end(&self, of_stream: Option<Option<Error>>) -> Result<(), String> {
        let end = ended(&self.users.handle, self.users.log.clone()).await?;
        self.users.log.ended(end.reason);
        let was_dropped = of_stream.is_none();
        match of_stream {
            None => {}
            Some(None) if end.reason == EndReason::Closed => {}
            Some(Some(Error::Ended(it)))
                if Arc::ptr_eq(&it, &end) && end.reason != EndReason::Closed => {}
            other => return Err(format!("the stream ends with {other:?}, not {end:?}")),
        }
        let closing = self.wire.closing_since();
        if let Some(aborted) = self.aborted
            && closing.is_none_or(|when| when > aborted)
        {
            return Err("what is stuck is waited for, where nobody waits".to_owned());
        }
        let output_dropped = self.wire.output_dropped_at();
        for call in &*self.users.refused.lock().unwrap() {
            let is_over = output_dropped.is_some_and(|output_dropped| output_dropped < call.made);
            let may_be = match call.end.reason {
                _ if Arc::ptr_eq(&call.end, &end) => true,
                // The reason was not known at the time of the earlier call.
                EndReason::Closed => {
                    !is_over && self.closed.is_some_and(|closed| closed <= call.reported)
                }
                EndReason::RuntimeGone => false,
                _ => !is_over,
            };
            if !may_be {
                return Err(format!(
                    "a call reported {:?}, but the session ended with {end:?}",
                    call.end
                ));
            }
        }
        let unsent = self.users.unsent.lock().unwrap();
        if let Some(uuid) = unsent.iter().find(|uuid| self.wire.has_message(uuid)) {
            return Err(format!(
                "{uuid} was sent, and nobody waited for it any more"
            ));
        }
        let lost = self.users.lost.lock().unwrap();
        if let Some(uuid) = lost.iter().find(|uuid| !self.delivered.may_be_lost(uuid))
            && !was_dropped
        {
            return Err(format!("the loss of {uuid} was not reported"));
        }
        if self.users.has_no_faults && end.reason != EndReason::Closed {
            return Err(format!("nothing broke, and yet: {end:?}"));
        }
        if let Some(report) = &self.report
            && (report.step == CloseStep::Exited) == (end.reason == EndReason::StillAlive)
        {
            return Err(format!("{end:?}, and yet {report:?}"));
        }
        Ok(())
    }
}

/// Returns the end of the session that every call reports now.
async fn ended(handle: &Handle, log: Log) -> Result<Arc<SessionEnd>, String> {
    let errors = [
        handle.send("Hello?").await.err(),
        handle.send_when_room("Hello?").await.err(),
        handle.interrupt().await.err(),
        handle.outbound_queue().await.err(),
    ];
    let mut ends = Vec::new();
    for error in errors {
        match error {
            Some(Error::Ended(end)) => ends.push(end),
            other => return Err(format!("the session is over, and a call gives {other:?}")),
        }
    }
    log.note("every call says that it is over");
    let all_one = ends.iter().all(|end| Arc::ptr_eq(end, &ends[0]));
    if !all_one {
        return Err(format!("the session ended in more than one way: {ends:?}"));
    }
    Ok(ends.remove(0))
}

/// Checks that the host reads while a task needs it.
async fn watch(to_host: Pipe, wire: Wire, log: Log) {
    loop {
        // All actions of one instant are complete at the next instant.
        sleep(Duration::from_millis(250)).await;
        if let (Some(passed_over), Some(wanted)) =
            (to_host.passed_over_since(), wire.wanted_since())
            && passed_over.max(wanted).elapsed() > Duration::from_millis(200)
        {
            return log.report_problem("reading is paused while something is wanted");
        }
    }
}

fn split(dice: &mut Random) -> Random {
    dice.split()
}

fn pipe(dice: &mut Random) -> Pipe {
    Pipe::new(if dice.one_in(2) {
        1 + dice.below(500)
    } else {
        64 * 1024
    })
}

fn policy(dice: &mut Random, has_no_faults: bool) -> ClosePolicy {
    if has_no_faults {
        // Running work may end by itself.
        let long = FOR_EVER / 10;
        return ClosePolicy::default().finish(long).exit(long);
    }
    let time = |dice: &mut Random| Duration::from_millis(dice.below(20_000) as u64);
    ClosePolicy::default().finish(time(dice)).exit(time(dice))
}

fn agent_end(dice: &mut Random) -> (usize, AgentEnd) {
    let agent_end = match dice.below(6) {
        0 | 1 => AgentEnd::Vanishes,
        2 => AgentEnd::Hangs,
        3 => AgentEnd::ClosesItsInput,
        4 => AgentEnd::ClosesItsInputAndExits,
        _ => AgentEnd::ClosesItsOutput,
    };
    let after = if dice.one_in(6) { 500 } else { 20_000 };
    (dice.below(after), agent_end)
}

/// Returns options, and the number of unread bytes below which no event is lost.
fn options(dice: &mut Random, has_no_faults: bool, log: &Log, wire: &Wire) -> (Options, usize) {
    let mut options = Options::new();
    let mut hard_limit = usize::MAX;
    if dice.one_in(2) {
        let pause = dice.below(10_000);
        hard_limit = match dice.below(5) {
            0 => pause,
            1 => pause + dice.below(10_000),
            _ => 100_000_000,
        };
        options = options.unread_limit(pause).unread_hard_limit(hard_limit);
        if dice.one_in(5) {
            hard_limit = pause;
            options = options.backpressure(Backpressure::DropOldest);
        }
    }
    if dice.one_in(2) {
        options = options.outbound_queue_limits(Limits {
            users: dice.below(5_000),
            reserved_for_now: dice.below(500),
            control: 200 + dice.below(2_000),
            ..Limits::default()
        });
    }
    for event in [
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolBatch",
    ] {
        if dice.one_in(6) {
            let (own, log, wire) = (Mutex::new(split(dice)), log.clone(), wire.clone());
            let hook = Hook::named(event, move |call| {
                user::hooked(&own, &log, &wire, has_no_faults, call)
            });
            options = options.hook(if dice.one_in(2) { hook.gate() } else { hook });
        }
    }
    if dice.one_in(4) {
        return (options.requests_in_stream(dice.one_in(2)), hard_limit);
    }
    let (own, log, wire) = (Mutex::new(split(dice)), log.clone(), wire.clone());
    let options =
        options.on_permission(move |ask| user::decide(&own, &log, &wire, has_no_faults, ask));
    (options, hard_limit)
}
