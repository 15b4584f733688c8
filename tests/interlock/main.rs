//! The interlock and what stops its waiters, on threads of the system. All orders of threads are tried in
//! tests/models, without time.

mod admission;
mod data;
mod order;
mod stop;
mod stopped;
mod strategies;
mod stress;
mod support;
mod unwinding;
