//! From text to declarations and raw statements.

pub(crate) mod ast;
mod body;
mod lex;
mod parse;
mod signature;
pub(crate) mod types;
mod var;

pub(crate) use parse::parse;
