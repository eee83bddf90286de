//! Numbers that stay with the elements of a list, whatever is taken away.

/// The numbers of the elements of a list, in order: a number stays with its
/// element when others are taken away.
///
/// An element that is taken away stays in its list until the list is next
/// looked at, or half of it is gone: to move up what is behind each of them would
/// take the square of their number.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    numbers: Vec<u64>,
    next: u64,
    /// Those whose elements are to go, in order.
    gone: Vec<u64>,
}

impl Numbers {
    /// Numbers one more element, behind the others.
    pub(super) fn push(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        self.numbers.push(number);
        number
    }

    /// Where the element with this number is in its list.
    pub(super) fn at(&self, number: u64) -> Option<usize> {
        let is_there = self.gone.binary_search(&number).is_err();
        let at = self.numbers.binary_search(&number).ok()?;
        is_there.then_some(at)
    }

    /// Where an element that is at `at` will be when those are gone that are to
    /// go.
    pub(super) fn shown(&self, at: usize) -> usize {
        let number = self.numbers.get(at).copied().unwrap_or(self.next);
        at - self.gone.partition_point(|gone| *gone < number)
    }

    /// Whether nothing stays.
    pub(super) fn is_empty(&self) -> bool {
        self.gone.len() == self.numbers.len()
    }

    /// The element with this number is to go. Says whether it was there.
    pub(super) fn remove(&mut self, number: u64) -> bool {
        let is_there = self.numbers.binary_search(&number).is_ok();
        match self.gone.binary_search(&number) {
            Err(place) if is_there => {
                self.gone.insert(place, number);
                true
            }
            _ => false,
        }
    }

    /// Whether so much is to go that it is time.
    pub(super) fn is_half_gone(&self) -> bool {
        2 * self.gone.len() > self.numbers.len()
    }

    /// Lets what is to go be gone. Says where it was.
    pub(super) fn sweep(&mut self) -> Vec<usize> {
        let gone = std::mem::take(&mut self.gone).into_iter();
        let places = gone.filter_map(|number| self.numbers.binary_search(&number).ok());
        let places: Vec<_> = places.collect();
        take_at(&mut self.numbers, &places);
        places
    }
}

/// Takes away the elements at `gone`, which ascends. What is before the first of
/// them is not touched.
pub(super) fn take_at<T>(list: &mut Vec<T>, gone: &[usize]) {
    let Some(&first) = gone.first() else { return };
    let mut gone = gone.iter().copied().peekable();
    let mut at = first;
    let taken = list.extract_if(first.., |_| {
        let is_gone = gone.next_if_eq(&at).is_some();
        at += 1;
        is_gone
    });
    taken.for_each(drop);
}
