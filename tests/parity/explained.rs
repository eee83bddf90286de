//! Intended differences, each with its reason.

use crate::recording::Recording;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The value of one side.
#[derive(Debug)]
enum Side {
    Nothing,
    Just(Value),
    /// A value that differs in each run.
    Something,
}

use Side::{Just, Nothing, Something};

impl Side {
    fn is(&self, found: Option<&Value>) -> bool {
        match self {
            Nothing => found.is_none(),
            Just(value) => found == Some(value),
            Something => found.is_some(),
        }
    }
}

/// An intended difference, and its reason.
struct Explained {
    what: &'static str,
    theirs: Side,
    ours: Side,
    /// The names of the sets with this difference. If empty, any set may have it.
    sets: &'static [&'static str],
    /// The names of the sets that must not have this difference.
    except: &'static [&'static str],
    because: &'static str,
}

/// All intended differences.
pub(crate) struct Explanations {
    table: Vec<Explained>,
    /// The indices of the differences that occurred, and the set of each.
    used: BTreeSet<(usize, &'static str)>,
}

impl Explanations {
    pub(crate) fn new() -> Self {
        Self {
            table: table(),
            used: BTreeSet::new(),
        }
    }

    /// Returns the differences of a set that no explanation covers, neither one for the
    /// set nor one for its parts.
    pub(crate) fn unexplained(
        &mut self,
        set: &str,
        parts: &[&'static str],
        theirs: &Recording,
        ours: &Recording,
    ) -> Vec<String> {
        let names: BTreeSet<_> = theirs.keys().chain(ours.keys()).collect();
        let mut complaints = Vec::new();
        for name in names {
            let (theirs, ours) = (theirs.get(name), ours.get(name));
            if theirs == ours {
                continue;
            }
            let has_one_of = |sets: &[&str]| sets.iter().any(|set| parts.contains(set));
            let explains = |it: &Explained| {
                it.what == name
                    && it.theirs.is(theirs)
                    && it.ours.is(ours)
                    && (it.sets.is_empty() || has_one_of(it.sets))
                    && !has_one_of(it.except)
            };
            match self.table.iter().position(explains) {
                Some(place) => {
                    self.used.extend(parts.iter().map(|part| (place, *part)));
                }
                None => {
                    let shown = |it: Option<&Value>| it.map_or("absent".into(), Value::to_string);
                    complaints.push(format!(
                        "{set}: {name}\n    theirs: {}\n    ours:   {}",
                        shown(theirs),
                        shown(ours)
                    ));
                }
            }
        }
        complaints
    }

    /// Returns the explanations of differences that do not occur any more.
    pub(crate) fn stale(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for (place, it) in self.table.iter().enumerate() {
            let is_used = |set: &&'static str| self.used.contains(&(place, *set));
            let told = |which: &str| {
                format!(
                    "{which}: {} is explained ({}), and not so: theirs {:?}, ours {:?}",
                    it.what, it.because, it.theirs, it.ours
                )
            };
            if it.sets.is_empty() && !self.used.iter().any(|(used, _)| *used == place) {
                complaints.push(told("every set"));
            }
            complaints.extend(
                it.sets
                    .iter()
                    .filter(|set| !is_used(set))
                    .map(|set| told(set)),
            );
        }
        complaints
    }
}

/// Returns all intended differences.
fn table() -> Vec<Explained> {
    let mut table = every_set();
    table.extend(single_sets());
    table.extend(refusals());
    table
}

fn every_set() -> Vec<Explained> {
    let row = |what, theirs, ours, because| Explained {
        what,
        theirs,
        ours,
        sets: &[],
        except: &[],
        because,
    };
    vec![
        row(
            "environment CLAUDE_CODE_ENTRYPOINT",
            Just(json!("sdk-ts")),
            Just(json!("sdk-rs")),
            "each says which SDK it is",
        ),
        row(
            "environment CLAUDE_AGENT_SDK_VERSION",
            Just(json!("0.3.332")),
            Just(json!(env!("CARGO_PKG_VERSION"))),
            "each says which version it is",
        ),
        row(
            "environment CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS",
            Nothing,
            Just(json!("1")),
            "CLIs before 2.1.284 tell their states only with it",
        ),
        row(
            "environment AGENTWIRE_SESSION",
            Nothing,
            Something,
            "by it we find what the session has started, when it ends",
        ),
        row(
            "configuration /agentwire.lock",
            Nothing,
            Something,
            "it is locked as long as the host lives: by it we find what a host that was killed \
             has left behind",
        ),
        row(
            "environment NoDefaultCurrentDirectoryInExePath",
            Just(json!("1")),
            Nothing,
            "their module sets it in its own process when it is loaded, against programs in the \
             working directory on Windows; the CLI inherits it, where `env` is not set",
        ),
        Explained {
            except: &["empty prompt"],
            ..row(
                "initialize systemPrompt",
                Just(json!([""])),
                Nothing,
                "who says nothing of a system prompt has an empty one with them, and the CLI's \
                 own with us",
            )
        },
        row(
            "prompt message",
            Just(json!({ "role": "user", "content": [{ "type": "text", "text": "Hello." }] })),
            Just(json!({ "role": "user", "content": "Hello." })),
            "a text alone means the same as a list of one text",
        ),
        row(
            "prompt session_id",
            Just(json!("")),
            Nothing,
            "it is left to the CLI; theirs is empty, which says no more",
        ),
        row(
            "prompt uuid",
            Nothing,
            Something,
            "by it we hear what became of the message",
        ),
    ]
}

fn single_sets() -> Vec<Explained> {
    let row = |sets, what, theirs, ours, because| Explained {
        what,
        theirs,
        ours,
        sets,
        except: &[],
        because,
    };
    let servers = json!({
        "files": {
            "type": "stdio",
            "command": "mcp-files",
            "args": ["--read-only"],
            "env": { "LANG": "C" },
        },
        "tickets": {
            "type": "http",
            "url": "https://example.org/mcp",
            "headers": { "Authorization": "Bearer secret" },
        },
        "news": { "type": "sse", "url": "https://example.org/news" },
    });
    let plugins = json!([
        { "type": "local", "path": "/plugins/one" },
        { "type": "local", "path": "/plugins/two", "skipMcpDiscovery": true },
    ]);
    let over_the_pipe = "theirs are arguments, if nothing is said, which everybody on the machine \
                         can read; ours go over the pipe";
    vec![
        row(
            &["servers as an argument"],
            "argument --mcp-config",
            Just(json!([{ "mcpServers": servers }])),
            Nothing,
            over_the_pipe,
        ),
        row(
            &["servers as an argument"],
            "initialize mcpServers",
            Nothing,
            Just(servers),
            over_the_pipe,
        ),
        row(
            &["plugins as arguments"],
            "argument --plugin-dir",
            Just(json!(["/plugins/one"])),
            Nothing,
            over_the_pipe,
        ),
        row(
            &["plugins as arguments"],
            "argument --plugin-dir-no-mcp",
            Just(json!(["/plugins/two"])),
            Nothing,
            over_the_pipe,
        ),
        row(
            &["plugins as arguments"],
            "initialize plugins",
            Nothing,
            Just(plugins),
            over_the_pipe,
        ),
        row(
            &["settings as an argument"],
            "argument --settings",
            Just(json!([{ "model": "haiku" }])),
            Nothing,
            over_the_pipe,
        ),
        row(
            &["settings as an argument"],
            "argument --initialize-fields",
            Nothing,
            Just(json!(["settings"])),
            over_the_pipe,
        ),
        row(
            &["settings as an argument"],
            "initialize settings",
            Nothing,
            Just(json!({ "model": "haiku" })),
            over_the_pipe,
        ),
        row(
            &[
                "servers as an argument",
                "plugins as arguments",
                "settings as an argument",
            ],
            "argument --await-initialize",
            Nothing,
            Just(json!([null])),
            "it is what has the CLI look into the first request before it starts",
        ),
        row(
            &["no servers", "no plugins in initialize"],
            "argument --await-initialize",
            Nothing,
            Just(json!([null])),
            "they take none for not set; we say that there are none",
        ),
        row(
            &["no servers"],
            "initialize mcpServers",
            Nothing,
            Just(json!({})),
            "as above",
        ),
        row(
            &["no plugins in initialize"],
            "initialize plugins",
            Nothing,
            Just(json!([])),
            "as above",
        ),
        row(
            &["no turns"],
            "argument --max-turns",
            Nothing,
            Just(json!(["0"])),
            "they take 0 for not set; what is set we pass on",
        ),
        row(
            &["variables of JavaScript's"],
            "environment NODE_OPTIONS",
            Nothing,
            Just(json!("--inspect")),
            "what a program sets by name we do not take away",
        ),
        row(
            &["variables of JavaScript's"],
            "environment DEBUG",
            Nothing,
            Just(json!("app")),
            "as above",
        ),
        row(
            &["no hooks"],
            "initialize hooks",
            Just(json!({})),
            Nothing,
            "no hook at all is none set",
        ),
        row(
            &["server in the host", "servers inside and outside"],
            "initialize sdkMcpServerManifests",
            Just(json!({ "calc": { "initializeResult": {
                "capabilities": {},
                "protocolVersion": "2025-11-25",
                "serverInfo": { "name": "calc", "version": "1" },
            } } })),
            Just(json!({ "calc": {
                "initializeResult": {
                    "capabilities": { "tools": {} },
                    "protocolVersion": "2025-11-25",
                    "serverInfo": {
                        "name": "agentwire",
                        "version": env!("CARGO_PKG_VERSION"),
                    },
                },
                "toolsListResult": { "tools": [] },
            } })),
            "it is what the servers say of themselves: one that has no tools does not say with \
             them that it could have some",
        ),
        row(
            &["server in the host", "servers inside and outside"],
            "initialize sdkMcpServerManifestsOrigin",
            Nothing,
            Just(json!("host_per_send")),
            "how fresh the manifests are; it counts where the pipes are no pipes",
        ),
    ]
}

fn refusals() -> Vec<Explained> {
    let row = |sets, theirs: bool, ours: bool, because| Explained {
        what: "refused",
        theirs: Just(json!(theirs)),
        ours: Just(json!(ours)),
        sets,
        except: &[],
        because,
    };
    vec![
        row(
            &["a model as its own fallback"],
            true,
            false,
            "the CLI takes it, and it has no effect, which our command line says",
        ),
        row(
            &["a session id that is none", "no budget"],
            false,
            true,
            "the CLI would end at once",
        ),
        row(
            &["fork of nothing", "resume and continue"],
            false,
            true,
            "the CLI would do only one of two things that are asked for, and not say so",
        ),
        row(
            &["an allowed tool whose parenthesis is open", "a beta of two"],
            false,
            true,
            "in the list that the CLI gets it would be something else",
        ),
    ]
}
