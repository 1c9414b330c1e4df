//! Functions of the C library that the library calls. These few have their meaning from the standard of C; any other is an
//! error.

use super::memory::{Region, Rights, filled};
use super::{Failure, Machine, Result};
use crate::forms::{ZERO, constant, number, xor};
use iced_x86::Register;

/// The first address of allocated memory.
pub(super) const HEAP: u64 = 0x4000_0000_0000;

/// The registers, besides that of the result, that a function need not leave as they were.
const CHANGED: [Register; 8] = [
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];

impl Machine<'_> {
    /// Does a function of the C library and returns the address to which it returns.
    pub(super) fn foreign(&mut self, name: &str) -> Result<u64> {
        let (first, second) = (self.pointer(Register::RDI), self.pointer(Register::RSI));
        let third = self.pointer(Register::RDX);
        let result = match name {
            "memcpy" | "memmove" => {
                let (to, from, len) = (first?, second?, third? as usize);
                if len > 0 {
                    let bits = self.fetch(from, len)?;
                    self.memory.write(to, &bits)?;
                }
                to
            }
            "memset" => {
                let (to, len) = (first?, third? as usize);
                let byte = self.general[6][..8].to_vec();
                if len > 0 {
                    self.memory.write(to, &byte.repeat(len))?;
                }
                to
            }
            "memcmp" | "bcmp" => {
                let (a, b, len) = (first?, second?, third? as usize);
                let (a, b) = match len {
                    0 => (Vec::new(), Vec::new()),
                    _ => (self.fetch(a, len)?, self.fetch(b, len)?),
                };
                let bytes = a.chunks(8).zip(b.chunks(8));
                let mut order = 0_i32;
                for (a, b) in bytes {
                    match (constant(a), constant(b)) {
                        (Some(a), Some(b)) if order == 0 => order = a as i32 - b as i32,
                        (Some(_), Some(_)) => {}
                        _ if a.iter().zip(b).all(|(a, b)| xor(*a, *b) == ZERO) => {}
                        _ => return Err(Failure::new(format!("{name} of data"))),
                    }
                }
                order as u32 as u64
            }
            "strlen" => {
                let from = first?;
                let mut len = 0;
                loop {
                    let byte = self.fetch(from + len, 1)?;
                    match constant(&byte) {
                        Some(0) => break len,
                        Some(_) => len += 1,
                        None => return Err(Failure::new("strlen of data")),
                    }
                }
            }
            "malloc" => self.allocate(first?, 16, 0xa5),
            "calloc" => self.allocate(first? * second?, 16, 0),
            "posix_memalign" => {
                let place = self.allocate(third?, second?, 0xa5);
                self.memory.write(first?, &number(place.into(), 64))?;
                0
            }
            "clock_gettime" => {
                // A clock that stands: what is measured takes no time.
                self.memory.write(second?, &number(0, 128))?;
                0
            }
            "free" => first.map(|place| self.release(place)).map(|()| 0)?,
            _ => return Err(Failure::new(format!("calls {name}"))),
        };
        self.forget(CHANGED.map(Register::number));
        self.set_pointer(Register::RAX, result);
        self.pop_number()
    }

    fn allocate(&mut self, len: u64, alignment: u64, fill: u8) -> u64 {
        let start = self.free.next_multiple_of(alignment.max(16));
        // Apart from the next one, so that no access beyond the end goes unseen.
        self.free = start + len + 64;
        self.memory.add(Region {
            name: format!("{len} bytes of the heap"),
            start,
            bytes: filled(fill, len as usize),
            rights: Rights::Write,
        });
        start
    }

    fn release(&mut self, place: u64) {
        if place != 0 {
            self.memory.allow(place, Rights::None);
        }
    }
}
