//! The claims: a cipher at a kernel, a mode, a length and the alignment of its buffers.

mod aead;
mod packets;

use crate::forms::{Bit, Word, constant, number, on_gates, variables};
use crate::machine::image::Image;
use crate::proof::Claim;
use crate::script::{Argument, Script};
use crate::spec::{self, Cipher, modes};

/// A mode with its direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// ECB; true encrypts.
    Ecb(bool),
    /// CBC; true encrypts.
    Cbc(bool),
    /// CFB with segments of a block; true encrypts.
    Cfb(bool),
    /// CFB with segments of a byte; true encrypts.
    Cfb8(bool),
    /// OFB.
    Ofb,
    /// Counter mode: bits that count, and the value of the low bits of the first counter.
    Ctr(usize, u64),
    /// XTS; true encrypts.
    Xts(bool),
    /// The tags of CMAC.
    Cmac,
    /// GCM, true for encryption, with so many bytes of associated data.
    Gcm(bool, usize),
    /// AES-GCM-SIV, true for encryption, with so many bytes of associated data.
    GcmSiv(bool, usize),
    /// EAX, true for encryption, with so many bytes of associated data, and the low half of the first counter.
    Eax(bool, usize, u64),
    /// AEZ, true for encryption, with so many bytes of associated data.
    Aez(bool, usize),
}

impl Mode {
    /// The name in the table, without what is peculiar to one claim.
    pub(crate) fn name(self) -> String {
        let with = |name: &str, encrypt| format!("{name} {}", if encrypt { "encrypt" } else { "decrypt" });
        match self {
            Self::Ecb(encrypt) => with("ecb", encrypt),
            Self::Cbc(encrypt) => with("cbc", encrypt),
            Self::Cfb(encrypt) => with("cfb", encrypt),
            Self::Cfb8(encrypt) => with("cfb8", encrypt),
            Self::Ofb => "ofb".to_owned(),
            Self::Ctr(counting, _) => format!("ctr{counting}"),
            Self::Xts(encrypt) => with("xts", encrypt),
            Self::Cmac => "cmac".to_owned(),
            Self::Gcm(encrypt, _) => with("gcm", encrypt),
            Self::GcmSiv(encrypt, _) => with("gcm-siv", encrypt),
            Self::Eax(encrypt, ..) => with("eax", encrypt),
            Self::Aez(encrypt, _) => with("aez", encrypt),
        }
    }

    /// The number in `enum abreast_operation`.
    fn operation(self) -> u64 {
        match self {
            Self::Ecb(true) => 1,
            Self::Ecb(false) => 2,
            Self::Cbc(true) => 3,
            Self::Cbc(false) => 4,
            Self::Cfb(true) => 5,
            Self::Cfb(false) => 6,
            Self::Cfb8(true) => 7,
            Self::Cfb8(false) => 8,
            Self::Ofb => 9,
            Self::Ctr(16, _) => 10,
            Self::Ctr(32, _) => 11,
            Self::Ctr(64, _) => 12,
            Self::Ctr(..) => 13,
            Self::Xts(true) => 14,
            Self::Xts(false) => 15,
            Self::Gcm(true, _) => 16,
            Self::Gcm(false, _) => 17,
            Self::Eax(true, ..) => 18,
            Self::Eax(false, ..) => 19,
            Self::Aez(true, _) => 20,
            Self::Aez(false, _) => 21,
            Self::Cmac => 22,
            Self::GcmSiv(true, _) => 24,
            Self::GcmSiv(false, _) => 25,
        }
    }
}

/// A claim, before it is made.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// Such as `aes-128`.
    pub(crate) cipher: &'static str,
    /// One of those that the library lists for the cipher.
    pub(crate) kernel: String,
    /// The mode.
    pub(crate) mode: Mode,
    /// Bytes of the message.
    pub(crate) len: usize,
    /// Bytes by which input and output are off their alignment.
    pub(crate) offsets: (u64, u64),
    /// True if the output is written over the input.
    pub(crate) in_place: bool,
    /// The packets of a batch, each under a key of its own. None for a single message.
    pub(crate) packets: Option<usize>,
}

impl Subject {
    /// Says which one it is.
    pub(crate) fn title(&self) -> String {
        let Self { cipher, kernel, mode, len, .. } = self;
        let aligned = if self.offsets == (0, 0) { "" } else { ", not aligned" };
        let place = if self.in_place { ", in place" } else { "" };
        let from = match mode {
            Mode::Ctr(_, first) => format!(" from {first:#x}"),
            Mode::Gcm(_, aad) | Mode::GcmSiv(_, aad) | Mode::Aez(_, aad) => format!(" after {aad} bytes"),
            Mode::Eax(_, aad, first) => format!(" after {aad} bytes from {first:#x}"),
            _ => String::new(),
        };
        let packets = self.packets.map_or(String::new(), |count| format!(", {count} packets"));
        format!("{cipher} {kernel} {}{from}{packets}, {len} bytes{aligned}{place}", mode.name())
    }

    /// True if the kernel has instructions for AES, and tables are more than gates.
    fn closed(&self) -> bool {
        !on_gates()
            && self.cipher.starts_with("ae")
            && !["sliced", "permuted"].iter().any(|it| self.kernel.contains(it))
    }

    /// Makes the claim: the specification runs here, and names what it names.
    pub(crate) fn claim(&self, image: &Image) -> Claim {
        let mut script = Script::default();
        let outputs = match (self.packets, self.mode) {
            (Some(count), _) => self.batch(&mut script, image, count),
            (None, Mode::Gcm(..) | Mode::GcmSiv(..) | Mode::Eax(..) | Mode::Aez(..)) => {
                self.aead(&mut script, image)
            }
            _ => {
                let handle = self.cipher(&mut script, image);
                let spec = self.specified(&script, &handle);
                match self.mode {
                    Mode::Cmac => self.cmac(&mut script, &*spec, &handle),
                    Mode::Xts(_) => self.xts(&mut script, image, &*spec, &handle),
                    _ => self.crypt(&mut script, &*spec, &handle),
                }
            }
        };
        Claim { script, outputs, closed: self.closed() }
    }

    /// The specification of the cipher under a key.
    fn specified(&self, script: &Script, handle: &Key) -> Box<dyn Cipher> {
        let key = &script.buffers[handle.key].contents;
        spec::cipher(self.cipher, key, self.closed()).expect("a specification")
    }

    /// Prepares a key of symbols in memory of the caller.
    fn cipher(&self, script: &mut Script, image: &Image) -> Key {
        let bytes = key_len(self.cipher);
        let name = script.text(self.cipher);
        let kernel = script.text(&self.kernel);
        let key = script.buffer("the key", variables(8 * bytes), 0);
        let size = memory_of(image, self.cipher);
        let memory = script.buffer("the memory of the key", number(0, 8 * size), 0);
        let handle = script.buffer("the handle", number(0, 64), 0);
        script.call(
            "abreast_cipher_init",
            &[
                Argument::Buffer(memory),
                Argument::Number(size as u64),
                name,
                Argument::Buffer(key),
                Argument::Number(bytes as u64),
                kernel,
                Argument::Buffer(handle),
            ],
            &[memory, handle],
        );
        Key { key, memory, handle }
    }

    /// The input and the output, which may be one, with the contents of the input.
    fn buffers(&self, script: &mut Script) -> (usize, usize, Word) {
        let data = variables(8 * self.len);
        let (input, output) = self.places(script, data.clone());
        (input, output, data)
    }

    /// The buffers of some input and of its output, which may be one.
    fn places(&self, script: &mut Script, input: Word) -> (usize, usize) {
        let bits = input.len();
        let input = script.buffer("the input", input, self.offsets.0);
        // Its contents are unknown bits, on which no result may depend.
        let apart = (!self.in_place).then(|| script.buffer("the output", variables(bits), self.offsets.1));
        (input, apart.unwrap_or(input))
    }

    /// A vector of the mode, if it has one.
    fn vector(&self, block: usize) -> Word {
        match self.mode {
            Mode::Ecb(_) | Mode::Cmac => Vec::new(),
            // The low half of the counter is a number, which decides about carries, and so about jumps and masks.
            Mode::Ctr(counting, first) => {
                let known = counting.clamp(32, 64);
                let mut iv = variables(block);
                for (i, byte) in first.to_be_bytes().iter().rev().take(known / 8).enumerate() {
                    let at = block - 8 * (i + 1);
                    iv[at..at + 8].copy_from_slice(&number((*byte).into(), 8));
                }
                iv
            }
            _ => variables(block),
        }
    }

    /// The result of a mode without a tag.
    fn expected(&self, spec: &dyn Cipher, iv: &[Bit], data: &[Bit]) -> Word {
        match self.mode {
            Mode::Ecb(encrypt) => modes::ecb(spec, encrypt, data),
            Mode::Cbc(encrypt) => modes::cbc(spec, encrypt, iv, data),
            Mode::Cfb(encrypt) => modes::cfb(spec, encrypt, iv, data),
            Mode::Cfb8(encrypt) => modes::cfb8(spec, encrypt, iv, data),
            Mode::Ofb => modes::ofb(spec, iv, data),
            Mode::Ctr(counting, _) => modes::ctr(spec, counting, iv, data),
            _ => unreachable!("calls of their own"),
        }
    }

    fn crypt(&self, script: &mut Script, spec: &dyn Cipher, handle: &Key) -> Vec<(usize, Word)> {
        let iv = self.vector(8 * spec.block());
        let (input, output, data) = self.buffers(script);
        let expected = self.expected(spec, &iv, &data);
        let iv_len = iv.len() as u64 / 8;
        let iv = match iv_len {
            0 => Argument::Number(0),
            _ => Argument::Buffer(script.buffer("the vector", iv, 0)),
        };
        script.call(
            "abreast_cipher_crypt",
            &[
                Argument::Handle(handle.handle),
                Argument::Number(self.mode.operation()),
                iv,
                Argument::Number(iv_len),
                Argument::Buffer(input),
                Argument::Buffer(output),
                Argument::Number(self.len as u64),
            ],
            &[output],
        );
        vec![(output, expected)]
    }

    fn cmac(&self, script: &mut Script, spec: &dyn Cipher, handle: &Key) -> Vec<(usize, Word)> {
        let message = variables(8 * self.len);
        let expected = modes::cmac(spec, &message);
        let mac = script.buffer("the handle of CMAC", number(0, 64), 0);
        script.call(
            "abreast_cmac_new",
            &[Argument::Handle(handle.handle), Argument::Buffer(mac)],
            &[mac, handle.memory],
        );
        let message = script.buffer("the message", message, self.offsets.0);
        let tag = script.buffer("the tag", variables(expected.len()), self.offsets.1);
        script.call(
            "abreast_cmac_mac",
            &[
                Argument::Handle(mac),
                Argument::Buffer(message),
                Argument::Number(self.len as u64),
                Argument::Buffer(tag),
                Argument::Number(spec.block() as u64),
            ],
            &[tag],
        );
        vec![(tag, expected)]
    }

    fn xts(&self, script: &mut Script, image: &Image, spec: &dyn Cipher, handle: &Key) -> Vec<(usize, Word)> {
        let tweak = self.cipher(script, image);
        let tweak_spec = self.specified(script, &tweak);
        let unit = variables(128);
        let (input, output, data) = self.buffers(script);
        let encrypt = self.mode == Mode::Xts(true);
        let expected = modes::xts(spec, &*tweak_spec, encrypt, &unit, &data);
        let xts = script.buffer("the handle of XTS", number(0, 64), 0);
        let pair = [Argument::Handle(handle.handle), Argument::Handle(tweak.handle), Argument::Buffer(xts)];
        script.call("abreast_xts_new", &pair, &[xts, handle.memory, tweak.memory]);
        let unit = script.buffer("the number of the unit", unit, 0);
        script.call(
            if encrypt { "abreast_xts_encrypt" } else { "abreast_xts_decrypt" },
            &[
                Argument::Handle(xts),
                Argument::Buffer(unit),
                Argument::Number(self.len as u64),
                Argument::Buffer(input),
                Argument::Buffer(output),
                Argument::Number(self.len as u64),
            ],
            &[output],
        );
        vec![(output, expected)]
    }
}

/// The numbers of the buffers of a key.
struct Key {
    key: usize,
    memory: usize,
    handle: usize,
}

/// The bytes of a key.
fn key_len(cipher: &str) -> usize {
    match cipher.rsplit_once('-').and_then(|(_, bits)| bits.parse::<usize>().ok()) {
        Some(bits) => bits / 8,
        None if cipher == "aez" => 48,
        None => 16,
    }
}

/// The bytes that the library wants for a key.
fn memory_of(image: &Image, cipher: &str) -> usize {
    let mut script = Script::default();
    let name = script.text(cipher);
    script.call("abreast_cipher_size", &[name], &[]);
    let mut machine = script.machine(image, true);
    // It returns no status, so that the step fails if there is such a cipher.
    let _ = script.step(&mut machine, image, 0);
    constant(&machine.general[0]).unwrap_or_default() as usize
}

/// The kernels that the library lists for a cipher, on a CPU that has every instruction set.
pub(crate) fn kernels(image: &Image, cipher: &str) -> Vec<String> {
    let mut names = Vec::new();
    for index in 0.. {
        let mut script = Script::default();
        let name = script.text(cipher);
        script.call("abreast_kernel_at", &[name, Argument::Number(index)], &[]);
        let mut machine = script.machine(image, true);
        let result = script.step(&mut machine, image, 0);
        let Some(at) = constant(&machine.general[0]).filter(|at| *at != 0) else {
            if let Err(failure) = result {
                eprintln!("{}", failure.0);
            }
            break;
        };
        let bytes = (at as u64..).map_while(|at| {
            let byte = machine.memory.read(at, 1).ok()?;
            constant(&byte).map(|byte| byte as u8).filter(|byte| *byte != 0)
        });
        names.push(String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned());
    }
    names
}
