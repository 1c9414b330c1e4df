//! The steps against the reference.

mod alone;
mod known;
mod pages;
mod pictures;
mod sample;
mod serpent;
mod source;
mod table;

use abreast_lab::ladder::LONGEST_NAME;
use abreast_lab::ladders;

#[test]
fn every_step_gives_the_output_of_the_reference() {
    for name in ladders::NAMES {
        let mut ladder = ladders::by_name(name).expect("a name of the list is known");
        ladder.check().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn names_fit_pictures_and_are_told_apart() {
    for name in ladders::NAMES {
        let ladder = ladders::by_name(name).expect("a name of the list is known");
        for workload in &ladder.workloads {
            let mut names: Vec<_> = workload.steps.iter().map(|step| step.name).collect();
            assert!(names.iter().all(|name| name.len() <= LONGEST_NAME), "{names:?}");
            assert!(workload.steps.iter().all(|step| step.change.ends_with('.')), "{names:?}");
            let steps = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), steps, "{}", workload.name);
        }
    }
}
