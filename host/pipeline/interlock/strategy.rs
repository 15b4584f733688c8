//! Which locks there are.

use std::fmt;
use std::str::FromStr;

use super::Error;

/// How the workers of a device are kept apart, the strongest first.
///
/// Each is compiled in by a feature of its own; the others have names, but neither are they parsed nor
/// does an [`Interlock`](super::Interlock) take them. The default is the strongest that is compiled in.
///
/// ```
/// use warpfield::pipeline::interlock::Strategy;
///
/// assert_eq!(Strategy::Two.to_string(), "two");
/// for strategy in Strategy::compiled() {
///     assert_eq!(strategy.name().parse(), Ok(strategy));
/// }
/// # if cfg!(feature = "lock-two") {
/// assert_eq!(Strategy::default(), Strategy::Two);
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// A prep lock and a compute lock: one partition is staged while another computes, in one order.
    Two,
    /// No lock, only room for what is staged. Streams and events alone order the device's work.
    None,
    /// A compute lock: nothing is on the device but the partition that computes there.
    Single,
}

impl Strategy {
    /// All of them, compiled in or not, the strongest first.
    pub const ALL: [Self; 3] = [Self::Two, Self::None, Self::Single];

    /// Those that are compiled in, the strongest first.
    pub fn compiled() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|strategy| strategy.is_compiled())
    }

    /// Whether this build has it.
    #[must_use]
    pub const fn is_compiled(self) -> bool {
        match self {
            Self::Two => cfg!(feature = "lock-two"),
            Self::None => cfg!(feature = "lock-none"),
            Self::Single => cfg!(feature = "lock-single"),
        }
    }

    /// The feature that adds it.
    #[must_use]
    pub const fn feature(self) -> &'static str {
        match self {
            Self::Two => "lock-two",
            Self::None => "lock-none",
            Self::Single => "lock-single",
        }
    }

    /// The name that is printed and parsed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Two => "two",
            Self::None => "none",
            Self::Single => "single",
        }
    }

    /// Whether a partition's data are copied to the device between `prepare` and `finish`, rather than
    /// once it may compute.
    #[must_use]
    pub const fn stages_in_prep(self) -> bool {
        !matches!(self, Self::Single)
    }

    pub(super) const fn has_prep_lock(self) -> bool {
        matches!(self, Self::Two)
    }

    pub(super) const fn has_compute_lock(self) -> bool {
        matches!(self, Self::Two | Self::Single)
    }

    pub(in crate::pipeline) fn check_compiled(self) -> Result<Self, Error> {
        if self.is_compiled() { Ok(self) } else { Err(Error::NotCompiled(self)) }
    }
}

/// The strongest that is compiled in. A build without any has [`Two`](Strategy::Two), for
/// [`Interlock::new`](super::Interlock::new) to say what is missing.
impl Default for Strategy {
    fn default() -> Self {
        Self::compiled().next().unwrap_or(Self::Two)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Strategy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let named = Self::ALL.into_iter().find(|strategy| strategy.name() == name);
        named.ok_or_else(|| Error::Unknown(name.into()))?.check_compiled()
    }
}
