//! Lists of known exceptions: patterns, in groups with a reason.

/// Patterns, each with its reason. A line `# …` is the reason of the patterns
/// on the lines below it. `*` in a pattern matches any text.
#[derive(Debug)]
pub struct Reasons<'a> {
    patterns: Vec<(&'a str, &'a str, usize)>,
}

impl<'a> Reasons<'a> {
    /// Reads a list.
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        let mut reason = "";
        let mut patterns = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.strip_prefix("# ") {
                Some(next) => reason = next,
                None => patterns.push((line, reason, 0)),
            }
        }
        Self { patterns }
    }

    /// Returns the reason of the first pattern that matches. All patterns that
    /// match count as used.
    pub fn why(&mut self, text: &str) -> Option<&'a str> {
        let mut why = None;
        for (pattern, reason, used) in &mut self.patterns {
            if matches(pattern, text) {
                *used += 1;
                why.get_or_insert(*reason);
            }
        }
        why
    }

    /// Returns the patterns that have matched nothing.
    pub fn unused(&self) -> impl Iterator<Item = &'a str> {
        self.patterns
            .iter()
            .filter(|(_, _, used)| *used == 0)
            .map(|(pattern, _, _)| *pattern)
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            (0..=text.len())
                .filter(|&at| text.is_char_boundary(at))
                .any(|at| matches(rest, &text[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        assert!(matches("+ Fish.*: string", "+ Fish.fins.left: string"));
        assert!(matches("*", ""));
        assert!(!matches("+ Fish.*: string", "+ Fish.fins: number"));
        assert!(!matches("Fish", "Fishes"));
    }

    #[test]
    fn a_list_tells_reasons_and_what_it_has_in_vain() {
        let mut reasons = Reasons::read("# wet\nFish\nWater*\n\n# dry\nSand\n");
        assert_eq!(reasons.why("Waterfall"), Some("wet"));
        assert_eq!(reasons.why("Sand"), Some("dry"));
        assert_eq!(reasons.why("Stone"), None);
        assert_eq!(reasons.unused().collect::<Vec<_>>(), ["Fish"]);
    }
}
