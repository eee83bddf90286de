//! Contents and failures of tool calls, from their results.

use super::input::{item_status, todo_items};
use super::{Fields, cut_diff, replacement};
use crate::Limits;
use crate::entry::{
    Attachment, Background, Command, Content, Diff, Failure, FailureReason, Hit, Hunk, Lines, Link,
    Links, Location, LongText, PlanItem, PlanItems, Search, Status,
};
use crate::text::{cut, lines, output, title};
use agentwire_protocol::Json;
use agentwire_protocol::content::{ContentBlock, Source, ToolResultBlock};
use agentwire_protocol::message::ToolResultMeta;
use std::borrow::Cow;

/// The outcome of a tool call.
pub(crate) struct Outcome {
    pub(crate) status: Status,
    /// The new content. `None` if the previous content remains.
    pub(crate) content: Option<Vec<Content>>,
    pub(crate) failure: Option<Failure>,
    pub(crate) background: Option<Background>,
}

/// The result of a tool call, as the agent sends and stores it.
pub(crate) struct ToolResult<'a> {
    pub(crate) tool: &'a str,
    /// The result for the model.
    pub(crate) block: &'a ToolResultBlock,
    /// The result for the host, in the tool's own format.
    pub(crate) output: Option<&'a Json>,
    pub(crate) meta: Option<&'a ToolResultMeta>,
    pub(crate) limits: &'a Limits,
}

impl ToolResult<'_> {
    /// Returns the outcome of the call. `before` is the content that the view shows so far.
    pub(crate) fn outcome(&self, before: &[Content]) -> Outcome {
        let failure = self.failure(before);
        let content = match &failure {
            Some(failure) => self.failed(failure, before),
            None => self.content(before),
        };
        let status = match failure {
            Some(_) => Status::Failed,
            None => Status::Completed,
        };
        Outcome {
            status,
            content,
            failure,
            background: self.background(),
        }
    }

    /// Returns the text for the model.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        use agentwire_protocol::content::Content as Result;
        match &self.block.content {
            Some(Result::Text(text)) => Cow::Borrowed(text),
            Some(content) => {
                let texts: Vec<&str> = content.texts().collect();
                texts.join("\n").into()
            }
            None => Cow::Borrowed(""),
        }
    }

    fn blocks(&self) -> Cow<'_, [ContentBlock]> {
        let content = self.block.content.as_ref();
        content.map_or(Cow::Borrowed(&[]), |content| content.blocks())
    }

    fn output(&self) -> Option<Fields<'_>> {
        let is_object = |output: &&Json| output.get().starts_with('{');
        self.output.filter(is_object).map(Fields::of)
    }

    fn failure(&self, before: &[Content]) -> Option<Failure> {
        let kind = self.meta.and_then(|it| it.non_execution_kind.as_deref());
        let is_error = self.block.is_error == Some(true);
        if !is_error && kind.is_none() {
            return None;
        }
        let text = self.text();
        let decision = self.meta.and_then(|it| it.permission_decision.as_ref());
        let by = decision.and_then(|it| it.source.as_deref());
        let is_rejected = decision.is_some_and(|it| it.decision.as_deref() == Some("reject"));
        let reason = match kind {
            Some("interrupted" | "cancelled") => FailureReason::Interrupted,
            Some(kind) if kind.starts_with("automode") => FailureReason::DeniedByClassifier,
            _ if is_rejected && by == Some("hook") => FailureReason::DeniedByHook,
            // The agent sends the kind `permission-rule` for most denials.
            _ if is_rejected && by.is_some_and(|by| by.starts_with("user")) => {
                FailureReason::DeniedByUser
            }
            Some("user-rejected") => FailureReason::DeniedByUser,
            Some("permission-rule") => FailureReason::DeniedByRule,
            _ if is_rejected => FailureReason::DeniedByRule,
            _ if text.contains("ommand timed out after") => FailureReason::TimedOut,
            _ => FailureReason::Error,
        };
        let mut message = error_text(&text);
        if matches!(before.first(), Some(Content::Command(_))) && exit_code(message).0.is_some() {
            // The content has the output.
            message = message.lines().next().unwrap_or_default();
        }
        Some(Failure {
            reason,
            message: cut(output(message), self.limits.output).text,
        })
    }

    /// Returns the content of a call that failed.
    fn failed(&self, failure: &Failure, before: &[Content]) -> Option<Vec<Content>> {
        let Some(Content::Command(command)) = before.first() else {
            return None;
        };
        if !matches!(
            failure.reason,
            FailureReason::Error | FailureReason::TimedOut
        ) {
            return None;
        }
        let text = self.text();
        let (code, rest) = exit_code(error_text(&text));
        Some(vec![Content::Command(Command {
            command: command.command.clone(),
            output: self.printed(rest),
            exit_code: code,
            output_file: None,
        })])
    }

    fn cut(&self, text: Cow<'_, str>) -> LongText {
        cut(text, self.limits.output)
    }

    fn printed(&self, text: &str) -> Option<LongText> {
        Some(self.cut(output(text))).filter(|text| !text.is_empty())
    }

    fn content(&self, before: &[Content]) -> Option<Vec<Content>> {
        match self.tool {
            "Bash" | "PowerShell" => self.command(before),
            "Read" => self.read(before),
            "Edit" | "MultiEdit" | "Write" => self.diff().or_else(|| applied(before)),
            "NotebookEdit" => self.notebook().or_else(|| applied(before)),
            "Glob" => self.files(before),
            "Grep" => self.grep(before),
            "WebSearch" => self.web_search(before),
            "WebFetch" => {
                let result = self.output().and_then(|it| it.text("result"));
                let mut content = before.to_vec();
                let text = result.map_or_else(|| self.text(), Cow::Owned);
                content.push(Content::Text(self.cut(lines(&text))));
                Some(content)
            }
            // The result is a text for the model alone.
            "TodoWrite" | "EnterPlanMode" => None,
            "TaskCreate" | "TaskGet" | "TaskList" => self.tasks(before),
            "ReadMcpResource" | "ReadMcpResourceTool" => self.resource(before),
            _ => self.other(before),
        }
    }

    fn command(&self, before: &[Content]) -> Option<Vec<Content>> {
        let Some(Content::Command(call)) = before.first() else {
            return self.other(before);
        };
        let fields = self.output();
        let file = |fields: &Fields<'_>| {
            let file = fields.text("persistedOutputPath");
            file.or_else(|| fields.text("rawOutputPath"))
        };
        let output_file = fields.as_ref().and_then(file);
        let is_image = fields.as_ref().is_some_and(|it| it.is("isImage"));
        let printed = fields.as_ref().filter(|_| !is_image).map(|fields| {
            let mut text = fields.text("stdout").unwrap_or_default();
            let stderr = fields.text("stderr").unwrap_or_default();
            if !text.is_empty() && !stderr.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text + &stderr
        });
        let text = match printed {
            Some(printed) => Cow::Owned(printed),
            None if is_image => Cow::Borrowed(""),
            None => self.text(),
        };
        let background = fields.as_ref().and_then(|it| it.text("backgroundTaskId"));
        let told = fields.as_ref();
        let told = told.and_then(|it| it.text("returnCodeInterpretation"));
        let is_over = background.is_none()
            && told.is_none()
            && fields.is_some_and(|fields| !fields.is("interrupted"));
        let mut content = vec![Content::Command(Command {
            command: call.command.clone(),
            output: self.printed(&text),
            // The agent reports other codes as errors.
            exit_code: is_over.then_some(0),
            output_file,
        })];
        content.extend(self.media());
        Some(content)
    }

    fn read(&self, before: &[Content]) -> Option<Vec<Content>> {
        let Some(file) = self.output().and_then(|it| it.object("file")) else {
            return self.other(before);
        };
        let path = file.text("filePath").map(|path| lines(&path).into_owned());
        if let Some(text) = file.text("content") {
            return Some(vec![Content::Lines(Lines {
                path,
                first_line: file.get("startLine"),
                total_lines: file.get("totalLines"),
                text: self.cut(output(&text)),
            })]);
        }
        let media_type = file.text("type");
        if let Some(data) = file.text("base64") {
            return Some(vec![Content::Attachment(Attachment {
                media_type: media_type.map(|it| title(&it)),
                name: path,
                url: None,
                size: file.get("originalSize").or(Some(decoded_len(&data))),
                data: Some(data).filter(|data| data.len() <= self.limits.image),
            })]);
        }
        self.other(before)
    }

    fn diff(&self) -> Option<Vec<Content>> {
        let fields = self.output()?;
        let path = fields.text("filePath")?;
        let is_new = fields.text("type").as_deref() == Some("create");
        let patch: Vec<Json> = fields.get("structuredPatch").unwrap_or_default();
        let mut hunks: Vec<Hunk> = patch.iter().filter_map(hunk).collect();
        if hunks.is_empty() && is_new {
            let text = fields.text("content").unwrap_or_default();
            let mut hunk = replacement("", &lines(&text));
            (hunk.old_start, hunk.new_start) = (Some(0), Some(1));
            hunks.push(hunk);
        }
        if hunks.is_empty() {
            return None;
        }
        let mut diff = Diff {
            path: lines(&path).into_owned(),
            is_new,
            applied: !fields.is("staged"),
            hunks,
            omitted_lines: None,
        };
        cut_diff(&mut diff, self.limits.output);
        Some(vec![Content::Diff(diff)])
    }

    fn notebook(&self) -> Option<Vec<Content>> {
        let fields = self.output()?;
        let path = fields.text("notebook_path")?;
        let old = fields.text("old_source").unwrap_or_default();
        let new = fields.text("new_source").unwrap_or_default();
        let deleted = fields.text("edit_mode").as_deref() == Some("delete");
        let new = if deleted { String::new() } else { new };
        let mut diff = Diff {
            path: lines(&path).into_owned(),
            is_new: false,
            applied: true,
            hunks: vec![replacement(&lines(&old), &lines(&new))],
            omitted_lines: None,
        };
        cut_diff(&mut diff, self.limits.output);
        Some(vec![Content::Diff(diff)])
    }

    fn files(&self, before: &[Content]) -> Option<Vec<Content>> {
        let Some(fields) = self.output() else {
            return self.other(before);
        };
        let files: Vec<String> = fields.get("filenames").unwrap_or_default();
        let all: Option<u64> = fields
            .get("totalMatches")
            .or_else(|| fields.get("totalFiles"));
        let hits = files.iter().map(|path| Hit {
            location: Location {
                path: lines(path).into_owned(),
                line: None,
            },
            text: None,
        });
        Some(vec![self.search(hits.collect(), all)])
    }

    fn search(&self, mut hits: Vec<Hit>, all: Option<u64>) -> Content {
        let mut left = self.limits.output;
        let fits = hits.iter().position(|hit| {
            let len = hit.location.path.len() + hit.text.as_ref().map_or(0, String::len) + 16;
            let fits = left >= len;
            left = left.saturating_sub(len);
            !fits
        });
        let count = hits.len();
        hits.truncate(fits.unwrap_or(count));
        let omitted = all.unwrap_or(0).max(count as u64) - hits.len() as u64;
        Content::Search(Search {
            hits,
            omitted: (omitted > 0).then_some(omitted),
        })
    }

    fn grep(&self, before: &[Content]) -> Option<Vec<Content>> {
        let Some(fields) = self.output() else {
            return self.other(before);
        };
        let Some(content) = fields.text("content").filter(|it| !it.is_empty()) else {
            return self.files(before);
        };
        let mode = fields.text("mode");
        if mode.as_deref() != Some("content") {
            return Some(vec![Content::Text(self.cut(lines(&content)))]);
        }
        let hits: Option<Vec<Hit>> = content.lines().map(grep_hit).collect();
        Some(vec![match hits {
            Some(hits) => self.search(hits, fields.get("totalLines")),
            // With lines of context, the paths are ambiguous.
            None => Content::Lines(Lines {
                path: None,
                first_line: None,
                total_lines: None,
                text: self.cut(output(&content)),
            }),
        }])
    }

    fn web_search(&self, before: &[Content]) -> Option<Vec<Content>> {
        let Some(fields) = self.output() else {
            return self.other(before);
        };
        let results: Vec<Json> = fields.get("results").unwrap_or_default();
        let mut content = Vec::new();
        for result in &results {
            if let Ok(text) = result.read::<String>() {
                content.push(Content::Text(self.cut(lines(&text))));
                continue;
            }
            let fields = Fields::of(result);
            content.extend(fields.json("content").and_then(|pages| links(&pages)));
        }
        Some(content)
    }

    fn tasks(&self, before: &[Content]) -> Option<Vec<Content>> {
        let Some(fields) = self.output() else {
            return self.other(before);
        };
        let item = |task: &Json| {
            let task = Fields::of(task);
            Some(PlanItem {
                content: title(&task.text("subject")?),
                status: item_status(task.text("status").as_deref()),
            })
        };
        let tasks: Vec<Json> = match fields.json("task") {
            Some(task) => vec![task],
            None => fields.get("tasks").unwrap_or_default(),
        };
        let items: Vec<_> = tasks.iter().filter_map(item).collect();
        Some(vec![Content::Plan(PlanItems { items })])
    }

    fn resource(&self, before: &[Content]) -> Option<Vec<Content>> {
        let parts: Option<Vec<Json>> = self.output().and_then(|it| it.get("contents"));
        let text = |part: &Json| {
            let text = Fields::of(part).text("text")?;
            Some(Content::Text(self.cut(lines(&text))))
        };
        let texts: Option<Vec<_>> = parts.iter().flatten().map(text).collect();
        texts
            .filter(|it| !it.is_empty())
            .or_else(|| self.other(before))
    }

    /// Returns the blocks for the model.
    fn other(&self, before: &[Content]) -> Option<Vec<Content>> {
        let mut content = Vec::new();
        for block in self.blocks().iter() {
            match block {
                ContentBlock::Text(text) if text.text.is_empty() => {}
                ContentBlock::Text(text) => {
                    let is_json = text.text.starts_with(['{', '['])
                        && serde_json::from_str::<serde::de::IgnoredAny>(&text.text).is_ok();
                    content.push(match is_json {
                        true => Content::Json(self.cut(lines(&text.text))),
                        false => Content::Text(self.cut(output(&text.text))),
                    });
                }
                block => content.extend(attachment(block, self.limits).map(Content::Attachment)),
            }
        }
        let shown = before.iter().chain(&content).cloned().collect();
        (!content.is_empty()).then_some(shown)
    }

    fn media(&self) -> Vec<Content> {
        let blocks = self.blocks();
        let media = blocks.iter().filter_map(|it| attachment(it, self.limits));
        media.map(Content::Attachment).collect()
    }

    fn background(&self) -> Option<Background> {
        let fields = self.output()?;
        let task = (fields.text("backgroundTaskId"))
            .or_else(|| fields.text("taskId").filter(|_| self.tool == "Monitor"))?;
        Some(Background {
            task_id: task,
            is_running: true,
            summary: None,
        })
    }
}

/// Returns the proposed change as an applied one. Its line numbers are unknown.
fn applied(before: &[Content]) -> Option<Vec<Content>> {
    let [Content::Diff(diff)] = before else {
        return None;
    };
    Some(vec![Content::Diff(Diff {
        applied: true,
        ..diff.clone()
    })])
}

/// Removes the tag in which the agent wraps errors of tools.
fn error_text(text: &str) -> &str {
    let inside = text.strip_prefix("<tool_use_error>");
    let inside = inside.and_then(|text| text.strip_suffix("</tool_use_error>"));
    inside.unwrap_or(text)
}

/// Splits the exit code from the text with which a failed command reports it.
fn exit_code(text: &str) -> (Option<i64>, &str) {
    let code = text.strip_prefix("Exit code ");
    let Some(code) = code else {
        return (None, text);
    };
    let (code, rest) = code.split_once('\n').unwrap_or((code, ""));
    match code.trim().parse() {
        Ok(code) => (Some(code), rest),
        Err(_) => (None, text),
    }
}

fn hunk(hunk: &Json) -> Option<Hunk> {
    let hunk = Fields::of(hunk);
    let texts: Vec<String> = hunk.get("lines")?;
    let shown = texts.into_iter().map(|line| lines(&line).into_owned());
    Some(Hunk {
        old_start: hunk.get("oldStart"),
        new_start: hunk.get("newStart"),
        lines: shown.collect(),
    })
}

/// Reads a line such as `src/lib.rs:12:text`.
fn grep_hit(line: &str) -> Option<Hit> {
    // The first character may be the drive of a path of Windows.
    let colon = line.get(2..)?.find(':')? + 2;
    let (path, rest) = line.split_at(colon);
    let (number, text) = rest[1..].split_once(':')?;
    Some(Hit {
        location: Location {
            path: lines(path).into_owned(),
            line: Some(number.parse().ok()?),
        },
        text: Some(lines(text).into_owned()),
    })
}

/// Returns an image or a document.
pub(crate) fn attachment(block: &ContentBlock, limits: &Limits) -> Option<Attachment> {
    let (source, name) = match block {
        ContentBlock::Image(image) => (&image.source, None),
        ContentBlock::Document(document) => (&document.source, document.title.as_ref()),
        _ => return None,
    };
    let mut attachment = Attachment {
        media_type: None,
        name: name.map(|name| title(name)),
        url: None,
        data: None,
        size: None,
    };
    match source {
        Source::Base64(source) => {
            attachment.media_type = Some(title(&source.media_type));
            attachment.size = Some(decoded_len(&source.data));
            attachment.data = Some(source.data.clone()).filter(|it| it.len() <= limits.image);
        }
        Source::Url(source) => attachment.url = Some(lines(&source.url).into_owned()),
        Source::Text(source) => {
            attachment.media_type = Some("text/plain".to_owned());
            attachment.size = Some(source.data.len() as u64);
        }
        _ => {}
    }
    Some(attachment)
}

/// Returns the number of bytes of a base64 text.
fn decoded_len(data: &str) -> u64 {
    let digits = data.trim_end_matches('=').len() as u64;
    digits / 4 * 3 + digits % 4 * 6 / 8
}

/// Returns the pages in a list of search results.
pub(crate) fn links(pages: &Json) -> Option<Content> {
    let pages: Vec<Json> = pages.read().ok()?;
    let link = |page: &Json| {
        let page = Fields::of(page);
        Some(Link {
            url: lines(&page.text("url")?).into_owned(),
            title: page.text("title").map(|it| title(&it)),
        })
    };
    let links: Vec<_> = pages.iter().filter_map(link).collect();
    (!links.is_empty()).then_some(Content::Links(Links { links }))
}

/// Returns the items of a to-do list that a tool returned.
pub(crate) fn items_of(output: Option<&Json>) -> Option<Vec<PlanItem>> {
    let output = output.filter(|output| output.get().starts_with('{'))?;
    let todos = Fields::of(output).json("newTodos")?;
    Some(todo_items(&todos))
}
