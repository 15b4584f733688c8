//! The library's interlock on loom's threads and locks, for models that run in every order.

/// Of the library; its sources know nothing of loom.
#[path = "../../../host/pipeline"]
pub mod pipeline {
    pub mod interlock;
    mod monitor;
    pub mod stop;
    mod sync {
        pub(super) use loom::sync::{Arc, Condvar, Mutex, MutexGuard};
    }
}
