//! How much of the machine a pool may use.

/// How much of the machine a pool may use.
///
/// ```
/// use agentwire_pool::Limits;
///
/// let limits = Limits::new(8).starting(2).memory(4 << 30);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub(crate) processes: usize,
    pub(crate) starting: usize,
    pub(crate) memory: Option<u64>,
}

impl Limits {
    /// Allows this many processes of agents at once, at least one.
    #[must_use]
    pub fn new(processes: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            processes: processes.max(1),
            starting: cores,
            memory: None,
        }
    }

    /// Allows this many processes to start at once, at least one. By default as many as there are
    /// cores: a CLI uses one for half a second when it starts.
    #[must_use]
    pub fn starting(mut self, processes: usize) -> Self {
        self.starting = processes.max(1);
        self
    }

    /// Limits the resident memory of the agents and of what they have started, in bytes. No
    /// process is started that would exceed it, by what the others have on average (at first 200
    /// MB each), and idle sessions sleep while it is exceeded. What running agents allocate is not
    /// limited; and one process is always allowed.
    ///
    /// The memory is measured each half second, as the sum of the resident sizes: pages that
    /// processes share are counted for each.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }
}
