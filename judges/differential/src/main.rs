//! The command: runs the tester for a while, or one case again.
#![forbid(unsafe_code)]

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use abreast_differential::check::Runner;
use abreast_differential::session::{Options, pool_of, run};
use abreast_differential::{random::Random, replay};
use clap::Parser;

#[path = "../../../crates/abreast/tests/suite/common/tally.rs"]
#[allow(dead_code, reason = "a part is used")]
mod count;

/// Random batches and calls of abreast, compared with implementations that share no code with it.
#[derive(Parser)]
struct Args {
    /// Run for so many seconds [default: 60, or until there are as many packets as asked for].
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// Run for an hour.
    #[arg(long, conflicts_with = "seconds")]
    long: bool,
    /// Stop after so many packets.
    #[arg(long, value_name = "N")]
    packets: Option<u64>,
    /// The seed, less than 2^48; a new one if it is not given.
    #[arg(long, value_parser = clap::value_parser!(u64).range(..1 << 48))]
    seed: Option<u64>,
    /// Modes, ciphers and kernels by their names: of each sort those named, or all if none is.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    only: Vec<String>,
    /// Run one case again, as a failure printed it.
    #[arg(long, value_name = "CASE")]
    replay: Option<String>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.replay {
        Some(text) => again(text),
        None => session(&args),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("abreast-differential: {why}");
            ExitCode::from(2)
        }
    }
}

/// Runs one case again. Is it as it should be?
fn again(text: &str) -> Result<bool, String> {
    let pool = pool_of(replay::seed(text)?);
    let case = replay::parse(&pool, text)?;
    print!("{}", replay::table(&pool, &case));
    match Runner::new().run(&pool, &case) {
        None => println!("no difference"),
        Some(difference) => {
            println!("{difference}");
            return Ok(false);
        }
    }
    Ok(true)
}

/// Runs case after case. Is all as it should be, and was everything run?
fn session(args: &Args) -> Result<bool, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = args.seed.unwrap_or_else(|| Random::new(now.as_nanos() as u64).word() >> 16);
    // A number of packets alone takes as long as it takes, up to a day.
    let usual = if args.long {
        3600
    } else if args.packets.is_some() {
        86_400
    } else {
        60
    };
    let seconds = args.seconds.unwrap_or(usual);
    let packets = args.packets.unwrap_or(u64::MAX);
    let options = Options { time: Duration::from_secs(seconds), packets, seed, only: args.only.clone() };
    println!("seed {seed}");
    // A panic is reported as a difference, with its case.
    std::panic::set_hook(Box::new(|_| {}));
    let begun = Instant::now();
    let report = run(&options, &mut stdout())?;
    let (tally, seconds) = (&report.tally, begun.elapsed().as_secs_f64());
    print!("{}", tally.table());
    for missing in &report.missing {
        println!("never run: {missing}");
    }
    println!(
        "{} packets in {} batches and {} calls, {} bytes, {} refused on purpose, {} differences, {seconds:.0} s, seed {seed}",
        tally.packets,
        tally.batches,
        tally.calls,
        tally.bytes,
        tally.refused,
        report.failed.len(),
    );
    stdout().flush().map_err(|error| error.to_string())?;
    count::note(tally.packets, "packets of the differential tester");
    Ok(report.failed.is_empty() && report.missing.is_empty())
}
