//! The matcher and link resolution, compared with simple implementations.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

/// The definition of a match, by exhaustive search.
mod reference {
    use super::super::{MatchPurpose, PathPattern, Root};
    use std::path::{Path, PathBuf};

    pub(super) fn matches_names(
        pattern: &PathPattern,
        segments: &[&str],
        names: &[&str],
        is_folder: bool,
        care: MatchPurpose,
    ) -> bool {
        let anywhere =
            !pattern.anchored || (care == MatchPurpose::Deny && pattern.root == Root::Work);
        let mut segments = segments.to_vec();
        if anywhere && segments.first() != Some(&"**") {
            segments.insert(0, "**");
        }
        let itself = match &segments[..] {
            [head @ .., "**"] if is_folder && !head.is_empty() => matches_all(head, names, care),
            _ => false,
        };
        itself
            || (1..=names.len()).any(|end| {
                (end < names.len() || is_folder || !pattern.directories_only)
                    && matches_all(&segments, &names[..end], care)
            })
    }

    fn matches_all(segments: &[&str], names: &[&str], care: MatchPurpose) -> bool {
        match segments {
            [] => names.is_empty(),
            ["**"] => !names.is_empty(),
            ["**", rest @ ..] => {
                (0..=names.len()).any(|skipped| matches_all(rest, &names[skipped..], care))
            }
            [first, rest @ ..] => match names {
                [name, names @ ..] => is_name(first, name, care) && matches_all(rest, names, care),
                [] => false,
            },
        }
    }

    fn is_name(pattern: &str, name: &str, care: MatchPurpose) -> bool {
        let fold = |text: &str| match care {
            MatchPurpose::Allow => text.chars().collect::<Vec<_>>(),
            MatchPurpose::Deny => text.to_lowercase().chars().collect(),
        };
        matches_name(&fold(pattern), &fold(name))
    }

    fn matches_name(pattern: &[char], name: &[char]) -> bool {
        match pattern {
            [] => name.is_empty(),
            ['*', pattern @ ..] => {
                (0..=name.len()).any(|skipped| matches_name(pattern, &name[skipped..]))
            }
            ['[', rest @ ..] if rest.iter().skip(1).any(|c| *c == ']') => {
                let Some((c, name)) = name.split_first() else {
                    return false;
                };
                let (is_negative, rest) = match rest {
                    ['!' | '^', rest @ ..] => (true, rest),
                    _ => (false, rest),
                };
                let end = rest.iter().skip(1).position(|c| *c == ']');
                let Some(end) = end.map(|end| end + 1) else {
                    return false;
                };
                is_one_of(&rest[..end], *c) != is_negative && matches_name(&rest[end + 1..], name)
            }
            [wanted, pattern @ ..] => {
                let (wanted, pattern) = match (wanted, pattern) {
                    ('\\', [wanted, pattern @ ..]) => (Some(wanted), pattern),
                    ('?', pattern) => (None, pattern),
                    (wanted, pattern) => (Some(wanted), pattern),
                };
                name.split_first().is_some_and(|(c, name)| {
                    wanted.is_none_or(|wanted| wanted == c) && matches_name(pattern, name)
                })
            }
        }
    }

    fn is_one_of(set: &[char], c: char) -> bool {
        match set {
            [] => false,
            [from, '-', to, rest @ ..] => (*from..=*to).contains(&c) || is_one_of(rest, c),
            [one, rest @ ..] => *one == c || is_one_of(rest, c),
        }
    }

    /// Resolves links by asking the system about each ancestor.
    pub(super) fn real(path: &Path) -> Option<PathBuf> {
        for ancestor in path.ancestors() {
            match ancestor.canonicalize() {
                Ok(real) => return Some(real.join(path.strip_prefix(ancestor).ok()?)),
                Err(_) if ancestor.is_symlink() => return None,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(_) => return None,
            }
        }
        None
    }
}

fn segment() -> impl Strategy<Value = String> {
    let pieces = [
        "a", "b", "A", "B", "*", "*", "?", "[a-b]", "[!a]", "[^A]", "[]a]", "[!]", "[!]]", "[a-",
        "[A-B]", "\\a", "\\*", "\\", "é", "É", "ß", "İ", "Σ", "-", "]", "[", "**", ".",
    ];
    let piece = proptest::sample::select(pieces.to_vec());
    prop_oneof![
        2 => Just("**".to_owned()),
        6 => proptest::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat()),
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    let front = proptest::sample::select(vec!["", "", "./", "/", "//", "~/"]);
    let back = proptest::sample::select(vec!["", "", "/"]);
    let segments = proptest::collection::vec(segment(), 1..6);
    (front, segments, back)
        .prop_map(|(front, segments, back)| format!("{front}{}{back}", segments.join("/")))
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let pieces = [
        "a", "b", "A", "B", "ab", "é", "É", "ß", "ẞ", "i̇", "ς", "σ", "Σ", "-", "]", "[", "\\", "!",
        "*", ".",
    ];
    let piece = proptest::sample::select(pieces.to_vec());
    let name = proptest::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat());
    proptest::collection::vec(name, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn patterns_match_their_definition(
        text in pattern(),
        names in names(),
        is_folder in any::<bool>(),
    ) {
        let parsed = PathPattern::parse(&text);
        prop_assume!(parsed.is_ok());
        let (pattern, segments) = parsed.unwrap();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for care in [MatchPurpose::Allow, MatchPurpose::Deny] {
            let mut steps = Steps(MOST_STEPS);
            let found = pattern.matches_names(&names, is_folder, care, &mut steps);
            let defined = reference::matches_names(&pattern, &segments, &names, is_folder, care);
            prop_assert_eq!(found, Ok(defined), "{} {:?} {:?}", text, names, care);
        }
    }
}

/// Returns all lists with at most this many of these items.
fn lists(of: &[&'static str], most: usize) -> Vec<Vec<&'static str>> {
    let mut lists = vec![vec![]];
    let mut start = 0;
    for _ in 0..most {
        let end = lists.len();
        for number in start..end {
            for more in of {
                let mut longer: Vec<&str> = lists[number].clone();
                longer.push(*more);
                lists.push(longer);
            }
        }
        start = end;
    }
    lists
}

#[test]
fn all_short_patterns_match_their_definition() {
    let names = lists(&["a", "b"], 4);
    for segments in lists(&["**", "a", "b"], 4).iter().skip(1) {
        for (front, back) in [("/", ""), ("/", "/"), ("", ""), ("//", "/")] {
            let text = format!("{front}{}{back}", segments.join("/"));
            let (pattern, segments) = PathPattern::parse(&text).unwrap();
            for (names, is_folder) in names
                .iter()
                .flat_map(|names| [(names, false), (names, true)])
            {
                for care in [MatchPurpose::Allow, MatchPurpose::Deny] {
                    let mut steps = Steps(MOST_STEPS);
                    let found = pattern.matches_names(names, is_folder, care, &mut steps);
                    let defined =
                        reference::matches_names(&pattern, &segments, names, is_folder, care);
                    assert_eq!(found, Ok(defined), "{text} {names:?} {care:?}");
                }
            }
        }
    }
}

/// Creates a tree with links of all kinds.
fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("a/b/c")).unwrap();
    std::fs::write(root.join("a/file"), "").unwrap();
    for (link, target) in [
        ("a/up", PathBuf::from("..")),
        ("a/here", ".".into()),
        ("a/b/absolute", root.join("a")),
        ("a/b/twice", "../here/b".into()),
        ("a/b/leaf", "../file".into()),
        ("broken", "a/none".into()),
        ("a/under", "none/../b".into()),
        ("through", "a/file/x".into()),
        ("loop", "a/loop".into()),
        ("a/loop", "../loop".into()),
    ] {
        std::os::unix::fs::symlink(target, root.join(link)).unwrap();
    }
    folder
}

#[test]
fn links_are_followed_as_the_system_follows_them() {
    let folder = tree();
    let names = [
        "a", "b", "c", "file", "up", "here", "absolute", "twice", "leaf", "broken", "under",
        "through", "loop", "none",
    ];
    let mut paths = vec![folder.path().to_owned()];
    let mut length = 0;
    for _ in 0..4 {
        let longer = paths[length..].to_vec();
        length = paths.len();
        paths.extend(
            longer
                .iter()
                .flat_map(|path| names.map(|name| path.join(name))),
        );
    }
    // One lookup for each entry, for all paths together.
    for path in &paths {
        let disk = Disk::default();
        assert_eq!(disk.follow(path).path, reference::real(path), "{path:?}");
    }
}

/// Returns the number of characters compared with a path of n of these names.
fn steps(pattern: &str, name: &str, n: usize, care: MatchPurpose) -> usize {
    let pattern = PathPattern::new(pattern).unwrap();
    let mut steps = Steps(MOST_STEPS);
    let found = pattern.matches_names(&vec![name; n], true, care, &mut steps);
    assert_eq!(found, Ok(false), "{n}");
    MOST_STEPS - steps.0
}

/// Asserts that the counts for n, 2n and 4n are linear.
fn assert_linear(pattern: &str, counts: [usize; 3]) {
    let is_twice = |pair: &[usize]| pair[1] <= pair[0] * 21 / 10;
    assert!(counts.windows(2).all(is_twice), "{pattern} {counts:?}");
}

#[test]
fn twice_as_many_names_take_twice_as_many_steps() {
    for pattern in [".env", "**/a/**/a/**/a/**/b", "/a*a*a*b/**", "**/**/a/**/b"] {
        for care in [MatchPurpose::Allow, MatchPurpose::Deny] {
            let counts = [500, 1000, 2000].map(|n| steps(pattern, "a", n, care));
            assert_linear(pattern, counts);
        }
    }
    for pattern in ["*a*a*a*a*a*a*b", "*aaaab", "*[a-b]*[!b]b", "**a**?b"] {
        let counts =
            [500, 1000, 2000].map(|n| steps(pattern, &"a".repeat(n), 1, MatchPurpose::Deny));
        assert_linear(pattern, counts);
    }
}

#[test]
fn a_match_beyond_the_limit_is_undecided() {
    let undecided = |pattern: &str, names: &[&str]| {
        let pattern = PathPattern::new(pattern).unwrap();
        let mut steps = Steps(MOST_STEPS);
        pattern.matches_names(names, true, MatchPurpose::Allow, &mut steps) == Err(Exhausted)
    };
    let names = |n: usize| vec!["a"; n];
    assert!(!undecided(".env", &names(MOST_NAMES)));
    assert!(undecided(".env", &names(MOST_NAMES + 1)));
    let name = "a".repeat(64 * 1024);
    assert!(!undecided("*aaab", &[&name]));
    assert!(undecided(&format!("*{}b", "a".repeat(64)), &[&name]));
}

#[test]
fn each_entry_is_looked_up_once_within_the_depth_limit() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    let below = |names: &str| disk.follow(&folder.path().join(names));
    let lookups = || disk.cost();
    below("none");
    let (first, _) = (lookups(), below("other"));
    let each = lookups() - first;
    // Entries below a missing directory are missing.
    below(&format!("none/{}", "a/".repeat(2000)));
    assert!(lookups() - first < 3 * each);
    for _ in 0..100 {
        below("none/other");
    }
    assert!(lookups() - first < 110 * each);
    let deep = "d/".repeat((4000 - folder.path().as_os_str().len()) / 2);
    std::fs::create_dir_all(folder.path().join(&deep)).unwrap();
    assert!(below(&"d/".repeat(200)).exists);
    assert_eq!(below(&deep).path, None);
}
