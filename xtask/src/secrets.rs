//! Which secrets that a published list of rules finds are not masked here.
//!
//! For each rule some texts are made that it finds, by chance from a fixed
//! seed, and put to [`masked`].

use crate::reasons::Reasons;
use agentwire_testing::Random;
use agentwire_testkit::secret::masked;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Rules that are known to find what is not masked here.
const EXPLAINED: &str = include_str!("../secrets-explained.txt");

/// Texts that are made for each rule.
const TEXTS: usize = 20;

/// What rules that know a service by its name have between it and the secret.
const SIGNS: &str = "(?:=|>|:{1,3}=|";

/// What differs, a line each.
#[derive(Debug, Default)]
pub struct Differences {
    /// What has no reason.
    pub lines: Vec<String>,
    /// How many rules there are.
    pub rules: usize,
    /// How many of them find what is not masked, with a reason.
    pub explained: usize,
}

/// Compares a list of rules, in the TOML of gitleaks and Betterleaks, with what
/// is masked here.
#[must_use]
pub fn differences(config: &str) -> Differences {
    let mut found = Differences::default();
    let mut reasons = Reasons::read(EXPLAINED);
    for (id, pattern) in rules(config) {
        found.rules += 1;
        let line = match missed(pattern) {
            Ok(None) => continue,
            Ok(Some(text)) => format!("+ {id}: {text}"),
            Err(error) => format!("? {id}: {}", error.to_string().replace('\n', " ")),
        };
        match reasons.why(&line) {
            Some(_) => found.explained += 1,
            None => found.lines.push(line),
        }
    }
    let unused = reasons.unused();
    (found.lines).extend(unused.map(|it| format!("explained, and not there: {it}")));
    found
}

/// The names and patterns of the rules. The file is written by a program, a
/// member a line.
fn rules(config: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut id = "";
    config.lines().filter_map(move |line| {
        if let Some(name) = line.strip_prefix("id = \"") {
            id = name.trim_end_matches('"');
        }
        let pattern = line.strip_prefix("regex = \'\'\'")?;
        Some((id, pattern.trim_end_matches('\'')))
    })
}

/// A secret that the rule finds, and that is not masked.
fn missed(pattern: &str) -> Result<Option<String>, Box<regex_syntax::Error>> {
    let rule = regex_syntax::parse(pattern)?;
    let is_named = pattern.contains(SIGNS);
    // The same texts, whatever other rules there are.
    let mut chance = Chance(Random::new(1));
    Ok((0..TEXTS).find_map(|_| {
        let mut text = String::new();
        let mut secret = None;
        chance.write(&rule, &mut text, &mut secret);
        let secret = text[secret.unwrap_or(0..text.len())].to_owned();
        let text = match is_named {
            true => format!("SERVICE_API_KEY={secret}"),
            false => format!("it is {text} there"),
        };
        masked(&text).contains(&secret).then_some(text)
    }))
}

/// Makes texts by chance.
struct Chance(Random);

impl Chance {
    /// Adds a text that the pattern finds, and tells where its first group is.
    fn write(
        &mut self,
        pattern: &Hir,
        text: &mut String,
        group: &mut Option<std::ops::Range<usize>>,
    ) {
        match pattern.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
            HirKind::Class(class) => text.push(self.character(class)),
            HirKind::Capture(capture) => {
                let start = text.len();
                self.write(&capture.sub, text, group);
                group.get_or_insert(start..text.len());
            }
            HirKind::Concat(parts) => {
                for part in parts {
                    self.write(part, text, group);
                }
            }
            HirKind::Alternation(parts) => {
                let part = &parts[self.0.below(parts.len())];
                self.write(part, text, group);
            }
            HirKind::Repetition(run) => {
                let least = run.min as usize;
                let most = run.max.map_or(least + 8, |most| most as usize);
                for _ in 0..least + self.0.below(most - least + 1) {
                    self.write(&run.sub, text, group);
                }
            }
        }
    }

    /// A character of a class that can be seen, if it has any.
    fn character(&mut self, class: &Class) -> char {
        let is_in = |c: char| match class {
            Class::Unicode(class) => class.iter().any(|it| (it.start()..=it.end()).contains(&c)),
            Class::Bytes(class) => class
                .iter()
                .any(|it| (it.start()..=it.end()).contains(&(c as u8))),
        };
        let all: Vec<char> = ('!'..='~').filter(|c| is_in(*c)).collect();
        // Letters and digits are what most classes are about.
        let plain: Vec<char> = all
            .iter()
            .copied()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let from = if plain.is_empty() { all } else { plain };
        match &from[..] {
            [] => ' ',
            // A letter in a pattern for which both cases are the same.
            [one, two] if one.eq_ignore_ascii_case(two) => *two,
            _ => from[self.0.below(from.len())],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_whose_secrets_stay_are_told() {
        let config = r#"
[[rules]]
id = "one"
regex = '''\b(ghp_[0-9a-zA-Z]{36})(?:[\s;]|$)'''

[[rules]]
id = "two"
regex = '''(?i)(?:two)(?:[ \w.-]{0,20})(?:=|>|:{1,3}=|,)([a-f0-9]{32})'''

[[rules]]
id = "three"
regex = '''\bnew_[0-9]{3}\b'''

[[rules]]
id = "four"
regex = '''('''
"#;
        let found = differences(config);
        let lines: Vec<_> = found
            .lines
            .iter()
            .filter(|it| !it.starts_with("explained"))
            .collect();
        assert_eq!(found.rules, 4);
        assert!(lines[0].starts_with("+ three: it is new_"), "{lines:?}");
        assert!(lines[1].starts_with("? four: "), "{lines:?}");
        assert_eq!(lines.len(), 2);
    }
}
