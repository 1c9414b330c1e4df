//! From a case that fails to a small one that still does.

use crate::case::{Case, Fault, Spec};
use crate::check::{Difference, Runner};
use crate::pool::Pool;
use crate::subject::{Mode, Path};

/// The most runs that are spent on making a case smaller.
const RUNS: usize = 3000;

/// The search, and the smallest case so far.
struct Search<'a> {
    runner: &'a mut Runner,
    pool: &'a Pool,
    best: (Case, Difference),
    left: usize,
}

/// Makes a case that fails smaller: fewer packets, shorter ones, and simpler ones.
pub fn shrink(runner: &mut Runner, pool: &Pool, case: Case, difference: Difference) -> (Case, Difference) {
    let mut search = Search { runner, pool, best: (case, difference), left: RUNS };
    search.try_case(|case| {
        case.path = Path::Batch;
        for spec in &mut case.specs {
            if matches!(spec.fault, Fault::Overlap | Fault::NoInput | Fault::WrongKey) {
                // Rust has no such faults.
                spec.fault = Fault::None;
            }
        }
    });
    loop {
        let before = search.best.0.specs.clone();
        search.fewer();
        search.simpler();
        search.shorter();
        if search.left == 0 || search.best.0.specs == before {
            return search.best;
        }
    }
}

impl Search<'_> {
    /// Takes a change over if the case still fails.
    fn try_case(&mut self, change: impl FnOnce(&mut Case)) -> bool {
        let mut case = self.best.0.clone();
        change(&mut case);
        let changed = case.specs != self.best.0.specs || case.path != self.best.0.path;
        let possible = case.mode.paths().contains(&case.path);
        if !changed || !possible || self.left == 0 {
            return false;
        }
        self.left -= 1;
        match self.runner.run(self.pool, &case) {
            Some(difference) => {
                self.best = (case, difference);
                true
            }
            None => false,
        }
    }

    /// Leaves out as many packets as can be: halves, quarters, down to each by itself.
    fn fewer(&mut self) {
        let mut piece = self.best.0.specs.len().div_ceil(2);
        while piece > 0 {
            let mut at = 0;
            while at < self.best.0.specs.len() {
                let end = (at + piece).min(self.best.0.specs.len());
                if !self.try_case(|case| drop(case.specs.drain(at..end))) {
                    at = end;
                }
            }
            piece /= 2;
        }
    }

    /// Tries a change on all packets together, and then on each.
    fn change(&mut self, change: impl Fn(&mut Spec)) {
        if !self.try_case(|case| case.specs.iter_mut().for_each(&change)) {
            for index in 0..self.best.0.specs.len() {
                self.try_case(|case| change(&mut case.specs[index]));
            }
        }
    }

    /// Takes away the special features of a packet.
    fn simpler(&mut self) {
        self.change(|spec| spec.fault = Fault::None);
        self.change(|spec| spec.in_place = true);
        self.change(|spec| spec.shift = 0);
        if let Some(kernel) = self.best.0.specs.first().map(|spec| spec.kernel) {
            let family = self.best.0.specs[0].cipher().family();
            self.change(|spec| {
                if spec.cipher().family() == family {
                    spec.kernel = kernel;
                }
            });
        }
    }

    /// Makes packets shorter: from the other end of an interval that is halved, and then by single blocks.
    fn shorter(&mut self) {
        let (pool, mode) = (self.pool, self.best.0.mode);
        if mode.is_search() {
            // A short ciphertext fits under other keys by chance.
            return;
        }
        for index in 0..self.best.0.specs.len() {
            let spec = &self.best.0.specs[index];
            let step = if mode.has_prefixes() { spec.cipher().block() } else { 1 };
            let size = |spec: &Spec| if mode.has_prefixes() { spec.len / step } else { spec.entry };
            let set = |spec: &mut Spec, size: usize| {
                if mode.has_prefixes() {
                    spec.len = size * step + spec.len % step;
                } else {
                    // The messages of a pool are in the order of their lengths.
                    let entry = &pool.entries(mode, spec.kind)[size];
                    (spec.entry, spec.len) = (size, entry.len);
                    if mode == Mode::Aez {
                        spec.tag_len = entry.tag_len;
                    }
                }
            };
            // A bit of the ciphertext or of the tag has to stay within it, and other changes would become other faults.
            let stays = match spec.fault {
                Fault::TextBit(_) | Fault::AadCut => true,
                Fault::TagBit(_) => mode == Mode::Aez,
                _ => !mode.has_prefixes() && spec.len < 16,
            };
            if stays {
                continue;
            }
            let mut least = 0;
            while least < size(&self.best.0.specs[index]) {
                let middle = least.midpoint(size(&self.best.0.specs[index]));
                if !self.try_case(|case| set(&mut case.specs[index], middle)) {
                    least = middle + 1;
                }
            }
            for by in [1, 2, 3] {
                while size(&self.best.0.specs[index]) >= by
                    && self.try_case(|case| {
                        let now = size(&case.specs[index]);
                        set(&mut case.specs[index], now - by);
                    })
                {}
            }
        }
    }
}
