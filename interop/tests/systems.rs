//! Tests of properties of all systems.

use crate::support::exact::{Node, unusual_json};
use crate::support::{REAL, lines, openhands as theirs, ours, properties, tree};
use crate::support::{bridgic as their_bridgic, cua as their_cua};
use agentwire_interop::conversion::{
    Converter, Direction, Export, Group, Import, RestoreStep, Restorer, System, Through, Why,
    convert, export, undo,
};
use agentwire_interop::session::{self, Line, Session};
use agentwire_interop::{Message, bridgic, chat, cua, openhands, responses};
use agentwire_protocol::{Json, Members};
use proptest::collection::vec;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Signed thinking, and a call whose input looks like signed thinking.
const SIGNED: &str = r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"first","signature":"c2ln"}]}}
{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"second","signature":"bmVk"}]}}
{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{"type":"thinking","thinking":"first","signature":"aW4="}}]}}"#;

/// Edits thinking in an export and in an import, and undoes the conversion.
fn edited_thinking<S: System + Copy>(system: S) {
    let edit = |text: &str, old: &str| text.replace(old, "edited");
    let signatures = |text: &str| ["c2ln", "bmVk", "aW4="].map(|it| text.contains(it));

    let there = convert(Session::new(system), lines(SIGNED));
    let text = serde_json::to_string(&there.made).unwrap();
    let had = signatures(&text);
    let items = serde_json::from_str(&edit(&text, "first")).unwrap();
    let back = undo(Session::new(system), items, there.residue).pieces;
    let back = serde_json::to_string(&back).unwrap();
    // The input of the tool was also edited, but it is not thinking.
    let has_thinking = text.contains("second");
    assert_eq!(signatures(&back), [false, has_thinking, true], "{back}");

    let here = convert(Import(system), there.made);
    let text = serde_json::to_string(&here.made).unwrap();
    let messages = serde_json::from_str(&edit(&text, "second")).unwrap();
    let back = undo(Import(system), messages, here.residue).pieces;
    let back = serde_json::to_string(&back).unwrap();
    assert_eq!(signatures(&back), [had[0], false, true], "{back}");
}

/// Calls without results, one of the computer.
const UNANSWERED: &str = r#"{"type":"user","message":{"role":"user","content":"go"}}
{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"ls"}}]}}
{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"b","name":"computer","input":{"action":"screenshot"}}]}}"#;

/// Converts JSON texts, and converts the output back.
fn written<D: Direction + Clone>(direction: D, texts: &[String]) -> Result<(), TestCaseError> {
    let mut converter = Converter::new(direction.clone());
    let (mut made, mut groups, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let mut take = |converted: agentwire_interop::conversion::Converted<D::To>| {
        made.extend(converted.made);
        groups.extend(converted.group);
    };
    for text in texts {
        let json: Json = text.parse().unwrap();
        // An edit can make an item invalid.
        let Ok(piece) = json.read() else { continue };
        kept.push(Node::read(text).sorted());
        converter.push_written(json, piece).map(&mut take);
    }
    converter.finish().map(&mut take);
    let groups: Vec<Group> =
        serde_json::from_str(&serde_json::to_string(&groups).unwrap()).unwrap();
    let mut way = Restorer::new(direction, made, groups);
    let mut back = Vec::new();
    while let Some(step) = way.next_written() {
        match step {
            RestoreStep::Restored(text) => back.push(Node::read(text.get()).sorted()),
            other => return Err(TestCaseError::fail(format!("{other:?} of {texts:?}"))),
        }
    }
    prop_assert_eq!(back, kept);
    Ok(())
}

/// Converts a session, and converts the output back. Returns the output.
fn round_trip<D>(direction: D, lines: &[Line]) -> Vec<Value>
where
    D: Direction<From = Line> + Clone,
{
    let exported = convert(direction.clone(), lines.to_vec());
    let back = undo(direction, exported.made.clone(), exported.residue);
    assert_eq!(back.refused, []);
    assert_eq!(tree(&back.pieces), tree(&lines));
    exported.made.iter().map(tree).collect()
}

/// Generates conversations of these items.
fn items<T: DeserializeOwned + std::fmt::Debug>(
    values: impl Strategy<Value = Vec<Value>>,
) -> impl Strategy<Value = Vec<T>> {
    values.prop_map(|values| {
        let read = |value: &Value| serde_json::from_str(&value.to_string()).unwrap();
        values.iter().map(read).collect()
    })
}

fn each(value: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Vec<Value>> {
    vec(value, 0..7).boxed()
}

macro_rules! for_all_systems {
    ($($name:ident: $system:expr, $images:literal, $theirs:expr;)*) => {
        $(
            mod $name {
                use super::*;

                #[test]
                fn a_real_session_round_trips() {
                    let lines = lines(REAL);
                    let made = round_trip(Session::new($system), &lines);
                    let text = Value::from(made).to_string();
                    for text_part in [
                        "What is this?", "A red dot. Let me look around.", "echo two; exit 3",
                        "Exit code 3", "Now somebody else.", "count files",
                        "There is one file, and the dot is red.", "Thank you.", "You are welcome.",
                    ] {
                        assert!(text.contains(text_part), "{text_part} in {text}");
                    }
                    assert_eq!(text.matches("iVBORw0KGgo").count(), $images, "{text}");
                    assert!(!text.contains("I count."));
                    let made = round_trip(Session::new($system).of("toolu_4"), &lines);
                    let text = Value::from(made).to_string();
                    for text_part in ["Count the files.", "I count.", "ls | wc -l", "One file."] {
                        assert!(text.contains(text_part), "{text_part} in {text}");
                    }
                    let messages = session::messages(&lines, None);
                    properties::export_round_trip($system, &messages).unwrap();
                }

                #[test]
                fn only_edited_thinking_loses_its_signature() {
                    edited_thinking($system);
                }

                #[test]
                fn a_placeholder_is_never_read_back_as_a_result() {
                    let made = round_trip(Session::new($system), &lines(UNANSWERED));
                    let text = Value::from(made.clone()).to_string();
                    assert_eq!(text.matches(session::PLACEHOLDER).count(), 2, "{text}");
                    let items: Vec<_> = made
                        .iter()
                        .map(|item| serde_json::from_value(item.clone()).unwrap())
                        .collect();
                    // Convert without a residue, in both directions.
                    let way = Session::new($system);
                    let back = undo(way, items.clone(), Default::default()).pieces;
                    let text = tree(&back).to_string();
                    assert!(!text.contains("tool_result"), "{text}");
                    let imported = convert(Import($system), items.clone());
                    let text = tree(&imported.made).to_string();
                    assert!(!text.contains("tool_result"), "{text}");
                    let unpaired = imported.losses.iter().filter(|loss| loss.why == Why::Unpaired);
                    assert_eq!(unpaired.count(), 2, "{:?}", imported.losses);
                    let back = undo(Import($system), imported.made, imported.residue);
                    assert_eq!(tree(&back.pieces), Value::from(made));
                }

                proptest! {
                    #[test]
                    fn export_round_trips(messages in ours::conversation()) {
                        properties::export_round_trip($system, &messages)?;
                    }

                    #[test]
                    fn import_round_trips(items in items($theirs)) {
                        properties::import_round_trip($system, &items)?;
                    }

                    #[test]
                    fn an_edit_affects_only_the_edited_message(
                        messages in ours::conversation(),
                        at in any::<usize>(),
                        by in items($theirs),
                    ) {
                        let by = by.into_iter().next();
                        properties::edits_affect_only_one_message($system, &messages, at, by)?;
                    }

                    #[test]
                    fn members_outside_the_types_round_trip(
                        messages in ours::conversation(),
                        seed in any::<u64>(),
                    ) {
                        let items = export($system, messages.clone()).made;
                        let texts: Vec<String> = (seed..)
                            .zip(&items)
                            .map(|(seed, item)| unusual_json(&tree(item), seed))
                            .collect();
                        written(Import($system), &texts)?;
                        written(Through($system, chat::Chat), &texts)?;
                        let texts: Vec<String> = (seed..)
                            .zip(&messages)
                            .map(|(seed, message)| unusual_json(&tree(message), seed))
                            .collect();
                        written(Session::new($system), &texts)?;
                        written(Export($system), &texts)?;
                    }

                    #[test]
                    fn conversions_between_systems_round_trip(messages in ours::conversation()) {
                        through($system, &messages)?;
                    }
                }
            }
        )*

        /// Converts messages from one system to every system, and back.
        fn through<A: System + Copy>(
            from: A,
            messages: &[Message],
        ) -> Result<(), TestCaseError> {
            let items = export(from, messages.to_vec()).made;
            $(
                let direction = Through(from, $system);
                let exported = convert(direction, items.clone());
                let back = undo(direction, exported.made, exported.residue);
                prop_assert_eq!(back.refused, vec![]);
                prop_assert_eq!(tree(&back.pieces), tree(&items));
            )*
            Ok(())
        }
    };
}

for_all_systems! {
    to_chat: chat::Chat, 2, each(prop_oneof![theirs::chat_message(), theirs::chat_reply()]);
    to_responses: responses::Responses, 2,
        each(prop_oneof![theirs::input_item(), theirs::output_item(false)]);
    to_openhands: openhands::OpenHands, 2, each(theirs::message());
    to_cua: cua::Cua::default(), 2, their_cua::conversation();
    to_cua_of_the_library: cua::Cua::new(cua::Dialect::Library), 2, their_cua::conversation();
    to_cua_of_openai: cua::Cua::new(cua::Dialect::OpenAi), 2, their_cua::conversation();
    to_bridgic: bridgic::Chat, 0, each(their_bridgic::chat_message());
    to_bridgic_blocks: bridgic::Blocks, 0, each(their_bridgic::block_message());
}

proptest! {
    #[test]
    fn only_the_name_of_an_author_is_an_undeclared_member_for_bridgic(
        messages in ours::conversation(),
    ) {
        let is_name = |members: &Members| {
            let name = members.get_str("name").unwrap_or_default();
            members.is_empty() || (members.len() == 1 && name.starts_with("agentwire-"))
        };
        for message in export(bridgic::Blocks, messages.clone()).made {
            prop_assert!(is_name(&message.extras.unwrap()));
            prop_assert!(message.extra.is_empty());
        }
        for message in export(bridgic::Chat, messages).made {
            use bridgic::ChatMessage::{Assistant, System, Tool, User};
            let members = match message {
                System(message) => message.extra,
                User(message) => message.extra,
                Assistant(message) => message.extra,
                Tool(message) => message.extra,
                other => panic!("{other:?}"),
            };
            prop_assert!(is_name(&members));
        }
    }

    #[test]
    fn tools_round_trip(
        tools in items::<agentwire_protocol::content::ToolDefinition>(each(their_bridgic::definition())),
        specs in items::<bridgic::ToolSpec>(each(their_bridgic::spec())),
    ) {
        let exported = bridgic::export_tools(tools.clone());
        let back = bridgic::undo_export_tools(exported.made, exported.residue);
        prop_assert_eq!(tree(&back.pieces), tree(&tools));
        let exported = bridgic::import_tools(specs.clone());
        let back = bridgic::undo_import_tools(exported.made, exported.residue);
        prop_assert_eq!(tree(&back.pieces), tree(&specs));
    }
}

#[test]
fn unsupported_content_is_a_loss() {
    let message = ours::message(json!({
        "type": "user", "uuid": "u-1", "message": {"role": "user", "content": [
            {"type": "text", "text": "look", "cache_control": {"type": "ephemeral"}},
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
            {"type": "text", "text": "here"},
        ]},
    }));
    let losses = export(bridgic::Blocks, vec![message]).losses;
    let losses: Vec<String> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        losses,
        [
            "0/message/content/0/cache_control: `cache_control`: there is no place for it",
            "0/message/content/1: image: there is no place for it",
            "0/uuid: `uuid`: it is about how the message travelled",
        ]
    );
}

#[test]
fn a_residue_fits_reformatted_json() {
    let theirs = json!([{"role": "assistant", "content": "hé", "name": "n", "tool_calls": [
        {"id": "1", "type": "function", "function": {
            "name": "f", "arguments": "{ \"b\": \"é\",\n \"a\": 1.0 }"}},
    ]}]);
    let items = serde_json::from_str(&theirs.to_string()).unwrap();
    let exported = convert(Import(chat::Chat), items);
    let written = serde_json::to_string(&exported.made).unwrap();
    assert!(!written.contains('\n'), "a message is a line: {written}");
    // Write the residue in the format of Python's `json.dumps`.
    let anew = written
        .replace('é', "\\u00e9")
        .replace(':', ": ")
        .replace(",\"", ", \"");
    let back = undo(
        Import(chat::Chat),
        serde_json::from_str(&anew).unwrap(),
        exported.residue,
    );
    assert_eq!((back.refused, tree(&back.pieces)), (vec![], theirs));
}

#[test]
fn encrypted_reasoning_is_not_printed() {
    let item = json!([{"type": "reasoning", "id": "rs_1", "encrypted_content": "c2VjcmV0", "summary": []}]);
    let items: Vec<responses::Item> = serde_json::from_value(item).unwrap();
    let message = openhands::Message::from_llm_responses_output(&items).unwrap();
    assert!(
        message
            .responses_reasoning_item
            .as_ref()
            .unwrap()
            .encrypted_content
            .is_some()
    );
    assert!(!format!("{items:?} {message:?}").contains("c2VjcmV0"));
}
