//! Contents of prompts and tool calls, in the formats of both protocols.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    ContentBlock, Diff, EmbeddedResourceResource, ImageContent, Meta, ResourceLink, Terminal,
    ToolCallContent, ToolCallLocation,
};
use agentwire::protocol::content::{
    Base64Source, ContentBlock as Block, DocumentBlock, ImageBlock, Source,
};
use agentwire::protocol::message::UserMessage;
use agentwire::view::entry::{
    Attachment, Command, Content, Failure, Location, LongText, QuestionItem,
};
use serde_json::json;

/// Returns a prompt as a message for the agent.
pub(super) fn prompt(blocks: Vec<ContentBlock>) -> Result<UserMessage, Error> {
    let mut content = Vec::with_capacity(blocks.len());
    for block in blocks {
        content.push(match block {
            ContentBlock::Text(it) => Block::text(it.text),
            ContentBlock::Image(it) => {
                let source = match (it.data.is_empty(), it.uri) {
                    (true, Some(uri)) => Source::url(uri),
                    _ => base64(it.mime_type, it.data),
                };
                ImageBlock::new(source).into()
            }
            ContentBlock::ResourceLink(it) => Block::text(format!("[@{}]({})", it.name, it.uri)),
            // A document is passed to the model unchanged: in a text, the agent would run
            // commands and read files for `@path`.
            ContentBlock::Resource(it) => match it.resource {
                EmbeddedResourceResource::TextResourceContents(it) => {
                    DocumentBlock::new(Source::text(it.text))
                        .title(it.uri)
                        .into()
                }
                EmbeddedResourceResource::BlobResourceContents(it) => {
                    let media_type = it.mime_type.unwrap_or_default();
                    let source = base64(media_type.clone(), it.blob);
                    match media_type.starts_with("image/") {
                        true => ImageBlock::new(source).into(),
                        false => DocumentBlock::new(source).title(it.uri).into(),
                    }
                }
                _ => return Err(unsupported("this resource")),
            },
            ContentBlock::Audio(_) => return Err(unsupported("audio")),
            _ => return Err(unsupported("this content")),
        });
    }
    Ok(UserMessage::new(content))
}

fn base64(media_type: String, data: String) -> Source {
    let mut source = Base64Source::new(media_type, []);
    source.data = data;
    source.into()
}

fn unsupported(what: &str) -> Error {
    Error::invalid_params().data(format!("the agent does not support {what} in prompts"))
}

/// Returns a text, with a mark at the position of an omission.
pub(super) fn long(text: &LongText) -> String {
    let Some(omitted) = text.omitted else {
        return text.text.clone();
    };
    let at = usize::try_from(omitted.at).unwrap_or(usize::MAX);
    let (before, after) = text.text.split_at_checked(at).unwrap_or((&text.text, ""));
    format!("{before}\n… {} bytes omitted …\n{after}", omitted.bytes)
}

pub(super) fn text(text: String) -> ToolCallContent {
    ContentBlock::from(text).into()
}

/// Returns a text as a Markdown code block, with a fence that the text does not contain.
fn fenced(language: &str, text: &str) -> ToolCallContent {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    self::text(format!("{fence}{language}\n{text}{end}{fence}"))
}

/// Returns a part of a tool call's content.
pub(super) fn of_call(content: &Content) -> Vec<ToolCallContent> {
    match content {
        Content::Text(it) => vec![text(long(it))],
        Content::Lines(it) => vec![fenced("", &long(&it.text))],
        Content::Diff(it) => (it.hunks.iter())
            .map(|hunk| {
                // A line with another prefix says that there is no newline at the end.
                let side = |prefix: char| {
                    let lines = hunk.lines.iter();
                    let lines = lines.filter(|line| line.starts_with([' ', prefix]));
                    let lines: Vec<&str> = lines.filter_map(|line| line.get(1..)).collect();
                    lines.join("\n")
                };
                let old = (!it.is_new).then(|| side('-'));
                ToolCallContent::Diff(Diff::new(&it.path, side('+')).old_text(old))
            })
            .collect(),
        Content::Command(it) => {
            let output = it.output.iter().map(long);
            output.map(|output| fenced("console", &output)).collect()
        }
        Content::Search(it) => {
            let hits = it.hits.iter().map(|hit| {
                let (path, text) = (&hit.location.path, hit.text.as_deref());
                match (hit.location.line, text) {
                    (Some(line), Some(text)) => format!("{path}:{line}: {text}"),
                    (Some(line), None) => format!("{path}:{line}"),
                    (None, Some(text)) => format!("{path}: {text}"),
                    (None, None) => path.clone(),
                }
            });
            vec![fenced("", &hits.collect::<Vec<_>>().join("\n"))]
        }
        Content::Links(it) => (it.links.iter())
            .map(|link| {
                let name = link.title.clone().unwrap_or_else(|| link.url.clone());
                ContentBlock::ResourceLink(ResourceLink::new(name, link.url.clone())).into()
            })
            .collect(),
        Content::Attachment(it) => vec![attachment(it).into()],
        Content::Plan(it) => {
            let items = it.items.iter().map(|it| format!("- {}", it.content));
            vec![text(items.collect::<Vec<_>>().join("\n"))]
        }
        Content::Json(it) => vec![fenced("json", &long(it))],
        _ => Vec::new(),
    }
}

pub(super) fn attachment(it: &Attachment) -> ContentBlock {
    let media_type = it.media_type.clone().unwrap_or_default();
    if let Some(data) = &it.data
        && media_type.starts_with("image/")
    {
        return ContentBlock::Image(ImageContent::new(data.clone(), media_type));
    }
    let name = it.name.clone().or_else(|| it.url.clone());
    let name = name.unwrap_or_else(|| "attachment".to_owned());
    match &it.url {
        Some(url) => ContentBlock::ResourceLink(ResourceLink::new(name, url.clone())),
        None => ContentBlock::from(format!("[{name}]")),
    }
}

pub(super) fn failure(failure: &Failure) -> ToolCallContent {
    fenced("", &failure.message)
}

pub(super) fn question(it: &QuestionItem) -> ToolCallContent {
    let mut lines = vec![it.question.clone()];
    lines.extend(
        it.choices
            .iter()
            .map(|choice| format!("- {}", choice.label)),
    );
    lines.extend(it.answer.iter().map(|answer| format!("\n{answer}")));
    text(lines.join("\n"))
}

pub(super) fn location(it: &Location) -> ToolCallLocation {
    let line = it.line.and_then(|line| u32::try_from(line).ok());
    ToolCallLocation::new(&it.path).line(line)
}

/// Returns the content of a call whose output the client shows as a terminal.
pub(super) fn terminal(id: &str) -> ToolCallContent {
    ToolCallContent::Terminal(Terminal::new(id.to_owned()))
}

/// Returns the output of a command for clients that declare `_meta.terminal_output`.
pub(super) fn terminal_meta(id: &str, command: &Command, failure: Option<&Failure>) -> Meta {
    let mut meta = Meta::new();
    meta.insert("terminal_info".to_owned(), json!({"terminal_id": id}));
    let failed = failure.map(|it| it.message.clone());
    let output = failed.into_iter().chain(command.output.as_ref().map(long));
    let output: Vec<_> = output.collect();
    if !output.is_empty() {
        let output = json!({"terminal_id": id, "data": output.join("\n")});
        meta.insert("terminal_output".to_owned(), output);
        let code = command.exit_code.unwrap_or(failure.is_some().into());
        let exit = json!({"terminal_id": id, "exit_code": code, "signal": null});
        meta.insert("terminal_exit".to_owned(), exit);
    }
    meta
}
