//! Summarizes a transcript for a list of sessions. Only its first and its last
//! bytes are read, in which lines may be truncated.

mod archived;
mod continued;
mod date;
mod fields;
mod fold;
mod prompt;
mod script;

pub use archived::Archived;
pub use fold::fold_summary;
pub(in crate::transcript) use script::{tag, trimmed};

use fields::{
    filled, first_of_lines, first_string, has, last_of_lines, last_of_records,
    last_of_whole_records, last_string, lines, object, string_of,
};

/// The first and the last [`Ends::SIZE`] bytes of a transcript.
#[derive(Debug, Clone, Copy)]
pub struct Ends<'t> {
    head: &'t [u8],
    tail: &'t [u8],
}

/// The summary of a session for a list. An empty string counts as unset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The text for display: the title, or else the last prompt, a recorded
    /// summary, or the first prompt.
    pub summary: String,
    /// The title that the user set, or else the title that a model generated.
    pub custom_title: Option<String>,
    /// The first prompt, as one line of up to 200 UTF-16 units.
    pub first_prompt: Option<String>,
    /// The git branch at the end of the session.
    pub git_branch: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The tag that the user set.
    pub tag: Option<String>,
    /// The start of the session, in milliseconds since 1970.
    pub created_at: Option<i64>,
    /// Whether the session is archived. `None` if it never was.
    pub archived: Option<bool>,
}

impl<'t> Ends<'t> {
    /// The number of bytes that are read at each end of a transcript.
    pub const SIZE: usize = 64 << 10;

    /// Creates the ends of a transcript from its first and its last bytes. For
    /// a small transcript, both are the whole text.
    #[must_use]
    pub fn new(head: &'t [u8], tail: &'t [u8]) -> Self {
        Self { head, tail }
    }

    /// Returns whether the session was started by a program or in the background, not in
    /// a terminal or an editor.
    #[must_use]
    pub fn is_programmatic(&self) -> bool {
        let entrypoint = first_string(self.head, "entrypoint");
        let entrypoint = entrypoint.or_else(|| last_string(self.tail, "entrypoint"));
        if matches!(entrypoint.as_deref(), Some("sdk-cli" | "sdk-ts" | "sdk-py")) {
            return true;
        }
        let first = lines(self.head).find(|line| has(line, &["\"parentUuid\":"]));
        let kind = first_string(first.unwrap_or(self.head), "sessionKind");
        matches!(kind.as_deref(), Some("daemon" | "daemon-worker"))
    }

    /// Returns the ID under which the session was continued. Returns `None` if
    /// a later message follows.
    #[must_use]
    pub fn continued_in(&self) -> Option<String> {
        continued::id(self.tail)
    }

    /// Returns whether the ends contain a record of a conversation.
    #[must_use]
    pub fn has_conversation(&self) -> bool {
        has(self.head, &["\"parentUuid\":"]) || has(self.tail, &["\"parentUuid\":"])
    }

    /// Returns the working directory from the session's records. This is the
    /// last directory to which the session was moved, or else the first one.
    #[must_use]
    pub fn directory(&self) -> Option<String> {
        self.relocated()
            .or_else(|| first_of_lines(self.head, "cwd"))
    }

    /// Returns whether the tail contains a title that the user set. The
    /// session's title file is then ignored.
    #[must_use]
    pub fn has_title(&self) -> bool {
        self.title_in(self.tail).is_some()
    }

    /// Reads the title in the file `custom-title.json` of a session.
    #[must_use]
    pub fn title_of_file(text: &[u8]) -> Option<String> {
        let members = object(text)?;
        script::title(&string_of(&members, "customTitle")?)
    }

    /// Returns the summary of the session. Returns `None` if the transcript is
    /// a sub-agent's, or if there is nothing to show. `project` is the default
    /// working directory, `title` is the title in the session's title file, and
    /// `archived` is the content of its archive file.
    #[must_use]
    pub fn summary(
        &self,
        project: Option<&str>,
        title: Option<String>,
        archived: Option<Archived>,
    ) -> Option<Summary> {
        let (head, tail) = (self.head, self.tail);
        let first_line = lines(head).next().unwrap_or_default();
        if has(
            first_line,
            &["\"isSidechain\":true", "\"isSidechain\": true"],
        ) {
            return None;
        }
        let custom_title = filled(self.title_in(tail))
            .or(filled(title))
            .or_else(|| filled(self.in_head(|text| self.title_in(text))))
            .or_else(|| filled(last_of_records(tail, "aiTitle", "ai-title")))
            .or_else(|| filled(self.in_head(|head| last_of_records(head, "aiTitle", "ai-title"))));
        let first_prompt = prompt::first(head);
        let summary = custom_title
            .clone()
            .or_else(|| filled(last_of_lines(tail, "lastPrompt")))
            .or_else(|| filled(last_of_lines(tail, "summary")))
            .or_else(|| first_prompt.clone())
            .or_else(|| prompt::attached(head).map(str::to_owned))?;
        let created = first_string(head, "timestamp").filter(|it| !it.is_empty());
        Some(Summary {
            summary,
            custom_title,
            first_prompt,
            git_branch: filled(last_string(tail, "gitBranch"))
                .or_else(|| filled(first_string(head, "gitBranch"))),
            cwd: filled(self.relocated())
                .or_else(|| filled(first_string(head, "cwd")))
                .or_else(|| project.map(str::to_owned)),
            tag: filled(last_of_records(tail, "tag", "tag")),
            created_at: created.and_then(|it| date::milliseconds(&it)),
            archived: archived.map(|it| it.holds(head, tail)),
        })
    }

    /// Returns the title for a copy of the session. This is the title of the
    /// session, or else its first prompt. `title` is the title in the session's
    /// title file.
    pub(in crate::transcript) fn title_to_copy(&self, title: Option<String>) -> Option<String> {
        let (head, tail) = (self.head, self.tail);
        // An empty title counts as a title.
        let custom = self.title_in(tail).or(title);
        filled(custom.or_else(|| self.in_head(|head| self.title_in(head))))
            .or_else(|| filled(last_of_records(tail, "aiTitle", "ai-title")))
            .or_else(|| filled(self.in_head(|head| last_of_records(head, "aiTitle", "ai-title"))))
            .or_else(|| prompt::first(head))
    }

    fn title_in(&self, text: &[u8]) -> Option<String> {
        last_of_records(text, "customTitle", "custom-title")
    }

    fn relocated(&self) -> Option<String> {
        last_of_whole_records(self.tail, "relocatedCwd", "relocated")
    }

    /// Searches the head, unless it is the same as the tail.
    fn in_head<T>(&self, find: impl FnOnce(&'t [u8]) -> Option<T>) -> Option<T> {
        let is_same = std::ptr::eq(self.head, self.tail);
        if is_same { None } else { find(self.head) }
    }
}
