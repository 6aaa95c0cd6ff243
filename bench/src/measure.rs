//! What does a piece of work cost? CPU time of the process, the best of several runs, and peak memory.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::Result;
use rustix::time::{ClockId, clock_gettime};

/// What one contender cost.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// CPU time of the best run.
    pub time: Duration,
    /// Bytes of what the work returns, beyond what was live before.
    pub kept_bytes: i64,
    /// Most bytes that were live at once, beyond what was live before.
    pub peak_bytes: i64,
}

impl Cost {
    /// Millions of bytes per second of CPU time.
    pub fn rate(&self, bytes: usize) -> f64 {
        bytes as f64 / 1e6 / self.time.as_secs_f64()
    }

    /// Memory in multiples of the input: of the result, and at the peak.
    pub fn memory(&self, bytes: usize) -> (f64, f64) {
        (self.kept_bytes as f64 / bytes as f64, self.peak_bytes as f64 / bytes as f64)
    }
}

/// Takes the cost of a contender's work; what comes before and after the work is free.
#[derive(Debug)]
pub struct Meter {
    cost: Cost,
    counts_memory: bool,
}

impl Meter {
    /// A meter that has seen nothing.
    pub fn new() -> Self {
        Meter { cost: Cost { time: Duration::MAX, kept_bytes: 0, peak_bytes: 0 }, counts_memory: false }
    }

    /// From now on memory is measured, and time is not.
    pub fn count_memory(&mut self) {
        self.counts_memory = true;
    }

    /// The best so far.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Measures `work`; what it returns is dropped when the measuring is over. Work that fails is not measured.
    pub fn run<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<()> {
        if self.counts_memory {
            (_, self.cost.kept_bytes, self.cost.peak_bytes) = memory_of(work)?;
        } else {
            let (_, taken) = cpu_time_of(work)?;
            self.cost.time = self.cost.time.min(taken);
        }
        Ok(())
    }

    /// Measures memory and time at once, for work that may be too long to be done again, and gives what came of it.
    pub fn first<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let ((result, taken), kept_bytes, peak_bytes) = memory_of(|| cpu_time_of(work))?;
        self.cost = Cost { time: taken, kept_bytes, peak_bytes };
        Ok(result)
    }
}

/// What came of the work, and the CPU time that this process took for it.
pub fn cpu_time_of<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let before = cpu_time();
    let result = std::hint::black_box(work());
    let taken = cpu_time() - before;
    Ok((result?, taken))
}

/// What came of the work, the bytes that are live at its end, and the most that were at any time.
fn memory_of<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, i64, i64)> {
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    COUNTS.store(true, Relaxed);
    let result = std::hint::black_box(work());
    COUNTS.store(false, Relaxed);
    Ok((result?, LIVE.load(Relaxed), PEAK.load(Relaxed)))
}

fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

/// One allocator for all that are measured in this process, with the live bytes counted where somebody asks; timed runs do not
/// pay for the counting.
pub struct Counting;

#[cfg(not(feature = "mimalloc"))]
static ALLOCATOR: std::alloc::System = std::alloc::System;
#[cfg(feature = "mimalloc")]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What it is called, the option of cargo that chooses it, and what the markers of its sections end in.
pub const ALLOCATOR_NAME: &str = if cfg!(feature = "mimalloc") { "mimalloc" } else { "the system's allocator" };
pub const ALLOCATOR_OPTION: &str = if cfg!(feature = "mimalloc") { " --features mimalloc" } else { "" };
pub const ALLOCATOR_MARKER: &str = if cfg!(feature = "mimalloc") { "-mimalloc" } else { "" };

static COUNTS: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

fn count(change: i64) {
    if COUNTS.load(Relaxed) {
        let live = LIVE.fetch_add(change, Relaxed) + change;
        PEAK.fetch_max(live, Relaxed);
    }
}

// An allocator cannot be written without unsafe code.
//
// SAFETY: every call is handed on to the allocator as it came, with the promises that the caller made, and what it
// answers is handed back; all blocks are its own. Counting touches atomics alone: it neither allocates nor panics.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { ALLOCATOR.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { ALLOCATOR.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { ALLOCATOR.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { ALLOCATOR.realloc(block, layout, size) }
    }
}
