//! Known packets of protocols.

use crate::reader::File;

/// A packet of ESP.
#[derive(Clone, Debug)]
pub struct EspCase {
    /// Source and place in it, such as `RFC 3602 4 case 5`.
    pub name: String,
    /// The algorithms: `aes-cbc-hmac-sha1-96`, `aes-cbc-hmac-sha256-128`, the same with `ctr`, or `aes-gcm`.
    pub suite: String,
    /// The key of AES, followed in counter mode and in GCM by the four bytes of nonce or salt.
    pub key: Vec<u8>,
    /// The key to authenticate with, empty in GCM.
    pub authentication_key: Vec<u8>,
    /// The number of the association.
    pub spi: u32,
    /// The sequence number.
    pub sequence: u64,
    /// True if sequence numbers have 64 bits.
    pub extended: bool,
    /// The text, with its padding.
    pub text: Vec<u8>,
    /// The packet, in some cases without its tag.
    pub packet: Vec<u8>,
}

/// A packet of QUIC.
#[derive(Clone, Debug)]
pub struct QuicCase {
    /// Source and place in it, such as `RFC 9001 A.2`.
    pub name: String,
    /// The key of AES-GCM.
    pub key: Vec<u8>,
    /// The vector that belongs to the key.
    pub iv: Vec<u8>,
    /// The key to protect headers with.
    pub header_key: Vec<u8>,
    /// The full packet number.
    pub number: u32,
    /// The header in clear, with the packet number at its end.
    pub header: Vec<u8>,
    /// The payload.
    pub payload: Vec<u8>,
    /// The packet.
    pub packet: Vec<u8>,
    /// The mask of its sample.
    pub mask: Vec<u8>,
}

/// Packets of ESP, in all of its modes: 11.
///
/// ```
/// assert!(abreast_vectors::esp().iter().any(|case| case.extended && case.suite == "aes-gcm"));
/// ```
pub fn esp() -> Vec<EspCase> {
    File::embedded("esp.txt", include_str!("../data/esp.txt")).cases(|case| {
        let sequence = case.bytes("Sequence");
        EspCase {
            name: case.text("Name"),
            suite: case.text("Suite"),
            key: case.bytes("Key"),
            authentication_key: case.bytes("AuthenticationKey"),
            spi: big_endian(&case.bytes("SPI")) as u32,
            sequence: big_endian(&sequence),
            extended: sequence.len() == 8,
            text: case.bytes("Text"),
            packet: case.bytes("Packet"),
        }
    })
}

/// Packets of QUIC: 2.
///
/// ```
/// assert!(abreast_vectors::quic().iter().all(|case| case.mask.len() == 5));
/// ```
pub fn quic() -> Vec<QuicCase> {
    File::embedded("quic.txt", include_str!("../data/quic.txt")).cases(|case| QuicCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        iv: case.bytes("IV"),
        header_key: case.bytes("HeaderKey"),
        number: case.number("Number"),
        header: case.bytes("Header"),
        payload: case.bytes("Payload"),
        packet: case.bytes("Packet"),
        mask: case.bytes("Mask"),
    })
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
