//! The ways in which sessions end.

use crate::agents::Start;
use crate::support;
use agentwire::ExitGuard;
use std::io::{BufRead, BufReader};
use std::panic::panic_any;
use std::process::{Child, Command, Stdio};
use std::thread;
use tokio::runtime::{Builder, Runtime};

/// The variable with the way in which a host ends. This executable is a host if the
/// variable is set.
pub(crate) const HOST: &str = "ORPHAN_TABLE_HOST";
/// The variable with the agent's [`Start`], as JSON.
pub(crate) const START: &str = "ORPHAN_TABLE_START";

/// The variable with the path of the host whose panics abort (`aborting_host`).
const ABORTING: &str = "ORPHAN_TABLE_ABORTING_HOST";

/// The message of an intended panic.
pub(crate) const ON_PURPOSE: &str = "on purpose";

/// The name and the action of a way.
type Way = (&'static str, fn(&Start));

/// Ways to end a session without ending the host.
pub(crate) const WAYS_WITHOUT_HOST_END: [Way; 12] = [
    ("drop inside a runtime", |start| {
        threads().block_on(async { drop(start.connect().await) });
    }),
    ("drop inside a current-thread runtime", |start| {
        let runtime = current_thread();
        runtime.block_on(async { drop(start.connect().await) });
    }),
    ("drop outside a runtime that stands still", |start| {
        let runtime = current_thread();
        drop(runtime.block_on(start.connect()));
    }),
    ("drop outside, after the runtime", |start| {
        let runtime = threads();
        let client = runtime.block_on(start.connect());
        drop(runtime);
        drop(client);
    }),
    ("runtime shut down, client in a task", |start| {
        let runtime = threads();
        let client = runtime.block_on(start.connect());
        runtime.spawn(async move {
            let _client = client;
            std::future::pending::<()>().await;
        });
        drop(runtime);
    }),
    ("panic in the task that has the client", |start| {
        let runtime = threads();
        let client = runtime.block_on(start.connect());
        let task = runtime.spawn(async move {
            let _client = client;
            panic_any(ON_PURPOSE);
        });
        assert!(runtime.block_on(task).unwrap_err().is_panic());
    }),
    ("panic in a thread that has client and runtime", |start| {
        let runtime = threads();
        let client = runtime.block_on(start.connect());
        let thread = thread::spawn(move || {
            let _both = (client, runtime);
            panic_any(ON_PURPOSE);
        });
        thread.join().unwrap_err();
    }),
    ("close, the turn going on", |start| {
        threads().block_on(async {
            let mut client = start.connect().await;
            let report = client.close().await;
            assert!(report.remaining.is_empty(), "{report:?}");
        });
    }),
    ("abort", |start| {
        threads().block_on(async {
            let report = start.connect().await.abort().await;
            assert!(report.remaining.is_empty(), "{report:?}");
        });
    }),
    ("the CLI is killed", |start| {
        threads().block_on(async {
            let mut client = start.connect().await;
            support::kill(client.pid().unwrap());
            while client.next().await.is_some() {}
        });
    }),
    ("close_all on a thread", |start| {
        let runtime = threads();
        let _client = runtime.block_on(start.connect());
        let reports = agentwire::close_all();
        assert!(!reports.is_empty());
        assert!(
            reports.iter().all(|it| it.remaining.is_empty()),
            "{reports:?}"
        );
        assert!(agentwire::close_all().is_empty());
    }),
    ("guard dropped behind the client", |start| {
        let _guard = ExitGuard::new();
        let _client = threads().block_on(start.connect());
    }),
];

/// Ways to end the host with its sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostEnd {
    /// `main` returns, with a guard.
    GuardedReturn,
    /// `main` panics, with a guard.
    GuardedPanic,
    /// `main` panics, with a guard, in a program whose panics abort.
    GuardedAbort,
    /// The host receives SIGTERM, and calls `close_all`.
    HandledSignal,
    /// `main` panics.
    Panic,
    /// The host receives SIGTERM without a handler.
    Signal,
    /// The host receives SIGKILL.
    Kill,
}

impl HostEnd {
    const ALL: [Self; 7] = [
        Self::GuardedReturn,
        Self::GuardedPanic,
        Self::GuardedAbort,
        Self::HandledSignal,
        Self::Panic,
        Self::Signal,
        Self::Kill,
    ];

    /// Returns all ways for which a host is available.
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        let has_aborting = std::env::var_os(ABORTING).is_some();
        let all = Self::ALL.into_iter();
        all.filter(move |end| has_aborting || *end != Self::GuardedAbort)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::GuardedReturn => "host returns from main, ExitGuard",
            Self::GuardedPanic => "host panics in main, ExitGuard",
            Self::GuardedAbort => "host panics in main, ExitGuard, panic = \"abort\"",
            Self::HandledSignal => "host gets SIGTERM, calls close_all",
            Self::Panic => "host panics in main, no guard",
            Self::Signal => "host gets SIGTERM, no handler",
            Self::Kill => "host gets SIGKILL",
        }
    }

    /// Returns whether the library promises that no process survives this end.
    pub(crate) fn is_clean(self) -> bool {
        matches!(
            self,
            Self::GuardedReturn | Self::GuardedPanic | Self::GuardedAbort | Self::HandledSignal
        )
    }

    /// Starts a host, and ends it when its session runs. Returns the PID of the agent
    /// after the host has exited.
    pub(crate) fn run(self, start: &Start) -> u32 {
        let program = match self {
            Self::GuardedAbort => std::env::var_os(ABORTING).unwrap().into(),
            _ => std::env::current_exe().unwrap(),
        };
        let mut host = Command::new(program)
            .env(HOST, self.name())
            .env(START, start.to_json())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            // Do not print the message of the panic.
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(host.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let agent = line.trim().parse().unwrap();
        match self {
            Self::HandledSignal | Self::Signal => signal(&host, rustix::process::Signal::TERM),
            Self::Kill => signal(&host, rustix::process::Signal::KILL),
            Self::GuardedReturn | Self::GuardedPanic | Self::GuardedAbort | Self::Panic => {}
        }
        host.wait().unwrap();
        agent
    }
}

/// Runs a host in its own process.
pub(crate) fn host(end: &str, start: &Start) {
    let end = HostEnd::ALL
        .into_iter()
        .find(|it| it.name() == end)
        .unwrap();
    let guarded = matches!(
        end,
        HostEnd::GuardedReturn | HostEnd::GuardedPanic | HostEnd::GuardedAbort
    );
    let _guard = guarded.then(ExitGuard::new);
    let runtime = threads();
    let client = runtime.block_on(start.connect());
    let mut terminate = (end == HostEnd::HandledSignal).then(|| {
        let _inside = runtime.enter();
        let kind = tokio::signal::unix::SignalKind::terminate();
        tokio::signal::unix::signal(kind).unwrap()
    });
    // The client is dropped before the runtime, and the runtime before the guard.
    println!("{}", client.pid().unwrap());
    match (end, &mut terminate) {
        (HostEnd::GuardedReturn, _) => {}
        (HostEnd::GuardedPanic | HostEnd::GuardedAbort | HostEnd::Panic, _) => {
            panic_any(ON_PURPOSE)
        }
        (_, Some(terminate)) => {
            runtime.block_on(terminate.recv());
            agentwire::close_all();
            std::process::exit(0);
        }
        (_, None) => runtime.block_on(std::future::pending()),
    }
}

fn signal(host: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_child(host);
    rustix::process::kill_process(pid, signal).unwrap();
}

fn threads() -> Runtime {
    Builder::new_multi_thread().enable_all().build().unwrap()
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}
