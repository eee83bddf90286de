use super::*;
use crate::session_log::{Admission, Next};
use proptest::prelude::*;
use std::collections::BTreeMap;

const LENGTH: Duration = Duration::from_secs(8);

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

#[test]
fn a_lease_counts_from_when_the_append_was_first_asked_for() {
    let token = Token::new(1, "a").leased(LENGTH);
    let mut lease = Lease::new(LENGTH);
    assert!(!lease.is_valid(Duration::ZERO));
    lease.asks(Position::START, &token, seconds(10.0));
    assert_eq!(lease.valid_until(), None);
    // The answer was lost, and the same batch is sent again.
    lease.asks(Position::START, &token, seconds(13.0));
    lease.kept();
    assert_eq!(lease.valid_until(), Some(seconds(16.0)));
    assert!(lease.is_valid(seconds(15.9)) && !lease.is_valid(seconds(16.0)));
    lease.asks(Position(1), &token, seconds(14.0));
    lease.kept();
    assert_eq!(lease.valid_until(), Some(seconds(20.0)));
    assert_eq!(lease.renew_at(), seconds(14.0) + LENGTH / 3);
    lease.lost();
    assert!(!lease.is_valid(seconds(14.0)));
}

#[test]
fn a_lease_has_run_out_when_nothing_was_appended_for_its_length() {
    let head = |position, token: &Token| Head::new(Position(position), token.clone());
    let token = Token::new(3, "a").leased(LENGTH);
    assert_eq!(token.lease(), Some(LENGTH));
    assert_eq!(token.clone().leased(LENGTH / 2).lease(), Some(LENGTH / 2));
    let mut watch = LeaseWatch::default();
    assert_eq!(watch.see(&head(1, &token), seconds(100.0)), LENGTH);
    assert_eq!(watch.see(&head(1, &token), seconds(103.0)), seconds(5.0));
    assert_eq!(watch.see(&head(2, &token), seconds(107.0)), LENGTH);
    assert_eq!(watch.see(&head(2, &token), seconds(120.0)), Duration::ZERO);
    let without = Token::new(4, "b");
    assert_eq!(without.lease(), None);
    assert_eq!(
        watch.see(&head(3, &without), seconds(121.0)),
        Duration::ZERO
    );
}

#[test]
fn a_lease_of_any_length_is_one() {
    for length in [Duration::ZERO, Duration::from_millis(1), Duration::MAX] {
        let token = Token::new(1, "a").leased(length);
        let mut lease = Lease::new(length);
        lease.asks(Position::START, &token, seconds(1.0));
        lease.kept();
        assert_eq!(lease.is_valid(seconds(1.0)), !length.is_zero());
        let known = token.lease().unwrap();
        assert!(known == length || length == Duration::MAX && known > LENGTH);
        let head = Head::new(Position(1), token);
        let left = LeaseWatch::default().see(&head, seconds(1.0));
        assert_eq!(left.is_zero(), length.is_zero());
        assert!(lease.renew_at() >= seconds(1.0));
    }
    // Only the last part of a writer's name is about its lease.
    let token = Token::new(1, "a;lease=1").leased(LENGTH);
    assert_eq!(token.lease(), Some(LENGTH));
    assert_eq!(Token::new(1, "a;lease=soon").lease(), None);
}

/// What a host of the simulation does wrong, so that it is seen that it would be found.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// Counts from the answer.
    FromAnswer,
    /// Counts from the last attempt.
    FromLastAttempt,
    /// Counts what it sees from when it asked.
    SeenWhenAsked,
    /// Waits for a quarter only.
    WaitsTooShort,
}

/// What happens next, after a time.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A host that runs does what is due.
    Runs(usize),
    /// It appends what the agent has written.
    Appends(usize),
    /// The store handles a call that is on its way.
    Handles(usize),
    /// Its caller gets the answer.
    Answers(usize),
    /// The answer is lost, and the host makes the same call again.
    LosesAnswer(usize),
    /// Nothing of it happens for some seconds.
    Stops(usize, u8),
}

#[derive(Debug, Clone)]
enum Call {
    Head,
    Append(Position, Token),
}

#[derive(Debug, Clone)]
enum Answer {
    Head(Option<Head>),
    Kept(Position),
    Refused,
}

#[derive(Debug)]
struct Flight {
    host: usize,
    call: Call,
    /// On the host's clock.
    asked: Duration,
    answer: Option<Answer>,
}

struct Host {
    /// How fast its clock runs, and what it showed at the beginning.
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
    flights: Vec<Flight>,
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
            flights: vec![],
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
        let asked = self.clock(host);
        let it = &mut self.hosts[host];
        it.is_waiting = true;
        if let Call::Append(after, token) = &call {
            if self.fault == Fault::FromLastAttempt {
                it.lease.asked = None;
            }
            it.lease.asks(*after, token, asked);
        }
        self.flights.push(Flight {
            host,
            call,
            asked,
            answer: None,
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
            Step::Handles(which) if !self.flights.is_empty() => {
                let which = which % self.flights.len();
                self.handle(which);
            }
            Step::Answers(which) if !self.flights.is_empty() => {
                let which = which % self.flights.len();
                let flight = &self.flights[which];
                if flight.answer.is_some() && runs(self, flight.host) {
                    let flight = self.flights.swap_remove(which);
                    self.answered(flight);
                }
            }
            Step::LosesAnswer(which) if !self.flights.is_empty() => {
                let which = which % self.flights.len();
                if runs(self, self.flights[which].host) {
                    // The call may still arrive at the store.
                    let (host, call) = (self.flights[which].host, self.flights[which].call.clone());
                    if self.flights[which].answer.is_some() {
                        self.flights.swap_remove(which);
                    } else {
                        self.flights[which].host = usize::MAX;
                    }
                    self.call(host, call);
                }
            }
            Step::Handles(_) | Step::Answers(_) | Step::LosesAnswer(_) => {}
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
        let Flight { call, answer, .. } = &mut self.flights[which];
        if answer.is_some() {
            return;
        }
        *answer = Some(match call {
            Call::Head => Answer::Head(self.head.clone()),
            Call::Append(after, token) => {
                let next = self.batches.get(after);
                match Head::admit(self.head.as_ref(), next, *after, token) {
                    Err(_) => Answer::Refused,
                    Ok(Admission::Kept(position)) => Answer::Kept(position),
                    Ok(Admission::Keep) => {
                        let position = Position(after.0 + 1);
                        if let Some(head) = &self.head
                            && head.token != *token
                        {
                            self.takeovers += 1;
                        }
                        let next = Next::new(position, token.clone());
                        self.batches.insert(*after, next);
                        self.head = Some(Head::new(position, token.clone()));
                        Answer::Kept(position)
                    }
                }
            }
        });
        if self.flights[which].host == usize::MAX {
            self.flights.swap_remove(which);
        }
    }

    fn answered(&mut self, flight: Flight) {
        let Flight {
            host,
            call,
            asked,
            answer,
        } = flight;
        let now = self.clock(host);
        let fault = self.fault;
        let it = &mut self.hosts[host];
        it.is_waiting = false;
        match (answer.unwrap(), call) {
            (Answer::Head(head), _) => {
                let seen = match fault {
                    Fault::SeenWhenAsked => asked,
                    _ => now,
                };
                let left = match &head {
                    // It waits until `now`, whenever it began.
                    Some(head) => it.watch.see(head, seen).saturating_sub(now - seen),
                    None => Duration::ZERO,
                };
                let margin = match fault {
                    Fault::WaitsTooShort => LENGTH * 3 / 4,
                    _ => Duration::ZERO,
                };
                if left <= margin {
                    it.times += 1;
                    let writer = format!("{host}.{}", it.times);
                    let token = Token::next(head.as_ref(), writer).leased(LENGTH);
                    let end = head.map_or(Position::START, |head| head.position);
                    self.call(host, Call::Append(end, token));
                }
            }
            (Answer::Kept(position), Call::Append(_, token)) => {
                if fault == Fault::FromAnswer {
                    it.lease.asked = Some((position, token.clone(), now));
                }
                it.lease.kept();
                it.owned = Some((position, token));
            }
            (Answer::Refused, _) | (_, Call::Head) => {
                it.owned = None;
                it.lease = Lease::new(LENGTH);
            }
        }
    }

    /// The hosts whose lease is valid, as they would see it now.
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
        6 => any::<usize>().prop_map(Step::Answers),
        2 => any::<usize>().prop_map(Step::LosesAnswer),
        1 => (0..3_usize, 1..20_u8).prop_map(|(host, seconds)| Step::Stops(host, seconds)),
    ];
    let after = prop_oneof![4 => 0.0..0.5_f64, 1 => 0.5..4.0_f64];
    (after, step)
}

/// The speeds of the hosts' clocks and what they showed at the beginning, and the steps.
type Run = (Vec<(f64, f64)>, Vec<(f64, Step)>);

fn a_run() -> impl Strategy<Value = Run> {
    // What clocks of machines differ by is a thousandth of this.
    let clock = (0.95..1.05_f64, 0.0..1000.0_f64);
    let clocks = prop::collection::vec(clock, 2..=3);
    (clocks, prop::collection::vec(a_step(), 1..200))
}

/// Runs it, and returns how often the log was taken over; an error if a lease was two
/// hosts' at once.
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
    fn a_lease_is_never_two_hosts_at_once((clocks, steps) in a_run()) {
        let outcome = simulate(Fault::None, &clocks, &steps);
        prop_assert!(outcome.is_ok(), "{outcome:?}");
    }
}

#[test]
fn the_simulation_takes_over_and_finds_each_fault() {
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
        Fault::FromAnswer,
        Fault::FromLastAttempt,
        Fault::SeenWhenAsked,
        Fault::WaitsTooShort,
    ] {
        let found = outcomes(fault).iter().filter(|it| it.is_err()).count();
        assert!(found > 0, "{fault:?} is found {found} times");
    }
}
