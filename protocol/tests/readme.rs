//! Tests that the README matches the wire types.

use agentwire_protocol::hook::HookKind;

const README: &str = include_str!("../README.md");

#[test]
fn every_event_is_in_the_table_of_hooks() {
    let rows: Vec<&str> = README
        .lines()
        .filter(|row| row.starts_with("| `"))
        .collect();
    for kind in HookKind::ALL {
        let name = format!("`{kind}`");
        // The first cell names the event, or two similar events.
        let is_first_cell =
            |row: &&str| row.split(" | ").next().unwrap_or_default().contains(&name);
        assert!(rows.iter().any(is_first_cell), "{name} is not in it");
    }
}

/// This test uses `audit`, because the types accept unknown members.
#[cfg(feature = "audit")]
#[test]
fn the_types_know_every_member_of_the_json_examples() {
    use agentwire_protocol::Json;
    use agentwire_protocol::audit::Auditor;
    use agentwire_protocol::permission::PermissionResult;

    let mut auditor = Auditor::default();
    let (mut lines, mut answers) = (0, 0);
    for block in README.split("```json\n").skip(1) {
        let json = block.split("```").next().unwrap_or_default();
        for example in serde_json::Deserializer::from_str(json).into_iter::<Json>() {
            let example = example.expect(json);
            if example.member("type").is_none() {
                let answer = example.read::<PermissionResult>();
                assert!(
                    matches!(answer, Ok(PermissionResult::Allow(_))),
                    "{example}"
                );
                answers += 1;
                continue;
            }
            let audit = auditor.line(example.get().as_bytes());
            assert_eq!(audit.error, None, "{example}");
            assert_eq!(audit.untyped, [""; 0], "{example}");
            assert_eq!(audit.faults, [], "{example}");
            assert!(audit.typed && audit.lossless, "{example}");
            lines += 1;
        }
    }
    assert_eq!((lines, answers), (12, 1));
}

#[test]
fn links_to_files_are_valid() {
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut links = 0;
    let pages = std::fs::read_dir(project.join("docs")).expect("the pages beside the README");
    let pages = pages
        .map(|page| page.expect("a page").path())
        .filter(|page| page.extension().is_some_and(|it| it == "md"));
    let others = [
        "README.md",
        "CONTRIBUTING.md",
        "protocol/README.md",
        "testkit/SCENARIOS.md",
        "testkit/recordings/README.md",
    ];
    for document in others
        .map(|name| project.join(name))
        .into_iter()
        .chain(pages)
    {
        let text = std::fs::read_to_string(&document).expect("a document");
        for link in text.split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap_or_default();
            if link.is_empty() || link.contains("://") {
                continue;
            }
            links += 1;
            let target = document.with_file_name(link);
            assert!(target.exists(), "{}: {link}", document.display());
        }
    }
    assert!(links > 20, "{links}");
}
