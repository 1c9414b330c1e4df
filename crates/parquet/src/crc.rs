//! The checksum that page headers may have: CRC-32 of the page as it is stored.
//!
//! There is no table, because pages in clear are secret.

/// The polynomial of gzip, with the lowest power at the top.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// Returns the checksum of bytes.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (POLYNOMIAL & (crc & 1).wrapping_neg()))
    })
}

#[cfg(test)]
#[test]
fn check_value() {
    assert_eq!((crc32(b"123456789"), crc32(b"")), (0xcbf4_3926, 0));
}
