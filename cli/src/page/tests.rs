//! Tests that texts of models and tools cannot leave their place on a page.

#![allow(clippy::unwrap_used)]

use super::markdown::EXTENSIONS;
use super::*;
use agentwire_protocol::transcript::{Files, Place};
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::{Value, json};

/// Texts that break a page that does not escape them.
const HOSTILE: [&str; 40] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\" onload=\"alert(1)",
    "' onclick='alert(1)",
    "javascript:alert(1)",
    "[a](javascript:alert(1))",
    "![i](data:text/html,<script>)",
    "[![i](https://a/b.png)](https://a)",
    "![i](https://a/b.png \"x\")",
    "<javascript:alert(1)>",
    "<https://a/\">",
    "<a@b.c>",
    "[x]: javascript:alert(1)\n",
    "[x]",
    "&#106;avascript:alert(1)",
    "&lt;script>",
    "</pre></details></section>",
    "</title></style>",
    "<details>\n",
    "<!--",
    "-->",
    "<![CDATA[",
    "<?php",
    "```",
    "````\n",
    "~~~~~\n",
    "```html onclick=x\n",
    "`",
    "\\",
    "*",
    "\n",
    "\n\n",
    "    ",
    "\n- ",
    "\n> ",
    "\n# ",
    "\n|a|b|\n|:-:|-|\n|",
    "\n===\n",
    "\u{202e}\u{1b}[31m\u{9b}2K",
    "\r",
];

fn hostile() -> impl Strategy<Value = String> {
    let known = prop::sample::select(&HOSTILE[..]).prop_map(str::to_owned);
    let part = prop_oneof![4 => known, 1 => "[ -~é]{0,12}"];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

/// Returns a transcript with every kind of entry. `@` is the place of a text.
fn transcript() -> (Vec<Value>, Vec<Value>) {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "@"}});
    let calls = [
        (
            "Bash",
            json!({"command": "@"}),
            json!({"stdout": "@", "stderr": "@", "persistedOutputPath": "@"}),
        ),
        ("Bash", json!({"command": "@"}), Value::Null),
        (
            "Read",
            json!({"file_path": "@"}),
            json!({"file": {"filePath": "@", "content": "@", "startLine": 7}}),
        ),
        (
            "Read",
            json!({"file_path": "@"}),
            json!({"file": {"base64": "QUJD", "type": "image/png"}}),
        ),
        (
            "Read",
            json!({"file_path": "@"}),
            json!({"file": {"base64": "@", "type": "image/png"}}),
        ),
        (
            "Read",
            json!({"file_path": "@"}),
            json!({"file": {"base64": "QUJD", "type": "@"}}),
        ),
        (
            "Edit",
            json!({"file_path": "@", "old_string": "@", "new_string": "@"}),
            json!({"filePath": "@", "structuredPatch": [
                {"oldStart": 1, "newStart": 1, "lines": [" @", "-@", "+@", "@"]},
                {"oldStart": u64::MAX, "newStart": 9, "lines": ["-@", " @", "\\ No newline"]},
            ]}),
        ),
        (
            "Write",
            json!({"file_path": "@", "content": "@"}),
            json!({"type": "create", "filePath": "@", "content": "@"}),
        ),
        (
            "Grep",
            json!({"pattern": "@", "path": "@"}),
            json!({"mode": "content", "content": "src/a:3:@\nsrc/b:4:@"}),
        ),
        (
            "Glob",
            json!({"pattern": "@"}),
            json!({"filenames": ["@"], "totalMatches": 9}),
        ),
        (
            "WebSearch",
            json!({"query": "@"}),
            json!({"results": ["@", {"content": [{"url": "@", "title": "@"}, {"url": "https://a/@", "title": "@"}]}]}),
        ),
        (
            "WebFetch",
            json!({"url": "HTTP://a/@"}),
            json!({"result": "@"}),
        ),
        (
            "TodoWrite",
            json!({"todos": [{"content": "@", "status": "completed"}]}),
            Value::Null,
        ),
        ("ExitPlanMode", json!({"plan": "@"}), json!({})),
        (
            "AskUserQuestion",
            json!({"questions": [{"question": "@", "header": "@", "options": [{"label": "@", "description": "@"}]}]}),
            Value::Null,
        ),
        (
            "Agent",
            json!({"description": "@", "prompt": "@", "subagent_type": "@"}),
            json!({"content": [{"type": "text", "text": "@"}]}),
        ),
        ("mcp__@__@", json!({"@": "@"}), Value::Null),
        ("@", json!({}), Value::Null),
    ];
    let mut main = vec![
        json!({"type": "custom-title", "customTitle": "@"}),
        json!({"type": "user", "message": {"content": [{"type": "text", "text": "@"}, image, {"type": "document", "title": "@", "source": {"type": "url", "url": "@"}}]}}),
        json!({"type": "assistant", "message": {"id": "m", "content": [{"type": "thinking", "thinking": "@", "signature": ""}, {"type": "text", "text": "@"}]}}),
        json!({"type": "assistant", "isApiErrorMessage": true, "error": "@", "message": {"id": "e", "content": [{"type": "text", "text": "@"}]}}),
        json!({"type": "system", "subtype": "informational", "level": "warning", "content": "@\n@"}),
        json!({"type": "system", "subtype": "local_command", "content": "<local-command-stdout>@</local-command-stdout>"}),
    ];
    for (number, (tool, input, output)) in calls.iter().enumerate() {
        let id = format!("call{number}");
        main.push(json!({"type": "assistant", "message": {"id": id, "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]}}));
        let mut result = json!({"type": "user", "message": {"content": [{
            "type": "tool_result", "tool_use_id": id, "is_error": number == 1,
            "content": [{"type": "text", "text": "@"}, image],
        }]}});
        if !output.is_null() {
            result["toolUseResult"] = output.clone();
        }
        main.push(result);
    }
    let agent = vec![
        json!({"type": "user", "message": {"content": "@"}}),
        json!({"type": "assistant", "message": {"id": "a", "content": [{"type": "text", "text": "@"}]}}),
    ];
    (main, agent)
}

/// Puts texts in the places of a transcript, and chains its records.
fn lines(
    records: Vec<Value>,
    agent: Option<&str>,
    texts: &mut impl Iterator<Item = String>,
) -> String {
    fn fill(value: &mut Value, texts: &mut impl Iterator<Item = String>) {
        match value {
            Value::String(text) if text.contains('@') => {
                let parts: Vec<&str> = text.split('@').collect();
                let mut filled = parts[0].to_owned();
                for part in &parts[1..] {
                    filled += &texts.next().unwrap();
                    filled += part;
                }
                *text = filled;
            }
            Value::Array(values) => values.iter_mut().for_each(|it| fill(it, texts)),
            Value::Object(members) => members.values_mut().for_each(|it| fill(it, texts)),
            _ => {}
        }
    }
    let prefix = agent.unwrap_or("main");
    let mut lines = String::new();
    for (number, mut record) in records.into_iter().enumerate() {
        fill(&mut record, texts);
        record["uuid"] = json!(format!("{prefix}{number}"));
        record["parentUuid"] = match number {
            0 | 1 => Value::Null,
            _ => json!(format!("{prefix}{}", number - 1)),
        };
        if let Some(agent) = agent {
            record["agentId"] = json!(agent);
            record["isSidechain"] = json!(true);
            if number == 1 {
                record["parentUuid"] = json!(format!("{prefix}0"));
            }
        }
        lines += &format!("{record}\n");
    }
    lines
}

/// Returns the view of a session with these texts.
fn view(texts: &[String]) -> View {
    let mut texts = texts.iter().cycle().cloned();
    let (main, agent) = transcript();
    let mut files = Files::default();
    let mut add = |path: &str, text: &str| files.add(&Place::of(path).unwrap(), text);
    add("p/s.jsonl", &lines(main, None, &mut texts));
    add(
        "p/s/subagents/agent-x.jsonl",
        &lines(agent, Some("x"), &mut texts),
    );
    add(
        "p/s/subagents/agent-x.meta.json",
        r#"{"toolUseId": "call15"}"#,
    );
    let mut view = View::new();
    view.restore_files(&files);
    view
}

/// Panics unless a page consists of these elements and attributes.
fn assert_safe(page: &str) {
    const ELEMENTS: [&str; 38] = [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "section",
        "details",
        "summary",
        "pre",
        "code",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
        "img",
        "em",
        "strong",
        "del",
        "ul",
        "ol",
        "li",
        "blockquote",
        "hr",
        "br",
        "!DOCTYPE",
        "hr/",
        "br/",
    ];
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some((_, tag)) = rest.split_once('<') {
        let is_end = tag.starts_with('/');
        let tag = tag.trim_start_matches('/');
        let end = tag.find([' ', '>']).unwrap();
        let name = &tag[..end];
        assert!(ELEMENTS.contains(&name), "<{name}> in {page}");
        rest = &tag[end..];
        while let Some(attribute) = rest.strip_prefix(' ').filter(|it| !it.starts_with('/')) {
            if name == "!DOCTYPE" {
                rest = attribute.strip_prefix("html").unwrap();
                continue;
            }
            let (attribute, value) = attribute.split_once("=\"").unwrap();
            let (value, after) = value.split_once('"').unwrap();
            assert_attribute(name, attribute, value);
            rest = after;
        }
        rest = rest.trim_start_matches(" /").strip_prefix('>').unwrap();
        if is_end {
            assert_eq!(open.pop(), Some(name), "{page}");
        } else if !["meta", "img", "hr", "br", "!DOCTYPE", "hr/", "br/"].contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

fn assert_attribute(name: &str, attribute: &str, value: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ' ' | ':' | ';');
    let is_safe = match (name, attribute) {
        ("a", "href") => {
            let value = value.to_lowercase();
            value.starts_with("http://") || value.starts_with("https://")
        }
        ("img", "src") => {
            let data = value.strip_prefix("data:image/png;base64,").unwrap();
            data.bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"+/=".contains(&c))
        }
        ("img", "alt") => !value.contains(['<', '>']),
        ("meta", "charset" | "http-equiv" | "name" | "content") => true,
        ("html", "lang") | (_, "class") | ("ol", "start") => value.chars().all(plain),
        ("th" | "td", "style") => value.starts_with("text-align: ") && value.chars().all(plain),
        _ => false,
    };
    assert!(is_safe, "{name} {attribute}={value}");
}

/// The titles of a page.
#[derive(Default)]
struct Titles(Vec<String>);

impl Page for Titles {
    fn open(&mut self, part: Part<'_>) {
        self.0.push(part.title.trim().to_owned());
    }
    fn close(&mut self) {}
    fn prose(&mut self, _: &str) {}
    fn plain(&mut self, _: &str) {}
    fn verbatim(&mut self, _: &str) {}
    fn diff(&mut self, _: &Diff) {}
    fn note(&mut self, _: &str) {}
    fn link(&mut self, _: &str, _: &str) {}
}

/// Returns the headings outside of lists and quotes. Panics if there is HTML.
fn headings(markdown: &str) -> Vec<String> {
    let (mut depth, mut found, mut heading) = (0, Vec::new(), None);
    for event in Parser::new_ext(markdown, EXTENSIONS) {
        match event {
            Event::Start(tag) => {
                if depth == 0 && matches!(tag, Tag::Heading { .. }) {
                    heading = Some(String::new());
                }
                depth += 1;
            }
            Event::End(tag) => {
                depth -= 1;
                if matches!(tag, TagEnd::Heading(_)) {
                    found.extend(heading.take());
                }
            }
            Event::Text(text) => heading.iter_mut().for_each(|it| *it += &text),
            Event::Html(html) | Event::InlineHtml(html) => panic!("{html:?} in {markdown}"),
            _ => {}
        }
    }
    found
}

#[test]
fn the_marker_of_a_quote_does_not_end_a_tag() {
    let texts = ["", "A<!A\n- "].map(str::to_owned);
    headings(&markdown(&view(&texts)));
}

#[test]
fn every_kind_of_entry_is_on_the_page() {
    let texts: Vec<String> = (0..200).map(|number| format!("text{number}text")).collect();
    let view = view(&texts);
    let mut titles = Titles::default();
    entries(&view, view.entries(), &mut titles);
    for title in [
        "User",
        "Model",
        "Thought",
        "To-do list",
        "Plan",
        "Question",
        "Result",
    ] {
        let is_there = |it: &String| it.trim_start_matches(['✓', '✗', ' ']) == title;
        assert!(titles.0.iter().any(is_there), "{title} in {:?}", titles.0);
    }
    let page = html(&view);
    for part in [
        "<img alt=\"\" src=\"data:image/png;base64,QUJD\">",
        "<tr class=\"add\"><td class=\"n\"></td><td class=\"n\">2</td>",
        "<a href=\"https://a/",
        "<details class=\"failed\">",
        "☑ text",
        "src/a:3: text",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_leaves_its_place(texts in prop::collection::vec(hostile(), 1..40)) {
        let view = view(&texts);
        assert_safe(&html(&view));
        let hidden = |c: char| c != '\n' && c != '\t' && agentwire::permission::visible::is_hidden(c);
        prop_assert!(!terminal(&view).contains(hidden));
        let markdown = markdown(&view);
        let mut titles = Titles::default();
        entries(&view, view.entries(), &mut titles);
        // Texts of the model may have headings, too.
        let mut found = headings(&markdown).into_iter();
        for title in titles.0 {
            prop_assert!(found.any(|it| it == title), "{title:?} in {markdown}");
        }
    }

    #[test]
    fn output_stays_in_its_fence(texts in prop::collection::vec(hostile(), 1..6)) {
        let text = agentwire::permission::visible::lines(&texts.concat()).into_owned();
        let page = markdown::fenced("", &text) + "end";
        let mut events = Parser::new(&page);
        prop_assert!(matches!(events.next(), Some(Event::Start(Tag::CodeBlock(_)))));
        let code = events.by_ref().map_while(|event| match event {
            Event::Text(text) => Some(text.into_string()),
            _ => None,
        });
        prop_assert_eq!(code.collect::<String>(), format!("{text}\n"));
        prop_assert_eq!(events.next(), Some(Event::Start(Tag::Paragraph)));
    }
}
