//! Patterns of plaintexts, which a search among keys looks for.

/// A pattern of plaintexts: their first bytes, or some bits of these.
///
/// ```
/// use abreast_gpu::Wanted;
///
/// let beginning = Wanted::beginning(b"HTTP/1.");
/// // Four digits: the upper half of each byte is 3.
/// let digits = Wanted::masked(&[0x30; 4], &[0xf0; 4]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'w> {
    text: &'w [u8],
    mask: Option<&'w [u8]>,
}

impl<'w> Wanted<'w> {
    /// Returns the pattern of plaintexts that begin with `text`.
    #[must_use]
    pub fn beginning(text: &'w [u8]) -> Self {
        Self { text, mask: None }
    }

    /// Returns the pattern of plaintexts that begin with `text` in the bits that are ones in `mask`. Beyond the end of the mask
    /// no bit counts.
    #[must_use]
    pub fn masked(text: &'w [u8], mask: &'w [u8]) -> Self {
        Self { text, mask: Some(mask) }
    }

    /// Returns byte `n` of the text and of the mask.
    fn at(&self, n: usize) -> [u8; 2] {
        let mask = self.mask.map_or(0xff, |mask| mask.get(n).copied().unwrap_or(0));
        self.text.get(n).map_or([0, 0], |byte| [*byte, mask])
    }

    /// True if a plaintext matches.
    pub(crate) fn fits(&self, plaintext: &[u8]) -> bool {
        let differs = |(n, byte): (usize, &u8)| {
            let [text, mask] = self.at(n);
            (text ^ byte) & mask
        };
        !self.is_longer_than(plaintext.len()) && plaintext.iter().enumerate().map(differs).all(|it| it == 0)
    }

    /// True if no plaintext of `len` bytes can match.
    pub(crate) fn is_longer_than(&self, len: usize) -> bool {
        (len..self.text.len()).any(|n| self.at(n)[1] != 0)
    }

    /// Writes the text and the mask for a plaintext of some length.
    pub(crate) fn write(&self, texts: &mut [u8], masks: &mut [u8]) {
        for (n, (text, mask)) in texts.iter_mut().zip(masks).enumerate() {
            [*text, *mask] = self.at(n);
        }
    }
}
