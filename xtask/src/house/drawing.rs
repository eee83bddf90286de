//! Draws the rooms of a crate for CONTRIBUTING.md.

use super::circles::circles;
use super::error::Error;
use super::rooms::{Rooms, WITH_ROOMS, between};
use super::structure::House;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const BEGIN: &str = "<!-- drawing -->";
const END: &str = "<!-- /drawing -->";

/// The drawing of the rooms of `agentwire`, from top to bottom: a flowchart of mermaid's
/// and a line on the arrows that are left out, because others imply them.
///
/// It has no sizes, so that it changes only when an arrow does.
#[must_use]
pub fn drawing(rooms: &Rooms, houses: &[House]) -> String {
    let arrows = houses.iter().filter(|house| house.name == WITH_ROOMS);
    let arrows: Vec<_> = arrows.flat_map(House::room_arrows).collect();
    let listed: Vec<&str> = rooms.rows.iter().flatten().map(String::as_str).collect();
    let places: BTreeMap<&str, usize> = listed.iter().copied().zip(0..).collect();
    let arrows: BTreeSet<(usize, usize)> = arrows
        .iter()
        .filter_map(|arrow| {
            let from = places.get(arrow.from.as_str())?;
            Some((*from, *places.get(arrow.to.as_str())?))
        })
        .collect();
    let mut to = vec![Vec::new(); listed.len()];
    for &(from, end) in &arrows {
        to[from].push(end);
    }
    // Where there are circles, everything implies everything.
    let all = !circles(&to).is_empty();
    let drawn: Vec<_> = arrows
        .iter()
        .filter(|(from, end)| all || !is_implied(&to, *from, *end))
        .collect();
    let mut text = String::from("```mermaid\nflowchart TD\n");
    for room in &listed {
        let _ = writeln!(text, "    {room}");
    }
    for (from, end) in &drawn {
        let _ = writeln!(text, "    {} --> {}", listed[*from], listed[*end]);
    }
    text.push_str("```\n\n");
    let left_out = arrows.len() - drawn.len();
    let _ = match left_out {
        0 => writeln!(text, "All {} arrows are drawn.", arrows.len()),
        _ => writeln!(
            text,
            "{} of the {} arrows are drawn; the others go along a path of these.",
            drawn.len(),
            arrows.len()
        ),
    };
    text
}

/// Whether an arrow's end is also reached by way of another room.
fn is_implied(to: &[Vec<usize>], from: usize, end: usize) -> bool {
    let mut left: Vec<usize> = to[from].iter().copied().filter(|&it| it != end).collect();
    let mut seen = BTreeSet::new();
    while let Some(room) = left.pop() {
        if room == end {
            return true;
        }
        if seen.insert(room) {
            left.extend(&to[room]);
        }
    }
    false
}

/// A text with the drawing between `<!-- drawing -->` and
/// `<!-- /drawing -->`.
///
/// # Errors
///
/// If it lacks these marks.
pub fn with_drawing(markdown: &str, drawing: &str) -> Result<String, Error> {
    let old = between(markdown, BEGIN, END)?;
    let old = format!("{BEGIN}{old}{END}");
    let new = format!("{BEGIN}\n\n{drawing}\n{END}");
    Ok(markdown.replacen(&old, &new, 1))
}
