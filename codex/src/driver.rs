//! The driver: the task that connects the machine with the pipes of a process.

use crate::asking::{Callbacks, PendingRequest};
use crate::machine::{
    ErrorObject, Event, Frame, Machine, RequestError, Submission, SubmissionError, TurnEnd,
};
use agentwire::transport::{Connection, Peer};
use agentwire_protocol::Json;
use bytes::{Buf, BytesMut};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::runtime::Handle;
use tokio::sync::{Notify, broadcast, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{sleep_until, timeout};

/// The capacity of the channel for events. A slower receiver loses the oldest.
const EVENTS: usize = 4096;

/// The maximum length in bytes of the end of standard error in errors.
const STDERR: usize = 4096;

/// How long output is read after the exit of the process if another process still has it open.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(crate) type TurnOutcome = Result<TurnEnd, SubmissionError>;
pub(crate) type Interrupted = Result<Option<TurnEnd>, RequestError>;

/// The part of the driver that handles use.
pub(crate) struct Link {
    state: Mutex<State>,
    /// Locked while events are delivered, so that they stay in order.
    delivers: Mutex<()>,
    /// Notified when there is something to write, or the input is to be closed.
    wake: Notify,
    events: broadcast::Sender<Event>,
    /// The runtime of the callbacks. Events may be delivered outside of it.
    runtime: Handle,
    pub(crate) peer: Arc<dyn Peer>,
}

#[derive(Default)]
struct State {
    machine: Machine,
    requests: HashMap<u64, ResponseWaiter>,
    turns: HashMap<Box<str>, oneshot::Sender<TurnOutcome>>,
    interrupts: HashMap<u64, oneshot::Sender<Interrupted>>,
    threads: HashMap<Box<str>, Open>,
    /// The running callbacks, by request ID.
    running_callbacks: HashMap<Box<str>, AbortHandle>,
    is_closed: bool,
    /// Whether the driver's task has ended, so that only the handles deliver events.
    is_over: bool,
}

/// The receiver of the response to a request.
struct ResponseWaiter {
    sender: oneshot::Sender<Result<Json, RequestError>>,
    /// The callbacks of the thread, if the response opens one.
    opens: Option<Arc<Callbacks>>,
}

/// An open thread.
struct Open {
    callbacks: Arc<Callbacks>,
    /// The last `thread/tokenUsage/updated`.
    usage: Option<Json>,
    /// The file changes of running items. Requests for their approval do not repeat them.
    changes: HashMap<Box<str>, Json>,
}

impl Link {
    /// Starts the driver of a process.
    pub(crate) fn start(connection: Connection) -> Arc<Self> {
        let (events, _) = broadcast::channel(EVENTS);
        let link = Arc::new(Self {
            state: Mutex::default(),
            delivers: Mutex::default(),
            wake: Notify::new(),
            events,
            runtime: Handle::current(),
            peer: connection.peer,
        });
        let closes = Arc::downgrade(&link);
        link.peer.attached(Box::new(move || {
            if let Some(link) = closes.upgrade() {
                link.close_input("it was closed");
            }
        }));
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let reads = connection
            .stderr
            .map(|it| tokio::spawn(tail(it, Arc::clone(&stderr))));
        let driver = Driver {
            link: Arc::clone(&link),
            input: Some(connection.input),
            output: connection.output,
            writing: BytesMut::new(),
        };
        tokio::spawn(async move {
            let link = Arc::clone(&driver.link);
            driver.run().await;
            let exit = timeout(LAST_WORDS, link.peer.exited()).await;
            // Its last words may still be in the pipe.
            if let Some(reads) = reads {
                let _ = timeout(LAST_WORDS, reads).await;
            }
            let exit = match exit {
                Ok(Some(status)) => format!("it has exited with {status}"),
                _ => "it closed its output".to_owned(),
            };
            let stderr = stderr.lock().unwrap_or_else(PoisonError::into_inner);
            let stderr = String::from_utf8_lossy(&stderr);
            let why = match stderr.trim() {
                "" => exit,
                stderr => format!("{exit}; its standard error ends with: {stderr}"),
            };
            let mut state = link.state();
            state.machine.handle_end(now(), &why);
            state.is_over = true;
            drop(state);
            link.deliver();
            // Nobody can drive the process any more.
            link.peer.close(Box::new(|| ()));
        });
        link
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Calls the machine, and wakes the driver.
    fn call<T>(self: &Arc<Self>, call: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        let result = call(&mut state);
        let is_over = state.is_over;
        drop(state);
        match is_over {
            true => self.deliver(),
            false => self.wake.notify_one(),
        }
        result
    }

    /// Sends a request. If the request opens a thread, the callbacks are registered with its
    /// response, before any other message of the thread is handled.
    pub(crate) fn request(
        self: &Arc<Self>,
        method: &str,
        params: &Json,
        timeout: Duration,
        opens: Option<Arc<Callbacks>>,
    ) -> oneshot::Receiver<Result<Json, RequestError>> {
        let (sender, receiver) = oneshot::channel();
        self.call(|state| {
            let machine = &mut state.machine;
            let request = match opens {
                Some(_) => machine.open(now(), method, params, timeout),
                None => machine.request(now(), method, params, timeout),
            };
            state
                .requests
                .insert(request, ResponseWaiter { sender, opens });
        });
        receiver
    }

    pub(crate) fn notify(self: &Arc<Self>, method: &str, params: &Json) {
        self.call(|state| state.machine.notify(method, params));
    }

    /// Registers the callbacks of a thread, whose requests may arrive from now on.
    pub(crate) fn open(&self, thread_id: &str, callbacks: &Arc<Callbacks>) {
        self.state().open(thread_id, callbacks);
    }

    pub(crate) fn submit(
        self: &Arc<Self>,
        thread_id: &str,
        submission: Submission,
    ) -> oneshot::Receiver<TurnOutcome> {
        let (sender, receiver) = oneshot::channel();
        self.call(|state| {
            state.turns.insert(submission.id.clone(), sender);
            state.machine.submit(now(), thread_id, submission);
        });
        receiver
    }

    pub(crate) fn withdraw(self: &Arc<Self>, thread_id: &str, id: &str) -> bool {
        self.call(|state| state.machine.withdraw(thread_id, id))
    }

    pub(crate) fn withdraw_all(self: &Arc<Self>, thread_id: &str) {
        self.call(|state| state.machine.withdraw_all(thread_id));
    }

    pub(crate) fn interrupt(self: &Arc<Self>, thread_id: &str) -> oneshot::Receiver<Interrupted> {
        let (sender, receiver) = oneshot::channel();
        self.call(|state| {
            let interrupt = state.machine.interrupt(now(), thread_id);
            state.interrupts.insert(interrupt, sender);
        });
        receiver
    }

    pub(crate) fn compact(
        self: &Arc<Self>,
        thread_id: &str,
    ) -> oneshot::Receiver<Result<Json, RequestError>> {
        let (sender, receiver) = oneshot::channel();
        let opens = None;
        self.call(|state| {
            let request = state.machine.compact(now(), thread_id);
            state
                .requests
                .insert(request, ResponseWaiter { sender, opens });
        });
        receiver
    }

    pub(crate) fn usage(&self, thread_id: &str) -> Option<Json> {
        let state = self.state();
        state.threads.get(thread_id).and_then(|it| it.usage.clone())
    }

    /// Starts closing the process.
    pub(crate) fn close(self: &Arc<Self>) {
        let link = Arc::clone(self);
        self.peer
            .close(Box::new(move || link.close_input("it was closed")));
    }

    fn close_input(self: &Arc<Self>, why: &str) {
        let mut state = self.state();
        state.machine.handle_end(now(), why);
        state.is_closed = true;
        drop(state);
        self.deliver();
        self.wake.notify_one();
    }

    /// Delivers the events of the machine. Observers must not call the link.
    fn deliver(self: &Arc<Self>) {
        let _in_order = self.delivers.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let mut state = self.state();
            let Some(event) = state.machine.poll_event() else {
                return;
            };
            let callbacks = state.note_event(&event);
            drop(state);
            for observer in callbacks.iter().filter_map(|it| it.observer.as_ref()) {
                observer(&event);
            }
            if let Event::Request { request_id, frame } = &event {
                self.call_back(request_id, frame);
            }
            // Fails if nobody has subscribed.
            let _ = self.events.send(event);
        }
    }

    /// Runs the callback for a request of Codex.
    fn call_back(self: &Arc<Self>, request_id: &str, frame: &Frame) {
        let mut state = self.state();
        let open = frame.thread_id().and_then(|it| state.threads.get(it));
        let pending = PendingRequest {
            request_id: request_id.into(),
            frame: frame.clone(),
            changes: open.and_then(|it| it.changes.get(&*item_of(frame)?).cloned()),
        };
        let callbacks = open.map(|it| Arc::clone(&it.callbacks)).unwrap_or_default();
        let link = Arc::downgrade(self);
        let id = request_id.to_owned();
        let answer = self.runtime.spawn(async move {
            // A panic of the callback is no answer.
            let answer = tokio::spawn(async move { callbacks.answer(pending).await });
            let refused = |_| Err(ErrorObject::new(-32603, "the client's callback failed"));
            let answer = Abort(answer.abort_handle()).wait(answer).await;
            if let Some(link) = link.upgrade() {
                let answer = answer.unwrap_or_else(refused);
                link.call(|state| state.machine.respond(&id, answer));
            }
        });
        state
            .running_callbacks
            .insert(request_id.into(), answer.abort_handle());
    }
}

/// Aborts a task unless it has ended.
struct Abort(AbortHandle);

impl Abort {
    async fn wait<T>(self, task: tokio::task::JoinHandle<T>) -> Result<T, tokio::task::JoinError> {
        task.await
    }
}

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl State {
    fn open(&mut self, thread_id: &str, callbacks: &Arc<Callbacks>) {
        let open = Open {
            callbacks: Arc::clone(callbacks),
            usage: None,
            changes: HashMap::new(),
        };
        self.threads.insert(thread_id.into(), open);
    }

    /// Registers the thread that a response opens.
    fn opened(&mut self, response: &Json, callbacks: &Arc<Callbacks>) {
        let Some(thread) = response.member("thread") else {
            return;
        };
        let Some(Ok(id)) = thread.member("id").map(|it| it.read::<String>()) else {
            return;
        };
        self.open(&id, callbacks);
    }

    /// Updates the state for an event. Returns the callbacks of its thread, or all callbacks if the
    /// event concerns the process.
    fn note_event(&mut self, event: &Event) -> Vec<Arc<Callbacks>> {
        let thread_id = match event {
            Event::Notification(frame) => {
                self.notification(frame);
                frame.thread_id()
            }
            Event::Request { frame, .. } => frame.thread_id(),
            Event::Resolved {
                request_id,
                thread_id,
            } => {
                if let Some(callback) = self.running_callbacks.remove(request_id) {
                    callback.abort();
                }
                thread_id.as_deref()
            }
            Event::Response { request, outcome } => {
                if let Some(waits) = self.requests.remove(request) {
                    if let (Ok(response), Some(callbacks)) = (outcome, &waits.opens) {
                        self.opened(response, callbacks);
                    }
                    // Fails if nobody waits any more, as below.
                    let _ = waits.sender.send(outcome.clone());
                }
                None
            }
            Event::SubmissionEnded {
                thread_id,
                id,
                outcome,
                ..
            } => {
                if let Some(waits) = self.turns.remove(id) {
                    let _ = waits.send(outcome.clone());
                }
                Some(&**thread_id)
            }
            Event::InterruptEnded { interrupt, outcome } => {
                if let Some(waits) = self.interrupts.remove(interrupt) {
                    let _ = waits.send(outcome.clone());
                }
                None
            }
            Event::Submission { thread_id, .. } => Some(&**thread_id),
            Event::TurnEnded(end) => Some(&*end.thread_id),
            Event::Ended(_) => {
                let threads = self.threads.values();
                return threads.map(|it| Arc::clone(&it.callbacks)).collect();
            }
            Event::Problem(_) => None,
        };
        let open = thread_id.and_then(|it| self.threads.get(it));
        open.map(|it| Arc::clone(&it.callbacks))
            .into_iter()
            .collect()
    }

    fn notification(&mut self, frame: &Frame) {
        let Some(open) = frame.thread_id().and_then(|it| self.threads.get_mut(it)) else {
            return;
        };
        match frame.method() {
            "thread/tokenUsage/updated" => open.usage = frame.params().member("tokenUsage"),
            "item/started" | "item/completed" => {
                let Some(item) = frame.params().member("item") else {
                    return;
                };
                let id = item.member("id").and_then(|it| it.read::<Box<str>>().ok());
                let (Some(id), Some(changes)) = (id, item.member("changes")) else {
                    return;
                };
                match frame.method() {
                    "item/started" => open.changes.insert(id, changes),
                    _ => open.changes.remove(&id),
                };
            }
            "turn/completed" => open.changes.clear(),
            _ => {}
        }
    }
}

/// Returns the ID of the item that needs the approval.
fn item_of(frame: &Frame) -> Option<Box<str>> {
    frame.params().member("itemId")?.read().ok()
}

struct Driver {
    link: Arc<Link>,
    input: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    output: Box<dyn AsyncRead + Send + Unpin>,
    writing: BytesMut,
}

impl Driver {
    /// Runs until the output ends.
    async fn run(mut self) {
        let mut buffer = BytesMut::with_capacity(64 * 1024);
        let peer = Arc::clone(&self.link.peer);
        let mut exited = peer.exited();
        let mut last_words = None;
        loop {
            let deadline = self.poll();
            let far = Duration::from_secs(3600);
            let deadline = deadline.map_or_else(|| tokio::time::Instant::now() + far, Into::into);
            let has_more = !self.writing.is_empty() && self.input.is_some();
            let input = self.input.as_mut();
            tokio::select! {
                read = self.output.read_buf(&mut buffer) => match read {
                    Ok(1..) => {
                        self.link.state().machine.handle_input(now(), &buffer);
                        buffer.clear();
                    }
                    _ => return,
                },
                written = write(input, &mut self.writing), if has_more => {
                    // What Codex has written before it exits is read.
                    if written.is_err() {
                        self.input = None;
                    }
                }
                () = self.link.wake.notified() => {}
                () = sleep_until(deadline) => self.link.state().machine.handle_timeout(now()),
                _ = &mut exited, if last_words.is_none() => {
                    last_words = Some(tokio::time::Instant::now() + LAST_WORDS);
                }
                () = sleep_until(last_words.unwrap_or(deadline)), if last_words.is_some() => return,
            }
        }
    }

    /// Writes the lines of the machine and delivers its events. Returns the machine's next
    /// deadline.
    fn poll(&mut self) -> Option<Instant> {
        self.link.deliver();
        let mut state = self.link.state();
        while let Some(line) = state.machine.poll_transmit() {
            self.writing.extend_from_slice(&line);
        }
        if state.is_closed {
            self.input = None;
        }
        state.machine.poll_timeout()
    }
}

async fn write(
    input: Option<&mut Box<dyn AsyncWrite + Send + Unpin>>,
    bytes: &mut BytesMut,
) -> std::io::Result<()> {
    if let Some(input) = input {
        let written = input.write(bytes).await?;
        bytes.advance(written);
        input.flush().await?;
    }
    Ok(())
}

/// Reads standard error, and retains its end.
async fn tail(mut stderr: Box<dyn AsyncRead + Send + Unpin>, into: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        let mut end = into.lock().unwrap_or_else(PoisonError::into_inner);
        end.extend_from_slice(&buffer[..length]);
        let over = end.len().saturating_sub(STDERR);
        end.drain(..over);
    }
}

fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
