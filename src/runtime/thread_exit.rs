//! Makes other threads hang, rather than unwind, if the finalizing interpreter ends them.
//!
//! Before Python 3.14, a daemon thread that asks for the GIL while the interpreter finalizes is ended by `pthread_exit`. With
//! glibc, that unwinds its stack. If Rust called the Python code that runs there (a hook, a `__del__`, the `__fspath__` of an
//! argument), the unwinding reaches frames of Rust, which can't be unwound this way: the process aborts, or objects are dropped
//! by a thread that does not hold the GIL. Python 3.14 hangs such threads, and so does this module for older versions: it registers
//! a cleanup handler in each thread, which `pthread_exit` calls before it unwinds anything.
//!
//! Handlers are registered from outside, at exit, so no function that Python calls needs to remember to do it. A signal has each
//! thread register its own; a thread that blocks all signals is not covered. Other C libraries and other systems end threads
//! without unwinding.

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The first version of Python that hangs such threads by itself.
const HANGS_THREADS: (u8, u8) = (3, 14);

/// Time limit for threads to handle the signal. A thread that does not run now handles it before it does anything else, so this is
/// for those that run on another core.
const SIGNAL_TIMEOUT: Duration = Duration::from_millis(100);
const INTERVAL: Duration = Duration::from_millis(1);

/// The names, in different versions of Python, of the function that returns true while the interpreter is finalizing.
const IS_FINALIZING: [&CStr; 2] = [c"Py_IsFinalizing", c"_Py_IsFinalizing"];

/// `struct _pthread_cleanup_buffer` of glibc's `pthread.h`.
#[repr(C)]
struct CleanupBuffer {
    routine: Option<extern "C" fn(*mut c_void)>,
    argument: *mut c_void,
    cancel_type: c_int,
    previous: *mut CleanupBuffer,
}

unsafe extern "C" {
    fn _pthread_cleanup_push(buffer: *mut CleanupBuffer, routine: extern "C" fn(*mut c_void), argument: *mut c_void);
    fn _pthread_cleanup_pop(buffer: *mut CleanupBuffer, execute: c_int);
}

/// The buffers. Each thread that handles the signal takes one.
static BUFFERS: AtomicPtr<CleanupBuffer> = AtomicPtr::new(null_mut());
static BUFFER_COUNT: AtomicUsize = AtomicUsize::new(0);
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static REGISTERED: AtomicUsize = AtomicUsize::new(0);

/// The function of `IS_FINALIZING`; null if Python has none of these names.
static FINALIZING: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Registers the handler in all other threads that run Python now. The GIL is held throughout.
pub(crate) fn hang_other_threads(py: Python<'_>) -> PyResult<()> {
    let version = py.version_info();
    if (version.major, version.minor) >= HANGS_THREADS {
        return Ok(());
    }
    let _paused = PausedCollector::new();
    let threads = other_threads(py)?;
    if !threads.is_empty() {
        register_in(&threads);
    }
    Ok(())
}

/// Pauses garbage collection, which could run Python code and so let a thread end after its identifier was read.
struct PausedCollector {
    was_enabled: bool,
}

impl PausedCollector {
    fn new() -> Self {
        // SAFETY: the thread is attached to the interpreter, which is all that the function needs.
        Self { was_enabled: unsafe { pyo3::ffi::PyGC_Disable() } == 1 }
    }
}

impl Drop for PausedCollector {
    fn drop(&mut self) {
        if self.was_enabled {
            // SAFETY: as above; the value is used where the thread was attached when it was made.
            unsafe { pyo3::ffi::PyGC_Enable() };
        }
    }
}

/// Returns all other threads that run Python code or wait for the GIL.
fn other_threads(py: Python<'_>) -> PyResult<Vec<libc::pthread_t>> {
    let frames = py.import("sys")?.call_method0("_current_frames")?;
    // SAFETY: the function has no preconditions.
    let this_thread = unsafe { libc::pthread_self() };
    let mut threads: Vec<libc::pthread_t> =
        frames.cast::<PyDict>()?.keys().iter().map(|identifier| identifier.extract()).collect::<PyResult<_>>()?;
    threads.retain(|thread| *thread != this_thread);
    Ok(threads)
}

fn register_in(threads: &[libc::pthread_t]) {
    let empty = || CleanupBuffer { routine: None, argument: null_mut(), cancel_type: 0, previous: null_mut() };
    let buffers: Vec<CleanupBuffer> = threads.iter().map(|_| empty()).collect();
    // They belong to the threads from now on.
    BUFFERS.store(buffers.leak().as_mut_ptr(), Ordering::SeqCst);
    BUFFER_COUNT.store(threads.len(), Ordering::SeqCst);
    FINALIZING.store(is_finalizing(), Ordering::SeqCst);
    let Some(signal) = unused_signal().filter(|signal| set_handler(*signal)) else { return };
    // SAFETY: a thread with a thread state of Python's does not end before it has held the GIL again, which this thread holds.
    let reached = threads.iter().filter(|thread| unsafe { libc::pthread_kill(**thread, signal) } == 0).count();
    let start = Instant::now();
    while REGISTERED.load(Ordering::SeqCst) < reached && start.elapsed() < SIGNAL_TIMEOUT {
        thread::sleep(INTERVAL);
    }
}

fn is_finalizing() -> *mut c_void {
    // SAFETY: the names are C strings.
    let functions = IS_FINALIZING.iter().map(|name| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) });
    functions.into_iter().find(|function| !function.is_null()).unwrap_or(null_mut())
}

/// Returns a signal that the program does not handle: `SIGURG`, which is ignored by default, or a real-time signal.
fn unused_signal() -> Option<c_int> {
    let own = (libc::SIGRTMIN()..=libc::SIGRTMAX()).rev();
    std::iter::once(libc::SIGURG).chain(own).find(|signal| is_unused(*signal))
}

fn is_unused(signal: c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: `action` is filled if the call succeeds, and read only then.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && matches!(action.assume_init().sa_sigaction, libc::SIG_DFL | libc::SIG_IGN)
    }
}

/// Sets `register` as the handler of a signal for good, because threads may handle it later. Returns true if the system allows it.
fn set_handler(signal: c_int) -> bool {
    // SAFETY: zeros are a valid `sigaction`, whose fields are set before it is used.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction =
        register as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as *const () as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_SIGINFO;
    // SAFETY: both variables belong to this function.
    unsafe {
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, null_mut()) == 0
    }
}

/// Registers `hang_thread` in the thread that it runs on. It is a handler of a signal: it allocates nothing and takes no lock.
extern "C" fn register(_signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    // SAFETY: the system passes a valid pointer. For a signal sent to a thread, it contains the id of the sending process.
    let is_own = unsafe { (*info).si_code == libc::SI_TKILL && (*info).si_pid() == libc::getpid() };
    if !is_own {
        return;
    }
    let number = TAKEN.fetch_add(1, Ordering::SeqCst);
    if number >= BUFFER_COUNT.load(Ordering::SeqCst) {
        return;
    }
    // SAFETY: the array has this many buffers, it is never freed, and each buffer is used only by the thread that took its number.
    // The list of registered buffers belongs to this thread, and its buffers belong to active functions of this thread.
    unsafe {
        let own = BUFFERS.load(Ordering::SeqCst).add(number);
        _pthread_cleanup_push(own, hang_thread, null_mut());
        let mut last = (*own).previous;
        if !last.is_null() {
            // A thread that waits on a condition variable has a handler of its own, and restores the list from before that handler
            // when it wakes. So append `own` at the end of the list.
            _pthread_cleanup_pop(own, 0);
            while !(*last).previous.is_null() {
                last = (*last).previous;
            }
            (*own).previous = null_mut();
            (*last).previous = own;
        }
    }
    REGISTERED.fetch_add(1, Ordering::SeqCst);
}

/// Hangs a thread that the finalizing interpreter ends. A thread that ends before for another reason, such as a library that cancels
/// its own threads, is not affected.
extern "C" fn hang_thread(_: *mut c_void) {
    let function = FINALIZING.load(Ordering::SeqCst);
    if !function.is_null() {
        // SAFETY: the functions of `IS_FINALIZING` have this type, and no preconditions.
        let is_finalizing: unsafe extern "C" fn() -> c_int = unsafe { std::mem::transmute(function) };
        // SAFETY: as above.
        if unsafe { is_finalizing() } == 0 {
            return;
        }
    }
    loop {
        thread::park();
    }
}
