//! The shared library as a loader puts it into memory: its segments, with the addresses in them made right. Functions of other
//! libraries get addresses where nothing lies, by which a call of one is known.

use std::collections::HashMap;

use object::elf::{
    PF_W, R_X86_64_64, R_X86_64_DTPMOD64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE,
};
use object::{
    File, Object as _, ObjectSegment as _, ObjectSymbol as _, RelocationFlags, RelocationTarget, SegmentFlags,
};

use super::memory::{Region, Rights};

/// The address at which the library begins.
const BASE: u64 = 0x7000_0000_0000;
/// The addresses of functions of other libraries begin here.
const FOREIGN: u64 = 0x6000_0000_0000;

/// A library in memory.
pub(crate) struct Image {
    /// The segments, with the rights that they have.
    pub(crate) regions: Vec<Region>,
    functions: HashMap<String, u64>,
    foreign: Vec<String>,
    /// For each segment its address, its bytes in the file, and where they begin there.
    in_the_file: Vec<(u64, u64, u64)>,
}

impl Image {
    /// Loads a library from its bytes.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let file = File::parse(bytes).map_err(|error| error.to_string())?;
        let mut segments: Vec<(u64, Vec<u8>, Rights)> = Vec::new();
        let mut in_the_file = Vec::new();
        for segment in file.segments() {
            let mut data = segment.data().map_err(|error| error.to_string())?.to_vec();
            data.resize(segment.size() as usize, 0);
            let (place, len) = segment.file_range();
            in_the_file.push((BASE + segment.address(), len, place));
            let writable = matches!(segment.flags(), SegmentFlags::Elf { p_flags } if p_flags & PF_W != 0);
            segments.push((segment.address(), data, if writable { Rights::Write } else { Rights::Read }));
        }
        let names: Vec<(String, u64)> = file
            .dynamic_symbols()
            .map(|symbol| (symbol.name().unwrap_or_default().to_owned(), symbol.address()))
            .collect();
        let mut foreign = Vec::new();
        let relocations = file.dynamic_relocations().ok_or("no relocations")?;
        for (place, relocation) in relocations {
            let RelocationFlags::Elf { r_type } = relocation.flags() else {
                return Err("no relocations of ELF".to_owned());
            };
            let symbol = match relocation.target() {
                RelocationTarget::Symbol(index) => names.get(index.0.wrapping_sub(1)),
                _ => None,
            };
            let value = match r_type {
                R_X86_64_RELATIVE => BASE.wrapping_add_signed(relocation.addend()),
                R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT | R_X86_64_64 => match symbol {
                    Some((_, address)) if *address != 0 => BASE + address,
                    Some((name, _)) => {
                        foreign.push(name.clone());
                        FOREIGN + 16 * (foreign.len() as u64 - 1)
                    }
                    None => return Err("a relocation without a symbol".to_owned()),
                },
                R_X86_64_DTPMOD64 => 1,
                other => return Err(format!("a relocation of kind {other}, which nobody here knows")),
            };
            let holds = |it: &&mut (u64, Vec<u8>, Rights)| (it.0..it.0 + it.1.len() as u64).contains(&place);
            let (start, data, _) = segments.iter_mut().find(holds).ok_or("a relocation of nothing")?;
            let at = (place - *start) as usize;
            data[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        let regions = segments.into_iter().map(|(start, data, rights)| Region {
            name: "the library".to_owned(),
            start: BASE + start,
            bytes: data.into(),
            rights,
        });
        let functions = names.into_iter().filter(|(_, address)| *address != 0);
        let functions = functions.map(|(name, address)| (name, BASE + address)).collect();
        Ok(Self { regions: regions.collect(), functions, foreign, in_the_file })
    }

    /// The address of a function of the library.
    ///
    /// # Panics
    /// If there is no such function.
    pub(crate) fn function(&self, name: &str) -> u64 {
        *self.functions.get(name).unwrap_or_else(|| panic!("the library has no function {name}"))
    }

    /// The name of the function of another library that an address stands for.
    pub(crate) fn foreign(&self, address: u64) -> Option<&str> {
        let off = address.checked_sub(FOREIGN)?;
        self.foreign.get((off / 16) as usize).map(String::as_str)
    }

    /// The place in the file of the byte at an address.
    pub(crate) fn in_the_file(&self, address: u64) -> Option<usize> {
        let segment =
            self.in_the_file.iter().find(|(start, len, _)| (*start..start + len).contains(&address));
        segment.map(|(start, _, place)| (address - start + place) as usize)
    }

    /// The bytes at an address before anything has run.
    pub(crate) fn bytes(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.regions.iter().find_map(|region| {
            let from = address.checked_sub(region.start)? as usize;
            region.bytes.get(from..)?.get(..len)
        })
    }

    /// An address as it stands in the file, for messages.
    pub(crate) fn in_file(address: u64) -> u64 {
        address.wrapping_sub(BASE)
    }
}
