//! Circles, and those that are accepted.

use super::planted;
use crate::house::{Accepted, WITH_ROOMS, gone, unaccepted};

/// Two files in a circle, and one that is in none.
const CIRCLE: &[(&str, &str)] = &[
    ("lib.rs", "mod a; mod b; mod c;"),
    ("a.rs", "pub struct A(crate::b::B);"),
    ("b.rs", "use crate::{a::A, c::C}; pub struct B(Box<A>, C);"),
    ("c.rs", "pub struct C;"),
];

#[test]
fn a_planted_circle_is_found_with_its_names() {
    let houses = [planted(CIRCLE)];
    let found = unaccepted(&houses, &[]);
    let [(_, circle)] = &found[..] else {
        panic!("{found:?}");
    };
    let lines: Vec<_> = circle.arrows.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        ["src/a.rs -> src/b.rs: B", "src/b.rs -> src/a.rs: A"]
    );
}

#[test]
fn circles_that_share_no_file_are_apart_and_those_that_do_are_one() {
    let house = planted(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
        ("a.rs", "pub struct A(crate::b::B);"),
        ("b.rs", "pub struct B(Box<crate::a::A>, crate::c::C);"),
        ("c.rs", "pub struct C(Box<crate::b::B>, crate::d::D);"),
        ("d.rs", "pub struct D(Box<crate::e::E>);"),
        ("e.rs", "pub struct E(Box<crate::d::D>);"),
    ]);
    let circles = house.circles();
    let circles = circles.iter().map(|circle| circle.files.iter().collect());
    let circles: Vec<Vec<_>> = circles.collect();
    assert_eq!(
        circles,
        [
            vec!["src/a.rs", "src/b.rs", "src/c.rs"],
            vec!["src/d.rs", "src/e.rs"]
        ]
    );
}

#[test]
fn an_accepted_circle_is_accepted_as_it_is_and_told_when_it_is_gone() {
    let houses = [planted(CIRCLE)];
    let accepted = |files: &'static [&'static str]| Accepted {
        package: WITH_ROOMS,
        files,
        reason: "for now",
    };
    let same = accepted(&["src/a.rs", "src/b.rs"]);
    assert!(unaccepted(&houses, &[same]).is_empty());
    assert!(gone(&houses, &[same]).is_empty());
    let other = accepted(&["src/a.rs", "src/b.rs", "src/c.rs"]);
    assert_eq!(unaccepted(&houses, &[other]).len(), 1);
    assert_eq!(gone(&houses, &[other]), [other]);
}
