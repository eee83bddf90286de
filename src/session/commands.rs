//! Execution of commands from handles.

use super::blocked::Blocked;
use super::driver::{Driver, now};
use super::life::Change;
use crate::command::{Command, LateAnswer, OutboundQueue, Progress, WhenFull, end_late};
use crate::event::{Error, Event, Notice, Sender, SessionEnd, StreamKind, Unread};
use crate::telemetry::Origin;
use agentwire_protocol::host::{Prompt, QueueError};
use std::sync::Arc;
use tokio::sync::watch;

/// The number of commands that are executed before other events.
const AT_ONCE: usize = 64;

impl Driver {
    /// Executes a command, and those queued after it.
    pub(super) fn handle_commands(&mut self, first: Command) {
        self.handle_command(first);
        for _ in 1..AT_ONCE {
            if self.life.is_falling_asleep() {
                break;
            }
            let Ok(command) = self.commands.try_recv() else {
                break;
            };
            self.process_pending();
            self.handle_command(*command);
        }
    }

    pub(super) fn handle_command(&mut self, command: Command) {
        match command {
            Command::Send {
                prompt,
                origin,
                progress,
                when_full: WhenFull::Wait(has_room),
            } => self.waiters.block(Blocked {
                prompt,
                origin,
                progress,
                has_room: Some(has_room),
            }),
            Command::Send {
                prompt,
                origin,
                progress,
                when_full: WhenFull::Fail,
            } => {
                self.submit(prompt, origin, progress);
            }
            Command::Request {
                request,
                timeout,
                reply,
            } => {
                let request_id = request.request_id().into();
                match self.host.request(now(), request, timeout) {
                    Ok(()) => self.waiters.add_request(request_id, reply),
                    Err(error) => drop(reply.send(Err(self.not_taken(error)))),
                }
            }
            Command::Answer(answer) => {
                let step = self.callbacks.answer_late(answer);
                self.take(step);
            }
            #[cfg(feature = "mcp")]
            Command::Mcp(servers) => {
                self.callbacks.set_servers(servers);
                self.flow.has_servers();
                self.streams.set_bound(self.flow.bound());
            }
            Command::Notify(notice) => self.streams.put(Event::Notice(notice)),
            Command::Cancel { request_id } => {
                self.host.cancel(&request_id);
            }
            Command::Subscribe {
                stream,
                sender,
                progress,
            } => self.subscribe(stream, sender, progress),
            Command::Waiting { reply } => {
                // The receiver may have been dropped.
                let _ = reply.send(OutboundQueue::new(self.host.waiting(), now()));
            }
            Command::Unread { reply } => {
                let paused = self.flow.paused_since();
                let unread = Unread {
                    paused: paused.map(|since| now().saturating_duration_since(since)),
                    streams: self.streams.unread(now()),
                };
                let _ = reply.send(unread);
            }
            Command::Sleep { reply } => self.handle_sleep(reply),
            Command::Finish { within, background } => {
                self.host.finish(now(), background);
                if self.process.has_output() {
                    self.no_other_process();
                }
                if within.is_some() {
                    // All remaining events will be read. A query reads them itself.
                    self.flow.is_closing();
                }
                let until = within.and_then(|limit| now().checked_add(limit));
                self.life.change(Change::Finish(until));
            }
            Command::End(reason) => {
                self.no_other_process();
                self.cancel_requests();
                self.callbacks.stop_servers();
                self.close_input(reason);
            }
        }
    }

    fn subscribe(
        &mut self,
        stream: StreamKind,
        sender: Sender,
        progress: Option<watch::Receiver<Progress>>,
    ) {
        if let StreamKind::Turn { uuid } = &stream
            && !self.waiters.is_observed(uuid)
            && !self.streams.is_in_turn(uuid)
        {
            // The turn has ended, or the message will have none.
            let error = || self.end.get().and_then(SessionEnd::error);
            return end_late(&stream, sender, progress, error);
        }
        let pending = self.callbacks.requests_in_streams();
        self.streams.subscribe(stream, sender, &pending);
    }

    /// Submits a message, and returns whether it was accepted.
    fn submit(
        &mut self,
        prompt: Prompt,
        origin: Origin,
        progress: watch::Sender<Progress>,
    ) -> bool {
        let origin = origin.of(&prompt);
        // A message without a receiver cannot get one later, unless it is sent again.
        let uuid = (progress.receiver_count() > 0).then(|| prompt.shared_uuid());
        let for_attachments = self.attachments.exist().then(|| prompt.clone());
        if let Err(error) = self.host.submit(now(), prompt) {
            progress.send_replace(Progress::failed(self.not_taken(error)));
            return false;
        }
        self.callbacks.spans().submitted(origin);
        if let Some(prompt) = for_attachments
            && self.attachments.defer_message(&prompt)
        {
            self.host.defer(prompt.uuid());
        }
        if let Some(uuid) = uuid
            && let Some(state) = self.host.submission_state(&uuid)
        {
            self.waiters.add_submission(uuid, state, progress);
        }
        true
    }

    /// Submits the first message that waits for space, if there is enough. Returns whether there
    /// was such a message. Once a pipe is closed, messages wait until the reason is known.
    pub(super) fn submit_blocked(&mut self) -> bool {
        if !self.life.may_send() {
            return false;
        }
        let Some(first) = self.waiters.take_blocked(&self.host) else {
            return false;
        };
        if !first.is_unwanted() {
            // Once submitted, it is sent even if the receiver is dropped.
            if self.submit(first.prompt, first.origin, first.progress)
                && let Some(has_room) = first.has_room
            {
                let _ = has_room.send(());
            }
        }
        true
    }

    fn not_taken(&self, error: QueueError) -> Error {
        match error {
            QueueError::Full => Error::Full,
            _ => self.life.closing(),
        }
    }

    /// Refuses a command received after the end of the session.
    pub(super) fn refuse(&mut self, command: Command, end: &Arc<SessionEnd>) {
        match command {
            Command::Send {
                prompt, progress, ..
            } => {
                let uuid = prompt.uuid().into();
                self.streams.put(Event::Notice(Notice::Lost { uuid }));
                let error = Error::Ended(Arc::clone(end));
                progress.send_replace(Progress::failed(error));
            }
            Command::Request { reply, .. } => {
                drop(reply.send(Err(Error::Ended(Arc::clone(end)))));
            }
            Command::Answer(LateAnswer { reply, .. }) => {
                drop(reply.send(Err(Error::Ended(Arc::clone(end)))));
            }
            Command::Subscribe {
                stream,
                sender,
                progress,
            } => self.subscribe(stream, sender, progress),
            #[cfg(feature = "mcp")]
            Command::Mcp(_) => {}
            Command::Notify(_)
            | Command::Cancel { .. }
            | Command::Waiting { .. }
            | Command::Unread { .. }
            | Command::Sleep { .. }
            | Command::Finish { .. }
            | Command::End(_) => {}
        }
    }
}
