//! Holds the structure of the code: which file may name items of which other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use xtask::house::with_drawing;
use xtask::house::{
    ACCEPTED, House, Rooms, WITH_ROOMS, drawing, gone, houses, packages, unaccepted,
};

static HOUSES: LazyLock<Vec<House>> =
    LazyLock::new(|| houses(workspace()).expect("the sources are read"));

fn workspace() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("it is in the workspace")
}

fn contributing() -> String {
    fs::read_to_string(workspace().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md is read")
}

#[test]
fn no_files_of_a_crate_stand_in_a_circle() {
    let circles = unaccepted(&HOUSES, ACCEPTED).into_iter();
    let circles = circles.map(|(house, circle)| {
        let arrows = circle.arrows.iter().map(|arrow| format!("\n    {arrow}"));
        let arrows: String = arrows.collect();
        format!(
            "{}: {} files in a circle{arrows}\n",
            house.name,
            circle.files.len()
        )
    });
    let circles: String = circles.collect();
    assert!(circles.is_empty(), "{circles}");
}

#[test]
fn every_accepted_circle_is_still_there() {
    assert_eq!(gone(&HOUSES, ACCEPTED), []);
}

#[test]
fn arrows_between_rooms_go_down() {
    let rooms = Rooms::parse(&contributing()).expect("CONTRIBUTING.md lists the rooms");
    let complaints = rooms.complaints(agentwire());
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn the_drawing_in_contributing_is_the_current_one() {
    let contributing = contributing();
    let rooms = Rooms::parse(&contributing).expect("CONTRIBUTING.md lists the rooms");
    let drawn = drawing(&rooms, &HOUSES);
    let current = with_drawing(&contributing, &drawn).expect("CONTRIBUTING.md has the marks");
    assert!(
        contributing == current,
        "run `cargo xtask house --write`; it writes\n{drawn}"
    );
}

#[test]
fn every_path_in_the_code_leads_somewhere() {
    let paths = HOUSES.iter().flat_map(|house| {
        let name = &house.name;
        house
            .unresolved
            .iter()
            .map(move |path| format!("{name}: {path}"))
    });
    let paths: Vec<_> = paths.collect();
    assert!(paths.is_empty(), "{}", paths.join("\n"));
}

#[test]
fn every_file_that_is_no_test_is_read() {
    let packages = packages(workspace()).expect("cargo lists the packages");
    assert_eq!(packages.len(), HOUSES.len());
    for (package, house) in packages.iter().zip(HOUSES.iter()) {
        let mut there = BTreeSet::new();
        let mut folders = vec![package.folder.join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder of sources") {
                let path = entry.expect("a file").path();
                let is_test = path.file_stem().is_some_and(|stem| stem == "tests");
                if path.is_dir() && !is_test {
                    folders.push(path);
                } else if path.extension().is_some_and(|it| it == "rs") && !is_test {
                    let path = path.strip_prefix(&package.folder).expect("it is in there");
                    there.insert(path.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        let read: BTreeSet<_> = house.files.iter().map(|file| file.path.clone()).collect();
        assert_eq!(read, there, "the files of {}", house.name);
    }
}

fn agentwire() -> &'static House {
    let mut houses = HOUSES.iter();
    let house = houses.find(|house| house.name == WITH_ROOMS);
    house.expect("the workspace has agentwire")
}
