//! What holds for all systems there are.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_interop::conversion::{
    Back, Converter, Direction, Export, Group, Import, System, Through, WayBack, Why, convert,
    export, undo,
};
use agentwire_interop::session::{self, Line, Session};
use agentwire_interop::{bridgic, chat, cua, openhands, responses};
use agentwire_protocol::Json;
use proptest::prelude::*;
use serde_json::Value;
use support::exact::{Node, odd};
use support::{ours, properties, tree};

const REAL: &str = include_str!("sessions/real.ndjson");

/// Signed thinking, and a call whose input only looks like it.
const SIGNED: &str = r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"first","signature":"c2ln"}]}}
{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"second","signature":"bmVk"}]}}
{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{"type":"thinking","thinking":"first","signature":"aW4="}}]}}"#;

/// Edits a thought in what a system has of it, or here, and takes it back.
fn edited_thinking<S: System + Copy>(system: S) {
    let lines: Vec<Line> = SIGNED
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let edit = |text: &str, old: &str| text.replace(old, "edited");
    let signatures = |text: &str| ["c2ln", "bmVk", "aW4="].map(|it| text.contains(it));

    let there = convert(Session::new(system), lines);
    let text = serde_json::to_string(&there.made).unwrap();
    let had = signatures(&text);
    let items = serde_json::from_str(&edit(&text, "first")).unwrap();
    let back = undo(Session::new(system), items, there.residue).pieces;
    let back = serde_json::to_string(&back).unwrap();
    // The input of the tool was edited as well, and keeps what it has.
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

fn lines() -> Vec<Line> {
    REAL.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Carries pieces over and back, as they are written.
fn written<D: Direction + Clone>(direction: D, texts: &[String]) -> Result<(), TestCaseError> {
    let mut converter = Converter::new(direction.clone());
    let (mut made, mut groups, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let mut take = |converted: agentwire_interop::conversion::Converted<D::To>| {
        made.extend(converted.made);
        groups.extend(converted.group);
    };
    for text in texts {
        let json: Json = text.parse().unwrap();
        // An edit can make an item that is none.
        let Ok(piece) = json.read() else { continue };
        kept.push(Node::read(text).sorted());
        converter.push_written(json, piece).map(&mut take);
    }
    converter.finish().map(&mut take);
    let groups: Vec<Group> =
        serde_json::from_str(&serde_json::to_string(&groups).unwrap()).unwrap();
    let mut way = WayBack::new(direction, made, groups);
    let mut back = Vec::new();
    while let Some(step) = way.next_written() {
        match step {
            Back::Restored(text) => back.push(Node::read(text.get()).sorted()),
            other => return Err(TestCaseError::fail(format!("{other:?} of {texts:?}"))),
        }
    }
    prop_assert_eq!(back, kept);
    Ok(())
}

/// Carries the session of one agent over and back, and gives what it became.
fn there_and_back<D>(direction: D, lines: &[Line]) -> Vec<Value>
where
    D: Direction<From = Line> + Clone,
{
    let mut converter = Converter::new(direction.clone());
    let (mut made, mut groups) = (Vec::new(), Vec::new());
    let mut take = |converted: agentwire_interop::conversion::Converted<D::To>| {
        made.extend(converted.made);
        groups.extend(converted.group);
    };
    for line in lines {
        converter.push(line.clone()).map(&mut take);
    }
    converter.finish().map(&mut take);
    let back: Vec<Value> = WayBack::new(direction, made.clone(), groups)
        .map(|step| match step {
            Back::Restored(line) => tree(&line),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(back, lines.iter().map(tree).collect::<Vec<_>>());
    made.iter().map(tree).collect()
}

macro_rules! for_all_systems {
    ($($name:ident: $system:expr, $images:literal;)*) => {
        $(
            mod $name {
                use super::*;

                #[test]
                fn a_real_session_comes_back_from_there() {
                    let lines = lines();
                    let made = there_and_back(Session::new($system), &lines);
                    let text = Value::from(made).to_string();
                    for said in [
                        "What is this?", "A red dot. Let me look around.", "echo two; exit 3",
                        "Exit code 3", "Now somebody else.", "count files",
                        "There is one file, and the dot is red.", "Thank you.", "You are welcome.",
                    ] {
                        assert!(text.contains(said), "{said} in {text}");
                    }
                    assert_eq!(text.matches("iVBORw0KGgo").count(), $images, "{text}");
                    assert!(!text.contains("I count."));
                    let made = there_and_back(Session::new($system).of("toolu_4"), &lines);
                    let text = Value::from(made).to_string();
                    for said in ["Count the files.", "I count.", "ls | wc -l", "One file."] {
                        assert!(text.contains(said), "{said} in {text}");
                    }
                }

                #[test]
                fn edited_thinking_loses_its_signature_and_other_thinking_keeps_it() {
                    edited_thinking($system);
                }

                #[test]
                fn a_placeholder_is_never_read_back_as_a_result() {
                    let lines: Vec<Line> = UNANSWERED
                        .lines()
                        .map(|line| serde_json::from_str(line).unwrap())
                        .collect();
                    let made = there_and_back(Session::new($system), &lines);
                    let text = Value::from(made.clone()).to_string();
                    assert_eq!(text.matches(session::PLACEHOLDER).count(), 2, "{text}");
                    let items: Vec<_> = made
                        .iter()
                        .map(|item| serde_json::from_value(item.clone()).unwrap())
                        .collect();
                    // Without a residue, by either way.
                    let way = Session::new($system);
                    let back = undo(way, items.clone(), Default::default()).pieces;
                    let text = tree(&back).to_string();
                    assert!(!text.contains("tool_result"), "{text}");
                    let imported = convert(Import($system), items.clone());
                    let text = tree(&imported.made).to_string();
                    assert!(!text.contains("tool_result"), "{text}");
                    let told = imported.losses.iter().filter(|loss| loss.why == Why::Unpaired);
                    assert_eq!(told.count(), 2, "{:?}", imported.losses);
                    let back = undo(Import($system), imported.made, imported.residue);
                    assert_eq!(tree(&back.pieces), Value::from(made));
                }

                #[test]
                fn what_a_session_becomes_comes_back_as_messages() {
                    let messages = session::messages(&lines(), None);
                    properties::there_and_back($system, &messages).unwrap();
                }

                proptest! {
                    #![proptest_config(ProptestConfig::with_cases(64))]

                    #[test]
                    fn an_edit_costs_only_what_was_edited(
                        messages in ours::conversation(),
                        at in any::<usize>(),
                    ) {
                        properties::edits_cost_only_what_was_edited($system, &messages, at, None)?;
                    }

                    #[test]
                    fn what_the_types_cannot_hold_comes_back(
                        messages in ours::conversation(),
                        seed in any::<u64>(),
                    ) {
                        let items = export($system, messages.clone()).made;
                        let texts: Vec<String> = (seed..)
                            .zip(&items)
                            .map(|(seed, item)| odd(&tree(item), seed))
                            .collect();
                        written(Import($system), &texts)?;
                        written(Through($system, chat::Chat), &texts)?;
                        let texts: Vec<String> = (seed..)
                            .zip(&messages)
                            .map(|(seed, message)| odd(&tree(message), seed))
                            .collect();
                        written(Session::new($system), &texts)?;
                        written(Export($system), &texts)?;
                    }

                    #[test]
                    fn from_any_system_through_ours_and_back(messages in ours::conversation()) {
                        through($system, &messages)?;
                    }
                }
            }
        )*

        /// From one system to all of them, by way of ours, and back.
        fn through<A: System + Copy>(
            from: A,
            messages: &[agentwire_interop::Message],
        ) -> Result<(), TestCaseError> {
            let items = agentwire_interop::conversion::export(from, messages.to_vec()).made;
            $(
                let direction = Through(from, $system);
                let carried = convert(direction, items.clone());
                let back = undo(direction, carried.made, carried.residue);
                prop_assert_eq!(back.refused, vec![]);
                prop_assert_eq!(tree(&back.pieces), tree(&items));
            )*
            Ok(())
        }
    };
}

for_all_systems! {
    to_chat: chat::Chat, 2;
    to_responses: responses::Responses, 2;
    to_openhands: openhands::OpenHands, 2;
    to_cua: cua::Cua::default(), 2;
    to_bridgic: bridgic::Chat, 0;
    to_bridgic_blocks: bridgic::Blocks, 0;
}
