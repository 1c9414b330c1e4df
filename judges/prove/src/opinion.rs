//! A second opinion: the code and the specification as two circuits of gates, compared by ABC, the program of Berkeley for logic.
//!
//! ABC knows nothing of the polynomials here and of their rules. The meanings of the instructions and the specifications are the
//! same as in the proofs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::claims::{Mode, Subject};
use crate::faults::{self, Kind};
use crate::forms::{aiger, begin_with_gates, exhausted};
use crate::machine::image::Image;
use crate::proof;

/// The program, as Debian calls it.
const PROGRAM: &str = "berkeley-abc";
/// Seconds that it may take for a comparison.
const SECONDS: u64 = 30;
/// Faults that are tried until one is not harmless.
const FAULTS: usize = 4;

/// Its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// Equal for all inputs.
    Equivalent,
    /// An input tells the circuits apart.
    Different,
    /// No answer in its time, or another one.
    Undecided,
}

/// Reads what the program says. Only a line that begins as one does for circuits that are equivalent counts as that.
fn answer(text: &str) -> Answer {
    let mut answers = text.lines().filter(|line| line.starts_with("Networks are "));
    match (answers.next(), answers.next()) {
        (Some(line), None) if line.starts_with("Networks are equivalent.") => Answer::Equivalent,
        (Some(line), None) if line.starts_with("Networks are NOT EQUIVALENT.") => Answer::Different,
        _ => Answer::Undecided,
    }
}

/// The claims: AES with its key schedule, Serpent's circuits for all blocks of a group. GHASH is too much for
/// the program: a long sum in another order.
fn subjects() -> Vec<Subject> {
    let subject = |cipher, kernel: &str, mode, len| Subject {
        cipher,
        kernel: kernel.to_owned(),
        mode,
        len,
        offsets: (0, 0),
        in_place: false,
        packets: None,
    };
    vec![
        subject("aes-128", "aesni", Mode::Ecb(true), 16),
        subject("serpent-128", "sse2", Mode::Ecb(true), 64),
    ]
}

/// Asks the program about two files: its newer solver, which finds that circuits are equivalent, and then, or at once for circuits
/// that are `expected` to differ, the older one, which finds that they are not.
fn ask(files: &[String; 2], expected: Answer) -> Result<Answer, String> {
    if expected == Answer::Equivalent && run(files, "-x")? == Answer::Equivalent {
        return Ok(Answer::Equivalent);
    }
    run(files, "")
}

/// Runs the program with an option for its solver.
fn run(files: &[String; 2], solver: &str) -> Result<Answer, String> {
    let failed = |error: std::io::Error| format!("{PROGRAM}: {error}");
    let commands = format!("&r {}; &cec {solver} -T {SECONDS} {}", files[0], files[1]);
    let mut child = Command::new(PROGRAM)
        .args(["-q", &commands])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    // The program prints a few lines, so that it never waits for a reader, and does not keep to its own limit.
    let end = Instant::now() + Duration::from_secs(SECONDS);
    while child.try_wait().map_err(failed)?.is_none() {
        if Instant::now() > end {
            child.kill().map_err(failed)?;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().map_err(failed)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(if output.status.success() { answer(&text) } else { Answer::Undecided })
}

/// Makes a claim's calls on a library, writes both circuits, and asks the program about them. A claim that comes to no end is
/// answered by the reason.
fn compare<'i>(
    image: &'i Image,
    subject: &Subject,
    specified: &Image,
    folder: &Path,
    expected: Answer,
) -> Result<(Result<Answer, String>, proof::Made<'i>), String> {
    begin_with_gates(Duration::from_secs(SECONDS));
    let made = proof::make(image, || subject.claim(specified));
    if let Err(failure) = &made.outcome {
        return Ok((Err(failure.0.clone()), made));
    }
    if exhausted() {
        return Ok((Ok(Answer::Undecided), made));
    }
    let found = |buffer| made.claim.script.contents(&made.machine, buffer);
    let code = made.claim.outputs.iter().flat_map(|(buffer, _)| found(*buffer));
    let specification = made.claim.outputs.iter().flat_map(|(_, bits)| bits.clone());
    let files = ["code.aig", "specification.aig"].map(|name| folder.join(name));
    for (file, circuit) in files.iter().zip(aiger(code.zip(specification))) {
        std::fs::write(file, circuit).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let files = files.map(|file| file.display().to_string());
    Ok((Ok(ask(&files, expected)?), made))
}

/// Plants faults until the program sees one. Some are harmless at this length.
fn until_seen(
    bytes: &[u8],
    image: &Image,
    subject: &Subject,
    made: &proof::Made<'_>,
    folder: &Path,
) -> Result<(), String> {
    for kind in [Kind::Immediate, Kind::LeftOut] {
        let possible = faults::possible(image, &made.machine, made.on_data_before, kind);
        let step = (possible.len() / FAULTS).max(1);
        for fault in possible.iter().skip(possible.len() / 3).step_by(step).take(FAULTS) {
            let faulty = Image::parse(&fault.planted(bytes, image)?)?;
            if compare(&faulty, subject, image, folder, Answer::Different)?.0 == Ok(Answer::Different) {
                return Ok(());
            }
        }
    }
    Err("it sees no planted fault".to_owned())
}

/// Asks for an opinion about each claim, and about code with a fault. True if the claims hold and the faults are seen.
pub(crate) fn all(library: &Path, folder: &Path) -> Result<bool, String> {
    let bytes = std::fs::read(library).map_err(|error| format!("{}: {error}", library.display()))?;
    let image = Image::parse(&bytes)?;
    let mut good = true;
    for subject in subjects() {
        let start = Instant::now();
        let (answer, made) = compare(&image, &subject, &image, folder, Answer::Equivalent)?;
        let seconds = start.elapsed().as_secs_f64();
        let said = match &answer {
            Ok(Answer::Equivalent) => "equivalent".to_owned(),
            Ok(Answer::Different) => "NOT EQUIVALENT".to_owned(),
            Ok(Answer::Undecided) => "UNDECIDED".to_owned(),
            Err(reason) => format!("NOT COMPARED: it {reason}"),
        };
        let fault = match until_seen(&bytes, &image, &subject, &made, folder) {
            Ok(()) => "a planted fault is seen".to_owned(),
            Err(reason) => {
                good = false;
                format!("FAILED: {reason}")
            }
        };
        println!("{}: {said}, {seconds:.1} s; {fault}", subject.title());
        good &= answer == Ok(Answer::Equivalent);
    }
    Ok(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_strictly() {
        assert_eq!(answer("Networks are equivalent.  Time =     0.06 sec\n"), Answer::Equivalent);
        let different = "Disproved at least one output.\nNetworks are NOT EQUIVALENT.  Time = 0.2 sec\n";
        assert_eq!(answer(different), Answer::Different);
        for text in [
            "",
            "Networks are UNDECIDED.  Time = 60.00 sec\n",
            "Networks are equivalent",
            "The networks are equivalent.\n",
            "Networks are equivalent.\nNetworks are NOT EQUIVALENT.\n",
        ] {
            assert_eq!(answer(text), Answer::Undecided, "{text}");
        }
    }
}
