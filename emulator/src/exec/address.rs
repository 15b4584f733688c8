//! From the address of a lane to a place in one of the memories, or a fault.

use super::block::Env;
use super::grid::Launch;
use super::warp::Warp;
use super::{Failure, FailureKind, Step};
use crate::ir::{Addr, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_SIZE};
use crate::lanes::Lanes;
use crate::memory::{Alloc, FIRST_ADDRESS, Near, nibbles};
use crate::ptx::types::Space;
use crate::report::{Access, Fault, Location};

/// Where an access goes: an offset in one of the memories.
#[derive(Clone, Copy)]
pub(super) enum Place<'l> {
    Global(&'l Alloc, u64),
    Shared(u64),
    Local(u64),
    Param(u64),
}

/// What a lane accesses.
#[derive(Clone, Copy)]
pub(super) struct Hit<'l> {
    pub lane: usize,
    /// As the kernel had it.
    pub address: u64,
    pub place: Place<'l>,
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
) -> Step<Hit<'l>> {
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
    Ok(Hit { lane, address, place })
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

/// What a published value is found under: shared memory belongs to its block.
pub(super) fn sync_key(env: &Env, h: Hit<'_>) -> (u64, u64) {
    match h.place {
        Place::Shared(at) => (env.number + 1, at),
        Place::Global(a, at) => (0, a.base + at),
        Place::Local(_) | Place::Param(_) => (0, h.address),
    }
}

/// Reports bytes that nothing has written.
#[inline]
pub(super) fn check_read(l: &Launch<'_>, env: &Env, w: &Warp, site: Site, h: Hit<'_>) -> Step<()> {
    if !l.checks.uninitialised {
        return Ok(());
    }
    let (Place::Global(_, at) | Place::Shared(at) | Place::Local(at) | Place::Param(at)) = h.place;
    let known = nibbles(at, site.bytes).all(|(word, nibble)| match h.place {
        Place::Global(a, _) => a.is_init(word, nibble),
        Place::Shared(_) => env.shared.is_init(word, nibble),
        Place::Local(_) => w.local.is_init(h.lane, word, nibble),
        Place::Param(_) => true,
    });
    if known {
        return Ok(());
    }
    Err(fault(l, w, site, h.address, h.lane, Fault::Uninitialised))
}

/// A memory that holds what all lanes of an instruction access.
#[derive(Clone, Copy)]
pub(super) enum Whole<'l> {
    Global(&'l Alloc),
    Shared,
    Local,
}

impl<'l> Whole<'l> {
    pub(super) fn place(self, at: u64) -> Place<'l> {
        match self {
            Whole::Global(a) => Place::Global(a, at),
            Whole::Shared => Place::Shared(at),
            Whole::Local => Place::Local(at),
        }
    }
}

/// Addresses to offsets in one memory, if all lanes are inside it and aligned: the usual case,
/// which needs no decision lane by lane. If not, [`resolve`] finds what is wrong with which lane.
#[inline]
pub(super) fn whole<'l>(
    l: &'l Launch<'_>,
    env: &mut Env,
    w: &Warp,
    site: Site,
    addresses: &mut Lanes,
    mask: u32,
) -> Option<Whole<'l>> {
    let bytes = u64::from(site.bytes);
    let first = addresses[mask.trailing_zeros() as usize & 31];
    let (space, at) = space_of(site.space, first);
    let (memory, origin, size) = match space {
        Space::Shared => (Whole::Shared, first - at, u64::from(env.shared.size)),
        Space::Local => (Whole::Local, first - at, w.local.size()),
        Space::Global => {
            let a = l.view.find(at, bytes, &mut env.hint)?;
            if a.is_freed() || (a.read_only && site.access != Access::Read) {
                return None;
            }
            (Whole::Global(a), a.base, a.size)
        }
        _ => return None,
    };
    let last = size.checked_sub(bytes)?;
    let mut outside = 0u32;
    for (lane, address) in addresses.iter_mut().enumerate() {
        *address = address.wrapping_sub(origin);
        let wrong = (*address > last) | (*address & (bytes - 1) != 0);
        outside |= u32::from(wrong) << lane;
    }
    if outside & mask == 0 {
        return Some(memory);
    }
    addresses.iter_mut().for_each(|a| *a = a.wrapping_add(origin));
    None
}
