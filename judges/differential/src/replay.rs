//! Cases as text: the seed, and the remains of the case after it was shrunk.
//!
//! ```text
//! SEED:PATH:PACKET,PACKET,..
//! ```
//!
//! `SEED` is a number, in hexadecimal. `PATH` is the way to call the library. A packet is its number in the case as it
//! was drawn, with `=LENGTH` if its length is another one, `#ENTRY` if its message of the pool is, `@KERNEL` if its
//! kernel is, and letters for simplifications: `v` nothing is wrong with it, `p` it is done in place, `a` its buffers
//! are not moved on.

use std::fmt::Write as _;

use crate::case::{Case, Fault, Spec};
use crate::draw::draw;
use crate::pool::Pool;
use crate::subject::{Mode, Path};

/// The text of a case.
#[must_use]
pub fn describe(pool: &Pool, case: &Case) -> String {
    let drawn = draw(case.seed, pool);
    let mut text = format!("{:#x}:{}:", case.seed, case.path.name());
    for (place, spec) in case.specs.iter().enumerate() {
        let before = &drawn.specs[spec.number];
        let comma = if place > 0 { "," } else { "" };
        write!(text, "{comma}{}", spec.number).expect("a string takes any text");
        for (now, then, sign) in
            [(spec.len, before.len, '='), (spec.entry, before.entry, '#'), (spec.kernel, before.kernel, '@')]
        {
            if now != then {
                write!(text, "{sign}{now}").expect("a string takes any text");
            }
        }
        for (simpler, letter) in [
            (spec.fault != before.fault, 'v'),
            (spec.in_place != before.in_place, 'p'),
            (spec.shift != before.shift, 'a'),
        ] {
            if simpler {
                text.push(letter);
            }
        }
    }
    text
}

/// The seed of a text.
///
/// # Errors
/// A description of the fault in the text.
pub fn seed(text: &str) -> Result<u64, String> {
    let seed = text.split(':').next().unwrap_or_default();
    let parsed = match seed.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => seed.parse(),
    };
    parsed.map_err(|_| format!("{seed:?} is not a number"))
}

/// The case of a text; the pool has the same seed.
///
/// # Errors
/// A description of the fault in the text.
pub fn parse(pool: &Pool, text: &str) -> Result<Case, String> {
    let mut case = draw(seed(text)?, pool);
    let Some((path, packets)) = text.split_once(':').and_then(|(_, rest)| rest.split_once(':')) else {
        return Ok(case);
    };
    case.path = *(Path::ALL.iter().find(|known| known.name() == path))
        .ok_or_else(|| format!("{path:?} is not a way to call the library"))?;
    let drawn = std::mem::take(&mut case.specs);
    for packet in packets.split(',').filter(|packet| !packet.is_empty()) {
        case.specs.push(
            one(pool, case.mode, &drawn, packet)
                .ok_or_else(|| format!("{packet:?} is not a packet of this case"))?,
        );
    }
    Ok(case)
}

fn one(pool: &Pool, mode: Mode, drawn: &[Spec], text: &str) -> Option<Spec> {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, mut rest) = text.split_at(digits(text));
    let mut spec = drawn.get(number.parse::<usize>().ok()?)?.clone();
    while let Some(sign) = rest.chars().next() {
        rest = rest.get(1..)?;
        let end = if "=#@".contains(sign) { digits(rest) } else { 0 };
        let (value, after) = rest.split_at(end);
        rest = after;
        match sign {
            '=' => spec.len = value.parse().ok()?,
            '#' => {
                spec.entry = value.parse().ok()?;
                if mode == Mode::Aez {
                    spec.tag_len = pool.entries(mode, spec.kind).get(spec.entry)?.tag_len;
                }
            }
            '@' => spec.kernel = value.parse().ok()?,
            'v' => spec.fault = Fault::None,
            'p' => spec.in_place = true,
            'a' => spec.shift = 0,
            _ => return None,
        }
    }
    let kernel = spec.kernel < spec.cipher().family().kernels().len();
    let message = pool.entries(mode, spec.kind).get(spec.entry).is_some_and(|entry| spec.len <= entry.len);
    (kernel && message).then_some(spec)
}

/// A case as a table for people, with a line for each packet.
#[must_use]
pub fn table(pool: &Pool, case: &Case) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut text = format!("{} {:?}, {}\n", case.mode.name(), case.direction, case.path.name());
    for (index, spec) in case.specs.iter().enumerate().take(40) {
        let (kind, entry) = (spec.cipher(), spec.entry(pool, case.mode));
        let kernel = &kind.family().kernels()[spec.kernel].label;
        let place = if spec.in_place { "in place" } else { "to another buffer" };
        let key = hex(&pool.bytes(spec.kind, entry.key).key);
        let (iv, aad) = (hex(&entry.iv), pool.aad(entry).len());
        writeln!(
            text,
            "  {index}: {} on {kernel}, {} bytes {place}, shift {}, associated data {aad}, tag {}, {:?}\n     key {key} iv {iv}",
            kind.name(), spec.len, spec.shift, spec.tag_len, spec.fault
        )
        .expect("a string takes any text");
    }
    if case.specs.len() > 40 {
        writeln!(text, "  and {} more", case.specs.len() - 40).expect("a string takes any text");
    }
    text
}
