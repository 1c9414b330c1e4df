//! Arguments that select benchmarks, and those that are refused.

use super::*;
use clap::Parser;

/// Returns a row of AEZ without samples.
pub(super) fn row(size: usize, cpb: f64) -> BenchRow {
    BenchRow {
        what: "aez".into(),
        kernel: "vaes".into(),
        size,
        batch: None,
        threads: None,
        gbps: 1.0,
        cpb,
        floor_cpb: None,
        single_cpb: None,
        spread: None,
        messages: None,
        calls: None,
        samples: Vec::new(),
    }
}

/// Returns a report of such rows.
pub(super) fn report(rows: &[(usize, f64)]) -> BenchReport {
    let rows = rows.iter().map(|&(size, cpb)| row(size, cpb)).collect();
    BenchReport { machine: Machine::this(), latency: false, quick: false, rows }
}

#[derive(Debug, Parser)]
struct Bench {
    #[command(flatten)]
    args: Args,
}

fn parsed(words: &[&str]) -> Result<Args, clap::Error> {
    Bench::try_parse_from(["bench"].iter().chain(words)).map(|bench| bench.args)
}

fn plan(words: &[&str]) -> Result<Plan, Error> {
    Plan::new(&parsed(words).expect("the words are arguments"))
}

fn printed(words: &[&str]) -> Result<String, Error> {
    let mut out = Vec::new();
    plan(words)?.measure(Some(&mut out))?;
    Ok(String::from_utf8(out).expect("tables are text"))
}

#[test]
fn batches_have_a_bound() {
    assert_eq!(parse_batch("65536"), Ok(65536));
    for wrong in ["", "0", "+1", "-1", "1K", "65537", "99999999999999999999"] {
        assert!(parse_batch(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn threads_have_a_bound() {
    assert_eq!(parse_threads("1024"), Ok(1024));
    for wrong in ["", "0", "+1", "1025"] {
        assert!(parse_threads(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn arguments_may_repeat() {
    let args = parsed(&["aes-128-ctr", "aes-256-gcm-decrypt", "--size=16,64K", "--size", "2"]);
    let args = args.expect("the words are arguments");
    assert_eq!(args.size, [16, 65536, 2]);
    assert_eq!(
        args.what.iter().flat_map(|Whats(whats)| whats).map(What::to_string).collect::<Vec<_>>(),
        ["aes-128-ctr", "aes-256-gcm-decrypt"]
    );
}

#[test]
fn what_is_unknown_is_answered_with_what_is_known() {
    let message = parsed(&["aes-100-ctr"]).expect_err("there is no such cipher").to_string();
    let nearest =
        "'aes-100-ctr' is no cipher and mode; the nearest are aes-128-ctr, aes-192-ctr, aes-256-ctr";
    assert!(message.contains(nearest) && message.contains("--list names all"), "{message}");
}

#[test]
fn what_cannot_be_is_refused() {
    let message = |words| {
        let error = printed(words).expect_err("it is refused");
        assert!(error.is_usage());
        error.to_string()
    };
    assert_eq!(
        message(&["aes-128-ctr", "aes-128-ecb", "--size", "16,17"]),
        "aes-128-ecb takes whole blocks of 16 bytes, which 17 bytes are not"
    );
    assert_eq!(
        message(&["aes-128-xts-512", "--size", "1600"]),
        "aes-128-xts-512 takes whole sectors of 512 bytes, which 1600 bytes are not"
    );
    assert_eq!(
        message(&["serpent-128-xts", "--size", "15"]),
        "serpent-128-xts takes one unit of 16 bytes to 16 MiB, which 15 bytes are not"
    );
    assert_eq!(
        message(&["aez-batch", "--size", "64,5M"]),
        "aez-batch takes messages of up to 4 MiB, which 5242880 bytes are not"
    );
    let latency = message(&["aez", "aez-batch", "--latency"]);
    assert!(latency.starts_with("--latency: aez-batch works on many messages"), "{latency}");
    assert!(message(&["packets-aez", "--latency"]).starts_with("--latency: packets-aez works on many"));
    assert_eq!(
        message(&["packets-rc4", "--batch", "64", "--size", "1M,5M"]),
        "packets-rc4 takes messages of up to 4194304 bytes in batches of 64, which 5242880 bytes are not"
    );
    assert!(message(&["packets-xtea-cbc", "--size", "20"]).contains("takes whole blocks of 8 bytes"));
    assert!(message(&["aes-128-ctr", "--batch", "3"]).starts_with("--batch: of what is"));
    assert!(message(&["packets-aez", "--threads", "3"]).starts_with("--threads: of what is"));
    assert!(message(&["threads", "--latency"]).starts_with("--latency: threads-aes-128-ctr works on many"));
    assert_eq!(message(&["rc4", "--kernel", "three"]), "rc4 has no kernel 'three' on this CPU, only one");
    let kernel = message(&["--kernel", "a\nb"]);
    assert!(kernel.starts_with("aes-128 has no kernel 'a\\nb' on this CPU, only "), "{kernel}");
    let last = abreast::aes::Aes128::kernels().last().map(Kernel::name);
    assert!(last.is_some_and(|last| kernel.ends_with(last)), "{kernel}");
}

#[test]
fn a_run_prints_a_row_for_each_kernel() -> Result<(), Error> {
    let text = printed(&["aes-128-gcm-decrypt", "--size", "64"])?;
    let names: Vec<_> = text.lines().skip(3).filter_map(|row| row.split_whitespace().nth(1)).collect();
    assert_eq!(names, abreast::aes::Aes128::kernels().map(Kernel::name).collect::<Vec<_>>());
    let report = plan(&["aez", "aez-batch", "--size", "1", "--quick"])?.measure(None)?;
    assert_eq!(report.rows.len(), 2 * names.len());
    assert!(report.rows.iter().all(|row| row.samples.len() >= QUICK.fewest));
    Ok(())
}

#[test]
fn packets_have_a_row_for_each_batch() -> Result<(), Error> {
    let words = ["packets-rc4", "--size", "9", "--batch=3,20", "--kernel", "two"];
    let rows = plan(&words)?.measure(None)?.rows;
    let keys: Vec<_> = rows.iter().map(BenchRow::key).collect();
    assert_eq!(keys, [3, 20].map(|batch| ("packets-rc4", "two", 9, Some(batch), None)));
    assert!(rows.iter().all(|row| row.single_cpb.is_some()));
    Ok(())
}

#[test]
fn threads_have_a_row_for_each_number() -> Result<(), Error> {
    let words =
        ["threads-xtea-ctr", "threads-aes-128-gcm-decrypt", "--size", "9,16", "--batch", "100", "--quick"];
    let plan = plan(&[&words[..], &["--threads", "1,3"]].concat())?;
    assert_eq!(plan.picture_names(), ["threads-100-of-9", "threads-100-of-16"]);
    let mut out = Vec::new();
    let report = plan.measure(Some(&mut out))?;
    let best = abreast::xtea::Xtea::kernels().next().map(Kernel::name).expect("there is a kernel");
    let keys: Vec<_> = report.rows.iter().map(BenchRow::key).collect();
    assert_eq!(keys[..2], [1, 3].map(|threads| ("threads-xtea-ctr", best, 9, Some(100), Some(threads))));
    assert!(keys.len() == 8 && plan.rows() == 8, "{keys:?}");
    assert!(report.rows.iter().all(|row| row.single_cpb.is_none() && row.floor_cpb.is_none()));
    let text = String::from_utf8(out).expect("tables are text");
    assert!(text.lines().nth(2).is_some_and(|head| head.ends_with("BATCH  THREADS")), "{text}");
    let pictures = chart::of_bench(&report);
    assert!(pictures.len() == 2 && pictures.iter().all(|picture| picture.curves.len() == 2));
    Ok(())
}

#[test]
fn keys_have_the_size_of_a_key() -> Result<(), Error> {
    let text = printed(&["key-aes-256", "key-serpent-128-gcm", "key-aez", "--quick"])?;
    let sizes: Vec<&str> = text.lines().skip(3).filter_map(|row| row.split_whitespace().nth(2)).collect();
    assert!(["32", "16", "48"].iter().all(|size| sizes.contains(size)), "{text}");
    assert!(text.lines().nth(2).is_some_and(|head| head.ends_with("CYCLES")), "{text}");
    let refused = printed(&["key-xtea", "--size", "8"]).expect_err("keys have 16 bytes");
    assert_eq!(refused.to_string(), "key-xtea takes keys of 16 bytes, which 8 bytes are not");
    Ok(())
}

#[test]
fn packets_alone_are_some_of_them() {
    let args = parsed(&["packets"]).expect("the word is an argument");
    let names: Vec<_> = args.what.iter().flat_map(|Whats(whats)| whats).map(What::to_string).collect();
    assert!(names.len() > 1 && names.iter().all(|name| name.starts_with("packets-")), "{names:?}");
}

#[test]
fn sizes_that_do_not_suit_are_left_out() {
    let usual = |name| sizes(What::from_name(name).expect("the name is known"), &[], false);
    assert_eq!(usual("xtea-cbc").ok().as_deref(), Some(&SIZES[..]));
    assert_eq!(usual("aes-256-xts-512").ok(), Some(vec![16 << 10, 1 << 20]));
    assert_eq!(usual("packets-xtea-cbc").ok().as_deref(), Some(&PACKET_SIZES[..]));
}

#[test]
fn every_mode_runs_alike_at_all_kernels() -> Result<(), Error> {
    // More messages than there are lanes.
    for what in What::all().flat_map(|what| what.in_batches(&[37])) {
        let size = if let What::Keys(what) = what { what.len() } else { 1024 };
        let whats = what.on_threads(&[1, 2]);
        check(&whats, size, &what.kernels(), &mut what.messages(size, !what.is_batch()))?;
    }
    Ok(())
}

#[test]
fn latencies_have_no_floor() -> Result<(), Error> {
    let best = abreast::aes::Aes192::kernels().next().map(Kernel::name).expect("there is a kernel");
    let rows = plan(&["aes-192-gcm", "--size", "33", "--kernel", best, "--latency"])?.measure(None)?.rows;
    let keys: Vec<_> = rows.iter().map(BenchRow::key).collect();
    assert_eq!(keys, [("aes-192-gcm", best, 33, None, None)]);
    assert_eq!(rows[0].floor_cpb, None);
    Ok(())
}

#[test]
fn every_cipher_and_mode_has_a_picture_of_its_name() -> Result<(), Error> {
    let plan = plan(&["aez", "packets-aez", "--size", "16,64", "--batch", "8,9", "--quick"])?;
    assert_eq!(plan.picture_names(), ["aez", "packets-aez-8", "packets-aez-9"]);
    let pictures = chart::of_bench(&plan.measure(None)?);
    assert_eq!(pictures.len(), 3);
    assert!(pictures.iter().flat_map(|picture| &picture.curves).all(|(_, points)| points.len() == 2));
    assert!(
        pictures.iter().all(|picture| picture
            .curves
            .iter()
            .filter(|(name, _)| name.starts_with("floor"))
            .count()
            <= 1)
    );
    Ok(())
}
