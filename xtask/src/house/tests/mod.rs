//! Crates that are planted in a temporary folder, each with what has to be seen
//! in it.

mod arrows;
mod circles;
mod rooms;

use super::{Error, House, Package, Root, WITH_ROOMS};
use std::fs;

/// Reads a crate of these files, under `src/`.
fn planted(files: &[(&str, &str)]) -> House {
    try_planted(files).expect("the crate is read")
}

fn try_planted(files: &[(&str, &str)]) -> Result<House, Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, source) in files {
        let path = folder.path().join("src").join(path);
        fs::create_dir_all(path.parent().expect("it is in src")).expect("a folder");
        fs::write(path, source).expect("a file");
    }
    let root = |name: &str, library: Option<&str>| Root {
        path: folder.path().join("src").join(name),
        library: library.map(str::to_owned),
    };
    let mut roots = vec![root("lib.rs", Some("planted"))];
    if files.iter().any(|(path, _)| *path == "main.rs") {
        roots.push(root("main.rs", None));
    }
    House::read(&Package {
        name: WITH_ROOMS.to_owned(),
        folder: folder.path().to_owned(),
        roots,
        others: vec!["serde".to_owned()],
    })
}

/// The arrows of a planted crate, all of whose paths lead somewhere.
fn arrows(files: &[(&str, &str)]) -> Vec<String> {
    let house = planted(files);
    assert_eq!(house.unresolved, [""; 0]);
    let arrows = house.arrows.iter();
    arrows
        .map(|arrow| arrow.to_string().replace("src/", ""))
        .collect()
}
