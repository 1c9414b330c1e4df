//! Vectors and instruction sets.
