//! Several messages that are processed side by side: where each is read and written. Up to the length of the shortest,
//! one bounds check serves all of them.
//!
//! With slices, each message would be checked at every step, which for short steps is more work than the step itself.

use core::marker::PhantomData;
use inout::InOutBuf;

/// Up to `L` messages, of which each is changed where it is, or from one buffer to another, or only read.
///
/// Lanes beyond the last message are the first one again, so that there is something to read in all of them. What
/// comes of it is not to be written.
///
/// ```
/// use abreast_simd::lines::Lines;
///
/// let (mut one, mut other) = (*b"one message", *b"another");
/// let mut lines = Lines::<4>::new();
/// lines.push(one.as_mut_slice().into());
/// lines.push(other.as_mut_slice().into());
/// assert_eq!((lines.used(), lines.common()), (2, 7));
/// for at in (0..lines.common() - 3).step_by(4) {
///     let used = lines.used();
///     let mut parts = lines.parts_mut::<4>(at);
///     for lane in 0..used {
///         let [a, b, c, d] = *parts.input(lane);
///         *parts.output(lane) = [d, c, b, a];
///     }
/// }
/// assert_eq!((&one, &other), (b" enomessage", b"tonaher"));
/// ```
pub struct Lines<'a, const L: usize> {
    from: [*const u8; L],
    to: [*mut u8; L],
    lens: [usize; L],
    used: usize,
    common: usize,
    writable: bool,
    borrows: PhantomData<InOutBuf<'a, 'a, u8>>,
}

impl<'a, const L: usize> Lines<'a, L> {
    /// Creates the lines of no message yet.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        let empty: &mut [u8] = &mut [];
        Self {
            from: [empty.as_ptr(); L],
            to: [empty.as_mut_ptr(); L],
            lens: [0; L],
            used: 0,
            common: 0,
            writable: true,
            borrows: PhantomData,
        }
    }

    /// Adds a message that is to be changed, where it is or from one buffer to another.
    ///
    /// ```
    /// use abreast_simd::lines::Lines;
    /// use inout::InOutBuf;
    ///
    /// let (input, mut output, mut in_place) = (*b"abcd", [0; 4], *b"efgh");
    /// let mut lines = Lines::<2>::new();
    /// lines.push(InOutBuf::new(&input, &mut output).unwrap());
    /// lines.push(in_place.as_mut_slice().into());
    /// let mut parts = lines.parts_mut::<4>(0);
    /// for lane in 0..2 {
    ///     *parts.output(lane) = parts.input(lane).map(|letter| letter.to_ascii_uppercase());
    /// }
    /// assert_eq!((&output, &in_place), (b"ABCD", b"EFGH"));
    /// ```
    ///
    /// # Panics
    /// If there are `L` already.
    #[inline(always)]
    pub fn push(&mut self, buffer: InOutBuf<'a, 'a, u8>) {
        let len = buffer.len();
        let (from, to) = buffer.into_raw();
        self.add(from, to, len);
    }

    /// Adds a message that is only read. After that, none can be changed.
    ///
    /// ```
    /// use abreast_simd::lines::Lines;
    ///
    /// let mut lines = Lines::<4>::new();
    /// lines.push_source(b"0123456789");
    /// lines.push_source(b"abcdef");
    /// let parts = lines.parts::<4>(2);
    /// assert_eq!((parts.get(0), parts.get(1)), (b"2345", b"cdef"));
    /// // Lanes without a message read the first.
    /// assert_eq!((parts.get(2), parts.get(3)), (b"2345", b"2345"));
    /// ```
    ///
    /// # Panics
    /// If there are `L` already.
    #[inline(always)]
    pub fn push_source(&mut self, source: &'a [u8]) {
        self.writable = false;
        self.add(source.as_ptr(), [].as_mut_ptr(), source.len());
    }

    #[inline(always)]
    fn add(&mut self, from: *const u8, to: *mut u8, len: usize) {
        if self.used == 0 {
            (self.from, self.to, self.lens, self.common) = ([from; L], [to; L], [len; L], len);
        } else {
            let lane = self.used;
            (self.from[lane], self.to[lane], self.lens[lane]) = (from, to, len);
            self.common = self.common.min(len);
        }
        self.used += 1;
    }

    /// Returns the number of messages.
    #[inline(always)]
    #[must_use]
    pub fn used(&self) -> usize {
        self.used
    }

    /// Returns the number of bytes that every message has: the length of the shortest, or 0 if there is no message.
    ///
    /// ```
    /// use abreast_simd::lines::Lines;
    ///
    /// let mut lines = Lines::<2>::new();
    /// assert_eq!(lines.common(), 0);
    /// lines.push_source(b"0123456789");
    /// assert_eq!(lines.common(), 10);
    /// lines.push_source(b"abcdef");
    /// assert_eq!(lines.common(), 6);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn common(&self) -> usize {
        self.common
    }

    /// Returns all that is read of a message, also beyond the end of shorter ones.
    ///
    /// ```
    /// use abreast_simd::lines::Lines;
    ///
    /// let mut lines = Lines::<2>::new();
    /// lines.push_source(b"0123456789");
    /// lines.push_source(b"abcdef");
    /// assert_eq!(&lines.input(0)[lines.common()..], b"6789");
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn input(&self, lane: usize) -> &[u8] {
        // SAFETY: the pointer and the length are those of a borrow that this value holds, and nothing can be
        // written while the result is there.
        unsafe { core::slice::from_raw_parts(self.from[lane], self.lens[lane]) }
    }

    /// Returns all that is written of a message, also beyond the end of shorter ones.
    ///
    /// ```
    /// use abreast_simd::lines::Lines;
    ///
    /// let (mut long, mut short) = (*b"0123456789", *b"abcdef");
    /// let mut lines = Lines::<2>::new();
    /// lines.push(long.as_mut_slice().into());
    /// lines.push(short.as_mut_slice().into());
    /// let common = lines.common();
    /// lines.output(0)[common..].fill(b'-');
    /// assert_eq!(&long, b"012345----");
    /// ```
    ///
    /// # Panics
    /// If messages can only be read.
    #[inline(always)]
    pub fn output(&mut self, lane: usize) -> &mut [u8] {
        assert!(self.writable);
        // SAFETY: as in `input`, of a borrow that may write, through which there is no other reference.
        unsafe { core::slice::from_raw_parts_mut(self.to[lane], self.lens[lane]) }
    }

    /// Returns `N` bytes of each message, from byte `at` on; see [`push_source`](Self::push_source).
    ///
    /// # Panics
    /// If not every message has them.
    #[inline(always)]
    #[must_use]
    pub fn parts<const N: usize>(&self, at: usize) -> Parts<'_, 'a, L, N> {
        assert!(at <= self.common && N <= self.common - at);
        Parts { lines: self, at }
    }

    /// Returns the places of `N` bytes of each message, from byte `at` on; see [`push`](Self::push).
    ///
    /// # Panics
    /// If not every message has them, or messages can only be read.
    #[inline(always)]
    pub fn parts_mut<const N: usize>(&mut self, at: usize) -> PartsMut<'_, 'a, L, N> {
        assert!(self.writable && at <= self.common && N <= self.common - at);
        PartsMut { lines: self, at }
    }
}

/// `N` bytes of each message, which all have them.
///
/// ```
/// use abreast_simd::lines::Lines;
///
/// let (one, other) = (*b"0123456789", *b"abcdefgh");
/// let mut lines = Lines::<2>::new();
/// lines.push_source(&one);
/// lines.push_source(&other);
/// let mut side_by_side: Vec<&[u8; 4]> = vec![];
/// for at in (0..lines.common()).step_by(4) {
///     let parts = lines.parts::<4>(at);
///     side_by_side.extend([parts.get(0), parts.get(1)]);
/// }
/// assert_eq!(side_by_side, [b"0123", b"abcd", b"4567", b"efgh"]);
/// ```
pub struct Parts<'l, 'a, const L: usize, const N: usize> {
    lines: &'l Lines<'a, L>,
    at: usize,
}

impl<'l, const L: usize, const N: usize> Parts<'l, '_, L, N> {
    /// Returns the bytes of one message.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, lane: usize) -> &'l [u8; N] {
        // SAFETY: as in `Lines::input`, since `lines` is borrowed for as long as the result is there; the message
        // has no fewer bytes than all have in common.
        unsafe { &*self.lines.from[lane].add(self.at).cast() }
    }
}

/// Places of `N` bytes of each message, which all have them.
///
/// ```
/// use abreast_simd::lines::{Lines, PartsMut};
///
/// /// Exchanges the halves of every block.
/// fn swap_halves<const L: usize>(mut blocks: PartsMut<'_, '_, L, 16>, used: usize) {
///     for lane in 0..used {
///         let block = u128::from_le_bytes(*blocks.input(lane));
///         *blocks.output(lane) = block.rotate_left(64).to_le_bytes();
///     }
/// }
///
/// let mut block = *b"low halfhighhalf";
/// let mut lines = Lines::<4>::new();
/// lines.push(block.as_mut_slice().into());
/// swap_halves(lines.parts_mut(0), 1);
/// assert_eq!(&block, b"highhalflow half");
/// ```
pub struct PartsMut<'l, 'a, const L: usize, const N: usize> {
    lines: &'l mut Lines<'a, L>,
    at: usize,
}

impl<const L: usize, const N: usize> PartsMut<'_, '_, L, N> {
    /// Returns the bytes of one message that are to be changed.
    #[inline(always)]
    #[must_use]
    pub fn input(&self, lane: usize) -> &[u8; N] {
        Parts { lines: self.lines, at: self.at }.get(lane)
    }

    /// Returns the place of the output of one message.
    #[inline(always)]
    #[must_use]
    pub fn output(&mut self, lane: usize) -> &mut [u8; N] {
        // SAFETY: as in `Lines::output`; the message has no fewer bytes than all have in common.
        unsafe { &mut *self.lines.to[lane].add(self.at).cast() }
    }
}

impl<const L: usize> Default for Lines<'_, L> {
    fn default() -> Self {
        Self::new()
    }
}
