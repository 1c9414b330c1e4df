//! Records of TLS in CBC (RFC 5246, section 6.2.3.2): libssl gives the message with its MAC, and leaves the padding to the
//! cipher; on the way back the cipher takes off padding and MAC.

use abreast::modes::Direction;
use abreast::{Error, InOutBuf};
use zeroize::Zeroize as _;

use super::tls_padding::{self, MOST_MAC};
use crate::buffers::Buffers;
use crate::fault::Fault;

/// Versions as libssl numbers them: SSL 3.0, TLS 1.0, and those whose records begin with an explicit vector: TLS 1.1 and 1.2,
/// DTLS 1.0 and 1.2, and DTLS as Cisco had it before there was a standard.
const SSL_3: u64 = 0x300;
const TLS_1: u64 = 0x301;
const WITH_VECTOR: [u64; 5] = [0x302, 0x303, 0xfeff, 0xfefd, 0x100];

/// The parameters that libssl sets for records, and the MAC of the last that was decrypted.
#[derive(Clone)]
pub(crate) struct Records {
    /// 0 where there are none.
    version: u64,
    mac_len: usize,
    mac: [u8; MOST_MAC],
    has_mac: bool,
}

impl Default for Records {
    fn default() -> Self {
        Self { version: 0, mac_len: 0, mac: [0; MOST_MAC], has_mac: false }
    }
}

impl Records {
    /// Is every piece a record?
    pub(super) fn asked(&self) -> bool {
        self.version != 0
    }

    /// SSL 3.0 has padding of another kind, and was given up in 2015 (RFC 7568).
    pub(super) fn set_version(&mut self, version: u64) -> Result<(), Fault> {
        if version == SSL_3 {
            return Err(Fault::Parameter);
        }
        self.version = version;
        Ok(())
    }

    /// Any length is taken, and records with a MAC that is longer than any are refused.
    pub(super) fn set_mac_len(&mut self, len: u64) -> Result<(), Fault> {
        self.mac_len = usize::try_from(len).map_err(|_| Fault::Parameter)?;
        self.has_mac = false;
        Ok(())
    }

    pub(super) fn mac_len(&self) -> usize {
        self.mac_len
    }

    /// The MAC of the last record.
    pub(super) fn mac(&self) -> Option<&[u8]> {
        self.mac.get(..self.mac_len).filter(|_| self.has_mac)
    }

    /// Encrypts or decrypts a record in place, and gives its length, with padding or without padding and MAC.
    pub(super) fn record(
        &mut self,
        direction: Direction,
        block: usize,
        padded: bool,
        buffers: &mut Buffers,
        mut blocks: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<usize, Fault> {
        let len = buffers.len();
        if !buffers.in_place() || !padded {
            return Err(Fault::TlsRecord);
        }
        if direction == Direction::Encrypt {
            let padding = block - len % block;
            let record = buffers.output(len + padding)?;
            record[len..].fill(padding as u8 - 1);
            blocks(record.into())?;
            self.has_mac = false;
            return Ok(len + padding);
        }
        let record = buffers.output(len)?;
        blocks((&mut *record).into())?;
        self.has_mac = false;
        // The explicit vector decrypts to nothing.
        let front = match self.version {
            TLS_1 => 0,
            version if WITH_VECTOR.contains(&version) => block,
            _ => return Err(Fault::TlsRecord),
        };
        let record = record.get_mut(front..).ok_or(Fault::TlsRecord)?;
        self.open(record)
    }

    /// Takes padding and MAC off a record. One with wrong padding gets a wrong MAC, so that libssl finds out about both in
    /// the same way.
    ///
    /// Without a MAC in the record (encrypt-then-MAC: RFC 7366), the record was authentic before it came here, and the padding
    /// is no secret: what is wrong with it is an error.
    fn open(&mut self, record: &[u8]) -> Result<usize, Fault> {
        let mac = self.mac.get_mut(..self.mac_len).ok_or(Fault::TlsRecord)?;
        let (len, good) = tls_padding::remove(record, mac).ok_or(Fault::TlsRecord)?;
        self.has_mac = self.mac_len > 0;
        if self.has_mac || bool::from(good) { Ok(len as usize) } else { Err(Fault::TlsRecord) }
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        self.mac.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(mac_len: usize) -> Records {
        Records { version: 0x303, mac_len, ..Records::default() }
    }

    /// Every length of padding, right and with each of its bytes wrong.
    #[test]
    fn padding_and_mac_come_off() {
        for mac_len in [0, 20, 48] {
            let mac: Vec<u8> = (0..mac_len as u8).map(|byte| byte ^ 0x5a).collect();
            for padding in 0..=255_u8 {
                for message_len in [0, 1, 100, 300] {
                    let message = vec![7; message_len];
                    let mut record = [message.as_slice(), &mac].concat();
                    record.extend(vec![padding; usize::from(padding) + 1]);
                    let mut ours = records(mac_len);
                    assert_eq!(ours.open(&record), Ok(message_len));
                    assert_eq!(ours.mac(), (mac_len > 0).then_some(mac.as_slice()));

                    // A wrong byte before the last, which says how long the padding is.
                    for wrong in [1, usize::from(padding)]
                        .into_iter()
                        .filter(|at| *at > 0 && *at <= usize::from(padding))
                    {
                        let mut spoilt = record.clone();
                        let at = spoilt.len() - 1 - wrong;
                        spoilt[at] ^= 1;
                        if mac_len == 0 {
                            assert_eq!(ours.open(&spoilt), Err(Fault::TlsRecord));
                            continue;
                        }
                        let expected = spoilt[spoilt.len() - mac_len..].iter().map(|byte| !byte);
                        assert_eq!(ours.open(&spoilt), Ok(spoilt.len() - mac_len));
                        assert_eq!(ours.mac(), Some(expected.collect::<Vec<u8>>().as_slice()));
                    }
                }
            }
        }
    }

    #[test]
    fn padding_longer_than_the_record_is_wrong() {
        let mut ours = records(20);
        for len in 21..=276 {
            let record = vec![255; len];
            assert_eq!(ours.open(&record), Ok(if len == 276 { 0 } else { len - 20 }));
        }
        assert_eq!(ours.open(&[0; 20]), Err(Fault::TlsRecord));
        let mut without = records(0);
        for len in 1..=255 {
            assert_eq!(without.open(&vec![255; len]), Err(Fault::TlsRecord));
        }
        assert_eq!(without.open(&[255; 256]), Ok(0));
    }
}
