//! The exact arithmetic against the host's, to nearest, and against its own definition in the
//! other directions.

use super::*;
use proptest::prelude::*;

fn edges64() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        any::<f64>().prop_map(f64::to_bits),
        // Near one another, so that sums cancel and products do not overflow.
        (any::<u64>(), 1000u64..1046).prop_map(|(m, e)| (m & !(0x7ff << 52)) | e << 52),
        (0u64..4, any::<bool>()).prop_map(|(m, n)| m | u64::from(n) << 63),
        prop::sample::select(vec![
            0x7ff0_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            0x0010_0000_0000_0000,
            0x000f_ffff_ffff_ffff,
            0x3ff0_0000_0000_0000,
            0x3fef_ffff_ffff_ffff,
            0x4330_0000_0000_0000,
        ]),
    ]
}

/// Positive, and so far from the ends that remainders are exact.
fn moderate() -> impl Strategy<Value = f64> {
    (any::<u64>(), 600u64..1400).prop_map(|(m, e)| f64::from_bits((m >> 12) | e << 52))
}

fn edges32() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u32>().prop_map(u64::from),
        (any::<u32>(), 110u32..144).prop_map(|(m, e)| u64::from((m & !(0xff << 23)) | e << 23)),
        prop::sample::select(vec![
            0u64,
            1,
            0x7f_ffff,
            0x80_0000,
            0x7f80_0000,
            0x7f7f_ffff,
            0x3f80_0000,
            0x8000_0000,
        ]),
    ]
}

fn same64(ours: u64, host: f64) -> bool {
    ours == host.to_bits() || (host.is_nan() && f64::from_bits(ours).is_nan())
}

fn same32(ours: u64, host: f32) -> bool {
    ours == u64::from(host.to_bits()) || (host.is_nan() && f32::from_bits(ours as u32).is_nan())
}

/// The other directions, from the definition: the results down and up are neighbours (or equal)
/// around the exact value, nearest and toward zero are among them.
fn directed(op: impl Fn(Rounding) -> u64, f: Format) -> Result<(), TestCaseError> {
    let [near, zero, down, up] = Rounding::ALL.map(op);
    if f.unpack(near) == Num::Nan {
        prop_assert!([zero, down, up].iter().all(|&r| f.unpack(r) == Num::Nan));
        return Ok(());
    }
    // Sign-magnitude to a line on which neighbours differ by one.
    let line = |r: u64| {
        let magnitude = (r & (f.sign_bit() - 1)) as i64;
        if r & f.sign_bit() != 0 { -magnitude } else { magnitude }
    };
    let step = line(up) - line(down);
    prop_assert!(step == 0 || step == 1, "down {down:#x} up {up:#x}");
    prop_assert!(near == down || near == up);
    let toward = if line(up) > 0 || (line(up) == 0 && up & f.sign_bit() == 0) { down } else { up };
    prop_assert!(line(zero) == line(toward), "zero {zero:#x} down {down:#x} up {up:#x}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn nearest_is_the_hosts_64(a in edges64(), b in edges64(), c in edges64()) {
        let n = Rounding::Nearest;
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        prop_assert!(same64(F64.add(a, b, n), x + y));
        prop_assert!(same64(F64.mul(a, b, n), x * y));
        prop_assert!(same64(F64.div(a, b, n), x / y));
        prop_assert!(same64(F64.fma(a, b, c, n), x.mul_add(y, z)));
        prop_assert!(same64(F64.sqrt(a, n), x.sqrt()));
    }

    #[test]
    fn nearest_is_the_hosts_32(a in edges32(), b in edges32(), c in edges32()) {
        let n = Rounding::Nearest;
        let [x, y, z] = [a, b, c].map(|v| f32::from_bits(v as u32));
        prop_assert!(same32(F32.add(a, b, n), x + y));
        prop_assert!(same32(F32.mul(a, b, n), x * y));
        prop_assert!(same32(F32.div(a, b, n), x / y));
        prop_assert!(same32(F32.fma(a, b, c, n), x.mul_add(y, z)));
        prop_assert!(same32(F32.sqrt(a, n), x.sqrt()));
    }

    #[test]
    fn directions_bracket_the_exact_value(a in edges64(), b in edges64(), c in edges64()) {
        directed(|m| F64.add(a, b, m), F64)?;
        directed(|m| F64.mul(a, b, m), F64)?;
        directed(|m| F64.div(a, b, m), F64)?;
        directed(|m| F64.fma(a, b, c, m), F64)?;
        directed(|m| F64.sqrt(a, m), F64)?;
    }

    /// 32-bit operations have their exact value, or its sign against a candidate, in 64 bits.
    #[test]
    fn directed_products_32(a in edges32(), b in edges32()) {
        let exact = f64::from(f32::from_bits(a as u32)) * f64::from(f32::from_bits(b as u32));
        prop_assume!(exact.is_finite());
        let down = f64::from(f32::from_bits(F32.mul(a, b, Rounding::Down) as u32));
        let up = f64::from(f32::from_bits(F32.mul(a, b, Rounding::Up) as u32));
        prop_assert!(down <= exact && exact <= up);
        directed(|m| F32.mul(a, b, m), F32)?;
    }

    /// The remainder of a rounded-down quotient and root has the sign that it must have.
    #[test]
    fn directed_quotients_have_the_right_side(x in moderate(), y in moderate()) {
        let down = f64::from_bits(F64.div(x.to_bits(), y.to_bits(), Rounding::Down));
        let up = f64::from_bits(F64.div(x.to_bits(), y.to_bits(), Rounding::Up));
        prop_assert!((-down).mul_add(y, x) >= 0.0 && (-up).mul_add(y, x) <= 0.0);
        let root = f64::from_bits(F64.sqrt(x.to_bits(), Rounding::Down));
        prop_assert!((-root).mul_add(root, x) >= 0.0);
    }
}
