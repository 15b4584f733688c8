//! Unions and spreads against naive ones.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::made_up::ms;
use crate::pipeline::timeline::Spread;
use crate::pipeline::timeline::union::Union;

const END: u64 = 40;

/// A millisecond a place.
pub fn bitmap(windows: &[(u64, u64)]) -> Vec<bool> {
    (0..2 * END).map(|at| windows.iter().any(|&(start, end)| start <= at && at < end)).collect()
}

pub fn set(bitmap: impl IntoIterator<Item = bool>) -> Duration {
    ms(bitmap.into_iter().filter(|bit| *bit).count() as u64)
}

fn union(windows: &[(u64, u64)]) -> Union {
    Union::new(windows.iter().map(|&(start, end)| (ms(start), ms(end))))
}

/// Some are empty, some end before they begin.
pub fn windows() -> impl Strategy<Value = Vec<(u64, u64)>> {
    vec((0..END, 0..END), 0..12)
}

proptest! {
    #[test]
    fn unions_are_those_of_a_bitmap(
        one in windows(),
        other in windows(),
        from in 0..END,
        length in 0..END,
    ) {
        let (first, second) = (bitmap(&one), bitmap(&other));
        let found = union(&one);
        prop_assert_eq!(found.time(), set(first.clone()));
        prop_assert!(found.windows().windows(2).all(|pair| pair[0].1 < pair[1].0));
        let both = first.iter().zip(&second).map(|(one, other)| *one || *other);
        prop_assert_eq!(found.or(&union(&other)).time(), set(both));
        let inside = first[from as usize..][..length as usize].iter().copied();
        prop_assert_eq!(found.within((ms(from), ms(from + length))).time(), set(inside));
    }

    #[test]
    fn spreads_are_those_of_their_definition(mut times in vec(0u64..30, 1..50)) {
        let found = Spread::of(times.iter().map(|time| ms(*time))).unwrap();
        times.sort_unstable();
        let least = |percent: usize| {
            let enough = |time: &&u64| {
                100 * times.iter().filter(|other| other <= time).count() >= percent * times.len()
            };
            ms(*times.iter().find(enough).unwrap())
        };
        let (min, max) = (ms(times[0]), ms(times[times.len() - 1]));
        let expected =
            Spread { count: times.len(), min, median: least(50), p95: least(95), max };
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn spreads_of_few() {
    assert_eq!(Spread::of([]), None);
    let spread = Spread::of((1..=20).rev().map(ms)).unwrap();
    assert_eq!((spread.median, spread.p95, spread.max), (ms(10), ms(19), ms(20)));
}
