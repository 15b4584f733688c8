//! What an interval is spent on, and where it runs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What an interval is spent on.
///
/// The kernels' stages are measured between two events on their stream. Around the calls that queue them
/// the host spends `Enqueue`, and until they are done `DeviceWait`: neither says how long they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// In the queue, until a worker takes it.
    QueueWait,
    /// Waiting for memory of the device.
    SlotWait,
    /// Waiting for the prep lock.
    PrepWait,
    /// Waiting for the turn and for the compute lock.
    ComputeWait,
    /// Waiting for copies.
    CopyWait,
    /// Waiting for kernels.
    DeviceWait,
    /// Waiting for another thread of the same partition.
    BarrierWait,
    /// The witness's values are made, in pinned memory.
    Witness,
    /// Points of the key are brought from host memory to pinned memory, and their copies queued.
    KeyRead,
    /// Calls that queue copies and kernels.
    Enqueue,
    /// The proof is put together.
    Epilogue,
    /// The proof is verified.
    Check,
    /// The proof is handed over or written.
    Output,
    /// The prep lock is held.
    PrepHeld,
    /// The compute lock is held.
    ComputeHeld,
    /// To the device.
    Upload,
    /// Points of a key that stays in host memory, to the device.
    KeyUpload,
    /// The matrices times the witness.
    Rows,
    /// Transforms.
    Ntt,
    /// a·b − c, row by row.
    Quotient,
    /// Scalars are brought into the order of compacted bases.
    Gather,
    /// The sum over H.
    MsmH,
    /// The sum over A.
    MsmA,
    /// The sum over B in G1.
    MsmB1,
    /// The sum over B in G2.
    MsmB2,
    /// The sum over C, or L.
    MsmC,
    /// From the device.
    Download,
}

/// How a [`Stage`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A thread of the host waits.
    Wait,
    /// A thread of the host works.
    Work,
    /// A lock is held: work and waits lie inside.
    Held,
    /// Kernels run, or wait for nothing but room on their device.
    Kernel,
    /// Copies between host and device.
    Copy,
}

/// Where an interval runs: a thread of the host, or a stream, of its worker if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// No thread: partitions that wait for a worker, any number at once.
    Queue,
    /// The thread.
    Host,
    /// The locks that the thread holds.
    Locks,
    /// The stream of copies to the device.
    Copy,
    /// The stream of kernels, and of copies of their results.
    Compute,
}

/// What an interval's ends are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// [`Instant`](std::time::Instant).
    Host,
    /// Events of the device, which [`Placement`](super::Placement) puts on the host's axis.
    Device,
}

impl Stage {
    /// All, in the order in which reports list them.
    pub const ALL: [Self; 27] = [
        Self::QueueWait,
        Self::SlotWait,
        Self::PrepWait,
        Self::ComputeWait,
        Self::CopyWait,
        Self::DeviceWait,
        Self::BarrierWait,
        Self::Witness,
        Self::KeyRead,
        Self::Enqueue,
        Self::Epilogue,
        Self::Check,
        Self::Output,
        Self::PrepHeld,
        Self::ComputeHeld,
        Self::Upload,
        Self::KeyUpload,
        Self::Rows,
        Self::Ntt,
        Self::Quotient,
        Self::Gather,
        Self::MsmH,
        Self::MsmA,
        Self::MsmB1,
        Self::MsmB2,
        Self::MsmC,
        Self::Download,
    ];

    /// As it is printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::QueueWait => "queue_wait",
            Self::SlotWait => "slot_wait",
            Self::PrepWait => "prep_wait",
            Self::ComputeWait => "compute_wait",
            Self::CopyWait => "copy_wait",
            Self::DeviceWait => "device_wait",
            Self::BarrierWait => "barrier_wait",
            Self::Witness => "witness",
            Self::KeyRead => "key_read",
            Self::Enqueue => "enqueue",
            Self::Epilogue => "epilogue",
            Self::Check => "check",
            Self::Output => "output",
            Self::PrepHeld => "prep_held",
            Self::ComputeHeld => "compute_held",
            Self::Upload => "upload",
            Self::KeyUpload => "key_upload",
            Self::Rows => "rows",
            Self::Ntt => "ntt",
            Self::Quotient => "quotient",
            Self::Gather => "gather",
            Self::MsmH => "msm_h",
            Self::MsmA => "msm_a",
            Self::MsmB1 => "msm_b1",
            Self::MsmB2 => "msm_b2",
            Self::MsmC => "msm_c",
            Self::Download => "download",
        }
    }

    /// How it counts.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            Self::QueueWait
            | Self::SlotWait
            | Self::PrepWait
            | Self::ComputeWait
            | Self::CopyWait
            | Self::DeviceWait
            | Self::BarrierWait => Kind::Wait,
            Self::Witness
            | Self::KeyRead
            | Self::Enqueue
            | Self::Epilogue
            | Self::Check
            | Self::Output => Kind::Work,
            Self::PrepHeld | Self::ComputeHeld => Kind::Held,
            Self::Upload | Self::KeyUpload | Self::Download => Kind::Copy,
            Self::Rows
            | Self::Ntt
            | Self::Quotient
            | Self::Gather
            | Self::MsmH
            | Self::MsmA
            | Self::MsmB1
            | Self::MsmB2
            | Self::MsmC => Kind::Kernel,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Kind {
    /// Whether it is one of the intervals that a partition's wall time is divided into: one at a time, on the
    /// thread that has the partition.
    #[must_use]
    pub fn is_flat(self) -> bool {
        matches!(self, Self::Wait | Self::Work)
    }

    /// The clock of its intervals.
    #[must_use]
    pub fn clock(self) -> Clock {
        match self {
            Self::Wait | Self::Work | Self::Held => Clock::Host,
            Self::Kernel | Self::Copy => Clock::Device,
        }
    }
}

impl Lane {
    /// Where the host's intervals of a stage run.
    #[must_use]
    pub fn of_host(stage: Stage) -> Self {
        match (stage, stage.kind()) {
            (Stage::QueueWait, _) => Self::Queue,
            (_, Kind::Held) => Self::Locks,
            _ => Self::Host,
        }
    }

    /// The clock of its intervals.
    #[must_use]
    pub fn clock(self) -> Clock {
        match self {
            Self::Queue | Self::Host | Self::Locks => Clock::Host,
            Self::Copy | Self::Compute => Clock::Device,
        }
    }

    /// As it is printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Host => "host",
            Self::Locks => "locks",
            Self::Copy => "copy",
            Self::Compute => "compute",
        }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
