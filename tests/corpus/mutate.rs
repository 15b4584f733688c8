//! Deterministic damage to files.

use rand_chacha::ChaCha20Rng;
use rand_core::RngCore;

use super::support::{patched, sections, with_sections};

/// Lengths and counts that overflow where they are added to or multiplied.
const WILD: [u64; 8] =
    [u64::MAX, u64::MAX - 11, 1 << 63, u64::MAX / 32 + 1, 1 << 40, u32::MAX as u64, 1 << 31, 0];

/// Every section of a container cut, with wild lengths, missing, twice and in another's place.
/// Nothing where the bytes are no whole container.
pub fn sections_damaged(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut out = vec![];
    let Some(sections) = whole(bytes) else { return out };
    let ids: Vec<u32> = sections.iter().map(|(id, ..)| *id).collect();
    for (index, &(id, start, length)) in sections.iter().enumerate() {
        for end in [start - 12, start - 8, start, start + length / 2, start + length] {
            out.push(bytes[..end].to_vec());
        }
        for wild in WILD {
            out.push(patched(bytes, start - 8, &wild.to_le_bytes()));
            // What stands first in a section is often a count.
            if length >= 8 {
                out.push(patched(bytes, start, &wild.to_le_bytes()));
                out.push(patched(bytes, start, &(wild as u32).to_le_bytes()));
            }
        }
        let mut order = ids.clone();
        order.remove(index);
        out.push(with_sections(bytes, &order));
        order.extend([id, id]);
        out.push(with_sections(bytes, &order));
        // The content of the next section under this one's number.
        let (next, ..) = sections[(index + 1) % sections.len()];
        let renamed = patched(bytes, start - 12, &next.to_le_bytes());
        out.push(renamed.clone());
        let next_start = sections[(index + 1) % sections.len()].1;
        out.push(patched(&renamed, next_start - 12, &id.to_le_bytes()));
    }
    out
}

/// The sections, if each is there once and they make up the bytes.
fn whole(bytes: &[u8]) -> Option<Vec<(u32, usize, usize)>> {
    let mut position = 12;
    let mut ids = vec![];
    while position < bytes.len() {
        let head = bytes.get(position..position + 12)?;
        ids.push(u32::from_le_bytes(*head.first_chunk()?));
        let length = u64::from_le_bytes(*head.last_chunk()?);
        position = usize::try_from(length).ok()?.checked_add(position + 12)?;
    }
    ids.sort_unstable();
    let once = ids.windows(2).all(|pair| pair[0] < pair[1]);
    (once && position == bytes.len()).then(|| sections(bytes))
}

/// One to four random changes, of which some take parts of another file.
pub fn mutated(rng: &mut ChaCha20Rng, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..1 + below(rng, 4) {
        change(rng, &mut out, other);
    }
    out
}

fn change(rng: &mut ChaCha20Rng, out: &mut Vec<u8>, other: &[u8]) {
    if out.is_empty() {
        out.extend_from_slice(other);
    }
    let at = place(rng, out.len());
    match below(rng, 9) {
        0 => out[at] ^= 1 << below(rng, 8),
        1 => out[at] = rng.next_u32() as u8,
        2 => out.truncate(at),
        3 => overwrite(out, at, &WILD[below(rng, WILD.len())].to_le_bytes()),
        4 => overwrite(out, at, &(WILD[below(rng, WILD.len())] as u32).to_le_bytes()),
        5 => overwrite(out, at, &rng.next_u32().to_be_bytes()[..1 + below(rng, 4)]),
        // Parts of the file itself and of another, in place and in between.
        6 => {
            let part = part(rng, out);
            overwrite(out, at, &part);
        }
        7 => {
            let part = if below(rng, 2) == 0 { part(rng, out) } else { part(rng, other) };
            out.splice(at..at, part);
        }
        _ => {
            let end = (at + part(rng, out).len()).min(out.len());
            out.drain(at..end);
        }
    }
}

fn overwrite(out: &mut [u8], at: usize, new: &[u8]) {
    let length = new.len().min(out.len() - at);
    out[at..at + length].copy_from_slice(&new[..length]);
}

/// A part of the bytes, often as long as a value or a point.
fn part(rng: &mut ChaCha20Rng, bytes: &[u8]) -> Vec<u8> {
    let start = place(rng, bytes.len());
    let length = [1, 4, 12, 32, 36, 44, 48, 96, 192, bytes.len()][below(rng, 10)];
    bytes[start..(start + length).min(bytes.len())].to_vec()
}

/// An offset, often one at which a word can begin.
fn place(rng: &mut ChaCha20Rng, length: usize) -> usize {
    let at = below(rng, length.max(1));
    if below(rng, 2) == 0 { at } else { at & !3 }
}

fn below(rng: &mut ChaCha20Rng, bound: usize) -> usize {
    rng.next_u32() as usize % bound
}
