//! Points that the formulas of sums leave out.

use blstrs::Scalar;
use group::Group as _;
use warpfield::curve::{G1, G2};
use warpfield::msm::gpu::DeviceGroup;

use crate::support::{check_one, points, random, split};

fn special<G: DeviceGroup>(length: usize) {
    let different = points::<G>(length);
    let infinity = G::Projective::identity();
    let some = |i: usize| if i.is_multiple_of(3) { infinity } else { different[i] };
    let opposite = |i: usize| if i.is_multiple_of(2) { different[0] } else { -different[0] };
    let few = |i: usize| different[i % 3];
    let all = |point: &dyn Fn(usize) -> G::Projective| (0..length).map(point).collect::<Vec<_>>();
    for points in
        [all(&some), vec![infinity; length], vec![different[1]; length], all(&opposite), all(&few)]
    {
        check_one::<G>(split::<G>(4, 5), &points, &random(length));
        // All in one bucket, in segments of many and of two.
        for log_segment in [5, 1] {
            let split = split::<G>(4, log_segment);
            check_one::<G>(split, &points, &vec![Scalar::from(3); length]);
        }
        // As many in each of a window's buckets, as far as they go.
        let scalars: Vec<_> = (1..9).cycle().take(length).map(Scalar::from).collect();
        check_one::<G>(split::<G>(4, 2), &points, &scalars);
    }
}

#[test]
fn special_g1() {
    special::<G1>(40);
}

#[test]
fn special_g2() {
    special::<G2>(18);
}
