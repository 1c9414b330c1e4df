//! Short runs: all kernels in all modes by a fixed seed and by a new one, and the tester's answer to a fault.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use abreast::table::{Does, MODES};
use abreast_differential::arena::Arena;
use abreast_differential::case::{Case, Fault};
use abreast_differential::check::Runner;
use abreast_differential::draw::{Focus, draw, focus};
use abreast_differential::pool::Pool;
use abreast_differential::random::Random;
use abreast_differential::replay;
use abreast_differential::session::{Options, Report, pool_of, run};
use abreast_differential::shrink::shrink;
use abreast_differential::subject::{Mode, Path};
use abreast_differential::tally::Tally;

/// A few seconds from a seed, or as many as it takes to run everything once on a machine that has other work.
#[track_caller]
fn seconds(seed: u64, seconds: u64) -> Report {
    let report = run_for(seed, Duration::from_secs(seconds));
    let report =
        if report.missing.is_empty() { report } else { run_for(seed, Duration::from_secs(20 * seconds)) };
    assert!(report.missing.is_empty(), "never run: {:?}", report.missing);
    report
}

/// A run of a time from a seed, in which nothing is wrong.
#[track_caller]
fn run_for(seed: u64, time: Duration) -> Report {
    let options = Options { time, packets: u64::MAX, seed, only: Vec::new() };
    let mut text = Vec::new();
    let report = run(&options, &mut text).expect("a run");
    let text = String::from_utf8_lossy(&text);
    assert!(report.failed.is_empty(), "seed {seed}:\n{text}");
    report
}

#[test]
fn a_fixed_seed() {
    let report = seconds(0x0ab2_ea57, 3);
    assert!(report.tally.packets > 10_000, "{} packets", report.tally.packets);
    assert!(report.tally.refused > 100, "{} packets were refused", report.tally.refused);
}

#[test]
fn a_new_seed() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970");
    seconds(Random::new(now.as_nanos() as u64).word() >> 16, 3);
}

/// The case of a number in a pool that is the first to be as wanted.
fn find(pool_seed: u64, pool: &Pool, wanted: impl Fn(&Case) -> bool) -> Case {
    let mut cases = (0..0x1_0000).map(|n| draw(pool_seed << 16 | n, pool));
    cases.find(|case| wanted(case)).expect("one in 65536")
}

/// A case that fails is shrunk to the packet that fails, and its text stands for it.
///
/// The library is right, so the judge is made wrong: a case in which a packet is said to be refused, and is not.
#[test]
fn a_failure_is_shrunk_and_replayed() {
    let pool = Pool::new(77);
    let mut runner = Runner::new();
    let plain =
        |case: &Case| case.specs.len() > 20 && case.specs.iter().all(|spec| spec.fault == Fault::None);
    let mut case = find(77, &pool, |case| plain(case) && (case.mode, case.path) == (Mode::Ecb, Path::Batch));
    assert!(runner.run(&pool, &case).is_none(), "the case by itself is right");
    // A buffer without a pointer is a thing of C alone: in Rust there is one, and the packet is done.
    case.specs[13].fault = Fault::NoInput;
    let difference = runner.run(&pool, &case).expect("a packet that is done and should not be");
    assert_eq!(difference.index, Some(13), "{difference}");
    let (small, difference) = shrink(&mut runner, &pool, case, difference);
    assert_eq!(difference.index, Some(0), "{difference}");
    let [spec] = &*small.specs else { panic!("{} packets are left", small.specs.len()) };
    assert_eq!((spec.number, spec.len, spec.in_place, spec.shift), (13, 0, true, 0));
}

/// The text of a case is the case, whatever was changed in it.
#[test]
fn texts_are_cases() {
    let pool = pool_of(78 << 16);
    for n in 0..60 {
        let mut case = draw(78 << 16 | n, &pool);
        case.specs.retain(|spec| spec.number % 3 != 1);
        for spec in &mut case.specs {
            if spec.number % 2 == 0 {
                (spec.fault, spec.in_place, spec.shift) = (Fault::None, true, 0);
            }
        }
        let text = replay::describe(&pool, &case);
        let again = replay::parse(&pool, &text).expect("its own text");
        assert_eq!((again.path, &again.specs), (case.path, &case.specs), "{text}");
    }
    for wrong in ["x", "1:nowhere:0", "1:batch:99999", "1:batch:0!", "1:batch:0=9999999", "1:batch:0@99"] {
        assert!(replay::seed(wrong).is_err() || replay::parse(&pool, wrong).is_err(), "{wrong}");
    }
}

/// Every focus comes up in the first cases of every pool.
#[test]
fn everything_has_its_turn() {
    let all = Focus::all();
    for pool in [0_u64, 1, 0xffff_ffff_ffff] {
        let seen: Vec<Focus> = (0..2 * all.len() as u64).map(|n| focus(pool << 16 | n)).collect();
        assert!(all.iter().all(|focus| seen.contains(focus)), "pool {pool}");
    }
    assert!(all.len() as u64 * 2 < 10_000, "{} do not fit into a pool", all.len());
}

/// Each row of the library's table of modes is a mode here, with each way to call it that the row has.
#[test]
fn every_mode_of_the_table_is_drawn() {
    for row in MODES {
        let its =
            || Focus::all().iter().filter(|focus| focus.mode.row().is_some_and(|it| it.name == row.name));
        let wanted = row.operations.iter().filter_map(|operation| match operation {
            Does::Once => Some(Path::Alone),
            Does::Stream => Some(Path::Pieces),
            Does::Batch => Some(Path::Batch),
            // Columns are batches with other arguments.
            Does::Column => None,
        });
        for path in wanted {
            assert!(its().any(|focus| focus.path == path), "{}, {}", row.name, path.name());
        }
    }
}

#[test]
fn what_was_never_run_is_missing() {
    let (pool, mut tally, wanted) = (Pool::new(5), Tally::default(), Focus::all());
    let all = tally.missing(wanted).len();
    assert!(all > wanted.len() / 2, "{all} of {}", wanted.len());
    tally.add(&draw(5 << 16, &pool));
    let left = tally.missing(wanted).len();
    assert!(left < all, "{left} of {all}");
    assert!(left > all / 2, "{left} of {all} after one case");
}

/// A byte that is written anywhere around a buffer is noticed, and no other.
#[test]
fn what_is_written_beside_is_noticed() {
    let pool = Pool::new(5);
    let mut arena = Arena::default();
    let small = |case: &Case| {
        case.specs.len() > 3 && case.specs.iter().map(|spec| spec.len + 100).sum::<usize>() < 3000
    };
    let mut cases = (0..0x1_0000).map(|n| draw(5 << 16 | n, &pool));
    let case = cases.find(small).expect("a few short packets");
    arena.fill(&pool, &case);
    assert_eq!(arena.trampled(), None);
    let buffers: Vec<_> = arena.buffers().collect();
    for at in 0..arena.bytes_mut().len() {
        let within = buffers.iter().any(|range| range.contains(&at));
        arena.bytes_mut()[at] ^= 1;
        assert_eq!(arena.trampled().is_none(), within, "byte {at}");
        arena.bytes_mut()[at] ^= 1;
    }
}
