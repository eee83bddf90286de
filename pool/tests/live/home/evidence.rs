//! Evidence of a session: its requests to the model, its messages and the programs that ran.

use super::places::{PLACES, Place, User, Visibility};

/// Evidence of a session: its requests to the model, its messages and the programs that ran.
pub(crate) struct Evidence {
    /// All that the CLI sent to the model.
    pub(crate) sent: String,
    /// All messages of the CLI to the program.
    pub(crate) reported: String,
    /// The marks of programs that ran.
    pub(crate) ran: Vec<String>,
}

impl Evidence {
    fn has(&self, user: &User, place: &Place) -> bool {
        let mark = user.mark(place);
        match place.visibility {
            Visibility::Sent(text) => self.sent.contains(&text.replace("{}", &mark)),
            Visibility::Reported(text) => self.reported.contains(&text.replace("{}", &mark)),
            Visibility::Ran => self.ran.contains(&mark),
        }
    }

    /// Asserts that the places of the user which `sees` selects were seen, and no others.
    #[track_caller]
    pub(crate) fn assert_sees(&self, user: &User, sees: impl Fn(&Place) -> bool) {
        let wrong = PLACES.iter().filter(|it| self.has(user, it) != sees(it));
        let wrong: Vec<_> = wrong.map(|it| (it.name, self.has(user, it))).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    /// Asserts that nothing of the user was seen, in whatever way.
    #[track_caller]
    pub(crate) fn assert_sees_nothing_of(&self, user: &User) {
        let marks = user.marks();
        for (place, text) in [("sent", &self.sent), ("reported", &self.reported)] {
            if let Some(at) = text.find(&marks) {
                let around: String = text[..at].chars().rev().take(100).collect();
                let around: String = around.chars().rev().collect();
                panic!("{place}: {around}{}", &text[at..at + marks.len() + 4]);
            }
        }
        let ran: Vec<_> = self
            .ran
            .iter()
            .filter(|it| it.starts_with(&marks))
            .collect();
        assert!(ran.is_empty(), "{ran:?}");
    }
}
