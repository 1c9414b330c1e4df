//! Known answers, and the reader for them.
