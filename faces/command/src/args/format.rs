//! The format of sealed files, and the arguments of streams of Apache Iceberg.

use clap::{Args, ValueEnum};
use data_encoding::HEXLOWER_PERMISSIVE;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    /// C2SP chunked encryption, which the other commands are about
    Cobblestone,
    /// Encrypted streams of Apache Iceberg, such as its manifests
    Ags1,
}

/// The format of sealed files.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// The format of the sealed files. ags1 takes -k or --key-command with a key of 16, 24 or 32 raw bytes, or a key line for AES
    #[arg(long, value_name = "FORMAT", default_value = "cobblestone")]
    pub format: FileFormat,
    /// With --format ags1, the AAD prefix in hexadecimal, which Iceberg keeps in the key metadata of the file
    #[arg(long, value_name = "HEX", value_parser = parse_prefix)]
    pub aad_prefix: Option<Prefix>,
}

/// An AAD prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefix(pub Vec<u8>);

/// The trusted length of a stream.
#[derive(Debug, Args)]
pub struct LengthArgs {
    /// With --format ags1, the length of the sealed file in bytes, from a trusted place such as Iceberg's key metadata. Without
    /// it a file that was cut off between two blocks opens, with a warning
    #[arg(long, value_name = "N")]
    pub sealed_length: Option<u64>,
}

/// Parses an AAD prefix.
fn parse_prefix(given: &str) -> Result<Prefix, &'static str> {
    let bytes = HEXLOWER_PERMISSIVE.decode(given.as_bytes());
    bytes.map(Prefix).map_err(|_| "an AAD prefix is an even number of hexadecimal digits")
}
