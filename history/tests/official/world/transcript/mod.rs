//! Generates a transcript: records in a tree, other records, and invalid lines.

mod written;

use super::text::{Object, long_text, quoted};
use agentwire_testing::Random;

/// The state of a generated transcript.
pub(crate) struct Transcript<'r> {
    random: &'r mut Random,
    session: String,
    cwd: String,
    /// The directories and sessions of other records.
    elsewhere: Vec<String>,
    sessions: Vec<String>,
    /// Whether the records belong to a sub-agent.
    is_agent: bool,
    uuids: Vec<String>,
    /// The preserved messages of the last compaction.
    kept: Vec<String>,
    /// The last record of the conversation.
    last: Option<String>,
    /// The calls without a result: their IDs and records.
    calls: Vec<(String, String)>,
    deliveries: Vec<String>,
    minute: i64,
    /// Whether members sometimes have values of the wrong type.
    is_odd: bool,
    /// Whether calls may be run by the host.
    has_host: bool,
    /// Whether the files that tools have changed are recorded.
    has_flow: bool,
}

impl<'r> Transcript<'r> {
    pub(crate) fn new(
        random: &'r mut Random,
        session: &str,
        cwd: &str,
        elsewhere: &[String],
        sessions: &[String],
        is_agent: bool,
    ) -> Self {
        let (is_odd, has_host) = (random.one_in(3), random.one_in(4));
        let has_flow = random.one_in(3);
        Self {
            minute: i64::try_from(random.below(500_000)).unwrap(),
            random,
            session: session.to_owned(),
            cwd: cwd.to_owned(),
            elsewhere: elsewhere.to_vec(),
            sessions: sessions.to_vec(),
            is_agent,
            uuids: Vec::new(),
            kept: Vec::new(),
            last: None,
            calls: Vec::new(),
            deliveries: Vec::new(),
            is_odd,
            has_host,
            has_flow,
        }
    }

    /// Returns the bytes of a file with some records.
    pub(crate) fn bytes(&mut self, records: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..records {
            for record in self.records() {
                self.line(&record, &mut bytes);
            }
        }
        if self.random.one_in(6) {
            let cut = self.random.below(bytes.len().min(200));
            bytes.truncate(bytes.len() - cut);
        }
        bytes
    }

    fn line(&mut self, record: &Object, bytes: &mut Vec<u8>) {
        let line = match self.random.below(12) {
            0 => record.spaced(),
            _ => record.compact(),
        };
        match self.random.below(150) {
            0 => bytes.extend(&line.as_bytes()[..self.random.below(line.len())]),
            1 => bytes.extend(b"not json at all"),
            2 => bytes.extend(b"\xff\xfe\xc3("),
            3 => bytes.extend(b"  \x01\t"),
            4 => bytes.extend(b"[1,2]\nnull\n5\n\"text\"\n{}"),
            5 => bytes.extend(b"\n\n"),
            6 => {
                // The next record continues the incomplete line.
                bytes.extend(&line.as_bytes()[..self.random.below(line.len())]);
                bytes.extend(line.as_bytes());
                bytes.push(b'\n');
                return;
            }
            _ => {}
        }
        if self.random.one_in(200) {
            // Invalid UTF-8 in a text.
            let line = line.replace("crab", "cr\u{1}ab");
            bytes.extend(line.bytes().map(|it| if it == 1 { 0xfe } else { it }));
        } else {
            bytes.extend(line.as_bytes());
        }
        bytes.extend(match self.random.below(20) {
            0 => &b"\r\n"[..],
            _ => &b"\n"[..],
        });
    }

    fn records(&mut self) -> Vec<Object> {
        match self.random.below(40) {
            0..10 => vec![self.user()],
            10..19 => self.assistant(),
            19..24 => self.answers(),
            24..27 => vec![self.attachment()],
            27 => vec![self.progress()],
            28 | 29 => vec![self.system()],
            30 => self.compaction(),
            31 | 32 => vec![self.queue_operation()],
            33 if self.has_host => self.host(),
            34 => self.local_command(),
            35 | 36 if self.has_flow => vec![self.data_flow()],
            _ => vec![self.record_outside_tree()],
        }
    }

    /// Returns the members of all records.
    fn node(&mut self, kind: &str) -> Object {
        let uuid = match self.random.below(40) {
            0 if !self.uuids.is_empty() => self.any_uuid(),
            _ => self.random.uuid(),
        };
        let parent = match self.random.below(40) {
            0 => Some("null".to_owned()),
            1 => None,
            2 => Some(quoted(&self.random.uuid())),
            3 => Some(quoted(&uuid)),
            4..7 if !self.uuids.is_empty() => Some(quoted(&self.any_uuid())),
            7 if self.is_odd => Some(
                self.random
                    .pick(&["5", "\"\"", "true", "[]", "{}"])
                    .to_owned(),
            ),
            _ => Some(self.last.as_deref().map_or("null".to_owned(), quoted)),
        };
        let mut record = Object::default().maybe("parentUuid", parent);
        let is_side = if self.is_agent {
            !self.random.one_in(10)
        } else {
            self.random.one_in(25)
        };
        record = record.raw("isSidechain", if is_side { "true" } else { "false" });
        if self.has_flow && self.random.one_in(2) {
            record = record.raw("dataFlowOn", self.random.pick(&["true", "true", "false"]));
        }
        if self.random.one_in(40) {
            record = record.text("teamName", self.random.pick(&["", "crabs"]));
        }
        if is_side && !self.random.one_in(4) {
            record = record.text("agentId", "a1");
        }
        record = record.text("type", kind).text("uuid", &uuid);
        record = record.text("sessionId", &self.session.clone());
        self.minute += i64::try_from(self.random.below(3)).unwrap();
        if !self.random.one_in(25) {
            record = record.text("timestamp", &self.time());
        }
        if !self.random.one_in(5) {
            record = record.text("cwd", &self.cwd.clone());
        }
        if self.random.one_in(3) {
            record = record.text(
                "gitBranch",
                self.random.pick(&["main", "", "a\"b\\c", "ü/x"]),
            );
        }
        if self.random.one_in(8) {
            let entrypoint = self
                .random
                .pick(&["cli", "sdk-cli", "sdk-ts", "sdk-py", "vscode"]);
            record = record.text("entrypoint", entrypoint);
        }
        if self.random.one_in(30) {
            record = record.text(
                "sessionKind",
                self.random.pick(&["daemon", "daemon-worker", "bg"]),
            );
        }
        if self.random.one_in(8) && !self.uuids.is_empty() {
            let before = match self.random.below(4) {
                0 => "null".to_owned(),
                1 => quoted("unknown"),
                _ => quoted(&self.any_uuid()),
            };
            record = record.raw("logicalParentUuid", before);
        }
        if self.random.one_in(15) {
            let members = [
                "slug",
                "agentName",
                "sentAsUuid",
                "turnAttributionKey",
                "requestSessionId",
            ];
            let name = self.random.pick(&members);
            record = record.text(name, &uuid);
        }
        if self.random.one_in(15) {
            let origins = [
                "{\"sessionId\":\"11111111-2222-4333-8444-666666666666\",\"messageUuid\":\"x\"}",
                "{}",
                "5",
            ];
            record = record.raw("forkedFrom", self.random.pick(&origins));
        }
        if self.random.one_in(15) {
            record = record.raw("isMeta", self.random.pick(&["true", "false", "1", "null"]));
        }
        if !is_side || self.random.one_in(3) || self.is_agent {
            self.last = Some(uuid.clone());
        }
        self.uuids.push(uuid);
        record
    }

    fn time(&mut self) -> String {
        let (day, minute) = (self.minute / 1440 % 28 + 1, self.minute % 1440);
        let month = self.minute / 40_320 % 12 + 1;
        let ms = self.random.below(1000);
        format!(
            "2025-{month:02}-{day:02}T{:02}:{:02}:30.{ms:03}Z",
            minute / 60,
            minute % 60
        )
    }

    fn any_uuid(&mut self) -> String {
        self.uuids[self.random.below(self.uuids.len())].clone()
    }

    fn block(&mut self) -> String {
        match self.random.below(12) {
            0 => Object::new("image")
                .raw("source", "{\"type\":\"base64\"}")
                .compact(),
            1 => Object::new("document").raw("source", "{}").compact(),
            2 if self.is_odd => self
                .random
                .pick(&["null", "5", "\"x\"", "{}", "[]"])
                .to_owned(),
            3 if self.is_odd => Object::new("text").raw("text", "5").compact(),
            _ => Object::new("text")
                .text("text", &long_text(self.random))
                .compact(),
        }
    }

    fn content(&mut self) -> String {
        match self.random.below(8) {
            0 if self.is_odd => self.random.pick(&["5", "null", "{}", "[]"]).to_owned(),
            0..5 => quoted(&long_text(self.random)),
            _ => {
                let blocks: Vec<String> = (0..self.random.below(4)).map(|_| self.block()).collect();
                format!("[{}]", blocks.join(","))
            }
        }
    }

    fn user(&mut self) -> Object {
        let content = self.content();
        let mut record = self.node("user");
        if !(self.is_odd && self.random.one_in(20)) {
            let message = Object::default()
                .text("role", "user")
                .raw("content", content);
            record = record.raw("message", message.compact());
        }
        self.add_rare_members(record)
    }

    /// Adds members that only some messages have.
    fn add_rare_members(&mut self, mut record: Object) -> Object {
        let members: [(&str, &[&str]); 16] = [
            ("isCompactSummary", &["true", "false"]),
            ("isVisibleInTranscriptOnly", &["true", "1"]),
            ("isVirtual", &["true", "false"]),
            ("promptSource", &["\"sdk\"", "\"user\"", "5"]),
            (
                "turnOrigin",
                &["\"human\"", "\"sdk\"", "\"task_notification\""],
            ),
            ("interruptedByShutdown", &["true", "false"]),
            (
                "toolDenialKind",
                &["\"user-rejected\"", "\"cancelled\"", "\"other\""],
            ),
            (
                "toolDenialUnanswered",
                &["\"stream-closed\"", "\"other\"", "true"],
            ),
            ("toolUseResult", &["null", "{}", "\"x\""]),
            ("persist", &["true"]),
            ("textNotTyped", &["true", "false"]),
            ("queueSkipAttachments", &["true"]),
            ("isApiErrorMessage", &["true", "false", "1"]),
            ("closesQuietTurn", &["true"]),
            ("wakeupSource", &["\"x\""]),
            ("handedOff", &["false"]),
        ];
        for (name, values) in members {
            if self.random.one_in(25) {
                record = record.raw(name, self.random.pick(values));
            }
        }
        if self.random.one_in(6) {
            record = record.raw("origin", self.origin());
        }
        record
    }

    fn origin(&mut self) -> String {
        let origins = [
            "null",
            "{\"kind\":\"human\"}",
            "{\"kind\":\"channel\",\"server\":\"x\"}",
            "{\"kind\":\"peer\",\"from\":\"y\"}",
            "{\"kind\":\"voice-call\"}",
            "{\"kind\":\"task-notification\",\"subkind\":\"x\",\"runId\":\"r.1\",\"more\":1}",
            "{\"kind\":\"task-notification\",\"runId\":\"r 1\",\"taskKind\":\"mcp-task\"}",
            "{\"kind\":\"task-notification\",\"taskKind\":\"shell\",\"producer\":{\"a\":1}}",
            "{}",
            "\"text\"",
            "5",
            "false",
        ];
        let of = if self.is_odd {
            &origins[..]
        } else {
            &origins[..8]
        };
        of[self.random.below(of.len())].to_owned()
    }

    /// Adds a message of the model, with a record for each block.
    fn assistant(&mut self) -> Vec<Object> {
        let id = match self.random.below(12) {
            0 => None,
            1 => Some("msg_same".to_owned()),
            _ => Some(format!("msg_{}", self.random.below(100_000))),
        };
        let mut records = Vec::new();
        for _ in 0..=self.random.below(3) {
            let call = format!(
                "toolu_{}",
                self.random.below(if self.is_odd { 30 } else { 100_000 })
            );
            let is_call = self.random.one_in(2);
            let block = match is_call {
                true => {
                    let block = Object::new("tool_use")
                        .text("id", &call)
                        .text("name", "Read");
                    block.raw("input", "{\"file_path\":\"/x\"}").compact()
                }
                false => self.block(),
            };
            let mut message = Object::default().maybe("id", id.as_deref().map(quoted));
            message = message.text("role", "assistant").text("type", "message");
            message = message.raw("content", format!("[{block}]"));
            if self.random.one_in(2) {
                message = message.raw(
                    "stop_reason",
                    self.random.pick(&["null", "\"end_turn\"", "\"tool_use\""]),
                );
            }
            let mut record = self.node("assistant").raw("message", message.compact());
            if is_call {
                self.calls
                    .push((call.clone(), self.uuids.last().unwrap().clone()));
            }
            if self.has_host && self.random.one_in(3) {
                record = record.raw("hostHiddenToolUseIds", format!("[{}]", quoted(&call)));
                if self.random.one_in(2) {
                    let block = block.replace("\"/x\"", "\"/host\"");
                    record = record.raw("hostContent", format!("[{block}]"));
                }
            } else if self.has_host && self.random.one_in(4) && !self.calls.is_empty() {
                let by = self.calls[self.random.below(self.calls.len())].0.clone();
                record = record.text("ranByToolUseId", &by).raw("isVirtual", "true");
                if self.random.one_in(2) {
                    record = record.raw("hostContent", format!("[{block}]"));
                }
            }
            records.push(self.add_rare_members(record));
        }
        records
    }

    /// Adds results of some calls, each as a child of its call.
    fn answers(&mut self) -> Vec<Object> {
        let mut records = Vec::new();
        for _ in 0..=self.random.below(3) {
            if self.calls.is_empty() {
                break;
            }
            let at = self.random.below(self.calls.len());
            let (call, of) = match self.random.one_in(6) {
                true => self.calls[at].clone(),
                false => self.calls.remove(at),
            };
            let texts = ["done", "[Request interrupted by user for tool use]", "🦀"];
            let mut blocks = vec![
                Object::new("tool_result")
                    .text("tool_use_id", &call)
                    .text("content", self.random.pick(&texts))
                    .maybe("is_error", self.random.one_in(3).then(|| "true".to_owned()))
                    .compact(),
            ];
            if self.random.one_in(6) {
                blocks.push(self.block());
            }
            if self.random.one_in(8) {
                let block = Object::new("tool_result").text("tool_use_id", "toolu_other");
                blocks.push(block.text("content", "x").compact());
            }
            if !self.random.one_in(4) {
                self.last = Some(of.clone());
            }
            let message = Object::default().text("role", "user");
            let message = message.raw("content", format!("[{}]", blocks.join(",")));
            let mut record = self.node("user").raw("message", message.compact());
            if self.random.one_in(3) {
                record = record.text("sourceToolAssistantUUID", &of);
            }
            if self.has_host && self.random.one_in(3) {
                record = record.raw(
                    "hostContent",
                    format!("[{}]", blocks[0].replace("done", "sent")),
                );
                record = record.raw("isVirtual", self.random.pick(&["true", "false"]));
            }
            records.push(self.add_rare_members(record));
        }
        records
    }
}
