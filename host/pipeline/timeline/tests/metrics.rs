//! What a recorder of metrics gets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ::metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit, with_local_recorder,
};

use super::made_up;
use crate::pipeline::timeline::{Report, describe_metrics};

/// Values by the names of metrics and their labels, in order.
#[derive(Clone, Default)]
struct Values(Arc<Mutex<BTreeMap<String, Vec<f64>>>>);

/// One metric.
struct Metric(Values, String);

impl Metric {
    fn add(&self, value: f64) {
        self.0.0.lock().unwrap().entry(self.1.clone()).or_default().push(value);
    }
}

impl CounterFn for Metric {
    fn increment(&self, value: u64) {
        self.add(value as f64);
    }
    fn absolute(&self, _: u64) {
        panic!("counters count");
    }
}

impl GaugeFn for Metric {
    fn increment(&self, _: f64) {
        panic!("gauges are set");
    }
    fn decrement(&self, _: f64) {
        panic!("gauges are set");
    }
    fn set(&self, value: f64) {
        self.add(value);
    }
}

impl HistogramFn for Metric {
    fn record(&self, value: f64) {
        self.add(value);
    }
}

impl Values {
    fn metric(&self, key: &Key) -> Arc<Metric> {
        let labels: Vec<String> = key.labels().map(|label| label.value().to_owned()).collect();
        Arc::new(Metric(self.clone(), [&[key.name().to_owned()][..], &labels].concat().join(" ")))
    }

    fn described(&self, key: &KeyName, unit: Option<Unit>) {
        let unit = unit.map_or("none", |unit| unit.as_str());
        Metric(self.clone(), format!("{} is in {unit}", key.as_str())).add(1.0);
    }

    #[track_caller]
    fn of(&self, name: &str) -> Vec<f64> {
        self.0.lock().unwrap().get(name).cloned().unwrap_or_else(|| panic!("{name}"))
    }
}

impl Recorder for Values {
    fn describe_counter(&self, key: KeyName, unit: Option<Unit>, _: SharedString) {
        self.described(&key, unit);
    }
    fn describe_gauge(&self, key: KeyName, unit: Option<Unit>, _: SharedString) {
        self.described(&key, unit);
    }
    fn describe_histogram(&self, key: KeyName, unit: Option<Unit>, _: SharedString) {
        self.described(&key, unit);
    }
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        self.metric(key).into()
    }
    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        self.metric(key).into()
    }
    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        self.metric(key).into()
    }
}

#[test]
fn reports_are_published() {
    let report = Report::of(&made_up::two());
    let values = Values::default();
    with_local_recorder(&values, || report.publish());
    assert_eq!(values.of("warpfield_stage_seconds witness"), [0.02, 0.03]);
    assert_eq!(values.of("warpfield_stage_seconds ntt"), [0.01, 0.012]);
    assert_eq!(values.of("warpfield_stage_seconds msm_b2"), [0.003]);
    assert_eq!(values.of("warpfield_partition_seconds"), [0.09, 0.119]);
    assert_eq!(values.of("warpfield_partitions_total"), [1.0, 1.0]);
    assert_eq!(values.of("warpfield_proofs_total"), [1.0]);
    assert_eq!(values.of("warpfield_copied_bytes_total upload"), [1000.0, 2000.0]);
    assert_eq!(values.of("warpfield_copied_bytes_total download"), [50.0, 60.0]);
    assert_eq!(values.of("warpfield_gpu_busy_ratio 0"), [56.0 / 119.0]);
    let stages = report.partitions.iter().map(|p| p.host.len() + p.beside.len()).sum::<usize>();
    let recorded = values.0.lock().unwrap();
    let recorded = recorded.iter().filter(|(name, _)| name.starts_with("warpfield_stage_seconds"));
    assert_eq!(recorded.map(|(_, values)| values.len()).sum::<usize>(), stages);
}

#[test]
fn all_that_is_published_is_described() {
    let values = Values::default();
    with_local_recorder(&values, || {
        describe_metrics();
        Report::of(&made_up::two()).publish();
    });
    values.of("warpfield_stage_seconds is in seconds");
    values.of("warpfield_copied_bytes_total is in bytes");
    let values = values.0.lock().unwrap();
    for name in values.keys().filter(|name| !name.contains(" is in ")) {
        let name = name.split(' ').next().unwrap();
        assert!(values.keys().any(|other| other.starts_with(&format!("{name} is in "))), "{name}");
    }
}
