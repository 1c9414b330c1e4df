//! The common parts of all steps of the ladder: the state, and the key schedule by the book.

/// Bytes of the keys of this ladder.
pub const KEY: usize = 16;

/// A key.
pub type Key = [u8; KEY];

/// An element of the table of RC4: a byte, or a byte in a wider word.
pub trait Element: Copy + From<u8> + 'static {
    /// The byte.
    fn byte(self) -> u8;
}

impl Element for u8 {
    #[inline(always)]
    fn byte(self) -> u8 {
        self
    }
}

impl Element for u32 {
    #[inline(always)]
    fn byte(self) -> u8 {
        self as u8
    }
}

/// RC4 between two bytes of its keystream.
#[derive(Clone, Copy, Debug)]
pub struct State<T> {
    /// The table, a permutation of all bytes.
    pub s: [T; 256],
    /// The index that goes from element to element.
    pub i: u8,
    /// The index that goes about at random.
    pub j: u8,
}

impl<T: Element> State<T> {
    /// The state that key schedules begin with: each element is its own index.
    #[inline(always)]
    pub(super) fn first() -> Self {
        let mut s = [T::from(0); 256];
        for (i, s) in s.iter_mut().enumerate() {
            *s = T::from(i as u8);
        }
        Self { s, i: 0, j: 0 }
    }
}

/// The key schedule by the book.
pub(super) fn schedule<T: Element>([key]: &[Key; 1]) -> [State<T>; 1] {
    let mut state = State::first();
    let s: &mut [T; 256] = &mut state.s;
    let mut j = 0_u8;
    for (i, key) in (0..256).zip(key.iter().cycle()) {
        j = j.wrapping_add(s[i].byte()).wrapping_add(*key);
        s.swap(i, usize::from(j));
    }
    [state]
}
