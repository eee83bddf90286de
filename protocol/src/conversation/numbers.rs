//! Stable numbers for the elements of a list.

/// The numbers of the elements of a list, in ascending order. An element keeps
/// its number when other elements are removed.
///
/// A removed element stays in its list until the list is next read, or until
/// more than half of its elements are removed. Shifting the remaining elements
/// on each removal would take quadratic time.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    numbers: Vec<u64>,
    next: u64,
    /// The numbers of removed elements that are still in the list, in ascending
    /// order.
    gone: Vec<u64>,
}

impl Numbers {
    /// Assigns a number to a new element at the end of the list.
    pub(super) fn push(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        self.numbers.push(number);
        number
    }

    /// Returns the index in the list of the element with this number, unless it
    /// was removed.
    pub(super) fn at(&self, number: u64) -> Option<usize> {
        let is_there = self.gone.binary_search(&number).is_err();
        let at = self.numbers.binary_search(&number).ok()?;
        is_there.then_some(at)
    }

    /// Returns the index that the element at `at` will have once the removed
    /// elements are swept.
    pub(super) fn shown(&self, at: usize) -> usize {
        let number = self.numbers.get(at).copied().unwrap_or(self.next);
        at - self.gone.partition_point(|gone| *gone < number)
    }

    /// Returns whether all elements are removed.
    pub(super) fn is_empty(&self) -> bool {
        self.gone.len() == self.numbers.len()
    }

    /// Marks the element with this number as removed. Returns `false` if it is
    /// not there, or was removed before.
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

    /// Returns whether more than half of the elements are removed, so that a
    /// sweep is due.
    pub(super) fn is_half_gone(&self) -> bool {
        2 * self.gone.len() > self.numbers.len()
    }

    /// Sweeps the removed elements. Returns the indexes that they had in the
    /// list.
    pub(super) fn sweep(&mut self) -> Vec<usize> {
        let gone = std::mem::take(&mut self.gone).into_iter();
        let places = gone.filter_map(|number| self.numbers.binary_search(&number).ok());
        let places: Vec<_> = places.collect();
        take_at(&mut self.numbers, &places);
        places
    }
}

/// Removes the elements at the indexes `gone`, which must be in ascending
/// order. Elements before the first of them are not moved.
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
