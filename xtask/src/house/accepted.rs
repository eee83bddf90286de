//! The circles that are left, each with its reason.

use super::structure::{Circle, House};

/// A circle that is left in the code for a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// The package.
    pub package: &'static str,
    /// Its files, in the order of their paths.
    pub files: &'static [&'static str],
    /// Why it is left.
    pub reason: &'static str,
}

/// The circles that are left. A test fails when one of them is gone, too.
pub const ACCEPTED: &[Accepted] = &[Accepted {
    package: "agentwire-protocol",
    files: &[
        "src/content/conversation.rs",
        "src/content/media.rs",
        "src/content/mod.rs",
        "src/content/server_tool.rs",
        "src/content/text.rs",
        "src/content/tool.rs",
        "src/content/web.rs",
    ],
    reason: "content is made of itself: a block holds what a tool returned, which is blocks",
}];

/// The circles of all packages that are not accepted, each with its package.
#[must_use]
pub fn unaccepted<'a>(houses: &'a [House], accepted: &[Accepted]) -> Vec<(&'a House, Circle)> {
    let circles = houses
        .iter()
        .flat_map(|house| house.circles().into_iter().map(move |it| (house, it)));
    circles
        .filter(|(house, circle)| !accepted.iter().any(|one| one.is(house, circle)))
        .collect()
}

/// The circles that are accepted and do not exist.
#[must_use]
pub fn gone(houses: &[House], accepted: &[Accepted]) -> Vec<Accepted> {
    let exists = |one: &Accepted| {
        let mut circles = houses
            .iter()
            .flat_map(|house| house.circles().into_iter().map(move |it| (house, it)));
        circles.any(|(house, circle)| one.is(house, &circle))
    };
    accepted
        .iter()
        .copied()
        .filter(|one| !exists(one))
        .collect()
}

impl Accepted {
    fn is(&self, house: &House, circle: &Circle) -> bool {
        self.package == house.name && circle.files.iter().eq(self.files)
    }
}
