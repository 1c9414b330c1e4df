//! The macro by which intrinsics become safe.

/// An intrinsic, called by the method of a vector: the one place that says why this is sound.
macro_rules! intrinsic {
    ($call:expr) => {{
        // SAFETY: the method has a token of the instruction set, in a vector or as an argument, or is a
        // helper, private to the set's module, of methods that have; and a token exists only if the CPU
        // has the instructions. Pointers come from slices whose length was checked just before, and indices
        // into tables were cut just before to what an array of that size holds.
        #[allow(unused_unsafe, reason = "some of these have become safe functions")]
        unsafe {
            $call
        }
    }};
}
pub(crate) use intrinsic;
