//! That the description of the module is that of its text.

use warpfield::ptx::{Block, ENTRIES, Grid, Shared, entry};
use warpfield_device::launch::WARP;

use crate::inspect::Body;
use crate::module;

/// The kernels of the text with what is said of them.
fn described() -> Vec<(Body<'static>, &'static warpfield::ptx::Entry)> {
    let describe = |body: Body<'static>| {
        let entry = entry(body.name).unwrap_or_else(|| panic!("{} is not described", body.name));
        (body, entry)
    };
    module().kernels.into_iter().map(describe).collect()
}

#[test]
fn every_kernel_is_described_once() {
    let mut names: Vec<_> = ENTRIES.iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    assert_eq!(names, crate::expected());
    assert_eq!(described().len(), names.len());
}

#[test]
fn parameters_are_those_of_the_text() {
    for (body, entry) in described() {
        let parameters = entry.parameters.iter();
        let said: Vec<_> = parameters.map(|p| (p.bytes, p.elements.is_some())).collect();
        assert_eq!(said, body.parameters(), "{}", body.name);
    }
}

#[test]
fn elements_are_those_of_the_types() {
    let sizes = [
        ("Fr", 32),
        ("Fp", 48),
        ("Fp2", 96),
        ("Affine<Fp>", 96),
        ("G1Affine", 96),
        ("Affine<Fp2>", 192),
        ("G2Affine", 192),
        ("Xyzz<Fp>", 192),
        ("G1Xyzz", 192),
        ("Xyzz<Fp2>", 384),
        ("G2Xyzz", 384),
        ("[u32; 8]", 32),
        ("[u32; 12]", 48),
        ("u16", 2),
        ("u32", 4),
        ("u64", 8),
        ("[u32; 4]", 16),
        ("Twiddle", 64),
    ];
    for parameter in ENTRIES.iter().flat_map(|entry| entry.parameters) {
        let pointer = parameter.rust_type.split_once(' ');
        let said = parameter.elements.map(|elements| (elements.written, elements.bytes));
        let expected = pointer.map(|(pointer, element)| {
            let size = sizes.iter().find(|(name, _)| *name == element);
            (pointer == "*mut", size.unwrap_or_else(|| panic!("the size of {element}")).1)
        });
        assert_eq!(said, expected, "{parameter:?}");
    }
}

#[test]
fn docs_name_the_safety() {
    for entry in ENTRIES {
        let (what, safety) = entry.docs.split_once("\n\n# Safety\n\n").expect(entry.name);
        assert!(!what.is_empty() && !safety.is_empty(), "{}", entry.name);
    }
}

#[test]
fn shared_memory_is_asked_for_where_it_is_used() {
    for (body, entry) in described() {
        let said = entry.launch.shared != Shared::None;
        assert_eq!(said, body.shared_memory() > 0, "{}", body.name);
        let threads = match entry.launch.block {
            Block::AtMost(threads) | Block::Exactly(threads) => threads,
            _ => 128,
        };
        // What every GPU from the module's architecture on has.
        assert!(entry.launch.shared_bytes(threads) <= 99 << 10, "{}", body.name);
    }
}

#[test]
fn grids_are_those_of_the_text() {
    for (body, entry) in described() {
        let (launch, strides) = (entry.launch, body.reads("%nctaid.x"));
        match launch.grid {
            Grid::Any => assert!(strides, "{} does not stride", body.name),
            // A chain goes around its points.
            Grid::Exact => {}
            _ => assert!(!strides, "{} strides", body.name),
        }
        assert_eq!(launch.batched, body.reads("%ctaid.y"), "{}", body.name);
        let together = ["match.any.sync", "shfl.sync", "vote.sync", "bar.warp.sync"]
            .iter()
            .any(|opcode| body.count(opcode) > 0);
        let warps = match launch.block {
            Block::Exactly(threads) => threads.is_multiple_of(WARP),
            block => block == Block::Warps,
        };
        assert_eq!(together, warps, "{}", body.name);
    }
}
