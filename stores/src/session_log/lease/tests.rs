use super::*;
use crate::session_log::{Admission, Next};
use proptest::prelude::*;
use std::collections::BTreeMap;

const LENGTH: Duration = Duration::from_secs(8);

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

#[test]
fn a_lease_counts_from_the_first_attempt_of_an_append() {
    let token = Token::new(1, "a").leased(LENGTH);
    let mut lease = Lease::new(LENGTH);
    assert!(!lease.is_valid(Duration::ZERO));
    lease.append_started(Position::START, &token, seconds(10.0));
    assert_eq!(lease.valid_until(), None);
    // The response was lost, so the same batch is sent again.
    lease.append_started(Position::START, &token, seconds(13.0));
    lease.append_stored();
    assert_eq!(lease.valid_until(), Some(seconds(16.0)));
    assert!(lease.is_valid(seconds(15.9)) && !lease.is_valid(seconds(16.0)));
    lease.append_started(Position(1), &token, seconds(14.0));
    lease.append_stored();
    assert_eq!(lease.valid_until(), Some(seconds(20.0)));
    assert_eq!(lease.renew_at(), seconds(14.0) + LENGTH / 3);
    lease.revoke();
    assert!(!lease.is_valid(seconds(14.0)));
}

#[test]
fn a_lease_expires_when_nothing_is_appended_for_its_length() {
    let head = |position, token: &Token| Head::new(Position(position), token.clone());
    let token = Token::new(3, "a").leased(LENGTH);
    assert_eq!(token.lease(), Some(LENGTH));
    assert_eq!(token.clone().leased(LENGTH / 2).lease(), Some(LENGTH / 2));
    let mut watch = LeaseWatch::default();
    assert_eq!(watch.observe(&head(1, &token), seconds(100.0)), LENGTH);
    assert_eq!(
        watch.observe(&head(1, &token), seconds(103.0)),
        seconds(5.0)
    );
    assert_eq!(watch.observe(&head(2, &token), seconds(107.0)), LENGTH);
    assert_eq!(
        watch.observe(&head(2, &token), seconds(120.0)),
        Duration::ZERO
    );
    let without = Token::new(4, "b");
    assert_eq!(without.lease(), None);
    assert_eq!(
        watch.observe(&head(3, &without), seconds(121.0)),
        Duration::ZERO
    );
}

#[test]
fn a_lease_can_have_any_length() {
    for length in [Duration::ZERO, Duration::from_millis(1), Duration::MAX] {
        let token = Token::new(1, "a").leased(length);
        let mut lease = Lease::new(length);
        lease.append_started(Position::START, &token, seconds(1.0));
        lease.append_stored();
        assert_eq!(lease.is_valid(seconds(1.0)), !length.is_zero());
        let known = token.lease().unwrap();
        assert!(known == length || length == Duration::MAX && known > LENGTH);
        let head = Head::new(Position(1), token);
        let remaining = LeaseWatch::default().observe(&head, seconds(1.0));
        assert_eq!(remaining.is_zero(), length.is_zero());
        assert!(lease.renew_at() >= seconds(1.0));
    }
    // The last part of the writer's name is the lease.
    let token = Token::new(1, "a;lease=1").leased(LENGTH);
    assert_eq!(token.lease(), Some(LENGTH));
    assert_eq!(Token::new(1, "a;lease=soon").lease(), None);
}

/// A bug of the simulated hosts. The simulation must find it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// The owner counts the lease from the response.
    FromResponse,
    /// The owner counts the lease from the last attempt.
    FromLastAttempt,
    /// A host counts another host's lease from the request.
    ObservedAtRequest,
    /// A host waits only for a quarter of the lease.
    WaitsTooShort,
}

/// A step of the simulation.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A host claims the log or renews its lease.
    Runs(usize),
    /// The owner appends entries of the agent.
    Appends(usize),
    /// The store handles a pending call.
    Handles(usize),
    /// A caller receives the response.
    Responds(usize),
    /// The response is lost, and the host repeats the call.
    LosesResponse(usize),
    /// A host is stopped for some seconds.
    Stops(usize, u8),
}

#[derive(Debug, Clone)]
enum Call {
    Head,
    Append(Position, Token),
}

#[derive(Debug, Clone)]
enum Response {
    Head(Option<Head>),
    Stored(Position),
    Refused,
}

#[derive(Debug)]
struct PendingCall {
    host: usize,
    call: Call,
    /// The time of the request by the host's clock.
    requested_at: Duration,
    response: Option<Response>,
}

struct Host {
    /// The speed and the initial time of the host's clock.
    speed: f64,
    start: f64,
    stopped_until: f64,
    lease: Lease,
    owned: Option<(Position, Token)>,
    watch: LeaseWatch,
    is_waiting: bool,
    times: u64,
}

struct Simulation {
    fault: Fault,
    now: f64,
    hosts: Vec<Host>,
    pending: Vec<PendingCall>,
    head: Option<Head>,
    batches: BTreeMap<Position, Next>,
    takeovers: usize,
}

impl Simulation {
    fn new(fault: Fault, speeds: &[(f64, f64)]) -> Self {
        let hosts = speeds.iter().map(|&(speed, start)| Host {
            speed,
            start,
            stopped_until: 0.0,
            lease: Lease::new(LENGTH),
            owned: None,
            watch: LeaseWatch::default(),
            is_waiting: false,
            times: 0,
        });
        Self {
            fault,
            now: 0.0,
            hosts: hosts.collect(),
            pending: vec![],
            head: None,
            batches: BTreeMap::new(),
            takeovers: 0,
        }
    }

    fn clock(&self, host: usize) -> Duration {
        let host = &self.hosts[host];
        seconds(host.start + self.now * host.speed)
    }

    fn call(&mut self, host: usize, call: Call) {
        let requested_at = self.clock(host);
        let it = &mut self.hosts[host];
        it.is_waiting = true;
        if let Call::Append(after, token) = &call {
            if self.fault == Fault::FromLastAttempt {
                it.lease.attempt = None;
            }
            it.lease.append_started(*after, token, requested_at);
        }
        self.pending.push(PendingCall {
            host,
            call,
            requested_at,
            response: None,
        });
    }

    fn step(&mut self, after: f64, step: Step) {
        self.now += after;
        let count = self.hosts.len();
        let runs = |this: &Self, host: usize| {
            let host = this.hosts.get(host);
            host.is_some_and(|host| host.stopped_until <= this.now)
        };
        match step {
            Step::Stops(host, seconds) => {
                self.hosts[host % count].stopped_until = self.now + f64::from(seconds);
            }
            Step::Runs(host) if runs(self, host % count) => self.run(host % count),
            Step::Appends(host) if runs(self, host % count) => {
                let host = host % count;
                let it = &self.hosts[host];
                if let (Some((end, token)), false) = (it.owned.clone(), it.is_waiting) {
                    self.call(host, Call::Append(end, token));
                }
            }
            Step::Runs(_) | Step::Appends(_) => {}
            Step::Handles(which) if !self.pending.is_empty() => {
                let which = which % self.pending.len();
                self.handle(which);
            }
            Step::Responds(which) if !self.pending.is_empty() => {
                let which = which % self.pending.len();
                let call = &self.pending[which];
                if call.response.is_some() && runs(self, call.host) {
                    let call = self.pending.swap_remove(which);
                    self.respond(call);
                }
            }
            Step::LosesResponse(which) if !self.pending.is_empty() => {
                let which = which % self.pending.len();
                if runs(self, self.pending[which].host) {
                    // The call may still arrive at the store.
                    let (host, call) = (self.pending[which].host, self.pending[which].call.clone());
                    if self.pending[which].response.is_some() {
                        self.pending.swap_remove(which);
                    } else {
                        self.pending[which].host = usize::MAX;
                    }
                    self.call(host, call);
                }
            }
            Step::Handles(_) | Step::Responds(_) | Step::LosesResponse(_) => {}
        }
    }

    fn run(&mut self, host: usize) {
        let now = self.clock(host);
        let it = &self.hosts[host];
        if it.is_waiting {
            return;
        }
        match it.owned.clone() {
            None => self.call(host, Call::Head),
            Some((end, token)) if now >= it.lease.renew_at() => {
                self.call(host, Call::Append(end, token));
            }
            Some(_) => {}
        }
    }

    fn handle(&mut self, which: usize) {
        let PendingCall { call, response, .. } = &mut self.pending[which];
        if response.is_some() {
            return;
        }
        *response = Some(match call {
            Call::Head => Response::Head(self.head.clone()),
            Call::Append(after, token) => {
                let next = self.batches.get(after);
                match Head::admit(self.head.as_ref(), next, *after, token) {
                    Err(_) => Response::Refused,
                    Ok(Admission::AlreadyStored(position)) => Response::Stored(position),
                    Ok(Admission::Append) => {
                        let position = Position(after.0 + 1);
                        if let Some(head) = &self.head
                            && head.token != *token
                        {
                            self.takeovers += 1;
                        }
                        let next = Next::new(position, token.clone());
                        self.batches.insert(*after, next);
                        self.head = Some(Head::new(position, token.clone()));
                        Response::Stored(position)
                    }
                }
            }
        });
        if self.pending[which].host == usize::MAX {
            self.pending.swap_remove(which);
        }
    }

    fn respond(&mut self, call: PendingCall) {
        let PendingCall {
            host,
            call,
            requested_at,
            response,
        } = call;
        let now = self.clock(host);
        let fault = self.fault;
        let it = &mut self.hosts[host];
        it.is_waiting = false;
        match (response.unwrap(), call) {
            (Response::Head(head), _) => {
                let seen = match fault {
                    Fault::ObservedAtRequest => requested_at,
                    _ => now,
                };
                let remaining = match &head {
                    // The duration of the call is part of the wait.
                    Some(head) => it.watch.observe(head, seen).saturating_sub(now - seen),
                    None => Duration::ZERO,
                };
                let margin = match fault {
                    Fault::WaitsTooShort => LENGTH * 3 / 4,
                    _ => Duration::ZERO,
                };
                if remaining <= margin {
                    it.times += 1;
                    let writer = format!("{host}.{}", it.times);
                    let token = Token::next(head.as_ref(), writer).leased(LENGTH);
                    let end = head.map_or(Position::START, |head| head.position);
                    self.call(host, Call::Append(end, token));
                }
            }
            (Response::Stored(position), Call::Append(_, token)) => {
                if fault == Fault::FromResponse {
                    it.lease.attempt = Some((position, token.clone(), now));
                }
                it.lease.append_stored();
                it.owned = Some((position, token));
            }
            (Response::Refused, _) | (_, Call::Head) => {
                it.owned = None;
                it.lease = Lease::new(LENGTH);
            }
        }
    }

    /// Returns the number of hosts whose lease is valid by their own clocks.
    fn valid(&self) -> usize {
        let is_valid = |host: &usize| self.hosts[*host].lease.is_valid(self.clock(*host));
        (0..self.hosts.len()).filter(is_valid).count()
    }
}

fn a_step() -> impl Strategy<Value = (f64, Step)> {
    let step = prop_oneof![
        6 => (0..3_usize).prop_map(Step::Runs),
        2 => (0..3_usize).prop_map(Step::Appends),
        6 => any::<usize>().prop_map(Step::Handles),
        6 => any::<usize>().prop_map(Step::Responds),
        2 => any::<usize>().prop_map(Step::LosesResponse),
        1 => (0..3_usize, 1..20_u8).prop_map(|(host, seconds)| Step::Stops(host, seconds)),
    ];
    let after = prop_oneof![4 => 0.0..0.5_f64, 1 => 0.5..4.0_f64];
    (after, step)
}

/// The speeds and initial times of the hosts' clocks, and the steps.
type Run = (Vec<(f64, f64)>, Vec<(f64, Step)>);

fn a_run() -> impl Strategy<Value = Run> {
    // The speeds of real clocks differ by a thousandth of this range.
    let clock = (0.95..1.05_f64, 0.0..1000.0_f64);
    let clocks = prop::collection::vec(clock, 2..=3);
    (clocks, prop::collection::vec(a_step(), 1..200))
}

/// Runs a simulation and returns the number of takeovers. Returns an error if a lease had two
/// owners.
fn simulate(fault: Fault, clocks: &[(f64, f64)], steps: &[(f64, Step)]) -> Result<usize, String> {
    let mut simulation = Simulation::new(fault, clocks);
    for (after, step) in steps {
        simulation.step(*after, *step);
        if simulation.valid() > 1 {
            return Err(format!("two owners at {}", simulation.now));
        }
    }
    Ok(simulation.takeovers)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_lease_never_has_two_owners((clocks, steps) in a_run()) {
        let outcome = simulate(Fault::None, &clocks, &steps);
        prop_assert!(outcome.is_ok(), "{outcome:?}");
    }
}

#[test]
fn the_simulation_takes_over_and_finds_each_bug() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let runs: Vec<_> = (0..6_000)
        .map(|_| a_run().new_tree(&mut runner).unwrap().current())
        .collect();
    let outcomes = |fault| {
        let outcomes = runs
            .iter()
            .map(|(clocks, steps)| simulate(fault, clocks, steps));
        outcomes.collect::<Vec<_>>()
    };
    let right = outcomes(Fault::None);
    let takeovers: usize = right.iter().map(|it| *it.as_ref().unwrap()).sum();
    assert!(takeovers > 300, "{takeovers} takeovers");
    for fault in [
        Fault::FromResponse,
        Fault::FromLastAttempt,
        Fault::ObservedAtRequest,
        Fault::WaitsTooShort,
    ] {
        let found = outcomes(fault).iter().filter(|it| it.is_err()).count();
        assert!(found > 0, "{fault:?} is found {found} times");
    }
}
