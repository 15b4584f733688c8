//! Which bucket an entry is of.
//!
//! Whatever the words of the list are, the answers are buckets: scalars that somebody changes while
//! they are sorted make a wrong sum, and nothing worse.

/// Where the buckets start in the list of entries, sorted by bucket: bucket k has the entries from
/// `starts[k]` up to `starts[k + 1]`.
#[derive(Clone, Copy)]
pub struct Buckets {
    starts: *const u32,
    count: u32,
}

impl Buckets {
    /// # Safety
    ///
    /// `starts` is to `count + 1` words that no thread writes meanwhile, and `count` is not 0.
    #[inline(always)]
    pub unsafe fn new(starts: *const u32, count: u32) -> Self {
        Self { starts, count }
    }

    /// Where a bucket starts, or where the last one ends.
    #[inline(always)]
    pub fn start(self, bucket: u32) -> u32 {
        // SAFETY: there are count + 1.
        unsafe { self.starts.add(bucket.min(self.count) as usize).read() }
    }

    /// Entries of all buckets.
    #[inline(always)]
    pub fn entries(self) -> u32 {
        self.start(self.count)
    }

    /// The bucket of an entry, which is none before `from`.
    #[inline]
    pub fn of_entry(self, from: u32, entry: u32) -> u32 {
        // It is at least `low`, and below `high`.
        let (mut low, mut high) = (from.min(self.count - 1), self.count);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.start(middle) <= entry {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}
