//! What is an arrow, and where it leads.

use super::{arrows, planted, try_planted};

#[test]
fn a_path_and_an_import_lead_to_the_file_that_defines() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "pub struct A; pub fn made() -> A { A }"),
        ("b.rs", "use crate::a::A; pub struct B(A);"),
        (
            "c.rs",
            "use super::{a, b::B as Renamed}; fn f(_: Renamed) { a::made(); }",
        ),
    ]);
    assert_eq!(
        found,
        ["b.rs -> a.rs: A", "c.rs -> a.rs: made", "c.rs -> b.rs: B"]
    );
}

#[test]
fn a_reexport_counts_as_the_file_that_defines() {
    let found = arrows(&[
        (
            "lib.rs",
            "mod room; mod user; pub use room::Renamed as Thing;",
        ),
        (
            "room/mod.rs",
            "mod deep; pub use deep::Deep as Renamed; pub(crate) use deep::*;",
        ),
        ("room/deep.rs", "pub struct Deep; pub(crate) fn dive() {}"),
        (
            "user.rs",
            "use crate::Thing; fn f(_: Thing) { crate::room::dive(); }",
        ),
    ]);
    assert_eq!(found, ["user.rs -> room/deep.rs: Deep, dive"]);
}

#[test]
fn a_reexport_is_an_arrow_where_the_code_names_it() {
    let found = arrows(&[
        ("lib.rs", "mod room;"),
        (
            "room/mod.rs",
            "mod deep; pub use deep::Deep; pub fn f(_: Deep) {}",
        ),
        ("room/deep.rs", "pub struct Deep;"),
    ]);
    assert_eq!(found, ["room/mod.rs -> room/deep.rs: Deep"]);
}

#[test]
fn what_a_file_imports_for_those_below_it_is_no_arrow_of_its_own() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod room;"),
        ("a.rs", "pub struct A; pub trait Walk { fn walk(&self) {} }"),
        ("room/mod.rs", "mod below; use crate::a::A; pub struct Own;"),
        ("room/below.rs", "use super::A; fn f(_: A) {}"),
    ]);
    assert_eq!(found, ["room/below.rs -> a.rs: A"]);
}

#[test]
fn the_import_of_a_trait_is_an_arrow_though_nothing_names_it() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        (
            "a.rs",
            "pub trait Walk { fn walk(&self) {} } impl Walk for u8 {}",
        ),
        ("b.rs", "use crate::a::Walk; fn f() { 1u8.walk(); }"),
        ("c.rs", "use crate::a::Walk as _; fn f() { 1u8.walk(); }"),
    ]);
    assert_eq!(found, ["b.rs -> a.rs: Walk", "c.rs -> a.rs: Walk"]);
}

#[test]
fn a_glob_leads_to_what_is_used_of_it() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        (
            "a.rs",
            "pub struct A; pub struct Unused; pub fn call() {} pub const K: u8 = 1;",
        ),
        (
            "b.rs",
            "use crate::a::*; fn f(_: A) { call(); let call = 1; let _ = call; }",
        ),
        (
            "c.rs",
            "use crate::a::*; fn f(x: u8) { if let K = x { assert!(x == K); } }",
        ),
    ]);
    assert_eq!(found, ["b.rs -> a.rs: A, call", "c.rs -> a.rs: K"]);
}

#[test]
fn a_local_variable_is_not_the_function_of_its_name() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub fn size() -> u8 { 1 }"),
        (
            "b.rs",
            "use crate::a::*; fn f(size: u8) -> u8 { let g = |size: u8| size; g(size) }",
        ),
    ]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_variant_leads_to_the_file_of_its_enum() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
        ("a.rs", "pub enum Kind { One, Two(u8) }"),
        (
            "b.rs",
            "use crate::a::Kind::{One, Two}; fn f() { let _ = (One, Two(1)); }",
        ),
        ("c.rs", "use crate::a::Kind::*; fn f() { let _ = Two(1); }"),
        ("d.rs", "fn f() { let _ = crate::a::Kind::One; }"),
        (
            "e.rs",
            "use crate::a::Kind; fn f(k: Kind) -> bool { use Kind::*; matches!(k, One) }",
        ),
    ]);
    assert_eq!(
        found,
        [
            "b.rs -> a.rs: Kind",
            "c.rs -> a.rs: Kind",
            "d.rs -> a.rs: Kind",
            "e.rs -> a.rs: Kind"
        ]
    );
}

#[test]
fn an_associated_item_leads_to_the_file_of_its_type() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        (
            "a.rs",
            "pub struct A; impl A { pub const K: u8 = 1; } pub trait T { fn t() {} }",
        ),
        ("b.rs", "impl crate::a::A { pub fn new() -> Self { Self } }"),
        (
            "c.rs",
            "fn f() { <crate::a::A as crate::a::T>::t(); crate::a::A::new(); }",
        ),
    ]);
    assert_eq!(found, ["b.rs -> a.rs: A", "c.rs -> a.rs: A, T"]);
}

#[test]
fn an_invocation_leads_to_the_file_of_its_macro() {
    let found = arrows(&[
        (
            "lib.rs",
            "#[macro_use] mod spread; mod a; mod b; mod c; mod d;",
        ),
        ("spread.rs", "macro_rules! spread { () => {}; }"),
        ("a.rs", "macro_rules! own { () => {}; } pub(crate) use own;"),
        ("b.rs", "use crate::a::own; fn f() { own!(); spread!(); }"),
        (
            "c.rs",
            "#[macro_export] macro_rules! exported { () => {}; }",
        ),
        (
            "d.rs",
            "crate::exported!(); fn f() { vec![crate::a::own!()]; }",
        ),
    ]);
    assert_eq!(
        found,
        [
            "b.rs -> a.rs: own",
            "b.rs -> spread.rs: spread",
            "d.rs -> a.rs: own",
            "d.rs -> c.rs: exported"
        ]
    );
}

#[test]
fn code_in_a_macro_counts_where_it_is_written() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        (
            "a.rs",
            "pub struct A; pub enum E { V } pub fn call() {} pub const K: u8 = 1;",
        ),
        (
            "b.rs",
            "#[macro_export] macro_rules! make {
                 ($v:ident) => { ($crate::a::A, $crate::a::E::$v) };
             }",
        ),
        (
            "c.rs",
            "use super::{a, a::*};
             fn f() { crate::make!(V); assert!(a::call() == (), \"{K}\"); }",
        ),
    ]);
    assert_eq!(
        found,
        [
            "b.rs -> a.rs: A, E",
            "c.rs -> a.rs: K, call",
            "c.rs -> b.rs: make"
        ]
    );
}

#[test]
fn what_a_macro_defines_is_found_under_its_name() {
    let found = arrows(&[
        (
            "lib.rs",
            "#[macro_use] mod rules; mod a; mod b; mod c; mod d;",
        ),
        (
            "rules.rs",
            "macro_rules! object { ($(#[$m:meta])* pub struct $n:ident {}) => { pub struct $n; }; }
             macro_rules! entries { ($($tag:literal => $n:ident,)*) => { $(pub struct $n;)* }; }
             macro_rules! fixed { () => { pub fn fixed() {} }; }",
        ),
        ("a.rs", "object! { /// Docs.\n pub struct Made {} }"),
        ("b.rs", "entries! { \"one\" => One, }"),
        (
            "c.rs",
            "fixed!(); serde::other! { pub enum Other { V = 1, } }",
        ),
        (
            "d.rs",
            "use crate::{a::Made, b::One, c::fixed};
             fn f(_: Made, _: One, o: crate::c::Other) { fixed(); use crate::c::Other::*; V; }",
        ),
    ]);
    assert_eq!(
        found,
        [
            "a.rs -> rules.rs: object",
            "b.rs -> rules.rs: entries",
            "c.rs -> rules.rs: fixed",
            "d.rs -> a.rs: Made",
            "d.rs -> b.rs: One",
            "d.rs -> c.rs: Other, fixed"
        ]
    );
}

#[test]
fn what_a_macro_defines_that_another_one_invokes_is_found() {
    let found = arrows(&[
        ("lib.rs", "#[macro_use] mod rules; mod a; mod b; mod c;"),
        (
            "rules.rs",
            "macro_rules! every { ($call:ident) => { $call! { One = 1, Two = 2, } }; }
             macro_rules! outer { ($n:ident) => { inner!($n); }; }
             macro_rules! inner { ($n:ident) => { pub struct $n; pub struct Fixed; }; }",
        ),
        (
            "a.rs",
            "macro_rules! all { ($($n:ident = $v:literal,)*) => { pub enum All { $($n,)* } $(pub struct $n;)* }; }
             every!(all);",
        ),
        ("b.rs", "outer!(Outer);"),
        ("c.rs", "use crate::{a::{All, Two}, b::{Fixed, Outer}}; fn f(_: All, _: Two, _: Fixed, _: Outer) {}"),
    ]);
    assert_eq!(
        found,
        [
            "a.rs -> rules.rs: every",
            "b.rs -> rules.rs: outer",
            "c.rs -> a.rs: All, Two",
            "c.rs -> b.rs: Fixed, Outer"
        ]
    );
}

#[test]
fn what_is_built_for_tests_alone_does_not_count() {
    let found = arrows(&[
        (
            "lib.rs",
            "mod a; mod b; #[cfg(test)] mod tests; #[cfg(all(test, unix))] mod more;
             #[cfg(any(test, unix))] mod c; #[cfg(not(test))] mod d;",
        ),
        ("a.rs", "pub struct A;"),
        (
            "b.rs",
            "pub struct B;
             #[cfg(test)] use crate::a::A;
             #[cfg(test)] fn helper(_: A) {}
             #[cfg(test)] mod tests { use crate::a::A; fn f(_: A) {} }
             impl B { #[cfg(test)] fn f(_: crate::a::A) {} }
             #[test] fn t() { let _ = crate::a::A; }
             /// See [`crate::a::A`].
             #[doc = \"crate::a::A\"]
             fn documented() {}",
        ),
        ("tests.rs", "not even Rust"),
        ("more.rs", "use crate::a::A;"),
        ("c.rs", "fn f(_: crate::a::A) {}"),
        ("d.rs", "fn f(_: crate::a::A) {}"),
    ]);
    assert_eq!(found, ["c.rs -> a.rs: A", "d.rs -> a.rs: A"]);
}

#[test]
fn a_module_in_braces_belongs_to_its_file() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod b;"),
        (
            "a.rs",
            "pub mod inner { pub struct Inner; mod deep { fn f(_: super::Inner, _: super::super::Top) {} } }
             pub struct Top;",
        ),
        ("b.rs", "use crate::a::inner; fn f(_: inner::Inner) {} mod m { use super::inner::Inner; fn g(_: Inner) {} }"),
    ]);
    assert_eq!(found, ["b.rs -> a.rs: Inner"]);
}

#[test]
fn alternatives_by_platform_and_feature_are_all_read() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "pub struct A;"),
        (
            "b.rs",
            "#[cfg(unix)] mod table;
             #[cfg(not(unix))] #[path = \"elsewhere.rs\"] mod table;
             #[cfg_attr(unix, path = \"unix.rs\")] #[cfg_attr(windows, path = \"windows.rs\")] mod system;
             pub fn all() { table::all(); system::name(); }",
        ),
        ("b/table.rs", "pub fn all() {}"),
        ("elsewhere.rs", "pub fn all() { let _ = crate::a::A; }"),
        ("unix.rs", "pub fn name() {}"),
        ("windows.rs", "pub fn name() {}"),
        ("c.rs", "#[path = \"beside\"] mod inner { pub mod one; } fn f(_: inner::one::One) {}"),
        ("c/inner/one.rs", "pub struct One;"),
    ]);
    assert_eq!(
        found,
        [
            "b.rs -> b/table.rs: all",
            "b.rs -> elsewhere.rs: all",
            "b.rs -> unix.rs: name",
            "b.rs -> windows.rs: name",
            "c.rs -> c/inner/one.rs: One",
            "elsewhere.rs -> a.rs: A"
        ]
    );
}

#[test]
fn the_functions_that_serde_is_given_are_arrows() {
    let found = arrows(&[
        ("lib.rs", "mod a; mod b;"),
        (
            "a.rs",
            "pub mod hex { pub fn serialize() {} } pub fn read() {} pub const D: u8 = 1;",
        ),
        (
            "b.rs",
            "use crate::a; pub struct B {
                 #[serde(with = \"crate::a::hex\")] x: u8,
                 #[serde(deserialize_with = \"a::read\", rename = \"hex\")] y: u8,
                 #[arg(default_value = a::D)] z: u8,
             }",
        ),
    ]);
    assert_eq!(found, ["b.rs -> a.rs: D, crate::a::hex, read"]);
}

#[test]
fn a_program_leads_to_the_files_of_its_library() {
    let found = arrows(&[
        ("lib.rs", "pub mod a;"),
        ("a.rs", "pub struct A;"),
        (
            "main.rs",
            "mod own; use planted::a::A; fn main() { own::run(A); }",
        ),
        ("own.rs", "pub fn run(_: planted::a::A) {}"),
    ]);
    assert_eq!(
        found,
        [
            "main.rs -> a.rs: A",
            "main.rs -> own.rs: run",
            "own.rs -> a.rs: A"
        ]
    );
}

#[test]
fn a_path_that_leads_nowhere_is_told() {
    let house = planted(&[
        ("lib.rs", "mod a; mod b;"),
        (
            "a.rs",
            "pub struct A; mod m {}
             fn f() { m::none(); let _ = vec![super::gone::G]; later!(); }",
        ),
        (
            "b.rs",
            "use crate::a::{A, Missing}; use unknown::x; fn f(_: A) { mod hidden {} }
             macro_rules! later { () => {}; }",
        ),
    ]);
    assert_eq!(
        house.unresolved,
        [
            "src/a.rs: later!",
            "src/a.rs: m::none",
            "src/a.rs: super::gone::G",
            "src/b.rs: mod hidden in a function",
            "src/b.rs: use crate::a::Missing",
            "src/b.rs: use unknown::x"
        ]
    );
}

#[test]
fn a_file_that_is_missing_or_no_rust_is_an_error_with_its_name() {
    let error = try_planted(&[("lib.rs", "mod gone;")]).expect_err("there is no such file");
    assert!(error.to_string().contains("gone"), "{error}");
    let error = try_planted(&[("lib.rs", "mod bad;"), ("bad.rs", "fn {")]).expect_err("no Rust");
    assert!(error.to_string().contains("bad.rs"), "{error}");
}
