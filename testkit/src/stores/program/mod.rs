//! A store behind a program in any language.

mod log;
mod transcripts;

use super::optional::Optional;
use agentwire::store::{StoreError, StoredSession};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::io;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};

/// A store behind a program in any language, with JSON lines on standard input and
/// output.
///
/// The program first writes the calls that it supports:
///
/// ```text
/// {"calls":["append","load","sessions","subpaths","summaries","delete"]}
/// ```
///
/// `append` and `load` are required. Then it reads requests and writes responses, in
/// any order. Several requests may be pending, but never two appends to one
/// transcript. It exits when its standard input ends.
///
/// | request | `result` of the response |
/// |---|---|
/// | `{"id":1,"call":"append","key":KEY,"entries":[{…},…]}` | `null` |
/// | `{"id":2,"call":"load","key":KEY}` | the entries, or `null` if there are none |
/// | `{"id":3,"call":"sessions","project":"…"}` | `[{"id":"…","modified":1767225600000},…]` |
/// | `{"id":4,"call":"subpaths","key":KEY}` | `["subagents/agent-1",…]` |
/// | `{"id":5,"call":"summaries","project":"…"}` | as of `sessions`, each with a `summary` |
/// | `{"id":6,"call":"delete","key":KEY}` | `null` |
///
/// `KEY` is `{"project":"…","session_id":"…","subpath":"…"}`, without `subpath` for the main
/// conversation. Times are milliseconds since 1970. A response is `{"id":1,"result":…}`, or
/// `{"id":1,"error":"…"}` if the call failed. The program inherits standard error.
///
/// A program whose store has [logs](agentwire_stores::session_log) supports
/// these calls instead or in addition:
///
/// | request | `result` of the response |
/// |---|---|
/// | `{"id":1,"call":"log_append","session":SESSION,"after":0,"token":TOKEN,"entries":[["PART",{…}],…],"summary":{…}}` | `{"position":1}`, or `{"refused":HEAD}` |
/// | `{"id":2,"call":"log_head","session":SESSION}` | `HEAD`, or `null` |
/// | `{"id":3,"call":"log_read","session":SESSION,"after":0}` | `[{"position":1,"token":TOKEN,"entries":[["PART",{…}],…]},…]` |
/// | `{"id":4,"call":"log_summaries","project":"…"}` | as of `sessions`, each with its last `summary`, if it has one |
/// | `{"id":5,"call":"log_parts","session":SESSION}` | `["PART",…]` |
/// | `{"id":6,"call":"log_delete","session":SESSION,"token":TOKEN}` | `{}`, or `{"refused":HEAD}` |
///
/// `SESSION` is `{"project":"…","session_id":"…"}`, `TOKEN` is `{"number":1,"writer":"…"}`, and
/// `HEAD` the end of the log: `{"position":1,"token":TOKEN,"deleted":false}`, or `null` if there
/// is no log. `PART` is empty for the main conversation. `summary` is omitted if a batch has
/// none.
///
/// Line breaks between the members of an entry become spaces, since a request is one line. The
/// program therefore cannot return texts byte for byte. Check it with
/// [`Conformance::members_may_be_reordered`](super::Conformance::members_may_be_reordered).
#[derive(Debug)]
pub struct StoreProgram {
    calls: Vec<String>,
    /// The sender of requests to a task that writes them, so that a cancelled
    /// call leaves no partial line.
    requests: mpsc::UnboundedSender<String>,
    pending: Arc<Pending>,
    next: AtomicU64,
    /// The process of the program, which is killed on drop.
    _child: Child,
}

/// The pending requests, or the reason why no more responses arrive.
#[derive(Debug)]
struct Pending(Mutex<Responses>);

type Responses = Result<HashMap<u64, oneshot::Sender<Response>>, String>;

impl Pending {
    /// Locks the map. A panic leaves the map valid, so poisoning is ignored.
    fn lock(&self) -> MutexGuard<'_, Responses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the reason why no more responses arrive.
    fn why(&self) -> StoreError {
        let why = self.lock().as_ref().err().cloned();
        why.unwrap_or_else(|| EXITED.to_owned()).into()
    }
}

const EXITED: &str = "the program has exited, or closed its standard output";

#[derive(Debug, Deserialize)]
struct Greeting {
    calls: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Response {
    id: u64,
    result: Option<Box<RawValue>>,
    error: Option<String>,
}

impl StoreProgram {
    /// Starts a program, and waits until it has written its supported calls.
    ///
    /// # Errors
    ///
    /// Fails if the program cannot be started, exits, or writes something else.
    pub async fn start(command: &mut Command) -> io::Result<Self> {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn()?;
        let ends = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = ends else {
            return Err(io::Error::other(
                "the program has no standard input or output",
            ));
        };
        let mut output = BufReader::new(output);
        let mut line = String::new();
        if output.read_line(&mut line).await? == 0 {
            return Err(io::Error::other("the program exited without output"));
        }
        let greeting: Result<Greeting, _> = serde_json::from_str(&line);
        let Ok(Greeting { calls }) = greeting else {
            let line: String = line.chars().take(200).collect();
            let why = format!("the program's first line is {line:?}, expected its `calls`");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        };
        let pending = Arc::new(Pending(Mutex::new(Ok(HashMap::new()))));
        let (requests, received) = mpsc::unbounded_channel();
        tokio::spawn(write(input, received));
        tokio::spawn(read(output, Arc::clone(&pending)));
        Ok(Self {
            calls,
            requests,
            pending,
            next: AtomicU64::new(1),
            _child: child,
        })
    }

    /// Returns the optional methods that the program does not support.
    pub fn without(&self) -> Vec<Optional> {
        let is_absent = |it: &Optional| !self.calls.iter().any(|call| call == it.name());
        Optional::ALL.into_iter().filter(is_absent).collect()
    }

    /// Calls the program. `arguments` are members of a JSON object.
    async fn call<T: DeserializeOwned>(
        &self,
        call: &str,
        arguments: &[(&str, String)],
    ) -> Result<T, StoreError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut request = format!(r#"{{"id":{id},"call":"{call}""#);
        for (name, value) in arguments {
            request.push_str(&format!(r#","{name}":{value}"#));
        }
        request.push('}');
        // Line breaks only occur between the members of entries.
        let mut request = request.replace(['\n', '\r'], " ");
        request.push('\n');
        let (sender, response) = oneshot::channel();
        match &mut *self.pending.lock() {
            Ok(pending) => drop(pending.insert(id, sender)),
            Err(why) => return Err(why.clone().into()),
        }
        // If the task has ended, the program has exited.
        let _ = self.requests.send(request);
        let Ok(response) = response.await else {
            return Err(self.pending.why());
        };
        match (response.error, response.result) {
            (Some(error), _) => Err(error.into()),
            (None, Some(result)) => Ok(serde_json::from_str(result.get())?),
            (None, None) => Ok(serde_json::from_str("null")?),
        }
    }
}

async fn write(mut input: ChildStdin, mut requests: mpsc::UnboundedReceiver<String>) {
    while let Some(request) = requests.recv().await {
        if input.write_all(request.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(output: BufReader<ChildStdout>, pending: Arc<Pending>) {
    let mut lines = output.lines();
    let mut why = EXITED.to_owned();
    while let Ok(Some(line)) = lines.next_line().await {
        let response: Result<Response, _> = serde_json::from_str(&line);
        let Ok(response) = response else {
            // The request is unknown, and its caller would wait forever.
            let line: String = line.chars().take(200).collect();
            why = format!("the program wrote a line that is not a response: {line:?}");
            break;
        };
        if let Ok(waits) = &mut *pending.lock()
            && let Some(waits) = waits.remove(&response.id)
        {
            let _ = waits.send(response);
        }
    }
    // The dropped senders notify the callers.
    *pending.lock() = Err(why);
}

/// A session in a list of the program.
#[derive(Deserialize)]
struct Listed {
    id: String,
    /// The time of the last write in milliseconds. A float, because some
    /// languages have no integers.
    modified: f64,
    #[serde(default, deserialize_with = "present")]
    summary: Option<Box<RawValue>>,
}

/// Reads a summary. `null` is a valid one.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(value).map(Some)
}

impl Listed {
    fn session(&self) -> StoredSession {
        let modified = Duration::try_from_secs_f64(self.modified / 1_000.0);
        StoredSession::new(&self.id, UNIX_EPOCH + modified.unwrap_or_default())
    }
}

/// Returns a text as a JSON string.
fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
