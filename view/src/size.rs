//! The approximate sizes of changes, which limit the history of a view.

use crate::change::{Change, Member};
use crate::entry::{Attachment, Body, Content, Diff, Entry, LongText, Search};

/// The overhead of a change or of a part of an entry.
const OVERHEAD: usize = 64;

impl Change {
    /// Returns the approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        let data = match self {
            Self::Append { text, .. } => text.len(),
            Self::Insert { entry, .. } => size_of::<Entry>() + entry.body.size(),
            Self::Set { set, .. } => set.size(),
            Self::Session { session } => size_of_val(session) + 4 * OVERHEAD,
            Self::Move { .. } | Self::Remove { .. } | Self::Clear => 0,
        };
        size_of::<Self>() + data
    }
}

impl Body {
    fn size(&self) -> usize {
        match self {
            Self::Prompt(it) => it.text.size() + all(&it.attachments, Attachment::size),
            Self::Text(it) | Self::Thought(it) => it.text.size(),
            Self::ToolCall(it) => {
                let input = it.input.as_ref().map_or(0, LongText::size);
                size_of_val(&**it) + input + all(&it.content, Content::size)
            }
            Self::Plan(it) => {
                let text = it.text.as_ref().map_or(0, LongText::size);
                size_of_val(&**it) + text + all(&it.items, |item| item.content.len())
            }
            Self::Question(it) => size_of_val(&**it) + it.questions.len() * 8 * OVERHEAD,
            Self::Approval(it) => {
                let always = all(&it.always, String::len);
                size_of_val(&**it) + always + all(&it.content, Content::size)
            }
            Self::SubAgent(it) => {
                let result = it.result.as_ref().map_or(0, LongText::size);
                size_of_val(&**it) + it.prompt.size() + result
            }
            Self::Notice(it) => it.title.len() + it.detail.as_ref().map_or(0, LongText::size),
            Self::TurnEnd(it) => size_of_val(&**it) + it.message.as_ref().map_or(0, String::len),
        }
    }
}

impl Member {
    fn size(&self) -> usize {
        match self {
            Self::Text(text) | Self::Prompt(text) => text.size(),
            Self::Input(text) | Self::PlanText(text) | Self::Result(text) | Self::Detail(text) => {
                text.as_ref().map_or(0, LongText::size)
            }
            Self::Content(content) => all(content, Content::size),
            Self::Items(items) => all(items, |item| item.content.len()),
            Self::Questions(questions) => questions.len() * 8 * OVERHEAD,
            Self::Failure(failure) => failure.as_ref().map_or(0, |it| it.message.len()),
            Self::Title(title) => title.len(),
            _ => OVERHEAD,
        }
    }
}

impl LongText {
    fn size(&self) -> usize {
        self.text.len()
    }
}

impl Attachment {
    fn size(&self) -> usize {
        OVERHEAD + self.data.as_ref().map_or(0, String::len)
    }
}

impl Content {
    fn size(&self) -> usize {
        match self {
            Self::Text(text) | Self::Json(text) => text.size(),
            Self::Lines(lines) => lines.text.size(),
            Self::Diff(diff) => diff.size(),
            Self::Command(it) => it.command.size() + it.output.as_ref().map_or(0, LongText::size),
            Self::Search(search) => search.size(),
            Self::Links(it) => all(&it.links, |link| link.url.len()),
            Self::Attachment(it) => it.size(),
            Self::Plan(it) => all(&it.items, |item| item.content.len()),
        }
    }
}

impl Diff {
    fn size(&self) -> usize {
        all(&self.hunks, |hunk| all(&hunk.lines, String::len))
    }
}

impl Search {
    fn size(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        all(&self.hits, |hit| hit.location.path.len() + text(&hit.text))
    }
}

fn all<T>(items: &[T], size: impl Fn(&T) -> usize) -> usize {
    items.iter().map(|item| OVERHEAD + size(item)).sum()
}
