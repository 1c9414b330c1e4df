//! The steps that are this library's.

use abreast::aes::Aes128;
use abreast::modes::{CounterWidth, Ctr};
use abreast::packets::{self, Packet};
use abreast::{InOutBuf, Kernel};

use super::packets::{KEY, Packets, counter_block};
use crate::ladder::Step;

/// Bit-sliced, with the widest registers.
pub(super) fn bit_sliced(packets: &Packets) -> Step {
    let sliced = |kernel: &Kernel| kernel.name().starts_with("sliced-");
    let kernel = Aes128::kernels().find(sliced).expect("one of them runs everywhere");
    let cipher = Aes128::with_kernel(&KEY, kernel).expect("the kernel is one of this cipher");
    packet_by_packet(
        packets,
        cipher,
        "bit-sliced",
        "A register holds the same bit of many bytes, so that some hundred logical operations compute the S-box for \
         all of them and no address depends on a secret. This is the bit-sliced kernel of this library with the \
         widest registers of this CPU, of which a short packet fills a small part.",
    )
}

/// A call for each packet.
pub(super) fn one_after_the_other(packets: &Packets) -> Step {
    packet_by_packet(
        packets,
        Aes128::new(&KEY),
        "library, packet by packet",
        "The kernel that this library chooses for this CPU, by a call for each packet, with eight registers of blocks \
         in flight. What each call does anew, such as loading the round keys, the step before did once for all \
         packets.",
    )
}

/// One call for all packets.
pub(super) fn all_packets(packets: &Packets) -> Step {
    let cipher = Aes128::new(&KEY);
    let counters: Vec<_> = packets.nonces.iter().map(|nonce| counter_block(nonce, 1)).collect();
    let len = packets.len;
    Step::new(
        "library, all packets",
        "All packets are one call of the packet engine, where each could have another key. Short packets overlap; a \
         long one fills the registers by itself and pays some cycles for the list of packets.",
        move |input, output| {
            // The list is made for each call, because it borrows what the call is given.
            let mut batch = Vec::with_capacity(counters.len());
            let buffers = input.chunks_exact(len).zip(output.chunks_exact_mut(len));
            for (counter, (input, output)) in counters.iter().zip(buffers) {
                let io = InOutBuf::new(input, output).expect("both have the same length");
                batch.push(Packet::new(&cipher, counter, io));
            }
            packets::ctr(&mut batch, CounterWidth::Bits32);
        },
    )
}

/// A step with a call for each packet.
fn packet_by_packet(packets: &Packets, cipher: Aes128, name: &'static str, change: &'static str) -> Step {
    packets.step(name, change, move |nonce, input, output| {
        let io = InOutBuf::new(input, output).expect("both have the same length");
        Ctr::from_block(&cipher, &counter_block(nonce, 1), CounterWidth::Bits32)
            .apply(io)
            .expect("the counter has enough values");
    })
}
