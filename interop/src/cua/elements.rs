//! Replaces descriptions of elements by coordinates, and coordinates by descriptions.

use super::computer::to_json;
use super::{Action, Item, NamedPoint};
use agentwire_protocol::{Members, Number};
use std::collections::HashMap;

/// The coordinates of elements, by description.
pub type Places = HashMap<String, [Number; 2]>;

/// Replaces descriptions of elements by their coordinates.
pub fn places_of_elements(items: &mut [Item], places: &Places) {
    for action in actions(items) {
        change(action, |action| find(action, places));
    }
}

/// Replaces coordinates by descriptions of elements. If several descriptions have the same
/// coordinates, the last in alphabetical order is used.
pub fn elements_of_places(items: &mut [Item], places: &Places) {
    let mut sorted: Vec<_> = places.iter().collect();
    sorted.sort_by_key(|(description, _)| *description);
    let place = |at: [f64; 2]| {
        let is_there = |[x, y]: &[Number; 2]| [x.as_f64(), y.as_f64()] == at;
        let found = sorted.iter().rfind(|(_, place)| is_there(place));
        found.map(|(description, _)| description.as_str())
    };
    for action in actions(items) {
        change(action, |action| describe(action, &place));
    }
}

/// Returns the described elements, each once, in order.
#[must_use]
pub fn elements(items: &[Item]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for item in items {
        let Item::ComputerCall(call) = item else {
            continue;
        };
        let Some(action) = call.action.as_ref().map(members) else {
            continue;
        };
        let names = [
            "element_description",
            "start_element_description",
            "end_element_description",
        ];
        for description in names.iter().filter_map(|name| action.get_str(name)) {
            if !found.contains(&description) {
                found.push(description);
            }
        }
    }
    found
}

fn actions(items: &mut [Item]) -> impl Iterator<Item = &mut Action> {
    items.iter_mut().filter_map(|item| match item {
        Item::ComputerCall(call) => call.action.as_mut(),
        _ => None,
    })
}

fn members(action: &Action) -> Members {
    to_json(action).read().unwrap_or_default()
}

/// Changes the members of an action.
fn change(action: &mut Action, change: impl FnOnce(&mut Members) -> Option<()>) {
    let mut members = members(action);
    if change(&mut members).is_some()
        && let Ok(changed) = to_json(&members).read()
    {
        *action = changed;
    }
}

fn find(action: &mut Members, places: &Places) -> Option<()> {
    let place = |action: &Members, name| places.get(&action.get_str(name)?);
    if action.get("element_description").is_some() {
        let [x, y] = place(action, "element_description")?;
        action.set("x", to_json(x));
        action.set("y", to_json(y));
        action.remove("element_description");
        return Some(());
    }
    let start = place(action, "start_element_description")?;
    let end = place(action, "end_element_description")?;
    let path = [start, end].map(|[x, y]| super::Point::named(x.clone(), y.clone()));
    action.set("path", to_json(&path));
    action.remove("start_element_description");
    action.remove("end_element_description");
    Some(())
}

fn describe<'a>(
    action: &mut Members,
    description: &impl Fn([f64; 2]) -> Option<&'a str>,
) -> Option<()> {
    if let (Some(x), Some(y)) = (action.get("x"), action.get("y")) {
        let [x, y]: [Number; 2] = [x.read().ok()?, y.read().ok()?];
        action.set(
            "element_description",
            description([x.as_f64(), y.as_f64()])?,
        );
        action.remove("x");
        action.remove("y");
        return Some(());
    }
    // Points are objects, as [`find`] writes them.
    let path: Vec<NamedPoint> = action.get("path")?.read().ok()?;
    let [start, end] = &*path else { return None };
    let [start, end] = [start, end].map(|point| [point.x.as_f64(), point.y.as_f64()]);
    let [start, end] = [description(start)?, description(end)?];
    action.set("start_element_description", start);
    action.set("end_element_description", end);
    action.remove("path");
    Some(())
}
