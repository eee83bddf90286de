//! Numbers that stay with the elements of a list, whatever is taken away.

/// The numbers of the elements of a list, in order: a number stays with its
/// element when others are taken away.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    numbers: Vec<u64>,
    next: u64,
}

impl Numbers {
    /// Numbers one more element, behind the others.
    pub(super) fn push(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        self.numbers.push(number);
        number
    }

    /// Where the element with this number is.
    pub(super) fn at(&self, number: u64) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// The element at `at` was taken away.
    pub(super) fn remove(&mut self, at: usize) {
        self.numbers.remove(at);
    }

    /// The elements at `gone`, which ascends, were taken away.
    pub(super) fn take_at(&mut self, gone: &[usize]) {
        take_at(&mut self.numbers, gone);
    }
}

/// Takes away the elements at `gone`, which ascends.
pub(super) fn take_at<T>(list: &mut Vec<T>, gone: &[usize]) {
    // One costs no more than to move up what is behind it.
    if let [at] = gone {
        list.remove(*at);
        return;
    }
    let mut gone = gone.iter().copied().peekable();
    let mut at = 0;
    list.retain(|_| {
        let is_gone = gone.next_if_eq(&at).is_some();
        at += 1;
        !is_gone
    });
}
