//! One value for each of a warp's 32 lanes, and the loops over them.
//!
//! Every value is held zero-extended in 64 bits, whatever its type; a predicate is 0 or 1. Plain
//! operations are functions over whole arrays, chosen when an instruction is decoded, so that the
//! inner loop has neither a branch nor a look-up and the compiler can vectorise it.

/// Threads of a warp.
pub(crate) const WARP: usize = 32;

/// A register of a warp.
pub(crate) type Lanes = [u64; WARP];

pub(crate) type F1 = fn(&Lanes, &mut Lanes);
pub(crate) type F2 = fn(&Lanes, &Lanes, &mut Lanes);
pub(crate) type F3 = fn(&Lanes, &Lanes, &Lanes, &mut Lanes);
pub(crate) type F4 = fn(&Lanes, &Lanes, &Lanes, &Lanes, &mut Lanes);
/// Operands, carry in, result, carry out.
pub(crate) type FCarry = fn(&Lanes, &Lanes, &Lanes, &Lanes, &mut Lanes, &mut Lanes);

/// A type that a lane can be read as.
pub(crate) trait Word: Copy {
    fn get(v: u64) -> Self;
    fn put(self) -> u64;
}

macro_rules! words {
    ($($t:ty: $unsigned:ty),*) => {$(
        impl Word for $t {
            #[inline(always)]
            fn get(v: u64) -> Self {
                v as $t
            }
            #[inline(always)]
            fn put(self) -> u64 {
                self as $unsigned as u64
            }
        }
    )*};
}

words!(u8: u8, i8: u8, u16: u16, i16: u16, u32: u32, i32: u32, u64: u64, i64: u64);

impl Word for bool {
    #[inline(always)]
    fn get(v: u64) -> Self {
        v != 0
    }
    #[inline(always)]
    fn put(self) -> u64 {
        u64::from(self)
    }
}

impl Word for f32 {
    #[inline(always)]
    fn get(v: u64) -> Self {
        f32::from_bits(v as u32)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Word for f64 {
    #[inline(always)]
    fn get(v: u64) -> Self {
        f64::from_bits(v)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        self.to_bits()
    }
}

/// The upper half of a product, and the whole of it.
pub(crate) trait WideMul: Copy {
    type Wide;
    fn wide(self, other: Self) -> Self::Wide;
    fn hi(self, other: Self) -> Self;
}

macro_rules! wide_mul {
    ($($t:ty: $wide:ty),*) => {$(
        impl WideMul for $t {
            type Wide = $wide;
            #[inline(always)]
            fn wide(self, other: Self) -> $wide {
                (self as $wide).wrapping_mul(other as $wide)
            }
            #[inline(always)]
            fn hi(self, other: Self) -> Self {
                (self.wide(other) >> <$t>::BITS) as $t
            }
        }
    )*};
}

wide_mul!(u16: u32, i16: i32, u32: u64, i32: i64, u64: u128, i64: i128);

/// `un!(u32 => u64, |a| …)`: the loop of a unary operation.
macro_rules! un {
    ($t:ty => $r:ty, |$a:ident| $e:expr) => {{
        fn run(a: &$crate::lanes::Lanes, d: &mut $crate::lanes::Lanes) {
            for (d, a) in d.iter_mut().zip(a) {
                let $a = <$t as $crate::lanes::Word>::get(*a);
                let r: $r = $e;
                *d = $crate::lanes::Word::put(r);
            }
        }
        run as $crate::lanes::F1
    }};
}

/// `bin!(u32 => u64, |a, b| …)`: the loop of a binary operation.
macro_rules! bin {
    ($t:ty => $r:ty, |$a:ident, $b:ident| $e:expr) => {
        bin!($t, $t => $r, |$a, $b| $e)
    };
    ($t:ty, $u:ty => $r:ty, |$a:ident, $b:ident| $e:expr) => {{
        use $crate::lanes::{Lanes, Word};
        fn run(a: &Lanes, b: &Lanes, d: &mut Lanes) {
            for l in 0..$crate::lanes::WARP {
                let $a = <$t as Word>::get(a[l]);
                let $b = <$u as Word>::get(b[l]);
                let r: $r = $e;
                d[l] = Word::put(r);
            }
        }
        run as $crate::lanes::F2
    }};
}

/// `tri!(u32, u64 => u64, |a, b, c| …)`: a and b of the first type, c of the second.
macro_rules! tri {
    ($t:ty => $r:ty, |$a:ident, $b:ident, $c:ident| $e:expr) => {
        tri!($t, $t => $r, |$a, $b, $c| $e)
    };
    ($t:ty, $u:ty => $r:ty, |$a:ident, $b:ident, $c:ident| $e:expr) => {{
        use $crate::lanes::{Lanes, Word};
        fn run(a: &Lanes, b: &Lanes, c: &Lanes, d: &mut Lanes) {
            for l in 0..$crate::lanes::WARP {
                let $a = <$t as Word>::get(a[l]);
                let $b = <$t as Word>::get(b[l]);
                let $c = <$u as Word>::get(c[l]);
                let r: $r = $e;
                d[l] = Word::put(r);
            }
        }
        run as $crate::lanes::F3
    }};
}

/// `ints!(ty, bin, |a, b| …)`: the operation for whichever integer type `ty` is; bit types count
/// as unsigned.
macro_rules! ints {
    ($ty:expr, $m:ident, |$($x:ident),+| $e:expr) => {{
        let ty: $crate::ptx::types::Type = $ty;
        match (ty.is_signed(), ty.bits) {
            _ if ty.is_float() => Err(format!("type {ty} does not fit")),
            (false, 16) => Ok($m!(u16 => u16, |$($x),+| $e)),
            (false, 32) => Ok($m!(u32 => u32, |$($x),+| $e)),
            (false, 64) => Ok($m!(u64 => u64, |$($x),+| $e)),
            (true, 16) => Ok($m!(i16 => i16, |$($x),+| $e)),
            (true, 32) => Ok($m!(i32 => i32, |$($x),+| $e)),
            (true, 64) => Ok($m!(i64 => i64, |$($x),+| $e)),
            _ => Err(format!("type {ty} does not fit")),
        }
    }};
}

pub(crate) use {bin, ints, tri, un};

/// The lanes of a mask, lowest first.
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lane)
    })
}
