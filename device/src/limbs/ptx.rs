//! The carry chains as PTX, one `asm!` block each.
//!
//! LLVM does not know of the carry flag: between two blocks it may place an unrelated addition
//! that overwrites it. Within a block nothing comes in between. So each block starts its flag
//! afresh, uses it, and leaves nothing behind, which is what makes `pure, nomem` true.
//!
//! `ptxas` turns a `mad.lo.cc`/`madc.hi.cc` pair with the same factors into one `IMAD.WIDE`.
//!
//! A length picks its arm through a `const`, so that the compiler sees no other: there are
//! thousands of these blocks in a kernel. (A row that a shorter modulus does not have is compiled
//! all the same, with no pairs.)

use core::arch::asm;

/// Applies a macro to the operand names of `$n` limbs or pairs.
macro_rules! names {
    (1, $apply:ident!($($args:tt)*)) => { $apply!($($args)*; (c0 d0 e0 0)) };
    (2, $apply:ident!($($args:tt)*)) => { $apply!($($args)*; (c0 d0 e0 0) (c1 d1 e1 1)) };
    (3, $apply:ident!($($args:tt)*)) => {
        $apply!($($args)*; (c0 d0 e0 0) (c1 d1 e1 1) (c2 d2 e2 2))
    };
    (4, $apply:ident!($($args:tt)*)) => {
        $apply!($($args)*; (c0 d0 e0 0) (c1 d1 e1 1) (c2 d2 e2 2) (c3 d3 e3 3))
    };
    (5, $apply:ident!($($args:tt)*)) => {
        $apply!($($args)*; (c0 d0 e0 0) (c1 d1 e1 1) (c2 d2 e2 2) (c3 d3 e3 3) (c4 d4 e4 4))
    };
    (6, $apply:ident!($($args:tt)*)) => {
        $apply!($($args)*;
            (c0 d0 e0 0) (c1 d1 e1 1) (c2 d2 e2 2) (c3 d3 e3 3) (c4 d4 e4 4) (c5 d5 e5 5))
    };
    (8, $apply:ident!($($args:tt)*)) => {
        $apply!($($args)*;
            (c0 d0 e0 0) (c1 d1 e1 1) (c2 d2 e2 2) (c3 d3 e3 3) (c4 d4 e4 4) (c5 d5 e5 5)
            (c6 d6 e6 6) (c7 d7 e7 7))
    };
    (12, $apply:ident!($($args:tt)*)) => {
        $apply!($($args)*;
            (c0 d0 e0 0) (c1 d1 e1 1) (c2 d2 e2 2) (c3 d3 e3 3) (c4 d4 e4 4) (c5 d5 e5 5)
            (c6 d6 e6 6) (c7 d7 e7 7) (c8 d8 e8 8) (c9 d9 e9 9) (c10 d10 e10 10) (c11 d11 e11 11))
    };
}

/// `add`/`sub`: `$head` are instructions before the first limb, which takes their flag or none
/// (`$op`); the others take the flag, which comes out as a word.
macro_rules! sum_chain {
    ([$($head:literal)*] $op:literal, $opc:literal, $out:ident, $a:ident, $b:ident, $flag:ident,
     [$($operands:tt)*];
     ($c0:ident $d0:ident $e0:ident $k0:literal)
     $(($c:ident $d:ident $e:ident $k:literal))*) => {
        asm!(
            $($head,)*
            concat!($op, " {", stringify!($c0), "}, {", stringify!($d0), "}, {", stringify!($e0), "};"),
            $(concat!($opc, ".cc.u32 {", stringify!($c), "}, {", stringify!($d), "}, {", stringify!($e), "};"),)*
            concat!($opc, ".u32 {flag}, 0, 0;"),
            $c0 = out(reg32) $out[$k0],
            $($c = out(reg32) $out[$k],)*
            $d0 = in(reg32) $a[$k0],
            $($d = in(reg32) $a[$k],)*
            $e0 = in(reg32) $b[$k0],
            $($e = in(reg32) $b[$k],)*
            flag = out(reg32) $flag,
            $($operands)*
            options(pure, nomem, nostack),
        )
    };
}

/// A run of multiply-adds over pairs: `$head` are the instructions before the first pair (`$lo`
/// is its first opcode, with or without the flag), `$tail` what takes the last flag, `$last` the
/// opcode of the last high half.
macro_rules! mad_chain {
    ([$($head:literal)*] $lo:literal, [$($tail:literal)*], $acc:ident[$from:expr],
     $a:ident[$at:expr], $m:ident, [$($operands:tt)*];
     ($c0:ident $d0:ident $e0:ident $k0:literal)
     $(($c:ident $d:ident $e:ident $k:literal))*) => {{
        asm!(
            $($head,)*
            concat!($lo, " {", stringify!($c0), "}, {", stringify!($e0), "}, {m}, {", stringify!($c0), "};"),
            concat!("madc.hi.cc.u32 {", stringify!($d0), "}, {", stringify!($e0), "}, {m}, {", stringify!($d0), "};"),
            $(
                concat!("madc.lo.cc.u32 {", stringify!($c), "}, {", stringify!($e), "}, {m}, {", stringify!($c), "};"),
                concat!("madc.hi.cc.u32 {", stringify!($d), "}, {", stringify!($e), "}, {m}, {", stringify!($d), "};"),
            )*
            $($tail,)*
            m = in(reg32) $m,
            $c0 = inout(reg32) $acc[$from + 2 * $k0],
            $d0 = inout(reg32) $acc[$from + 2 * $k0 + 1],
            $e0 = in(reg32) $a[$at + 2 * $k0],
            $(
                $c = inout(reg32) $acc[$from + 2 * $k],
                $d = inout(reg32) $acc[$from + 2 * $k + 1],
                $e = in(reg32) $a[$at + 2 * $k],
            )*
            $($operands)*
            options(pure, nomem, nostack),
        )
    }};
}

/// `a + b`, and the carry out (0 or 1).
#[inline(always)]
pub fn add<const N: usize>(a: &[u32; N], b: &[u32; N]) -> ([u32; N], u32) {
    let mut out = [0; N];
    let carry: u32;
    // SAFETY: arithmetic on registers, complete in itself.
    unsafe {
        match N {
            2 => names!(2, sum_chain!([] "add.cc.u32", "addc", out, a, b, carry, [])),
            4 => names!(4, sum_chain!([] "add.cc.u32", "addc", out, a, b, carry, [])),
            6 => names!(6, sum_chain!([] "add.cc.u32", "addc", out, a, b, carry, [])),
            8 => names!(8, sum_chain!([] "add.cc.u32", "addc", out, a, b, carry, [])),
            12 => names!(12, sum_chain!([] "add.cc.u32", "addc", out, a, b, carry, [])),
            _ => unreachable!(),
        }
    }
    (out, carry)
}

/// `a + b` and the carry of a chain below, and the carry out (0 or 1).
#[inline(always)]
pub fn add_carry<const N: usize>(a: &[u32; N], b: &[u32; N], below: u32) -> ([u32; N], u32) {
    let mut out = [0; N];
    let carry: u32;
    macro_rules! arm {
        ($n:tt) => {
            names!($n, sum_chain!(["add.cc.u32 {below}, {below}, 0xffffffff;"] "addc.cc.u32", "addc",
                out, a, b, carry, [below = inout(reg32) below => _,]))
        };
    }
    // SAFETY: arithmetic on registers, complete in itself.
    unsafe {
        match N {
            8 => arm!(8),
            12 => arm!(12),
            _ => unreachable!(),
        }
    }
    (out, carry)
}

/// `a − b` modulo 2³²ᴺ, and the borrow out (0, or all ones).
#[inline(always)]
pub fn sub<const N: usize>(a: &[u32; N], b: &[u32; N]) -> ([u32; N], u32) {
    let mut out = [0; N];
    let borrow: u32;
    // SAFETY: arithmetic on registers, complete in itself.
    unsafe {
        match N {
            2 => names!(2, sum_chain!([] "sub.cc.u32", "subc", out, a, b, borrow, [])),
            8 => names!(8, sum_chain!([] "sub.cc.u32", "subc", out, a, b, borrow, [])),
            12 => names!(12, sum_chain!([] "sub.cc.u32", "subc", out, a, b, borrow, [])),
            _ => unreachable!(),
        }
    }
    (out, borrow)
}

/// `a − b` less the borrow of a chain below, which is 0 or all ones, and the borrow out.
#[inline(always)]
pub fn sub_borrow<const N: usize>(a: &[u32; N], b: &[u32; N], below: u32) -> ([u32; N], u32) {
    let mut out = [0; N];
    let borrow: u32;
    macro_rules! arm {
        ($n:tt) => {
            names!($n, sum_chain!(["sub.cc.u32 {below}, 0, {below};"] "subc.cc.u32", "subc",
                out, a, b, borrow, [below = inout(reg32) below => _,]))
        };
    }
    // SAFETY: arithmetic on registers, complete in itself.
    unsafe {
        match N {
            8 => arm!(8),
            12 => arm!(12),
            _ => unreachable!(),
        }
    }
    (out, borrow)
}

/// `$a` plus or less `$b`, where `$flag` compares so with 0.
macro_rules! sum_where {
    ($op:literal, $test:literal, $flag:ident, $a:ident, $b:ident;
     ($c0:ident $d0:ident $e0:ident $k0:literal)
     $(($c:ident $d:ident $e:ident $k:literal))*) => {
        asm!(
            "{{",
            ".reg .pred %meant;",
            concat!("setp.", $test, ".u32 %meant, {flag}, 0;"),
            concat!("@%meant ", $op, ".cc.u32 {", stringify!($c0), "}, {", stringify!($c0), "}, {", stringify!($d0), "};"),
            $(concat!("@%meant ", $op, "c.cc.u32 {", stringify!($c), "}, {", stringify!($c), "}, {", stringify!($d), "};"),)*
            "}}",
            $c0 = inout(reg32) $a[$k0],
            $($c = inout(reg32) $a[$k],)*
            $d0 = in(reg32) $b[$k0],
            $($d = in(reg32) $b[$k],)*
            flag = in(reg32) $flag,
            options(pure, nomem, nostack),
        )
    };
}

/// `a + b` for a sum below 2m, less m unless it is below m.
#[inline(always)]
pub fn add_corrected<const N: usize>(a: &[u32; N], b: &[u32; N], m: &[u32; N]) -> [u32; N] {
    let (mut sum, carry) = add(a, b);
    let (_, borrow) = sub(&sum, m);
    // With a carry there is a borrow.
    let below = carry.wrapping_add(borrow);
    // SAFETY: arithmetic on registers, complete in itself.
    unsafe {
        match N {
            8 => names!(8, sum_where!("sub", "eq", below, sum, m)),
            12 => names!(12, sum_where!("sub", "eq", below, sum, m)),
            _ => unreachable!(),
        }
    }
    sum
}

/// `a − b`, and m if that is negative.
#[inline(always)]
pub fn sub_corrected<const N: usize>(a: &[u32; N], b: &[u32; N], m: &[u32; N]) -> [u32; N] {
    let (mut difference, borrow) = sub(a, b);
    // SAFETY: arithmetic on registers, complete in itself.
    unsafe {
        match N {
            8 => names!(8, sum_where!("add", "ne", borrow, difference, m)),
            12 => names!(12, sum_where!("add", "ne", borrow, difference, m)),
            _ => unreachable!(),
        }
    }
    difference
}

/// The low and the high half of `a·b`.
#[inline(always)]
pub fn mul_wide(a: u32, b: u32) -> (u32, u32) {
    let product: u64;
    // In asm, for LLVM would move the widening of a factor out of a loop and leave a product of
    // two 64-bit numbers in it.
    // SAFETY: arithmetic on registers.
    unsafe {
        asm!(
            "mul.wide.u32 {product}, {a}, {b};",
            product = out(reg64) product,
            a = in(reg32) a,
            b = in(reg32) b,
            options(pure, nomem, nostack),
        );
    }
    (product as u32, (product >> 32) as u32)
}

/// `acc += m·Σ a[AT + 2k]·2⁶⁴ᵏ` from limb FROM of `acc` up; returns `top` plus the carry out.
#[inline(always)]
pub fn mad<const N: usize, const FROM: usize, const AT: usize>(
    acc: &mut [u32; N],
    a: &[u32; N],
    m: u32,
    mut top: u32,
) -> u32 {
    macro_rules! arm {
        ($n:tt) => {
            names!($n, mad_chain!([] "mad.lo.cc.u32", ["addc.u32 {top}, {top}, 0;"],
                acc[FROM], a[AT], m, [top = inout(reg32) top,]))
        };
    }
    // SAFETY: arithmetic on registers, complete in itself.
    unsafe {
        match const { N.saturating_sub(FROM) / 2 } {
            1 => arm!(1),
            2 => arm!(2),
            3 => arm!(3),
            4 => arm!(4),
            5 => arm!(5),
            6 => arm!(6),
            _ => unreachable!(),
        }
    }
    top
}

/// As [`mad`], where the caller's bound rules a carry out.
#[inline(always)]
pub fn mad_last<const N: usize, const FROM: usize, const AT: usize>(
    acc: &mut [u32; N],
    a: &[u32; N],
    m: u32,
) {
    macro_rules! arm {
        ($n:tt) => {
            names!($n, mad_chain!([] "mad.lo.cc.u32", [], acc[FROM], a[AT], m, []))
        };
    }
    // SAFETY: arithmetic on registers; the last flag is zero and nobody reads it.
    unsafe {
        match const { N.saturating_sub(FROM) / 2 } {
            1 => arm!(1),
            2 => arm!(2),
            3 => arm!(3),
            4 => arm!(4),
            5 => arm!(5),
            6 => arm!(6),
            _ => unreachable!(),
        }
    }
}

/// `acc += m·Σ a[AT + 2k]·2⁶⁴ᵏ` from limb FROM of `acc` up, modulo 2³²ᴺ.
#[inline(always)]
pub fn mad_low<const N: usize, const FROM: usize, const AT: usize>(
    acc: &mut [u32; N],
    a: &[u32; N],
    m: u32,
) {
    if const { FROM.is_multiple_of(2) } {
        return mad_last::<N, FROM, AT>(acc, a, m);
    }
    let mut top = acc[N - 1];
    // Of the product that belongs to limb N − 1 the low half.
    macro_rules! arm {
        ($n:tt) => {
            names!($n, mad_chain!([] "mad.lo.cc.u32",
                ["madc.lo.u32 {top}, {last}, {m}, {top};"], acc[FROM], a[AT], m,
                [top = inout(reg32) top, last = in(reg32) a[AT + N - 1 - FROM],]))
        };
    }
    // SAFETY: arithmetic on registers, complete in itself.
    unsafe {
        match const { N.saturating_sub(FROM) / 2 } {
            0 => top = top.wrapping_add(m.wrapping_mul(a[AT])),
            1 => arm!(1),
            2 => arm!(2),
            3 => arm!(3),
            _ => unreachable!(),
        }
    }
    acc[N - 1] = top;
}

/// `low += addend`, then `acc += m·Σ a[1 + 2k]·2⁶⁴ᵏ` plus the carry of the former; nothing is
/// carried out of the latter.
#[inline(always)]
pub fn add_mad<const N: usize>(
    low: &mut u32,
    addend: u32,
    acc: &mut [u32; N],
    a: &[u32; N],
    m: u32,
) {
    macro_rules! arm {
        ($n:tt) => {
            names!($n, mad_chain!(["add.cc.u32 {low}, {low}, {addend};"] "madc.lo.cc.u32", [],
                acc[0], a[1], m, [low = inout(reg32) *low, addend = in(reg32) addend,]))
        };
    }
    // SAFETY: arithmetic on registers; the last flag is zero and nobody reads it.
    unsafe {
        match N {
            4 => arm!(2),
            6 => arm!(3),
            8 => arm!(4),
            12 => arm!(6),
            _ => unreachable!(),
        }
    }
}

/// `acc += lo + hi·2³² + m·Σ a[AT + 2k]·2⁶⁴ᵏ⁺⁶⁴`; returns `top` plus the carry out.
#[inline(always)]
pub fn wide_add_mad<const N: usize, const AT: usize>(
    acc: &mut [u32; N],
    lo: u32,
    hi: u32,
    a: &[u32; N],
    m: u32,
    mut top: u32,
) -> u32 {
    macro_rules! arm {
        ($n:tt) => {
            names!($n, mad_chain!(
                ["add.cc.u32 {x}, {x}, {lo};" "addc.cc.u32 {y}, {y}, {hi};"] "madc.lo.cc.u32",
                ["addc.u32 {top}, {top}, 0;"], acc[2], a[AT], m,
                [top = inout(reg32) top, lo = in(reg32) lo, hi = in(reg32) hi,
                 x = inout(reg32) acc[0], y = inout(reg32) acc[1],]))
        };
    }
    // SAFETY: arithmetic on registers, complete in itself.
    unsafe {
        match N {
            8 => arm!(3),
            12 => arm!(5),
            _ => unreachable!(),
        }
    }
    top
}
