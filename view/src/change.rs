//! Changes of a view, and the entries to which they apply.

use crate::entry::{
    Background, Body, Content, Delivery, Entry, EntryId, Failure, Location, LongText, Plan,
    PlanItem, Question, QuestionItem, Session, Status, SubAgent, SubAgentUsage, ToolCall, ToolKind,
    data,
};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

data! {
    /// A change with its number.
    pub struct Numbered {
        /// The number. The first change of a view has the number 1, and each later one is
        /// greater by 1.
        #[cfg_attr(test, ts(type = "number"))]
        pub number: u64,
        /// The change.
        #[serde(flatten)]
        pub change: Change,
    }

    /// A change of a view.
    ///
    /// The size of a change is the size of the new data. A page applies them to its copy of the
    /// entries: the copy is then equal to [`View::entries`](crate::View::entries).
    #[serde(tag = "change")]
    pub enum Change {
        /// A new entry.
        Insert {
            /// The entry.
            entry: Box<Entry>,
            /// The entry of the same parent that follows it. Absent if it is the last one.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional, type = "string"))]
            before: Option<EntryId>,
        },
        /// A text grew.
        Append {
            /// The ID of the entry.
            #[cfg_attr(test, ts(type = "string"))]
            id: EntryId,
            /// The text that grew: `text` of a text or a thought, `input` of a tool call.
            member: TextMember,
            /// The text to append.
            text: String,
        },
        /// A member of an entry has a new value.
        Set {
            /// The ID of the entry.
            #[cfg_attr(test, ts(type = "string"))]
            id: EntryId,
            /// The member with its value: an object with one member. `null` removes it.
            set: Member,
        },
        /// An entry was moved to the end of its parent, in front of pending entries.
        Move {
            /// The ID of the entry.
            #[cfg_attr(test, ts(type = "string"))]
            id: EntryId,
            /// The entry of the same parent that follows it. Absent if it is the last one.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional, type = "string"))]
            before: Option<EntryId>,
        },
        /// An entry was removed. If it is a sub-agent, its entries were removed, too.
        Remove {
            /// The ID of the entry.
            #[cfg_attr(test, ts(type = "string"))]
            id: EntryId,
        },
        /// All entries were removed: a new conversation starts.
        Clear,
        /// The session has changed.
        Session {
            /// The session.
            session: Box<Session>,
        },
    }

    /// A text to which a change appends.
    #[derive(Copy, Eq)]
    pub enum TextMember {
        /// The text of a text or a thought.
        Text,
        /// The input of a tool call.
        Input,
    }

    /// A member of an entry, with its new value. Its name is that of the member.
    pub enum Member {
        /// Of a text or a thought.
        Text(LongText),
        /// Of a text or a thought.
        Complete(bool),
        /// Of a prompt.
        Delivery(Delivery),
        /// Of a tool call, a sub-agent or a notice.
        Title(String),
        /// Of a tool call.
        Kind(ToolKind),
        /// Of a tool call, a plan, a question or a sub-agent.
        Status(Status),
        /// Of a tool call.
        Locations(Vec<Location>),
        /// Of a tool call.
        Input(Option<LongText>),
        /// Of a tool call.
        Content(Vec<Content>),
        /// Of a tool call, a plan, a question or a sub-agent.
        Failure(Option<Failure>),
        /// Of a tool call, a plan or a sub-agent.
        Approval(#[cfg_attr(test, ts(type = "string | null"))] Option<EntryId>),
        /// Of a tool call or a sub-agent.
        Background(Option<Background>),
        /// Of a plan.
        Items(Vec<PlanItem>),
        /// Of a plan.
        #[serde(rename = "text")]
        PlanText(Option<LongText>),
        /// Of a question.
        RequestId(Option<String>),
        /// Of a question.
        Questions(Vec<QuestionItem>),
        /// Of a sub-agent.
        Agent(Option<String>),
        /// Of a sub-agent.
        Prompt(LongText),
        /// Of a sub-agent.
        Result(Option<LongText>),
        /// Of a sub-agent.
        Usage(Option<SubAgentUsage>),
        /// Of a notice.
        Detail(Option<LongText>),
    }
}

/// The first position of pending entries, which follow all others.
const PENDING: u64 = 1 << 63;

/// The entries of a view: the result of its changes.
///
/// [`View`](crate::View) itself changes its entries by [`apply`](Self::apply) alone, so that
/// every copy that applies the same changes is equal.
#[derive(Debug, Clone, Default)]
pub struct Entries {
    nodes: HashMap<EntryId, Node>,
    main: List,
}

#[derive(Debug, Clone)]
struct Node {
    entry: Entry,
    position: u64,
    /// The entries of a sub-agent.
    children: List,
}

#[derive(Debug, Clone, Default)]
struct List {
    ids: BTreeMap<u64, EntryId>,
    next: u64,
    next_pending: u64,
}

impl List {
    fn push(&mut self, id: EntryId, pending: bool) -> u64 {
        let next = match pending {
            true => &mut self.next_pending,
            false => &mut self.next,
        };
        let position = *next + if pending { PENDING } else { 0 };
        *next += 1;
        self.ids.insert(position, id);
        position
    }

    fn first_pending(&self) -> Option<&EntryId> {
        self.ids.range(PENDING..).next().map(|(_, id)| id)
    }
}

impl Entries {
    /// Returns the entries of the main agent, or of the sub-agent with this entry, in order.
    pub fn of(&self, parent: Option<&str>) -> impl DoubleEndedIterator<Item = &Entry> {
        let list = self.list(parent).into_iter();
        list.flat_map(|list| list.ids.values())
            .filter_map(|id| Some(&self.nodes.get(id)?.entry))
    }

    /// Returns the entry with this ID.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Entry> {
        Some(&self.nodes.get(id)?.entry)
    }

    /// Returns the number of entries, with those of sub-agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the pending entry of the same parent that would follow an entry that is not
    /// pending.
    pub(crate) fn first_pending(&self, parent: Option<&str>) -> Option<&EntryId> {
        self.list(parent)?.first_pending()
    }

    /// Applies a change. A change of an entry that does not exist has no effect.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Insert { entry, .. } => self.insert(Entry::clone(entry)),
            Change::Append { id, member, text } => self.append(id, *member, text),
            Change::Set { id, set } => {
                if let Some(node) = self.nodes.get_mut(id) {
                    set.clone().put(&mut node.entry.body);
                }
            }
            Change::Move { id, .. } => self.move_to_end(id),
            Change::Remove { id } => self.remove(id),
            Change::Clear => *self = Self::default(),
            Change::Session { .. } => {}
        }
    }

    fn list(&self, parent: Option<&str>) -> Option<&List> {
        match parent {
            None => Some(&self.main),
            Some(parent) => Some(&self.nodes.get(parent)?.children),
        }
    }

    fn list_mut(&mut self, parent: Option<&EntryId>) -> Option<&mut List> {
        match parent {
            None => Some(&mut self.main),
            Some(parent) => Some(&mut self.nodes.get_mut(parent)?.children),
        }
    }

    fn insert(&mut self, entry: Entry) {
        if self.nodes.contains_key(&entry.id) {
            return;
        }
        let (id, pending) = (entry.id.clone(), entry.body.is_last());
        let Some(list) = self.list_mut(entry.parent.as_ref()) else {
            return;
        };
        let position = list.push(id.clone(), pending);
        let node = Node {
            entry,
            position,
            children: List::default(),
        };
        self.nodes.insert(id, node);
    }

    fn append(&mut self, id: &EntryId, member: TextMember, text: &str) {
        let Some(node) = self.nodes.get_mut(id) else {
            return;
        };
        match (&mut node.entry.body, member) {
            (Body::Text(it) | Body::Thought(it), TextMember::Text) => it.text.text.push_str(text),
            (Body::ToolCall(it), TextMember::Input) => {
                it.input.get_or_insert_default().text.push_str(text);
            }
            _ => {}
        }
    }

    /// Moves a pending entry to the end of the entries that are not pending.
    fn move_to_end(&mut self, id: &EntryId) {
        let Some(node) = self.nodes.get(id) else {
            return;
        };
        let (parent, position) = (node.entry.parent.clone(), node.position);
        let Some(list) = self.list_mut(parent.as_ref()) else {
            return;
        };
        list.ids.remove(&position);
        let position = list.push(id.clone(), false);
        if let Some(node) = self.nodes.get_mut(id) {
            node.position = position;
        }
    }

    fn remove(&mut self, id: &EntryId) {
        let Some(node) = self.nodes.remove(id) else {
            return;
        };
        if let Some(list) = self.list_mut(node.entry.parent.as_ref()) {
            list.ids.remove(&node.position);
        }
        let mut lists = vec![node.children];
        while let Some(list) = lists.pop() {
            for id in list.ids.into_values() {
                lists.extend(self.nodes.remove(&id).map(|node| node.children));
            }
        }
    }
}

impl Body {
    /// Returns whether the entry is pending, and so shown after all others.
    pub(crate) fn is_last(&self) -> bool {
        match self {
            Self::Approval(_) => true,
            Self::Prompt(prompt) => matches!(prompt.delivery, Delivery::Sent | Delivery::Queued),
            _ => false,
        }
    }
}

impl Member {
    /// Sets the member of the entry. A member that the entry does not have has no effect.
    fn put(self, body: &mut Body) {
        match (body, self) {
            (Body::Text(it) | Body::Thought(it), Self::Text(text)) => it.text = text,
            (Body::Text(it) | Body::Thought(it), Self::Complete(complete)) => {
                it.complete = complete;
            }
            (Body::Prompt(it), Self::Delivery(delivery)) => it.delivery = delivery,
            (Body::Notice(it), Self::Title(title)) => it.title = title,
            (Body::Notice(it), Self::Detail(detail)) => it.detail = detail,
            (Body::ToolCall(it), member) => member.put_in_call(it),
            (Body::Plan(it), member) => member.put_in_plan(it),
            (Body::Question(it), member) => member.put_in_question(it),
            (Body::SubAgent(it), member) => member.put_in_agent(it),
            _ => {}
        }
    }

    fn put_in_call(self, call: &mut ToolCall) {
        match self {
            Self::Title(title) => call.title = title,
            Self::Kind(kind) => call.kind = kind,
            Self::Status(status) => call.status = status,
            Self::Locations(locations) => call.locations = locations,
            Self::Input(input) => call.input = input,
            Self::Content(content) => call.content = content,
            Self::Failure(failure) => call.failure = failure,
            Self::Approval(approval) => call.approval = approval,
            Self::Background(background) => call.background = background,
            _ => {}
        }
    }

    fn put_in_plan(self, plan: &mut Plan) {
        match self {
            Self::PlanText(text) => plan.text = text,
            Self::Items(items) => plan.items = items,
            Self::Status(status) => plan.status = status,
            Self::Failure(failure) => plan.failure = failure,
            Self::Approval(approval) => plan.approval = approval,
            _ => {}
        }
    }

    fn put_in_question(self, question: &mut Question) {
        match self {
            Self::RequestId(id) => question.request_id = id,
            Self::Questions(questions) => question.questions = questions,
            Self::Status(status) => question.status = status,
            Self::Failure(failure) => question.failure = failure,
            _ => {}
        }
    }

    fn put_in_agent(self, agent: &mut SubAgent) {
        match self {
            Self::Title(title) => agent.title = title,
            Self::Agent(kind) => agent.agent = kind,
            Self::Prompt(prompt) => agent.prompt = prompt,
            Self::Status(status) => agent.status = status,
            Self::Result(result) => agent.result = result,
            Self::Failure(failure) => agent.failure = failure,
            Self::Approval(approval) => agent.approval = approval,
            Self::Background(background) => agent.background = background,
            Self::Usage(usage) => agent.usage = usage,
            _ => {}
        }
    }
}
