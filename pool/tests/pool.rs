//! The pool on processes of the fake agent, seen from outside.

use crate::fake_agent_path;
use crate::outside::{number, seen};
use agentwire::{ClosePolicy, Error, Event, Options};
use agentwire_pool::{Limits, Pool, PoolError, PoolEvent, Reason, Ticket};
use agentwire_testing::TempDir;
use agentwire_testkit::fake_agent::Gates;
use agentwire_testkit::{Scenario, Step, fake_agent};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// A timeout that only a broken test exceeds.
const LONG: Duration = Duration::from_secs(120);

/// A fake agent whose processes write when they begin and when they end.
struct Agent {
    home: TempDir,
    program: PathBuf,
}

impl Agent {
    fn new() -> Self {
        let home = agentwire_testing::tempdir().unwrap();
        let program = home.path().join("agent");
        let fake = fake_agent_path();
        let script = format!(
            "#!/bin/sh\necho begins >>\"$LOG\"\n{} \"$@\"\nstatus=$?\necho ends >>\"$LOG\"\nexit $status\n",
            fake.display()
        );
        std::fs::write(&program, script).unwrap();
        make_executable(&program);
        std::fs::create_dir(home.path().join("config")).unwrap();
        Self { home, program }
    }

    fn options(&self, scenario: &Scenario) -> Options {
        Options::new()
            .cli(&self.program)
            .env(fake_agent::SCRIPT, scenario.to_json())
            .env("CLAUDE_CONFIG_DIR", self.home.path().join("config"))
            .env("LOG", self.log())
    }

    fn log(&self) -> PathBuf {
        self.home.path().join("log")
    }

    /// Returns how many processes there were, and how many at once.
    fn processes(&self) -> (usize, usize) {
        let log = std::fs::read_to_string(self.log()).unwrap_or_default();
        let (mut all, mut running, mut most) = (0, 0_usize, 0);
        for line in log.lines() {
            if line == "begins" {
                all += 1;
                running += 1;
                most = most.max(running);
            } else {
                running -= 1;
            }
        }
        (all, most)
    }
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Does not wait long for agents that do not exit by themselves.
fn short_close_policy() -> ClosePolicy {
    ClosePolicy::default().exit(Duration::from_millis(100))
}

fn hello() -> Scenario {
    Scenario::default().reply([Step::text("Hello.")]).repeated()
}

/// Waits until nothing of the pool runs.
async fn settled(pool: &Pool) {
    let mut events = pool.events();
    timeout(LONG, async {
        while pool.status().processes + pool.status().waiting > 0 {
            events.next().await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn many_callers_at_once_never_have_more_processes_than_allowed() {
    let callers = number("AGENTWIRE_CALLERS", 60);
    let agent = Agent::new();
    let pool = Pool::new(Limits::new(6).starting(3));
    let mut calls = JoinSet::new();
    for number in 0..callers {
        let caller = pool.caller().tenant(format!("{}", number % 7));
        let options = agent.options(&hello());
        calls.spawn(async move {
            caller
                .prompt("Hello", options)
                .await
                .map(|it| it.text().to_owned())
        });
    }
    let texts = timeout(LONG * 4, calls.join_all()).await.unwrap();
    assert!(texts.into_iter().all(|it| it.unwrap() == "Hello."));
    let (all, most) = agent.processes();
    assert_eq!(all, callers);
    assert!((2..=6).contains(&most), "{most} at once");
    settled(&pool).await;
}

#[tokio::test]
async fn a_caller_that_goes_away_frees_its_place_wherever_it_is() {
    let agent = Agent::new();
    let pool = Pool::new(Limits::new(1));
    let first = pool.connect(agent.options(&hello())).await.unwrap();
    // One that waits.
    let ticket = Ticket::default();
    let waits = pool.caller().ticket(&ticket);
    let options = agent.options(&hello());
    // The first session has work, so that it cannot sleep.
    let scenario = Scenario::default().reply([Step::Gate("never".into())]);
    let busy = agent.options(&scenario).close_policy(short_close_policy());
    drop(first);
    let held = pool
        .connect(busy.env(fake_agent::GATES, agent.home.path()))
        .await
        .unwrap();
    let turn = held.send("Wait");
    let waiting = tokio::spawn(async move { waits.connect(options).await });
    until(&pool, |_| ticket.place().is_some()).await;
    assert_eq!(ticket.place().unwrap().reason, Reason::Processes);
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    assert!(ticket.place().is_none());
    assert_eq!(pool.status().waiting, 0);
    // One that starts.
    drop(turn);
    drop(held);
    settled(&pool).await;
    let silent = agent.home.path().join("silent");
    std::fs::write(&silent, "#!/bin/sh\nexec sleep 1000\n").unwrap();
    make_executable(&silent);
    let starts = tokio::spawn({
        let (pool, options) = (
            pool.clone(),
            Options::new()
                .cli(&silent)
                .close_policy(short_close_policy()),
        );
        async move { pool.connect(options).await.map(drop) }
    });
    until(&pool, |pool| pool.status().starting == 1).await;
    starts.abort();
    settled(&pool).await;
    // One that cannot start.
    let missing = pool.connect(Options::new().cli("/no/such/agent")).await;
    assert!(matches!(
        missing,
        Err(PoolError::Session(
            Error::Spawn { .. } | Error::CliNotFound(_)
        ))
    ));
    let exits = agent.home.path().join("exits");
    std::fs::write(&exits, "#!/bin/sh\nexit 1\n").unwrap();
    make_executable(&exits);
    let exited = pool.connect(Options::new().cli(&exits)).await;
    assert!(matches!(exited, Err(PoolError::Session(_))));
    settled(&pool).await;
    // One that dies.
    let mut dies = pool.connect(agent.options(&hello())).await.unwrap();
    let pid = dies.pid().unwrap().to_string();
    // Kills the script and the fake agent: its pipe would stay open.
    std::process::Command::new("pkill")
        .args(["-9", "-P", &pid])
        .status()
        .unwrap();
    std::process::Command::new("kill")
        .args(["-9", &pid])
        .status()
        .unwrap();
    while dies.next().await.is_some() {}
    settled(&pool).await;
    let result = pool.prompt("Hello", agent.options(&hello())).await.unwrap();
    assert_eq!(result.text(), "Hello.");
    settled(&pool).await;
}

#[tokio::test]
async fn the_place_of_a_dropped_session_is_free_when_its_process_is_gone() {
    let agent = Agent::new();
    let pool = Pool::new(Limits::new(1));
    let log = format!("LOG={}", agent.log().display());
    for _ in 0..5 {
        let session = pool.connect(agent.options(&hello())).await.unwrap();
        assert_eq!(seen(&log).0, 1);
        session.send("Hello");
        drop(session);
    }
    settled(&pool).await;
    assert_eq!(seen(&log).0, 0);
}

#[test]
fn deadlines_hold_when_the_runtime_of_the_first_caller_is_gone() {
    let agent = Agent::new();
    let pool = Pool::new(Limits::new(1));
    let first = tokio::runtime::Runtime::new().unwrap();
    let second = tokio::runtime::Runtime::new().unwrap();
    let result = first.block_on(pool.prompt("Hello", agent.options(&hello())));
    assert_eq!(result.unwrap().text(), "Hello.");
    let gates = Gates::new().unwrap();
    let scenario = Scenario::default().reply([Step::Gate("held".into()), Step::text("Hello.")]);
    let options = agent
        .options(&scenario)
        .env(fake_agent::GATES, gates.path());
    let mut held = second.block_on(pool.connect(options)).unwrap();
    let handle = held.handle();
    let turn = second.spawn(async move { handle.prompt("Hello").await });
    second.block_on(gates.reached("held")).unwrap();
    let ticket = Ticket::default();
    let caller = pool.caller().within(Duration::from_millis(300));
    let (caller, options) = (caller.ticket(&ticket), agent.options(&hello()));
    let waits = second.spawn(async move { caller.prompt("Hello", options).await });
    second.block_on(until(&pool, |_| ticket.place().is_some()));
    drop(first);
    let error = second
        .block_on(async { timeout(LONG, waits).await })
        .unwrap()
        .unwrap()
        .unwrap_err();
    assert!(matches!(error, PoolError::Deadline { .. }), "{error}");
    gates.open("held").unwrap();
    second.block_on(turn).unwrap().unwrap();
    second.block_on(held.close());
    second.block_on(settled(&pool));
}

/// Waits until the pool is so.
async fn until(pool: &Pool, mut met: impl FnMut(&Pool) -> bool) {
    let mut events = pool.events();
    timeout(LONG, async {
        while !met(pool) {
            events.next().await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn idle_sessions_sleep_while_others_wait_and_wake_in_the_queue() {
    let agent = Agent::new();
    let pool = Pool::new(Limits::new(2).starting(2));
    let mut events = pool.events();
    let mut sessions = Vec::new();
    for number in 0..4 {
        let tenant = pool.caller().tenant(format!("{number}"));
        let session = tenant.connect(agent.options(&hello())).await.unwrap();
        assert_eq!(session.prompt("Hello").await.unwrap().text(), "Hello.");
        sessions.push(session);
    }
    assert_eq!(pool.status().processes, 2);
    for _ in 0..2 {
        for session in &sessions {
            assert_eq!(session.prompt("Again").await.unwrap().text(), "Hello.");
        }
    }
    let (all, most) = agent.processes();
    assert_eq!(
        (all, most),
        (12, 2),
        "each of twelve prompts woke a session"
    );
    for mut session in sessions {
        let report = session.close().await;
        drop(report);
    }
    settled(&pool).await;
    drop(pool);
    let mut slept = Vec::new();
    while let Some(event) = events.next().await {
        if let PoolEvent::Sleeps { id, .. } = event {
            slept.push(id);
        }
    }
    // Always the one that was used least recently.
    assert_eq!(slept, [1, 2, 3, 4, 1, 2, 3, 4, 1, 2]);
}

#[tokio::test]
async fn a_caller_waits_until_its_deadline_and_a_closed_pool_refuses() {
    let agent = Agent::new();
    let gates = Gates::new().unwrap();
    let pool = Pool::new(Limits::new(1));
    let scenario = Scenario::default().reply([Step::Gate("held".into()), Step::text("Hello.")]);
    let options = agent
        .options(&scenario)
        .env(fake_agent::GATES, gates.path());
    let mut session = pool.connect(options).await.unwrap();
    let handle = session.handle();
    let turn = tokio::spawn(async move { handle.prompt("Hello").await });
    gates.reached("held").await.unwrap();
    let hasty = pool
        .caller()
        .tenant("hasty")
        .within(Duration::from_millis(20));
    let error = hasty.connect(agent.options(&hello())).await.unwrap_err();
    let PoolError::Deadline { waited, reason, .. } = error else {
        panic!("{error}")
    };
    assert!(waited >= Duration::from_millis(20));
    assert_eq!(reason, Reason::Processes);
    let ticket = Ticket::default();
    let caller = pool.caller().ticket(&ticket);
    let options = agent.options(&hello());
    let waiting = tokio::spawn(async move { caller.prompt("Hello", options).await });
    until(&pool, |_| ticket.place().is_some()).await;
    let place = ticket.place().unwrap();
    assert_eq!((place.ahead, place.waiting), (0, 1));
    pool.close();
    assert!(matches!(waiting.await.unwrap(), Err(PoolError::Closed)));
    let refused = pool.connect(agent.options(&hello())).await;
    assert!(matches!(refused, Err(PoolError::Closed)));
    // Sessions go on.
    gates.open("held").unwrap();
    assert_eq!(turn.await.unwrap().unwrap().text(), "Hello.");
    session.close().await;
    settled(&pool).await;
}

#[tokio::test]
async fn a_session_that_is_restarted_keeps_its_place() {
    let agent = Agent::new();
    let pool = Pool::new(Limits::new(1));
    let options = agent
        .options(&hello())
        .restart(agentwire::RestartPolicy::default());
    let mut session = pool.connect(options).await.unwrap();
    session.prompt("Hello").await.unwrap();
    let pid = session.pid().unwrap().to_string();
    std::process::Command::new("pkill")
        .args(["-9", "-P", &pid])
        .status()
        .unwrap();
    std::process::Command::new("kill")
        .args(["-9", &pid])
        .status()
        .unwrap();
    while !matches!(session.next().await.unwrap(), Ok(Event::Restarted(_))) {}
    assert_eq!(session.prompt("Hello").await.unwrap().text(), "Hello.");
    assert_eq!(pool.status().processes, 1);
    session.close().await;
    settled(&pool).await;
}

#[tokio::test]
async fn memory_is_measured_and_bounds_processes() {
    let agent = Agent::new();
    // Not even one process fits, but one is always allowed.
    let pool = Pool::new(Limits::new(10).memory(1));
    let first = pool.connect(agent.options(&hello())).await.unwrap();
    first.prompt("Hello").await.unwrap();
    let gates = Gates::new().unwrap();
    let scenario = Scenario::default().reply([Step::Gate("held".into())]);
    let busy = agent
        .options(&scenario)
        .env(fake_agent::GATES, gates.path())
        .close_policy(short_close_policy());
    // The first sleeps for it.
    let mut second = pool.connect(busy).await.unwrap();
    second.send("Hello");
    gates.reached("held").await.unwrap();
    until(&pool, |pool| pool.status().memory > 0).await;
    assert_eq!(pool.status().processes, 1);
    let hasty = pool.caller().within(Duration::from_millis(20));
    let error = hasty.connect(agent.options(&hello())).await.unwrap_err();
    assert!(
        matches!(
            error,
            PoolError::Deadline {
                reason: Reason::Memory,
                ..
            }
        ),
        "{error}"
    );
    second.abort().await;
    drop(first);
    settled(&pool).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sessions_take_turns_on_few_processes() {
    const PROCESSES: usize = 8;
    const MEMORY: u64 = 256 << 20;
    let (sessions, turns) = (number("AGENTWIRE_SESSIONS", 20), 3);
    let agent = Agent::new();
    let pool = Pool::new(Limits::new(PROCESSES).starting(4).memory(MEMORY));
    let began = Instant::now();
    let mut running = JoinSet::new();
    for number in 0..sessions {
        let caller = pool.caller().tenant(number.to_string());
        let options = agent.options(&hello());
        running.spawn(async move {
            let mut session = caller.connect(options).await.unwrap();
            for _ in 0..turns {
                assert_eq!(session.prompt("Hello").await.unwrap().text(), "Hello.");
            }
            session.close().await;
        });
    }
    let log = format!("LOG={}", agent.log().display());
    let (mut most, mut peak) = (0, 0);
    while !running.is_empty() {
        tokio::select! {
            done = running.join_next() => done.unwrap().unwrap(),
            () = tokio::time::sleep(Duration::from_millis(10)) => {}
        }
        let (processes, kilobytes) = seen(&log);
        most = most.max(processes);
        peak = peak.max(kilobytes * 1024);
    }
    let (seconds, turns) = (began.elapsed().as_secs_f64(), sessions * turns);
    println!(
        "{sessions} sessions, {turns} turns in {seconds:.1} s ({:.0} a second) by {} processes; \
         at most {most} of {PROCESSES} at once, {} of {} MiB",
        turns as f64 / seconds,
        agent.processes().0,
        peak >> 20,
        MEMORY >> 20
    );
    assert!((1..=PROCESSES).contains(&most), "{most} processes");
    assert!(agent.processes().1 <= PROCESSES);
    assert!(peak <= MEMORY, "{peak} bytes");
    settled(&pool).await;
}

#[tokio::test]
async fn small_tenants_wait_for_a_round_and_not_for_the_large_tenant() {
    const TENANTS: usize = 20;
    let load = number("AGENTWIRE_LOAD", 2);
    let agent = Agent::new();
    let pool = Pool::new(Limits::new(2).starting(2));
    let mut events = pool.events();
    let starts = tokio::spawn(async move {
        let mut starts = Vec::new();
        while let Some(event) = events.next().await {
            if let PoolEvent::Starts { tenant, waited, .. } = event {
                starts.push((tenant, waited));
            }
        }
        starts
    });
    let mut calls = JoinSet::new();
    // All callers of the large tenant are there first.
    for tenant in 0..TENANTS {
        let callers = if tenant == 0 { load * 20 } else { load };
        for _ in 0..callers {
            let caller = pool
                .caller()
                .tenant(tenant.to_string())
                .priority(-(tenant as i32));
            let options = agent.options(&hello());
            calls.spawn(async move { caller.prompt("Hello", options).await.map(drop) });
        }
    }
    for outcome in calls.join_all().await {
        outcome.unwrap();
    }
    settled(&pool).await;
    drop(pool);
    let starts = starts.await.unwrap();
    let longest = |is_large: bool| {
        let waits = starts
            .iter()
            .filter(|(tenant, _)| (&**tenant == "0") == is_large);
        waits.map(|(_, waited)| *waited).max().unwrap()
    };
    let last = starts.iter().rposition(|(tenant, _)| &**tenant != "0");
    println!(
        "{TENANTS} tenants: the longest wait of the small ones {:?}, of the large one {:?}",
        longest(false),
        longest(true)
    );
    // A round has a caller of each tenant; the first starts before the others have come.
    assert!(last.unwrap() <= load * TENANTS + 2, "{last:?}");
}
