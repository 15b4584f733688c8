//! The target `public`.

use warpfield::formats::json::{public_to_json, read_public};

use super::read;

/// `public.json`: reads it, and writes and reads it again.
pub fn public(bytes: &[u8]) -> bool {
    let Some(signals) = read(bytes, read_public) else { return false };
    let json = public_to_json(&signals);
    assert_eq!(read(json.as_bytes(), read_public), Some(signals));
    true
}
