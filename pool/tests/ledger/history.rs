//! Histories of sessions with the fake agent, and what they were charged.

use super::{fake, next_result};
use agentwire::attachment::{Action, Attach, Attachment, AttachmentEvent, Boxed, Gate, Opening};
use agentwire::{Client, Error, Frame, Options};
use agentwire_pool::ledger::{Cost, Ledger, Recorder, Tokens};
use agentwire_protocol::host::Prompt;
use agentwire_testing::TempDir;
use agentwire_testkit::agent::Profile;
use agentwire_testkit::fake_agent::{self, Gates};
use agentwire_testkit::{Fault, Reply, Scenario, Signal, Step, ToolCall, Usage, When};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitStatus;
use std::task::{Context, Poll};

/// The usage of a model request, as the script declares it. The price does not follow from
/// the tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Charge {
    tokens: Tokens,
    millis: u32,
}

/// A turn of the script.
#[derive(Debug, Clone)]
pub(super) enum Turn {
    /// Model requests, each but the last with a tool call.
    Replies(Vec<Charge>),
    /// A tool call, and then an error of the model's server.
    Fails(Option<Charge>),
    /// A sub-agent that the model waits for, between two replies.
    Awaited(Vec<Charge>, [Charge; 2]),
    /// A sub-agent that continues after the turn, and the turn that its end begins.
    Background(Vec<Charge>, [Charge; 3]),
    /// A sub-agent that `/clear` stops, after a model request before the last result and one
    /// after it.
    Cleared([Charge; 4]),
    Clear,
    Command,
}

/// The start of a process. The numbers select an earlier session.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start {
    New,
    Resume(usize),
    Fork(usize),
}

#[derive(Debug, Clone)]
pub(super) enum End {
    Close,
    /// SIGKILL between two turns.
    Kill,
    /// SIGKILL in a turn: after these replies, and in the middle of another one.
    KillInTurn(Vec<Charge>, Charge),
}

#[derive(Debug, Clone)]
pub(super) struct Process {
    tenant: u8,
    model: u8,
    start: Start,
    turns: Vec<Turn>,
    end: End,
}

/// The version of the agent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Version {
    /// Each result has the increment.
    Latest,
    /// A resumed session continues with its sum, and results have no increment: 2.1.299.
    WithoutIncrements,
    /// Each process begins with 0: 2.1.197.
    Oldest,
}

fn charge() -> impl Strategy<Value = Charge> {
    let tokens = (0..2000_u64, 0..500_u64, 0..3_u64, 0..3_u64);
    (tokens, 0..500_u32).prop_map(|((input, output, read, creation), millis)| Charge {
        tokens: Tokens {
            input,
            output,
            cache_read: read * 100,
            cache_creation: creation * 10,
        },
        millis,
    })
}

fn charges(most: usize) -> impl Strategy<Value = Vec<Charge>> {
    prop::collection::vec(charge(), 1..=most)
}

fn turn() -> impl Strategy<Value = Turn> {
    let three = || [charge(), charge(), charge()];
    prop_oneof![
        4 => charges(3).prop_map(Turn::Replies),
        1 => prop::option::of(charge()).prop_map(Turn::Fails),
        2 => (charges(2), [charge(), charge()]).prop_map(|(sub, main)| Turn::Awaited(sub, main)),
        1 => (charges(2), three()).prop_map(|(sub, main)| Turn::Background(sub, main)),
        1 => [charge(), charge(), charge(), charge()].prop_map(Turn::Cleared),
        2 => Just(Turn::Clear),
        1 => Just(Turn::Command),
    ]
}

fn process() -> impl Strategy<Value = Process> {
    let start = prop_oneof![
        1 => Just(Start::New),
        4 => (0..9_usize).prop_map(Start::Resume),
        2 => (0..9_usize).prop_map(Start::Fork),
    ];
    let end = prop_oneof![
        3 => Just(End::Close),
        1 => Just(End::Kill),
        1 => (prop::collection::vec(charge(), 0..2), charge())
            .prop_map(|(replies, cut)| End::KillInTurn(replies, cut)),
    ];
    let turns = prop::collection::vec(turn(), 0..4);
    (0..2_u8, 0..2_u8, start, turns, end).prop_map(|(tenant, model, start, turns, end)| Process {
        tenant,
        model,
        start,
        turns,
        end,
    })
}

pub(super) fn history() -> impl Strategy<Value = Vec<Process>> {
    prop::collection::vec(process(), 1..7)
}

impl Charge {
    fn reply(self, steps: impl IntoIterator<Item = Step>) -> Reply {
        let usage = Usage {
            input_tokens: Some(self.tokens.input),
            output_tokens: Some(self.tokens.output),
            cache_read_input_tokens: Some(self.tokens.cache_read),
            cache_creation_input_tokens: Some(self.tokens.cache_creation),
        };
        let usd = f64::from(self.millis) / 1000.0;
        Reply::new(steps).usage(usage).cost_usd(usd)
    }

    fn says(self) -> Reply {
        self.reply([Step::text("Hello.")])
    }

    fn calls(self, name: &str, input: Value) -> Reply {
        self.reply([Step::Tool(ToolCall {
            ask: false,
            ..ToolCall::new(name, input, "done")
        })])
    }

    fn runs(self) -> Reply {
        self.calls("Bash", json!({"command": "true"}))
    }

    /// Starts a sub-agent.
    fn starts(self, prompt: &str, in_background: bool) -> Reply {
        let input = json!({
            "description": "part", "prompt": prompt, "subagent_type": "general-purpose",
            "run_in_background": in_background,
        });
        self.calls("Agent", input)
    }
}

/// The sums that the script charged, in thousandths of a dollar.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Charged {
    pub(super) tokens: Tokens,
    pub(super) millis: u32,
}

impl Charged {
    fn add(&mut self, charge: Charge) {
        self.tokens += charge.tokens;
        self.millis += charge.millis;
    }

    #[track_caller]
    pub(super) fn assert_is(&self, cost: &Cost, what: &str) {
        assert_eq!(cost.tokens, self.tokens, "{what}");
        let usd = f64::from(self.millis) / 1000.0;
        assert!(
            (cost.usd - usd).abs() < 1e-9,
            "{what}: {} is not {usd}",
            cost.usd
        );
    }
}

/// The costs that the script charged until the last result of each process, and after it.
#[derive(Debug, Default)]
pub(super) struct Oracle {
    pub(super) tenants: BTreeMap<String, Charged>,
    pub(super) sessions: BTreeMap<String, Charged>,
    /// By tenant and model.
    pub(super) models: BTreeMap<(String, String), Charged>,
    pub(super) results: u64,
    /// By tenant: replies that were complete, and all that the model was asked for.
    pub(super) after: BTreeMap<String, [Tokens; 2]>,
}

impl Oracle {
    fn charge<'a>(
        &mut self,
        process: &Process,
        session: &str,
        charges: impl IntoIterator<Item = &'a Charge>,
    ) {
        let (tenant, model) = (process.tenant(), process.model());
        for charge in charges {
            self.tenants.entry(tenant.clone()).or_default().add(*charge);
            self.sessions
                .entry(session.to_owned())
                .or_default()
                .add(*charge);
            let key = (tenant.clone(), model.clone());
            self.models.entry(key).or_default().add(*charge);
        }
    }
}

impl Process {
    fn tenant(&self) -> String {
        format!("tenant {}", self.tenant)
    }

    fn model(&self) -> String {
        format!("model-{}", self.model)
    }

    /// Returns the script of the process.
    fn scenario(&self, version: Version) -> Scenario {
        let mut scenario = Scenario::default();
        if version == Version::Oldest {
            scenario.profile = Some(Profile::V2_1_197);
        }
        for (number, turn) in self.turns.iter().enumerate() {
            let prompt = format!("part {number}");
            let when = When::prompt_is(prompt.clone());
            let mut subagent = |steps: Vec<Step>, charge: Charge| {
                scenario
                    .subagents
                    .push(charge.reply(steps).when(when.clone()));
            };
            let tool = || {
                Step::Tool(ToolCall {
                    ask: false,
                    ..ToolCall::new("Bash", json!({"command": "true"}), "done")
                })
            };
            let gate = |name: &str| Step::gate(format!("{name}-{number}"));
            let replies: Vec<Reply> = match turn {
                Turn::Replies(charges) => replies(charges),
                Turn::Fails(charge) => {
                    let error = Step::error(400, "invalid_request_error", "no");
                    let before = charge.iter().map(|it| it.runs());
                    before.chain([Reply::new([error])]).collect()
                }
                Turn::Awaited(charges, [call, end]) => {
                    let (last, first) = charges.split_last().unwrap();
                    first.iter().for_each(|it| subagent(vec![tool()], *it));
                    subagent(vec![Step::text("Part.")], *last);
                    vec![call.starts(&prompt, false), end.says()]
                }
                Turn::Background(charges, [call, end, report]) => {
                    let (last, first) = charges.split_last().unwrap();
                    first.iter().for_each(|it| subagent(vec![tool()], *it));
                    subagent(vec![gate("end"), Step::text("Part.")], *last);
                    vec![call.starts(&prompt, true), end.says(), report.says()]
                }
                Turn::Cleared([call, end, first, second]) => {
                    subagent(vec![tool(), gate("begin")], *first);
                    subagent(vec![Step::text("Part."), gate("end")], *second);
                    let waits = end.reply([gate("main"), Step::text("Hello.")]);
                    vec![call.starts(&prompt, true), waits]
                }
                Turn::Clear | Turn::Command => vec![],
            };
            scenario.replies.extend(replies);
        }
        if let End::KillInTurn(charges, cut) = &self.end {
            scenario.replies.extend(charges.iter().map(|it| it.runs()));
            let dies = Step::Fault(Fault::Signal(Signal::Kill));
            scenario.replies.push(cut.reply([Step::text("And"), dies]));
        }
        scenario
    }
}

fn replies(charges: &[Charge]) -> Vec<Reply> {
    let (last, first) = charges.split_last().unwrap();
    let calls = first.iter().map(|it| it.runs());
    calls.chain([last.says()]).collect()
}

/// The sessions of a history, and what they were charged.
pub(super) struct Run {
    ledger: Ledger,
    version: Version,
    home: TempDir,
    /// The sessions that can be resumed.
    sessions: Vec<String>,
    oracle: Oracle,
}

impl Run {
    /// Runs a history. Returns what the script charged.
    pub(super) async fn of(history: &[Process], version: Version, ledger: &Ledger) -> Oracle {
        let mut run = Self {
            ledger: ledger.clone(),
            version,
            home: agentwire_testing::tempdir().unwrap(),
            sessions: vec![],
            oracle: Oracle::default(),
        };
        for process in history {
            run.process(process).await;
        }
        run.oracle
    }

    fn options(&self, process: &Process, gates: &Gates) -> Options {
        let options = fake(&process.scenario(self.version), self.home.path())
            .env(fake_agent::GATES, gates.path())
            .model(process.model());
        let select = |at: usize| self.sessions.get(at % self.sessions.len().max(1));
        let options = match process.start {
            Start::New => options,
            Start::Resume(at) => select(at).into_iter().fold(options, Options::resume),
            Start::Fork(at) => {
                (select(at).into_iter()).fold(options, |it, id| it.resume(id).fork_session(true))
            }
        };
        let account = self.ledger.of(process.tenant());
        match self.version {
            Version::WithoutIncrements => options.attachment(Stripped(account)),
            _ => options.attachment(account),
        }
    }

    async fn process(&mut self, process: &Process) {
        let gates = Gates::new().unwrap();
        let mut client = Client::connect(self.options(process, &gates))
            .await
            .unwrap();
        if self.version != Version::Latest {
            assert!(self.ledger.follow(&client));
        }
        for (number, turn) in process.turns.iter().enumerate() {
            self.turn(process, &mut client, &gates, (number, turn))
                .await;
        }
        match &process.end {
            End::Close => {}
            End::Kill => {
                let pid = client
                    .pid()
                    .and_then(|it| rustix::process::Pid::from_raw(it as i32));
                rustix::process::kill_process(pid.unwrap(), rustix::process::Signal::KILL).unwrap();
                while let Some(Ok(_)) = client.next().await {}
            }
            End::KillInTurn(charges, cut) => {
                client.send("Go on.");
                while let Some(Ok(_)) = client.next().await {}
                let [complete, all] = self.oracle.after.entry(process.tenant()).or_default();
                for charge in charges {
                    *complete += charge.tokens;
                    *all += charge.tokens;
                }
                *all += cut.tokens;
            }
        }
        client.close().await;
    }

    /// Waits for a result, and adds what the script charged for it.
    async fn result(
        &mut self,
        process: &Process,
        client: &mut Client,
        charges: &[Charge],
    ) -> String {
        let session = next_result(client).await.session_id.unwrap();
        self.oracle.charge(process, &session, charges);
        self.oracle.results += 1;
        session
    }

    async fn turn(
        &mut self,
        process: &Process,
        client: &mut Client,
        gates: &Gates,
        (number, turn): (usize, &Turn),
    ) {
        let open = |name: &str| gates.open(&format!("{name}-{number}")).unwrap();
        let prompt = match turn {
            Turn::Clear => "/clear",
            Turn::Command => "/cost",
            _ => "Go on.",
        };
        client.send(prompt);
        if let Turn::Cleared(_) = turn {
            gates.reached(&format!("begin-{number}")).await.unwrap();
            open("main");
        }
        let charges = match turn {
            Turn::Replies(charges) => charges.clone(),
            Turn::Fails(charge) => charge.iter().copied().collect(),
            Turn::Awaited(part, main) => [&part[..], main].concat(),
            // The other charges belong to later results.
            Turn::Background(_, main) => main[..2].to_vec(),
            Turn::Cleared(charges) => charges[..3].to_vec(),
            Turn::Clear | Turn::Command => vec![],
        };
        let id = self.result(process, client, &charges).await;
        if !matches!(turn, Turn::Clear | Turn::Command) && !self.sessions.contains(&id) {
            self.sessions.push(id.clone());
        }
        match turn {
            Turn::Background(part, main) => {
                open("end");
                self.result(process, client, &[part, &main[2..]].concat())
                    .await;
            }
            Turn::Cleared([.., second]) => {
                open("begin");
                gates.reached(&format!("end-{number}")).await.unwrap();
                client.send("/clear");
                let next = self.result(process, client, &[]).await;
                assert_ne!(next, id);
                match self.version {
                    Version::Latest => self.oracle.charge(process, &id, [second]),
                    Version::Oldest => self.oracle.charge(process, &next, [second]),
                    // The sum begins again, and no result has the usage.
                    Version::WithoutIncrements => {
                        let after = self.oracle.after.entry(process.tenant()).or_default();
                        let output = 0;
                        after[0] += Tokens {
                            output,
                            ..second.tokens
                        };
                        after[1] += second.tokens;
                    }
                }
            }
            _ => {}
        }
    }
}

/// Removes the increments from results, as of 2.1.299.
pub(super) struct Stripped<T>(pub(super) T);

impl Attach for Stripped<Recorder> {
    fn configure(&self, options: Options) -> Options {
        self.0.configure(options)
    }

    fn attach<'a>(
        &'a self,
        opening: &'a mut Opening<'_>,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, Error>> {
        Box::pin(async {
            let inner = self.0.attach(opening).await?;
            Ok(inner.map(|it| Box::new(Stripped(it)) as Box<dyn Attachment>))
        })
    }
}

impl Attachment for Stripped<Box<dyn Attachment>> {
    fn before_message(&mut self, message: &Prompt) -> Gate {
        self.0.before_message(message)
    }

    fn intercept(&mut self, message: &Frame) -> bool {
        let mut line: Value = serde_json::from_slice(message.raw()).unwrap();
        line.as_object_mut()
            .unwrap()
            .remove("model_usage_since_last_result");
        let line = Frame::new(line.to_string().into()).unwrap();
        self.0.intercept(&line)
    }

    fn observe(&mut self, happened: &AttachmentEvent<'_>) {
        self.0.observe(happened);
    }

    fn exited(&mut self, exit: Option<ExitStatus>) -> Option<Boxed<'_, ()>> {
        self.0.exited(exit)
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Action> {
        self.0.poll(context)
    }
}
