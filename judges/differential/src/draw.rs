//! From a seed to a case.

use std::sync::LazyLock;

use abreast::table::TagLengths;

use crate::case::{Case, Fault, Spec, is_tag_len};
use crate::lengths::{LONG, Style, count, long_length};
use crate::pool::{Entry, Pool};
use crate::random::Random;
use crate::subject::{Direction, Family, Kind, Mode, Path};

/// The focus of a case: its mode, and the kernel of most of its packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Focus {
    /// The mode.
    pub mode: Mode,
    /// The direction.
    pub direction: Direction,
    /// The way to call it.
    pub path: Path,
    /// The family of the kernel.
    pub family: Family,
    /// Its number there.
    pub kernel: usize,
}

impl Focus {
    /// Everything that this CPU can do.
    #[must_use]
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Focus>> = LazyLock::new(|| {
            let mut all = Vec::new();
            for mode in Mode::ALL {
                for (direction, path) in mode
                    .directions()
                    .iter()
                    .flat_map(|way| mode.paths().into_iter().map(move |path| (*way, path)))
                {
                    for family in Family::ALL {
                        if Kind::ALL.iter().any(|kind| kind.family() == family && mode.suits(*kind)) {
                            let kernels = kernels(mode, path, family).into_iter();
                            all.extend(kernels.map(|kernel| Focus { mode, direction, path, family, kernel }));
                        }
                    }
                }
            }
            all
        });
        &ALL
    }
}

/// The kernels by which a mode can be called in a way.
fn kernels(mode: Mode, path: Path, family: Family) -> Vec<usize> {
    let all = family.kernels();
    let named = |name: &str| all.iter().position(|kernel| kernel.label == name).into_iter().collect();
    match (family, path) {
        // A kernel of RC4 says how many streams are done together. Only two functions take one as an argument; the
        // others have a fixed one.
        (Family::Rc4, Path::Batch) if mode == Mode::Rc4TryKeys => named("two"),
        (Family::Rc4, Path::Batch) => (0..all.len()).collect(),
        (Family::Rc4, Path::C) => named(if mode == Mode::Rc4Keys { "two" } else { "three" }),
        (Family::Rc4, _) => named("one"),
        (_, Path::C) => (0..all.len()).filter(|kernel| all[*kernel].in_c).collect(),
        _ => (0..all.len()).collect(),
    }
}

/// The focus of a seed. In its last 16 bits is the number of the case: even ones take all there is in turn, odd ones
/// are for the best kernels.
#[must_use]
pub fn focus(seed: u64) -> Focus {
    let (all, number) = (Focus::all(), (seed & 0xffff) as usize);
    if number.is_multiple_of(2) {
        // A step that has no divisor in common with the number of all visits each of them.
        let step = (all.len() / 3..).find(|step| gcd(*step, all.len()) == 1).unwrap_or(1);
        return all[number / 2 * step % all.len()];
    }
    let random = &mut Random::split(seed, &[1]);
    let batches = random.chance(4, 5);
    loop {
        let focus = random.pick(all);
        if focus.path.is_batch() == batches && (focus.kernel == 0 || focus.family == Family::Rc4) {
            return focus;
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The messages of the pool that a case takes.
#[derive(Clone, Copy)]
enum Company {
    /// Any.
    Any,
    /// Few, of which each is there many times.
    Few(usize),
}

/// The case of a seed.
#[must_use]
pub fn draw(seed: u64, pool: &Pool) -> Case {
    let Focus { mode, direction, path, family, kernel } = focus(seed);
    let random = &mut Random::split(seed, &[2]);
    let suits = |kind: &usize| mode.suits(Kind::ALL[*kind]) && (path != Path::C || Kind::ALL[*kind].in_c());
    let all: Vec<usize> = (0..Kind::ALL.len()).filter(suits).collect();
    let own: Vec<usize> = all.iter().copied().filter(|kind| Kind::ALL[*kind].family() == family).collect();
    let kinds = match random.up_to(9) {
        0..4 => vec![random.pick(&own)],
        4..7 => own.clone(),
        _ => all,
    };
    let mixed = family != Family::Rc4 && path.is_batch() && random.chance(1, 5);
    let budget = family.kernels()[kernel].budget;
    let budget = if mixed { budget.min(256 << 10) } else { budget };
    // One message after the other has no company to be disturbed by.
    let (budget, most) = if path.is_batch() { (budget, usize::MAX) } else { (budget / 8, 64) };
    let longest = random.log_uniform(16, LONG);
    let style = Style::draw(random, longest);
    let company = if random.chance(1, 4) { Company::Few(1 + random.up_to(2)) } else { Company::Any };
    let faults = random.pick(&[0, 0, 0, 1, 4]);
    let huge = budget > 1 << 20 && mode != Mode::Cfb8 && random.chance(1, 60);

    // All keys of a search are for one ciphertext.
    let searched = 16 * (1 + random.up_to(3));
    // Cases that are there to have everything run once have a packet for that.
    let in_turn = seed.is_multiple_of(2);

    let mut case = Case { seed, mode, direction, path, specs: Vec::new() };
    let mut left = budget;
    let wanted = count(random).min(most).max(usize::from(in_turn));
    while case.specs.len() < wanted && left > 0 {
        let sure = in_turn && case.specs.is_empty();
        let kind = random.pick(if sure { &own } else { &kinds });
        let its = Kind::ALL[kind].family();
        let kernel = if (mixed || its != family) && !sure {
            let some = kernels(mode, path, its);
            let best = if its == family { kernel } else { some[0] };
            let any = random.pick(&some);
            if mixed { random.pick(&[best, any]) } else { best }
        } else {
            kernel
        };
        let len = match () {
            () if mode.is_search() => searched,
            () if huge && random.chance(1, 20) => long_length(random),
            () => style.length(random),
        };
        let mut spec = Spec {
            number: case.specs.len(),
            kind,
            entry: 0,
            len,
            kernel,
            in_place: random.chance(1, 2),
            shift: random.up_to(63),
            tag_len: 0,
            fault: Fault::None,
            cuts: random.word(),
        };
        place(random, pool, mode, company, &mut spec);
        if faults > 0 && !sure && random.chance(faults, 8) {
            disturb(random, pool, &case, &mut spec);
        }
        left = left.saturating_sub(spec.len + 64);
        case.specs.push(spec);
    }
    match random.up_to(5) {
        0 => case.specs.sort_by_key(|spec| spec.len),
        1 => case.specs.sort_by_key(|spec| std::cmp::Reverse(spec.len)),
        2 => random.shuffle(&mut case.specs),
        _ => {}
    }
    for (number, spec) in case.specs.iter_mut().enumerate() {
        spec.number = number;
    }
    case
}

/// Chooses a message of the pool about as long as wanted, and the other parameters of the mode.
fn place(random: &mut Random, pool: &Pool, mode: Mode, company: Company, spec: &mut Spec) {
    let (entries, kind) = (pool.entries(mode, spec.kind), spec.cipher());
    let last = entries.len() - 1;
    let (from, to) = if mode.has_prefixes() {
        let enough = entries.partition_point(|entry| entry.len < spec.len);
        // The longest of all only where nothing else is long enough.
        if enough < last { (enough, last - usize::from(mode != Mode::Cfb8)) } else { (last, last) }
    } else {
        // The messages of this length, or of the next shorter one.
        let end = entries.partition_point(|entry| entry.len <= spec.len).max(1);
        (entries.partition_point(|entry| entry.len < entries[end - 1].len), end - 1)
    };
    spec.entry = match company {
        Company::Any => from + random.up_to(to - from),
        Company::Few(few) => to - random.up_to(few.min(to - from)),
    };
    let entry = &entries[spec.entry];
    spec.len = if mode.has_prefixes() { spec.len.min(entry.len) } else { entry.len };
    if mode.whole_blocks() {
        spec.len = spec.len / kind.block() * kind.block();
    }
    spec.tag_len = match mode.tags() {
        TagLengths::NoTag => 0,
        TagLengths::Of(lens) => {
            let (usual, any) = (lens[lens.len() - 1], random.pick(lens));
            random.pick(&[usual, usual, any, any])
        }
        TagLengths::UpToABlock => {
            let (full, any) = (kind.full_tag(), 1 + random.up_to(kind.full_tag() - 1));
            random.pick(&[full, full, any])
        }
        TagLengths::UpTo(_) => entry.tag_len,
    };
}

/// Makes something wrong with a message, if there is something for the mode to refuse.
fn disturb(random: &mut Random, pool: &Pool, case: &Case, spec: &mut Spec) {
    let Case { mode, direction, path, .. } = *case;
    let (entry, kind): (&Entry, _) = (&pool.entries(mode, spec.kind)[spec.entry], spec.cipher());
    let aad_len = pool.aad(entry).len();
    let block = kind.block();
    let decrypts = direction == Direction::Decrypt && mode.has_tag();
    // A guess succeeds too often where tags are short.
    let long_tag = spec.tag_len >= 8;
    let of_c = path == Path::C && !matches!(mode, Mode::Rc4Keys | Mode::Rc4Streams);
    match random.up_to(8) {
        0 | 1 if decrypts && spec.tag_len > 0 && (mode != Mode::Aez || long_tag) => {
            spec.fault = Fault::TagBit(random.up_to(8 * spec.tag_len - 1));
        }
        2 if decrypts && long_tag && spec.len > 0 && !mode.only_authenticates() => {
            spec.fault = Fault::TextBit(random.up_to(8 * spec.len - 1));
        }
        3 if decrypts && long_tag && aad_len > 0 => spec.fault = Fault::AadCut,
        4 if mode.has_tag() && path != Path::Pieces => {
            let wrong = (0..=40).filter(|len| !is_tag_len(mode, kind, *len)).collect::<Vec<_>>();
            spec.tag_len = random.pick(&wrong);
        }
        5 if mode.whole_blocks() && path != Path::Pieces => {
            spec.len += 1 + random.up_to(block - 2);
            spec.len = spec.len.min(entry.len - 1);
            spec.len -= usize::from(spec.len.is_multiple_of(block)).min(spec.len);
        }
        5 if matches!(mode, Mode::Xts | Mode::Hctr2) => spec.len = random.up_to(15),
        6 if mode.width().is_some() || matches!(mode, Mode::Cbc | Mode::Ofb | Mode::Cfb | Mode::Cfb8) => {
            let wrong = [0, 1, block - 1, block + 1, 24 - block, 32];
            spec.fault = Fault::IvLength(random.pick(&wrong));
        }
        6 if mode == Mode::Xts && path.is_batch() => {
            spec.fault = Fault::IvLength(random.pick(&[0, 8, 12, 15, 17]));
        }
        6 if mode == Mode::Gcm => spec.fault = Fault::IvLength(0),
        6 if mode == Mode::GcmSiv => spec.fault = Fault::IvLength(random.pick(&[0, 8, 11, 13, 16])),
        6 if mode == Mode::Rc4Keys => spec.fault = Fault::KeyLength(random.pick(&[0, 257, 300])),
        7 if of_c && spec.in_place && spec.len > 2 && !mode.only_authenticates() => {
            spec.fault = Fault::Overlap
        }
        8 if of_c && spec.len > 0 && !mode.only_authenticates() => spec.fault = Fault::NoInput,
        8 if of_c => spec.fault = Fault::WrongKey,
        0 if mode == Mode::Ctr128 && path != Path::Pieces && path != Path::Seek => {
            // A cipher whose blocks have fewer bits than are to count.
            let small = Kind::ALL.iter().position(|kind| kind.block() == 8).expect("XTEA");
            (spec.kind, spec.kernel, spec.entry) = (small, 0, 0);
            spec.len = spec.len.min(pool.entries(mode, small)[0].len);
        }
        _ => {}
    }
}
