//! `agentwire model`: the scripted model as a server of its own, for tests in
//! any language.

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
/// There is no script, or no port.
const USAGE: u8 = 2;

/// Exit status: 0 when it was told to end, 1 when the log cannot be written, 2
/// when the script cannot be used or the port cannot be had.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first line on standard output is the server's address: the value for
ANTHROPIC_BASE_URL. The agent also needs any ANTHROPIC_API_KEY.

POST /gates/NAME opens a gate of the script; GET /gates/NAME is answered when
the script has come to it.

It ends on Ctrl-C and SIGTERM, and with --until-stdin-ends when its standard
input is closed, so that it never outlives the program that started it.

Exit status: 0 told to end, 1 the log cannot be written, 2 the script cannot be used
or the port cannot be had.")]
pub(crate) struct Arguments {
    /// The scenario, a JSON file; `-` reads it from standard input
    script: PathBuf,

    /// The port on 127.0.0.1; 0 is a free one
    #[arg(long, default_value_t = 0)]
    port: u16,

    /// Add each request to this file as it comes, as one line of JSON, with
    /// what it was answered. The last line, `{"end": {"requests": N}}`, says that
    /// it is whole
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// End when standard input ends as well
    #[arg(long)]
    until_stdin_ends: bool,
}

/// Why there is no server any more, or why there never was one.
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
    let (code, complaint) = match failure {
        Failure::Unreadable(path, error) => {
            let path = path.display();
            (USAGE, format!("{path} cannot be read: {error}"))
        }
        Failure::Script(path, error) => (USAGE, format!("{}: {error}", path.display())),
        Failure::Port(port, error) => (USAGE, format!("port {port} cannot be had: {error}")),
        Failure::Signals(error) => (USAGE, format!("signals cannot be listened for: {error}")),
        Failure::Log(path, error) => {
            let path = path.display();
            (NO_LOG, format!("{path} cannot be written: {error}"))
        }
    };
    drop(writeln!(io::stderr(), "agentwire model: {complaint}"));
    code.into()
}

/// Runs the server until it is told to end.
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
    // Nobody who reads it is no reason to end: the port may be known.
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
    // What came before the end is in the log.
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

/// Writes the requests as they come. Ends only when that fails.
async fn write_all(model: &ScriptedModel, log: Option<&mut Log>) -> Result<(), Failure> {
    let Some(log) = log else {
        return std::future::pending().await;
    };
    loop {
        let request = model.request(log.written).await;
        log.write(&request)?;
    }
}

/// Waits until nobody can write to our standard input any more.
async fn stdin_ends() {
    let (over, ended) = tokio::sync::oneshot::channel();
    // A thread of its own: the runtime would wait for one of its own that
    // reads, when a signal ends the server.
    std::thread::spawn(move || {
        drop(io::copy(&mut io::stdin(), &mut io::sink()));
        let _ = over.send(());
    });
    drop(ended.await);
}

/// The requests in a file, a line each.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: File,
    /// How many requests are in it.
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

    /// Writes what is not in it yet, and that it is whole.
    fn finish(mut self, requests: &[ModelRequest]) -> Result<(), Failure> {
        let new = requests.get(self.written..).unwrap_or_default();
        new.iter().try_for_each(|request| self.write(request))?;
        let requests = self.written;
        self.write_line(&json!({ "end": { "requests": requests } }))
    }
}
