//! `atom` and `red`: lane after lane, each a read, an operation and a write in one.

use super::Step;
use super::access::lock;
use super::address::{Place, Site, address, check_read, resolve, sync_key};
use super::block::Env;
use super::call::set;
use super::grid::Launch;
use super::race::Racer;
use super::warp::Warp;
use crate::float::{Float, Rounding};
use crate::ir::{Atom, AtomOp, NONE};
use crate::lanes::{Lanes, WARP, Word, lanes_of};
use crate::memory::Touch;
use crate::ptx::types::Type;
use crate::report::Access;
use std::sync::atomic::Ordering::Relaxed;

pub(super) fn atom(
    l: &Launch<'_>,
    env: &mut Env,
    w: &mut Warp,
    base: u32,
    atom: &Atom,
    mask: u32,
    line: u32,
) -> Step<()> {
    let bytes = atom.ty.bytes();
    let site = Site { space: atom.addr.space, access: Access::Atomic, bytes, line };
    let bases = *l.operand(&w.regs, base, atom.addr.base);
    let a = *l.operand(&w.regs, base, atom.a);
    let b = if atom.b == NONE { a } else { *l.operand(&w.regs, base, atom.b) };
    if atom.release {
        env.clocks.fence(w.index);
    }
    let mut out: Lanes = [0; WARP];
    for lane in lanes_of(mask) {
        let address = address(&atom.addr, bases[lane]);
        let h = resolve(l, env, w, site, address, lane)?;
        check_read(l, env, w, site, h)?;
        // One racer a lane: its page lock must not be held while others' atomics are awaited.
        Racer::new(l, Touch::Write, true, line).touch(l, env, w, site, h)?;
        let key = sync_key(env, h);
        if l.checks.races {
            // Before the value is there for others to see.
            env.clocks.publish(w.index, env.number, key, &l.sync);
        }
        out[lane] = match h.place {
            Place::Global(alloc, at) if bytes == 4 => {
                let word = alloc.word(at / 4);
                let update =
                    |old: u32| Some(apply(atom, u64::from(old), a[lane], b[lane], true) as u32);
                match word.fetch_update(Relaxed, Relaxed, update) {
                    Ok(old) | Err(old) => u64::from(old),
                }
            }
            Place::Global(alloc, at) => {
                let _lock = lock(l, alloc, at);
                let old = u64::from(alloc.load(at / 4)) | u64::from(alloc.load(at / 4 + 1)) << 32;
                let new = apply(atom, old, a[lane], b[lane], true);
                alloc.store(at / 4, new as u32, 0xf);
                alloc.store(at / 4 + 1, (new >> 32) as u32, 0xf);
                old
            }
            Place::Shared(at) => {
                let words = u64::from(bytes / 4);
                let old = (0..words)
                    .fold(0, |v, i| v | u64::from(env.shared.load(at / 4 + i)) << (32 * i));
                let new = apply(atom, old, a[lane], b[lane], false);
                for i in 0..words {
                    env.shared.store(at / 4 + i, (new >> (32 * i)) as u32, 0xf);
                }
                old
            }
            Place::Local(at) => {
                let words = u64::from(bytes / 4);
                let old = (0..words)
                    .fold(0, |v, i| v | u64::from(w.local.load(lane, at / 4 + i)) << (32 * i));
                let new = apply(atom, old, a[lane], b[lane], false);
                for i in 0..words {
                    w.local.store(lane, at / 4 + i, (new >> (32 * i)) as u32, 0xf);
                }
                old
            }
            Place::Param(_) => 0,
        };
        if l.checks.races {
            env.clocks.take_up(w.index, env.number, key, &l.sync);
        }
    }
    if atom.d != NONE {
        set(&mut w.regs[(base + atom.d) as usize], &out, mask);
    }
    Ok(())
}

/// The new value.
fn apply(atom: &Atom, old: u64, a: u64, b: u64, global: bool) -> u64 {
    match atom.op {
        AtomOp::Cas => {
            if old == a {
                b
            } else {
                old
            }
        }
        AtomOp::Exch => a,
        AtomOp::Inc => {
            if old >= a {
                0
            } else {
                old + 1
            }
        }
        AtomOp::Dec => {
            if old == 0 || old > a {
                a
            } else {
                old - 1
            }
        }
        AtomOp::Add if atom.ty.is_float() => {
            if atom.ty.bits == 64 {
                return f64::get(old).add(f64::get(a), Rounding::Nearest).put();
            }
            // The manual: device memory flushes subnormals, shared memory keeps them.
            let flush = |v: u64| if global { f32::get(v).flush() } else { f32::get(v) };
            flush(flush(old).add(flush(a), Rounding::Nearest).put()).put()
        }
        op => reduce(op, atom.ty, old, a),
    }
}

/// Integer operations that are also reductions of a warp.
pub(super) fn reduce(op: AtomOp, ty: Type, x: u64, y: u64) -> u64 {
    let signed = |v: u64| (v << (64 - ty.bits)) as i64 >> (64 - ty.bits);
    let less = if ty.is_signed() { signed(x) < signed(y) } else { x < y };
    match op {
        AtomOp::Add => x.wrapping_add(y) & ty.mask(),
        AtomOp::Min => {
            if less {
                x
            } else {
                y
            }
        }
        AtomOp::Max => {
            if less {
                y
            } else {
                x
            }
        }
        AtomOp::And => x & y,
        AtomOp::Or => x | y,
        AtomOp::Xor => x ^ y,
        AtomOp::Exch | AtomOp::Cas | AtomOp::Inc | AtomOp::Dec => y,
    }
}
