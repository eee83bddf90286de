//! Records of the agent that are not messages.

use super::super::text::{Object, quoted, text};
use super::Transcript;

impl Transcript<'_> {
    pub(super) fn progress(&mut self) -> Object {
        self.node("progress")
            .raw("data", "{\"type\":\"hook_progress\"}")
    }

    pub(super) fn attachment(&mut self) -> Object {
        let kinds = [
            "queued_command",
            "queued_command",
            "fork_briefing",
            "todo_reminder",
            "deferred_tools_record",
        ];
        let kind = self.random.pick(&kinds);
        let mut attachment = Object::new(kind);
        if kind == "queued_command" {
            attachment = attachment.raw("prompt", self.content());
            match self.random.below(6) {
                0..3 => {
                    let source = self.random.uuid();
                    self.deliveries.push(source.clone());
                    attachment = attachment.text("source_uuid", &source);
                }
                3 if !self.deliveries.is_empty() => {
                    let at = self.random.below(self.deliveries.len());
                    attachment = attachment.text("source_uuid", &self.deliveries[at]);
                }
                4 if !self.uuids.is_empty() => {
                    attachment = attachment.text("source_uuid", &self.any_uuid());
                }
                _ => {}
            }
            if self.random.one_in(4) {
                let id = format!("d{}", self.random.below(4));
                attachment = attachment.text("delivery_id", &id);
            }
            if self.random.one_in(3) {
                attachment = attachment.raw("isMeta", self.random.pick(&["true", "false"]));
            }
            if self.random.one_in(3) {
                attachment = attachment.raw("origin", self.origin());
            }
            if self.random.one_in(2) {
                let modes = ["prompt", "bash", "task-notification"];
                attachment = attachment.text("commandMode", self.random.pick(&modes));
            }
            if self.random.one_in(5) {
                attachment =
                    attachment.raw("runId", self.random.pick(&["\"run-1\"", "\"a b\"", "5"]));
            }
            if self.random.one_in(12) {
                let intents = ["{\"lineage\":\"x\"}", "{\"lineage\":\"\"}", "{}"];
                attachment = attachment.raw("forwardedIntent", self.random.pick(&intents));
            }
        }
        if kind == "deferred_tools_record" && !self.uuids.is_empty() {
            let mut names: Vec<String> = (0..3).map(|_| quoted(&self.any_uuid())).collect();
            names.extend(["5".to_owned(), quoted("unknown")]);
            let names = match self.random.one_in(5) {
                true => "{}".to_owned(),
                false => format!("[{}]", names.join(",")),
            };
            attachment = attachment.raw("nameOnlyAnnouncements", names);
        }
        let attachment = match self.is_odd && self.random.one_in(15) {
            true => self
                .random
                .pick(&["null", "5", "\"queued_command\""])
                .to_owned(),
            false => attachment.compact(),
        };
        self.node("attachment").raw("attachment", attachment)
    }

    pub(super) fn queue_operation(&mut self) -> Object {
        let operations = ["enqueue", "dequeue", "remove", "remove", "remove"];
        let mut record = Object::new("queue-operation");
        record = record.text("operation", self.random.pick(&operations));
        if !self.random.one_in(4) {
            record = record.text("reason", "absorbed_mid_turn");
        }
        if self.random.one_in(2) {
            let id = format!("d{}", self.random.below(4));
            record = record.text("deliveryId", &id);
        }
        if !self.deliveries.is_empty() {
            let at = self.random.below(self.deliveries.len());
            record = record.text("commandUuid", &self.deliveries[at]);
        }
        record
    }

    pub(super) fn system(&mut self) -> Object {
        let subtypes = [
            "informational",
            "api_error",
            "voice_call_talk",
            "voice_call_talk",
            "model_refusal_fallback",
        ];
        let subtype = self.random.pick(&subtypes);
        let said = text(self.random);
        let mut record = self
            .node("system")
            .text("subtype", subtype)
            .text("level", "info");
        record = record.text("content", &said);
        if subtype == "voice_call_talk" {
            let origins = [
                "{\"kind\":\"voice-call\"}",
                "{\"kind\":\"voice-call\",\"x\":1}",
                "{}",
            ];
            record = record
                .raw("origin", self.random.pick(&origins))
                .raw("msgV", "1");
            if self.random.one_in(3) {
                record = record.raw("blocks", format!("[{}]", self.block()));
            }
            if self.random.one_in(2) {
                // `fold` holds the queued prompt that the voice call delivered.
                let fold_values = [
                    "{\"command\":{\"source_uuid\":\"s1\",\"isMeta\":false},\"extra\":1}",
                    "{\"command\":{\"delivery_id\":\"d1\"}}",
                    "{\"command\":{\"source_uuid\":\"SOURCE\"},\"more\":[1]}",
                    "{\"command\":5}",
                    "5",
                ];
                let mut fold = self.random.pick(&fold_values).to_owned();
                if !self.uuids.is_empty() {
                    fold = fold.replace("SOURCE", &self.any_uuid());
                }
                record = record.raw("fold", fold);
            }
        }
        record
    }

    pub(super) fn compaction(&mut self) -> Vec<Object> {
        let before = self.uuids.clone();
        if !self.random.one_in(5) {
            self.last = None;
        }
        let anchor = self.random.uuid();
        let mut metadata = Object::default()
            .text("trigger", "auto")
            .raw("preTokens", "1000");
        let kept = before.len().min(self.random.below(5));
        let kept = before[before.len() - kept..].to_vec();
        // A compaction may preserve messages of the previous one.
        let kept = match self.random.one_in(3) && !self.kept.is_empty() {
            true => self.kept.clone(),
            false => kept,
        };
        self.kept.clone_from(&kept);
        match self.random.below(4) {
            0 => {
                let uuids: Vec<String> = kept.iter().map(|it| quoted(it)).collect();
                let preserved = Object::default()
                    .text("anchorUuid", &anchor)
                    .raw("uuids", format!("[{}]", uuids.join(",")));
                metadata = metadata.raw("preservedMessages", preserved.compact());
            }
            1 if !kept.is_empty() => {
                let preserved = Object::default()
                    .text("headUuid", &kept[0])
                    .text("anchorUuid", &anchor)
                    .text("tailUuid", &kept[kept.len() - 1]);
                metadata = metadata.raw("preservedSegment", preserved.compact());
            }
            _ => {}
        }
        if self.random.one_in(4) {
            metadata = metadata
                .raw("runningTurnSends", "[{}]")
                .raw("postTokens", "10");
        }
        let is_rewinding = self.random.one_in(4);
        if is_rewinding {
            metadata = metadata.raw("durationMs", self.random.pick(&["0", "0.0", "5"]));
        }
        let mut boundary = self.node("system").text("subtype", "compact_boundary");
        if is_rewinding && self.random.one_in(2) {
            // The preserved messages follow the boundary.
            for (name, value) in &mut boundary.0 {
                if name == "uuid" {
                    *value = quoted(&anchor);
                }
            }
            self.uuids.push(anchor.clone());
            self.last = Some(anchor.clone());
        }
        boundary = boundary.text("content", "Conversation compacted");
        boundary = boundary.raw("compactMetadata", metadata.compact());
        if let Some(last) = before.last() {
            boundary = boundary.text("logicalParentUuid", last);
        }
        let between = match self.random.below(4) {
            0 => Some(self.attachment()),
            1 => Some(self.progress()),
            _ => None,
        };
        let message = Object::default().text("role", "user");
        let message = message.text(
            "content",
            "This session is being continued from a previous one",
        );
        let mut summary = self.node("user").raw("isCompactSummary", "true");
        if !self.random.one_in(4) {
            // The preserved messages follow the summary.
            for (name, value) in &mut summary.0 {
                if name == "uuid" {
                    *value = quoted(&anchor);
                }
            }
            self.uuids.push(anchor.clone());
            self.last = Some(anchor);
        }
        let summary = summary.raw("message", message.compact());
        [boundary]
            .into_iter()
            .chain(between)
            .chain([summary])
            .collect()
    }

    pub(super) fn local_command(&mut self) -> Vec<Object> {
        let texts = [
            "<local-command-caveat>Caveat</local-command-caveat>",
            "<command-name>/context</command-name>",
            "<local-command-stdout>out</local-command-stdout>",
            "<local-command-stderr>err</local-command-stderr>",
        ];
        let mut records = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            if self.random.one_in(6) {
                continue;
            }
            let message = Object::default().text("role", "user").text("content", text);
            let mut record = self.node("user").raw("message", message.compact());
            if at == 0 {
                record = record.raw("isMeta", "true");
            }
            records.push(record);
        }
        records
    }

    pub(super) fn host(&mut self) -> Vec<Object> {
        let by = match self.calls.last() {
            Some((call, _)) => call.clone(),
            None => "toolu_none".to_owned(),
        };
        let inner = format!("toolu_h{}", self.random.below(5));
        let block = Object::new("tool_use")
            .text("id", &inner)
            .text("name", "Glob")
            .raw("input", "{}");
        let answer = Object::new("tool_result")
            .text("tool_use_id", &inner)
            .text("content", "found");
        let mut records = Vec::new();
        for block in [block, answer] {
            let mut record = Object::new("host-row").text("ranByToolUseId", &by);
            record = record
                .text("rowUuid", &self.random.uuid())
                .raw("block", block.compact());
            if self.random.one_in(2) {
                record = record.text("timestamp", &self.time());
            }
            if self.random.one_in(10) {
                record = record.raw("withheld", "true");
            }
            records.push(record);
        }
        records
    }

    /// Adds a record that is only relevant in its own session.
    fn owned(&mut self, said: &str) -> Object {
        let record = match self.random.below(7) {
            0 | 1 => {
                let replaced = [
                    "[{\"toolUseId\":\"toolu_1\",\"text\":\"short\"},5,null]",
                    "[{\"n\":1.50}]",
                    "[[]]",
                    "{}",
                ];
                Object::new("content-replacement")
                    .raw("replacements", self.random.pick(&replaced))
                    .text("uuid", &self.random.uuid())
            }
            2 => Object::new("atis-latch").text("atis", self.random.pick(&["x-1", "", "a b", "ü"])),
            3 => Object::new("tools-used").raw(
                "tools",
                self.random.pick(&["[\"Read\",\"\",5]", "[]", "\"Read\""]),
            ),
            4 if self.random.one_in(3) => Object::new("history-suppression").text("cause", said),
            5 => Object::new("hybrid-organization").text(
                "organizationUuid",
                self.random.pick(&[
                    "AAAAAAAA-2222-4333-8444-555555555555",
                    "aaaaaaaa-2222-4333-8444-555555555555",
                    "none",
                ]),
            ),
            _ => Object::new("relocated").text("relocatedCwd", self.random.pick(&["", "/else"])),
        };
        match self.random.below(8) {
            0 => record.text("sessionId", "another"),
            1 => record,
            _ => record.text("sessionId", &self.session.clone()),
        }
    }

    /// Adds the files that tools have changed.
    pub(super) fn data_flow(&mut self) -> Object {
        if self.random.one_in(6) {
            let codes = ["[3,4]", "[300,0,1.5]", "[]", "5"];
            let record = Object::new("data-flow-incomplete").raw("v", "1");
            let record = record.raw("codes", self.random.pick(&codes));
            return self.of_any(record);
        }
        if self.random.one_in(5) {
            let sessions = [
                "[{\"type\":\"claude_code_session\",\"id\":\"a\",\"via\":\"resume\",\"started\":\"now\"}]",
                "[{\"type\":\"unknown\",\"id\":null,\"via\":\"clear\"},{\"type\":\"claude_code_session\",\"id\":\"b\",\"via\":\"fork\"}]",
                "[{\"type\":\"claude_code_session\",\"id\":\"b\",\"via\":\"fork\"},{\"type\":\"x\"}]",
                "[]",
                "{}",
            ];
            let v = self.random.pick(&["1", "1", "2"]);
            let record = Object::new("derived-from").raw("v", v);
            let record = record.raw("sessions", self.random.pick(&sessions));
            return self.of_any(record);
        }
        let items: Vec<String> = (0..self.random.below(5))
            .map(|_| self.flow_item())
            .collect();
        let v = match self.random.below(15) {
            0 => "2",
            _ => self.random.pick(&["1", "1.0"]),
        };
        let mut record = Object::new("data-flow-records").raw("v", v);
        record = record.raw(
            "records",
            match self.random.below(20) {
                0 => "{}".to_owned(),
                _ => format!("[{}]", items.join(",")),
            },
        );
        if self.random.one_in(5) {
            record = record.raw("snapshot", self.random.pick(&["true", "true", "1"]));
        }
        if self.random.one_in(15) {
            record = record.text("agentId", "a1");
        }
        self.of_any(record)
    }

    fn of_any(&mut self, record: Object) -> Object {
        match self.random.below(6) {
            0 => record.text("sessionId", "another"),
            1 if self.is_odd => record,
            _ => record.text("sessionId", &self.session.clone()),
        }
    }

    fn flow_item(&mut self) -> String {
        let response = |at: usize| format!("msg_0{at}");
        if self.random.one_in(3) {
            let mut item = Object::default().text("response_id", &response(self.random.below(6)));
            if self.random.one_in(2) {
                let listed = [self.random.below(6), self.random.below(6)];
                let listed = listed.map(|at| quoted(&response(at)));
                item = item.raw("listed", format!("[{},\"x\"]", listed.join(",")));
            }
            if self.random.one_in(3) {
                item = item.text("mark_sent_by", self.random.pick(&["x", ""]));
            }
            return item.compact();
        }
        let mut item = Object::default();
        let id = format!("toolu_{}", self.random.below(4));
        let name = self.random.pick(&["tool_use_id", "event_id"]);
        item = item.text(name, &id);
        let members: [(&str, &[&str]); 10] = [
            ("tool_name", &["\"Read\"", "\"\"", "5"]),
            (
                "inner_call_index",
                &["0", "1", "1.5", "-1", "3000000000", "\"1\""],
            ),
            ("no_message", &["true", "false"]),
            ("implicit", &["true"]),
            ("carried", &["true", "true", "1"]),
            ("mcp_tool_name", &["\"search\"", "\"a\\nb\""]),
            (
                "server",
                &[
                    "{\"type\":\"anthropic\",\"id\":\"x\",\"more\":1}",
                    "{\"type\":\"claude_ai_connector\",\"id\":\"mcpsrv_01ABCDEFGHJKLMNPQRSTUVWX\",\"directory_id\":null}",
                    "{\"type\":\"claude_ai_connector\",\"id\":\"mcpsrv_01zzzzzzzzzzzzzzzzzzzzzz\",\"directory_id\":\"d\"}",
                    "{\"type\":\"claude_ai_connector\",\"id\":\"x\"}",
                    "{\"type\":\"client_configured\",\"transport\":\"stdio\"}",
                    "{\"type\":\"client_configured\",\"transport\":\"http\",\"plugin_id_hash\":\"h\"}",
                    "{\"type\":\"client_configured\",\"transport\":\"tcp\"}",
                    "null",
                    "5",
                ],
            ),
            (
                "source",
                &[
                    "{\"type\":\"url\",\"id\":null}",
                    "{\"type\":\"url\",\"id\":\"i\",\"x\":1}",
                    "{\"type\":\"\",\"id\":null}",
                    "null",
                ],
            ),
            (
                "touched",
                &[
                    "{\"kind\":\"artifact\",\"id\":null,\"action\":\"read\"}",
                    "{\"kind\":\"memory\",\"id\":\"m\",\"action\":\"copy\",\"to\":\"n\"}",
                    "{\"kind\":\"memory\",\"id\":\"m\",\"action\":\"copy\",\"to\":5}",
                    "{\"kind\":\"x\",\"id\":\"m\",\"action\":\"copy\"}",
                ],
            ),
            ("more", &["{}"]),
        ];
        for (name, values) in members {
            if self.random.one_in(5) {
                item = item.raw(name, self.random.pick(values));
            }
        }
        match self.random.below(20) {
            0 => "5".to_owned(),
            1 => "{}".to_owned(),
            _ => item.compact(),
        }
    }

    /// Adds a record outside the tree.
    pub(super) fn record_outside_tree(&mut self) -> Object {
        let session = self.session.clone();
        let said = text(self.random);
        let record = |kind: &str, name: &str| Object::new(kind).text(name, &said);
        let record = match self.random.below(18) {
            10 | 11 => return self.owned(&said),
            0 | 1 => record("custom-title", "customTitle"),
            2 => record("ai-title", "aiTitle"),
            3 => record("tag", "tag"),
            4 => record("summary", "summary").text("leafUuid", "x"),
            5 => record("last-prompt", "lastPrompt"),
            6 => {
                let to = self.random.below(self.elsewhere.len());
                Object::new("relocated").text("relocatedCwd", &self.elsewhere[to])
            }
            7 => {
                let id = match self.random.one_in(4) || self.sessions.is_empty() {
                    true => self
                        .random
                        .pick(&["nobody", "11111111-2222-4333-8444-555555555555"])
                        .to_owned(),
                    false => self.sessions[self.random.below(self.sessions.len())].clone(),
                };
                Object::new("continued-in").text("continuedInSessionId", &id)
            }
            8 => Object::new("attribution-snapshot").raw("snapshot", "{}"),
            9 => Object::new("custom-title").raw("customTitle", "5"),
            _ => Object::new("file-history-snapshot")
                .raw("snapshot", "{\"timestamp\":\"2024-01-01T00:00:00Z\"}"),
        };
        record.text("sessionId", &session)
    }
}
