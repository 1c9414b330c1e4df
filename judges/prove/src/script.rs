//! Calls of the C interface, one after the other, and the memory that they are given: run by the machine on symbols, and by the
//! CPU on numbers.

use crate::forms::{Values, Word, constant, from_bytes, number};
use crate::machine::image::Image;
use crate::machine::memory::{Region, Rights, filled};
use crate::machine::{Failure, Machine};

/// An argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// A number.
    Number(u64),
    /// The address of a buffer.
    Buffer(usize),
    /// The address that a buffer holds, of a handle.
    Handle(usize),
}

impl Argument {
    fn to_text(self) -> String {
        match self {
            Self::Number(number) => format!("n{number}"),
            Self::Buffer(buffer) => format!("b{buffer}"),
            Self::Handle(buffer) => format!("h{buffer}"),
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        let (kind, number) = text.split_at_checked(1)?;
        Some(match kind {
            "n" => Self::Number(number.parse().ok()?),
            "b" => Self::Buffer(number.parse().ok()?),
            _ => Self::Handle(number.parse().ok()?),
        })
    }
}

/// Bytes of the caller.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// Named in messages.
    pub(crate) name: String,
    /// Its contents before the first call.
    pub(crate) contents: Word,
    /// Bytes by which its address is more than a multiple of 64.
    pub(crate) offset: u64,
}

/// A call, which has to return zero.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The name of the function.
    pub(crate) function: String,
    /// At most twelve arguments.
    pub(crate) arguments: Vec<Argument>,
    /// The buffers that it may write. It may read these, and those that are among its arguments or were given to a call before.
    pub(crate) writes: Vec<usize>,
}

/// Some calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// Memory.
    pub(crate) buffers: Vec<Buffer>,
    /// In order.
    pub(crate) calls: Vec<Call>,
    /// Places in buffers, by buffer and byte, that hold an address when a call is given the buffer.
    pub(crate) pointers: Vec<(usize, usize, Argument)>,
}

/// The lowest address of the machine's stack.
const STACK: u64 = 0x3000_0000_0000;
/// The bytes of the stack: four times as many as the library promises to do with.
const STACK_SIZE: usize = 128 << 10;
/// Buffers lie so far apart.
const APART: u64 = 1 << 32;

/// The address of a buffer in the machine.
fn place(script: &Script, buffer: usize) -> u64 {
    APART * (buffer as u64 + 1) + script.buffers[buffer].offset
}

impl Script {
    /// Adds memory and returns its number.
    pub(crate) fn buffer(&mut self, name: &str, contents: Word, offset: u64) -> usize {
        self.buffers.push(Buffer { name: name.to_owned(), contents, offset });
        self.buffers.len() - 1
    }

    /// Adds a text with a zero at its end.
    pub(crate) fn text(&mut self, text: &str) -> Argument {
        let bytes = [text.as_bytes(), &[0]].concat();
        Argument::Buffer(self.buffer("a name", from_bytes(&bytes), 0))
    }

    /// Adds a call.
    pub(crate) fn call(&mut self, function: &str, arguments: &[Argument], writes: &[usize]) {
        self.calls.push(Call {
            function: function.to_owned(),
            arguments: arguments.to_vec(),
            writes: writes.to_vec(),
        });
    }

    /// A machine with the memory of the script.
    pub(crate) fn machine<'i>(&self, image: &'i Image, closed: bool) -> Machine<'i> {
        let mut machine = Machine::new(image, closed);
        machine.memory.add(Region {
            name: "the stack".to_owned(),
            start: STACK,
            bytes: filled(0xcc, STACK_SIZE),
            rights: Rights::Write,
        });
        for (i, buffer) in self.buffers.iter().enumerate() {
            let start = place(self, i);
            machine.memory.add(Region {
                name: buffer.name.clone(),
                start,
                bytes: filled(0, buffer.contents.len() / 8),
                rights: Rights::None,
            });
            machine.memory.put(start, &buffer.contents);
        }
        machine
    }

    /// The places of addresses in the buffers that a call is given.
    pub(crate) fn pointers_of(&self, call: &Call) -> impl Iterator<Item = (usize, usize, Argument)> {
        let given = |it: &&(usize, usize, Argument)| call.arguments.contains(&Argument::Buffer(it.0));
        self.pointers.iter().filter(given).copied()
    }

    /// All that a call is given, in its arguments and in the buffers of these.
    fn given(&self, call: &Call) -> impl Iterator<Item = Argument> {
        call.arguments.iter().copied().chain(self.pointers_of(call).map(|(_, _, target)| target))
    }

    /// Runs one of the calls on a machine.
    pub(crate) fn step(&self, machine: &mut Machine<'_>, image: &Image, call: usize) -> Result<(), Failure> {
        // The call under examination uses keys in memory of the library, and must not change them.
        if call > 0 && call + 1 == self.calls.len() {
            machine.memory.protect_all_but(STACK);
        }
        let call = &self.calls[call];
        let value = |machine: &Machine<'_>, argument| match argument {
            Argument::Number(number) => Ok(number),
            Argument::Buffer(buffer) => Ok(place(self, buffer)),
            Argument::Handle(buffer) => {
                let bits = machine.memory.look(place(self, buffer), 8);
                constant(&bits).map(|handle| handle as u64).ok_or_else(|| Failure::new("a handle of data"))
            }
        };
        for argument in self.given(call) {
            if let Argument::Buffer(buffer) = argument {
                machine.memory.allow(place(self, buffer), Rights::Read);
            }
        }
        for (buffer, at, target) in self.pointers_of(call) {
            let address = value(machine, target)?;
            machine.memory.put(place(self, buffer) + at as u64, &number(address.into(), 64));
        }
        for buffer in &call.writes {
            machine.memory.allow(place(self, *buffer), Rights::Write);
        }
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            arguments.push(value(machine, *argument)?);
        }
        // Keys of XTS are not equal, or there is no XTS under them.
        machine.assume_not_zero = call.function == "abreast_xts_new";
        let stack = STACK + STACK_SIZE as u64;
        let status = machine.call(image.function(&call.function), &arguments, stack)?;
        for buffer in &call.writes {
            machine.memory.allow(place(self, *buffer), Rights::Read);
        }
        if status == 0 { Ok(()) } else { Err(Failure::new(format!("{} returns {status}", call.function))) }
    }

    /// The contents of a buffer.
    pub(crate) fn contents(&self, machine: &Machine<'_>, buffer: usize) -> Word {
        machine.memory.look(place(self, buffer), self.buffers[buffer].contents.len() / 8)
    }

    /// Returns these calls on numbers.
    pub(crate) fn with_values(&self, values: &mut Values) -> Self {
        let mut numbers = self.clone();
        for buffer in &mut numbers.buffers {
            buffer.contents = from_bytes(&values.bytes(&buffer.contents));
        }
        numbers
    }

    /// Writes a script of numbers as text, to be run elsewhere.
    pub(crate) fn to_text(&self) -> String {
        use std::fmt::Write as _;
        let mut text = String::new();
        for buffer in &self.buffers {
            let _ = write!(text, "buffer {} ", buffer.offset);
            for byte in buffer.contents.chunks(8) {
                let _ = write!(text, "{:02x}", constant(byte).unwrap_or_default());
            }
            text.push('\n');
        }
        for (buffer, at, target) in &self.pointers {
            let _ = writeln!(text, "pointer {buffer} {at} {}", target.to_text());
        }
        for call in &self.calls {
            let _ = write!(text, "call {}", call.function);
            for argument in &call.arguments {
                let _ = write!(text, " {}", argument.to_text());
            }
            text.push('\n');
        }
        text
    }

    /// Reads a script of numbers.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let mut script = Self::default();
        for line in text.lines() {
            let mut words = line.split(' ');
            match words.next()? {
                "buffer" => {
                    let offset = words.next()?.parse().ok()?;
                    let digits = words.next()?.as_bytes();
                    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
                    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
                    script.buffer("", from_bytes(&bytes?), offset);
                }
                "call" => {
                    let function = words.next()?;
                    let arguments: Option<Vec<Argument>> = words.map(Argument::from_text).collect();
                    script.call(function, &arguments?, &[]);
                }
                "pointer" => {
                    let (buffer, at) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
                    script.pointers.push((buffer, at, Argument::from_text(words.next()?)?));
                }
                _ => return None,
            }
        }
        Some(script)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read_as_they_are_written() {
        let mut script = Script::default();
        let name = script.text("xtea");
        let data = script.buffer("", from_bytes(&[1, 2, 0xff]), 5);
        let empty = script.buffer("", Vec::new(), 0);
        script.pointers.push((data, 8, Argument::Handle(empty)));
        script.call("abreast_x", &[name, Argument::Number(7), Argument::Handle(data)], &[]);
        script.call("abreast_y", &[Argument::Buffer(empty)], &[]);
        let again = Script::from_text(&script.to_text()).expect("a script");
        assert_eq!(again.to_text(), script.to_text());
        assert_eq!(again.calls[0].arguments, script.calls[0].arguments);
        assert_eq!(again.pointers, script.pointers);
        assert_eq!(again.buffers[1].contents, script.buffers[1].contents);
        assert!(Script::from_text("other 1").is_none());
    }
}
