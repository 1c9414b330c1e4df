//! Claims about batches: packets side by side, each under a key and with a vector of its own.

use super::{Key, Mode, Subject};
use crate::forms::{Word, ZERO, number, variables};
use crate::machine::image::Image;
use crate::script::{Argument, Script};
use crate::sizes::block;
use crate::spec::modes;

/// The bytes of `struct abreast_packet`, and the places of its fields.
const PACKET: usize = 88;
const KEY: usize = 0;
const IV: usize = 8;
const AAD: usize = 24;
const INPUT: usize = 40;
const OUTPUT: usize = 48;
const LEN: usize = 56;
const TAG: usize = 64;

/// A packet: the fields that are set, by their place, with the length that follows a pointer.
#[derive(Default)]
struct Packet {
    pointers: Vec<(usize, Argument)>,
    lengths: Vec<(usize, usize)>,
    writes: Vec<usize>,
    outputs: Vec<(usize, Word)>,
}

impl Packet {
    /// Sets a pointer with a length behind it.
    fn string(&mut self, at: usize, buffer: usize, bits: usize) {
        self.pointers.push((at, Argument::Buffer(buffer)));
        self.lengths.push((at + 8, bits / 8));
    }
}

impl Subject {
    pub(super) fn batch(&self, script: &mut Script, image: &Image, count: usize) -> Vec<(usize, Word)> {
        let mut packets = Vec::new();
        for i in 0..count {
            // Every third one is a block longer, so that lanes end at different times.
            let one = Self { len: self.len + i % 3 / 2 * block(self.cipher), ..self.clone() };
            packets.push(one.packet(script, image));
        }
        let array = script.buffer("the packets", vec![ZERO; 8 * PACKET * count], 0);
        let mut writes = vec![array];
        let mut outputs = Vec::new();
        for (i, packet) in packets.into_iter().enumerate() {
            let at = PACKET * i;
            for (field, len) in packet.lengths {
                let place = 8 * (at + field);
                script.buffers[array].contents[place..place + 64].copy_from_slice(&number(len as u128, 64));
            }
            for (field, target) in packet.pointers {
                script.pointers.push((array, at + field, target));
            }
            writes.extend(packet.writes);
            outputs.extend(packet.outputs);
        }
        let arguments = [
            Argument::Number(self.mode.operation()),
            Argument::Buffer(array),
            Argument::Number(count as u64),
            Argument::Number(PACKET as u64),
        ];
        script.call("abreast_packets", &arguments, &writes);
        outputs
    }

    /// Makes a packet with its key.
    fn packet(&self, script: &mut Script, image: &Image) -> Packet {
        let mut packet = Packet::default();
        match self.mode {
            Mode::Gcm(encrypt, _) | Mode::GcmSiv(encrypt, _) | Mode::Aez(encrypt, _) => {
                let (key, handle) = self.aead_key(script, image);
                let message = self.message(script, &key);
                packet.pointers.push((KEY, Argument::Handle(handle)));
                let nonce = script.buffer("a nonce", message.nonce.clone(), 0);
                packet.string(IV, nonce, message.nonce.len());
                let aad = script.buffer("associated data", message.aad.clone(), 0);
                packet.string(AAD, aad, message.aad.len());
                let given = if encrypt { variables(message.tag.len()) } else { message.tag.clone() };
                let tag = script.buffer("a tag", given, 0);
                packet.string(TAG, tag, message.tag.len());
                if encrypt {
                    packet.writes.push(tag);
                    packet.outputs.push((tag, message.tag));
                }
                self.text(script, &mut packet, message.input, message.output);
            }
            Mode::Cmac => {
                let Key { key, memory, handle } = self.cipher(script, image);
                let spec = self.specified(script, &Key { key, memory, handle });
                let mac = script.buffer("a handle of CMAC", number(0, 64), 0);
                let arguments = [Argument::Handle(handle), Argument::Buffer(mac)];
                script.call("abreast_cmac_new", &arguments, &[mac, memory]);
                let message = variables(8 * self.len);
                let expected = modes::cmac(&*spec, &message);
                packet.pointers.push((KEY, Argument::Handle(mac)));
                let message = script.buffer("a message", message, self.offsets.0);
                packet.string(AAD, message, 8 * self.len);
                let tag = script.buffer("a tag", variables(expected.len()), 0);
                packet.string(TAG, tag, expected.len());
                packet.writes.push(tag);
                packet.outputs.push((tag, expected));
            }
            _ => {
                let key = self.cipher(script, image);
                let spec = self.specified(script, &key);
                packet.pointers.push((KEY, Argument::Handle(key.handle)));
                let iv = self.vector(8 * spec.block());
                let data = variables(8 * self.len);
                let expected = self.expected(&*spec, &iv, &data);
                if !iv.is_empty() {
                    let bits = iv.len();
                    let iv = script.buffer("a vector", iv, 0);
                    packet.string(IV, iv, bits);
                }
                self.text(script, &mut packet, data, expected);
            }
        }
        packet
    }

    /// Sets the input and the output of a packet.
    fn text(&self, script: &mut Script, packet: &mut Packet, input: Word, expected: Word) {
        let (input, output) = self.places(script, input);
        packet.pointers.extend([(INPUT, Argument::Buffer(input)), (OUTPUT, Argument::Buffer(output))]);
        packet.lengths.push((LEN, self.len));
        packet.writes.push(output);
        packet.outputs.push((output, expected));
    }
}
