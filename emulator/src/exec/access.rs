//! Loads and stores: the address of each lane to a place, the checks, the bytes.

use super::block::Env;
use super::call::set;
use super::grid::Launch;
use super::race::Racer;
use super::warp::Warp;
use super::{Failure, FailureKind, Step};
use crate::ir::{Addr, LOCAL_WINDOW, Mem, PARAM_WINDOW, SHARED_WINDOW, WINDOW_SIZE};
use crate::lanes::{Lanes, WARP, lanes_of};
use crate::memory::{Alloc, FIRST_ADDRESS, Near, Touch, nibbles};
use crate::ptx::types::Space;
use crate::report::{Access, Fault, Location};
use std::sync::PoisonError;

/// Where an access goes: an offset in one of the memories.
#[derive(Clone, Copy)]
pub(super) enum Place<'l> {
    Global(&'l Alloc, u64),
    Shared(u64),
    Local(u64),
    Param(u64),
}

/// An access of one instruction, for the messages.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub space: Space,
    pub access: Access,
    pub bytes: u32,
    pub line: u32,
}

/// The address of a lane.
#[inline(always)]
pub(super) fn address(a: &Addr, base: u64) -> u64 {
    let sum = base.wrapping_add(a.offset as u64);
    if a.narrow { sum & 0xffff_ffff } else { sum }
}

/// Which memory an address lies in, by the instruction's space or, for generic ones, by window.
fn space_of(space: Space, address: u64) -> (Space, u64) {
    if space != Space::Generic {
        return (space, address);
    }
    let within = |w: u64| address.checked_sub(w).filter(|&o| o < WINDOW_SIZE);
    if address >= FIRST_ADDRESS {
        (Space::Global, address)
    } else if let Some(o) = within(SHARED_WINDOW) {
        (Space::Shared, o)
    } else if let Some(o) = within(LOCAL_WINDOW) {
        (Space::Local, o)
    } else if let Some(o) = within(PARAM_WINDOW) {
        (Space::Param, o)
    } else {
        (Space::Global, address)
    }
}

/// The place of an address, or the fault.
#[inline]
pub(super) fn resolve<'l>(
    l: &'l Launch<'_>,
    env: &mut Env,
    w: &Warp,
    site: Site,
    address: u64,
    lane: usize,
) -> Step<Place<'l>> {
    let bytes = u64::from(site.bytes);
    let (space, at) = space_of(site.space, address);
    if at % bytes != 0 {
        return Err(fault(l, w, site, address, lane, Fault::Misaligned(site.access)));
    }
    let inside = |size: u64| at < size && bytes <= size - at;
    let place = match space {
        Space::Shared if inside(u64::from(env.shared.size)) => Place::Shared(at),
        Space::Local if inside(w.local.size()) => Place::Local(at),
        Space::Param if inside(l.params.len() as u64) => {
            if site.access != Access::Read {
                return Err(fault(l, w, site, address, lane, Fault::ReadOnly));
            }
            Place::Param(at)
        }
        Space::Global | Space::Const => match l.view.find(at, bytes, &mut env.hint) {
            Some(a) if !a.is_freed() && (space != Space::Const || a.read_only) => {
                if a.read_only && site.access != Access::Read {
                    return Err(fault(l, w, site, address, lane, Fault::ReadOnly));
                }
                Place::Global(a, at - a.base)
            }
            _ => {
                let kind = match l.memory.near(at) {
                    Near::Freed(..) => Fault::UseAfterFree(site.access),
                    _ => Fault::OutOfBounds(site.access),
                };
                return Err(fault(l, w, site, address, lane, kind));
            }
        },
        _ => return Err(fault(l, w, site, address, lane, Fault::OutOfBounds(site.access))),
    };
    Ok(place)
}

/// A fault with its location.
#[cold]
pub(super) fn fault(
    l: &Launch<'_>,
    w: &Warp,
    site: Site,
    address: u64,
    lane: usize,
    kind: impl Into<FailureKind>,
) -> Box<Failure> {
    let (space, at) = space_of(site.space, address);
    let within = match space {
        Space::Global | Space::Const => match l.memory.near(at) {
            Near::Freed(name, offset) | Near::Live(name, offset) => Some((name, offset)),
            Near::Nothing => None,
        },
        Space::Shared => l
            .shared_vars
            .iter()
            .filter(|(_, start, _)| u64::from(*start) <= at)
            .max_by_key(|(_, start, _)| *start)
            .map(|(name, start, _)| (format!("`{name}`"), (at - u64::from(*start)) as i64)),
        Space::Param => l
            .entry
            .params
            .iter()
            .rfind(|p| u64::from(p.offset) <= at)
            .map(|p| (format!("`{}`", p.name), (at - u64::from(p.offset)) as i64)),
        _ => None,
    };
    Box::new(Failure {
        fault: kind.into(),
        line: site.line,
        warp: w.index,
        lane: lane as u32,
        location: Some(Location { space, address, within, bytes: site.bytes }),
    })
}

pub(super) fn load(
    l: &Launch<'_>,
    env: &mut Env,
    w: &mut Warp,
    base: u32,
    mem: &Mem,
    mask: u32,
    line: u32,
) -> Step<()> {
    let size = mem.ty.bytes();
    let bytes = size * u32::from(mem.n);
    let site = Site { space: mem.addr.space, access: Access::Read, bytes, line };
    let bases = *l.operand(&w.regs, base, mem.addr.base);
    let mut out = [[0u64; WARP]; 4];
    let touch = if mem.nc { Touch::ReadNc } else { Touch::Read };
    let mut racer = Racer::new(l, touch, mem.strong, line);
    for lane in lanes_of(mask) {
        let address = address(&mem.addr, bases[lane]);
        let place = resolve(l, env, w, site, address, lane)?;
        check_read(l, env, w, site, address, lane, place)?;
        racer.touch(l, env, w, site, address, lane, place)?;
        let words = read(l, env, w, place, lane, bytes, mem.strong);
        for (i, out) in out[..usize::from(mem.n)].iter_mut().enumerate() {
            out[lane] = match size {
                8 => u64::from(words[2 * i]) | u64::from(words[2 * i + 1]) << 32,
                4 => u64::from(words[i]),
                _ => {
                    let at = i * size as usize;
                    let v = u64::from(words[at / 4]) >> (8 * (at % 4));
                    v & mem.ty.mask()
                }
            };
        }
        if mem.strong && l.checks.races {
            let key = sync_key(env, place, address);
            env.clocks.take_up(w.index, env.number, key, &l.sync);
        }
    }
    drop(racer);
    for (out, &reg) in out[..usize::from(mem.n)].iter_mut().zip(&mem.regs) {
        if mem.ty.is_signed() && mem.reg_bits > mem.ty.bits {
            extend(out, mem.ty.bits, mem.reg_bits);
        }
        set(&mut w.regs[(base + reg) as usize], out, mask);
    }
    Ok(())
}

/// Sign-extends to the register's width.
fn extend(out: &mut Lanes, from: u32, to: u32) {
    let up = 64 - from;
    for v in out {
        *v = ((*v << up) as i64 >> up) as u64 & (u64::MAX >> (64 - to));
    }
}

pub(super) fn store(
    l: &Launch<'_>,
    env: &mut Env,
    w: &mut Warp,
    base: u32,
    mem: &Mem,
    mask: u32,
    line: u32,
) -> Step<()> {
    let size = mem.ty.bytes();
    let bytes = size * u32::from(mem.n);
    let site = Site { space: mem.addr.space, access: Access::Write, bytes, line };
    let bases = *l.operand(&w.regs, base, mem.addr.base);
    if mem.release {
        env.clocks.fence(w.index);
    }
    let mut racer = Racer::new(l, Touch::Write, mem.strong, line);
    for lane in lanes_of(mask) {
        let address = address(&mem.addr, bases[lane]);
        let place = resolve(l, env, w, site, address, lane)?;
        racer.touch(l, env, w, site, address, lane, place)?;
        if mem.strong && l.checks.races {
            let key = sync_key(env, place, address);
            env.clocks.publish(w.index, env.number, key, &l.sync);
        }
        let mut words = [0u32; 4];
        for (i, &reg) in mem.regs[..usize::from(mem.n)].iter().enumerate() {
            let v = l.operand(&w.regs, base, reg)[lane];
            match size {
                8 => {
                    words[2 * i] = v as u32;
                    words[2 * i + 1] = (v >> 32) as u32;
                }
                4 => words[i] = v as u32,
                _ => {
                    let at = i * size as usize;
                    words[at / 4] |= ((v & mem.ty.mask()) as u32) << (8 * (at % 4));
                }
            }
        }
        write(l, env, w, place, lane, bytes, words, mem.strong);
    }
    Ok(())
}

/// What a published value is found under: shared memory belongs to its block.
pub(super) fn sync_key(env: &Env, place: Place<'_>, address: u64) -> (u64, u64) {
    match place {
        Place::Shared(at) => (env.number + 1, at),
        _ => (0, address),
    }
}

/// Reports bytes that nothing has written.
#[inline]
pub(super) fn check_read(
    l: &Launch<'_>,
    env: &Env,
    w: &Warp,
    site: Site,
    address: u64,
    lane: usize,
    place: Place<'_>,
) -> Step<()> {
    if !l.checks.uninitialised {
        return Ok(());
    }
    let (Place::Global(_, at) | Place::Shared(at) | Place::Local(at) | Place::Param(at)) = place;
    let known = nibbles(at, site.bytes).all(|(word, nibble)| match place {
        Place::Global(a, _) => a.is_init(word, nibble),
        Place::Shared(_) => env.shared.is_init(word, nibble),
        Place::Local(_) => w.local.is_init(lane, word, nibble),
        Place::Param(_) => true,
    });
    if known {
        return Ok(());
    }
    Err(fault(l, w, site, address, lane, Fault::Uninitialised))
}

/// Reads up to 16 bytes; fewer than four come shifted down.
#[inline]
fn read(
    l: &Launch<'_>,
    env: &Env,
    w: &Warp,
    place: Place<'_>,
    lane: usize,
    bytes: u32,
    strong: bool,
) -> [u32; 4] {
    let mut words = [0; 4];
    let n = bytes.div_ceil(4) as usize;
    let at = match place {
        Place::Global(a, at) => {
            // Two words of one value must not be torn by an atomic on another host thread.
            let _lock = (strong && bytes == 8).then(|| lock(l, a, at));
            for (i, word) in words[..n].iter_mut().enumerate() {
                *word = a.load(at / 4 + i as u64);
            }
            at
        }
        Place::Shared(at) => {
            for (i, word) in words[..n].iter_mut().enumerate() {
                *word = env.shared.load(at / 4 + i as u64);
            }
            at
        }
        Place::Local(at) => {
            for (i, word) in words[..n].iter_mut().enumerate() {
                *word = w.local.load(lane, at / 4 + i as u64);
            }
            at
        }
        Place::Param(at) => {
            let params = &l.params[at as usize..(at + u64::from(bytes)) as usize];
            for (i, &b) in params.iter().enumerate() {
                words[i / 4] |= u32::from(b) << (8 * (i % 4));
            }
            return words;
        }
    };
    if bytes < 4 {
        words[0] >>= 8 * (at % 4);
    }
    words
}

#[inline]
#[allow(clippy::too_many_arguments)]
fn write(
    l: &Launch<'_>,
    env: &mut Env,
    w: &mut Warp,
    place: Place<'_>,
    lane: usize,
    bytes: u32,
    mut words: [u32; 4],
    strong: bool,
) {
    let (Place::Global(_, at) | Place::Shared(at) | Place::Local(at) | Place::Param(at)) = place;
    if bytes < 4 {
        words[0] <<= 8 * (at % 4);
    }
    match place {
        Place::Global(a, _) => {
            let _lock = (strong && bytes == 8).then(|| lock(l, a, at));
            for ((word, nibble), value) in nibbles(at, bytes).zip(words) {
                a.store(word, value, nibble);
                a.set_init(word, nibble);
            }
        }
        Place::Shared(_) => {
            for ((word, nibble), value) in nibbles(at, bytes).zip(words) {
                env.shared.store(word, value, nibble);
            }
        }
        Place::Local(_) => {
            for ((word, nibble), value) in nibbles(at, bytes).zip(words) {
                w.local.store(lane, word, value, nibble);
            }
        }
        Place::Param(_) => {}
    }
}

/// The lock of a 64-bit word.
pub(super) fn lock<'l>(l: &'l Launch<'_>, a: &Alloc, at: u64) -> std::sync::MutexGuard<'l, ()> {
    let index = ((a.base + at) / 8 % l.locks.len() as u64) as usize;
    l.locks[index].lock().unwrap_or_else(PoisonError::into_inner)
}
