//! The search: one part of a split after the other, each as long as it helps.

use warpfield::msm::gpu::{Halving, Split, Tables};

/// What is not tried.
pub struct Bounds {
    /// Narrower digits, such as those that are best for fewer terms.
    pub least_bits: u32,
    /// Halvings, unless there are so many blocks of threads for them.
    pub halving: Option<u32>,
}

/// What a search has found.
pub struct Best {
    pub split: Split,
    /// Of a sum.
    pub seconds: f64,
    /// Of a sum as it was split before, if that was measured: at the same time, unless that was too short.
    pub before: Option<f64>,
}

/// How much less time is worth a change: more than measurements are apart.
const WORTH: f64 = 0.995;

/// The segments that a thread halves at a time, and how often.
const GROUPS: [u32; 3] = [2, 4, 8];
const LEVELS: std::ops::RangeInclusive<u32> = 1..=3;

/// The limits of [`Split`].
const BITS: std::ops::RangeInclusive<u32> = 2..=24;
const LOG_SEGMENTS: std::ops::RangeInclusive<u32> = 1..=12;
const BINS: std::ops::RangeInclusive<u32> = 256..=25_600;

/// The quickest split near `start`, as `race` measures them: some at a time, of each the seconds of a sum, or
/// none where it has not been measured, for want of memory or of time. None if nothing was measured.
///
/// # Errors
///
/// Those of `race`.
pub fn search<E>(
    start: Split,
    bounds: Bounds,
    race: impl FnMut(&[Split]) -> Result<Vec<Option<f64>>, E>,
) -> Result<Option<Best>, E> {
    let mut start = start;
    if start.bits < bounds.least_bits {
        start = with_bits(&start, bounds.least_bits);
    }
    let mut search = Search { best: start, seconds: None, before: None, race };
    let narrower = |split: &Split| {
        let bits = bounds.least_bits.max(*BITS.start())..split.bits;
        bits.rev().find(is_narrowest).map(|bits| with_bits(split, bits))
    };
    let wider = |split: &Split| {
        let bits = split.bits + 1..=*BITS.end();
        bits.into_iter().find(is_narrowest).map(|bits| with_bits(split, bits))
    };
    search.walk(&narrower, &wider)?;
    search.walk_segments()?;
    if let Some(blocks) = bounds.halving
        && search.halvings(blocks)?
    {
        search.walk_segments()?;
    }
    let smaller = |split: &Split| within(split, split.bin / 2);
    let larger = |split: &Split| match split.bin {
        bin if bin == *BINS.end() => None,
        bin => within(split, (2 * bin).min(*BINS.end())),
    };
    search.walk(&smaller, &larger)?;
    search.confirm(start)?;
    let Search { best: split, seconds, before, .. } = search;
    Ok(seconds.map(|seconds| Best { split, seconds, before }))
}

/// Whether narrower digits are more.
fn is_narrowest(bits: &u32) -> bool {
    *bits == *BITS.start() || Tables::all(*bits).copies < Tables::all(*bits - 1).copies
}

/// With digits of so many bits, and all copies of bases if there are some.
fn with_bits(split: &Split, bits: u32) -> Split {
    let copies = if split.copies == 1 { 1 } else { Tables::all(bits).copies };
    Split { bits, copies, ..*split }
}

fn within(split: &Split, bin: u32) -> Option<Split> {
    BINS.contains(&bin).then_some(Split { bin, ..*split })
}

struct Search<R> {
    best: Split,
    seconds: Option<f64>,
    /// Of the first one.
    before: Option<f64>,
    race: R,
}

/// From a split to the next one in some direction, if there is one.
type Step<'a> = &'a dyn Fn(&Split) -> Option<Split>;

impl<R, E> Search<R>
where
    R: FnMut(&[Split]) -> Result<Vec<Option<f64>>, E>,
{
    /// Races the best one against others, and tells whether one of them is better.
    fn challenge(&mut self, others: impl IntoIterator<Item = Split>) -> Result<bool, E> {
        let mut splits = vec![self.best];
        splits.extend(others);
        if splits.len() == 1 && self.seconds.is_some() {
            return Ok(false);
        }
        let times = (self.race)(&splits)?;
        if let Some(seconds) = times[0] {
            self.before = self.before.or(self.seconds.is_none().then_some(seconds));
            self.seconds = Some(seconds);
        } else if self.seconds.is_some() {
            return Ok(false);
        }
        let others = splits.into_iter().zip(times).skip(1);
        let measured = others.filter_map(|(split, time)| Some((split, time?)));
        let quickest = measured.min_by(|(_, a), (_, b)| a.total_cmp(b));
        match quickest {
            Some((split, time)) if self.seconds.is_none_or(|best| time < WORTH * best) => {
                (self.best, self.seconds) = (split, Some(time));
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Measures the best one once more beside the first, which it may after all be no better than.
    fn confirm(&mut self, start: Split) -> Result<(), E> {
        if self.best == start {
            return Ok(());
        }
        let times = (self.race)(&[start, self.best])?;
        if let [Some(before), Some(seconds)] = times[..] {
            self.before = Some(before);
            (self.best, self.seconds) = match seconds < WORTH * before {
                true => (self.best, Some(seconds)),
                false => (start, Some(before)),
            };
        }
        Ok(())
    }

    /// Takes steps in the better one of two directions while they help.
    fn walk(&mut self, down: Step<'_>, up: Step<'_>) -> Result<(), E> {
        let start = self.best;
        if self.challenge(down(&start).into_iter().chain(up(&start)))? {
            let step = if down(&start) == Some(self.best) { down } else { up };
            while let Some(next) = step(&self.best) {
                if !self.challenge([next])? {
                    break;
                }
            }
        }
        Ok(())
    }

    fn walk_segments(&mut self) -> Result<(), E> {
        let to = |split: &Split, log_segment: u32| {
            LOG_SEGMENTS.contains(&log_segment).then_some(Split { log_segment, ..*split })
        };
        self.walk(&|split| to(split, split.log_segment - 1), &|split| {
            to(split, split.log_segment + 1)
        })
    }

    /// Whether and how often segments are halved, then how many at a time; tells whether that has changed.
    fn halvings(&mut self, blocks: u32) -> Result<bool, E> {
        let start = self.best;
        let group = start.halving.map_or(GROUPS[1], |halving| halving.group);
        let halved = |levels, group| Some(Halving { levels, group, blocks });
        let levels = LEVELS.map(|levels| halved(levels, group));
        let all = levels.chain([None]).map(|halving| Split { halving, ..start });
        self.challenge(all.filter(|split| *split != start))?;
        if let Some(Halving { levels, group, .. }) = self.best.halving {
            let best = self.best;
            let others = GROUPS.into_iter().filter(|other| *other != group);
            let halving = |group| Split { halving: halved(levels, group), ..best };
            self.challenge(others.map(halving))?;
        }
        Ok(self.best.halving != start.halving)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::convert::Infallible;

    use super::*;

    const START: Split = Split { bits: 13, copies: 1, log_segment: 5, halving: None, bin: 1000 };

    /// Between 1 for `best` and more for others, by each part's distance.
    fn cost(best: Split, split: &Split) -> f64 {
        let distance = |a: u32, b: u32| (f64::from(a) - f64::from(b)).abs();
        let halving = |split: &Split| split.halving.map_or((0, 4), |h| (h.levels, h.group));
        let ((levels, group), (best_levels, best_group)) = (halving(split), halving(&best));
        1.0 + 0.02 * distance(split.bits, best.bits)
            + 0.05 * distance(split.log_segment, best.log_segment)
            + 0.05 * distance(levels, best_levels)
            + 0.01 * distance(group, best_group)
            + 0.02 * (f64::from(split.bin) / f64::from(best.bin)).log2().abs()
    }

    fn found(start: Split, bounds: Bounds, best: Split) -> (Best, HashSet<String>) {
        let mut tried = HashSet::new();
        let found = search::<Infallible>(start, bounds, |splits| {
            tried.extend(splits.iter().map(|split| format!("{split:?}")));
            Ok(splits.iter().map(|split| Some(cost(best, split))).collect())
        });
        (found.unwrap_or_else(|none| match none {}).expect("a best one"), tried)
    }

    #[test]
    fn finds_the_best() {
        let halving = Some(Halving { levels: 2, group: 8, blocks: 99 });
        let all = |bits| Split { bits, copies: Tables::all(bits).copies, ..START };
        for (start, best) in [
            (START, START),
            (START, Split { bits: 17, log_segment: 3, ..START }),
            (START, Split { bits: 9, log_segment: 8, bin: 4000, ..START }),
            (START, Split { bits: 2, log_segment: 1, bin: 500, ..START }),
            (START, Split { bits: 24, log_segment: 12, bin: 25_600, ..START }),
            (START, Split { halving, log_segment: 7, ..START }),
            (Split { halving, ..START }, START),
            (Split { bin: 25_600, ..START }, Split { bin: 3_200, ..START }),
            (all(13), all(20)),
            (all(20), all(13)),
        ] {
            let (found, tried) = found(start, Bounds { least_bits: 2, halving: Some(99) }, best);
            assert_eq!(found.split, best);
            assert_eq!((found.seconds, found.before), (1.0, Some(cost(best, &start))));
            assert!(tried.len() < 40, "{}", tried.len());
        }
    }

    #[test]
    fn keeps_its_bounds() {
        let halving = Some(Halving { levels: 3, group: 4, blocks: 1 });
        let best = Split { bits: 4, halving, ..START };
        let (found, tried) = found(START, Bounds { least_bits: 11, halving: None }, best);
        assert_eq!(found.split, Split { bits: 11, ..START });
        assert!(tried.iter().all(|split| split.contains("halving: None")), "{tried:?}");
        // More windows than before, not as many with more buckets.
        assert!(tried.iter().all(|split| !split.contains("bits: 18,")), "{tried:?}");
        let from = Bounds { least_bits: 15, halving: None };
        let found = self::found(START, from, best).0;
        assert_eq!((found.split.bits, found.before.is_some()), (15, true));
    }

    /// Times that get better by themselves, race by race.
    #[test]
    fn confirms_what_it_found() {
        let mut race = 0.0;
        let found = search::<Infallible>(START, Bounds { least_bits: 2, halving: None }, |all| {
            race += 1.0;
            let [first, others] = [3.0 / race, 2.9 / race];
            let time = |at| Some(if at == 0 { first } else { others });
            Ok(match all {
                [START, _] => vec![Some(1.0), Some(1.0)],
                _ => (0..all.len()).map(time).collect(),
            })
        });
        let found = found.unwrap_or_else(|none| match none {}).expect("one");
        assert_eq!((found.split, found.seconds, found.before), (START, 1.0, Some(1.0)));
    }

    #[test]
    fn needs_a_gain() {
        let nearly = |split: &Split| if *split == START { 1.0 } else { 0.997 };
        let found =
            search::<Infallible>(START, Bounds { least_bits: 2, halving: Some(3) }, |all| {
                assert_eq!(all[0], START);
                Ok(all.iter().map(|split| Some(nearly(split))).collect())
            });
        assert_eq!(found.unwrap_or_else(|none| match none {}).expect("one").split, START);
    }

    /// The start does not fit, or nothing does, or time is up after the first race.
    #[test]
    fn gaps() {
        let search = |measured: &dyn Fn(usize, &Split) -> bool| {
            let mut race = 0;
            let best = Split { bits: 16, ..START };
            let found =
                search::<Infallible>(START, Bounds { least_bits: 2, halving: Some(3) }, |all| {
                    race += 1;
                    let time = |split| measured(race, split).then(|| cost(best, split));
                    Ok(all.iter().map(time).collect())
                });
            found.unwrap_or_else(|none| match none {})
        };
        assert!(search(&|_, _| false).is_none());
        let without_start = search(&|_, split| split.bits != 13).expect("one");
        assert_eq!((without_start.split.bits, without_start.before), (16, None));
        let late = search(&|race, _| race == 1).expect("one");
        assert_eq!(late.split, Split { bits: 14, ..START });
        assert!(late.before > Some(late.seconds));
    }

    #[test]
    fn passes_errors_on() {
        let bounds = Bounds { least_bits: 2, halving: None };
        assert_eq!(search(START, bounds, |_| Err("wrong")).err(), Some("wrong"));
    }
}
