//! Slow, specification-shaped ciphers and modes: what the fast code is tested against.
