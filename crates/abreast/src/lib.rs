//! Symmetric encryption of many blocks, messages and keys side by side.
