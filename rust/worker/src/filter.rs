//! The system-call filter: everything ends the process but the few calls a running cell needs.
//!
//! A worker at work makes four: `read`, `recvfrom` without waiting and `write` on its socket, and `exit_group`. The clocks are allowed for
//! machines whose vDSO can't tell the time, `getrandom` for hash seeds, `madvise` for giving memory back, and
//! what `abort` does, so that a broken invariant shows as SIGABRT.

use std::{ops::Range, process};

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Why the filter can't be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// There is no filter for this processor, or its rules are inconsistent.
    #[error("can't compile the system-call filter: {0}")]
    Compile(#[from] BackendError),
    /// The kernel does not take it.
    #[error("can't install the system-call filter: {0}")]
    Install(#[from] seccompiler::Error),
}

/// Installs the filter, for good. `regions` are where `madvise` may work.
pub(crate) fn install(regions: &[Range<usize>]) -> Result<(), FilterError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let rules = rules(regions)?.into_iter().collect();
    let filter = SeccompFilter::new(rules, SeccompAction::KillProcess, SeccompAction::Allow, arch)?;
    let program = BpfProgram::try_from(filter)?;
    Ok(seccompiler::apply_filter(&program)?)
}

/// The allowed calls; a call without rules is allowed with any arguments.
fn rules(regions: &[Range<usize>]) -> Result<Vec<(libc::c_long, Vec<SeccompRule>)>, BackendError> {
    let own_id = u64::from(process::id());
    let on_the_socket = || SeccompRule::new(vec![equals(0, 0)?]);
    let abort =
        SeccompRule::new(vec![equals(0, own_id)?, equals(1, own_id)?, equals(2, libc::SIGABRT as u64)?])?;
    Ok(vec![
        (libc::SYS_read, vec![on_the_socket()?]),
        (libc::SYS_write, vec![on_the_socket()?]),
        (
            libc::SYS_recvfrom,
            vec![SeccompRule::new(vec![
                equals(0, 0)?,
                equals(3, libc::MSG_DONTWAIT as u64)?,
                compare(4, SeccompCmpOp::Eq, 0)?,
                compare(5, SeccompCmpOp::Eq, 0)?,
            ])?],
        ),
        (libc::SYS_exit_group, vec![]),
        (libc::SYS_clock_gettime, vec![]),
        (libc::SYS_gettimeofday, vec![]),
        (libc::SYS_getrandom, vec![]),
        (libc::SYS_madvise, regions.iter().map(give_back_within).collect::<Result<_, _>>()?),
        (libc::SYS_rt_sigprocmask, vec![]),
        (libc::SYS_getpid, vec![]),
        (libc::SYS_gettid, vec![]),
        (libc::SYS_tgkill, vec![abort]),
    ])
}

/// `madvise(address, bytes, MADV_DONTNEED)` that starts in `region` and is no longer than it.
///
/// A filter can't add, so the end is not checked; behind each region lies at least its size of unmapped space.
fn give_back_within(region: &Range<usize>) -> Result<SeccompRule, BackendError> {
    use SeccompCmpOp::{Ge, Le, Lt};
    SeccompRule::new(vec![
        compare(0, Ge, region.start)?,
        compare(0, Lt, region.end)?,
        compare(1, Le, region.len())?,
        equals(2, libc::MADV_DONTNEED as u64)?,
    ])
}

/// Argument `index`, an `int` to the kernel.
fn equals(index: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

/// Argument `index`, an address or a size.
fn compare(index: u8, operator: SeccompCmpOp, value: usize) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(index, SeccompCmpArgLen::Qword, operator, value as u64)
}
