//! Random numbers.

/// A random number generator (splitmix64). The numbers depend only on the seed.
/// Those of neighbouring seeds are independent.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates a generator.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`. Returns 0 if `limit` is 0.
    #[allow(clippy::cast_possible_truncation, reason = "it is below `limit`")]
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() % limit.max(1) as u64) as usize
    }

    /// Returns `true` once in `times`, on average.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns `true` in `percent` of a hundred cases, on average.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `items`, which must not be empty.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// Returns an ID in the form of a UUID.
    pub fn uuid(&mut self) -> String {
        let text = format!("{:016x}{:016x}", self.number(), self.number());
        let (a, b, c) = (&text[..8], &text[8..12], &text[12..16]);
        format!("{a}-{b}-{c}-{}-{}", &text[16..20], &text[20..])
    }

    /// Returns an independent generator, for a concurrent task.
    #[must_use]
    pub fn split(&mut self) -> Self {
        Self::new(self.below(usize::MAX) as u64)
    }
}
