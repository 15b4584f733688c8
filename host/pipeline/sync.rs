//! What threads share, and wait with. The models (tests/models) have loom's in its place.

pub(super) use std::sync::{Arc, Condvar, Mutex, MutexGuard};
