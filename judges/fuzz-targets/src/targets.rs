//! The table of the targets, by their names.

use crate::capi;
use crate::{
    aez, byte_range, cgo, columns, ctr_seek, frames, game_frame, hmac, key_file, key_wrap, packets,
    packets_aez, padding, parquet, passphrase_line, pieces, plan, raw_args, rc4, sealed_bytes,
    sealed_changes, sealers, whole_packets,
};

/// A target: any bytes go in, and a panic is a fault.
pub type Target = fn(&[u8]);

/// Every target by its name, which is that of its corpus too.
pub const TARGETS: [(&str, Target); 25] = [
    ("aez", aez::run),
    ("byte_range", byte_range::run),
    ("capi_handles", capi::handles::run),
    ("capi_packets", capi::packets::run),
    ("cgo", cgo::run),
    ("columns", columns::run),
    ("ctr_seek", ctr_seek::run),
    ("frames", frames::run),
    ("game_frame", game_frame::run),
    ("hmac", hmac::run),
    ("key_file", key_file::run),
    ("key_wrap", key_wrap::run),
    ("packets", packets::run),
    ("packets_aez", packets_aez::run),
    ("padding", padding::run),
    ("parquet", parquet::run),
    ("passphrase_line", passphrase_line::run),
    ("pieces", pieces::run),
    ("plan", plan::run),
    ("raw_args", raw_args::run),
    ("rc4", rc4::run),
    ("sealed_bytes", sealed_bytes::run),
    ("sealed_changes", sealed_changes::run),
    ("sealers", sealers::run),
    ("whole_packets", whole_packets::run),
];

/// Runs the target of a name.
///
/// # Panics
/// If the library is wrong, and if there is no target of that name.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    target.unwrap_or_else(|| panic!("there is no target {name}")).1(data);
}
