//! The rooms of a crate, which are the folders and files directly under
//! `src/`, and the order in which CONTRIBUTING.md lists them.

use super::error::Error;
use super::structure::{Arrow, House};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The package whose rooms CONTRIBUTING.md lists.
pub const WITH_ROOMS: &str = "agentwire";

const BEGIN: &str = "<!-- rooms -->";
const END: &str = "<!-- /rooms -->";

/// The order of rooms, from top to bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rooms {
    /// The rooms that stand beside each other, row by row.
    pub rows: Vec<Vec<String>>,
}

/// All arrows from one room to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomArrow {
    /// The room that names.
    pub from: String,
    /// The room that defines.
    pub to: String,
    /// The arrows between their files.
    pub arrows: Vec<Arrow>,
}

impl Rooms {
    /// Reads the table between `<!-- rooms -->` and `<!-- /rooms -->`. The
    /// first cell of a row holds one or more rooms, each in backticks.
    ///
    /// # Errors
    ///
    /// If there is no such table, if a row names no room, or if a room is
    /// listed twice.
    pub fn parse(markdown: &str) -> Result<Self, Error> {
        let table = between(markdown, BEGIN, END)?;
        let lines = table.lines().map(str::trim);
        let mut rows = Vec::new();
        let mut seen = BTreeSet::new();
        // The first two lines of a table are its head.
        for line in lines.filter(|line| line.starts_with('|')).skip(2) {
            let cell = line.split('|').nth(1).unwrap_or_default();
            let rooms = cell.split('`').skip(1).step_by(2);
            let rooms: Vec<_> = rooms
                .map(|room| room.trim_end_matches('/').to_owned())
                .collect();
            if rooms.is_empty() {
                let reason = format!("a row of the rooms names none in backticks: {line}");
                return Err(Error::Contributing(reason));
            }
            for room in &rooms {
                if !seen.insert(room.clone()) {
                    let reason = format!("the room `{room}` is listed twice");
                    return Err(Error::Contributing(reason));
                }
            }
            rows.push(rooms);
        }
        match rows.is_empty() {
            true => Err(Error::Contributing("the table of rooms is empty".into())),
            false => Ok(Self { rows }),
        }
    }

    /// What is wrong with a crate: rooms that are not listed, or are listed and
    /// do not exist, and arrows that do not go down.
    #[must_use]
    pub fn complaints(&self, house: &House) -> Vec<String> {
        let floors: BTreeMap<&str, usize> = self
            .rows
            .iter()
            .zip(1..)
            .flat_map(|(rooms, floor)| rooms.iter().map(move |room| (room.as_str(), floor)))
            .collect();
        let sizes = house.room_sizes();
        let mut complaints = Vec::new();
        for room in sizes.keys() {
            if !floors.contains_key(room.as_str()) {
                complaints.push(format!("not listed in CONTRIBUTING.md: `{room}`"));
            }
        }
        for room in floors.keys() {
            if !sizes.contains_key(*room) {
                complaints.push(format!("listed in CONTRIBUTING.md and not there: `{room}`"));
            }
        }
        for arrow in house.room_arrows() {
            // The root of the crate stands above all.
            let floor = |room: &str| match room {
                ROOT => Some(0),
                room => floors.get(room).copied(),
            };
            let (Some(from), Some(to)) = (floor(&arrow.from), floor(&arrow.to)) else {
                continue;
            };
            match to.cmp(&from) {
                std::cmp::Ordering::Less => complaints.push(format!("up: {arrow}")),
                std::cmp::Ordering::Equal => {
                    complaints.push(format!("between rooms beside each other: {arrow}"));
                }
                std::cmp::Ordering::Greater => {}
            }
        }
        complaints
    }
}

/// What the root of a crate is called among its rooms.
const ROOT: &str = "lib.rs";

/// The room of a file.
fn room(path: &str) -> &str {
    let path = path.strip_prefix("src/").unwrap_or(path);
    match path.split_once('/') {
        Some((room, _)) => room,
        None if path == ROOT => ROOT,
        None => path.strip_suffix(".rs").unwrap_or(path),
    }
}

impl House {
    /// The rooms, each with its size in lines. The root of the crate is none.
    #[must_use]
    pub fn room_sizes(&self) -> BTreeMap<String, usize> {
        let mut sizes = BTreeMap::new();
        for file in &self.files {
            let room = room(&file.path);
            if room != ROOT {
                *sizes.entry(room.to_owned()).or_default() += file.lines;
            }
        }
        sizes
    }

    /// The arrows between different rooms.
    #[must_use]
    pub fn room_arrows(&self) -> Vec<RoomArrow> {
        let mut between: BTreeMap<(&str, &str), Vec<Arrow>> = BTreeMap::new();
        for arrow in &self.arrows {
            let rooms = (room(&arrow.from), room(&arrow.to));
            if rooms.0 != rooms.1 {
                between.entry(rooms).or_default().push(arrow.clone());
            }
        }
        let arrows = between.into_iter().map(|((from, to), arrows)| RoomArrow {
            from: from.to_owned(),
            to: to.to_owned(),
            arrows,
        });
        arrows.collect()
    }
}

impl fmt::Display for RoomArrow {
    /// One line for the rooms, and one for each pair of files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.from, self.to)?;
        for arrow in &self.arrows {
            write!(f, "\n    {arrow}")?;
        }
        Ok(())
    }
}

/// The text between two marks.
pub(super) fn between<'a>(text: &'a str, begin: &str, end: &str) -> Result<&'a str, Error> {
    let (_, rest) = text.split_once(begin).ok_or_else(|| missing(begin))?;
    let (within, _) = rest.split_once(end).ok_or_else(|| missing(end))?;
    Ok(within)
}

fn missing(mark: &str) -> Error {
    Error::Contributing(format!("`{mark}` is missing"))
}
