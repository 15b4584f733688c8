//! Arguments of kernels.

use std::sync::Arc;

use super::buffer::{Allocation, DeviceBuffer, DeviceSlice};
use super::plain::Plain;

/// One argument: an integer, or the address of a slice, which the launch keeps alive.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The value, little-endian, in the first `size` bytes.
    bits: u64,
    size: usize,
    allocation: Option<Arc<Allocation>>,
}

impl Argument {
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The value as the parameter will have it.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.bits.to_le_bytes()[..self.size].to_vec()
    }

    /// Where the value lies, which on a little-endian machine starts with its first byte.
    #[cfg(feature = "cuda")]
    pub(super) fn as_ptr(&self) -> *const u64 {
        &self.bits
    }

    pub(super) fn allocation(&self) -> Option<&Arc<Allocation>> {
        self.allocation.as_ref()
    }
}

macro_rules! integers {
    ($($t:ty as $bits:ty),*) => {$(
        impl From<$t> for Argument {
            fn from(value: $t) -> Self {
                let bits = u64::from(value as $bits);
                Self { bits, size: size_of::<$t>(), allocation: None }
            }
        }
    )*};
}

integers!(u8 as u8, u16 as u16, u32 as u32, u64 as u64, i32 as u32, i64 as u64);

impl<T: Plain> From<&DeviceSlice<T>> for Argument {
    fn from(slice: &DeviceSlice<T>) -> Self {
        let allocation = Some(slice.allocation().clone());
        Self { bits: slice.address(), size: 8, allocation }
    }
}

impl<T: Plain> From<&DeviceBuffer<T>> for Argument {
    fn from(buffer: &DeviceBuffer<T>) -> Self {
        (&**buffer).into()
    }
}

/// The arguments of a launch, by position: a tuple of what makes an [`Argument`], such as
/// `(&out, &values, 7u32)`, or a list of them.
pub trait Arguments {
    /// One by one.
    fn into_list(self) -> Vec<Argument>;
}

impl Arguments for Vec<Argument> {
    fn into_list(self) -> Vec<Argument> {
        self
    }
}

impl Arguments for &[Argument] {
    fn into_list(self) -> Vec<Argument> {
        self.to_vec()
    }
}

macro_rules! tuples {
    ($first:ident $($rest:ident)*) => {
        impl<$first: Into<Argument>, $($rest: Into<Argument>),*> Arguments for ($first, $($rest,)*) {
            #[expect(non_snake_case, reason = "a value is named as its type")]
            fn into_list(self) -> Vec<Argument> {
                let ($first, $($rest,)*) = self;
                vec![$first.into(), $($rest.into()),*]
            }
        }
        tuples!($($rest)*);
    };
    () => {};
}

tuples!(A B C D E F G H I J K L M N O P);
