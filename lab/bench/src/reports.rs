//! Reports of measurements: the files that `ladder` and `bench` write beside their tables.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use abreast_cli::{Exit, Failure, Outputs, Replace, Stream, Target};
use abreast_lab::report::{BenchReport, LaddersReport};
use clap::ValueHint;

/// The options about reports.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ReportArgs {
    /// Write every sample to this file as JSON, - for standard output in place of the table
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<PathBuf>,
    /// Write the figures to this file as comma-separated values, a line for each row of the table
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) csv: Option<PathBuf>,
    /// Write a page with all pictures and tables to this file; it needs no network
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,
    /// Write the pictures to this folder, which is made if it is not there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) svg: Option<PathBuf>,
    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,
}

impl ReportArgs {
    /// Returns true if JSON takes the place of the table.
    pub(crate) fn json_is_output(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }
}

/// The files, opened before anything is measured: what would fail in the end fails at once.
pub(crate) struct Reports {
    outputs: Outputs,
    json: Option<Target>,
    csv: Option<Target>,
    html: Option<Target>,
    pictures: Vec<Target>,
}

/// The contents of the files.
pub(crate) struct Contents {
    pub(crate) json: String,
    pub(crate) csv: String,
    pub(crate) html: String,
    /// In the order of their names.
    pub(crate) pictures: Vec<String>,
}

impl Reports {
    /// Opens all that were asked for; `pictures` are the names of the pictures, without their ending.
    pub(crate) fn open(args: &ReportArgs, pictures: &[String]) -> Result<Reports, Failure> {
        let dash = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
        if dash(&args.csv) || dash(&args.html) || dash(&args.svg) {
            return Err(Failure::usage(
                "--csv, --html and --svg take names; of reports, standard output takes JSON alone",
            ));
        }
        let files = [("--json", &args.json), ("--csv", &args.csv), ("--html", &args.html)];
        for (i, (one, path)) in files.iter().enumerate() {
            if let Some((other, _)) = files[i + 1..].iter().find(|(_, other)| path.is_some() && path == other)
            {
                return Err(Failure::usage(format_args!("{one} and {other} cannot go to the same file")));
            }
        }
        if files.iter().all(|(_, path)| path.is_none()) && args.svg.is_none() {
            table_can_be_printed()?;
        }
        let outputs = Outputs::without_inputs();
        let create = |path: &Path| Target::create(path, Replace::by_force(args.force), &outputs);
        let json = args.json.as_deref().map(create).transpose()?;
        let csv = args.csv.as_deref().map(create).transpose()?;
        let html = args.html.as_deref().map(create).transpose()?;
        let mut targets = Vec::new();
        if let Some(folder) = &args.svg {
            fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
            for name in pictures {
                targets.push(create(&folder.join(format!("{name}.svg")))?);
            }
        }
        Ok(Reports { outputs, json, csv, html, pictures: targets })
    }

    /// Returns true if there are no files.
    pub(crate) fn is_empty(&self) -> bool {
        self.json.is_none() && self.csv.is_none() && self.html.is_none() && self.pictures.is_empty()
    }

    /// Writes all of them, the others too where one fails.
    pub(crate) fn write(mut self, contents: Contents) -> Result<(), Failure> {
        let files = self.json.map(|target| (target, contents.json));
        let files = files.into_iter().chain(self.csv.map(|target| (target, contents.csv)));
        let files = files.chain(self.html.map(|target| (target, contents.html)));
        let mut outcome = Ok(());
        for (mut target, text) in files.chain(self.pictures.into_iter().zip(contents.pictures)) {
            let written = target.write_all(text.as_bytes());
            let written = written.map_err(|error| Failure::output(target.path(), &error));
            let done =
                written.and_then(|()| target.show_to_all()).and_then(|()| target.commit(&mut self.outputs));
            outcome = outcome.and(done);
        }
        outcome
    }
}

/// Refuses a standard output that was closed, where a table there is all that is left of a measurement.
pub(crate) fn table_can_be_printed() -> Result<(), Failure> {
    Stream::stdout().map(drop).map_err(|error| Failure::output("-".as_ref(), &error))
}

/// A report as JSON, with a line feed at its end.
pub(crate) fn json(report: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(report).map_err(|error| Failure::plain(Exit::Io, error))?;
    Ok(text + "\n")
}

/// Returns a benchmark as comma-separated values. No name has a comma.
pub(crate) fn csv_of_bench(report: &BenchReport) -> String {
    let mut text = String::from("what,kernel,bytes,batch,threads,GB/s,c/B,floor,single\n");
    let number = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    let count = |count: Option<usize>| count.map_or(String::new(), |count| count.to_string());
    for row in &report.rows {
        let cells = [
            row.what.clone(),
            row.kernel.clone(),
            row.size.to_string(),
            count(row.batch),
            count(row.threads),
            row.gbps.to_string(),
            row.cpb.to_string(),
            number(row.floor_cpb),
            number(row.single_cpb),
        ];
        text += &(cells.join(",") + "\n");
    }
    text
}

/// Returns ladders as comma-separated values, in core cycles per byte. Names of steps have commas, so they are quoted.
pub(crate) fn csv_of_ladders(report: &LaddersReport) -> String {
    let mut text = String::from("ladder,workload,step,q1,median,q3,min,max,times,dropped\n");
    for ladder in &report.ladders {
        for workload in &ladder.workloads {
            for (step, factor) in workload.steps.iter().zip(workload.factors()) {
                let of = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
                let cycles = step.cpb;
                let mut cells = vec![ladder.name.clone()];
                cells.extend([&workload.name, &step.name].map(|name| format!("\"{name}\"")));
                cells.extend([
                    of(cycles.and_then(|cycles| cycles.q1)),
                    of(cycles.map(|cycles| cycles.median)),
                    of(cycles.and_then(|cycles| cycles.q3)),
                    of(cycles.map(|cycles| cycles.min)),
                    of(cycles.map(|cycles| cycles.max)),
                    of(factor),
                    step.dropped.to_string(),
                ]);
                text += &(cells.join(",") + "\n");
            }
        }
    }
    text
}

/// A name of a file from words: small letters, digits and hyphens.
pub(crate) fn file_name(words: &str) -> String {
    let letters = words.to_lowercase();
    let parts = letters.split(|letter: char| !letter.is_ascii_alphanumeric());
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(file_name("xtea 25 KB, decryption"), "xtea-25-kb-decryption");
        assert_eq!(file_name("RC4: 8 x 2 KiB"), "rc4-8-x-2-kib");
    }
}
