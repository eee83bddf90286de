//! The judge: finds every text and every number of an input in what was made of it,
//! in what comes back without the residue, or in the list of losses. It shares no
//! code with the conversions.

use crate::convert_hostile::corpus::{Case, Written};
use crate::convert_hostile::exact::Node;
use std::collections::{HashMap, HashSet};

/// The texts and numbers that were lost, and not told.
pub(crate) fn silent(
    case: &Case,
    message: &str,
    made: &str,
    losses: &str,
    back: &str,
) -> Vec<String> {
    let mut found = Found::default();
    for line in made.lines().chain(back.lines()) {
        found.add(&Node::read(line));
    }
    // Where something is lost, by the index of the value.
    let mut told: HashMap<usize, Vec<Vec<String>>> = HashMap::new();
    for loss in losses.lines() {
        let loss: serde_json::Value = serde_json::from_str(loss).unwrap();
        let index = usize::try_from(loss["index"].as_u64().unwrap()).unwrap();
        // An order is not what something is.
        if loss["what"].get("order").is_some() || loss["what"].get("placeholder").is_some() {
            continue;
        }
        let path = loss["path"].as_str().unwrap().split('/').skip(1);
        let path = path.map(|key| key.replace("~1", "/").replace("~0", "~"));
        told.entry(index).or_default().push(path.collect());
    }
    let mut silent = Vec::new();
    for (index, value) in case.read(message).enumerate() {
        let told = told.remove(&index).unwrap_or_default();
        Node::read(&value.text).leaves(&mut |path, leaf| {
            let is_told = told.iter().any(|told| path.starts_with(told));
            if !is_told && !found.has(leaf) {
                silent.push(format!("{index}/{}: {}", path.join("/"), leaf.write()));
            }
        });
    }
    silent
}

/// What is in the output.
#[derive(Default)]
struct Found {
    texts: HashSet<Vec<u16>>,
    words: HashSet<String>,
    /// All texts, for those that are a part of one.
    all: Vec<u16>,
}

impl Found {
    fn add(&mut self, node: &Node) {
        node.leaves(&mut |_, leaf| match leaf {
            Node::Text(text) => {
                // What a tool is given can be JSON in a text.
                if let Ok(text) = String::from_utf16(text)
                    && text.starts_with(['{', '['])
                    && serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok()
                {
                    self.add_inner(&text);
                }
                self.all.extend(text);
                self.all.push(0);
                self.texts.insert(text.clone());
            }
            Node::Word(word) => {
                self.words.insert(word.clone());
            }
            _ => {}
        });
    }

    fn add_inner(&mut self, text: &str) {
        let node = Node::read(text);
        node.leaves(&mut |_, leaf| match leaf {
            Node::Text(text) => {
                self.texts.insert(text.clone());
            }
            Node::Word(word) => {
                self.words.insert(word.clone());
            }
            _ => {}
        });
    }

    fn has(&self, leaf: &Node) -> bool {
        match leaf {
            Node::Text(text) => {
                text.is_empty()
                    || self.texts.contains(text)
                    || self.all.windows(text.len()).any(|part| part == text)
            }
            Node::Word(word) => {
                self.words.contains(word) || {
                    let word: Vec<u16> = word.encode_utf16().collect();
                    self.all.windows(word.len()).any(|part| part == word)
                }
            }
            _ => true,
        }
    }
}

impl Case {
    /// The values that were read: the others are told by their lines, or by their
    /// numbers in the list.
    pub(crate) fn read(&self, message: &str) -> impl Iterator<Item = &Written> {
        let mut skipped: Vec<(&str, usize, usize)> = Vec::new();
        for told in message.lines().filter(|it| it.ends_with("; skipped")) {
            let told = told.split(':').next().unwrap_or_default();
            let words: Vec<&str> = told.split(' ').collect();
            let number = |text: &str| text.parse::<usize>().unwrap();
            match words[..] {
                [unit @ ("line" | "value"), at] => skipped.push((unit, number(at), number(at))),
                [_, first, "to", last] => skipped.push(("line", number(first), number(last))),
                _ => panic!("{told}"),
            }
        }
        let values = self.values.iter().enumerate();
        values.filter_map(move |(index, value)| {
            let is_skipped = skipped.iter().any(|(unit, first, last)| {
                let at = if *unit == "line" {
                    value.line
                } else {
                    index + 1
                };
                (*first..=*last).contains(&at)
            });
            (!is_skipped).then_some(value)
        })
    }
}
