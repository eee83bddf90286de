//! The inputs: documents of every format with each value changed, removed or made
//! odd in turn, and texts that are broken in all ways that have been seen.

use crate::convert_hostile::exact::Node;
use crate::support::{agentwire, stdout, told};

/// An input, and the values in it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) input: Vec<u8>,
    pub(crate) values: Vec<Written>,
}

/// A value, and the line that it begins on; 0, if the line is told for something
/// else on it.
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Case {
    /// A value on each line.
    pub(crate) fn of_values(
        name: impl Into<String>,
        from: &'static str,
        to: &'static str,
        values: &[String],
    ) -> Self {
        let lines: Vec<(usize, &str)> = (1..).zip(values.iter().map(|it| &**it)).collect();
        let input = values
            .iter()
            .map(|it| format!("{it}\n"))
            .collect::<String>();
        Self::of_text(name, from, to, input, &lines)
    }

    /// Any text, and the values that are in it.
    fn of_text(
        name: impl Into<String>,
        from: &'static str,
        to: &'static str,
        input: impl Into<Vec<u8>>,
        values: &[(usize, &str)],
    ) -> Self {
        let values = values.iter().map(|(line, text)| Written {
            text: (*text).to_owned(),
            line: *line,
        });
        Self {
            name: name.into(),
            from,
            to,
            input: input.into(),
            values: values.collect(),
        }
    }
}

const FORMATS: [&str; 6] = [
    "chat",
    "responses",
    "openhands",
    "cua",
    "bridgic",
    "bridgic-blocks",
];

/// A session, with a text of its own in every place.
const SESSION: &str = r#"{"type":"user","uuid":"user uuid","session_id":"session one","parent_tool_use_id":null,"message":{"role":"user","content":[{"type":"text","text":"prompt text"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},"timestamp":"2026-01-01T00:00:00Z"}
{"type":"assistant","uuid":"said uuid","message":{"id":"msg one","type":"message","role":"assistant","model":"model name","content":[{"type":"thinking","thinking":"thought text","signature":"c2lnbmVk"},{"type":"text","text":"said text"},{"type":"tool_use","id":"call one","name":"Bash","input":{"command":"ls -l","timeout":12345}},{"type":"tool_use","id":"call two","name":"computer","input":{"action":"left_click","coordinate":[123,456]}}],"stop_reason":"tool_use","usage":{"input_tokens":345,"output_tokens":678}},"request_id":"request one"}
{"type":"user","uuid":"result uuid","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call one","content":"result text","is_error":true},{"type":"tool_result","tool_use_id":"call two","content":[{"type":"text","text":"other text"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},{"type":"text","text":"beside text"}]},"tool_use_result":{"stdout":"raw output","code":77}}
{"type":"result","subtype":"success","result":"last text","total_cost_usd":0.012345,"num_turns":98}
{"type":"assistant","uuid":"end uuid","message":{"id":"msg two","role":"assistant","content":[{"type":"text","text":"end text"}]}}"#;

const TRANSCRIPT: &str = r#"{"type":"queue-operation","operation":"enqueue","sessionId":"session one","content":"queued text"}
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"session one","cwd":"/home/someone","message":{"role":"user","content":"prompt text"}}
{"type":"assistant","uuid":"u2","parentUuid":"u1","requestId":"request one","message":{"id":"msg one","role":"assistant","model":"model name","content":[{"type":"tool_use","id":"call one","name":"Bash","input":{"command":"ls -l"}}]}}
{"type":"user","uuid":"u3","parentUuid":"u2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call one","content":"result text"}]},"toolUseResult":{"stdout":"raw output"}}
{"type":"assistant","uuid":"u4","parentUuid":"u3","message":{"id":"msg two","role":"assistant","content":[{"type":"text","text":"said text"}]}}"#;

const CHAT: &str = r#"{"role":"system","content":"system text","name":"system name"}
{"role":"user","content":[{"type":"text","text":"prompt text"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo=","detail":"high"}}],"name":"user name"}
{"role":"assistant","content":"said text","refusal":"refusal text","reasoning_content":"thought text","tool_calls":[{"id":"call one","type":"function","function":{"name":"Bash","arguments":"{\"command\":\"ls -l\"}"}}],"audio":{"id":"audio id"},"extra":{"member":12.50}}
{"role":"tool","tool_call_id":"call one","content":"result text","name":"tool name"}
{"role":"user","content":"end text"}"#;

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// The session in another format, with a member more in each item.
fn session_in(format: &str) -> Vec<String> {
    let arguments = ["--quiet", "--from", "agent", "--to", format];
    let made = stdout(&told(agentwire("convert").args(arguments), SESSION));
    let made = made.lines().enumerate();
    made.map(|(index, line)| {
        let end = line.strip_suffix('}').unwrap();
        format!("{end},\"more\":\"member of {index}\"}}")
    })
    .collect()
}

pub(crate) fn corpus() -> Vec<Case> {
    let mut cases = Vec::new();
    for turn in 0..2 {
        each_place(&mut cases, "agent", &lines(SESSION), &FORMATS, turn * 3);
        each_place(&mut cases, "chat", &lines(CHAT), &TARGETS, turn * 3 + 1);
    }
    each_place(&mut cases, "transcript", &lines(TRANSCRIPT), &FORMATS, 2);
    for (index, format) in FORMATS.into_iter().enumerate() {
        each_place(&mut cases, format, &session_in(format), &TARGETS, index);
    }
    texts(&mut cases);
    sessions(&mut cases);
    cases
}

const TARGETS: [&str; 3] = ["agent", "chat", "openhands"];

/// How a place is changed.
const CHANGES: [&str; 9] = [
    "null",
    "number",
    "text",
    "list",
    "object",
    "removed",
    "twice",
    "half a surrogate pair",
    "odd number",
];

/// Documents with each of their places changed in turn.
fn each_place(
    cases: &mut Vec<Case>,
    from: &'static str,
    document: &[String],
    targets: &[&'static str],
    first: usize,
) {
    let mut change = first;
    for (index, value) in document.iter().enumerate() {
        let node = Node::read(value);
        let mut place = 1;
        loop {
            let kind = CHANGES[change % CHANGES.len()];
            let mut left = place;
            let mut changed = node.clone();
            let Some(path) = at(&mut changed, &mut left, kind) else {
                break;
            };
            let to = targets
                .iter()
                .cycle()
                .skip(change)
                .find(|to| **to != from)
                .unwrap();
            let mut values = document.to_vec();
            values[index] = changed.write();
            let name = format!("{kind} at {index}{path}");
            cases.push(Case::of_values(name, from, to, &values));
            place += 1;
            change += 1;
        }
    }
}

/// Changes the node of this number below `node`; returns where it is.
fn at(node: &mut Node, left: &mut usize, kind: &str) -> Option<String> {
    match node {
        Node::Object(members) => {
            for index in 0..members.len() {
                *left -= 1;
                let name = String::from_utf16_lossy(&members[index].0);
                if *left == 0 {
                    match kind {
                        "removed" => {
                            members.remove(index);
                        }
                        "twice" => {
                            let earlier = (members[index].0.clone(), text("earlier value"));
                            members.insert(index, earlier);
                        }
                        kind => change(&mut members[index].1, kind),
                    }
                    return Some(format!("/{name}"));
                }
                if let Some(path) = at(&mut members[index].1, left, kind) {
                    return Some(format!("/{name}{path}"));
                }
            }
        }
        Node::List(items) => {
            for index in 0..items.len() {
                *left -= 1;
                if *left == 0 {
                    match kind {
                        "removed" => {
                            items.remove(index);
                        }
                        "twice" => items.insert(index, items[index].clone()),
                        kind => change(&mut items[index], kind),
                    }
                    return Some(format!("/{index}"));
                }
                if let Some(path) = at(&mut items[index], left, kind) {
                    return Some(format!("/{index}{path}"));
                }
            }
        }
        _ => {}
    }
    None
}

fn text(text: &str) -> Node {
    Node::Text(text.encode_utf16().collect())
}

fn change(node: &mut Node, kind: &str) {
    match (kind, &mut *node) {
        ("half a surrogate pair", Node::Text(units)) => units.push(0xd83d),
        ("half a surrogate pair", Node::Object(members)) => {
            members.push((vec![0xdc00], text("under half a name")));
        }
        ("half a surrogate pair", node) => *node = Node::Text(vec![0xd800, 0x61]),
        ("odd number", node) => *node = Node::Word("-1234567890123456789012.50e400".to_owned()),
        ("null", node) => *node = Node::Word("null".to_owned()),
        ("number", node) => *node = Node::Word("98765".to_owned()),
        ("text", node) => *node = text("replaced text"),
        ("list", node) => *node = Node::List(vec![]),
        ("object", node) => {
            let member = ("odd member".encode_utf16().collect(), text("odd value"));
            *node = Node::Object(vec![member]);
        }
        _ => unreachable!(),
    }
}

/// Texts that are broken, around two good values.
fn texts(cases: &mut Vec<Case>) {
    let one = r#"{"role":"user","content":"text one"}"#;
    let two = r#"{"role":"user","content":"text two"}"#;
    let mut case = |name: &str, input: &[u8], values: &[(usize, &str)]| {
        cases.push(Case::of_text(name, "chat", "agent", input, values));
    };
    let good = [(1, one), (2, two)];
    case("empty", b"", &[]);
    case("blank", b"\n \t\r\n\n", &[]);
    case("mark alone", "\u{feff}".as_bytes(), &[]);
    case("no newline", format!("{one}\n{two}").as_bytes(), &good);
    case(
        "carriage returns",
        format!("{one}\r\n{two}\r\n").as_bytes(),
        &good,
    );
    case("mark", format!("\u{feff}{one}\n{two}\n").as_bytes(), &good);
    case(
        "marks",
        format!("\u{feff}{one}\n\u{feff}{two}\n").as_bytes(),
        &good,
    );
    case(
        "one line",
        format!("{one}{two}\n").as_bytes(),
        &[(1, one), (1, two)],
    );
    case(
        "one line, tab",
        format!("{one}\t{two}").as_bytes(),
        &[(1, one), (1, two)],
    );
    case("list", format!("[{one},\n{two}]\n").as_bytes(), &good);
    case("empty list", b"[]", &[]);
    case(
        "list with a mark",
        format!("\u{feff}[{one}, {two}]").as_bytes(),
        &good,
    );
    case(
        "comma behind a line",
        format!("{one},\n{two}\n").as_bytes(),
        &[(0, one), (2, two)],
    );
    let pretty: serde_json::Value = serde_json::from_str(one).unwrap();
    case(
        "pretty",
        format!("{pretty:#}\n{two}\n").as_bytes(),
        &[(1, one), (5, two)],
    );
    for (name, end) in [
        ("list without end", ""),
        ("list with a comma at its end", ",]"),
        ("list with text behind it", "]x"),
        ("list that is cut", ",{\"role\":\"us"),
        ("list with a colon", ":1]"),
        ("two lists", "]\n[1]"),
    ] {
        case(name, format!("[{one},{two}{end}").as_bytes(), &good);
    }
    for (index, cut) in [
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        ":",
        "{\"role\":\"user\",",
        "{\"role\":\"user\"",
        "{\"role\":",
        "{\"role\"",
        "{\"ro",
        "{\"role\":\"us",
        "{\"role\":\"us\\",
        "{\"role\":\"\\u12",
        "{\"a\":[1,2",
        "{\"a\":[1,2,",
        "{\"a\":[{\"b\":",
        "{\"a\":tru",
        "{\"a\":-",
        "{\"a\":1.",
        "{\"a\":1e",
        "nul",
        "NaN",
        "{\"a\":NaN}",
        "{\"a\":Infinity}",
        "{'a':1}",
        "{a:1}",
        "{\"a\":1,}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "{,}",
        "// comment",
        "# comment",
        "/* comment */",
        "<html>",
        "2026-01-01 INFO started",
        "data: {\"role\":\"user\"}",
        "event: message",
        "\u{1e}",
        "{\"role\":\"user\",\"content\":\"tab\tin text\"}",
        "\0",
        "\0\0\0\0",
        "--",
        "...",
        "\u{2028}",
        "ok",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\ud8\"}",
        "[1,2",
        "[{\"role\":",
        "\"text",
        "{}}",
        "{]",
        "[}",
    ]
    .into_iter()
    .enumerate()
    {
        let input = format!("{one}\n{cut}\n{two}\n");
        if cut == "{}}" {
            let values = [(1, one), (0, "{}"), (3, two)];
            case(&format!("line {index} {cut:?}"), input.as_bytes(), &values);
            continue;
        }
        case(
            &format!("line {index} {cut:?}"),
            input.as_bytes(),
            &[(1, one), (3, two)],
        );
    }
    for (name, bad) in [
        (
            "half a character",
            &b"{\"role\":\"user\",\"content\":\"\xe2\x82\"}"[..],
        ),
        ("Latin 1", b"{\"role\":\"user\",\"content\":\"caf\xe9\"}"),
        (
            "a surrogate as bytes",
            b"{\"role\":\"user\",\"content\":\"\xed\xa0\x80\"}",
        ),
        (
            "an overlong byte",
            b"{\"role\":\"user\",\"content\":\"\xc0\xaf\"}",
        ),
        (
            "a byte that is none",
            b"{\"role\":\"user\",\"content\":\"\xff\"}",
        ),
        (
            "a byte in a name",
            b"{\"role\":\"user\",\"content\":\"\",\"\xff\":1}",
        ),
        ("a byte outside of texts", b"{\"role\":\xff}"),
        ("a byte alone", b"\xff"),
    ] {
        let mut input = format!("{one}\n").into_bytes();
        input.extend(bad);
        input.extend(format!("\n{two}\n").bytes());
        let text = String::from_utf8_lossy(bad).into_owned();
        case(name, &input, &[(1, one), (2, &text), (3, two)]);
    }
    let wide = |bytes: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
        let text = format!("{mark}{one}\n{two}\n");
        text.encode_utf16().flat_map(bytes).collect()
    };
    case("UTF-16, little", &wide(u16::to_le_bytes, ""), &good);
    case("UTF-16, big", &wide(u16::to_be_bytes, ""), &good);
    case(
        "UTF-16, little, mark",
        &wide(u16::to_le_bytes, "\u{feff}"),
        &good,
    );
    case(
        "UTF-16, big, mark",
        &wide(u16::to_be_bytes, "\u{feff}"),
        &good,
    );
    for depth in [60, 70, 130, 1000, 20_000] {
        let deep = format!("{}\"in\"{}", "[".repeat(depth), "]".repeat(depth));
        let value = format!(r#"{{"role":"user","content":"text","deep":{deep}}}"#);
        cases.push(Case::of_values(
            format!("lists {depth} deep"),
            "chat",
            "agent",
            &[value],
        ));
        let value = format!(
            r#"{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"tool_use","id":"i","name":"n","input":{{"deep":{deep}}}}}]}}}}"#
        );
        cases.push(Case::of_values(
            format!("input {depth} deep"),
            "agent",
            "chat",
            &[value],
        ));
    }
    for (index, value) in ["null", "true", "5", "\"text\"", "[]", "{}", "[[1]]"]
        .into_iter()
        .enumerate()
    {
        for (from, to) in [
            ("agent", "chat"),
            ("chat", "agent"),
            ("cua", "chat"),
            ("transcript", "chat"),
        ] {
            if from == "agent" || !value.starts_with('[') {
                let values = [value, one].map(str::to_owned);
                let values = if value.starts_with('[') {
                    vec![one.to_owned(), value.to_owned()]
                } else {
                    values.to_vec()
                };
                cases.push(Case::of_values(
                    format!("bare value {index}"),
                    from,
                    to,
                    &values,
                ));
            }
        }
    }
}

/// Sessions whose lines are at odds with each other.
fn sessions(cases: &mut Vec<Case>) {
    let prompt = r#"{"type":"user","message":{"role":"user","content":"prompt text"}}"#.to_owned();
    let call = |message: &str, id: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"{message}","role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"command of {id}"}}}}]}}}}"#
        )
    };
    let result = |id: &str| {
        format!(
            r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"result of {id}"}}]}}}}"#
        )
    };
    let own = |id: &str| result(id).replacen('{', &format!(r#"{{"parent_tool_use_id":"{id}","#), 1);
    let below = |line: String, thread: &str| {
        line.replacen('{', &format!(r#"{{"parent_tool_use_id":"{thread}","#), 1)
    };
    let end = r#"{"type":"result","subtype":"success","result":"text of the end"}"#.to_owned();
    let all: Vec<(&str, Vec<String>)> = vec![
        ("call without result", vec![prompt.clone(), call("m", "a")]),
        (
            "call without result, then a prompt",
            vec![call("m", "a"), prompt.clone(), call("n", "b"), result("b")],
        ),
        ("result without call", vec![prompt.clone(), result("x")]),
        (
            "result before its call",
            vec![result("a"), call("m", "a"), prompt.clone()],
        ),
        (
            "result twice",
            vec![call("m", "a"), result("a"), result("a")],
        ),
        (
            "call twice",
            vec![call("m", "a"), call("m", "a"), result("a")],
        ),
        (
            "call twice in two messages",
            vec![call("m", "a"), result("a"), call("n", "a"), result("a")],
        ),
        (
            "result after the next message",
            vec![call("m", "a"), call("n", "b"), result("a"), result("b")],
        ),
        (
            "result after the end",
            vec![call("m", "a"), end.clone(), result("a")],
        ),
        (
            "result after the end and a prompt",
            vec![call("m", "a"), end.clone(), prompt.clone(), result("a")],
        ),
        (
            "result that names its call",
            vec![call("m", "a"), own("a"), end.clone()],
        ),
        (
            "result that names a call that is not there",
            vec![prompt.clone(), own("x")],
        ),
        (
            "sub-agent",
            vec![
                call("m", "t"),
                below(call("s", "b"), "t"),
                end.clone(),
                below(result("b"), "t"),
                result("t"),
            ],
        ),
        (
            "sub-agent whose call is not there",
            vec![below(prompt.clone(), "x"), below(call("s", "b"), "x")],
        ),
        ("only results", vec![result("a"), result("b"), result("a")]),
        (
            "the same message twice",
            vec![
                prompt.clone(),
                call("m", "a"),
                result("a"),
                prompt.clone(),
                call("m", "a"),
                result("a"),
            ],
        ),
        ("only the end", vec![end.clone(), end]),
    ];
    for (name, values) in all {
        for to in FORMATS {
            cases.push(Case::of_values(name, "agent", to, &values));
        }
    }
}
