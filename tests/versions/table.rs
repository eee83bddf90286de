//! The table of flows and versions.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell {
    Ok,
    /// What the version lacks, as the session said.
    Unsupported(String),
    Wrong(String),
}

pub(crate) struct Table {
    names: Vec<&'static str>,
    versions: Vec<String>,
    cells: BTreeMap<(&'static str, String), Cell>,
}

#[derive(Default)]
pub(crate) struct Count {
    pub(crate) ok: usize,
    pub(crate) unsupported: usize,
}

impl Table {
    pub(crate) fn new(
        names: Vec<&'static str>,
        versions: Vec<String>,
        cells: BTreeMap<(&'static str, String), Cell>,
    ) -> Self {
        Self {
            names,
            versions,
            cells,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn count(&self) -> Count {
        let mut count = Count::default();
        for cell in self.cells.values() {
            match cell {
                Cell::Ok => count.ok += 1,
                Cell::Unsupported(_) => count.unsupported += 1,
                Cell::Wrong(_) => {}
            }
        }
        count
    }

    /// A line for each flow that is wrong.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let wrong = self
            .cells
            .iter()
            .filter_map(|((name, version), cell)| match cell {
                Cell::Wrong(why) => Some(format!("wrong on {version}: {name}: {why}")),
                _ => None,
            });
        wrong.collect()
    }

    /// Compares the table with the one in the docs, where it was measured for
    /// the same versions; or writes it there, with `AGENTWIRE_WRITE_VERSIONS`.
    pub(crate) fn hold(&self) {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("VERSIONS.md");
        let text = fs::read_to_string(&path).expect("VERSIONS.md is there");
        let (before, rest) = text.split_once(BEGIN).expect("VERSIONS.md has a table");
        let (kept, after) = rest.split_once(END).expect("the table has an end");
        if std::env::var_os("AGENTWIRE_WRITE_VERSIONS").is_some() {
            let text = format!("{before}{BEGIN}\n{self}\n{END}{after}");
            fs::write(&path, text).expect("VERSIONS.md can be written");
            return;
        }
        let kept = Kept::read(kept);
        let mut differs = false;
        for ((name, version), cell) in &self.cells {
            let before = kept.cell(name, version);
            let now = short(cell);
            if before.as_deref() != Some(&*now) {
                differs = true;
                println!("{name} on {version}: {now}, and VERSIONS.md has {before:?}");
            }
        }
        if differs {
            println!("measure the table anew: AGENTWIRE_WRITE_VERSIONS=1 scripts/versions");
            std::process::exit(1);
        }
    }
}

const BEGIN: &str = "<!-- begin table -->";
const END: &str = "<!-- end table -->";

/// The table in the docs.
struct Kept {
    versions: Vec<String>,
    rows: BTreeMap<String, Vec<String>>,
}

impl Kept {
    fn read(text: &str) -> Self {
        let mut lines = text.lines().filter(|line| line.starts_with('|'));
        let cells = |line: &str| -> Vec<String> {
            let cells = line.trim_matches('|').split(" | ");
            cells.map(|cell| cell.trim().to_owned()).collect()
        };
        let versions = lines.next().map(cells).unwrap_or_default();
        let rows = lines.skip(1).map(|line| {
            let cells = cells(line);
            (cells[0].clone(), cells[1..].to_vec())
        });
        Self {
            versions: versions.into_iter().skip(1).collect(),
            rows: rows.collect(),
        }
    }

    fn cell(&self, name: &str, version: &str) -> Option<String> {
        let column = self.versions.iter().position(|it| it == version)?;
        self.rows.get(name)?.get(column).cloned()
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("ok"),
            Self::Unsupported(what) => write!(f, "not supported: {what}"),
            Self::Wrong(why) => write!(f, "WRONG: {why}"),
        }
    }
}

/// A cell as it stands in the table.
fn short(cell: &Cell) -> String {
    match cell {
        Cell::Ok => "ok".to_owned(),
        Cell::Unsupported(what) => {
            let line = what.lines().next().unwrap_or_default();
            line.replace('|', "\\|")
        }
        Cell::Wrong(_) => "**wrong**".to_owned(),
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| flow | {} |", self.versions.join(" | "))?;
        write!(f, "|---|{}", "---|".repeat(self.versions.len()))?;
        for name in &self.names {
            write!(f, "\n| {name} |")?;
            for version in &self.versions {
                let cell = self.cells.get(&(*name, version.clone()));
                write!(f, " {} |", cell.map(short).unwrap_or_default())?;
            }
        }
        Ok(())
    }
}
