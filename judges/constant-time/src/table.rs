//! The table of the operations that were examined, and of the results.

use std::collections::BTreeMap;

/// A row: a tool and a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// Ciphers.
    pub(crate) subjects: u64,
    /// Operations of all of them.
    pub(crate) operations: u64,
    /// Instructions, if they were counted.
    pub(crate) steps: u64,
    /// Operations that show values that are public by design.
    pub(crate) public: u64,
    /// Operations that show more.
    pub(crate) differences: u64,
}

/// All rows, by tool and kernel.
#[derive(Debug, Default)]
pub(crate) struct Table(BTreeMap<(&'static str, String), Row>);

impl Table {
    /// The row of the kernel that a subject is about: its second word.
    pub(crate) fn row(&mut self, tool: &'static str, subject: &str) -> &mut Row {
        let kernel = subject.split_once(' ').map_or(subject, |(_, kernel)| kernel);
        self.0.entry((tool, kernel.to_owned())).or_default()
    }

    /// Prints it.
    pub(crate) fn print(&self) {
        println!("TOOL      KERNEL                    CIPHERS OPERATIONS      STEPS  PUBLIC  DIFFERENCES");
        for ((tool, kernel), row) in &self.0 {
            let Row { subjects, operations, steps, public, differences } = row;
            println!(
                "{tool:9} {kernel:24} {subjects:>8} {operations:>10} {steps:>10} {public:>7} {differences:>12}"
            );
        }
    }
}
