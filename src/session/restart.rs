//! Continuing a session in another process of the agent.

use super::alarm::Alarm;
use super::driver::{Driver, DriverEvent, now};
use super::life::Change;
use super::starter::{Opened, Starter};
use super::succession::{Restoring, Setting, Sleeper};
use crate::attachment::{AttachmentEvent, NextProcess};
use crate::event::{Busy, EndReason, Error, Event, Notice, Restart, RestartReason, SessionEnd};
use crate::handle::deadline;
use crate::options::CommandLine;
use crate::process::CloseStep;
use agentwire_protocol::control::{Answer, InitializeAnswer};
use agentwire_protocol::host::{self, Activity, Host, Request, RequestFailure, TurnRecovery};
use agentwire_protocol::sorted::SortedMap;
use std::future::pending;
use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Starting = Pin<Box<dyn Future<Output = (Starter, Result<Opened, Error>)> + Send>>;

/// What the session waits for between two processes.
enum Wait {
    /// A message or a request.
    Asleep,
    /// A time.
    Until(Instant),
}

impl Driver {
    /// Returns whether another process may follow one that exited unexpectedly.
    pub(super) fn may_restart(&self) -> bool {
        let next = &self.succession;
        let is_first_start = next.process == 1 && !self.host.is_connected();
        // A process that cannot resume a session may be able to create it.
        let most = match (&next.policy, &next.restoring) {
            (Some(policy), _) => policy.most,
            (None, Some(_)) => 2,
            (None, None) => 0,
        };
        next.in_a_row < most && next.starter.is_some() && self.host.can_restart() && !is_first_start
    }

    /// Prepares for the next process and starts it. Returns `false` if the session has ended.
    pub(super) async fn restart(&mut self, exit: &mut Option<ExitStatus>) -> bool {
        if self.is_closed_while_restoring() {
            self.life.change(Change::InputClosed(EndReason::Closed));
            return false;
        }
        let reason = match self.life.input_closed() {
            Some(EndReason::Hung | EndReason::OutputClosed | EndReason::InputClosed) => {
                self.life.input_closed()
            }
            None if self.life.is_falling_asleep() => None,
            None if !self.life.is_finishing() => Some(self.exit_reason(*exit)),
            _ => return false,
        };
        if reason.is_some() && !self.may_restart() {
            return false;
        }
        // Two processes must never write one transcript.
        self.process.close(true);
        let report = self.process.closed().await;
        if (report.as_ref()).is_some_and(|it| it.step == CloseStep::StillAlive) {
            self.life.change(Change::StillAlive);
            return false;
        }
        self.process.release(report);
        let stderr = self.process.shut_down().await;
        self.attachments.observe(&AttachmentEvent::Gone);
        let why = match reason {
            None => RestartReason::Slept,
            Some(reason) => RestartReason::Ended(Arc::new(SessionEnd {
                reason,
                exit: exit.take(),
                stderr,
                suspects: Vec::new(),
            })),
        };
        tracing::debug!(%why, "the agent's process has exited; the session continues");
        let handover = self.host.begin_restart(self.succession.turn_recovery());
        self.callbacks.restart();
        let restoring = self.succession.restoring.take();
        if restoring.is_some() {
            // If it could not resume the session, the session may not exist; if it could not create
            // it, the session exists.
            self.succession.was_refused = !self.succession.was_refused;
        }
        self.life.change(Change::NextProcess);
        self.waiters.restart();
        for sleeper in self.succession.waiting_for_idle.drain(..) {
            let _ = sleeper.send(Err(Error::Busy(Busy::Restarting)));
        }
        if let RestartReason::Ended(end) = &why {
            self.succession.ended = Some(Arc::clone(end));
        } else {
            self.streams.put(Event::Asleep);
            for sleeper in self.succession.sleepers.drain(..) {
                let _ = sleeper.send(Ok(()));
            }
        }
        self.process_pending();
        *exit = None;
        let restart = match restoring {
            // The last process exited before its settings were restored.
            Some(restoring) => {
                let mut restart = restoring.restart;
                restart.handover.tool_calls.extend(handover.tool_calls);
                restart
            }
            None => Restart {
                process: self.succession.process,
                pid: None,
                reason: why,
                attempts: 0,
                handover,
                restored: vec![],
                not_restored: vec![],
            },
        };
        self.start_next(restart).await
    }

    /// Starts processes until one is running. Returns `false` if the session has ended.
    async fn start_next(&mut self, mut restart: Restart) -> bool {
        loop {
            let wait = match (&restart.reason, self.succession.policy) {
                (RestartReason::Slept, _) if restart.attempts == 0 => Wait::Asleep,
                (_, policy) => {
                    self.succession.in_a_row += 1;
                    let pause = policy.unwrap_or_default();
                    let pause = pause.pause_before(self.succession.in_a_row);
                    Wait::Until(deadline(pause).into_std())
                }
            };
            if !self.wait_for_next(wait).await {
                return false;
            }
            let line = self.next_line(&restart);
            let Some((mut line, starter)) = line.zip(self.succession.starter.take()) else {
                return false;
            };
            restart.attempts += 1;
            self.succession.process += 1;
            let session = self.callbacks.session();
            let gates = self.attachments.before_process(NextProcess(&mut line));
            let starting: Starting = Box::pin(async move {
                for gate in gates {
                    gate.await;
                }
                starter.start(line, session).await
            });
            let Some((starter, opened)) = self.while_starting(starting).await else {
                return false;
            };
            let timeout = starter.timeout();
            self.succession.starter = Some(Box::new(starter));
            match opened {
                Ok(opened) => {
                    self.begin_process(opened, timeout, restart);
                    return true;
                }
                Err(error) => {
                    let notice = Notice::NotRestarted {
                        attempt: restart.attempts,
                        error: error.to_string(),
                    };
                    self.streams.put(Event::Notice(notice));
                    let most = self.succession.policy.unwrap_or_default().most;
                    if self.succession.in_a_row >= most {
                        return false;
                    }
                }
            }
        }
    }

    /// Returns the command line of the next process.
    fn next_line(&self, restart: &Restart) -> Option<CommandLine> {
        let next = &self.succession;
        let first = &next.starter.as_ref()?.line;
        let id = self.host.session_id().or(next.session_id.as_deref());
        let Some(id) = id else {
            // The session has no ID yet.
            return Some(first.clone());
        };
        // A session is on disk after its first turn, which may have started unnoticed.
        let is_new = self.host.session_id().is_none();
        let begins = !next.is_on_disk && next.was_refused != is_new;
        let mut line = match begins {
            true => first.beginning(id),
            false => first.resuming(id),
        };
        let settings = [
            ("set_model", "model", "--model"),
            ("set_permission_mode", "mode", "--permission-mode"),
        ];
        for (subtype, member, flag) in settings {
            // A resumed turn starts before the first request, so these settings must be flags.
            if let Some(value) = self.host.setting(subtype, member) {
                line.set_flag(flag, &value);
            }
        }
        let is_resent =
            |(_, redelivery): &(_, host::Redelivery)| *redelivery == host::Redelivery::Resent;
        let resumes = restart.handover.resumes || restart.handover.messages.iter().any(is_resent);
        if resumes
            && next.turn_recovery() == TurnRecovery::Resume
            && let RestartReason::Ended(end) = &restart.reason
        {
            line.resume_turn(match end.reason {
                EndReason::Hung => "hang",
                _ => "crash",
            });
        }
        Some(line)
    }

    /// Waits until the next process must start. Returns `false` if the session ends first.
    async fn wait_for_next(&mut self, wait: Wait) -> bool {
        let mut alarm = Alarm::new(now());
        self.succession.is_asleep = matches!(wait, Wait::Asleep);
        loop {
            self.process_pending();
            if self.has_ended_between() {
                return false;
            }
            match wait {
                Wait::Asleep if self.has_something_to_send() => {
                    self.succession.is_asleep = false;
                    return true;
                }
                Wait::Asleep => alarm.set(self.next_timeout()),
                Wait::Until(time) if now() >= time => return true,
                Wait::Until(time) => {
                    alarm.set(
                        [Some(time), self.next_timeout()]
                            .into_iter()
                            .flatten()
                            .min(),
                    );
                }
            }
            let happened = self.next_event_between(&mut alarm).await;
            self.handle(happened);
        }
    }

    /// Waits until a process is started. Returns `None` if the session ends first; the process is
    /// then not started.
    async fn while_starting(
        &mut self,
        mut starting: Starting,
    ) -> Option<(Starter, Result<Opened, Error>)> {
        let mut alarm = Alarm::new(now());
        loop {
            self.process_pending();
            if self.has_ended_between() {
                return None;
            }
            alarm.set(self.next_timeout());
            let happened = tokio::select! {
                started = &mut starting => return Some(started),
                happened = self.next_event_between(&mut alarm) => happened,
            };
            self.handle(happened);
        }
    }

    /// Waits for the next event between two processes. Cancel safe.
    async fn next_event_between(&mut self, alarm: &mut Alarm) -> DriverEvent {
        tokio::select! {
            Some(command) = self.commands.recv() => DriverEvent::Command(command),
            step = self.callbacks.next(false) => DriverEvent::Callback(step),
            action = self.attachments.next() => DriverEvent::Attached(action),
            () = alarm.rings() => DriverEvent::Deadline,
            else => pending().await,
        }
    }

    /// Returns whether the session has ended, or is closing with nothing to send.
    fn has_ended_between(&mut self) -> bool {
        if self.life.is_finishing() && !self.has_something_to_send() {
            self.life.change(Change::InputClosed(EndReason::Closed));
        }
        self.life.input_closed().is_some()
    }

    /// Returns whether the session was closed with nothing to send, while settings were being
    /// restored.
    fn is_closed_while_restoring(&self) -> bool {
        (self.life.is_finishing() || self.life.is_pipe_closed())
            && !self.host.can_restart()
            && self.succession.restoring.is_some()
            && self.host.activity() == Activity::Idle
            && self.host.waiting().users == 0
            && !self.waiters.are_blocked()
    }

    fn has_something_to_send(&self) -> bool {
        self.has_messages() || self.host.awaits_response()
    }

    /// Returns whether messages wait that no attachment defers.
    fn has_messages(&self) -> bool {
        let waiting = self.host.waiting().users;
        waiting > self.attachments.deferred_messages() || self.waiters.are_blocked()
    }

    /// Continues with another process: sends it the first request.
    fn begin_process(&mut self, opened: Opened, timeout: Duration, mut restart: Restart) {
        let Opened {
            connection,
            initialize,
            private,
        } = opened;
        let session = self.callbacks.session();
        self.process.follow(connection, private, &session);
        restart.process = self.succession.process;
        restart.pid = self.process.pid();
        let id = format!("initialize-{}", restart.process);
        let restoring = Restoring {
            restart,
            has_gates: self.callbacks.has_gates(),
            initialize: id.as_str().into(),
            pending: SortedMap::new(),
            restored: vec![],
        };
        self.succession.restoring = Some(Box::new(restoring));
        let sent = Request::new(id, &initialize).map(|it| self.host.request(now(), it, timeout));
        if !matches!(sent, Ok(Ok(()))) {
            self.close_input(EndReason::Closed);
        }
    }

    /// Handles a response to a request that initializes or restores a process. Returns the outcome
    /// if it belongs to another request.
    pub(super) fn handle_restored(
        &mut self,
        request_id: &str,
        outcome: Result<Answer, RequestFailure>,
    ) -> Option<Result<Answer, RequestFailure>> {
        let Some(restoring) = &mut self.succession.restoring else {
            return Some(outcome);
        };
        if *request_id == *restoring.initialize {
            let (has_gates, attempt) = (restoring.has_gates, restoring.restart.attempts);
            let are_ignored = |answer: &Answer| {
                let answer: Option<InitializeAnswer> = answer.read().ok();
                has_gates && answer.is_some_and(|it| it.hooks_applied == Some(false))
            };
            let error = match outcome {
                Ok(answer) if are_ignored(&answer) => Error::NotApplied { option: "hooks" },
                Ok(_) => {
                    self.restore();
                    return None;
                }
                Err(failure) => failure.into(),
            };
            let error = error.to_string();
            let notice = Notice::NotRestarted { attempt, error };
            self.streams.put(Event::Notice(notice));
            // Triggers the next attempt, if any remains.
            self.close_input(EndReason::Hung);
            return None;
        }
        let Some(setting) = restoring.pending.remove(request_id) else {
            return Some(outcome);
        };
        let outcome = match outcome {
            Ok(answer) if Host::took_effect(&setting.subtype, &answer) => Ok(()),
            Ok(_) => Err(Error::NotApplied { option: "set_cwd" }),
            Err(failure) => Err(failure.into()),
        };
        restoring.restored.push((setting, outcome));
        if restoring.pending.is_empty() {
            self.finish_restoring();
        }
        None
    }

    /// Sends the settings of the earlier processes.
    fn restore(&mut self) {
        let settings = self
            .host
            .settings(&format!("restore-{}", self.succession.process));
        let timeout = self.succession.starter.as_deref().map(Starter::timeout);
        let mut pending = SortedMap::new();
        for (number, request) in settings.into_iter().enumerate() {
            let id = request.request_id().into();
            let setting = Setting {
                number,
                subtype: request.subtype().into(),
            };
            let timeout = timeout.unwrap_or(Duration::from_secs(60));
            if self.host.request(now(), request, timeout).is_ok() {
                pending.insert(id, setting);
            }
        }
        let is_done = pending.is_empty();
        if let Some(restoring) = &mut self.succession.restoring {
            restoring.pending = pending;
        }
        if is_done {
            self.finish_restoring();
        }
    }

    /// Finishes the restart once all settings are restored.
    fn finish_restoring(&mut self) {
        let Some(restoring) = self.succession.restoring.take() else {
            return;
        };
        let Restoring {
            mut restart,
            mut restored,
            ..
        } = *restoring;
        restored.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for (Setting { subtype, .. }, outcome) in restored {
            match outcome {
                Ok(()) => restart.restored.push(subtype),
                Err(error) => restart.not_restored.push((subtype, error)),
            }
        }
        self.succession.was_refused = false;
        self.succession.ended = None;
        self.attachments.observe(&AttachmentEvent::Ready);
        self.streams.put(Event::Restarted(Box::new(restart)));
        self.host.finish_restart();
    }

    /// Puts the agent to sleep.
    pub(super) fn fall_asleep(&mut self, sleeper: Option<Sleeper>) {
        match (self.busy(), sleeper) {
            (None, sleeper) => self.succession.sleepers.extend(sleeper),
            // After a result, the agent reports whether it is idle.
            (Some(Busy::Turn), Some(sleeper)) if !self.host.has_turn_to_run() => {
                return self.succession.waiting_for_idle.push(sleeper);
            }
            (Some(busy), sleeper) => {
                if let Some(sleeper) = sleeper {
                    let _ = sleeper.send(Err(Error::Busy(busy)));
                }
                return;
            }
        }
        let waiting_for_idle = self.succession.waiting_for_idle.drain(..);
        self.succession.sleepers.extend(waiting_for_idle);
        self.succession.idle_since = None;
        self.life.change(Change::FallAsleep);
        self.process.close(false);
    }

    /// Retries sleep requests that were refused while the agent was busy.
    pub(super) fn retry_pending_sleeps(&mut self) {
        if self.succession.waiting_for_idle.is_empty() || !self.life.is_open() {
            return;
        }
        for sleeper in std::mem::take(&mut self.succession.waiting_for_idle) {
            match self.life.is_open() {
                true => self.fall_asleep(Some(sleeper)),
                false => self.succession.sleepers.push(sleeper),
            }
        }
    }

    /// Returns why the agent cannot sleep now.
    fn busy(&self) -> Option<Busy> {
        let has_messages = self.has_messages();
        if self.succession.starter.is_none() {
            Some(Busy::NotResumable)
        } else if self.host.activity() == Activity::RequiresAction || self.callbacks.are_open() {
            Some(Busy::IncomingRequest)
        } else if !self
            .host
            .is_idle_but_for(self.attachments.deferred_messages())
            || has_messages
        {
            Some(Busy::Turn)
        } else if self.host.awaits_response() || self.succession.restoring.is_some() {
            Some(Busy::Request)
        } else if self.host.has_background_tasks() {
            Some(Busy::Background)
        } else if self.host.has_planned_wake_ups() {
            Some(Busy::WakeUp)
        } else if self.callbacks.servers_wait() {
            Some(Busy::IncomingRequest)
        } else {
            None
        }
    }

    /// Returns when the agent falls asleep, if nothing happens until then.
    pub(super) fn sleeps_at(&mut self) -> Option<Instant> {
        let after = self.succession.sleep_after?;
        if !self.life.is_open() || !self.process.has_output() || self.busy().is_some() {
            self.succession.idle_since = None;
            return None;
        }
        let since = *self.succession.idle_since.get_or_insert_with(now);
        since.checked_add(after)
    }

    /// Executes a sleep command.
    pub(super) fn handle_sleep(&mut self, reply: Sleeper) {
        let is_open = self.life.is_open();
        let answer = if is_open && self.succession.is_asleep {
            Ok(())
        } else if is_open && self.process.has_output() {
            return self.fall_asleep(Some(reply));
        } else if is_open || self.life.is_pipe_closed() && self.may_restart() {
            Err(Error::Busy(Busy::Restarting))
        } else {
            Err(self.life.closing())
        };
        let _ = reply.send(answer);
    }

    /// Records that no process follows.
    pub(super) fn no_other_process(&mut self) {
        self.succession.starter = None;
    }

    /// Refuses pending sleep requests at the end of the session.
    pub(super) fn refuse_sleepers(&mut self, end: &Arc<SessionEnd>) {
        let waiting_for_idle = self.succession.waiting_for_idle.drain(..);
        for sleeper in self.succession.sleepers.drain(..).chain(waiting_for_idle) {
            let _ = sleeper.send(Err(Error::Ended(Arc::clone(end))));
        }
    }
}
