//! Memory: places that an address may be in, each with the right to be read or written. Any other access is an error, so a load
//! or a store beside a buffer fails the proof.

use std::collections::HashMap;
use std::sync::Arc;

use super::Failure;
use crate::forms::{Bit, ONE, Word, ZERO, constant};

/// The accesses that are allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rights {
    /// None at this time.
    None,
    /// Loads.
    Read,
    /// Loads and stores.
    Write,
}

/// A place in memory.
#[derive(Clone)]
pub(crate) struct Region {
    /// Named in messages.
    pub(crate) name: String,
    /// The first address.
    pub(crate) start: u64,
    /// The bytes that it begins with.
    pub(crate) bytes: Arc<[u8]>,
    /// The accesses that are allowed.
    pub(crate) rights: Rights,
}

impl Region {
    fn has(&self, address: u64, len: usize) -> bool {
        let end = self.start + self.bytes.len() as u64;
        self.start <= address && address.checked_add(len as u64).is_some_and(|it| it <= end)
    }
}

/// All of it.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    regions: Vec<Region>,
    /// Bytes that differ from those that the region begins with.
    written: HashMap<u64, [Bit; 8], std::hash::BuildHasherDefault<crate::forms::Fast>>,
}

impl Memory {
    /// Adds a place that is apart from the others.
    ///
    /// # Panics
    /// If it is not.
    pub(crate) fn add(&mut self, region: Region) {
        let place = self.regions.partition_point(|it| it.start < region.start);
        let before = place.checked_sub(1).map(|i| &self.regions[i]);
        assert!(before.is_none_or(|it| it.start + it.bytes.len() as u64 <= region.start));
        let end = region.start + region.bytes.len() as u64;
        assert!(self.regions.get(place).is_none_or(|it| end <= it.start));
        self.regions.insert(place, region);
    }

    /// Changes the rights of a place, by its first address.
    pub(crate) fn allow(&mut self, start: u64, rights: Rights) {
        let mut wanted = self.regions.iter_mut().filter(|region| region.start == start);
        wanted.next().expect("a place in memory").rights = rights;
    }

    /// Lets nothing be written but the place with this first address.
    pub(crate) fn protect_all_but(&mut self, start: u64) {
        let others = self.regions.iter_mut().filter(|region| region.start != start);
        others
            .filter(|region| region.rights == Rights::Write)
            .for_each(|region| region.rights = Rights::Read);
    }

    fn region(&self, address: u64, len: usize, wanted: Rights) -> Result<&Region, Failure> {
        let place = self.regions.partition_point(|it| it.start <= address);
        let region = place.checked_sub(1).map(|i| &self.regions[i]);
        let verb = if wanted == Rights::Write { "writes" } else { "reads" };
        let Some(region) = region.filter(|region| region.has(address, len)) else {
            let near = region.map_or("no place", |region| &region.name);
            let end = region.map_or(0, |region| region.start + region.bytes.len() as u64);
            let off = address.wrapping_sub(end) as i64;
            return Err(Failure::new(format!(
                "{verb} {len} bytes at {address:#x}, in no buffer ({off} bytes after the end of {near})"
            )));
        };
        let allowed = match wanted {
            Rights::Write => region.rights == Rights::Write,
            _ => region.rights != Rights::None,
        };
        if allowed {
            Ok(region)
        } else {
            Err(Failure::new(format!("{verb} {len} bytes of {}, without the right to", region.name)))
        }
    }

    /// Loads bytes.
    pub(crate) fn read(&self, address: u64, len: usize) -> Result<Word, Failure> {
        let region = self.region(address, len, Rights::Read)?;
        Ok(self.contents(region, address, len))
    }

    fn contents(&self, region: &Region, address: u64, len: usize) -> Word {
        let mut bits = Vec::with_capacity(8 * len);
        for at in address..address + len as u64 {
            match self.written.get(&at) {
                Some(byte) => bits.extend(byte),
                None => {
                    let byte = region.bytes[(at - region.start) as usize];
                    bits.extend((0..8).map(|i| if byte >> i & 1 == 1 { ONE } else { ZERO }));
                }
            }
        }
        bits
    }

    /// Stores bytes.
    pub(crate) fn write(&mut self, address: u64, bits: &[Bit]) -> Result<(), Failure> {
        self.region(address, bits.len() / 8, Rights::Write)?;
        self.put(address, bits);
        Ok(())
    }

    /// Fills a place before anything runs, whatever its rights are.
    pub(crate) fn put(&mut self, address: u64, bits: &[Bit]) {
        let (bytes, _) = bits.as_chunks::<8>();
        self.written.extend((address..).zip(bytes.iter().copied()));
    }

    /// The contents of a place afterwards, whatever its rights are.
    pub(crate) fn look(&self, address: u64, len: usize) -> Word {
        let place = self.regions.partition_point(|it| it.start <= address);
        self.contents(&self.regions[place - 1], address, len)
    }

    /// The bytes of the instruction at an address, up to the longest that there is.
    pub(crate) fn code(&self, address: u64) -> Result<Vec<u8>, Failure> {
        let region = self.region(address, 1, Rights::Read)?;
        let left = (region.start + region.bytes.len() as u64 - address).min(15) as usize;
        let bits = self.contents(region, address, left);
        let byte = |bits: &[Bit]| constant(bits).map(|byte| byte as u8);
        let bytes: Option<Vec<u8>> = bits.chunks(8).map(byte).collect();
        bytes.ok_or_else(|| Failure::new("code that depends on data".to_owned()))
    }
}

/// Bytes that a place may begin with.
pub(crate) fn filled(byte: u8, len: usize) -> Arc<[u8]> {
    vec![byte; len].into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::from_bytes;

    #[test]
    fn accesses_stay_within_their_places() {
        let mut memory = Memory::default();
        let region =
            |name: &str, start, rights| Region { name: name.to_owned(), start, bytes: filled(7, 16), rights };
        memory.add(region("input", 0x1000, Rights::Read));
        memory.add(region("output", 0x1010, Rights::Write));
        assert_eq!(memory.read(0x1000, 16).ok(), Some(from_bytes(&[7; 16])));
        assert!(memory.read(0x100f, 2).is_err());
        assert!(memory.read(0xfff, 1).is_err());
        assert!(memory.read(0x1020, 1).is_err());
        assert!(memory.write(0x1000, &from_bytes(&[1])).is_err());
        assert!(memory.write(0x101f, &from_bytes(&[1, 2])).is_err());
        assert!(memory.write(0x101f, &from_bytes(&[1])).is_ok());
        assert_eq!(memory.read(0x101e, 2).ok(), Some(from_bytes(&[7, 1])));
        memory.allow(0x1010, Rights::None);
        assert!(memory.read(0x1010, 1).is_err());
    }
}
