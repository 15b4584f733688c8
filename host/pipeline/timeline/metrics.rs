//! Reports for a recorder of the crate `metrics`.

use ::metrics::{
    Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

use super::report::{PartitionReport, Report};

const STAGE: &str = "warpfield_stage_seconds";
const PARTITION: &str = "warpfield_partition_seconds";
const PARTITIONS: &str = "warpfield_partitions_total";
const PROOFS: &str = "warpfield_proofs_total";
const BYTES: &str = "warpfield_copied_bytes_total";
const BUSY: &str = "warpfield_gpu_busy_ratio";

/// Tells the recorder the units of what reports publish, and what it is. Once, after it is installed.
pub fn describe() {
    describe_histogram!(STAGE, Unit::Seconds, "Time of a stage in a partition");
    describe_histogram!(PARTITION, Unit::Seconds, "Wall time of a partition");
    describe_counter!(PARTITIONS, Unit::Count, "Partitions reported");
    describe_counter!(PROOFS, Unit::Count, "Proofs reported");
    describe_counter!(BYTES, Unit::Bytes, "Bytes copied to devices and from them");
    describe_gauge!(BUSY, "Part of the last report's wall time in which a kernel ran");
}

impl PartitionReport {
    /// Adds the partition to the current recorder: the histograms `warpfield_stage_seconds{stage}` and
    /// `warpfield_partition_seconds`, the counters `warpfield_partitions_total` and
    /// `warpfield_copied_bytes_total{direction}`.
    pub fn publish(&self) {
        histogram!(PARTITION).record(self.wall.as_secs_f64());
        for stage in self.host.iter().chain(&self.beside) {
            histogram!(STAGE, "stage" => stage.stage.name()).record(stage.time.as_secs_f64());
        }
        counter!(PARTITIONS).increment(1);
        counter!(BYTES, "direction" => "upload").increment(self.uploaded);
        counter!(BYTES, "direction" => "download").increment(self.downloaded);
    }
}

impl Report {
    /// Adds the partitions to the current recorder ([`PartitionReport::publish`]), counts the proofs
    /// (`warpfield_proofs_total`), and sets the gauge `warpfield_gpu_busy_ratio{device}`. What is in
    /// two reports counts twice: publish those of single proofs ([`Options::proof`](super::Options::proof)), or of
    /// whole runs.
    pub fn publish(&self) {
        self.partitions.iter().for_each(PartitionReport::publish);
        counter!(PROOFS).increment(self.proofs as u64);
        for device in &self.devices {
            gauge!(BUSY, "device" => device.device.to_string()).set(device.run.busy());
        }
    }
}
