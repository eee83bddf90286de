//! Job objects, the Windows counterpart of process groups. Processes started in
//! a job belong to it, and all of them end when its last handle is closed. The
//! system closes the handles of a killed host, so they do not outlive it.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::process::Child;
use win32job::ExtendedLimitInfo;

/// The processes of one session. Dropping this ends the remaining ones.
#[derive(Debug)]
pub(super) struct Job {
    /// Only for its drop.
    _handle: win32job::Job,
}

impl Job {
    /// Puts the child into its own job. Processes that it has started before
    /// are not included.
    ///
    /// To stay alive, a process can leave the job with
    /// `CREATE_BREAKAWAY_FROM_JOB`.
    pub(super) fn of(child: &Child) -> io::Result<Self> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close().limit_breakaway_ok();
        let job = win32job::Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        // The library takes the handle as a number.
        job.assign_process(child.as_raw_handle() as isize)
            .map_err(io::Error::other)?;
        Ok(Self { _handle: job })
    }
}
