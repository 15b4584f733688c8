//! What the emulated device is like, and what it checks.

use std::fmt;

/// Which faults are looked for. Out of bounds, misalignment, use after free, writes to read-only
/// memory, traps and impossible barriers are always found; these cost time and can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checks {
    /// Loads of bytes that nothing has written.
    pub uninitialised: bool,
    /// Two threads that touch the same bytes, one of them writing, not both atomically, with
    /// neither barrier nor release and acquire between them.
    pub races: bool,
    /// A barrier that some threads of the block have left for good.
    pub barriers: bool,
}

impl Checks {
    /// Everything.
    pub const ALL: Checks = Checks { uninitialised: true, races: true, barriers: true };
    /// Only what cannot be left out.
    pub const NONE: Checks = Checks { uninitialised: false, races: false, barriers: false };

    /// The same with uninitialised loads looked for, or not.
    #[must_use]
    pub const fn uninitialised(mut self, on: bool) -> Self {
        self.uninitialised = on;
        self
    }

    /// The same with races looked for, or not.
    #[must_use]
    pub const fn races(mut self, on: bool) -> Self {
        self.races = on;
        self
    }

    /// The same with barriers checked, or not.
    #[must_use]
    pub const fn barriers(mut self, on: bool) -> Self {
        self.barriers = on;
        self
    }
}

impl Default for Checks {
    fn default() -> Self {
        Checks::ALL
    }
}

/// The emulated device. `Config::default()` has 1 GiB of memory, all checks on, one host thread
/// per core, seed 0.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Bytes of device memory.
    pub memory: u64,
    /// What to look for.
    pub checks: Checks,
    /// Host threads that run blocks; 0 for as many as there are cores.
    pub threads: usize,
    /// Chooses the order of blocks, of warps between barriers, and of queued work.
    pub seed: u64,
    /// Warp instructions after which a launch is stopped.
    pub step_limit: u64,
    /// Dynamic and static shared memory a block may have, in bytes.
    pub shared_limit: u32,
    /// Local memory a thread may have, in bytes.
    pub local_limit: u32,
    /// Whether pinned memory must not be touched while a queued copy needs it. If false, the
    /// copy takes what is there when it runs, as hardware does.
    pub strict_pinned: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            memory: 1 << 30,
            checks: Checks::ALL,
            threads: 0,
            seed: 0,
            step_limit: 10_000_000_000,
            shared_limit: 227 << 10,
            local_limit: 512 << 10,
            strict_pinned: true,
        }
    }
}

impl Config {
    /// The same with this much device memory.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// The same with these checks.
    #[must_use]
    pub fn checks(mut self, checks: Checks) -> Self {
        self.checks = checks;
        self
    }

    /// The same with this many host threads; 1 makes a run repeatable.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The same with another seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same with another limit of warp instructions a launch.
    #[must_use]
    pub fn step_limit(mut self, steps: u64) -> Self {
        self.step_limit = steps;
        self
    }

    /// The same with pinned memory watched, or left as hardware leaves it.
    #[must_use]
    pub fn strict_pinned(mut self, strict: bool) -> Self {
        self.strict_pinned = strict;
        self
    }
}

/// A kind of call that can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Call {
    /// Device or pinned allocation.
    Alloc,
    /// A copy or memset in any direction.
    Copy,
    /// A kernel launch.
    Launch,
    /// Freeing device or pinned memory. That of pinned memory cannot fail.
    Free,
    /// A wait for all work of the device.
    Synchronize,
    /// The record of an event, or a stream's wait for one.
    Record,
    /// The host's wait for a stream or an event.
    Wait,
    /// Whether a stream or an event is done, or what time lies between two events.
    Query,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Call::Alloc => "allocation",
            Call::Copy => "copy",
            Call::Launch => "launch",
            Call::Free => "freeing",
            Call::Synchronize => "synchronisation",
            Call::Record => "record",
            Call::Wait => "wait",
            Call::Query => "query",
        })
    }
}
