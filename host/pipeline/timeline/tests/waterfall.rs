//! The waterfall.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use roxmltree::{Document, Node};

use super::made_up::{self, interval, ms};
use crate::pipeline::timeline::{Interval, Options, Recording, Report, Stage, Who};

const MOST_BYTES: usize = 200_000;

/// Left and right of what is drawn.
const PLOT: (f64, f64) = (150.0, 1176.0);

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

/// Bars of a class, but for those of the legend: from, to, top, height.
fn bars(document: &Document<'_>, class: &str) -> Vec<[f64; 4]> {
    let bars = document.descendants().filter(|node| {
        node.has_tag_name(("http://www.w3.org/2000/svg", "rect"))
            && node.attribute("class") == Some(class)
            && node.has_children()
    });
    let place = |node| {
        let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(node, name));
        [x, x + width, y, height]
    };
    bars.map(place).collect()
}

fn texts<'a>(document: &'a Document<'_>, class: &str) -> Vec<(&'a str, f64)> {
    let texts = document.descendants().filter(|node| {
        node.has_tag_name(("http://www.w3.org/2000/svg", "text"))
            && node.attribute("class") == Some(class)
    });
    texts.map(|node| (node.text().unwrap(), number(node, "y"))).collect()
}

#[test]
fn bars_are_where_their_times_are() {
    let recording = made_up::two();
    let svg = recording.to_svg(&Report::of(&recording), "two");
    let document = Document::parse(&svg).unwrap();
    let x = |time: f64| PLOT.0 + (PLOT.1 - PLOT.0) * time / 119.0;
    for stage in Stage::ALL {
        let own = recording.intervals().iter().filter(|interval| interval.stage == stage);
        let mut expected: Vec<(f64, f64)> =
            own.map(|i| [i.start, i.end].map(|time| x(time.as_secs_f64() * 1e3)).into()).collect();
        expected.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
        let mut found = bars(&document, stage.name());
        found.sort_by(|one, other| one[0].total_cmp(&other[0]).then(one[1].total_cmp(&other[1])));
        assert_eq!(found.len(), expected.len(), "{stage}");
        for (found, expected) in found.iter().zip(expected) {
            // The gap to the next one, and tenths.
            assert!((found[0] - expected.0).abs() < 0.1, "{stage}: {found:?} {expected:?}");
            assert!((found[1] - expected.1 + 0.6).abs() < 0.2, "{stage}: {found:?} {expected:?}");
        }
    }
    // Two times in which a kernel runs.
    let busy = bars(&document, "busy");
    assert_eq!(busy.len(), 2);
    assert!((busy[1][0] - x(84.0)).abs() < 0.1);
}

#[test]
fn a_row_for_each_lane() {
    let recording = made_up::two();
    let svg = recording.to_svg(&Report::of(&recording), "two");
    let document = Document::parse(&svg).unwrap();
    let mut lanes = [texts(&document, "lane"), texts(&document, "small")].concat();
    lanes.sort_by(|one, other| one.1.total_cmp(&other.1));
    let names: Vec<&str> = lanes.iter().map(|lane| lane.0).collect();
    let worker = |name| [name, "locks", "copy", "compute"];
    assert_eq!(names, [&["queue"][..], &worker("worker 0"), &worker("worker 1")].concat());
    assert_eq!(texts(&document, "device")[0].0, "device 0: 47 %");
    // What is of one lane has one height, and nothing else is there.
    let tops = |stage: Stage| -> Vec<f64> {
        let mut tops: Vec<f64> = bars(&document, stage.name()).iter().map(|bar| bar[2]).collect();
        tops.sort_by(f64::total_cmp);
        tops
    };
    assert_eq!(tops(Stage::Witness), tops(Stage::Epilogue));
    assert_eq!(tops(Stage::Ntt), tops(Stage::Download));
    assert!(tops(Stage::Witness)[0] < tops(Stage::Upload)[0]);
    // Two wait at once.
    let [first, second] = tops(Stage::QueueWait)[..] else { panic!() };
    assert!(second - first > 4.0);
    let ground = bars(&document, "queue_wait")[0];
    assert!(ground[2] + ground[3] <= tops(Stage::Witness)[0]);
}

#[test]
fn words_are_escaped_and_labels_fit() {
    let recording = made_up::two();
    let title = "two locks <b> & \"quotes\" ]]> ±";
    let svg = recording.to_svg(&Report::of(&recording), title);
    let document = Document::parse(&svg).unwrap();
    assert_eq!(texts(&document, "title")[0].0, title);
    let notes: String = texts(&document, "note").iter().map(|note| note.0).collect();
    assert!(
        notes.contains("2 partitions of 1 proof in 119.000 ms · device 0: kernels 47.1 % of it"),
        "{notes}"
    );
    assert!(notes.contains("±12.0 µs"), "{notes}");
    let names: Vec<&str> = texts(&document, "name").iter().map(|name| name.0).collect();
    let occur =
        |stage: &Stage| recording.intervals().iter().any(|interval| interval.stage == *stage);
    let stages = Stage::ALL.iter().filter(|stage| occur(stage)).map(|stage| stage.name());
    let expected: Vec<&str> = stages.chain(["any kernel"]).collect();
    assert_eq!(names, expected);
    // The longest of every lane but the queue and the locks say whose they are: 10 ms are 86 pixels.
    let labels: Vec<&str> = ["on-light", "on-dark"]
        .iter()
        .flat_map(|class| texts(&document, class))
        .map(|label| label.0)
        .collect();
    assert!(labels.iter().all(|label| ["0", "1"].contains(label)));
    let wide =
        |i: &&Interval| i.time() >= ms(2) && i.lane.name() != "queue" && i.lane.name() != "locks";
    assert_eq!(labels.len(), recording.intervals().iter().filter(wide).count());
}

#[test]
fn ticks_are_round_and_few() {
    for (wall, last, step) in [(119, "110", "10"), (1, "1.0", "0.1"), (23_000, "22000", "2000")] {
        let made = vec![interval(Who::partition(1, 0).by(0), Stage::Witness, 40, 40 + wall)];
        let recording = Recording::new(made, vec![], 0);
        let svg = recording.to_svg(&Report::of(&recording), "");
        let document = Document::parse(&svg).unwrap();
        let ticks: Vec<&str> = texts(&document, "tick").iter().map(|tick| tick.0).collect();
        assert!(ticks.len() <= 13 && ticks.len() > 4, "{ticks:?}");
        assert_eq!(ticks.first().map(|tick| tick.parse::<f64>()), Some(Ok(0.0)));
        assert_eq!((ticks[1], *ticks.last().unwrap()), (step, last), "{ticks:?}");
    }
}

#[test]
fn small_and_the_same_each_time() {
    let recording = made_up::run(10);
    let report = Report::of(&recording);
    let svg = recording.to_svg(&report, "ten");
    assert!(svg.len() < MOST_BYTES, "{}", svg.len());
    let mut shuffled = recording.intervals().to_vec();
    shuffled.reverse();
    let again = Recording::new(shuffled, recording.placements().to_vec(), 0);
    assert_eq!(again.to_svg(&Report::of(&again), "ten"), svg);

    let many = made_up::run(3000);
    let svg = many.to_svg(&Report::of(&many), "three thousand");
    assert!(svg.len() < MOST_BYTES, "{}", svg.len());
    let document = Document::parse(&svg).unwrap();
    // They are joined, not left out: kernels end where the last ones do.
    let end = bars(&document, "busy").iter().map(|bar| bar[1]).fold(0.0, f64::max);
    assert!(end > PLOT.1 - 1.5, "{end}");
    assert!(svg.contains(" intervals, the longest device_wait"));
    // They are of several partitions.
    assert!(texts(&document, "on-light").is_empty() && texts(&document, "on-dark").is_empty());
}

/// The tops of bars that wait in the queue, those that began first first.
fn queue_tops(waits: &[(u64, u64)]) -> Vec<f64> {
    let mut made = vec![interval(Who::proof(1), Stage::Output, 0, 10_000)];
    for (&(start, end), partition) in waits.iter().zip(0..) {
        made.push(interval(Who::partition(1, partition), Stage::QueueWait, start, end));
    }
    let recording = Recording::new(made, vec![], 0);
    let svg = recording.to_svg(&Report::of(&recording), "");
    let document = Document::parse(&svg).unwrap();
    let mut bars = bars(&document, "queue_wait");
    bars.sort_by(|one, other| one[0].total_cmp(&other[0]));
    let top = bars[0][2];
    bars.iter().map(|bar| bar[2] - top).collect()
}

#[test]
fn what_waits_at_once_is_apart() {
    // The second comes into the place of the first, the third below them.
    assert_eq!(queue_tops(&[(2000, 5000), (5000, 8000), (5100, 9000)]), [0.0, 0.0, 6.0]);
    // No pixel is between them.
    assert_eq!(queue_tops(&[(2000, 2001), (2000, 2001)]), [0.0, 6.0]);
    assert_eq!(queue_tops(&[(2000, 2001), (2001, 2002)]), [0.0]);
}

#[test]
fn a_proofs_picture_ends_with_it() {
    let at = |proof| Who::partition(proof, 0).at(0, 0);
    let made = vec![
        interval(at(1), Stage::Witness, 10, 30),
        interval(at(2), Stage::Check, 0, 15),
        interval(at(2), Stage::Ntt, 25, 60),
        interval(at(2), Stage::Epilogue, 40, 60),
    ];
    let recording = Recording::new(made, vec![], 0);
    let options = Options { proof: Some(1), ..Options::default() };
    let svg = recording.to_svg(&Report::with(&recording, options), "");
    let document = Document::parse(&svg).unwrap();
    let ends = |class| -> Vec<[f64; 2]> {
        bars(&document, class).iter().map(|bar| [bar[0], bar[1].round()]).collect()
    };
    let middle = (PLOT.0 + PLOT.1) / 2.0;
    let quarter = (PLOT.1 - PLOT.0) / 4.0;
    // Some of it is a gap to the next bar.
    assert_eq!(ends("check"), [[PLOT.0, (PLOT.0 + quarter - 0.6).round()]]);
    assert_eq!(ends("ntt"), [[middle + quarter, (PLOT.1 - 0.6).round()]]);
    assert_eq!(ends("busy"), ends("ntt"));
    assert_eq!(ends("epilogue"), [[0.0; 2]; 0]);
}

#[test]
fn proofs_are_told_apart() {
    let at = |proof| Who::partition(proof, 3).by(0);
    let made =
        vec![interval(at(1), Stage::Witness, 0, 10), interval(at(2), Stage::Witness, 10, 20)];
    let recording = Recording::new(made, vec![], 0);
    let svg = recording.to_svg(&Report::of(&recording), "");
    let document = Document::parse(&svg).unwrap();
    let labels: Vec<&str> = texts(&document, "on-dark").iter().map(|label| label.0).collect();
    assert_eq!(labels, ["1.3", "2.3"]);
}

#[test]
fn nothing_is_a_picture_too() {
    let recording = Recording::default();
    Document::parse(&recording.to_svg(&Report::of(&recording), "nothing")).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_recording_is_a_picture(
        made in vec((0usize..Stage::ALL.len(), 0u32..5, 0u32..3, 0u64..500, 0u64..60), 0..300),
    ) {
        let made = made.into_iter().map(|(stage, partition, worker, start, time)| {
            let who = Who::partition(1, partition).at(worker % 2, worker);
            interval(who, Stage::ALL[stage], start, start + time)
        });
        let recording = Recording::new(made.collect(), vec![], 0);
        let svg = recording.to_svg(&Report::of(&recording), "any");
        prop_assert!(svg.len() < MOST_BYTES);
        let document = Document::parse(&svg).unwrap();
        let mut rows: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for stage in Stage::ALL {
            for [from, to, top, height] in bars(&document, stage.name()) {
                prop_assert!(from >= PLOT.0 - 0.1 && to <= PLOT.1 + 0.5, "{from} {to}");
                rows.insert(format!("{top} {height}"), (top, height));
            }
        }
        let height = number(document.root_element(), "height");
        prop_assert!(rows.values().all(|(top, row)| *top > 0.0 && top + row < height));
    }
}
