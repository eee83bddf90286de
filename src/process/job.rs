//! A job object: what Windows has in place of process groups. All that a process in it starts is
//! in it too, and when its last handle is closed all of them end. The system closes the handles of
//! a host that is killed, so that nothing outlives that either.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::process::Child;
use win32job::ExtendedLimitInfo;

/// The processes of one session. Dropping it ends those that are left.
#[derive(Debug)]
pub(super) struct Job {
    /// Only held.
    _handle: win32job::Job,
}

impl Job {
    /// Puts the child into a job of its own. What it has started before is not in it.
    ///
    /// A process that is to stay may leave the job, by `CREATE_BREAKAWAY_FROM_JOB`.
    pub(super) fn of(child: &Child) -> io::Result<Self> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close().limit_breakaway_ok();
        let job = win32job::Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        // The library wants the handle as a number.
        job.assign_process(child.as_raw_handle() as isize)
            .map_err(io::Error::other)?;
        Ok(Self { _handle: job })
    }
}
