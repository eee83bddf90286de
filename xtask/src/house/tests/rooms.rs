//! The order of rooms, the drawing and the report.

use super::planted;
use crate::house::{House, Rooms, drawing, report, with_drawing};

const ROOMS: &str = "\
<!-- rooms -->

| room | what is in it |
|---|---|
| `top/` | Above. |
| `left/` beside `right` | Two. |
| `low` | Below `top`. |

<!-- /rooms -->
";

fn rooms() -> Rooms {
    Rooms::parse(ROOMS).expect("the table is read")
}

#[test]
fn the_table_of_rooms_is_read() {
    let rows: Vec<_> = rooms().rows;
    let expected: [&[&str]; 3] = [&["top"], &["left", "right"], &["low"]];
    assert_eq!(rows, expected);
}

#[test]
fn a_table_of_rooms_that_cannot_be_read_is_an_error() {
    for (markdown, reason) in [
        (
            ROOMS.replace("<!-- rooms -->", ""),
            "`<!-- rooms -->` is missing",
        ),
        (
            ROOMS.replace("<!-- /rooms -->", ""),
            "`<!-- /rooms -->` is missing",
        ),
        (ROOMS.replace("`low`", "low"), "names none"),
        (ROOMS.replace("`low`", "`top`"), "`top` is listed twice"),
        ("<!-- rooms --><!-- /rooms -->".to_owned(), "is empty"),
    ] {
        let error = Rooms::parse(&markdown).expect_err(reason).to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// Rooms whose arrows all go down.
const DOWN: [(&str, &str); 6] = [
    (
        "lib.rs",
        "mod top; mod left; mod right; mod low; pub use low::Low; fn f(_: top::Top) {}",
    ),
    (
        "top/mod.rs",
        "mod inner; use inner::Inner; pub struct Top(Inner);",
    ),
    (
        "top/inner.rs",
        "pub struct Inner(crate::left::Left, crate::low::Low);",
    ),
    ("left.rs", "pub struct Left(crate::low::Low);"),
    ("right.rs", "pub struct Right(crate::low::Low);"),
    ("low.rs", "pub struct Low;"),
];

/// The same rooms, with one file in place of another.
fn with(path: &str, source: &'static str) -> House {
    let files = DOWN.map(|file| match file.0 == path {
        true => (file.0, source),
        false => file,
    });
    planted(&files)
}

#[test]
fn arrows_that_go_down_are_fine() {
    assert_eq!(rooms().complaints(&planted(&DOWN)), [""; 0]);
}

#[test]
fn a_planted_arrow_up_is_found_with_its_names() {
    let house = with("low.rs", "pub struct Low(Box<crate::top::Top>);");
    assert_eq!(
        rooms().complaints(&house),
        ["up: low -> top\n    src/low.rs -> src/top/mod.rs: Top"]
    );
}

#[test]
fn an_arrow_between_rooms_beside_each_other_is_found() {
    let house = with("right.rs", "pub struct Right(crate::left::Left);");
    assert_eq!(
        rooms().complaints(&house),
        ["between rooms beside each other: right -> left\n    \
          src/right.rs -> src/left.rs: Left"]
    );
}

#[test]
fn an_arrow_to_the_root_of_the_crate_goes_up() {
    let house = with(
        "left.rs",
        "pub struct Left; use crate::f as g; fn h() { g; }",
    );
    assert_eq!(
        rooms().complaints(&house),
        ["up: left -> lib.rs\n    src/left.rs -> src/lib.rs: f"]
    );
}

#[test]
fn a_room_that_is_not_listed_or_not_there_is_told() {
    let rooms = Rooms::parse(&ROOMS.replace("`low`", "`cellar`")).expect("a table");
    assert_eq!(
        rooms.complaints(&planted(&DOWN)),
        [
            "not listed in CONTRIBUTING.md: `low`",
            "listed in CONTRIBUTING.md and not there: `cellar`"
        ]
    );
}

#[test]
fn the_drawing_leaves_out_what_other_arrows_imply() {
    let drawn = drawing(&rooms(), &[planted(&DOWN)]);
    assert_eq!(
        drawn,
        "```mermaid\nflowchart TD\n    top\n    left\n    right\n    low\n    \
         top --> left\n    left --> low\n    right --> low\n```\n\n\
         3 of the 4 arrows are drawn; the others go along a path of these.\n"
    );
}

#[test]
fn a_drawing_of_rooms_in_a_circle_has_every_arrow() {
    let house = with("low.rs", "pub struct Low(Box<crate::top::Top>);");
    let drawn = drawing(&rooms(), &[house]);
    assert!(drawn.contains("    low --> top\n"), "{drawn}");
    assert!(drawn.contains("All 5 arrows are drawn."), "{drawn}");
}

#[test]
fn the_drawing_is_put_between_its_marks() {
    let before = "a\n<!-- drawing -->\nold\n<!-- /drawing -->\nb";
    let after = with_drawing(before, "new\n").expect("there are marks");
    assert_eq!(after, "a\n<!-- drawing -->\n\nnew\n\n<!-- /drawing -->\nb");
    assert_eq!(with_drawing(&after, "new\n").expect("the same"), after);
    assert!(with_drawing("no marks", "new").is_err());
}

#[test]
fn the_report_says_what_is_wrong() {
    let house = with(
        "low.rs",
        "pub struct Low(Box<crate::top::Top>); use crate::gone::G;",
    );
    let mut output = Vec::new();
    let is_fine = report(&[house], Ok(&rooms()), true, &mut output).expect("it is written");
    let printed = String::from_utf8(output).expect("text");
    assert!(!is_fine);
    for line in [
        "agentwire: 6 files, 7 arrows",
        "    src/left.rs -> src/low.rs: Low",
        "    leads nowhere: src/low.rs: use crate::gone::G",
        "    4 rooms, 5 arrows",
        "    up: low -> top",
        "    circle of 4 files",
    ] {
        assert!(printed.lines().any(|it| it == line), "{line}\n{printed}");
    }
}

#[test]
fn circles_are_reported_without_a_list_of_rooms() {
    let house = with("low.rs", "pub struct Low(Box<crate::top::Top>);");
    let missing = Rooms::parse("").expect_err("there is none");
    let mut output = Vec::new();
    let is_fine = report(&[house], Err(&missing), false, &mut output).expect("it is written");
    let printed = String::from_utf8(output).expect("text");
    assert!(!is_fine);
    for line in ["`<!-- rooms -->` is missing", "circle of 4 files"] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
}
