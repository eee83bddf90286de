//! Stable numbers for the elements of a list.

/// The numbers of the elements of a list, in ascending order. The number of an
/// element does not change when other elements are removed.
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
    removed: Vec<u64>,
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
        let is_there = self.removed.binary_search(&number).is_err();
        let at = self.numbers.binary_search(&number).ok()?;
        is_there.then_some(at)
    }

    /// Returns the index that the element at `at` will have after the removed
    /// elements are swept.
    pub(super) fn shown(&self, at: usize) -> usize {
        let number = self.numbers.get(at).copied().unwrap_or(self.next);
        at - self.removed.partition_point(|removed| *removed < number)
    }

    /// Returns whether all elements are removed.
    pub(super) fn is_empty(&self) -> bool {
        self.removed.len() == self.numbers.len()
    }

    /// Marks the element with this number as removed. Returns `false` if there is
    /// no such element, or if it was already removed.
    pub(super) fn remove(&mut self, number: u64) -> bool {
        let is_there = self.numbers.binary_search(&number).is_ok();
        match self.removed.binary_search(&number) {
            Err(place) if is_there => {
                self.removed.insert(place, number);
                true
            }
            _ => false,
        }
    }

    /// Returns whether a sweep is due, because more than half of the elements
    /// are removed.
    pub(super) fn needs_sweep(&self) -> bool {
        2 * self.removed.len() > self.numbers.len()
    }

    /// Sweeps the removed elements. Returns their former indexes in the list.
    pub(super) fn sweep(&mut self) -> Vec<usize> {
        let removed = std::mem::take(&mut self.removed).into_iter();
        let places = removed.filter_map(|number| self.numbers.binary_search(&number).ok());
        let places: Vec<_> = places.collect();
        remove_at(&mut self.numbers, &places);
        places
    }
}

/// Removes the elements at the indexes `removed`, which must be in ascending
/// order. Elements before the first of these indexes are not moved.
pub(super) fn remove_at<T>(list: &mut Vec<T>, removed: &[usize]) {
    let Some(&first) = removed.first() else {
        return;
    };
    let mut removed = removed.iter().copied().peekable();
    let mut at = first;
    let taken = list.extract_if(first.., |_| {
        let is_removed = removed.next_if_eq(&at).is_some();
        at += 1;
        is_removed
    });
    taken.for_each(drop);
}
