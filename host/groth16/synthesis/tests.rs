//! The synthesis of circuits, and keys for it.
