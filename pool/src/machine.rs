//! The state machine of a pool, which decides which members may have a process. It has no I/O and
//! no clock.

#[cfg(test)]
mod tests;

use crate::event::{Place, PoolEvent, Reason};
use crate::limits::Limits;
use crate::queue::{Key, Queue};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The expected memory of a process before the first measurement. An idle CLI needs 176 MB.
const EXPECTED: u64 = 200 << 20;

/// The pause before a session that refused to sleep is put to sleep again.
const RETRY: Duration = Duration::from_millis(250);

/// A session, or a caller that waits for one.
#[derive(Debug)]
struct Member {
    tenant: Arc<str>,
    priority: i32,
    accounts: Arc<[Arc<str>]>,
    /// The account of the session.
    account: Option<Arc<str>>,
    stage: Stage,
    /// Whether it has a handle, by which it can be put to sleep.
    can_sleep: bool,
    /// The time of the next attempt to put it to sleep, after it refused.
    retry_at: Option<Instant>,
    last_used: Instant,
}

impl Member {
    /// Returns whether it may be able to sleep.
    fn is_idle(&self) -> bool {
        self.stage == Stage::Running && self.can_sleep
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The member has no process and needs none.
    Asleep,
    Waiting {
        key: Key,
        since: Instant,
        deadline: Option<Instant>,
    },
    /// The process is starting.
    Starting,
    /// The member has a process.
    Running,
    /// The process is about to exit.
    FallingAsleep,
}

/// The state of an account.
#[derive(Debug, Default)]
struct Account {
    /// The time at which its limit resets.
    until: Option<(Instant, SystemTime)>,
    /// Whether the last turn failed because requests were refused.
    is_refused: bool,
}

/// A decision, which the pool executes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The member may start a process.
    Start(u64),
    /// The member's deadline has passed.
    Expire(u64, Duration, Reason),
    /// Put the session to sleep.
    Sleep(u64),
}

#[derive(Debug)]
pub(crate) struct Machine {
    limits: Limits,
    members: HashMap<u64, Member>,
    queue: Queue,
    accounts: HashMap<Arc<str>, Account>,
    last: u64,
    /// The number of processes, including those that start or are about to exit.
    processes: usize,
    starting: usize,
    falling_asleep: usize,
    /// The resident memory at the last measurement, plus the expected memory of processes started
    /// since.
    memory: u64,
    unmeasured: usize,
    /// The mean memory of a process at the last measurement.
    each: u64,
    pub(crate) events: Vec<PoolEvent>,
}

impl Machine {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            members: HashMap::new(),
            queue: Queue::default(),
            accounts: HashMap::new(),
            last: 0,
            processes: 0,
            starting: 0,
            falling_asleep: 0,
            memory: 0,
            unmeasured: 0,
            each: EXPECTED,
            events: Vec::new(),
        }
    }

    /// Adds a member without a process.
    pub(crate) fn join(
        &mut self,
        now: Instant,
        tenant: Arc<str>,
        priority: i32,
        accounts: Arc<[Arc<str>]>,
    ) -> u64 {
        self.last += 1;
        let member = Member {
            tenant,
            priority,
            accounts,
            account: None,
            stage: Stage::Asleep,
            can_sleep: false,
            retry_at: None,
            last_used: now,
        };
        self.members.insert(self.last, member);
        self.last
    }

    /// Queues a member that needs a process. Returns `false` if it has one.
    pub(crate) fn wait(&mut self, now: Instant, id: u64, deadline: Option<Instant>) -> bool {
        let Some(member) = self.members.get_mut(&id) else {
            return true;
        };
        if member.stage != Stage::Asleep {
            return false;
        }
        let key = self.queue.push(&member.tenant, member.priority, id);
        member.stage = Stage::Waiting {
            key,
            since: now,
            deadline,
        };
        true
    }

    /// Reports that a member waits, if it does: for a process, or with a message for its account.
    pub(crate) fn report_waiting(&mut self, now: Instant, id: u64) {
        let Some(member) = self.members.get(&id) else {
            return;
        };
        let reason = match (member.stage, self.choose(now, member)) {
            (Stage::Waiting { .. }, _) => self.reason(now, id),
            (_, Err(reason)) => reason,
            _ => return,
        };
        self.events.push(PoolEvent::Waits {
            id,
            tenant: Arc::clone(&member.tenant),
            reason,
        });
    }

    /// Handles the start of a member's process. With a handle, the session can be put to sleep.
    pub(crate) fn ready(&mut self, now: Instant, id: u64) {
        if let Some(member) = self.members.get_mut(&id) {
            member.last_used = now;
            if member.stage == Stage::Starting {
                member.stage = Stage::Running;
                self.starting -= 1;
            }
        }
    }

    /// Records that the session has a handle, by which it can be put to sleep.
    pub(crate) fn can_sleep(&mut self, id: u64) {
        if let Some(member) = self.members.get_mut(&id) {
            member.can_sleep = true;
        }
    }

    /// Records the time of an event of the session.
    pub(crate) fn used(&mut self, now: Instant, id: u64) {
        if let Some(member) = self.members.get_mut(&id) {
            member.last_used = now;
            member.retry_at = None;
        }
    }

    /// Handles a session that refuses to sleep now. It is retried, because the session does not
    /// report the end of control requests and background tasks.
    pub(crate) fn is_busy(&mut self, now: Instant, id: u64) {
        if let Some(member) = self.members.get_mut(&id)
            && member.stage == Stage::FallingAsleep
        {
            member.stage = Stage::Running;
            member.retry_at = now.checked_add(RETRY);
            self.falling_asleep -= 1;
        }
    }

    /// Handles the exit of a member's process. The member does not wait for another one.
    pub(crate) fn gone(&mut self, id: u64) {
        let Some(member) = self.members.get_mut(&id) else {
            return;
        };
        match std::mem::replace(&mut member.stage, Stage::Asleep) {
            Stage::Asleep => return,
            Stage::Waiting { key, .. } => return self.queue.remove(&member.tenant, key),
            Stage::Starting => self.starting -= 1,
            Stage::Running => {}
            Stage::FallingAsleep => self.falling_asleep -= 1,
        }
        self.processes -= 1;
        // Corrected by the next measurement.
        self.memory = self.memory.saturating_sub(self.each);
        self.unmeasured = self.unmeasured.min(self.processes);
        self.events.push(PoolEvent::Exited { id });
    }

    /// Removes a member.
    pub(crate) fn leave(&mut self, id: u64) {
        self.gone(id);
        self.members.remove(&id);
    }

    /// Sets the measured resident memory of all processes.
    pub(crate) fn measured(&mut self, bytes: u64, measured: usize) {
        self.memory = bytes;
        self.unmeasured = self.processes.saturating_sub(measured);
        if measured > 0 {
            self.each = bytes / measured as u64;
        }
    }

    /// Records that requests of the account are refused, until its limit resets if that time is
    /// known.
    pub(crate) fn refused(&mut self, account: &Arc<str>, until: Option<(Instant, SystemTime)>) {
        let state = self.accounts.entry(Arc::clone(account)).or_default();
        let was = (state.is_refused, state.until);
        state.is_refused = true;
        state.until = until.or(state.until);
        if was != (true, state.until) {
            let account = Arc::clone(account);
            let until = state.until.map(|(_, until)| until);
            self.events.push(PoolEvent::Limited { account, until });
        }
    }

    /// Records that requests of the account are accepted.
    pub(crate) fn accepted(&mut self, account: &Arc<str>) {
        if self.accounts.remove(account).is_some() {
            let account = Arc::clone(account);
            self.events.push(PoolEvent::Available { account });
        }
    }

    /// Records a successful turn of the account. It does not lift a limit that the agent has
    /// reported.
    pub(crate) fn succeeded(&mut self, account: &Arc<str>) {
        if self
            .accounts
            .get(account)
            .is_some_and(|it| it.until.is_none())
        {
            self.accepted(account);
        }
    }

    /// Returns the time until which requests of the account are refused, if they are.
    pub(crate) fn limited(&self, now: Instant, account: &str) -> Option<(Instant, SystemTime)> {
        let until = self.accounts.get(account)?.until?;
        (until.0 > now).then_some(until)
    }

    /// Returns the accounts that are refused, with the time when the limit resets.
    pub(crate) fn refused_accounts(&self) -> Vec<(Arc<str>, Option<SystemTime>)> {
        let all = self.accounts.iter();
        let mut all: Vec<_> = all
            .map(|(name, it)| (Arc::clone(name), it.until.map(|it| it.1)))
            .collect();
        all.sort();
        all
    }

    pub(crate) fn tenant(&self, id: u64) -> Option<Arc<str>> {
        Some(Arc::clone(&self.members.get(&id)?.tenant))
    }

    pub(crate) fn account(&self, id: u64) -> Option<&Arc<str>> {
        self.members.get(&id)?.account.as_ref()
    }

    /// Returns the account for a member: its own, or the first that has not reached its limit.
    /// Accounts whose last turn was not refused are preferred. `Err` if all have reached their
    /// limits.
    fn choose(&self, now: Instant, member: &Member) -> Result<Option<Arc<str>>, Reason> {
        let own = member.account.as_slice();
        let candidates = if own.is_empty() {
            &*member.accounts
        } else {
            own
        };
        let open = candidates
            .iter()
            .filter(|it| self.limited(now, it).is_none());
        let is_refused = |it: &&Arc<str>| self.accounts.get(*it).is_some_and(|it| it.is_refused);
        if let Some(account) = open.min_by_key(is_refused) {
            return Ok(Some(Arc::clone(account)));
        }
        let limits = candidates.iter().filter_map(|account| {
            let (at, until) = self.limited(now, account)?;
            Some((at, until, account))
        });
        match limits.min() {
            None => Ok(None),
            Some((_, until, account)) => Err(Reason::Account {
                account: Arc::clone(account),
                until,
            }),
        }
    }

    fn has_memory(&self) -> bool {
        let expected = self.memory + self.each * (self.unmeasured as u64 + 1);
        self.processes == 0 || self.limits.memory.is_none_or(|limit| expected <= limit)
    }

    fn exceeds_memory(&self) -> bool {
        let freed = self.each * self.falling_asleep as u64;
        (self.limits.memory).is_some_and(|limit| self.memory.saturating_sub(freed) > limit)
    }

    /// Returns the reason why no process can be started now, if there is one.
    fn shortage(&self) -> Option<Reason> {
        if self.processes >= self.limits.processes {
            Some(Reason::Processes)
        } else if !self.has_memory() {
            Some(Reason::Memory)
        } else if self.starting >= self.limits.starting {
            Some(Reason::Starting)
        } else {
            None
        }
    }

    /// Returns the next decisions, which are already part of the state.
    pub(crate) fn decide(&mut self, now: Instant) -> Vec<Decision> {
        let mut decisions = Vec::new();
        for member in self.members.values_mut() {
            member.retry_at = member.retry_at.filter(|it| *it > now);
        }
        let reopened: Vec<_> = (self.accounts.iter())
            .filter(|(_, it)| it.until.is_some_and(|(at, _)| at <= now))
            .map(|(name, _)| Arc::clone(name))
            .collect();
        for account in reopened {
            self.accepted(&account);
        }
        while self.shortage().is_none() {
            let Some(id) = self.next(now) else { break };
            self.start(now, id);
            decisions.push(Decision::Start(id));
        }
        self.expire(now, &mut decisions);
        let wanted = match self.shortage() {
            Some(Reason::Processes | Reason::Memory) => {
                let waiting = self.members.values().filter(|it| {
                    matches!(it.stage, Stage::Waiting { .. }) && self.choose(now, it).is_ok()
                });
                waiting.take(self.limits.processes).count()
            }
            _ => 0,
        };
        while self.falling_asleep < wanted || self.exceeds_memory() {
            let Some(id) = self.least_recently_used() else {
                break;
            };
            if let Some(member) = self.members.get_mut(&id) {
                member.stage = Stage::FallingAsleep;
                self.falling_asleep += 1;
            }
            self.events.push(PoolEvent::Sleeps { id });
            decisions.push(Decision::Sleep(id));
        }
        decisions
    }

    fn next(&self, now: Instant) -> Option<u64> {
        let may_go_on = |id| {
            let member = self.members.get(&id);
            member.is_some_and(|it| self.choose(now, it).is_ok())
        };
        self.queue.next(may_go_on)
    }

    fn start(&mut self, now: Instant, id: u64) {
        let account = self.members.get(&id).map(|it| self.choose(now, it));
        let Some(member) = self.members.get_mut(&id) else {
            return;
        };
        let Stage::Waiting { key, since, .. } = member.stage else {
            return;
        };
        member.stage = Stage::Starting;
        member.account = account.and_then(Result::ok).flatten();
        self.queue.remove(&member.tenant, key);
        self.queue.granted(&member.tenant);
        self.processes += 1;
        self.starting += 1;
        self.unmeasured += 1;
        self.events.push(PoolEvent::Starts {
            id,
            tenant: Arc::clone(&member.tenant),
            account: member.account.clone(),
            waited: now.saturating_duration_since(since),
        });
    }

    fn expire(&mut self, now: Instant, decisions: &mut Vec<Decision>) {
        let late: Vec<_> = (self.members.iter())
            .filter_map(|(id, member)| match member.stage {
                Stage::Waiting {
                    since,
                    deadline: Some(deadline),
                    ..
                } if deadline <= now => Some((*id, now.saturating_duration_since(since))),
                _ => None,
            })
            .collect();
        for (id, waited) in late {
            let reason = self.reason(now, id);
            self.gone(id);
            decisions.push(Decision::Expire(id, waited, reason));
        }
    }

    fn least_recently_used(&self) -> Option<u64> {
        let idle = self
            .members
            .iter()
            .filter(|(_, it)| it.is_idle() && it.retry_at.is_none());
        Some(*idle.min_by_key(|(id, it)| (it.last_used, **id))?.0)
    }

    fn reason(&self, now: Instant, id: u64) -> Reason {
        let account = self.members.get(&id).map(|it| self.choose(now, it));
        match account {
            Some(Err(reason)) => reason,
            _ => self.shortage().unwrap_or(Reason::Processes),
        }
    }

    /// Returns the place of a member that waits.
    pub(crate) fn place(&self, now: Instant, id: u64) -> Option<Place> {
        let Stage::Waiting { since, .. } = self.members.get(&id)?.stage else {
            return None;
        };
        let order = self.queue.order();
        Some(Place {
            ahead: order.iter().position(|it| *it == id)?,
            waiting: self.queue.len(),
            reason: self.reason(now, id),
            waited: now.saturating_duration_since(since),
        })
    }

    /// Returns the time of the next decision, if nothing happens before.
    pub(crate) fn next_decision(&self) -> Option<Instant> {
        let deadlines = self.members.values().filter_map(|it| match it.stage {
            Stage::Waiting { deadline, .. } => deadline,
            _ => None,
        });
        let retries = self.members.values().filter(|it| it.is_idle());
        let retries = retries.filter_map(|it| it.retry_at);
        let are_needed = self.queue.len() > 0 || self.exceeds_memory();
        let retries = retries.filter(|_| are_needed);
        let resets = self.accounts.values().filter_map(|it| Some(it.until?.0));
        deadlines.chain(resets).chain(retries).min()
    }

    #[cfg(test)]
    pub(crate) fn waiters(&self) -> Vec<u64> {
        self.queue.order()
    }

    pub(crate) fn processes(&self) -> usize {
        self.processes
    }

    pub(crate) fn starting(&self) -> usize {
        self.starting
    }

    pub(crate) fn waiting(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }
}
