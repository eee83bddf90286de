//! Tests of the machine: limits, order, accounts.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn started(decisions: &[Decision]) -> Vec<u64> {
    let started = decisions.iter().filter_map(|it| match it {
        Decision::Start(id) => Some(*id),
        _ => None,
    });
    started.collect()
}

struct World {
    machine: Machine,
    now: Instant,
    began: Instant,
}

impl World {
    fn new(limits: Limits) -> Self {
        let now = Instant::now();
        Self {
            machine: Machine::new(limits),
            now,
            began: now,
        }
    }

    fn call(&mut self, tenant: &str, priority: i32, accounts: &[&str]) -> u64 {
        let accounts: Vec<Arc<str>> = accounts.iter().map(|it| (*it).into()).collect();
        let machine = &mut self.machine;
        let id = machine.join(self.now, tenant.into(), priority, accounts.into());
        machine.wait(self.now, id, None);
        id
    }

    fn decide(&mut self) -> Vec<Decision> {
        self.machine.decide(self.now)
    }

    fn pass(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
    }

    /// Returns the time so many seconds after the beginning.
    fn at(&self, seconds: u64) -> (Instant, SystemTime) {
        let since = Duration::from_secs(seconds);
        (self.began + since, SystemTime::UNIX_EPOCH + since)
    }
}

#[test]
fn tenants_go_on_one_after_the_other_and_the_highest_priority_first() {
    let mut world = World::new(Limits::new(1).starting(1));
    let busy = world.call("busy", 0, &[]);
    assert_eq!(started(&world.decide()), [busy]);
    let many: Vec<u64> = (0..3).map(|_| world.call("busy", 0, &[])).collect();
    let urgent = world.call("busy", 5, &[]);
    let other = world.call("other", -5, &[]);
    let expected = [other, urgent, many[0], many[1], many[2]];
    assert_eq!(world.machine.waiters(), expected);
    let mut running = busy;
    for next in expected {
        assert_eq!(
            world.machine.place(world.now, next).map(|it| it.ahead),
            Some(0)
        );
        world.machine.leave(running);
        assert_eq!(started(&world.decide()), [next]);
        running = next;
    }
}

#[test]
fn no_tenant_waits_longer_than_a_round_of_all_tenants() {
    let mut world = World::new(Limits::new(1).starting(1));
    // One tenant has twenty times the load of each of the others.
    for _ in 0..400 {
        world.call("large", 100, &[]);
    }
    let mut waits = BTreeMap::new();
    let mut grants = 0_u64;
    let mut small: HashMap<u64, u64> = HashMap::new();
    for tenant in 0..19 {
        small.insert(world.call(&format!("small {tenant}"), 0, &[]), 0);
    }
    let mut running = None;
    while grants < 400 {
        if let Some(running) = running.take() {
            world.machine.leave(running);
        }
        let [id] = started(&world.decide())[..] else {
            panic!()
        };
        grants += 1;
        if let Some(since) = small.remove(&id) {
            let tenant = Arc::clone(&world.machine.members[&id].tenant);
            *waits.entry(tenant.to_string()).or_insert(0_u64) += 1;
            assert!(
                grants - since <= 20,
                "{tenant} waited for {} others",
                grants - since
            );
            // It comes again as soon as it has been served.
            small.insert(world.call(&tenant, 0, &[]), grants);
        }
        running = Some(id);
    }
    assert_eq!(waits.len(), 19);
    assert!(waits.values().all(|it| *it >= 19), "{waits:?}");
}

#[test]
fn a_tenant_that_calls_again_at_once_does_not_pass_others() {
    let mut world = World::new(Limits::new(1).starting(1));
    let mut running = world.call("quick", 0, &[]);
    world.decide();
    for _ in 0..10 {
        let quick = world.call("quick", 0, &[]);
        let slow = world.call("slow", 0, &[]);
        world.machine.leave(running);
        assert_eq!(started(&world.decide()), [slow]);
        world.machine.leave(slow);
        assert_eq!(started(&world.decide()), [quick]);
        running = quick;
    }
}

#[test]
fn the_least_recently_used_idle_session_sleeps_for_one_that_waits() {
    let mut world = World::new(Limits::new(3).starting(3));
    let ids: Vec<u64> = (0..3).map(|_| world.call("", 0, &[])).collect();
    world.decide();
    for id in &ids {
        world.machine.ready(world.now, *id);
        world.machine.can_sleep(*id);
    }
    world.pass(1);
    for id in [ids[1], ids[0], ids[2]] {
        world.pass(1);
        world.machine.used(world.now, id);
    }
    let waiting = world.call("", 0, &[]);
    assert_eq!(world.decide(), [Decision::Sleep(ids[1])]);
    assert_eq!(world.decide(), []);
    // It has something to do.
    world.machine.is_busy(world.now, ids[1]);
    assert_eq!(world.machine.next_decision(), Some(world.now + RETRY));
    assert_eq!(world.decide(), [Decision::Sleep(ids[0])]);
    world.machine.is_busy(world.now, ids[0]);
    // It is asked again, since nothing may tell that it is idle.
    world.pass(1);
    assert_eq!(world.decide(), [Decision::Sleep(ids[1])]);
    world.machine.gone(ids[1]);
    assert_eq!(world.decide(), [Decision::Start(waiting)]);
    assert!(world.machine.wait(world.now, ids[1], None));
    assert_eq!(world.decide(), [Decision::Sleep(ids[0])]);
}

#[test]
fn a_caller_that_waits_too_long_is_told_why() {
    let mut world = World::new(Limits::new(1));
    world.call("", 0, &[]);
    world.decide();
    let machine = &mut world.machine;
    let late = machine.join(world.now, "".into(), 0, [].into());
    machine.wait(world.now, late, Some(world.now + Duration::from_secs(5)));
    assert_eq!(
        machine.next_decision(),
        Some(world.now + Duration::from_secs(5))
    );
    world.pass(4);
    assert_eq!(world.decide(), []);
    world.pass(1);
    let expired = Decision::Expire(late, Duration::from_secs(5), Reason::Processes);
    assert_eq!(world.decide(), [expired]);
    assert_eq!(world.machine.waiting(), 0);
}

#[test]
fn a_limited_account_waits_for_its_reset_and_holds_up_nobody_else() {
    let mut world = World::new(Limits::new(10).starting(10));
    let limit = world.at(60);
    world.machine.refused(&"a".into(), Some(limit));
    let only = world.call("t", 0, &["a"]);
    let either = world.call("t", 0, &["a", "b"]);
    assert_eq!(started(&world.decide()), [either]);
    assert_eq!(world.machine.account(either).map(|it| &**it), Some("b"));
    let until = limit.1;
    let reason = Reason::Account {
        account: "a".into(),
        until,
    };
    assert_eq!(
        world.machine.place(world.now, only).map(|it| it.reason),
        Some(reason)
    );
    assert_eq!(world.machine.next_decision(), Some(limit.0));
    world.pass(60);
    assert_eq!(started(&world.decide()), [only]);
    let limited = PoolEvent::Limited {
        account: "a".into(),
        until: Some(until),
    };
    assert!(world.machine.events.contains(&limited));
    assert!(world.machine.events.contains(&PoolEvent::Available {
        account: "a".into()
    }));
    // A session stays with its account.
    world.machine.gone(either);
    world.machine.refused(&"b".into(), Some(world.at(120)));
    world.machine.wait(world.now, either, None);
    assert_eq!(world.decide(), []);
    // Without a time, another account is better; the only one is used all the same.
    world.machine.refused(&"a".into(), None);
    let both = world.call("t", 0, &["a", "c"]);
    let one = world.call("t", 0, &["a"]);
    assert_eq!(started(&world.decide()), [both, one]);
    assert_eq!(world.machine.account(both).map(|it| &**it), Some("c"));
}

#[test]
fn memory_limits_starts_and_makes_idle_sessions_sleep() {
    let mut world = World::new(Limits::new(10).starting(10).memory(1000 << 20));
    let ids: Vec<u64> = (0..8).map(|_| world.call("", 0, &[])).collect();
    assert_eq!(started(&world.decide()), ids[..5]);
    for id in &ids[..5] {
        world.machine.ready(world.now, *id);
        world.machine.can_sleep(*id);
    }
    world.machine.measured(500 << 20, 5);
    assert_eq!(started(&world.decide()), ids[5..8]);
    world.machine.measured(1500 << 20, 8);
    // Two processes of the mean size have to go, and then some.
    assert_eq!(world.decide().len(), 3);
}

#[derive(Debug, Clone)]
enum Step {
    Call {
        tenant: u8,
        priority: i32,
        account: u8,
        deadline: Option<u64>,
    },
    Ready(usize),
    Gone(usize),
    Leave(usize),
    Busy(usize),
    Wake(usize),
    Refuse(u8, Option<u64>),
    Pass(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let call = (0..4_u8, -1..2, 0..3_u8, proptest::option::of(0..9_u64));
    let call = call.prop_map(|(tenant, priority, account, deadline)| Step::Call {
        tenant,
        priority,
        account,
        deadline,
    });
    let step = prop_oneof![
        4 => call,
        3 => any::<usize>().prop_map(Step::Ready),
        2 => any::<usize>().prop_map(Step::Gone),
        2 => any::<usize>().prop_map(Step::Leave),
        1 => any::<usize>().prop_map(Step::Busy),
        1 => any::<usize>().prop_map(Step::Wake),
        1 => (1..3_u8, proptest::option::of(0..20_u64)).prop_map(|(a, t)| Step::Refuse(a, t)),
        2 => (0..6_u64).prop_map(Step::Pass),
    ];
    proptest::collection::vec(step, 1..120)
}

proptest! {
    #[test]
    fn the_bounds_hold_and_nobody_waits_without_a_reason(
        steps in steps(),
        processes in 1..5_usize,
        starting in 1..4_usize,
    ) {
        let mut world = World::new(Limits::new(processes).starting(starting));
        let mut ids = Vec::new();
        for step in steps {
            let pick = |number: usize| ids.get(number % ids.len().max(1)).copied().unwrap_or(0);
            let now = world.now;
            match step {
                Step::Call { tenant, priority, account, deadline } => {
                    let accounts: &[&str] = match account { 0 => &[], 1 => &["1"], _ => &["1", "2"] };
                    let accounts: Vec<Arc<str>> = accounts.iter().map(|it| (*it).into()).collect();
                    let machine = &mut world.machine;
                    let tenant = tenant.to_string().into();
                    let id = machine.join(now, tenant, priority, accounts.into());
                    machine.wait(now, id, deadline.map(|it| now + Duration::from_secs(it)));
                    ids.push(id);
                }
                Step::Ready(it) => {
                    let id = pick(it);
                    world.machine.ready(now, id);
                    world.machine.can_sleep(id);
                    world.machine.used(now, id);
                }
                Step::Gone(it) => world.machine.gone(pick(it)),
                Step::Leave(it) => world.machine.leave(pick(it)),
                Step::Busy(it) => world.machine.is_busy(now, pick(it)),
                Step::Wake(it) => {
                    world.machine.wait(now, pick(it), None);
                }
                Step::Refuse(account, until) => {
                    let until = until.map(|it| (now + Duration::from_secs(it), SystemTime::UNIX_EPOCH));
                    world.machine.refused(&account.to_string().into(), until);
                }
                Step::Pass(seconds) => world.pass(seconds),
            }
            world.decide();
            let machine = &world.machine;
            let count = |is: fn(&Stage) -> bool| machine.members.values().filter(|it| is(&it.stage)).count();
            let waiting = count(|it| matches!(it, Stage::Waiting { .. }));
            let asleep = count(|it| *it == Stage::Asleep);
            prop_assert_eq!(machine.processes, machine.members.len() - waiting - asleep);
            prop_assert!(machine.processes <= processes);
            prop_assert_eq!(machine.starting, count(|it| *it == Stage::Starting));
            prop_assert!(machine.starting <= starting);
            prop_assert_eq!(machine.falling_asleep, count(|it| *it == Stage::FallingAsleep));
            prop_assert_eq!(machine.waiting(), waiting);
            prop_assert!(machine.next_decision().is_none_or(|it| it > world.now));
            if machine.shortage().is_none() {
                let blocked = |it: &Member| machine.choose(world.now, it).is_err();
                let mut waiters = machine.members.values()
                    .filter(|it| matches!(it.stage, Stage::Waiting { .. }));
                prop_assert!(waiters.all(blocked));
            }
            for (ahead, id) in machine.waiters().into_iter().enumerate() {
                prop_assert_eq!(machine.place(world.now, id).map(|it| it.ahead), Some(ahead));
            }
        }
        // All leave: nothing is counted any more.
        for id in ids {
            world.machine.leave(id);
        }
        let machine = &world.machine;
        let left = (machine.processes, machine.starting, machine.falling_asleep, machine.waiting());
        prop_assert_eq!(left, (0, 0, 0, 0));
    }
}
