//! Which bucket something is of.

/// Where the buckets start in a list that is sorted by bucket, of entries or of segments: bucket k has
/// those from `starts[k]` up to `starts[k + 1]`.
#[derive(Clone, Copy)]
pub struct Buckets {
    starts: *const u32,
    count: u32,
}

impl Buckets {
    /// # Safety
    ///
    /// `starts` is to `count + 1` words that no thread writes meanwhile, and `count` is not 0; there are
    /// no other buckets.
    #[inline(always)]
    pub unsafe fn new(starts: *const u32, count: u32) -> Self {
        Self { starts, count }
    }

    /// Where a bucket starts, or where the last one ends.
    #[inline(always)]
    pub fn start(self, bucket: u32) -> u32 {
        // SAFETY: there are count + 1.
        unsafe { self.starts.add(bucket as usize).read() }
    }

    /// How many a bucket has.
    #[inline(always)]
    pub fn length(self, bucket: u32) -> u32 {
        self.start(bucket + 1) - self.start(bucket)
    }

    /// How many all have.
    #[inline(always)]
    pub fn total(self) -> u32 {
        self.start(self.count)
    }

    /// The bucket of one of them.
    #[inline]
    pub fn of(self, index: u32) -> u32 {
        // It is at least `low`, and below `high`.
        let (mut low, mut high) = (0, self.count);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.start(middle) <= index {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}
