//! Loads and stores: the checks, and the bytes.

use super::Step;
use super::address::{Hit, Place, Site, Whole, address, check_read, resolve, sync_key, whole};
use super::block::Env;
use super::call::set;
use super::grid::Launch;
use super::race::Racer;
use super::warp::Warp;
use crate::ir::Mem;
use crate::lanes::{Lanes, WARP, lanes_of};
use crate::memory::{Alloc, Touch, nibbles};
use crate::report::Access;
use std::sync::PoisonError;

/// The words of one lane.
type Words = [u32; 4];

/// The addresses of all lanes.
fn addresses(l: &Launch<'_>, w: &Warp, base: u32, mem: &Mem) -> Lanes {
    let mut all = *l.operand(&w.regs, base, mem.addr.base);
    all.iter_mut().for_each(|a| *a = address(&mem.addr, *a));
    all
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
    let bytes = mem.ty.bytes() * u32::from(mem.n);
    let site = Site { space: mem.addr.space, access: Access::Read, bytes, line };
    let addresses = addresses(l, w, base, mem);
    let mut at = addresses;
    let mut out = [[0u64; WARP]; 4];
    let touch = if mem.nc { Touch::ReadNc } else { Touch::Read };
    let mut racer = Racer::new(l, touch, mem.strong, line);
    let fast = if mem.strong { None } else { whole(l, env, w, site, &mut at, mask) };
    if let Some(memory) = fast {
        if l.checks.uninitialised || l.checks.races {
            for lane in lanes_of(mask) {
                let h = Hit { lane, address: addresses[lane], place: memory.place(at[lane]) };
                check_read(l, env, w, site, h)?;
                racer.touch(l, env, w, site, h)?;
            }
        }
        let shift = if bytes < 4 { 3 } else { 0 };
        let mut each = |word: &dyn Fn(usize, u64) -> u32| {
            for lane in lanes_of(mask) {
                let mut words: Words = [0; 4];
                for (i, v) in words[..bytes.div_ceil(4) as usize].iter_mut().enumerate() {
                    *v = word(lane, at[lane] / 4 + i as u64);
                }
                words[0] >>= 8 * (at[lane] & shift);
                spread_out(mem, &words, lane, &mut out);
            }
        };
        match memory {
            Whole::Global(a) => each(&|_, i| a.load(i)),
            Whole::Shared => each(&|_, i| env.shared.load(i)),
            Whole::Local => each(&|lane, i| w.local.load(lane, i)),
        }
    } else {
        for lane in lanes_of(mask) {
            let h = resolve(l, env, w, site, at[lane], lane)?;
            check_read(l, env, w, site, h)?;
            racer.touch(l, env, w, site, h)?;
            let words = read(l, env, w, h, bytes, mem.strong);
            spread_out(mem, &words, lane, &mut out);
            if mem.strong && l.checks.races {
                let key = sync_key(env, h);
                env.clocks.take_up(w.index, env.number, key, &l.sync);
            }
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

/// The elements of a lane from its words.
#[inline(always)]
fn spread_out(mem: &Mem, words: &Words, lane: usize, out: &mut [Lanes; 4]) {
    let size = mem.ty.bytes() as usize;
    for (i, out) in out[..usize::from(mem.n)].iter_mut().enumerate() {
        out[lane] = match size {
            8 => u64::from(words[(2 * i) & 3]) | u64::from(words[(2 * i + 1) & 3]) << 32,
            4 => u64::from(words[i]),
            _ => {
                let at = i * size;
                (u64::from(words[(at / 4) & 3]) >> (8 * (at % 4))) & mem.ty.mask()
            }
        };
    }
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
    let bytes = mem.ty.bytes() * u32::from(mem.n);
    let site = Site { space: mem.addr.space, access: Access::Write, bytes, line };
    let addresses = addresses(l, w, base, mem);
    let mut at = addresses;
    if mem.release {
        env.clocks.fence(w.index);
    }
    let mut racer = Racer::new(l, Touch::Write, mem.strong, line);
    let fast = if mem.strong { None } else { whole(l, env, w, site, &mut at, mask) };
    if let Some(memory) = fast {
        for lane in lanes_of(mask) {
            let h = Hit { lane, address: addresses[lane], place: memory.place(at[lane]) };
            racer.touch(l, env, w, site, h)?;
            let words = gather(l, w, base, mem, lane);
            write(l, env, w, h, bytes, words, false);
        }
        return Ok(());
    }
    for lane in lanes_of(mask) {
        let h = resolve(l, env, w, site, at[lane], lane)?;
        racer.touch(l, env, w, site, h)?;
        if mem.strong && l.checks.races {
            let key = sync_key(env, h);
            env.clocks.publish(w.index, env.number, key, &l.sync);
        }
        let words = gather(l, w, base, mem, lane);
        write(l, env, w, h, bytes, words, mem.strong);
    }
    Ok(())
}

/// The words that a lane stores.
#[inline(always)]
fn gather(l: &Launch<'_>, w: &Warp, base: u32, mem: &Mem, lane: usize) -> Words {
    let size = mem.ty.bytes() as usize;
    let mut words = [0u32; 4];
    for (i, &reg) in mem.regs[..usize::from(mem.n)].iter().enumerate() {
        let v = l.operand(&w.regs, base, reg)[lane];
        match size {
            8 => {
                words[(2 * i) & 3] = v as u32;
                words[(2 * i + 1) & 3] = (v >> 32) as u32;
            }
            4 => words[i] = v as u32,
            _ => {
                let at = i * size;
                words[(at / 4) & 3] |= ((v & mem.ty.mask()) as u32) << (8 * (at % 4));
            }
        }
    }
    words
}

/// Reads up to 16 bytes; fewer than four come shifted down.
#[inline]
fn read(l: &Launch<'_>, env: &Env, w: &Warp, h: Hit<'_>, bytes: u32, strong: bool) -> Words {
    let mut words = [0; 4];
    let n = bytes.div_ceil(4) as usize;
    let at = match h.place {
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
                *word = w.local.load(h.lane, at / 4 + i as u64);
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
fn write(
    l: &Launch<'_>,
    env: &mut Env,
    w: &mut Warp,
    h: Hit<'_>,
    bytes: u32,
    mut words: Words,
    strong: bool,
) {
    let (Place::Global(_, at) | Place::Shared(at) | Place::Local(at) | Place::Param(at)) = h.place;
    if bytes < 4 {
        words[0] <<= 8 * (at % 4);
    }
    match h.place {
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
                w.local.store(h.lane, word, value, nibble);
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
