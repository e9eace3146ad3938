//! What a guest that has taken over its worker might try. Raw system calls, harmless should they succeed.

use std::{ffi::c_long, ptr};

/// What is expected of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The kernel ends the process.
    Killed,
    /// The kernel ends the process, or the processor does not know the way in.
    KilledOrFaulted,
    /// The process goes on.
    Survived,
    /// The process ends as it meant to.
    Aborted,
}

/// One attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt {
    /// What is tried.
    pub name: &'static str,
    /// How it ends.
    pub expected: Expected,
    /// Tries it.
    pub make: fn() -> c_long,
}

macro_rules! attempt {
    ($name:literal, $expected:ident, $number:expr $(, $argument:expr)* $(,)?) => {
        Attempt {
            name: $name,
            expected: Expected::$expected,
            // SAFETY: every call of the table either only reads memory that is there or is refused by the kernel
            // for its arguments; none changes memory that Rust knows of.
            make: || unsafe { libc::syscall($number, $($argument),*) },
        }
    };
}

const AT_HERE: libc::c_int = libc::AT_FDCWD;
const NONE: *const u8 = ptr::null();
const PAGE: usize = 4096;

/// All attempts, one a row.
#[rustfmt::skip]
pub(crate) const ATTEMPTS: &[Attempt] = &[
    // Files.
    attempt!("open a file", Killed, libc::SYS_openat, AT_HERE, c"/etc/hostname".as_ptr(), libc::O_RDONLY),
    attempt!("open its environment", Killed, libc::SYS_openat, AT_HERE, c"/proc/self/environ".as_ptr(), 0),
    attempt!("open a file by openat2", Killed, libc::SYS_openat2, AT_HERE, c"/".as_ptr(), NONE, 0),
    attempt!("look at a file", Killed, libc::SYS_statx, AT_HERE, c"/".as_ptr(), 0, 0, NONE),
    attempt!("make a memory file", Killed, libc::SYS_memfd_create, c"x".as_ptr(), 0),
    attempt!("copy its descriptor", Killed, libc::SYS_dup, 0),
    attempt!("control its descriptor", Killed, libc::SYS_fcntl, 0, libc::F_DUPFD, 5),
    attempt!("read another descriptor", Killed, libc::SYS_read, 1, NONE, 0),
    attempt!("write another descriptor", Killed, libc::SYS_write, 2, c"x".as_ptr(), 1),
    // Network.
    attempt!("open a socket", Killed, libc::SYS_socket, libc::AF_INET, libc::SOCK_STREAM, 0),
    attempt!("open a local socket", Killed, libc::SYS_socket, libc::AF_UNIX, libc::SOCK_STREAM, 0),
    attempt!("connect", Killed, libc::SYS_connect, 0, NONE, 0),
    attempt!("pass a descriptor", Killed, libc::SYS_sendmsg, 0, NONE, 0),
    attempt!("wait on its socket by recvfrom", Killed, libc::SYS_recvfrom, 0, NONE, 0, 0, NONE, NONE),
    attempt!("receive on another descriptor", Killed, libc::SYS_recvfrom, 1, NONE, 0, libc::MSG_DONTWAIT, NONE, NONE),
    attempt!("look into its socket", Survived, libc::SYS_recvfrom, 0, NONE, 0, libc::MSG_DONTWAIT, NONE, NONE),
    attempt!("take a descriptor", Killed, libc::SYS_recvmsg, 0, NONE, 0),
    // Processes.
    attempt!("clone", Killed, libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0),
    attempt!("clone3", Killed, libc::SYS_clone3, NONE, 0),
    #[cfg(target_arch = "x86_64")]
    attempt!("fork", Killed, libc::SYS_fork),
    #[cfg(target_arch = "x86_64")]
    attempt!("vfork", Killed, libc::SYS_vfork),
    attempt!("execute", Killed, libc::SYS_execve, c"/bin/true".as_ptr(), NONE, NONE),
    attempt!("execute by execveat", Killed, libc::SYS_execveat, AT_HERE, c"/bin/true".as_ptr(), 0, 0, 0),
    attempt!("trace", Killed, libc::SYS_ptrace, libc::PTRACE_TRACEME, 0, 0, 0),
    attempt!("read its parent's memory", Killed, libc::SYS_process_vm_readv, parent(), 0, 0, 0, 0, 0),
    attempt!("signal its parent", Killed, libc::SYS_kill, parent(), 0),
    attempt!("signal itself", Killed, libc::SYS_kill, libc::getpid(), 0),
    attempt!("signal a thread of its parent", Killed, libc::SYS_tgkill, parent(), parent(), libc::SIGABRT),
    attempt!("signal itself otherwise", Killed, libc::SYS_tgkill, libc::getpid(), libc::gettid(), libc::SIGUSR1),
    attempt!("open its parent", Killed, libc::SYS_pidfd_open, parent(), 0),
    attempt!("ask for its parent", Killed, libc::SYS_getppid),
    // Memory.
    attempt!("map memory", Killed, libc::SYS_mmap, 0, PAGE, libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANON, -1, 0),
    attempt!("make memory executable", Killed, libc::SYS_mprotect, arena(), PAGE, libc::PROT_READ | libc::PROT_EXEC),
    attempt!("unmap memory", Killed, libc::SYS_munmap, arena() + PAGE, PAGE),
    attempt!("move memory", Killed, libc::SYS_mremap, arena(), PAGE, PAGE, 0),
    attempt!("grow the heap", Killed, libc::SYS_brk, 0),
    attempt!("give back memory before the arena", Killed, libc::SYS_madvise, before_the_arena(), PAGE, libc::MADV_DONTNEED),
    attempt!("give back the program", Killed, libc::SYS_madvise, program(), PAGE, libc::MADV_DONTNEED),
    attempt!("give back more than the arena", Killed, libc::SYS_madvise, arena(), 1_usize << 40, libc::MADV_DONTNEED),
    attempt!("advise otherwise", Killed, libc::SYS_madvise, arena(), PAGE, libc::MADV_DOFORK),
    // The sandbox itself, and ways around a filter.
    attempt!("control itself", Killed, libc::SYS_prctl, libc::PR_SET_PDEATHSIG, 0, 0, 0, 0),
    attempt!("become dumpable", Killed, libc::SYS_prctl, libc::PR_SET_DUMPABLE, 1, 0, 0, 0),
    attempt!("install a filter", Killed, libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, NONE),
    attempt!("raise a limit", Killed, libc::SYS_prlimit64, 0, libc::RLIMIT_NOFILE, NONE, 0),
    attempt!("set up io_uring", Killed, libc::SYS_io_uring_setup, 1, NONE),
    attempt!("wait on a futex", Killed, libc::SYS_futex, NONE, 0, 0, 0, 0, 0),
    attempt!("sleep", Killed, libc::SYS_nanosleep, NONE, NONE),
    attempt!("handle a signal", Killed, libc::SYS_rt_sigaction, libc::SIGTERM, 0, 0, 8),
    attempt!("load a program into the kernel", Killed, libc::SYS_bpf, 0, NONE, 0),
    attempt!("enter a namespace", Killed, libc::SYS_unshare, libc::CLONE_NEWUSER),
    attempt!("change its user", Killed, libc::SYS_setuid, 0),
    attempt!("end one thread", Killed, libc::SYS_exit, 0),
    attempt!("make a call that does not exist", Killed, 10_000),
    #[cfg(target_arch = "x86_64")]
    attempt!("use the x32 numbers", Killed, 0x4000_0000 | libc::SYS_getpid),
    #[cfg(target_arch = "x86_64")]
    Attempt { name: "use the 32-bit gate", expected: Expected::KilledOrFaulted, make: gate_32_bit },
    // What a running cell needs; these show that the probe lives when it is let.
    attempt!("read nothing from the socket", Survived, libc::SYS_read, 0, NONE, 0),
    attempt!("write nothing to the socket", Survived, libc::SYS_write, 0, NONE, 0),
    attempt!("ask for the time", Survived, libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, NONE),
    attempt!("ask for random bytes", Survived, libc::SYS_getrandom, NONE, 0, 0),
    attempt!("give back arena memory", Survived, libc::SYS_madvise, arena(), PAGE, libc::MADV_DONTNEED),
    Attempt { name: "abort", expected: Expected::Aborted, make: || std::process::abort() },
];

/// An address near the end of the arena, which holds nothing.
fn arena() -> usize {
    let [arena, ..] = toolcell_arena::regions();
    arena.end - 16 * PAGE
}

fn before_the_arena() -> usize {
    let [arena, ..] = toolcell_arena::regions();
    arena.start - PAGE
}

/// A page of the program's code.
fn program() -> usize {
    parent as *const () as usize & !(PAGE - 1)
}

/// The parent's id, from the command line: asking the kernel is an attempt of its own.
fn parent() -> libc::pid_t {
    std::env::args().nth(1).and_then(|id| id.parse().ok()).unwrap_or_default()
}

/// `getpid` by the i386 table, where the number 20 is `writev`'s on x86-64.
#[cfg(target_arch = "x86_64")]
fn gate_32_bit() -> c_long {
    let result: c_long;
    // SAFETY: getpid has no arguments; the old gate clobbers r8 to r11.
    unsafe {
        std::arch::asm!(
            "int 0x80", inlateout("rax") 20_i64 => result,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    result
}
