//! `agentwire model`: the scripted model as a server, for tests in any language.

use crate::files::append;
use crate::run::signals::Signals;
use agentwire_testkit::model::{ModelRequest, ScriptedModel};
use agentwire_testkit::{Scenario, ScenarioError};
use serde::Serialize;
use serde_json::json;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The log could not be written.
const NO_LOG: u8 = 1;
/// The script is invalid, or the port is not available.
const USAGE: u8 = 2;

/// Exit status: 0 after a request to exit, 1 if the log cannot be written, 2 if the script is
/// invalid or the port is not available.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first line of standard output is the server's URL: set ANTHROPIC_BASE_URL to
it. The agent also requires an ANTHROPIC_API_KEY, with any value. Agents of other
vendors find Chat Completions and Responses under URL/v1, and Gemini under URL.

POST /gates/NAME opens a gate of the script. GET /gates/NAME responds once the
script has reached the gate.

The server exits on Ctrl-C and SIGTERM; with --until-stdin-ends, also when its
standard input is closed, so that it never outlives the program that started it.

Exit status: 0 on request, 1 the log cannot be written, 2 the script is invalid
or the port is not available.")]
pub(crate) struct Arguments {
    /// The scenario, a JSON file; `-` reads it from standard input
    script: PathBuf,

    /// The port on 127.0.0.1; 0 selects a free port
    #[arg(long, default_value_t = 0)]
    port: u16,

    /// Append each request and its response to this file, one JSON object per
    /// line. The last line, `{"end": {"requests": N}}`, marks a complete log
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Exit when standard input is closed
    #[arg(long)]
    until_stdin_ends: bool,
}

/// The error of starting or running the server.
#[derive(Debug)]
enum Failure {
    Unreadable(PathBuf, io::Error),
    Script(PathBuf, ScenarioError),
    Port(u16, io::Error),
    Signals(io::Error),
    Log(PathBuf, io::Error),
}

pub(crate) async fn model(arguments: Arguments) -> ExitCode {
    let Err(failure) = serve(arguments).await else {
        return ExitCode::SUCCESS;
    };
    let (code, message) = match failure {
        Failure::Unreadable(path, error) => {
            let path = path.display();
            (USAGE, format!("cannot read {path}: {error}"))
        }
        Failure::Script(path, error) => (USAGE, format!("{}: {error}", path.display())),
        Failure::Port(port, error) => (USAGE, format!("cannot listen on port {port}: {error}")),
        Failure::Signals(error) => (USAGE, format!("cannot listen for signals: {error}")),
        Failure::Log(path, error) => {
            let path = path.display();
            (NO_LOG, format!("cannot write {path}: {error}"))
        }
    };
    drop(writeln!(io::stderr(), "agentwire model: {message}"));
    code.into()
}

/// Runs the server until a signal or the end of standard input.
async fn serve(arguments: Arguments) -> Result<(), Failure> {
    let Arguments {
        script,
        port,
        log,
        until_stdin_ends,
    } = arguments;
    let scenario = read(&script)?;
    let mut log = match log {
        Some(path) => Some(Log::open(path)?),
        None => None,
    };
    let mut signals = Signals::new().map_err(Failure::Signals)?;
    let model = ScriptedModel::start_on(scenario, port)
        .await
        .map_err(|error| Failure::Port(port, error))?;
    // Ignore a failure, because the parent may know the port already.
    drop(writeln!(io::stdout(), "{}", model.url()));

    let end = async {
        tokio::select! {
            _ = signals.next() => {}
            () = stdin_ends(), if until_stdin_ends => {}
        }
    };
    tokio::select! {
        () = end => {}
        failed = write_all(&model, log.as_mut()) => return failed,
    }
    // The log contains every request that arrived before the exit.
    match log {
        Some(log) => log.finish(&model.requests()),
        None => Ok(()),
    }
}

fn read(script: &Path) -> Result<Scenario, Failure> {
    let text = if script == Path::new("-") {
        io::read_to_string(io::stdin())
    } else {
        std::fs::read_to_string(script)
    };
    let text = text.map_err(|error| Failure::Unreadable(script.to_owned(), error))?;
    Scenario::from_json(&text).map_err(|error| Failure::Script(script.to_owned(), error))
}

/// Writes the requests to the log as they arrive. Returns only if writing fails.
async fn write_all(model: &ScriptedModel, log: Option<&mut Log>) -> Result<(), Failure> {
    let Some(log) = log else {
        return std::future::pending().await;
    };
    loop {
        let request = model.request(log.written).await;
        log.write(&request)?;
    }
}

/// Waits until standard input is closed.
async fn stdin_ends() {
    let (sender, ended) = tokio::sync::oneshot::channel();
    // Do not use a thread of the runtime, for which the runtime would wait on exit.
    std::thread::spawn(move || {
        drop(io::copy(&mut io::stdin(), &mut io::sink()));
        let _ = sender.send(());
    });
    drop(ended.await);
}

/// The log file, which has one request per line.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: File,
    /// The number of requests in the file.
    written: usize,
}

impl Log {
    fn open(path: PathBuf) -> Result<Self, Failure> {
        match append(&path) {
            Ok(file) => Ok(Self {
                path,
                file,
                written: 0,
            }),
            Err(error) => Err(Failure::Log(path, error)),
        }
    }

    fn write(&mut self, request: &ModelRequest) -> Result<(), Failure> {
        self.write_line(request)?;
        self.written += 1;
        Ok(())
    }

    fn write_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let line = serde_json::to_vec(value).map_err(io::Error::from);
        let written = line.and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)
        });
        written.map_err(|error| Failure::Log(self.path.clone(), error))
    }

    /// Writes the remaining requests and the last line, which marks a complete
    /// log.
    fn finish(mut self, requests: &[ModelRequest]) -> Result<(), Failure> {
        let new = requests.get(self.written..).unwrap_or_default();
        new.iter().try_for_each(|request| self.write(request))?;
        let requests = self.written;
        self.write_line(&json!({ "end": { "requests": requests } }))
    }
}
