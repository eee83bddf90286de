//! Replays all recorded sessions to our client, with a host that repeats the recorded
//! actions. The client must write the same lines, and deliver all recorded messages.

#![allow(clippy::unwrap_used)]

mod host;
#[cfg(feature = "mcp")]
mod server;

use agentwire::protocol::host::WireNotice;
use agentwire::{Client, EndReason, Event, Notice, Options};
use agentwire_testkit::recording::{Entry, EntryKind, RecordedLine, sessions};
use agentwire_testkit::replay;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The timeout of a session.
const SESSION_TIMEOUT: Duration = Duration::from_secs(120);

/// Declares a test for each recording.
macro_rules! recordings {
    ($($test:ident => $file:literal),* $(,)?) => {
        /// The recordings that are replayed.
        const REPLAYED: &[&str] = &[$($file),*];

        $(
            #[tokio::test]
            async fn $test() {
                let recorded = Recorded::read($file);
                recorded.replay(recorded.options(), &[]).await;
            }
        )*
    };
}

recordings! {
    basic => "01_basic",
    hooks_and_permissions => "02_hooks_permissions",
    interrupts => "05_interrupt",
    rewinding_files => "07_rewind_files",
    none_during_the_last_text => "08_priority_final_none",
    many_priorities_at_once => "08_priority_order",
    next_while_streaming => "08_priority_stream_next",
    now_while_streaming => "08_priority_stream_now",
    later_while_a_tool_runs => "08_priority_tool_later",
    next_while_a_tool_runs => "08_priority_tool_next",
    now_while_a_tool_runs => "08_priority_tool_now",
    cancelled_and_folded_messages => "09_cancel_async_and_folding",
    background_tasks => "10_background_stop_task",
}

/// The recordings whose replay needs special handling, and one whose host sent invalid
/// lines.
const SPECIAL: &[&str] = &["04_sdk_mcp", "06_control_sweep", "06b_malformed"];

#[test]
fn all_recordings_are_replayed() {
    let mut files: Vec<_> = (folder().read_dir().unwrap())
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "ndjson"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    files.sort();
    let mut replayed = [REPLAYED, SPECIAL].concat();
    replayed.sort_unstable();
    assert_eq!(files, replayed);
}

/// The recorded host registered a hook during the session. Our client registers hooks
/// only at the start. A hook that a raw request registers has no callback, so its calls
/// are refused.
#[tokio::test]
async fn all_control_requests() {
    let mut recorded = Recorded::read("06_control_sweep");
    let refused = recorded.refuse(|asked| asked["callback_id"] == "z");
    assert_eq!(refused, 1);
    recorded
        .replay(recorded.options(), &["hook_callback"])
        .await;
}

/// The recorded host added an MCP server with `mcp_set_servers`, which our client cannot
/// do during a session. Requests for this server are refused. Our client names servers in
/// a request; the recorded host used a flag.
#[cfg(feature = "mcp")]
#[tokio::test]
async fn an_mcp_server_inside_the_host() {
    let mut recorded = Recorded::read("04_sdk_mcp");
    let refused = recorded.refuse(|asked| asked["server_name"] == "two");
    assert_eq!(refused, 4);
    recorded.remove_flag("--mcp-config");
    recorded.remove_flag("--strict-mcp-config");
    let options = (recorded.options()).mcp_server("calc", server::Recorded::of(&recorded.session));
    recorded.replay(options, &["mcp_message"; 4]).await;
}

/// If the host deviates from the recording, the agent exits with a special status and
/// prints the reason.
#[tokio::test]
async fn a_host_that_deviates_is_reported() {
    let recorded = Recorded::read("01_basic");
    let mut client = Client::connect(recorded.options()).await.unwrap();
    // The agent may receive this message, or have exited before.
    drop(client.send("Say goodbye"));
    let mut last = None;
    while let Some(event) = client.next().await {
        last = event.err();
    }
    let Some(agentwire::Error::Ended(end)) = last else {
        panic!("{last:?}");
    };
    assert_eq!(end.exit.unwrap().code(), Some(replay::DIFFERS));
    assert!(
        end.stderr.contains("line 4") && end.stderr.contains("\"Say hello\""),
        "{}",
        end.stderr
    );
}

/// Returns a message without the ID of the request that it mentions, because the client
/// generates random IDs.
fn without_request(line: &str) -> String {
    match line.split_once(r#""request_id":""#) {
        Some((before, id)) => format!("{before}{}", id.split_once('"').unwrap().1),
        None => line.to_owned(),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testkit/recordings")
}

/// Returns the path of the agent. Cargo builds the examples of a package with its tests.
fn agent() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = (test.parent().unwrap().parent().unwrap()).join("examples/replay_agent");
    assert!(
        path.exists(),
        "{} is not built: `cargo test` and `cargo build --examples` build it",
        path.display()
    );
    path
}

/// A recorded session, and the file from which the agent reads it.
struct Recorded {
    session: Vec<Entry>,
    file: tempfile::NamedTempFile,
}

impl Recorded {
    fn read(name: &str) -> Self {
        let file = std::fs::read(folder().join(name).with_extension("ndjson")).unwrap();
        let mut all = sessions(&*file).unwrap();
        assert_eq!(all.len(), 1);
        let recorded = Self {
            session: all.remove(0),
            file: tempfile::NamedTempFile::new().unwrap(),
        };
        recorded.save();
        recorded
    }

    fn save(&self) {
        let lines: Vec<u8> = self.session.iter().flat_map(Entry::to_line).collect();
        std::fs::write(self.file.path(), lines).unwrap();
    }

    /// Changes the recording so that the host refuses some requests, as our client does.
    /// Returns their number.
    fn refuse(&mut self, is_refused: impl Fn(&Value) -> bool) -> usize {
        let asks = host::received(&self.session)
            .filter(|line| line["type"] == "control_request" && is_refused(&line["request"]))
            .map(|line| line["request_id"].clone());
        let asks: Vec<_> = asks.collect();
        for entry in &mut self.session {
            if let EntryKind::Sent(RecordedLine::Json(json)) = &mut entry.kind {
                let mut line: Value = json.read().unwrap();
                let response = &mut line["response"];
                if asks.contains(&response["request_id"]) {
                    response["subtype"] = json!("error");
                    response["error"] = json!("There is no such thing here.");
                    *json = line.into();
                }
            }
        }
        self.save();
        asks.len()
    }

    /// Removes a flag from the recorded arguments of the CLI.
    #[cfg(feature = "mcp")]
    fn remove_flag(&mut self, flag: &str) {
        let Some(EntryKind::Spawn(spawn)) = self.session.first_mut().map(|it| &mut it.kind) else {
            panic!("the recording does not say how the CLI was started");
        };
        let at = spawn.argv.iter().position(|it| it == flag).unwrap();
        spawn.argv.remove(at);
        // Remove the value of the flag.
        while spawn.argv.get(at).is_some_and(|it| !it.starts_with('-')) {
            spawn.argv.remove(at);
        }
        self.save();
    }

    /// Returns options for a session whose agent is the recording.
    fn options(&self) -> Options {
        let options = Options::new()
            .cli(agent())
            .clean_env()
            .env(replay::RECORDING, self.file.path())
            .partial_messages(true)
            .setting_sources([]);
        let options = host::started_as_recorded(&self.session, options);
        host::answering_as_recorded(&self.session, options)
    }

    /// Repeats the actions of the recorded host, and compares the sessions. The client
    /// refuses requests with the subtypes in `refused`.
    async fn replay(&self, options: Options, refused: &[&str]) {
        let playing = host::play(&self.session, options);
        let played = match tokio::time::timeout(SESSION_TIMEOUT, playing).await {
            Ok(played) => played,
            Err(_) => panic!("the session hangs"),
        };
        assert_eq!(played.report.exit.unwrap().code(), Some(0));
        assert!(played.report.remaining.is_empty());

        let mut frames = Vec::new();
        let mut not_supported = Vec::new();
        let mut lost = BTreeSet::new();
        let mut echoes = 0;
        for event in &played.events {
            match event {
                Event::Frame(frame) => frames.push(std::str::from_utf8(frame.raw()).unwrap()),
                Event::Notice(Notice::NotSupported { subtype, .. }) => not_supported.push(subtype),
                Event::Notice(Notice::Lost { uuid }) => drop(lost.insert(uuid.to_string())),
                Event::Notice(Notice::Wire(WireNotice::StrayResponse { .. })) => echoes += 1,
                // The recorded host bypassed its own permission callback.
                Event::Notice(Notice::IgnoredOption(_)) => {}
                Event::Notice(notice) => panic!("{notice}"),
                _ => {}
            }
        }
        assert_eq!(not_supported, refused);
        assert_eq!(lost, played.without_id);
        assert_eq!(echoes, host::echoes(&self.session));
        let recorded: Vec<_> = self.session.iter().filter_map(host::message).collect();
        for (number, (delivered, recorded)) in frames.iter().zip(&recorded).enumerate() {
            let recorded = played.renamed(recorded);
            assert_eq!(
                without_request(delivered),
                without_request(&recorded),
                "message {number}"
            );
        }
        assert_eq!(frames.len(), recorded.len());
        // An agent that ends its turn after its input was closed has lost nothing, except
        // messages that it never named.
        let goes_on =
            host::writes_after_input_closed(&self.session) && !played.without_id.is_empty();
        assert_eq!(
            played.end.map(|end| end.reason),
            goes_on.then_some(EndReason::CutOff)
        );
    }
}
