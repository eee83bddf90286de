//! Limits of a pool's processes and memory.

/// Limits of a pool's processes and memory.
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
    /// Limits the number of agent processes at the same time. The minimum is one.
    #[must_use]
    pub fn new(processes: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            processes: processes.max(1),
            starting: cores,
            memory: None,
        }
    }

    /// Limits the number of processes that start at the same time. The minimum is one. Default: the
    /// number of cores, because a starting CLI uses one for half a second.
    #[must_use]
    pub fn starting(mut self, processes: usize) -> Self {
        self.starting = processes.max(1);
        self
    }

    /// Limits the resident memory of the agents and their child processes, in bytes. A process is
    /// not started if it would exceed the limit. It is expected to need the average of the running
    /// ones, at first 200 MB. While the limit is exceeded, idle sessions are put to sleep.
    /// Allocations of running agents are not limited, and one process is always allowed.
    ///
    /// The memory is measured every half second, as the sum of the resident sizes: shared pages are
    /// counted for each process.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }
}
