//! Tool calls and their results.

use crate::change::Member;
use crate::entry::{
    Attachment, Body, Choice, Content, EntryId, Failure, FailureReason, LongText, Plan, Question,
    QuestionItem, Status, ToolCall,
};
use crate::text::{cut, lines, title};
use crate::tool::{
    Fields, Outcome, ToolResult, announce, attachment, describe, items_of, todo_items,
};
use crate::view::View;
use agentwire_protocol::Json;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::message::UserMessage;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// The calls by the `tool_use_id` that the model or a gateway gave them. Some gateways use an ID
/// again for a later call.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    known: HashMap<Box<str>, LastCall>,
    /// The calls without a result, in order.
    open: BTreeMap<u64, Box<str>>,
    next: u64,
}

/// The last call with an ID.
#[derive(Debug, Clone)]
struct LastCall {
    entry: EntryId,
    /// The number of calls with the ID.
    count: u32,
    /// The ID of the message with the whole call.
    uuid: Box<str>,
    /// The number among the calls without a result, and the name of the tool.
    open: Option<(u64, Box<str>)>,
}

/// The maximum number of calls whose IDs are stored.
const KNOWN: usize = 16_384;

impl Calls {
    /// Begins or continues a call. Returns its entry, and whether it is new. Returns `None` if
    /// the message with this `uuid` arrived before.
    fn begin(&mut self, id: &str, tool: &str, uuid: Option<&str>) -> Option<(EntryId, bool)> {
        if self.known.len() >= KNOWN {
            self.known.retain(|_, known| known.open.is_some());
            // A model that never gets a result: forget the older half of its calls.
            while self.known.len() > KNOWN / 2
                && let Some((_, id)) = self.open.pop_first()
            {
                self.known.remove(&id);
            }
        }
        let number = self.next;
        let known = match self.known.entry(id.into()) {
            Entry::Occupied(known) => {
                let known = known.into_mut();
                if known.open.is_some() {
                    known.uuid = uuid.unwrap_or_default().into();
                    return Some((known.entry.clone(), false));
                }
                if uuid.is_some_and(|uuid| uuid.is_empty() || *known.uuid == *uuid) {
                    return None;
                }
                known.count += 1;
                known.entry = format!("{id}#{}", known.count).into();
                known
            }
            Entry::Vacant(place) => place.insert(LastCall {
                entry: id.into(),
                count: 1,
                uuid: Box::default(),
                open: None,
            }),
        };
        known.uuid = uuid.unwrap_or_default().into();
        known.open = Some((number, tool.into()));
        self.open.insert(number, id.into());
        self.next += 1;
        Some((known.entry.clone(), true))
    }

    /// Ends a call. Returns its entry and the name of its tool.
    fn end(&mut self, id: &str) -> Option<(EntryId, Box<str>)> {
        let known = self.known.get_mut(id)?;
        let (number, tool) = known.open.take()?;
        self.open.remove(&number);
        Some((known.entry.clone(), tool))
    }

    /// Returns the entry of the last call with this ID.
    pub(super) fn entry(&self, id: &str) -> EntryId {
        let known = self.known.get(id);
        known.map_or_else(|| id.into(), |known| known.entry.clone())
    }
}

/// The presentation of a tool's calls.
pub(super) enum Shown {
    Call,
    Plan,
    Question,
    SubAgent,
}

impl Shown {
    pub(super) fn of(tool: &str) -> Self {
        match tool {
            "Task" | "Agent" => Self::SubAgent,
            "TodoWrite" | "ExitPlanMode" => Self::Plan,
            "AskUserQuestion" => Self::Question,
            _ => Self::Call,
        }
    }
}

impl View {
    /// Handles the start of a call that the model is writing.
    pub(super) fn call_begins(
        &mut self,
        id: &str,
        parent: Option<&EntryId>,
        tool: &str,
    ) -> Option<EntryId> {
        let (id, is_new) = self.fold.calls.begin(id, tool, None)?;
        if is_new {
            let body = self.call_body(tool, &Json::of_text("{}"), Status::Pending);
            self.insert(id.clone(), parent.cloned(), body);
        }
        Some(id)
    }

    /// Returns the entry of a call.
    fn call_body(&self, tool: &str, input: &Json, status: Status) -> Body {
        match Shown::of(tool) {
            Shown::SubAgent => Body::SubAgent(Box::new(self.subagent(input, status))),
            Shown::Plan => Body::Plan(Box::new(Plan {
                text: self.plan_text(input),
                items: (Fields::of(input).json("todos"))
                    .map(|todos| todo_items(&todos))
                    .unwrap_or_default(),
                status,
                failure: None,
                approval: None,
            })),
            Shown::Question => Body::Question(Box::new(Question {
                request_id: None,
                server: None,
                questions: questions(input, None),
                form: None,
                url: None,
                status,
                failure: None,
            })),
            Shown::Call => {
                let cwd = self.session.cwd.as_deref();
                let described = describe(tool, input, cwd, self.limits.output);
                let is_whole = described.is_whole || is_empty(input);
                Body::ToolCall(Box::new(ToolCall {
                    tool: title(tool),
                    title: described.title,
                    kind: described.kind,
                    status,
                    locations: described.locations,
                    input: (!is_whole).then(|| self.long(input.get())),
                    content: described.content,
                    failure: None,
                    approval: None,
                    background: None,
                }))
            }
        }
    }

    fn long(&self, text: &str) -> LongText {
        cut(lines(text), self.limits.output)
    }

    fn plan_text(&self, input: &Json) -> Option<LongText> {
        let plan = Fields::of(input).text("plan")?;
        Some(self.long(&plan))
    }

    /// Handles a further piece of a call's input.
    pub(super) fn call_grows(&mut self, id: &EntryId, tool: &str, input: &Json) {
        if !matches!(Shown::of(tool), Shown::Call) {
            let body = self.call_body(tool, input, Status::Pending);
            return self.call_differs(id, body, false);
        }
        let new = announce(tool, input, self.session.cwd.as_deref());
        let Some(Body::ToolCall(old)) = self.get(id).map(|it| &it.body) else {
            return;
        };
        let differs = (old.title != new.title, old.locations != new.locations);
        if differs.0 {
            self.set(id, Member::Title(new.title));
        }
        if differs.1 {
            self.set(id, Member::Locations(new.locations));
        }
    }

    /// Handles a complete call.
    pub(super) fn call(
        &mut self,
        (id, tool, input): (&str, &str, &Json),
        parent: Option<&EntryId>,
        uuid: &str,
    ) {
        let Some((id, is_new)) = self.fold.calls.begin(id, tool, Some(uuid)) else {
            return;
        };
        let body = self.call_body(tool, input, Status::InProgress);
        // Messages of a sub-agent can arrive before the call that started it.
        match is_new && self.get(&id).is_none() {
            true => self.insert(id, parent.cloned(), body),
            false => self.call_differs(&id, body, true),
        }
    }

    /// Sets the members that differ from those of the entry.
    fn call_differs(&mut self, id: &EntryId, new: Body, is_whole: bool) {
        let Some(old) = self.get(id).map(|it| &it.body) else {
            return;
        };
        let mut set = Vec::new();
        match (old, new) {
            (Body::ToolCall(old), Body::ToolCall(new)) => {
                if old.title != new.title {
                    set.push(Member::Title(new.title));
                }
                if old.locations != new.locations {
                    set.push(Member::Locations(new.locations));
                }
                if is_whole && old.content != new.content {
                    set.push(Member::Content(new.content));
                }
                if is_whole && old.input != new.input {
                    set.push(Member::Input(new.input));
                }
                let waits = old.approval.is_some();
                if is_whole && !waits && old.status != new.status {
                    set.push(Member::Status(new.status));
                }
            }
            (Body::Plan(old), Body::Plan(new)) => {
                if old.text != new.text {
                    set.push(Member::PlanText(new.text));
                }
                if old.items != new.items {
                    set.push(Member::Items(new.items));
                }
                if is_whole && old.approval.is_none() && old.status != new.status {
                    set.push(Member::Status(new.status));
                }
            }
            (Body::Question(old), Body::Question(new)) => {
                if old.questions != new.questions {
                    set.push(Member::Questions(new.questions));
                }
                if is_whole && old.request_id.is_none() && old.status != new.status {
                    set.push(Member::Status(new.status));
                }
            }
            (Body::SubAgent(old), Body::SubAgent(new)) => {
                if old.title != new.title {
                    set.push(Member::Title(new.title));
                }
                if old.agent != new.agent {
                    set.push(Member::Agent(new.agent));
                }
                if old.prompt != new.prompt {
                    set.push(Member::Prompt(new.prompt));
                }
                if is_whole && old.approval.is_none() && old.status != new.status {
                    set.push(Member::Status(new.status));
                }
            }
            _ => {}
        }
        for member in set {
            self.set(id, member);
        }
    }

    /// Applies the results of a message.
    pub(super) fn results(&mut self, message: &UserMessage) {
        let metas = message.tool_result_meta.as_deref().unwrap_or_default();
        for block in message.tool_results() {
            let meta = metas.iter().find(|meta| meta.id == block.tool_use_id);
            let Some((id, tool)) = self.fold.calls.end(&block.tool_use_id) else {
                continue;
            };
            let before = match self.get(&id).map(|it| &it.body) {
                Some(Body::ToolCall(call)) => &call.content[..],
                Some(_) => &[],
                None => continue,
            };
            let result = ToolResult {
                tool: &tool,
                block,
                output: message.tool_use_result.as_ref(),
                meta,
                limits: &self.limits,
            };
            let mut outcome = result.outcome(before);
            outcome.content = outcome.content.filter(|new| *new != before);
            let text = match Shown::of(&tool) {
                Shown::SubAgent => result.text().into_owned(),
                _ => String::new(),
            };
            let output = message.tool_use_result.as_ref();
            self.settle_call(&id, &tool, outcome, output, &text);
        }
    }

    fn settle_call(
        &mut self,
        id: &EntryId,
        tool: &str,
        outcome: Outcome,
        output: Option<&Json>,
        text: &str,
    ) {
        match Shown::of(tool) {
            Shown::SubAgent => return self.subagent_result(id, outcome, output, text),
            Shown::Plan => {
                let text = output.and_then(|output| self.plan_text(output));
                if let Some(Body::Plan(plan)) = self.get(id).map(|it| &it.body) {
                    let edited = text.filter(|text| plan.text.as_ref() != Some(text));
                    let items = items_of(output).filter(|items| plan.items != *items);
                    if let Some(text) = edited {
                        self.set(id, Member::PlanText(Some(text)));
                    }
                    if let Some(items) = items {
                        self.set(id, Member::Items(items));
                    }
                }
            }
            Shown::Question => {
                if let Some(output) = output {
                    let questions = questions(output, Some(output));
                    if !questions.is_empty() {
                        self.set(id, Member::Questions(questions));
                    }
                }
            }
            Shown::Call => {
                if let Some(content) = outcome.content {
                    self.set(id, Member::Content(content));
                }
                if let Some(background) = outcome.background {
                    self.follow(&background.task_id, id);
                    self.set(id, Member::Background(Some(background)));
                }
            }
        }
        self.end_call(id, outcome.status, outcome.failure);
    }

    /// Sets the outcome of a call.
    pub(super) fn end_call(&mut self, id: &EntryId, status: Status, failure: Option<Failure>) {
        self.no_approval(id);
        if failure.is_some() {
            self.set(id, Member::Failure(failure));
        }
        self.set(id, Member::Status(status));
    }

    /// Ends the calls that have no result, because the turn or the session has ended. `background`
    /// tells whether the calls of background tasks end, too.
    pub(crate) fn end_calls(&mut self, background: bool, message: &str) {
        let open: Vec<Box<str>> = self.fold.calls.open.values().cloned().collect();
        for id in open {
            if !background && self.is_in_background(&self.fold.calls.entry(&id)) {
                continue;
            }
            let Some((id, _)) = self.fold.calls.end(&id) else {
                continue;
            };
            if self.is_unwritten(&id) {
                self.remove(&id);
            } else if self.get(&id).is_some() {
                let failure = Failure {
                    reason: FailureReason::NoResult,
                    message: message.to_owned(),
                };
                self.end_call(&id, Status::Failed, Some(failure));
            }
        }
    }

    /// Returns whether the input of the call is incomplete, so that the call never ran.
    fn is_unwritten(&self, id: &EntryId) -> bool {
        let (status, waits) = match self.get(id).map(|it| &it.body) {
            Some(Body::ToolCall(it)) => (it.status, it.approval.is_some()),
            Some(Body::Plan(it)) => (it.status, it.approval.is_some()),
            Some(Body::Question(it)) => (it.status, it.request_id.is_some()),
            Some(Body::SubAgent(it)) => (it.status, it.approval.is_some()),
            _ => return false,
        };
        status == Status::Pending && !waits
    }

    /// Returns whether an entry belongs to a sub-agent that runs in the background.
    fn is_in_background(&self, id: &EntryId) -> bool {
        let mut at = self.get(id);
        while let Some(entry) = at {
            let background = match &entry.body {
                Body::SubAgent(it) => &it.background,
                Body::ToolCall(it) => &it.background,
                _ => &None,
            };
            if background.as_ref().is_some_and(|it| it.is_running) {
                return true;
            }
            at = entry.parent.as_ref().and_then(|parent| self.get(parent));
        }
        false
    }

    /// Applies the result of a tool that the API ran.
    pub(super) fn server_result(&mut self, block: &ContentBlock) {
        let json = Json::from_value(block).unwrap_or_default();
        let fields = Fields::of(&json);
        let Some(id) = fields.text("tool_use_id") else {
            return;
        };
        let content = fields.json("content").unwrap_or_default();
        let error = Fields::of(&content).text("error_code");
        let is_error = error.is_some() || fields.is("is_error");
        let Some((id, _)) = self.fold.calls.end(&id) else {
            return;
        };
        if is_error {
            let message = title(&error.unwrap_or_default());
            let failure = Failure {
                reason: FailureReason::Error,
                message,
            };
            return self.end_call(&id, Status::Failed, Some(failure));
        }
        let links = crate::tool::links(&content);
        let shown = match links {
            Some(links) => links,
            None => Content::Json(self.long(content.get())),
        };
        self.set(&id, Member::Content(vec![shown]));
        self.end_call(&id, Status::Completed, None);
    }

    /// Returns the text and the attachments of a message.
    pub(super) fn prompt_parts(&self, message: &UserMessage) -> (LongText, Vec<Attachment>) {
        let (mut texts, mut attachments) = (Vec::new(), Vec::new());
        for block in message.blocks().iter() {
            match block {
                ContentBlock::Text(text) => texts.push(text.text.clone()),
                block => attachments.extend(attachment(block, &self.limits)),
            }
        }
        (self.long(&texts.join("\n")), attachments)
    }
}

fn is_empty(input: &Json) -> bool {
    input.get().trim_start_matches('{').trim_start() == "}"
}

/// Returns the questions of an input, with the answers of an output.
fn questions(input: &Json, output: Option<&Json>) -> Vec<QuestionItem> {
    let questions: Vec<Json> = Fields::of(input).get("questions").unwrap_or_default();
    let answers = output.and_then(|output| Fields::of(output).json("answers"));
    let answers = answers.as_ref().map(Fields::of);
    let item = |question: &Json| {
        let fields = Fields::of(question);
        let text = fields.text("question")?;
        let options: Vec<Json> = fields.get("options").unwrap_or_default();
        let choice = |option: &Json| {
            let fields = Fields::of(option);
            Some(Choice {
                label: title(&fields.text("label")?),
                description: fields.text("description").map(|it| lines(&it).into_owned()),
            })
        };
        let answer = answers.as_ref().and_then(|it| it.text(&text));
        Some(QuestionItem {
            header: fields.text("header").map(|it| title(&it)),
            question: lines(&text).into_owned(),
            choices: options.iter().filter_map(choice).collect(),
            multiple: fields.is("multiSelect"),
            answer: answer.map(|it| lines(&it).into_owned()),
        })
    };
    questions.iter().filter_map(item).collect()
}
